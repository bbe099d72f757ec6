//! The rows of the weak form, piece by piece: integrals of terms and responses, their errors, and
//! the noise estimated from them.

use std::borrow::Cow;
use std::ops::Range;

use super::estimate::Estimate;
use super::misfit::Stretch;
use crate::data::trajectory::Piece;
use crate::dynamics::rows::interpolate::Nodes;
use crate::dynamics::rows::jumps::{guess, uncertain};
use crate::dynamics::rows::weak::{Bumps, Covariance, Noise, Source, Tests};
use crate::error::Result;
use crate::numeric::parallel;
use crate::reduce::support::Support;
use crate::terms::dictionary::Dictionary;

/// Samples in the first interpolating polynomial, where steps are long: degree seven.
const STENCIL: usize = 8;

/// Samples in the half width of a test function at least, where sums over samples stand for
/// integrals.
pub(super) const LEAST_SAMPLES: f64 = 8.0;

/// Steps in the half width of a test function at least, where values between samples are known.
const LEAST_STEPS: f64 = 4.0;

/// Estimated noise larger than this many standard deviations is attributed to the model.
const LARGEST_NOISE: f64 = 4.0;

/// What is known between samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Between {
    /// Nothing is needed: sums over samples are accurate integrals.
    Nothing,
    /// Polynomials through neighbouring samples.
    Polynomial,
    /// Polynomials at first, then the flow of the system as it is learned.
    Flow,
}

impl Between {
    /// Steps in the half width of a test function at least.
    pub(super) fn least_steps(self) -> f64 {
        match self {
            Self::Nothing => LEAST_SAMPLES,
            Self::Polynomial | Self::Flow => LEAST_STEPS,
        }
    }
}

/// One piece of record with its estimated noise.
#[derive(Debug)]
pub(super) struct Record {
    piece: Piece,
    n_states: usize,
    /// For each state and sample.
    noise: Vec<Vec<f64>>,
    integrals: Option<Integrals>,
}

#[derive(Debug)]
struct Integrals {
    nodes: Nodes,
    tests: Tests,
    terms: Vec<Vec<f64>>,
    responses: Vec<Vec<f64>>,
    /// For each equation the derivative with respect to each state; then, for each input that
    /// jumps, by how much its right side is uncertain there.
    jacobians: Vec<Jacobians>,
}

type Jacobians = Vec<Option<Vec<f64>>>;

impl Record {
    pub(super) fn new(piece: &Piece, n_states: usize) -> Self {
        Self {
            piece: piece.clone(),
            n_states,
            noise: vec![vec![0.0; piece.len()]; n_states],
            integrals: None,
        }
    }

    /// Takes these states as those without noise.
    pub(super) fn set_states(&mut self, states: &Piece) {
        let both = self.piece.columns().iter().zip(states.columns());
        let noise = |(x, u): (&Vec<f64>, &Vec<f64>)| x.iter().zip(u).map(|(x, u)| x - u).collect();
        self.noise = both.take(self.n_states).map(noise).collect();
    }

    /// The variance that the noise of each state still has after it was estimated: the estimate and
    /// what is left of it are independent. None where values are not those of samples.
    fn noise_left(&self, nodes: &Nodes, sigma: &[f64]) -> Option<Vec<f64>> {
        let (n_nodes, n) = (nodes.times.len(), self.piece.len());
        let left = |(noise, sigma): (&Vec<f64>, &f64)| {
            let known = noise.iter().map(|e| e * e).sum::<f64>() / n as f64;
            (sigma * sigma - known).max(0.0)
        };
        let both = self.noise.iter().zip(sigma);
        (n_nodes == n).then(|| both.map(left).collect())
    }

