//! Vocabularies: which terms an equation may be made of, from plain monomials to functions.
//!
//! A vocabulary lists terms from simple to complicated. Every power, product and function adds to
//! the cost of a term, and a vocabulary takes whole levels of equal cost until it is as large as
//! it may be. So two features get high powers and eight features only simple products, and the
//! same features always get the same terms.
//!
//! A term is listed only where the data allow it: no negative power of a feature that is zero
//! somewhere, no root or logarithm of one that is not positive.

use serde::{Deserialize, Serialize};

use super::term::Term;
use super::term::node::Function;

/// How rich the terms may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Vocabulary {
    /// Products of whole powers up to a degree, and the terms that were given.
    #[default]
    Monomials,
    /// Products of negative, half and third powers.
    Powers,
    /// Sines, exponentials and logarithms, times such products.
    Functions,
    /// One sum of terms divided by another.
    Fractions,
    /// Families of functions with parameters inside, such as `exp(-k*x)`.
    Parameters,
}

impl Vocabulary {
    /// All, from the plainest to the richest: each with the word that users type and what it is.
    pub fn named() -> [(&'static str, &'static str, Self); 5] {
        [
            ("monomials", "Products of whole powers", Self::Monomials),
            (
                "powers",
                "Negative, half and third powers, and other targets (1/y, y^2, log y)",
                Self::Powers,
            ),
            (
                "functions",
                "Sines, exponentials and logarithms times powers",
                Self::Functions,
            ),
            ("fractions", "One sum divided by another", Self::Fractions),
            (
                "parameters",
                "Families with parameters inside, such as exp(-k*x)",
                Self::Parameters,
            ),
        ]
    }

    /// The word that users type.
    pub fn word(self) -> &'static str {
        let mut named = Self::named().into_iter();
        named
            .find(|(_, _, known)| *known == self)
            .map_or("", |(word, _, _)| word)
    }
}

/// A feature, and what its values allow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Variable<'a> {
    /// Its place among the features.
    pub(crate) column: usize,
    pub(crate) name: &'a str,
    /// Whether no value is zero.
    pub(crate) nonzero: bool,
    /// Whether all values are above zero.
    pub(crate) positive: bool,
    /// The largest value without its sign.
    pub(crate) largest: f64,
}

impl<'a> Variable<'a> {
    /// A feature with these values.
    pub(crate) fn new(column: usize, name: &'a str, values: &[f64]) -> Self {
        Self {
            column,
            name,
            nonzero: values.iter().all(|x| x.abs() > 0.0),
            positive: values.iter().all(|x| *x > 0.0),
            largest: values.iter().fold(0.0, |largest, x| x.abs().max(largest)),
        }
    }

    fn allows(&self, power: f64) -> bool {
        let whole = power.fract() == 0.0;
        (whole || self.positive) && (power > 0.0 || self.nonzero)
    }

    fn term(&self) -> Term {
        Term::power_product([(self.column, self.name, 1.0)])
    }
}

/// The powers of a feature in a product, each with its cost. A whole power costs two for each
/// factor; roots cost more than the powers beside them.
const POWERS: [(f64, u32); 22] = [
    (1.0, 2),
    (-1.0, 2),
    (0.5, 3),
    (-0.5, 3),
    (2.0, 4),
    (-2.0, 4),
    (1.5, 5),
    (-1.5, 5),
    (3.0, 6),
    (-3.0, 6),
    (1.0 / 3.0, 6),
    (-1.0 / 3.0, 6),
    (2.0 / 3.0, 7),
    (-2.0 / 3.0, 7),
    (2.5, 7),
    (-2.5, 7),
    (4.0, 8),
    (-4.0, 8),
    (5.0, 10),
    (-5.0, 10),
    (6.0, 12),
    (-6.0, 12),
];

/// The cost beyond which nothing is listed.
const MOST_COSTLY: u32 = 24;

/// What a function costs besides its argument.
const FUNCTION: u32 = 4;
/// What a sine, a cosine or a logarithm of a feature costs where there are no others: as much as
/// the feature itself, so that a law such as `q*v*B*sin(a)` is among the simple ones.
const PLAIN: u32 = 2;
/// What the square of a sine costs on top.
const SQUARE: u32 = 2;
/// What an argument of two features costs.
const PAIR: u32 = 3;
/// Sines of arguments beyond this turn too often to be told apart by some hundred rows.
const LARGEST_ANGLE: f64 = 60.0;
/// Exponentials of arguments beyond this are all or nothing.
const LARGEST_EXPONENT: f64 = 60.0;

/// With more features than this, roots are left out, so that longer products fit in.
const FEW: usize = 3;

