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

use super::extent::Extent;
use super::powers::Powers;
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
    /// All these, and families of functions with parameters inside, such as `exp(-k*x)`.
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
                "All these, and families with parameters inside, such as exp(-k*x)",
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
    /// Whether none is below.
    pub(crate) nonnegative: bool,
    /// The largest value without its sign.
    pub(crate) largest: f64,
}

impl<'a> Variable<'a> {
    /// A feature with these values.
    pub(crate) fn new(column: usize, name: &'a str, values: &[f64]) -> Self {
        Self::of_extent(column, name, Extent::of(values))
    }

    /// A feature whose values are like this.
    pub(crate) fn of_extent(column: usize, name: &'a str, extent: Extent) -> Self {
        Self {
            column,
            name,
            nonzero: !extent.has_zero,
            positive: extent.lowest > 0.0,
            nonnegative: extent.lowest >= 0.0,
            largest: extent.lowest.abs().max(extent.highest.abs()),
        }
    }

    pub(crate) fn allows(&self, power: f64) -> bool {
        let whole = power.fract() == 0.0;
        (whole || self.nonnegative) && (power > 0.0 || self.nonzero)
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

/// The most products that are looked at where only some of them are wanted.
const LOOKED_AT: usize = 50_000;

/// What a vocabulary is made from.
#[derive(Clone, Copy)]
pub(crate) struct Ingredients<'a> {
    /// The features.
    pub(crate) variables: &'a [Variable<'a>],
    /// Their powers in a product; the usual ones if not given.
    pub(crate) powers: Option<Powers>,
    /// Which terms are wanted.
    pub(crate) wanted: &'a dyn Fn(&Term) -> bool,
    /// How many terms there may be.
    pub(crate) most: usize,
}

/// Products of powers, the constant first, then by cost; in whole levels.
pub(crate) fn powers(of: &Ingredients<'_>) -> Vec<Term> {
    let priced = priced(of);
    by_level(of, |level| of_cost(of.variables, &priced, level))
}

/// Products of powers, alone and times a sine, a cosine or a logarithm of one feature.
pub(crate) fn plain_functions(of: &Ingredients<'_>) -> Vec<Term> {
    with_factors(of, &plain_factors(of.variables))
}

