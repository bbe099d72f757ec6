//! Trajectories into rows: the schemes, the error of each, and those that difference neighbouring
//! samples.
//!
//! A difference scheme is a stencil: the response of a row is a weighted sum of samples of the
//! state, its terms are a weighted sum of the terms at samples. Averaging the terms with the
//! weights of a compact (Padé) scheme keeps the problem linear and gains orders; averaging over
//! both ends of a step also removes the correlation of the terms with the noise of the difference.
//! A smoother replaces the samples by those of a curve and takes derivatives from it.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::data::trajectory::{Piece, Trajectories};
use crate::dynamics::DynamicsError;
use crate::error::{Error, Result};
use crate::numeric::local;
use crate::numeric::spline;
use crate::numeric::vector::dot;
use crate::reduce::ReduceError;
use crate::reduce::Reduction;
use crate::terms::dictionary::Dictionary;
use crate::terms::left_side::LeftSide;

/// How trajectories become the rows of a regression.
///
/// `h` is the step, `σ` the noise of a state.
///
/// | scheme | error of the derivative | its noise |
/// |---|---|---|
/// | `Forward` | `h/2 · x''` | `√2 σ/h`, correlated with the terms |
/// | `Trapezoid` | `h²/12 · x'''` | `√2 σ/h` |
/// | `Central { order }` | of that order in `h` | about `σ/h` |
/// | `Pade { order }` | of that order, with a smaller constant | about `2σ/h` |
/// | `SavitzkyGolay { half_window }` | fourth order in the window | falls as its length^−1.5 |
/// | `Spline` | that of a curve whose smoothness follows the noise | falls with the smoothness |
/// | `Weak` | none, where the motion is resolved | accounted for |
/// | `Map` | none | `σ` in the response, and in the terms |
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RowScheme {
    /// The weak form, with test functions and interpolation chosen from the data.
    #[default]
    Auto,
    /// The difference to the next sample, as in the paper.
    Forward,
    /// The difference to the next sample, with the terms averaged over both.
    Trapezoid,
    /// Central differences of order 2, 4, 6 or 8.
    Central {
        /// The order.
        order: usize,
    },
    /// Compact (Padé) differences of order 4, 6 or 10, with the terms averaged by the same weights.
    /// For equal steps.
    Pade {
        /// The order.
        order: usize,
    },
    /// A polynomial of degree 4 fitted to a window of samples; terms are evaluated on it.
    SavitzkyGolay {
        /// Samples on each side.
        half_window: usize,
    },
    /// A cubic smoothing spline, chosen by generalised cross-validation; terms are evaluated on it.
    Spline,
    /// The weak form with test functions of a given half width, or a chosen one.
    Weak {
        /// In units of time.
        half_width: Option<f64>,
    },
    /// No derivative at all: the next sample from this one.
    Map,
}

impl RowScheme {
    /// The names that users type.
    pub const NAMES: [&'static str; 14] = [
        "auto",
        "weak",
        "forward",
        "trapezoid",
        "central2",
        "central4",
        "central6",
        "central8",
        "pade4",
        "pade6",
        "pade10",
        "savgol",
        "spline",
        "map",
    ];

    /// The left side of an equation for this state.
    pub fn left_side(self, state: &str) -> LeftSide {
        let state = state.to_string();
        match self {
            Self::Map => LeftSide::Next { state },
            _ => LeftSide::Flow { state },
        }
    }

    /// The error of the scheme, in words.
    pub fn error(self) -> &'static str {
        match self {
            Self::Auto | Self::Weak { .. } => "errors of rows are accounted for",
            Self::Forward => {
                "forward differences are off by half a step times the second derivative"
            }
            Self::Trapezoid => {
                "differences with averaged terms are off by h²/12 times the third derivative"
            }
            Self::Central { .. } | Self::Pade { .. } => {
                "high-order differences are exact for smooth motion and amplify noise"
            }
            Self::SavitzkyGolay { .. } => "a local polynomial blurs motion faster than its window",
            Self::Spline => {
                "a smoothing spline blurs fast motion, the more so the larger the noise"
            }
            Self::Map => "rows are exact; the noise of the samples is in the terms too",
        }
    }
}

