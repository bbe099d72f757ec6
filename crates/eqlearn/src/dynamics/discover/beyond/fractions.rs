//! Where to look for fractions: terms above and below the line, and numbers to start from.
//!
//! A law is a sum of monomials and of `m/Q`, with `Q = 1 + θ q` for a start. For each q, values
//! of θ are tried on a grid that takes Q from nearly 1 to nearly θ q on the data. With θ given, an
//! exact search says how good the best sum is. Once the best are known and fitted, a further term
//! below the line is started from where the derivative of the law by its coefficient points.

use super::contender::{Base, Contender, Seen};
use crate::beyond::parameters::Law;
use crate::error::Result;
use crate::judge::criterion::{Criterion, Sample};
use crate::numeric::parallel;
use crate::numeric::vector::add;
use crate::reduce::Reduction;
use crate::reduce::support::Support;
use crate::search::{Run, Search, search};
use crate::terms::dictionary::Dictionary;
use crate::terms::family::Family;
use crate::terms::term::Term;

/// The highest power of a single feature, above and below the line.
const POWER: u32 = 4;
/// The highest degree of a product of features, by the number of features.
const DEGREES: [u32; 4] = [4, 3, 3, 2];
/// θ q on the data, as its root mean square: from the first to the last by steps of √10.
const STRENGTHS: [f64; 9] = [0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0];
/// The largest sum that is tried while θ is not known.
const SCANNED: usize = 4;
/// Sizes with more subsets are not scanned.
const SUBSETS: u128 = 300_000;
/// Starts that are followed.
const STARTS: usize = 6;
/// Further terms below the line that are tried.
const WIDER: usize = 3;
/// The most terms below the line besides the constant.
const BELOW: usize = 3;

/// What fractions are made of.
pub(super) struct Pool {
    degree: u32,
    /// Terms above the line.
    above: Vec<Term>,
    /// Terms below the line, besides the constant.
    below: Vec<Term>,
}

/// The terms above the line, and those below it besides the constant 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) above: Vec<Term>,
    pub(super) below: Vec<Term>,
}

impl Shape {
    /// The family of all terms above the line over the terms below it.
    pub(super) fn family(&self, features: &[String]) -> Result<Family> {
        let below = self.below.iter().enumerate();
        let below: Vec<String> = below.map(|(i, q)| format!("+?q{}*{q}", i + 1)).collect();
        let below = below.concat();
        let texts = self.above.iter().map(|m| format!("{m}/(1{below})"));
        let mut families = Family::parse(texts, features)?;
        Ok(families.swap_remove(0))
    }
}

/// A shape, and numbers for its terms below the line.
pub(super) type Start = (Shape, Vec<f64>);

impl Pool {
    /// Monomials of the features that vary; none if there are none.
    pub(super) fn new(given: &Dictionary, seen: &Seen<'_>) -> Option<Self> {
        let features = given.features();
        let varies = |values: &[f64]| values.iter().any(|x| x.to_bits() != values[0].to_bits());
        let named = features.iter().zip(&seen.features);
        let own: Vec<&String> = named
            .filter(|(_, values)| varies(values))
            .map(|(name, _)| name)
            .collect();
        let degree = DEGREES.get(own.len().checked_sub(1)?).copied().unwrap_or(2);
        let monomials = Dictionary::monomials(own.iter().copied(), POWER, POWER, true).ok()?;
        let simple = |term: &&Term| {
            let powers = term.powers().unwrap_or_default();
            let total: u32 = powers.iter().map(|(_, power)| power).sum();
            powers.len() <= 1 || total <= degree
        };
        let texts = monomials
            .terms()
            .iter()
            .filter(simple)
            .map(ToString::to_string);
        // The same terms over all features.
        let terms: Vec<Term> = texts
            .map(|text| Term::parse(&text, features).expect("a monomial of the features"))
            .collect();
        let varying = terms.iter().filter(|term| !term.is_constant());
        Some(Self {
            degree,
            below: varying.cloned().collect(),
            above: terms,
        })
    }

    /// Whether a term of the dictionary is searched beside fractions: simple monomials, and what is
    /// no monomial.
    pub(super) fn is_plain(&self, term: &Term) -> bool {
        let degree = term
            .powers()
            .map(|powers| powers.iter().map(|(_, p)| p).sum());
        degree.is_none_or(|degree: u32| degree <= self.degree)
    }

