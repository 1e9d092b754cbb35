use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Float64Array, RecordBatch, StringArray};
use sosrep_table::{Batch, RowNumbers};

use super::*;

const ROWS: usize = 700;
const SIZE: usize = 60;

/// Rows `first` to `end` of a table whose cells say where they are: line = 10 · row, all from 1.
fn part(first: usize, end: usize) -> Batch {
    let numbers: Float64Array = (first..end).map(|row| Some(row as f64)).collect();
    let text: StringArray = (first..end).map(|row| Some(format!("row {row}"))).collect();
    let columns: [(&str, arrow_array::ArrayRef); 2] =
        [("number", Arc::new(numbers)), ("text", Arc::new(text))];
    Batch {
        cells: RecordBatch::try_from_iter(columns).unwrap(),
        numbers: RowNumbers::From(first as u64),
        lines: Some((first..end).map(|row| 10 * row as u64).collect()),
        unreadable: Vec::new(),
    }
}

/// The numbers of the rows kept of a table read in batches of `size`.
fn kept(rows: usize, size: usize, seed: u64) -> Vec<u64> {
    let mut sample = BatchSample::new(RowSample::new(SIZE, seed));
    for first in (1..=rows).step_by(size) {
        sample.push(part(first, (first + size).min(rows + 1))).unwrap();
        assert!(sample.rows <= 2 * SIZE.max(size), "{} rows are held", sample.rows);
    }
    let mut numbers = Vec::new();
    for batch in sample.batches().unwrap() {
        let cells = batch.cells.column(0).as_primitive::<Float64Type>();
        let text = batch.cells.column(1).as_string::<i32>();
        for row in 0..batch.rows() {
            let number = batch.number(row);
            assert_eq!(cells.value(row), number as f64);
            assert_eq!(text.value(row), format!("row {number}"));
            assert_eq!(batch.lines.as_ref().unwrap()[row], 10 * number);
            numbers.push(number);
        }
    }
    numbers
}

#[test]
fn batches_do_not_change_the_sample_and_rows_keep_their_order_numbers_and_lines() {
    let whole = kept(ROWS, ROWS, 4);
    assert_eq!(whole.len(), 60);
    assert!(whole.is_sorted());
    for size in [1, 7, 59, 60, 61, 300] {
        assert_eq!(kept(ROWS, size, 4), whole, "batches of {size}");
    }
    assert_ne!(kept(ROWS, ROWS, 5), whole);
}

#[test]
fn as_many_rows_as_the_limit_are_held_whole_and_one_more_is_not() {
    for size in [1, 60, 100] {
        assert_eq!(kept(60, size, 0), (1..=60).collect::<Vec<u64>>());
        assert_eq!(kept(61, size, 0).len(), 60);
    }
}

#[test]
fn rows_that_were_not_offered_take_no_place() {
    let mut with_gaps = BatchSample::new(RowSample::new(SIZE, 2));
    for row in (1..=ROWS).step_by(2) {
        with_gaps.push(part(row, row + 1)).unwrap();
    }
    let numbers: Vec<u64> = with_gaps
        .batches()
        .unwrap()
        .iter()
        .flat_map(|b| (0..b.rows()).map(|i| b.number(i)))
        .collect();
    let places: Vec<u64> = kept(ROWS / 2, ROWS, 2).iter().map(|number| 2 * number - 1).collect();
    assert_eq!(numbers, places);
}

#[test]
fn what_is_cut_later_is_what_a_smaller_sample_would_have_kept() {
    let of = |sizes: &[usize]| {
        let mut sample = BatchSample::new(RowSample::new(sizes[0], 1));
        sample.push(part(1, ROWS + 1)).unwrap();
        sizes[1..].iter().for_each(|&size| sample.shrink(RowSample::new(size, 1)).unwrap());
        sample.batches().unwrap()[0].numbers.clone()
    };
    assert_eq!(of(&[60, 30]), of(&[30]));
    assert_eq!(of(&[ROWS, 30]), of(&[30]));
    assert_ne!(of(&[60]), of(&[30]));
}
