//! The terms of a dictionary with their derivatives, on columns of states.

use crate::reduce::support::Support;
use crate::terms::dictionary::Dictionary;
use crate::terms::term::Term;

/// Symbols per factor: itself and its sign.
const LENGTH: f64 = 2.0;
/// Signs to write terms with: of sums and of products.
const SIGNS: f64 = 2.0;

/// The terms of a dictionary, and the derivative of each by each state.
#[derive(Debug)]
pub(super) struct Terms {
    terms: Vec<Term>,
    /// For each term and state; none where it is zero.
    derivatives: Vec<Vec<Option<Term>>>,
}

/// Values of some terms at the samples of a piece, by their places in the dictionary.
#[derive(Debug)]
pub(super) struct Values {
    /// For each term; nothing for a term that was not asked for.
    pub(super) terms: Vec<Vec<f64>>,
    /// For each term and state; nothing where the derivative is zero or was not asked for.
    pub(super) derivatives: Vec<Vec<Vec<f64>>>,
}

impl Terms {
    /// The terms of a dictionary whose first features are the states.
    pub(super) fn new(dictionary: &Dictionary, n_states: usize) -> Self {
        let states = &dictionary.features()[..n_states];
        let derivatives = |term: &Term| {
            let all = states.iter().map(|state| term.derivative(state));
            all.map(|own| Some(own).filter(|own| !own.is_zero()))
                .collect()
        };
        Self {
            derivatives: dictionary.terms().iter().map(derivatives).collect(),
            terms: dictionary.terms().to_vec(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    /// What each term costs before any record, in nats: its factors beyond the first.
    pub(super) fn prices(&self, n_features: usize) -> Vec<f64> {
        let factor = LENGTH * (n_features as f64 + SIGNS).ln();
        let price = |term: &Term| factor * term.length().saturating_sub(1) as f64;
        self.terms.iter().map(price).collect()
    }

    /// How many factors each term has.
    pub(super) fn lengths(&self) -> Vec<usize> {
        self.terms.iter().map(Term::length).collect()
    }

    /// The values of some terms; none if one of them has no finite value somewhere.
    pub(super) fn values(&self, columns: &[&[f64]], used: &Support) -> Option<Vec<Vec<f64>>> {
        let mut values = vec![Vec::new(); self.terms.len()];
        for &term in used.indices() {
            values[term] = column(&self.terms[term], columns)?;
        }
        Some(values)
    }

    /// The values of some terms and their derivatives; none if one has no finite value somewhere.
    pub(super) fn with_derivatives(&self, columns: &[&[f64]], used: &Support) -> Option<Values> {
        let terms = self.values(columns, used)?;
        let mut derivatives = vec![Vec::new(); self.terms.len()];
        for &term in used.indices() {
            let own = self.derivatives[term].iter();
            let own = own.map(|derivative| match derivative {
                Some(derivative) => column(derivative, columns),
                None => Some(Vec::new()),
            });
            derivatives[term] = own.collect::<Option<_>>()?;
        }
        Some(Values { terms, derivatives })
    }
}

fn column(term: &Term, columns: &[&[f64]]) -> Option<Vec<f64>> {
    let mut values = vec![0.0; columns[0].len()];
    term.evaluate(columns, &mut values);
    values.iter().all(|x| x.is_finite()).then_some(values)
}