/// How many functions [`plain_functions`] multiplies products of powers by.
pub(crate) fn n_plain_functions(variables: &[Variable<'_>]) -> usize {
    plain_factors(variables).len()
}

/// Products of powers, alone and times a function of one or two features.
pub(crate) fn functions(of: &Ingredients<'_>) -> Vec<Term> {
    with_factors(of, &function_factors(of.variables))
}

/// How many functions [`functions`] multiplies products of powers by.
pub(crate) fn n_functions(variables: &[Variable<'_>]) -> usize {
    function_factors(variables).len()
}

fn with_factors(of: &Ingredients<'_>, factors: &[(u32, Term)]) -> Vec<Term> {
    let priced = priced(of);
    by_level(of, |level| {
        let mut terms = of_cost(of.variables, &priced, level);
        for (cost, factor) in factors {
            if let Some(rest) = level.checked_sub(*cost) {
                let products = of_cost(of.variables, &priced, rest);
                terms.extend(products.iter().map(|t| factor.times(t)));
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

/// Whole levels of equal cost, while there are no more terms than there may be.
fn by_level(of: &Ingredients<'_>, level: impl Fn(u32) -> Vec<Term>) -> Vec<Term> {
    let mut terms = Vec::new();
    let mut looked_at = 0;
    for cost in 0..=MOST_COSTLY {
        let mut next = level(cost);
        looked_at += next.len();
        next.retain(|term| (of.wanted)(term));
        if terms.len() + next.len() > of.most {
            break;
        }
        terms.extend(next);
        if looked_at > LOOKED_AT {
            break;
        }
    }
    terms
}

/// The powers of a feature, each with its cost.
fn priced(of: &Ingredients<'_>) -> Vec<(f64, u32)> {
    let Some(powers) = of.powers else {
        let roots = of.variables.len() <= FEW;
        let usual = POWERS.into_iter();
        return usual
            .filter(|(power, _)| roots || power.fract() == 0.0)
            .collect();
    };
    let priced = |power: f64| (power, cost_of(power));
    powers.values().into_iter().map(priced).collect()
}

/// The cost of a power: that of its place between those of [`POWERS`].
fn cost_of(power: f64) -> u32 {
    let twice = 2.0 * power.abs();
    let more = match (power.fract() == 0.0, twice.fract() == 0.0) {
        (true, _) => 0.0,
        (false, true) => 2.0,
        _ => 5.0,
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "powers are small, and their size is not negative"
    )]
    let cost = (twice.ceil() + more) as u32;
    cost
}

/// All products of powers with exactly this cost.
fn of_cost(variables: &[Variable<'_>], priced: &[(f64, u32)], cost: u32) -> Vec<Term> {
    let mut found = Vec::new();
    let mut chosen = Vec::new();
    extend((variables, priced), cost, &mut chosen, &mut found);
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

/// Sines, cosines and logarithms of one feature, each with its cost.
fn plain_factors(variables: &[Variable<'_>]) -> Vec<(u32, Term)> {
    let mut factors = Vec::new();
    for x in variables {
        push_plain(&mut factors, &x.term(), PLAIN, x.largest, x.positive);
    }
    factors
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

    fn all<'a>(variables: &'a [Variable<'a>], most: usize) -> Ingredients<'a> {
        Ingredients {
            variables,
            powers: None,
            wanted: &|_| true,
            most,
        }
    }

    #[test]
    fn levels_are_whole_and_the_data_decide_what_is_allowed() {
        let positive = Variable::new(0, "x", &[1.0, 2.0]);
        let any = Variable::new(1, "y", &[-1.0, 0.0, 2.0]);
        let listed = texts(&powers(&all(&[positive, any], 5)));
        assert_eq!(listed, ["1", "x", "1/x", "y"]);
        let more = texts(&powers(&all(&[positive, any], 9)));
        assert!(more.contains(&"x^0.5".to_string()) || more.contains(&"sqrt(x)".to_string()));
        assert!(!more.iter().any(|term| term.contains("/y")));
    }

    #[test]
    fn functions_come_with_products() {
        let q = Variable::new(0, "q", &[1.0, 2.0]);
        let angle = Variable::new(1, "a", &[0.5, 2.0]);
        let listed = texts(&functions(&all(&[q, angle], 400)));
        for wanted in ["q*sin(a)", "exp(-a)", "cos(q*a)", "q^2", "log(q)"] {
            assert!(
                listed.contains(&wanted.to_string()),
                "{wanted} in {listed:?}"
            );
        }
    }

    #[test]
    fn given_powers_cost_what_the_usual_ones_do_and_are_the_only_ones() {
        for (power, cost) in POWERS {
            assert_eq!(cost_of(power), cost, "{power}");
        }
        let x = [Variable::new(0, "x", &[1.0, 2.0])];
        let of = Ingredients {
            powers: Some(Powers::parse("-1..8").unwrap()),
            ..all(&x, 400)
        };
        let listed = texts(&powers(&of));
        let expected = [
            "1", "x", "1/x", "x^2", "x^3", "x^4", "x^5", "x^6", "x^7", "x^8",
        ];
        assert_eq!(listed, expected);
    }

    #[test]
    fn what_is_not_wanted_makes_room_for_what_costs_more() {
        let x = [Variable::new(0, "x", &[1.0, 2.0])];
        let even = |term: &Term| term.feature_powers().iter().all(|p| p % 2.0 == 0.0);
        let of = Ingredients {
            wanted: &even,
            ..all(&x, 6)
        };
        let listed = texts(&powers(&of));
        assert_eq!(listed, ["1", "x^2", "1/x^2", "x^4", "1/x^4"]);
    }
}
