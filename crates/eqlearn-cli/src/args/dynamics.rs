//! The flags of `discover` and `simulate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use eqlearn::Request;
use eqlearn::fields::dictionary::Derivatives;

use crate::places::Place;

use super::{
    DictionaryArgs, FIRST, OUTPUT, OutputArgs, RUNNING, ReachArgs, ReadingArgs, SearchArgs,
    defaulted, list,
};

#[derive(Debug, Args)]
pub(crate) struct DiscoverArgs {
    /// Tables of the same columns, each a trajectory (or several, with --trajectory); formats as
    /// for `fit`. With --axes, fields: .npz, .npy, NetCDF, HDF5, or a long table with a row for
    /// each point of the grid
    #[arg(value_name = "DATA", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) record: RecordArgs,
    #[command(flatten)]
    pub(crate) field: FieldArgs,
    /// A flag of `fit`, told apart from misspelt ones
    #[arg(long, value_name = "COLUMN", hide = true)]
    pub(crate) target: Option<String>,
    /// The same
    #[arg(long, value_name = "COLUMN", hide = true)]
    pub(crate) group: Option<String>,
    /// Fit the coefficients to the trajectories by multiple shooting; the terms stay
    #[arg(long, help_heading = FIRST)]
    pub(crate) refine: bool,
    /// Fit states and coefficients of all equations to the record together: auto (where there is
    /// much noise), on, off [default: auto]
    #[arg(long, value_name = "WHEN", help_heading = "Trajectories")]
    pub(crate) denoise: Option<String>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    #[command(flatten)]
    pub(crate) dictionary: DictionaryArgs,
    #[command(flatten)]
    pub(crate) reach: ReachArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Print the system as a function of a language
    #[arg(long, value_enum, conflicts_with = "json", help_heading = OUTPUT)]
    pub(crate) code: Option<Code>,
    /// Write the record without its noise here, as CSV, where states and coefficients were fitted
    /// together
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) save_states: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    #[command(flatten)]
    pub(crate) knobs: super::methods::TuningArgs,
    /// A TOML file whose keys are flags without dashes; flags on the command line win
    #[arg(long, value_name = "FILE", help_heading = RUNNING)]
    pub(crate) config: Option<PathBuf>,
}

impl DiscoverArgs {
    /// All files that are to be written.
    pub(crate) fn places(&self) -> Vec<Place<'_>> {
        let own = [("--save-states", self.save_states.as_ref())];
        self.output.places().into_iter().chain(own).collect()
    }

    pub(crate) fn request(&self) -> Request {
        let mut request = Request {
            target: self.target.clone(),
            group: self.group.clone(),
            refine: self.refine.then_some(true),
            denoise: self.denoise.clone(),
            ..Request::default()
        };
        self.record.fill(&mut request);
        self.field.fill(&mut request);
        self.reading.fill(&mut request);
        self.dictionary.fill(&mut request);
        self.reach.fill(&mut request);
        self.search.fill(&mut request);
        self.knobs.fill(&mut request);
        request
    }
}

/// What the columns of trajectories are, and how they become rows.
#[derive(Debug, Args)]
#[command(next_help_heading = "Trajectories")]
pub(crate) struct RecordArgs {
    /// The column of times: numbers, or dates and times, which are seconds since the first
    #[arg(long, value_name = "COLUMN", help_heading = FIRST)]
    pub(crate) time: Option<String>,
    /// The time step, where there is no column of times
    #[arg(long, value_name = "STEP", help_heading = FIRST)]
    pub(crate) dt: Option<f64>,
    /// The states, separated by commas; all other numeric columns if not given
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', help_heading = FIRST)]
    pub(crate) states: Vec<String>,
    /// Known inputs: usable in terms, with no equation of their own
    #[arg(long, value_name = "U,V", value_delimiter = ',')]
    pub(crate) inputs: Vec<String>,
    /// A column that separates trajectories: numbers or text
    #[arg(long, value_name = "COLUMN")]
    pub(crate) trajectory: Option<String>,
    /// Let terms use time itself
    #[arg(long)]
    pub(crate) time_as_feature: bool,
    /// How trajectories become rows: auto, weak, forward, trapezoid, central2 to central8, pade4,
    /// pade6, pade10, savgol, spline [default: auto]
    #[arg(long, value_name = "ROWS")]
    pub(crate) derivative: Option<String>,
    /// Half the width of the test functions of the weak form, in units of time
    #[arg(long, value_name = "TIME")]
    pub(crate) half_width: Option<f64>,
    /// Learn the next value of each state instead of its derivative
    #[arg(long)]
    pub(crate) discrete: bool,
    /// 2 to learn accelerations from positions and velocities, which are called dx for a state x
    /// [default: 1]
    #[arg(long, value_name = "1|2")]
    pub(crate) order: Option<usize>,
}

