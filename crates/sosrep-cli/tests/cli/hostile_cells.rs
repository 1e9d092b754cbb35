//! Cells made to play with a terminal or a spreadsheet.

use super::sosrep::Folder;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("data.csv", include_bytes!("../hostile/ansi.csv"));
    folder.write("new.csv", include_bytes!("../hostile/ansi_new.csv"));
    folder
}

/// U+0000 to U+001F but line ends, U+007F to U+009F, and those that turn the direction of writing.
fn plays(c: char) -> bool {
    (c.is_control() && c != '\n') || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[test]
fn no_command_prints_escape_sequences_of_a_table() {
    let folder = folder();
    folder.succeed("fit data.csv --model m.sosrep --quiet");
    for words in [
        "detect data.csv --top 60",
        "detect data.csv --id id --top 60",
        "detect data.csv --json --out scores.csv",
        "fit data.csv --model m.sosrep",
        "inspect m.sosrep",
        "inspect m.sosrep --json",
        "explain m.sosrep new.csv --top 5",
        "explain m.sosrep new.csv --json",
        "score m.sosrep new.csv --out scores.csv",
        "sample m.sosrep -n 3 --out drawn.csv",
        "tune data.csv",
        "detect data.csv --label nothing",
        "detect data.csv --columns cat,nothing",
        "score m.sosrep data.csv --label b --out scores.csv",
    ] {
        let ran = folder.run(words);
        let found = ran.stdout.chars().chain(ran.stderr.chars()).find(|c| plays(*c));
        assert_eq!(found, None, "{words}\n{}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn texts_that_begin_a_formula_are_written_as_they_are_unless_asked_otherwise() {
    let folder = Folder::new();
    let cells = ["=1+1", "+2", "-3x", "@sum", "plain"];
    let rows: String =
        (0..60).map(|i| format!("{i},{},{}\n", cells[i % 5], i as f64 / 7.0)).collect();
    folder.write("data.csv", format!("n,=name,x\n{rows}"));
    let first = |options: &str| {
        folder.succeed(&format!("detect data.csv --id =name --out scores.csv --quiet {options}"));
        folder.text("scores.csv")
    };
    let plain = first("");
    assert!(plain.contains(",=1+1,") && !plain.contains('\''), "{plain}");
    let safe = first("--spreadsheet-safe");
    for text in [",'=1+1,", ",'+2,", ",'-3x,", ",'@sum,"] {
        assert!(safe.contains(text), "{text}: {safe}");
    }
    assert!(safe.contains(",plain,"), "{safe}");
}