    /// How many terms above and below the line there are.
    pub(super) fn n_candidates(&self) -> usize {
        self.above.len() + self.below.len()
    }

    fn shape(&self, below: Vec<Term>) -> Shape {
        Shape {
            above: self.above.clone(),
            below,
        }
    }

    /// The most promising terms below the line with numbers to start from, best first.
    pub(super) fn starts(
        &self,
        seen: &Seen<'_>,
        base: &Base,
        n_candidates: usize,
        threads: usize,
    ) -> Result<Vec<Start>> {
        let plain: Vec<Vec<f64>> = base
            .dictionary
            .terms()
            .iter()
            .map(|t| seen.rows(t))
            .collect();
        let above: Vec<Vec<f64>> = self.above.iter().map(|t| seen.values(t)).collect();
        let scan = Scan {
            seen,
            base,
            n_candidates,
            plain,
            above,
        };
        let n_values = seen.features.first().map_or(0, Vec::len);
        seen.count(n_values * self.above.len() * self.below.len() * STRENGTHS.len());
        let by_term = parallel::map(threads, self.below.len(), |place| {
            scan.of_term(&self.below[place])
        });
        let mut found: Vec<(f64, usize, f64)> = Vec::new();
        for (place, scores) in by_term.into_iter().enumerate() {
            let scores = scores?;
            found.extend(
                scores
                    .into_iter()
                    .map(|(score, theta)| (score, place, theta)),
            );
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let start = |(_, place, theta): (f64, usize, f64)| {
            (self.shape(vec![self.below[place].clone()]), vec![theta])
        };
        Ok(found.into_iter().take(STARTS).map(start).collect())
    }

    /// Shapes with one more term below the line than the best law has; none if there is none to
    /// try.
    pub(super) fn wider(&self, seen: &Seen<'_>, contender: &Contender) -> Option<Vec<Start>> {
        let law = contender.laws.first()?;
        let [member] = law.members.as_slice() else {
            return None;
        };
        let shape = &contender.shapes[member.family];
        if shape.below.len() >= BELOW {
            return None;
        }
        let quotient = Quotient::new(seen, shape, law);
        let new = self.below.iter().filter(|q| !shape.below.contains(q));
        let mut found: Vec<(f64, Start)> = Vec::new();
        for q in new {
            let Some((rss, theta)) = quotient.with(seen, law, q) else {
                continue;
            };
            let mut values = member.values.clone();
            values.push(theta);
            let below = [shape.below.clone(), vec![q.clone()]].concat();
            found.push((rss, (self.shape(below), values)));
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        found.truncate(WIDER);
        Some(found.into_iter().map(|(_, start)| start).collect())
    }
}

/// What all values of θ are tried with.
struct Scan<'a> {
    seen: &'a Seen<'a>,
    base: &'a Base,
    n_candidates: usize,
    /// The rows of the dictionary's terms.
    plain: Vec<Vec<f64>>,
    /// The values of the terms above the line at the nodes.
    above: Vec<Vec<f64>>,
}

impl Scan<'_> {
    /// The best scores with one term below the line, and its θ: the peaks over the grid.
    fn of_term(&self, q: &Term) -> Result<Vec<(f64, f64)>> {
        let values = self.seen.values(q);
        let squares: f64 = values.iter().map(|v| v * v).sum();
        let scale = (squares / values.len() as f64).sqrt();
        if !(scale.is_normal() && scale.recip().is_finite()) {
            return Ok(Vec::new());
        }
        let mut scores = Vec::new();
        for strength in STRENGTHS {
            let theta = strength / scale;
            scores.push((self.score(&values, theta)?, theta));
        }
        let score = |place: usize| scores.get(place).map_or(f64::NEG_INFINITY, |s| s.0);
        let is_peak = |place: usize| {
            let (here, left) = (
                score(place),
                place.checked_sub(1).map_or(f64::NEG_INFINITY, score),
            );
            here.is_finite() && here >= left && here >= score(place + 1)
        };
        let peaks = (0..scores.len()).filter(|&place| is_peak(place));
        Ok(peaks.map(|place| scores[place]).collect())
    }

