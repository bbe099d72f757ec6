//! Laws of motion outside the dictionary: families with inner parameters, and fractions.
//!
//! With numbers for its parameters, a member of a family is a term like any other, and so is
//! `m/Q` with numbers in Q. What is new is to find the numbers, and this is done in the weak form
//! itself: the derivatives of the law by its inner numbers go through the same integrals and the
//! same whitening as terms do. So the estimates and their errors are those of errors in variables,
//! as for coefficients.
//!
//! 1. At the noise and the covariance of the plain answer, each state looks for a law beyond. On
//!    the same rows both have a score, in which every inner number counts as a parameter and the
//!    richer choice is paid for. The plain law stays unless the other is better.
//! 2. If a state has a better law, the noise of all samples and the covariance of the rows follow
//!    from it, as from any other law; inner numbers, coefficients and the terms of all states are
//!    then found again, until they stay.

mod contender;
mod fractions;
mod told;

use std::borrow::Cow;
use std::sync::atomic::Ordering::Relaxed;

use super::choose::n_independent;
use super::estimate::Estimate;
use super::rows::Chosen;
use super::{Discover, Discovery, Weak};
use crate::beyond::{Caution, Trial};
use crate::error::Result;
use crate::judge::criterion::{Criterion, Sample};
use crate::judge::imitation::LONG;
use crate::judge::misfit::ROUNDING;
use crate::learn::{Method, Study, learn};
use crate::methods::{How, Proposal};
use crate::observe::{Observer, Progress, Stage};
use crate::reduce::Reduction;
use crate::reduce::support::Support;
use crate::search::Run;
use crate::terms::dictionary::Dictionary;
use crate::terms::family::Family;
use crate::terms::problem::Problem;
use crate::terms::term::Term;
use crate::terms::vocabulary::Vocabulary;
use contender::{Contender, Seen};

/// Rounds of noise and laws at most.
const ROUNDS: usize = 6;
/// The law seems to be outside if the log Bayes factor for it is above this.
const OUTSIDE: f64 = 1.0;
/// Whether a law outside the dictionary is to be looked for without being asked.
fn seems_outside(study: &Study) -> bool {
    let is_outside = study.misfit().is_some_and(|m| m.log_bayes_factor > OUTSIDE);
    is_outside
        || study.answer().is_none_or(|answer| {
            let terms = answer.fit.support().indices().iter();
            let terms: Vec<&Term> = terms.map(|&term| study.term(term)).collect();
            terms.len() > LONG || is_series(&terms)
        })
}

/// Whether some terms are three successive powers of a feature times the same factor: they may be
/// the first of a series.
fn is_series(terms: &[&Term]) -> bool {
    let powers: Vec<Vec<(usize, u32)>> = terms.iter().filter_map(|term| term.powers()).collect();
    let is_there = |wanted: &[(usize, u32)]| powers.iter().any(|own| own == wanted);
    let starts = |own: &Vec<(usize, u32)>| {
        (0..own.len()).any(|place| {
            let raised = |by: u32| {
                let mut raised = own.clone();
                raised[place].1 += by;
                is_there(&raised)
            };
            raised(1) && raised(2)
        })
    };
    powers.iter().any(starts)
}

/// The squared relative error of a record that was made by careful simulation.
const SMOOTH: f64 = 1e-16;

/// Whether fractions are to be looked for.
fn wants_fractions(study: &Study, asked: &Discover) -> bool {
    // Another criterion is a wish that the scale of vocabularies would not respect.
    let can = asked.learn.method == Method::Best && asked.learn.criterion == Criterion::Residual;
    match asked.vocabulary {
        Some(vocabulary) => can && vocabulary == Vocabulary::Fractions,
        None => can && asked.families.is_empty() && seems_outside(study),
    }
}

