//! Laws that are a fraction of two sums of terms, `y = P/Q`.
//!
//! Multiplied out, the law is linear in its coefficients, with columns `y q` whose noise is known
//! (`pencil`). After that noise is taken out, the exact search runs once for every term q of the
//! denominator, with `y q` on the left. Supports are ordered by the noise that they need, and the
//! best of each size are fitted by least squares on `y − P/Q` itself (`fit`). Once a law is known,
//! rows are weighted by its 1/|Q|, which is what makes their noise alike, and the search runs again
//! until its answer stays.
//!
//! A law has many forms: (P, Q) and (κP, κQ) are one, for every number and every common factor κ.
//! One coefficient of Q is therefore fixed ([`Form::unit`]), and forms with the same values on
//! all rows become one answer, of which the shortest represents the others.
//!
//! Invariants: Q is positive on all rows; laws are ordered by score, ties by their terms.

mod columns;
mod fit;
mod pencil;
mod poles;

pub(crate) use poles::is_negative_somewhere;

use std::collections::{BTreeMap, BTreeSet};

use crate::error::{Error, Result};
use crate::judge::criterion::{SMALLEST_SHARE, log_binomial};
use crate::observe::Observer;
use crate::search::{Run, Search, search};
use crate::terms::dictionary::Dictionary;
use columns::Columns;
use fit::{Law, fit};
use pencil::Pencil;

/// The rows that a fraction is learned from.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// The names of the features.
    pub features: &'a [String],
    /// A column for each feature.
    pub columns: &'a [&'a [f64]],
    /// The target.
    pub target: &'a [f64],
    /// The inverse standard deviation of each row, up to a common factor; none if all are alike.
    pub weights: Option<&'a [f64]>,
}

/// Which fractions are looked for.
///
/// | field | meaning |
/// |---|---|
/// | `numerator` | the terms of P |
/// | `denominator` | the terms of Q, usually with the constant |
/// | `max_terms` | the largest number of terms of P and Q together |
/// | `keep` | how many supports of each size are fitted |
/// | `effort` | no size is searched that has more subsets than this, over all left sides |
#[derive(Debug, Clone)]
pub struct FractionSettings {
    /// The terms of P.
    pub numerator: Dictionary,
    /// The terms of Q, usually with the constant among them.
    pub denominator: Dictionary,
    /// The largest number of terms of P and Q together.
    pub max_terms: usize,
    /// How many supports of each size are fitted.
    pub keep: usize,
    /// A size with more subsets than this, over all left sides, is not searched.
    pub effort: u128,
}

impl FractionSettings {
    /// The usual settings: up to 8 terms, 25 of each size fitted, half a billion subsets.
    pub fn new(numerator: Dictionary, denominator: Dictionary) -> Self {
        Self {
            numerator,
            denominator,
            max_terms: 8,
            keep: 25,
            effort: 500_000_000,
        }
    }
}

/// A sum of terms over another.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    /// The terms of P, by their place in the numerator's dictionary.
    pub numerator: Vec<usize>,
    /// The terms of Q, by their place in the denominator's dictionary.
    pub denominator: Vec<usize>,
    /// The coefficient of each term of P.
    pub numerator_coefficients: Vec<f64>,
    /// The coefficient of each term of Q; that of the unit is exactly 1 or −1.
    pub denominator_coefficients: Vec<f64>,
    /// The place in `denominator` of the term whose coefficient is not free but 1, or −1 where Q
    /// would be negative otherwise. The constant wherever Q has one, else the first term that is
    /// added and not subtracted.
    pub unit: usize,
}

/// A fitted law `y = P/Q`.
#[derive(Debug, Clone)]
pub struct Fraction {
    /// Its terms and coefficients.
    pub form: Form,
    /// The covariance of the free coefficients: those of P, then those of Q without the unit.
    pub covariance: Vec<Vec<f64>>,
    /// The weighted sum of squares of `y − P/Q`.
    pub rss: f64,
    /// The estimated standard deviation of a row of weight 1.
    pub sigma: f64,
    /// Its score, larger is better; see [`fractions`].
    pub score: f64,
    /// Whether Q changes its sign in the box of the data: the law has a pole between them.
    pub has_pole: bool,
    /// Whether nothing is left but rounding errors.
    pub is_exact: bool,
    /// Other forms of the same law.
    pub equivalents: Vec<Form>,
}

