//! Best subsets by brute force: slow and simple.

use eqlearn::{Reduction, Support};

/// The best support of each size from 1 on.
pub(crate) fn best_supports(reduction: &Reduction, max_terms: usize) -> Vec<Support> {
    let best = |size: usize| {
        let mut best: Option<(f64, Support)> = None;
        for_each_subset(reduction.n_terms(), size, &mut |support| {
            let norm = reduction.fit(support).residual_norm();
            if best.as_ref().is_none_or(|(least, _)| norm < *least) {
                best = Some((norm, support.clone()));
            }
        });
        best.unwrap().1
    };
    (1..=max_terms).map(best).collect()
}

fn for_each_subset(n_terms: usize, size: usize, visit: &mut impl FnMut(&Support)) {
    fn extend(
        from: usize,
        n: usize,
        size: usize,
        so_far: &Support,
        visit: &mut impl FnMut(&Support),
    ) {
        if so_far.len() == size {
            visit(so_far);
            return;
        }
        for term in from..n {
            extend(term + 1, n, size, &so_far.with(term), visit);
        }
    }
    extend(0, n_terms, size, &Support::empty(), visit);
}
