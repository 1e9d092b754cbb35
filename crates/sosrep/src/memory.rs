//! Room for what a caller chose the size of: an error where there is none, not the end of the process.
//!
//! The system is asked first, since `vec!` would abort. What it grants and cannot give when it is written to,
//! as Linux may, is beyond this. Differs from the paper: none.

use crate::error::{Error, Result};

/// An error unless there is room for `length` values.
pub(crate) fn expect_room<T>(what: &'static str, length: usize) -> Result<()> {
    room::<T>(what, length).map(drop)
}

/// No values yet, with room for `length`.
pub(crate) fn room<T>(what: &'static str, length: usize) -> Result<Vec<T>> {
    let mut values = Vec::new();
    let bytes = || length as u128 * size_of::<T>() as u128;
    let refused = |_| Error::OutOfMemory { what, bytes: bytes() };
    values.try_reserve_exact(length).map_err(refused)?;
    Ok(values)
}

/// `length` zeros.
pub(crate) fn zeros(what: &'static str, length: usize) -> Result<Vec<f64>> {
    expect_room::<f64>(what, length)?;
    // The zeroed pages of the system are not written to again.
    Ok(vec![0.0; length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_that_there_is_not_is_an_error_with_its_size() {
        assert_eq!(zeros("numbers", 3), Ok(vec![0.0; 3]));
        for length in [usize::MAX / 8 + 1, usize::MAX / 16] {
            let refused = room::<f64>("numbers", length).unwrap_err();
            assert_eq!(refused, Error::OutOfMemory { what: "numbers", bytes: 8 * length as u128 });
        }
    }
}
