//! The learned equation.
//!
//! A model is a set of terms with coefficients in the units of the table, their uncertainty, and
//! the noise level. It predicts, prints, and travels as a JSON file.

mod file;
mod grouped;
mod number;
mod print;

use serde::{Deserialize, Serialize};

pub use file::ModelFile;
pub use grouped::GroupedModel;
pub use number::with_error;

use crate::data::table::Table;
use crate::error::Result;
use crate::learn::LearnError;
use crate::reduce::Fit;
use crate::terms::dictionary::Dictionary;
use crate::terms::left_side::LeftSide;
use crate::terms::problem::Problem;
use crate::terms::term::Term;

/// The learned equation, in the units of the table.
///
/// ```
/// use eqlearn::{Dictionary, Model, Problem, Support, Table, reduce_table};
///
/// let table = Table::new(vec![
///     ("x".into(), vec![0.0, 1.0, 2.0, 3.0]),
///     ("y".into(), vec![1.0, 3.1, 4.9, 7.0]),
/// ])?;
/// let problem = Problem::new("y", Dictionary::monomials(["x"], 1, 1, true)?)?;
/// let fit = reduce_table(&problem, &table)?.fit(&Support::from_iter([0, 1]));
/// let model = Model::new(&problem, &fit);
/// assert_eq!(model.to_string(), "y = 1.03(8) + 1.98(4) x");
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "file::Saved", from = "file::Saved")]
pub struct Model {
    left: LeftSide,
    dictionary: Dictionary,
    coefficients: Vec<f64>,
    std_errors: Option<Vec<f64>>,
    covariance: Option<Vec<Vec<f64>>>,
    sigma: Option<f64>,
    n_obs: usize,
    denominator: Option<Denominator>,
    parameters: Vec<Parameter>,
}

/// An inner parameter of a law: its value is in the terms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name, without the question mark.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Its standard error, where the noise level is known.
    pub std_error: Option<f64>,
}

/// What the sum of terms is divided by, in a law that is a fraction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Denominator {
    /// The terms.
    #[serde(flatten)]
    pub(crate) dictionary: Dictionary,
    /// One coefficient per term; one of them is 1, because a fraction can be multiplied by any
    /// number above and below.
    pub(crate) coefficients: Vec<f64>,
    /// Their standard errors; 0 for the coefficient that is 1 by choice.
    pub(crate) std_errors: Option<Vec<f64>>,
}

impl Denominator {
    /// The terms.
    pub fn terms(&self) -> &[Term] {
        self.dictionary.terms()
    }

    /// One coefficient per term.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// One standard error per term, where the noise level is known; 0 for the coefficient that is
    /// 1 by choice.
    pub fn std_errors(&self) -> Option<&[f64]> {
        self.std_errors.as_deref()
    }

    /// The place of the coefficient that is 1 by choice.
    fn unit(&self) -> usize {
        let is_one = |&place: &usize| (self.coefficients[place] - 1.0).abs() <= 0.0;
        let has_error = |place: usize| self.std_errors().is_some_and(|e| e[place] > 0.0);
        let mut ones = (0..self.coefficients.len()).filter(is_one);
        ones.find(|&place| !has_error(place)).unwrap_or(0)
    }

    /// The coefficients that are not 1 by choice.
    pub(crate) fn free(&self) -> Vec<f64> {
        let mut free = self.coefficients.clone();
        free.remove(self.unit());
        free
    }
}

impl Model {
    /// The equation that a fit stands for.
    ///
    /// Variances that overflow (of coefficients near 1e300) are left out: no file could hold them.
    pub fn new(problem: &Problem, fit: &Fit) -> Self {
        let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        let covariance = fit.covariance();
        Self {
            left: problem.left_side().clone(),
            dictionary: problem.dictionary().select(fit.support().indices()),
            coefficients: fit.coefficients().to_vec(),
            std_errors: fit.std_errors().filter(|errors| finite(errors)),
            covariance: covariance.filter(|rows| rows.iter().all(|row| finite(row))),
            sigma: fit.sigma().filter(|sigma| sigma.is_finite()),
            n_obs: fit.n_obs(),
            denominator: None,
            parameters: Vec::new(),
        }
    }

