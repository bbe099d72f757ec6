//! What a user may type. Each command fills a [`Request`]; the rules about it are the library's.

mod dynamics;
mod knobs;
pub(crate) mod methods;
pub(crate) mod reproduce;
mod words;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use eqlearn::Request;
use eqlearn::ask::{Constant, KEEP, MAX_DEGREE, MAX_POWER, MAX_TERMS};
use eqlearn::data::table::Decimal;
use eqlearn::judge::criterion::{Criterion, SizePrior};
use eqlearn::search::Shard;
use eqlearn::terms::term::Term;
use eqlearn::terms::vocabulary::Vocabulary;

pub(crate) use dynamics::{Code, DiscoverArgs, RecordArgs, SimulateArgs};
use words::{defaulted, list, on_or_off, one_of, word_of};

use crate::output::Talk;
use crate::places::Place;

/// The sections of `--help` after the options that say what is asked. A section that is flattened
/// also takes the flags behind it, so each names its own.
const DATA: &str = "Data";
const TERMS: &str = "Terms";
const NOISE: &str = "Noise and single rows";
const GROUPS: &str = "One law, several experiments";
const OUTPUT: &str = "Output";
const SEARCH: &str = "Search";
const SPLIT: &str = "One search by several processes";
const RUNNING: &str = "Running";

