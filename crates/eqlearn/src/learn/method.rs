//! Which method is wanted, with its settings.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result, nearest};
use crate::methods::{
    Best, BestSubset, Bsr, CsEvidence, CsR2, Ensemble, Frols, Lars, Lasso, MethodsError, Miosr,
    Ols, Propose, Ridge, Sr3, Ssr, Stlsq,
};

/// A way to find an equation.
///
/// The first six rank what they find. The others are the
/// [`Regression`](crate::methods::Regression) methods of other packages: each has an answer of its
/// own, with its own coefficients, and its settings are here.
///
/// ```
/// use eqlearn::Method;
///
/// let method: Method = "lasso".parse()?;
/// assert_eq!(method.name(), "lasso");
/// assert!("laso".parse::<Method>().unwrap_err().to_string().contains("lasso"));
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Exact lists of all sizes, chosen by the criterion that recovers most. Ends early when no larger size can win.
    #[default]
    Best,
    /// The same lists, never ended early.
    BestSubset,
    /// The paper's search by consistency.
    CsR2,
    /// The paper's search, chosen by evidence.
    CsEvidence,
    /// Stepwise by evidence.
    Bsr,
    /// Least squares on all terms.
    Ols,
    /// Ridge regression on all terms.
    Ridge(Ridge),
    /// LASSO.
    Lasso(Lasso),
    /// Least-angle regression.
    Lars(Lars),
    /// Sequentially thresholded least squares.
    Stlsq(Stlsq),
    /// Sparse relaxed regularised regression.
    Sr3(Sr3),
    /// Forward regression orthogonal least squares.
    Frols(Frols),
    /// Stepwise sparse regression.
    Ssr(Ssr),
    /// Best subsets under a ridge penalty.
    Miosr(Miosr),
    /// Many models on resampled rows and terms.
    Ensemble(Box<Ensemble>),
}

impl Method {
    /// All methods, with their default settings.
    pub fn all() -> Vec<Self> {
        vec![
            Self::Best,
            Self::BestSubset,
            Self::CsR2,
            Self::CsEvidence,
            Self::Bsr,
            Self::Ols,
            Self::Ridge(Ridge::default()),
            Self::Lasso(Lasso::default()),
            Self::Lars(Lars::default()),
            Self::Stlsq(Stlsq::default()),
            Self::Sr3(Sr3::default()),
            Self::Frols(Frols::default()),
            Self::Ssr(Ssr::default()),
            Self::Miosr(Miosr::default()),
            Self::Ensemble(Box::default()),
        ]
    }

    /// The name that users type.
    pub fn name(&self) -> &'static str {
        self.seam().name()
    }

    /// The method behind the seam.
    pub fn seam(&self) -> &dyn Propose {
        match self {
            Self::Best => &Best,
            Self::BestSubset => &BestSubset,
            Self::CsR2 => &CsR2,
            Self::CsEvidence => &CsEvidence,
            Self::Bsr => &Bsr,
            Self::Ols => &Ols,
            Self::Ridge(method) => method,
            Self::Lasso(method) => method,
            Self::Lars(method) => method,
            Self::Stlsq(method) => method,
            Self::Sr3(method) => method,
            Self::Frols(method) => method,
            Self::Ssr(method) => method,
            Self::Miosr(method) => method,
            Self::Ensemble(method) => &**method,
        }
    }

    /// Whether its habit is to have the constant in every equation, so that R² is about the mean.
    ///
    /// scikit-learn centres, and so does the paper; for `PySINDy` the constant is a term like any other.
    pub fn centres(&self) -> bool {
        matches!(
            self,
            Self::CsR2
                | Self::CsEvidence
                | Self::Bsr
                | Self::Ols
                | Self::Ridge(_)
                | Self::Lasso(_)
                | Self::Lars(_)
        )
    }

    /// Whether every term stays in the equation, so that there is nothing to rank.
    pub fn keeps_all_terms(&self) -> bool {
        matches!(self, Self::Ols | Self::Ridge(_))
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let mut all = Self::all();
        let known: Vec<String> = all.iter().map(|m| m.name().to_string()).collect();
        match known.iter().position(|other| other == name) {
            Some(place) => Ok(all.swap_remove(place)),
            None => Err(MethodsError::UnknownMethod {
                name: name.to_string(),
                nearest: nearest(name, &known).map(String::from),
                known,
            }
            .into()),
        }
    }
}
