//! One self-contained page: what was done, what came out, which of the paper's claims hold.

use std::fmt::Write as _;

use eqlearn::terms::term::escape_xml as escape;

use super::claims::{Claim, Verdict, lead};
use super::figure::Figure;
use super::present::{Chapter, Presentation};
use super::tables::scenarios_of;
use crate::paper::{PaperExperiment, full_count, horizon};

/// The page as HTML. Nothing is fetched when it is opened.
pub(super) fn html(presentation: &Presentation) -> String {
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Equation learning by comprehensive search, reproduced</title>\n<style>\n\
         {}</style>\n<main>\n",
        include_str!("page.css")
    );
    text += INTRODUCTION;
    write_short_answer(&mut text, presentation);
    text += METHODS;
    write_counts(&mut text, presentation);
    text += CONTENDERS;
    for chapter in &presentation.chapters {
        write_chapter(&mut text, chapter);
    }
    if !presentation.illustrations.is_empty() {
        text += ILLUSTRATIONS;
        for figure in &presentation.illustrations {
            write_figure(&mut text, figure);
        }
    }
    if let Some((sheet, figure)) = &presentation.runtime {
        text += RUNTIME;
        write_figure(&mut text, figure);
        text += &sheet.html();
    }
    text += MAKE_AGAIN;
    let _ = write!(
        text,
        "<p class=\"soft\">Made by eqlearn {}.</p>\n</main>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
    text
}

const INTRODUCTION: &str = "<h1>Equation learning by comprehensive search: the paper's \
    experiments, run again</h1>\n\
    <p>Given a table of measurements, or the recorded motion of a system, which equation made \
    them? <em>Equation learning</em> writes the unknown law as a sum of a few terms out of a long \
    list (here 72 products of powers of three variables) and has to find out which. D. Nickelsen \
    and B. Bah (<em>Improved identification accuracy in equation learning via comprehensive \
    R²-elimination and Bayesian model selection</em>, TMLR 2023) proposed to try <em>all</em> \
    small combinations, and compared two variants of that idea (CS-R² and CS-p(M)) and a stepwise \
    one (BSR) with six methods in use, on data made from known laws. This page runs their three \
    experiments again, with all nine methods written anew, beside the default method of this \
    project.</p>\n";

const METHODS: &str = "<h2>What was done</h2>\n\
    <p>A law counts as <strong>identified</strong> only if exactly its true terms are found: none \
    missing, none too many. Every method has the same 72 terms to choose from (powers up to 4, \
    total degree up to 6). Methods with a hyperparameter (LASSO, LARS, SR3, FROLS, STLSQ, MIOSR) \
    choose it by 5-fold cross-validation with three refinements, as the paper did. The paper \
    leaves grids and some details open; the data can be written to files with \
    <code>--export</code>.</p>\n";

const CONTENDERS: &str = "<ul>\n\
    <li><strong>LASSO, LARS</strong>: penalised and stepwise regression as in scikit-learn. \
    <strong>SR3, FROLS, STLSQ, MIOSR</strong>: as in PySINDy, refitted on their terms.</li>\n\
    <li><strong>CS-R², CS-p(M), BSR</strong>: the paper's; its evidence is computed without loss \
    of digits. <strong>CS-R² unpruned</strong> leaves out its pruning of terms, to show what that \
    costs.</li>\n<li><strong>ours</strong>: the exact list of the best models of every size, \
    chosen by a criterion that corrects for the number of models compared. On trajectories it does \
    not difference neighbouring samples as the others do, but integrates the law against smooth \
    test functions (the weak form) and accounts for the noise in the terms. <strong>ours, \
    forward</strong> is the same search on the others' forward differences, to separate the effect \
    of the search from that of the rows.</li>\n</ul>\n\
    <p>Orange marks ours in all figures; blue and orange can be told apart with every kind of \
    colour vision, and shades by their lightness.</p>\n";