/// Products of powers, the constant first, then by cost; at most `most`, in whole levels.
pub(crate) fn powers(variables: &[Variable<'_>], most: usize) -> Vec<Term> {
    by_level(most, |level| of_cost(variables, level))
}

/// Products of powers, alone and times a sine, a cosine or a logarithm of one feature; at most
/// `most`.
pub(crate) fn plain_functions(variables: &[Variable<'_>], most: usize) -> Vec<Term> {
    let mut factors = Vec::new();
    for x in variables {
        push_plain(&mut factors, &x.term(), PLAIN, x.largest, x.positive);
    }
    with_factors(variables, &factors, most)
}

/// Products of powers, alone and times a function of one or two features; at most `most`.
pub(crate) fn functions(variables: &[Variable<'_>], most: usize) -> Vec<Term> {
    with_factors(variables, &function_factors(variables), most)
}

fn with_factors(variables: &[Variable<'_>], factors: &[(u32, Term)], most: usize) -> Vec<Term> {
    by_level(most, |level| {
        let mut terms = of_cost(variables, level);
        for (cost, factor) in factors {
            if let Some(rest) = level.checked_sub(*cost) {
                terms.extend(of_cost(variables, rest).iter().map(|t| factor.times(t)));
            }
        }
        terms
    })
}

/// The logarithms of the features that have one.
pub(crate) fn logarithms(variables: &[Variable<'_>]) -> Vec<Term> {
    let positive = variables.iter().filter(|variable| variable.positive);
    positive.map(|v| v.term().inside(Function::Log)).collect()
}

/// Whole levels of equal cost, while there are no more than `most` terms.
fn by_level(most: usize, level: impl Fn(u32) -> Vec<Term>) -> Vec<Term> {
    let mut terms = Vec::new();
    for cost in 0..=MOST_COSTLY {
        let next = level(cost);
        if terms.len() + next.len() > most {
            break;
        }
        terms.extend(next);
    }
    terms
}

/// All products of powers with exactly this cost.
fn of_cost(variables: &[Variable<'_>], cost: u32) -> Vec<Term> {
    let mut found = Vec::new();
    let mut chosen = Vec::new();
    let roots = variables.len() <= FEW;
    let listed: Vec<(f64, u32)> = POWERS
        .into_iter()
        .filter(|(power, _)| roots || power.fract() == 0.0)
        .collect();
    extend((variables, &listed), cost, &mut chosen, &mut found);
    found
}

fn extend<'a>(
    (variables, powers): (&[Variable<'a>], &[(f64, u32)]),
    cost: u32,
    chosen: &mut Vec<(usize, &'a str, f64)>,
    found: &mut Vec<Term>,
) {
    let Some((first, rest)) = variables.split_first() else {
        if cost == 0 {
            found.push(Term::power_product(chosen.iter().copied()));
        }
        return;
    };
    for &(power, own) in powers {
        if own <= cost && first.allows(power) {
            chosen.push((first.column, first.name, power));
            extend((rest, powers), cost - own, chosen, found);
            chosen.pop();
        }
    }
    extend((rest, powers), cost, chosen, found);
}

/// Functions of one feature, of a product, a ratio or a difference of two, each with its cost.
fn function_factors(variables: &[Variable<'_>]) -> Vec<(u32, Term)> {
    let mut factors = Vec::new();
    for (i, x) in variables.iter().enumerate() {
        push_functions(&mut factors, &x.term(), FUNCTION, x.largest, x.positive);
        for y in &variables[i + 1..] {
            let product = x.term().times(&y.term());
            let cost = FUNCTION + PAIR;
            push_functions(&mut factors, &product, cost, x.largest * y.largest, false);
            for (over, under) in [(x, y), (y, x)] {
                if under.nonzero {
                    let inverse = (under.column, under.name, -1.0);
                    let ratio = over.term().times(&Term::power_product([inverse]));
                    // The logarithm of a ratio is a difference of logarithms.
                    push_functions(&mut factors, &ratio, cost, over.largest, false);
                }
            }
            let difference = x.term().minus(&y.term());
            if x.largest.max(y.largest) <= LARGEST_ANGLE {
                factors.push((cost, difference.inside(Function::Cos)));
                factors.push((cost, difference.inside(Function::Sin)));
            }
        }
    }
    factors
}

/// The functions of an argument whose values are at most about `largest`.
fn push_functions(
    factors: &mut Vec<(u32, Term)>,
    argument: &Term,
    cost: u32,
    largest: f64,
    positive: bool,
) {
    push_plain(factors, argument, cost, largest, positive);
    let mut push = |more: u32, term: Term| factors.push((cost + more, term));
    if largest <= LARGEST_EXPONENT {
        push(0, argument.inside(Function::Exp));
        push(0, argument.scaled(-1.0).inside(Function::Exp));
        push(SQUARE, argument.inside(Function::Tanh));
        push(SQUARE, argument.inside(Function::Cosh));
    }
}

/// Sines, cosines and logarithms of an argument.
fn push_plain(
    factors: &mut Vec<(u32, Term)>,
    argument: &Term,
    cost: u32,
    largest: f64,
    positive: bool,
) {
    let mut push = |more: u32, term: Term| factors.push((cost + more, term));
    if largest <= LARGEST_ANGLE {
        let (sine, cosine) = (
            argument.inside(Function::Sin),
            argument.inside(Function::Cos),
        );
        push(SQUARE, sine.times(&sine));
        push(SQUARE, cosine.times(&cosine));
        push(SQUARE, sine.times(&cosine));
        push(0, sine);
        push(0, cosine);
    }
    if positive {
        push(0, argument.inside(Function::Log));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(terms: &[Term]) -> Vec<String> {
        terms.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn levels_are_whole_and_the_data_decide_what_is_allowed() {
        let positive = Variable::new(0, "x", &[1.0, 2.0]);
        let any = Variable::new(1, "y", &[-1.0, 0.0, 2.0]);
        let listed = texts(&powers(&[positive, any], 5));
        assert_eq!(listed, ["1", "x", "1/x", "y"]);
        let more = texts(&powers(&[positive, any], 9));
        assert!(more.contains(&"x^0.5".to_string()) || more.contains(&"sqrt(x)".to_string()));
        assert!(!more.iter().any(|term| term.contains("/y")));
    }

    #[test]
    fn functions_come_with_products() {
        let q = Variable::new(0, "q", &[1.0, 2.0]);
        let angle = Variable::new(1, "a", &[0.5, 2.0]);
        let listed = texts(&functions(&[q, angle], 400));
        for wanted in ["q*sin(a)", "exp(-a)", "cos(q*a)", "q^2", "log(q)"] {
            assert!(
                listed.contains(&wanted.to_string()),
                "{wanted} in {listed:?}"
            );
        }
    }
}
