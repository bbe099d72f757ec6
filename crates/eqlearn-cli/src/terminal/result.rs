//! The result as people read it at a terminal: the equation, how sure it is, and what else there
//! was, in numbers of three digits. How it was found comes with `--verbose`.

use std::fmt::{self, Write as _};

use eqlearn::dynamics::discover::Because;
use eqlearn::error::counted;
use eqlearn::search::{EndReason, EndedEarly};
use eqlearn::tell::document::{
    CoefficientsOf, DiscoveryReport, Document, Equation, RegressionReport, RunnerUp, SizeReport,
    TermEntry, TriedVocabulary,
};
use eqlearn::tell::verdict::{IMITATION, probability};
use eqlearn::tell::warning::{Code, Warning};
use eqlearn::terms::vocabulary::Vocabulary;
use eqlearn::with_error;

use super::Look;
use super::field::write_field;
use super::fold::{equation, listing, numbers, sentence, three, warning};
use super::groups::write_groups;

/// A coefficient this many times its error has no error: the data have no noise.
const EXACT: f64 = 1e14;

/// A share of the variance that is below this is no noise.
const ROUNDING: f64 = 1e-28;

/// The whole result.
pub(crate) fn result(document: &Document, look: Look) -> String {
    let mut text = String::new();
    write_result(&mut text, document, look).expect("writing to a string cannot fail");
    text
}

fn write_result(text: &mut String, document: &Document, look: Look) -> fmt::Result {
    if document.equations.is_empty() {
        writeln!(text, "{}", look.bold("no equation"))?;
    }
    for why in document.warnings.iter().filter(|w| is_told_first(w)) {
        write!(text, "\n{}", sentence(&why.message, "", look))?;
    }
    for (i, equation) in document.equations.iter().enumerate() {
        if i > 0 {
            text.push('\n');
        }
        write_equation(text, document, equation, look)?;
        let lists = document.lists().iter();
        for own in lists.filter(|lists| lists.state == equation.target) {
            write_lists(text, &own.sizes, own.ended_early, look)?;
        }
    }
    if let Some(discovery) = document.motion() {
        write_discovery(text, document, discovery, look)?;
    }
    if let Some(field) = document.of_field() {
        write_field(text, field, look);
    }
    if let Some(search) = &document.search {
        write_lists(text, &search.sizes, search.ended_early, look)?;
        if look.verbose {
            writeln!(text, "  {:.3} seconds", search.seconds)?;
        }
    }
    write_vocabularies(text, document, look)?;
    if let Some(regression) = &document.regression {
        write_regression(text, regression, look)?;
    }
    for said in document.warnings.iter().filter(|w| !is_told_first(w)) {
        write!(text, "\n{}", warning(&look.term(&said.message), look))?;
    }
    let summary = format!(
        "{}, {}, method {}",
        counted(document.n_obs, "row"),
        counted(document.n_terms, "term"),
        document.method
    );
    writeln!(text, "\n{}", look.faint(&summary))
}

/// Why there is no equation stands where the equation would.
fn is_told_first(warning: &Warning) -> bool {
    warning.code == Code::NoEquation
}

fn write_equation(
    text: &mut String,
    document: &Document,
    one: &Equation,
    look: Look,
) -> fmt::Result {
    if let Some(misfit) = one.misfit.filter(|m| m.probability > IMITATION) {
        let said = format!(
            "probably not the law (probability {} that it is none of those listed):",
            probability(misfit.probability)
        );
        text.push_str(&warning(&said, look));
    }
    for line in equation(&one.text, look.width) {
        writeln!(text, "{}", look.bold(&line))?;
    }
    text.push('\n');
    match &document.groups {
        Some(groups) => write_groups(text, groups, look)?,
        None => write_terms(text, one, look)?,
    }
    write_parameters(text, one, look)?;
    if one.one_minus_r2 < ROUNDING && !look.verbose {
        writeln!(text, "\n  1 − R² = 0 and σ = 0, but for rounding errors")?;
    } else {
        let sigma = one.sigma.map_or("–".into(), |sigma| look.number(sigma));
        let left = look.number(one.one_minus_r2);
        writeln!(text, "\n  1 − R² = {left}   σ = {sigma}")?;
    }
    if let Some(own) = one.probability {
        let choice = document.motion().map(|d| &d.choice);
        let simulated = choice.is_some_and(|c| c.is_chosen_by_simulation(&one.target));
        let said = how_probable(own, one.runner_up.as_ref(), simulated);
        text.push_str(&sentence(&look.term(&said), "  ", look));
    }
    Ok(())
}

