//! Every row of the data, reduced to one triangle.
//!
//! `[terms | target] = Q R`; only `R` is kept. All that any method needs (lengths, correlations,
//! residuals, determinants, for every support) can be computed from it, so no later stage needs the
//! rows.
//!
//! Three facts carry the rest of the library:
//!
//! - **Reductions merge.** Stacking two triangles and triangularising again equals reducing all
//!   rows at once. Batches of a file, threads, and the folds of a cross-validation are the same
//!   operation.
//! - **Columns are scaled by powers of two**, which is exact, so that values near 1e300 or 1e-300
//!   neither overflow nor underflow when they are squared.
//! - **Small problems are reduced in twice the working precision** (terms included), because this
//!   costs only milliseconds and recovers the digits that collinear powers lose: all digits of
//!   NIST's Filip set instead of eight. Large problems are reduced in blocks at the speed of the
//!   linear-algebra library. The rule depends on the number of rows and terms alone, see
//!   [`PRECISE_WORK`].

mod design;
mod error;
mod fit;
pub mod groups;
mod parts;
mod plain;
mod reducer;
mod rows;
mod select;
pub mod support;
pub mod triangle;
mod triangle_file;

use std::sync::Arc;

use qd::Quad;
use serde::{Deserialize, Serialize};

pub use design::{Design, RidgeFactor};
pub use error::{Difference, ReduceError, TriangleProblem};
pub use fit::Fit;
pub use parts::{Cut, Data, Parts};
pub use rows::{reduce, reduce_table};
pub use triangle_file::TriangleFile;

use crate::numeric::matrix::Matrix;
use crate::reduce::support::Support;
use crate::reduce::triangle::Triangle;

/// Up to this many observations × columns², rows are reduced in double-double arithmetic.
///
/// At about 4 ns per unit this bounds the extra time to some 30 ms, whatever the shape.
pub const PRECISE_WORK: usize = 1 << 23;

/// Every row of the data, reduced to one triangle.
///
/// ```
/// use eqlearn::{Reduction, Support};
///
/// // y = 2 x, as columns: the term x, then the target.
/// let reduction = Reduction::from_columns(&[&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.5]]);
/// let fit = reduction.fit(&Support::from_iter([0]));
/// assert!((fit.coefficients()[0] - 29.5 / 14.0).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(into = "plain::Plain", try_from = "plain::Plain")]
pub struct Reduction {
    n_obs: usize,
    /// Column `j` times `2^-exponents[j]`; at most as many rows as columns, the target last.
    /// Shared, so that a copy costs nothing: studies own their rows.
    triangle: Arc<Matrix<Quad>>,
    exponents: Vec<i32>,
}

/// Columns of unit length that differ by less are copies: some ten thousand rounding errors.
const COPY: f64 = 1e-11;

impl Reduction {
    /// The reduction of no rows at all: the neutral element of [`merge`](Self::merge).
    pub fn empty(n_terms: usize) -> Self {
        Self {
            n_obs: 0,
            triangle: Arc::new(Matrix::zeros(0, n_terms + 1)),
            exponents: vec![reducer::NO_EXPONENT; n_terms + 1],
        }
    }

    /// Reduces columns that are evaluated already: one per term, then the target.
    ///
    /// # Panics
    /// If there is no column or their lengths differ.
    pub fn from_columns(columns: &[&[f64]]) -> Self {
        reducer::reduce_columns(columns)
    }

    /// The same in working precision, however few rows: for estimates that are refined later.
    pub(crate) fn from_columns_in_double(columns: &[&[f64]]) -> Self {
        reducer::reduce_columns_in_double(columns)
    }

    /// Rows of known unit variance that were multiplied out already: columns of scores, one per
    /// term and then the target's, of this many rows of which the others have nothing but noise.
    ///
    /// # Panics
    /// If there is no column or their lengths differ.
    pub(crate) fn of_scores(columns: &[Vec<f64>], n_obs: usize) -> Self {
        let n_scores = columns.first().map_or(0, Vec::len);
        let noise = (n_obs.saturating_sub(n_scores) as f64).sqrt();
        let last = columns.len() - 1;
        let taller = |(j, column): (usize, &Vec<f64>)| {
            let end = if j == last { noise } else { 0.0 };
            [column.as_slice(), &[end]].concat()
        };
        let columns: Vec<Vec<f64>> = columns.iter().enumerate().map(taller).collect();
        let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        Self {
            n_obs,
            ..Self::from_columns(&slices)
        }
    }

