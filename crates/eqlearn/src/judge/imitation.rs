//! Equations that are more likely an approximation than the law itself.
//!
//! A rich vocabulary can imitate any smooth function within the noise, if it may use enough terms.
//! Nothing in the residuals shows it then. Two signs are in the equation itself: it is long, or all
//! its terms are functions of one combination of features, such as `h*omega/(k*T)`, as those of a
//! series are. In textbooks such equations are rare as laws, and common as approximations of laws.
//! A third sign is in the rows: they lie on a curve that is told with less than the equation is.

use crate::terms::term::Term;
use crate::terms::term::scaling::Exponents;
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
    /// To say which equation it is takes more than to tell the curve that the rows are on.
    Curve,
}

/// The sign of an approximation in an equation of these terms, and so many below the line of a
/// fraction, if there is one.
pub(crate) fn imitation(vocabulary: Vocabulary, terms: &[Term], below: usize) -> Option<Imitation> {
    let n_free = terms.len() + below.saturating_sub(1);
    if vocabulary > Vocabulary::Monomials && n_free >= LONG {
        return Some(Imitation::Long);
    }
    let is_enough = terms.len() >= SERIES || is_power_beside_function(terms);
    let is_series = is_enough && combination(terms).is_some_and(|one| one.len() > 1);
    is_series.then_some(Imitation::Series)
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

    fn is_series(texts: &[&str]) -> bool {
        let names = ["m", "v", "c", "k", "t"].map(String::from);
        let parsed = Dictionary::parse(names, texts).unwrap();
        imitation(Vocabulary::Powers, parsed.terms(), 0) == Some(Imitation::Series)
    }

    #[test]
    fn powers_of_one_feature_are_no_series_but_may_have_a_name() {
        let names = ["p", "r", "a"].map(String::from);
        let parsed = |texts: &[&str]| Dictionary::parse(names.clone(), texts).unwrap();
        let cosine = parsed(&["p*a^1.5/r^2", "p*a^(2/3)/r^2", "p*a^2.5/r^2"]);
        assert!(may_have_a_name(cosine.terms()));
        assert_eq!(imitation(Vocabulary::Powers, cosine.terms(), 0), None);
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
