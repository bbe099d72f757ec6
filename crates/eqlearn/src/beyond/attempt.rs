//! One vocabulary for one target, from its terms to a law that is judged.

use super::parameters::Caution;
use super::rows::Rows;
use super::{LONG, OUTSIDE, Trial};
use crate::data::table::Table;
use crate::error::Result;
use crate::judge::criterion::log_binomial;
use crate::judge::misfit::{ROUNDING, Residuals, misfit};
use crate::learn::model::Model;
use crate::learn::{Polished, Settings, Study, learn};
use crate::observe::Observer;
use crate::reduce::support::Support;
use crate::reduce::{Reduction, reduce};
use crate::search::{Candidate, Run, Search, search};
use crate::terms::dictionary::Dictionary;
use crate::terms::left_side::LeftSide;
use crate::terms::limits::Limits;
use crate::terms::problem::Problem;
use crate::terms::term::Term;
use crate::terms::transform::Transform;
use crate::terms::vocabulary::Vocabulary;

/// Dictionaries up to this size are searched as they are.
const SMALL: usize = 60;
/// The largest number of subsets that a screening looks at.
const SCREENING: f64 = 1.5e9;
/// The largest support of a screening.
const SCREENED_TERMS: usize = 5;
/// The largest law beyond the dictionary.
const LARGEST_LAW: usize = 6;
/// What a function of the target costs against the target itself, as the log of odds.
const TRANSFORMED: f64 = 5.0;
/// The largest share of rows on which a function of the target may have no value.
const MOST_MISSING: f64 = 0.25;
/// Values up to this share of the target's root mean square can be noise around zero.
const SMALL_VALUE: f64 = 0.1;
/// With fewer rows a smooth function can be made of any residuals.
pub(crate) const FEWEST: usize = 12;
/// Steps of Gauss and Newton in the target's own units.
const STEPS: usize = 8;
/// Values beyond this are not used: their squares are too close to the end of all numbers.
const LARGEST_VALUE: f64 = 1e120;

/// What was learned with a vocabulary.
#[derive(Debug, Clone)]
pub(super) struct Attempt {
    pub(super) study: Study,
    /// The rows, if the study speaks of columns that were made for it.
    pub(super) rows: Option<Vec<Table>>,
    pub(super) score: f64,
    /// What to know about inner parameters.
    pub(super) cautions: Vec<Caution>,
}

impl Attempt {
    /// Whether the law still seems to be outside.
    pub(super) fn is_outside(&self) -> bool {
        self.study
            .misfit()
            .is_some_and(|m| m.log_bayes_factor > OUTSIDE)
    }

    /// Whether nothing simpler is to be expected: one term for the target itself, and nothing that
    /// it leaves.
    pub(super) fn is_plain(&self) -> bool {
        let direct = self.study.problem().left_side().transform().is_none();
        self.size() == 1 && direct && !self.is_outside() && self.is_beyond()
    }

    /// Whether this is the law, as far as can be seen: a short equation that leaves nothing. A
    /// long one may be the series of another law.
    pub(super) fn is_short(&self) -> bool {
        self.size() < LONG && !self.is_outside() && self.is_beyond()
    }

    /// The number of terms.
    pub(super) fn size(&self) -> usize {
        let answer = self.study.answer();
        answer.map_or(0, |answer| answer.fit.support().len())
    }

    fn is_beyond(&self) -> bool {
        self.study.vocabulary() > Vocabulary::Monomials
    }

    pub(super) fn trial(&self) -> Trial {
        let study = &self.study;
        let n_terms = study.settings().n_candidates;
        Trial {
            vocabulary: study.vocabulary(),
            equation: study
                .model()
                .map_or("no equation".into(), |m| m.to_string()),
            n_terms: n_terms.unwrap_or(study.reduction().n_terms()),
            score: self.score,
            misfit: study.misfit(),
            cautions: self.cautions.clone(),
        }
    }
}

/// Whether nobody judged an equation that leaves more than rounding errors.
pub(crate) fn is_unjudged(study: &Study) -> bool {
    study.misfit().is_none() && leaves_something(study)
}

/// Whether there is an equation that leaves more than rounding errors.
pub(super) fn leaves_something(study: &Study) -> bool {
    study.answer().is_some_and(|answer| {
        let share = answer.fit.share_of(study.ranking().baseline());
        share > ROUNDING
    })
}

