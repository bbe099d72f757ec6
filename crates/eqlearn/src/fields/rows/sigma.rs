//! The noise of a quantity, from its differences along all axes.
//!
//! Differences of order `k` of independent noise have variance `C(2k, k) σ²`, and those of a smooth
//! function vanish with growing `k` along the axis on which it is smoothest. The smallest estimate
//! over axes and orders is the noise.

/// The highest order of differences.
const HIGHEST: usize = 10;

/// The standard deviation of the noise; missing values are left out.
pub(crate) fn sigma(values: &[f64], shape: &[usize]) -> f64 {
    let along = |axis: usize| along(values, shape, axis);
    let smallest = (0..shape.len()).map(along).fold(f64::INFINITY, f64::min);
    if smallest.is_finite() {
        smallest.sqrt()
    } else {
        0.0
    }
}

/// The smallest estimate of the variance over the orders along one axis.
fn along(values: &[f64], shape: &[usize], axis: usize) -> f64 {
    let (n, after) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
    let mut sums = [(0.0, 0_u64); HIGHEST];
    let mut line = vec![0.0; n];
    for block in values.chunks_exact(n * after) {
        for first in 0..after {
            for (i, value) in line.iter_mut().enumerate() {
                *value = block[i * after + first];
            }
            for (order, (sum, count)) in sums.iter_mut().enumerate() {
                let length = n.saturating_sub(order + 1);
                for i in 0..length {
                    line[i] = line[i + 1] - line[i];
                }
                for difference in line[..length].iter().filter(|d| !d.is_nan()) {
                    *sum += difference * difference;
                    *count += 1;
                }
            }
        }
    }
    let mut central = 1.0;
    let mut smallest = f64::INFINITY;
    for (order, (sum, count)) in (1_u32..).zip(sums) {
        let k = f64::from(order);
        // C(2k, k) = C(2k − 2, k − 1) · (2k)(2k − 1)/k².
        central *= 2.0 * k * (2.0 * k - 1.0) / (k * k);
        if count > 0 {
            smallest = smallest.min(sum / count as f64 / central);
        }
    }
    smallest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_noise_on_a_smooth_field_is_found() {
        let mut state = 1_u64;
        let mut uniform = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let smooth = |i: usize| ((i / 50) as f64 * 0.2).sin() * ((i % 50) as f64 * 0.1).cos();
        let values: Vec<f64> = (0..3000).map(|i| smooth(i) + 0.3 * uniform()).collect();
        let found = sigma(&values, &[60, 50]);
        assert!(
            (found / (0.3 / 12_f64.sqrt()) - 1.0).abs() < 0.04,
            "{found}"
        );
        let clean: Vec<f64> = (0..3000).map(smooth).collect();
        assert!(sigma(&clean, &[60, 50]) < 1e-9);
    }

    #[test]
    fn missing_values_are_left_out() {
        let mut values: Vec<f64> = (0..200).map(|i| f64::from(i % 2)).collect();
        let whole = sigma(&values, &[200]);
        values[50] = f64::NAN;
        assert!((sigma(&values, &[200]) / whole - 1.0).abs() < 0.02);
    }
}
