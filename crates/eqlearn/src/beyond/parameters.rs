//! Laws with inner parameters: which members of families are in the law, and with which values.
//!
//! The sum of squares has many valleys in the parameters, and no starting values are asked for. So
//! members join one at a time. A grid of values is tried for the next member, beside those found
//! already; the best few starts are polished together with all parameters before them; the best few
//! laws go on. Within a law, the exact search chooses the terms, because with given parameters a
//! member is a term like any other.
//!
//! Polishing is by variable projection: the coefficients are eliminated, and the sum of squares is
//! a function of the parameters only, whose valleys are wide (Golub and Pereyra 1973, with the
//! Jacobian of Kaufman 1975). At the end coefficients and parameters are fitted together to the
//! last digit, and the Jacobian `[φ, w ∂φ/∂θ]` gives the errors of both.
//!
//! A parameter counts as a coefficient in the score. Terms are chosen from the dictionary, and
//! members from the grids: a grid is about as fine as the data can tell without much noise, and the
//! penalty of a coefficient is for what they tell beyond.

mod form;
mod polish;
mod rows;
mod score;

use crate::error::Result;
use crate::judge::misfit::ROUNDING;
use crate::reduce::Reduction;
use crate::reduce::support::Support;
use crate::search::{Run, Search, search};
use crate::terms::dictionary::Dictionary;
use crate::terms::family::Family;
use crate::terms::term::Term;
pub use form::Form;
use polish::{polished, projected};
use rows::Columns;
pub(crate) use rows::Integrated;

/// Starts that are polished per law and family.
const STARTS: usize = 6;
/// Laws that go on to the next member.
const BEAM: usize = 6;
/// Laws of which members are exchanged.
const EXCHANGED: usize = 3;
/// Rows that starts are polished on; all rows count at the end.
const SOME: usize = 1000;
/// Sizes with more supports are not searched: some tenths of a second.
const SUBSETS: u128 = 5_000_000;
/// Turns of choosing terms and finding values at most.
const TURNS: usize = 4;
/// A turn that adds less to the score is the last.
const GAIN: f64 = 1e-3;
/// Laws with sums of squares that differ by less are the same, from different starts.
const SAME: f64 = 1e-6;

/// The rows of a table, column by column.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// The columns of the features.
    pub features: &'a [&'a [f64]],
    /// The target.
    pub target: &'a [f64],
    /// One over the standard deviation of each row's noise, up to a factor; if not given, all
    /// count alike.
    pub precision: Option<&'a [f64]>,
}

/// What a law may be made of.
#[derive(Debug, Clone, Copy)]
pub struct Ingredients<'a> {
    /// Terms whose numbers are known.
    pub dictionary: &'a Dictionary,
    /// Those of them that are always in and do not count.
    pub always_in: &'a Support,
    /// Families of terms.
    pub families: &'a [Family],
    /// How many terms there were to choose from, where the dictionary is what was left of more,
    /// and all members are multiplied by what was chosen with it; zero where nothing was.
    pub n_choices: usize,
}

/// How many of the terms are in a law.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choice {
    /// As many as the data support.
    #[default]
    Best,
    /// All of them, each family once: the form of the law is known.
    All,
}

/// How laws with inner parameters are looked for.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `choice` | `Best` | whether terms are chosen, or all are in |
/// | `at_most` | 2 | members of one family in a law |
/// | `members` | any number | members of all families in a law |
/// | `max_terms` | 8 | terms of a law |
/// | `keep` | 5 | laws in the answer |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inner {
    /// Whether terms are chosen, or all are in.
    pub choice: Choice,
    /// How many members of one family a law may have.
    pub at_most: usize,
    /// How many members a law may have of all families together.
    pub members: usize,
    /// How many terms a law may have.
    pub max_terms: usize,
    /// How many laws are told.
    pub keep: usize,
}

impl Default for Inner {
    fn default() -> Self {
        Self {
            choice: Choice::default(),
            at_most: 2,
            members: usize::MAX,
            max_terms: 8,
            keep: 5,
        }
    }
}