    /// A law that is a fraction, in the target's own units. `covariance` is that of the
    /// coefficients of the numerator.
    pub(crate) fn fraction(
        left: LeftSide,
        numerator: (Dictionary, Vec<f64>),
        denominator: Denominator,
        covariance: Option<Vec<Vec<f64>>>,
        (sigma, n_obs): (Option<f64>, usize),
    ) -> Self {
        let empty = Self {
            left,
            dictionary: numerator.0,
            coefficients: Vec::new(),
            std_errors: None,
            covariance: None,
            sigma,
            n_obs,
            denominator: Some(denominator),
            parameters: Vec::new(),
        };
        empty.refined(numerator.1, covariance)
    }

    /// The equation of a fit's terms with other coefficients than its own.
    ///
    /// They have no standard errors: those of least squares do not hold for shrunken coefficients.
    pub fn with_coefficients(
        problem: &Problem,
        fit: &Fit,
        coefficients: &[f64],
        residual_norm: f64,
    ) -> Self {
        let spare = fit.n_obs().saturating_sub(fit.support().len());
        Self {
            coefficients: coefficients.to_vec(),
            std_errors: None,
            covariance: None,
            sigma: (spare > 0).then(|| residual_norm / (spare as f64).sqrt()),
            ..Self::new(problem, fit)
        }
    }

    /// The same with another noise level.
    #[must_use]
    pub(crate) fn with_sigma(&self, sigma: f64) -> Self {
        Self {
            sigma: Some(sigma),
            ..self.clone()
        }
    }

    /// The same with a noise level, if it is known, from this many rows.
    #[must_use]
    pub(crate) fn learned_from(self, sigma: Option<f64>, n_obs: usize) -> Self {
        Self {
            sigma,
            n_obs,
            ..self
        }
    }

    /// The same, of which these numbers in the terms were found.
    #[must_use]
    pub(crate) fn with_parameters(self, parameters: Vec<Parameter>) -> Self {
        Self { parameters, ..self }
    }

    /// The same terms with other coefficients and their covariance.
    #[must_use]
    pub fn refined(&self, coefficients: Vec<f64>, covariance: Option<Vec<Vec<f64>>>) -> Self {
        let errors = |covariance: &Vec<Vec<f64>>| {
            let variances = covariance.iter().enumerate().map(|(i, row)| row[i]);
            variances.map(f64::sqrt).collect()
        };
        Self {
            coefficients,
            std_errors: covariance.as_ref().map(errors),
            covariance,
            ..self.clone()
        }
    }

    /// The same with other free coefficients below the line of a fraction, and their variances.
    #[must_use]
    pub(crate) fn with_below(mut self, free: &[f64], variances: Option<&[f64]>) -> Self {
        if let Some(below) = &mut self.denominator {
            let unit = below.unit();
            below.coefficients = free.to_vec();
            below.coefficients.insert(unit, 1.0);
            below.std_errors = variances.map(|variances| {
                let mut errors: Vec<f64> = variances.iter().map(|v| v.sqrt()).collect();
                errors.insert(unit, 0.0);
                errors
            });
        }
        self
    }

    /// The same with other values of its inner parameters, which are in these terms; none if two
    /// terms have become one.
    pub(crate) fn with_inner(
        self,
        terms: Vec<Term>,
        values: &[f64],
        variances: Option<&[f64]>,
    ) -> Option<Self> {
        let dictionary = Dictionary::distinct(self.features(), terms).ok()?;
        let moved = self.parameters.iter().enumerate();
        let moved = moved.map(|(i, parameter)| Parameter {
            name: parameter.name.clone(),
            value: values[i],
            std_error: variances.map(|variances| variances[i].sqrt()),
        });
        let parameters = moved.collect();
        (dictionary.len() == self.dictionary.len()).then_some(Self {
            dictionary,
            parameters,
            ..self
        })
    }

