//! States and coefficients together: the Gauss–Newton method, from loose to tight equations.
//!
//! The equations first hold loosely, so that states stay near the record; then the scale of their
//! errors falls step by step, and each step starts where the last one ended. A step that makes the
//! cost larger is halved.

use super::linear::{Cost, Linear, Scales, coefficients};
use super::problem::{Laws, Position, Problem};
use crate::numeric::bordered::inverse;

/// The scale of the errors of slopes at the end, as a share of the usual slope.
const TIGHT: f64 = 1e-3;
/// The same for a start from the record.
const LOOSE: f64 = 0.1;
/// From one scale to the next.
const TIGHTER: f64 = 0.3;
/// Steps of the Gauss–Newton method at most, for each scale.
const STEPS: usize = 12;
/// The same on the way.
const FEW: usize = 4;
/// Halvings of a step at most.
const HALVINGS: i32 = 6;
/// Settled when a step promises less than this, in nats.
const SETTLED: f64 = 0.01;
/// The noise is steady when no state's changes by more than this share.
const STEADY: f64 = 0.003;
/// Settled on the way when a step promises less than this.
const ON_THE_WAY: f64 = 1.0;

/// A system fitted to the record.
#[derive(Debug, Clone)]
pub(crate) struct Fitted {
    pub(crate) laws: Laws,
    pub(crate) at: Position,
    pub(crate) scales: Scales,
    /// The log evidence.
    pub(crate) evidence: f64,
    /// How well it follows record and equations: the log likelihood at the best states.
    pub(crate) closeness: f64,
    /// The covariance of all coefficients, equation after equation.
    pub(crate) covariance: Vec<Vec<f64>>,
    /// Whether no step was promising at the end.
    pub(crate) settled: bool,
}

/// Where a fit begins.
#[derive(Debug, Clone)]
pub(crate) struct Start {
    pub(crate) at: Position,
    pub(crate) noise: Vec<f64>,
    /// The first scale of the errors of slopes.
    pub(crate) looseness: f64,
}

impl Start {
    /// From the states as they were recorded.
    pub(crate) fn from_record(
        problem: &Problem,
        coefficients: Vec<Vec<f64>>,
        noise: &[f64],
    ) -> Self {
        Self {
            at: Position {
                states: problem.recorded(),
                coefficients,
            },
            noise: noise.to_vec(),
            looseness: LOOSE,
        }
    }

    /// From a fit of a similar system, with its coefficients where laws share terms.
    pub(crate) fn from_fit(fitted: &Fitted, laws: &Laws) -> Self {
        let of_state = |state: usize| -> Vec<f64> {
            let terms = laws[state].indices().iter();
            terms.map(|&term| fitted.coefficient(state, term)).collect()
        };
        Self {
            at: Position {
                states: fitted.at.states.clone(),
                coefficients: (0..laws.len()).map(of_state).collect(),
            },
            noise: fitted.scales.noise.clone(),
            looseness: TIGHT,
        }
    }
}

impl Fitted {
    /// The coefficient of a term in a state's equation; zero where it is not in.
    pub(super) fn coefficient(&self, state: usize, term: usize) -> f64 {
        let place = self.laws[state].indices().binary_search(&term);
        place.map_or(0.0, |place| self.at.coefficients[state][place])
    }
}

impl Problem {
    /// Fits a system; none if terms have no value on the way. A start that leads nowhere is left
    /// for one from the record.
    pub(crate) fn fit(&self, laws: &Laws, start: Start) -> Option<Fitted> {
        let again = (start.looseness < LOOSE).then(|| Start {
            at: Position {
                states: self.recorded(),
                coefficients: start.at.coefficients.clone(),
            },
            noise: start.noise.clone(),
            looseness: LOOSE,
        });
        let first = self.settle(laws, start);
        match again {
            Some(again) if first.as_ref().is_none_or(|first| !first.settled) => {
                let second = self.settle(laws, again);
                let both = first.into_iter().chain(second);
                both.max_by(|a, b| a.evidence.total_cmp(&b.evidence))
            }
            _ => first,
        }
    }

    /// From loose to tight equations.
    fn settle(&self, laws: &Laws, start: Start) -> Option<Fitted> {
        let mut at = start.at;
        let mut looseness = start.looseness;
        while looseness > TIGHT {
            at = self.tighten(laws, at, &self.scales(&start.noise, looseness))?;
            looseness *= TIGHTER;
        }
        self.finish(laws, at, self.scales(&start.noise, TIGHT))
    }

    fn scales(&self, noise: &[f64], looseness: f64) -> Scales {
        Scales {
            noise: noise.to_vec(),
            slopes: self.slopes.iter().map(|s| s * looseness).collect(),
        }
    }

    /// A few steps, on the way to tighter equations.
    fn tighten(&self, laws: &Laws, start: Position, scales: &Scales) -> Option<Position> {
        let border = coefficients(laws);
        let mut at = start;
        let mut cost = self.cost(laws, &at, scales)?;
        for _ in 0..FEW {
            let moves = Moves::new(&self.linear(laws, &at, scales, &border)?);
            let Some(better) = self.better(laws, &at, scales, &moves, cost) else {
                break;
            };
            (at, cost) = better;
            if moves.promise < ON_THE_WAY {
                break;
            }
        }
        Some(at)
    }