/// A law with the values of its inner parameters.
#[derive(Debug, Clone)]
pub struct Law {
    /// Its terms, with numbers for parameters: those of the dictionary in its order, then members.
    pub terms: Vec<Term>,
    /// The coefficient of each term.
    pub coefficients: Vec<f64>,
    /// The inner parameters.
    pub parameters: Vec<Value>,
    /// The covariance of coefficients and parameters, in this order; none if they cannot be told
    /// apart or no degree of freedom is left.
    pub covariance: Option<Vec<Vec<f64>>>,
    /// The sum of squared residuals, weighted as the rows are.
    pub rss: f64,
    /// The noise level, if a degree of freedom is left.
    pub sigma: Option<f64>,
    /// Its score: the difference of two is the log of their odds.
    pub score: f64,
    /// How many terms and members there were to choose from.
    pub n_candidates: usize,
    /// The log of the number of laws with as many terms and members.
    pub(crate) log_n_laws: f64,
    /// The derivatives of the law by each parameter on every row, divided by the row's noise.
    pub(crate) slopes: Vec<Vec<f64>>,
    /// The members that are in it.
    pub(crate) members: Vec<Member>,
    /// Whether the parameters are at a minimum.
    pub converged: bool,
    /// What to know about the parameters.
    pub cautions: Vec<Caution>,
}

impl Law {
    /// The standard error of each coefficient.
    pub fn std_errors(&self) -> Option<Vec<f64>> {
        let covariance = self.covariance.as_ref()?;
        let errors = (0..self.coefficients.len()).map(|i| covariance[i][i].sqrt());
        Some(errors.collect())
    }
}

/// The value of an inner parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// Its name; a number is added from the second member of a family on: `a`, `a2`.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Its standard error.
    pub std_error: Option<f64>,
    /// Where it was looked for.
    pub range: (f64, f64),
    /// Whether the user gave that range; otherwise the value may be outside.
    pub is_limited: bool,
    /// The terms that it is in, by place.
    pub terms: Vec<usize>,
}

/// What to know about inner parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caution {
    /// The parameter ran to the end of its range.
    EndOfRange {
        /// Its name.
        name: String,
    },
    /// What a law divides by is zero somewhere between the data.
    Pole {
        /// What it divides by.
        divisor: String,
    },
    /// Two members of a family cannot be told apart.
    Merged {
        /// The names of the parameters of both.
        names: Vec<String>,
    },
}

/// A member of a law in the making: a family, the values of its parameters, and which of its
/// formulas are in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    pub(crate) family: usize,
    pub(crate) values: Vec<f64>,
    pub(crate) used: Vec<usize>,
}

/// A law in the making.
#[derive(Debug, Clone)]
struct Draft {
    linear: Vec<usize>,
    members: Vec<Member>,
    rss: f64,
    score: f64,
}

/// The best laws made of terms and members of families, best first.
///
/// # Errors
/// If a term of the dictionary has no finite value on some row.
pub fn learn_parameters(
    rows: &Rows<'_>,
    given: &Ingredients<'_>,
    settings: &Inner,
) -> Result<Vec<Law>> {
    let all = Columns::new(rows, given, usize::MAX)?;
    let some = Columns::new(rows, given, SOME)?;
    let grids: Vec<Vec<Vec<f64>>> = given
        .families
        .iter()
        .map(|family| family.grid(&some.features()))
        .collect();
    let hunt = Hunt {
        given,
        settings,
        columns: &some,
        grids: &grids,
    };
    let drafts = hunt.best_drafts();
    // Some rows show the members; which terms are in, all rows decide.
    let whole = Hunt {
        columns: &all,
        ..hunt
    };
    let finish = |draft: &Draft| {
        let chosen = match settings.choice {
            Choice::Best if all.len() > some.len() => whole.chosen(&draft.members),
            _ => None,
        };
        polished(&whole, chosen.as_ref().unwrap_or(draft))
    };
    Ok(whole.in_order(drafts.iter().filter_map(finish).collect()))
}