/// The plain answer, or a better one with laws outside the dictionary.
pub(super) fn beyond(
    weak: &mut Weak<'_>,
    plain: Discovery,
    problems: &[Problem],
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<Discovery> {
    let formulas = plain.settings.families.iter().map(Family::n_formulas);
    weak.n_formulas = formulas.sum();
    let mut found = Vec::with_capacity(problems.len());
    let mut tried = vec![Vec::new(); problems.len()];
    for (state, study) in plain.studies.iter().enumerate() {
        let asked = &plain.settings;
        let mut best = None;
        let mut least = weak.score(state, study);
        if asked.learn.method == Method::Ols {
            least = f64::NEG_INFINITY;
        }
        for contender in contenders(weak, state, study, asked, observer)? {
            if tried[state].is_empty() {
                tried[state].push(plain_trial(weak, state, study));
            }
            tried[state].push(contender.trial(study));
            if contender.score() > least {
                least = contender.score();
                best = Some(contender);
            }
        }
        found.push(best);
    }
    let with_trials = |discovery| Discovery { tried, ..discovery };
    if found.iter().all(Option::is_none) {
        let mut plain = plain;
        plain.choice.why.extend(weak.why_cut_short());
        return Ok(with_trials(plain));
    }
    let rounds = Rounds {
        given: weak.dictionary.clone().into_owned(),
        problems,
        asked: plain.settings.clone(),
    };
    let (studies, settled, searches) = rounds.run(weak, &mut found, &plain, run, observer)?;
    let cautions = found.iter().enumerate().map(|(state, law)| {
        let told = |law: &Contender| law.cautions(&Seen::new(weak, state));
        law.as_ref().map_or(Vec::new(), told)
    });
    let cautions: Vec<Vec<Caution>> = cautions.collect();
    let mut choice = weak.choice(plain.choice.searches + searches, settled);
    let beyond = plain
        .states
        .iter()
        .zip(&found)
        .filter(|(_, law)| law.is_some());
    for (state, _) in beyond {
        choice.why.push(format!(
            "the equation of {state} has numbers inside its terms, found in the same rows"
        ));
    }
    choice.why.extend(weak.why_cut_short());
    let forms = found
        .iter()
        .map(|law| law.as_ref().and_then(Contender::form));
    Ok(with_trials(Discovery {
        forms: forms.collect(),
        studies,
        choice,
        cautions,
        ..plain
    }))
}

/// Laws beyond the dictionary for one state.
fn contenders(
    weak: &Weak<'_>,
    state: usize,
    study: &Study,
    asked: &Discover,
    observer: &mut dyn Observer,
) -> Result<Vec<Contender>> {
    let (families, wants) = (&asked.families, wants_fractions(study, asked));
    let mut found = Vec::new();
    if families.is_empty() && !wants {
        return Ok(found);
    }
    let progress = Progress {
        stage: Stage::Vocabularies,
        done: state as u128,
        total: 0,
    };
    if observer.progress(&progress).is_break() {
        return Err(crate::error::Error::Stopped);
    }
    let seen = Seen::new(weak, state);
    if !families.is_empty() {
        found.extend(Contender::of_families(
            &seen,
            families,
            &weak.dictionary,
            asked,
        )?);
    }
    if wants {
        let threads = weak.threads;
        found.extend(Contender::of_fractions(
            &seen,
            &weak.dictionary,
            asked,
            threads,
        )?);
    }
    Ok(found)
}

fn plain_trial(weak: &Weak<'_>, state: usize, study: &Study) -> Trial {
    Trial {
        vocabulary: study.vocabulary(),
        equation: study
            .model()
            .map_or("no equation".into(), |model| model.to_string()),
        n_terms: study.reduction().n_terms(),
        score: weak.score(state, study),
        misfit: study.misfit(),
        cautions: Vec::new(),
    }
}

impl Weak<'_> {
    /// Whether the work that laws beyond the dictionary may take is done.
    fn is_spent(&self) -> bool {
        self.work.load(Relaxed) >= self.most_work
    }

    /// What to say if there was more to do.
    fn why_cut_short(&self) -> Option<String> {
        let cut =
            "laws beyond the dictionary were not looked for to the end: it would take too long";
        self.is_spent().then(|| cut.to_string())
    }

    /// How many rows of a state count as independent; see [`cautious`](super::choose::cautious).
    /// The formulas of families are terms too.
    fn n_counted(&self, state: usize, n_rows: usize) -> usize {
        if self.noise_is_below_integrals(state) {
            n_independent(n_rows, self.dictionary.len() + self.n_formulas)
        } else {
            n_rows
        }
    }

    /// The share of a response's sum of squares below which residuals mean nothing. Records without
    /// noise have smooth errors of whatever made them, which further terms would explain.
    fn least_share(&self, state: usize) -> f64 {
        if self.noise_is_below_integrals(state) {
            SMOOTH
        } else {
            ROUNDING
        }
    }

    /// The score of a study's answer on the scale that all vocabularies share.
    fn score(&self, state: usize, study: &Study) -> f64 {
        let Some(answer) = study.answer() else {
            return 0.0;
        };
        let baseline = study.ranking().baseline();
        let sample = Sample {
            n_obs: self.n_counted(state, baseline.n_obs()),
            always_in: baseline.support().len(),
            n_candidates: study.yardstick().n_candidates,
        };
        let size = answer.fit.support().len() - sample.always_in;
        let share = answer.fit.share_of(baseline).max(self.least_share(state));
        let score = Criterion::Residual.score_of_residual(&sample, size, share);
        score.expect("this criterion needs the residual only")
    }
}

