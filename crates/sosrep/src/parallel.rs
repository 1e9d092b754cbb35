//! The loops that run on all cores with the feature `rayon`, and on one without it.
//!
//! Every result has a place of its own, and whatever is added up is added by the caller, in order:
//! the number of threads changes no bit. The only reduction here is a logical "or".
//!
//! All are inlined: a fit with random features takes a tenth longer where they are not.

#[cfg(feature = "rayon")]
pub(crate) use threaded::{any_of, for_each_chunk, for_each_mut, map, sort_unstable_by, threads};

#[cfg(not(feature = "rayon"))]
pub(crate) use serial::{any_of, for_each_chunk, for_each_mut, map, sort_unstable_by, threads};

#[cfg(feature = "rayon")]
mod threaded {
    use std::cmp::Ordering;

    use rayon::prelude::*;

    /// `f(0), …, f(count − 1)`, in order.
    #[inline(always)]
    pub(crate) fn map<R: Send>(count: usize, f: impl Fn(usize) -> R + Sync + Send) -> Vec<R> {
        // Handing a single item to another thread takes longer than many an item.
        if count == 1 {
            return vec![f(0)];
        }
        (0..count).into_par_iter().map(f).collect()
    }

    /// Calls `f` with every item and its index.
    #[inline(always)]
    pub(crate) fn for_each_mut<T: Send>(items: &mut [T], f: impl Fn(usize, &mut T) + Sync + Send) {
        items.par_iter_mut().enumerate().for_each(|(i, item)| f(i, item));
    }

    /// Calls `f` with every part of `size` values, the last one maybe shorter, and its index.
    #[inline(always)]
    pub(crate) fn for_each_chunk<T: Send>(
        values: &mut [T],
        size: usize,
        f: impl Fn(usize, &mut [T]) + Sync + Send,
    ) {
        if values.len() <= size {
            return values.chunks_mut(size).for_each(|part| f(0, part));
        }
        values.par_chunks_mut(size).enumerate().for_each(|(i, part)| f(i, part));
    }

    /// Whether any of `f(0), …, f(count − 1)` says so, for each of the `length` entries these have.
    #[inline(always)]
    pub(crate) fn any_of(
        count: usize,
        length: usize,
        f: impl Fn(usize) -> Vec<bool> + Sync + Send,
    ) -> Vec<bool> {
        (0..count).into_par_iter().map(f).reduce(|| vec![false; length], super::or)
    }

    /// Sorts in an order in which no two items are equal, or those that are cannot be told apart.
    #[inline(always)]
    pub(crate) fn sort_unstable_by<T: Send>(
        items: &mut [T],
        order: impl Fn(&T, &T) -> Ordering + Sync,
    ) {
        items.par_sort_unstable_by(order);
    }

    /// Threads that work at once.
    #[inline(always)]
    pub(crate) fn threads() -> usize {
        rayon::current_num_threads()
    }
}

/// The same loops on one thread; the tests compare.
#[cfg(any(test, not(feature = "rayon")))]
mod serial {
    use std::cmp::Ordering;

    pub(crate) fn map<R: Send>(count: usize, f: impl Fn(usize) -> R + Sync + Send) -> Vec<R> {
        (0..count).map(f).collect()
    }

    pub(crate) fn for_each_mut<T: Send>(items: &mut [T], f: impl Fn(usize, &mut T) + Sync + Send) {
        items.iter_mut().enumerate().for_each(|(i, item)| f(i, item));
    }

    pub(crate) fn for_each_chunk<T: Send>(
        values: &mut [T],
        size: usize,
        f: impl Fn(usize, &mut [T]) + Sync + Send,
    ) {
        values.chunks_mut(size).enumerate().for_each(|(i, part)| f(i, part));
    }

    pub(crate) fn any_of(
        count: usize,
        length: usize,
        f: impl Fn(usize) -> Vec<bool> + Sync + Send,
    ) -> Vec<bool> {
        (0..count).map(f).fold(vec![false; length], super::or)
    }

    pub(crate) fn sort_unstable_by<T>(items: &mut [T], order: impl Fn(&T, &T) -> Ordering) {
        items.sort_unstable_by(order);
    }

    pub(crate) fn threads() -> usize {
        1
    }
}

fn or(some: Vec<bool>, others: Vec<bool>) -> Vec<bool> {
    some.iter().zip(&others).map(|(a, b)| a | b).collect()
}

#[cfg(all(test, feature = "rayon"))]
mod tests {
    use super::*;

    /// Runs `work` on so many threads.
    fn on<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
    }

    #[test]
    fn every_loop_gives_what_its_serial_twin_gives() {
        let number = |i: usize| (i as f64).sin();
        let flags = |i: usize| vec![i == 3, i > 5000, i % 2 == 1];
        let item = |i: usize, value: &mut f64| *value += number(i);
        let chunk = |i: usize, part: &mut [f64]| {
            let length = part.len() as f64;
            part.iter_mut().enumerate().for_each(|(j, value)| *value += number(i * 7 + j) / length);
        };
        for count in [0, 1, 7, 1000] {
            let [mut items, mut chunks] = [vec![0.5; count], vec![0.5; count]];
            serial::for_each_mut(&mut items, item);
            serial::for_each_chunk(&mut chunks, 7, chunk);
            for threads in [1, 4] {
                on(threads, || {
                    assert_eq!(map(count, number), serial::map(count, number));
                    assert_eq!(any_of(count, 3, flags), serial::any_of(count, 3, flags));
                    let [mut found_items, mut found_chunks] = [vec![0.5; count], vec![0.5; count]];
                    for_each_mut(&mut found_items, item);
                    for_each_chunk(&mut found_chunks, 7, chunk);
                    assert_eq!(found_items, items);
                    assert_eq!(found_chunks, chunks);
                    let [mut sorted, mut expected] = [items.clone(), items.clone()];
                    sort_unstable_by(&mut sorted, f64::total_cmp);
                    serial::sort_unstable_by(&mut expected, f64::total_cmp);
                    assert_eq!(sorted, expected);
                    assert_eq!(super::threads(), threads);
                });
            }
        }
        assert_eq!(serial::threads(), 1);
    }
}
