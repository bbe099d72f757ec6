//! What cannot be asked for, and what to ask for instead.
//!
//! Errors name what was asked by its word; each front end spells the words as its users wrote them.

use std::fmt;

use super::{Command, Constant, GroupingError};
use crate::error::counted;

/// A request without a meaning.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum AskError {
    /// A word that no request has.
    UnknownWord {
        /// The word.
        word: String,
        /// What was probably meant.
        nearest: Option<String>,
    },
    /// A value that cannot be that of its word.
    Value {
        /// The word.
        word: String,
        /// The value, as it was given.
        value: String,
        /// What it must be.
        range: String,
    },
    /// A word that the command has no use for.
    NotOfCommand {
        /// The word.
        word: String,
        /// The command.
        command: Command,
    },
    /// A single target, where every state has an equation.
    TargetOfSystem {
        /// The target.
        target: String,
    },
    /// A field whose axes are not named.
    NoAxes,
    /// A word that has no meaning for fields.
    NotOfField {
        /// The word.
        word: String,
    },
    /// Inner parameters in terms of a field.
    InnerOfField,
    /// The states of a record said twice.
    StatesTwice,
    /// A word of tables, for trajectories.
    TableWord {
        /// The word.
        word: String,
    },
    /// A word of trajectories, for a table.
    TrajectoryWord {
        /// The word.
        word: String,
    },
    /// One method where several are compared.
    OneMethod,
    /// A checkpoint of a command that makes several searches.
    CheckpointOf {
        /// The command.
        command: Command,
    },
    /// A checkpoint of a method that makes no search, or one that cannot be resumed.
    CheckpointBy {
        /// The method.
        method: &'static str,
        /// The methods that can.
        able: Vec<&'static str>,
    },
    /// A knob that the methods do not have.
    NoMeaning {
        /// The knob.
        word: String,
        /// The methods that were asked for.
        methods: Vec<String>,
        /// The methods that have it.
        able: Vec<&'static str>,
    },
    /// A knob that is given, and cross-validation to choose it.
    Fixed {
        /// The knob.
        knob: &'static str,
    },
    /// Cross-validation with a single fold.
    OneFold,
    /// Cross-validation on rows that share samples.
    SharedSamples {
        /// The words that ask for it.
        words: Vec<String>,
    },
    /// Limits for each target that are not as many as the targets.
    Limits {
        /// The knob.
        word: &'static str,
        /// How many limits there are.
        limits: usize,
        /// How many targets.
        targets: usize,
    },
    /// No monomials and no terms.
    NoTerms,
    /// The powers of features said twice.
    PowersTwice {
        /// The other word.
        other: &'static str,
    },
    /// The unit of a column that has no part in the law.
    UnitOfUnused {
        /// The column.
        name: String,
    },
    /// Inner parameters, for a command that finds none.
    InnerOf {
        /// The command.
        command: Command,
    },
    /// Inner parameters, for a method that finds none.
    InnerBy {
        /// The method.
        method: &'static str,
    },
    /// Laws outside the dictionary, for rows that are not those of the weak form.
    BeyondRows {
        /// What was asked for.
        word: &'static str,
    },
    /// Laws of motion outside the dictionary, whose units are not checked.
    UnitsBeyond {
        /// What was asked for.
        word: &'static str,
    },
    /// Inner parameters of rows that are no longer there.
    TriangleInner,
    /// A term excluded from a method that takes all.
    ExcludedFromAll {
        /// The method.
        method: &'static str,
        /// The word that excludes terms.
        word: &'static str,
    },
    /// A table without a word about what to explain.
    NoTarget {
        /// The file.
        file: String,
        /// Its columns, with what they hold.
        columns: Vec<(String, String)>,
        /// A column that could be explained.
        example: String,
    },
    /// A table with nothing to explain the target by.
    NoFeatures {
        /// The file.
        file: String,
        /// The target.
        target: String,
        /// A remark on the other columns.
        remark: Option<String>,
    },
    /// Weights for rows that are made of several rows.
    WeightedDerivative {
        /// The word that gives them.
        word: &'static str,
    },
    /// Two ways to say how precise rows are.
    NoiseAndWeights {
        /// The second of the two.
        word: &'static str,
        /// The first.
        known: &'static str,
    },
    /// An order without a derivative.
    OrderOfNothing,
    /// A derivative of rows that may not be neighbours.
    SeveralTables,
    /// A derivative of rows that are no longer there.
    TriangleDerivative,
    /// A word about single rows that are no longer there.
    TriangleRows {
        /// The word.
        word: &'static str,
    },
    /// A word that triangles have settled already.
    TooLate {
        /// The word.
        word: String,
    },
    /// A constant that triangles have not, or have.
    TooLateConstant {
        /// What was asked for.
        constant: Constant,
        /// Whether they have one.
        has_constant: bool,
    },
    /// Another target than that of the triangles.
    OtherTarget {
        /// Theirs.
        target: String,
        /// The one that was asked for.
        asked: String,
    },
    /// Trajectories without a word about time.
    NoTime {
        /// The file and its columns, if there is one.
        table: Option<(String, Vec<String>)>,
    },
    /// Trajectories whose times are given twice.
    TwoTimes,
    /// Time as a feature, where there is no column of times.
    NoTimeFeature,
    /// A length of time that is not above 0.
    NotAboveZero {
        /// The word.
        word: &'static str,
        /// What it is.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A word about motion, for a map.
    OfMap {
        /// The word.
        word: &'static str,
    },
    /// The width of the weak form's test functions, for other rows.
    HalfWidth {
        /// The rows.
        rows: String,
    },
    /// Refined accelerations.
    RefinedAccelerations,
    /// A record with no column that could be a state.
    NoStates {
        /// The file.
        file: String,
    },
    /// What cannot be asked for several experiments.
    Grouping(GroupingError),
}

