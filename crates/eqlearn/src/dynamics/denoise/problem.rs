//! What is denoised: the record, the terms, and the scales by which errors are measured.

use super::prior::Prior;
use super::rule::Rule;
use super::terms::Terms;
use crate::data::trajectory::Trajectories;
use crate::reduce::support::Support;
use crate::terms::dictionary::Dictionary;

/// A record, and the terms that its equations may have.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(super) pieces: Vec<Stretch>,
    pub(super) terms: Terms,
    /// How many states there are.
    pub(super) n_states: usize,
    /// How many of them were recorded: the first ones.
    pub(super) observed: usize,
    /// The usual slope of each state.
    pub(super) slopes: Vec<f64>,
    pub(super) prior: Prior,
    /// The terms that may be in each state's equation, and those that always are.
    pub(super) allowed: Laws,
    pub(super) forced: Laws,
}

/// What each equation can choose from.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    /// The terms that may be in each state's equation.
    pub(crate) allowed: Laws,
    /// Those that always are.
    pub(crate) forced: Laws,
    /// How many of the others there may be.
    pub(crate) most: Vec<usize>,
}

/// One piece of the record.
#[derive(Debug)]
pub(super) struct Stretch {
    /// The states as they were recorded, then inputs, then time if it is a feature.
    pub(super) columns: Vec<Vec<f64>>,
    pub(super) rules: Vec<Rule>,
}

impl Stretch {
    /// Its samples.
    pub(super) fn len(&self) -> usize {
        self.columns[0].len()
    }
}

/// The equations of a system: the terms of each state's.
pub(crate) type Laws = Vec<Support>;

/// Estimated states and coefficients.
#[derive(Debug, Clone)]
pub(crate) struct Position {
    /// By piece, state and sample.
    pub(crate) states: Vec<Vec<Vec<f64>>>,
    /// The coefficients of each state's equation.
    pub(crate) coefficients: Vec<Vec<f64>>,
}

impl Problem {
    /// A record whose last equations can choose their terms; `time_scale` is that of the motion.
    ///
    /// With as many choices as states all states were recorded. With half as many the others are
    /// velocities of the first half: those values of the record are but a start, and that the
    /// derivative of a state is its velocity needs no terms.
    pub(crate) fn new(
        record: &Trajectories,
        dictionary: &Dictionary,
        time_scale: f64,
        choice: Choice,
    ) -> Self {
        let n_states = record.states().len();
        let pieces = record.pieces().iter().map(|piece| Stretch {
            columns: piece.columns().to_vec(),
            rules: Rule::all(piece.times()),
        });
        let pieces: Vec<Stretch> = pieces.collect();
        let terms = Terms::new(dictionary, n_states);
        let slopes = (0..n_states).map(|state| record.spread(state) / time_scale);
        let slopes: Vec<f64> = slopes.collect();
        let sizes = sizes(&pieces, &terms);
        let n_defined = n_states - choice.most.len();
        let none = || vec![Support::empty(); n_defined];
        let prices = terms.prices(dictionary.features().len());
        Self {
            prior: Prior::new(
                &slopes,
                &sizes,
                prices,
                [vec![0; n_defined], choice.most].concat(),
            ),
            pieces,
            terms,
            n_states,
            observed: n_states - n_defined,
            slopes,
            allowed: [none(), choice.allowed].concat(),
            forced: [none(), choice.forced].concat(),
        }
    }

    /// How many states have a derivative by definition, before those whose equations have terms.
    pub(crate) fn n_defined(&self) -> usize {
        self.n_states - self.observed
    }

    /// The state that is the derivative of another by definition.
    pub(super) fn velocity(&self, state: usize) -> Option<usize> {
        (state < self.n_defined()).then_some(state + self.observed)
    }

    /// All terms up to each length, shortest first, as long as there are at most so many
    /// coefficients.
    pub(super) fn widths(&self, most: usize) -> Vec<Laws> {
        let lengths = self.terms.lengths();
        let mut all = lengths.clone();
        all.sort_unstable();
        all.dedup();
        let up_to = |longest: &usize| -> Laws {
            let law = self.allowed.iter().zip(&self.forced).map(|(all, forced)| {
                let short = all.indices().iter().copied();
                let short: Support = short.filter(|&term| lengths[term] <= *longest).collect();
                short.union(forced)
            });
            law.collect()
        };
        let size = |laws: &Laws| laws.iter().map(Support::len).sum::<usize>();
        let all = all.iter().filter(|&&length| length > 0).map(up_to);
        all.filter(|laws| size(laws) <= most).collect()
    }

    /// Samples in all.
    pub(super) fn n_points(&self) -> usize {
        self.pieces.iter().map(Stretch::len).sum()
    }

    /// The states as they were recorded.
    pub(crate) fn recorded(&self) -> Vec<Vec<Vec<f64>>> {
        let states = |piece: &Stretch| piece.columns[..self.n_states].to_vec();
        self.pieces.iter().map(states).collect()
    }
}

/// The root mean square of each term on the record; infinite where it has no value.
fn sizes(pieces: &[Stretch], terms: &Terms) -> Vec<f64> {
    let n: usize = pieces.iter().map(Stretch::len).sum();
    let size = |term: usize| {
        let only = Support::from_iter([term]);
        let squares = pieces.iter().map(|piece| {
            let columns: Vec<&[f64]> = piece.columns.iter().map(Vec::as_slice).collect();
            let values = terms.values(&columns, &only)?;
            Some(values[term].iter().map(|v| v * v).sum::<f64>())
        });
        let sum: Option<f64> = squares.sum();
        sum.map_or(f64::INFINITY, |sum| (sum / n as f64).sqrt())
    };
    (0..terms.len()).map(size).collect()
}
