//! Which method is wanted, with its settings.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::declare::Declaration;
use super::{
    Best, BestSubset, Bsr, CsEvidence, CsR2, Ensemble, Frols, Lars, Lasso, MethodsError, Miosr,
    Ols, Propose, Ridge, Sr3, Ssr, Stlsq,
};
use crate::error::{Error, Result, nearest};

/// Makes the list of methods: those without settings, and those with settings of their own.
macro_rules! methods {
    (
        without settings { $($(#[$plain_note:meta])* $plain:ident,)+ }
        with settings { $($(#[$note:meta])* $name:ident($settings:ty),)+ }
    ) => {
        /// A way to find an equation.
        ///
        /// The first six rank what they find. The others are the
        /// [`Regression`](super::Regression) methods of other packages: each has an answer of its
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
            $($(#[$plain_note])* $plain,)+
            $($(#[$note])* $name($settings),)+
        }

        impl Method {
            /// All methods, with their default settings.
            pub fn all() -> Vec<Self> {
                vec![
                    $(Self::$plain,)+
                    $(Self::$name(<$settings>::default()),)+
                ]
            }

            /// The method behind the seam.
            pub fn seam(&self) -> &dyn Propose {
                match self {
                    $(Self::$plain => &$plain,)+
                    $(Self::$name(method) => method,)+
                }
            }
        }
    };
}

// A new method is a line here and a file beside this one.
methods! {
    without settings {
        /// Exact lists of all sizes, chosen by the criterion that recovers most. Ends early when no
        /// larger size can win.
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
    }
    with settings {
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
}

impl Method {
    /// What all methods tell users about themselves, in the order of [`all`](Self::all).
    pub fn declarations() -> impl Iterator<Item = &'static Declaration> {
        Self::all().into_iter().map(|method| method.declaration())
    }

    /// What this method tells users about itself.
    pub fn declaration(&self) -> &'static Declaration {
        self.seam().declaration()
    }

    /// The name that users type.
    pub fn name(&self) -> &'static str {
        self.declaration().name
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
            None => Err(MethodsError::UnknownMethod {
                name: name.to_string(),
                nearest: nearest(name, &known).map(String::from),
                known,
            }
            .into()),
        }
    }
}
