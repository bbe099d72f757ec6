//! Which method is wanted, with its settings.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::declare::Declaration;
use super::{Ensemble, Frols, Lars, Lasso, Miosr, Regression, Ridge, Sr3, Ssr, Stlsq};
use super::{
    best, bsr, consistency, ensemble, frols, lars, lasso, miosr, ols, ridge, sr3, ssr, stlsq,
};
use crate::error::{Error, Result, nearest};

/// The list of methods: a new one is a line here and a file beside this one.
macro_rules! methods {
    ($($(#[$note:meta])* $name:ident $(($settings:ty))? = $declared:path,)+) => {
        /// A way to find an equation.
        ///
        /// The first six rank what they find. The others are the [`Regression`] methods of other
        /// packages: each has an answer of its own, with its own coefficients, and its settings
        /// are here.
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
            $($(#[$note])* $name $(($settings))?,)+
        }

        impl Method {
            /// All methods, with their default settings.
            pub fn all() -> Vec<Self> {
                vec![$(Self::$name $((<$settings>::default()))?,)+]
            }

            /// What all methods tell users about themselves, in the order of [`all`](Self::all).
            pub fn declarations() -> &'static [&'static Declaration] {
                static LIST: &[&Declaration] = &[$(&$declared,)+];
                LIST
            }

            /// What this method tells users about itself.
            pub fn declaration(&self) -> &'static Declaration {
                match self {
                    $(Self::$name { .. } => &$declared,)+
                }
            }
        }
    };
}

methods! {
    /// Exact lists of all sizes, chosen by the criterion that recovers most. Ends early when no
    /// larger size can win.
    #[default]
    Best = best::BEST,
    /// The same lists, never ended early.
    BestSubset = best::BEST_SUBSET,
    /// The paper's search by consistency.
    CsR2 = consistency::BY_R2,
    /// The paper's search, chosen by evidence.
    CsEvidence = consistency::BY_EVIDENCE,
    /// Stepwise by evidence.
    Bsr = bsr::METHOD,
    /// Least squares on all terms.
    Ols = ols::METHOD,
    /// Ridge regression on all terms.
    Ridge(Ridge) = ridge::METHOD,
    /// LASSO.
    Lasso(Lasso) = lasso::METHOD,
    /// Least-angle regression.
    Lars(Lars) = lars::METHOD,
    /// Sequentially thresholded least squares.
    Stlsq(Stlsq) = stlsq::METHOD,
    /// Sparse relaxed regularised regression.
    Sr3(Sr3) = sr3::METHOD,
    /// Forward regression orthogonal least squares.
    Frols(Frols) = frols::METHOD,
    /// Stepwise sparse regression.
    Ssr(Ssr) = ssr::METHOD,
    /// Best subsets under a ridge penalty.
    Miosr(Miosr) = miosr::METHOD,
    /// Many models on resampled rows and terms.
    Ensemble(Box<Ensemble>) = ensemble::METHOD,
}

impl Method {
    /// The name that users type.
    pub fn name(&self) -> &'static str {
        self.declaration().name
    }

    /// The method behind the seam of [`Regression`], for those that have an answer of their own.
    pub fn regression(&self) -> Option<&dyn Regression> {
        Some(match self {
            Self::Ridge(method) => method,
            Self::Lasso(method) => method,
            Self::Lars(method) => method,
            Self::Stlsq(method) => method,
            Self::Sr3(method) => method,
            Self::Frols(method) => method,
            Self::Ssr(method) => method,
            Self::Miosr(method) => method,
            Self::Ensemble(method) => &**method,
            Self::Best
            | Self::BestSubset
            | Self::CsR2
            | Self::CsEvidence
            | Self::Bsr
            | Self::Ols => return None,
        })
    }

    /// Whether its habit is to have the constant in every equation, so that R² is about the mean.
    pub fn centres(&self) -> bool {
        self.declaration().centres
    }

    /// Whether every term stays in the equation, so that there is nothing to rank.
    pub fn keeps_all_terms(&self) -> bool {
        self.declaration().keeps_all_terms
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let mut all = Self::all();
        let known: Vec<String> = all.iter().map(|m| m.name().to_string()).collect();
        match known.iter().position(|other| other == name) {
            Some(place) => Ok(all.swap_remove(place)),
            None => Err(Error::UnknownMethod {
                name: name.to_string(),
                nearest: nearest(name, &known).map(String::from),
                known,
            }),
        }
    }
}
