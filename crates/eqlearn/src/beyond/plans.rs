//! What each tier tries: functions of the target, each with its terms.

use std::rc::Rc;

use super::attempt::Plan;
use super::families::families_of;
use super::rows::Rows;
use super::screen::List;
use super::view::View;
use crate::terms::left_side::LeftSide;
use crate::terms::limits::Limits;
use crate::terms::term::Term;
use crate::terms::transform::Transform;
use crate::terms::vocabulary::{
    Ingredients, Vocabulary, functions, logarithms, n_functions, n_plain_functions,
    plain_functions, powers,
};

/// The most terms of a vocabulary for the target itself.
const MOST_TERMS: usize = 1000;
/// The most terms for functions of the target.
const FEWER_TERMS: usize = 500;
/// The most variables of which pairs are compared in squares.
const MOST_IN_PAIRS: usize = 6;

/// The plans of a tier for a view.
pub(super) type Tier = dyn Fn(&Scope<'_>) -> Vec<Plan>;

/// What plans are made for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) rows: &'a Rows<'a>,
    pub(super) view: &'a View,
    pub(super) limits: &'a Limits,
    pub(super) left: &'a LeftSide,
}

impl Scope<'_> {
    fn plan(&self, vocabulary: Vocabulary, transform: Option<Transform>, list: &Rc<List>) -> Plan {
        Plan {
            vocabulary,
            transform,
            factor: self.factor(transform),
            list: Rc::clone(list),
            n_choices: 0,
            n_functions: 0,
            families: Vec::new(),
        }
    }

    /// The factor's power for a function of the target. The log of a product is a sum, so that
    /// there is none.
    fn factor(&self, transform: Option<Transform>) -> Term {
        let power = transform.map_or(Some(1.0), Transform::power);
        power.map_or_else(Term::constant, |power| self.view.factor(power))
    }

    /// The left side of a law for a function of the target.
    fn left(&self, transform: Option<Transform>) -> LeftSide {
        let of = self.left.to_string();
        transform.map_or(self.left.clone(), |transform| LeftSide::Function {
            of,
            transform,
        })
    }

    /// A vocabulary of the view, as far as limits allow its terms with the factor.
    fn list(
        &self,
        transform: Option<Transform>,
        vocabulary: impl Fn(&Ingredients<'_>) -> Vec<Term>,
        most: usize,
    ) -> List {
        let of = Ingredients {
            variables: &self.view.variables(),
            powers: self.limits.powers,
            wanted: &|term| self.admits(transform, &self.view.told(term)),
            most,
        };
        let terms = vocabulary(&of);
        List::new(self.rows, terms.iter().map(|t| self.view.told(t)).collect())
    }

    /// Those of these terms that limits allow with the factor.
    fn admitted(&self, transform: Option<Transform>, mut terms: Vec<Term>) -> Rc<List> {
        terms.retain(|term| self.admits(transform, term));
        Rc::new(List::new(self.rows, terms))
    }

    fn admits(&self, transform: Option<Transform>, term: &Term) -> bool {
        let limits = self.limits;
        let is_free = limits.powers.is_none() && limits.units.is_none();
        let whole = || self.factor(transform).times(term);
        is_free || limits.admits(&whole(), &self.left(transform))
    }
}

