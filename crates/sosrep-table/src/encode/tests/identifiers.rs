//! Which columns name the rows, and the way back.

use super::super::{ColumnUse, EncodeOptions, IdentifierReason, Part};
use super::{NamedColumn, Table, big_integers, numbers, text};

fn integers(name: &str, cells: impl Iterator<Item = i32>) -> NamedColumn {
    numbers(name, &cells.map(|cell| Some(f64::from(cell))).collect::<Vec<_>>())
}

fn words(name: &str, rows: usize) -> NamedColumn {
    text(name, &(0..rows).map(|row| Some(format!("w{row}"))).collect::<Vec<_>>())
}

/// The part of the first of the columns, beside a number.
fn part(column: NamedColumn) -> Part {
    part_of(&[column], 0)
}

fn part_of(columns: &[NamedColumn], which: usize) -> Part {
    let rows = columns[0].1.len();
    let mut columns = columns.to_vec();
    columns.push(numbers("x", &(0..rows).map(|row| Some(row as f64 / 7.0)).collect::<Vec<_>>()));
    let (_, choice) = Table::new(&columns).fit_with(&EncodeOptions::default()).unwrap();
    choice.parts[which]
}

#[test]
fn integers_that_all_differ_are_an_identifier_by_their_name() {
    let is = Part::Identifier(IdentifierReason::DifferentIntegers);
    for name in ["id", "PassengerId", "order_no", "Unnamed: 0", "unnamed_1"] {
        assert_eq!(part(integers(name, [5, 3, 9].into_iter())), is, "{name}");
        assert_eq!(part(integers(name, [5, 3, 5].into_iter())), Part::Feature, "{name}");
    }
    assert_eq!(part(integers("width", [5, 3, 9].into_iter())), Part::Feature);
    assert_eq!(part(numbers("id", &[Some(0.5), Some(1.0)])), Part::Feature);
}

#[test]
fn integers_that_count_rows_in_the_first_column_are_row_numbers_in_any_order() {
    let is = Part::Identifier(IdentifierReason::RowNumbers);
    for first in [0, 1] {
        assert_eq!(part(integers("x1", first..first + 20)), is);
        assert_eq!(part(integers("x1", first..first + 19)), Part::Feature);
        assert_eq!(part(integers("x1", (first..first + 20).rev())), is);
        assert_eq!(part(integers("x1", (first..first + 19).chain([first]))), Part::Feature);
        let second = [integers("x1", (0..20).map(|x| x % 3)), integers("x2", first..first + 20)];
        assert_eq!(part_of(&second, 1), Part::Feature);
    }
    assert_eq!(part(integers("x1", 2..30)), Part::Feature);
}

#[test]
fn a_table_of_nothing_but_row_numbers_is_taken_as_it_is() {
    let table = Table::new(&[integers("x1", 0..50)]);
    let (encoding, ..) = table.auto();
    assert_eq!(encoding.feature_names(), ["x1"]);
}

#[test]
fn twenty_different_texts_are_an_identifier() {
    let is = Part::Identifier(IdentifierReason::DifferentTexts);
    assert_eq!(part(words("name", 20)), is);
    assert_eq!(part(words("name", 19)), Part::Feature);
    assert_eq!(part(words("user_id", 5)), is);
    let mut twice: Vec<_> = (0..30).map(|row| Some(format!("w{row}"))).collect();
    twice[29] = twice[0].clone();
    assert_eq!(part(text("name", &twice)), Part::Unused);
    // Remarks in a few rows are no names of rows.
    let few: Vec<_> = (0..100).map(|row| (row % 3 == 0).then(|| format!("w{row}"))).collect();
    assert_eq!(part(text("remark", &few)), Part::Feature);
}

#[test]
fn integers_that_fit_no_double_are_identifiers_or_categories() {
    let is = Part::Identifier(IdentifierReason::BigIntegers);
    // As doubles, these two are one.
    let (a, b) = ("9007199254740992", "9007199254740993");
    assert_eq!(a.parse::<f64>().unwrap(), b.parse::<f64>().unwrap());
    assert_eq!(part(big_integers("hash", &[Some(a), Some(b)])), is);
    let cells = [a, b, a, b, "7", "7"].map(Some);
    let table = Table::new(&[big_integers("hash", &cells)]);
    let (encoding, choice, encoded) = table.auto();
    let names = ["hash=7".to_string(), format!("hash={a}"), format!("hash={b}")];
    assert_eq!(encoding.feature_names()[..3], names);
    assert_eq!(encoded.values[..8], [0., 1., 0., 0., 0., 0., 1., 0.]);
    assert!(choice.notes[0].to_string().contains("integers beyond 2^53"));
}

