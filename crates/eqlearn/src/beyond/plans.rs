//! What each tier tries: functions of the target, each with its terms.

use std::rc::Rc;

use super::attempt::Plan;
use super::families::families_of;
use super::rows::Rows;
use super::screen::List;
use super::view::View;
use crate::terms::term::Term;
use crate::terms::transform::Transform;
use crate::terms::vocabulary::{Vocabulary, functions, logarithms, plain_functions, powers};

/// The most terms of a vocabulary for the target itself.
const MOST_TERMS: usize = 1000;
/// The most terms for functions of the target.
const FEWER_TERMS: usize = 500;
/// The most variables of which pairs are compared in squares.
const MOST_IN_PAIRS: usize = 6;

/// The plans of a tier for a view.
pub(super) type Tier = dyn Fn(&Rows<'_>, &View) -> Vec<Plan>;

/// Plans for a view.
struct Maker<'a> {
    view: &'a View,
    vocabulary: Vocabulary,
}

impl Maker<'_> {
    fn plan(&self, transform: Option<Transform>, list: &Rc<List>) -> Plan {
        // The log of a product is a sum, so that there is no factor.
        let power = transform.map_or(Some(1.0), Transform::power);
        Plan {
            vocabulary: self.vocabulary,
            transform,
            factor: power.map_or_else(Term::constant, |power| self.view.factor(power)),
            list: Rc::clone(list),
            families: Vec::new(),
        }
    }
}

/// Products of powers: for the target, and for functions of it.
pub(super) fn power_plans(rows: &Rows<'_>, view: &View) -> Vec<Plan> {
    let maker = Maker {
        view,
        vocabulary: Vocabulary::Powers,
    };
    let products = view.told(&powers(&view.variables(), MOST_TERMS));
    let all = Rc::new(List::new(rows, products));
    let simplest = Rc::new(all.simplest(FEWER_TERMS));
    let squares = Rc::new(List::new(rows, squares(view)));
    let logs = logarithms(&View::plain(rows).variables());
    let logs = View::plain(rows).told(&logs).into_iter();
    let logs = logs.chain(simplest.terms.iter().cloned()).collect();
    let logs = Rc::new(List::new(rows, logs));
    let mut plans = vec![maker.plan(None, &all)];
    for transform in Transform::ALL {
        let list = if transform == Transform::Log {
            &logs
        } else {
            &simplest
        };
        plans.push(maker.plan(Some(transform), list));
        if transform != Transform::Log && view.variables.len() > 2 {
            plans.push(maker.plan(Some(transform), &squares));
        }
    }
    // Of one variable, a few powers can be the series of a function that has a name.
    if view.variables.len() == 1 {
        plans.extend(fraction_plans(rows, view));
        plans.extend(family_plans(rows, view));
    }
    plans
}

/// Monomials of degree two and squares of differences: for distances and the like.
fn squares(view: &View) -> Vec<Term> {
    let mut terms = view.monomials(2);
    let variables = view.variables.len();
    if variables <= MOST_IN_PAIRS {
        for i in 0..variables {
            for j in i + 1..variables {
                let (a, b) = (&view.variables[i].meaning, &view.variables[j].meaning);
                let difference = a.minus(b);
                terms.push(difference.times(&difference));
            }
        }
    }
    terms
}

/// Sines and logarithms of single variables times products of powers.
pub(super) fn plain_function_plans(rows: &Rows<'_>, view: &View) -> Vec<Plan> {
    let maker = Maker {
        view,
        vocabulary: Vocabulary::Functions,
    };
    let terms = view.told(&plain_functions(&view.variables(), MOST_TERMS));
    vec![maker.plan(None, &Rc::new(List::new(rows, terms)))]
}

/// Functions of one or two variables times products of powers.
pub(super) fn function_plans(rows: &Rows<'_>, view: &View) -> Vec<Plan> {
    let maker = Maker {
        view,
        vocabulary: Vocabulary::Functions,
    };
    let terms = view.told(&functions(&view.variables(), FEWER_TERMS));
    let list = Rc::new(List::new(rows, terms));
    let targets = [None, Some(Transform::Reciprocal), Some(Transform::Square)];
    targets.map(|target| maker.plan(target, &list)).to_vec()
}

/// The degree of the sums of a fraction, by the number of variables, so that there are some twenty
/// monomials.
const DEGREES: [u32; 4] = [4, 3, 3, 2];

/// Fractions where there is more than one variable: see [`power_plans`].
pub(super) fn later_fraction_plans(rows: &Rows<'_>, view: &View) -> Vec<Plan> {
    if view.variables.len() <= 1 {
        return Vec::new();
    }
    fraction_plans(rows, view)
}

/// Monomials above and below the line, for the target and for its square.
fn fraction_plans(rows: &Rows<'_>, view: &View) -> Vec<Plan> {
    let n_variables = view.variables.len();
    let maker = Maker {
        view,
        vocabulary: Vocabulary::Fractions,
    };
    let degree = DEGREES.get(n_variables - 1).copied().unwrap_or(2);
    let list = Rc::new(List::new(rows, view.monomials(degree)));
    let targets = [None, Some(Transform::Square)];
    targets.map(|target| maker.plan(target, &list)).to_vec()
}

/// The most variables of a view for which families are tried.
const FEW_VARIABLES: usize = 2;
/// The degree of the powers beside a family.
const BESIDE: u32 = 2;

/// Families of each variable, where there is more than one: see [`power_plans`].
pub(super) fn later_family_plans(rows: &Rows<'_>, view: &View) -> Vec<Plan> {
    if view.variables.len() == 1 {
        return Vec::new();
    }
    family_plans(rows, view)
}

/// Families of each variable, with a few powers beside them.
fn family_plans(rows: &Rows<'_>, view: &View) -> Vec<Plan> {
    if view.variables.len() > FEW_VARIABLES {
        return Vec::new();
    }
    let maker = Maker {
        view,
        vocabulary: Vocabulary::Parameters,
    };
    let list = Rc::new(List::new(rows, view.monomials(BESIDE)));
    let plan = |place: usize| Plan {
        families: families_of(view, place, rows.names),
        ..maker.plan(None, &list)
    };
    (0..view.variables.len()).map(plan).collect()
}
