//! Flags of single methods, and of the comparison of all.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Color, DataArgs, DictionaryArgs, Method, SearchArgs};

/// The knobs of the methods that other packages have. Each belongs to the methods that its help names.
#[derive(Debug, Args)]
#[command(next_help_heading = "Knobs of single methods")]
pub(crate) struct KnobArgs {
    /// The penalty of lasso, lars and ridge; for stlsq, frols, ssr and miosr the ridge penalty of each fit
    #[arg(long, value_name = "A", allow_negative_numbers = true)]
    pub(crate) alpha: Option<f64>,
    /// stlsq: a smaller coefficient is dropped
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub(crate) threshold: Option<f64>,
    /// sr3: the weight of the regulariser
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    pub(crate) lambda: Option<f64>,
    /// sr3: the slack between the coefficients that fit and those that are sparse
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) nu: Option<f64>,
    /// sr3: what makes the coefficients sparse
    #[arg(long, value_enum)]
    pub(crate) regulariser: Option<Regulariser>,
    /// miosr, frols: at most this many terms; with --cv, chosen up to it
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) sparsity: Option<u16>,
    /// lasso, sr3: when to stop
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    pub(crate) tol: Option<f64>,
    /// lasso, lars, stlsq, sr3, ssr: the most rounds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_iter: Option<u32>,
    /// frols, ssr: as their papers have them, or as `PySINDy` computes them
    #[arg(long, value_enum)]
    pub(crate) variant: Option<Variant>,
    /// stlsq, sr3, frols, ssr, miosr: work on terms of unit length
    #[arg(long)]
    pub(crate) normalize: bool,
    /// ensemble: the method of each model
    #[arg(long, value_enum)]
    pub(crate) base: Option<Base>,
    /// ensemble: how many models
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) models: Option<u32>,
    /// ensemble: terms that are left out of each model
    #[arg(long, value_name = "N")]
    pub(crate) drop_terms: Option<u16>,
    /// ensemble: the seed of the random numbers
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// Folds of the cross-validation that chooses a knob which is not given: 5 if not said, 0 for the method's usual value
    #[arg(long, value_name = "K", value_parser = folds)]
    pub(crate) cv: Option<u16>,
    /// Which value cross-validation chooses
    #[arg(long, value_enum)]
    pub(crate) rule: Option<Rule>,
    /// Values that cross-validation tries at first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..))]
    pub(crate) points: Option<u16>,
    /// How often it tries finer values around the best
    #[arg(long, value_name = "N")]
    pub(crate) refinements: Option<u16>,
    /// Least squares on the terms that the method chose, in place of its own coefficients
    #[arg(long)]
    pub(crate) refit: bool,
}

fn folds(text: &str) -> Result<u16, String> {
    match text.parse() {
        Ok(1) => Err("one fold leaves nothing to learn from; give 2 or more, or 0 for none".into()),
        Ok(folds) => Ok(folds),
        Err(_) => Err("it must be a whole number: 2 or more, or 0 for none".into()),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Regulariser {
    /// The number of terms
    L0,
    /// The sum of sizes
    L1,
    /// The sum of squares
    L2,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Variant {
    Textbook,
    #[value(name = "pysindy")]
    PySindy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Base {
    Stlsq,
    Sr3,
    Lasso,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Rule {
    /// The smallest error
    Min,
    /// The simplest equation within one standard error of the smallest
    OneSe,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Further trajectories
    #[arg(value_name = "MORE")]
    pub(crate) more: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) record: super::RecordArgs,
    /// The column to explain
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: Option<String>,
    /// A column of row weights
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weights: Option<String>,
    /// The methods, separated by commas; all but best-subset (best has the same lists) if not given
    #[arg(long, value_name = "A,B,C", value_enum, value_delimiter = ',')]
    pub(crate) methods: Vec<Method>,
    #[command(flatten)]
    pub(crate) dictionary: DictionaryArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) knobs: KnobArgs,
    /// Print the comparison as JSON on standard output, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a CSV file for plots, one number per row: method, quantity, key, value
    #[arg(long, value_name = "FILE")]
    pub(crate) plot_data: Option<PathBuf>,
    /// Write a self-contained page to look at
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub(crate) color: Color,
    /// A TOML file whose keys are flags without dashes; flags on the command line win
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}
