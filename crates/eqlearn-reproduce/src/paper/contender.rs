//! Who competes: the nine methods of the paper's table, as it used them, and ours.

use std::str::FromStr;

use eqlearn::methods::{Consistency, Frols, Lars, Lasso, Miosr, Sr3, Stlsq};
use eqlearn::search::Search;
use eqlearn::{Method, RowScheme, Settings, Support};
use serde::{Deserialize, Serialize};

use super::PaperExperiment;

/// A method with the settings and the rows that it competes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Contender {
    /// LASSO, centred, penalty by cross-validation.
    Lasso,
    /// Least-angle regression, centred, end of the path by cross-validation.
    Lars,
    /// The paper's search by consistency.
    CsR2,
    /// The same without its pruning of terms: shows what the pruning costs.
    CsR2Unpruned,
    /// The paper's search by evidence.
    CsEvidence,
    /// The paper's stepwise search.
    Bsr,
    /// Sparse relaxed regression, weight by cross-validation.
    Sr3,
    /// Forward regression, number of terms by cross-validation.
    Frols,
    /// Sequential thresholding, threshold by cross-validation.
    Stlsq,
    /// Best subsets under a ridge penalty, number of terms by cross-validation.
    Miosr,
    /// Our search and criterion on the paper's forward differences: the search without our rows.
    BestForward,
    /// Ours, as `eqlearn fit` and `eqlearn discover` run it.
    Best,
}

impl Contender {
    /// All, in the order of the paper's table, ours last.
    pub const ALL: [Self; 12] = [
        Self::Lasso,
        Self::Lars,
        Self::CsR2,
        Self::CsR2Unpruned,
        Self::CsEvidence,
        Self::Bsr,
        Self::Sr3,
        Self::Frols,
        Self::Stlsq,
        Self::Miosr,
        Self::BestForward,
        Self::Best,
    ];

    /// The name that users type, and that lines carry.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lasso => "lasso",
            Self::Lars => "lars",
            Self::CsR2 => "cs-r2",
            Self::CsR2Unpruned => "cs-r2-unpruned",
            Self::CsEvidence => "cs-evidence",
            Self::Bsr => "bsr",
            Self::Sr3 => "sr3",
            Self::Frols => "frols",
            Self::Stlsq => "stlsq",
            Self::Miosr => "miosr",
            Self::BestForward => "best-forward",
            Self::Best => "best",
        }
    }

    /// Whether it is one of the nine of the paper's table.
    pub fn is_of_the_paper(self) -> bool {
        !matches!(self, Self::CsR2Unpruned | Self::BestForward | Self::Best)
    }

    /// Whether it takes part in an experiment. Variants that change one thing take part only
    /// where that thing matters.
    pub fn competes_in(self, experiment: PaperExperiment) -> bool {
        match self {
            Self::CsR2Unpruned => experiment == PaperExperiment::Polynomials,
            Self::BestForward => experiment != PaperExperiment::Polynomials,
            _ => true,
        }
    }

    /// How trajectories become its rows: as in the paper, except for ours.
    pub fn rows(self) -> RowScheme {
        match self {
            Self::Best => RowScheme::Auto,
            _ => RowScheme::Forward,
        }
    }

    /// What to learn. Every method is tuned as in the paper: three refinements, on five folds.
    ///
    /// The `PySINDy` of the paper's time refitted every method on its terms (`unbias`) before
    /// cross-validation measured its errors.
    pub fn settings(self) -> Settings {
        let method = match self {
            Self::Lasso => Method::Lasso(Lasso::default()),
            Self::Lars => Method::Lars(Lars::default()),
            Self::CsR2 | Self::CsR2Unpruned => Method::CsR2,
            Self::CsEvidence => Method::CsEvidence,
            Self::Bsr => Method::Bsr,
            Self::Sr3 => Method::Sr3(Sr3 {
                unbias: true,
                ..Sr3::default()
            }),
            Self::Frols => Method::Frols(Frols::default()),
            Self::Stlsq => Method::Stlsq(Stlsq::default()),
            Self::Miosr => Method::Miosr(Miosr {
                unbias: true,
                ..Miosr::default()
            }),
            Self::BestForward | Self::Best => Method::Best,
        };
        // The paper and scikit-learn centre; for PySINDy and for us the constant is a term.
        let centred = matches!(
            self,
            Self::Lasso
                | Self::Lars
                | Self::CsR2
                | Self::CsR2Unpruned
                | Self::CsEvidence
                | Self::Bsr
        );
        Settings {
            method,
            consistency: Consistency {
                prune: self != Self::CsR2Unpruned,
                ..Consistency::default()
            },
            space: Search {
                centre: (0..usize::from(centred)).collect::<Support>(),
                ..Search::default()
            },
            ..Settings::default()
        }
    }
}

/// How a method is called in tables and figures, whoever ran it.
pub fn label(method: &str) -> &str {
    match method {
        "lasso" => "LASSO",
        "lars" => "LARS",
        "cs-r2" => "CS-R²",
        "cs-r2-unpruned" => "CS-R² unpruned",
        "cs-evidence" => "CS-p(M)",
        "bsr" => "BSR",
        "sr3" => "SR3",
        "frols" => "FROLS",
        "stlsq" => "STLSQ",
        "miosr" => "MIOSR",
        "best-forward" => "ours, forward",
        "best" => "ours",
        other => other,
    }
}

impl FromStr for Contender {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|c| c.name() == name);
        known.ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|c| c.name()).collect();
            format!(
                "there is no contender {name:?}; there are {}",
                names.join(", ")
            )
        })
    }
}
