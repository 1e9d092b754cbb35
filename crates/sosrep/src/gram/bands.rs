//! The memory of a kernel matrix: its bands one after another.
//!
//! The memory of a matrix that is no longer needed is reused for the next: the page faults of fresh
//! memory take as long as filling it, half of the time of a build in few columns. Requesting huge
//! pages halves that where they are available, and doubles it where they are not.
//!
//! Differs from the paper: none.

use crate::error::Result;
use crate::lanes::LANES;
use crate::memory::expect_room;

/// The kernel values of a row with the points of a panel, as they are stored.
pub(super) type Group = [f32; LANES];

/// Kernel values, band after band and row after row: a product reads four rows at a time, which
/// the hardware prefetches better than one run of the same numbers. Bands past those that are held
/// are computed anew.
#[derive(Debug, Default)]
pub(crate) struct Bands {
    memory: Vec<Group>,
    /// Where each band that is held ends.
    ends: Vec<usize>,
}

impl Bands {
    /// Room for bands of these lengths, whatever was there before.
    pub(super) fn set_lengths(&mut self, lengths: impl Iterator<Item = usize>) -> Result<()> {
        self.ends.clear();
        self.ends.extend(lengths.scan(0, |end, length| {
            *end += length;
            Some(*end)
        }));
        let length = self.ends.last().copied().unwrap_or(0);
        if self.memory.len() < length {
            // Freed before the larger one is allocated, whose zeroed pages come from the system.
            self.memory = Vec::new();
            expect_room::<Group>("a kernel matrix", length)?;
            self.memory = vec![[0.0; LANES]; length];
        }
        Ok(())
    }

    /// A band, if it is held.
    pub(super) fn band(&self, band: usize) -> Option<&[Group]> {
        let end = *self.ends.get(band)?;
        let start = if band == 0 { 0 } else { self.ends[band - 1] };
        Some(&self.memory[start..end])
    }

    /// All bands that are held, to be filled.
    pub(super) fn each_mut(&mut self) -> Vec<&mut [Group]> {
        let mut rest = &mut self.memory[..];
        let mut start = 0;
        let mut bands = Vec::with_capacity(self.ends.len());
        for &end in &self.ends {
            let (band, after) = rest.split_at_mut(end - start);
            bands.push(band);
            (rest, start) = (after, end);
        }
        bands
    }

    /// Number of bands held.
    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    /// Number of groups held.
    pub(super) fn length(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_do_not_overlap_and_memory_is_kept_where_it_suffices() {
        let mut bands = Bands::default();
        for lengths in [vec![3, 0, 5], vec![], vec![2, 2], vec![9, 7], vec![1]] {
            bands.set_lengths(lengths.iter().copied()).unwrap();
            for (i, band) in bands.each_mut().into_iter().enumerate() {
                band.fill([i as f32; LANES]);
            }
            for (i, length) in lengths.iter().enumerate() {
                assert_eq!(bands.band(i).unwrap(), vec![[i as f32; LANES]; *length]);
            }
            assert_eq!(bands.band(lengths.len()), None);
            assert_eq!(bands.length(), lengths.iter().sum::<usize>());
        }
        assert_eq!(bands.memory.len(), 16, "kept from before");
    }
}