    /// Takes the integrals of some terms anew. With the noise of each state, values are corrected
    /// for what noise adds to them on average.
    pub(super) fn integrate(
        &mut self,
        terms: &Chosen<'_>,
        (bumps, between): (&Bumps, Between),
        estimate: Option<&Estimate>,
        noise: Option<&[f64]>,
        threads: usize,
    ) -> Result<()> {
        let nodes = self.nodes(between, estimate);
        let tests = match self.integrals.take() {
            // Samples stay where they are.
            Some(before) if between == Between::Nothing => before.tests,
            _ => {
                let times = self.piece.times();
                Tests::new(&nodes, times[0], times[times.len() - 1], bumps)
            }
        };
        let n = nodes.times.len();
        let dictionary = &terms.dictionary;
        let values = self.values(dictionary, &nodes, noise)?;
        let mut integrals = vec![Vec::new(); terms.all.len()];
        let made = parallel::map(threads, dictionary.len(), |place| {
            tests.of_term(&values[place * n..][..n])
        });
        for (made, &term) in made.into_iter().zip(&terms.places) {
            integrals[term] = made;
        }
        let terms = integrals;
        let jacobians = self.jacobians(estimate, &nodes);
        let noise: Vec<Vec<f64>> = self.noise.iter().map(|e| nodes.on_line(e)).collect();
        let responses = (0..self.n_states)
            .map(|state| response(&tests, &nodes, &noise, &jacobians[state], state))
            .collect();
        self.integrals = Some(Integrals {
            nodes,
            tests,
            terms,
            responses,
            jacobians,
        });
        Ok(())
    }

    /// The values of terms at the nodes, term after term. With the noise of each state they are
    /// without what noise adds to them on average, to second order: half of
    /// `f(x + √v) + f(x − √v) − 2 f(x)` for each state, with the variance `v` that is left of its
    /// noise. A square is too large by `v` at every sample, for which a false constant would have
    /// to make up.
    fn values(
        &self,
        dictionary: &Dictionary,
        nodes: &Nodes,
        noise: Option<&[f64]>,
    ) -> Result<Vec<f64>> {
        let here = self.values_at(dictionary, nodes)?;
        let left = noise.and_then(|sigma| self.noise_left(nodes, sigma));
        let mut values = here.clone();
        for (state, variance) in left.iter().flatten().enumerate() {
            for side in [1.0, -1.0] {
                let mut beside = nodes.clone();
                for x in &mut beside.columns[state] {
                    *x += side * variance.sqrt();
                }
                // Beside a sample a term may have no value: then nothing is known of its average.
                let Ok(beside) = self.values_at(dictionary, &beside) else {
                    return Ok(here);
                };
                for ((value, beside), here) in values.iter_mut().zip(beside).zip(&here) {
                    *value -= 0.5 * (beside - here);
                }
            }
        }
        Ok(values)
    }

    fn values_at(&self, dictionary: &Dictionary, nodes: &Nodes) -> Result<Vec<f64>> {
        let features: Vec<&[f64]> = nodes.columns.iter().map(Vec::as_slice).collect();
        let mut values = vec![0.0; nodes.times.len() * dictionary.len()];
        dictionary
            .evaluate(&features, &mut values)
            .map_err(|place| {
                let moment = (self.piece.name(), nodes.times[place.row]);
                dictionary.explain_in_motion(place, &features, moment)
            })?;
        Ok(values)
    }

    fn nodes(&self, between: Between, estimate: Option<&Estimate>) -> Nodes {
        let clean = |(x, noise): (&Vec<f64>, &Vec<f64>)| {
            x.iter().zip(noise).map(|(x, noise)| x - noise).collect()
        };
        let states = self.piece.columns().iter().zip(&self.noise).map(clean);
        let piece = self.piece.with_states(states.collect());
        match (between, estimate) {
            (Between::Nothing, _) => Nodes::samples(&piece),
            (Between::Flow, Some(estimate)) => {
                Nodes::flow(&piece, self.n_states, &|columns, out| {
                    estimate.slope(columns, out);
                })
            }
            (Between::Flow | Between::Polynomial, _) => {
                Nodes::polynomial(&piece, self.n_states, STENCIL)
            }
        }
    }

    /// For each equation how errors of the states and of inputs that jump enter at the nodes.
    fn jacobians(&self, estimate: Option<&Estimate>, nodes: &Nodes) -> Vec<Jacobians> {
        let known = estimate.filter(|estimate| estimate.has_all_equations());
        let of_state = |state: usize| {
            let rate = self.rate(state);
            let slope = |feature: usize, nodes: &Nodes| match known {
                Some(estimate) => estimate.jacobian(state, feature, nodes),
                None => guess(nodes, feature, rate),
            };
            let mut all = jacobians(estimate, state, nodes, self.n_states);
            all.extend(
                uncertain(nodes, self.n_states, &slope)
                    .into_iter()
                    .map(Some),
            );
            all
        };
        (0..self.n_states).map(of_state).collect()
    }

