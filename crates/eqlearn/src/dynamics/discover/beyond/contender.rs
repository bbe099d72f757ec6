//! A law beyond the dictionary for one state: looked for, and followed as the noise becomes known.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use super::super::rows::Whitening;
use super::super::{Discover, Weak};
use super::fractions::{Pool, Shape};
use crate::beyond::fraction::is_negative_somewhere;
use crate::beyond::parameters::{
    Choice, Form, Ingredients, Inner, Integrated, Law, Member, Value, learn_from, learn_integrated,
};
use crate::beyond::{Caution, Trial};
use crate::error::Result;
use crate::learn::{Method, Study};
use crate::reduce::support::Support;
use crate::search::Search;
use crate::terms::dictionary::Dictionary;
use crate::terms::family::Family;
use crate::terms::term::Term;
use crate::terms::vocabulary::Vocabulary;

/// The most terms of a law with a fraction in it.
const LARGEST: usize = 6;
/// Laws that are compared in the end.
const COMPARED: usize = 5;
/// Laws that are found again when the noise is better known.
const FOLLOWED: usize = 3;
/// Laws with sums of squares that differ by a smaller share are the same, from different starts.
const TWINS: f64 = 1e-6;
/// Inner numbers that move by less than this share of their standard errors have settled.
const SETTLED: f64 = 0.05;
/// The same as a share of the number itself, where there is hardly an error.
const SAME: f64 = 1e-6;

/// The rows of one state.
pub(super) struct Seen<'a> {
    pub(super) whitening: Whitening<'a>,
    /// Each feature at the points.
    pub(super) features: Vec<Vec<f64>>,
    pub(super) response: Vec<f64>,
    /// How many of the rows count as independent.
    pub(super) n_counted: usize,
    least_share: f64,
    work: &'a AtomicU64,
    most_work: u64,
}

impl<'a> Seen<'a> {
    pub(super) fn new(weak: &'a Weak<'_>, state: usize) -> Self {
        let whitening = Whitening::new(&weak.records, state, &weak.resolution.sigma);
        Self::by(weak, state, whitening)
    }

    /// The same with values as they are without noise, to second order.
    pub(super) fn corrected(weak: &'a Weak<'_>, state: usize) -> Self {
        let whitening = Whitening::corrected(&weak.records, state, &weak.resolution.sigma);
        Self::by(weak, state, whitening)
    }

    fn by(weak: &'a Weak<'_>, state: usize, whitening: Whitening<'a>) -> Self {
        let response = whitening.response();
        Self {
            features: whitening.features(),
            n_counted: weak.n_counted(state, response.len()),
            least_share: weak.least_share(state),
            work: &weak.work,
            most_work: weak.most_work,
            response,
            whitening,
        }
    }

    /// The rows of a function with these values at the points; the work is counted.
    fn transferred(&self, values: &[f64]) -> Vec<f64> {
        self.count(values.len());
        self.whitening.of_values(values)
    }

    /// Counts values that were computed.
    pub(super) fn count(&self, n_values: usize) {
        self.work.fetch_add(n_values as u64, Relaxed);
    }

    /// Whether the work that laws may take is done.
    fn is_spent(&self) -> bool {
        self.work.load(Relaxed) >= self.most_work
    }

    pub(super) fn columns(&self) -> Vec<&[f64]> {
        self.features.iter().map(Vec::as_slice).collect()
    }

    /// The values of a term at the points.
    pub(super) fn values(&self, term: &Term) -> Vec<f64> {
        let mut values = vec![0.0; self.features.first().map_or(0, Vec::len)];
        term.evaluate(&self.columns(), &mut values);
        values
    }

    /// The rows of a term.
    pub(super) fn rows(&self, term: &Term) -> Vec<f64> {
        self.whitening.of_values(&self.values(term))
    }
}

