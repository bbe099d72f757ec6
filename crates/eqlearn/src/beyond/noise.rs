//! Rows that do not count alike: learning and judging the noise, in turns.
//!
//! A law is learned, and what it leaves tells how the noise varies from row to row and which rows
//! do not belong. Then the law is learned again, with rows weighted by the inverse of their
//! variance and without those, until neither changes. Copies of rows are left out from the start.
//!
//! What a law outside the vocabulary leaves looks like uneven noise too. So weights are kept only
//! if they explain the rows better than even noise does with something smooth added to the law, and
//! never if the law seems to be outside with and without them, or if there is none.
//!
//! Always holds: even noise without copies changes no bit of the answer.
//!
//! Carroll and Ruppert, Transformation and Weighting in Regression, chapter 2.

mod changes;

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::judge::linearised;
use super::rows::Rows;
use super::{Asked, Beyond, Learned, OUTSIDE, Once, Scope, learn_once};
use crate::data::table::Table;
use crate::error::{Error, Result};
use crate::judge::misfit::ROUNDING;
use crate::judge::noise::{
    Distrust, NoiseFindings, NoiseRows, Uneven, Variable, copies, distrust, relative, sentinels,
    uneven,
};
use crate::learn::LearnError;
use crate::methods::Method;
use crate::observe::Observer;
use crate::reduce::reduce;
use crate::search::Run;
use crate::terms::left_side::LeftSide;
use crate::terms::problem::{Constants, Weights};

/// The most rounds of learning and weighing.
const ROUNDS: usize = 6;

/// What the shape of the noise costs against even noise, as the log of odds.
const SHAPE: f64 = 5.0;

/// With so many rows, noise in proportion to the value is tried even if it does not show. With
/// fewer, no shape of the noise is seen.
const FEW_ROWS: RangeInclusive<usize> = 30..=100;

/// The largest share of rows that may be distrusted: of more, the law is wrong and not the rows.
const MOST_DISTRUSTED: f64 = 0.25;

/// Residuals below this share of the target's root mean square are rounding errors.
const SMALLEST: f64 = 1e-12;

/// How the noise of the target varies from row to row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Noise {
    /// As the residuals tell.
    #[default]
    Auto,
    /// Not at all.
    Even,
    /// In proportion to the predicted value, down to a floor.
    Relative,
}

impl Noise {
    /// What users can name, each with what it is.
    pub fn named() -> Vec<(&'static str, &'static str, Self)> {
        let auto = "Rows are weighted where the residuals show that the noise is not even";
        vec![
            ("auto", auto, Self::Auto),
            ("even", "The same in all rows", Self::Even),
            (
                "relative",
                "In proportion to the predicted value, down to a floor",
                Self::Relative,
            ),
        ]
    }
}