    /// The root mean square of a state's differences, each over its step.
    fn rate(&self, state: usize) -> f64 {
        let (times, x) = (self.piece.times(), &self.piece.columns()[state]);
        let steps = times.windows(2).zip(x.windows(2));
        let squares = steps.map(|(t, x)| ((x[1] - x[0]) / (t[1] - t[0])).powi(2));
        (squares.sum::<f64>() / (x.len() - 1) as f64).sqrt()
    }

    /// The rows of a state over other test functions, with a column for each of some terms; none
    /// before integrals were taken, or if a term has no value.
    pub(super) fn tested(
        &self,
        bumps: &Bumps,
        terms: &Dictionary,
        state: usize,
        noise: Option<&[f64]>,
    ) -> Option<Tested<'_>> {
        let own = self.integrals.as_ref()?;
        let (nodes, times) = (&own.nodes, self.piece.times());
        let tests = Tests::new(nodes, times[0], times[times.len() - 1], bumps);
        let values = self.values(terms, nodes, noise).ok()?;
        let noise: Vec<Vec<f64>> = self.noise.iter().map(|e| nodes.on_line(e)).collect();
        let response = response(&tests, nodes, &noise, &own.jacobians[state], state);
        let terms = values.chunks_exact(nodes.times.len());
        let terms = terms.map(|term| tests.of_term(term));
        Some(Tested {
            columns: terms.chain([response]).collect(),
            own,
            tests,
            state,
        })
    }

    /// Estimates the noise from what the equations leave unexplained.
    pub(super) fn clean(&mut self, estimate: &Estimate, sigma: &[f64]) {
        let integrals = self
            .integrals
            .as_ref()
            .expect("rows are there before they are judged");
        let Integrals { nodes, tests, .. } = integrals;
        let jacobians = self.jacobians(Some(estimate), nodes);
        let sources: Vec<Vec<Source<'_>>> = (0..self.n_states)
            .map(|state| sources(&jacobians[state], state, sigma))
            .collect();
        let sources: Vec<&[Source<'_>]> = sources.iter().map(Vec::as_slice).collect();
        let errors: Vec<f64> = (0..tests.len())
            .flat_map(|k| (0..self.n_states).map(move |state| (k, state)))
            .map(|(k, state)| {
                let terms = estimate.support(state).indices().iter();
                let fitted: f64 = terms
                    .zip(estimate.coefficients(state))
                    .map(|(&term, w)| w * integrals.terms[term][k])
                    .sum();
                integrals.responses[state][k] - fitted
            })
            .collect();
        let noise = Noise::new(tests, nodes, &sources);
        self.noise = noise.most_probable(self.piece.len(), &errors);
        // What is left are uncertain inputs.
        self.noise.truncate(self.n_states);
        for (noise, sigma) in self.noise.iter_mut().zip(sigma) {
            for value in noise {
                *value = value.clamp(-LARGEST_NOISE, LARGEST_NOISE) * sigma;
            }
        }
    }
}

/// The rows of a state over some test functions: a column for each of some terms, then the
/// response.
#[derive(Debug)]
pub(super) struct Tested<'a> {
    own: &'a Integrals,
    tests: Tests,
    columns: Vec<Vec<f64>>,
    state: usize,
}

impl Tested<'_> {
    /// How many rows there are.
    pub(super) fn n_rows(&self) -> usize {
        self.tests.len()
    }

    /// Some consecutive rows, whitened.
    pub(super) fn stretch(&self, rows: &Range<usize>, sigma: &[f64]) -> Stretch {
        let tests = self.tests.only(rows.clone());
        let sources = sources(&self.own.jacobians[self.state], self.state, sigma);
        let covariance = Covariance::new(&tests, &self.own.nodes, &sources);
        let columns = self.columns.iter();
        let columns = columns.map(|column| column[rows.clone()].to_vec());
        Stretch::new(&tests, &self.own.nodes, covariance, columns.collect())
    }
}

