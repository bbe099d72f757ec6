//! A second pass over the rows, for the chosen equation only: are its residuals noise?
//!
//! This is the only place after the reduction that sees rows. It runs in one stream and constant
//! memory, and looks for what would make the error bars or the equation itself wrong:
//! autocorrelated residuals, a trend, curvature against the prediction, heavy tails, and
//! influential rows.

use crate::data::table::Table;
use crate::error::Result;
use crate::judge::noise::{NoiseFindings, Sentinel, Uneven, deviations};
use crate::learn::model::Model;
use crate::tell::caveats::ROUNDING;
use crate::tell::warning::{Code, Warning};
use crate::terms::problem::Weights;

/// How many standard deviations from pure noise give a warning: one false alarm in 16,000.
const ALARM: f64 = 4.0;

/// The same below [`SMALL`] rows, where four cannot be reached: one false alarm in two
/// hundred.
const ALARM_OF_FEW: f64 = 2.6;

/// Fewer rows than this are few.
const SMALL: f64 = 17.0;

/// The fewest rows whose order can say anything.
const FEWEST: f64 = 8.0;

/// Sums over residuals that distinguish noise from structure. Start with [`new`](Self::new), add
/// every batch, then ask.
#[derive(Debug, Clone)]
pub struct Diagnosis {
    model: Model,
    sigma: f64,
    /// The column of weights that make the noise even, and what they mean.
    weights: Option<(String, Weights)>,
    n: f64,
    /// The sum of the squared target.
    target: f64,
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
            weights: None,
            n: 0.0,
            target: 0.0,
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

    /// The same for rows with a column of weights that make the noise even.
    #[must_use]
    pub fn weighted_by(self, weights: Option<(String, Weights)>) -> Self {
        // Rows that were seen often are not more precise, each time.
        let weights = weights.filter(|(_, meaning)| *meaning != Weights::Repeats);
        Self { weights, ..self }
    }

    /// Takes in the rows of a batch, which must have the target and the features.
    pub fn add(&mut self, batch: &Table) -> Result<()> {
        let predicted = self.model.predict(batch)?;
        let target = batch.column(&self.model.left_side().observed())?;
        let leverages = self.model.leverages(batch)?;
        let weights = match &self.weights {
            Some((name, meaning)) => Some(meaning.of(batch.column(name)?)),
            None => None,
        };
        let m = self.model.coefficients().len().max(1) as f64;
        for (row, (y, f)) in target.iter().zip(&predicted).enumerate() {
            let weight = weights.as_ref().map_or(1.0, |weights| weights[row]);
            let r = (y - f) / self.sigma * weight.sqrt();
            self.n += 1.0;
            self.target += y * y;
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
                let h = (weight * leverages[row]).min(1.0 - 1e-12);
                let cook = r * r * h / (m * (1.0 - h).powi(2));
                replace_if_larger(&mut self.influential, number, cook);
            }
            replace_if_larger(&mut self.largest, number, r.abs());
        }
        Ok(())
    }

    /// The warnings from the residuals.
    pub fn warnings(&self) -> Vec<Warning> {
        self.warnings_beside(None)
    }

    /// The same where it is known how the noise varies: large residuals among rows with more noise
    /// are no outliers.
    pub fn warnings_beside(&self, uneven: Option<&Uneven>) -> Vec<Warning> {
        let n = self.n;
        let mut warnings = Vec::new();
        // Rounding errors are no noise, and have patterns of their own.
        let exact = self.sigma <= ROUNDING * (self.target / n).sqrt();
        if n < FEWEST || exact {
            return warnings;
        }
        let mut say = |code, message: String| warnings.push(Warning::new(code, message));
        if let Some(message) = self.neighbours() {
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
        if uneven.is_none() && (kurtosis - 3.0) / (24.0 / n).sqrt() > 2.0 * ALARM {
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
                    "the fit depends strongly on row {row} (Cook's distance {cook:.1}): \
                     without it the equation may change"
                ),
            );
        }
        warnings
    }

    /// What neighbouring rows have in common, if it is more than chance.
    fn neighbours(&self) -> Option<String> {
        let pairs = self.n - 1.0;
        let correlation = self.lagged / self.squares;
        let few = self.n < SMALL;
        let alarm = if few { ALARM_OF_FEW } else { ALARM };
        // A fit spends rows, which makes residuals of few rows alternate by themselves.
        let beyond = |score: f64| score > alarm || (!few && score < -alarm);
        let meaning = "something is missing from the equation, or rows are not independent; \
                       error bars are too small";
        if beyond(deviations(correlation, self.n)) {
            return Some(format!(
                "residuals of neighbouring rows are correlated ({}): {meaning}",
                two_digits(correlation)
            ));
        }
        let changes = self.sign_changes;
        beyond(-sign_change_score(changes, pairs)).then(|| {
            format!(
                "residuals change sign {changes} times among {pairs} neighbouring rows, where \
                 chance gives about {:.0}: {meaning}",
                0.5 * pairs
            )
        })
    }
}

/// A share with two decimals, or more where it is small: among many rows a small one matters too.
fn two_digits(share: f64) -> String {
    let decimals = (2..8).find(|&decimals| share.abs() * 10_f64.powi(decimals) >= 10.0);
    let decimals = decimals.map_or(8, |decimals| decimals.unsigned_abs() as usize);
    format!("{share:.decimals$}")
}