/// What to try.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub(super) vocabulary: Vocabulary,
    /// The function of the target that the terms are to give; none for the target itself.
    pub(super) transform: Option<Transform>,
    pub(super) terms: Vec<Term>,
    /// How many terms there are to choose from, if that is more: a factor that all of them share
    /// was chosen too.
    pub(super) n_choices: usize,
    /// The settings of the study that this goes beyond.
    pub(super) settings: &'a Settings,
    pub(super) problem: &'a Problem,
    /// What the user says of terms.
    pub(super) limits: &'a Limits,
}

/// Learns from a vocabulary; none if its terms or the function of the target do not exist on
/// these rows, or nothing was found.
pub(super) fn attempt(
    rows: &Rows<'_>,
    plan: &Plan<'_>,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<Option<Attempt>> {
    let Some(target) = Target::new(rows, plan) else {
        return Ok(None);
    };
    let usable: Vec<Term> = usable(rows, &plan.terms);
    let n_candidates = usable.len().max(plan.n_choices);
    let terms = target.screened(rows, usable, run, observer)?;
    if terms.is_empty() {
        return Ok(None);
    }
    let problem = target.problem(plan.problem, Dictionary::distinct(rows.names, terms)?)?;
    let constant = problem
        .dictionary()
        .terms()
        .iter()
        .position(Term::is_constant);
    let forced = !plan.settings.space.centre.is_empty();
    let settings = Settings {
        space: Search {
            max_terms: plan.settings.space.max_terms.min(LARGEST_LAW),
            centre: constant.filter(|_| forced).into_iter().collect(),
            required: Support::empty(),
            excluded: Support::empty(),
            ..plan.settings.space.clone()
        },
        n_candidates: Some(n_candidates),
        ..plan.settings.clone()
    };
    let tables = target.tables.as_deref().unwrap_or(rows.tables);
    let batches = tables.iter().map(|table| Ok(table.clone()));
    let reduction = reduce(&problem, batches, run.threads, observer)?;
    let run = Run {
        threads: run.threads,
        ..Run::default()
    };
    let study = learn(&problem, &reduction, &settings, &run, observer)?;
    let Some(model) = study.model() else {
        return Ok(None);
    };
    let study = match plan.transform {
        None => study,
        Some(transform) => match polish(rows, &model, transform) {
            Some(polished) => study.polished_by(polished),
            None => return Ok(None),
        },
    };
    let judged = judge(rows, study, plan.vocabulary);
    Ok(Some(Attempt {
        rows: target.tables,
        ..judged
    }))
}

/// The target of an attempt: a column of the table, or one that is made here.
pub(super) struct Target {
    pub(super) left: LeftSide,
    pub(super) values: Vec<f64>,
    /// The square roots of the weights; 0 for rows on which the function has no value.
    pub(super) precision: Vec<f64>,
    /// The name of the column of weights, if one is made.
    weights: Option<String>,
    pub(super) tables: Option<Vec<Table>>,
}

impl Target {
    pub(super) fn new(rows: &Rows<'_>, plan: &Plan<'_>) -> Option<Self> {
        let column = plan.problem.target();
        let Some(transform) = plan.transform else {
            return Some(Self {
                left: plan.problem.left_side().clone(),
                values: rows.target.clone(),
                precision: rows.precision.clone(),
                weights: None,
                tables: None,
            });
        };
        let (defined, mostly) = defined(rows, transform);
        if !mostly {
            return None;
        }
        let left = LeftSide::Function {
            of: column.clone(),
            transform,
        };
        let name = format!("weight of {left}");
        let weighted = |row: usize| {
            if defined[row] {
                rows.precision[row] / transform.derivative(rows.target[row]).abs()
            } else {
                0.0
            }
        };
        let precision: Vec<f64> = (0..rows.len()).map(weighted).collect();
        let largest = precision.iter().fold(0.0_f64, |a, p| a.max(*p));
        let value = |row: usize| {
            if defined[row] {
                transform.apply(rows.target[row])
            } else {
                0.0
            }
        };
        let values: Vec<f64> = (0..rows.len()).map(value).collect();
        let finite = |values: &[f64]| values.iter().all(|v| v.abs() < LARGEST_VALUE);
        if !finite(&values) || !finite(&precision) || largest <= 0.0 {
            return None;
        }
        let mut tables = Vec::with_capacity(rows.tables.len());
        let mut first = 0;
        for table in rows.tables {
            let range = first..first + table.n_rows();
            first = range.end;
            let squares = precision[range.clone()].iter().map(|p| p * p).collect();
            let table = table.with_column(&left.to_string(), values[range].to_vec());
            tables.push(table.with_column(&name, squares));
        }
        Some(Self {
            left,
            values,
            precision,
            weights: Some(name),
            tables: Some(tables),
        })
    }

