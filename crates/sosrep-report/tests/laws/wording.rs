//! What the page says in words, where the data leaves something out or asks for room.

use sosrep_report::{Report, figure, page};

use crate::samples::full;
use crate::xml;

/// The ordinary report with a threshold above all of its scores.
fn nothing_flagged() -> Report {
    let mut report = full();
    report.headline.flagged = 0;
    report.scores.threshold = 99.0;
    report.top.iter_mut().for_each(|anomaly| anomaly.flagged = false);
    report.map.iter_mut().flat_map(|map| &mut map.points).for_each(|point| point.flagged = false);
    if let Some(detection) = &mut report.detection {
        detection.confusion.false_negatives = detection.confusion.true_positives;
        detection.confusion.true_positives = 0;
    }
    report
}

/// The texts of the elements that begin with `opening`.
fn texts_of(markup: &str, opening: &str) -> Vec<String> {
    let elements = markup.split(opening).skip(1);
    elements.map(|rest| xml::text(rest.split("</text>").next().unwrap_or(rest))).collect()
}

#[test]
fn the_page_explains_flags_only_if_a_row_is_flagged() {
    let [some, none] = [full(), nothing_flagged()].map(|report| xml::text(&page(&report)));
    assert!(some.contains("Orange bars are the rows above the threshold."));
    assert!(some.contains("the precision is 100\u{a0}% and the recall is 100\u{a0}%."));
    assert!(none.contains("No row is above the threshold.") && !none.contains("Orange bars"));
    assert!(none.contains("At the threshold the recall is 0\u{a0}%."));
    assert!(!none.contains("–\u{a0}%"), "a share of nothing is left out");
}

#[test]
fn the_map_explains_rings_only_if_there_are_some() {
    let drawn = |report: Report| figure::anomaly_map(&report.map.unwrap());
    assert!(drawn(full()).contains(">flagged<"));
    assert!(!drawn(nothing_flagged()).contains(">flagged<"));
}

#[test]
fn hollow_points_are_explained_below_the_curve_and_in_its_description() {
    let mut report = full();
    let hollow = "Hollow points lie beyond the frame.";
    let drawn = |report: &Report| figure::bandwidth_curve(report.curve.as_ref().unwrap());
    assert!(drawn(&report).contains(&format!("{hollow}</desc>")));
    assert!(page(&report).contains(&format!("{hollow}</figcaption>")));
    if let Some(curve) = &mut report.curve {
        curve.points = vec![(0.1, 2.0), (1.0, 3.0)];
    }
    assert!(!page(&report).contains(hollow));
}

#[test]
fn a_long_column_leaves_no_room_for_a_second_on_the_upright_axis() {
    let mut map = full().map.unwrap();
    let names = ["mean_concave_points", "worst_fractal_dimension"].map(String::from);
    map.axes.iter_mut().for_each(|axis| axis.loadings = names.to_vec());
    let svg = figure::anomaly_map(&map);
    let of_axes: Vec<String> = texts_of(&svg, "<text class=\"quiet middle\"")
        .into_iter()
        .filter(|text| text.contains("direction"))
        .collect();
    assert!(of_axes[0].contains(&names[0]) && of_axes[0].contains(&names[1]), "{of_axes:?}");
    assert!(of_axes[1].contains(&names[0]) && !of_axes[1].contains("worst"), "{of_axes:?}");
}

#[test]
fn notes_are_sentences() {
    let mut report = full();
    report.notes = vec!["columns with a single value: station".to_owned()];
    assert!(page(&report).contains("<li>Columns with a single value: station.</li>"));
}

#[test]
fn tiny_contributions_have_one_digit() {
    let mut report = full();
    report.top[0].reasons[0].contribution = 0.004_321;
    report.top[0].reasons[1].contribution = -0.000_000_12;
    let html = page(&report);
    for amount in ["+0.004", "−1×10⁻⁷"] {
        assert!(html.contains(&format!("<span class=\"amount\">{amount}</span>")), "{amount}");
    }
}

#[test]
fn the_list_cuts_the_name_of_a_column_and_not_its_value() {
    let mut report = full();
    report.features[0].name = "a name without an end ".repeat(20);
    let html = page(&report);
    let cell = html.split("<div class=\"why\"").nth(1).unwrap();
    let cell = xml::text(&cell[..cell.find("</div>").unwrap()]);
    assert!(cell.starts_with("a name without an end a name") && cell.contains('…'), "{cell}");
    assert!(cell.trim_end().ends_with("… 39 typically 20"), "{cell}");
}

#[test]
fn a_wide_name_is_cut_before_it_leaves_the_bars() {
    let name = "葡萄酒的酒精含量以百分比表示的平均值";
    let svg = figure::reason_bars("bars", &[(name, 1.0)]);
    let after_title = svg.split("</title>").nth(2).unwrap();
    let shown = after_title.split("</text>").next().unwrap();
    assert!(shown.contains('…') && shown.chars().count() <= 15, "{shown}");
}
