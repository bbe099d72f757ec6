//! Dictionaries of products of given powers, negative and broken ones too.

use super::{Dictionary, MAX_TERMS};
use crate::error::Result;
use crate::terms::TermsError;
use crate::terms::extent::Extent;
use crate::terms::powers::Powers;
use crate::terms::term::Term;
use crate::terms::vocabulary::Variable;

/// The most products that a dictionary has if nobody says how far to go.
const USUAL: u128 = 1000;
/// The most products that are looked at where only few of them are wanted.
const LOOKED_AT: u128 = 300_000;

/// Which products of powers a dictionary is made of.
pub(crate) struct Products<'a> {
    /// The powers of a feature.
    pub(crate) powers: Powers,
    /// The largest sum of the powers of a product, without their signs.
    pub(crate) degree: Degree,
    /// Whether the constant is among them.
    pub(crate) constant: bool,
    /// What the values of each feature are like.
    pub(crate) extents: &'a [Extent],
    /// Which of them are wanted; all if not given.
    pub(crate) wanted: Option<&'a dyn Fn(&Term) -> bool>,
}

/// The largest sum of the powers of a product, without their signs.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Degree {
    /// This one.
    Given(u32),
    /// This one, or the largest below it for which there are at most a thousand products.
    AtMost(u32),
}

impl Dictionary {
    /// All products of these powers that the values of the features allow: no negative power of a
    /// feature that is zero somewhere, no root of one that is negative somewhere.
    ///
    /// They are ordered by the sum of their powers without signs; of equal ones, higher powers of
    /// the first feature come first: 1, x, 1/x, y, 1/y, x^2, 1/x^2, x*y, x/y, y/x, 1/(x*y), y^2.
    ///
    /// # Errors
    /// If a name is empty or there twice, or if there would be more than [`MAX_TERMS`] terms.
    pub(crate) fn products(features: &[String], products: &Products<'_>) -> Result<Self> {
        let mut dictionary = Self::new(features)?;
        let named = features.iter().zip(products.extents).enumerate();
        let variables: Vec<Variable<'_>> = named
            .map(|(column, (name, extent))| Variable::of_extent(column, name, *extent))
            .collect();
        let steps = |variable: &Variable<'_>| {
            let mut steps = products.powers.steps_for(variable);
            steps.sort_by_key(|step| (-step.abs(), -step));
            steps
        };
        let steps: Vec<Vec<i32>> = variables.iter().map(steps).collect();
        let most = match products.wanted {
            Some(_) => LOOKED_AT,
            None => MAX_TERMS as u128,
        };
        let usual = if products.wanted.is_some() {
            most
        } else {
            USUAL
        };
        let parts = products.powers.parts() as usize;
        let counts = |degree: u32| count(&steps, degree as usize * parts);
        let degree = match products.degree {
            Degree::Given(degree) => degree,
            Degree::AtMost(highest) => (1..=highest)
                .rfind(|degree| counts(*degree) <= usual)
                .unwrap_or(1),
        };
        let too_many = |count: u128| TermsError::TooManyProducts {
            count,
            limit: MAX_TERMS,
        };
        if counts(degree) > most {
            return Err(too_many(counts(degree)).into());
        }
        let walk = Walk {
            variables: &variables,
            steps: &steps,
            powers: products.powers,
        };
        let mut terms = Vec::new();
        for total in usize::from(!products.constant)..=degree as usize * parts {
            let mut level = Vec::new();
            walk.extend(0, total, &mut Vec::new(), &mut level);
            terms.extend(
                level
                    .into_iter()
                    .filter(|t| products.wanted.is_none_or(|w| w(t))),
            );
        }
        if terms.len() > MAX_TERMS {
            return Err(too_many(terms.len() as u128).into());
        }
        for term in terms {
            let text = term.to_string();
            dictionary.push(term, &text)?;
        }
        dictionary.plan = super::Plan::new(&dictionary.terms);
        Ok(dictionary)
    }
}

/// How many products there are with sums of steps up to `total`, the constant among them.
fn count(steps: &[Vec<i32>], total: usize) -> u128 {
    let mut by_total = vec![0_u128; total + 1];
    by_total[0] = 1;
    for own in steps {
        let before = by_total.clone();
        for step in own {
            let size = step.unsigned_abs() as usize;
            for (place, ways) in before.iter().enumerate() {
                if let Some(sum) = by_total.get_mut(place + size) {
                    *sum = sum.saturating_add(*ways);
                }
            }
        }
    }
    by_total
        .iter()
        .fold(0, |sum, ways| sum.saturating_add(*ways))
}

