//! Numbers for tests that are the same on every machine.

/// An infinite sequence of random numbers between −1 and 1.
pub(crate) fn numbers(seed: u64) -> impl Iterator<Item = f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    })
}

/// A number of columns of such numbers, of a given length.
pub(crate) fn columns(
    numbers: &mut impl Iterator<Item = f64>,
    count: usize,
    length: usize,
) -> Vec<Vec<f64>> {
    let mut column = || numbers.by_ref().take(length).collect();
    (0..count).map(|_| column()).collect()
}
