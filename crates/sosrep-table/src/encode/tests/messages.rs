//! Every error of the encoder: its message word for word, its remedies as data.

use super::super::{Categories, Dates, EncodeOptions, Missing};
use super::{FILE, NamedColumn, Table, booleans, dates, numbers, text};
use crate::batch::{ColumnInfo, ColumnKind};

fn fit_error(columns: &[NamedColumn], missing: Missing, categories: Categories) -> String {
    said(Table::new(columns).fit(missing, categories).unwrap_err())
}

/// The message and the remedies, as the program's data.
fn said(error: crate::Error) -> String {
    error.sentence(|remedy| format!("{remedy:?}"))
}

/// The error of a table that is scored with the encoding of another.
fn apply_error(train: &[NamedColumn], scored: &[NamedColumn], missing: Missing) -> String {
    let encoding = Table::new(train).fit(missing, Categories::Onehot).unwrap();
    said(encoding.apply(FILE, Table::new(scored).whole()).unwrap_err())
}

fn words(count: usize) -> Vec<Option<String>> {
    (0..count).map(|index| Some(format!("word {index}"))).collect()
}

#[test]
fn a_date_names_its_place_and_three_ways_out() {
    let column = dates("signup date", &[None, Some("2024-02-29")]);
    let options = EncodeOptions { dates: Dates::Error, ..EncodeOptions::default() };
    assert_eq!(
        said(Table::new(&[column]).fit_with(&options).unwrap_err()),
        "data.csv, line 3, column \"signup date\": \"2024-02-29\" is a date, and dates are to be an \
         error; ChooseDates(Auto), ChooseDates(Parts), or DropColumn(\"signup date\")"
    );
}

#[test]
fn text_names_its_first_value_and_the_choices() {
    let column = text("city", &[Some("Köln\t"), Some("Bonn"), Some("Bonn")]);
    assert_eq!(
        fit_error(&[column], Missing::Error, Categories::Error),
        "data.csv, line 2, column \"city\": \"Köln\\t\" is text, and the column has 2 distinct \
         values; ChooseCategories([Auto, Onehot, Frequency]), or DropColumn(\"city\")"
    );
    let column = text("size", &[Some("2,5"), Some("small")]);
    assert_eq!(
        fit_error(&[column], Missing::Error, Categories::Error),
        "data.csv, line 2, column \"size\": \"2,5\" is text, and the column has 2 distinct values; \
         DecimalPoint, ChooseCategories([Auto, Onehot, Frequency]), or DropColumn(\"size\")"
    );
}

#[test]
fn one_hot_takes_a_hundred_values_and_no_more() {
    let twice = |count: usize| [words(count), words(count)].concat();
    let table = Table::new(&[text("a", &twice(100))]);
    assert_eq!(table.fit(Missing::Error, Categories::Onehot).unwrap().width(), 100);
    assert_eq!(
        fit_error(&[text("a", &twice(101))], Missing::Error, Categories::Onehot),
        "data.csv, column \"a\": 101 distinct values are more than the 100 that one-hot encoding \
         takes; ChooseCategories([Auto, Frequency]), or DropColumn(\"a\")"
    );
    let table = Table::new(&[text("a", &twice(101))]);
    assert_eq!(table.fit(Missing::Error, Categories::Frequency).unwrap().width(), 1);
}

#[test]
fn missing_values_in_training_are_listed_column_by_column() {
    let columns = [
        numbers("n", &[Some(1.0), Some(2.0), None, Some(3.0)]),
        booleans("b", &[Some(true), None, None, Some(true)]),
    ];
    let ways = "ChooseMissing(Auto), ChooseMissing(Drop), or ChooseMissing(Impute)";
    let expected = format!(
        "data.csv, line 4, column \"n\": the value is missing, one of 1 in this column and 3 in the \
         table; {ways}\ndata.csv, line 3, column \"b\": the value is missing, one of 2 in this \
         column and 3 in the table; {ways}"
    );
    assert_eq!(fit_error(&columns, Missing::Error, Categories::Error), expected);
    let split = Table::new(&columns).split(1);
    let error = split.fit(Missing::Error, Categories::Error).unwrap_err();
    assert_eq!(error.problems().len(), 2);
    assert_eq!(said(error), expected);
}

#[test]
fn problems_of_every_kind_are_listed_at_once() {
    let columns = [
        numbers("n", &[Some(1.0), Some(f64::INFINITY), None]),
        text("t", &[Some("x"), None, Some("y")]),
        dates("d", &[Some("2024-02-30"), Some("2024-02-29"), Some("1/2/2024")]),
    ];
    let options = EncodeOptions {
        missing: Missing::Impute,
        categories: Categories::Error,
        ..EncodeOptions::default()
    };
    let error = Table::new(&columns).fit_with(&options).unwrap_err().to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(
        lines,
        [
            "data.csv, line 3, column \"n\": inf is not a finite number",
            "data.csv, line 2, column \"t\": \"x\" is text, and the column has 2 distinct values",
            "data.csv, line 2, column \"d\": \"2024-02-30\" is not a date of the calendar",
        ]
    );
}

