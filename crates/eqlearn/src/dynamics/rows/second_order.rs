//! Second-order systems: accelerations from positions and velocities, when only positions were
//! recorded.
//!
//! The weak form moves both derivatives to the test function, `∫ φ'' x dt = ∫ φ f(x, x') dt`, so
//! the response has no error but noise, which is whitened. Velocities are needed in the terms only.
//! A polynomial fitted to a window around each sample gives position and velocity; the width of the
//! window is chosen from the data (`local::best_window`).
//!
//! Velocities are states of the learned system, named `dx` for a state `x`, with the equation
//! `x' = dx` by definition.

use serde::{Deserialize, Serialize};

use crate::data::trajectory::{self, Piece, Trajectories};
use crate::dynamics::DynamicsError;
use crate::dynamics::resolution::Resolution;
use crate::dynamics::rows::difference::RowScheme;
use crate::dynamics::rows::interpolate::Nodes;
use crate::dynamics::rows::jumps::uncertain;
use crate::dynamics::rows::weak::{Bumps, Covariance, MovingSource, Tests};
use crate::error::Result;
use crate::learn::model::Model;
use crate::numeric::local::{self, Curve};
use crate::reduce::Reduction;
use crate::reduce::support::Support;
use crate::terms::dictionary::Dictionary;
use crate::terms::left_side::LeftSide;
use crate::terms::problem::Problem;

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

/// The derivative that terms need.
const ORDER: usize = 1;
/// Steps in the half width of a test function at least.
const LEAST_STEPS: f64 = 8.0;
/// The error of a velocity within reach of a jump of the acceleration, in units of the reach of the
/// polynomial times half of the jump: it is 0.11 at the jump and 0.03 on average.
const BLUR: f64 = 0.1;
/// Samples that a value between samples is made of.
const STENCIL: usize = 8;

/// Positions and velocities, and the record that they come from.
#[derive(Debug)]
pub(crate) struct Motion<'a> {
    recorded: &'a Trajectories,
    /// The record with velocities as states, both on local polynomials.
    pub(crate) record: Trajectories,
    pub(crate) bumps: Bumps,
    half_window: usize,
}

/// Integrals over one piece of record.
#[derive(Debug)]
pub(crate) struct Integrals {
    /// Where terms were evaluated.
    pub(crate) nodes: Nodes,
    pub(crate) tests: Tests,
    /// One column per term.
    pub(crate) terms: Vec<Vec<f64>>,
    /// One column per state: its acceleration.
    pub(crate) responses: Vec<Vec<f64>>,
}

impl<'a> Motion<'a> {
    pub(crate) fn new(
        trajectories: &'a Trajectories,
        n_terms: usize,
        rows: RowScheme,
        resolution: &Resolution,
    ) -> Result<Self> {
        let scale = resolution.time_scale;
        let bumps = match rows {
            RowScheme::Auto | RowScheme::Weak { half_width: None } => {
                let bumps = Bumps::for_record(trajectories, scale, n_terms, LEAST_STEPS);
                bumps.narrowed_for_rows(trajectories)
            }
            RowScheme::Weak {
                half_width: Some(half_width),
            } => Bumps::of_half_width(half_width, trajectories),
            _ => {
                return Err(DynamicsError::NoSecondDerivative {
                    rows: rows.to_string(),
                }
                .into());
            }
        };
        let half_window = local::best_window(&curves(trajectories, resolution), ORDER);
        let n_states = trajectories.states().len();
        let of_order =
            |piece: &Piece, order: usize| derivatives(piece, n_states, half_window, order);
        Ok(Self {
            record: trajectories
                .with_velocities(|piece| (of_order(piece, 0), of_order(piece, 1)))?,
            recorded: trajectories,
            bumps,
            half_window,
        })
    }

