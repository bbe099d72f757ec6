//! Numerical tools that know nothing of equations.

pub(crate) mod banded;
pub(crate) mod beta;
pub(crate) mod bordered;
pub(crate) mod cholesky;
pub(crate) mod complement;
pub(crate) mod double_double;
pub(crate) mod fourier;
pub(crate) mod householder;
pub(crate) mod least_squares;
pub(crate) mod local;
pub(crate) mod low_rank;
pub(crate) mod matrix;
pub(crate) mod minimise;
pub(crate) mod parallel;
pub(crate) mod qr;
pub(crate) mod singular;
pub(crate) mod spline;
pub(crate) mod vector;
