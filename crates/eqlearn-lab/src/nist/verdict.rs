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
//! A worse answer is claimed wrongly if it has a probability of at least one half and nothing in it
//! says that the law may be another: no misfit, and no word that the rows are too few to judge one.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::read::{Set, TARGET};
use super::{Nist, Outcome, with_form};
use crate::learner::Found;
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
pub(super) fn judged(set: &Set, found: &Found) -> Open {
    let rows = &set.shuffled;
    let target = rows.column(TARGET).expect("tables have a target");
    let squares = |predicted: &[f64]| -> f64 {
        let both = target.iter().zip(predicted);
        both.map(|(y, f)| (y - f).powi(2)).sum()
    };
    let predicted = found.model.as_ref().map(|model| model.predict(rows));
    let rss = predicted
        .and_then(Result::ok)
        .map(|values| squares(&values));
    let n = target.len() as f64;
    let certified = certified_rss(set, &squares);
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
        text: found.text.clone(),
        probability: found.probability,
        misfit: found.misfit,
        ratio: rss.map(|rss| (rss / certified).sqrt()),
    }
}

/// The sum of squares of the certified law, in units of the target itself.
fn certified_rss(set: &Set, squares: &dyn Fn(&[f64]) -> f64) -> f64 {
    if !set.form.has_log_target() {
        return set.rss;
    }
    let law = with_form(set).expect("the form is given");
    let logs = law
        .predict(&set.shuffled)
        .expect("the law has a value on its rows");
    squares(&logs.iter().map(|log| log.exp()).collect::<Vec<f64>>())
}

/// The table of what was said without any flag.
pub(super) fn table(lines: &[LineOf<Nist>]) -> String {
    let mut text = format!(
        "without any flag, rows shuffled\n\n{:<9} {:<15} {:>6} {:>6} {:>6}  equation\n",
        "set", "verdict", "prob.", "misfit", "rms"
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
            "{name:<9} {:<15} {:>6} {:>6} {:>6}  {}",
            open.verdict.words(),
            shown(open.probability),
            shown(open.misfit),
            shown(open.ratio),
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
