//! Two operations on slices of numbers that much of the work consists of.

/// `Σ a_i b_i` of slices of one length.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    debug_assert_eq!(a.len(), b.len(), "one number of each");
    // Four sums, because one alone waits for each addition before the next.
    let (a_fours, a_rest) = a.as_chunks::<4>();
    let (b_fours, b_rest) = b.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (a, b) in a_fours.iter().zip(b_fours) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    for (k, (a, b)) in a_rest.iter().zip(b_rest).enumerate() {
        sums[k] += a * b;
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// `a += factor · b`.
pub(crate) fn add(a: &mut [f64], factor: f64, b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += factor * b;
    }
}
