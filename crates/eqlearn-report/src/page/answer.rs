//! The head of the page: the verdict, the equations, and how sure they are.

use std::fmt::{self, Write as _};

use eqlearn::error::counted;
use eqlearn::tell::document::{Document, Equation, Kind, TermEntry};
use eqlearn::tell::verdict::Verdict;
use eqlearn::tell::warning::Code;
use eqlearn::terms::term::escape_xml as escape;
use eqlearn::with_error;

use super::{About, Page, bar};
use crate::math;
use crate::number::{explained, full, on_demand, probability, rounded, typeset};
use crate::symbols::Symbols;

/// The verdict in words.
pub(super) fn headline(document: &Document) -> String {
    let is_system = document.kind == Kind::System;
    let (equation, what) = if is_system {
        ("Equations", "systems that explain the record")
    } else {
        ("Equation", "equations that explain the data")
    };
    let missing = n_missing(document);
    match Verdict::of(document) {
        Verdict::None => "No equation found".into(),
        _ if missing > 0 => format!(
            "Equations for {} of {}",
            document.equations.len(),
            counted(document.equations.len() + missing, "state")
        ),
        Verdict::Found => format!("{equation} found"),
        Verdict::Unweighed => format!("{equation} by {}", document.method),
        Verdict::OneOfSeveral => format!("One of several {what}"),
        Verdict::Imitation => "Probably an imitation of the law".into(),
    }
}

/// How many states have no equation.
fn n_missing(document: &Document) -> usize {
    let none = document
        .warnings
        .iter()
        .filter(|w| w.code == Code::NoEquation);
    none.count()
}

impl Page {
    pub(super) fn answer(&mut self, document: &Document, about: &About<'_>) -> fmt::Result {
        let none = document
            .warnings
            .iter()
            .filter(|w| w.code == Code::NoEquation);
        for warning in none {
            writeln!(
                self.text,
                "<p class=\"why\">{}</p>",
                sentence(&warning.message)
            )?;
        }
        if let [equation] = document.equations.as_slice() {
            let why = why(document, equation, about.symbols);
            writeln!(self.text, "<p class=\"why\">{why}</p>")?;
        }
        if !document.equations.is_empty() {
            self.equations(document, about)?;
        }
        let others = document
            .warnings
            .iter()
            .filter(|w| w.code != Code::NoEquation);
        self.warnings(others.map(|w| w.message.as_str()))
    }

    fn equations(&mut self, document: &Document, about: &About<'_>) -> fmt::Result {
        self.text.push_str(
            "<div class=\"equation\" role=\"region\" tabindex=\"0\" aria-label=\"The equation\">\n",
        );
        for equation in &document.equations {
            let typeset = match &document.groups {
                Some(groups) => math::grouped(equation, groups, about.symbols),
                None => math::equation(equation, about.symbols),
            };
            let plain = escape(&equation.text);
            writeln!(
                self.text,
                "<p>{typeset}</p>\n<p class=\"plain\"><code>{plain}</code></p>"
            )?;
        }
        self.text.push_str("</div>\n");
        if let Some(legend) = about.symbols.legend() {
            writeln!(self.text, "<p class=\"soft\">Units: {legend}.</p>")?;
        }
        self.text.push_str("<div class=\"coefficients\">\n");
        for equation in &document.equations {
            self.text.push_str("<section class=\"together\">\n");
            if document.equations.len() > 1 {
                let left = about.symbols.left(&equation.left_side);
                let why = why(document, equation, about.symbols);
                writeln!(self.text, "<h2><math>{left}</math></h2>\n<p>{why}</p>")?;
            }
            writeln!(self.text, "<p class=\"numbers\">{}</p>", numbers(equation))?;
            let value = document.groups.as_ref().map_or("coefficient", |_| "mean");
            self.coefficients(equation, value, about.symbols)?;
            self.all_digits(equation)?;
            self.text.push_str("</section>\n");
        }
        self.text.push_str("</div>\n");
        Ok(())
    }

    fn coefficients(
        &mut self,
        equation: &Equation,
        value_of: &str,
        symbols: &Symbols,
    ) -> fmt::Result {
        let is_weighed = entries(equation).any(|(_, entry)| entry.inclusion.is_some());
        let head: &[&str] = if is_weighed {
            &["term", value_of, "belongs in"]
        } else {
            &["term", value_of]
        };
        self.open_table(&format!("Coefficients of {}", equation.target), head)?;
        for (below, entry) in entries(equation) {
            let inclusion = entry.inclusion.map_or(String::new(), |share| {
                let shown = on_demand(&probability(share), &full(share));
                format!("<td class=\"number\">{} {shown}", bar(share))
            });
            writeln!(
                self.text,
                "<tr><td>{below}<math>{}</math><td class=\"number\">{}{inclusion}</tr>",
                symbols.term(&entry.term),
                value(entry.coefficient, entry.std_error)
            )?;
        }
        for parameter in &equation.parameters {
            let blank = if is_weighed { "<td>" } else { "" };
            writeln!(
                self.text,
                "<tr><td>inside: <math>{}</math><td class=\"number\">{}{blank}</tr>",
                symbols.of(&parameter.name),
                value(parameter.value, parameter.std_error)
            )?;
        }
        self.close_table();
        Ok(())
    }

