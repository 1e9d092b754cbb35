//! Fewer rows for the same distribution: equal rows merged, weighted samples of a fixed size.
//!
//! Merging is exact. A sample stands for all rows with the weights it gives them; which rows it has
//! follows from the seed and what the rows hold, in whatever order and parts they come. Differs from
//! the paper: it has neither.

mod copies;
mod distinct_sample;
mod frequent_rows;
mod merge;
mod priority;
mod row_key;
mod training_rows;

pub(crate) use copies::Copies;
pub use distinct_sample::{DistinctSample, RowCopies, SampledTable};
pub use merge::{Merged, merge_equal_rows};
pub use priority::{Subset, subset};
pub(crate) use priority::{row_keys, subset_by_keys};
pub(crate) use row_key::key_of_numbers;
pub(crate) use training_rows::most_training_rows;

use crate::gram::bytes_to_hold;

/// The largest number of rows whose kernel matrix, about 2n² bytes, can be held in a budget.
pub fn rows_within_memory(budget_bytes: usize) -> usize {
    let fits = |rows: usize| bytes_to_hold(rows) <= budget_bytes as u128;
    // More than 2n² bytes are needed, so √budget rows are too many; halve the interval.
    let (mut low, mut high) = (0, budget_bytes.isqrt() + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if fits(middle) { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::Gram;
    use crate::kernel::{Kernel, KernelKind};
    use crate::points::Points;

    #[test]
    fn the_rows_within_a_budget_are_the_most_that_fit() {
        let kernel = Kernel::new(&KernelKind::Product, 1, 1.0).unwrap();
        let held = |n: usize, budget: usize| {
            let rows: Vec<f64> = (0..n).map(|i| i as f64).collect();
            Gram::new(&kernel, Points::new(&rows, 1).unwrap(), budget).unwrap().held()
        };
        for budget in [5_000, 100_000, 1_000_000, 8_000_000] {
            let rows = rows_within_memory(budget);
            assert_eq!(held(rows, budget), 1.0, "{budget}: {rows}");
            assert!(held(rows + 1, budget) < 1.0, "{budget}: {rows}");
        }
        assert_eq!(rows_within_memory(0), 0);
        assert!(rows_within_memory(usize::MAX) > 1 << 30);
    }
}
