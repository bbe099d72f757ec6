//! What `fit` says of a set without any flag, against the certified law.
//!
//! The laws of these sets are what NIST fitted, not what is behind the data: of real measurements
//! nobody knows that. So an answer is held against the certified law by the data. It is as good if
//! the log of the odds by their sums of squares, with a price for each parameter, is not clearly
//! for the certified one:
//!
//! ```text
//! n/2 · ln(rss / rss certified) + (m − m certified)/2 · ln n  ≤  ln 20
//! ```
//!
//! Where the noise is not even, rows were weighted for the answer. Plain squares would then be
//! those of the few rows with the most noise, so the certified law is fitted with the same weights
//! and both sums are weighted.
//!
//! A worse answer is claimed wrongly if it has a probability of at least one half and nothing in it
//! says that the law may be another: no misfit, and no word that the rows are too few to judge one.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::read::{Set, TARGET};
use super::{Nist, Outcome, with_form};
use crate::learner::Found;
use eqlearn::{Learned, Model, Table};
use eqlearn_reproduce::runner::LineOf;

/// The log of the odds that are clear.
const CLEAR: f64 = 3.0;

/// What was found without any flag.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Open {
    verdict: Verdict,
    text: String,
    probability: Option<f64>,
    misfit: Option<f64>,
    /// The residual's root mean square over that of the certified law.
    ratio: Option<f64>,
    /// Whether rows were weighted by their noise, and both are compared with these weights.
    weighted: bool,
}

#[cfg(test)]
impl Open {
    pub(super) fn is_as_good_by_weights(&self) -> bool {
        self.weighted && self.verdict == Verdict::AsGood
    }
}

/// What became of a law.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Verdict {
    /// The answer is as good as the certified law.
    AsGood,
    /// It is worse, and says that the law may be another.
    SaidOutside,
    /// It is worse, and does not say so.
    ClaimedWrongly,
}

impl Verdict {
    const ALL: [Self; 3] = [Self::AsGood, Self::SaidOutside, Self::ClaimedWrongly];

    fn words(self) -> &'static str {
        match self {
            Self::AsGood => "as good",
            Self::SaidOutside => "said outside",
            Self::ClaimedWrongly => "claimed wrongly",
        }
    }
}

/// Holds an answer against the certified law.
pub(super) fn judged(set: &Set, learned: Option<&Learned>) -> Open {
    let found = learned.map_or_else(Found::default, |learned| Found::new(&learned.study));
    let weighted = learned.and_then(Rows::weighted);
    let own = weighted.as_ref().and_then(|rows| rows.certified_rss(set));
    let rows = weighted.as_ref().filter(|_| own.is_some());
    let plain = Rows::plain(&set.shuffled);
    let certified = own.unwrap_or_else(|| plain.plain_rss(set));
    let rows_of_both = rows.unwrap_or(&plain);
    let model = found.model.as_ref();
    let rss = model.and_then(|model| rows_of_both.squares(model, |value| value));
    let n = rows_of_both.table.n_rows() as f64;
    let worse = rss.map(|rss| {
        let m = found.n_parameters() as f64 - set.certified.len() as f64;
        0.5 * n * (rss / certified).ln() + 0.5 * m * n.ln()
    });
    let verdict = match worse {
        Some(worse) if worse <= CLEAR => Verdict::AsGood,
        _ if found.says_outside() => Verdict::SaidOutside,
        _ => Verdict::ClaimedWrongly,
    };
    Open {
        verdict,
        probability: found.probability,
        misfit: found.misfit,
        ratio: rss.map(|rss| (rss / certified).sqrt()),
        weighted: rows.is_some(),
        text: found.text,
    }
}

/// Rows by which an answer and the certified law are compared, with a weight for each.
struct Rows {
    table: Table,
    weights: Vec<f64>,
}

impl Rows {
    /// All rows alike.
    fn plain(table: &Table) -> Self {
        Self {
            table: table.clone(),
            weights: vec![1.0; table.n_rows()],
        }
    }

