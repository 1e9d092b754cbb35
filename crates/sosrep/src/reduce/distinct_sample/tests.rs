use rand::RngExt;
use rand::seq::SliceRandom;

use super::*;
use crate::random::generator;

/// Rows of one number: some hundred distinct ones, of which a few occur often.
fn rows(count: usize, distinct: u32) -> Vec<f64> {
    let mut random = generator(11);
    (0..count).map(|_| f64::from(random.random_range(0..distinct)).powi(2)).collect()
}

/// The sample of rows that come in these parts, by as many passes as it takes.
fn sampled(parts: &[&[f64]], first: usize, size: usize, seed: u64) -> DistinctSample {
    let mut sample = DistinctSample::new(first, seed);
    loop {
        let empty = sample.clone();
        for part in parts {
            let mut of_part = empty.clone();
            part.iter().for_each(|row| of_part.offer_row(&[*row], 1.0));
            sample.merge(&DistinctSample::from_bytes(&of_part.to_bytes()).unwrap()).unwrap();
        }
        match sample.next_pass(size) {
            Some(next) => sample = next,
            None => return sample,
        }
    }
}

#[test]
fn the_sample_is_the_rows_of_the_smallest_keys_with_all_their_copies() {
    let rows = rows(5000, 3000);
    let mut by_key: Vec<(u64, f64)> =
        rows.iter().map(|row| (row_key(5, &content_of(&[*row])), *row)).collect();
    by_key.sort_by_key(|(key, _)| *key);
    by_key.dedup();
    let mut expected: Vec<f64> = by_key[..40].iter().map(|(_, row)| *row).collect();
    let table = sampled(&[&rows], 40, 40, 5).table();
    let mut found = table.values(1).unwrap();
    for (row, copies) in found.iter().zip(&table.copies) {
        let count = rows.iter().filter(|other| *other == row).count();
        assert_eq!((copies.rows, copies.weight), (count as u64, count as f64));
    }
    expected.sort_by(f64::total_cmp);
    found.sort_by(f64::total_cmp);
    assert_eq!(found, expected);
    assert_eq!(table.rows, 5000);
}

#[test]
fn neither_order_nor_parts_nor_the_size_of_the_first_pass_change_a_sample() {
    let mut rows = rows(20_000, 15_000);
    // Two rows hold a tenth of all each.
    rows.extend([-1.0; 2500].iter().chain(&[-2.0; 2500]));
    let expected = sampled(&[&rows], 300, 300, 1).table();
    assert!(expected.values(1).unwrap().iter().filter(|row| **row < 0.0).count() == 2);
    let mut random = generator(3);
    for (first, part) in [(300, 17), (16, 4000), (100, 1), (64, 25_000)] {
        rows.shuffle(&mut random);
        let parts: Vec<&[f64]> = rows.chunks(part).collect();
        assert_eq!(sampled(&parts, first, 300, 1).table(), expected, "{first}, {part}");
    }
    assert_ne!(sampled(&[&rows], 300, 300, 2).table(), expected);
}

#[test]
fn ten_thousand_parts_merge_into_the_sample_of_the_whole() {
    let mut rows = rows(200_000, 1 << 20);
    (0..2000).for_each(|i| rows[i * 100] = 0.5);
    let parts: Vec<&[f64]> = rows.chunks(20).collect();
    assert_eq!(parts.len(), 10_000);
    let (merged, whole) = (sampled(&parts, 256, 2000, 1), sampled(&[&rows], 2000, 2000, 1));
    assert_eq!(merged.table(), whole.table());
    // Few rows beside those needed were sent: room for six deviations of both estimates.
    let sent = rows.iter().filter(|row| row_key(1, &content_of(&[**row])) <= merged.limit).count();
    assert!(sent < 2 * 2000 + 2000, "{sent}");
}