/// Rounds of searching and reweighting at most.
const ROUNDS: usize = 4;

/// Sizes that are searched after the last one that was better than all before.
const PATIENCE: usize = 2;

/// A size with more subsets than this, over all left sides, is searched only if the size before was
/// better than all smaller ones. Up to it, a size takes tenths of a second.
const CHEAP: f64 = 50e6;

/// Values of two forms of one law differ by less than this share of the residual.
const SAME: f64 = 1e-5;

/// The best fractions, best first.
///
/// # Formula
/// ```text
/// score = −(n − m)/2 · ln(rss / Σ w² y²) − m/2 · ln n − ln C(p_P, m_P) − ln C(p_Q, m_Q)
/// ```
/// with n rows, `m = m_P + m_Q − 1` free coefficients, and `m_P` of the `p_P` terms of the
/// numerator and `m_Q` of the `p_Q` terms of the denominator in the law. With `Q = 1` it is
/// [`Criterion::Residual`](crate::judge::criterion::Criterion::Residual) without a forced constant,
/// minus `ln p_Q`, so it can be compared with the scores of sums of terms on the same rows. A sum
/// of squares below the rounding errors of the law counts as those.
///
/// # Errors
/// If a feature is missing, a term has no finite value on a row, or the observer stops the search
/// before anything was found.
pub fn fractions(
    rows: &Rows<'_>,
    settings: &FractionSettings,
    observer: &mut dyn Observer,
) -> Result<Vec<Fraction>> {
    let columns = Columns::new(rows, settings)?;
    let mut learning = Learning {
        columns: &columns,
        settings,
        laws: BTreeMap::new(),
        is_stopped: false,
    };
    let mut weights = vec![1.0; columns.n_rows()];
    let mut largest = settings.max_terms;
    for _ in 0..ROUNDS {
        let before = learning.best().map(support_of);
        learning.sweep(&Pencil::new(&columns, &weights), largest, observer)?;
        let Some(best) = learning.best() else {
            break;
        };
        if learning.is_stopped || best.is_exact() || before == Some(support_of(best)) {
            break;
        }
        weights = best.weights(&columns);
        largest = settings.max_terms.min(best.size() + 2);
    }
    if learning.laws.is_empty() && learning.is_stopped {
        return Err(Error::Stopped);
    }
    Ok(learning.answers(rows))
}

/// The columns of P and of Q.
type Support = (Vec<usize>, Vec<usize>);

fn support_of(law: &Law) -> Support {
    (law.p.clone(), law.q.clone())
}

/// What is known so far.
struct Learning<'a> {
    columns: &'a Columns<'a>,
    settings: &'a FractionSettings,
    /// The fit of each support that was tried; none if there is no law with Q of one sign.
    laws: BTreeMap<Support, Option<Law>>,
    is_stopped: bool,
}