#[test]
fn identifiers_have_a_note_with_the_way_back_and_an_order() {
    let columns = [
        integers("x1", 1..41),
        integers("order_id", (0..40).map(|x| 3 * x)),
        words("name", 40),
        numbers("y", &(0..40).map(|x| Some(f64::from(x % 7))).collect::<Vec<_>>()),
    ];
    let table = Table::new(&columns);
    let (_, choice, _) = table.auto();
    assert_eq!((choice.identifiers(), choice.features()), (vec![2, 1, 0], vec![3]));
    let said: Vec<String> =
        choice.notes.iter().map(|note| note.sentence(|remedy| format!("{remedy:?}"))).collect();
    assert_eq!(
        said,
        [
            "column \"x1\": taken for an identifier and no feature, it counts the rows; \
             UseColumn(\"x1\", Number)",
            "column \"order_id\": taken for an identifier and no feature, every row has another \
             integer, and it is named like an id; UseColumn(\"order_id\", Number)",
            "column \"name\": taken for an identifier and no feature, every row has another text; \
             UseColumn(\"name\", Category)",
        ]
    );
    let uses = [("x1", ColumnUse::Number), ("name", ColumnUse::Category)];
    let options = EncodeOptions {
        columns: uses.map(|(name, use_as)| (name.to_string(), use_as)).into(),
        ..EncodeOptions::default()
    };
    let (encoding, choice) = table.fit_with(&options).unwrap();
    assert_eq!(choice.features(), [0, 2, 3]);
    // Every name is rare.
    assert_eq!(encoding.feature_names(), ["x1", "name=(other)", "y"]);
}

#[test]
fn a_text_is_left_out_if_more_than_half_of_the_rows_have_a_rare_value() {
    // So many rows with a value of their own, then gaps, then one value.
    let cells = |rare: usize, gaps: usize, rows: usize| -> Vec<Option<String>> {
        let cell = |row: usize| match row {
            _ if row < rare => Some(format!("w{row}")),
            _ if row < rare + gaps => None,
            _ => Some("common".to_string()),
        };
        (0..rows).map(cell).collect()
    };
    for (rare, gaps, rows, expected) in [
        (20, 0, 40, Part::Feature),
        (21, 0, 40, Part::Unused),
        (20, 20, 40, Part::Identifier(IdentifierReason::DifferentTexts)),
        (21, 15, 40, Part::Unused),
        (10, 25, 40, Part::Feature),
        (15, 0, 19, Part::Feature),
        // Too many values to count.
        (70_000, 0, 141_000, Part::Feature),
        (72_000, 0, 141_000, Part::Unused),
    ] {
        assert_eq!(part(text("name", &cells(rare, gaps, rows))), expected, "{rare} {gaps} {rows}");
    }
    // All of 110 equally frequent values are rare.
    let many: Vec<_> = (0..110).map(|value| Some(format!("v{value}"))).collect();
    assert_eq!(part(text("name", &[many.clone(), many].concat())), Part::Unused);
    // With the word of the user, or without another feature, it is used.
    let columns = [text("name", &cells(30, 0, 40)), numbers("x", &vec![Some(0.5); 40])];
    let (_, choice) = Table::new(&columns).fit_with(&EncodeOptions::default()).unwrap();
    assert_eq!(
        choice.notes[0].to_string(),
        "column \"name\": left out, most values are rare (30 of 40 rows)"
    );
    let said = [("name".to_string(), ColumnUse::Category)].into();
    let options = EncodeOptions { columns: said, ..EncodeOptions::default() };
    let (_, choice) = Table::new(&columns).fit_with(&options).unwrap();
    assert_eq!(choice.features(), [0, 1]);
    let (_, choice) = Table::new(&columns[..1]).fit_with(&EncodeOptions::default()).unwrap();
    assert_eq!(choice.features(), [0]);
}
