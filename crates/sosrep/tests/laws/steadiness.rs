//! A table without one of its rows has the same model, nearly: few labels and few scores change.
//!
//! A row has a part in f where it is among the densest, and that a row is the last of these or not
//! may depend on any other row. So a row that leaves or joins the core moves the scores around it, in
//! places that are thin by more than a little, and there are few such rows. What may not happen is
//! that the core changes as a whole.

use rand::RngExt;
use rand_distr::{ChiSquared, Distribution, StandardNormal};
use sosrep::detector::Assessment;
use sosrep::{DetectorParams, Points};

use crate::common::{normal, rng, uniform};

/// More rows than the rough densities and the links between groups are computed from.
const ROWS: usize = 4000;
/// Rows left out, one after another.
const DROPPED: usize = 8;
/// The rows nearest to one that is left out, whose scores may change.
const NEIGHBOURHOOD: usize = ROWS / 100;

/// Clusters of unequal sizes, with tails of Student's t with three degrees of freedom.
fn heavy_clusters(d: usize) -> Vec<f64> {
    let mut random = rng(7);
    let centres: Vec<f64> = normal(6, d, 8).iter().map(|x| 4.0 * x).collect();
    let squares = ChiSquared::<f64>::new(3.0).unwrap();
    let mut rows = Vec::with_capacity(ROWS * d);
    for _ in 0..ROWS {
        let cluster = (6.0 * random.random::<f64>().powi(2)) as usize;
        let scale = (3.0 / squares.sample(&mut random)).sqrt();
        for centre in &centres[cluster * d..][..d] {
            let z: f64 = StandardNormal.sample(&mut random);
            rows.push(centre + scale * z);
        }
    }
    rows
}

fn assessment(rows: &[f64], d: usize) -> Assessment {
    let detector = DetectorParams::new().fit(Points::new(rows, d).unwrap(), None).unwrap();
    detector.training().unwrap().clone()
}

/// All rows but `row`, from the farthest from it to the nearest.
fn by_distance(rows: &[f64], d: usize, row: usize) -> Vec<usize> {
    let distance = |i: &usize| -> f64 {
        let pairs = rows[i * d..][..d].iter().zip(&rows[row * d..][..d]);
        pairs.map(|(a, b)| (a - b).abs()).sum()
    };
    let mut others: Vec<usize> = (0..ROWS).filter(|i| *i != row).collect();
    others.sort_by(|i, j| distance(j).total_cmp(&distance(i)));
    others
}

#[test]
fn without_one_row_few_labels_and_few_scores_change() {
    let tables = [
        ("normal", normal(ROWS, 6, 1), 6),
        ("normal", normal(ROWS, 20, 2), 20),
        ("clusters", heavy_clusters(6), 6),
        ("clusters", heavy_clusters(20), 20),
        ("uniform", uniform(ROWS, 2, 3), 2),
    ];
    for (name, rows, d) in tables {
        let whole = assessment(&rows, d);
        for drop in 0..DROPPED {
            let row = (drop * 1237 + 311) % ROWS;
            let mut fewer = rows.clone();
            fewer.drain(row * d..(row + 1) * d);
            let found = assessment(&fewer, d);
            let place = |i: usize| i - usize::from(i > row);
            let others = by_distance(&rows, d, row);
            let changed = |i: &&usize| whole.is_anomaly[**i] != found.is_anomaly[place(**i)];
            let labels = others.iter().filter(changed).count();
            // One in four hundred, of which many are flagged; a core that changed as a whole would
            // change several times as many.
            assert!(labels <= ROWS / 400, "{name}, {d} columns, row {row}: {labels} labels");

            let far = &others[..others.len() - NEIGHBOURHOOD];
            let change = |i: &usize| (whole.scores[*i] - found.scores[place(*i)]).abs();
            let mut changes: Vec<f64> = far.iter().map(change).collect();
            changes.sort_by(f64::total_cmp);
            let (most, largest) = (changes[far.len() * 99 / 100], changes[far.len() - 1]);
            // Scores are logarithms: 99 of 100 densities move by less than a factor of e, which one of the
            // thousand rows that f is fitted to may do in its part of 20 columns; none by more than e⁴.
            assert!(most <= 1.0, "{name}, {d} columns, row {row}: {most}");
            assert!(largest <= 4.0, "{name}, {d} columns, row {row}: {largest}");
        }
    }
}
