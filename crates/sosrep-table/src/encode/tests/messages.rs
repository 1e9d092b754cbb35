//! Every complaint of the encoder, word for word.

use super::super::{Categories, Missing};
use super::{FILE, NamedColumn, Table, booleans, dates, numbers, text};
use crate::batch::{ColumnInfo, ColumnKind};

fn fit_error(columns: &[NamedColumn], missing: Missing, categories: Categories) -> String {
    Table::new(columns).fit(missing, categories).unwrap_err().to_string()
}

/// The complaint about a table that is scored with the encoding of another.
fn apply_error(train: &[NamedColumn], scored: &[NamedColumn], missing: Missing) -> String {
    let encoding = Table::new(train).fit(missing, Categories::Onehot).unwrap();
    encoding.apply(FILE, Table::new(scored).whole()).unwrap_err().to_string()
}

fn words(count: usize) -> Vec<Option<String>> {
    (0..count).map(|index| Some(format!("word {index}"))).collect()
}

#[test]
fn a_date_names_its_place_and_three_ways_out() {
    let column = dates("signup date", &[None, Some("2024-02-29")]);
    assert_eq!(
        fit_error(&[column], Missing::Impute, Categories::Onehot),
        "data.csv, line 3, column \"signup date\": \"2024-02-29\" is a date; convert the column to \
         a number first (seconds or the day of the week, say), name it as the id with --id \
         'signup date' or leave it out with --drop 'signup date'"
    );
}

#[test]
fn text_names_its_first_value_and_the_choices() {
    let column = text("city", &[Some("Köln\t"), Some("Bonn"), Some("Bonn")]);
    assert_eq!(
        fit_error(&[column], Missing::Error, Categories::Error),
        "data.csv, line 2, column \"city\": \"Köln\\t\" is text and the column has 2 distinct \
         values; encode text with --categories onehot or --categories frequency, or leave the \
         column out with --drop city"
    );
    let column = text("it's", &[Some("x".repeat(41)), Some("x".repeat(41))]);
    assert_eq!(
        fit_error(&[column], Missing::Error, Categories::Error),
        format!(
            "data.csv, line 2, column \"it's\": \"{}…\" is text and the column has 1 distinct \
             value; encode text with --categories onehot or --categories frequency, or leave the \
             column out with --drop 'it'\\''s'",
            "x".repeat(40)
        )
    );
}

#[test]
fn one_hot_takes_a_hundred_values_and_no_more() {
    let twice = |count: usize| [words(count), words(count)].concat();
    let table = Table::new(&[text("a", &twice(100))]);
    assert_eq!(table.fit(Missing::Error, Categories::Onehot).unwrap().width(), 100);
    assert_eq!(
        fit_error(&[text("a", &twice(101))], Missing::Error, Categories::Onehot),
        "data.csv, column \"a\": 101 distinct values are more than the 100 that --categories \
         onehot takes; use --categories frequency or leave the column out with --drop a"
    );
    let table = Table::new(&[text("a", &twice(101))]);
    assert_eq!(table.fit(Missing::Error, Categories::Frequency).unwrap().width(), 1);
}

#[test]
fn twenty_different_values_look_like_an_identifier() {
    for categories in [Categories::Onehot, Categories::Frequency] {
        assert!(Table::new(&[text("a", &words(19))]).fit(Missing::Error, categories).is_ok());
        for count in [20, 150] {
            assert_eq!(
                fit_error(&[text("a", &words(count))], Missing::Error, categories),
                format!(
                    "data.csv, column \"a\": all {count} values are different, as in an \
                     identifier; name the column as the id with --id a or leave it out with \
                     --drop a"
                )
            );
        }
    }
}

#[test]
fn a_missing_value_in_training_names_the_first_place_and_counts() {
    let columns = [
        numbers("n", &[Some(1.0), Some(2.0), None, Some(3.0)]),
        booleans("b", &[Some(true), None, None, Some(true)]),
    ];
    let expected = "data.csv, line 3, column \"b\": the value is missing, one of 2 in this column \
                    and 3 in the table; leave such rows out with --missing drop or fill them with \
                    --missing impute";
    assert_eq!(fit_error(&columns, Missing::Error, Categories::Error), expected);
    let split = Table::new(&columns).split(1);
    let message = split.fit(Missing::Error, Categories::Error).unwrap_err().to_string();
    assert_eq!(message, expected);
}

#[test]
fn a_missing_value_in_scoring_says_what_can_be_done() {
    let train = [numbers("n", &[Some(1.0)]), numbers("m", &[Some(1.0)])];
    let scored = [numbers("n", &[Some(1.0), None]), numbers("m", &[None, None])];
    assert_eq!(
        apply_error(&train, &scored, Missing::Error),
        "data.csv, line 2, column \"m\": the value is missing and the model takes none; fill it \
         in, leave the row out, or fit the model with --missing drop or --missing impute"
    );
}

#[test]
fn a_column_without_values_is_always_an_error() {
    for missing in [Missing::Error, Missing::Drop, Missing::Impute] {
        let columns = [numbers("n", &[Some(1.0), None]), text::<&str>("e", &[None, None])];
        assert_eq!(
            fit_error(&columns, missing, Categories::Onehot),
            "data.csv, column \"e\": every value is missing; leave the column out with --drop e"
        );
    }
}