/// Terms of the dictionary that a law may have besides.
#[derive(Debug, Clone)]
pub(super) struct Base {
    pub(super) dictionary: Dictionary,
    pub(super) always_in: Support,
}

impl Base {
    /// Those of these terms that are not excluded; what must be in, is in.
    pub(super) fn new(given: &Dictionary, space: &Search, is_in: &dyn Fn(&Term) -> bool) -> Self {
        let stays = space.centre.union(&space.required);
        let allowed = (0..given.len()).filter(|&place| {
            stays.contains(place)
                || (!space.excluded.contains(place) && is_in(&given.terms()[place]))
        });
        let allowed: Vec<usize> = allowed.collect();
        let place = |(place, term): (usize, &usize)| stays.contains(*term).then_some(place);
        Self {
            dictionary: given.select(&allowed),
            always_in: allowed.iter().enumerate().filter_map(place).collect(),
        }
    }
}

/// A law beyond the dictionary, with all that is needed to find it again at another noise.
#[derive(Debug, Clone)]
pub(super) struct Contender {
    pub(super) vocabulary: Vocabulary,
    base: Base,
    pub(super) families: Vec<Family>,
    /// What is below the line of each family's formulas, if they are fractions.
    pub(super) shapes: Vec<Shape>,
    grids: Vec<Vec<Vec<f64>>>,
    inner: Inner,
    pub(super) n_candidates: usize,
    /// Best first; never empty.
    pub(super) laws: Vec<Law>,
}

impl Contender {
    /// A law with members of these families; none if there is none.
    pub(super) fn of_families(
        seen: &Seen<'_>,
        families: &[Family],
        given: &Dictionary,
        asked: &Discover,
    ) -> Result<Option<Self>> {
        let space = &asked.learn.space;
        let base = Base::new(given, space, &|_| true);
        let columns = seen.columns();
        let grids: Vec<Vec<Vec<f64>>> = families.iter().map(|f| f.grid(&columns)).collect();
        let members = grids.iter().zip(families);
        let n_members: usize = members.map(|(grid, f)| grid.len() * f.n_formulas()).sum();
        let takes_all = asked.learn.method == Method::Ols;
        let contender = Self {
            vocabulary: Vocabulary::Parameters,
            n_candidates: base.dictionary.len() - base.always_in.len() + n_members,
            base,
            families: families.to_vec(),
            shapes: Vec::new(),
            grids,
            inner: Inner {
                choice: if takes_all { Choice::All } else { Choice::Best },
                max_terms: space.max_terms,
                ..Inner::default()
            },
            laws: Vec::new(),
        };
        let transfer = |values: &[f64]| seen.transferred(values);
        let laws = learn_integrated(
            &contender.integrated(seen, &columns, &transfer),
            &contender.ingredients(),
            &contender.grids,
            &contender.inner,
        )?;
        Ok(contender.with(laws))
    }

    /// A law with a fraction; none if there is none.
    pub(super) fn of_fractions(
        seen: &Seen<'_>,
        given: &Dictionary,
        asked: &Discover,
        threads: usize,
    ) -> Result<Option<Self>> {
        let space = &asked.learn.space;
        let Some(pool) = Pool::new(given, seen) else {
            return Ok(None);
        };
        let base = Base::new(given, space, &|term| pool.is_plain(term));
        let mut contender = Self {
            vocabulary: Vocabulary::Fractions,
            n_candidates: base.dictionary.len() - base.always_in.len() + pool.n_candidates(),
            base,
            families: Vec::new(),
            shapes: Vec::new(),
            grids: Vec::new(),
            inner: Inner {
                max_terms: space.max_terms.min(LARGEST),
                ..Inner::default()
            },
            laws: Vec::new(),
        };
        let starts = pool.starts(seen, &contender.base, contender.n_candidates, threads)?;
        let mut members = Vec::new();
        for (shape, values) in starts {
            let place = contender.place(shape)?;
            contender.grids[place].push(values.clone());
            members.push(vec![member(place, values)]);
        }
        let laws = contender.learned_from(seen, &members)?;
        let Some(mut contender) = contender.with(laws) else {
            return Ok(None);
        };
        contender.widen(seen, &pool)?;
        Ok(Some(contender))
    }

