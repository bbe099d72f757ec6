//! Tables of an experiment: identification and forecasts by method, overall and by what was varied.

use super::sheet::Sheet;
use super::statistics::{mean, median};
use crate::paper::{Contender, Line, PaperExperiment, Scenario, Timing, label};

/// The methods of some lines: the contenders in their usual order, then others by name.
pub(super) fn methods(lines: &[Line]) -> Vec<String> {
    let mut methods: Vec<String> = lines.iter().map(|line| line.method.clone()).collect();
    let rank = |name: &str| {
        let place = Contender::ALL.iter().position(|c| c.name() == name);
        place.unwrap_or(Contender::ALL.len())
    };
    methods.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.cmp(b)));
    methods.dedup();
    methods
}

/// The lines of one method.
pub(super) fn of<'a>(lines: &'a [Line], method: &'a str) -> impl Iterator<Item = &'a Line> + Clone {
    lines.iter().filter(move |line| line.method == method)
}

/// How a method did on a group of scenarios.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Summary {
    /// How many scenarios.
    pub scenarios: usize,
    /// Equations identified on average.
    pub equations: f64,
    /// The share of scenarios in which all of them were.
    pub complete: f64,
    /// True terms found minus wrong terms found, over all equations, on average.
    pub n_diff: f64,
    /// Terms of all equations on average.
    pub n_model: f64,
    /// The share of forecasts that did not reach the end; none without forecasts.
    pub unsolvable: Option<f64>,
    /// The median of the mean absolute errors of the others.
    pub mae: Option<f64>,
    /// The median of that times the number of terms.
    pub mae_times_size: Option<f64>,
}

impl Summary {
    /// Sums lines up; none if there are none.
    pub(super) fn new<'a>(lines: impl Iterator<Item = &'a Line>) -> Option<Self> {
        let lines: Vec<&Line> = lines.collect();
        let average = |value: &dyn Fn(&Line) -> f64| {
            let values: Vec<f64> = lines.iter().map(|line| value(line)).collect();
            mean(&values)
        };
        let forecasts = lines.iter().flat_map(|line| &line.outcome.score.mae);
        let (tried, failed) = forecasts.fold((0_usize, 0_usize), |(tried, failed), mae| {
            (tried + 1, failed + usize::from(mae.is_none()))
        });
        let errors = |times_size: bool| {
            let scaled = lines.iter().flat_map(|line| {
                let size = if times_size {
                    line.outcome.score.n_model
                } else {
                    1
                };
                let errors = line.outcome.score.mae.iter().flatten();
                errors.map(move |mae| mae * size as f64)
            });
            median(&scaled.collect::<Vec<_>>())
        };
        Some(Self {
            scenarios: lines.len(),
            equations: average(&|line| line.outcome.n_right() as f64)?,
            complete: average(&|line| f64::from(u8::from(line.outcome.is_complete())))?,
            n_diff: average(&|line| f64::from(line.outcome.score.n_diff.iter().sum::<i32>()))?,
            n_model: average(&|line| line.outcome.score.n_model as f64)?,
            unsolvable: (tried > 0).then(|| failed as f64 / tried as f64),
            mae: errors(false),
            mae_times_size: errors(true),
        })
    }
}

/// All tables of an experiment, the most important first.
pub(super) fn sheets(experiment: PaperExperiment, lines: &[Line]) -> Vec<Sheet> {
    if lines.is_empty() {
        return Vec::new();
    }
    match experiment {
        PaperExperiment::Polynomials => vec![polynomials(lines)],
        _ => vec![
            overall(experiment, lines),
            by(experiment, lines, &BY_SIZE),
            by(experiment, lines, &BY_STEP),
            by(experiment, lines, &BY_NOISE),
        ],
    }
}

fn polynomials(lines: &[Line]) -> Sheet {
    let title = "Random polynomials: exact recovery in %, and in brackets the mean N_diff (at most \
        the number of terms)";
    let mut sheet = Sheet::new(
        "polynomials",
        title,
        &["method", "2 terms, N=20", "3 terms, N=65", "4 terms, N=95"],
    );
    for method in methods(lines) {
        let mut row = vec![label(&method).to_string()];
        for n_terms in 2..=4 {
            let group = of(lines, &method).filter(|line| line.scenario.n_terms == Some(n_terms));
            row.push(Summary::new(group).map_or_else(dash, |summary| {
                format!("{:.0} ({:.2})", 100.0 * summary.complete, summary.n_diff)
            }));
        }
        sheet.rows.push(row);
    }
    sheet
}

