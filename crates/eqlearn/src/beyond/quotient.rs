//! Fractions as an attempt: what [`fractions`] finds, with a study of the law multiplied out.
//!
//! `y = P/Q` with a term `q` of Q whose coefficient is 1 is `y = P/q − y (Q − q)/q`: a sum of terms
//! that hold the target. The rows' noise is even after a division by `Q/q`. The study compares the
//! best fractions in this form; the answer itself has the coefficients of least squares on
//! `y − P/Q`.

use super::attempt::{Attempt, Known, Plan};
use super::fraction::{self, Fraction, FractionSettings, fractions};
use super::judge::{judge, residuals};
use super::rows::Rows;
use super::target::Target;
use crate::data::table::Table;
use crate::error::Result;
use crate::judge::ranking::Ranked;
use crate::learn::model::{Denominator, Model};
use crate::learn::{Polished, Settings, Study};
use crate::methods::{How, Proposal};
use crate::observe::Observer;
use crate::reduce::reduce;
use crate::reduce::support::Support;
use crate::search::Search;
use crate::terms::dictionary::Dictionary;
use crate::terms::left_side::LeftSide;
use crate::terms::problem::Problem;
use crate::terms::term::Term;

/// The largest number of terms above and below the line together.
const LARGEST: usize = 6;
/// How many supports of each size are fitted.
const KEPT: usize = 12;
/// The number of subsets up to which a size is searched.
const EFFORT: u128 = 60_000_000;
/// The most rows: fractions are fitted many times.
const MOST_ROWS: usize = 1000;
/// How many fractions are compared in the end.
const COMPARED: usize = 25;

/// Looks for a fraction; none if there is none on these rows.
pub(super) fn quotient(
    known: &Known<'_>,
    plan: &Plan,
    observer: &mut dyn Observer,
) -> Result<Option<Attempt>> {
    let (rows, common) = (known.rows, &plan.factor);
    let Some(target) = Target::new(rows, known.base.problem(), plan.transform) else {
        return Ok(None);
    };
    let mut scale = vec![1.0; rows.len()];
    common.evaluate(&rows.columns(), &mut scale);
    let every = rows.len().div_ceil(MOST_ROWS).max(1);
    let some = |values: &[f64]| -> Vec<f64> { values.iter().step_by(every).copied().collect() };
    let columns: Vec<Vec<f64>> = rows.features.iter().map(|column| some(column)).collect();
    let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let divided = |(value, scale): (&f64, &f64)| value / scale;
    let values: Vec<f64> = target.values.iter().zip(&scale).map(divided).collect();
    let times = |(weight, scale): (&f64, &f64)| weight * scale.abs();
    let weights: Vec<f64> = target.precision.iter().zip(&scale).map(times).collect();
    if values.iter().chain(&weights).any(|v| !v.is_finite()) {
        return Ok(None);
    }
    let (values, weights) = (some(&values), some(&weights));
    let some_rows = fraction::Rows {
        features: rows.names,
        columns: &columns,
        target: &values,
        weights: Some(&weights),
    };
    let mut best: Option<Attempt> = None;
    for (above, below) in sides(known, plan, &target.left)? {
        let made = Made {
            known,
            rows,
            plan,
            target: &target,
            common,
            above: &above,
            below: &below,
        };
        let found = made.look(&some_rows, observer)?;
        let better = |next: &Attempt| best.as_ref().is_none_or(|best| next.score > best.score);
        best = match found {
            Some(next) if better(&next) => Some(next),
            _ => best,
        };
    }
    Ok(best)
}

/// The terms that may stand above and below the line: all, or those of each dimension that makes a
/// quotient of the right one.
fn sides(known: &Known<'_>, plan: &Plan, left: &LeftSide) -> Result<Vec<(Dictionary, Dictionary)>> {
    let all = Dictionary::distinct(known.rows.names, plan.list.terms.iter().cloned())?;
    Ok(match &known.limits.units {
        None => vec![(all.clone(), all)],
        Some(units) => {
            let both = units.fractions(all.terms(), &plan.factor, left).into_iter();
            both.map(|(above, below)| (all.select(&above), all.select(&below)))
                .collect()
        }
    })
}

