//! Equations that are more likely an approximation than the law itself.
//!
//! A rich vocabulary can imitate any smooth function within the noise, if it may use enough terms.
//! Nothing in the residuals shows it then. Three signs are in the equation itself: it is long, or
//! all its terms are functions of one combination of features, such as `h*omega/(k*T)`, as those of
//! a series are, or it is a power of a sum with broken powers, such as `sqrt(y) = a + b x^1.5`.
//! In textbooks such equations are rare as laws, and common as approximations of laws.
//! A fourth sign is in the rows: they lie on a curve that is told with less than the equation is.

use crate::terms::term::Term;
use crate::terms::term::scaling::Exponents;
use crate::terms::transform::Transform;
use crate::terms::vocabulary::Vocabulary;

/// An equation of this many terms may be the series of another law.
pub(crate) const LONG: usize = 4;
/// The probability that an equation with such a sign is the law after all.
pub(crate) const RIGHT: f64 = 0.25;
/// The fewest terms of a series: two are always functions of one combination.
const SERIES: usize = 3;
/// Powers that differ by less are the same.
const SAME: f64 = 1e-9;

/// Why an equation may be an approximation of another law.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Imitation {
    /// It has many terms of a rich vocabulary.
    Long,
    /// All its terms are functions of one combination of features, up to a common factor.
    Series,
    /// It is a power of a sum of terms with broken powers.
    Roots,
    /// To say which equation it is takes more than to tell the curve that the rows are on.
    Curve,
}

/// What an equation is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Equation<'a> {
    pub(crate) vocabulary: Vocabulary,
    /// The function of the target that it gives; none for the target itself.
    pub(crate) transform: Option<Transform>,
    pub(crate) terms: &'a [Term],
    /// How many terms are below the line of a fraction.
    pub(crate) below: usize,
}

/// The sign of an approximation in an equation, if there is one.
pub(crate) fn imitation(equation: &Equation<'_>) -> Option<Imitation> {
    let terms = equation.terms;
    let n_free = terms.len() + equation.below.saturating_sub(1);
    if equation.vocabulary > Vocabulary::Monomials && n_free >= LONG {
        return Some(Imitation::Long);
    }
    let is_broken = |transform| terms.iter().any(|term| has_broken_power(term, transform));
    if terms.len() > 1 && equation.transform.is_some_and(is_broken) {
        return Some(Imitation::Roots);
    }
    let is_enough = terms.len() >= SERIES || is_power_beside_function(terms);
    let is_series = is_enough && combination(terms).is_some_and(|one| one.len() > 1);
    is_series.then_some(Imitation::Series)
}

/// Whether a term of a power of the target has a power that is no whole number. The same function
/// of one feature is none: in `sqrt(h) = sqrt(h0) - k*t` it is where the target starts.
fn has_broken_power(term: &Term, transform: Transform) -> bool {
    if transform == Transform::Log {
        return false;
    }
    let Some(scaling) = term.scaling() else {
        return false;
    };
    let mut powers = scaling.powers.values();
    let is_start = transform == Transform::Root
        && scaling.powers.len() == 1
        && powers.all(|power| (power - 0.5).abs() < SAME);
    let is_whole = |power: &f64| (power - power.round()).abs() < SAME;
    !is_start && !scaling.powers.values().all(is_whole)
}

/// Whether there are two terms, a product of powers and one with a function, whose powers differ.
/// Two products of powers are always functions of one combination; these are not.
fn is_power_beside_function(terms: &[Term]) -> bool {
    let [a, b] = terms else {
        return false;
    };
    let (Some(own), Some(other)) = (a.scaling(), b.scaling()) else {
        return false;
    };
    let powers_differ = !difference(&own.powers, &other.powers).is_empty();
    powers_differ && a.has_function() != b.has_function()
}

/// Whether so many terms are functions of one feature or combination that there may be a function
/// with a name that they are the series of.
pub(crate) fn may_have_a_name(terms: &[Term]) -> bool {
    terms.len() >= SERIES && combination(terms).is_some()
}

/// The one combination of features that all terms are functions of, times a common factor; none if
/// they need more than one.
fn combination(terms: &[Term]) -> Option<Exponents> {
    let scalings = terms.iter().map(Term::scaling);
    let scalings = scalings.collect::<Option<Vec<_>>>()?;
    let first = scalings.first()?;
    let mut directions: Vec<Exponents> = Vec::new();
    for scaling in &scalings {
        directions.extend(scaling.arguments.iter().cloned());
        directions.push(difference(&scaling.powers, &first.powers));
    }
    directions.retain(|direction| !direction.is_empty());
    let one = directions.first()?;
    let is_one = directions.iter().all(|other| are_parallel(one, other));
    is_one.then(|| one.clone())
}

