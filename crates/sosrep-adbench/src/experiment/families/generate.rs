//! Normal rows of a random Gaussian mixture, and anomalies of four kinds.
//!
//! Han et al. 2022 (ADBench), Section 3.3 "Types of anomalies":
//!
//! ```text
//! normal      x ~ Σ_k π_k N(μ_k, Σ_k),   Σ_k = D_k [(1 − u) L_k L_kᵀ + u I] D_k
//! local       Σ_k times 5
//! global      every column uniform between 1.1 times the least and 1.1 times the largest normal value
//! clustered   μ_k times 5
//! dependency  every column on its own, from its marginal Σ_k π_k N(μ_kj, Σ_kjj)
//! ```
//!
//! Three components. L_k (d × q, q = ⌈√d⌉) has random directions as its rows, so that D_k holds the
//! standard deviations: uniform between ½ and 1½. u = 0.2 is the share of a column's variance that
//! no other column has. μ_k is normal with deviation 1.5 in every column, around 0, so that the ends
//! of a column lie on both sides of 0 and 1.1 widens it. π_k is between a sixth and a half, about.
//!
//! A mixture is told by seed and number of columns; so are the normal rows, of which fewer are the
//! first of more. The kind of the anomalies and their number move nothing else.
//!
//! Cost: n d q. Differs from ADBench: it takes mixtures that were fitted to its data sets, and for
//! dependency vine copulas with kernel density estimates as marginals; here the mixture is drawn, and
//! the same for all kinds, so that they can be compared.

use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};

use super::Kind;
use crate::experiment::random;
use crate::protocol::Made;

const COMPONENTS: usize = 3;
/// Deviation of the centres in every column.
const SPREAD: f64 = 1.5;
/// u.
const OWN_SHARE: f64 = 0.2;
/// α of local and clustered anomalies, and of global ones.
const FACTOR: f64 = 5.0;
const WIDENING: f64 = 1.1;

/// Random steps; numbers are not given twice.
#[derive(Debug, Clone, Copy)]
enum Step {
    Mixture,
    Normal,
    Anomalies,
}

fn generator(seed: u64, columns: usize, step: Step) -> impl Rng {
    random::generator(seed, ((columns as u64) << 8) ^ step as u64)
}

/// How many rows of which kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Wanted {
    pub(super) kind: Kind,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) anomalies: usize,
    pub(super) seed: u64,
}

impl Wanted {
    /// The normal rows, then the anomalies.
    pub(super) fn make(&self) -> Made {
        let Self { kind, rows, columns, anomalies, seed } = *self;
        let mixture = Mixture::draw(columns, &mut generator(seed, columns, Step::Mixture));
        let normal = rows - anomalies;
        let mut values =
            mixture.rows(normal, Change::NONE, &mut generator(seed, columns, Step::Normal));
        let mut from = generator(seed, columns, Step::Anomalies);
        let strange = match kind {
            Kind::Local => mixture.rows(anomalies, Change::LOCAL, &mut from),
            Kind::Clustered => mixture.rows(anomalies, Change::CLUSTERED, &mut from),
            Kind::Global => global(&values, columns, anomalies, &mut from),
            Kind::Dependency => mixture.independent(anomalies, &mut from),
        };
        values.extend(strange);
        let labels = (0..rows).map(|row| row >= normal).collect();
        Made { name: kind.name().to_string(), columns, values, labels }
    }
}

/// What anomalies change about the mixture.
#[derive(Debug, Clone, Copy)]
struct Change {
    /// Factor of the covariances.
    covariance: f64,
    /// Factor of the centres.
    centre: f64,
}

impl Change {
    const NONE: Self = Self { covariance: 1.0, centre: 1.0 };
    const LOCAL: Self = Self { covariance: FACTOR, ..Self::NONE };
    const CLUSTERED: Self = Self { centre: FACTOR, ..Self::NONE };
}

/// A Gaussian mixture.
struct Mixture {
    components: Vec<Component>,
}

