//! Whether the law of motion is among the equations compared: what the chosen terms leave of the
//! rows is compared with noise, as for tables ([`misfit`](mod@crate::judge::misfit)).
//!
//! A smooth remainder δ of the right side is seen through the same integrals as a term, and its
//! rows are whitened by the same covariance:
//!
//! ```text
//! L⁻¹ ( −∫ φ' x dt − terms ) = L⁻¹ ∫ φ δ(x) dt + white noise
//! ```
//!
//! So the functions that make up the covariance of δ are treated as if they were terms. They are
//! evaluated at a few points of each test function: a smooth function needs no more.
//!
//! Long records are judged by some stretches of consecutive rows. Rows that are left out cost
//! nothing but their own information, and a stretch keeps what only long averages can see.
//!
//! Where the law leaves no more than the errors of the integrals, there is nothing to judge: these
//! errors are a smooth function of the state too.

use std::ops::Range;

use super::Discovery;
use super::estimate::Estimate;
use super::rows::{self, Tested};
use crate::data::trajectory::{Piece, Trajectories};
use crate::dynamics::rows::interpolate::Nodes;
use crate::dynamics::rows::second_order::{Integrals, Motion};
use crate::dynamics::rows::weak::{Covariance, Tests};
use crate::error::Result;
use crate::judge::misfit::{Misfit, ROUNDING, Residuals, Rows, misfit};
use crate::learn::Study;
use crate::numeric::vector::{add, dot};
use crate::reduce::support::Support;
use crate::terms::dictionary::Dictionary;

/// The most rows that are looked at.
const MOST_ROWS: usize = 400;

/// The stretches that are looked at where there are more rows than that.
const STRETCHES: usize = 8;

/// Points in the half width of a test function.
const POINTS: f64 = 8.0;

/// The highest rank of a covariance: a record of motion fills a small part of all states.
const RANK: usize = 64;

/// What the law leaves must be this many times larger than the errors of integrals.
const CLEAR: f64 = 10.0;

/// Rows from which a chosen law can be judged.
pub(super) trait Judge: Sync {
    /// Judges a state's answer; none where that cannot be done.
    fn misfit(&self, state: usize, study: &Study) -> Option<Misfit>;

    /// The variance by which a state's rows were whitened, in units of that by which neighbouring
    /// samples differ; none where rows have errors besides noise.
    fn variance(&self, state: usize) -> Option<f64>;

    /// Takes the states and the noise of a discovery that fitted them together with its equations:
    /// then these are what rows are made of, and no longer what single equations said.
    fn with_states(&mut self, found: &Discovery, cleaned: &Trajectories) -> Result<()>;
}

/// Consecutive rows of one piece of record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) piece: usize,
    pub(super) rows: Range<usize>,
}

/// All rows of pieces with this many each, or stretches that are spread evenly over them.
pub(super) fn places(n_rows: &[usize]) -> Vec<Place> {
    let total: usize = n_rows.iter().sum();
    let length = MOST_ROWS / STRETCHES;
    let starts: Vec<usize> = if total <= MOST_ROWS {
        vec![0]
    } else {
        let gaps = STRETCHES - 1;
        (0..STRETCHES)
            .map(|k| k * (total - length) / gaps)
            .collect()
    };
    let length = if total <= MOST_ROWS { total } else { length };
    let mut places = Vec::new();
    let mut first = 0;
    for (piece, &count) in n_rows.iter().enumerate() {
        for start in &starts {
            let from = (*start).clamp(first, first + count);
            let to = (start + length).clamp(first, first + count);
            if from < to {
                let rows = from - first..to - first;
                places.push(Place { piece, rows });
            }
        }
        first += count;
    }
    places
}

/// Consecutive rows, whitened, and how a function of the features is seen in them.
#[derive(Debug)]
pub(super) struct Stretch {
    /// A column for each chosen term, then the response.
    columns: Vec<Vec<f64>>,
    covariance: Covariance,
    /// The features at the points, one column each.
    points: Vec<Vec<f64>>,
    /// The test functions at these points.
    tests: Tests,
}

