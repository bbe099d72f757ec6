//! Fourier transforms of any length.

use std::sync::Arc;

pub(crate) use rustfft::num_complex::Complex;
use rustfft::{Fft, FftPlanner};

/// Transforms of lines of one length.
pub(crate) struct Fourier {
    n: usize,
    forward: Arc<dyn Fft<f64>>,
    backward: Arc<dyn Fft<f64>>,
}

impl Fourier {
    pub(crate) fn new(n: usize) -> Self {
        let mut planner = FftPlanner::new();
        Self {
            n,
            forward: planner.plan_fft_forward(n),
            backward: planner.plan_fft_inverse(n),
        }
    }

    /// The series of a line.
    pub(crate) fn forward(&self, line: &[f64]) -> Vec<Complex<f64>> {
        let mut values: Vec<Complex<f64>> = line.iter().map(|&x| Complex::new(x, 0.0)).collect();
        self.forward.process(&mut values);
        values
    }

    /// The line of a series.
    pub(crate) fn backward(&self, series: &[Complex<f64>]) -> Vec<f64> {
        let mut values = series.to_vec();
        self.backward.process(&mut values);
        values
            .iter()
            .map(|value| value.re / self.n as f64)
            .collect()
    }

    /// The amplitude of each wave of a line, from its mean to the shortest wave.
    pub(crate) fn amplitudes(&self, line: &[f64]) -> Vec<f64> {
        let series = self.forward(line);
        series[..=self.n / 2]
            .iter()
            .map(|value| value.norm())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Fourier;

    #[test]
    fn a_wave_has_one_amplitude_and_comes_back() {
        for n in [30_u32, 31, 64] {
            let x = |i: u32| std::f64::consts::TAU * f64::from(i) / f64::from(n);
            let wave: Vec<f64> = (0..n).map(|i| 2.0 + (3.0 * x(i)).sin()).collect();
            let fourier = Fourier::new(n as usize);
            for (k, amplitude) in fourier.amplitudes(&wave).iter().enumerate() {
                let expected = f64::from(n) * [2.0, 0.0, 0.0, 0.5].get(k).unwrap_or(&0.0);
                assert!(
                    (amplitude - expected).abs() < 1e-12 * f64::from(n),
                    "{n} {k}"
                );
            }
            let back = fourier.backward(&fourier.forward(&wave));
            assert!(back.iter().zip(&wave).all(|(a, b)| (a - b).abs() < 1e-13));
        }
    }
}
