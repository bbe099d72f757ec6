//! A result as one self-contained page: nothing is fetched, it works from disk and prints well.
//!
//! ```
//! use eqlearn::document::{Document, Kind};
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
//!     warnings: Vec::new(),
//!     discovery: None,
//! };
//! let about = About { data: "data.csv", features: &[], command: "eqlearn fit data.csv --target y" };
//! assert!(html(&document, &about).contains("No equation"));
//! ```

mod chart;
mod math;
mod page;

pub use page::{About, html};

/// Text as it may stand in a page.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}
