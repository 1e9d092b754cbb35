//! Laws of the report: what is missing is told, names are escaped, equal runs give equal bytes.

use std::collections::BTreeSet;

use super::*;
use crate::experiment::{Drawn, Experiment, Finding};
use crate::protocol::Protocol;
use crate::published::{DEFAULT, KERNELS, PAPER};
use crate::run::Status;
use crate::statistics::tests::{copied, done, ended};

/// Some methods on some data sets, all chapters included.
fn runs() -> Vec<Run> {
    let sets = ["2_annthyroid", "4_breastw", "6_cardio", "14_glass"];
    let methods = [("IForest", 0.8), ("KNN", 0.7), ("LOF", 0.6), (PAPER, 0.78), (DEFAULT, 0.82)];
    let mut runs = Vec::new();
    for (i, name) in sets.iter().enumerate() {
        for (method, auc) in methods {
            let auc = auc + i as f64 / 50.0;
            for seed in 1..=2 {
                runs.push(done(method, name, seed, auc + seed as f64 / 1000.0));
            }
            runs.extend([2, 5, 6].map(|t| copied(done(method, name, 1, auc - 0.1), t)));
        }
        runs.extend(KERNELS.map(|kernel| done(kernel, name, 1, 0.5 + i as f64 / 10.0)));
        let jittered = copied(done(PAPER, name, 1, 0.61), 5);
        runs.push(Run { jitter: Some(0.1), ..jittered });
        let authors = done(DEFAULT, name, 1, 0.77);
        runs.push(Run { protocol: Protocol::Authors, ..authors });
        runs.push(ended("DAGMM", name, Status::Unavailable));
    }
    runs.push(done("MCD", "4_breastw", 1, 0.9));
    let slow = ended("MCD", "6_cardio", Status::TimedOut);
    runs.push(Run { message: "took | longer than <300> s".to_string(), ..slow });
    runs
}

fn extras() -> ReportExtras {
    let figure = |name: &str| Drawn {
        name: name.to_string(),
        title: "A curve".to_string(),
        caption: "A curve.".to_string(),
        svg: "<svg></svg>".to_string(),
    };
    let finding = Finding {
        experiment: Experiment::Fisher,
        heading: "Fisher, by b".to_string(),
        sentences: vec!["One.".to_string(), "Two.".to_string()],
        tables: Vec::new(),
    };
    ReportExtras {
        set_up: vec!["sosrep adbench run --seeds 2".to_string()],
        missing: vec!["3_backdoor".to_string()],
        experiments: vec![Account { finding, figures: vec![figure("fisher"), figure("fisher-2")] }],
        gradients: Vec::new(),
    }
}

#[test]
fn every_chapter_is_there_and_none_without_runs() {
    let full = report(&runs(), extras());
    let headings = [
        "Set-up",
        "What the paper says, and what these runs say",
        "AUC-ROC and average precision",
        "Relative ranks",
        "AUC-ROC of every method on every data set",
        "Duplicated anomalies",
        "Kernels",
        "Wall time",
        "Groups of data sets",
        "Agreement of seeds",
        "The protocol of the authors",
        "Fisher, by b",
        "What is missing",
    ];
    let found: Vec<&str> =
        full.markdown.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(found, headings);
    let empty = report(&[], ReportExtras::default());
    assert_eq!(empty.markdown.matches("\n## ").count(), 2, "{}", empty.markdown);
    assert!(empty.figures.is_empty());
}

#[test]
fn what_is_missing_is_told_with_its_reason() {
    let report = report(&runs(), extras());
    for words in [
        "unavailable: all",
        "not run: 2\\_annthyroid, 14\\_glass; timed out: 6\\_cardio",
        "1 of 4",
        "3_backdoor",
        "took \\| longer than",
    ] {
        let plain = words.replace("\\_", "_");
        let found = report.markdown.contains(words) || report.markdown.contains(&plain);
        assert!(found, "{words} in {}", report.markdown);
    }
}

#[test]
fn the_places_of_ours_are_without_the_other() {
    // MCD is better than both where it ran; IForest is better than the one and not the other.
    let text = report(&runs(), extras()).markdown;
    let lead = text.lines().nth(2).unwrap();
    for (method, place) in [(PAPER, 3), (DEFAULT, 2)] {
        let (_, rest) = lead.split_once(&format!("{method} has a mean AUC-ROC of 0.8")).unwrap();
        let (_, place_of) = rest.split_once("on 4 data sets: number ").unwrap();
        assert!(place_of.starts_with(&format!("{place} of 5 by mean")), "{lead}");
    }
}

