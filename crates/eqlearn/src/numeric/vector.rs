//! Operations on slices of numbers that much of the work consists of.

/// `Σ a_i b_i` of slices of one length.
///
/// Always inline, so that loops compiled for wide instructions ([`widely`]) take it with them.
#[expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for wide instructions"
)]
#[inline(always)]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    debug_assert_eq!(a.len(), b.len(), "one number of each");
    // Eight sums, because one alone waits for each addition before the next.
    let (a_eights, a_rest) = a.as_chunks::<8>();
    let (b_eights, b_rest) = b.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (a, b) in a_eights.iter().zip(b_eights) {
        for k in 0..8 {
            sums[k] += a[k] * b[k];
        }
    }
    for (k, (a, b)) in a_rest.iter().zip(b_rest).enumerate() {
        sums[k] += a * b;
    }
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// `a += factor · b`.
pub(crate) fn add(a: &mut [f64], factor: f64, b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += factor * b;
    }
}

/// Does some work in the widest instructions that the machine has: everything that is inlined into it.
#[expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for wide instructions"
)]
#[inline(always)]
pub(crate) fn widely<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}