/// The probability of an equation beside that of the next.
fn how_probable(own: f64, next: Option<&RunnerUp>, simulated: bool) -> String {
    let own = probability(own);
    let mut said = if simulated {
        format!("chosen by simulation; by its rows alone it has probability {own}")
    } else {
        format!("probability {own} among the equations listed")
    };
    if let Some(next) = next {
        let terms = if next.terms.is_empty() {
            "no term at all".to_string()
        } else {
            next.terms.join(", ")
        };
        let share = next.probability.map(probability);
        let share = share.map_or(String::new(), |share| format!(" ({share})"));
        let _ = write!(said, "; next: {terms}{share}");
    }
    said
}

/// The terms with their coefficients; those of a fraction first above, then below the line.
fn write_terms(text: &mut String, equation: &Equation, look: Look) -> fmt::Result {
    let sum = equation
        .terms
        .iter()
        .chain(equation.numerator.iter().flatten());
    let name = |row: &TermEntry| look.term(&row.term);
    let above = sum.map(|row| (name(row), row));
    let below = equation.denominator.iter().flatten();
    let below = below.map(|row| (format!("/ {}", name(row)), row));
    let row = |(name, term): (String, &TermEntry)| {
        let error = term.std_error;
        let error = error.map_or("–".into(), |error| format!("{error:.3e}"));
        let t = term.std_error.map(|error| term.coefficient / error);
        let t = t.filter(|t| t.is_finite() && t.abs() < EXACT);
        let t = t.map_or("–".into(), three);
        let inclusion = term.inclusion.map_or("–".into(), |p| format!("{p:.3}"));
        if look.verbose {
            let coefficient = look.number(term.coefficient);
            vec![name, coefficient, error, t, inclusion]
        } else {
            let coefficient = with_error(term.coefficient, term.std_error);
            vec![name, coefficient, t, inclusion]
        }
    };
    let rows: Vec<Vec<String>> = above.chain(below).map(row).collect();
    let header: &[&str] = if look.verbose {
        &["term", "coefficient", "std. error", "t", "in"]
    } else {
        &["term", "coefficient", "t", "in"]
    };
    numbers(text, header, &rows, look)
}

/// The inner parameters, whose values are in the terms.
fn write_parameters(text: &mut String, equation: &Equation, look: Look) -> fmt::Result {
    if equation.parameters.is_empty() {
        return Ok(());
    }
    let rows = equation.parameters.iter().map(|parameter| {
        let value = with_error(parameter.value, parameter.std_error);
        vec![parameter.name.clone(), value]
    });
    text.push('\n');
    numbers(
        text,
        &["parameter", "value"],
        &rows.collect::<Vec<_>>(),
        look,
    )
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
    let row = |tried: &TriedVocabulary| {
        let misfit = tried.misfit.map_or("–".into(), |m| three(m.probability));
        vec![
            tried.vocabulary.word().to_string(),
            tried.n_terms.to_string(),
            format!("{:.1}", tried.log_odds),
            misfit,
            look.term(&tried.equation),
        ]
    };
    let rows: Vec<Vec<String>> = all.iter().filter(is_best).map(row).collect();
    let header = ["vocabulary", "terms", "log odds", "misfit", "best equation"];
    text.push('\n');
    listing(text, &header, &rows, look)
}

