//! The rows of a table that are held while it is read: all of a short one, a sample of a long one.
//!
//! The sample is uniform and without replacement, see [`RowSample`]: which rows it holds follows from
//! the seed and their numbers, not from how they come in batches. Rows that better ones replace are
//! let go when they are as many as those kept, so at most twice the limit is held, and once more the
//! limit while they are let go. Rows stay in the order of the file.

use sosrep::large::RowSample;
use sosrep_table::Batch;

use super::RowLimit;
use crate::failure::Result;

/// Rows of the pieces in which a sample is held, unless a piece as read has more.
const PIECE_ROWS: usize = 8192;

/// Rows held.
pub(super) struct Held {
    batches: Vec<Batch>,
    /// Rows in the batches.
    rows: usize,
    sample: Option<Sample>,
}

/// Which of them are kept.
struct Sample {
    limit: usize,
    kept: RowSample,
}

impl Sample {
    fn new(limit: usize, seed: u64) -> Result<Self> {
        Ok(Self { limit, kept: RowSample::new(limit, seed)? })
    }
}

impl Held {
    /// Nothing yet; at most the rows that the limit has for this width, or all of them.
    pub(super) fn new(limit: Option<RowLimit>, width: usize) -> Result<Self> {
        let sample = limit.map(|limit| Sample::new(limit.rows(width), limit.seed)).transpose()?;
        Ok(Self { batches: Vec::new(), rows: 0, sample })
    }

    /// Offers the rows of the next batch.
    pub(super) fn push(&mut self, batch: Batch) -> Result<()> {
        let batch = match &mut self.sample {
            Some(sample) => {
                let chosen: Vec<usize> =
                    (0..batch.rows()).filter(|&row| sample.kept.offer(batch.number(row))).collect();
                some_of(batch, &chosen)?
            }
            None => batch,
        };
        if batch.rows() > 0 {
            self.rows += batch.rows();
            self.batches.push(batch);
        }
        match &self.sample {
            Some(sample) if self.rows > 2 * sample.limit => self.let_go(),
            _ => Ok(()),
        }
    }

    /// The rows kept of all that were offered.
    pub(super) fn finish(mut self) -> Result<Vec<Batch>> {
        self.let_go()?;
        Ok(self.batches)
    }

    /// Lets rows go that are no longer in the sample.
    fn let_go(&mut self) -> Result<()> {
        let Some(sample) = self.sample.as_ref().filter(|sample| !sample.kept.is_whole()) else {
            return Ok(());
        };
        let (mut pieces, mut small) = (Vec::new(), Vec::new());
        for batch in std::mem::take(&mut self.batches) {
            let kept: Vec<usize> =
                (0..batch.rows()).filter(|&row| sample.kept.keeps(batch.number(row))).collect();
            small.push(some_of(batch, &kept)?);
            if small.iter().map(Batch::rows).sum::<usize>() >= PIECE_ROWS {
                pieces.extend(Batch::concat(&std::mem::take(&mut small))?);
            }
        }
        pieces.extend(Batch::concat(&small)?);
        self.rows = pieces.iter().map(Batch::rows).sum();
        self.batches = pieces;
        Ok(())
    }
}

/// Some rows of a batch; the batch itself where they are all of it.
fn some_of(batch: Batch, rows: &[usize]) -> Result<Batch> {
    if rows.len() == batch.rows() { Ok(batch) } else { Ok(batch.take(rows)?) }
}

#[cfg(test)]
mod tests;
