//! How a law is looked at: a factor times a function of few variables.
//!
//! The variables are features, or combinations of features that the law seems to depend on
//! together, such as `h*omega/(k*T)`. A vocabulary lists terms in the variables; in the law they
//! are terms in the features.

use super::rows::Rows;
use crate::terms::dictionary::Dictionary;
use crate::terms::term::Term;
use crate::terms::vocabulary::Variable;

/// One variable of a view.
#[derive(Debug, Clone)]
pub(super) struct Coordinate {
    /// What it is in terms of the features.
    pub(super) meaning: Term,
    pub(super) values: Vec<f64>,
    name: String,
}

impl Coordinate {
    /// A combination of features.
    pub(super) fn new(rows: &Rows<'_>, meaning: Term) -> Self {
        let mut values = vec![0.0; rows.len()];
        meaning.evaluate(&rows.columns(), &mut values);
        let name = meaning.to_string();
        Self {
            meaning,
            values,
            name,
        }
    }

    /// A power of it; none if it is no product of powers of features.
    pub(super) fn power(&self, power: f64) -> Option<Term> {
        let powers = self.meaning.real_powers()?.into_iter();
        let raised = powers.map(|(column, name, own)| (column, name, own * power));
        Some(Term::power_product(raised))
    }

    pub(super) fn is_positive(&self) -> bool {
        self.values.iter().all(|x| *x > 0.0)
    }
}

/// A factor of powers of features, and the variables of what it multiplies.
#[derive(Debug, Clone)]
pub(super) struct View {
    /// The features of the factor with their powers.
    pub(super) powers: Vec<(usize, String, f64)>,
    pub(super) variables: Vec<Coordinate>,
    /// Whether the only variable is one over that of another view: all powers of it were tried.
    pub(super) is_inverse: bool,
}

impl View {
    /// No factor: all features that vary are variables.
    pub(super) fn plain(rows: &Rows<'_>) -> Self {
        let coordinate = |v: Variable<'_>| {
            let meaning = Term::power_product([(v.column, v.name, 1.0)]);
            Coordinate::new(rows, meaning)
        };
        Self {
            powers: Vec::new(),
            variables: rows.variables().into_iter().map(coordinate).collect(),
            is_inverse: false,
        }
    }

    /// The same with one over the only variable, where that is a combination of features: nobody
    /// knows which way up it stands in a function. None if there is no such variable.
    pub(super) fn inverse(&self, rows: &Rows<'_>) -> Option<Self> {
        let [variable] = self.variables.as_slice() else {
            return None;
        };
        let is_combination = variable.meaning.features().len() > 1;
        let meaning = variable.power(-1.0).filter(|_| is_combination)?;
        Some(Self {
            variables: vec![Coordinate::new(rows, meaning)],
            is_inverse: true,
            ..self.clone()
        })
    }

    /// Whether there is a factor.
    pub(super) fn has_factor(&self) -> bool {
        !self.powers.is_empty()
    }

    /// The factor as a term, each power times `times`.
    pub(super) fn factor(&self, times: f64) -> Term {
        let powers = self.powers.iter();
        Term::power_product(
            powers.map(|(column, name, power)| (*column, name.as_str(), power * times)),
        )
    }

    /// Adds powers of coordinates to the factor.
    pub(super) fn multiply(&mut self, rows: &Rows<'_>, powers: &[(Coordinate, f64)]) {
        for (coordinate, power) in powers {
            for (column, _, own) in coordinate.meaning.real_powers().unwrap_or_default() {
                let known = self.powers.iter_mut().find(|(known, ..)| *known == column);
                if let Some((_, _, sum)) = known {
                    *sum += own * power;
                } else {
                    let name = rows.names[column].clone();
                    self.powers.push((column, name, own * power));
                }
            }
        }
        self.powers.retain(|(_, _, power)| power.abs() > 0.0);
    }

    /// The variables as a vocabulary knows them, numbered in this order.
    pub(super) fn variables(&self) -> Vec<Variable<'_>> {
        let numbered = self.variables.iter().enumerate();
        numbered
            .map(|(place, v)| Variable::new(place, &v.name, &v.values))
            .collect()
    }

    /// A term in the variables as a term in the features.
    pub(super) fn told(&self, term: &Term) -> Term {
        let meanings: Vec<&Term> = self.variables.iter().map(|v| &v.meaning).collect();
        term.told(&meanings)
    }

    /// Products of whole powers of the variables up to a degree, as terms in the features.
    pub(super) fn monomials(&self, degree: u32) -> Vec<Term> {
        let names = self.variables.iter().map(|v| v.name.clone());
        // Names are those of terms, so that they differ.
        let listed = Dictionary::monomials(names, degree, degree, true);
        let told = |listed: Dictionary| listed.terms().iter().map(|t| self.told(t)).collect();
        listed.map_or(Vec::new(), told)
    }
}
