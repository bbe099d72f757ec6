//! Several starts of the weak form, each judged under its own error model.
//!
//! Searches and updates of the noise in turns end where a search finds the same terms again. There
//! may be several such ends: a wrong system explains some of the record as noise of its own, and
//! its rows are weighed by how that noise spreads in it. So where there is noise that counts, the
//! weak form begins again from small dictionaries and from short equations. Each end is judged by
//! how probable it makes the record: by the residuals of all rows under the covariance that its
//! own system implies, and by the size of that covariance.

use std::mem;

use super::rows::{Between, Record, log_determinant};
use super::weak::{Settled, Turns, first_search};
use super::{Discover, Discovery, Weak};
use crate::error::Result;
use crate::judge::criterion::{Criterion, log_binomial};
use crate::learn::{Method, Settings, Study};
use crate::observe::Observer;
use crate::reduce::support::Support;
use crate::search::Run;
use crate::terms::dictionary::Dictionary;
use crate::terms::problem::Problem;

/// Noise above this share of a state's spread counts: with less, every start ends the same.
const COUNTS: f64 = 0.005;
/// States times samples at most: with more, rows have power enough.
const LONGEST: usize = 100_000;
/// Another start has to be better by this many nats.
const SURE: f64 = 5.0;
/// The degrees of the small dictionaries.
const DEGREES: [u32; 2] = [2, 3];
/// The number of terms of short equations.
const SHORT: usize = 3;

/// Where one start led: the equations, and the records with the noise that they imply.
struct End {
    settled: Settled,
    records: Vec<Record>,
    sigma: Vec<f64>,
    score: f64,
    /// How it began, in words.
    from: &'static str,
}

impl End {
    /// Whether it has the same terms in all equations.
    fn has_terms_of(&self, other: &Self) -> bool {
        let terms = |study: &Study| study.answer().map(|answer| answer.fit.support().clone());
        let both = self.settled.studies.iter().zip(&other.settled.studies);
        both.into_iter().all(|(a, b)| terms(a) == terms(b))
    }
}

impl Weak<'_> {
    /// The equations of the best of some starts.
    pub(super) fn learn(
        &mut self,
        problems: &[Problem],
        settings: &Discover,
        run: &Run<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Discovery> {
        let turns = Turns { problems, settings };
        let settled = self.settle(&turns, None, run, observer)?;
        let mut best = self.end(settled, "");
        let mut gain = 0.0;
        if self.starts_matter(settings) {
            let first = best.score;
            for (from, narrow) in narrow(&self.dictionary, &settings.learn) {
                let n_states = self.trajectories.states().len();
                let pieces = self.trajectories.pieces().iter();
                self.records = pieces.map(|piece| Record::new(piece, n_states)).collect();
                self.resolution.sigma.clone_from(&self.shown_noise);
                let settled = self.settle(&turns, Some(&narrow), run, observer)?;
                let end = self.end(settled, from);
                let lead = end.score - first;
                if lead > SURE && end.score > best.score && !end.has_terms_of(&best) {
                    gain = lead;
                    best = end;
                }
            }
        }
        self.records = best.records;
        self.resolution.sigma = best.sigma;
        let mut choice = self.choice(best.settled.searches, best.settled.agreed);
        if gain > 0.0 {
            choice.why.push(format!(
                "the searches began again from {}: where that led, the record is more probable by \
                 a factor of e^{gain:.0}",
                best.from
            ));
        }
        let states = self.trajectories.states();
        Ok(Discovery::new(
            settings,
            states,
            best.settled.studies,
            choice,
        ))
    }

    /// Takes what a start led to.
    fn end(&mut self, settled: Settled, from: &'static str) -> End {
        let sigma = self.resolution.sigma.clone();
        let score = (0..).zip(&settled.studies).map(|(state, study)| {
            log_evidence(study) - 0.5 * log_determinant(&self.records, state, &sigma)
        });
        End {
            score: score.sum(),
            records: mem::take(&mut self.records),
            settled,
            sigma,
            from,
        }
    }

    /// Whether there is noise that counts, and ends can be compared: values between samples that
    /// follow a system differ from one to another.
    fn starts_matter(&self, settings: &Discover) -> bool {
        let n_values = self.trajectories.n_points() * self.trajectories.states().len();
        let counts = |(state, sigma): (usize, &f64)| {
            *sigma > COUNTS * self.trajectories.spread(state) && n_values <= LONGEST
        };
        self.between != Between::Flow
            && matches!(settings.learn.method, Method::Best)
            && settings.learn.criterion == Criterion::Residual
            && self.shown_noise.iter().enumerate().any(counts)
    }
}

