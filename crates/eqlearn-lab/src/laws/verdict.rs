//! When a law counts as recovered.
//!
//! An equation may be written in many ways, so texts are not compared. It is the law if it has no
//! more terms than the law, and predicts it on fresh rows, drawn from ranges that are a fifth
//! wider, as well as an equation with the right form can:
//!
//! ```text
//! rms(predicted − law) / rms(law)  ≤  max(1e-5, 5 · σ / rms(law on the given rows) · √(m / N))
//! ```
//!
//! with `σ` the noise, `m` the number of terms and `N` the number of rows learned from. A right
//! form with fitted coefficients has errors of this size without the factor 5, by the usual
//! formula of least squares: the error of `c·φ(x)` is the same share of `c·φ` on all rows.
//! Without noise the first bound holds: 1 − R² about zero below 1e-10. An imitation fails both, as
//! it is no better than its fit and worse beyond the rows; with noise of 1 % of the spread, the
//! bound for one term is about 0.1 % of the value.
//!
//! Sums that nearly cancel have larger errors beyond the rows: `1/(1 − v/c)` where v comes close
//! to c. So an equation is also the law if its form is: with other numbers for its coefficients it
//! is the law on the fresh rows, to nine digits. Its own coefficients then have to be as good as
//! the noise allows, which is the bound above on the given rows. No imitation has the form of the
//! law, however close it comes.

use serde::{Deserialize, Serialize};

use super::{Made, TARGET};
use crate::learner::Found;
use eqlearn::{Model, Reduction, Table, Term};

/// Relative errors up to this are rounding errors.
const ROUNDING: f64 = 1e-5;
/// Standard errors that a right equation may be off.
const SURE: f64 = 5.0;
/// Relative errors up to this are none: the form of an equation is that of the law.
const EXACT: f64 = 1e-9;
/// An equation less probable than this is not claimed.
const CLAIMED: f64 = 0.5;

/// What became of a law.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    /// It was found.
    Recovered,
    /// It was not found, and the answer says so: no equation, a misfit, or a low probability.
    SaidOutside,
    /// Another equation was claimed.
    FalseCertainty,
}

/// The truth about the rows of a law.
pub(crate) struct Truth<'a> {
    made: &'a Made,
    /// The law on the fresh rows.
    fresh: &'a [f64],
}

impl<'a> Truth<'a> {
    pub(crate) fn new(made: &'a Made) -> Self {
        let fresh = made.fresh.column(TARGET).expect("tables have a target");
        Self { made, fresh }
    }

    /// The error of an equation on the fresh rows, relative to the size of the law; infinite if it
    /// has no value on one of them.
    pub(crate) fn error(&self, model: Option<&Model>) -> f64 {
        error(model, &self.made.fresh, self.fresh)
    }

    /// Judges an equation.
    pub(crate) fn verdict(&self, found: &Found) -> Verdict {
        if self.is_recovered(found) {
            Verdict::Recovered
        } else if found.says_outside() {
            Verdict::SaidOutside
        } else {
            Verdict::FalseCertainty
        }
    }

    fn is_recovered(&self, found: &Found) -> bool {
        let Made {
            law,
            given,
            sigma,
            clean,
            ..
        } = self.made;
        if !(1..=law.n_terms).contains(&found.n_terms) {
            return false;
        }
        let (m, n) = (found.n_terms as f64, clean.len() as f64);
        let allowed = ROUNDING.max(SURE * sigma / rms(clean) * (m / n).sqrt());
        let model = found.model.as_ref();
        let is_form = || model.is_some_and(|model| self.is_form_of_law(model));
        self.error(model) <= allowed || error(model, given, clean) <= allowed && is_form()
    }

    /// Whether an equation is the law with other numbers for its coefficients: those that fit the
    /// law on the fresh rows, which has no noise, with the equation multiplied out.
    fn is_form_of_law(&self, model: &Model) -> bool {
        // Notation: g(y) = P/Q is g(y) q₀ = P − g(y) (Q − q₀), where q₀ is the first term of Q.
        let transform = model.left_side().transform();
        let left = self
            .fresh
            .iter()
            .map(|y| transform.map_or(*y, |t| t.apply(*y)));
        let left: Vec<f64> = left.collect();
        let above = self.values(model.terms());
        let below = model
            .denominator()
            .map_or(Vec::new(), |below| self.values(below.terms()));
        let first = below
            .first()
            .cloned()
            .unwrap_or_else(|| vec![1.0; left.len()]);
        let times = |column: &Vec<f64>| -> Vec<f64> {
            column.iter().zip(&left).map(|(q, y)| q * y).collect()
        };
        let mut columns = above.clone();
        columns.extend(below.iter().skip(1).map(times));
        columns.push(times(&first));
        if columns.iter().flatten().any(|value| !value.is_finite()) {
            return false;
        }
        let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let n_free = slices.len() - 1;
        let fit = Reduction::from_columns(&slices).fit(&(0..n_free).collect());
        let (own, others) = fit.coefficients().split_at(above.len());
        let value = |row: usize| {
            let sum = |columns: &[Vec<f64>], c: &[f64]| -> f64 {
                columns.iter().zip(c).map(|(x, c)| c * x[row]).sum()
            };
            let under = first[row] - sum(below.get(1..).unwrap_or_default(), others);
            let right = sum(&above, own) / under;
            transform.map_or(right, |t| t.inverse(right))
        };
        let values: Vec<f64> = (0..left.len()).map(value).collect();
        distance(&values, self.fresh) <= EXACT
    }