    /// Steps with the last scale of slopes, while the noise follows from what is left.
    fn finish(&self, laws: &Laws, start: Position, first: Scales) -> Option<Fitted> {
        let border = coefficients(laws);
        let (mut at, mut scales) = (start, first);
        let mut cost = self.cost(laws, &at, &scales)?;
        let mut settled = false;
        let mut last = None;
        for _ in 0..STEPS {
            let linear = self.linear(laws, &at, &scales, &border)?;
            let moves = Moves::new(&linear);
            last = Some(linear);
            let better = self.better(laws, &at, &scales, &moves, cost);
            settled = better.is_none() || moves.promise < SETTLED;
            if let Some(better) = better {
                (at, cost) = better;
            }
            let noise = self.noise(&at, border.len());
            let both = noise.iter().zip(&scales.noise);
            let change = both.fold(0.0_f64, |a, (x, y)| a.max((x / y).ln().abs()));
            if change > STEADY {
                settled = false;
                scales.noise = noise;
                cost = self.cost(laws, &at, &scales)?;
            }
            if settled {
                break;
            }
        }
        let linear = last?;
        Some(Fitted {
            laws: laws.clone(),
            evidence: self.evidence(laws, &scales, cost, &linear),
            closeness: -(cost.record + cost.motion + self.price_of_noise(&scales)),
            covariance: inverse(linear.factors.schur()),
            at,
            scales,
            settled,
        })
    }

    /// The first of the halved steps that makes the cost smaller.
    fn better(
        &self,
        laws: &Laws,
        at: &Position,
        scales: &Scales,
        moves: &Moves,
        cost: Cost,
    ) -> Option<(Position, Cost)> {
        (0..HALVINGS).find_map(|halving| {
            let next = self.moved(at, moves, 0.5_f64.powi(halving));
            let reached = self.cost(laws, &next, scales)?;
            (reached.total() < cost.total()).then_some((next, reached))
        })
    }

    /// What the numbers of terms cost.
    fn price_of_sizes(&self, laws: &Laws) -> f64 {
        let states = laws.iter().zip(&self.forced).enumerate();
        let cost =
            states.map(|(state, (law, forced))| self.prior.of_size(state, law.minus(forced).len()));
        cost.sum()
    }

    fn moved(&self, at: &Position, moves: &Moves, share: f64) -> Position {
        let mut next = at.clone();
        let mut rest = moves.by_states.as_slice();
        for piece in &mut next.states {
            let n = piece[0].len();
            let (own, others) = rest.split_at(n * self.n_states);
            rest = others;
            for (state, values) in piece.iter_mut().enumerate() {
                for (i, value) in values.iter_mut().enumerate() {
                    *value -= share * own[i * self.n_states + state];
                }
            }
        }
        let all = next.coefficients.iter_mut().flatten();
        for (value, by) in all.zip(&moves.by_coefficients) {
            *value -= share * by;
        }
        next
    }

    /// The noise of each state from what the estimated states leave: each state's share of the
    /// initial values and coefficients is lost.
    fn noise(&self, at: &Position, n_coefficients: usize) -> Vec<f64> {
        let n = self.n_points() as f64;
        let freedom = (self.pieces.len() * self.n_states + n_coefficients) as f64;
        let left = (n - freedom / self.observed as f64).max(0.1 * n);
        let of_state = |state: usize| {
            let pieces = self.pieces.iter().zip(&at.states);
            let squares = pieces.flat_map(|(piece, states)| {
                let pairs = piece.columns[state].iter().zip(&states[state]);
                pairs.map(|(x, u)| (x - u).powi(2))
            });
            (squares.sum::<f64>() / left).sqrt()
        };
        (0..self.observed).map(of_state).collect()
    }

    /// What noise of this size costs.
    fn price_of_noise(&self, scales: &Scales) -> f64 {
        let n = self.n_points() as f64;
        scales.noise.iter().map(|sigma| n * sigma.ln()).sum()
    }

    fn evidence(&self, laws: &Laws, scales: &Scales, cost: Cost, linear: &Linear) -> f64 {
        let noise = self.price_of_noise(scales);
        let border = coefficients(laws);
        let priors = border.iter();
        let priors = priors.map(|&(state, term)| self.prior.price(state, term));
        let priors: f64 = priors.sum::<f64>() + self.price_of_sizes(laws);
        -(cost.total() + noise + priors + 0.5 * linear.factors.log_determinant_of_schur())
    }
}

/// A step of the Gauss–Newton method.
struct Moves {
    by_states: Vec<f64>,
    by_coefficients: Vec<f64>,
    /// By how much the cost falls if it is quadratic.
    promise: f64,
}

impl Moves {
    fn new(linear: &Linear) -> Self {
        let (states, coefficients) = (&linear.by_states, &linear.by_coefficients);
        let (by_states, by_coefficients) =
            linear.factors.solve(states.clone(), coefficients.clone());
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let promise = product(&by_states, states) + product(&by_coefficients, coefficients);
        Self {
            by_states,
            by_coefficients,
            promise: 0.5 * promise,
        }
    }
}