impl Stretch {
    /// The rows of some test functions, from integrals of the chosen terms and the response.
    pub(super) fn new(
        tests: &Tests,
        nodes: &Nodes,
        covariance: Covariance,
        mut columns: Vec<Vec<f64>>,
    ) -> Self {
        let mut all: Vec<&mut [f64]> = columns.iter_mut().map(Vec::as_mut_slice).collect();
        covariance.whiten_all(&mut all);
        let (times, weights) = even_times(tests);
        let at_times = |column: &Vec<f64>| on_line(&nodes.times, column, &times);
        Self {
            columns,
            covariance,
            points: nodes.columns.iter().map(at_times).collect(),
            tests: tests.sampled_at(&times, &weights),
        }
    }

    /// The whitened integrals of functions that are given by their values at the points.
    fn seen<'a>(&self, functions: impl Iterator<Item = &'a [f64]>) -> Vec<Vec<f64>> {
        let mut rows: Vec<Vec<f64>> = functions.map(|f| self.tests.of_term(f)).collect();
        let mut all: Vec<&mut [f64]> = rows.iter_mut().map(Vec::as_mut_slice).collect();
        self.covariance.whiten_all(&mut all);
        rows
    }

    fn n_points(&self) -> usize {
        self.points[0].len()
    }
}

/// Times at equal distances over all test functions, and the weights of the trapezoidal rule.
fn even_times(tests: &Tests) -> (Vec<f64>, Vec<f64>) {
    let Some((start, end)) = tests.span() else {
        return (Vec::new(), Vec::new());
    };
    let spacing = tests.half_width() / POINTS;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a few for each of some hundred rows"
    )]
    let n_gaps = ((end - start) / spacing).round().max(1.0) as usize;
    let spacing = (end - start) / n_gaps as f64;
    let times: Vec<f64> = (0..=n_gaps).map(|i| start + i as f64 * spacing).collect();
    // Test functions vanish at the ends, so that these need no weight of their own.
    let weights = vec![spacing; times.len()];
    (times, weights)
}

/// Values that are known at rising times, on straight lines between them.
fn on_line(known: &[f64], values: &[f64], times: &[f64]) -> Vec<f64> {
    let value = |&time: &f64| {
        let right = known
            .partition_point(|&t| t < time)
            .clamp(1, known.len() - 1);
        let left = right - 1;
        let share = (time - known[left]) / (known[right] - known[left]);
        values[left] + share.clamp(0.0, 1.0) * (values[right] - values[left])
    };
    times.iter().map(value).collect()
}

/// The answer's terms and coefficients; none of both if there is no answer.
pub(super) fn chosen(study: &Study) -> (Support, Vec<f64>) {
    study.answer().map_or_else(Default::default, |answer| {
        let fit = &answer.fit;
        (fit.support().clone(), fit.coefficients().to_vec())
    })
}

/// Judges what chosen terms leave of the rows of all stretches. Residuals whose root mean square in
/// units of the noise is below `least` are not judged.
pub(super) fn judge(stretches: &[Stretch], coefficients: &[f64], least: f64) -> Option<Misfit> {
    let first = stretches.first()?;
    let whole = |pick: &dyn Fn(&Stretch) -> &[f64]| -> Vec<f64> {
        stretches.iter().flat_map(pick).copied().collect()
    };
    let columns = (0..first.columns.len()).map(|k| whole(&|s| &s.columns[k]));
    let mut tangents: Vec<Vec<f64>> = columns.collect();
    let mut residuals = tangents.pop()?;
    for (column, coefficient) in tangents.iter().zip(coefficients) {
        add(&mut residuals, -coefficient, column);
    }
    let size = (dot(&residuals, &residuals) / residuals.len() as f64).sqrt();
    if size <= least {
        return None;
    }
    let points: Vec<Vec<f64>> = (0..first.points.len())
        .map(|k| whole(&|s| &s.points[k]))
        .collect();
    let rows = Rows {
        points: &points,
        tangents: &tangents,
        residuals,
        // Whitening spreads a smooth remainder over rows of all sizes: the image of one that is cut
        // is not smooth. A wild sample, unlike a remainder, does not look like an integral.
        cut: f64::INFINITY,
        rank: RANK,
    };
    rows.judge(&|functions| seen(stretches, &functions))
}

