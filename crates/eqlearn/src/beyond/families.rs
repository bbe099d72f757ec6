//! Families with inner parameters that are tried without being asked for.
//!
//! Decays, saturations, powers, waves and the functions of statistical physics, each of one
//! variable, times the factor, beside a few powers of the variable.

use super::attempt::{Attempt, Known, Plan};
use super::inner::with_members;
use super::parameters::{Choice, Ingredients, Inner};
use super::view::View;
use crate::error::Result;
use crate::reduce::support::Support;
use crate::terms::dictionary::Dictionary;
use crate::terms::family::Family;
use crate::terms::term::Term;

/// The formulas for a variable `X`; those that share a parameter are one family.
const FORMULAS: [&str; 17] = [
    "exp(?a*X)",
    "exp(?b*X^2)",
    "X^?c",
    "cos(?w*X)",
    "sin(?w*X)",
    "sin(?v*X)^2",
    "1/(?k+X)",
    "log(?l+X)",
    "tanh(?t*X)",
    "1/(exp(?p*X)-1)",
    "X/(exp(?s*X)-1)",
    "X^3/(exp(?j*X)-1)",
    "1/(exp(?q*X)+1)",
    "1/(1+?g*exp(?r*X))",
    "exp(?d*X)*cos(?e*X)",
    "exp(?d*X)*sin(?e*X)",
    "1/(?m^2+X^2)",
];

/// The most terms of such a law.
const LARGEST_LAW: usize = 3;

/// The families of one variable of a view, times its factor.
pub(super) fn families_of(view: &View, place: usize, names: &[String]) -> Vec<Family> {
    let variable = view.variables[place].meaning.to_string();
    let factor = view.factor(1.0);
    let text = |formula: &&str| {
        // Not the x of exp.
        let formula = formula.replace('X', &format!("({variable})"));
        if factor.is_one() {
            formula
        } else {
            format!("({factor})*{formula}")
        }
    };
    Family::parse(FORMULAS.iter().map(text), names).unwrap_or_default()
}

/// Looks for a law with one member of a plan's families.
pub(super) fn families(known: &Known<'_>, plan: &Plan) -> Result<Option<Attempt>> {
    let terms = plan.list.terms.iter().map(|term| plan.factor.times(term));
    let dictionary = Dictionary::distinct(known.rows.names, terms)?;
    let forced = !known.base.settings().space.centre.is_empty();
    let constant = dictionary.terms().iter().position(Term::is_constant);
    let always_in: Support = constant.filter(|_| forced).into_iter().collect();
    let found = with_members(
        known,
        &Ingredients {
            dictionary: &dictionary,
            always_in: &always_in,
            families: &plan.families,
            n_choices: plan.n_choices,
        },
        &Inner {
            choice: Choice::Best,
            at_most: 1,
            members: 1,
            max_terms: LARGEST_LAW,
            ..Inner::default()
        },
    )?;
    let described = |law: Attempt| Attempt {
        description: description(plan, &dictionary, &law),
        ..law
    };
    Ok(found.map(described))
}

/// The nats it takes to say which formula a law has, and which terms beside it.
fn description(plan: &Plan, beside: &Dictionary, law: &Attempt) -> Option<f64> {
    let model = law.study.model()?;
    let plain = model.terms().iter();
    let plain: Vec<&Term> = plain.filter(|t| beside.position(t).is_some()).collect();
    let rank = plain.iter().map(|term| plan.rank(term)).max().unwrap_or(0);
    Some(plan.description(rank, plain.len()) + (FORMULAS.len() as f64).ln())
}