/// No section: among the first options.
const FIRST: Option<&str> = None;

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
    ///   eqlearn fit data.csv --target y --terms "sin(x),exp(-x)" --save model.json
    ///   eqlearn fit decay.csv --target y --only-terms --terms "1, exp(-?a*t)" --range a=0.01..10
    ///   eqlearn fit data.csv --target y --method best-subset --max-terms 5 --json
    ///   eqlearn fit wave.csv --target y --differentiate x --order 2
    ///   eqlearn fit runs.csv --target y --group run --shared "x^2"
    ///   eqlearn fit part-1.tri part-2.tri
    ///
    /// Exit status: 0 an equation was learned, 1 the data support none, 2 something was wrong.
    #[command(verbatim_doc_comment, args_override_self = true)]
    Fit(Box<FitArgs>),
    /// Reduce rows to a small file that `fit` takes in their place
    ///
    /// Examples:
    ///   eqlearn reduce part-07.parquet --target y --max-degree 3 --out part-07.tri
    ///   eqlearn reduce measurements/ --target y --features a,b --out all.tri
    ///   eqlearn fit *.tri
    ///
    /// Exit status: 0 the file was written, 2 something was wrong.
    #[command(verbatim_doc_comment, args_override_self = true)]
    Reduce(Box<ReduceArgs>),
    /// Every method side by side on the same problem
    ///
    /// Examples:
    ///   eqlearn compare data.csv --target y
    ///   eqlearn compare data.csv --target y --methods best,lasso,stlsq --json
    ///   eqlearn compare data.csv --target y --plot-data methods.csv
    ///   eqlearn compare run.csv --time t --methods best,stlsq,miosr
    ///
    /// Exit status: 0 at least one equation was learned, 1 none, 2 something was wrong.
    #[command(
        verbatim_doc_comment,
        args_override_self = true,
        mut_arg("method", |arg| arg.hide(true)),
        mut_arg("checkpoint", |arg| arg.hide(true))
    )]
    Compare(Box<methods::CompareArgs>),
    /// Merge the parts of a split search: the same result as without splitting
    ///
    /// Examples:
    ///   eqlearn fit data.csv --target y --shard 3/16 --save-part p3.json
    ///   eqlearn merge p*.json --report page.html
    ///
    /// Exit status: 0 an equation was learned, 1 the data support none, 2 something was wrong.
    #[command(verbatim_doc_comment)]
    Merge(MergeArgs),
    /// Apply a saved model to new rows
    ///
    /// Example:
    ///   eqlearn predict model.json new.csv > predictions.csv
    #[command(verbatim_doc_comment)]
    Predict(PredictArgs),
    /// Learn dx/dt = f(x) from trajectories, or `u_t = f(u, u_x, …)` from fields
    ///
    /// Examples:
    ///   eqlearn discover run.csv --time t
    ///   eqlearn discover run1.csv run2.csv --time t --states x,y --inputs u --max-degree 3
    ///   eqlearn discover run.csv --dt 0.01 --save system.json
    ///   eqlearn discover map.csv --discrete --max-degree 3
    ///   eqlearn discover pendulum.csv --time t --order 2 --terms "sin(x)"
    ///   eqlearn discover field.npz --axes t,x --field u --periodic x
    ///
    /// Exit status: 0 every state has an equation, 1 some have none, 2 something was wrong.
    #[command(
        verbatim_doc_comment,
        args_override_self = true,
        mut_arg("features", |arg| arg.help(
            "The columns to learn from, in place of --states: those that are no inputs are states"
        ))
    )]
    Discover(Box<DiscoverArgs>),
    /// Simulate a saved system
    ///
    /// Examples:
    ///   eqlearn simulate system.json --from x=1,y=2 --until 20 --step 0.01 > run.csv
    ///   eqlearn simulate system.json --from x=1 --from x=2 --until 20 --step 0.01 --plot runs.svg
    ///   eqlearn simulate driven.json --from x=0 --inputs force.csv
    ///   eqlearn simulate burgers.json --starts field.npz --until 2 --step 0.1 > run.csv
    ///
    /// Exit status: 0 the end was reached, 1 the simulation failed before, 2 something was wrong.
    #[command(verbatim_doc_comment)]
    Simulate(SimulateArgs),
    /// Run the paper's experiments again: tables, figures, and which claims hold
    ///
    /// Examples:
    ///   eqlearn reproduce all --quick
    ///   eqlearn reproduce lorenz --out results --methods best,stlsq,lasso
    ///   eqlearn reproduce polynomials --export data
    ///   eqlearn reproduce lorenz --out results --score their-models.jsonl
    ///
    /// The same command resumes an interrupted run. If the run is complete, it only draws again.
    ///
    /// Exit status: 0 complete, 1 stopped before the end, 2 something was wrong.
    #[command(verbatim_doc_comment)]
    Reproduce(reproduce::ReproduceArgs),
    /// Try it on built-in data, and write that and a page: a recorded motion, or a table (--table)
    Demo(DemoArgs),
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print a manual page: eqlearn man fit | man -l -
    Man {
        /// The command to print the page of; all of them in short if not given
        command: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct FitArgs {
    /// The column to explain
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: Option<String>,
    /// A column of row weights: a row of weight 4 is as precise as the mean of four of weight 1
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weights: Option<String>,
    /// Learn the derivative of the target by this column, for laws that are linear only after
    /// differentiation
    #[arg(long, value_name = "COLUMN")]
    pub(crate) differentiate: Option<String>,
    /// The order of that derivative [default: 1]
    #[arg(long, value_name = "K")]
    pub(crate) order: Option<usize>,
    #[command(flatten)]
    pub(crate) data: FilesArgs,
    #[command(flatten)]
    pub(crate) categories: CategoriesArgs,
    #[command(flatten)]
    pub(crate) dictionary: DictionaryArgs,
    #[command(flatten)]
    pub(crate) reach: ReachArgs,
    #[command(flatten)]
    pub(crate) noise: NoiseArgs,
    #[command(flatten)]
    pub(crate) groups: GroupArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) split: SplitArgs,
    #[command(flatten)]
    pub(crate) knobs: methods::TuningArgs,
    /// A TOML file whose keys are flags without dashes (max-terms = 5); flags on the command
    /// line win
    #[arg(long, value_name = "FILE", help_heading = RUNNING)]
    pub(crate) config: Option<PathBuf>,
}

/// How far to look beyond the dictionary.
#[derive(Debug, Args)]
#[command(next_help_heading = TERMS)]
pub(crate) struct ReachArgs {
    #[command(flatten)]
    pub(crate) vocabulary: VocabularyArgs,
    /// Where an inner parameter of --terms is looked for: a=0.01..10; repeatable, or separated by
    /// commas. From the data if not given
    #[arg(long, value_name = "NAME=LOW..HIGH", allow_hyphen_values = true)]
    pub(crate) range: Vec<String>,
}