/// The term of the denominator whose coefficient is 1.
fn unit(law: &Fraction) -> usize {
    law.form.denominator[law.form.unit]
}

/// All that an attempt is made from.
struct Made<'a> {
    known: &'a Known<'a>,
    rows: &'a Rows<'a>,
    plan: &'a Plan,
    target: &'a Target,
    common: &'a Term,
    /// The terms above the line, and those below.
    above: &'a Dictionary,
    below: &'a Dictionary,
}

impl Made<'_> {
    /// The best fraction of these terms, found on some rows and judged on all.
    fn look(
        &self,
        some: &fraction::Rows<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Option<Attempt>> {
        let settings = FractionSettings {
            max_terms: LARGEST,
            keep: KEPT,
            effort: EFFORT,
            ..FractionSettings::new(self.above.clone(), self.below.clone())
        };
        let found = fractions(some, &settings, observer)?;
        // A law without a pole, with something below the line.
        let real = |law: &&Fraction| law.form.denominator.len() > 1 && !law.has_pole;
        let laws: Vec<&Fraction> = found.iter().filter(real).take(COMPARED).collect();
        match laws.first() {
            Some(best) => self.attempt(best, &laws),
            None => Ok(None),
        }
    }

    /// None if the law has no value on some row, such as the root of a negative fraction.
    fn attempt(&self, best: &Fraction, laws: &[&Fraction]) -> Result<Option<Attempt>> {
        let model = self.model(best)?;
        let left = residuals(self.rows, &model);
        let squares: f64 = left.iter().map(|r| r * r).sum();
        if !squares.is_finite() {
            return Ok(None);
        }
        let alike = |law: &&&Fraction| unit(law) == unit(best);
        let laws: Vec<&Fraction> = laws.iter().filter(alike).copied().collect();
        let (problem, supports) = self.problem(best, &laws)?;
        let tables = self.tables(best, &problem);
        let batches = tables.iter().map(|table| Ok(table.clone()));
        let reduction = reduce(&problem, batches, 1, &mut ())?;
        let settings = Settings {
            space: Search {
                centre: Support::empty(),
                required: Support::empty(),
                excluded: Support::empty(),
                ..self.known.base.settings().space.clone()
            },
            n_candidates: Some(self.n_candidates()),
            ..self.known.base.settings().clone()
        };
        let proposal = Proposal {
            choice: supports.first().cloned(),
            supports: supports.clone(),
            how: How::Fractions,
        };
        let study = Study::new(&problem, &reduction, &settings, proposal);
        // Fits of the law multiplied out have the noise of the target in their terms: fractions
        // are compared by what they leave of the target itself.
        let score = |model: &Ranked| {
            let law = supports.iter().position(|own| own == model.fit.support());
            law.map_or(model.score, |law| laws[law].score)
        };
        let scores: Vec<f64> = study.ranking().models().iter().map(score).collect();
        let study = study.rescored(&scores);
        let study = study.polished_by(Polished {
            model,
            residual_norm: squares.sqrt(),
            share: squares / self.rows.total(),
        });
        let judged = judge(&self.known.judging(self.plan.vocabulary), study);
        Ok(Some(Attempt {
            rows: Some(tables),
            description: Some(self.description(best)),
            ..judged
        }))
    }

    /// The nats it takes to say which fraction it is: its terms are chosen on two sides.
    fn description(&self, law: &Fraction) -> f64 {
        let above = law.form.numerator.iter().map(|&i| &self.above.terms()[i]);
        let below = law.form.denominator.iter().map(|&j| &self.below.terms()[j]);
        let terms: Vec<&Term> = above.chain(below).collect();
        let ranks = terms
            .iter()
            .map(|term| self.plan.list.rank(|own| own == *term));
        let rank = ranks.max().unwrap_or(1);
        self.plan.description(2 * rank, terms.len())
    }

    /// How many terms there were to choose from on both sides, before a factor was chosen.
    fn n_candidates(&self) -> usize {
        (self.above.len() + self.below.len()).max(2 * self.plan.n_choices)
    }

    /// A term above the line, with the common factor.
    fn term_above(&self, place: usize) -> Term {
        self.common.times(&self.above.terms()[place])
    }

    /// The law itself.
    fn model(&self, law: &Fraction) -> Result<Model> {
        let form = &law.form;
        let names = self.rows.names;
        let above = form.numerator.iter().map(|&i| self.term_above(i));
        let below = form.denominator.iter();
        let below = below.map(|&j| self.below.terms()[j].clone());
        let n_above = form.numerator.len();
        let free: Vec<f64> = (0..law.covariance.len())
            .map(|i| law.covariance[i][i].sqrt())
            .collect();
        let mut errors: Vec<f64> = free[n_above..].to_vec();
        errors.insert(form.unit, 0.0);
        let covariance = law.covariance[..n_above].iter();
        let covariance = covariance.map(|row| row[..n_above].to_vec()).collect();
        Ok(Model::fraction(
            self.target.left.clone(),
            (
                Dictionary::new(names)?.with(above)?,
                form.numerator_coefficients.clone(),
            ),
            Denominator {
                dictionary: Dictionary::new(names)?.with(below)?,
                coefficients: form.denominator_coefficients.clone(),
                std_errors: Some(errors),
            },
            Some(covariance),
            (Some(law.sigma), self.rows.len()),
        ))
    }

    /// The law multiplied out, as a problem, and the supports of all these laws, which have the
    /// same unit.
    fn problem(&self, best: &Fraction, laws: &[&Fraction]) -> Result<(Problem, Vec<Support>)> {
        let target = self.target.left.to_string();
        let mut features = self.rows.names.to_vec();
        features.push(target.clone());
        let y = Term::power_product([(features.len() - 1, target.as_str(), 1.0)]);
        let over = self.below.terms()[unit(best)].reciprocal();
        let terms_of = |law: &Fraction| -> Vec<Term> {
            let form = &law.form;
            let above = form.numerator.iter();
            let above = above.map(|&i| self.term_above(i).times(&over));
            let below = form.denominator.iter().filter(|&&j| j != unit(law));
            let below = below.map(|&j| y.times(&self.below.terms()[j]).times(&over));
            above.chain(below).collect()
        };
        let all = laws.iter().flat_map(|law| terms_of(law));
        let dictionary = Dictionary::distinct(&features, all)?;
        let place = |term: &Term| dictionary.position(term);
        let support = |law: &&Fraction| terms_of(law).iter().filter_map(place).collect();
        let supports: Vec<Support> = laws.iter().map(support).collect();
        let problem = Problem::implicit(self.target.left.clone(), dictionary)
            .with_constants(self.known.base.problem().constants())
            .with_weights(WEIGHTS)?;
        Ok((problem, supports))
    }

    /// The rows with the weights of the law multiplied out.
    fn tables(&self, best: &Fraction, problem: &Problem) -> Vec<Table> {
        let columns = self.rows.columns();
        let value = |term: &Term| {
            let mut values = vec![0.0; self.rows.len()];
            term.evaluate(&columns, &mut values);
            values
        };
        let form = &best.form;
        let mut below = vec![0.0; self.rows.len()];
        for (&j, b) in form.denominator.iter().zip(&form.denominator_coefficients) {
            for (sum, v) in below.iter_mut().zip(value(&self.below.terms()[j])) {
                *sum += b * v;
            }
        }
        let unit = value(&self.below.terms()[form.denominator[form.unit]]);
        let weight = |row: usize| (unit[row] / below[row] * self.target.precision[row]).powi(2);
        let weights: Vec<f64> = (0..self.rows.len()).map(weight).collect();
        let name = problem.weights().unwrap_or(WEIGHTS);
        let given = self.target.tables.as_deref().unwrap_or(self.rows.tables);
        let mut first = 0;
        let add = |table: &Table| {
            let range = first..first + table.n_rows();
            first = range.end;
            table.with_column(name, weights[range].to_vec())
        };
        given.iter().map(add).collect()
    }
}

/// The column of weights that is made.
const WEIGHTS: &str = "weight of the fraction";