    /// The score of the best sum with this denominator; −∞ if there is none.
    fn score(&self, q: &[f64], theta: f64) -> Result<f64> {
        let below: Vec<f64> = q.iter().map(|q| 1.0 + theta * q).collect();
        if below.iter().any(|q| *q <= 0.0) {
            return Ok(f64::NEG_INFINITY);
        }
        let divided = |m: &Vec<f64>| -> Vec<f64> {
            let values: Vec<f64> = m.iter().zip(&below).map(|(m, q)| m / q).collect();
            self.seen.whitening.of_values(&values)
        };
        let fractions: Vec<Vec<f64>> = self.above.iter().map(divided).collect();
        let all = self
            .plain
            .iter()
            .chain(&fractions)
            .chain([&self.seen.response]);
        let all: Vec<&[f64]> = all.map(Vec::as_slice).collect();
        let triangle = Reduction::from_columns_in_double(&all).triangle();
        let space = Search {
            max_terms: SCANNED,
            keep: 1,
            centre: self.base.always_in.clone(),
            ..Search::default()
        };
        let run = Run {
            threads: 1,
            go_on: Some(&|_, subsets| subsets <= SUBSETS),
            ..Run::default()
        };
        let found = search(&triangle, &space, &run, &mut ())?;
        let always_in = self.base.always_in.len();
        let sample = Sample {
            n_obs: self.seen.n_counted,
            always_in,
            n_candidates: self.n_candidates,
        };
        let score = |share: f64, size: usize| {
            let score = Criterion::Residual.score_of_residual(&sample, size + 1, share);
            score.expect("this criterion needs the residual only")
        };
        let n_plain = self.plain.len();
        let is_fraction = |support: &Support| support.indices().iter().any(|&t| t >= n_plain);
        let listed = found.sizes.iter().flat_map(|size| {
            let best = size.best.iter().filter(|c| is_fraction(&c.support));
            best.map(|c| score(c.one_minus_r2, size.size))
        });
        Ok(listed.fold(f64::NEG_INFINITY, f64::max))
    }
}

/// The part of a law that is over the line, at the nodes.
struct Quotient {
    /// Its value.
    value: Vec<f64>,
    /// What it is divided by.
    below: Vec<f64>,
    /// The rows of all terms and slopes of the law.
    rows: Vec<Vec<f64>>,
}

impl Quotient {
    fn new(seen: &Seen<'_>, shape: &Shape, law: &Law) -> Self {
        let member = &law.members[0];
        let n_plain = law.terms.len() - member.used.len();
        let mut below = vec![1.0; seen.features[0].len()];
        for (q, theta) in shape.below.iter().zip(&member.values) {
            add(&mut below, *theta, &seen.values(q));
        }
        let mut value = vec![0.0; below.len()];
        for (term, c) in law.terms.iter().zip(&law.coefficients).skip(n_plain) {
            add(&mut value, *c, &seen.values(term));
        }
        let terms = law.terms.iter().map(|term| seen.rows(term));
        let rows = terms.chain(law.slopes.iter().cloned()).collect();
        Self { value, below, rows }
    }

    /// The sum of squares with a small coefficient of one more term below the line, and that
    /// coefficient; none if the denominator would not stay positive.
    fn with(&self, seen: &Seen<'_>, law: &Law, q: &Term) -> Option<(f64, f64)> {
        let q = seen.values(q);
        let tangent = self.value.iter().zip(&self.below).zip(&q);
        let tangent: Vec<f64> = tangent.map(|((f, below), q)| -f * q / below).collect();
        let tangent = seen.whitening.of_values(&tangent);
        let mut residual = seen.response.clone();
        for (row, c) in self.rows.iter().zip(&law.coefficients) {
            add(&mut residual, -c, row);
        }
        let all = self.rows.iter().chain([&tangent, &residual]);
        let all: Vec<&[f64]> = all.map(Vec::as_slice).collect();
        if all
            .iter()
            .any(|column| column.iter().any(|v| !v.is_finite()))
        {
            return None;
        }
        let fit = Reduction::from_columns_in_double(&all).fit(&(0..all.len() - 1).collect());
        let mut theta = *fit.coefficients().last()?;
        let stays = |theta: f64| {
            let mut both = self.below.iter().zip(&q);
            both.all(|(below, q)| below + theta * q > 0.5 * below)
        };
        for _ in 0..HALVINGS {
            if stays(theta) {
                return Some((fit.rss(), theta));
            }
            theta *= 0.5;
        }
        None
    }
}

/// Halvings of a first coefficient until the denominator stays positive.
const HALVINGS: usize = 20;
