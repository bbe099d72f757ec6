//! What stays of a law when the numbers inside its terms move.

use super::Law;
use crate::terms::family::Family;
use crate::terms::term::Term;

/// The terms of a law as functions of its inner parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    /// Terms without inner parameters, which come first.
    plain: Vec<Term>,
    /// Families, and which of their formulas are in the law.
    members: Vec<(Family, Vec<usize>)>,
}

impl Form {
    /// The form of a law with members of these families.
    pub(crate) fn new(law: &Law, families: &[Family]) -> Self {
        let members = law.members.iter();
        let members = members.map(|m| (families[m.family].clone(), m.used.clone()));
        let members: Vec<_> = members.collect();
        let n_made: usize = members.iter().map(|(_, used)| used.len()).sum();
        Self {
            plain: law.terms[..law.terms.len() - n_made].to_vec(),
            members,
        }
    }

    /// The terms with these values of the parameters, in the order of the law; none if a value is
    /// outside the range that was given for it.
    ///
    /// # Panics
    /// If there are fewer values than parameters.
    pub(crate) fn terms(&self, values: &[f64]) -> Option<Vec<Term>> {
        let mut terms = self.plain.clone();
        let mut rest = values;
        for (family, used) in &self.members {
            let (own, others) = rest.split_at(family.parameters().len());
            rest = others;
            let mut pairs = family.parameters().iter().zip(own);
            let is_inside = pairs.all(|(parameter, value)| match parameter.range {
                Some((low, high)) => (low..=high).contains(value),
                None => value.is_finite(),
            });
            if !is_inside {
                return None;
            }
            let all = family.members(own);
            terms.extend(used.iter().map(|&formula| all[formula].clone()));
        }
        Some(terms)
    }
}
