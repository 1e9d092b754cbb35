//! Fewer points where more would not be seen.

/// `wanted` indices out of `total`, evenly spread from the first to the last; all if that is fewer.
pub(crate) fn evenly(total: usize, wanted: usize) -> Vec<usize> {
    if total <= wanted {
        return (0..total).collect();
    }
    match wanted {
        0 => Vec::new(),
        1 => vec![0],
        // In 128 bits, where no product of two lengths overflows.
        _ => (0..wanted)
            .map(|k| (k as u128 * (total as u128 - 1) / (wanted as u128 - 1)) as usize)
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_kept_and_no_index_comes_twice() {
        for total in [0, 1, 2, 7, 100, 1001] {
            for wanted in [0, 1, 2, 3, 50, 2000] {
                let indices = evenly(total, wanted);
                assert_eq!(indices.len(), total.min(wanted));
                assert!(indices.windows(2).all(|pair| pair[0] < pair[1]));
                assert!(indices.iter().all(|&index| index < total));
                if wanted > 1 && total > 0 {
                    assert_eq!((indices[0], indices[indices.len() - 1]), (0, total - 1));
                }
            }
        }
    }
}
