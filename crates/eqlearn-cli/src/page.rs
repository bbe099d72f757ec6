//! The result as a small page for people.

use std::fmt::{self, Write as _};
use std::io::IsTerminal as _;

use eqlearn::search::{EndReason, EndedEarly};
use eqlearn::tell::document::{
    CoefficientsOf, DiscoveryReport, Document, Equation, RegressionReport, SizeReport, TermEntry,
    TriedVocabulary,
};
use eqlearn::tell::verdict::IMITATION;
use eqlearn::tell::warning::{Code, Warning};
use eqlearn::terms::vocabulary::Vocabulary;
use eqlearn::with_error;
use terminal_size::terminal_size;

use crate::args::Color;

/// How much a page shows.
#[derive(Clone, Copy)]
pub(crate) struct Look {
    pub(crate) colours: bool,
    pub(crate) verbose: bool,
    /// Characters per line.
    pub(crate) width: usize,
}

impl Look {
    pub(crate) fn new(color: Color, verbose: bool) -> Self {
        let colours = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                std::io::stdout().is_terminal()
                    && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
            }
        };
        let columns = std::env::var("COLUMNS")
            .ok()
            .and_then(|columns| columns.parse().ok())
            .or_else(|| terminal_size().map(|(width, _)| usize::from(width.0)));
        Self {
            colours,
            verbose,
            width: columns.unwrap_or(100).max(60),
        }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colours {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_string()
        }
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(crate) fn faint(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// What a warning starts with.
    pub(crate) fn mark(self) -> String {
        self.paint("33", "!")
    }

    /// The text wrapped to the width of the page, indented by two blanks.
    pub(crate) fn wrapped(self, text: &str) -> Vec<String> {
        let mut lines = vec![String::from(" ")];
        for word in text.split(' ') {
            let last = lines.last_mut().expect("there is a first line");
            if last.chars().count() + 1 + word.chars().count() > self.width {
                lines.push(format!("  {word}"));
            } else {
                last.push(' ');
                last.push_str(word);
            }
        }
        lines
    }

    /// The text, cut to what is left of a line after `used` characters.
    pub(crate) fn cut(self, text: &str, used: usize) -> String {
        let room = self.width.saturating_sub(used).max(20);
        if text.chars().count() <= room {
            return text.to_string();
        }
        text.chars().take(room - 1).chain(['…']).collect()
    }
}

/// The whole page.
pub(crate) fn page(document: &Document, look: Look) -> String {
    let mut text = String::new();
    write_page(&mut text, document, look).expect("writing to a string cannot fail");
    text
}

fn write_page(text: &mut String, document: &Document, look: Look) -> fmt::Result {
    if document.equations.is_empty() {
        writeln!(text, "{}", look.bold("no equation"))?;
    }
    for why in document.warnings.iter().filter(|w| is_told_first(w)) {
        writeln!(text, "\n{}", why.message)?;
    }
    for (i, equation) in document.equations.iter().enumerate() {
        if i > 0 {
            text.push('\n');
        }
        write_equation(text, equation, look)?;
        let lists = document.discovery.iter().flat_map(|d| &d.lists);
        for own in lists.filter(|lists| lists.state == equation.target) {
            write_lists(text, &own.sizes, own.ended_early, look)?;
        }
    }
    if let Some(discovery) = &document.discovery {
        write_discovery(text, discovery, look)?;
    }
    if let Some(search) = &document.search {
        write_lists(text, &search.sizes, search.ended_early, look)?;
        if look.verbose {
            writeln!(text, "  {:.3} seconds", search.seconds)?;
        }
    }
    write_vocabularies(text, document, look)?;
    if let Some(regression) = &document.regression {
        write_regression(text, regression)?;
    }
    for warning in document.warnings.iter().filter(|w| !is_told_first(w)) {
        writeln!(text, "\n{} {}", look.mark(), warning.message)?;
    }
    let summary = format!(
        "{} rows, {} terms, method {}",
        document.n_obs, document.n_terms, document.method
    );
    writeln!(text, "\n{}", look.faint(&summary))
}

/// Why there is no equation stands where the equation would.
fn is_told_first(warning: &Warning) -> bool {
    warning.code == Code::NoEquation
}

/// Says that the law is probably another, before the equation.
fn write_misfit(text: &mut String, equation: &Equation, look: Look) -> fmt::Result {
    match equation.misfit {
        Some(misfit) if misfit.probability > IMITATION => writeln!(
            text,
            "{} probably not the law (probability {:.3} that it is none of those listed):",
            look.mark(),
            misfit.probability
        ),
        _ => Ok(()),
    }
}