impl ReachArgs {
    fn fill(&self, request: &mut Request) {
        self.vocabulary.fill(request);
        request.range.clone_from(&self.range);
    }
}

/// The words for vocabularies, with what they mean.
fn vocabularies() -> Vec<(&'static str, &'static str, Option<Vocabulary>)> {
    let named = Vocabulary::named().into_iter();
    let named = named.map(|(word, meaning, vocabulary)| (word, meaning, Some(vocabulary)));
    let auto = "Monomials first, richer ones only while the law seems to be outside";
    [("auto", auto, None)].into_iter().chain(named).collect()
}

impl FitArgs {
    /// The files to write.
    pub(crate) fn places(&self) -> Vec<Place<'_>> {
        let own = [
            ("--save-part", self.split.save_part.as_ref()),
            ("--checkpoint", self.search.checkpoint.as_ref()),
        ];
        self.output.places().into_iter().chain(own).collect()
    }

    pub(crate) fn request(&self) -> Request {
        let mut request = Request {
            target: self.target.clone(),
            weights: self.weights.clone(),
            differentiate: self.differentiate.clone(),
            order: self.order,
            categories: self.categories.categories.clone(),
            ..Request::default()
        };
        self.data.reading.fill(&mut request);
        self.dictionary.fill(&mut request);
        self.reach.fill(&mut request);
        self.noise.fill(&mut request);
        self.groups.fill(&mut request);
        self.search.fill(&mut request);
        self.knobs.fill(&mut request);
        request
    }
}

/// Which vocabulary, for commands without inner parameters.
#[derive(Debug, Args)]
#[command(next_help_heading = TERMS)]
pub(crate) struct VocabularyArgs {
    /// How rich the terms may be [default: auto]
    #[arg(long, value_name = "WORD", value_parser = word_of(vocabularies()))]
    pub(crate) vocabulary: Option<String>,
}

impl VocabularyArgs {
    fn fill(&self, request: &mut Request) {
        request.vocabulary.clone_from(&self.vocabulary);
    }
}

/// How noisy rows are, and which rows to trust.
#[derive(Debug, Args)]
#[command(next_help_heading = NOISE)]
pub(crate) struct NoiseArgs {
    /// How the noise of the target varies from row to row: auto (rows are weighted where the
    /// residuals show that it is not even), even, relative (in proportion to the predicted value,
    /// down to a floor), or the column with the standard deviation of each row [default: auto]
    #[arg(long, value_name = "WORD|COLUMN")]
    pub(crate) noise: Option<String>,
    /// Leave out rows that do not belong to the law that the others follow, and name them
    #[arg(long)]
    pub(crate) robust: bool,
}

impl NoiseArgs {
    fn fill(&self, request: &mut Request) {
        request.noise.clone_from(&self.noise);
        request.robust = self.robust.then_some(true);
    }
}

/// One law for several experiments.
#[derive(Debug, Args)]
#[command(next_help_heading = GROUPS)]
pub(crate) struct GroupArgs {
    /// A column of text or numbers that tells experiments apart: one law with the same terms holds
    /// in all, each has its own coefficients, and the answer says which of them differ
    #[arg(long, value_name = "COLUMN")]
    pub(crate) group: Option<String>,
    /// Terms with one coefficient for all experiments, separated by commas, 1 for the constant:
    /// "x^2,1"; repeatable
    #[arg(long, value_name = "TERMS", allow_hyphen_values = true)]
    pub(crate) shared: Vec<String>,
}

impl GroupArgs {
    fn fill(&self, request: &mut Request) {
        request.group.clone_from(&self.group);
        request.shared.clone_from(&self.shared);
    }
}