/// Learns an equation from rows that may not count alike.
pub(super) fn learn_in_turns(
    asked: &Asked<'_>,
    beyond: &Beyond,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<Learned> {
    let rows = Rows::new(asked.problem, asked.kept)?;
    let n_kept = rows.as_ref().map_or(0, Rows::len);
    let all_at_hand = n_kept == asked.data.whole.n_obs();
    if !all_at_hand && (beyond.robust || beyond.noise == Noise::Relative) {
        return Err(LearnError::RowsNotAtHand { n_kept }.into());
    }
    let Some(rows) = rows else {
        return Ok(learn_once(asked, beyond, Scope::All, run, observer)?.learned);
    };
    let mut noise = NoiseFindings::default();
    let target = asked.problem.target();
    let named = rows.names.iter().zip(&rows.features);
    let mut columns: Vec<(&str, &[f64])> = named.map(|(n, x)| (&**n, x.as_slice())).collect();
    columns.push((&target, &rows.target));
    noise.sentinels = sentinels(&columns);
    let is_best = asked.settings.method == Method::Best;
    if !all_at_hand || !is_best || asked.problem.weights().is_some() {
        let (column, meaning) = (asked.problem.weights(), asked.problem.meaning());
        noise.weights = column.map(|column| (column.to_string(), meaning));
        let Once { learned, .. } = learn_once(asked, beyond, Scope::All, run, observer)?;
        return Ok(Learned { noise, ..learned });
    }
    noise.copies = copies(&rows.columns(), &rows.target);
    let mut usable = match &noise.copies {
        Some(copies) => copies.is_first.clone(),
        None => vec![true; rows.len()],
    };
    if beyond.robust {
        let missing = noise.sentinels.iter().flat_map(|s| &s.rows);
        missing.for_each(|&row| usable[row] = false);
    }
    let turns = Turns {
        asked,
        beyond,
        rows,
        usable,
    };
    let (view, learned) = turns.settle(run, observer)?;
    noise.dependence = turns.dependence(&view, &learned);
    let learned = match noise.dependence {
        Some(_) => turns.weighed_by_changes(&view, learned),
        None => learned,
    };
    let by_noise = || (turns.weights_name(), Weights::Precision);
    noise.weights = view.uneven.as_ref().map(|_| by_noise());
    noise.uneven = view.uneven.map(|(uneven, _)| uneven);
    noise.distrust = view.distrust;
    Ok(Learned { noise, ..learned })
}

/// How rows are seen while a law is learned.
#[derive(Debug, Clone)]
struct View {
    /// Which rows are learned from.
    belongs: Vec<bool>,
    /// How the noise varies, with the weight of each row.
    uneven: Option<(Uneven, Vec<f64>)>,
    /// The rows that do not belong, if that was asked.
    distrust: Option<Distrust>,
}

impl View {
    fn is_plain(&self) -> bool {
        self.uneven.is_none() && self.belongs.iter().all(|belongs| *belongs)
    }

    fn weight(&self, row: usize) -> f64 {
        let weights = self.uneven.as_ref().map(|(_, weights)| weights);
        weights.map_or(1.0, |weights| weights[row])
    }

    /// The values of the rows that are learned from.
    fn pick(&self, column: &[f64]) -> Vec<f64> {
        let both = column.iter().zip(&self.belongs);
        both.filter(|(_, b)| **b).map(|(x, _)| *x).collect()
    }

    /// Whether another view is the same, but for predictions that moved a little.
    fn is_like(&self, other: &Self) -> bool {
        let same_noise = match (&self.uneven, &other.uneven) {
            (Some((a, _)), Some((b, _))) => a.same_shape(b),
            (a, b) => a.is_none() && b.is_none(),
        };
        same_noise && self.belongs == other.belongs
    }
}

/// What stays the same in all rounds.
struct Turns<'a> {
    asked: &'a Asked<'a>,
    beyond: &'a Beyond,
    rows: Rows<'a>,
    /// Rows that are no copies, and whole.
    usable: Vec<bool>,
}

