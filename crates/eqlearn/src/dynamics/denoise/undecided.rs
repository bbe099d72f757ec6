//! Terms that a record does not decide, and how much more of it would.
//!
//! Take the best system with a term and the best one without it. Both were fitted to `N` samples,
//! and their log evidences differ by `E`. It has two parts: by how much one follows the record more
//! closely, which grows with the number of samples and with the inverse square of the noise, and
//! what its coefficients cost, each half the log of the same number. So for a record `L` times as
//! long
//!
//! ```text
//! E(L) = E + (L − 1) (D − k/2) − (k/2) ln L
//! ```
//!
//! with `D` the difference of the log likelihoods, and `k` of the numbers of coefficients. A
//! coefficient that is not there gains half a nat by chance however long the record is: that is
//! taken off. Noise that is `√L` times smaller has the same effect as a record `L` times as long.

use super::problem::Laws;
use super::search::{Reached, Visited};
use crate::reduce::support::Support;

/// A term with a probability beyond these is decided.
const DECIDED: (f64, f64) = (0.05, 0.95);
/// Records at most this many times as long are looked at.
const LONGEST: f64 = 1000.0;
/// Bisections of the log of the length.
const BISECTIONS: usize = 40;

/// A term that the record does not decide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Undecided {
    pub(crate) state: usize,
    /// Its place in the dictionary.
    pub(crate) term: usize,
    /// How probable it is that it is in the equation.
    pub(crate) probability: f64,
    /// A record this many times as long would decide; none if that would take too much.
    pub(crate) longer: Option<f64>,
}

/// All terms of a search that are neither in nearly all of the probable systems nor in nearly none.
pub(crate) fn undecided(found: &Visited) -> Vec<Undecided> {
    let top = found.best.evidence;
    let weight = |reached: &Reached| (reached.evidence - top).exp();
    let total: f64 = found.reached.values().map(weight).sum();
    let n_states = found.best.laws.len();
    let mut all = Vec::new();
    for state in 0..n_states {
        let mut terms: Vec<usize> = found
            .reached
            .keys()
            .flat_map(|laws| laws[state].indices().iter().copied())
            .collect();
        terms.sort_unstable();
        terms.dedup();
        for term in terms {
            let has = |laws: &Laws| laws[state].contains(term);
            let with = found.reached.iter().filter(|(laws, _)| has(laws));
            let probability = with.map(|(_, reached)| weight(reached)).sum::<f64>() / total;
            if probability > DECIDED.0 && probability < DECIDED.1 {
                let best = |wanted: bool| best(found, &|laws| has(laws) == wanted);
                let longer = best(true)
                    .zip(best(false))
                    .and_then(|(with, without)| longer(with, without));
                all.push(Undecided {
                    state,
                    term,
                    probability,
                    longer,
                });
            }
        }
    }
    all
}

/// A system, by its number of coefficients and what it reached.
type Rival = (usize, Reached);

/// The most probable of some systems.
fn best(found: &Visited, wanted: &dyn Fn(&Laws) -> bool) -> Option<Rival> {
    let all = found.reached.iter().filter(|(laws, _)| wanted(laws));
    let best = all.max_by(|a, b| a.1.evidence.total_cmp(&b.1.evidence));
    best.map(|(laws, reached)| (laws.iter().map(Support::len).sum(), *reached))
}

/// How many times as long a record has to be that one of two systems is nearly sure.
fn longer((n_with, with): Rival, (n_without, without): Rival) -> Option<f64> {
    let half = 0.5 * (n_with as f64 - n_without as f64);
    let evidence = with.evidence - without.evidence;
    let growth = with.closeness - without.closeness - half;
    let at = |log_length: f64| evidence + log_length.exp_m1() * growth - half * log_length;
    let sure = (DECIDED.1 / DECIDED.0).ln();
    let is_sure = |log_length: f64| at(log_length).abs() >= sure;
    // Whatever wins in the end has to win all the way, or nothing would be known from here on.
    let (mut short, mut long) = (0.0, LONGEST.ln());
    if !is_sure(long) {
        return None;
    }
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (short + long);
        if is_sure(middle) && at(middle) * at(long) > 0.0 {
            long = middle;
        } else {
            short = middle;
        }
    }
    Some(long.exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rival(n: usize, evidence: f64, closeness: f64) -> Rival {
        let reached = Reached {
            evidence,
            closeness,
        };
        (n, reached)
    }

    #[test]
    fn a_term_that_explains_a_little_is_decided_by_a_longer_record() {
        // It explains 4 nats, half of which are its price: twice as long, it explains 3.5 more, and
        // costs ½ ln 2 more.
        let (with, without) = (rival(3, 0.0, 4.0), rival(2, 0.0, 0.0));
        let length = longer(with, without).unwrap();
        let evidence = (length - 1.0) * 3.5 - 0.5 * length.ln();
        assert!((evidence - 19.0_f64.ln()).abs() < 1e-6, "{length}");
    }

    #[test]
    fn equations_that_follow_a_record_alike_are_not_decided_by_its_length() {
        let (with, without) = (rival(3, 0.2, 7.0), rival(3, 0.0, 7.0));
        assert_eq!(longer(with, without), None);
    }

    #[test]
    fn the_one_that_is_behind_may_win_in_the_end() {
        // The other is simpler and ahead now, but follows the record less closely.
        let (with, without) = (rival(3, -1.0, 5.0), rival(2, 0.0, 0.0));
        let length = longer(with, without).unwrap();
        assert!(length > 1.5 && length < 2.5, "{length}");
    }
}
