//! What the default choices make of every kind of column.

use arrow_array::cast::AsArray;
use proptest::prelude::*;
use proptest::sample::select;
use sosrep::SourceColumn;

use super::super::{ColumnUse, Dates, EncodeOptions, Encoding, Meaning, Note};
use super::{FILE, NamedColumn, Table, booleans, dates, numbers, text};

/// A column of `yes` and `no`, of true and false, or of 1 and 0.
fn two_values(form: usize, cells: &[bool]) -> NamedColumn {
    match form {
        0 => text("a", &cells.iter().map(|&x| Some(["no", "yes"][x as usize])).collect::<Vec<_>>()),
        1 => booleans("a", &cells.iter().map(|&x| Some(x)).collect::<Vec<_>>()),
        _ => numbers("a", &cells.iter().map(|&x| Some(f64::from(x))).collect::<Vec<_>>()),
    }
}

/// A number, a text, a boolean and a date.
type MixedRow = (Option<i32>, Option<&'static str>, Option<bool>, &'static str);

/// Words of which some are rare, and gaps.
fn words() -> impl Strategy<Value = Vec<Option<&'static str>>> {
    let words = ["", "a", "a", "a", "b", "b", "rare", "(other)", "missing"];
    prop::collection::vec(prop::option::weighted(0.8, select(words.to_vec())), 1..60)
}

proptest! {
    #[test]
    fn yes_and_no_are_true_and_false_are_one_and_zero(cells in prop::collection::vec(any::<bool>(), 1..50)) {
        // Both values are there, or there is nothing to tell them apart by.
        let cells = [vec![true, false], cells].concat();
        let forms = [0, 1, 2].map(|form| Table::new(&[two_values(form, &cells)]).auto());
        for (encoding, _, encoded) in &forms {
            prop_assert_eq!(&encoded.values, &forms[0].2.values);
            prop_assert_eq!(encoding.source_columns(), [SourceColumn::Number]);
        }
    }

    /// A category is one-hot by hand, with the slow rule: the values counted anew for every cell.
    #[test]
    fn a_category_is_one_hot_with_rare_values_together(words in words()) {
        let rows = words.len();
        let count = |word: &str| words.iter().filter(|other| **other == Some(word)).count();
        let mut kept: Vec<&str> = words.iter().flatten().copied().filter(|w| count(w) >= 2).collect();
        kept.sort_unstable();
        kept.dedup();
        let gaps = words.contains(&None);
        let mut distinct: Vec<_> = words.iter().flatten().collect();
        distinct.sort_unstable();
        distinct.dedup();
        // Two values without a gap are a number; no values are no feature.
        prop_assume!(rows < 20 && !distinct.is_empty() && (distinct.len() != 2 || gaps));
        let table = Table::new(&[text("word", &words), numbers("n", &vec![Some(1.5); rows])]);
        let (encoding, _, encoded) = table.auto();
        let width = kept.len() + 1 + usize::from(gaps);
        prop_assert_eq!(&encoding.source_columns()[0], &SourceColumn::Category(width));
        for (row, word) in words.iter().enumerate() {
            let mut expected = vec![0.0; width + 1];
            expected[width] = 1.5;
            let place = match word {
                None => width - 1,
                Some(word) => kept.iter().position(|k| k == word).unwrap_or(kept.len()),
            };
            expected[place] = 1.0;
            prop_assert_eq!(&encoded.values[row * (width + 1)..][..width + 1], &expected[..]);
        }
        let names = encoding.feature_names();
        let mut different = names.clone();
        different.sort_unstable();
        different.dedup();
        prop_assert_eq!(different.len(), names.len());
    }

    #[test]
    fn neither_batches_nor_the_order_of_rows_change_the_encoding(
        rows in prop::collection::vec(
            (prop::option::weighted(0.8, -3..3), prop::option::weighted(0.8, select(vec!["a", "b", "c", "d"])),
             prop::option::weighted(0.8, any::<bool>()), select(vec!["1/2/2024", "2/1/2024", "13/1/2024", "x"])),
            1..40,
        ).prop_shuffle(),
        size in 1_usize..9,
    ) {
        let table = |rows: &[MixedRow]| Table::new(&[
            numbers("n", &rows.iter().map(|row| row.0.map(f64::from)).collect::<Vec<_>>()),
            text("t", &rows.iter().map(|row| row.1).collect::<Vec<_>>()),
            booleans("b", &rows.iter().map(|row| row.2).collect::<Vec<_>>()),
            dates("d", &rows.iter().map(|row| Some(row.3)).collect::<Vec<_>>()),
            numbers("id", &rows.iter().map(|row| row.0.map(f64::from)).collect::<Vec<_>>()),
            numbers("one", &vec![Some(1.0); rows.len()]),
        ]);
        let mut sorted = rows.clone();
        sorted.sort_unstable();
        let fitted = |table: Table| {
            let (encoding, choice) = table.fit_with(&EncodeOptions::default()).unwrap();
            (encoding, choice.parts)
        };
        let whole = fitted(table(&rows));
        prop_assert_eq!(&fitted(table(&rows).split(size)), &whole);
        prop_assert_eq!(&fitted(table(&sorted)), &whole);
        prop_assert!(whole.0.check().is_ok());
        let json = serde_json::to_string(&whole.0).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Encoding>(&json).unwrap(), &whole.0);
    }
}