/// How a front end writes what can be asked.
#[derive(Debug, Clone, Copy)]
pub struct Spelling {
    /// A word: `--max-terms`, `max_terms`.
    pub word: fn(&str) -> String,
    /// A word with a value: `--constant none`, `constant='none'`.
    pub with: fn(&str, &str) -> String,
}

impl Spelling {
    /// The words themselves.
    const PLAIN: Self = Self {
        word: str::to_owned,
        with: |word, value| format!("{word} {value}"),
    };

    fn words(self, words: &[String]) -> String {
        let spelled: Vec<String> = words.iter().map(|word| (self.word)(word)).collect();
        spelled.join(", ")
    }
}

impl AskError {
    /// What is wrong.
    pub fn message(&self, spelling: Spelling) -> String {
        let Spelling { word: say, with } = spelling;
        match self {
            Self::UnknownWord { word, .. } => format!("there is no {}", say(word)),
            Self::Value { word, value, range } => {
                format!("{} is {value}; it must be {range}", say(word))
            }
            Self::NotOfCommand { word, command } => {
                format!("{} means nothing to {command}", say(word))
            }
            Self::OneMethod => format!(
                "compare runs several methods, and {} names one",
                say("method")
            ),
            Self::CheckpointOf { command } => format!(
                "{command} has no {}: it searches several times",
                say("checkpoint")
            ),
            Self::CheckpointBy { method, .. } => format!(
                "{method} makes no search that could resume from a {}",
                say("checkpoint")
            ),
            Self::NoMeaning { word, methods, .. } => {
                format!("{} means nothing to {}", say(word), methods.join(", "))
            }
            Self::Fixed { knob } => format!("{} fixes what {} would choose", say(knob), say("cv")),
            Self::OneFold => format!("{} leaves nothing to learn from", with("cv", "1")),
            Self::Limits {
                word,
                limits,
                targets,
            } => format!(
                "{} has {} for {}",
                say(word),
                counted(*limits, "limit"),
                counted(*targets, "target")
            ),
            Self::Grouping(error) => error.message(spelling),
            Self::ExcludedFromAll { method, word } => format!(
                "{method} takes all terms, so {} has nothing to choose from",
                say(word)
            ),
            Self::WeightedDerivative { word } => format!(
                "a derivative combines several rows, and {} speaks of single rows",
                say(word)
            ),
            Self::NoiseAndWeights { word, known } => format!(
                "{} already says how precise rows are, and {} asks for it",
                say(known),
                say(word)
            ),
            Self::OrderOfNothing => format!(
                "{} is the order of {}, which is not given",
                say("order"),
                say("differentiate")
            ),
            Self::PowersTwice { .. }
            | Self::UnitOfUnused { .. }
            | Self::InnerOf { .. }
            | Self::InnerBy { .. }
            | Self::InnerOfField
            | Self::NoTerms
            | Self::BeyondRows { .. }
            | Self::UnitsBeyond { .. } => self.message_about_terms(spelling),
            Self::NoTarget { .. }
            | Self::NoFeatures { .. }
            | Self::SeveralTables
            | Self::TriangleDerivative
            | Self::TriangleInner
            | Self::TriangleRows { .. }
            | Self::TooLate { .. }
            | Self::TooLateConstant { .. }
            | Self::NoAxes
            | Self::NotOfField { .. }
            | Self::OtherTarget { .. } => self.message_about_data(spelling),
            Self::NoTime { .. }
            | Self::TargetOfSystem { .. }
            | Self::TableWord { .. }
            | Self::TrajectoryWord { .. }
            | Self::StatesTwice
            | Self::TwoTimes
            | Self::SharedSamples { .. }
            | Self::NoTimeFeature
            | Self::NotAboveZero { .. }
            | Self::OfMap { .. }
            | Self::HalfWidth { .. }
            | Self::RefinedAccelerations
            | Self::NoStates { .. } => self.message_about_time(spelling),
        }
    }