    /// Takes these positions as those without noise; velocities are their derivatives.
    pub(crate) fn with_positions(&mut self, cleaned: &Trajectories) -> Result<()> {
        let own = Resolution::new(cleaned);
        self.half_window = local::best_window(&curves(cleaned, &own), ORDER);
        let n_states = cleaned.states().len();
        self.record = cleaned.with_velocities(|piece| {
            let positions = piece.columns()[..n_states].to_vec();
            (positions, derivatives(piece, n_states, self.half_window, 1))
        })?;
        Ok(())
    }

    /// One reduction per state: its acceleration from the terms, whitened.
    ///
    /// `slope` gives the derivative of a state's equation by a position or a velocity at the nodes,
    /// once an equation is known.
    pub(crate) fn rows(
        &self,
        dictionary: &Dictionary,
        sigma: &[f64],
        slope: &Slope<'_>,
    ) -> Result<Vec<Reduction>> {
        let mut columns = vec![vec![Vec::new(); dictionary.len() + 1]; sigma.len()];
        for piece in 0..self.n_pieces() {
            let own = self.integrals(piece, dictionary)?;
            for (state, columns) in columns.iter_mut().enumerate() {
                let covariance = self.covariance(&own.tests, &own.nodes, (state, sigma), slope);
                let start = columns[0].len();
                let all = own.terms.iter().chain([&own.responses[state]]);
                for (out, column) in columns.iter_mut().zip(all) {
                    out.extend_from_slice(column);
                }
                let mut new: Vec<&mut [f64]> =
                    columns.iter_mut().map(|c| &mut c[start..]).collect();
                covariance.whiten_all(&mut new);
            }
        }
        let reduction = |columns: &Vec<Vec<f64>>| {
            let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
            Reduction::from_columns(&columns)
        };
        Ok(columns.iter().map(reduction).collect())
    }

    /// The integrals of one piece: of all terms, and of each state's acceleration.
    pub(crate) fn integrals(&self, piece: usize, dictionary: &Dictionary) -> Result<Integrals> {
        let recorded = self.nodes(&self.recorded.pieces()[piece]);
        let nodes = self.nodes(&self.record.pieces()[piece]);
        let n = nodes.times.len();
        let tests = Tests::new(&nodes, nodes.times[0], nodes.times[n - 1], &self.bumps);
        let features: Vec<&[f64]> = nodes.columns.iter().map(Vec::as_slice).collect();
        let mut values = vec![0.0; n * dictionary.len()];
        dictionary
            .evaluate(&features, &mut values)
            .map_err(|place| {
                let moment = (self.record.pieces()[piece].name(), nodes.times[place.row]);
                dictionary.explain_in_motion(place, &features, moment)
            })?;
        let states = &recorded.columns[..self.recorded.states().len()];
        let terms = values.chunks_exact(n).map(|term| tests.of_term(term));
        Ok(Integrals {
            terms: terms.collect(),
            responses: states.iter().map(|x| tests.of_acceleration(x)).collect(),
            tests,
            nodes,
        })
    }

    /// The covariance of a state's rows, with the noise of all.
    pub(crate) fn covariance(
        &self,
        tests: &Tests,
        nodes: &Nodes,
        (state, sigma): (usize, &[f64]),
        slope: &Slope<'_>,
    ) -> Covariance {
        let source = |(d, &sigma): (usize, &f64)| MovingSource {
            sigma,
            is_response: d == state,
            by_position: slope(state, d, nodes),
            by_velocity: slope(state, self.recorded.states().len() + d, nodes),
        };
        let of_jump = |uncertain| MovingSource {
            sigma: 1.0,
            is_response: false,
            by_position: Some(uncertain),
            by_velocity: None,
        };
        let jumps = self.jumps_of(state, nodes, slope).into_iter();
        let blurred = (0..sigma.len()).flat_map(|moving| {
            let jumps = self.jumps_of(moving, nodes, slope);
            let slope = slope(state, sigma.len() + moving, nodes);
            let slope = slope.unwrap_or_else(|| vec![0.0; nodes.times.len()]);
            let in_rows = |jump: &Vec<f64>| -> Vec<f64> {
                let off = self.blurred(nodes, jump);
                off.iter().zip(&slope).map(|(a, b)| a * b).collect()
            };
            jumps.iter().map(in_rows).collect::<Vec<Vec<f64>>>()
        });
        let of_jumps = jumps.chain(blurred).map(of_jump);
        let sources = sigma.iter().enumerate().map(source);
        let sources: Vec<MovingSource> = sources.chain(of_jumps).collect();
        Covariance::of_accelerations(tests, nodes, &sources)
    }

