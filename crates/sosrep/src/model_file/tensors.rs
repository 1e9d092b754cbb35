//! The container: named arrays of `f64` and one JSON entry, in the safetensors layout.
//!
//! ```text
//! 8 bytes        length of the table of contents, little endian
//! JSON           {"__metadata__": {"sosrep": "…"}, "alpha": {"dtype": "F64", "shape": …}, …}
//! numbers        one array after another, little endian, without gaps
//! ```
//!
//! Numerics: every array is finite, or reading fails. The table of contents is checked against the
//! length of the file before anything is read, so memory stays within a small multiple of that
//! length.
//!
//! Differs from the safetensors crate: reading does not go through its `deserialize`, whose sum of
//! a hostile offset and the length of the header may overflow.

use std::borrow::Cow;
use std::collections::HashMap;

use safetensors::tensor::{Metadata, TensorInfo};
use safetensors::{Dtype, View, serialize};

use super::bad;
use crate::error::Result;

/// Name of the JSON entry.
const ENTRY: &str = "sosrep";
/// Longest table of contents, the limit of the safetensors crate.
const LONGEST_CONTENTS: usize = 100_000_000;
/// Bytes of a number.
const SIZE: usize = size_of::<f64>();

/// Arrays to be written.
#[derive(Default)]
pub(super) struct Writer<'a> {
    arrays: Vec<(&'static str, Array<'a>)>,
}

struct Array<'a> {
    shape: Vec<usize>,
    values: &'a [f64],
}

impl View for Array<'_> {
    fn dtype(&self) -> Dtype {
        Dtype::F64
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Owned(self.values.iter().flat_map(|value| value.to_le_bytes()).collect())
    }

    fn data_len(&self) -> usize {
        self.values.len() * SIZE
    }
}

impl<'a> Writer<'a> {
    /// Adds the array `name`.
    pub(super) fn push(&mut self, name: &'static str, values: &'a [f64], shape: &[usize]) {
        self.arrays.push((name, Array { shape: shape.to_vec(), values }));
    }

    /// The file: the same bytes for the same arrays and entry.
    ///
    /// # Errors
    /// [`Error::BadModel`](crate::Error::BadModel) for an entry of more than 100 MB.
    pub(super) fn finish(self, entry: String) -> Result<Vec<u8>> {
        // One entry only: the order of a hash map is not reproducible.
        serialize(self.arrays, Some(HashMap::from([(ENTRY.to_string(), entry)]))).map_err(bad)
    }
}

/// The contents of a file.
pub(super) struct Tensors<'a> {
    contents: Metadata,
    data: &'a [u8],
}

impl<'a> Tensors<'a> {
    /// Checks that the table of contents describes the rest of the file.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self> {
        let Some((length, rest)) = bytes.split_first_chunk() else {
            return Err(bad("it has fewer than 8 bytes"));
        };
        let longest = rest.len().min(LONGEST_CONTENTS);
        let length = usize::try_from(u64::from_le_bytes(*length)).ok().filter(|l| *l <= longest);
        let Some((contents, data)) = length.map(|length| rest.split_at(length)) else {
            return Err(bad("its table of contents is cut off, or it is no safetensors file"));
        };
        let contents: Metadata = serde_json::from_slice(contents)
            .map_err(|error| bad(format!("its table of contents: {error}")))?;
        let (expected, found) = (contents.data_len(), data.len());
        if expected == found {
            Ok(Self { contents, data })
        } else {
            Err(bad(format!("its arrays should have {expected} bytes and have {found}")))
        }
    }

    /// The JSON entry.
    pub(super) fn entry(&self) -> Result<&str> {
        let entries = self.contents.metadata().as_ref();
        let entry = entries.and_then(|entries| entries.get(ENTRY));
        entry.map(String::as_str).ok_or_else(|| bad("its metadata has no entry \"sosrep\""))
    }

    /// Whether there is an array `name`.
    pub(super) fn has(&self, name: &str) -> bool {
        self.contents.info(name).is_some()
    }

    fn info(&self, name: &str) -> Result<&TensorInfo> {
        self.contents.info(name).ok_or_else(|| bad(format!("array {name} is missing")))
    }

    /// The shape of array `name`, which must have `N` axes.
    pub(super) fn shape<const N: usize>(&self, name: &str) -> Result<[usize; N]> {
        let shape = &self.info(name)?.shape;
        let axes = || bad(format!("array {name} has {} axes, expected {N}", shape.len()));
        shape.as_slice().try_into().map_err(|_| axes())
    }

    /// The values of array `name`, which must have this shape and be finite.
    pub(super) fn read(&self, name: &str, shape: &[usize]) -> Result<Vec<f64>> {
        let info = self.info(name)?;
        if info.dtype != Dtype::F64 {
            return Err(bad(format!("array {name} is of type {}, expected F64", info.dtype)));
        }
        if info.shape != shape {
            let found = &info.shape;
            return Err(bad(format!("array {name} has shape {found:?}, expected {shape:?}")));
        }
        let (start, end) = info.data_offsets;
        let data =
            self.data.get(start..end).ok_or_else(|| bad(format!("array {name} is cut off")))?;
        let values: Vec<f64> =
            data.as_chunks::<SIZE>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
        match values.iter().position(|value| !value.is_finite()) {
            None => Ok(values),
            Some(at) => Err(bad(format!("value {at} of array {name} is {}", values[at]))),
        }
    }
}