/// What stays the same while noise and laws are found in turns.
struct Rounds<'a> {
    given: Dictionary,
    problems: &'a [Problem],
    asked: Discover,
}

impl Rounds<'_> {
    /// Finds the noise from all laws and all laws at that noise, until they stay; the studies of
    /// all states, whether they stayed, and how many rounds it took.
    fn run(
        &self,
        weak: &mut Weak<'_>,
        found: &mut [Option<Contender>],
        plain: &Discovery,
        run: &Run<'_>,
        observer: &mut dyn Observer,
    ) -> Result<(Vec<Study>, bool, usize)> {
        let mut studies = plain.studies.clone();
        for round in 1.. {
            let before = laws(found, &studies);
            let terms = before.iter().flatten().map(|(term, _)| term.clone());
            let own = self.given.terms().iter().cloned();
            let all = Dictionary::distinct(self.given.features(), own.chain(terms))?;
            let estimate = Estimate::of_laws(&all, placed(&all, &before));
            weak.dictionary = Cow::Owned(all);
            weak.integrate_law(&estimate)?;
            let estimate = weak.update(estimate)?;
            let reductions = weak.rows(Some(&estimate))?;
            let mut stays = true;
            for (state, law) in found.iter_mut().enumerate() {
                if let Some(law) = law {
                    stays &= law.again(&Seen::corrected(weak, state))?;
                } else if !self.given.is_empty() {
                    let rows = self.given_rows(&reductions[state]);
                    let study = learn(
                        &self.problems[state],
                        &rows,
                        &self.asked.of_state(&self.asked.learn, state),
                        run,
                        observer,
                    )?;
                    studies[state] = weak.chosen(study, state);
                }
            }
            let same_terms = |(a, b): (&Law, &Law)| {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0)
            };
            let after = laws(found, &studies);
            let plain_stay = (0..found.len()).filter(|&state| found[state].is_none());
            stays &= plain_stay
                .into_iter()
                .all(|e| same_terms((&before[e], &after[e])));
            if stays || round == ROUNDS || weak.is_spent() {
                for (state, law) in found.iter().enumerate() {
                    if let Some(law) = law {
                        let seen = Seen::corrected(weak, state);
                        studies[state] = law.study(&seen, &studies[state])?;
                    }
                }
                return Ok((studies, stays, round));
            }
        }
        unreachable!("the last round returns")
    }

    /// The rows without the columns of terms that were found beyond the dictionary.
    fn given_rows(&self, rows: &Reduction) -> Reduction {
        rows.select(&(0..self.given.len()).collect())
    }
}

/// The terms of each state's law with their coefficients.
fn laws(found: &[Option<Contender>], studies: &[Study]) -> Vec<Law> {
    let law = |(found, study): (&Option<Contender>, &Study)| match found {
        Some(found) => found.law(),
        None => study.answer().map_or(Vec::new(), |answer| {
            let terms = answer.fit.support().indices().iter();
            let terms = terms.map(|&term| study.term(term).clone());
            terms
                .zip(answer.fit.coefficients().iter().copied())
                .collect()
        }),
    };
    found.iter().zip(studies).map(law).collect()
}

/// Terms with their coefficients.
type Law = Vec<(Term, f64)>;