    /// By how much the acceleration of a state is uncertain at each node, for each input that
    /// jumps.
    fn jumps_of(&self, state: usize, nodes: &Nodes, slope: &Slope<'_>) -> Vec<Vec<f64>> {
        let by_feature = |feature: usize, nodes: &Nodes| slope(state, feature, nodes);
        uncertain(nodes, self.record.states().len(), &by_feature)
    }

    /// How far velocities are off near jumps of the acceleration, which no polynomial follows.
    fn blurred(&self, nodes: &Nodes, half_jumps: &[f64]) -> Vec<f64> {
        let reach = self.half_window as f64 * self.recorded.step();
        let mut off = vec![0.0; half_jumps.len()];
        let jumps = half_jumps
            .iter()
            .enumerate()
            .filter(|(_, half)| **half != 0.0);
        for (place, half) in jumps {
            let time = nodes.times[place];
            let first = nodes.times.partition_point(|t| *t < time - reach);
            let end = nodes.times.partition_point(|t| *t <= time + reach);
            for off in &mut off[first..end] {
                *off += BLUR * reach * half.abs();
            }
        }
        off
    }

    /// How many pieces of record there are.
    pub(crate) fn n_pieces(&self) -> usize {
        self.recorded.pieces().len()
    }

    fn nodes(&self, piece: &Piece) -> Nodes {
        let n_inputs = self.recorded.features().len() - self.recorded.states().len();
        if self.recorded.is_uniform() {
            Nodes::samples(piece)
        } else {
            Nodes::polynomial(piece, piece.columns().len() - n_inputs, STENCIL)
        }
    }

    /// `x' = dx` for every state.
    pub(crate) fn definitions(&self) -> Result<Vec<Model>> {
        let (states, velocities) = self.record.states().split_at(self.recorded.states().len());
        let definition = |(state, velocity): (&String, &String)| {
            let dictionary = Dictionary::parse(self.record.features(), [velocity])?;
            let left = LeftSide::Flow {
                state: state.clone(),
            };
            let problem = Problem::new(left, dictionary)?;
            let rows = Reduction::from_columns(&[&[1.0], &[1.0]]);
            Ok(Model::new(&problem, &rows.fit(&Support::from_iter([0]))))
        };
        states.iter().zip(velocities).map(definition).collect()
    }

    /// What was done, in words.
    pub(crate) fn why(&self) -> Vec<String> {
        let samples = 2 * self.half_window + 1;
        vec![
            format!(
                "the weak form moves both derivatives to test functions of half width {:.4}",
                self.bumps.half_width
            ),
            format!(
                "positions and velocities in the terms come from polynomials of degree {} \
                 fitted to {samples} samples: wide enough to average the noise, \
                 narrow enough to follow the motion",
                degree()
            ),
        ]
    }
}

/// Derivatives of some order of the first columns of a piece, by local polynomials.
fn derivatives(piece: &Piece, n_states: usize, half_window: usize, order: usize) -> Vec<Vec<f64>> {
    let states = piece.columns()[..n_states].iter();
    let of_state = |x: &Vec<f64>| local::derivative(piece.times(), x, half_window, degree(), order);
    states.map(of_state).collect()
}

/// The derivative of a state's equation with respect to a feature at the nodes; none if it is zero
/// or not known.
pub(crate) type Slope<'a> = dyn Fn(usize, usize, &Nodes) -> Option<Vec<f64>> + 'a;

/// The degree of the polynomials: two more than the window is best for. Noise is accounted for and
/// the smoothing error is not, so the latter is made smaller.
fn degree() -> usize {
    local::degree(ORDER) + 2
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