#[test]
fn every_figure_has_a_file_a_table_and_a_caption_with_seeds() {
    let report = report(&runs(), extras());
    let tables: BTreeSet<&str> = report.tables.iter().map(|table| table.name.as_str()).collect();
    let figures: BTreeSet<&str> = report.figures.iter().map(|f| f.name.as_str()).collect();
    assert_eq!((tables.len(), figures.len()), (report.tables.len(), report.figures.len()));
    for name in figures {
        assert!(tables.contains(name) || name.starts_with("fisher"), "{name}");
        let link = format!("![{name}](figures/{name}.svg)\n\n");
        let (_, rest) = report.markdown.split_once(&link).unwrap();
        let caption = rest.lines().next().unwrap();
        assert!(caption.contains("seed") || name.starts_with("fisher"), "{name}: {caption}");
    }
    let experiments = ["fisher", "fisher-2"];
    assert!(experiments.iter().all(|name| report.figures.iter().any(|f| f.name == *name)));
}

#[test]
fn files_are_written_and_tables_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("a/new folder");
    let report = report(&runs(), extras());
    report.write(&target).unwrap();
    assert_eq!(fs::read_to_string(target.join("report.md")).unwrap(), report.markdown);
    assert_eq!(fs::read_to_string(target.join("report.html")).unwrap(), report.html);
    for NamedTable { name, table } in &report.tables {
        let mut reader = csv::Reader::from_path(target.join(format!("tables/{name}.csv"))).unwrap();
        assert_eq!(reader.headers().unwrap(), table.header.clone());
        let rows: Vec<Vec<String>> = reader.deserialize().map(|row| row.unwrap()).collect();
        assert!(rows.iter().eq(&table.rows), "{name}");
    }
    for Figure { name, .. } in &report.figures {
        let file = fs::read_to_string(target.join(format!("figures/{name}.svg"))).unwrap();
        assert!(file.starts_with("<svg") && !file.contains("var("), "{name}");
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = report(&[], ReportExtras::default()).write(&file).unwrap_err();
    assert!(error.to_string().contains("file/figures"), "{error}");
}

#[test]
fn equal_runs_give_equal_bytes_in_any_order_of_lines() {
    let (forward, mut backward) = (runs(), runs());
    backward.reverse();
    assert_eq!(report(&forward, extras()), report(&forward, extras()));
    assert_eq!(report(&forward, extras()).html, report(&backward, extras()).html);
}

#[test]
fn hostile_names_are_escaped() {
    let name = "<script>alert(1)</script>|*x*";
    let mut runs = runs();
    runs.push(done("KNN", name, 1, 0.5));
    runs.push(Run { message: name.to_string(), ..ended(name, name, Status::Failed) });
    let report = report(&runs, ReportExtras { missing: vec![name.to_string()], ..extras() });
    assert!(!report.html.contains("<script>"));
    let tables = report.markdown.lines().filter(|line| line.starts_with('|'));
    assert!(!tables.clone().any(|line| line.contains("</script>|")), "{}", report.markdown);
    let text = report.markdown.lines().find(|line| line.starts_with("Not at hand")).unwrap();
    assert!(text.contains("&lt;script>") && text.contains("\\*x\\*"), "{text}");
}

#[test]
fn data_sets_adbench_fills_up_are_told_from_the_others() {
    let report = report(&runs(), extras());
    // Of the four, breastw and glass have fewer than 1000 rows; 14, 2, 4 and 6 are all even.
    let header = "all (4),not resampled (2),resampled (2),odd (0),even (4)";
    let groups = report.tables.iter().find(|table| table.name == "groups").unwrap();
    assert_eq!(groups.table.header[1..].join(","), header);
    let ours = groups.table.rows.iter().find(|row| row[0] == DEFAULT).unwrap();
    let mean = |column: usize| ours[column].parse::<f64>().unwrap();
    assert!((mean(1) - (mean(2) + mean(3)) / 2.0).abs() < 1e-12);
    assert_eq!((ours[4].as_str(), mean(5)), ("", mean(1)));
}

#[test]
fn the_table_of_the_readme_is_sorted_and_says_what_it_rests_on() {
    let text = readme_table(&runs());
    let methods: Vec<&str> =
        text.lines().skip(2).filter_map(|line| line.split('|').nth(1)).map(str::trim).collect();
    assert_eq!(methods, ["MCD", DEFAULT, "IForest", PAPER, "KNN", "LOF"]);
    assert!(
        text.contains("4 data sets, 1 to 2 seeds; anomalies ×5: 4 data sets, 1 seed."),
        "{text}"
    );
    let line = text.lines().find(|line| line.contains("MCD")).unwrap();
    assert!(line.contains("1 of 4"), "{line}");
}

#[test]
fn a_block_is_replaced_between_its_marks_alone() {
    let text = "a\n<!-- board: generated -->\nold\n<!-- end of board -->\nb\n";
    let once = with_block(text, "board", "new\n\n").unwrap();
    assert_eq!(once, "a\n<!-- board: generated -->\nnew\n<!-- end of board -->\nb\n");
    assert_eq!(with_block(&once, "board", "new").unwrap(), once);
    assert_eq!(with_block(text, "other", "new"), None);
    assert_eq!(with_block("<!-- board: generated --> no end", "board", "new"), None);
    let reversed = "<!-- end of board --> <!-- board: generated -->";
    assert_eq!(with_block(reversed, "board", "new"), None);
}
