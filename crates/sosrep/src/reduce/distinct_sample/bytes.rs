//! A sample as bytes, to be sent from one process to another, and back.
//!
//! ```text
//! "sosrep sample 1\n", then its fields in the format of postcard
//! ```
//!
//! Bytes may come from anywhere: lengths, order, keys and sums are checked, so that what is read is a
//! sample that some rows could have given. They are no archive: both processes have the same version.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::DistinctSample;
use crate::error::{Error, Result};
use crate::reduce::copies::Copies;
use crate::reduce::frequent_rows::FrequentRows;
use crate::reduce::row_key::row_key;

const BEGINNING: &[u8] = b"sosrep sample 1\n";

#[derive(Serialize, Deserialize)]
struct Stored {
    size: u64,
    seed: u64,
    limit: u64,
    total: Copies,
    /// By key.
    held: Vec<(Box<[u8]>, Copies)>,
    left_out: bool,
    wanted: BTreeMap<Box<[u8]>, Copies>,
    frequent: Option<FrequentRows>,
}

impl DistinctSample {
    /// The sample as bytes, the same for equal samples.
    pub fn to_bytes(&self) -> Vec<u8> {
        let held = self.held.iter().map(|((_, content), copies)| (content.clone(), copies.clone()));
        let stored = Stored {
            size: self.size as u64,
            seed: self.seed,
            limit: self.limit,
            total: self.total.clone(),
            held: held.collect(),
            left_out: self.left_out,
            wanted: self.wanted.clone(),
            frequent: self.frequent.as_ref().map(FrequentRows::sent),
        };
        // Only maps of unknown length and the like are no bytes.
        let bytes = postcard::to_allocvec(&stored).unwrap_or_default();
        [BEGINNING, &bytes].concat()
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote, from any source.
    ///
    /// # Errors
    /// [`Error::BadSample`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let unreadable = || Error::BadSample("it is damaged, or of another version of sosrep");
        let fields = bytes.strip_prefix(BEGINNING).ok_or_else(unreadable)?;
        let (stored, rest) =
            postcard::take_from_bytes::<Stored>(fields).map_err(|_| unreadable())?;
        if !rest.is_empty() || !stored.is_valid() {
            return Err(unreadable());
        }
        let Stored { seed, limit, total, left_out, wanted, frequent, .. } = stored;
        let keyed =
            |(content, copies): (Box<[u8]>, Copies)| ((row_key(seed, &content), content), copies);
        Ok(Self {
            size: usize::try_from(stored.size).unwrap_or(usize::MAX),
            seed,
            limit,
            total,
            held: stored.held.into_iter().map(keyed).collect(),
            left_out,
            wanted,
            frequent,
        })
    }
}

impl Stored {
    fn is_valid(&self) -> bool {
        let keys = self.held.iter().map(|(content, _)| (row_key(self.seed, content), content));
        let in_order = keys.clone().is_sorted_by(|a, b| a < b);
        let below = keys.clone().all(|(key, _)| key <= self.limit);
        let copies = self.held.iter().map(|(_, copies)| copies);
        let counted = copies.clone().all(Copies::is_valid)
            && self.wanted.values().all(|copies| copies.rows() == 0 || copies.is_valid());
        let kept = copies.chain(self.wanted.values()).map(|copies| u128::from(copies.rows()));
        let total = u128::from(self.total.rows());
        in_order
            && below
            && counted
            && self.held.len() as u64 <= self.size
            && kept.sum::<u128>() <= total
            && (total == 0 || self.total.is_valid())
            && self.frequent.as_ref().is_none_or(FrequentRows::is_valid)
    }
}
