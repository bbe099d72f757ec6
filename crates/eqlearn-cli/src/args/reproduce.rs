//! The flags of `reproduce`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use eqlearn::search::Shard;
use eqlearn_reproduce::paper::Contender;

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct ReproduceArgs {
    /// What to run
    #[arg(value_enum)]
    pub(crate) what: What,
    /// The folder of results, tables, figures and the page
    #[arg(long, value_name = "DIR", default_value = "reproduction")]
    pub(crate) out: PathBuf,
    /// Fewer scenarios, for a first look in two minutes
    #[arg(long)]
    pub(crate) quick: bool,
    /// The seed of all random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Threads to use; all cores if not given. Never changes a result
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// Run one shard of the scenarios only, such as the third of sixteen: 3/16. Other processes run
    /// the others into the same folder; the same command without this flag merges them
    #[arg(long, value_name = "I/N", conflicts_with_all = ["export", "score", "redraw"])]
    pub(crate) shard: Option<Shard>,
    /// The methods, separated by commas; all if not given
    #[arg(long, value_name = "A,B,C", value_delimiter = ',')]
    pub(crate) methods: Vec<Contender>,
    /// Run nothing: draw again from the results that are there
    #[arg(long)]
    pub(crate) redraw: bool,
    /// Write the data of every scenario here, so that other methods can be run on them, and run
    /// nothing
    #[arg(long, value_name = "DIR", conflicts_with_all = ["score", "redraw"])]
    pub(crate) export: Option<PathBuf>,
    /// Score the models in this file (one JSON line each, see the book) and show them beside the
    /// results
    #[arg(long, value_name = "FILE.jsonl")]
    pub(crate) score: Option<PathBuf>,
    /// Show no progress bar
    #[arg(long)]
    pub(crate) no_progress: bool,
    /// Print only the tables and errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// Random polynomials with 2, 3 and 4 terms
    Polynomials,
    /// The Lorenz system
    Lorenz,
    /// The Rabinovich–Fabrikant system
    Rabinovich,
    /// How long the search takes by the size of models
    Runtime,
    /// Everything
    All,
}