impl fmt::Display for RowScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Forward => f.write_str("forward"),
            Self::Trapezoid => f.write_str("trapezoid"),
            Self::Central { order } => write!(f, "central{order}"),
            Self::Pade { order } => write!(f, "pade{order}"),
            Self::SavitzkyGolay { .. } => f.write_str("savgol"),
            Self::Spline => f.write_str("spline"),
            Self::Weak { .. } => f.write_str("weak"),
            Self::Map => f.write_str("map"),
        }
    }
}

impl FromStr for RowScheme {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Ok(match name {
            "auto" => Self::Auto,
            "weak" => Self::Weak { half_width: None },
            "forward" => Self::Forward,
            "trapezoid" => Self::Trapezoid,
            "central" | "central2" => Self::Central { order: 2 },
            "central4" => Self::Central { order: 4 },
            "central6" => Self::Central { order: 6 },
            "central8" => Self::Central { order: 8 },
            "pade4" => Self::Pade { order: 4 },
            "pade6" => Self::Pade { order: 6 },
            "pade" | "pade10" => Self::Pade { order: 10 },
            "savgol" => Self::SavitzkyGolay { half_window: 5 },
            "spline" => Self::Spline,
            "map" => Self::Map,
            _ => {
                return Err(DynamicsError::UnknownRows {
                    name: name.to_string(),
                }
                .into());
            }
        })
    }
}

/// One reduction per state, from differences.
pub(crate) fn rows(
    trajectories: &Trajectories,
    dictionary: &Dictionary,
    scheme: RowScheme,
) -> Result<Vec<Reduction>> {
    if matches!(scheme, RowScheme::Pade { .. }) && !trajectories.is_uniform() {
        return Err(DynamicsError::UnequalSteps {
            rows: scheme.to_string(),
        }
        .into());
    }
    let n_states = trajectories.states().len();
    let mut columns = vec![vec![Vec::new(); dictionary.len() + 1]; n_states];
    for piece in trajectories.pieces() {
        match scheme {
            RowScheme::SavitzkyGolay { half_window } => {
                let (smooth, slopes) = by_local_polynomials(piece, n_states, half_window);
                let inner = inner(piece.len(), half_window);
                add_points(&smooth, dictionary, &slopes, inner, &mut columns)?;
            }
            RowScheme::Spline => {
                let (smooth, slopes) = by_splines(piece, n_states);
                let inner = inner(piece.len(), SPLINE_ENDS);
                add_points(&smooth, dictionary, &slopes, inner, &mut columns)?;
            }
            _ => add_rows(piece, dictionary, scheme, &mut columns)?,
        }
    }
    reduce(&columns)
}

/// Samples at each end of a smoothing spline that are not used: its second derivative is zero
/// there, unlike that of the motion.
const SPLINE_ENDS: usize = 3;

/// One reduction per response, from columns of terms and the response.
fn reduce(columns: &[Vec<Vec<f64>>]) -> Result<Vec<Reduction>> {
    if columns[0][0].is_empty() {
        return Err(ReduceError::NoRowsToLearnFrom.into());
    }
    let reduction = |columns: &Vec<Vec<f64>>| {
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        Reduction::from_columns(&columns)
    };
    Ok(columns.iter().map(reduction).collect())
}

/// The terms at every sample, one after the other.
fn evaluate(piece: &Piece, dictionary: &Dictionary) -> Result<Vec<f64>> {
    let features: Vec<&[f64]> = piece.columns().iter().map(Vec::as_slice).collect();
    let mut values = vec![0.0; piece.len() * dictionary.len()];
    dictionary
        .evaluate(&features, &mut values)
        .map_err(|place| {
            let moment = (piece.name(), piece.times()[place.row]);
            dictionary.explain_in_motion(place, &features, moment)
        })?;
    Ok(values)
}

