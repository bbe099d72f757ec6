//! Rows of the weak form on a grid.
//!
//! A law `u_t = Σ w ∂^α f(u)` is multiplied by a smooth bump `ψ` at many places and integrated over
//! the grid; integration by parts moves all derivatives on to the bump:
//!
//! ```text
//! b_k = −Σ_points ∂_tψ(x − x_k) u,   G_k = (−1)^|α| Σ_points ∂^αψ(x − x_k) f(u)
//! ```
//!
//! The bump is a product of one bump for each axis, so the sums are made axis by axis, and only at
//! the places that are kept. Sums of this kind are exact to many digits, because a bump and its
//! first derivatives vanish at its ends.

pub(crate) mod bump;
pub(crate) mod grid;
pub(crate) mod sigma;
pub(crate) mod width;
