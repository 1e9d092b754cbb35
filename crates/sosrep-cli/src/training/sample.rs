//! The rows of a table that are kept while it is read: all of a short one, a uniform sample of a
//! long one.
//!
//! Which rows a sample keeps follows from the seed and their places among the usable rows, not from
//! how they come in batches, see [`RowSample`]. Rows that others replace are evicted when they are as
//! many as those kept: at most twice the size of the sample is held, and once more while they are
//! evicted. Rows stay in the order of the file.

use sosrep::reduce::RowSample;
use sosrep_table::Batch;

use crate::failure::Result;

/// Rows of the batches in which a sample is kept, unless a batch as read has more.
const BATCH_ROWS: usize = 8192;

/// Rows kept.
pub(super) struct BatchSample {
    parts: Vec<Part>,
    /// Rows in the parts.
    rows: usize,
    /// Rows offered so far.
    offered: u64,
    sample: RowSample,
}

/// Some rows, and their places among all rows that were offered.
struct Part {
    batch: Batch,
    places: Vec<u64>,
}

impl BatchSample {
    /// Nothing yet.
    pub(super) fn new(sample: RowSample) -> Self {
        Self { parts: Vec::new(), rows: 0, offered: 0, sample }
    }

    /// Offers the rows of the next batch.
    pub(super) fn push(&mut self, batch: Batch) -> Result<()> {
        let first = self.offered;
        self.offered += batch.rows() as u64;
        (first..self.offered).for_each(|place| {
            self.sample.offer(place);
        });
        let places = (first..self.offered).collect();
        self.add(Part { batch, places }.kept_by(&self.sample)?);
        if self.rows > 2 * self.sample.size() { self.evict() } else { Ok(()) }
    }

    /// Keeps only the rows that a smaller sample would have kept.
    pub(super) fn shrink(&mut self, mut smaller: RowSample) -> Result<()> {
        self.parts.iter().flat_map(|part| &part.places).for_each(|&place| {
            smaller.offer(place);
        });
        self.sample = smaller;
        self.evict()
    }

    /// The rows kept of all that were offered.
    pub(super) fn batches(&mut self) -> Result<Vec<Batch>> {
        self.evict()?;
        Ok(self.parts.iter().map(|part| part.batch.clone()).collect())
    }

    fn add(&mut self, part: Part) {
        if !part.places.is_empty() {
            self.rows += part.places.len();
            self.parts.push(part);
        }
    }

    /// Evicts the rows that are no longer in the sample.
    fn evict(&mut self) -> Result<()> {
        if self.sample.is_whole() {
            return Ok(());
        }
        let mut small = Vec::new();
        self.rows = 0;
        for part in std::mem::take(&mut self.parts) {
            small.push(part.kept_by(&self.sample)?);
            if small.iter().map(|part| part.places.len()).sum::<usize>() >= BATCH_ROWS {
                self.add_joined(std::mem::take(&mut small))?;
            }
        }
        self.add_joined(small)
    }

    fn add_joined(&mut self, parts: Vec<Part>) -> Result<()> {
        let places = parts.iter().flat_map(|part| part.places.iter().copied()).collect();
        let batches: Vec<Batch> = parts.into_iter().map(|part| part.batch).collect();
        if let Some(batch) = Batch::concat(&batches)? {
            self.add(Part { batch, places });
        }
        Ok(())
    }
}

impl Part {
    /// The rows that are in the sample.
    fn kept_by(self, sample: &RowSample) -> Result<Self> {
        let kept: Vec<usize> =
            (0..self.places.len()).filter(|&row| sample.keeps(self.places[row])).collect();
        if kept.len() == self.places.len() {
            return Ok(self);
        }
        Ok(Self {
            batch: self.batch.take(&kept)?,
            places: kept.iter().map(|&row| self.places[row]).collect(),
        })
    }
}

#[cfg(test)]
mod tests;