#[test]
fn a_number_with_gaps_has_the_median_in_them_and_says_so() {
    let cells = [Some(3.0), None, Some(f64::NEG_INFINITY), Some(1.0), Some(8.0)];
    let (encoding, choice, encoded) = Table::new(&[numbers("n", &cells)]).auto();
    assert_eq!(encoding.source_columns(), [SourceColumn::NumberOrMissing]);
    assert_eq!(encoding.feature_names(), ["n", "n=(missing)"]);
    assert_eq!(encoded.values, [3.0, 0.0, 3.0, 1.0, 3.0, 1.0, 1.0, 0.0, 8.0, 0.0]);
    assert_eq!(choice.notes.len(), 1);
    assert_eq!(
        choice.notes[0].to_string(),
        "column \"n\": infinite numbers count as missing (cells: 1, first in line 4)"
    );
}

#[test]
fn a_boolean_with_gaps_is_a_category() {
    let (encoding, _, encoded) =
        Table::new(&[booleans("b", &[Some(true), None, Some(false)])]).auto();
    let names = ["b=false", "b=true", "b=(other)", "b=(missing)"];
    assert_eq!(encoding.feature_names(), names);
    assert_eq!(encoded.values, [0., 1., 0., 0., 0., 0., 0., 1., 1., 0., 0., 0.]);
}

#[test]
fn rare_values_are_pooled_by_share_and_by_rank() {
    // Of 1000 rows, a value in 10 is kept and one in 9 is not.
    let mut cells = vec![Some("ten"); 10];
    cells.extend([Some("nine"); 9]);
    cells.extend([Some("most"); 981]);
    let table = Table::new(&[text("a", &cells), numbers("n", &vec![Some(0.0); 1000])]);
    let (encoding, choice, _) = table.auto();
    let names = ["a=most", "a=ten", "a=(other)", "n"];
    assert_eq!(encoding.feature_names(), names);
    assert_eq!(
        choice.notes[0].to_string(),
        "column \"a\": 1 rare value counts as \"other\", 2 are kept"
    );
    // Of 60 values in two or three rows each, the fifty most frequent, the first of equal ones.
    let cell = |i: usize| Some(format!("v{:02}", i % 60));
    let cells: Vec<_> = (0..120).chain(0..5).chain(55..60).map(cell).collect();
    let (encoding, ..) = Table::new(&[text("a", &cells)]).auto();
    let kept: Vec<String> = (0..45).chain(55..60).map(|i| format!("a=v{i:02}")).collect();
    assert_eq!(encoding.feature_names()[..50], kept);
    assert_eq!(encoding.width(), 51);
}

#[test]
fn dates_are_days_and_their_order_is_that_of_most() {
    let cells = ["1/2/2024", "13/2/2024", "3/2/2024"].map(Some);
    let (encoding, choice, encoded) = Table::new(&[dates("d", &cells)]).auto();
    assert_eq!(encoded.values, [19_754.0, 19_766.0, 19_756.0]);
    assert_eq!(choice.notes, [Note::DatesAsDays { column: "d".to_string() }]);
    assert_eq!(encoding.source_columns(), [SourceColumn::Number]);
    let (_, choice, encoded) = Table::new(&[dates("d", &cells[..1])]).auto();
    assert_eq!(encoded.values, [19_724.0]);
    assert!(choice.notes.contains(&Note::DayOrMonthFirst { column: "d".to_string() }));
}

#[test]
fn parts_of_dates_are_points_on_circles_where_they_vary() {
    let options = EncodeOptions { dates: Dates::Parts, ..EncodeOptions::default() };
    // Mondays and a Thursday at the same time of the day.
    let cells =
        [Some("2024-01-01T06:00"), Some("2024-07-01T06:00"), None, Some("2024-01-04T06:00")];
    let table = Table::new(&[dates("d", &cells), numbers("n", &[Some(1.0); 4])]);
    let (encoding, _) = table.fit_with(&options).unwrap();
    let names: Vec<String> =
        encoding.column_features().into_iter().map(|column| column.name).collect();
    assert_eq!(names, ["d weekday cos", "d weekday sin", "d month cos", "d month sin", "n"]);
    let encoded = encoding.apply(FILE, table.whole()).unwrap();
    let (rows, width) = (4, encoding.width());
    assert_eq!(encoded.values.len(), rows * width);
    let row = |i: usize| &encoded.values[i * width..(i + 1) * width];
    assert_eq!(row(0)[..4], [1.0, 0.0, 0.0, 0.0]);
    for i in [0, 1, 3] {
        for circle in [0, 4] {
            let radius = row(i)[circle].hypot(row(i)[circle + 2]);
            assert!((radius - 1.0).abs() < 1e-15, "{radius}");
        }
    }
    // January and July are opposite each other.
    assert!((row(0)[4] + row(1)[4]).abs() < 1e-15);
    let columns = encoding.column_features();
    let said: Vec<String> =
        columns.iter().map(|column| encoding.value(column, row(3)).to_string()).collect();
    assert_eq!(said, ["Thursday", "Thursday", "January", "January", "1"]);
    assert_eq!(encoding.value(&columns[2], row(2)).to_string(), "missing");
    let (_, choice) = Table::new(&[dates("d", &cells[..1]), numbers("n", &[Some(1.0)])])
        .fit_with(&options)
        .unwrap();
    assert_eq!(choice.notes, [Note::NoCycle { column: "d".to_string() }]);
}