fn overall(experiment: PaperExperiment, lines: &[Line]) -> Sheet {
    let title = format!(
        "{}: {} scenarios",
        experiment.title(),
        scenarios_of(lines).len()
    );
    let header = [
        "method",
        "equations of 3",
        "complete %",
        "N_diff",
        "terms",
        "unsolvable %",
        "median MAE",
        "median MAE × terms",
    ];
    let mut sheet = Sheet::new(experiment.name(), &title, &header);
    for method in methods(lines) {
        let Some(summary) = Summary::new(of(lines, &method)) else {
            continue;
        };
        let optional = |value: Option<f64>| value.map_or_else(dash, |value| format!("{value:.3}"));
        sheet.rows.push(vec![
            label(&method).to_string(),
            format!("{:.2}", summary.equations),
            format!("{:.0}", 100.0 * summary.complete),
            format!("{:.1}", summary.n_diff),
            format!("{:.1}", summary.n_model),
            summary
                .unsolvable
                .map_or_else(dash, |share| format!("{:.1}", 100.0 * share)),
            optional(summary.mae),
            optional(summary.mae_times_size),
        ]);
    }
    sheet
}

/// Something that scenarios differ in.
pub(super) struct Split {
    /// Its symbol.
    pub symbol: &'static str,
    /// Its name in files.
    pub name: &'static str,
    /// Its value in a scenario.
    pub value: fn(&Line) -> f64,
}

impl std::fmt::Debug for Split {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.symbol)
    }
}

/// By the number of samples.
pub(super) const BY_SIZE: Split = Split {
    symbol: "N",
    name: "by-n",
    value: |line| line.scenario.n_obs as f64,
};
/// By the time step.
pub(super) const BY_STEP: Split = Split {
    symbol: "Δt",
    name: "by-step",
    value: |line| line.scenario.step.unwrap_or(f64::NAN),
};
/// By the noise.
pub(super) const BY_NOISE: Split = Split {
    symbol: "σ",
    name: "by-noise",
    value: |line| line.scenario.sigma,
};

impl Split {
    /// The values that occur, ascending.
    pub(super) fn values(&self, lines: &[Line]) -> Vec<f64> {
        let mut values: Vec<f64> = lines.iter().map(self.value).collect();
        values.sort_by(f64::total_cmp);
        values.dedup_by(|a, b| a.to_bits() == b.to_bits());
        values
    }

    /// Whether a line has this value.
    pub(super) fn is(&self, line: &Line, value: f64) -> bool {
        (self.value)(line).to_bits() == value.to_bits()
    }
}

fn by(experiment: PaperExperiment, lines: &[Line], split: &Split) -> Sheet {
    let values = split.values(lines);
    let mut header = vec!["method".to_string()];
    header.extend(
        values
            .iter()
            .map(|value| format!("{} = {value}", split.symbol)),
    );
    let mut sheet = Sheet {
        name: format!("{}-{}", experiment.name(), split.name),
        title: format!("{}: equations of 3 by {}", experiment.title(), split.symbol),
        header,
        rows: Vec::new(),
    };
    for method in methods(lines) {
        let cell = |value: &f64| {
            let group = of(lines, &method).filter(|line| split.is(line, *value));
            Summary::new(group).map_or_else(dash, |summary| format!("{:.2}", summary.equations))
        };
        let cells = values.iter().map(cell);
        let row = std::iter::once(label(&method).to_string()).chain(cells);
        sheet.rows.push(row.collect());
    }
    sheet
}

/// How long methods took, per scenario: median and longest.
pub(super) fn times(experiment: PaperExperiment, times: &[Timing]) -> Sheet {
    let title = format!("{}: seconds per scenario on one thread", experiment.title());
    let name = format!("{}-times", experiment.name());
    let mut sheet = Sheet::new(&name, &title, &["method", "median", "longest"]);
    for contender in Contender::ALL {
        let own = times.iter().filter(|t| t.method == contender.name());
        let seconds: Vec<f64> = own.map(|timing| timing.seconds).collect();
        let Some(middle) = median(&seconds) else {
            continue;
        };
        let longest = seconds.iter().copied().fold(0.0, f64::max);
        sheet.rows.push(vec![
            label(contender.name()).to_string(),
            format!("{middle:.4}"),
            format!("{longest:.3}"),
        ]);
    }
    sheet
}

/// The scenarios of some lines, each once.
pub(super) fn scenarios_of(lines: &[Line]) -> Vec<&Scenario> {
    let mut scenarios: Vec<&Scenario> = Vec::new();
    for line in lines {
        if !scenarios.contains(&&line.scenario) {
            scenarios.push(&line.scenario);
        }
    }
    scenarios
}

fn dash() -> String {
    "–".to_string()
}