/// The same for rows that are integrals, with these values of each family's parameters to start
/// from.
pub(crate) fn learn_integrated(
    rows: &Integrated<'_>,
    given: &Ingredients<'_>,
    grids: &[Vec<Vec<f64>>],
    settings: &Inner,
) -> Result<Vec<Law>> {
    let hunt = Hunt {
        given,
        settings,
        columns: &Columns::integrated(rows, given)?,
        grids,
    };
    let laws = hunt.best_drafts();
    let laws = laws.iter().filter_map(|draft| polished(&hunt, draft));
    Ok(hunt.in_order(laws.collect()))
}

/// Laws with these members, each from the values it is given with: which of their formulas and
/// which terms are in, and the values at the minimum. After the first one it asks before each
/// whether to go on.
pub(crate) fn learn_from(
    rows: &Integrated<'_>,
    given: &Ingredients<'_>,
    grids: &[Vec<Vec<f64>>],
    (starts, go_on): (&[Vec<Member>], &dyn Fn() -> bool),
    settings: &Inner,
) -> Result<Vec<Law>> {
    let hunt = Hunt {
        given,
        settings,
        columns: &Columns::integrated(rows, given)?,
        grids,
    };
    let wanted = starts.iter().enumerate();
    let wanted = wanted.take_while(|(place, _)| *place == 0 || go_on());
    let laws = wanted.filter_map(|(_, members)| hunt.from(members));
    let laws = laws.filter_map(|draft| polished(&hunt, &draft));
    Ok(hunt.in_order(laws.collect()))
}

/// All that the search for members reads.
#[derive(Clone, Copy)]
struct Hunt<'a> {
    given: &'a Ingredients<'a>,
    settings: &'a Inner,
    columns: &'a Columns<'a>,
    grids: &'a [Vec<Vec<f64>>],
}