/// One search by several processes, on one machine or on many.
#[derive(Debug, Args)]
#[command(next_help_heading = SPLIT)]
pub(crate) struct SplitArgs {
    /// Search one shard only, such as the third of sixteen: 3/16. Other processes search the others
    #[arg(long, value_name = "I/N", requires = "save_part")]
    pub(crate) shard: Option<Shard>,
    /// Save the result of this shard here, for `merge`
    #[arg(
        long,
        value_name = "FILE",
        requires = "shard",
        conflicts_with_all = ["json", "latex", "save", "report"]
    )]
    pub(crate) save_part: Option<PathBuf>,
    /// A part that is finished: its best supports tighten the bounds of this one; repeatable
    #[arg(long, value_name = "FILE", requires = "shard")]
    pub(crate) known: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// All parts, in any order
    #[arg(value_name = "PART", required = true)]
    pub(crate) parts: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Print only the result and errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print more: how it was proven
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

impl MergeArgs {
    /// How much is said besides the result.
    pub(crate) fn talk(&self) -> Talk {
        Talk::new(self.quiet, self.verbose)
    }
}

#[derive(Debug, Args)]
pub(crate) struct ReduceArgs {
    /// The column to explain
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: Option<String>,
    /// Where to write the triangle
    #[arg(long, value_name = "FILE.tri")]
    pub(crate) out: PathBuf,
    /// A column of row weights: a row of weight 4 is as precise as the mean of four of weight 1
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weights: Option<String>,
    /// A column with the standard deviation of each row, in place of weights
    #[arg(long, value_name = "COLUMN")]
    pub(crate) noise: Option<String>,
    #[command(flatten)]
    pub(crate) data: FilesArgs,
    #[command(flatten)]
    pub(crate) dictionary: DictionaryArgs,
    /// A TOML file whose keys are flags without dashes (max-degree = 3); flags on the command
    /// line win
    #[arg(long, value_name = "FILE", help_heading = RUNNING)]
    pub(crate) config: Option<PathBuf>,
}

impl ReduceArgs {
    pub(crate) fn request(&self) -> Request {
        let mut request = Request {
            target: self.target.clone(),
            weights: self.weights.clone(),
            noise: self.noise.clone(),
            ..Request::default()
        };
        self.data.reading.fill(&mut request);
        self.dictionary.fill(&mut request);
        request
    }
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
    /// The table: .csv, .tsv, .parquet, .arrow/.feather, .npy, .npz, .jsonl (text kinds also .gz
    /// or .zst), .xlsx, .ods, or - for CSV on standard input
    #[arg(value_name = "DATA")]
    pub(crate) path: PathBuf,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Debug, Args)]
pub(crate) struct FilesArgs {
    /// The rows: .csv, .tsv, .parquet, .arrow/.feather, .npy, .npz, .jsonl (text kinds also .gz
    /// or .zst), .xlsx, .ods, or - for CSV on standard input. Several files are one long table, and
    /// a folder is the files in it. `fit` also takes what `reduce` wrote: .tri
    #[arg(value_name = "DATA", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

/// How files are read, and how much is said meanwhile.
#[derive(Debug, Args)]
#[command(next_help_heading = DATA)]
pub(crate) struct ReadingArgs {
    /// The kind of file, if its name does not tell
    #[arg(long, value_name = "KIND")]
    pub(crate) format: Option<String>,
    /// What to do with rows that have an empty or non-finite cell
    #[arg(long, value_enum, default_value_t = Missing::Error)]
    pub(crate) missing: Missing,
    /// A number that stands for a missing value, such as -999; repeatable, or separated by commas
    #[arg(
        long,
        value_name = "X",
        value_delimiter = ',',
        allow_negative_numbers = true
    )]
    pub(crate) missing_value: Vec<f64>,
    /// The decimal character of text tables: a comma or a point. Found out if not given
    #[arg(long, value_name = ",|.", value_parser = decimal)]
    pub(crate) decimal: Option<Decimal>,
    /// The sheet of a spreadsheet; the first if not given
    #[arg(long, value_name = "NAME")]
    pub(crate) sheet: Option<String>,
    /// Threads to use; all cores if not given. Never changes the answer
    #[arg(long, value_name = "N", help_heading = RUNNING)]
    pub(crate) threads: Option<usize>,
    /// Show no progress bar
    #[arg(long, help_heading = RUNNING)]
    pub(crate) no_progress: bool,
    /// Print only the result and errors
    #[arg(short, long, conflicts_with = "verbose", help_heading = OUTPUT)]
    pub(crate) quiet: bool,
    /// Print more: all digits, how rows were made, the plan of the search and how it was proven
    #[arg(short, long, help_heading = OUTPUT)]
    pub(crate) verbose: bool,
}

