use super::*;
use crate::error::Place;
use arrow_array::types::{Float64Type, Int8Type, Int32Type};
use arrow_array::{
    Array, BinaryArray, Date32Array, Date64Array, Decimal128Array, Decimal256Array,
    DictionaryArray, Float32Array, Int64Array, LargeStringArray, NullArray, PrimitiveArray,
    StringViewArray, Time32SecondArray, Time64MicrosecondArray, TimestampNanosecondArray,
    TimestampSecondArray, UInt64Array,
};
use arrow_buffer::i256;

/// The cells under the kind the type has by nature.
fn natural(array: impl Array + 'static) -> ArrayRef {
    let array: ArrayRef = Arc::new(array);
    let kind = natural_kind(array.data_type()).unwrap();
    wanted(array, kind)
}

/// The cells under another kind, which all of them have.
fn wanted(array: impl Array + 'static, kind: ColumnKind) -> ArrayRef {
    let (cells, bad) = cells(array, kind);
    assert_eq!(bad, []);
    cells
}

fn cells(array: impl Array + 'static, kind: ColumnKind) -> Cells {
    let mut bad = Vec::new();
    (convert(&(Arc::new(array) as ArrayRef), kind, &mut bad), bad)
}

fn numbers_of<const N: usize>(cells: [Option<f64>; N]) -> ArrayRef {
    Arc::new(Float64Array::from(cells.to_vec()))
}

fn texts_of<const N: usize>(cells: [Option<&str>; N]) -> ArrayRef {
    Arc::new(StringArray::from(cells.to_vec()))
}

#[test]
fn numbers_of_every_type_are_floats_and_nan_is_missing() {
    let two = [Some(2.0), None];
    assert_eq!(&natural(UInt64Array::from(vec![Some(2), None])), &numbers_of(two));
    assert_eq!(&natural(Float32Array::from(vec![2.0, f32::NAN])), &numbers_of(two));
    assert_eq!(&natural(Float64Array::from(vec![2.0, f64::NAN])), &numbers_of(two));
    assert_eq!(
        &natural(UInt64Array::from(vec![u64::MAX])),
        &numbers_of([Some(18_446_744_073_709_551_615.0)])
    );
    assert_eq!(&natural(NullArray::new(2)), &numbers_of([None, None]));
    assert!(natural(Float64Array::from(vec![f64::INFINITY])).is_valid(0));
}

#[test]
fn decimals_are_the_nearest_floats_and_exact_text() {
    let small = || {
        let cells = Decimal128Array::from(vec![Some(-12_345), None, Some(10)]);
        cells.with_precision_and_scale(10, 2).unwrap()
    };
    assert_eq!(&natural(small()), &numbers_of([Some(-123.45), None, Some(0.1)]));
    assert_eq!(
        &wanted(small(), ColumnKind::Text),
        &texts_of([Some("-123.45"), None, Some("0.10")])
    );
    let large = Decimal256Array::from(vec![i256::from_i128(10).wrapping_pow(40)])
        .with_precision_and_scale(76, 3)
        .unwrap();
    assert_eq!(&natural(large), &numbers_of([Some(1e37)]));
}

#[test]
fn text_of_every_layout_is_taken_as_it_is() {
    let cells = [Some(" NA "), None, Some("é")];
    let expected = texts_of(cells);
    assert_eq!(&natural(StringArray::from(cells.to_vec())), &expected);
    assert_eq!(&natural(LargeStringArray::from(cells.to_vec())), &expected);
    assert_eq!(&natural(StringViewArray::from_iter(cells)), &expected);
}

#[test]
fn dictionaries_are_the_values_they_stand_for() {
    let words = [Some("red"), None, Some("blue"), Some("red")];
    let dictionary: DictionaryArray<Int8Type> = words.into_iter().collect();
    assert_eq!(&natural(dictionary), &texts_of(words));
    let keys = PrimitiveArray::<Int32Type>::from(vec![Some(1), None, Some(0)]);
    let values = Arc::new(Int64Array::from(vec![10, 20]));
    let dictionary = DictionaryArray::new(keys, values);
    assert_eq!(&natural(dictionary.clone()), &numbers_of([Some(20.0), None, Some(10.0)]));
    assert_eq!(&wanted(dictionary, ColumnKind::Text), &texts_of([Some("20"), None, Some("10")]));
}