/// Some terms of a dictionary.
#[derive(Debug)]
pub(super) struct Chosen<'a> {
    all: &'a Dictionary,
    dictionary: Cow<'a, Dictionary>,
    places: Vec<usize>,
}

impl<'a> Chosen<'a> {
    pub(super) fn all(dictionary: &'a Dictionary) -> Self {
        Self {
            all: dictionary,
            dictionary: Cow::Borrowed(dictionary),
            places: (0..dictionary.len()).collect(),
        }
    }

    pub(super) fn only(dictionary: &'a Dictionary, support: &Support) -> Self {
        Self {
            all: dictionary,
            dictionary: Cow::Owned(dictionary.select(support.indices())),
            places: support.indices().to_vec(),
        }
    }
}

/// The whitened rows of one state from all records: a column for each of some terms, then the
/// response.
pub(super) fn whitened(
    records: &[Record],
    state: usize,
    support: &Support,
    sigma: &[f64],
) -> Vec<Vec<f64>> {
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); support.len() + 1];
    for piece in &Whitening::new(records, state, sigma).pieces {
        let integrals = piece.integrals;
        let terms = support.indices().iter().map(|&term| &integrals.terms[term]);
        let all = terms.chain([&integrals.responses[state]]);
        let start = columns[0].len();
        for (out, column) in columns.iter_mut().zip(all) {
            out.extend_from_slice(column);
        }
        let mut new: Vec<&mut [f64]> = columns.iter_mut().map(|c| &mut c[start..]).collect();
        piece.covariance.whiten_all(&mut new);
    }
    columns
}

/// `ln det` of the covariance of all rows of a state.
pub(super) fn log_determinant(records: &[Record], state: usize, sigma: &[f64]) -> f64 {
    let whitening = Whitening::new(records, state, sigma);
    let pieces = whitening.pieces.iter();
    pieces.map(|piece| piece.covariance.log_determinant()).sum()
}

/// How values at some points of all records become the whitened rows of one state.
///
/// The points are the nodes, where the noise of the states has a variance v that nobody knows
/// better. There a function is too large by `f'' v/2` on average. If that counts, there are further
/// points for each state, beside the nodes on both sides by √v: with `f(x + √v) + f(x − √v) − 2 f`
/// for `f'' v`, the values become those without noise, to second order.
pub(super) struct Whitening<'a> {
    state: usize,
    pieces: Vec<Whitened<'a>>,
}

/// One record in it.
struct Whitened<'a> {
    integrals: &'a Integrals,
    covariance: Covariance,
    /// For each state the distance of the points beside the nodes; none if there are no such.
    beside: Vec<f64>,
}

impl<'a> Whitening<'a> {
    /// With nodes only.
    pub(super) fn new(records: &'a [Record], state: usize, sigma: &[f64]) -> Self {
        Self::with(records, state, sigma, |_| Vec::new())
    }

    /// With values as they are without noise, to second order.
    pub(super) fn corrected(records: &'a [Record], state: usize, sigma: &[f64]) -> Self {
        Self::with(records, state, sigma, |record| {
            let nodes = record.integrals.as_ref().map(|own| &own.nodes);
            let left = nodes.and_then(|nodes| record.noise_left(nodes, sigma));
            let left = left.unwrap_or_default();
            left.iter().map(|variance| variance.sqrt()).collect()
        })
    }

