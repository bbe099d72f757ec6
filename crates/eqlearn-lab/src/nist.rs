//! NIST's non-linear sets, by what a user of `eqlearn fit` can type.
//!
//! 1. With the form of the law given as terms with inner parameters (`--terms "exp(-?b2*x)"
//!    --only-terms --method ols`): how many certified digits come out without starting values.
//! 2. Without any flag, rows shuffled: which laws are found, which are said to be outside, and
//!    which are claimed wrongly.
//!
//! The files are those of the library's tests. Certified values have eleven digits.

mod forms;
mod read;
mod verdict;

use std::fmt::Write as _;

use eqlearn::{Learned, Model, Request as Words, Table, Term};
use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::runner::{GoOn, LineOf, Timed, timed};
use serde::{Deserialize, Serialize};

use crate::Report;
use crate::learner::fit;
use forms::{FORMS, Form};
use read::{Set, TARGET};
use verdict::{Open, judged};

/// Digits that count as certified.
const CERTIFIED: f64 = 9.0;
/// Digits that NIST gives.
const GIVEN: f64 = 11.0;

#[derive(Debug)]
pub(crate) struct Nist;

/// What the user types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// The form of the law, as terms.
    Form,
    /// Nothing but the target.
    Nothing,
}

/// What came out.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    /// With the form given: the right digits of each certified parameter and of the sum of squares.
    Digits { digits: Vec<f64>, rss: f64 },
    /// Without any flag.
    Open(Open),
}

impl Experiment for Nist {
    type Scenario = String;
    type Method = Asked;
    type Data = Set;
    type Outcome = Outcome;

    fn name(&self) -> &'static str {
        "nist"
    }

    fn scenarios(&self) -> Vec<String> {
        FORMS.iter().map(|form| form.name.to_owned()).collect()
    }

    fn methods(&self) -> Vec<(&'static str, Asked)> {
        vec![
            ("the form given", Asked::Form),
            ("no flags", Asked::Nothing),
        ]
    }

    fn data(&self, name: &String) -> Set {
        let form = FORMS.iter().find(|form| form.name == name);
        Set::read(form.expect("scenarios are made of forms"))
    }

    fn run(&self, set: &Set, asked: &Asked, _: &GoOn<'_>) -> Timed<Outcome> {
        match asked {
            Asked::Form => timed(|| with_form(set.form, &set.of_form, None))
                .map(|model| digits(set, model.as_ref())),
            Asked::Nothing => {
                let learned = timed(|| without_flags(set));
                learned.map(|learned| Outcome::Open(judged(set, learned.as_ref())))
            }
        }
    }
}

/// The law with all terms of a form, by the weights of a column if there is one; none where the
/// form cannot be said.
fn with_form(form: &Form, rows: &Table, weights: Option<&str>) -> Option<Model> {
    if form.terms.is_empty() {
        return None;
    }
    let request = Words {
        target: Some(TARGET.into()),
        terms: form.terms.iter().map(|&text| text.into()).collect(),
        only_terms: Some(true),
        method: Some("ols".into()),
        weights: weights.map(ToString::to_string),
        ..Words::default()
    };
    fit(rows, &request)?.study.model()
}

fn without_flags(set: &Set) -> Option<Learned> {
    let request = Words {
        target: Some(TARGET.into()),
        ..Words::default()
    };
    fit(&set.shuffled, &request)
}

fn digits(set: &Set, model: Option<&Model>) -> Outcome {
    let Some(model) = model else {
        return Outcome::Digits {
            digits: vec![0.0; set.certified.len()],
            rss: 0.0,
        };
    };
    let coefficients = model.coefficients().iter();
    let named = coefficients
        .enumerate()
        .map(|(i, &c)| (format!("c{}", i + 1), c));
    let inner = model.parameters().iter().map(|p| (p.name.clone(), p.value));
    let (names, values): (Vec<String>, Vec<[f64; 1]>) = named
        .chain(inner)
        .map(|(name, value)| (name, [value]))
        .unzip();
    let columns: Vec<&[f64]> = values.iter().map(<[f64; 1]>::as_slice).collect();
    let formulas = set.form.certified.iter().zip(&set.certified);
    let digits = formulas.map(|(formula, certified)| {
        let formula = Term::parse(formula, &names).expect("it is a formula of the names");
        let mut found = [0.0];
        formula.evaluate(&columns, &mut found);
        right_digits(found[0], *certified)
    });
    let predicted = model
        .predict(&set.of_form)
        .expect("the law has a value on its rows");
    let target = set.of_form.column(TARGET).expect("tables have a target");
    let squares = target.iter().zip(&predicted).map(|(y, f)| (y - f).powi(2));
    Outcome::Digits {
        digits: digits.collect(),
        rss: right_digits(squares.sum(), set.rss),
    }
}

/// The log relative error, between 0 and the digits that are given.
fn right_digits(found: f64, certified: f64) -> f64 {
    let error = ((found - certified) / certified).abs();
    // A value that is no number has no right digit.
    let digits = -error.log10();
    if digits.is_nan() {
        0.0
    } else {
        digits.clamp(0.0, GIVEN)
    }
}

impl Report for Nist {
    fn table(&self, lines: &[LineOf<Self>]) -> String {
        let mut text = format!(
            "NIST's non-linear sets, the form given as terms, no starting values: right digits\n\n\
             {:<9} {:>5} {:>5}  {:<44} terms\n",
            "set", "least", "rss", "each parameter"
        );
        let mut good: Vec<&Form> = Vec::new();
        for line in lines {
            let Outcome::Digits { digits, rss } = &line.outcome else {
                continue;
            };
            let form = FORMS.iter().find(|form| form.name == line.scenario);
            let form = form.expect("scenarios are made of forms");
            let least = digits.iter().copied().fold(GIVEN, f64::min);
            if least >= CERTIFIED {
                good.push(form);
            }
            let each: Vec<String> = digits.iter().map(|d| format!("{d:.1}")).collect();
            let terms = match form.terms {
                [] => "(a term with a known coefficient cannot be said)".to_string(),
                terms => terms.join(", "),
            };
            let _ = writeln!(
                text,
                "{:<9} {least:>5.1} {rss:>5.1}  {:<44} {terms}",
                line.scenario,
                each.join(" "),
            );
        }
        let single = good
            .iter()
            .filter(|form| form.has_single_parameters())
            .count();
        let _ = writeln!(
            text,
            "\n{} of {} sets to {CERTIFIED} digits, {single} of them with one inner parameter a \
             term\n",
            good.len(),
            FORMS.len()
        );
        text + &verdict::table(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_with_weighted_rows_is_compared_by_their_weights() {
        let set = Nist.data(&"Chwirut2".to_string());
        let open = judged(&set, without_flags(&set).as_ref());
        assert!(open.is_as_good_by_weights(), "{open:?}");
    }

    #[test]
    fn certified_digits_come_out_without_starting_values() {
        for name in ["Misra1a", "Nelson"] {
            let set = Nist.data(&name.to_string());
            let law = with_form(set.form, &set.of_form, None);
            let Outcome::Digits { digits, rss } = digits(&set, law.as_ref()) else {
                panic!("the form was given");
            };
            assert!(digits.iter().all(|d| *d >= CERTIFIED), "{name}: {digits:?}");
            assert!(rss >= CERTIFIED, "{name}: {rss}");
        }
    }
}
