//! Options that make no sense: refused before any work, with what would make sense.

use super::sosrep::Folder;
use super::tables;

fn fitted() -> Folder {
    let folder = Folder::with(&tables::plain());
    folder.succeed("fit data.csv --quiet --model m.sosrep");
    folder
}

#[test]
fn numbers_outside_their_range() {
    let folder = fitted();
    insta::assert_snapshot!(folder.refuse("detect data.csv --threads 0 --out o.csv"), @"--threads is 0; it must be between 1 and 1024");
    insta::assert_snapshot!(folder.refuse("detect data.csv --threads 100000 --out o.csv"), @"--threads is 100000; it must be between 1 and 1024");
    insta::assert_snapshot!(folder.refuse("detect data.csv --bandwidth 0 --out o.csv"), @r"
    invalid value '0' for '--bandwidth <HOW>': it must be auto, fisher, likelihood, paper, paper-text, paper-released, influence, or a number between 1e-50 and 1e50

    For more information, try '--help'.
    ");
    for option in
        ["bandwidth -1", "bandwidth nan", "bandwidth inf", "contamination 0.9", "contamination 0"]
    {
        let message = folder.refuse(&format!("detect data.csv --{option} --out o.csv"));
        let (name, value) = option.split_once(' ').unwrap();
        assert!(
            message.starts_with(&format!("invalid value '{value}' for '--{name} ")),
            "{message}"
        );
        assert!(message.contains(">': it must be auto,"), "{message}");
    }
    insta::assert_snapshot!(folder.refuse("detect data.csv --trim 1 --out o.csv"), @"trim is 1; it must be at least 0 and below 1");
    insta::assert_snapshot!(folder.refuse("sample m.sosrep -n 0 --out o.csv"), @"-n is 0; draw at least one row");
}

#[test]
fn words_that_are_not_known() {
    let folder = fitted();
    insta::assert_snapshot!(folder.refuse("detect data.csv --colour blue"), @r"
    unexpected argument '--colour' found

      tip: a similar argument exists: '--columns'

    Usage: sosrep detect --columns <NAMES> <DATA>

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(folder.refuse("detect data.csv --kernel sbo"), @r"
    invalid value 'sbo' for '--kernel <KERNEL>'
      [possible values: product, sdo, sdo-sampled, laplacian, gaussian]

      tip: a similar value exists: 'sdo'

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(folder.refuse("detect data.csv --bandwidth wide"), @r"
    invalid value 'wide' for '--bandwidth <HOW>': it must be auto, fisher, likelihood, paper, paper-text, paper-released, influence, or a number between 1e-50 and 1e50

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(folder.refuse("detect data.csv --contamination much"), @r"
    invalid value 'much' for '--contamination <SHARE>': it must be auto, or above 0 and at most 0.5

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(folder.refuse("detect data.csv --memory lots"), @r"
    invalid value 'lots' for '--memory <SIZE>': give a size such as 500MB or 4GiB

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(folder.refuse("detect data.csv --missing maybe"), @r#"
    invalid value 'maybe' for '--missing <POLICY>'
      [possible values: auto, error, drop, impute]

    For more information, try '--help'.
    "#);
    insta::assert_snapshot!(folder.refuse("detekt data.csv"), @r"
    unrecognized subcommand 'detekt'

      tip: a similar subcommand exists: 'detect'

    Usage: sosrep <COMMAND>

    For more information, try '--help'.
    ");
}

#[test]
fn words_that_are_left_out() {
    let folder = fitted();
    insta::assert_snapshot!(folder.refuse("fit data.csv"), @r"
    the following required arguments were not provided:
      --model <FILE>

    Usage: sosrep fit --model <FILE> <DATA>

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(folder.refuse("score m.sosrep"), @r"
    the following required arguments were not provided:
      <DATA>

    Usage: sosrep score <MODEL> <DATA>

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(folder.refuse("sample m.sosrep"), @r"
    the following required arguments were not provided:
      --rows <N>

    Usage: sosrep sample --rows <N> <MODEL>

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(folder.refuse("detect data.csv --label-value 1"), @r"
    the following required arguments were not provided:
      --label <COLUMN>

    Usage: sosrep detect --label <COLUMN> --label-value <VALUE> <DATA>

    For more information, try '--help'.
    ");
}

#[test]
fn rows_that_are_not_in_the_table() {
    let folder = fitted();
    insta::assert_snapshot!(folder.refuse("explain m.sosrep data.csv --row 81 --out o.csv"), @"--row is 81; the table has 80 rows");
    insta::assert_snapshot!(folder.refuse("explain m.sosrep data.csv --row 0"), @"--row is 0; rows count from 1");
    insta::assert_snapshot!(folder.refuse("explain m.sosrep data.csv --row 3 --top 2"), @r"
    the argument '--row <N>' cannot be used with '--top <K>'

    Usage: sosrep explain --row <N> <MODEL> <DATA>

    For more information, try '--help'.
    ");
}

#[test]
fn the_fisher_divergence_of_a_kernel_that_has_none() {
    let folder = fitted();
    let message = folder.refuse("detect data.csv --bandwidth fisher --kernel product");
    insta::assert_snapshot!(message, @"the Fisher divergence is not defined for the product kernel: its kinks are hyperplanes; choose the bandwidth by likelihood or self-influence");
    assert_eq!(folder.refuse("tune data.csv --kernel product"), message);
}

#[test]
fn a_feature_that_is_to_name_rows_is_not_told_in_words_of_the_program() {
    let folder = fitted();
    for option in ["--id age", "--label age"] {
        let ran = folder.run(&format!("score m.sosrep data.csv --out o.csv {option}"));
        assert!(matches!(ran.code, Some(0 | 1)), "{option}: {}", ran.stderr);
        assert!(!ran.stderr.contains("Utf8"), "{option}: {}", ran.stderr);
    }
}

#[test]
fn one_column_cannot_be_both_id_and_label_at_scoring_either() {
    let folder = Folder::with(&tables::labelled());
    folder.succeed("fit data.csv --quiet --id name --label known --model m.sosrep");
    let fitting = folder.refuse("detect data.csv --id known --label known");
    let scoring = "score m.sosrep data.csv --id known --label known --out o.csv";
    assert_eq!(folder.refuse(scoring), fitting);
}