fn difference(a: &Exponents, b: &Exponents) -> Exponents {
    let mut difference = a.clone();
    for (column, power) in b {
        *difference.entry(*column).or_default() -= power;
    }
    difference.retain(|_, power| power.abs() > SAME);
    difference
}

fn are_parallel(a: &Exponents, b: &Exponents) -> bool {
    let Some((column, power)) = a.iter().next() else {
        return true;
    };
    let Some(other) = b.get(column) else {
        return false;
    };
    let ratio = other / power;
    let multiple = a.iter().map(|(column, power)| (*column, power * ratio));
    difference(&multiple.collect(), b).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::dictionary::Dictionary;

    fn sign(transform: Option<Transform>, texts: &[&str]) -> Option<Imitation> {
        let names = ["m", "v", "c", "k", "t"].map(String::from);
        let parsed = Dictionary::parse(names, texts).unwrap();
        imitation(&Equation {
            vocabulary: Vocabulary::Powers,
            transform,
            terms: parsed.terms(),
            below: 0,
        })
    }

    fn is_series(texts: &[&str]) -> bool {
        sign(None, texts) == Some(Imitation::Series)
    }

    #[test]
    fn a_power_of_a_sum_with_broken_powers_is_no_law() {
        let roots = Some(Imitation::Roots);
        assert_eq!(sign(Some(Transform::Root), &["m", "v^1.5"]), roots);
        let planck = ["k*sqrt(m*t)/c", "k^2*v/(c*sqrt(m*t))"];
        assert_eq!(sign(Some(Transform::Root), &planck), roots);
        let arcsine = ["m^2/v^2", "(v/m)^(1/3)"];
        assert_eq!(sign(Some(Transform::ReciprocalSquare), &arcsine), roots);
        // A draining tank, a lens, a screened charge, one term alone.
        assert_eq!(sign(Some(Transform::Root), &["sqrt(m)", "t"]), None);
        assert_eq!(sign(Some(Transform::Reciprocal), &["1/m", "1/v"]), None);
        assert_eq!(sign(Some(Transform::Log), &["1", "sqrt(m)"]), None);
        assert_eq!(sign(Some(Transform::Square), &["m*sqrt(v)"]), None);
        assert_eq!(sign(None, &["sqrt(m)", "v^1.5"]), None);
    }

    #[test]
    fn powers_of_one_feature_are_no_series_but_may_have_a_name() {
        let names = ["p", "r", "a"].map(String::from);
        let parsed = |texts: &[&str]| Dictionary::parse(names.clone(), texts).unwrap();
        let cosine = parsed(&["p*a^1.5/r^2", "p*a^(2/3)/r^2", "p*a^2.5/r^2"]);
        assert!(may_have_a_name(cosine.terms()));
        let broken = ["m*t^1.5/v^2", "m*t^(2/3)/v^2", "m*t^2.5/v^2"];
        assert_eq!(sign(None, &broken), None);
        assert!(!may_have_a_name(parsed(&["p", "r", "a"]).terms()));
        assert!(!may_have_a_name(parsed(&["p*a", "p*a^2"]).terms()));
    }

    #[test]
    fn powers_and_functions_of_one_combination_are_a_series() {
        assert!(is_series(&["m*c^2", "m*v*c", "m*v^2"]));
        assert!(is_series(&["k*t", "k*t*sin(v/c)", "k*t*v^2/c^2"]));
        assert!(is_series(&["m", "m*sqrt(v/c)", "m*exp(v/c)"]));
        assert!(is_series(&["m*exp(v/c)", "m*v^4/c^4"]));
    }

    #[test]
    fn powers_of_one_feature_and_of_two_combinations_are_none() {
        assert!(!is_series(&["m", "m*v", "m*v^2"]));
        assert!(!is_series(&["m*c^2", "m*v*c", "m*v*t"]));
        assert!(!is_series(&["m*c^2", "m*v*c", "m*v^2*exp(k)"]));
        assert!(!is_series(&["1/(m+v)", "m*v", "m^2*v^2"]));
        assert!(!is_series(&["m", "m*sin(v/c)"]));
        assert!(!is_series(&["m*exp(-k*t)", "m*k*t*exp(-k*t)"]));
        assert!(!is_series(&["m*exp(v/c)", "m*v^4*c^4"]));
    }
}
