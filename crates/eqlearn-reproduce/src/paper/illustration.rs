//! The paper's illustration: the best models of three sizes on one polynomial, ranked in two ways.

use eqlearn::Support;
use eqlearn::search::Search;

use super::learner::best_of_sizes;
use crate::known::polynomial;

/// How many models of each size, as in the paper.
const KEPT: usize = 25;
/// The sizes that are shown, as in the paper: the truth has three terms.
const SIZES: [usize; 3] = [3, 4, 5];
/// Polynomials that are tried until one is like the paper's example.
const TRIES: u32 = 100;

/// A model of the lists.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Its terms, by index in the dictionary.
    pub support: Support,
    /// `1 − R²`.
    pub one_minus_r2: f64,
    /// The paper's log evidence.
    pub log_evidence: f64,
}

/// Lists of models of a problem whose truth is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Illustration {
    /// Which of the polynomials with three terms it is.
    pub number: u32,
    /// All terms as text.
    pub terms: Vec<String>,
    /// The true ones.
    pub truth: Support,
    /// The best models of each size, by R².
    pub sizes: Vec<(usize, Vec<Listed>)>,
}

impl Illustration {
    /// The first polynomial with three terms whose truth is the best of its size by R², and the
    /// best of all lists by evidence.
    ///
    /// That is what the paper illustrates. If there is none, the first polynomial.
    pub fn new(seed: u64) -> Self {
        let mut all = (0..TRIES).map(|number| Self::of(seed, number));
        let first = all.next().expect("there is a first");
        if first.is_exemplary() {
            return first;
        }
        all.find(Self::is_exemplary).unwrap_or(first)
    }

    fn of(seed: u64, number: u32) -> Self {
        let planted = polynomial(seed, 3, number);
        let space = Search {
            min_terms: SIZES[0],
            max_terms: SIZES[SIZES.len() - 1],
            keep: KEPT,
            ..Search::default()
        };
        let terms = planted.problem.dictionary().terms();
        Self {
            number,
            terms: terms.iter().map(ToString::to_string).collect(),
            sizes: best_of_sizes(&planted, space),
            truth: planted.truth,
        }
    }

    fn is_exemplary(&self) -> bool {
        let first_of_size = |(size, models): &(usize, Vec<Listed>)| {
            *size != self.truth.len() || models[0].support == self.truth
        };
        self.sizes.iter().all(first_of_size) && self.by_evidence()[0].support == self.truth
    }

    fn all(&self) -> Vec<Listed> {
        let models = self.sizes.iter().flat_map(|(_, models)| models);
        models.cloned().collect()
    }

    /// All models, the one that explains most first.
    pub fn by_r2(&self) -> Vec<Listed> {
        let mut all = self.all();
        all.sort_by(|a, b| {
            let by_r2 = a.one_minus_r2.total_cmp(&b.one_minus_r2);
            by_r2.then_with(|| a.support.cmp(&b.support))
        });
        all
    }

    /// All models, the most evident first.
    pub fn by_evidence(&self) -> Vec<Listed> {
        let mut all = self.all();
        all.sort_by(|a, b| {
            let by_evidence = b.log_evidence.total_cmp(&a.log_evidence);
            by_evidence.then_with(|| a.support.cmp(&b.support))
        });
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r2_prefers_larger_models_and_evidence_the_true_one() {
        let example = Illustration::new(1);
        assert_eq!(example.sizes.len(), 3);
        assert!(example.sizes.iter().all(|(_, models)| models.len() == KEPT));
        assert_eq!(example.by_r2()[0].support.len(), 5);
        assert_eq!(example.by_evidence()[0].support, example.truth);
    }
}