/// Settings for the first searches of other starts.
fn narrow(dictionary: &Dictionary, learn: &Settings) -> Vec<(&'static str, Settings)> {
    let first = first_search(learn);
    let kept = first.space.required.union(&first.space.centre);
    let above = |degree: u32| -> Support {
        let terms = dictionary.terms().iter().enumerate();
        let is_above = terms.filter(|(place, term)| {
            let powers = term.powers().unwrap_or_default();
            let own: u32 = powers.iter().map(|(_, power)| power).sum();
            own > degree && !kept.contains(*place)
        });
        is_above.map(|(place, _)| place).collect()
    };
    let mut all = Vec::new();
    for (degree, from) in DEGREES
        .into_iter()
        .zip(["terms of degree 2", "terms of degree 3"])
    {
        let above = above(degree);
        if !above.is_empty() {
            let mut small = first.clone();
            small.space.excluded = small.space.excluded.union(&above);
            all.push((from, small));
        }
    }
    let short = kept.len() + SHORT;
    if first.space.max_terms > short {
        let mut small = first;
        small.space.max_terms = short;
        all.push(("short equations", small));
    }
    all
}

/// How probable the whitened rows make an equation of so many terms, with the scale of their errors
/// profiled out: a log that is comparable among error models but for their covariance.
fn log_evidence(study: &Study) -> f64 {
    // Notation: n rows, m terms of p.
    let baseline = study.ranking().baseline();
    let fit = study.answer().map_or(baseline, |answer| &answer.fit);
    let n = fit.n_obs() as f64;
    let m = (fit.support().len() - baseline.support().len()) as f64;
    let p = study.yardstick().n_candidates as f64;
    let mean_square = (fit.rss() / n).max(f64::MIN_POSITIVE);
    -0.5 * (n - m) * mean_square.ln() - 0.5 * m * n.ln() - log_binomial(p, m)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(degree: u32, learn: &Settings) -> Vec<(&'static str, usize, usize)> {
        let dictionary = Dictionary::monomials(["x", "y"], degree, degree, true).unwrap();
        let all = narrow(&dictionary, learn);
        let told = |(from, small): &(&'static str, Settings)| {
            (*from, small.space.excluded.len(), small.space.max_terms)
        };
        all.iter().map(told).collect()
    }

    #[test]
    fn starts_are_small_dictionaries_and_short_equations() {
        let learn = Settings::default();
        // Of 15 terms 5 have degree four and 4 degree three.
        let expected = [
            ("terms of degree 2", 9, 8),
            ("terms of degree 3", 5, 8),
            ("short equations", 0, 3),
        ];
        assert_eq!(starts(4, &learn), expected);
        // A dictionary that is small already is no other start.
        assert_eq!(starts(2, &learn), [("short equations", 0, 3)]);
    }

    #[test]
    fn a_start_leaves_out_nothing_that_must_be_in() {
        let mut learn = Settings::default();
        learn.space.required = Support::from_iter([14]);
        let starts = starts(4, &learn);
        assert_eq!(starts[0], ("terms of degree 2", 8, 8));
        assert_eq!(starts[2], ("short equations", 0, 4));
    }
}