/// The same by places in a dictionary that has all terms.
fn placed(dictionary: &Dictionary, laws: &[Law]) -> Vec<(Support, Vec<f64>)> {
    let law = |law: &Law| {
        let place = |term: &Term| dictionary.position(term).expect("all terms are in");
        let mut placed: Vec<(usize, f64)> = law.iter().map(|(term, c)| (place(term), *c)).collect();
        placed.sort_by_key(|(place, _)| *place);
        let (places, coefficients): (Vec<usize>, Vec<f64>) = placed.into_iter().unzip();
        (places.into_iter().collect(), coefficients)
    };
    laws.iter().map(law).collect()
}

impl Weak<'_> {
    /// The study with the answer that the errors of its rows allow.
    fn chosen(&self, study: Study, state: usize) -> Study {
        if self.noise_is_below_integrals(state) {
            super::cautious(study)
        } else {
            study
        }
    }

    /// Takes the integrals of the terms of these equations.
    fn integrate_law(&mut self, estimate: &Estimate) -> Result<()> {
        let dictionary = self.dictionary.clone();
        let terms = Chosen::only(&dictionary, &estimate.all_terms());
        self.integrate(&terms, Some(estimate))
    }

    /// A discovery without any term: there are only families.
    pub(super) fn without_terms(
        &mut self,
        problems: &[Problem],
        settings: &Discover,
    ) -> Result<Discovery> {
        let reductions = self.rows(None)?;
        let nothing = |(problem, rows): (&Problem, &Reduction)| {
            let proposal = Proposal {
                supports: Vec::new(),
                choice: None,
                how: How::Given,
            };
            Study::new(problem, rows, &settings.learn, proposal)
        };
        let studies = problems.iter().zip(&reductions).map(nothing).collect();
        let (states, choice) = (self.trajectories.states(), self.choice(0, true));
        Ok(Discovery::new(settings, states, studies, choice))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::trajectory::Trajectories;
    use crate::dynamics::discover::problems;
    use crate::dynamics::resolution::Resolution;

    fn series(texts: &[&str]) -> bool {
        let dictionary = Dictionary::parse(["x", "y"], texts).unwrap();
        let terms: Vec<&Term> = dictionary.terms().iter().collect();
        is_series(&terms)
    }

    #[test]
    fn a_law_is_found_also_where_there_is_no_work_left() {
        // The substrate of an enzyme, S' = −2 S/(1 + 2 S), by small steps of Heun's method.
        let slope = |s: f64| -2.0 * s / (1.0 + 2.0 * s);
        let small = 1e-4;
        let mut s = 2.0;
        let mut values = Vec::new();
        for _ in 0..300 {
            values.push(s);
            for _ in 0..100 {
                let first = slope(s);
                s += 0.5 * small * (first + slope(s + small * first));
            }
        }
        let times = (0..300).map(|i| 100.0 * small * f64::from(i)).collect();
        let made = Trajectories::of_run("t", times, &["S"], vec![values]).unwrap();
        let dictionary = Dictionary::monomials(["S"], 4, 4, true).unwrap();
        let settings = Discover::default();
        let run = Run {
            threads: 1,
            ..Run::default()
        };
        let found = |most_work: Option<u64>| {
            let resolution = Resolution::new(&made);
            let mut weak = Weak::new(&made, &dictionary, resolution, None, 1);
            weak.most_work = most_work.unwrap_or(weak.most_work);
            let problems = problems(made.states(), &dictionary, settings.rows).unwrap();
            let plain = weak.learn(&problems, &settings, &run, &mut ()).unwrap();
            let plain = plain.judged(Some(&weak), 1);
            beyond(&mut weak, plain, &problems, &run, &mut ()).unwrap()
        };
        let was_cut = |found: &Discovery| {
            let mut why = found.choice.why.iter();
            why.any(|why| why.contains("not looked for to the end"))
        };
        let (all, cut) = (found(None), found(Some(1)));
        assert!(!was_cut(&all) && was_cut(&cut));
        for found in [all, cut] {
            assert!(found.forms[0].is_some(), "{:?}", found.model(0));
        }
    }

    #[test]
    fn three_successive_powers_look_like_a_series() {
        assert!(series(&["x", "x^2", "x^3"]));
        assert!(series(&["1", "x*y", "x*y^2", "x*y^3"]));
        assert!(!series(&["x", "x^3", "y"]));
        assert!(!series(&["x", "x^2", "x*y"]));
        assert!(!series(&["x", "x^2*y", "x^3"]));
    }
}