    fn message_about_terms(&self, spelling: Spelling) -> String {
        let say = spelling.word;
        match self {
            Self::PowersTwice { other } => format!(
                "{} and {} both say which products there are",
                say("powers"),
                say(other)
            ),
            Self::UnitOfUnused { name } => format!(
                "{} names the column {name:?}, which has no part in the law",
                say("units")
            ),
            Self::InnerOf { command } => {
                format!("{command} finds no inner parameters such as ?a, fit and discover do")
            }
            Self::BeyondRows { word } => format!(
                "of motion, {} is found from the weak form of first order only",
                say(word)
            ),
            Self::UnitsBeyond { word } => format!(
                "of motion, {} are checked for terms of the dictionary only, not for {}",
                say("units"),
                say(word)
            ),
            Self::InnerBy { method } => {
                format!("{method} finds no inner parameters such as ?a")
            }
            Self::InnerOfField => "terms of a field have no inner parameters such as ?a".into(),
            Self::NoTerms => format!("{} leaves no term", say("only-terms")),
            _ => unreachable!("the others are told elsewhere"),
        }
    }

    fn message_about_data(&self, spelling: Spelling) -> String {
        let Spelling { word: say, with } = spelling;
        match self {
            Self::NoTarget { file, columns, .. } => {
                let columns = columns
                    .iter()
                    .map(|(name, kind)| format!("\n  {name} ({kind})"));
                let columns: String = columns.collect();
                format!("which column is to be explained? {file} has{columns}")
            }
            Self::TriangleInner => {
                "inner parameters such as ?a are found in the rows themselves, not in triangles"
                    .into()
            }
            Self::NoFeatures {
                file,
                target,
                remark,
            } => {
                let remark = remark.iter().map(|remark| format!("; {remark}"));
                let remark: String = remark.collect();
                format!("{file} has no numeric column besides {target:?} to learn from{remark}")
            }
            Self::SeveralTables => {
                "a derivative needs neighbouring rows, which may be in different files".into()
            }
            Self::TriangleRows { word } => {
                format!(
                    "{} looks at single rows, and a triangle has none",
                    say(word)
                )
            }
            Self::TriangleDerivative => format!(
                "{} needs rows with their neighbours, not triangles",
                say("differentiate")
            ),
            Self::TooLate { word } => format!(
                "{} comes too late: a triangle has its terms and weights already",
                say(word)
            ),
            Self::TooLateConstant {
                constant,
                has_constant,
            } => {
                let have = if *has_constant { "has a" } else { "has no" };
                format!(
                    "{} comes too late: the dictionary of the triangles {have} constant",
                    with("constant", constant.word())
                )
            }
            Self::OtherTarget { target, asked } => {
                format!("the triangles explain {target:?}, not {asked:?}")
            }
            Self::NoAxes => "which arrays are the axes of the field?".into(),
            Self::NotOfField { word } => format!("{} has no meaning for a field", say(word)),
            _ => unreachable!("the others are told elsewhere"),
        }
    }