/// Products of powers: for the target, and for functions of it.
pub(super) fn power_plans(scope: &Scope<'_>) -> Vec<Plan> {
    if scope.view.is_inverse {
        return Vec::new();
    }
    let all = Rc::new(scope.list(None, powers, MOST_TERMS));
    let shared = Rc::new(all.simplest(FEWER_TERMS));
    let mut plans = vec![scope.plan(Vocabulary::Powers, None, &all)];
    for transform in Transform::ALL {
        let own = Some(transform);
        // With units, each function of the target has terms of its own.
        let products = if scope.limits.units.is_some() {
            Rc::new(scope.list(own, powers, FEWER_TERMS))
        } else {
            Rc::clone(&shared)
        };
        let list = if transform == Transform::Log {
            let features = View::plain(scope.rows);
            let logs = logarithms(&features.variables());
            let logs = logs.iter().map(|log| features.told(log));
            scope.admitted(own, logs.chain(products.terms.iter().cloned()).collect())
        } else {
            products
        };
        plans.push(scope.plan(Vocabulary::Powers, own, &list));
        if transform != Transform::Log && scope.view.variables.len() > 2 {
            let squares = scope.admitted(own, squares(scope.view));
            plans.push(scope.plan(Vocabulary::Powers, own, &squares));
        }
    }
    // Of one variable, a few powers can be the series of a function that has a name.
    if scope.view.variables.len() == 1 {
        plans.extend(plain_function_plans(scope));
        plans.extend(fraction_plans(scope));
        plans.extend(family_plans(scope));
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
pub(super) fn plain_function_plans(scope: &Scope<'_>) -> Vec<Plan> {
    if scope.view.is_inverse {
        return Vec::new();
    }
    let list = Rc::new(scope.list(None, plain_functions, MOST_TERMS));
    vec![Plan {
        n_functions: n_plain_functions(&scope.rows.variables()),
        ..scope.plan(Vocabulary::Functions, None, &list)
    }]
}

/// Functions of one or two variables times products of powers.
pub(super) fn function_plans(scope: &Scope<'_>) -> Vec<Plan> {
    let shared = Rc::new(scope.list(None, functions, FEWER_TERMS));
    let n_functions = n_functions(&scope.rows.variables());
    let plan = |transform: Option<Transform>| {
        let own = || Rc::new(scope.list(transform, functions, FEWER_TERMS));
        let is_own = scope.limits.units.is_some() && transform.is_some();
        let list = if is_own { own() } else { Rc::clone(&shared) };
        Plan {
            n_functions,
            ..scope.plan(Vocabulary::Functions, transform, &list)
        }
    };
    let targets = [None, Some(Transform::Reciprocal), Some(Transform::Square)];
    targets.map(plan).to_vec()
}

/// The degree of the sums of a fraction, by the number of variables, so that there are some twenty
/// monomials.
const DEGREES: [u32; 4] = [4, 3, 3, 2];

/// Fractions where there is more than one variable: see [`power_plans`].
pub(super) fn later_fraction_plans(scope: &Scope<'_>) -> Vec<Plan> {
    if scope.view.variables.len() <= 1 {
        return Vec::new();
    }
    fraction_plans(scope)
}

/// Monomials above and below the line, for the target and for its square.
fn fraction_plans(scope: &Scope<'_>) -> Vec<Plan> {
    let n_variables = scope.view.variables.len();
    let degree = DEGREES.get(n_variables - 1).copied().unwrap_or(2);
    let mut terms = scope.view.monomials(degree);
    // Units are those of the whole fraction.
    terms.retain(|term| scope.limits.has_powers_of(term));
    let list = Rc::new(List::new(scope.rows, terms));
    let targets = [None, Some(Transform::Square)];
    targets
        .map(|target| scope.plan(Vocabulary::Fractions, target, &list))
        .to_vec()
}

/// The most variables of a view for which families are tried.
const FEW_VARIABLES: usize = 2;
/// The degree of the powers beside a family.
const BESIDE: u32 = 2;

/// Families of each variable, where there is more than one: see [`power_plans`].
pub(super) fn later_family_plans(scope: &Scope<'_>) -> Vec<Plan> {
    if scope.view.variables.len() == 1 {
        return Vec::new();
    }
    family_plans(scope)
}

/// Families of each variable, with a few powers beside them. With units or given powers there are
/// none: their parameters would have any dimension, and powers of any size.
fn family_plans(scope: &Scope<'_>) -> Vec<Plan> {
    let Scope { rows, view, .. } = *scope;
    let is_limited = scope.limits.units.is_some() || scope.limits.powers.is_some();
    if view.variables.len() > FEW_VARIABLES || is_limited {
        return Vec::new();
    }
    let list = Rc::new(List::new(rows, view.monomials(BESIDE)));
    let plan = |place: usize| Plan {
        families: families_of(view, place, rows.names),
        ..scope.plan(Vocabulary::Parameters, None, &list)
    };
    (0..view.variables.len()).map(plan).collect()
}