#[test]
fn dates_and_times_are_iso_text() {
    let day = [Some("2024-02-29"), None];
    assert_eq!(&natural(Date32Array::from(vec![Some(19_782), None])), &texts_of(day));
    assert_eq!(&natural(Date64Array::from(vec![Some(1_709_164_800_000), None])), &texts_of(day));
    let second = TimestampSecondArray::from(vec![1_709_210_096]).with_timezone("+05:00");
    assert_eq!(&natural(second), &texts_of([Some("2024-02-29T12:34:56")]));
    let nano = TimestampNanosecondArray::from(vec![-1]);
    assert_eq!(&natural(nano), &texts_of([Some("1969-12-31T23:59:59.999999999")]));
    assert_eq!(&natural(Time32SecondArray::from(vec![45_296])), &texts_of([Some("12:34:56")]));
    assert_eq!(
        &natural(Time64MicrosecondArray::from(vec![1])),
        &texts_of([Some("00:00:00.000001")])
    );
}

#[test]
fn a_date_beyond_the_calendar_is_named_with_its_row() {
    let (dates, bad) = cells(Date32Array::from(vec![0, i32::MAX]), ColumnKind::Date);
    let problem = ColumnProblem::NotDate { value: i32::MAX.to_string() };
    assert_eq!(bad, [BadCell { row: 1, problem }]);
    assert_eq!(&dates, &texts_of([Some("1970-01-01"), None]));
}

#[test]
fn text_is_read_as_numbers_and_booleans_like_csv() {
    let text = StringArray::from(vec![Some(" 1e3 "), None, Some("n/a"), Some("")]);
    let numbers = wanted(text, ColumnKind::Number);
    assert_eq!(&numbers, &numbers_of([Some(1e3), None, None, None]));
    let text = StringArray::from(vec![Some("TRUE"), Some("?"), Some("false")]);
    let booleans = wanted(text.clone(), ColumnKind::Boolean);
    assert_eq!(booleans.as_boolean(), &BooleanArray::from(vec![Some(true), None, Some(false)]));
    let problem = ColumnProblem::NotNumber { value: "TRUE".to_string() };
    let (numbers, bad) = cells(text, ColumnKind::Number);
    assert_eq!(bad[0], BadCell { row: 0, problem });
    assert_eq!((bad.len(), &numbers), (2, &numbers_of([None, None, None])));
}

#[test]
fn booleans_are_zero_and_one_and_back() {
    let booleans = BooleanArray::from(vec![Some(true), None, Some(false)]);
    let numbers = wanted(booleans.clone(), ColumnKind::Number);
    assert_eq!(&numbers, &numbers_of([Some(1.0), None, Some(0.0)]));
    let back = wanted(numbers, ColumnKind::Boolean);
    assert_eq!(back.as_boolean(), &booleans);
    let words = wanted(booleans.clone(), ColumnKind::Text);
    assert_eq!(&words, &texts_of([Some("true"), None, Some("false")]));
    assert_eq!(wanted(words, ColumnKind::Boolean).as_boolean(), &booleans);
    let problem = ColumnProblem::NotBoolean { value: "0.5".to_string() };
    let (_, half) = cells(Float64Array::from(vec![1.0, 0.5]), ColumnKind::Boolean);
    assert_eq!(half, [BadCell { row: 1, problem }]);
}

#[test]
fn a_slice_is_converted_like_the_whole() {
    let whole = Int64Array::from_iter((0..100).map(|i| (i % 3 != 0).then_some(i)));
    let converted = natural(whole.clone());
    for (start, length) in [(0, 100), (1, 7), (63, 37), (99, 1)] {
        assert_eq!(&natural(whole.slice(start, length)), &converted.slice(start, length));
    }
    assert_eq!(natural(whole).as_primitive::<Float64Type>().null_count(), 34);
    assert_eq!(natural_kind(&DataType::Binary), None);
    assert_eq!(natural_kind(&DataType::Duration(arrow_schema::TimeUnit::Second)), None);
}

fn rows(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .unwrap()
}

