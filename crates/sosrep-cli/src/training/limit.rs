//! How many rows of a table are held to fit on, by their width and the memory allowed.
//!
//! ```text
//! limit = max(min(200 000, memory / (5 · 8 · width)), rows whose kernel matrix fits in memory)
//! ```
//!
//! A longer table is represented by a uniform sample of that many rows. A density is fitted to at
//! most the rows whose kernel matrix fits, 23 170 in 1 GiB; the others held serve the preparation,
//! the merging of equal rows and the calibration. 200 000 scores give a p-value of 0.001 to 7 %
//! (√(1 / (0.001 · 200 000))), take 1.6 MB a column, and are scored in seconds.

use sosrep::large::rows_within_memory;

/// Most rows held, unless the kernel matrix of more fits in memory.
const MOST_ROWS: usize = 200_000;
/// The rows as they are held at once, at most: as read and as numbers; or as numbers, prepared,
/// merged and prepared again for their scores; and one for what is held in between.
const COPIES: usize = 5;
/// Bytes of a number.
const NUMBER: usize = size_of::<f64>();

/// How a long table is sampled.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowLimit {
    /// Bytes allowed for the kernel matrix, and for the rows.
    pub(crate) memory: usize,
    /// Seed of the sample.
    pub(crate) seed: u64,
}

impl RowLimit {
    /// Most rows held of this many numbers each.
    pub(crate) fn rows(self, width: usize) -> usize {
        let within_memory = self.memory / bytes(1, width);
        MOST_ROWS.min(within_memory).max(rows_within_memory(self.memory)).max(1)
    }

    /// What is left for the kernel matrix beside a sample of this many rows, at least half.
    pub(crate) fn kernel_memory(self, rows: usize, width: usize) -> usize {
        self.memory.saturating_sub(bytes(rows, width)).max(self.memory / 2)
    }
}

fn bytes(rows: usize, width: usize) -> usize {
    rows.max(1).saturating_mul(width.max(1)).saturating_mul(COPIES * NUMBER)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: usize = 1 << 30;

    fn limit(memory: usize) -> RowLimit {
        RowLimit { memory, seed: 0 }
    }

    #[test]
    fn rows_held_fit_in_memory_and_are_never_fewer_than_those_of_the_kernel_matrix() {
        assert_eq!(limit(GIB).rows(20), MOST_ROWS);
        assert_eq!(limit(GIB).rows(1000), GIB / (1000 * 40));
        assert_eq!(limit(2 * GIB).rows(10_000), rows_within_memory(2 * GIB));
        assert_eq!(limit(200 * GIB).rows(20), rows_within_memory(200 * GIB));
        assert_eq!(limit(0).rows(0), 1);
    }

    #[test]
    fn the_kernel_matrix_has_what_the_rows_leave_and_at_least_half() {
        let held = 5 * 8 * 200_000 * 20;
        assert_eq!(limit(2 * GIB).kernel_memory(200_000, 20), 2 * GIB - held);
        assert_eq!(limit(2 * GIB).kernel_memory(200_000, 2000), GIB);
        assert_eq!(limit(GIB).kernel_memory(usize::MAX, usize::MAX), GIB / 2);
    }
}