impl Learning<'_> {
    /// Searches and fits size after size until larger ones are of no use.
    fn sweep(
        &mut self,
        pencil: &Pencil,
        largest: usize,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        // With rows weighted anew, all sizes up to that of the known law are worth another look.
        let mut last_rise = self.best().map_or(0, |law| law.size() + 1);
        for n_terms in 2..=largest {
            let before = self.best().map_or(f64::NEG_INFINITY, |law| self.score(law));
            let Some(subsets) = self.subsets(n_terms) else {
                break;
            };
            if subsets > CHEAP && last_rise + 1 < n_terms {
                break;
            }
            let mut supports = self.supports(pencil, n_terms, observer)?;
            supports.truncate(self.settings.keep);
            for (support, least) in supports {
                let columns = self.columns;
                self.laws
                    .entry(support)
                    .or_insert_with_key(|(p, q)| fit(columns, (p, q), &least));
            }
            let best = self.best();
            let is_exact = best.is_some_and(Law::is_exact);
            if best.map_or(f64::NEG_INFINITY, |law| self.score(law)) > before {
                last_rise = n_terms;
            }
            if is_exact || self.is_stopped || (last_rise > 0 && n_terms >= last_rise + PATIENCE) {
                break;
            }
        }
        Ok(())
    }

    /// The number of supports with this many terms over all left sides; none if it is not to be
    /// searched whatever was found.
    fn subsets(&self, n_terms: usize) -> Option<f64> {
        let (n_p, n_q) = (self.columns.numerator.len(), self.columns.denominator.len());
        let subsets = log_binomial((n_p + n_q).saturating_sub(1) as f64, (n_terms - 1) as f64);
        let subsets = subsets.exp() * n_q as f64;
        let is_there = n_terms <= n_p + n_q && n_terms <= self.columns.n_rows();
        (is_there && subsets <= self.settings.effort as f64).then_some(subsets)
    }

    /// Supports with this many terms of which some search says that they are good, best first.
    fn supports(
        &mut self,
        pencil: &Pencil,
        n_terms: usize,
        observer: &mut dyn Observer,
    ) -> Result<Vec<(Support, pencil::Least)>> {
        let (n_p, n_q) = (self.columns.numerator.len(), self.columns.denominator.len());
        let space = Search {
            min_terms: n_terms - 1,
            max_terms: n_terms - 1,
            keep: self.settings.keep,
            ..Search::default()
        };
        let mut supports = BTreeSet::new();
        for left in 0..n_q {
            let triangle = pencil.with_left_side(left);
            let found = search(&triangle, &space, &Run::default(), observer)?;
            for list in &found.sizes {
                self.is_stopped |= !list.exact;
                for candidate in &list.best {
                    let terms = candidate.support.indices();
                    let p: Vec<usize> = terms.iter().copied().filter(|&j| j < n_p).collect();
                    let q = terms.iter().filter(|&&j| j >= n_p).map(|&j| j - n_p);
                    let mut q: Vec<usize> = q.map(|j| j + usize::from(j >= left)).collect();
                    q.push(left);
                    q.sort_unstable();
                    if !p.is_empty() {
                        supports.insert((p, q));
                    }
                }
            }
            if self.is_stopped {
                break;
            }
        }
        let with_least = |support: Support| {
            let least = pencil.least(&support.0, &support.1)?;
            Some((support, least))
        };
        let mut supports: Vec<(Support, pencil::Least)> =
            supports.into_iter().filter_map(with_least).collect();
        let n_rows = self.columns.n_rows() as f64;
        let score = |(support, least): &(Support, pencil::Least)| {
            self.score_of((support.0.len(), support.1.len()), n_rows * least.rho)
        };
        supports.sort_by(|a, b| score(b).total_cmp(&score(a)).then_with(|| a.0.cmp(&b.0)));
        Ok(supports)
    }

    fn best(&self) -> Option<&Law> {
        let laws = self.laws.values().flatten();
        // Of equal ones the first, whatever the order in which they were found.
        laws.rev()
            .max_by(|a, b| self.score(a).total_cmp(&self.score(b)))
    }

    fn score(&self, law: &Law) -> f64 {
        self.score_of((law.p.len(), law.q.len()), law.rss.max(law.rounding))
    }

    fn score_of(&self, (m_p, m_q): (usize, usize), rss: f64) -> f64 {
        let columns = self.columns;
        let (n, m) = (columns.n_rows() as f64, (m_p + m_q - 1) as f64);
        if m >= n {
            return f64::NEG_INFINITY;
        }
        let share = (rss / columns.total()).clamp(SMALLEST_SHARE, f64::MAX);
        let n_models = log_binomial(columns.numerator.len() as f64, m_p as f64)
            + log_binomial(columns.denominator.len() as f64, m_q as f64);
        -0.5 * (n - m) * share.ln() - 0.5 * m * n.ln() - n_models
    }

    /// All laws, forms of one law together, best first.
    fn answers(&self, rows: &Rows<'_>) -> Vec<Fraction> {
        let mut laws: Vec<&Law> = self.laws.values().flatten().collect();
        laws.sort_by(|a, b| {
            let score = self.score(b).total_cmp(&self.score(a));
            score.then_with(|| (&a.p, &a.q).cmp(&(&b.p, &b.q)))
        });
        let mut groups: Vec<Vec<&Law>> = Vec::new();
        for law in laws {
            let same = groups.iter_mut().find(|group| self.is_same(group[0], law));
            match same {
                Some(group) => group.push(law),
                None => groups.push(vec![law]),
            }
        }
        let answers = groups.into_iter().take(self.settings.keep);
        answers.map(|group| self.answer(rows, group)).collect()
    }

    /// Whether two laws have the same values on all rows.
    fn is_same(&self, a: &Law, b: &Law) -> bool {
        let n = self.columns.n_rows() as f64;
        let residual = (a.rss.min(b.rss).max(a.rounding).max(b.rounding) / n).sqrt();
        let tolerance = if a.is_exact() && b.is_exact() {
            // Values are rounded differently; the largest of many is some times their mean.
            100.0 * residual
        } else {
            SAME * residual
        };
        let values = a.fitted.iter().zip(&b.fitted).zip(&self.columns.precision);
        let mut differences = values.map(|((a, b), w)| (w * (a - b)).abs());
        differences.all(|difference| difference <= tolerance)
    }

    fn answer(&self, rows: &Rows<'_>, mut forms: Vec<&Law>) -> Fraction {
        forms.sort_by_key(|law| (law.size(), self.length(law)));
        let law = forms[0];
        let (n, m) = (self.columns.n_rows(), law.size());
        let sigma = (law.rss / (n - m) as f64).sqrt();
        let form = self.form(law);
        Fraction {
            covariance: self.covariance(law, sigma),
            rss: law.rss,
            sigma,
            score: self.score(law),
            has_pole: poles::has_pole(rows, &self.settings.denominator, &form),
            is_exact: law.is_exact(),
            equivalents: forms[1..].iter().map(|law| self.form(law)).collect(),
            form,
        }
    }

    /// How many characters its terms take.
    fn length(&self, law: &Law) -> usize {
        let p = law.p.iter().map(|&p| self.columns.numerator.lengths[p]);
        let q = law.q.iter().map(|&q| self.columns.denominator.lengths[q]);
        p.chain(q).sum()
    }

    fn form(&self, law: &Law) -> Form {
        let (above, below) = (&self.columns.numerator, &self.columns.denominator);
        let raw = |(c, scale): (&f64, f64)| c / scale;
        let p_scales = law.p.iter().map(|&p| above.scales[p]);
        let q_scales = law.q.iter().map(|&q| below.scales[q]);
        Form {
            numerator: law.p.iter().map(|&p| above.terms[p]).collect(),
            denominator: law.q.iter().map(|&q| below.terms[q]).collect(),
            numerator_coefficients: law.numerator.iter().zip(p_scales).map(raw).collect(),
            denominator_coefficients: law.denominator.iter().zip(q_scales).map(raw).collect(),
            unit: law.unit,
        }
    }

    fn covariance(&self, law: &Law, sigma: f64) -> Vec<Vec<f64>> {
        let p_scales = law.p.iter().map(|&p| self.columns.numerator.scales[p]);
        let free = law.q.iter().enumerate().filter(|(j, _)| *j != law.unit);
        let q_scales = free.map(|(_, &q)| self.columns.denominator.scales[q]);
        let scales: Vec<f64> = p_scales.chain(q_scales).collect();
        let row = |(row, a): (&Vec<f64>, &f64)| {
            let entries = row.iter().zip(&scales);
            entries
                .map(|(x, b)| x * (sigma / a) * (sigma / b))
                .collect()
        };
        law.inverse.iter().zip(&scales).map(row).collect()
    }
}

#[cfg(test)]
mod tests;
