//! Fourier transforms of any length.

use std::fmt;
use std::sync::Arc;

pub(crate) use rustfft::num_complex::Complex;
use rustfft::{Fft, FftPlanner};

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

/// The transforms of lines of one length, there and back.
pub(crate) struct Transform {
    there: Arc<dyn Fft<f64>>,
    back: Arc<dyn Fft<f64>>,
}

impl Transform {
    pub(crate) fn new(n: usize) -> Self {
        let mut planner = FftPlanner::new();
        Self {
            there: planner.plan_fft_forward(n),
            back: planner.plan_fft_inverse(n),
        }
    }

    /// The waves that a line is the sum of.
    pub(crate) fn waves(&self, line: &[f64]) -> Vec<Complex<f64>> {
        let mut values: Vec<Complex<f64>> = line.iter().map(|&x| Complex::new(x, 0.0)).collect();
        self.there.process(&mut values);
        values
    }

    /// The line that these waves make, of which the imaginary part is rounding.
    pub(crate) fn line(&self, waves: &[Complex<f64>]) -> Vec<f64> {
        let mut values = waves.to_vec();
        self.back.process(&mut values);
        let n = values.len() as f64;
        values.iter().map(|value| value.re / n).collect()
    }
}

impl fmt::Debug for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Transform({})", self.there.len())
    }
}

#[cfg(test)]
mod tests {
    use super::{Transform, amplitudes};

    #[test]
    fn a_line_comes_back_from_its_waves() {
        for n in [12_u32, 35] {
            let line: Vec<f64> = (0..n).map(|i| (f64::from(i) * 1.7).sin()).collect();
            let transform = Transform::new(n as usize);
            let again = transform.line(&transform.waves(&line));
            for (a, b) in line.iter().zip(again) {
                assert!((a - b).abs() < 1e-14);
            }
        }
    }

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
