//! Laws of the page and its figures: well-formed, harmless, bounded, the same every time.

mod samples;
mod wording;
mod xml;

use samples::{empty, full, hostile, large};
use sosrep_report::{Report, figure, page, standalone};

/// Every figure that a report has data for.
fn figures(report: &Report) -> Vec<String> {
    let mut figures = vec![figure::score_histogram(&report.scores)];
    figures.extend(report.map.iter().map(figure::anomaly_map));
    figures.extend(report.curve.iter().map(figure::bandwidth_curve));
    figures.extend(report.detection.iter().map(figure::roc_curve));
    figures.extend(report.detection.iter().map(figure::precision_recall_curve));
    for feature in &report.features {
        figures.push(figure::feature_strip(feature, None));
        figures.push(figure::reason_bars(&feature.name, &[(&feature.name, feature.contribution)]));
    }
    for reason in report.top.iter().flat_map(|anomaly| &anomaly.reasons) {
        figures.push(figure::contribution_bar(reason.contribution, (-1.0, 2.0)));
        if let Some(feature) = report.features.get(reason.feature) {
            figures.push(figure::feature_strip(feature, Some(reason)));
        }
    }
    figures
}

#[test]
fn every_figure_is_well_formed_alone_and_as_a_file() {
    for report in [full(), empty(), hostile(), large(3000, 5)] {
        for svg in figures(&report) {
            xml::check(&svg).unwrap();
            xml::check(&standalone(&svg)).unwrap();
        }
    }
}

#[test]
fn every_figure_has_a_name_for_readers_who_do_not_see_it() {
    for svg in figures(&full()) {
        assert!(svg.contains("role=\"img\"") && svg.contains("aria-label=\""), "{svg}");
        assert!(svg.contains("<title>"), "{svg}");
    }
}

#[test]
fn no_attribute_holds_a_number_that_is_not_finite() {
    for report in [hostile(), empty()] {
        for svg in figures(&report) {
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
        let html = page(&report);
        for value in xml::attributes(&html) {
            assert!(!value.contains("NaN") && !value.contains("inf"), "{value}");
        }
    }
}

#[test]
fn text_from_strangers_cannot_become_markup() {
    let report = hostile();
    let html = page(&report);
    assert_eq!(html.matches("<script").count(), 1, "the page has a script of its own");
    assert!(!html.contains("<img") && !html.contains('\u{0}'));
    assert!(html.contains("&lt;script&gt;"));
    assert!(figures(&report).iter().all(|svg| !svg.contains("<script") && !svg.contains("<img")));
}

#[test]
fn a_section_is_there_when_its_data_is() {
    let html = page(&full());
    for id in
        ["scores", "anomalies", "map", "bandwidth", "columns", "detection", "notes", "reproduce"]
    {
        assert!(html.contains(&format!("<section id=\"{id}\">")), "{id}");
    }
}

#[test]
fn a_section_without_data_is_left_out() {
    let html = page(&empty());
    for id in ["map", "bandwidth", "columns", "detection", "notes"] {
        assert!(!html.contains(&format!("<section id=\"{id}\">")), "{id}");
    }
    assert!(html.contains("No row was singled out."));
}

#[test]
fn the_answer_names_the_first_row_and_its_first_reason() {
    let html = page(&full());
    let start = html.find("<p class=\"answer\">").unwrap();
    let answer = xml::text(&html[start..start + html[start..].find("</p>").unwrap()]);
    assert_eq!(
        answer,
        "2 of 40 rows stand out; the first is row 39, mostly because of ash (39, typically 20)."
    );
}

#[test]
fn the_answer_says_so_when_nothing_stands_out() {
    let mut report = full();
    report.headline.flagged = 0;
    report.scores.threshold = 99.0;
    let html = page(&report);
    assert!(xml::text(&html).contains("None of 40 rows has a score above the threshold of 99;"));
}

#[test]
fn equal_reports_give_equal_bytes() {
    assert_eq!(page(&full()), page(&full()));
}

#[test]
fn nothing_is_fetched_and_nothing_runs() {
    let html = page(&full());
    for word in ["<script src", "<link", "<img", "@import", "url(", "src=", "onload"] {
        assert!(!html.contains(word), "{word}");
    }
    let addresses = html.matches("http://").count() + html.matches("https://").count();
    assert_eq!(addresses, html.matches("xmlns=\"http://www.w3.org/2000/svg\"").count());
}

#[test]
fn a_large_report_makes_a_small_page_that_says_what_it_leaves_out() {
    let html = page(&large(100_000, 100));
    assert!(html.len() < 3_000_000, "{} bytes", html.len());
    let text = xml::text(&html);
    assert!(text.contains("50 columns that contribute least are not listed."));
    assert!(text.contains(
        "The 2000 rows with the highest scores, of 5000 that are flagged: a page lists no more."
    ));
    assert!(text.contains("1000 of 5000 flagged rows, by score, and 1000 of 95\u{202f}000 others"));
}

#[test]
fn a_map_of_few_rows_shows_them_all() {
    let report = full();
    let svg = figure::anomaly_map(report.map.as_ref().unwrap());
    assert_eq!(svg.matches("h0").count(), 40);
    assert_eq!(svg.matches("r=\"5.5\"").count(), 2 + 1, "the flagged rows and the legend");
}

#[test]
fn the_histogram_says_how_many_rows_are_flagged() {
    let mut report = full();
    assert!(figure::score_histogram(&report.scores).contains("2 of 40 rows above"));
    report.scores.values = vec![3.0; 40];
    assert!(figure::score_histogram(&report.scores).contains("0 of 40 rows above"));
    report.scores.values = vec![3.0];
    assert!(figure::score_histogram(&report.scores).contains("0 of 1 row above"));
}

#[test]
fn a_value_far_outside_its_column_is_an_arrow_inside_the_strip() {
    let report = full();
    let mut reason = report.top[0].reasons[0].clone();
    reason.value = 1e9;
    let svg = figure::feature_strip(&report.features[0], Some(&reason));
    let numbers = svg.split(|c: char| !(c.is_ascii_digit() || c == '.')).filter(|n| !n.is_empty());
    let path = svg.rfind("<path").unwrap();
    assert!(svg[path..].contains("214 18"), "the head ends at the edge: {svg}");
    assert!(numbers.filter_map(|n| n.parse::<f64>().ok()).all(|n| n <= 2000.0));
}