#[test]
fn a_row_that_holds_much_of_the_table_is_in_every_sample_and_keeps_its_share() {
    let mut rows: Vec<f64> = (0..70_000).map(f64::from).collect();
    rows.extend([-1.0; 30_000]);
    for seed in 0..20 {
        let table = sampled(&[&rows], 500, 500, seed).table();
        let values = table.values(1).unwrap();
        let heavy = values.iter().position(|row| *row == -1.0).unwrap();
        let all: u64 = table.copies.iter().map(|copies| copies.rows).sum();
        assert_eq!(values.len(), 500);
        assert!((table.copies[heavy].rows as f64 / all as f64 - 0.3).abs() < 0.001);
    }
}

#[test]
fn a_weight_of_k_is_k_copies() {
    let rows = rows(4000, 3000);
    let mut copied = DistinctSample::new(200, 1);
    let mut weighted = copied.clone();
    for (i, row) in rows.iter().enumerate() {
        (0..i % 4).for_each(|_| copied.offer_row(&[*row], 1.0));
        weighted.offer_row(&[*row], (i % 4) as f64);
    }
    let (copied, weighted) = (copied.table(), weighted.table());
    assert_eq!(copied.contents, weighted.contents);
    for (copied, weighted) in copied.copies.iter().zip(&weighted.copies) {
        assert_eq!(copied.weight, weighted.weight);
    }
}

#[test]
fn a_small_table_is_there_whole() {
    let rows = rows(5000, 200);
    let sample = sampled(&[&rows[..2500], &rows[2500..]], 200, 200, 1);
    let table = sample.table();
    assert_eq!(table.copies.iter().map(|copies| copies.rows).sum::<u64>(), 5000);
    assert!(!sample.left_out && sample.next_pass(1000).is_none());
    assert!(table.contents.is_sorted());
    assert_eq!(DistinctSample::new(3, 1).table().contents.len(), 0);
}

#[test]
fn estimates_of_totals_have_no_bias_over_seeds() {
    let rows = rows(3000, 2000);
    let truth = rows.iter().filter(|row| **row < 1e6).count() as f64 / 3000.0;
    let seeds = 2000;
    let estimate = |seed| {
        let table = sampled(&[&rows], 100, 100, seed).table();
        let values = table.values(1).unwrap();
        let all: u64 = table.copies.iter().map(|copies| copies.rows).sum();
        let below = values.iter().zip(&table.copies).filter(|(row, _)| **row < 1e6);
        below.map(|(_, copies)| copies.rows).sum::<u64>() as f64 / all as f64
    };
    let estimates: Vec<f64> = (0..seeds).map(estimate).collect();
    let mean = estimates.iter().sum::<f64>() / seeds as f64;
    let variance = estimates.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / seeds as f64;
    // Four standard errors, and the bias of a ratio, of the order of the variance.
    let error = (variance / seeds as f64).sqrt();
    assert!((mean - truth).abs() < 4.0 * error + variance, "{mean}, {truth}, {error}");
}

#[test]
fn bytes_that_no_sample_gives_are_refused() {
    let rows = rows(600, 300);
    let sample = sampled(&[&rows], 50, 50, 3);
    let bytes = sample.to_bytes();
    assert_eq!(DistinctSample::from_bytes(&bytes).unwrap(), sample);
    for length in 0..bytes.len() {
        assert!(DistinctSample::from_bytes(&bytes[..length]).is_err(), "{length}");
    }
    assert!(DistinctSample::from_bytes(&[&bytes[..], &[0]].concat()).is_err());
    // Whatever is read does not panic later.
    for place in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[place] ^= 1 << bit;
            if let Ok(mut read) = DistinctSample::from_bytes(&changed) {
                let _ = read.clone().merge(&sample);
                read.offer_row(&[1.0], 1.0);
                let _ = (read.table(), read.next_pass(70));
            }
        }
    }
    let other = sampled(&[&rows], 51, 51, 3);
    assert!(matches!(sample.clone().merge(&other), Err(Error::BadSample(_))));
}