/// Functions as rows, in units in which their mean square is one.
///
/// The amplitudes of a remainder are compared with the noise, whatever the width of the test
/// functions is.
fn seen(stretches: &[Stretch], functions: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> = vec![Vec::new(); functions.len()];
    let mut first = 0;
    for stretch in stretches {
        let range = first..first + stretch.n_points();
        first = range.end;
        let own = stretch.seen(functions.iter().map(|f| &f[range.clone()]));
        for (rows, own) in rows.iter_mut().zip(own) {
            rows.extend(own);
        }
    }
    let squares: f64 = rows.iter().map(|row| dot(row, row)).sum();
    let scale = (rows.first().map_or(0, Vec::len) as f64 / squares).sqrt();
    if scale.is_finite() {
        for value in rows.iter_mut().flatten() {
            *value *= scale;
        }
    }
    rows
}

impl Judge for super::Weak<'_> {
    /// By narrower test functions than those that the law was learned with, where there were few:
    /// a law that is fitted to few wide averages is close to them, right or wrong.
    fn misfit(&self, state: usize, study: &Study) -> Option<Misfit> {
        let (support, coefficients) = chosen(study);
        let terms = study.problem().dictionary().select(support.indices());
        let least_steps = self.between.least_steps();
        let bumps = self
            .bumps
            .narrowed_to(MOST_ROWS, least_steps, self.trajectories);
        let records = self.records.iter();
        let noise = self.much_noise();
        let tested = records.map(|record| record.tested(&bumps, &terms, state, noise));
        let tested: Vec<Tested<'_>> = tested.collect::<Option<_>>()?;
        let n_rows: Vec<usize> = tested.iter().map(Tested::n_rows).collect();
        let sigma = &self.resolution.sigma;
        let stretch = |place: &Place| tested[place.piece].stretch(&place.rows, sigma);
        let stretches: Vec<Stretch> = places(&n_rows).iter().map(stretch).collect();
        let least = CLEAR * self.error_of_integrals(&bumps, state) / sigma[state];
        judge(&stretches, &coefficients, least)
    }

    fn variance(&self, state: usize) -> Option<f64> {
        let (sigma, shown) = (self.resolution.sigma[state], self.shown_noise[state]);
        let is_noise = sigma > CLEAR * self.error_of_integrals(&self.bumps, state);
        is_noise.then(|| (sigma / shown).powi(2))
    }

    fn with_states(&mut self, found: &Discovery, cleaned: &Trajectories) -> Result<()> {
        self.resolution.sigma.clone_from(&found.choice.noise);
        for (record, states) in self.records.iter_mut().zip(cleaned.pieces()) {
            record.set_states(states);
        }
        let estimate = Estimate::of_laws(&self.dictionary, found.laws());
        let dictionary = self.dictionary.clone();
        let terms = rows::Chosen::only(&dictionary, &estimate.all_terms());
        self.integrate(&terms, Some(&estimate))
    }
}

/// The rows of accelerations.
#[derive(Debug)]
pub(super) struct Accelerations<'a> {
    pub(super) motion: Motion<'a>,
    pub(super) dictionary: &'a Dictionary,
    pub(super) sigma: Vec<f64>,
    /// The equations by which rows were whitened.
    pub(super) estimate: Option<Estimate>,
}