impl Hunt<'_> {
    /// Laws, best first, each once: a member such as `exp(a*x)*cos(w*x)` may end as one of another
    /// family, `exp(a*x)`.
    fn in_order(&self, mut laws: Vec<Law>) -> Vec<Law> {
        laws.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.rss.total_cmp(&b.rss)));
        let mut each: Vec<Law> = Vec::new();
        for law in laws {
            if !each.iter().any(|known| self.are_same(law.rss, known.rss)) {
                each.push(law);
            }
        }
        each
    }

    /// Whether laws with these sums of squares are the same, from different starts. If both leave
    /// rounding errors only, they are.
    fn are_same(&self, a: f64, b: f64) -> bool {
        (a - b).abs() <= SAME * b || a.max(b) <= ROUNDING * self.base()
    }

    /// The sum of squares without any term that counts.
    fn base(&self) -> f64 {
        let always_in = self.given.always_in.indices();
        self.columns.rss(always_in, &[]).unwrap_or(0.0)
    }

    /// The laws that are told, before all rows decide.
    fn best_drafts(&self) -> Vec<Draft> {
        let mut drafts = self.drafts();
        drafts.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.rss.total_cmp(&b.rss)));
        drafts.truncate(self.settings.keep);
        drafts
    }

    /// The best law with these members. With better values of the parameters another choice of
    /// terms may be better.
    fn from(&self, members: &[Member]) -> Option<Draft> {
        let with_all = |member: &Member| Member {
            used: (0..self.given.families[member.family].n_formulas()).collect(),
            ..member.clone()
        };
        let whole: Vec<Member> = members.iter().map(with_all).collect();
        if self.settings.choice == Choice::All {
            let linear: Vec<usize> = (0..self.given.dictionary.len()).collect();
            let (members, rss) = projected(self, &linear, whole)?;
            return Some(self.scored(linear, members, rss));
        }
        let mut best = self.chosen(&whole)?;
        for _ in 0..TURNS {
            let again: Vec<Member> = best.members.iter().map(with_all).collect();
            match self.chosen(&again) {
                Some(next) if next.score > best.score + GAIN => best = next,
                _ => break,
            }
        }
        Some(best)
    }

    /// Laws with more and more members, until more do not pay.
    fn drafts(&self) -> Vec<Draft> {
        let chooses = self.settings.choice == Choice::Best;
        let per_family = if chooses { self.settings.at_most } else { 1 };
        let levels = self.given.families.len() * per_family;
        let levels = levels.min(self.settings.members);
        let mut beam = self.without_members();
        let mut found = if chooses || levels == 0 {
            beam.clone()
        } else {
            Vec::new()
        };
        let highest = |drafts: &[Draft]| drafts.iter().map(|d| d.score).fold(f64::MIN, f64::max);
        for level in 1..=levels {
            let next = self.with_one_more(&beam);
            let is_better = highest(&next) > highest(&found);
            if chooses || level == levels {
                found.extend(next.iter().cloned());
            }
            if next.is_empty() || (chooses && !is_better) {
                break;
            }
            beam = next;
        }
        found
    }

    /// The best laws with one more member than these.
    fn with_one_more(&self, beam: &[Draft]) -> Vec<Draft> {
        let families = 0..self.given.families.len();
        let joined = |draft: &Draft| {
            let allowed = families.clone().filter(|&f| self.is_allowed(draft, f));
            allowed
                .flat_map(|family| self.joined(draft, family))
                .collect::<Vec<_>>()
        };
        let mut next = self.best(beam.iter().flat_map(joined).collect(), BEAM);
        let exchanged = next.iter().take(EXCHANGED);
        let exchanged = exchanged.flat_map(|draft| self.exchanged(draft)).collect();
        next.extend(self.best(exchanged, EXCHANGED));
        self.best(next, usize::MAX)
    }

    /// The best few drafts, each once.
    fn best(&self, mut drafts: Vec<Draft>, most: usize) -> Vec<Draft> {
        drafts.sort_by(|a, b| match self.settings.choice {
            Choice::Best => b.score.total_cmp(&a.score).then(a.rss.total_cmp(&b.rss)),
            Choice::All => a.rss.total_cmp(&b.rss),
        });
        drafts.dedup_by(|a, b| self.are_same(a.rss, b.rss));
        drafts.truncate(most);
        drafts
    }

    /// The draft with each of its members but the last looked for again: what imitated two of them
    /// together is often none of them.
    fn exchanged(&self, draft: &Draft) -> Vec<Draft> {
        let earlier = 0..draft.members.len().saturating_sub(1);
        let again = |place: usize| {
            let mut without = draft.clone();
            let member = without.members.remove(place);
            self.joined(&without, member.family)
        };
        earlier.flat_map(again).collect()
    }

    /// Laws of the dictionary alone: only what is always in, and the best ones.
    fn without_members(&self) -> Vec<Draft> {
        let always_in = self.given.always_in.indices().to_vec();
        let all = (0..self.given.dictionary.len()).collect();
        let linear = match self.settings.choice {
            Choice::Best => vec![always_in],
            Choice::All => vec![all],
        };
        let draft = |linear: Vec<usize>| {
            let rss = self.columns.rss(&linear, &[])?;
            Some(self.scored(linear, Vec::new(), rss))
        };
        let mut drafts: Vec<Draft> = linear.into_iter().filter_map(draft).collect();
        if self.settings.choice == Choice::Best {
            drafts.extend(self.chosen(&[]));
        }
        drafts
    }

    fn is_allowed(&self, draft: &Draft, family: usize) -> bool {
        let own = draft.members.iter().filter(|m| m.family == family).count();
        match self.settings.choice {
            Choice::Best => own < self.settings.at_most,
            // Of families that differ in names only, the first comes first.
            Choice::All => {
                let families = self.given.families;
                let is_in = |f: usize| draft.members.iter().any(|member| member.family == f);
                let like = (0..family).filter(|&f| families[f].is_like(&families[family]));
                own == 0 && like.into_iter().all(is_in)
            }
        }
    }

    /// The draft with one more member of a family, from several starts.
    fn joined(&self, draft: &Draft, family: usize) -> Vec<Draft> {
        let n_formulas = self.given.families[family].n_formulas();
        let with = |values: &[f64]| {
            let mut members = draft.members.clone();
            members.push(Member {
                family,
                values: values.to_vec(),
                used: (0..n_formulas).collect(),
            });
            members
        };
        let mut starts: Vec<(f64, &[f64])> = self.grids[family]
            .iter()
            .filter_map(|values| {
                let blocks = self.blocks(&with(values))?;
                Some((self.columns.rss(&draft.linear, &blocks)?, values.as_slice()))
            })
            .collect();
        starts.sort_by(|a, b| a.0.total_cmp(&b.0));
        let starts = apart(&starts, &self.grids[family]);
        let polish = |values: &[f64]| {
            let (members, rss) = projected(self, &draft.linear, with(values))?;
            Some(match self.settings.choice {
                Choice::All => vec![self.scored(draft.linear.clone(), members, rss)],
                Choice::Best => self.chosen(&members).into_iter().collect(),
            })
        };
        starts.into_iter().filter_map(polish).flatten().collect()
    }

    /// The columns of the formulas that members use; none if one is not finite.
    fn blocks(&self, members: &[Member]) -> Option<Vec<Vec<f64>>> {
        let mut blocks = Vec::new();
        for member in members {
            let family = &self.given.families[member.family];
            blocks.extend(self.columns.members(family, &member.used, &member.values)?);
        }
        Some(blocks)
    }

    /// The best choice of terms with these members, polished again if it differs.
    fn chosen(&self, members: &[Member]) -> Option<Draft> {
        let blocks = self.blocks(members)?;
        let columns = self.columns.all(&blocks);
        let triangle = Reduction::from_columns_in_double(&columns).triangle();
        let space = Search {
            max_terms: self.settings.max_terms,
            keep: 1,
            centre: self.given.always_in.clone(),
            ..Search::default()
        };
        let run = Run {
            threads: 1,
            go_on: Some(&|_, subsets| subsets <= SUBSETS),
            ..Run::default()
        };
        let found = search(&triangle, &space, &run, &mut ()).ok()?;
        let n_linear = self.given.dictionary.len();
        let candidates = found.sizes.iter().filter_map(|size| size.best.first());
        let drafts = candidates.filter_map(|candidate| {
            let support = candidate.support.union(self.given.always_in);
            let is_linear = |term: &usize| *term < n_linear;
            let linear: Vec<usize> = support
                .indices()
                .iter()
                .copied()
                .filter(is_linear)
                .collect();
            let kept = kept_members(members, support.indices(), n_linear);
            // The same terms with fewer members were looked at before.
            (kept.len() == members.len()).then(|| {
                let (kept, rss) = projected(self, &linear, kept)?;
                Some(self.scored(linear, kept, rss))
            })?
        });
        drafts.max_by(|a, b| a.score.total_cmp(&b.score))
    }
}

