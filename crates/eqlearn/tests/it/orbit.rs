//! Motions of known systems.

/// A motion at equal steps, each of which is this many of the classical Runge–Kutta method; one
/// column per state.
pub(crate) fn motion<const D: usize>(
    slope: impl Fn([f64; D]) -> [f64; D],
    start: [f64; D],
    (n, step): (usize, f64),
    small_steps: u32,
) -> Vec<Vec<f64>> {
    let along = |x: [f64; D], k: [f64; D], h: f64| std::array::from_fn(|i| x[i] + h * k[i]);
    let h = step / f64::from(small_steps);
    let mut x = start;
    let mut states = vec![Vec::new(); D];
    for _ in 0..n {
        for (column, x) in states.iter_mut().zip(x) {
            column.push(x);
        }
        for _ in 0..small_steps {
            let k1 = slope(x);
            let k2 = slope(along(x, k1, h / 2.0));
            let k3 = slope(along(x, k2, h / 2.0));
            let k4 = slope(along(x, k3, h));
            x = std::array::from_fn(|i| {
                x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])
            });
        }
    }
    states
}