/// All samples but a number at each end; none if no others are left.
fn inner(n: usize, ends: usize) -> Range<usize> {
    let first = ends.min(n / 2);
    first..n - first
}

/// Rows that are single samples: the terms there, and each response.
fn add_points(
    piece: &Piece,
    dictionary: &Dictionary,
    responses: &[Vec<f64>],
    samples: Range<usize>,
    columns: &mut [Vec<Vec<f64>>],
) -> Result<()> {
    let values = evaluate(piece, dictionary)?;
    for (response, columns) in responses.iter().zip(columns) {
        let (last, terms) = columns.split_last_mut().expect("the response is last");
        for (out, term) in terms.iter_mut().zip(values.chunks_exact(piece.len())) {
            out.extend_from_slice(&term[samples.clone()]);
        }
        last.extend_from_slice(&response[samples.clone()]);
    }
    Ok(())
}

fn add_rows(
    piece: &Piece,
    dictionary: &Dictionary,
    scheme: RowScheme,
    columns: &mut [Vec<Vec<f64>>],
) -> Result<()> {
    let n = piece.len();
    let values = evaluate(piece, dictionary)?;
    for i in 0..n {
        let Some(stencil) = Stencil::new(scheme, piece.times(), i) else {
            continue;
        };
        for (state, columns) in columns.iter_mut().enumerate() {
            let (response, terms) = columns.split_last_mut().expect("the response is last");
            for (out, term) in terms.iter_mut().zip(values.chunks_exact(n)) {
                out.push(stencil.average(term));
            }
            response.push(stencil.response(&piece.columns()[state]));
        }
    }
    Ok(())
}

/// Weights of consecutive samples in a row.
struct Stencil {
    first: usize,
    response: Vec<f64>,
    terms: Vec<f64>,
}

impl Stencil {
    /// The stencil of the row at a sample; none where it would reach beyond the ends.
    fn new(scheme: RowScheme, times: &[f64], at: usize) -> Option<Self> {
        let unit = |reach: usize| -> Vec<f64> {
            let center = |k: usize| f64::from(u8::from(k == reach));
            (0..=2 * reach).map(center).collect()
        };
        let made = |reach_before: usize, response: Vec<f64>, terms: Vec<f64>| Self {
            first: at - reach_before,
            response,
            terms,
        };
        let forward = |terms: [f64; 2]| {
            let h = times.get(at + 1)? - times[at];
            Some(made(0, vec![-1.0 / h, 1.0 / h], terms.to_vec()))
        };
        let fits = |reach: usize| at >= reach && at + reach < times.len();
        match scheme {
            RowScheme::Forward => forward([1.0, 0.0]),
            RowScheme::Trapezoid => forward([0.5, 0.5]),
            RowScheme::Map => {
                (at + 1 < times.len()).then(|| made(0, vec![0.0, 1.0], vec![1.0, 0.0]))
            }
            RowScheme::Central { order } => {
                let reach = order / 2;
                fits(reach).then(|| {
                    let weights = slope_weights(&times[at - reach..=at + reach], reach);
                    made(reach, weights, unit(reach))
                })
            }
            RowScheme::Pade { order } => {
                let (differences, averages) = pade(order);
                let reach = 3;
                fits(reach).then(|| {
                    let h = (times[at + reach] - times[at - reach]) / 6.0;
                    let mut response = vec![0.0; 7];
                    let mut terms = vec![0.0; 7];
                    terms[reach] = 1.0;
                    for k in 1..=reach {
                        let weight = differences[k - 1] / (2.0 * h * k as f64);
                        response[reach + k] = weight;
                        response[reach - k] = -weight;
                        terms[reach + k] = averages[k - 1];
                        terms[reach - k] = averages[k - 1];
                    }
                    made(reach, response, terms)
                })
            }
            RowScheme::Auto
            | RowScheme::Weak { .. }
            | RowScheme::SavitzkyGolay { .. }
            | RowScheme::Spline => None,
        }
    }