    /// The problem of explaining it by these terms.
    fn problem(&self, base: &Problem, dictionary: Dictionary) -> Result<Problem> {
        let problem = Problem::new(self.left.clone(), dictionary)?.with_constants(base.constants());
        match (&self.weights, base.weights()) {
            (Some(made), _) => problem.with_weights(made),
            (None, Some(given)) => Ok(problem.with_weights(given)?.with_meaning(base.meaning())),
            (None, None) => Ok(problem),
        }
    }

    /// The terms of the best small supports, by exact search on some rows.
    fn screened(
        &self,
        rows: &Rows<'_>,
        terms: Vec<Term>,
        run: &Run<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Term>> {
        if terms.len() <= SMALL {
            return Ok(terms);
        }
        let some = rows.some();
        let pick = |values: &[f64]| -> Vec<f64> {
            some.iter()
                .map(|&row| values[row] * self.precision[row])
                .collect()
        };
        let features = rows.columns();
        let mut values = vec![0.0; rows.len()];
        let mut columns = Vec::with_capacity(terms.len() + 1);
        for term in &terms {
            term.evaluate(&features, &mut values);
            columns.push(pick(&values));
        }
        columns.push(pick(&self.values));
        let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let triangle = Reduction::from_columns_in_double(&slices).triangle();
        let space = Search {
            max_terms: affordable(terms.len()),
            ..Search::default()
        };
        let run = Run {
            threads: run.threads,
            ..Run::default()
        };
        let found = search(&triangle, &space, &run, observer)?;
        let lists: Vec<&[Candidate]> = found.sizes.iter().map(|s| s.best.as_slice()).collect();
        let chosen = in_turns(&lists, SMALL);
        Ok(chosen.indices().iter().map(|&i| terms[i].clone()).collect())
    }
}

/// On which rows a function of the target exists, and whether those where it does not can be
/// noise: few and small.
fn defined(rows: &Rows<'_>, transform: Transform) -> (Vec<bool>, bool) {
    let exists = |y: &f64| transform.is_defined_for(std::slice::from_ref(y));
    let defined: Vec<bool> = rows.target.iter().map(exists).collect();
    let scale = (rows.target.iter().map(|y| y * y).sum::<f64>() / rows.len() as f64).sqrt();
    let missing = || rows.target.iter().filter(|y| !exists(y));
    let few = missing().count() as f64 <= MOST_MISSING * rows.len() as f64;
    let small = missing().all(|y| y.abs() <= SMALL_VALUE * scale);
    (defined, few && small)
}

/// The largest size whose subsets a screening can look at.
fn affordable(n_terms: usize) -> usize {
    let n = n_terms as f64;
    let fits = |size: &usize| log_binomial(n, *size as f64) <= SCREENING.ln();
    (1..=SCREENED_TERMS).filter(fits).max().unwrap_or(1)
}

/// The terms of the first supports of each list, then of the second and so on, at most `most`.
fn in_turns(lists: &[&[Candidate]], most: usize) -> Support {
    let longest = lists.iter().map(|list| list.len()).max().unwrap_or(0);
    let mut chosen = Support::empty();
    for rank in 0..longest {
        for list in lists.iter().rev() {
            if let Some(candidate) = list.get(rank) {
                let more = chosen.union(&candidate.support);
                if more.len() <= most {
                    chosen = more;
                }
            }
        }
    }
    chosen
}

/// The terms that are finite and vary on these rows, and the constant.
pub(super) fn usable(rows: &Rows<'_>, terms: &[Term]) -> Vec<Term> {
    let features = rows.columns();
    let mut values = vec![0.0; rows.len()];
    let mut is_usable = |term: &&Term| {
        term.evaluate(&features, &mut values);
        let finite = values.iter().all(|v| v.abs() < LARGEST_VALUE);
        let largest = values.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        finite && largest > LARGEST_VALUE.recip()
    };
    terms
        .iter()
        .filter(|term| is_usable(term))
        .cloned()
        .collect()
}

/// Fits a law of a function of the target in the target's own units, by steps of Gauss and
/// Newton; none if it has no value on some row.
fn polish(rows: &Rows<'_>, model: &Model, transform: Transform) -> Option<Polished> {
    let columns = evaluated(rows, model.terms());
    let mut best: Option<(Vec<f64>, f64)> = None;
    let mut coefficients = model.coefficients().to_vec();
    let mut fit = None;
    for _ in 0..STEPS {
        let right = combine(&columns, &coefficients, rows.len());
        let predicted: Vec<f64> = right.iter().map(|z| transform.inverse(*z)).collect();
        let norm = residual_norm(rows, &predicted);
        if !norm.is_finite() || best.as_ref().is_some_and(|(_, least)| norm >= *least) {
            break;
        }
        best = Some((coefficients.clone(), norm));
        let slope = |row: usize| transform.derivative(predicted[row]);
        let weight = |row: usize| rows.precision[row] / slope(row).abs();
        let weighted = |column: &Vec<f64>| -> Vec<f64> {
            column
                .iter()
                .enumerate()
                .map(|(row, v)| v * weight(row))
                .collect()
        };
        let working = |row: usize| {
            (right[row] + slope(row) * (rows.target[row] - predicted[row])) * weight(row)
        };
        let mut scaled: Vec<Vec<f64>> = columns.iter().map(weighted).collect();
        scaled.push((0..rows.len()).map(working).collect());
        if scaled.iter().flatten().any(|v| !v.is_finite()) {
            break;
        }
        let slices: Vec<&[f64]> = scaled.iter().map(Vec::as_slice).collect();
        let step = Reduction::from_columns(&slices).fit(&(0..columns.len()).collect());
        coefficients = step.coefficients().to_vec();
        fit = Some(step);
    }
    let (coefficients, residual_norm) = best?;
    let spare = rows.len().saturating_sub(coefficients.len());
    let polished = model.refined(coefficients, fit.and_then(|fit| fit.covariance()));
    let total = rows.total();
    Some(Polished {
        model: if spare > 0 {
            polished.with_sigma(residual_norm / (spare as f64).sqrt())
        } else {
            polished
        },
        residual_norm,
        share: residual_norm * residual_norm / total,
    })
}

/// A study with its misfit and its score on the scale that all vocabularies share.
pub(super) fn judge(rows: &Rows<'_>, study: Study, vocabulary: Vocabulary) -> Attempt {
    judge_with(rows, study, vocabulary, &[])
}

/// The same for a law that has parameters besides its coefficients, with the derivatives of the
/// law by them on every row.
pub(super) fn judge_with(
    rows: &Rows<'_>,
    study: Study,
    vocabulary: Vocabulary,
    slopes: &[Vec<f64>],
) -> Attempt {
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
    let judged = misfit(&Residuals {
        features: &columns,
        tangents: &tangents,
        residuals: &residuals,
    });
    // Rounding errors of a smooth law are smooth too, and say nothing of it.
    let judged = judged.filter(|_| share > ROUNDING && rows.len() >= FEWEST);
    // A law without a value on some row explains nothing.
    let share = if share.is_nan() {
        f64::INFINITY
    } else {
        share.max(ROUNDING)
    };
    let (n, m) = (rows.len() as f64, (size + slopes.len()) as f64);
    let n_models = log_binomial(yardstick.n_candidates as f64, m);
    let prior = if transformed { TRANSFORMED } else { 0.0 };
    let score = -0.5 * (n - m) * share.ln() - 0.5 * m * n.ln() - n_models - prior;
    Attempt {
        study: study.judged(vocabulary, judged),
        rows: None,
        score,
        cautions: Vec::new(),
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

pub(super) fn evaluated(rows: &Rows<'_>, terms: &[Term]) -> Vec<Vec<f64>> {
    let features = rows.columns();
    let column = |term: &Term| {
        let mut values = vec![0.0; rows.len()];
        term.evaluate(&features, &mut values);
        values
    };
    terms.iter().map(column).collect()
}

fn combine(columns: &[Vec<f64>], coefficients: &[f64], n_rows: usize) -> Vec<f64> {
    let mut sums = vec![0.0; n_rows];
    for (column, coefficient) in columns.iter().zip(coefficients) {
        for (sum, value) in sums.iter_mut().zip(column) {
            *sum += coefficient * value;
        }
    }
    sums
}

fn residual_norm(rows: &Rows<'_>, predicted: &[f64]) -> f64 {
    let both = rows.target.iter().zip(predicted).zip(&rows.precision);
    let squares: f64 = both.map(|((y, f), p)| ((y - f) * p).powi(2)).sum();
    squares.sqrt()
}
