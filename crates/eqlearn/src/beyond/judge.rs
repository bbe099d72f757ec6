//! How good a law is: its residuals in the target's own units, their misfit, and a score on the
//! scale that all vocabularies share.

use super::attempt::Attempt;
use super::rows::Rows;
use crate::judge::criterion::log_binomial;
use crate::judge::misfit::{ROUNDING, Residuals, misfit};
use crate::learn::Study;
use crate::learn::model::Model;
use crate::terms::term::Term;
use crate::terms::vocabulary::Vocabulary;

/// What a function of the target costs against the target itself, as the log of odds.
const TRANSFORMED: f64 = 5.0;
/// With fewer rows a smooth function can be made of any residuals.
pub(crate) const FEWEST: usize = 12;

/// What a study is judged against, and as what.
#[derive(Debug, Clone, Copy)]
pub(super) struct Judging<'a> {
    pub(super) rows: &'a Rows<'a>,
    pub(super) vocabulary: Vocabulary,
    /// The derivatives of the law by parameters besides its coefficients, on every row.
    pub(super) slopes: &'a [Vec<f64>],
    /// The log of the number of laws of this size, if it is not all choices from one dictionary.
    pub(super) log_n_laws: Option<f64>,
    /// What the law costs besides the choice of its terms, as the log of odds.
    pub(super) price: f64,
    /// The best score so far: what scores less is not judged further.
    pub(super) to_beat: f64,
}

/// A study with its score on the scale that all vocabularies share, and its misfit if it is the
/// best so far.
pub(super) fn judge(judging: &Judging<'_>, study: Study) -> Attempt {
    let Judging { rows, slopes, .. } = *judging;
    let yardstick = *study.yardstick();
    let transformed = study.problem().left_side().transform().is_some();
    let (residuals, tangents, size) = if let Some(model) = study.model() {
        linearised(rows, &model)
    } else {
        let weighted = rows.target.iter().zip(&rows.precision);
        let residuals = weighted.map(|(y, p)| y * p).collect();
        (residuals, vec![rows.precision.clone()], 0)
    };
    let columns = rows.columns();
    let tangents = tangents.iter().chain(slopes).map(Vec::as_slice);
    let tangents: Vec<&[f64]> = tangents.collect();
    let squares: f64 = residuals.iter().map(|r| r * r).sum();
    let share = squares / rows.total();
    // Rounding errors of a smooth law are smooth too, and say nothing of it.
    let can_be_judged = share > ROUNDING && rows.len() >= FEWEST;
    // A law without a value on some row explains nothing.
    let share = if share.is_nan() {
        f64::INFINITY
    } else {
        share.max(ROUNDING)
    };
    let (n, m) = (rows.len() as f64, (size + slopes.len()) as f64);
    let all_choices = || log_binomial(yardstick.n_candidates as f64, m);
    let n_models = judging.log_n_laws.unwrap_or_else(all_choices);
    let price = judging.price + if transformed { TRANSFORMED } else { 0.0 };
    let score = -0.5 * (n - m) * share.ln() - 0.5 * m * n.ln() - n_models - price;
    let judged = (can_be_judged && score > judging.to_beat).then(|| {
        misfit(&Residuals {
            features: &columns,
            tangents: &tangents,
            residuals: &residuals,
        })
    });
    Attempt {
        study: study.judged(judging.vocabulary, judged.flatten()),
        rows: None,
        score,
        cautions: Vec::new(),
        plan: None,
        description: None,
    }
}

/// The residuals of a law in units of the noise.
pub(super) fn residuals(rows: &Rows<'_>, model: &Model) -> Vec<f64> {
    linearised(rows, model).0
}

/// The residuals of a law, its derivatives by each free coefficient, and how many there are.
pub(super) fn linearised(rows: &Rows<'_>, model: &Model) -> (Vec<f64>, Vec<Vec<f64>>, usize) {
    let columns = evaluated(rows, model.terms());
    let over = combine(&columns, model.coefficients(), rows.len());
    let (below_columns, below) = match model.denominator() {
        Some(denominator) => {
            let columns = evaluated(rows, denominator.terms());
            let sums = combine(&columns, denominator.coefficients(), rows.len());
            (columns, sums)
        }
        None => (Vec::new(), vec![1.0; rows.len()]),
    };
    let transform = model.left_side().transform();
    let right = |row: usize| over[row] / below[row];
    let value = |row: usize| transform.map_or(right(row), |t| t.inverse(right(row)));
    let slope = |row: usize| transform.map_or(1.0, |t| t.derivative(value(row)).recip());
    let residual = |row: usize| (rows.target[row] - value(row)) * rows.precision[row];
    let residuals = (0..rows.len()).map(residual).collect();
    let tangent = |column: &Vec<f64>, outer: &dyn Fn(usize) -> f64| -> Vec<f64> {
        let values = column.iter().enumerate();
        let scaled = |(row, v): (usize, &f64)| {
            v * outer(row) * slope(row) * rows.precision[row] / below[row]
        };
        values.map(scaled).collect()
    };
    let above = columns.iter().map(|column| tangent(column, &|_| 1.0));
    let under = below_columns.iter().map(|column| tangent(column, &right));
    let tangents: Vec<Vec<f64>> = above.chain(under).collect();
    let size = tangents.len() - usize::from(!below_columns.is_empty());
    (residuals, tangents, size)
}

/// The values of terms on all rows.
pub(super) fn evaluated(rows: &Rows<'_>, terms: &[Term]) -> Vec<Vec<f64>> {
    let features = rows.columns();
    let column = |term: &Term| {
        let mut values = vec![0.0; rows.len()];
        term.evaluate(&features, &mut values);
        values
    };
    terms.iter().map(column).collect()
}

/// The sum of columns with these coefficients.
pub(super) fn combine(columns: &[Vec<f64>], coefficients: &[f64], n_rows: usize) -> Vec<f64> {
    let mut sums = vec![0.0; n_rows];
    for (column, coefficient) in columns.iter().zip(coefficients) {
        for (sum, value) in sums.iter_mut().zip(column) {
            *sum += coefficient * value;
        }
    }
    sums
}