    /// More terms below the line, while they make the law better.
    fn widen(&mut self, seen: &Seen<'_>, pool: &Pool) -> Result<()> {
        while let Some(starts) = pool.wider(seen, self) {
            let before = self.score();
            let mut members = Vec::new();
            for (shape, values) in starts {
                let place = self.place(shape)?;
                self.grids[place].push(values.clone());
                members.push(vec![member(place, values)]);
            }
            let mut laws = self.learned_from(seen, &members)?;
            laws.append(&mut self.laws);
            self.laws = best_of(laws);
            if self.score() <= before || seen.is_spent() {
                break;
            }
        }
        Ok(())
    }

    /// The best law with each of its terms below the line left out: at a noise that was not known
    /// well, one too many may have come in.
    fn narrower(&mut self) -> Result<Vec<Vec<Member>>> {
        let mut starts = Vec::new();
        let [own] = self.laws[0].members.as_slice() else {
            return Ok(starts);
        };
        let own = own.clone();
        let Some(shape) = self.shapes.get(own.family).cloned() else {
            return Ok(starts);
        };
        if shape.below.len() < 2 {
            return Ok(starts);
        }
        for left_out in 0..shape.below.len() {
            let (mut fewer, mut values) = (shape.clone(), own.values.clone());
            fewer.below.remove(left_out);
            values.remove(left_out);
            let place = self.place(fewer)?;
            starts.push(vec![member(place, values)]);
        }
        Ok(starts)
    }

    /// The place of the family of this shape, which is added if it is new.
    fn place(&mut self, shape: Shape) -> Result<usize> {
        let known = self.shapes.iter().position(|own| *own == shape);
        if let Some(place) = known {
            return Ok(place);
        }
        self.families
            .push(shape.family(self.base.dictionary.features())?);
        self.shapes.push(shape);
        self.grids.push(Vec::new());
        Ok(self.shapes.len() - 1)
    }

    /// The same with these laws, as far as they have members; none if none has.
    fn with(self, mut laws: Vec<Law>) -> Option<Self> {
        laws.retain(|law| !law.members.is_empty());
        let laws = best_of(laws);
        (!laws.is_empty()).then_some(Self { laws, ..self })
    }

