//! Rows that cannot be encoded: listed under `auto`, an error under any other choice.

use super::super::{Categories, Missing};
use super::{FILE, Table, dates, numbers, text};
use crate::batch::Unreadable;
use crate::error::ColumnProblem;

#[test]
fn a_row_that_cannot_be_encoded_is_listed_with_its_first_reason() {
    let train = Table::new(&[
        numbers("n", &[Some(1.0), Some(2.0)]),
        text("t", &[Some("x"), Some("y")]),
        dates("d", &[Some("2024-01-01"), Some("2024-01-02")]),
    ]);
    let (encoding, ..) = train.auto();
    let mut scored = Table::new(&[
        numbers("n", &[Some(1.0), None, Some(f64::INFINITY), Some(1.0), Some(1.0), None]),
        text("t", &[Some("y"), Some("x"), Some("x"), Some("z"), Some("x"), None]),
        dates("d", &[Some("1970-01-02"), None, None, Some("1970-01-02"), Some("soon"), None]),
    ]);
    let not_number = ColumnProblem::NotNumber { value: "one".to_string() };
    let cell = Unreadable { row: 5, column: 0, problem: not_number.clone() };
    scored.batches[0].unreadable.push(cell);
    let encoded = encoding.apply(FILE, scored.whole()).unwrap();
    assert_eq!((encoded.values, encoded.kept), (vec![1.0, 1.0, 1.0], vec![0]));
    let found: Vec<_> = encoded
        .unscored
        .into_iter()
        .map(|unscored| (unscored.row, unscored.column, unscored.problem))
        .collect();
    let (value, values) = ("z".to_string(), Box::new(["x".to_string(), "y".to_string()]));
    let expected = [
        (1, "n", ColumnProblem::MissingInScoring),
        (2, "n", ColumnProblem::Infinite { value: f64::INFINITY }),
        (3, "t", ColumnProblem::NeitherOfTwo { value, values }),
        (4, "d", ColumnProblem::NotDate { value: "soon".to_string() }),
        (5, "n", not_number),
    ];
    assert_eq!(found, expected.map(|(row, column, problem)| (row, column.to_string(), problem)));
}

#[test]
fn where_training_had_gaps_a_cell_that_cannot_be_used_is_missing() {
    let train = Table::new(&[
        numbers("n", &[Some(1.0), None]),
        text("t", &[Some("x"), None]),
        dates("d", &[Some("1970-01-03"), None]),
    ]);
    let (encoding, ..) = train.auto();
    let scored = Table::new(&[
        numbers("n", &[None, Some(f64::NAN)]),
        text("t", &[None, Some("new")]),
        dates("d", &[None, Some("soon")]),
    ]);
    let encoded = encoding.apply(FILE, scored.whole()).unwrap();
    // Number and whether it is missing, (other) and (missing), days and whether they are missing.
    let row = |other, missing| [1.0, 1.0, other, missing, 2.0, 1.0];
    assert_eq!(encoded.values, [row(0.0, 1.0), row(1.0, 0.0)].concat());
    assert_eq!((encoded.unscored, encoded.kept), (vec![], vec![0, 1]));
}

#[test]
fn a_cell_that_could_not_be_read_is_an_error_unless_it_may_be_missing() {
    let good = Table::new(&[numbers("n", &[Some(1.0), Some(2.0)])]);
    let mut bad = Table::new(&[numbers("n", &[Some(1.0), None])]);
    let problem = ColumnProblem::NotNumber { value: "one".to_string() };
    bad.batches[0].unreadable.push(Unreadable { row: 1, column: 0, problem });
    for missing in [Missing::Error, Missing::Drop, Missing::Impute] {
        let encoding = good.fit(missing, Categories::Error).unwrap();
        let expected = "data.csv, line 3, column \"n\": \"one\" is not a number, unlike the rest of \
                        the column";
        assert_eq!(encoding.apply(FILE, bad.whole()).unwrap_err().to_string(), expected);
        assert_eq!(bad.fit(missing, Categories::Error).unwrap_err().to_string(), expected);
    }
    let (_, choice, encoded) = bad.auto();
    assert_eq!(encoded.values, [1.0, 0.0, 1.0, 1.0]);
    assert_eq!(
        choice.notes[0].to_string(),
        "column \"n\": \"one\" is not a number, unlike the rest of the column; it counts as missing \
         (cells: 1, first in line 3)"
    );
}