#[test]
fn rows_of_any_types_are_a_batch_of_three() {
    let keys: DictionaryArray<Int8Type> = [Some("red"), None].into_iter().collect();
    let rows = rows(vec![
        ("count", Arc::new(Int64Array::from(vec![Some(7), None]))),
        ("sold", Arc::new(BooleanArray::from(vec![true, false]))),
        ("colour", Arc::new(keys)),
        ("day", Arc::new(Date32Array::from(vec![19_782, 0]))),
        ("zip", Arc::new(Int64Array::from(vec![10_115, 80_331]))),
    ]);
    let kinds = HashMap::from([
        ("zip".to_string(), ColumnKind::Text),
        ("not there".to_string(), ColumnKind::Number),
    ]);
    let (columns, batch) = from_arrow("memory", &rows, &kinds, 11).unwrap();
    let kinds: Vec<ColumnKind> = columns.iter().map(|column| column.kind).collect();
    use ColumnKind::{Boolean, Date, Number, Text};
    assert_eq!(kinds, [Number, Boolean, Text, Date, Text]);
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["count", "sold", "colour", "day", "zip"]);
    let cells = &batch.cells;
    assert_eq!(cells.column(0), &numbers_of([Some(7.0), None]));
    assert_eq!(cells.column(1).as_boolean(), &BooleanArray::from(vec![true, false]));
    assert_eq!(cells.column(2), &texts_of([Some("red"), None]));
    assert_eq!(cells.column(3), &texts_of([Some("2024-02-29"), Some("1970-01-01")]));
    assert_eq!(cells.column(4), &texts_of([Some("10115"), Some("80331")]));
    assert_eq!((batch.number(0), batch.place(1)), (11, Place::Row(12)));
}

#[test]
fn cells_that_are_not_of_the_kind_wanted_are_missing_and_listed_row_by_row() {
    let rows = rows(vec![
        ("size", texts_of([Some("1"), Some("large"), Some("small")])),
        ("sold", texts_of([Some("true"), Some("no"), None])),
    ]);
    let kinds = [("size", ColumnKind::Number), ("sold", ColumnKind::Boolean)];
    let kinds = kinds.iter().map(|(name, kind)| (name.to_string(), *kind)).collect();
    let (_, batch) = from_arrow("memory", &rows, &kinds, 101).unwrap();
    let listed: Vec<_> = batch.unreadable.iter().map(|cell| (cell.row, cell.column)).collect();
    assert_eq!(listed, [(1, 0), (1, 1), (2, 0)]);
    assert_eq!(batch.cells.column(0), &numbers_of([Some(1.0), None, None]));
    assert_eq!(batch.unreadable_at(2, 1), None);
    let value = "small".to_string();
    assert_eq!(batch.unreadable_at(2, 0), Some(&ColumnProblem::NotNumber { value }));
    // They keep their places when rows and columns are taken and put together.
    let part = batch.take(&[1, 2]).unwrap().project(&[1, 0]).unwrap();
    let twice = Batch::concat(&[part.clone(), part]).unwrap().unwrap();
    let listed: Vec<_> = twice.unreadable.iter().map(|cell| (cell.row, cell.column)).collect();
    assert_eq!(listed, [(0, 1), (0, 0), (1, 1), (2, 1), (2, 0), (3, 1)]);
}

#[test]
fn rows_that_are_no_batch_are_refused_with_table_and_column() {
    let refused = |rows: RecordBatch, kinds: &[(&str, ColumnKind)]| {
        let kinds = kinds.iter().map(|(name, kind)| (name.to_string(), *kind)).collect();
        from_arrow("memory", &rows, &kinds, 101).unwrap_err().to_string()
    };
    let binary = BinaryArray::from_vec(vec![b"x"]);
    assert_eq!(
        refused(rows(vec![("blob", Arc::new(binary))]), &[]),
        "memory, column \"blob\": the type Binary is neither number, boolean, text nor date"
    );
    let numbers = || numbers_of([Some(1.0)]);
    let found = refused(rows(vec![("a", numbers()), ("a", numbers())]), &[]);
    assert!(found.starts_with("memory: columns 1 and 2 are both named \"a\""), "{found}");
    let found = refused(rows(vec![("", numbers())]), &[]);
    assert!(found.starts_with("memory: column 1 has no name"), "{found}");
}
