//! A number between 0 and 2⁶⁴ for the content of a row: the same for equal rows, wherever they stand.
//!
//! ```text
//! h ← mix(h ⊕ word)    for every word of eight bytes, then for the number of bytes;    h₀ = mix(seed)
//! ```
//!
//! mix is the finaliser of SplitMix64, a bijection in which every bit of the input changes half of those of
//! the output. Whoever sorts rows by it has them in random order, the same in every process. Cost: a
//! few operations a word. Numerics: −0 is written as 0. Differs from the paper: not in it.

/// The key of a row with this content.
pub(crate) fn row_key(seed: u64, content: &[u8]) -> u64 {
    let (words, rest) = content.as_chunks::<8>();
    let start = words.iter().fold(start(seed), |key, word| next(key, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    next(next(start, u64::from_le_bytes(last)), content.len() as u64)
}

/// The key of the [content](content_of) of a row of numbers.
pub(crate) fn key_of_numbers(seed: u64, row: &[f64]) -> u64 {
    let key = row.iter().fold(start(seed), |key, value| next(key, (value + 0.0).to_bits()));
    next(next(key, 0), size_of_val(row) as u64)
}

/// The key of a row of numbers, as a number in (0, 1].
pub(super) fn uniform(seed: u64, row: &[f64]) -> f64 {
    let key = row.iter().fold(start(seed), |key, value| next(key, (value + 0.0).to_bits()));
    ((key >> 11) + 1) as f64 / (1_u64 << 53) as f64
}

/// The content of a row of numbers.
pub(super) fn content_of(row: &[f64]) -> Vec<u8> {
    row.iter().flat_map(|value| (value + 0.0).to_le_bytes()).collect()
}

/// The numbers with this content; `None` unless they are so many, and finite.
pub(super) fn numbers_of(content: &[u8], columns: usize) -> Option<impl Iterator<Item = f64>> {
    let (words, rest) = content.as_chunks::<8>();
    let numbers = words.iter().map(|word| f64::from_le_bytes(*word));
    let valid = rest.is_empty() && words.len() == columns;
    (valid && numbers.clone().all(f64::is_finite)).then_some(numbers)
}

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

fn start(seed: u64) -> u64 {
    mix(seed.wrapping_add(STEP))
}

fn next(key: u64, word: u64) -> u64 {
    mix(key.wrapping_add(STEP) ^ word)
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_different_rows_are_spread_evenly_and_do_not_repeat() {
        let mut keys: Vec<u64> =
            (0..40_000).map(|i| row_key(3, &content_of(&[f64::from(i), 0.5]))).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 40_000);
        for (i, key) in keys.iter().enumerate() {
            let expected = (i as f64 + 0.5) / 40_000.0;
            // The 1e-6 point of Kolmogorov's statistic.
            assert!((*key as f64 / u64::MAX as f64 - expected).abs() < 2.7 / 200.0);
        }
    }

    #[test]
    fn content_alone_decides_and_minus_zero_is_zero() {
        assert_eq!(content_of(&[-0.0, 1.0]), content_of(&[0.0, 1.0]));
        assert_eq!(uniform(1, &[-0.0]), uniform(1, &[0.0]));
        assert_ne!(row_key(1, b"abc"), row_key(2, b"abc"));
        assert_ne!(row_key(1, b"abc"), row_key(1, b"abc\0"));
        assert_ne!(row_key(1, b""), row_key(1, &[0; 8]));
        let row = [1.5, -2.0];
        assert_eq!(key_of_numbers(7, &row), row_key(7, &content_of(&row)));
        let back: Vec<f64> = numbers_of(&content_of(&row), 2).unwrap().collect();
        assert_eq!(back, row);
        assert!(numbers_of(&[0; 9], 1).is_none() && numbers_of(&[0xff; 8], 1).is_none());
    }
}
