//! The score of a law with inner parameters: its residuals, its numbers, and what there was to
//! choose from.

use super::{Draft, Hunt, Member};
use crate::judge::criterion::{Criterion, Sample, log_binomial};

impl Hunt<'_> {
    pub(super) fn scored(&self, linear: Vec<usize>, members: Vec<Member>, rss: f64) -> Draft {
        let score = self.score(&linear, &members, rss);
        Draft {
            linear,
            members,
            rss,
            score,
        }
    }

    pub(super) fn score(&self, linear: &[usize], members: &[Member], rss: f64) -> f64 {
        let base = self.base();
        let size = self.size(linear, members);
        let sample = Sample {
            n_obs: self.columns.n_counted,
            always_in: self.given.always_in.len(),
            // What there was to choose from is counted below.
            n_candidates: size,
        };
        // What is left of an exact law is rounding errors; a term that lowers them means nothing.
        let share = if base > 0.0 { rss / base } else { 1.0 };
        let share = share.max(self.columns.least_share);
        let score = Criterion::Residual.score_of_residual(&sample, size, share);
        let score = score.expect("this criterion needs the residual only");
        score - self.log_n_laws(linear, members)
    }

    /// How many numbers of a law are fitted, besides those of terms that are always in.
    pub(super) fn size(&self, linear: &[usize], members: &[Member]) -> usize {
        let numbers = |m: &Member| m.used.len() + m.values.len();
        let inside: usize = members.iter().map(numbers).sum();
        linear.len() - self.given.always_in.len() + inside
    }

    /// The log of the number of laws with as many terms and members: terms are chosen from the
    /// dictionary, formulas from the grids. Where it is known from how many things was chosen, the
    /// numbers inside are coefficients of chosen terms too: those below the line of a fraction.
    pub(super) fn log_n_laws(&self, linear: &[usize], members: &[Member]) -> f64 {
        if let Some(known) = self.columns.n_candidates {
            return log_binomial(known as f64, self.size(linear, members) as f64);
        }
        let n_always_in = self.given.always_in.len();
        let n_free = self.given.dictionary.len() - n_always_in;
        let n_members = self.n_candidates() - n_free;
        let n_used: usize = members.iter().map(|member| member.used.len()).sum();
        let n_terms = n_free.max(self.given.n_choices);
        let n_members = n_members * self.given.n_choices.max(1);
        log_binomial(n_terms as f64, (linear.len() - n_always_in) as f64)
            + log_binomial(n_members as f64, n_used as f64)
    }

    /// How many terms there are to choose from: every value of a grid makes one of a formula.
    pub(super) fn n_candidates(&self) -> usize {
        if let Some(known) = self.columns.n_candidates {
            return known;
        }
        let grid = self.grids.iter().zip(self.given.families);
        let grid: usize = grid
            .map(|(grid, family)| grid.len() * family.n_formulas())
            .sum();
        self.given.dictionary.len() - self.given.always_in.len() + grid
    }
}