impl Judge for Accelerations<'_> {
    fn misfit(&self, state: usize, study: &Study) -> Option<Misfit> {
        let (support, coefficients) = chosen(study);
        let terms = self.dictionary.select(support.indices());
        let pieces = (0..self.motion.n_pieces()).map(|piece| self.motion.integrals(piece, &terms));
        let pieces: Vec<Integrals> = pieces.collect::<Result<_>>().ok()?;
        let n_rows: Vec<usize> = pieces.iter().map(|piece| piece.tests.len()).collect();
        let slope = |state: usize, feature: usize, nodes: &Nodes| {
            self.estimate.as_ref()?.jacobian(state, feature, nodes)
        };
        let stretch = |place: &Place| {
            let own = &pieces[place.piece];
            let tests = own.tests.only(place.rows.clone());
            let noise = (state, self.sigma.as_slice());
            let covariance = self.motion.covariance(&tests, &own.nodes, noise, &slope);
            let all = own.terms.iter().chain([&own.responses[state]]);
            let columns = all.map(|column| column[place.rows.clone()].to_vec());
            Stretch::new(&tests, &own.nodes, covariance, columns.collect())
        };
        let stretches: Vec<Stretch> = places(&n_rows).iter().map(stretch).collect();
        judge(&stretches, &coefficients, 0.0)
    }

    /// Velocities of polynomials are blurred, which is no noise.
    fn variance(&self, _: usize) -> Option<f64> {
        None
    }

    /// Terms at these states have no error that counts, so that all noise is in the accelerations.
    fn with_states(&mut self, found: &Discovery, cleaned: &Trajectories) -> Result<()> {
        self.sigma.clone_from(&found.choice.noise);
        self.estimate = None;
        self.motion.with_positions(cleaned)
    }
}

/// The rows of a map: each is one sample and the next, so that they are those of a table.
#[derive(Debug)]
pub(super) struct Steps<'a> {
    pub(super) trajectories: &'a Trajectories,
    pub(super) dictionary: &'a Dictionary,
}

impl Judge for Steps<'_> {
    fn misfit(&self, state: usize, study: &Study) -> Option<Misfit> {
        let (support, coefficients) = chosen(study);
        let terms = self.dictionary.select(support.indices());
        let pieces = self.trajectories.pieces();
        let joined = |column: &dyn Fn(&Piece) -> Vec<f64>| -> Vec<f64> {
            pieces.iter().flat_map(column).collect()
        };
        let n_features = self.dictionary.features().len();
        let before = |k: usize| joined(&|piece| piece.columns()[k][..piece.len() - 1].to_vec());
        let features: Vec<Vec<f64>> = (0..n_features).map(before).collect();
        let features: Vec<&[f64]> = features.iter().map(Vec::as_slice).collect();
        let next = joined(&|piece| piece.columns()[state][1..].to_vec());
        let mut values = vec![0.0; next.len() * terms.len()];
        terms.evaluate(&features, &mut values).ok()?;
        let tangents: Vec<&[f64]> = values.chunks_exact(next.len()).collect();
        let mut residuals = next.clone();
        for (column, coefficient) in tangents.iter().zip(&coefficients) {
            add(&mut residuals, -coefficient, column);
        }
        let judged = misfit(&Residuals {
            features: &features,
            tangents: &tangents,
            residuals: &residuals,
        });
        // Rounding errors of a smooth law are smooth too, and say nothing of it.
        judged.filter(|_| dot(&residuals, &residuals) > ROUNDING * dot(&next, &next))
    }

    /// Neighbouring samples of a map differ by more than noise.
    fn variance(&self, _: usize) -> Option<f64> {
        None
    }

    /// Maps have no states without noise.
    fn with_states(&mut self, _: &Discovery, _: &Trajectories) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_records_are_looked_at_as_a_whole_and_long_ones_in_stretches() {
        let all = |places: &[Place]| places.iter().map(|place| place.rows.len()).sum::<usize>();
        let whole = places(&[100, 0, 250]);
        assert_eq!(all(&whole), 350);
        assert_eq!(whole.len(), 2);
        let some = places(&[30, 5000, 20]);
        assert_eq!(all(&some), MOST_ROWS);
        let first = Place {
            piece: 0,
            rows: 0..30,
        };
        let last = Place {
            piece: 2,
            rows: 0..20,
        };
        assert_eq!((&some[0], &some[some.len() - 1]), (&first, &last));
        assert!(
            some.iter()
                .all(|place| place.rows.len() <= MOST_ROWS / STRETCHES)
        );
    }

    #[test]
    fn values_between_times_are_on_lines() {
        let between = on_line(&[0.0, 1.0, 3.0], &[0.0, 2.0, 0.0], &[-1.0, 0.5, 2.0, 4.0]);
        assert_eq!(between, [0.0, 1.0, 1.0, 0.0]);
    }
}