impl Turns<'_> {
    /// Learns and looks again until nothing changes.
    fn settle(&self, run: &Run<'_>, observer: &mut dyn Observer) -> Result<(View, Learned)> {
        let view = View {
            belongs: self.usable.clone(),
            uneven: None,
            distrust: self.beyond.robust.then(|| Distrust {
                rows: Vec::new(),
                weights: vec![1.0; self.rows.len()],
            }),
        };
        let Once { learned, plan } = self.learn(&view, Scope::All, run, observer)?;
        // What was tried once is not tried again with other weights, but what was best.
        let scope = match learned.tried.len() {
            0 | 1 => Scope::All,
            _ => Scope::Only(plan.as_ref()),
        };
        let even = self.rounds((view, learned), self.beyond.noise, scope, run, observer)?;
        if self.beyond.noise != Noise::Auto
            || !FEW_ROWS.contains(&self.rows.len())
            || !even.0.is_plain()
        {
            return Ok(even);
        }
        // A law that was learned from few rows as if their noise were even hides that it is not.
        let relative = self.rounds(even.clone(), Noise::Relative, scope, run, observer)?;
        if relative.0.uneven.is_none() || relative.1.study.how().proven() == Some(false) {
            return Ok(even);
        }
        let log_odds = self.advantage((&relative.0, &relative.1), (&even.0, &even.1));
        let ((view, learned), other) = if log_odds > 0.0 {
            (relative, even.1)
        } else {
            (even, relative.1)
        };
        Ok((view, beside(learned, &other, log_odds.abs())))
    }

    /// Looks at the rows for noise of one kind, and learns again, until nothing changes.
    fn rounds(
        &self,
        (mut view, mut learned): (View, Learned),
        noise: Noise,
        scope: Scope<'_>,
        run: &Run<'_>,
        observer: &mut dyn Observer,
    ) -> Result<(View, Learned)> {
        // The last law that was learned with even noise.
        let mut even = (view.clone(), learned.clone());
        let mut last_terms = None;
        for _ in 0..ROUNDS {
            let next = self.look(&view, &learned, noise);
            let terms = learned.study.model().map(|model| model.term_texts());
            let settled = next.uneven.is_none() || last_terms.as_ref() == Some(&terms);
            let is_like = next.is_like(&view);
            if is_like && settled {
                view.distrust = next.distrust;
                break;
            }
            last_terms = Some(terms);
            let again = match self.learn(&next, scope, run, observer) {
                // What was found until then is an answer.
                Err(Error::Stopped | Error::Learn(LearnError::NothingSearched { .. })) => break,
                again => again?.learned,
            };
            if again.study.how().proven() == Some(false) {
                break;
            }
            let wins = match (&next.uneven, noise) {
                (Some(_), Noise::Auto) => self.explains_more((&next, &again), (&even.0, &even.1)),
                _ => true,
            };
            if !wins {
                return Ok(even);
            }
            (view, learned) = (next, again);
            if view.uneven.is_none() {
                even = (view.clone(), learned.clone());
            }
        }
        Ok((view, learned))
    }

    /// Learns from the rows as they are seen.
    fn learn(
        &self,
        view: &View,
        scope: Scope<'_>,
        run: &Run<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Once> {
        if view.is_plain() {
            return learn_once(self.asked, self.beyond, scope, run, observer);
        }
        let tables = self.tables(view);
        // A column may be constant on the rows that are left.
        let mut problem = self.asked.problem.clone();
        problem = problem.with_constants(Constants::Allow);
        if view.uneven.is_some() {
            problem = problem.with_weights(self.weights_name())?;
        }
        let batches = tables.iter().map(|table| Ok(table.clone()));
        let reduction = reduce(&problem, batches, run.threads, observer)?;
        let asked = Asked {
            problem: &problem,
            data: (&reduction).into(),
            kept: &tables,
            settings: self.asked.settings,
        };
        let run = Run {
            threads: run.threads,
            ..Run::default()
        };
        let mut once = learn_once(&asked, self.beyond, scope, &run, observer)?;
        let rows = &mut once.learned.rows;
        *rows = rows.take().or(Some(tables));
        Ok(once)
    }

    /// The rows that belong, with their weights.
    fn tables(&self, view: &View) -> Vec<Table> {
        let mut first = 0;
        let mut tables = Vec::with_capacity(self.rows.tables.len());
        for table in self.rows.tables {
            let range = first..first + table.n_rows();
            first = range.end;
            let marks = &view.belongs[range.clone()];
            let table = match view.uneven {
                Some(_) => {
                    let weights = range.map(|row| view.weight(row)).collect();
                    table.with_column(&self.weights_name(), weights)
                }
                None => table.clone(),
            };
            tables.push(table.marked(marks));
        }
        tables.retain(|table| table.n_rows() > 0);
        tables
    }

    /// The name of the column of weights, which no other column has.
    fn weights_name(&self) -> String {
        let mut name = "weight by the noise".to_string();
        while self.asked.problem.columns().contains(&name) {
            name.push('\'');
        }
        name
    }

    /// What a law that was learned in one view tells of the rows.
    fn look(&self, view: &View, learned: &Learned, noise: Noise) -> View {
        let model = learned.study.model_or_empty();
        let (residuals, tangents, _) = linearised(&self.rows, &model);
        let uneven = self.uneven((view, learned), noise, &residuals);
        let mut next = View {
            belongs: self.usable.clone(),
            uneven,
            distrust: None,
        };
        if self.beyond.robust {
            let distrust = self.distrust(&next, &residuals, &tangents);
            for &(row, _) in &distrust.rows {
                next.belongs[row] = false;
            }
            next.distrust = Some(distrust);
        }
        next
    }

    /// How the noise varies, by what a law leaves of each row.
    fn uneven(
        &self,
        (view, learned): (&View, &Learned),
        noise: Noise,
        residuals: &[f64],
    ) -> Option<(Uneven, Vec<f64>)> {
        let is_column = matches!(self.asked.problem.left_side(), LeftSide::Column { .. });
        let judge: fn(&NoiseRows<'_>) -> Option<Uneven> = match noise {
            Noise::Auto if is_column => uneven,
            Noise::Relative => relative,
            _ => return None,
        };
        let rows = &self.rows;
        let own = view.pick(residuals);
        let square = |values: &[f64]| values.iter().map(|x| x * x).sum::<f64>();
        let rounding = ROUNDING * square(&view.pick(&rows.target));
        if square(&own) <= rounding || own.iter().any(|r| !r.is_finite()) {
            return None;
        }
        let value = |(y, r): (&f64, &f64)| if r.is_finite() { y - r } else { 0.0 };
        let predicted: Vec<f64> = rows.target.iter().zip(residuals).map(value).collect();
        let columns: Vec<Vec<f64>> = rows.features.iter().map(|x| view.pick(x)).collect();
        let named = rows.names.iter().zip(&columns);
        let features: Vec<(&str, &[f64])> = named.map(|(n, x)| (&**n, x.as_slice())).collect();
        let found = judge(&NoiseRows {
            predicted: &view.pick(&predicted),
            features: &features,
            residuals: &own,
            leverages: &self.leverages(view, learned),
        });
        found.map(|found| {
            let values = match &found.variable {
                Variable::Prediction => &predicted,
                Variable::Feature(name) => {
                    let place = rows.names.iter().position(|known| known == name);
                    &rows.features[place.expect("a feature of these rows")]
                }
            };
            let weights = found.weights(values);
            (found, weights)
        })
    }

    /// The leverages of the rows that were learned from; zero where a law has none.
    fn leverages(&self, view: &View, learned: &Learned) -> Vec<f64> {
        let model = learned.study.model_or_empty();
        let tables = learned.rows.as_deref().unwrap_or(self.rows.tables);
        let weights: Vec<f64> = (0..self.rows.len()).map(|row| view.weight(row)).collect();
        let weights = view.pick(&weights);
        let mut all = Vec::with_capacity(weights.len());
        for table in tables {
            // A law may have no value on some row.
            let own = model.leverages(table).ok().flatten();
            all.extend(own.unwrap_or_else(|| vec![0.0; table.n_rows()]));
        }
        all.iter().zip(&weights).map(|(h, w)| h * w).collect()
    }

    /// The usable rows that do not belong to a law.
    fn distrust(&self, view: &View, residuals: &[f64], tangents: &[Vec<f64>]) -> Distrust {
        let n_rows = self.rows.len();
        let size = (self.rows.total() / n_rows as f64).sqrt();
        let finite = |row: usize| {
            residuals[row].is_finite() && tangents.iter().all(|column| column[row].is_finite())
        };
        let (known, lost): (Vec<usize>, Vec<usize>) = (0..n_rows)
            .filter(|&row| self.usable[row])
            .partition(|&row| finite(row));
        let scaled = |column: &dyn Fn(usize) -> f64| -> Vec<f64> {
            let value = |&row: &usize| column(row) * view.weight(row).sqrt();
            known.iter().map(value).collect()
        };
        let mut columns: Vec<Vec<f64>> = tangents.iter().map(|t| scaled(&|row| t[row])).collect();
        if columns.is_empty() {
            columns.push(scaled(&|_| 1.0));
        }
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let found = distrust(&columns, &scaled(&|row| residuals[row]));
        let found = found.map_or(Vec::new(), |found| found.rows);
        let found = found.iter().map(|&(place, score)| (known[place], score));
        let found = found.filter(|&(row, _)| residuals[row].abs() > SMALLEST * size);
        let lost = lost.iter().map(|&row| (row, f64::INFINITY));
        let mut rows: Vec<(usize, f64)> = found.chain(lost).collect();
        rows.sort_by_key(|&(row, _)| row);
        if rows.len() as f64 > MOST_DISTRUSTED * n_rows as f64 {
            rows.clear();
        }
        let mut weights = vec![1.0; n_rows];
        for &(row, _) in &rows {
            weights[row] = 0.0;
        }
        Distrust { rows, weights }
    }

    /// Whether a law with weights explains the rows better than one with even noise.
    fn explains_more(&self, weighted: (&View, &Learned), even: (&View, &Learned)) -> bool {
        self.advantage(weighted, even) > 0.0
    }

    /// The log odds of a law with weights against one with even noise.
    fn advantage(&self, weighted: (&View, &Learned), even: (&View, &Learned)) -> f64 {
        let outside = |learned: &Learned| {
            let misfit = learned.study.misfit();
            misfit.is_some_and(|misfit| misfit.log_bayes_factor > OUTSIDE)
        };
        let none = |learned: &Learned| learned.study.answer().is_none();
        if outside(weighted.1) && outside(even.1) || none(weighted.1) && none(even.1) {
            return f64::NEG_INFINITY;
        }
        // Other rows cannot be compared.
        if weighted.0.belongs != even.0.belongs {
            let wins = !outside(weighted.1);
            return if wins {
                f64::INFINITY
            } else {
                f64::NEG_INFINITY
            };
        }
        self.log_probability(weighted) - self.log_probability(even) - SHAPE
    }

    /// The log of the probability of the rows by a law, and by something smooth beside it where
    /// that is left over; up to a constant that all views of the same rows share.
    fn log_probability(&self, (view, learned): (&View, &Learned)) -> f64 {
        // Notation: the score is that of residuals as a share of the target's square sum T, for n
        // rows in units of their noise, of standard deviation 1/√w.
        let scores = learned.tried.iter().map(|trial| trial.score);
        let score = scores.fold(f64::NEG_INFINITY, f64::max);
        let rows: Vec<usize> = (0..self.rows.len()).filter(|&r| view.belongs[r]).collect();
        let squares = rows
            .iter()
            .map(|&row| view.weight(row) * self.rows.target[row].powi(2));
        let total: f64 = squares.sum();
        let logs: f64 = rows.iter().map(|&row| view.weight(row).ln()).sum();
        let smooth = learned.study.misfit().map_or(0.0, |m| m.log_bayes_factor);
        score - 0.5 * rows.len() as f64 * total.ln() + 0.5 * logs + smooth.max(0.0)
    }
}

/// What was learned, beside what the rows say if their noise is another, with these odds against
/// it: if that is another law, it has its share of the probability.
fn beside(learned: Learned, other: &Learned, log_odds: f64) -> Learned {
    let terms = |learned: &Learned| learned.study.model().map(|model| model.term_texts());
    if terms(&learned) == terms(other) {
        return learned;
    }
    let share = 1.0 / (1.0 + (-log_odds).exp());
    Learned {
        study: learned.study.sharing(share),
        ..learned
    }
}
