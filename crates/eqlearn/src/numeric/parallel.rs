//! A few independent pieces of work on a few threads.
//!
//! Not a thread pool: a thread that waits in an inner pool would take other work of the outer one.
//! A caller who runs many problems in a pool would then have all of them running at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{available_parallelism, scope};

/// As many threads as asked for; 0 is one per core.
pub(crate) fn threads(asked: usize) -> usize {
    match asked {
        0 => available_parallelism().map_or(1, usize::from),
        n => n,
    }
}

/// What `make` gives for `0..n`, in order, on as many threads as asked for ([`threads`]).
pub(crate) fn map<R: Send>(asked: usize, n: usize, make: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let threads = threads(asked).min(n);
    if threads <= 1 {
        return (0..n).map(make).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&place| place < n);
        let mut made = Vec::new();
        while let Some(place) = take() {
            made.push((place, make(place)));
        }
        made
    };
    let mut all = scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut all = work();
        for other in others {
            all.extend(
                other
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            );
        }
        all
    });
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, made)| made).collect()
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn results_come_in_order_whatever_the_number_of_threads() {
        let squares: Vec<usize> = (0..100).map(|k| k * k).collect();
        for threads in [0, 1, 2, 7, 200] {
            assert_eq!(map(threads, 100, |k| k * k), squares);
        }
        assert!(map(3, 0, |k| k).is_empty());
    }
}
