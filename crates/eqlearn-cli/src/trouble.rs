//! Errors as a user meets them: what is wrong, then what to do.

use std::io::Write as _;
use std::process::ExitCode;

use eqlearn::ask::Spelling;
use eqlearn::data::TrajectoryError;

use crate::terminal::aside;

/// How users of the command write what they ask for.
pub(crate) const FLAGS: Spelling = Spelling {
    word: |word| format!("--{word}"),
    with: |word, value| format!("--{word} {value}"),
};

/// A reason to end early, with status 2 unless the reader of the output left.
#[derive(Debug)]
pub(crate) struct Trouble {
    message: String,
    hint: Option<String>,
    reader_left: bool,
}

impl Trouble {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
            reader_left: false,
        }
    }

    /// Whoever read the output has seen enough (`| head`).
    pub(crate) fn reader_left() -> Self {
        Self {
            reader_left: true,
            ..Self::new("")
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Says it on standard error; the exit status for a wrong command or wrong data.
    pub(crate) fn report(&self) -> ExitCode {
        if self.reader_left {
            return ExitCode::SUCCESS;
        }
        let mut stderr = std::io::stderr().lock();
        // Nothing is left to do if standard error is gone.
        let _ = write!(stderr, "{}", aside("error: ", &self.message));
        if let Some(hint) = &self.hint {
            let _ = write!(stderr, "{}", aside("  help: ", hint));
        }
        ExitCode::from(2)
    }
}

/// Says what the parser of the command line has to say: help, or what is wrong.
pub(crate) fn report_refused(refused: &clap::Error) -> ExitCode {
    if !refused.use_stderr() {
        // Nothing is left to do if standard output is gone.
        let _ = refused.print();
        return ExitCode::SUCCESS;
    }
    let text = refused.render().to_string();
    let text = text.replace("invalid digit found in string", "it must be a whole number");
    let text = text.replace("invalid float literal", "it must be a number");
    let mut stderr = std::io::stderr().lock();
    for line in text.lines() {
        let words = line.trim_start();
        let indent = &line[..line.len() - words.len()];
        let _ = write!(stderr, "{}", aside(indent, words));
    }
    ExitCode::from(2)
}

impl From<eqlearn::Error> for Trouble {
    fn from(error: eqlearn::Error) -> Self {
        if let eqlearn::Error::Ask(wrong) = &error {
            let hint = wrong.remedy(FLAGS);
            return Self {
                hint,
                ..Self::new(wrong.message(FLAGS))
            };
        }
        let hint = hint(&error);
        Self {
            hint,
            ..Self::new(error.to_string())
        }
    }
}

impl From<eqlearn_reproduce::Trouble> for Trouble {
    fn from(error: eqlearn_reproduce::Trouble) -> Self {
        use eqlearn_reproduce::Trouble as Reproduce;
        let hint = match &error {
            Reproduce::OtherRun { .. } => Some(
                "choose another --out, or give the --seed, --methods and --quick of that run"
                    .to_string(),
            ),
            Reproduce::BadLine { .. } => {
                Some("correct the line, or remove it with all that follow".to_string())
            }
            _ => None,
        };
        Self {
            hint,
            ..Self::new(error.to_string())
        }
    }
}

/// The flag that helps, where there is one. The library does not know flags.
fn hint(error: &eqlearn::Error) -> Option<String> {
    use eqlearn::Error;
    use eqlearn::dynamics::DynamicsError;
    use eqlearn::learn::LearnError;
    use eqlearn::methods::MethodsError;
    use eqlearn::reduce::ReduceError;
    use eqlearn::search::PartsError;
    use eqlearn::terms::TermsError;
    let hint = match error {
        Error::Learn(LearnError::NothingSearched { .. }) => {
            "allow more time with --time-limit, or ask for fewer terms with --max-degree, \
             --max-power or --features"
                .to_string()
        }
        Error::Stopped => {
            "if it was the time limit, allow more with --time-limit; fewer terms (--max-degree, \
             --max-power, --features) take less"
                .to_string()
        }
        Error::Terms(TermsError::TargetIsFeature { name }) => {
            format!("leave {name:?} out of --features")
        }
        Error::Reduce(ReduceError::ConstantFeature { name, .. }) => {
            format!("leave {name:?} out with --features, naming only the columns that vary")
        }
        Error::Terms(TermsError::TooManyTerms {
            fits: Some((degree, _)),
            ..
        }) => format!("add --max-degree {degree}, or name fewer --features"),
        Error::Methods(
            MethodsError::FewerRowsThanTerms { .. } | MethodsError::AsManyRowsAsTerms { .. },
        )
        | Error::Terms(TermsError::TooManyTerms { .. }) => {
            "lower --max-degree or --max-power, or name fewer --features".to_string()
        }
        Error::Terms(TermsError::TermValueNotFinite { .. }) => {
            "change --terms, --max-power or --features, or remove the row".to_string()
        }
        Error::Terms(TermsError::TermNotFiniteInMotion { .. }) => {
            "change --terms, --powers or --states".to_string()
        }
        Error::Trajectory(TrajectoryError::TimesDoNotRise { .. }) => {
            "sort the rows by time, or name the column that separates trajectories with \
             --trajectory"
                .to_string()
        }
        Error::Trajectory(TrajectoryError::ConstantState { name, .. }) => {
            format!("leave {name:?} out with --states, naming only the columns that vary")
        }
        Error::Terms(TermsError::UnknownParameter { name, .. }) => {
            format!("a parameter is part of a term: --terms \"exp(-?{name}*x)\"")
        }
        Error::Methods(MethodsError::DependentTerm { term, .. }) => {
            format!("add --exclude \"{term}\", or name fewer --features")
        }
        Error::Learn(LearnError::ModelFile(_)) => "learn the model again, with --save".to_string(),
        Error::Terms(TermsError::UnknownTerm { .. }) => {
            "add it with --terms, or raise --max-power or --max-degree".to_string()
        }
        Error::Dynamics(DynamicsError::SimulationNeedsInput { input }) => format!(
            "give --inputs TABLE with columns of times and of {input}, or --time {input} if that \
             is time itself"
        ),
        Error::Dynamics(DynamicsError::InputsTooShort { .. }) => {
            "change --begin or --until".to_string()
        }
        Error::Dynamics(DynamicsError::UnknownRows { .. }) => "change --derivative".to_string(),
        Error::Dynamics(DynamicsError::UnequalSteps { .. }) => "use --derivative auto".to_string(),
        Error::Table(error) => return table_hint(error),
        Error::Field(error) => return field_hint(error),
        Error::Fields(error) => return fields_hint(error),
        Error::InFile { source, .. } => return hint(source),
        Error::Parts(PartsError::Missing { missing }) => match missing.as_slice() {
            [one] => format!("run the same command with --shard {one}"),
            _ => "run the same command with --shard for each of them".to_string(),
        },
        Error::Reduce(ReduceError::TooFewTriangles { needed, .. }) => format!(
            "reduce the rows into at least {needed} files, or fix what would be chosen by \
             cross-validation: --alpha, --threshold, … or --cv 0"
        ),
        Error::Reduce(ReduceError::TriangleFile { .. }) => {
            "write it again with `eqlearn reduce`".to_string()
        }
        Error::Reduce(ReduceError::OtherProblem { .. }) => {
            "reduce all files with the same --target, --features, --weights, --terms and powers"
                .to_string()
        }
        Error::Reduce(ReduceError::SameRows { .. }) => "name each file once".to_string(),
        _ => return None,
    };
    Some(hint)
}

/// The same for fields in files.
fn field_hint(error: &eqlearn::data::FieldError) -> Option<String> {
    use eqlearn::data::FieldError;
    let hint = match error {
        FieldError::NoCoordinates { .. } => "for example --axes t=0.1,x=0.05",
        FieldError::WhichQuantity { .. } => "name those to learn with --field",
        FieldError::Dimensions { .. } => "for example --axes t,x, time first",
        _ => return None,
    };
    Some(hint.to_string())
}

/// The same for the equations of fields.
fn fields_hint(error: &eqlearn::fields::FieldsError) -> Option<String> {
    use eqlearn::fields::FieldsError;
    let hint = match error {
        FieldsError::TooFewPoints { .. } => "--max-order limits derivatives along space",
        FieldsError::TooFewRows { .. } => {
            "--half-widths T,X makes test functions narrower, and --max-order and --max-degree \
             leave fewer terms"
        }
        _ => return None,
    };
    Some(hint.to_string())
}

/// The same for tables and their files.
fn table_hint(error: &eqlearn::data::TableError) -> Option<String> {
    use eqlearn::data::TableError;
    let hint = match error {
        TableError::CellMissing { .. } => "add --missing drop to leave such rows out".to_string(),
        TableError::MixedDecimals { .. } | TableError::AmbiguousComma { .. } => {
            "--decimal , if the comma is the decimal character, --decimal . if the point is"
                .to_string()
        }
        TableError::CellUnusable { found, .. } if found.contains(',') => {
            "--decimal , says that the comma is the decimal character".to_string()
        }
        TableError::UnknownSheet { .. } => "change --sheet".to_string(),
        TableError::ColumnNotNumeric { column, kind, .. } if *kind == "text" => {
            format!("as a feature, --categories {column} makes columns of zeros and ones of it")
        }
        TableError::ColumnNotNumeric { kind, .. } if *kind == "dates" => {
            "leave it out with --features; `discover` takes dates as --time".to_string()
        }
        TableError::RaggedRow { .. } => {
            "correct the line; a cell with a comma in it needs quotes".to_string()
        }
        TableError::Damaged { .. } => {
            "if it is a table of another kind, name that with --format".to_string()
        }
        TableError::EmptyFolder { .. } => {
            "files end in .csv, .tsv, .parquet, .arrow, .npy, .npz, .jsonl, .xlsx, .ods or .tri"
                .to_string()
        }
        TableError::UnknownFormat { .. } => {
            "--format says what is inside, for example --format csv".to_string()
        }
        _ => return None,
    };
    Some(hint)
}
