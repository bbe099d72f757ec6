//! A result as one self-contained page: nothing is fetched, it works from disk and prints well.
//!
//! Text, tables and the map of models are made here. A script draws the charts at the width of the
//! screen, shows the model that the reader points at, and saves what is drawn as files.
//!
//! ```
//! use eqlearn::tell::document::{Document, Kind};
//! use eqlearn_report::{About, Symbols, html};
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
//!     groups: None,
//!     discovery: None,
//! };
//! let settings = serde_json::json!({ "method": "best" });
//! let about = About {
//!     data: "data.csv",
//!     symbols: &Symbols::new(&[], [], &[]),
//!     command: "eqlearn fit data.csv --target y",
//!     settings: &settings,
//! };
//! assert!(html(&document, &[], None, &about).contains("<h1>No equation found</h1>"));
//! ```

mod board;
mod map;
mod math;
mod motion;
mod number;
mod page;
mod pictures;
mod png;
mod sample;
mod symbols;

pub use board::{Board, CoefficientView, ModelView, TermView};
pub use motion::{Followed, Motion, Run, Start};
pub use page::{About, comparison_html, field_html, html};
pub use pictures::Pictures;
pub use sample::Sample;
pub use symbols::Symbols;