fn write_equation(text: &mut String, equation: &Equation, look: Look) -> fmt::Result {
    write_misfit(text, equation, look)?;
    writeln!(text, "{}\n", look.bold(&equation.text))?;
    write_terms(text, equation, look)?;
    write_parameters(text, equation, look)?;
    let sigma = equation.sigma.map_or("–".into(), |s| format!("{s:.6e}"));
    writeln!(
        text,
        "\n  1 − R² = {:.6e}   σ = {sigma}",
        equation.one_minus_r2
    )?;
    if let Some(probability) = equation.probability {
        write!(
            text,
            "  probability {probability:.3} among the equations listed"
        )?;
        if let Some(other) = &equation.runner_up {
            let terms = if other.terms.is_empty() {
                "none".to_string()
            } else {
                other.terms.join(", ")
            };
            let share = other
                .probability
                .map_or(String::new(), |p| format!(" with {p:.3}"));
            write!(text, ";\n  the next{share}: {}", look.cut(&terms, 24))?;
        }
        text.push('\n');
    }
    Ok(())
}

/// The terms with their coefficients; those of a fraction first above, then below the line.
fn write_terms(text: &mut String, equation: &Equation, look: Look) -> fmt::Result {
    let below = |row: &TermEntry| format!("/ {}", row.term);
    let sum = equation
        .terms
        .iter()
        .chain(equation.numerator.iter().flatten());
    let mut rows: Vec<(String, &TermEntry)> = sum.map(|row| (row.term.clone(), row)).collect();
    let denominator = equation.denominator.iter().flatten();
    rows.extend(denominator.map(|row| (below(row), row)));
    let widths = rows.iter().map(|(name, _)| name.chars().count());
    let width = widths.max().unwrap_or(0).max("term".len());
    let header = format!(
        "  {:width$}  {:>18}  {:>12}  {:>9}  {:>6}",
        "term", "coefficient", "std. error", "t", "in"
    );
    writeln!(text, "{}", look.faint(&header))?;
    for (name, term) in rows {
        let error = term.std_error.map_or("–".into(), |e| format!("{e:.3e}"));
        let t = term
            .std_error
            .filter(|e| *e > 0.0)
            .map_or("–".into(), |e| format!("{:.2}", term.coefficient / e));
        let inclusion = term.inclusion.map_or("–".into(), |p| format!("{p:.3}"));
        let coefficient = with_error(term.coefficient, term.std_error);
        writeln!(
            text,
            "  {name:width$}  {coefficient:>18}  {error:>12}  {t:>9}  {inclusion:>6}"
        )?;
    }
    Ok(())
}

/// The inner parameters, whose values are in the terms.
fn write_parameters(text: &mut String, equation: &Equation, look: Look) -> fmt::Result {
    let names = equation.parameters.iter().map(|p| p.name.chars().count());
    let Some(width) = names.max() else {
        return Ok(());
    };
    let width = width.max("parameter".len());
    let header = format!(
        "  {:width$}  {:>18}  {:>12}",
        "parameter", "value", "std. error"
    );
    writeln!(text, "\n{}", look.faint(&header))?;
    for parameter in &equation.parameters {
        let error = parameter
            .std_error
            .map_or("–".into(), |e| format!("{e:.3e}"));
        let value = with_error(parameter.value, parameter.std_error);
        writeln!(
            text,
            "  {:width$}  {value:>18}  {error:>12}",
            parameter.name
        )?;
    }
    Ok(())
}

/// What was tried beyond the dictionary: the best of each vocabulary, or all. Nothing where the
/// plain dictionary won and nothing speaks against it.
fn write_vocabularies(text: &mut String, document: &Document, look: Look) -> fmt::Result {
    let plain = |equation: &Equation| {
        let inside = equation.misfit.is_none_or(|m| m.probability <= IMITATION);
        equation.vocabulary == Vocabulary::Monomials && inside
    };
    let of_note = look.verbose || !document.equations.iter().all(plain);
    if document.vocabularies.is_empty() || !of_note {
        return Ok(());
    }
    let all = &document.vocabularies;
    let is_best = |tried: &&TriedVocabulary| {
        let kind = |t: &TriedVocabulary| (t.target.clone(), t.vocabulary);
        let same = all.iter().filter(|t| kind(t) == kind(tried));
        look.verbose || same.into_iter().all(|t| t.log_odds <= tried.log_odds)
    };
    let header = format!(
        "  {:<10}  {:>5}  {:>10}  {:>8}  {}",
        "vocabulary", "terms", "log odds", "misfit", "best equation"
    );
    writeln!(text, "\n{}", look.faint(&header))?;
    for tried in all.iter().filter(is_best) {
        let misfit = tried
            .misfit
            .map_or("–".into(), |m| format!("{:.3}", m.probability));
        writeln!(
            text,
            "  {:<10}  {:>5}  {:>10.1}  {misfit:>8}  {}",
            tried.vocabulary.word(),
            tried.n_terms,
            tried.log_odds,
            look.cut(&tried.equation, 44)
        )?;
    }
    Ok(())
}

