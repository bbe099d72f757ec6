//! A model as text and in LaTeX.

use std::fmt;

use super::{Denominator, Model, number, with_error};
use crate::terms::left_side::LeftSide;
use crate::terms::term::{Term, latex_name};

impl Model {
    /// The equation in LaTeX.
    pub fn latex(&self) -> String {
        let left = match &self.left {
            LeftSide::Function { .. } => self.left.latex(),
            other => latex_name(&other.to_string()),
        };
        format!("{left} = {}", self.right_side_latex())
    }

    /// The right side of the equation in LaTeX.
    pub(crate) fn right_side_latex(&self) -> String {
        let over =
            self.numerator()
                .text(r" \, ", &|term| self.shown(term).latex(), &number::to_latex);
        match &self.denominator {
            None => over,
            Some(below) => {
                let below = Sum::below(below).text(r" \, ", &Term::latex, &number::to_latex);
                format!(r"\frac{{{over}}}{{{below}}}")
            }
        }
    }

    /// A term with the digits of its parameters that their errors support.
    fn shown(&self, term: &Term) -> Term {
        let same = |a: f64, b: f64| a.abs().to_bits() == b.abs().to_bits();
        let short = |number: f64| {
            let parameter = self.parameters.iter().find(|p| same(p.value, number));
            parameter.map_or(number, |p| number::rounded(number, p.std_error))
        };
        if self.parameters.is_empty() {
            term.clone()
        } else {
            term.with_numbers(&short)
        }
    }

    fn numerator(&self) -> Sum<'_> {
        Sum {
            terms: self.terms(),
            coefficients: &self.coefficients,
            std_errors: self.std_errors.as_deref(),
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |sum: &Sum<'_>| sum.text(" ", &Term::to_string, &|number| number);
        let shown = |term: &Term| self.shown(term).to_string();
        let over = self.numerator().text(" ", &shown, &|number| number);
        match &self.denominator {
            None => write!(f, "{} = {over}", self.left),
            Some(below) => {
                let below = text(&Sum::below(below));
                write!(f, "{} = ({over}) / ({below})", self.left)
            }
        }
    }
}

/// A sum of terms, to be printed.
struct Sum<'a> {
    terms: &'a [Term],
    coefficients: &'a [f64],
    std_errors: Option<&'a [f64]>,
}

impl<'a> Sum<'a> {
    fn below(denominator: &'a Denominator) -> Self {
        Self {
            terms: denominator.terms(),
            coefficients: &denominator.coefficients,
            std_errors: denominator.std_errors(),
        }
    }

    /// `coefficient term ± coefficient term …`. A coefficient that is 1 without an error is one by
    /// choice, and left out.
    fn text(
        &self,
        space: &str,
        term: &dyn Fn(&Term) -> String,
        number: &dyn Fn(String) -> String,
    ) -> String {
        if self.coefficients.is_empty() {
            return "0".into();
        }
        let mut text = String::new();
        for (i, coefficient) in self.coefficients.iter().enumerate() {
            let sign = match (i, coefficient.is_sign_negative()) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            let error = self.std_errors.map(|errors| errors[i]);
            let by_choice = error.is_some_and(|error| error <= 0.0)
                && (coefficient.abs() - 1.0).abs() <= 0.0
                && !self.terms[i].is_one();
            text.push_str(sign);
            if by_choice {
                text.push_str(&term(&self.terms[i]));
                continue;
            }
            let error = error.filter(|error| *error > 0.0 || !self.terms[i].is_one());
            text.push_str(&number(with_error(coefficient.abs(), error)));
            if self.terms[i].is_one() {
                continue;
            }
            text.push_str(space);
            let term = term(&self.terms[i]);
            if self.terms[i].needs_brackets() {
                text.extend(["(", &term, ")"]);
            } else {
                text.push_str(&term);
            }
        }
        text
    }
}