    fn average(&self, values: &[f64]) -> f64 {
        dot(&self.terms, &values[self.first..][..self.terms.len()])
    }

    fn response(&self, values: &[f64]) -> f64 {
        dot(&self.response, &values[self.first..][..self.response.len()])
    }
}

/// Lele's compact schemes: weights of `(x_{i+k} − x_{i−k}) / 2kh`, and of the derivative at
/// distance `k`.
fn pade(order: usize) -> ([f64; 3], [f64; 3]) {
    match order {
        0..=4 => ([1.5, 0.0, 0.0], [0.25, 0.0, 0.0]),
        5..=6 => ([14.0 / 9.0, 1.0 / 9.0, 0.0], [1.0 / 3.0, 0.0, 0.0]),
        _ => ([17.0 / 12.0, 101.0 / 150.0, 1.0 / 100.0], [0.5, 0.05, 0.0]),
    }
}

/// The weights of samples in the slope of their polynomial at one of them.
fn slope_weights(times: &[f64], at: usize) -> Vec<f64> {
    let n = times.len();
    let weight = |j: usize| -> f64 {
        if j == at {
            let others = (0..n).filter(|&k| k != at);
            return others.map(|k| 1.0 / (times[at] - times[k])).sum();
        }
        let others = (0..n).filter(|&k| k != at && k != j);
        let product: f64 = others
            .map(|k| (times[at] - times[k]) / (times[j] - times[k]))
            .product();
        product / (times[j] - times[at])
    };
    (0..n).map(weight).collect()
}

/// The degree of the local polynomials of Savitzky and Golay.
const DEGREE: usize = 4;

/// Every state on its local polynomials, and their derivatives.
fn by_local_polynomials(
    piece: &Piece,
    n_states: usize,
    half_window: usize,
) -> (Piece, Vec<Vec<f64>>) {
    let of_order = |order: usize| -> Vec<Vec<f64>> {
        let states = piece.columns()[..n_states].iter();
        states
            .map(|x| local::derivative(piece.times(), x, half_window, DEGREE, order))
            .collect()
    };
    (piece.with_states(of_order(0)), of_order(1))
}

/// Every state on its smoothing spline, and its derivative.
fn by_splines(piece: &Piece, n_states: usize) -> (Piece, Vec<Vec<f64>>) {
    let states = piece.columns()[..n_states].iter();
    let splines = states.map(|x| spline::smoothed(piece.times(), x));
    let (values, slopes) = splines.map(|s| (s.values, s.slopes)).unzip();
    (piece.with_states(values), slopes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes_reach_their_order() {
        let error = |scheme: RowScheme, h: f64| {
            // The same moment, however far apart its neighbours are.
            let times: Vec<f64> = (-4..=4).map(|i| f64::from(i) * h).collect();
            let x: Vec<f64> = times.iter().map(|t| (1.0 + t).sin()).collect();
            let slope: Vec<f64> = times.iter().map(|t| (1.0 + t).cos()).collect();
            let stencil = Stencil::new(scheme, &times, 4).unwrap();
            (stencil.response(&x) - stencil.average(&slope)).abs()
        };
        for (scheme, order) in [
            (RowScheme::Forward, 1.0),
            (RowScheme::Trapezoid, 2.0),
            (RowScheme::Central { order: 2 }, 2.0),
            (RowScheme::Central { order: 4 }, 4.0),
            (RowScheme::Central { order: 6 }, 6.0),
            (RowScheme::Central { order: 8 }, 8.0),
            (RowScheme::Pade { order: 4 }, 4.0),
            (RowScheme::Pade { order: 6 }, 6.0),
            (RowScheme::Pade { order: 10 }, 10.0),
        ] {
            let gained = (error(scheme, 0.4) / error(scheme, 0.2)).log2();
            assert!((gained - order).abs() < 0.35, "{scheme}: {gained}");
        }
    }

    #[test]
    fn names_are_read_back() {
        for name in RowScheme::NAMES {
            assert_eq!(name.parse::<RowScheme>().unwrap().to_string(), name);
        }
    }
}
