//! Which method is wanted, with its settings: the enum that is made of the list of methods.

use std::str::FromStr;

use super::declare::Declaration;
use super::{Method, MethodsError};
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
        /// [`Regression`](crate::methods::Regression) methods of other packages: each has an
        /// answer of its own, with its own coefficients, and its settings are here.
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