fn write_regression(text: &mut String, regression: &RegressionReport, look: Look) -> fmt::Result {
    if let Some(tuning) = &regression.tuning {
        writeln!(
            text,
            "  {} = {} by cross-validation, {} tried",
            tuning.knob,
            with_error(tuning.chosen, None),
            counted(tuning.curve.len(), "value")
        )?;
    }
    match regression.proven {
        Some(true) => writeln!(text, "  proven: no other equation of this size does better")?,
        Some(false) => writeln!(text, "  not proven: the search was stopped")?,
        None => {}
    }
    if regression.coefficients == CoefficientsOf::Method {
        let said = "the coefficients are the method's own; --refit replaces them by least squares";
        text.push_str(&sentence(said, "  ", look));
    }
    Ok(())
}

/// How noisy the record is and how simulations went; how rows were made, if that is wanted.
fn write_discovery(
    text: &mut String,
    document: &Document,
    discovery: &DiscoveryReport,
    look: Look,
) -> fmt::Result {
    let choice = &discovery.choice;
    text.push('\n');
    if look.verbose {
        writeln!(text, "  {}", look.bold(&format!("rows: {}", choice.rows)))?;
        for reason in &choice.why {
            text.push_str(&sentence(reason, "  ", look));
        }
    }
    let noise = of_states(document, discovery, &choice.noise, look);
    text.push_str(&sentence(
        &format!("noise of the samples: {noise}"),
        "  ",
        look,
    ));
    if let Some(denoised) = &choice.denoised {
        let changed = match denoised.changed.as_slice() {
            [] => "the terms are those of each equation by itself".to_string(),
            changed => format!("the terms changed for {}", changed.join(", ")),
        };
        let because = match denoised.because {
            Because::MuchNoise => "with so much noise ",
            Because::OpenTerms => "since single equations leave terms open, ",
            Because::Asked => "",
        };
        let said = format!("{because}all equations were fitted to the record together: {changed}");
        text.push_str(&sentence(&said, "  ", look));
    }
    if let Some(opinion) = choice.second_opinion.as_ref().filter(|_| look.verbose) {
        let verdict = match opinion.changed.as_slice() {
            [] => "no answer changed".to_string(),
            changed => format!("the answer changed for {}", changed.join(", ")),
        };
        let said = format!(
            "{} nearly as probable equations were simulated in {}: {verdict}",
            opinion.finalists,
            counted(opinion.windows, "window")
        );
        text.push_str(&sentence(&said, "  ", look));
    }
    if let Some(refined) = &discovery.refined {
        let windows = format!(
            "{} of up to {}",
            counted(refined.windows, "window"),
            three(refined.duration)
        );
        let residuals = format!(
            "{} times the noise and {} times",
            three(refined.distance_before),
            three(refined.distance_after)
        );
        let said = if refined.kept {
            format!(
                "coefficients stay as they were: fitted to the trajectories in {windows} they are \
                 not significantly better (the residual is {residuals})"
            )
        } else {
            format!(
                "coefficients fitted to the trajectories in {windows}: the residual before and \
                 after is {residuals}"
            )
        };
        text.push_str(&sentence(&said, "  ", look));
    }
    if let Some(forecast) = &discovery.forecast {
        let followed = forecast.windows - forecast.failures;
        let mut said = format!(
            "simulated from {} of the record for {}: {followed} reached the end",
            counted(forecast.windows, "point"),
            three(forecast.duration)
        );
        if let Some(errors) = &forecast.mean_absolute_error {
            let errors = of_states(document, discovery, errors, look);
            let _ = write!(said, ", mean absolute error {errors}");
        }
        text.push_str(&sentence(&said, "  ", look));
    }
    Ok(())
}

/// Numbers of all states, with their names where these are known.
fn of_states(
    document: &Document,
    discovery: &DiscoveryReport,
    values: &[f64],
    look: Look,
) -> String {
    let listed = discovery.lists.iter().map(|lists| lists.state.as_str());
    let told = document.equations.iter().map(|one| one.target.as_str());
    let (listed, told): (Vec<&str>, Vec<&str>) = (listed.collect(), told.collect());
    // Equations of second order are those of velocities, such as dx; positions come before them.
    let positions = listed.iter().filter_map(|name| name.strip_prefix('d'));
    let moving: Vec<&str> = positions.chain(listed.iter().copied()).collect();
    let mut known = [listed, told, moving].into_iter();
    let names = known.find(|names| names.len() == values.len());
    let values = values.iter().map(|value| look.number(*value));
    let values: Vec<String> = match names.filter(|names| names.len() > 1) {
        Some(names) => names
            .iter()
            .zip(values)
            .map(|(name, value)| format!("{name} {value}"))
            .collect(),
        None => values.collect(),
    };
    values.join(", ")
}