const ILLUSTRATIONS: &str = "<h2>Why a comprehensive search works</h2>\n\
    <p>The idea of the paper in two pictures: among models of the right size the true one explains \
    most, and larger models keep its terms. R² alone cannot tell the right size, because a larger \
    model never explains less; the evidence can, because it penalises each term.</p>\n";

const RUNTIME: &str = "<h2>What it costs</h2>\n\
    <p>The paper reports that one model takes well below a millisecond and that sizes below five \
    take well below a minute. Here every list is proven complete without looking at every model: a \
    bound on the best fit within a group of models excludes most groups at once, and a vectorised \
    kernel computes the rest.</p>\n";

const MAKE_AGAIN: &str = "<h2>Make this page again</h2>\n\
    <pre>eqlearn reproduce all            # everything; goes on where it was cut off\n\
    eqlearn reproduce all --quick    # a first look\n\
    eqlearn reproduce all --export data    # the data of every scenario\n\
    eqlearn reproduce all --score models.jsonl    # your models, beside these</pre>\n\
    <p>Results are in <code>*.jsonl</code>, one line per scenario and method, the same bytes for \
    the same seed; tables and the numbers behind every figure are in <code>tables/</code> and \
    <code>figures/</code>.</p>\n";

/// How many of the paper's scenarios were run.
fn write_counts(text: &mut String, presentation: &Presentation) {
    let counts = presentation.chapters.iter().map(|chapter| {
        let (n, of) = (
            scenarios_of(&chapter.lines).len(),
            full_count(chapter.experiment),
        );
        (
            n < of,
            format!("{}: {n} of {of}", chapter.experiment.title()),
        )
    });
    let counts: Vec<(bool, String)> = counts.collect();
    let words: Vec<&str> = counts.iter().map(|(_, words)| words.as_str()).collect();
    let first_look = if counts.iter().any(|(some, _)| *some) {
        " This is a part of the grids, for a first look: percentages of so few scenarios are rough."
    } else {
        ""
    };
    let _ = writeln!(
        text,
        "<p>Scenarios of the paper that were run: {}.{first_look}</p>",
        words.join("; ")
    );
}

fn write_short_answer(text: &mut String, presentation: &Presentation) {
    text.push_str("<h2>The short answer</h2>\n");
    for chapter in &presentation.chapters {
        if let Some(lead) = lead(chapter.experiment, &chapter.lines) {
            let _ = writeln!(
                text,
                "<p class=\"lead\"><strong>{}.</strong> {}</p>",
                chapter.experiment.title(),
                escape(&lead)
            );
        }
    }
    let claims: Vec<&Claim> = presentation
        .chapters
        .iter()
        .flat_map(|chapter| &chapter.claims)
        .collect();
    let holding = claims.iter().filter(|c| c.verdict == Verdict::Holds);
    if !claims.is_empty() {
        let _ = writeln!(
            text,
            "<p>Of {} statements of the paper's text that can be checked by counting, {} hold \
             here; the others are named below, with the reason.</p>",
            claims.len(),
            holding.count()
        );
    }
}

fn write_chapter(text: &mut String, chapter: &Chapter) {
    let experiment = chapter.experiment;
    let _ = writeln!(text, "<h2>{}</h2>", experiment.title());
    text.push_str(&about(experiment));
    if let Some(lead) = lead(experiment, &chapter.lines) {
        let _ = writeln!(text, "<p class=\"lead\">{}</p>", escape(&lead));
    }
    let failed = chapter
        .lines
        .iter()
        .filter(|l| l.outcome.trouble.is_some())
        .count();
    let _ = write!(
        text,
        "<p class=\"soft\">{} scenarios",
        scenarios_of(&chapter.lines).len()
    );
    if failed > 0 {
        let _ = write!(
            text,
            "; a method gave up {failed} times, which counts as nothing found"
        );
    }
    text.push_str(".</p>\n");
    let mut sheets = chapter.sheets.iter();
    if let Some(first) = sheets.next() {
        text.push_str(&first.html());
    }
    for figure in &chapter.figures {
        write_figure(text, figure);
    }
    write_claims(text, &chapter.claims);
    text.push_str("<details><summary>More tables</summary>\n");
    for sheet in sheets {
        text.push_str(&sheet.html());
    }
    text.push_str("</details>\n");
}

