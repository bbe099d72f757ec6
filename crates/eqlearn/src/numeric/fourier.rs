//! Fourier transforms of any length.

use rustfft::FftPlanner;
pub(crate) use rustfft::num_complex::Complex;

/// The amplitude of each wave of a line, from its mean to the shortest wave.
pub(crate) fn amplitudes(line: &[f64]) -> Vec<f64> {
    let mut values: Vec<Complex<f64>> = line.iter().map(|&x| Complex::new(x, 0.0)).collect();
    FftPlanner::new()
        .plan_fft_forward(line.len())
        .process(&mut values);
    values[..=line.len() / 2]
        .iter()
        .map(|value| value.norm())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::amplitudes;

    #[test]
    fn a_wave_has_one_amplitude() {
        for n in [30_u32, 31, 64] {
            let x = |i: u32| std::f64::consts::TAU * f64::from(i) / f64::from(n);
            let wave: Vec<f64> = (0..n).map(|i| 2.0 + (3.0 * x(i)).sin()).collect();
            let found = amplitudes(&wave);
            for (k, amplitude) in found.iter().enumerate() {
                let expected = f64::from(n) * [2.0, 0.0, 0.0, 0.5].get(k).unwrap_or(&0.0);
                assert!(
                    (amplitude - expected).abs() < 1e-12 * f64::from(n),
                    "{n} {k}"
                );
            }
        }
    }
}