/// The best equations of every size.
fn write_lists(
    text: &mut String,
    sizes: &[SizeReport],
    ended_early: Option<EndedEarly>,
    look: Look,
) -> fmt::Result {
    let shown = if look.verbose { 3 } else { 1 };
    // Where experiments have their own coefficients, equations of one size differ in their number.
    let of_groups = sizes.iter().any(|size| size.coefficients.is_some());
    let mut rows = Vec::new();
    for size in sizes {
        let proof = if size.exact { "" } else { " (not proven)" };
        for (rank, model) in size.best.iter().take(shown).enumerate() {
            let (number, subsets) = match rank {
                0 => (size.size.to_string(), count(size.subsets)),
                _ => (String::new(), String::new()),
            };
            let left = look.number(model.one_minus_r2);
            let own = size.coefficients.filter(|_| rank == 0);
            let own = own.map_or(String::new(), |count| count.to_string());
            let terms = format!("{}{proof}", look.term(&model.terms.join(", ")));
            let mut row = vec![number, subsets, left, terms];
            if of_groups {
                row.insert(1, own);
            }
            rows.push(row);
        }
    }
    text.push('\n');
    let mut header = vec!["size", "subsets", "1 − R²", "best terms"];
    if of_groups {
        header.insert(1, "coefficients");
    }
    listing(text, &header, &rows, look)?;
    if look.verbose {
        write_certificates(text, sizes, look)?;
    }
    let end = ended_early.and_then(|end| match end.reason {
        EndReason::Proven { .. } => Some(format!(
            "no equation with more than {} can do better",
            counted(end.after, "term")
        )),
        EndReason::Declined => look.verbose.then(|| {
            format!(
                "larger sizes were not searched: {} did not improve the answer \
                 (--method best-subset searches all sizes)",
                counted(end.after, "term")
            )
        }),
    });
    if let Some(end) = end {
        let folded = sentence(&end, "  ", look);
        writeln!(text, "{}", look.faint(folded.trim_end()))?;
    }
    Ok(())
}

/// How the lists were proven.
fn write_certificates(text: &mut String, sizes: &[SizeReport], look: Look) -> fmt::Result {
    for size in sizes {
        let c = &size.certificate;
        let said = format!(
            "{}: excluded by bound {}, enumerated {}, scored by QR {}, margin {:.1e}",
            counted(size.size, "term"),
            c.excluded,
            c.enumerated,
            c.rescored,
            c.margin
        );
        let folded = sentence(&said, "  ", look);
        writeln!(text, "{}", look.faint(folded.trim_end()))?;
    }
    Ok(())
}

/// A number of subsets, in figures that people can take in.
fn count(subsets: u128) -> String {
    if subsets < 1_000_000_000 {
        subsets.to_string()
    } else {
        format!("{:.2e}", subsets as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_read_well() {
        let next = |probability| RunnerUp {
            terms: vec!["x".into(), "x*y".into()],
            probability,
        };
        insta::assert_snapshot!(
            how_probable(0.9999, Some(&next(Some(1e-5))), false),
            @"probability over 0.999 among the equations listed; next: x, x*y (below 0.001)"
        );
        // The rows alone would have chosen another one: not a word that contradicts the answer.
        assert_eq!(
            how_probable(0.041, Some(&next(Some(0.212))), true),
            "chosen by simulation; by its rows alone it has probability 0.041; \
             next: x, x*y (0.212)"
        );
        assert_eq!(
            how_probable(0.5, None, false),
            "probability 0.500 among the equations listed"
        );
    }
}
