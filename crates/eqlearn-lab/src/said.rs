//! How often a misfit was said of equations, and of those whose error could be seen.

/// The log Bayes factor from which on a misfit is said.
pub(crate) const SAID: f64 = 3.0;

/// An imitation whose error is below this, as a sum of squares in units of the noise, cannot be
/// told from the law by any test.
pub(crate) const VISIBLE: f64 = 30.0;

/// What was said of an equation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Said {
    /// None where it could not be judged.
    pub(crate) log_bayes_factor: Option<f64>,
    /// The error of an imitation, as a sum of squares in units of the noise; none without noise.
    pub(crate) imitation: Option<f64>,
}

impl Said {
    /// Whether a misfit was said.
    pub(crate) fn is_said(&self) -> bool {
        self.log_bayes_factor.is_some_and(|log| log > SAID)
    }
}

/// Equations, and what was said of them.
#[derive(Default)]
pub(crate) struct Count {
    pub(crate) equations: usize,
    pub(crate) said: usize,
    pub(crate) unjudged: usize,
    /// Equations whose law can be told from its imitation, and what was said of those.
    pub(crate) visible: usize,
    pub(crate) said_of_visible: usize,
    largest: Option<f64>,
    smallest: Option<f64>,
}

impl Count {
    pub(crate) fn of(all: impl Iterator<Item = Said>) -> Self {
        let mut count = Self::default();
        for one in all {
            let said = one.is_said();
            let visible = one.imitation.is_none_or(|squares| squares > VISIBLE);
            count.equations += 1;
            count.said += usize::from(said);
            count.unjudged += usize::from(one.log_bayes_factor.is_none());
            count.visible += usize::from(visible);
            count.said_of_visible += usize::from(said && visible);
            let all = |known: Option<f64>| known.into_iter().chain(one.log_bayes_factor);
            count.largest = all(count.largest).max_by(f64::total_cmp);
            count.smallest = all(count.smallest).min_by(f64::total_cmp);
        }
        count
    }

    /// The largest log Bayes factor, for a table.
    pub(crate) fn largest(&self) -> String {
        or_dash(self.largest)
    }

    /// The smallest log Bayes factor, for a table.
    pub(crate) fn smallest(&self) -> String {
        or_dash(self.smallest)
    }
}

fn or_dash(value: Option<f64>) -> String {
    value.map_or("-".into(), |log| format!("{log:.2}"))
}
