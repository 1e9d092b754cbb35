//! Tables that cannot be used: one sentence each, naming the file, the place and the way out.

use super::formats::{batch, gzip, npz, parquet};
use super::sosrep::Folder;
use super::tables;

/// What `detect` says of a file with these bytes.
fn refused(name: &str, bytes: impl AsRef<[u8]>) -> String {
    let folder = Folder::new();
    folder.write(name, bytes);
    let message =
        folder.refuse(&format!("detect {name} --out o.csv --model m.sosrep --report r.html"));
    assert!(message.contains(name), "{message} does not name the file");
    assert_eq!(message.lines().count(), 1, "{message} is not one sentence");
    let fitted = folder.refuse(&format!("fit {name} --model m.sosrep"));
    assert_eq!(fitted, message, "fit says something else");
    message
}

#[test]
fn a_file_that_is_not_there() {
    let folder = Folder::new();
    insta::assert_snapshot!(folder.refuse("detect nowhere.csv --out o.csv"), @"cannot read nowhere.csv: there is no such file or folder");
    insta::assert_snapshot!(folder.refuse("score nowhere.sosrep data.csv --out o.csv"), @"cannot read nowhere.sosrep: there is no such file or folder");
    insta::assert_snapshot!(folder.refuse("detect ."), @"cannot read .: it is a folder; give a file");
}

#[test]
fn a_ragged_row() {
    let table = tables::plain().replacen('\n', "\n1,2,3,4\n", 1);
    insta::assert_snapshot!(refused("data.csv", table), @"data.csv, line 2: found 4 cells, expected 3; add or remove cells, or put quotes around a cell that contains the delimiter");
    insta::assert_snapshot!(refused("data.csv", tables::plain() + "1,2\n"), @"data.csv, line 82: found 2 cells, expected 3; add or remove cells, or put quotes around a cell that contains the delimiter");
}

#[test]
fn a_quote_that_is_not_closed() {
    insta::assert_snapshot!(refused("data.csv", tables::plain() + "1,\"2,3\n"), @"data.csv, line 82: a quote opens here and is never closed; close it, or write a quote inside a cell twice");
}