    /// An equation that is given rather than learned: these terms with these coefficients, and no
    /// error known.
    ///
    /// ```
    /// use eqlearn::{Dictionary, Model};
    ///
    /// let model = Model::given("y", Dictionary::parse(["x"], ["x", "x^2"])?, &[1.0, -1.0])?;
    /// assert_eq!(model.term_texts(), ["x", "x^2"]);
    /// # Ok::<(), eqlearn::Error>(())
    /// ```
    ///
    /// # Errors
    /// Another number of coefficients than terms, or one that is not finite.
    pub fn given(
        left: impl Into<LeftSide>,
        terms: Dictionary,
        coefficients: &[f64],
    ) -> Result<Self> {
        let left = left.into();
        if coefficients.len() != terms.len() || coefficients.iter().any(|c| !c.is_finite()) {
            let (target, n_terms) = (left.to_string(), terms.len());
            return Err(LearnError::GivenCoefficients { target, n_terms }.into());
        }
        Ok(Self {
            left,
            dictionary: terms,
            coefficients: coefficients.to_vec(),
            std_errors: None,
            covariance: None,
            sigma: None,
            n_obs: 0,
            denominator: None,
            parameters: Vec::new(),
        })
    }

    /// What the equation gives.
    pub fn left_side(&self) -> &LeftSide {
        &self.left
    }

    /// The left side as text: the target column, or such as `x'`.
    pub fn target(&self) -> String {
        self.left.to_string()
    }

    /// The names of the features that a table must have for [`predict`](Self::predict).
    pub fn features(&self) -> &[String] {
        self.dictionary.features()
    }

