//! What a user may type. Types only: every default and every word of `--help` is here.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Finds the equation behind data.
#[derive(Debug, Parser)]
#[command(
    name = "eqlearn",
    version,
    arg_required_else_help = true,
    max_term_width = 100
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Learn y = f(features) from a table
    ///
    /// Examples:
    ///   eqlearn fit data.csv --target y
    ///   eqlearn fit data.parquet --target y --features a,b --max-degree 3
    ///   eqlearn fit data.csv --target y --terms "sin(x),exp(-x)" --only-terms --method ols
    #[command(verbatim_doc_comment)]
    Fit(Box<FitArgs>),
    /// Apply a saved model to new rows
    ///
    /// Example:
    ///   eqlearn predict model.json new.csv > predictions.csv
    #[command(verbatim_doc_comment)]
    Predict(PredictArgs),
    /// A complete first experience on built-in data, nothing to prepare
    Demo,
}

#[derive(Debug, Args)]
pub(crate) struct FitArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// The column to explain
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: Option<String>,
    /// A column of row weights: a row of weight 4 counts as four rows of weight 1
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weights: Option<String>,
    #[command(flatten)]
    pub(crate) dictionary: DictionaryArgs,
    /// How to find the equation
    #[arg(long, value_enum, default_value_t = Method::Ols)]
    pub(crate) method: Method,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PredictArgs {
    /// A model that `--save` wrote
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Write here instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct DataArgs {
    /// The table: .csv, .tsv, .parquet, .arrow/.feather, .npy, .npz, .jsonl (text kinds also .gz or .zst), or - for CSV on standard input
    #[arg(value_name = "DATA")]
    pub(crate) path: PathBuf,
    /// The kind of file, if its name does not tell
    #[arg(long, value_name = "KIND")]
    pub(crate) format: Option<String>,
    /// What to do with rows that have an empty or non-finite cell
    #[arg(long, value_enum, default_value_t = Missing::Error)]
    pub(crate) missing: Missing,
    /// Threads to use; all cores if not given. Never changes the answer
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// Show no progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,
    /// Say nothing but the result and errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DictionaryArgs {
    /// The inputs, separated by commas; all other numeric columns if not given
    #[arg(long, value_name = "A,B,C", value_delimiter = ',')]
    pub(crate) features: Vec<String>,
    /// Highest power of one feature in a monomial
    #[arg(long, value_name = "M1", default_value_t = 4)]
    pub(crate) max_power: u32,
    /// Highest total power of a monomial
    #[arg(long, value_name = "M2", default_value_t = 6)]
    pub(crate) max_degree: u32,
    /// Further terms, separated by commas: "sin(x),x*y^2"
    #[arg(long, value_name = "TERMS", allow_hyphen_values = true)]
    pub(crate) terms: Option<String>,
    /// Use the terms of --terms and no monomials
    #[arg(long, requires = "terms")]
    pub(crate) only_terms: bool,
    /// The constant term: a candidate like any other, always in, or absent
    #[arg(long, value_enum)]
    pub(crate) constant: Option<Constant>,
}

#[derive(Debug, Args)]
pub(crate) struct OutputArgs {
    /// Print the result document on standard output, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
    /// Save the learned model, for `predict`
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// Least squares on all given terms
    Ols,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Missing {
    /// Stop, and name the cell
    Error,
    /// Leave the row out, and say how many were
    Drop,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Constant {
    /// A candidate like any other
    Free,
    /// Always in: R² is about the mean
    Forced,
    /// Absent
    None,
}

impl Method {
    /// The name that a user types.
    pub(crate) fn name(self) -> String {
        let value = self.to_possible_value().expect("no method is hidden");
        value.get_name().to_string()
    }
}
