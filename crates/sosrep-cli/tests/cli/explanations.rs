//! Reasons for scores: of the rows asked for, adding up, and the same from every command.

use serde_json::Value;

use super::saved_models::{fitted, score};
use super::sosrep::{Folder, trimmed};
use super::tables::{self, ROWS};

#[test]
fn reasons_are_given_for_the_flagged_rows_as_detect_gives_them() {
    let folder = fitted();
    let scored = score(&folder, "data.csv --reasons --format jsonl");
    let detected = folder
        .succeed("detect data.csv --id name --label known --quiet --out - --format jsonl --top 0");
    let lines = |text: &str| -> Vec<Value> {
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let reasons = |lines: &[Value]| -> Vec<Value> {
        lines.iter().map(|line| line["reasons"].clone()).collect()
    };
    let (scored, detected) = (lines(&scored), lines(&detected));
    assert_eq!(reasons(&scored), reasons(&detected));
    for line in &scored {
        assert_eq!(line["reasons"].is_string(), line["is_anomaly"] == true, "{line}");
    }
    assert_eq!(
        scored[19]["reasons"],
        "length 17.14 (typical 2.895), weight 68.67 (typical 26.7), age 81.28 (typical 40.29)"
    );
}

#[test]
fn explain_takes_rows_by_number_or_the_highest_scores() {
    let folder = fitted();
    let rows = |options: &str| -> Vec<u64> {
        let text = folder.succeed(&format!("explain m.sosrep data.csv --json {options}"));
        let found: Value = serde_json::from_str(&text).unwrap();
        let found = found["rows"].as_array().unwrap();
        found.iter().map(|row| row["row"].as_u64().unwrap()).collect()
    };
    let scored = score(&folder, "data.csv");
    let scores: Vec<f64> =
        tables::column(&scored, "anomaly_score").iter().map(|cell| cell.parse().unwrap()).collect();
    let mut order: Vec<u64> = (1..=ROWS as u64).collect();
    order.sort_by(|i, j| scores[*j as usize - 1].total_cmp(&scores[*i as usize - 1]));
    assert_eq!(rows(""), order[..5]);
    assert_eq!(rows("--top 7"), order[..7]);
    assert_eq!(rows("--row 20"), [20]);
    let mut some = rows("--row 3,80 --row 1");
    some.sort_unstable();
    assert_eq!(some, [1, 3, 80]);
}

#[test]
fn contributions_add_up_to_the_score_above_the_reference() {
    let folder = fitted();
    let text = folder.succeed("explain m.sosrep data.csv --json --top 80");
    let found: Value = serde_json::from_str(&text).unwrap();
    for row in found["rows"].as_array().unwrap() {
        let number = |value: &Value| value.as_f64().unwrap();
        let reasons = row["reasons"].as_array().unwrap();
        let sum: f64 = reasons.iter().map(|reason| number(&reason["contribution"])).sum();
        let above = number(&row["anomaly_score"]) - number(&row["reference_score"]);
        assert!((sum - above).abs() < 1e-9 * (1.0 + above.abs()), "{row}");
    }
}

#[test]
fn an_explanation_reads_well_and_its_file_has_every_column() {
    let folder = fitted();
    let shown = folder.succeed("explain m.sosrep data.csv --row 20 --out why.csv");
    insta::assert_snapshot!(trimmed(&shown), @r"
    row r19: score 76.75, 73.18 above the most similar typical row
     column   value   typical   adds to the score
    ──────────────────────────────────────────────
     length   17.14     2.895              +57.29
     weight   68.67      26.7              +15.73
     age      81.28     40.29             +0.1581
    ");
    let file = folder.text("why.csv");
    let names = ["row", "id", "anomaly_score", "column", "value", "typical", "contribution"];
    assert_eq!(tables::header(&file), names);
    let mut columns = tables::column(&file, "column");
    columns.sort_unstable();
    assert_eq!(columns, ["age", "length", "weight"]);
}

#[test]
fn a_category_is_a_reason_by_its_value_and_not_by_its_features() {
    let folder = Folder::with(&tables::mixed());
    let words = "--categories onehot --quiet --missing drop";
    folder.succeed(&format!("fit data.csv {words} --model m.sosrep"));
    let text = folder.succeed("explain m.sosrep data.csv --json --top 80");
    let found: Value = serde_json::from_str(&text).unwrap();
    for row in found["rows"].as_array().unwrap() {
        let reasons = row["reasons"].as_array().unwrap();
        let mut columns: Vec<&str> =
            reasons.iter().map(|reason| reason["column"].as_str().unwrap()).collect();
        columns.sort_unstable();
        assert_eq!(columns, ["age", "city", "length", "member", "weight"]);
        let city = reasons.iter().find(|reason| reason["column"] == "city").unwrap();
        let own = ["oslo", "rome", "lima"][(row["row"].as_u64().unwrap() as usize - 1) % 3];
        assert_eq!(city["value"], own);
        let number = |value: &Value| value.as_f64().unwrap();
        let sum: f64 = reasons.iter().map(|reason| number(&reason["contribution"])).sum();
        let above = number(&row["anomaly_score"]) - number(&row["reference_score"]);
        assert!((sum - above).abs() < 1e-9 * (1.0 + above.abs()), "{row}");
    }
}
