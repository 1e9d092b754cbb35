//! From numbers back to cells, for a person and for a table.

use arrow_array::StringArray;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use proptest::prelude::*;

use super::super::Value;
use super::{FILE, Table, booleans, dates, numbers, text};

fn mixed() -> Table {
    Table::new(&[
        numbers("age", &[Some(3.0), Some(40.0), None, Some(7.0)]),
        numbers("size", &[Some(0.5), Some(1.5), Some(2.0), Some(1.0)]),
        text("island", &[Some("Torgersen"), Some("Dream"), Some("Dream"), None]),
        text("sex", &[Some("male"), Some("male"), Some("female"), Some("male")]),
        booleans("alive", &[Some(true), Some(false), Some(true), Some(true)]),
        dates("born", &[Some("2013-01-05"), Some("2013-01-06"), Some("2013-01-07"), None]),
    ])
}

#[test]
fn a_value_is_what_stands_in_the_table() {
    let table = mixed();
    let (encoding, _, encoded) = table.auto();
    let columns = encoding.column_features();
    let width = encoding.width();
    let said = |row: usize| -> Vec<String> {
        let row = &encoded.values[row * width..(row + 1) * width];
        columns.iter().map(|column| encoding.value(column, row).to_string()).collect()
    };
    assert_eq!(said(1), ["40", "1.5", "Dream", "male", "false", "2013-01-06"]);
    assert_eq!(said(0), ["3", "0.5", "other", "male", "true", "2013-01-05"]);
    assert_eq!(said(2)[0], "missing");
    assert_eq!(said(3)[2..], ["missing", "male", "true", "missing"]);
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["age", "size", "island", "sex", "alive", "born"]);
    assert_eq!(columns.last().map(|column| column.features.end), Some(width));
    assert_eq!(encoding.features().len(), width);
    assert_eq!(encoding.value(&columns[1], &encoded.values), Value::Number(0.5));
}

#[test]
fn decoding_gives_integers_ranges_categories_and_gaps_back() {
    let table = mixed();
    let (encoding, ..) = table.auto();
    // age, missing; size; Dream, other, missing; sex; alive; born, missing
    let rows = [
        [41.7, 0.2, 7.0, 0.4, 0.3, 0.1, 0.6, 0.2, 15_711.2, 0.0],
        [6.6, 0.4, -1.0, 0.1, 0.2, 0.9, 0.2, 0.9, 0.0, 0.8],
    ];
    let decoded = encoding.decode(&rows.concat()).unwrap();
    let ages = decoded.column(0).as_primitive::<Int64Type>();
    assert_eq!(ages.values()[..], [40, 7]);
    let sizes = decoded.column(1).as_primitive::<arrow_array::types::Float64Type>();
    assert_eq!(sizes.values()[..], [2.0, 0.5]);
    let texts = |column: usize| decoded.column(column).as_string::<i32>().clone();
    assert_eq!(texts(2), StringArray::from(vec![Some("Dream"), None]));
    assert_eq!(texts(3), StringArray::from(vec!["male", "female"]));
    assert_eq!(texts(5), StringArray::from(vec![Some("2013-01-06"), None]));
    assert!(!decoded.column(4).as_boolean().value(0));
}

proptest! {
    #[test]
    fn decoding_undoes_encoding_but_for_rare_values(
        rows in prop::collection::vec(
            (prop::option::weighted(0.8, -9_i32..9), prop::option::weighted(0.8, 0_usize..3)),
            1..30,
        ),
    ) {
        let words = ["a", "b", "c"];
        let cells: Vec<Option<f64>> = rows.iter().map(|row| row.0.map(f64::from)).collect();
        let texts: Vec<Option<&str>> = rows.iter().map(|row| row.1.map(|word| words[word])).collect();
        // Each word is there twice.
        let cells = [vec![Some(0.0); 6], cells].concat();
        let texts = [[words; 2].concat().into_iter().map(Some).collect(), texts].concat();
        let table = Table::new(&[numbers("n", &cells), text("t", &texts)]);
        let (encoding, _, encoded) = table.auto();
        let decoded = encoding.decode(&encoded.values).unwrap();
        prop_assert_eq!(decoded.column(1), table.whole().cells.column(1));
        let integers = decoded.column(0).as_primitive::<Int64Type>();
        let found: Vec<Option<f64>> = integers.iter().map(|cell| cell.map(|x| x as f64)).collect();
        prop_assert_eq!(found, cells);
        prop_assert_eq!(encoding.apply(FILE, table.whole()).unwrap().values.len() % encoding.width(), 0);
    }
}