#[test]
fn other_encodings() {
    let latin = [b"length,stra\xdfe\n1,2\n3,4\n".as_slice(), b"5,6\n"].concat();
    insta::assert_snapshot!(refused("data.csv", latin), @"data.csv, line 1: the name of column 2 has the bytes DF 65, which are not UTF-8; save the file as UTF-8");
    let cell = [tables::plain().as_bytes(), b"1,2,caf\xe9\n"].concat();
    insta::assert_snapshot!(refused("data.csv", cell), @r#"data.csv, line 82, column "age": the bytes E9 are not UTF-8; save the file as UTF-8"#);
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    insta::assert_snapshot!(refused("data.csv", wide(&format!("\u{feff}{}", tables::plain()))), @"data.csv, line 1: the bytes FF FE mark UTF-16 text; save the file as UTF-8");
    insta::assert_snapshot!(refused("data.csv", wide(&tables::plain())), @"data.csv: byte 2 is zero, so this is not a text file; give CSV or JSON saved as UTF-8, Parquet, Arrow or NumPy");
}

#[test]
fn nothing_or_almost_nothing() {
    insta::assert_snapshot!(refused("data.csv", ""), @"data.csv: the file is empty; give a table with at least one row");
    insta::assert_snapshot!(refused("data.csv", "\n\n"), @"data.csv: the file is empty; give a table with at least one row");
    insta::assert_snapshot!(refused("data.csv", "length,weight\n"), @"data.csv: there are columns but no rows; give at least one row");
}

#[test]
fn one_row_is_too_few_or_enough_but_never_a_fault() {
    let folder = Folder::with("length,weight\n1,2\n");
    let ran = folder.run("detect data.csv");
    assert!(matches!(ran.code, Some(0 | 1)), "{:?} {}", ran.code, ran.stderr);
}

#[test]
fn cells_that_are_not_numbers() {
    // Far beyond the rows the kind of a column is read from.
    let body = tables::plain().split_once('\n').unwrap().1.to_string();
    let long = format!("length,weight,age\n{}1,n.d.,3\n", body.repeat(200));
    let refused = |table: &str| {
        let folder = Folder::with(table);
        folder.succeed("detect data.csv --quiet");
        folder.refuse("detect data.csv --missing drop")
    };
    insta::assert_snapshot!(refused(&long), @r#"
    data.csv, line 16002, column "weight": "n.d." is not a number, unlike the rest of the column; correct the cell, leave it empty, or leave the column out with --ignore weight
    this would work: sosrep detect data.csv --missing auto
    "#);
    let early = tables::replaced(&tables::plain(), &[(2, 1)], "heavy");
    insta::assert_snapshot!(refused(&early), @r#"
    data.csv, line 4, column "weight": "heavy" is not a number, unlike the rest of the column; correct the cell, leave it empty, or leave the column out with --ignore weight
    this would work: sosrep detect data.csv --missing auto
    "#);
    for value in ["inf", "1e999"] {
        let infinite = tables::replaced(&tables::plain(), &[(2, 1)], value);
        let message = refused(&infinite);
        insta::allow_duplicates! { insta::assert_snapshot!(message, @r#"
    data.csv, line 4, column "weight": inf is not a finite number; correct the cell, leave it empty, or leave the column out with --ignore weight
    this would work: sosrep detect data.csv --missing auto
    "#); }
    }
}

#[test]
fn escapes_in_names_and_cells_do_not_reach_the_terminal() {
    let table = "le\u{1b}[31mngth,weight\n\u{1b}]0;owned\u{7},2\nb,3\nb,4\n";
    let folder = Folder::with(table);
    let message = folder.refuse("detect data.csv --categories error");
    assert!(!message.chars().any(|c| c.is_control() && c != '\n'), "{message:?}");
    let message = folder.refuse("detect data.csv --label known");
    assert!(!message.chars().any(char::is_control), "{message:?}");
}

#[test]
fn labels_that_are_not_there_or_too_many() {
    let folder = Folder::with(&tables::labelled());
    insta::assert_snapshot!(folder.refuse("detect data.csv --label truth --out o.csv"), @r#"data.csv has no column "truth" (--label); its columns are "length", "weight", "age", "name", "known""#);
    insta::assert_snapshot!(folder.refuse("detect data.csv --id nobody"), @r#"data.csv has no column "nobody" (--id); its columns are "length", "weight", "age", "name", "known""#);
    insta::assert_snapshot!(folder.refuse("detect data.csv --columns length,width"), @r#"data.csv has no column "width" (--columns); its columns are "length", "weight", "age", "name", "known""#);
    insta::assert_snapshot!(folder.refuse("detect data.csv --drop width"), @r#"data.csv has no column "width" (--ignore); its columns are "length", "weight", "age", "name", "known""#);
    insta::assert_snapshot!(folder.refuse("detect data.csv --id known --label known"), @"--id and --label name the same column; choose one of them");
    insta::assert_snapshot!(
        folder.refuse("detect data.csv --id name --label known --label-value bad"), @r#"no row has "bad" in the label column "known"; its values are "odd", "usual""#);
    insta::assert_snapshot!(folder.refuse("detect data.csv --columns name --id name"), @"data.csv has no columns left to work with; name fewer in --ignore, --id, --label or more in --columns");
    let three = |row: usize| ["good", "bad", "ugly"][row % 3].to_string();
    folder.write("data.csv", tables::with_columns(&[("known", &three)]));
    insta::assert_snapshot!(folder.refuse("detect data.csv --label known --out o.csv"), @r#"the label column "known" must have two values, or --label-value must say which one marks an anomaly; found 3: "bad", "good", "ugly""#);
}

/// The scores are what was asked for: labels that say nothing do not take them away.
#[test]
fn labels_that_give_no_metrics_leave_the_scores() {
    let three = |row: usize| ["good", "bad", "ugly"][row % 3].to_string();
    let folder = Folder::with(&tables::with_columns(&[("known", &three)]));
    folder.succeed("fit data.csv --label known --model m.sosrep --quiet");
    let ran = folder.run("score m.sosrep data.csv --label known --out o.csv").success();
    insta::assert_snapshot!(ran.stderr.trim_end(), @r#"note: no AUC-ROC and AP: the label column "known" must have two values, or --label-value must say which one marks an anomaly; found 3: "bad", "good", "ugly""#);
    assert_eq!(folder.text("o.csv").lines().count(), tables::ROWS + 1);
    folder.write("data.csv", tables::with_columns(&[("known", &|_| "0".to_string())]));
    let ran = folder.run("score m.sosrep data.csv --label known --out o.csv").success();
    insta::assert_snapshot!(ran.stderr.trim_end(), @"note: no AUC-ROC and AP: all labelled rows are of one class");
}

/// A country code or a verdict may well be NA or none.
#[test]
fn ids_and_labels_that_look_missing_are_kept() {
    let id = |row: usize| if row == 3 { "NA".to_string() } else { format!("r{row}") };
    let label = |row: usize| if tables::is_odd(row) { "attack" } else { "none" }.to_string();
    let folder = Folder::with(&tables::with_columns(&[("name", &id), ("known", &label)]));
    let words = "detect data.csv --id name --label known --out o.csv --json";
    let found: serde_json::Value = serde_json::from_str(&folder.succeed(words)).unwrap();
    assert!(found["auc_roc"].as_f64().unwrap() > 0.9, "{found}");
    assert_eq!(tables::column(&folder.text("o.csv"), "id")[3], "NA");
}

#[test]
fn scores_that_were_sent_before_the_fault_stay_sent_and_the_exit_code_tells() {
    let folder = Folder::with(&tables::plain());
    folder.succeed("fit data.csv --quiet --model m.sosrep");
    let body = tables::plain().split_once('\n').unwrap().1.repeat(500);
    folder.write("long.csv", format!("length,weight,age\n{body}1,2\n"));
    let ran = folder.run("score m.sosrep long.csv");
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.starts_with("row,anomaly_score"), "{}", ran.stdout);
    assert!(ran.stderr.starts_with("error: long.csv, line 40002: "), "{}", ran.stderr);
    folder.refuse("score m.sosrep long.csv --out o.csv");
}

#[test]
fn damaged_binary_files() {
    let whole = parquet(&batch(false));
    insta::assert_snapshot!(refused("data.parquet", &whole[..whole.len() - 20]), @"data.parquet: not readable as Parquet, the file may be damaged or cut short: Parquet error: Invalid Parquet file. Corrupt footer");
    let mut bent = whole;
    bent[20..200].fill(0xff);
    let message = refused("data.parquet", bent);
    assert!(message.contains("Parquet"), "{message}");
    let whole = gzip(&tables::plain());
    insta::assert_snapshot!(refused("data.csv.gz", &whole[..whole.len() / 2]), @"data.csv.gz: not readable as gzip, the file may be damaged or cut short: incomplete deflate stream");
    let mut bent = whole;
    bent[60..90].fill(0);
    let message = refused("data.csv.gz", bent);
    assert!(message.contains("gz"), "{message}");
    let whole = npz("X");
    insta::assert_snapshot!(refused("data.npz", &whole[..whole.len() / 2]), @"data.npz: not readable as NPZ, the file may be damaged or cut short: invalid Zip archive: Could not find EOCD");
    insta::assert_snapshot!(refused("data.npz", npz("rows")), @r#"data.npz: there is no array "X", only ["rows", "y"]; save the rows under that name, for example by np.savez(path, X=x)"#);
    insta::assert_snapshot!(refused("data.parquet", tables::plain()), @"data.parquet: the name says Parquet, the content is not Parquet; check or rename the file");
}

#[test]
fn formats_that_are_not_read() {
    insta::assert_snapshot!(refused("data.xlsx", npz("X")), @"data.xlsx: this is a spreadsheet, which cannot be read here; save the sheet as CSV");
    insta::assert_snapshot!(refused("data.xls", b"\xd0\xcf\x11\xe0rest"), @"data.xls: this is an Excel workbook, which cannot be read here; save the sheet as CSV");
    let bytes: Vec<u8> = (0..=255).collect();
    insta::assert_snapshot!(refused("data.bin", bytes), @"data.bin: byte 1 is zero, so this is not a text file; give CSV or JSON saved as UTF-8, Parquet, Arrow or NumPy");
    insta::assert_snapshot!(refused("data.gz", gzip("")), @"data.gz: the file is empty; give a table with at least one row");
}

#[test]
fn an_input_of_standard_input_is_named_so() {
    let ran = Folder::new().run_with_input("detect -", b"length,weight\n1,2\n3\n");
    insta::assert_snapshot!(ran.refusal(), @"standard input, line 3: found 1 cell, expected 2; add or remove cells, or put quotes around a cell that contains the delimiter");
    insta::assert_snapshot!(Folder::new().run_with_input("detect -", b"").refusal(), @"standard input: the file is empty; give a table with at least one row");
}