#[test]
fn dropping_every_row_names_the_column_to_blame() {
    let columns = [
        numbers("n", &[Some(1.0), Some(1.0), None]),
        numbers("m", &[None, None, Some(1.0)]),
        numbers("k", &[None, None, Some(1.0)]),
    ];
    assert_eq!(
        fit_error(&columns, Missing::Drop, Categories::Error),
        "data.csv: each of the 3 rows has a missing value and --missing drop leaves none; use \
         --missing impute, or leave out column \"m\", which lacks 2, with --drop m"
    );
}

#[test]
fn an_infinite_number_is_always_an_error() {
    let good = [numbers("n", &[Some(1.0)]), numbers("m", &[Some(1.0)])];
    let bad =
        [numbers("n", &[Some(1.0), Some(f64::NEG_INFINITY)]), numbers("m", &[Some(1.0), None])];
    let expected = "data.csv, line 3, column \"n\": -inf is not a finite number; correct it, leave \
                    the cell empty, or leave the column out with --drop n";
    for missing in [Missing::Drop, Missing::Impute] {
        assert_eq!(fit_error(&bad, missing, Categories::Error), expected);
        assert_eq!(apply_error(&good, &bad, missing), expected);
    }
    assert_eq!(apply_error(&good[..1], &bad[..1], Missing::Error), expected);
}

#[test]
fn nothing_to_learn_from_is_an_error() {
    assert_eq!(
        fit_error(&[numbers("n", &[])], Missing::Error, Categories::Error),
        "data.csv leaves 0 rows and 1 column to learn from; give at least one of each"
    );
}

#[test]
fn columns_that_get_one_name_are_an_error() {
    let columns = [text("a", &[Some("b")]), numbers("a=b", &[Some(1.0)])];
    assert_eq!(
        fit_error(&columns, Missing::Error, Categories::Onehot),
        "data.csv: columns \"a\" and \"a=b\" both give \"a=b\" when encoded; rename one of them or \
         use --categories frequency"
    );
    assert!(Table::new(&columns).fit(Missing::Error, Categories::Frequency).is_ok());
}

#[test]
fn columns_that_do_not_match_are_listed_all_at_once() {
    let train = ["Age", "first name", "b", "c"].map(|name| numbers(name, &[Some(1.0)]));
    let encoding = Table::new(&train).fit(Missing::Error, Categories::Error).unwrap();
    let complaint = |names: &[&str], ignore: &[&str]| {
        let info = |name: &&str| ColumnInfo { name: name.to_string(), kind: ColumnKind::Number };
        let found: Vec<_> = names.iter().map(info).collect();
        encoding.match_columns("new.csv", &found, ignore).unwrap_err().to_string()
    };
    assert_eq!(
        complaint(&["x", "age", "id", "First_Name", "y"], &["id"]),
        "new.csv and the model differ in their columns (missing: \"b\", \"c\"; spelt differently: \
         \"age\" for \"Age\", \"First_Name\" for \"first name\"; not in the model: \"x\", \"y\"); \
         add, rename or leave out (--drop) columns until they match"
    );
    assert_eq!(
        complaint(&["c", "b", "first name", "Age", "id", "note"], &["id"]),
        "new.csv and the model differ in their columns (not in the model: \"note\"); add, rename \
         or leave out (--drop) columns until they match"
    );
    assert_eq!(
        complaint(&["b", "first name", "Age"], &[]),
        "new.csv and the model differ in their columns (missing: \"c\"); add, rename or leave out \
         (--drop) columns until they match"
    );
}

#[test]
fn a_batch_of_other_columns_is_an_error_and_no_panic() {
    let n = || numbers("n", &[Some(1.0)]);
    let cases = [
        (vec![text("n", &[Some("1")])], "column 1 from 1: expected number \"n\", found Utf8 \"n\""),
        (
            vec![numbers("m", &[Some(1.0)])],
            "column 1 from 1: expected number \"n\", found Float64 \"m\"",
        ),
        (
            vec![n(), numbers("m", &[None])],
            "column 2 from 1: expected no such column, found Float64 \"m\"",
        ),
    ];
    for (scored, expected) in cases {
        assert_eq!(apply_error(&[n()], &scored, Missing::Error), format!("data.csv, {expected}"));
    }
    let both = [n(), booleans("b", &[Some(true)])];
    assert_eq!(
        apply_error(&both, &[n()], Missing::Error),
        "data.csv, column 2 from 1: expected boolean \"b\", found no such column"
    );
}

#[test]
fn values_that_do_not_fill_rows_are_not_decoded() {
    let columns = [numbers("n", &[Some(1.0)]), numbers("m", &[Some(1.0)])];
    let encoding = Table::new(&columns).fit(Missing::Error, Categories::Error).unwrap();
    assert_eq!(
        encoding.decode(&[1.0, 2.0, 3.0]).unwrap_err().to_string(),
        "3 values do not fill rows of 2 features; give a multiple of 2"
    );
    assert_eq!(encoding.decode(&[]).unwrap().num_rows(), 0);
}