/// A walk through all products of one total.
struct Walk<'a> {
    variables: &'a [Variable<'a>],
    /// The powers that each may have, in steps of a part, the largest first.
    steps: &'a [Vec<i32>],
    powers: Powers,
}

impl<'a> Walk<'a> {
    /// Adds the products of the powers chosen so far with features from place `next` on, whose
    /// steps sum to `left`.
    fn extend(
        &self,
        next: usize,
        left: usize,
        chosen: &mut Vec<(usize, &'a str, f64)>,
        found: &mut Vec<Term>,
    ) {
        if left == 0 {
            found.push(Term::power_product(chosen.iter().copied()));
            return;
        }
        let Some(variable) = self.variables.get(next) else {
            return;
        };
        for step in &self.steps[next] {
            let size = step.unsigned_abs() as usize;
            if size <= left {
                let power = self.powers.of_steps(*step);
                chosen.push((variable.column, variable.name, power));
                self.extend(next + 1, left - size, chosen, found);
                chosen.pop();
            }
        }
        self.extend(next + 1, left, chosen, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(powers: &str, degree: Degree, extents: &[Extent]) -> Vec<String> {
        let names = ["x", "y", "z"].map(String::from);
        let products = Products {
            powers: Powers::parse(powers).unwrap(),
            degree,
            constant: true,
            extents,
            wanted: None,
        };
        let dictionary = Dictionary::products(&names[..extents.len()], &products).unwrap();
        dictionary.terms().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn products_come_by_total_power_and_the_first_feature_first() {
        let both = [Extent::POSITIVE; 2];
        let listed = texts("-2..2", Degree::Given(2), &both);
        let expected = [
            "1", "x", "1/x", "y", "1/y", "x^2", "1/x^2", "x*y", "x/y", "y/x", "1/(x*y)", "y^2",
            "1/y^2",
        ];
        assert_eq!(listed, expected);
    }

    #[test]
    fn the_values_decide_what_is_listed() {
        let zero = Extent::of(&[0.0, 2.0]);
        let signed = Extent::of(&[-1.0, 2.0]);
        assert_eq!(
            texts("-1..1", Degree::Given(1), &[zero, signed]),
            ["1", "x", "y", "1/y"]
        );
        let halves = texts("0..1/2", Degree::Given(1), &[zero, signed]);
        assert_eq!(halves, ["1", "sqrt(x)", "x", "y"]);
    }

    #[test]
    fn a_count_is_that_of_brute_force() {
        // Three features with powers −2, −1, 1, 2 in halves: all triples of steps by hand.
        let powers = Powers::parse("-2..2/2").unwrap();
        let variable = Variable::of_extent(0, "x", Extent::POSITIVE);
        let own = powers.steps_for(&variable);
        let mut brute = 0;
        let with_none: Vec<i32> = own.iter().copied().chain([0]).collect();
        for a in &with_none {
            for b in &with_none {
                for c in &with_none {
                    brute += u128::from(a.abs() + b.abs() + c.abs() <= 6);
                }
            }
        }
        assert_eq!(count(&[own.clone(), own.clone(), own], 6), brute);
        assert_eq!(
            texts("-2..2/2", Degree::Given(3), &[Extent::POSITIVE; 3]).len() as u128,
            brute
        );
    }

    #[test]
    fn a_dictionary_that_nobody_limited_stays_small_and_a_large_one_is_refused() {
        let three = texts("-2..4", Degree::AtMost(6), &[Extent::POSITIVE; 3]);
        assert!(three.contains(&"x^4*y^2".to_string()) && three.len() as u128 <= USUAL);
        let names: Vec<String> = (0..9).map(|i| format!("x{i}")).collect();
        let products = |degree| Products {
            powers: Powers::parse("-4..4/3").unwrap(),
            degree,
            constant: true,
            extents: &[Extent::POSITIVE; 9],
            wanted: None,
        };
        assert!(
            Dictionary::products(&names, &products(Degree::AtMost(6)))
                .unwrap()
                .len()
                > 100
        );
        let refused = Dictionary::products(&names, &products(Degree::Given(6))).unwrap_err();
        assert!(refused.to_string().contains("fewer powers"), "{refused}");
    }
}
