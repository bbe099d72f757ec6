//! Second-order systems: accelerations from positions and velocities, when only positions were recorded.
//!
//! Around each sample the polynomial that fits a window best gives position, velocity and acceleration; how wide the window is follows the data
//! ([`local::best_window`]). Rows are half a window apart, because closer ones share their noise and say little new.
//!
//! Velocities are states of the learned system, named `dx` for a state `x`, with the equation `x' = dx` by definition.

use serde::{Deserialize, Serialize};

use crate::derivative::{RowScheme, add_points, reduce};
use crate::dictionary::Dictionary;
use crate::error::{Error, Result};
use crate::local::{self, Curve};
use crate::model::Model;
use crate::problem::Problem;
use crate::reduction::Reduction;
use crate::resolution::Resolution;
use crate::support::Support;
use crate::trajectory::{self, Piece, Trajectories};

/// What is learned of a state: its velocity, or its acceleration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// `x'` from the states.
    #[default]
    First,
    /// `x''` from the states and their velocities.
    Second,
}

impl Order {
    /// The names of all features that terms may use.
    ///
    /// # Errors
    /// A velocity whose name is taken.
    pub fn features(self, trajectories: &Trajectories) -> Result<Vec<String>> {
        match self {
            Self::First => Ok(trajectories.features().to_vec()),
            Self::Second => trajectory::with_velocities(trajectories),
        }
    }
}

/// The derivative that is learned.
const ORDER: usize = 2;

/// Positions, velocities and accelerations.
#[derive(Debug)]
pub(crate) struct Motion {
    /// The record with velocities as states.
    pub(crate) record: Trajectories,
    /// Samples on each side of a window.
    pub(crate) half_window: usize,
    /// For each piece and state, the acceleration at every sample.
    accelerations: Vec<Vec<Vec<f64>>>,
}

impl Motion {
    pub(crate) fn new(
        trajectories: &Trajectories,
        rows: RowScheme,
        resolution: &Resolution,
    ) -> Result<Self> {
        let half_window = match rows {
            RowScheme::Auto => {
                let curves: Vec<Curve<'_>> = curves(trajectories, resolution);
                local::best_window(&curves, ORDER)
            }
            RowScheme::SavitzkyGolay { half_window } => half_window.max(local::narrowest(ORDER)),
            _ => {
                return Err(Error::NoSecondDerivative {
                    rows: rows.to_string(),
                });
            }
        };
        let n_states = trajectories.states().len();
        let of_order = |piece: &Piece, order: usize| -> Vec<Vec<f64>> {
            let states = piece.columns()[..n_states].iter();
            states
                .map(|x| {
                    local::derivative(piece.times(), x, half_window, local::degree(ORDER), order)
                })
                .collect()
        };
        let pieces = trajectories.pieces().iter();
        Ok(Self {
            record: trajectories
                .with_velocities(|piece| (of_order(piece, 0), of_order(piece, 1)))?,
            half_window,
            accelerations: pieces.map(|piece| of_order(piece, 2)).collect(),
        })
    }

    /// One reduction per state: its acceleration from the terms.
    pub(crate) fn rows(&self, dictionary: &Dictionary) -> Result<Vec<Reduction>> {
        let n_learned = self.accelerations[0].len();
        let mut columns = vec![vec![Vec::new(); dictionary.len() + 1]; n_learned];
        let pieces = self.record.pieces().iter();
        for (piece, accelerations) in pieces.zip(&self.accelerations) {
            let inner = self.half_window..piece.len().saturating_sub(self.half_window);
            let apart = inner.step_by(self.half_window);
            add_points(piece, dictionary, accelerations, apart, &mut columns)?;
        }
        reduce(&columns)
    }

    /// `x' = dx` for every state.
    pub(crate) fn definitions(&self) -> Result<Vec<Model>> {
        let (states, velocities) = self.record.states().split_at(self.accelerations[0].len());
        let definition = |(state, velocity): (&String, &String)| {
            let dictionary = Dictionary::parse(self.record.features(), [velocity])?;
            let problem = Problem::new(format!("{state}'"), dictionary)?;
            let rows = Reduction::from_columns(&[&[1.0], &[1.0]]);
            Ok(Model::new(&problem, &rows.fit(&Support::from_iter([0]))))
        };
        states.iter().zip(velocities).map(definition).collect()
    }

    /// The noise that accelerations have where the samples of a state have this one.
    pub(crate) fn noise_of_acceleration(&self, sigma: f64) -> f64 {
        let longest = self.record.pieces().iter().max_by_key(|piece| piece.len());
        let times = longest.expect("there is a piece").times();
        let window = local::window(times.len(), times.len() / 2, self.half_window);
        let weights = local::weights(
            &times[window],
            times[times.len() / 2],
            local::degree(ORDER),
            ORDER,
        );
        sigma * weights.iter().map(|w| w * w).sum::<f64>().sqrt()
    }

    /// What was done, in words.
    pub(crate) fn why(&self) -> Vec<String> {
        let samples = 2 * self.half_window + 1;
        vec![
            format!(
                "positions, velocities and accelerations are those of polynomials of degree {} through {samples} samples: \
                 wide enough against the noise, narrow enough for the motion",
                local::degree(ORDER)
            ),
            "rows are half a window apart, because closer ones share their noise".into(),
        ]
    }
}

fn curves<'a>(trajectories: &'a Trajectories, resolution: &Resolution) -> Vec<Curve<'a>> {
    let of_state = |(state, sigma): (usize, &f64)| Curve {
        pieces: trajectories
            .pieces()
            .iter()
            .map(|piece| (piece.times(), piece.columns()[state].as_slice()))
            .collect(),
        sigma: *sigma,
    };
    resolution.sigma.iter().enumerate().map(of_state).collect()
}
