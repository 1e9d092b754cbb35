use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Float64Array, RecordBatch, StringArray};
use sosrep_table::{Batch, RowNumbers};

use super::*;

const ROWS: usize = 700;
/// Memory in which 60 rows of two numbers are held: of the kernel matrix fewer fit.
const MEMORY: usize = 60 * 2 * 5 * 8;

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
    }
}

fn limit(seed: u64) -> RowLimit {
    RowLimit { memory: MEMORY, seed }
}

/// The numbers of the rows held of a table read in batches of `size`.
fn held(rows: usize, size: usize, seed: u64) -> Vec<u64> {
    let mut held = Held::new(Some(limit(seed)), 2).unwrap();
    for first in (1..=rows).step_by(size) {
        held.push(part(first, (first + size).min(rows + 1))).unwrap();
        assert!(held.rows <= 2 * limit(seed).rows(2).max(size), "{} rows are held", held.rows);
    }
    let mut numbers = Vec::new();
    for batch in held.finish().unwrap() {
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
    let whole = held(ROWS, ROWS, 4);
    assert_eq!(whole.len(), 60);
    assert!(whole.is_sorted());
    for size in [1, 7, 59, 60, 61, 300] {
        assert_eq!(held(ROWS, size, 4), whole, "batches of {size}");
    }
    assert_ne!(held(ROWS, ROWS, 5), whole);
}

#[test]
fn as_many_rows_as_the_limit_are_held_whole_and_one_more_is_not() {
    for size in [1, 60, 100] {
        assert_eq!(held(60, size, 0), (1..=60).collect::<Vec<u64>>());
        assert_eq!(held(61, size, 0).len(), 60);
    }
}

#[test]
fn without_a_limit_all_rows_are_held_as_they_came() {
    let mut held = Held::new(None, 2).unwrap();
    for first in [1, 301] {
        held.push(part(first, first + 300)).unwrap();
    }
    let batches = held.finish().unwrap();
    assert_eq!(batches.iter().map(Batch::rows).collect::<Vec<_>>(), [300, 300]);
    assert_eq!(batches[1].numbers, RowNumbers::From(301));
}

#[test]
fn what_is_cut_later_is_what_a_smaller_limit_would_have_held() {
    let of = |widths: &[usize]| {
        let mut batches = vec![part(1, ROWS + 1)];
        for &width in widths {
            let mut held = Held::new(Some(limit(1)), width).unwrap();
            batches.into_iter().for_each(|batch| held.push(batch).unwrap());
            batches = held.finish().unwrap();
        }
        batches[0].numbers.clone()
    };
    assert_eq!(of(&[2, 4]), of(&[4]));
    assert_ne!(of(&[2]), of(&[4]));
}