    /// The reduction of the rows of both.
    ///
    /// Associative and commutative up to rounding.
    ///
    /// # Panics
    /// If the two do not have the same number of terms.
    #[must_use]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a monoid's operation: iterators of reductions are summed with it"
    )]
    pub fn merge(self, other: Self) -> Self {
        assert_eq!(
            self.n_terms(),
            other.n_terms(),
            "only reductions over the same dictionary can be merged"
        );
        reducer::merge_all(self.n_terms(), &[&self, &other])
    }

    /// The reduction of the rows of all, at once: cheaper than one after the other.
    ///
    /// # Panics
    /// If one does not have this number of terms.
    pub fn merge_all<'a>(n_terms: usize, all: impl IntoIterator<Item = &'a Self>) -> Self {
        let all: Vec<&Self> = all.into_iter().collect();
        assert!(
            all.iter().all(|one| one.n_terms() == n_terms),
            "only reductions over the same dictionary can be merged"
        );
        reducer::merge_all(n_terms, &all)
    }

    /// All numbers bit by bit: a fingerprint of the rows.
    fn bits(&self) -> Vec<u64> {
        let columns = 0..self.triangle.n_cols();
        let entries = columns.flat_map(|j| self.triangle.col(j).iter());
        let halves = entries.flat_map(|entry| [entry.0.to_bits(), entry.1.to_bits()]);
        let exponents = self.exponents.iter().map(|&e| u64::from(e.cast_unsigned()));
        let counts = [self.n_obs as u64, self.triangle.n_rows() as u64];
        counts.into_iter().chain(exponents).chain(halves).collect()
    }

    /// The reduction of these rows, each of them `times` times.
    #[must_use]
    pub fn repeated(&self, times: usize) -> Self {
        let factor = Quad::from(times as f64).sqrt();
        // Products in this precision are slow: none for the zeros below the diagonal.
        let entry = |i: usize, j: usize| match self.triangle[(i, j)] {
            value if i > j || times == 1 => value,
            value => value * factor,
        };
        Self {
            n_obs: self.n_obs * times,
            triangle: Arc::new(Matrix::from_fn(
                self.triangle.n_rows(),
                self.triangle.n_cols(),
                entry,
            )),
            exponents: self.exponents.clone(),
        }
    }

    /// A Gaussian prior as additional rows `√precision · I`, which shrink every coefficient towards
    /// zero.
    ///
    /// Merged into a reduction they make every fit a ridge fit with penalty `precision · |w|²`, in
    /// the units of the terms. They do not count as observations.
    pub fn prior(n_terms: usize, precision: f64) -> Self {
        Self::priors(&vec![precision; n_terms])
    }

    /// A Gaussian [`prior`](Self::prior) with a precision for each term.
    pub fn priors(precisions: &[f64]) -> Self {
        let n_terms = precisions.len();
        let columns: Vec<Vec<f64>> = (0..=n_terms)
            .map(|j| {
                let entry = |i: usize| if i == j { precisions[i].sqrt() } else { 0.0 };
                (0..n_terms).map(entry).collect()
            })
            .collect();
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        Self {
            n_obs: 0,
            ..Self::from_columns(&columns)
        }
    }

    /// The number of rows that were reduced.
    pub fn n_obs(&self) -> usize {
        self.n_obs
    }

    /// The number of terms.
    pub fn n_terms(&self) -> usize {
        self.triangle.n_cols() - 1
    }

    /// Least squares on one support, in the units of the data.
    ///
    /// # Panics
    /// If the support names a term that is not there.
    pub fn fit(&self, support: &Support) -> Fit {
        Fit::new(self, support)
    }

    /// The terms that are linear combinations of those before them on these data.
    ///
    /// Those that a fit of all terms leaves at zero.
    pub(crate) fn dependent(&self) -> Support {
        fit::dependent(self)
    }

    /// Whether one term is a positive multiple of another on these data, up to rounding.
    pub(crate) fn is_copy(&self, term: usize, other: usize) -> bool {
        let [squares, product, distance] = self.compared(term, other);
        product > 0.0 && distance <= COPY * COPY * squares
    }

    /// Whether one term is a multiple of another on these data, up to rounding: zero, or negative.
    pub(crate) fn is_multiple(&self, term: usize, other: usize) -> bool {
        let [squares, _, distance] = self.compared(term, other);
        distance <= COPY * COPY * squares
    }

    /// The product of two terms' squared lengths, their own product, and how far the one is from
    /// the line of the other, squared and in units of the first.
    fn compared(&self, term: usize, other: usize) -> [f64; 3] {
        // Columns of the triangle have the angles of the terms on the rows.
        let [a, b] = [term, other].map(|term| self.triangle.col(term));
        let product = |x: &[Quad], y: &[Quad]| {
            let products = x.iter().zip(y.iter()).map(|(x, y)| x.0 * y.0);
            products.sum::<f64>()
        };
        let (aa, ab, bb) = (product(a, a), product(a, b), product(b, b));
        let sign = 1.0_f64.copysign(ab);
        let distance: f64 = (a.iter().zip(b.iter()))
            .map(|(x, y)| (x.0 * bb.sqrt() - sign * y.0 * aa.sqrt()).powi(2))
            .sum();
        [aa * bb, ab, distance]
    }

    /// What a search reads: the same triangle with columns of unit length.
    pub fn triangle(&self) -> Triangle {
        let columns: Vec<Vec<f64>> = (0..self.triangle.n_cols())
            .map(|j| self.triangle.col(j).iter().map(|entry| entry.0).collect())
            .collect();
        Triangle::from_columns(&columns)
    }

    /// The length of a column in the units of the data; `n_terms()` is the target.
    pub fn column_norm(&self, column: usize) -> f64 {
        let squared = self
            .triangle
            .col(column)
            .iter()
            .fold(Quad::ZERO, |sum, &v| sum + v * v);
        reducer::times_power_of_two(
            squared.sqrt().0,
            reducer::exponent_or_zero(self.exponents[column]),
        )
    }
}
