//! Several equations over the same variables: a dynamical system.
//!
//! A system gives the time derivative of every state (or its next value) as a function of the
//! features: states, perhaps inputs, perhaps time. It prints as text, LaTeX, and as a function of
//! Python, Julia or Rust.

use std::fmt::{self, Write as _};

use crate::learn::model::Model;
use crate::terms::left_side::LeftSide;
use crate::terms::term::evaluate::{CHUNK, Program};
use crate::terms::term::{Language, Term};

/// What an equation gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The time derivative of a state.
    Flow,
    /// Its next value.
    Map,
}

/// A dynamical system.
///
/// ```
/// use eqlearn::*;
///
/// let left = LeftSide::Flow { state: "x".into() };
/// let model = Model::given(left, Dictionary::parse(["x"], ["x", "x^2"])?, &[1.0, -1.0])?;
/// let system = System::from_models(vec![model]).expect("x' is the derivative of the feature x");
/// let mut slope = [0.0];
/// system.evaluator().slope(&[0.5], &mut slope);
/// assert!((slope[0] - 0.25).abs() < 1e-12);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct System {
    states: Vec<String>,
    kind: Kind,
    equations: Vec<Model>,
}

impl System {
    /// The system of models that give the motion of every state; the states are the first
    /// features. None if one of them gives something else, or they mix flows and maps.
    pub fn from_models(equations: Vec<Model>) -> Option<Self> {
        let kind = |model: &Model| match model.left_side() {
            LeftSide::Flow { .. } => Some(Kind::Flow),
            LeftSide::Next { .. } => Some(Kind::Map),
            _ => None,
        };
        let first = kind(equations.first()?)?;
        let state = |model: &Model| Some(model.left_side().state()?.to_string());
        let states: Vec<String> = equations.iter().map(state).collect::<Option<_>>()?;
        let fits =
            |model: &Model| kind(model) == Some(first) && model.features().starts_with(&states);
        equations.iter().all(fits).then_some(Self {
            states,
            kind: first,
            equations,
        })
    }

    /// The flow whose states, the first features, have these terms with these coefficients in
    /// their equations.
    #[cfg(test)]
    pub(crate) fn of_flow(features: &[&str], right: &[&[(&str, f64)]]) -> Self {
        let model = |(state, terms): (&&str, &&[(&str, f64)])| {
            let names = terms.iter().map(|term| term.0);
            let dictionary =
                crate::terms::dictionary::Dictionary::parse(features.to_vec(), names).unwrap();
            let left = LeftSide::Flow {
                state: (*state).to_string(),
            };
            let coefficients: Vec<f64> = terms.iter().map(|term| term.1).collect();
            Model::given(left, dictionary, &coefficients).unwrap()
        };
        Self::from_models(features.iter().zip(right).map(model).collect()).unwrap()
    }

    /// The names of the states.
    pub fn states(&self) -> &[String] {
        &self.states
    }

    /// Whether equations give derivatives or next values.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The features: the states, then whatever else equations may use.
    pub fn features(&self) -> &[String] {
        self.equations[0].features()
    }

    /// The features that equations use and that are not states: inputs, or time.
    pub fn others(&self) -> Vec<&str> {
        let used = |place: usize| {
            let mut terms = self.equations.iter().flat_map(Model::summands);
            terms.any(|(_, term)| term.features().iter().any(|(p, _)| *p == place))
        };
        let all = self.features().iter().enumerate().skip(self.states.len());
        all.filter(|(place, _)| used(*place))
            .map(|(_, name)| name.as_str())
            .collect()
    }

    /// One equation per state.
    pub fn equations(&self) -> &[Model] {
        &self.equations
    }

    /// The equation of one state.
    pub fn equation(&self, state: &str) -> Option<&Model> {
        let place = self.states.iter().position(|name| name == state)?;
        Some(&self.equations[place])
    }

    /// The same system, ready to be evaluated point by point.
    pub fn evaluator(&self) -> Evaluator {
        let n_states = self.states.len();
        let compile = |term: &Term| Program::new(term.node());
        let equation = |model: &Model| -> Vec<(f64, Program)> {
            let terms = model.summands().into_iter();
            terms.map(|(w, term)| (w, compile(&term))).collect()
        };
        let jacobian = |model: &Model| -> Vec<Vec<(f64, Program)>> {
            let summands = model.summands();
            let by_state = |state: &String| {
                let derivatives = summands
                    .iter()
                    .map(|(w, term)| (*w, term.derivative(state)));
                let present = derivatives.filter(|(_, term)| !term.is_zero());
                present.map(|(w, term)| (w, compile(&term))).collect()
            };
            self.states.iter().map(by_state).collect()
        };
        let mut divisors: Vec<Term> = Vec::new();
        for (_, term) in self.equations.iter().flat_map(Model::summands) {
            let new = term.divisors().into_iter();
            let new: Vec<Term> = new.filter(|own| !divisors.contains(own)).collect();
            divisors.extend(new);
        }
        let divisors: Vec<(f64, Program)> = divisors.iter().map(|d| (1.0, compile(d))).collect();
        let equations: Vec<_> = self.equations.iter().map(equation).collect();
        let jacobian: Vec<_> = self.equations.iter().map(jacobian).collect();
        let programs = equations.iter().chain(jacobian.iter().flatten()).flatten();
        let programs = programs.chain(&divisors);
        let depth = programs
            .map(|(_, program)| program.stack_len())
            .max()
            .unwrap_or(0);
        Evaluator {
            n_states,
            equations,
            jacobian,
            divisors,
            stack: std::cell::RefCell::new(vec![0.0; depth.max(CHUNK)]),
        }
    }