impl RecordArgs {
    pub(super) fn fill(&self, request: &mut Request) {
        request.time.clone_from(&self.time);
        request.dt = self.dt;
        request.states = list(&self.states);
        request.inputs.clone_from(&self.inputs);
        request.trajectory.clone_from(&self.trajectory);
        request.time_as_feature = self.time_as_feature.then_some(true);
        request.derivative.clone_from(&self.derivative);
        request.half_width = self.half_width;
        request.discrete = self.discrete.then_some(true);
        request.order = self.order;
    }
}

/// What the arrays of a field are, and which derivatives are terms.
#[derive(Debug, Args)]
#[command(next_help_heading = "Fields")]
pub(crate) struct FieldArgs {
    /// The axes of a field, time first: the names of arrays or columns with coordinates, or t=0.1
    /// for equal steps from 0. Learns a partial differential equation
    #[arg(long, value_name = "T,X[,Y[,Z]]", value_delimiter = ',')]
    pub(crate) axes: Vec<String>,
    /// The quantities of a field, each an array of the shape of the axes; if none are given, the
    /// only array that is no axis
    #[arg(long, value_name = "U[,V]", value_delimiter = ',')]
    pub(crate) field: Vec<String>,
    /// The axes of space along which the field repeats itself: the first point comes again one step
    /// after the last
    #[arg(long, value_name = "X[,Y]", value_delimiter = ',')]
    pub(crate) periodic: Vec<String>,
    #[arg(
        long,
        value_name = "N",
        help = defaulted(
            "Highest derivative along an axis of space",
            Derivatives::default().max_order
        )
    )]
    pub(crate) max_order: Option<u32>,
    /// Terms may have derivatives along several axes, such as `u_xy`
    #[arg(long)]
    pub(crate) mixed: bool,
    /// Half the widths of the test functions along each axis, time first, in the units of the axes
    #[arg(long, value_name = "T,X", value_delimiter = ',')]
    pub(crate) half_widths: Vec<f64>,
}

impl FieldArgs {
    fn fill(&self, request: &mut Request) {
        request.axes = list(&self.axes);
        request.field = list(&self.field);
        request.periodic.clone_from(&self.periodic);
        request.max_order = self.max_order;
        request.mixed = self.mixed.then_some(true);
        request.half_widths = (!self.half_widths.is_empty()).then(|| self.half_widths.clone());
    }
}

#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    /// A system that `discover --save` wrote
    pub(crate) model: PathBuf,
    /// The value of every state at the start; repeatable, for several runs
    #[arg(
        long,
        value_name = "X=1,Y=2",
        required_unless_present = "starts",
        allow_hyphen_values = true
    )]
    pub(crate) from: Vec<String>,
    /// A table with a column for every state: a run from each of its rows. For a field: a table of
    /// points and values, or a field, whose first time is taken; it is periodic
    #[arg(long, value_name = "TABLE")]
    pub(crate) starts: Option<PathBuf>,
    /// A table of times and known inputs, which are straight lines between the rows. If --until
    /// and --step are not given, its times are those of the simulation
    #[arg(long, value_name = "TABLE")]
    pub(crate) inputs: Option<PathBuf>,
    /// The column of times in that table, and what time is called where equations use it
    #[arg(long, value_name = "NAME", default_value = "t")]
    pub(crate) time: String,
    /// The first time [default: 0, or the first of the inputs]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    pub(crate) begin: Option<f64>,
    /// The last time
    #[arg(
        long,
        value_name = "TIME",
        requires = "step",
        required_unless_present = "inputs",
        allow_negative_numbers = true
    )]
    pub(crate) until: Option<f64>,
    /// The time between rows
    #[arg(
        long,
        value_name = "STEP",
        requires = "until",
        required_unless_present = "inputs"
    )]
    pub(crate) step: Option<f64>,
    /// The tolerance of a step of the integrator
    #[arg(long, default_value_t = 1e-8)]
    pub(crate) tolerance: f64,
    /// Write here instead of standard output: CSV, or Parquet if the name ends in .parquet
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Draw the states over time
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot: Option<PathBuf>,
}

/// A language that a system can be printed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Code {
    /// A function with `NumPy`
    Python,
    Julia,
    Rust,
}
