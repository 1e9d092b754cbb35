//! How many distinct rows of a table a fit is based on, by their width and the memory allowed.
//!
//! ```text
//! most = max(min(200 000, memory / (5 · 8 · columns)), rows whose kernel matrix fits in memory)
//! ```
//!
//! A table of more distinct rows is represented by a sample of that many. A density is fitted to at
//! most the rows whose kernel matrix fits, 23 170 in 1 GiB; the other rows of the sample serve the
//! preparation, the merging of equal rows and the calibration. 200 000 scores give a p-value of 0.001
//! to 7 % (√(1 / (0.001 · 200 000))), take 1.6 MB a column, and are computed in seconds.

use super::rows_within_memory;

/// Most rows, unless the kernel matrix of more fits in memory.
const MOST_ROWS: usize = 200_000;
/// Copies of the rows that are held at once, at most: as read and as numbers; or as numbers,
/// prepared, merged and prepared again for their scores; and one for what is held in between.
const COPIES: usize = 5;

/// Most rows of this many columns that a fit within `memory` bytes is based on.
pub(crate) fn most_training_rows(memory: usize, columns: usize) -> usize {
    let bytes = columns.max(1).saturating_mul(COPIES * size_of::<f64>());
    MOST_ROWS.min(memory / bytes).max(rows_within_memory(memory)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: usize = 1 << 30;

    #[test]
    fn rows_fit_in_memory_and_are_never_fewer_than_those_of_the_kernel_matrix() {
        assert_eq!(most_training_rows(GIB, 20), MOST_ROWS);
        assert_eq!(most_training_rows(GIB, 1000), GIB / (1000 * 40));
        assert_eq!(most_training_rows(2 * GIB, 10_000), rows_within_memory(2 * GIB));
        assert_eq!(most_training_rows(200 * GIB, 20), rows_within_memory(200 * GIB));
        assert_eq!(most_training_rows(0, 0), 1);
    }
}
