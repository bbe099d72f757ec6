//! Which words have a meaning for which command.

use std::fmt;

use super::{AskError, GroupingError, Request};
use crate::error::Result;

/// What a request is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// One equation from a table.
    Fit,
    /// The rows of a table, reduced where they are.
    Reduce,
    /// One equation per state from trajectories.
    Discover,
    /// One equation per quantity of a field.
    DiscoverField,
    /// Several methods on a table.
    Compare,
    /// Several methods on trajectories.
    CompareTrajectories,
}

/// Which rows, and what is explained by what.
const OF_TABLES: &[&str] = &["features", "target", "weights"];

/// What the columns of a record are.
const OF_TRAJECTORIES: &[&str] = &[
    "time",
    "dt",
    "states",
    "features",
    "inputs",
    "trajectory",
    "time-as-feature",
    "derivative",
    "half-width",
    "discrete",
    "order",
];

/// What the arrays of a field are, and which derivatives are terms.
pub(super) const OF_FIELDS: &[&str] = &[
    "axes",
    "field",
    "periodic",
    "max-order",
    "mixed",
    "half-widths",
];

/// What the dictionary is made of.
pub(super) const OF_TERMS: &[&str] = &[
    "max-power",
    "max-degree",
    "powers",
    "units",
    "terms",
    "only-terms",
    "constant",
];

/// How far to look beyond the dictionary, and which rows to trust.
const BEYOND: &[&str] = &["vocabulary", "noise", "robust"];

const OF_LEARNING: &[&str] = &[
    "max-terms",
    "keep",
    "require",
    "exclude",
    "criterion",
    "size-prior",
    "prune",
    "knobs",
    "cv",
    "refit",
    "time-limit",
];

impl Command {
    /// The words that have a meaning.
    pub fn takes(self) -> Vec<&'static str> {
        if self == Self::DiscoverField {
            let terms = ["max-power", "max-degree", "terms", "only-terms", "constant"];
            let others = ["order", "method", "threads"];
            return [OF_FIELDS, &terms, &others, OF_LEARNING].concat();
        }
        let groups: &[&[&str]] = match self {
            Self::Fit => &[
                OF_TABLES,
                &[
                    "categories",
                    "group",
                    "shared",
                    "differentiate",
                    "order",
                    "method",
                    "checkpoint",
                    "range",
                ],
                BEYOND,
                OF_LEARNING,
            ],
            Self::Reduce => &[OF_TABLES, &["noise"]],
            Self::Discover => &[
                OF_TRAJECTORIES,
                &["refine", "denoise", "method", "vocabulary", "range"],
                OF_LEARNING,
            ],
            Self::Compare => &[OF_TABLES, &["categories", "methods"], BEYOND, OF_LEARNING],
            Self::CompareTrajectories => &[OF_TRAJECTORIES, &["methods"], OF_LEARNING],
            Self::DiscoverField => unreachable!("its words are told above"),
        };
        [OF_TERMS, &["threads"], &groups.concat()].concat()
    }

    /// Whether rows are neighbours in time.
    pub(super) fn is_about_motion(self) -> bool {
        matches!(
            self,
            Self::Discover | Self::DiscoverField | Self::CompareTrajectories
        )
    }

    /// Whether several methods are run.
    pub(super) fn compares(self) -> bool {
        matches!(self, Self::Compare | Self::CompareTrajectories)
    }

    /// Refuses a word that has no meaning.
    pub(super) fn check(self, request: &Request) -> Result<()> {
        let takes = self.takes();
        let mut said = request.said().into_iter();
        let Some(word) = said.find(|word| !takes.contains(&word.as_str())) else {
            return Ok(());
        };
        let trajectories = OF_TRAJECTORIES.contains(&word.as_str());
        let command = self;
        Err(match (self, word.as_str()) {
            (Self::Discover, "target") => AskError::TargetOfSystem {
                target: request.target.clone().unwrap_or_default(),
            },
            (Self::Discover | Self::CompareTrajectories, "group" | "shared") => {
                AskError::Grouping(GroupingError::Motion { word })
            }
            (Self::DiscoverField, _) if word != "checkpoint" => AskError::NotOfField { word },
            (Self::CompareTrajectories, "target" | "weights" | "categories") => {
                AskError::TableWord { word }
            }
            (Self::Compare, _) if trajectories => AskError::TrajectoryWord { word },
            (Self::Compare | Self::CompareTrajectories, "method") => AskError::OneMethod,
            (_, "checkpoint") => AskError::CheckpointOf { command },
            _ => AskError::NotOfCommand { word, command },
        }
        .into())
    }
}

impl Request {
    /// Whether methods are compared on trajectories or on a table: the former if an option about
    /// time is given.
    pub fn comparison(&self) -> Command {
        let timed = self.time.is_some() || self.dt.is_some() || self.discrete == Some(true);
        if timed {
            Command::CompareTrajectories
        } else {
            Command::Compare
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fit => "fit",
            Self::Reduce => "reduce",
            Self::Discover | Self::DiscoverField => "discover",
            Self::Compare | Self::CompareTrajectories => "compare",
        })
    }
}