/// The number of sign changes in units of its standard deviation by chance, where each pair of
/// neighbours has a change with probability one half.
fn sign_change_score(changes: f64, pairs: f64) -> f64 {
    if pairs >= SMALL {
        return (changes - 0.5 * pairs) / (0.25 * pairs).sqrt();
    }
    // The normal approximation is poor so far out: the tail is summed.
    let mut share = 0.5_f64.powf(pairs);
    let (mut tail, mut k) = (0.0, 0.0);
    while k <= changes {
        tail += share;
        share *= (pairs - k) / (k + 1.0);
        k += 1.0;
    }
    // Only few changes are an alarm here; the tail is that of the score that is one for few rows.
    if tail < 0.005 { -ALARM } else { 0.0 }
}

impl NoiseFindings {
    /// The findings in words; `row_number` gives a row's number in the file from its place.
    pub fn warnings(&self, row_number: impl Fn(usize) -> u64) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut say = |code, message: String| warnings.push(Warning::new(code, message));
        if let Some(uneven) = &self.uneven {
            let message = format!("{}; rows are weighted by it", uneven.sentence());
            say(Code::UnevenNoise, message);
        }
        if let Some(copies) = &self.copies {
            say(Code::CopiedRows, copies.sentence());
        }
        if let Some(dependence) = &self.dependence {
            say(Code::DependentRows, dependence.sentence());
        }
        for Sentinel {
            column,
            value,
            rows,
        } in &self.sentinels
        {
            let consequence = match self.distrust {
                Some(_) => ", so these rows have no say",
                None => "",
            };
            let message = format!(
                "{column} is {value} in {}, far from its other values: this often stands for a \
                 missing value{consequence}",
                rows_in_words(rows.iter().map(|&row| row_number(row)))
            );
            say(Code::DistrustedRows, message);
        }
        if let Some(distrust) = self.distrust.as_ref().filter(|d| !d.rows.is_empty()) {
            let rows = distrust.rows.iter().map(|&(row, _)| row_number(row));
            let message = format!(
                "{} do not belong to the law that the others follow, and have no say in it",
                rows_in_words(rows)
            );
            say(Code::DistrustedRows, message);
        }
        warnings
    }
}

/// `row 7`, `rows 7 and 9`, or the first few of many.
fn rows_in_words(rows: impl Iterator<Item = u64>) -> String {
    const NAMED: usize = 6;
    let rows: Vec<String> = rows.map(|row| row.to_string()).collect();
    match rows.as_slice() {
        [one] => format!("row {one}"),
        [all @ .., last] if rows.len() <= NAMED => format!("rows {} and {last}", all.join(", ")),
        _ => {
            let (named, more) = (rows[..NAMED].join(", "), rows.len() - NAMED);
            format!("rows {named} and {more} more")
        }
    }
}

fn replace_if_larger(held: &mut Option<(u64, f64)>, row: u64, value: f64) {
    if held.is_none_or(|(_, largest)| value > largest) {
        *held = Some((row, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::dictionary::Dictionary;
    use crate::terms::problem::Problem;
    use crate::{Support, reduce_table};

    /// What is said of a straight line through these values, row by row.
    fn said_of(values: &[f64]) -> Vec<Warning> {
        let x = (0..values.len()).map(|i| i as f64).collect();
        let columns = vec![("x".into(), x), ("y".into(), values.to_vec())];
        let table = Table::new(columns).expect("two columns");
        let dictionary = Dictionary::monomials(["x"], 1, 1, true).expect("two terms");
        let problem = Problem::new("y", dictionary).expect("another column");
        let fit = reduce_table(&problem, &table)
            .expect("numbers")
            .fit(&Support::from_iter([0, 1]));
        let mut diagnosis = Diagnosis::new(&Model::new(&problem, &fit)).expect("some noise");
        diagnosis.add(&table).expect("the same columns");
        diagnosis.warnings()
    }

    #[test]
    fn a_curve_among_few_rows_is_seen() {
        let arc: Vec<f64> = (0..16).map(|i| (f64::from(i) / 15.0 * 3.1).sin()).collect();
        let said = said_of(&arc);
        assert!(
            said.iter().any(|w| w.code == Code::ResidualsCorrelated),
            "{said:?}"
        );
    }

    #[test]
    fn the_sentence_names_what_is_beyond_chance() {
        // Large residuals of changing sign hide small ones that keep theirs for long.
        let value = |i: i32| {
            let small = if (i / 20) % 2 == 0 { 0.1 } else { -0.1 };
            if i % 40 < 2 {
                if i % 2 == 0 { 30.0 } else { -30.0 }
            } else {
                small
            }
        };
        let values: Vec<f64> = (0..200).map(value).collect();
        let said = said_of(&values);
        let own = said.iter().find(|w| w.code == Code::ResidualsCorrelated);
        let message = &own.expect("signs hardly ever change").message;
        assert!(
            !message.contains("(0.00)") && !message.contains("(-0.00)"),
            "{message}"
        );
    }

    #[test]
    fn a_small_correlation_of_many_rows_is_not_told_as_none() {
        assert_eq!(two_digits(0.004_21), "0.0042");
        assert_eq!(two_digits(-0.004_21), "-0.0042");
        assert_eq!(two_digits(0.532), "0.53");
        assert_eq!(two_digits(0.06), "0.060");
    }

    #[test]
    fn rows_are_listed_in_words() {
        assert_eq!(rows_in_words([7].into_iter()), "row 7");
        assert_eq!(rows_in_words([7, 9].into_iter()), "rows 7 and 9");
        assert_eq!(rows_in_words(1..=9), "rows 1, 2, 3, 4, 5, 6 and 3 more");
    }
}