    fn message_about_time(&self, spelling: Spelling) -> String {
        let say = spelling.word;
        match self {
            Self::NoTime { table: None } => "when were the rows recorded?".into(),
            Self::NoTime {
                table: Some((file, columns)),
            } => format!(
                "when were the rows recorded? {file} has {}",
                columns.join(", ")
            ),
            Self::TargetOfSystem { .. } => format!(
                "discover learns one equation for every state, and {} names a single column",
                say("target")
            ),
            Self::TableWord { word } => {
                format!("trajectories have states, and {} is for tables", say(word))
            }
            Self::TrajectoryWord { word } => format!(
                "{} is for trajectories, and nothing says when the rows were recorded",
                say(word)
            ),
            Self::StatesTwice => format!(
                "{} and {} both name the columns to learn from",
                say("states"),
                say("features")
            ),
            Self::TwoTimes => format!("{} and {} both give the times", say("time"), say("dt")),
            Self::NoTimeFeature => {
                format!("{} needs a column of times", say("time-as-feature"))
            }
            Self::NotAboveZero { what, value, .. } => {
                format!("the {what} is {value}; it must be above 0")
            }
            Self::OfMap { word } => format!("{} does not apply to a map", say(word)),
            Self::HalfWidth { rows } => format!(
                "{} belongs to the weak form, and the rows are {rows}",
                say("half-width")
            ),
            Self::RefinedAccelerations => "coefficients of accelerations cannot be refined".into(),
            Self::NoStates { file } => {
                format!("{file} has no numeric column that could be a state")
            }
            Self::SharedSamples { .. } => {
                "neighbouring rows of a trajectory share samples, so folds are not independent"
                    .into()
            }
            _ => unreachable!("the others are told elsewhere"),
        }
    }