#[test]
fn a_missing_value_in_scoring_says_what_can_be_done() {
    let train = [numbers("n", &[Some(1.0)]), numbers("m", &[Some(1.0)])];
    let scored = [numbers("n", &[Some(1.0), None]), numbers("m", &[None, None])];
    assert_eq!(
        apply_error(&train, &scored, Missing::Error),
        "data.csv, line 2, column \"m\": the value is missing, and in the training table none is; \
         FillCell, DropRow, or RefitMissing"
    );
}

#[test]
fn a_column_without_values_is_an_error_where_a_missing_value_is() {
    let columns = [numbers("n", &[Some(1.0), Some(2.0)]), text::<&str>("e", &[None, None])];
    assert_eq!(
        fit_error(&columns, Missing::Error, Categories::Onehot),
        "data.csv, column \"e\": every value is missing; DropColumn(\"e\")"
    );
    let encoding = Table::new(&columns).fit(Missing::Impute, Categories::Onehot).unwrap();
    assert_eq!(encoding.feature_names(), ["n"]);
}

#[test]
fn a_table_without_a_feature_is_an_error() {
    let words: Vec<Option<String>> = words(20);
    assert_eq!(
        fit_error(&[text("name", &words)], Missing::Auto, Categories::Auto),
        "data.csv: no column is left as a feature, all are identifiers or empty: \"name\"; \
         UseColumn(\"name\", Category)"
    );
}

#[test]
fn dropping_every_row_names_the_column_that_lacks_most() {
    let columns = [
        numbers("n", &[Some(1.0), Some(1.0), None]),
        numbers("m", &[None, None, Some(1.0)]),
        numbers("k", &[None, None, Some(1.0)]),
    ];
    assert_eq!(
        fit_error(&columns, Missing::Drop, Categories::Error),
        "data.csv: each of the 3 rows has a missing value, so none would be left; column \"m\" lacks \
         most, 2; ChooseMissing(Auto), or DropColumn(\"m\")"
    );
}

#[test]
fn an_infinite_number_is_an_error_under_every_choice_but_auto() {
    let good = [numbers("n", &[Some(1.0)]), numbers("m", &[Some(1.0)])];
    let bad = [
        numbers("n", &[Some(1.0), Some(f64::NEG_INFINITY)]),
        numbers("m", &[Some(1.0), Some(2.0)]),
    ];
    let expected = "data.csv, line 3, column \"n\": -inf is not a finite number; CorrectCell, or \
                    DropColumn(\"n\")";
    for missing in [Missing::Error, Missing::Drop, Missing::Impute] {
        assert_eq!(fit_error(&bad, missing, Categories::Error), expected);
        assert_eq!(apply_error(&good, &bad, missing), expected);
    }
}

#[test]
fn nothing_to_learn_from_is_an_error() {
    assert_eq!(
        fit_error(&[numbers("n", &[])], Missing::Error, Categories::Error),
        "data.csv: there are 0 rows and 1 column to learn from; give at least one of each"
    );
}

#[test]
fn columns_that_would_get_one_name_are_told_apart_by_a_number() {
    let columns = [
        text("a", &[Some("b"), Some("b")]),
        numbers("a=b", &[Some(1.0), Some(2.0)]),
        numbers("a=b (2)", &[Some(1.0), Some(2.0)]),
    ];
    let encoding = Table::new(&columns).fit(Missing::Error, Categories::Onehot).unwrap();
    assert_eq!(encoding.feature_names(), ["a=b", "a=b (2)", "a=b (2) (2)"]);
    assert!(encoding.check().is_ok());
}

#[test]
fn columns_that_do_not_match_are_listed_all_at_once() {
    let train = ["Age", "first name", "b", "c"].map(|name| numbers(name, &[Some(1.0)]));
    let encoding = Table::new(&train).fit(Missing::Error, Categories::Error).unwrap();
    let differences = |names: &[&str], ignore: &[&str]| {
        let info = |name: &&str| ColumnInfo { name: name.to_string(), kind: ColumnKind::Number };
        let found: Vec<_> = names.iter().map(info).collect();
        let sentence = said(encoding.match_columns("new.csv", &found, ignore).unwrap_err());
        let start = "new.csv: the columns differ from those of the model (";
        let list = sentence.strip_prefix(start).and_then(|s| s.strip_suffix("); MatchColumns"));
        list.unwrap_or_else(|| panic!("{sentence}")).to_string()
    };
    assert_eq!(
        differences(&["x", "age", "id", "First_Name", "y"], &["id"]),
        "missing: \"b\", \"c\"; spelt differently: \"age\" for \"Age\", \"First_Name\" for \"first \
         name\"; not in the model: \"x\", \"y\""
    );
    let all = ["c", "b", "first name", "Age", "id", "note"];
    assert_eq!(differences(&all, &["id"]), "not in the model: \"note\"");
    assert_eq!(differences(&["b", "first name", "Age"], &[]), "missing: \"c\"");
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