    fn integrated<'b>(
        &self,
        seen: &'b Seen<'_>,
        columns: &'b [&'b [f64]],
        transfer: &'b dyn Fn(&[f64]) -> Vec<f64>,
    ) -> Integrated<'b> {
        Integrated {
            features: columns,
            transfer,
            target: &seen.response,
            n_counted: seen.n_counted,
            least_share: seen.least_share,
            n_candidates: self.n_candidates,
        }
    }

    fn ingredients(&self) -> Ingredients<'_> {
        Ingredients {
            dictionary: &self.base.dictionary,
            always_in: &self.base.always_in,
            families: &self.families,
            n_choices: 0,
        }
    }

    fn learned_from(&self, seen: &Seen<'_>, starts: &[Vec<Member>]) -> Result<Vec<Law>> {
        let columns = seen.columns();
        let transfer = |values: &[f64]| seen.transferred(values);
        let rows = self.integrated(seen, &columns, &transfer);
        let go_on = || !seen.is_spent();
        let (made_of, grids) = (self.ingredients(), &self.grids);
        learn_from(&rows, &made_of, grids, (starts, &go_on), &self.inner)
    }

    /// Finds the laws again in other rows; whether the best is still the same.
    pub(super) fn again(&mut self, seen: &Seen<'_>) -> Result<bool> {
        let followed = self.laws.iter().take(FOLLOWED);
        let mut starts: Vec<Vec<Member>> = followed.map(|law| law.members.clone()).collect();
        starts.extend(self.narrower()?);
        let laws = best_of(self.learned_from(seen, &starts)?);
        if laws.is_empty() {
            return Ok(false);
        }
        let (before, after) = (&self.laws[0], &laws[0]);
        let used = |law: &Law| -> Vec<(usize, Vec<usize>)> {
            law.members
                .iter()
                .map(|m| (m.family, m.used.clone()))
                .collect()
        };
        let near = |(a, b): (&Value, &Value)| is_near(a, b);
        let stays = used(before) == used(after)
            && before.coefficients.len() == after.coefficients.len()
            && before.parameters.iter().zip(&after.parameters).all(near);
        self.laws = laws;
        Ok(stays)
    }

    /// Its score: the difference of two is the log of their odds.
    pub(super) fn score(&self) -> f64 {
        self.laws.first().map_or(f64::NEG_INFINITY, |law| law.score)
    }

    /// The terms of the best law with their coefficients.
    pub(super) fn law(&self) -> Vec<(Term, f64)> {
        let law = &self.laws[0];
        let terms = law.terms.iter().cloned();
        terms.zip(law.coefficients.iter().copied()).collect()
    }

    /// How the terms of the best law depend on its inner parameters; none if they are coefficients
    /// below the line of a fraction.
    pub(super) fn form(&self) -> Option<Form> {
        let law = &self.laws[0];
        let is_fraction = self.is_fraction(law);
        (!is_fraction).then(|| Form::new(law, &self.families))
    }

    /// Whether all of a law is over one line.
    pub(super) fn is_fraction(&self, law: &Law) -> bool {
        let [member] = law.members.as_slice() else {
            return false;
        };
        self.shapes.get(member.family).is_some() && member.used.len() == law.terms.len()
    }

    /// What to know about the best law: its numbers, and poles in the box of these features.
    pub(super) fn cautions(&self, seen: &Seen<'_>) -> Vec<Caution> {
        let law = &self.laws[0];
        let mut divisors: Vec<Term> = law.terms.iter().flat_map(Term::divisors).collect();
        divisors.sort();
        divisors.dedup();
        let columns = seen.columns();
        let has_zero = |divisor: &&Term| {
            let (plus, minus) = ((*divisor).clone(), divisor.scaled(-1.0));
            is_negative_somewhere(&plus, &columns) && is_negative_somewhere(&minus, &columns)
        };
        let poles = divisors
            .iter()
            .filter(has_zero)
            .map(|divisor| Caution::Pole {
                divisor: divisor.to_string(),
            });
        law.cautions.iter().cloned().chain(poles).collect()
    }

    /// What is told of it beside what is told of the plain answer.
    pub(super) fn trial(&self, plain: &Study) -> Trial {
        Trial {
            vocabulary: self.vocabulary,
            equation: self.model(plain).to_string(),
            n_terms: self.n_candidates,
            score: self.score(),
            misfit: None,
            cautions: self.laws[0].cautions.clone(),
        }
    }
}

/// The best laws, each once.
fn best_of(mut laws: Vec<Law>) -> Vec<Law> {
    laws.sort_by(|a, b| b.score.total_cmp(&a.score));
    laws.dedup_by(|a, b| {
        let numbers = |law: &Law| (law.coefficients.len(), law.parameters.len());
        numbers(a) == numbers(b) && (a.rss - b.rss).abs() <= TWINS * b.rss
    });
    laws.truncate(COMPARED);
    laws
}

fn member(family: usize, values: Vec<f64>) -> Member {
    let used = Vec::new();
    Member {
        family,
        values,
        used,
    }
}

/// Whether a number found again is the same within its error.
fn is_near(before: &Value, after: &Value) -> bool {
    let moved = (before.value - after.value).abs();
    let error = after.std_error.unwrap_or(0.0);
    moved <= (SETTLED * error).max(SAME * after.value.abs())
}
