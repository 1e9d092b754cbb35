//! A model file of every format, kept with the scores it gave when it was written.
//!
//! Files of a format that was released are never removed. `tests/golden/format-N-KERNEL.sosrep` is what
//! `sosrep fit rows.csv --kernel KERNEL --bandwidth 0.4` wrote, the CSV of that name what `score` gave.

use std::fs;
use std::path::Path;

use super::sosrep::Folder;

/// The anomaly scores of a table of results.
fn scores(text: &str) -> Vec<f64> {
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let column = header.iter().position(|name| *name == "anomaly_score").unwrap();
    lines.map(|cells| cells[column].parse().unwrap()).collect()
}

#[test]
fn old_model_files_give_the_scores_they_gave() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let folder = Folder::new();
    folder.write("rows.csv", fs::read(golden.join("rows.csv")).unwrap());
    let mut tried = 0;
    for entry in fs::read_dir(&golden).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "sosrep") {
            continue;
        }
        folder.write("m.sosrep", fs::read(&path).unwrap());
        folder.succeed("score m.sosrep rows.csv --out scores.csv --quiet");
        let found = scores(&folder.text("scores.csv"));
        let expected = scores(&fs::read_to_string(path.with_extension("csv")).unwrap());
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            // Rounding differs between machines and versions, and no more: of the product kernel it is that of
            // single precision.
            let close = (found - expected).abs() <= 1e-6 * expected.abs().max(1.0);
            assert!(close, "{}: {found}, then {expected}", path.display());
        }
        tried += 1;
    }
    assert!(tried >= 4, "{tried}");
}