struct Component {
    /// π_1 + … + π_k.
    weight_so_far: f64,
    /// μ_k.
    centre: Vec<f64>,
    /// The diagonal of D_k.
    deviation: Vec<f64>,
    /// L_k, row after row.
    directions: Vec<f64>,
}

impl Mixture {
    fn draw(columns: usize, from: &mut impl Rng) -> Self {
        let weights: [f64; COMPONENTS] = std::array::from_fn(|_| from.random_range(0.5..1.5));
        let total: f64 = weights.iter().sum();
        let mut weight_so_far = 0.0;
        let components = weights.map(|weight| {
            weight_so_far += weight / total;
            Component {
                weight_so_far,
                centre: (0..columns).map(|_| SPREAD * normal(from)).collect(),
                deviation: (0..columns).map(|_| from.random_range(0.5..1.5)).collect(),
                directions: (0..columns).flat_map(|_| direction(columns, from)).collect(),
            }
        });
        Self { components: components.into() }
    }

    /// Rows of the mixture, changed or not.
    fn rows(&self, count: usize, change: Change, from: &mut impl Rng) -> Vec<f64> {
        let mut values = Vec::new();
        for _ in 0..count {
            self.component(from).row(change, from, &mut values);
        }
        values
    }

    /// Rows whose columns have nothing to do with each other.
    fn independent(&self, count: usize, from: &mut impl Rng) -> Vec<f64> {
        let columns = self.components[0].centre.len();
        let mut value = |column: usize| {
            let Component { centre, deviation, .. } = self.component(from);
            centre[column] + deviation[column] * normal(from)
        };
        (0..count * columns).map(|place| value(place % columns)).collect()
    }

    fn component(&self, from: &mut impl Rng) -> &Component {
        let at: f64 = from.random();
        let found = self.components.iter().find(|component| at < component.weight_so_far);
        // The last sum may be rounded to less than 1.
        found.unwrap_or(&self.components[COMPONENTS - 1])
    }
}

impl Component {
    fn row(&self, change: Change, from: &mut impl Rng, values: &mut Vec<f64>) {
        let columns = self.centre.len();
        let factors: Vec<f64> = (0..rank(columns)).map(|_| normal(from)).collect();
        let scale = change.covariance.sqrt();
        for (j, direction) in self.directions.chunks_exact(factors.len()).enumerate() {
            let shared: f64 = direction.iter().zip(&factors).map(|(l, z)| l * z).sum();
            let unit = (1.0 - OWN_SHARE).sqrt() * shared + OWN_SHARE.sqrt() * normal(from);
            values.push(change.centre * self.centre[j] + scale * self.deviation[j] * unit);
        }
    }
}

/// q.
fn rank(columns: usize) -> usize {
    (columns as f64).sqrt().ceil() as usize
}

fn normal(from: &mut impl Rng) -> f64 {
    StandardNormal.sample(from)
}

/// A row of L.
fn direction(columns: usize, from: &mut impl Rng) -> Vec<f64> {
    let mut row: Vec<f64> = (0..rank(columns)).map(|_| normal(from)).collect();
    let length = row.iter().map(|l| l * l).sum::<f64>().sqrt();
    row.iter_mut().for_each(|l| *l /= length);
    row
}

/// Rows that are uniform over the widened ranges of the normal ones.
fn global(normal: &[f64], columns: usize, count: usize, from: &mut impl Rng) -> Vec<f64> {
    let range = |column: usize| {
        let values = normal.iter().skip(column).step_by(columns);
        let ends = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), x| {
            (least.min(*x), most.max(*x))
        });
        (WIDENING * ends.0, WIDENING * ends.1)
    };
    let ranges: Vec<(f64, f64)> = (0..columns).map(range).collect();
    let mut value = |(least, most): (f64, f64)| least + from.random::<f64>() * (most - least);
    (0..count * columns).map(|place| value(ranges[place % columns])).collect()
}

#[cfg(test)]
mod tests;