/// The members with the formulas that are in a support; those without any are left out.
fn kept_members(members: &[Member], support: &[usize], n_linear: usize) -> Vec<Member> {
    let mut first = n_linear;
    let mut kept = Vec::new();
    for member in members {
        let place = |(i, formula): (usize, &usize)| (first + i, *formula);
        let placed = member.used.iter().enumerate().map(place);
        let used: Vec<usize> = placed
            .filter(|(place, _)| support.contains(place))
            .map(|(_, formula)| formula)
            .collect();
        first += member.used.len();
        if !used.is_empty() {
            kept.push(Member {
                used,
                ..member.clone()
            });
        }
    }
    kept
}

/// The first few starts that are no neighbours of each other on the grid.
fn apart<'a>(starts: &[(f64, &'a [f64])], grid: &[Vec<f64>]) -> Vec<&'a [f64]> {
    let n_parameters = grid.first().map_or(0, Vec::len);
    let values_of = |parameter: usize| {
        let mut values: Vec<f64> = grid.iter().map(|values| values[parameter]).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    };
    let axes: Vec<Vec<f64>> = (0..n_parameters).map(values_of).collect();
    let place = |values: &[f64]| -> Vec<usize> {
        let pairs = axes.iter().zip(values);
        pairs
            .map(|(axis, value)| axis.partition_point(|v| v < value))
            .collect()
    };
    let mut taken: Vec<(Vec<usize>, &[f64])> = Vec::new();
    for (_, values) in starts {
        let here = place(values);
        let is_near = |(there, _): &(Vec<usize>, &[f64])| {
            here.iter().zip(there).all(|(a, b)| a.abs_diff(*b) <= 1)
        };
        if !taken.iter().any(is_near) {
            taken.push((here, values));
        }
        if taken.len() == STARTS {
            break;
        }
    }
    taken.into_iter().map(|(_, values)| values).collect()
}
