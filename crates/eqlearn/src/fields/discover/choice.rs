//! What was chosen on the way from fields to equations.

use serde::{Deserialize, Serialize};

use crate::fields::correct::Rows;

/// What was chosen on the way, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FieldChoice {
    /// Half widths of the test functions along each axis, time first, for each record.
    pub half_widths: Vec<Vec<f64>>,
    /// How many rows there are: places of test functions.
    pub n_rows: usize,
    /// How many places were left out because values are missing there.
    pub left_out: usize,
    /// The noise of each quantity.
    pub noise: Vec<f64>,
    /// The noise of each quantity as a share of the root mean square of its values without noise.
    pub noise_share: Vec<f64>,
    /// What was found of each quantity's equation.
    pub equations: Vec<FieldEquation>,
}

/// What was found of one equation besides its terms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FieldEquation {
    /// How many searches it took.
    pub searches: usize,
    /// Whether the last two searches agree on the terms.
    pub settled: bool,
    /// The mean square of the residuals of rows in units of what noise explains: about 1 where the
    /// law is right and the grid is fine enough, much more on data without noise.
    pub misfit: f64,
    /// The terms of other equations that the field tells from this one no better than one to a
    /// thousand, the most probable first: a wave that only travels or a single wave length leaves
    /// such.
    pub rivals: Vec<Vec<String>>,
    /// Whether so much of the terms is noise that their coefficients cannot be told apart.
    pub hidden: bool,
}

impl FieldChoice {
    pub(super) fn new(rows: &[Rows<'_>], n_rows: usize) -> Self {
        let n_quantities = rows[0].grid.values.len();
        // Over all records together.
        let mean = |f: &dyn Fn(&Rows<'_>) -> (f64, usize)| {
            let (sum, count) = rows
                .iter()
                .map(f)
                .fold((0.0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
            sum / count.max(1) as f64
        };
        let noise = |q: usize| {
            mean(&|rows| {
                let n = rows.grid.values[q].len();
                (rows.grid.sigma[q].powi(2) * n as f64, n)
            })
        };
        let power = |q: usize| {
            mean(&|rows| {
                let known = rows.grid.values[q].iter().filter(|value| !value.is_nan());
                (known.clone().map(|u| u * u).sum(), known.count())
            })
        };
        let share = |q: usize| {
            let left = (power(q) - noise(q)).max(noise(q) * f64::EPSILON);
            (noise(q) / left).sqrt()
        };
        let widths = |rows: &Rows<'_>| {
            let axes = rows.grid.axes.iter().zip(&rows.grid.steps);
            axes.map(|(axis, step)| axis.half() as f64 * step).collect()
        };
        Self {
            half_widths: rows.iter().map(widths).collect(),
            n_rows,
            left_out: rows.iter().map(|r| r.grid.n_places() - r.kept.len()).sum(),
            noise: (0..n_quantities).map(|q| noise(q).sqrt()).collect(),
            noise_share: (0..n_quantities).map(share).collect(),
            equations: Vec::new(),
        }
    }

    pub(super) fn tell(&mut self, told: FieldEquation) {
        self.equations.push(told);
    }
}