impl ReadingArgs {
    /// How much is said besides the result.
    pub(crate) fn talk(&self) -> Talk {
        Talk::new(self.quiet, self.verbose)
    }

    fn fill(&self, request: &mut Request) {
        request.threads = self.threads;
    }
}

/// The decimal character.
fn decimal(text: &str) -> Result<Decimal, String> {
    match text {
        "," | "comma" => Ok(Decimal::Comma),
        "." | "point" => Ok(Decimal::Point),
        _ => Err("it must be a comma or a point".into()),
    }
}

fn time(text: &str) -> Result<Duration, String> {
    let wrong = |_| "a time has a number and a unit, such as 30s, 5m or 2h".to_string();
    humantime::parse_duration(text).map_err(wrong)
}

/// Columns of text.
#[derive(Debug, Args)]
#[command(next_help_heading = DATA)]
pub(crate) struct CategoriesArgs {
    /// Columns of text that become columns of zeros and ones, separated by commas: `material_wood`
    /// is 1 where material is wood. The first text that appears has none
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) categories: Vec<String>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = TERMS)]
pub(crate) struct DictionaryArgs {
    /// The inputs, separated by commas; all other numeric columns if not given
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', help_heading = FIRST)]
    pub(crate) features: Vec<String>,
    #[arg(
        long,
        value_name = "M1",
        allow_negative_numbers = true,
        help = defaulted("Highest power of one feature in a monomial", MAX_POWER)
    )]
    pub(crate) max_power: Option<u32>,
    #[arg(
        long,
        value_name = "M2",
        allow_negative_numbers = true,
        help = defaulted(
            "Highest total power of a monomial; a higher one than --max-power raises that, unless \
             it is given",
            MAX_DEGREE
        )
    )]
    pub(crate) max_degree: Option<u32>,
    /// The powers of a feature in a product, in place of those up to --max-power: -2..4, in halves
    /// -2..4/2, in thirds -2..4/3. Where the values allow it: no negative power of a feature that
    /// is zero somewhere, no root of one that is negative somewhere. --max-degree then limits the
    /// sum of the powers without their signs
    #[arg(long, value_name = "LOW..HIGH[/PARTS]", allow_hyphen_values = true)]
    pub(crate) powers: Option<String>,
    /// The units of all columns, separated by commas: "P=Pa,V=m^3,n=mol,T=K"; repeatable, and 1 for
    /// plain numbers. Terms of the wrong dimension are not considered. A name that is no column is
    /// a constant which coefficients may carry: "R=J/(mol*K)"
    #[arg(long, value_name = "NAME=UNIT")]
    pub(crate) units: Vec<String>,
    #[arg(
        long,
        value_name = "TERMS",
        allow_hyphen_values = true,
        help = help_on_terms()
    )]
    pub(crate) terms: Vec<String>,
    /// Use the terms of --terms and no monomials
    #[arg(long)]
    pub(crate) only_terms: bool,
    /// The constant term. If not given: free for best and best-subset (this recovers more true
    /// equations) and for the methods of `PySINDy` (where it is a term like others), forced for
    /// the other methods (which centre the data)
    #[arg(long, value_parser = one_of(Constant::named()))]
    pub(crate) constant: Option<Constant>,
}

/// The language of terms in short.
fn help_on_terms() -> String {
    let functions: Vec<&str> = Term::functions().collect();
    format!(
        "Further terms, separated by commas: \"sin(x),x*y^2\"; repeatable. A term is a formula of \
         + - * / ^, brackets, numbers, pi, and {}. For `fit` and `discover`, ?name is an inner \
         parameter whose value is found: \"exp(-?a*t),x/(?k+x)\"",
        functions.join(" ")
    )
}