    fn all_digits(&mut self, equation: &Equation) -> fmt::Result {
        self.text
            .push_str("<details><summary>All digits</summary>\n");
        self.open_table(
            &format!("All digits of {}", equation.target),
            &["", "value", "standard error"],
        )?;
        let or_dash = |value: Option<f64>| value.map_or("–".to_string(), full);
        let terms = entries(equation).map(|(below, e)| {
            (
                format!("{below}{}", escape(&e.term)),
                Some(e.coefficient),
                e.std_error,
            )
        });
        let inner = equation.parameters.iter();
        let inner = inner.map(|p| (escape(&p.name), Some(p.value), p.std_error));
        let of_all = [
            ("1 − R²".to_string(), Some(equation.one_minus_r2), None),
            ("noise".to_string(), equation.sigma, None),
            ("probability".to_string(), equation.probability, None),
            ("log evidence".to_string(), equation.log_evidence, None),
        ];
        for (name, value, error) in terms.chain(inner).chain(of_all) {
            writeln!(
                self.text,
                "<tr><td><code>{name}</code><td class=\"number\">{}<td class=\"number\">{}</tr>",
                or_dash(value),
                or_dash(error)
            )?;
        }
        self.close_table();
        self.text.push_str("</details>\n");
        Ok(())
    }
}

/// The terms of an equation, each with what to say of its place.
fn entries(equation: &Equation) -> impl Iterator<Item = (&'static str, &TermEntry)> {
    let above = equation.numerator.iter().flatten().map(|e| ("above: ", e));
    let below = equation
        .denominator
        .iter()
        .flatten()
        .map(|e| ("below: ", e));
    equation
        .terms
        .iter()
        .map(|e| ("", e))
        .chain(above)
        .chain(below)
}

/// A value with its error, all digits on demand.
fn value(value: f64, error: Option<f64>) -> String {
    let long = error.map_or_else(|| full(value), |e| format!("{} ± {}", full(value), full(e)));
    on_demand(&typeset(&with_error(value, error)), &long)
}

/// What an equation explains, and how much noise it leaves.
fn numbers(equation: &Equation) -> String {
    let left = equation.one_minus_r2;
    let share = on_demand(
        &format!("Explains {}", explained(left)),
        &format!("1 − R² = {}", full(left)),
    );
    let noise = equation.sigma.filter(|sigma| *sigma > 0.0).map(|sigma| {
        let about = format!("noise about {}", rounded(sigma, 2));
        format!("; {}", on_demand(&about, &full(sigma)))
    });
    format!("{share}{}.", noise.unwrap_or_default())
}

/// Why the verdict is what it is.
fn why(document: &Document, equation: &Equation, symbols: &Symbols) -> String {
    let Some(share) = equation.probability else {
        return format!(
            "The method {} weighs no other equations, so nothing says how probable this one is.",
            escape(&document.method)
        );
    };
    let own = on_demand(&probability(share), &full(share));
    let next = equation.runner_up.as_ref().map_or(String::new(), |other| {
        let share = other.probability.map_or(String::new(), |p| {
            format!(" with {}", on_demand(&probability(p), &full(p)))
        });
        let terms: Vec<String> = other.terms.iter().map(|t| in_line(t, symbols)).collect();
        let terms = if terms.is_empty() {
            "no term".into()
        } else {
            nowrap(&terms)
        };
        format!(" The next has the terms {terms}{share}.")
    });
    match Verdict::of_equation(document, equation) {
        Verdict::Imitation => {
            let outside = equation.misfit.filter(|m| m.probability > 0.5).map_or_else(
                || "It may be an approximation of another law, see below.".to_string(),
                |misfit| {
                    let p = misfit.probability;
                    format!(
                        "With probability {} the law is none of the equations compared.",
                        on_demand(&probability(p), &full(p))
                    )
                },
            );
            format!("{outside} Among those, this one has the probability {own}.{next}")
        }
        Verdict::OneOfSeveral => format!(
            "Others explain the data about as well. This one has the probability {own} among the \
             equations compared.{next}"
        ),
        _ => format!("Its terms stand out: probability {own} among the equations compared.{next}"),
    }
}

/// A term within a sentence.
pub(super) fn in_line(term: &str, symbols: &Symbols) -> String {
    format!("<math>{}</math>", symbols.term(term))
}

/// Terms with commas that stay with them.
pub(super) fn nowrap(terms: &[String]) -> String {
    let last = terms.len().saturating_sub(1);
    let one = |(i, term): (usize, &String)| {
        let comma = if i < last { "," } else { "" };
        format!("<span class=\"nowrap\">{term}{comma}</span>")
    };
    let all: Vec<String> = terms.iter().enumerate().map(one).collect();
    all.join(" ")
}

/// A message as a sentence.
fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    let text = first.unwrap_or_default() + letters.as_str();
    let end = if text.ends_with('.') { "" } else { "." };
    escape(&text) + end
}