fn write_regression(text: &mut String, regression: &RegressionReport) -> fmt::Result {
    if let Some(tuning) = &regression.tuning {
        writeln!(
            text,
            "  {} = {} by cross-validation, {} values tried",
            tuning.knob,
            with_error(tuning.chosen, None),
            tuning.curve.len()
        )?;
    }
    match regression.proven {
        Some(true) => writeln!(text, "  proven: no other equation of this size does better")?,
        Some(false) => writeln!(text, "  not proven: the search was stopped")?,
        None => {}
    }
    if regression.coefficients == CoefficientsOf::Method {
        let hint = "--refit replaces them by least squares";
        writeln!(text, "  the coefficients are the method's own; {hint}")?;
    }
    Ok(())
}

/// How rows were made, and how simulations went.
fn write_discovery(text: &mut String, discovery: &DiscoveryReport, look: Look) -> fmt::Result {
    let choice = &discovery.choice;
    let heading = format!("rows: {}", choice.rows);
    writeln!(text, "\n  {}", look.bold(&heading))?;
    for reason in &choice.why {
        writeln!(text, "  {reason}")?;
    }
    let noise: Vec<String> = choice
        .noise
        .iter()
        .map(|sigma| format!("{sigma:.2e}"))
        .collect();
    writeln!(text, "  noise of the states: {}", noise.join(", "))?;
    if let Some(opinion) = &choice.second_opinion {
        let verdict = match opinion.changed.as_slice() {
            [] => "no answer changed".to_string(),
            changed => format!("the answer changed for {}", changed.join(", ")),
        };
        writeln!(
            text,
            "  {} nearly as probable equations were simulated in {} windows: {verdict}",
            opinion.finalists, opinion.windows
        )?;
    }
    if let Some(refined) = &discovery.refined {
        writeln!(
            text,
            "  coefficients fitted to the trajectories in {} windows: \
             the residual was {:.3} times the noise and is {:.3} times",
            refined.windows, refined.distance_before, refined.distance_after
        )?;
    }
    if let Some(forecast) = &discovery.forecast {
        let followed = forecast.windows - forecast.failures;
        write!(
            text,
            "  simulated from {} points of the record for {:.3}: {followed} reached the end",
            forecast.windows, forecast.duration
        )?;
        if let Some(errors) = &forecast.mean_absolute_error {
            let errors: Vec<String> = errors.iter().map(|error| format!("{error:.2e}")).collect();
            write!(text, ", mean absolute error {}", errors.join(", "))?;
        }
        text.push('\n');
    }
    Ok(())
}

/// The best equations of every size.
fn write_lists(
    text: &mut String,
    sizes: &[SizeReport],
    ended_early: Option<EndedEarly>,
    look: Look,
) -> fmt::Result {
    let header = format!(
        "  {:>4}  {:>12}  {:>12}  {}",
        "size", "subsets", "1 − R²", "best terms"
    );
    writeln!(text, "\n{}", look.faint(&header))?;
    for size in sizes {
        let proof = if size.exact { "" } else { " (not proven)" };
        let shown = if look.verbose { 3 } else { 1 };
        for (rank, model) in size.best.iter().take(shown).enumerate() {
            let (number, subsets) = if rank == 0 {
                (
                    size.size.to_string(),
                    if size.subsets < 1_000_000_000 {
                        size.subsets.to_string()
                    } else {
                        format!("{:.2e}", size.subsets as f64)
                    },
                )
            } else {
                (String::new(), String::new())
            };
            let terms = look.cut(&model.terms.join(", "), 36 + proof.len());
            writeln!(
                text,
                "  {number:>4}  {subsets:>12}  {:>12.4e}  {terms}{proof}",
                model.one_minus_r2
            )?;
        }
        if look.verbose {
            let c = &size.certificate;
            let line = format!(
                "        excluded by bound {}, enumerated {}, scored by QR {}, margin {:.1e}",
                c.excluded, c.enumerated, c.rescored, c.margin
            );
            writeln!(text, "{}", look.faint(&line))?;
        }
    }
    let end = ended_early.map(|end| match end.reason {
        EndReason::Proven { .. } => format!(
            "  no equation with more than {} term{} can do better",
            end.after,
            if end.after == 1 { "" } else { "s" }
        ),
        EndReason::Declined => format!(
            "  larger sizes were not searched: {} terms did not improve the answer \
             (--method best-subset searches all sizes)",
            end.after
        ),
    });
    if let Some(end) = end {
        writeln!(text, "{}", look.faint(&end))?;
    }
    Ok(())
}