    /// The values of terms on the fresh rows.
    fn values(&self, terms: &[Term]) -> Vec<Vec<f64>> {
        let names = self.made.law.variables.iter();
        let columns = names.map(|name| self.made.fresh.column(name));
        let columns: Vec<&[f64]> = columns.map(|c| c.expect("its own column")).collect();
        let evaluated = |term: &Term| {
            let mut values = vec![0.0; self.fresh.len()];
            term.evaluate(&columns, &mut values);
            values
        };
        terms.iter().map(evaluated).collect()
    }
}

/// The error of an equation on some rows, relative to the size of the law.
fn error(model: Option<&Model>, rows: &Table, law: &[f64]) -> f64 {
    let predicted = model.and_then(|model| model.predict(rows).ok());
    predicted.map_or(f64::INFINITY, |predicted| distance(&predicted, law))
}

/// The distance of values from those of the law, relative to the law; infinite if there is none.
fn distance(values: &[f64], law: &[f64]) -> f64 {
    let off: Vec<f64> = values.iter().zip(law).map(|(a, b)| a - b).collect();
    let share = rms(&off) / rms(law);
    if share.is_nan() { f64::INFINITY } else { share }
}

impl Found {
    /// Whether the answer itself says that it may not be the law.
    pub(crate) fn says_outside(&self) -> bool {
        let doubted = self.unjudged || self.misfit.is_some_and(|misfit| misfit > CLAIMED);
        self.model.is_none() || doubted || self.probability.is_none_or(|p| p < CLAIMED)
    }
}

fn rms(values: &[f64]) -> f64 {
    let squares: f64 = values.iter().map(|value| value * value).sum();
    (squares / values.len() as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::Law;
    use eqlearn::Dictionary;

    fn made(key: usize, n_terms: usize) -> Made {
        let mut law = Law::all()[key - 1].clone();
        law.n_terms = n_terms;
        Made::new(&law, 1, 2)
    }

    /// These terms with the coefficients that fit the noisy rows best.
    fn fitted(made: &Made, terms: &[&str]) -> Found {
        let names = &made.law.variables;
        let dictionary = Dictionary::parse(names, terms).unwrap();
        let columns = names.iter().map(|name| made.given.column(name).unwrap());
        let columns: Vec<&[f64]> = columns.collect();
        let target = made.given.column(TARGET).unwrap();
        let mut values: Vec<Vec<f64>> = vec![vec![0.0; target.len()]; terms.len()];
        for (term, out) in dictionary.terms().iter().zip(&mut values) {
            term.evaluate(&columns, out);
        }
        values.push(target.to_vec());
        let slices: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
        let fit = Reduction::from_columns(&slices).fit(&(0..terms.len()).collect());
        let model = Model::given(TARGET, dictionary, fit.coefficients()).unwrap();
        Found {
            n_terms: terms.len(),
            model: Some(model),
            probability: Some(1.0),
            ..Found::default()
        }
    }

    #[test]
    fn an_imitation_within_the_noise_does_not_have_the_form_of_the_law() {
        // The arcsine of u by its series, as close as the noise allows to tell.
        let u = "lambda/(n*d)";
        let terms = [1, 3, 5, 7].map(|power| format!("({u})^{power}"));
        let made = made(31, 8);
        let found = fitted(&made, &terms.each_ref().map(String::as_str));
        let truth = Truth::new(&made);
        let model = found.model.as_ref().unwrap();
        assert!(error(Some(model), &made.given, &made.clean) < 0.01);
        assert!(!truth.is_form_of_law(model));
        assert_eq!(truth.verdict(&found), Verdict::FalseCertainty);
        assert!(
            truth.is_form_of_law(
                fitted(&made, &["asin(lambda/(n*d))"])
                    .model
                    .as_ref()
                    .unwrap()
            )
        );
    }

    #[test]
    fn the_form_of_the_law_with_coefficients_far_off_is_not_the_law() {
        let made = made(83, 2);
        let right = fitted(&made, &["mu*B", "mu*chi*B"]);
        let truth = Truth::new(&made);
        assert_eq!(truth.verdict(&right), Verdict::Recovered);
        let model = right.model.as_ref().unwrap();
        let off = model.coefficients().iter().map(|c| 1.01 * c).collect();
        let wrong = Found {
            model: Some(model.refined(off, None)),
            ..fitted(&made, &["mu*B", "mu*chi*B"])
        };
        assert!(truth.is_form_of_law(wrong.model.as_ref().unwrap()));
        assert_eq!(truth.verdict(&wrong), Verdict::FalseCertainty);
    }
}
