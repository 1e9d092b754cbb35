//! Values that were not there in training: what they become and how they are reported.

use super::super::{Categories, Missing, UnseenValues};
use super::{FILE, Table, numbers, text};

#[test]
fn unseen_values_are_zeros_and_are_reported_row_by_row() {
    let train = [text("a", &[Some("x"), Some("x"), Some("y")]), text("b", &[Some("u"); 3])];
    let scored = Table::new(&[
        text("a", &[Some("x"), Some("new"), Some("new")]),
        text("b", &[Some("other"), Some("other"), Some("u")]),
    ]);
    let cases = [
        (Categories::Onehot, vec![1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
        (Categories::Frequency, vec![2.0 / 3.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
    ];
    for (categories, values) in cases {
        let encoding = Table::new(&train).fit(Missing::Error, categories).unwrap();
        let encoded = encoding.apply(FILE, scored.whole()).unwrap();
        assert_eq!(encoded.values, values);
        let reported: Vec<_> = encoded
            .unseen
            .iter()
            .map(|u| (u.column.as_str(), u.value.as_str(), u.rows, u.first.to_string()))
            .collect();
        let expected =
            [("b", "other", 2, "line 2".to_string()), ("a", "new", 2, "line 3".to_string())];
        assert_eq!(reported, expected);
    }
}

#[test]
fn a_summary_of_unseen_values_holds_twenty_and_counts_the_rest() {
    let encoding =
        Table::new(&[text("a", &[Some("x")])]).fit(Missing::Error, Categories::Onehot).unwrap();
    let cells: Vec<_> = (0..100).map(|row| Some(format!("v{}", row % 30))).collect();
    let mut summary = UnseenValues::default();
    for batch in Table::new(&[text("a", &cells)]).split(7).batches {
        summary.add(encoding.apply(FILE, &batch).unwrap().unseen);
    }
    assert_eq!(summary.values().len(), UnseenValues::LIMIT);
    let first: Vec<_> = summary.values().iter().map(|unseen| unseen.value.as_str()).collect();
    assert_eq!(first, (0..20).map(|index| format!("v{index}")).collect::<Vec<_>>());
    assert_eq!(summary.cells(), 100);
    // v20 to v29 are there three times each.
    assert_eq!(summary.other_cells(), 30);
}

#[test]
fn unseen_values_of_dropped_rows_are_not_reported() {
    let train = Table::new(&[text("a", &[Some("x")]), numbers("n", &[Some(1.0)])]);
    let encoding = train.fit(Missing::Drop, Categories::Onehot).unwrap();
    let scored = Table::new(&[text("a", &[Some("new")]), numbers("n", &[None])]);
    let encoded = encoding.apply(FILE, scored.whole()).unwrap();
    assert_eq!((encoded.values, encoded.kept, encoded.unseen), (vec![], vec![], vec![]));
}