impl DictionaryArgs {
    fn fill(&self, request: &mut Request) {
        request.features = list(&self.features);
        request.max_power = self.max_power;
        request.max_degree = self.max_degree;
        request.powers.clone_from(&self.powers);
        request.units.clone_from(&self.units);
        request.terms.clone_from(&self.terms);
        request.only_terms = self.only_terms.then_some(true);
        request.constant = self.constant;
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = SEARCH)]
pub(crate) struct SearchArgs {
    #[arg(
        long,
        value_parser = word_of(methods::named()),
        help = defaulted("How to find the equation", "best")
    )]
    pub(crate) method: Option<String>,
    #[arg(
        long,
        value_name = "M",
        allow_negative_numbers = true,
        help = defaulted("Largest equation searched", MAX_TERMS)
    )]
    pub(crate) max_terms: Option<usize>,
    #[arg(
        long,
        value_name = "T",
        allow_negative_numbers = true,
        help = defaulted("Supports kept per size", KEEP)
    )]
    pub(crate) keep: Option<usize>,
    /// A term that must be in the equation; repeatable
    #[arg(long, value_name = "TERM", allow_hyphen_values = true)]
    pub(crate) require: Vec<String>,
    /// A term that must not be in the equation; repeatable
    #[arg(long, value_name = "TERM", allow_hyphen_values = true)]
    pub(crate) exclude: Vec<String>,
    #[arg(
        long,
        value_parser = word_of(Criterion::named()),
        help = defaulted(
            "What makes one equation better than another, for best and best-subset",
            "residual"
        )
    )]
    pub(crate) criterion: Option<String>,
    #[arg(
        long,
        value_parser = one_of(SizePrior::named()),
        help = defaulted(
            "The prior over sizes; its logarithm is added to the criterion",
            "uniform-models"
        )
    )]
    pub(crate) size_prior: Option<SizePrior>,
    #[arg(
        long,
        value_parser = on_or_off(),
        help = defaulted(
            "Whether cs-r2 and cs-evidence drop terms that two sizes did not use, \
             as in the paper",
            "on"
        )
    )]
    pub(crate) prune: Option<bool>,
    /// Stop after this time, and say what is proven by then: 30s, 5m, 2h
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) time_limit: Option<Duration>,
    /// Save progress here; the same command resumes from it
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
}

impl SearchArgs {
    fn fill(&self, request: &mut Request) {
        request.method.clone_from(&self.method);
        request.max_terms = self.max_terms;
        request.keep = self.keep;
        request.require.clone_from(&self.require);
        request.exclude.clone_from(&self.exclude);
        request.criterion.clone_from(&self.criterion);
        request.size_prior = self.size_prior;
        request.prune = self.prune;
        request.time_limit = self.time_limit.map(|limit| limit.as_secs_f64());
        request.checkpoint.clone_from(&self.checkpoint);
    }
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Learn the law of an enzyme from a table, in place of a recorded motion
    #[arg(long)]
    pub(crate) table: bool,
    /// Where to write the data and the page
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    pub(crate) dir: PathBuf,
}

#[derive(Debug, Args)]
#[command(next_help_heading = OUTPUT)]
pub(crate) struct OutputArgs {
    /// Print the result document on standard output, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the equation in LaTeX
    #[arg(long, conflicts_with = "json")]
    pub(crate) latex: bool,
    /// Save the learned model, for `predict`
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
    /// Write a self-contained page to look at
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// When to use colours
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub(crate) color: Color,
}

impl OutputArgs {
    /// The files to write.
    pub(crate) fn places(&self) -> [Place<'_>; 2] {
        [
            ("--save", self.save.as_ref()),
            ("--report", self.report.as_ref()),
        ]
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    Always,
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Missing {
    /// Stop, and name the cell
    Error,
    /// Leave the row out, and say how many were
    Drop,
}

#[cfg(test)]
mod tests;