    fn with(
        records: &'a [Record],
        state: usize,
        sigma: &[f64],
        beside: impl Fn(&Record) -> Vec<f64>,
    ) -> Self {
        let piece = |record: &'a Record| {
            let integrals = record.integrals.as_ref()?;
            let sources = sources(&integrals.jacobians[state], state, sigma);
            Some(Whitened {
                covariance: Covariance::new(&integrals.tests, &integrals.nodes, &sources),
                beside: beside(record),
                integrals,
            })
        };
        Self {
            state,
            pieces: records.iter().filter_map(piece).collect(),
        }
    }

    /// Each feature at all points.
    pub(super) fn features(&self) -> Vec<Vec<f64>> {
        let first = self.pieces.first();
        let n_features = first.map_or(0, |piece| piece.integrals.nodes.columns.len());
        let feature = |f: usize| {
            let pieces = self.pieces.iter();
            pieces.flat_map(|piece| piece.feature(f)).collect()
        };
        (0..n_features).map(feature).collect()
    }

    /// The rows of a function with these values at the points.
    pub(super) fn of_values(&self, values: &[f64]) -> Vec<f64> {
        let mut rest = values;
        let mut rows = Vec::new();
        for piece in &self.pieces {
            let (own, others) = rest.split_at(piece.n_points());
            rest = others;
            let start = rows.len();
            rows.extend(piece.integrals.tests.of_term(&piece.at_nodes(own)));
            piece.covariance.whiten(&mut rows[start..]);
        }
        rows
    }

    /// The rows of the response.
    pub(super) fn response(&self) -> Vec<f64> {
        let mut rows = Vec::new();
        for piece in &self.pieces {
            let start = rows.len();
            rows.extend_from_slice(&piece.integrals.responses[self.state]);
            piece.covariance.whiten(&mut rows[start..]);
        }
        rows
    }
}

impl Whitened<'_> {
    fn n_nodes(&self) -> usize {
        self.integrals.nodes.times.len()
    }

    fn n_points(&self) -> usize {
        self.n_nodes() * (1 + 2 * self.beside.len())
    }

    /// A feature at the nodes, then beside them by each state.
    fn feature(&self, place: usize) -> Vec<f64> {
        let at_nodes = &self.integrals.nodes.columns[place];
        let mut values = at_nodes.clone();
        for (state, distance) in self.beside.iter().enumerate() {
            for side in [1.0, -1.0] {
                let moved = if state == place { side * distance } else { 0.0 };
                values.extend(at_nodes.iter().map(|x| x + moved));
            }
        }
        values
    }

    /// The values of a function at the nodes, corrected by those beside them.
    fn at_nodes<'b>(&self, values: &'b [f64]) -> Cow<'b, [f64]> {
        let (at_nodes, beside) = values.split_at(self.n_nodes());
        if beside.is_empty() {
            return at_nodes.into();
        }
        let mut corrected = at_nodes.to_vec();
        for other in beside.chunks_exact(at_nodes.len()) {
            for ((value, other), here) in corrected.iter_mut().zip(other).zip(at_nodes) {
                *value -= 0.5 * (other - here);
            }
        }
        corrected.into()
    }
}

/// `−∫ φ' x − ∫ φ Σ_d ∂f/∂x_d ε_d`, with `x` as it was recorded.
fn response(
    tests: &Tests,
    nodes: &Nodes,
    noise: &[Vec<f64>],
    jacobians: &Jacobians,
    state: usize,
) -> Vec<f64> {
    let recorded = nodes.columns[state].iter().zip(&noise[state]);
    let recorded: Vec<f64> = recorded.map(|(x, noise)| x + noise).collect();
    let mut through_terms = vec![0.0; recorded.len()];
    for (jacobian, noise) in jacobians.iter().zip(noise) {
        let Some(jacobian) = jacobian else { continue };
        for ((sum, slope), noise) in through_terms.iter_mut().zip(jacobian).zip(noise) {
            *sum += slope * noise;
        }
    }
    let mut response = tests.of_response(&recorded);
    for (response, part) in response.iter_mut().zip(tests.of_term(&through_terms)) {
        *response -= part;
    }
    response
}

fn jacobians(
    estimate: Option<&Estimate>,
    state: usize,
    nodes: &Nodes,
    n_states: usize,
) -> Jacobians {
    let jacobian = |feature| estimate.and_then(|e| e.jacobian(state, feature, nodes));
    (0..n_states).map(jacobian).collect()
}

fn sources<'a>(jacobians: &'a Jacobians, state: usize, sigma: &[f64]) -> Vec<Source<'a>> {
    let source = |(d, slope): (usize, &'a Option<Vec<f64>>)| Source {
        // The errors of inputs are in units of their own.
        sigma: sigma.get(d).copied().unwrap_or(1.0),
        is_response: d == state,
        slope: slope.as_deref(),
    };
    jacobians.iter().enumerate().map(source).collect()
}
