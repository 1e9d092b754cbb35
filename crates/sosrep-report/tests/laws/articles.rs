//! Laws of articles and their tables.

use sosrep_report::article::{Article, Block, Section, Table, article};
use sosrep_report::chart::{boxes, heat_map};

use crate::chart_samples::{ATTACK, box_chart, heat_chart};
use crate::xml;

fn table() -> Table {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Table {
        header: texts(&["method", "mean AUC-ROC", ATTACK]),
        rows: vec![
            texts(&["a|b", "0.761", "two\nlines"]),
            texts(&["a\\|b", "0.7"]),
            texts(&[ATTACK, "−0.05", "*stars* and `ticks`", "one more"]),
            texts(&[]),
        ],
        numeric: vec![false, true],
    }
}

fn sample() -> Article {
    let figure = |svg: String| Block::Figure { svg, caption: format!("{ATTACK} caption") };
    let section = |heading: &str, blocks| Section { heading: heading.to_owned(), blocks };
    let folded = vec![
        Block::Text("Inside the fold.".to_owned()),
        Block::Folded { summary: "deeper".to_owned(), blocks: vec![Block::Table(table())] },
    ];
    Article {
        title: format!("{ATTACK} title"),
        lead: format!("{ATTACK} lead"),
        sections: vec![
            section(&format!("{ATTACK} first"), vec![Block::Text("One.\n\nTwo.".to_owned())]),
            section(
                "second",
                vec![figure(boxes(&box_chart(4))), figure(heat_map(&heat_chart(3, 3)))],
            ),
            section(
                "third",
                vec![
                    Block::Table(table()),
                    Block::Folded { summary: format!("{ATTACK} more"), blocks: folded },
                ],
            ),
        ],
    }
}

/// The cells of a line as GitHub divides it: at a bar that no backslash stands before.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut cell, mut is_escaped) = (Vec::new(), String::new(), false);
    for c in line.trim_matches('\n').chars() {
        match c {
            '|' if !is_escaped => cells.push(std::mem::take(&mut cell)),
            '\\' if !is_escaped => {
                is_escaped = true;
                continue;
            }
            _ => cell.push(c),
        }
        is_escaped = false;
    }
    cells.iter().skip(1).map(|cell| cell.trim().to_owned()).collect()
}

#[test]
fn markdown_gives_back_every_cell() {
    let lines: Vec<Vec<String>> = table().markdown().lines().map(cells).collect();
    assert_eq!(lines[0], ["method", "mean AUC-ROC", ATTACK, ""]);
    assert_eq!(lines[2], ["a|b", "0.761", "two lines", ""]);
    assert_eq!(lines[3], ["a\\|b", "0.7", "", ""]);
    assert_eq!(lines[4], [ATTACK, "−0.05", "*stars* and `ticks`", "one more"]);
    assert_eq!(lines[5], ["", "", "", ""]);
}

#[test]
fn every_line_of_markdown_has_the_same_columns_and_length() {
    let text = table().markdown();
    assert_eq!(text.lines().count(), 1 + 1 + 4);
    assert!(text.lines().all(|line| cells(line).len() == 4), "{text}");
    let lengths: Vec<usize> = text.lines().map(|line| line.chars().count()).collect();
    assert!(lengths.iter().all(|length| *length == lengths[0]), "{text}");
}

#[test]
fn numbers_are_on_the_right_in_markdown_and_on_the_page() {
    let rule = table().markdown().lines().nth(1).unwrap().to_owned();
    let ends: Vec<bool> = cells(&rule).iter().map(|cell| cell.ends_with("-:")).collect();
    assert_eq!(ends, [false, true, false, false]);
    let html = article(&sample());
    assert!(html.contains("<td class=\"number\">0.761</td>") && html.contains("<td>a|b</td>"));
    assert!(html.contains("<th class=\"number\" scope=\"col\">mean AUC-ROC</th>"));
}

#[test]
fn an_empty_table_is_no_table() {
    let empty = Table { header: vec![], rows: vec![], numeric: vec![true] };
    assert!(empty.markdown().is_empty());
}

#[test]
fn the_article_is_well_formed_and_holds_every_block() {
    let html = article(&sample());
    let start = html.find("<main").unwrap();
    let end = html.find("</main>").unwrap() + "</main>".len();
    xml::check(&html[start..end]).unwrap();
    for piece in ["<p>One.</p><p>Two.</p>", "Inside the fold.", "<summary>deeper</summary>"] {
        assert!(html.contains(piece), "{piece}");
    }
    for text in ["title", "lead", "first", "caption", "more"] {
        assert!(html.contains(&format!("&lt;b&gt;&amp;&quot; {text}")), "{text}");
    }
    assert!(!html.contains("<b>") && html.matches("<svg").count() == 2);
    assert_eq!(html, article(&sample()));
}

#[test]
fn the_contents_lead_to_every_section_of_a_long_article() {
    let mut long = sample();
    let html = article(&long);
    for place in 1..=3 {
        assert!(html.contains(&format!("href=\"#section-{place}\"")));
        assert_eq!(html.matches(&format!("id=\"section-{place}\"")).count(), 1);
    }
    long.sections.truncate(2);
    assert!(!article(&long).contains("href="));
}

#[test]
fn an_article_fetches_nothing_and_runs_nothing() {
    let html = article(&sample());
    for word in ["<script", "<link", "<img", "@import", "url(", "src=", "onload"] {
        assert!(!html.contains(word), "{word}");
    }
    let addresses = html.matches("http://").count() + html.matches("https://").count();
    assert_eq!(addresses, html.matches("xmlns=\"http://www.w3.org/2000/svg\"").count());
}

#[test]
fn an_empty_article_is_a_page() {
    let empty = Article { title: String::new(), lead: String::new(), sections: vec![] };
    let html = article(&empty);
    assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>"));
}
