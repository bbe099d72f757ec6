//! Learning and statistics in turns: the covariance of the scores depends on the law.

use super::choice::FieldEquation;
use crate::error::Result;
use crate::fields::correct::{Factored, Layout, Rows};
use crate::fields::names::Names;
use crate::fields::score::{score_covariance, smoothed};
use crate::learn::{Settings, Study, learn};
use crate::numeric::cholesky::{cholesky, solve_lower};
use crate::numeric::vector::{add, dot};
use crate::observe::Observer;
use crate::reduce::Reduction;
use crate::search::Run;
use crate::terms::problem::Problem;

/// Searches at most.
const SEARCHES: usize = 6;

/// What all turns of all quantities share.
pub(super) struct Turns<'a> {
    rows: &'a [Rows<'a>],
    layout: &'a Layout,
    names: &'a Names,
    columns: Vec<Vec<f64>>,
    noise: Vec<Vec<f64>>,
    factored: Factored,
    /// The values of each record with less noise.
    smooth: Vec<Vec<Vec<f64>>>,
    n_rows: usize,
    /// How many rows share what one of them is made of.
    sharing: f64,
}

impl<'a> Turns<'a> {
    pub(super) fn new(rows: &'a [Rows<'a>], layout: &'a Layout, names: &'a Names) -> Self {
        let n = layout.made_of.len();
        let stacked = |j: usize| -> Vec<f64> {
            rows.iter()
                .flat_map(|rows| rows.columns[j].iter().copied())
                .collect()
        };
        let columns: Vec<Vec<f64>> = (0..n).map(stacked).collect();
        let summed = |i: usize, j: usize| rows.iter().map(|rows| rows.noise[i][j]).sum();
        let noise: Vec<Vec<f64>> = (0..n)
            .map(|i| (0..n).map(|j| summed(i, j)).collect())
            .collect();
        let factored = Factored::new(&columns, &noise, layout.n_terms);
        let n_rows = columns[0].len();
        let shared = rows.iter().map(|rows| {
            let axes = rows.grid.axes.iter();
            let each = axes.map(|axis| {
                let covered = (axis.n_places() * axis.half()) as f64 / axis.n_points() as f64;
                covered.max(1.0)
            });
            each.product::<f64>() * rows.kept.len() as f64
        });
        let sharing = shared.sum::<f64>() / n_rows as f64;
        Self {
            rows,
            layout,
            names,
            columns,
            noise,
            factored,
            smooth: rows.iter().map(|rows| smoothed(&rows.grid)).collect(),
            n_rows,
            sharing,
        }
    }

    /// The equation of one quantity.
    pub(super) fn learn(
        &self,
        problem: &Problem,
        quantity: usize,
        settings: &Settings,
        run: &Run<'_>,
        observer: &mut dyn Observer,
    ) -> Result<(Study, FieldEquation)> {
        let mut coefficients = vec![0.0; self.layout.n_terms];
        let mut excess = self.unexplained(quantity);
        let mut known: Option<Study> = None;
        let mut told = FieldEquation {
            searches: 0,
            settled: false,
            misfit: 0.0,
            rivals: Vec::new(),
            hidden: false,
        };
        for search in 1..=SEARCHES {
            let reduction = self.whitened(quantity, &coefficients, excess);
            let study = learn(problem, &reduction, settings, run, observer)?;
            coefficients = study.coefficients();
            excess = self.excess(&coefficients, quantity);
            let support = |study: &Study| study.answer().map(|a| a.fit.support().clone());
            told.searches = search;
            let agrees = known
                .as_ref()
                .is_some_and(|known| support(known) == support(&study));
            // The first search knows the noise of the left side only.
            told.settled = agrees && search > 2;
            known = Some(study);
            if told.settled {
                break;
            }
        }
        told.misfit = self.misfit(&coefficients, quantity);
        told.hidden = self.is_hidden(&coefficients);
        let study = known.expect("there is at least one search");
        told.rivals = rivals(&study);
        Ok((study, told))
    }

    /// The variance of a score if all that the whole dictionary leaves of the rows were smooth: no
    /// law is known yet, and noise of the terms is not.
    fn unexplained(&self, quantity: usize) -> f64 {
        let mut rest = self.columns[self.layout.n_terms + quantity].clone();
        for direction in &self.factored.directions {
            let along = dot(direction, &rest);
            add(&mut rest, -along, direction);
        }
        let free = self
            .n_rows
            .saturating_sub(self.factored.directions.len())
            .max(1);
        dot(&rest, &rest) / free as f64 * self.sharing
    }

    /// The sum of squares of the rows' residuals, and what noise makes of it.
    fn squares(&self, coefficients: &[f64], quantity: usize) -> (f64, f64) {
        let left = self.layout.n_terms + quantity;
        let mut residual = self.columns[left].clone();
        for (column, w) in self.columns.iter().zip(coefficients) {
            if w.abs() > 0.0 {
                add(&mut residual, -w, column);
            }
        }
        let mut all: Vec<(usize, f64)> = coefficients.iter().map(|w| -w).enumerate().collect();
        all.push((left, 1.0));
        all.retain(|(_, w)| w.abs() > 0.0);
        let pairs = all
            .iter()
            .flat_map(|(i, v)| all.iter().map(move |(j, w)| (i, j, v * w)));
        let noise = pairs.map(|(&i, &j, vw)| vw * self.noise[i][j]).sum::<f64>();
        (dot(&residual, &residual), noise)
    }

    /// What the squares of the residuals are in units of what noise explains.
    fn misfit(&self, coefficients: &[f64], quantity: usize) -> f64 {
        let (squares, noise) = self.squares(coefficients, quantity);
        squares / noise.max(f64::MIN_POSITIVE)
    }

    /// The variance of a score beyond that of noise: errors of the grid or of the law are smooth,
    /// so that rows which share points have the same.
    fn excess(&self, coefficients: &[f64], quantity: usize) -> f64 {
        let (squares, noise) = self.squares(coefficients, quantity);
        ((squares - noise) / self.n_rows as f64 * self.sharing).max(0.0)
    }

    /// The scores of all terms and the left side in units of their standard deviations.
    fn whitened(&self, quantity: usize, coefficients: &[f64], excess: f64) -> Reduction {
        let mut factors: Vec<(usize, f64)> = coefficients.iter().map(|w| -w).enumerate().collect();
        factors.push((self.layout.n_terms + quantity, 1.0));
        let residual = self.layout.in_columns(&factors);
        let r = self.factored.directions.len();
        let mut covariance = vec![vec![0.0; r]; r];
        let mut first = 0;
        for (rows, smooth) in self.rows.iter().zip(&self.smooth) {
            let own = first..first + rows.kept.len();
            first = own.end;
            let directions: Vec<&[f64]> = self
                .factored
                .directions
                .iter()
                .map(|direction| &direction[own.clone()])
                .collect();
            let noise = score_covariance(
                rows,
                self.layout,
                &directions,
                &residual,
                self.names,
                smooth,
            );
            for (row, noise) in covariance.iter_mut().zip(noise) {
                for (sum, noise) in row.iter_mut().zip(noise) {
                    *sum += noise;
                }
            }
        }
        let largest = (0..r).map(|i| covariance[i][i]).fold(0.0, f64::max);
        let left = &self.columns[self.layout.n_terms + quantity];
        let floor = FLOOR * FLOOR * dot(left, left);
        for (i, row) in covariance.iter_mut().enumerate() {
            row[i] += excess.max(floor) + ROUNDING * largest;
        }
        let lower = cholesky(&covariance)
            .expect("a sum of squares and a positive diagonal is positive definite");
        let left = &self.factored.left_sides[quantity];
        let all = self.factored.corrected.iter().chain([left]);
        let columns: Vec<Vec<f64>> = all.map(|column| solve_lower(&lower, column)).collect();
        Reduction::of_scores(&columns, self.n_rows)
    }

    /// Whether the products of the chosen terms are not positive definite without the noise.
    fn is_hidden(&self, coefficients: &[f64]) -> bool {
        let chosen: Vec<usize> = (0..coefficients.len())
            .filter(|&j| coefficients[j].abs() > 0.0)
            .collect();
        let product = |i: usize, j: usize| {
            let (a, b) = (&self.columns[i], &self.columns[j]);
            let scale = (dot(a, a) * dot(b, b)).sqrt();
            (dot(a, b) - self.noise[i][j]) / scale
        };
        let matrix: Vec<Vec<f64>> = chosen
            .iter()
            .map(|&i| chosen.iter().map(|&j| product(i, j)).collect())
            .collect();
        cholesky(&matrix).is_none()
    }
}

/// The terms of the models that are nearly as probable as the answer.
fn rivals(study: &Study) -> Vec<Vec<String>> {
    let Some(answer) = study.answer() else {
        return Vec::new();
    };
    let support = answer.fit.support();
    let near = study
        .ranking()
        .models()
        .iter()
        .filter(|model| model.score > answer.score - RIVALS && model.fit.support() != support);
    near.map(|model| study.names(model.fit.support())).collect()
}

/// Rivals are this many nats behind the answer at most: one to a thousand.
const RIVALS: f64 = 6.9;

/// Sums are no integrals and data no solutions beyond this share of the left side's length: what a
/// term explains below it is no evidence.
const FLOOR: f64 = 1e-6;

/// Rounding of a covariance, as a share of its largest entry.
const ROUNDING: f64 = 1e-13;
