//! The methods, what cross-validation does for them, and the comparison of all.

use std::path::PathBuf;

use clap::Args;
use eqlearn::ask::FOLDS;
use eqlearn::{Method, Request};

use super::knobs::{HEADING, KnobArgs};
use super::words::{defaulted, list, word_of};
use super::{
    CategoriesArgs, Color, DataArgs, DictionaryArgs, FIRST, NoiseArgs, OUTPUT, RUNNING, SearchArgs,
    VocabularyArgs,
};

/// The methods with what they do.
pub(super) fn named() -> Vec<(&'static str, &'static str, ())> {
    let all = Method::declarations();
    all.map(|method| (method.name, method.summary, ()))
        .collect()
}

/// What is asked of single methods.
#[derive(Debug, Args)]
pub(crate) struct TuningArgs {
    #[command(flatten)]
    knobs: KnobArgs,
    #[arg(
        long,
        value_name = "K",
        help_heading = HEADING,
        help = defaulted(
            "Folds of the cross-validation that chooses a knob which is not given, \
             0 for the method's usual value",
            FOLDS
        )
    )]
    cv: Option<usize>,
    /// Least squares on the terms that the method chose, in place of its own coefficients
    #[arg(long, help_heading = HEADING)]
    refit: bool,
}

impl TuningArgs {
    pub(super) fn fill(&self, request: &mut Request) {
        self.knobs.fill(request);
        request.cv = self.cv;
        request.refit = self.refit.then_some(true);
    }
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The column to explain
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: Option<String>,
    /// The methods, separated by commas; all but best-subset (best has the same lists) if not given
    #[arg(long, value_name = "A,B,C", value_parser = word_of(named()), value_delimiter = ',')]
    pub(crate) methods: Vec<String>,
    /// A column of row weights
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weights: Option<String>,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Further trajectories
    #[arg(value_name = "MORE", help_heading = FIRST)]
    pub(crate) more: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) categories: CategoriesArgs,
    #[command(flatten)]
    pub(crate) record: super::RecordArgs,
    #[command(flatten)]
    pub(crate) dictionary: DictionaryArgs,
    #[command(flatten)]
    pub(crate) vocabulary: VocabularyArgs,
    #[command(flatten)]
    pub(crate) noise: NoiseArgs,
    /// Print the comparison as JSON on standard output, and nothing else there
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) json: bool,
    /// Write a CSV file for plots, one number per row: method, quantity, key, value
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) plot_data: Option<PathBuf>,
    /// Write a self-contained page to look at
    #[arg(long, value_name = "FILE.html", help_heading = OUTPUT)]
    pub(crate) report: Option<PathBuf>,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Color::Auto, help_heading = OUTPUT)]
    pub(crate) color: Color,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) knobs: TuningArgs,
    /// A TOML file whose keys are flags without dashes; flags on the command line win
    #[arg(long, value_name = "FILE", help_heading = RUNNING)]
    pub(crate) config: Option<PathBuf>,
}

impl CompareArgs {
    pub(crate) fn request(&self) -> Request {
        let mut request = Request {
            target: self.target.clone(),
            weights: self.weights.clone(),
            methods: list(&self.methods),
            categories: self.categories.categories.clone(),
            ..Request::default()
        };
        self.data.reading.fill(&mut request);
        self.record.fill(&mut request);
        self.dictionary.fill(&mut request);
        self.vocabulary.fill(&mut request);
        self.noise.fill(&mut request);
        self.search.fill(&mut request);
        self.knobs.fill(&mut request);
        request
    }
}