    /// The features that are in some term: what a table needs for predictions.
    pub fn needed(&self) -> Vec<String> {
        let below = self.denominator.iter().map(|below| &below.dictionary);
        let mut used = self.dictionary.used();
        for dictionary in below {
            let both = used.iter_mut().zip(dictionary.used());
            both.for_each(|(used, below)| *used |= below);
        }
        let names = self.features().iter().zip(used);
        names
            .filter(|(_, used)| *used)
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// The terms, in the dictionary's order.
    pub fn terms(&self) -> &[Term] {
        self.dictionary.terms()
    }

    /// Each term as text.
    pub fn term_texts(&self) -> Vec<String> {
        self.terms().iter().map(Term::to_string).collect()
    }

    /// One coefficient per term.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// One standard error per term, where the noise level is known.
    pub fn std_errors(&self) -> Option<&[f64]> {
        self.std_errors.as_deref()
    }

    /// What the sum of terms is divided by; none if the law is no fraction.
    pub fn denominator(&self) -> Option<&Denominator> {
        self.denominator.as_ref()
    }

    /// The right side as a sum of terms times coefficients: of a fraction, each term over the line
    /// is divided by all that is below it.
    pub fn summands(&self) -> Vec<(f64, Term)> {
        let below = self.denominator.as_ref().map(|below| {
            let terms = below.terms().iter().zip(below.coefficients.iter().copied());
            Term::sum(terms).reciprocal()
        });
        let whole = |term: &Term| below.as_ref().map_or(term.clone(), |b| term.times(b));
        let terms = self.terms().iter().map(whole);
        self.coefficients.iter().copied().zip(terms).collect()
    }

    /// The inner parameters, whose values are in the terms.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The covariance of the coefficients, row by row, where the noise level is known.
    pub fn covariance(&self) -> Option<&[Vec<f64>]> {
        self.covariance.as_deref()
    }

    /// The noise level.
    pub fn sigma(&self) -> Option<f64> {
        self.sigma
    }

    /// How many rows it was learned from.
    pub fn n_obs(&self) -> usize {
        self.n_obs
    }

    /// The target's value for every row of a table: of a law for `log(y)`, that of `y`.
    ///
    /// # Errors
    /// A feature that the table does not have, a term that is not finite on a row, or a right side
    /// that no value of the target has, such as a negative `y^2`.
    pub fn predict(&self, table: &Table) -> Result<Vec<f64>> {
        let mut predicted = self.right_sides(table)?;
        if let Some(transform) = self.left.transform() {
            for (row, value) in predicted.iter_mut().enumerate() {
                let right = *value;
                *value = transform.inverse(right);
                if value.is_nan() {
                    return Err(LearnError::NoInverse {
                        left: self.left.to_string(),
                        value: right,
                        row: table.row_number(row),
                    }
                    .into());
                }
            }
        }
        match predicted.iter().position(|value| !value.is_finite()) {
            None => Ok(predicted),
            Some(row) => Err(LearnError::PredictionBeyondRange {
                row: table.row_number(row),
            }
            .into()),
        }
    }

    /// The right side's value for every row of a table.
    fn right_sides(&self, table: &Table) -> Result<Vec<f64>> {
        let mut sums = weighted_sums(&self.dictionary, &self.coefficients, table)?;
        if let Some(below) = &self.denominator {
            let below = weighted_sums(&below.dictionary, &below.coefficients, table)?;
            for (row, (sum, below)) in sums.iter_mut().zip(below).enumerate() {
                if below.abs() <= 0.0 {
                    let row = table.row_number(row);
                    return Err(LearnError::Pole { row }.into());
                }
                *sum /= below;
            }
        }
        Ok(sums)
    }

    /// The leverage of each row of a table, `kᵀ C k / σ²`; none without a noise level.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn leverages(&self, table: &Table) -> Result<Option<Vec<f64>>> {
        let (Some(covariance), Some(sigma)) = (&self.covariance, self.sigma) else {
            return Ok(None);
        };
        if self.denominator.is_some() || !self.parameters.is_empty() {
            return Ok(None);
        }
        let (terms, n_rows) = (evaluate(&self.dictionary, table)?, table.n_rows());
        // The noise of log(y) is that of y times the slope of the logarithm.
        let slopes = match self.left.transform() {
            Some(transform) => {
                let slope = |y: &f64| transform.derivative(*y).abs();
                self.predict(table)?.iter().map(slope).collect()
            }
            None => vec![1.0; n_rows],
        };
        let leverage = |row: usize| {
            let k = |i: usize| terms[i * n_rows + row] / (sigma * slopes[row]);
            let product = |(i, row): (usize, &Vec<f64>)| {
                k(i) * row.iter().enumerate().map(|(j, c)| c * k(j)).sum::<f64>()
            };
            covariance.iter().enumerate().map(product).sum()
        };
        Ok(Some((0..n_rows).map(leverage).collect()))
    }
}

/// The values of the terms of a dictionary, column by column.
fn evaluate(dictionary: &Dictionary, table: &Table) -> Result<Vec<f64>> {
    let used = dictionary.used();
    let unused = vec![0.0; table.n_rows()];
    let names = dictionary.features().iter().zip(used);
    let features = names
        .map(|(name, used)| {
            if used {
                table.column(name)
            } else {
                Ok(&unused[..])
            }
        })
        .collect::<Result<Vec<_>>>()?;
    let mut terms = vec![0.0; table.n_rows() * dictionary.len()];
    dictionary
        .evaluate(&features, &mut terms)
        .map_err(|place| dictionary.explain(place, &features, table.row_number(place.row)))?;
    Ok(terms)
}

/// The sum of terms times coefficients, for every row.
fn weighted_sums(dictionary: &Dictionary, coefficients: &[f64], table: &Table) -> Result<Vec<f64>> {
    let (terms, n_rows) = (evaluate(dictionary, table)?, table.n_rows());
    let mut sums = vec![0.0; n_rows];
    for (column, coefficient) in terms.chunks_exact(n_rows.max(1)).zip(coefficients) {
        for (sum, value) in sums.iter_mut().zip(column) {
            *sum += coefficient * value;
        }
    }
    Ok(sums)
}
