//! A result as one self-contained page: nothing is fetched, it works from disk and prints well.
//!
//! Text and pictures are made here. A small script shows the equation, coefficients and residuals
//! of the model that the reader points at.
//!
//! ```
//! use eqlearn::tell::document::{Document, Kind};
//! use eqlearn_report::{About, html};
//!
//! let document = Document {
//!     schema: "eqlearn/1".into(),
//!     kind: Kind::Equation,
//!     method: "best".into(),
//!     n_obs: 95,
//!     n_terms: 72,
//!     equations: Vec::new(),
//!     search: None,
//!     regression: None,
//!     votes: None,
//!     vocabularies: Vec::new(),
//!     warnings: Vec::new(),
//!     discovery: None,
//! };
//! let settings = serde_json::json!({ "method": "best" });
//! let about = About {
//!     data: "data.csv",
//!     features: &[],
//!     command: "eqlearn fit data.csv --target y",
//!     settings: &settings,
//! };
//! assert!(html(&document, &[], None, &about).contains("No equation"));
//! ```

mod board;
mod chart;
mod map;
mod math;
mod motion;
mod page;
mod sample;

pub use board::{Board, ModelView, TermView};
pub use motion::Motion;
pub use page::{About, comparison_html, html};
pub use sample::Sample;
