//! A second pass over the rows, for the chosen equation only: are its residuals noise?
//!
//! This is the only place after the reduction that sees rows. It runs in one stream and constant
//! memory, and looks for what would make the error bars or the equation itself wrong:
//! autocorrelated residuals, a trend, curvature against the prediction, heavy tails, and
//! influential rows.

use crate::data::table::Table;
use crate::error::Result;
use crate::learn::model::Model;
use crate::tell::warning::{Code, Warning};

/// How many standard deviations from pure noise give a warning: one false alarm in 16,000.
const ALARM: f64 = 4.0;

/// Sums over residuals that distinguish noise from structure. Start with [`new`](Self::new), add
/// every batch, then ask.
#[derive(Debug, Clone)]
pub struct Diagnosis {
    model: Model,
    sigma: f64,
    n: f64,
    /// Sums of r², r⁴, r·r₋₁, and of signs that changed.
    squares: f64,
    fourths: f64,
    lagged: f64,
    sign_changes: f64,
    last: Option<f64>,
    /// Sums for correlations of r with the row's place and with the squared prediction.
    place: Correlation,
    curvature: Correlation,
    /// The row with the largest Cook's distance, and the largest residual in units of the noise.
    influential: Option<(u64, f64)>,
    largest: Option<(u64, f64)>,
}

/// Sums for the correlation of residuals with something.
#[derive(Debug, Clone, Default)]
struct Correlation {
    n: f64,
    x: f64,
    xx: f64,
    rx: f64,
    r: f64,
}

impl Correlation {
    fn add(&mut self, x: f64, r: f64) {
        self.n += 1.0;
        self.x += x;
        self.xx += x * x;
        self.rx += r * x;
        self.r += r;
    }

    /// The correlation in units of its standard deviation under pure noise; residuals have unit
    /// variance.
    fn score(&self) -> f64 {
        let variance = self.xx - self.x * self.x / self.n;
        let covariance = self.rx - self.r * self.x / self.n;
        if variance > 1e-12 * self.xx {
            covariance / variance.sqrt()
        } else {
            0.0
        }
    }
}

impl Diagnosis {
    /// Ready for the rows; none if the model has no noise level to scale residuals by.
    pub fn new(model: &Model) -> Option<Self> {
        let sigma = model.sigma().filter(|sigma| *sigma > 0.0)?;
        Some(Self {
            model: model.clone(),
            sigma,
            n: 0.0,
            squares: 0.0,
            fourths: 0.0,
            lagged: 0.0,
            sign_changes: 0.0,
            last: None,
            place: Correlation::default(),
            curvature: Correlation::default(),
            influential: None,
            largest: None,
        })
    }

    /// Takes in the rows of a batch, which must have the target and the features.
    pub fn add(&mut self, batch: &Table) -> Result<()> {
        let predicted = self.model.predict(batch)?;
        let target = batch.column(&self.model.left_side().observed())?;
        let leverages = self.model.leverages(batch)?;
        let m = self.model.coefficients().len().max(1) as f64;
        for (row, (y, f)) in target.iter().zip(&predicted).enumerate() {
            let r = (y - f) / self.sigma;
            self.n += 1.0;
            self.squares += r * r;
            self.fourths += r.powi(4);
            if let Some(last) = self.last {
                self.lagged += r * last;
                self.sign_changes += f64::from(u8::from(r * last < 0.0));
            }
            self.last = Some(r);
            self.place.add(self.n, r);
            self.curvature.add(f * f, r);
            let number = batch.row_number(row);
            if let Some(leverages) = &leverages {
                let h = leverages[row].min(1.0 - 1e-12);
                let cook = r * r * h / (m * (1.0 - h).powi(2));
                replace_if_larger(&mut self.influential, number, cook);
            }
            replace_if_larger(&mut self.largest, number, r.abs());
        }
        Ok(())
    }

    /// The warnings from the residuals.
    pub fn warnings(&self) -> Vec<Warning> {
        let n = self.n;
        let mut warnings = Vec::new();
        if n < 8.0 {
            return warnings;
        }
        let mut say = |code, message: String| warnings.push(Warning::new(code, message));
        // For white noise the lag-one autocorrelation has variance 1/n, and signs change half of
        // the time.
        let autocorrelation = self.lagged / self.squares;
        let runs = (self.sign_changes - 0.5 * (n - 1.0)) / (0.25 * (n - 1.0)).sqrt();
        if (autocorrelation * n.sqrt()).abs() > ALARM || runs.abs() > ALARM {
            let message = format!(
                "residuals of neighbouring rows are correlated ({autocorrelation:.2}): \
                 something is missing from the equation, or rows are not independent; \
                 error bars are too small"
            );
            say(Code::ResidualsCorrelated, message);
        }
        if self.place.score().abs() > ALARM {
            say(
                Code::ResidualsTrend,
                "residuals drift from the first row to the last: something changed in time".into(),
            );
        }
        if self.curvature.score().abs() > ALARM {
            say(
                Code::ResidualsCurved,
                "residuals bend with the predicted value: a term may be missing".into(),
            );
        }
        // The fourth moment of n normal numbers is 3 with variance about 24/n.
        let kurtosis = n * self.fourths / (self.squares * self.squares);
        if (kurtosis - 3.0) / (24.0 / n).sqrt() > 2.0 * ALARM {
            let (row, size) = self.largest.unwrap_or_default();
            say(
                Code::ResidualsHeavyTailed,
                format!(
                    "some residuals are far too large for noise \
                     (row {row} is off by {size:.1} times the noise level): look for outliers"
                ),
            );
        }
        if let Some((row, cook)) = self.influential.filter(|(_, cook)| *cook > 1.0) {
            say(
                Code::InfluentialRow,
                format!(
                    "row {row} carries the fit (Cook's distance {cook:.1}): \
                     without it the equation may be another"
                ),
            );
        }
        warnings
    }
}

fn replace_if_larger(held: &mut Option<(u64, f64)>, row: u64, value: f64) {
    if held.is_none_or(|(_, largest)| value > largest) {
        *held = Some((row, value));
    }
}