    /// The rows that an answer was learned from, if they were weighted by their noise.
    fn weighted(learned: &Learned) -> Option<Self> {
        let (name, _) = learned.noise.weights.as_ref()?;
        let [table] = learned.rows.as_deref()? else {
            return None;
        };
        let weights = table.column(name).ok()?.to_vec();
        let table = table.clone();
        Some(Self { table, weights })
    }

    /// The weighted squares of what a law leaves of the target, if `told` makes the target of its
    /// values; none if it has no value on some row.
    fn squares(&self, law: &Model, told: impl Fn(f64) -> f64) -> Option<f64> {
        let predicted = law.predict(&self.table).ok()?;
        let target = self.table.column(TARGET).ok()?;
        let both = target.iter().zip(&predicted).zip(&self.weights);
        Some(both.map(|((y, f), w)| w * (y - told(*f)).powi(2)).sum())
    }

    /// The sum of squares of the certified law, in units of the target itself.
    fn plain_rss(&self, set: &Set) -> f64 {
        if !set.form.has_log_target() {
            return set.rss;
        }
        let law = with_form(set.form, &set.of_form, None);
        let squares = law.and_then(|law| self.squares(&law, f64::exp));
        squares.expect("the form is given, and has a value on its rows")
    }

    /// The same with the law fitted by the weights of these rows; none where its form cannot be
    /// said.
    fn certified_rss(&self, set: &Set) -> Option<f64> {
        let is_log = set.form.has_log_target();
        let is_feature = |name: &&String| *name != TARGET && set.shuffled.column(name).is_ok();
        let names = self.table.names().iter().filter(is_feature);
        let column = |name: &str| self.table.column(name).map(<[f64]>::to_vec);
        let mut columns: Vec<(String, Vec<f64>)> = Vec::new();
        for name in names {
            columns.push((name.clone(), column(name).ok()?));
        }
        let target = column(TARGET).ok()?;
        // The noise of log(y) is that of y divided by y.
        let weight = |(w, y): (&f64, &f64)| if is_log { w * y * y } else { *w };
        let weights = self.weights.iter().zip(&target).map(weight).collect();
        let told = |y: &f64| if is_log { y.ln() } else { *y };
        columns.push((TARGET.into(), target.iter().map(told).collect()));
        columns.push((WEIGHTS.into(), weights));
        let rows = Table::new(columns).ok()?;
        let law = with_form(set.form, &rows, Some(WEIGHTS))?;
        self.squares(&law, |value| if is_log { value.exp() } else { value })
    }
}

/// The column of weights that the certified law is fitted with.
const WEIGHTS: &str = "weight";

/// The table of what was said without any flag.
pub(super) fn table(lines: &[LineOf<Nist>]) -> String {
    let mut text = format!(
        "without any flag, rows shuffled\n\n{:<9} {:<15} {:>6} {:>6} {:>6} {:>8}  equation\n",
        "set", "verdict", "prob.", "misfit", "rms", "weights"
    );
    let open = || {
        lines.iter().filter_map(|line| match &line.outcome {
            Outcome::Open(open) => Some((&line.scenario, open)),
            Outcome::Digits { .. } => None,
        })
    };
    let shown = |value: Option<f64>| value.map_or("–".to_string(), |value| format!("{value:.2}"));
    for (name, open) in open() {
        let _ = writeln!(
            text,
            "{name:<9} {:<15} {:>6} {:>6} {:>6} {:>8}  {}",
            open.verdict.words(),
            shown(open.probability),
            shown(open.misfit),
            shown(open.ratio),
            if open.weighted { "by noise" } else { "–" },
            match &*open.text {
                "" => "no equation",
                equation => equation,
            }
        );
    }
    text.push('\n');
    for verdict in Verdict::ALL {
        let count = open().filter(|(_, open)| open.verdict == verdict).count();
        let _ = writeln!(text, "{:<15} {count}", verdict.words());
    }
    text
}