fn about(experiment: PaperExperiment) -> String {
    match experiment {
        PaperExperiment::Polynomials => "<p>Laws with 2, 3 and 4 terms (powers up to 2, degree up \
            to 4), coefficients between 1 and 4 in size, from 20, 65 and 95 rows with noise of \
            0.01. The features are far from zero, so their powers are nearly alike. N_diff counts \
            true terms minus wrong ones.</p>\n"
            .to_string(),
        PaperExperiment::Lorenz => format!(
            "<p>dx/dt = 10(y − x), dy/dt = x(28 − z) − y, dz/dt = xy − 8/3 z: chaotic motion from \
             (−8, 8, 27), recorded with {{200, 1000, 5000, 10000}} samples, steps Δt from 0.001 to \
             0.1 and noise σ from 0.001 to 0.1, longer than 2 time units. Learned systems are \
             simulated for {} time units from points of the attractor; the mean absolute error \
             (MAE) is that of all three states over that time. A simulation that does not reach \
             the end counts as unsolvable and is left out of the errors; a state without terms \
             stays where it is.</p>\n",
            horizon(experiment)
        ),
        PaperExperiment::Rabinovich => format!(
            "<p>dx/dt = y(z − 1 + x²) + 0.1x, dy/dt = x(3z + 1 − x²) + 0.1y, dz/dt = −2z(0.14 + \
             xy) from (−1.5, 0, 1), with 1000 to 16000 samples, Δt from 0.001 to 0.1, σ of 0.0001, \
             0.001 and 0.01, at least 5 time units. Forecasts last {} time units, from points of \
             the chaotic attractor.</p>\n",
            horizon(experiment)
        ),
    }
}

fn write_claims(text: &mut String, claims: &[Claim]) {
    if claims.is_empty() {
        return;
    }
    text.push_str(
        "<h3>What the paper says, and what we find</h3>\n\
         <table><thead><tr><th>The paper</th><th></th><th>Here</th></tr></thead><tbody>\n",
    );
    for claim in claims {
        let (class, word) = match claim.verdict {
            Verdict::Holds => ("holds", "holds"),
            Verdict::HoldsNot => ("holds-not", "does not hold"),
        };
        let why = if claim.why.is_empty() {
            String::new()
        } else {
            format!("<br><span class=\"soft\">{}</span>", escape(claim.why))
        };
        let _ = writeln!(
            text,
            "<tr><td>{}</td><td class=\"{class}\">{word}</td><td>{}{why}</td></tr>",
            escape(&claim.paper),
            escape(&claim.here)
        );
    }
    text.push_str("</tbody></table>\n");
}

fn write_figure(text: &mut String, figure: &Figure) {
    let _ = writeln!(
        text,
        "<figure><img alt=\"{}\" src=\"data:image/svg+xml,{}\">\n\
         <figcaption>{}</figcaption></figure>",
        escape(&figure.caption),
        in_address(&figure.svg()),
        escape(&figure.caption)
    );
}

/// SVG as it may stand in the address of a picture within double quotes.
fn in_address(svg: &str) -> String {
    let mut out = String::with_capacity(svg.len() + svg.len() / 4);
    for c in svg.chars() {
        match c {
            '%' => out.push_str("%25"),
            '#' => out.push_str("%23"),
            '"' => out.push_str("%22"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            '&' => out.push_str("%26"),
            '\n' => out.push_str("%0A"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::in_address;

    #[test]
    fn an_address_holds_no_character_that_ends_it() {
        let address = in_address("<a b=\"#c\">50 %</a>\n");
        assert_eq!(address, "%3Ca b=%22%23c%22%3E50 %25%3C/a%3E%0A");
    }
}