    /// The equations in LaTeX, one per line.
    pub fn latex(&self) -> String {
        let line = |model: &Model| {
            format!(
                "{} = {}",
                model.left_side().latex(),
                model.right_side_latex()
            )
        };
        let lines: Vec<String> = self.equations.iter().map(line).collect();
        lines.join(" \\\\\n")
    }

    /// A function of a programming language that returns the derivatives (or the next values).
    pub fn code(&self, language: Language) -> String {
        let features = self.features();
        let n_states = self.states.len();
        let start = usize::from(language == Language::Julia);
        let feature = |place: usize| match place.checked_sub(n_states) {
            None => format!("x[{}]", place + start),
            Some(other) => format!("u[{}]", other + start),
        };
        let sum = |terms: &[Term], coefficients: &[f64]| {
            let term = |(w, term): (&f64, &Term)| {
                let number = language.number(*w);
                if term.is_one() {
                    number
                } else {
                    format!("{number}*{}", term.code(language, &feature))
                }
            };
            let terms: Vec<String> = coefficients.iter().zip(terms).map(term).collect();
            terms.join(" + ")
        };
        let right_side = |model: &Model| {
            let above = sum(model.terms(), model.coefficients());
            model.denominator().map_or(above.clone(), |below| {
                format!("({above})/({})", sum(below.terms(), below.coefficients()))
            })
        };
        let rows: Vec<String> = self.equations.iter().map(right_side).collect();
        let (n, others) = (n_states, !features[n_states..].is_empty());
        let names = format!(
            "x = ({}){}",
            self.states.join(", "),
            if others {
                format!(", u = ({})", features[n_states..].join(", "))
            } else {
                String::new()
            }
        );
        let u = |text: &'static str| if others { text } else { "" };
        let mut text = String::new();
        let written = match language {
            Language::Python => write!(
                text,
                "import numpy as np\n\n\ndef slope(t, x{}):\n    # {names}\n    \
                 return np.array([\n        {},\n    ])\n",
                u(", u"),
                rows.join(",\n        ")
            ),
            Language::Julia => write!(
                text,
                "# {names}\nfunction slope(x{}, t)\n    return [\n        {},\n    ]\nend\n",
                u(", u"),
                rows.join(",\n        ")
            ),
            Language::Rust => write!(
                text,
                "/// {names}\nfn slope(_t: f64, x: &[f64; {n}]{}) -> [f64; {n}] {{\n    \
                 [\n        {},\n    ]\n}}\n",
                u(", u: &[f64]"),
                rows.join(",\n        ")
            ),
        };
        written.expect("writing to a string cannot fail");
        text
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, model) in self.equations.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{model}")?;
        }
        Ok(())
    }
}

/// A system compiled for many evaluations at single points.
#[derive(Debug, Clone)]
pub struct Evaluator {
    n_states: usize,
    equations: Vec<Vec<(f64, Program)>>,
    jacobian: Vec<Vec<Vec<(f64, Program)>>>,
    /// What some term divides by.
    divisors: Vec<(f64, Program)>,
    /// Scratch space: evaluation does not change the system.
    stack: std::cell::RefCell<Vec<f64>>,
}

impl Evaluator {
    /// The derivative of every state at the values of the features.
    pub fn slope(&self, features: &[f64], out: &mut [f64]) {
        let columns: Vec<&[f64]> = features.iter().map(std::slice::from_ref).collect();
        for (out, terms) in out.iter_mut().zip(&self.equations) {
            *out = self.sum(terms, &columns);
        }
    }

    /// The derivative of the slope along a direction of the states.
    pub fn slope_along(&self, features: &[f64], direction: &[f64], out: &mut [f64]) {
        let columns: Vec<&[f64]> = features.iter().map(std::slice::from_ref).collect();
        for (out, row) in out.iter_mut().zip(&self.jacobian) {
            let entries = row.iter().zip(&direction[..self.n_states]);
            *out = entries
                .map(|(terms, v)| v * self.sum(terms, &columns))
                .sum();
        }
    }

    /// The value of everything that some term divides by: a zero is a pole.
    pub(crate) fn divisors(&self, features: &[f64]) -> Vec<f64> {
        let columns: Vec<&[f64]> = features.iter().map(std::slice::from_ref).collect();
        let value = |divisor: &(f64, Program)| self.sum(std::slice::from_ref(divisor), &columns);
        self.divisors.iter().map(value).collect()
    }

    fn sum(&self, terms: &[(f64, Program)], columns: &[&[f64]]) -> f64 {
        let mut stack = self.stack.borrow_mut();
        let mut value = [0.0];
        let mut sum = 0.0;
        for (coefficient, program) in terms {
            program.run(columns, 0, &mut stack, &mut value);
            sum += coefficient * value[0];
        }
        sum
    }
}