#[test]
fn empty_columns_and_ignored_dates_are_left_out_with_a_note() {
    let columns = [
        numbers("n", &[Some(1.0), Some(2.0)]),
        numbers("e", &[None, None]),
        dates("d", &[Some("2024-01-01"), None]),
    ];
    let options = EncodeOptions { dates: Dates::Ignore, ..EncodeOptions::default() };
    let (encoding, choice) = Table::new(&columns).fit_with(&options).unwrap();
    assert_eq!(encoding.feature_names(), ["n"]);
    let said: Vec<String> = choice.notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        ["column \"e\": left out, it has no value", "column \"d\": left out, it holds dates"]
    );
}

#[test]
fn what_the_user_says_of_a_column_comes_first() {
    let uses = [("d", ColumnUse::Date), ("n", ColumnUse::Ignore)];
    let options = EncodeOptions {
        dates: Dates::Error,
        columns: uses.map(|(name, use_as)| (name.to_string(), use_as)).into(),
        ..EncodeOptions::default()
    };
    let columns = [numbers("n", &[Some(1.0)]), dates("d", &[Some("1970-01-05")])];
    let (encoding, choice) = Table::new(&columns).fit_with(&options).unwrap();
    assert_eq!((encoding.feature_names(), choice.unused()), (vec!["d".to_string()], vec![0]));
}

#[test]
fn times_of_day_are_fractions_of_a_day_or_the_hour() {
    let cells = ["06:00", "18:00:00", "12:00"].map(Some);
    let table = Table::new(&[dates("t", &cells)]);
    let (encoding, choice, encoded) = table.auto();
    assert_eq!(encoded.values, [0.25, 0.75, 0.5]);
    assert_eq!(choice.notes, [Note::TimesAsNumbers { column: "t".to_string() }]);
    let columns = encoding.column_features();
    assert_eq!(encoding.value(&columns[0], &[0.75]).to_string(), "18:00:00");
    let options = EncodeOptions { dates: Dates::Parts, ..EncodeOptions::default() };
    let (encoding, _) = table.fit_with(&options).unwrap();
    let names: Vec<String> =
        encoding.column_features().into_iter().map(|column| column.name).collect();
    assert_eq!(names, ["t hour cos", "t hour sin"]);
}

#[test]
fn numbers_written_for_people_are_numbers() {
    let amounts = text("amount", &[Some("1.234,50 €"), None, Some("-7,25 €"), Some("80 €")]);
    let (encoding, choice, encoded) = Table::new(&[amounts]).auto();
    assert_eq!(encoding.feature_names(), ["amount", "amount=(missing)"]);
    assert_eq!(encoded.values, [1234.5, 0.0, 80.0, 1.0, -7.25, 0.0, 80.0, 0.0]);
    let (example, value) = ("-7,25 €".to_string(), -7.25);
    let note = Note::WrittenNumbers { column: "amount".to_string(), example, value };
    assert_eq!(choice.notes, [note]);
    // Rows that are drawn are written as the table is.
    let drawn = encoding.decode(&[1234.5, 0.0]).unwrap();
    assert_eq!(drawn.column(0).as_string::<i32>().value(0), "1234,5");
}

#[test]
fn a_decimal_comma_in_one_column_settles_what_is_open_in_another() {
    let open = text("a", &[Some("1,234"), Some("2,345")]);
    let settled = text("b", &[Some("0,5"), Some("1,5")]);
    assert_eq!(Table::new(std::slice::from_ref(&open)).auto().2.values[0], 1234.0);
    assert_eq!(Table::new(&[open, settled]).auto().2.values[0], 1.234);
}

#[test]
fn digits_in_a_column_of_text_stay_text() {
    let zips = text("zip", &[Some("01234"), Some("01234"), Some("56789"), Some("99999")]);
    let (encoding, ..) = Table::new(&[zips]).auto();
    assert_eq!(encoding.features()[0].meaning, Meaning::Membership);
}