    /// What to ask for instead, where that can be said.
    pub fn remedy(&self, spelling: Spelling) -> Option<String> {
        let Spelling { word: say, with } = spelling;
        Some(match self {
            Self::UnknownWord { nearest, .. } => {
                format!("did you mean {}?", say(nearest.as_ref()?))
            }
            Self::NoFeatures { .. } => format!(
                "write plain numbers in the cells, with units in the header; {} takes \
                 columns of text",
                say("categories")
            ),
            Self::Value { .. } | Self::NoStates { .. } => return None,
            Self::Grouping(error) => error.remedy(spelling),
            Self::NotOfCommand { .. } | Self::UnitOfUnused { .. } => "leave it out".into(),
            Self::TargetOfSystem { target } => format!(
                "leave it out; {} names the states to learn, {} names columns without an equation \
                 of their own; `fit` with {} explains one column by the others",
                with("states", "A,B"),
                say("inputs"),
                with("target", target)
            ),
            Self::NoAxes => format!(
                "add {}: time first, then the directions of space",
                with("axes", "t,x")
            ),
            Self::NotOfField { word } => match word.as_str() {
                "time" | "dt" => format!(
                    "leave it out: {} names time first; an axis of equal steps from 0 is t=0.1",
                    say("axes")
                ),
                "states" | "features" | "target" | "inputs" => {
                    format!("leave it out: {} names the quantities", say("field"))
                }
                "half-width" => format!("give one for each axis, {}", with("half-widths", "T,X")),
                _ => "leave it out".into(),
            },
            Self::TableWord { .. } => format!("leave it out; {} names the states", say("states")),
            Self::TrajectoryWord { word } => format!(
                "add {} or {}, or leave out {}",
                with("time", "COLUMN"),
                with("dt", "STEP"),
                say(word)
            ),
            Self::OneMethod => format!("name those to compare with {}", with("methods", "A,B,C")),
            Self::CheckpointOf { .. } => format!(
                "leave it out; {} ends a long search, and fit has {}",
                say("time-limit"),
                say("checkpoint")
            ),
            Self::CheckpointBy { able, .. } => {
                format!("{} is for {}", say("checkpoint"), able.join(", "))
            }
            Self::NoMeaning { word, able, .. } => {
                format!("{} is for {}", say(word), able.join(", "))
            }
            Self::Fixed { .. } | Self::NoiseAndWeights { .. } => "give one of the two".into(),
            Self::OneFold => "give 2 or more folds, or 0 for none".into(),
            Self::SharedSamples { words } => format!(
                "leave out {}, and give the knob itself",
                spelling.words(words)
            ),
            Self::Limits { .. } => "give one limit per target".into(),
            Self::NoTerms => format!("give some with {}", say("terms")),
            Self::ExcludedFromAll { .. } => {
                format!("name the terms to fit with {}", say("only-terms"))
            }
            Self::NoTarget { example, .. } => format!(
                "add {}, for example {}",
                with("target", "COLUMN"),
                with("target", example)
            ),
            Self::WeightedDerivative { word } => {
                format!("leave out {} or {}", say(word), say("differentiate"))
            }
            Self::OrderOfNothing => format!("add {}", with("differentiate", "COLUMN")),
            Self::SeveralTables => format!("give {} one file", say("differentiate")),
            Self::BeyondRows { .. } => format!(
                "leave out {}, {} and {}",
                say("derivative"),
                say("discrete"),
                say("order")
            ),
            Self::UnitsBeyond { word } => format!("leave out {} or {}", say("units"), say(word)),
            Self::InnerOf { .. } | Self::InnerOfField => {
                format!("write numbers for them in {}", say("terms"))
            }
            Self::InnerBy { .. } => {
                "best chooses among terms with them, and ols takes all terms".into()
            }
            _ => self.remedy_about_data(spelling),
        })
    }

    fn remedy_about_data(&self, spelling: Spelling) -> String {
        let Spelling { word: say, with } = spelling;
        match self {
            Self::TriangleDerivative | Self::TriangleInner | Self::TriangleRows { .. } => {
                "give the table itself".into()
            }
            Self::TooLate { word } => {
                format!("leave it out, or give {} to `eqlearn reduce`", say(word))
            }
            Self::TooLateConstant { constant, .. } => format!(
                "leave it out, or give {} to `eqlearn reduce`",
                with("constant", constant.word())
            ),
            Self::OtherTarget { .. } => format!(
                "leave {} out, or reduce the rows again for another one",
                say("target")
            ),
            Self::NoTime { .. } => format!(
                "add {}, or {} if rows are equally far apart, or {} for a map",
                with("time", "COLUMN"),
                with("dt", "STEP"),
                say("discrete")
            ),
            Self::TwoTimes | Self::StatesTwice | Self::PowersTwice { .. } => {
                "give one of the two, not both".into()
            }
            Self::NoTimeFeature => format!("add {}", with("time", "COLUMN")),
            Self::NotAboveZero { word, .. } => format!("change {}", say(word)),
            Self::OfMap { word } => format!("leave out {} or {}", say(word), say("discrete")),
            Self::HalfWidth { .. } => {
                format!("leave it out, or give {}", with("derivative", "weak"))
            }
            Self::RefinedAccelerations => format!(
                "leave out {}, or record velocities and use them as states",
                say("refine")
            ),
            _ => unreachable!("the others have their remedies above"),
        }
    }

    /// What is wrong and what to ask for instead, in one sentence.
    pub fn sentence(&self, spelling: Spelling) -> String {
        let message = self.message(spelling);
        match self.remedy(spelling) {
            Some(remedy) => format!("{message}; {remedy}"),
            None => message,
        }
    }
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence(Spelling::PLAIN))
    }
}

impl std::error::Error for AskError {}
