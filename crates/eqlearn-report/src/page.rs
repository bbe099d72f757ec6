//! The page: from the answer to how it was found.

use std::fmt::{self, Write as _};

use eqlearn::tell::compare::{Comparison, MethodReport};
use eqlearn::tell::document::{Document, Equation, SearchReport};
use eqlearn::terms::term::escape_xml as escape;
use eqlearn::with_error;
use serde_json::Value;

use crate::board::Board;
use crate::map::term_map;
use crate::motion::Motion;
use crate::{chart, math};

/// Where a result came from.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// The name of the data.
    pub data: &'a str,
    /// The features, in the order of their columns.
    pub features: &'a [String],
    /// What to type to make the page again.
    pub command: &'a str,
    /// All settings, those by default too.
    pub settings: &'a Value,
}

/// The page of a result: its document, a board for each target and, for a system, a simulation.
pub fn html(
    document: &Document,
    boards: &[Board],
    motion: Option<&Motion>,
    about: &About<'_>,
) -> String {
    let mut page = Page::new(&format!("The equation behind {}", about.data));
    let written = page.result(document, boards, motion, about);
    written.expect("writing to a string cannot fail");
    page.end(boards)
}

/// The page of a comparison: methods side by side for each target.
pub fn comparison_html(comparisons: &[Comparison], about: &About<'_>) -> String {
    let board = |comparison| Board::of_comparison(comparison, about.features);
    let boards: Vec<Board> = comparisons.iter().map(board).collect();
    let mut page = Page::new(&format!("Methods compared on {}", about.data));
    for (place, (comparison, board)) in comparisons.iter().zip(&boards).enumerate() {
        page.comparison(comparison, board, place)
            .expect("writing to a string cannot fail");
    }
    let made = comparisons.first().map_or(String::new(), |first| {
        format!("{} rows, {} terms", first.n_obs, first.n_terms)
    });
    page.how_made(&made, about)
        .expect("writing to a string cannot fail");
    page.end(&boards)
}

struct Page {
    text: String,
}

impl Page {
    fn new(title: &str) -> Self {
        let title = escape(title);
        let style = include_str!("style.css");
        let text = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n\
             <style>\n{style}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        );
        Self { text }
    }

    /// Closes the page, with the numbers that its script draws.
    fn end(mut self, boards: &[Board]) -> String {
        let data = serde_json::to_string(boards).expect("boards are plain data");
        // Nothing in the data may end the script that holds them.
        let data = data.replace('<', "\\u003c");
        let script = include_str!("script.js");
        let _ = write!(
            self.text,
            "</main>\n<script type=\"application/json\" \
             id=\"boards\">{data}</script>\n<script>\n{script}</script>\n</body>\n</html>\n"
        );
        self.text
    }

    fn result(
        &mut self,
        document: &Document,
        boards: &[Board],
        motion: Option<&Motion>,
        about: &About<'_>,
    ) -> fmt::Result {
        if document.equations.is_empty() {
            self.text
                .push_str("<div class=\"equation\"><strong>No equation.</strong></div>\n");
        }
        for equation in &document.equations {
            self.equation(equation, about)?;
        }
        self.warnings(document.warnings.iter().map(|w| w.message.as_str()))?;
        if let Some(motion) = motion {
            self.motion(motion, document)?;
        }
        for (place, board) in boards.iter().enumerate() {
            self.board(board, place, boards.len())?;
        }
        if let Some(search) = &document.search {
            self.search(search)?;
        }
        let made = format!(
            "{} rows, {} terms, method {}",
            document.n_obs, document.n_terms, document.method
        );
        self.how_made(&made, about)
    }

    fn equation(&mut self, equation: &Equation, about: &About<'_>) -> fmt::Result {
        let text = &mut self.text;
        let typeset = math::equation(equation, about.features);
        let plain = escape(&equation.text);
        writeln!(
            text,
            "<div class=\"equation\" role=\"region\" tabindex=\"0\" aria-label=\"The \
             equation\">{typeset}<p class=\"plain\"><code>{plain}</code></p></div>"
        )?;
        write!(text, "<p class=\"sure\">{} ", how_sure(equation))?;
        let sigma = equation
            .sigma
            .map_or(String::new(), |sigma| format!(", noise {sigma:.4e}"));
        writeln!(
            text,
            "Unexplained: 1 − R² = {:e}{sigma}.</p>",
            equation.one_minus_r2
        )?;
        self.open_table(
            "Coefficients",
            &["term", "coefficient", "standard error", "belongs in"],
        )?;
        let fraction = equation.numerator.iter().chain(&equation.denominator);
        for entry in equation.terms.iter().chain(fraction.flatten()) {
            let error = entry
                .std_error
                .map_or("–".to_string(), |e| format!("{e:.2e}"));
            let inclusion = entry.inclusion.map_or("–".to_string(), |share| {
                format!("{} {share:.3}", chart::bar(share))
            });
            writeln!(
                self.text,
                "<tr><td><math>{}</math><td class=\"number\">{}<td class=\"number\">{error}<td \
                 class=\"number\">{inclusion}</tr>",
                math::term(&entry.term, about.features),
                with_error(entry.coefficient, entry.std_error)
            )?;
        }
        self.close_table();
        Ok(())
    }

    fn warnings<'a>(&mut self, messages: impl Iterator<Item = &'a str>) -> fmt::Result {
        for (place, message) in messages.enumerate() {
            if place == 0 {
                self.text.push_str("<h2>What to keep in mind</h2>\n");
            }
            writeln!(self.text, "<p class=\"warning\">{}</p>", escape(message))?;
        }
        Ok(())
    }

    fn motion(&mut self, motion: &Motion, document: &Document) -> fmt::Result {
        self.text.push_str(
            "<h2>How it moves</h2>\n<p class=\"soft\">Dots are the record, the line is the \
             learned system, simulated from the first sample.",
        );
        if let Some(lost) = motion.lost {
            write!(
                self.text,
                " The dashed line is where they part: at {} = {lost:.4} a state is off by 40 % of \
                 its standard deviation.",
                escape(&motion.time)
            )?;
        }
        self.text.push_str("</p>\n");
        let forecast = document
            .discovery
            .as_ref()
            .and_then(|d| d.forecast.as_ref());
        if let Some(forecast) = forecast {
            let valid = forecast.valid_time.map_or(String::new(), |time| {
                format!("; the forecast stays valid for {time:.4} on average")
            });
            writeln!(
                self.text,
                "<p>Simulated from {} points of the record for {:.4}: {} reached the end\
                 {valid}.</p>",
                forecast.windows,
                forecast.duration,
                forecast.windows - forecast.failures
            )?;
        }
        for state in 0..motion.states.len() {
            if let Some(svg) = chart::over_time(motion, state) {
                writeln!(self.text, "<figure>{svg}</figure>")?;
            }
        }
        self.text.push_str("<div class=\"pair\">\n");
        let n = motion.states.len();
        let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
        for pair in pairs.take(3) {
            if let Some(svg) = chart::phase(motion, pair) {
                writeln!(self.text, "<figure>{svg}</figure>")?;
            }
        }
        self.text.push_str("</div>\n");
        if let Some(discovery) = &document.discovery {
            self.text
                .push_str("<h2>What the record is like</h2>\n<ul>\n");
            for (state, noise) in motion.states.iter().zip(&discovery.choice.noise) {
                writeln!(
                    self.text,
                    "<li>noise of {}: {noise:.3e}</li>",
                    escape(state)
                )?;
            }
            for (count, what) in [
                (motion.n_gaps, "gaps, across which no derivative is taken"),
                (motion.n_short, "segments too short to be used"),
            ] {
                if count > 0 {
                    writeln!(self.text, "<li>{count} {what}</li>")?;
                }
            }
            for why in &discovery.choice.why {
                writeln!(self.text, "<li>{}</li>", escape(why))?;
            }
            self.text.push_str("</ul>\n");
        }
        Ok(())
    }

    /// The map, and what it says about the model that is pointed at.
    fn board(&mut self, board: &Board, place: usize, n_boards: usize) -> fmt::Result {
        let Some(map) = term_map(board, false) else {
            return Ok(());
        };
        let of = if n_boards > 1 {
            format!(" of {}", escape(&board.target))
        } else {
            String::new()
        };
        writeln!(
            self.text,
            "<section class=\"board\" data-board=\"{place}\">\n<h2>The best models{of}, by number \
             of terms</h2>\n\
             <p class=\"soft\">A column is a model, best first within its size; orange is the \
             answer. Point at one to see it, click to pin it; with a keyboard: arrows, Enter, \
             Escape.</p>\n\
             <div class=\"wide\">{map}</div>"
        )?;
        self.details();
        self.text.push_str("<div class=\"pair\">\n");
        for svg in [chart::unexplained(board), chart::evidence(board)]
            .into_iter()
            .flatten()
        {
            writeln!(self.text, "<figure>{svg}</figure>")?;
        }
        self.text.push_str("</div>\n");
        if !board.inclusion.is_empty() {
            writeln!(
                self.text,
                "<h3>Does a term belong in the equation{of}?</h3>"
            )?;
            self.open_table("Inclusion probabilities", &["term", "probability"])?;
            for (term, share) in board.inclusion.iter().take(12) {
                writeln!(
                    self.text,
                    "<tr><td>{}<td class=\"number\">{} {share:.3}</tr>",
                    escape(term),
                    chart::bar(*share)
                )?;
            }
            self.close_table();
        }
        self.text.push_str("</section>\n");
        Ok(())
    }

    /// Where the script shows the model that is pointed at.
    fn details(&mut self) {
        self.text.push_str(
            "<div class=\"details\" role=\"region\" tabindex=\"0\" aria-live=\"polite\" \
             aria-label=\"The model that is pointed at\"><noscript>Scripts are off, so single \
             models cannot be shown.</noscript></div>\n",
        );
    }

    fn comparison(&mut self, comparison: &Comparison, board: &Board, place: usize) -> fmt::Result {
        writeln!(
            self.text,
            "<section class=\"board\" data-board=\"{place}\">\n<h2>{}</h2>",
            escape(&comparison.target)
        )?;
        if let Some(map) = term_map(board, true) {
            writeln!(
                self.text,
                "<p class=\"soft\">A column is a method. Point at one to see its equation, click \
                 to pin it; with a keyboard: arrows, Enter, Escape.</p>\n<div \
                 class=\"wide\">{map}</div>"
            )?;
            self.details();
        }
        let head = [
            "method",
            "terms",
            "1 − R²",
            "log evidence",
            "error on held-out rows",
            "seconds",
            "equation",
        ];
        self.open_table("Methods", &head)?;
        for report in &comparison.methods {
            self.method(report)?;
        }
        self.close_table();
        let warnings = comparison.methods.iter().flat_map(|report| {
            let one =
                |w: &eqlearn::tell::warning::Warning| format!("{}: {}", report.method, w.message);
            report.warnings.iter().map(one)
        });
        let warnings: Vec<String> = warnings.collect();
        self.warnings(warnings.iter().map(String::as_str))?;
        self.text.push_str("</section>\n");
        Ok(())
    }

    fn method(&mut self, report: &MethodReport) -> fmt::Result {
        let or_dash =
            |value: Option<f64>, show: &dyn Fn(f64) -> String| value.map_or("–".to_string(), show);
        let found = match (&report.failure, &report.equation) {
            (Some(failure), _) => escape(failure),
            (None, Some(equation)) => format!("<code>{}</code>", escape(equation)),
            (None, None) => "no equation".into(),
        };
        writeln!(
            self.text,
            "<tr><td>{}<td class=\"number\">{}<td class=\"number\">{}<td class=\"number\">{}<td \
             class=\"number\">{}<td class=\"number\">{:.3}<td>{found}</tr>",
            escape(&report.method),
            report.size.map_or("–".to_string(), |size| size.to_string()),
            or_dash(report.one_minus_r2, &|v| format!("{v:.4e}")),
            or_dash(report.log_evidence, &|v| format!("{v:.2}")),
            or_dash(report.cv_error, &|v| format!("{v:.4e}")),
            report.seconds,
        )
    }

    fn search(&mut self, search: &SearchReport) -> fmt::Result {
        self.text.push_str("<h2>What was searched</h2>\n");
        let head = ["terms", "best of this size", "1 − R²", "subsets", "proven"];
        self.open_table("Best model of each size", &head)?;
        for size in &search.sizes {
            let Some(best) = size.best.first() else {
                continue;
            };
            writeln!(
                self.text,
                "<tr><td class=\"number\">{}<td>{}<td class=\"number\">{:.6e}<td \
                 class=\"number\">{}<td>{}</tr>",
                size.size,
                escape(&best.terms.join(", ")),
                best.one_minus_r2,
                size.subsets,
                if size.exact { "yes" } else { "not finished" }
            )?;
        }
        self.close_table();
        Ok(())
    }

    fn how_made(&mut self, made: &str, about: &About<'_>) -> fmt::Result {
        let settings =
            serde_json::to_string_pretty(about.settings).expect("settings are plain data");
        writeln!(
            self.text,
            "<h2>How it was made</h2>\n<p class=\"soft\">{}, eqlearn {}. To make it again:\
             </p>\n<pre tabindex=\"0\">{}</pre>\n\
             <details><summary>All settings</summary><pre tabindex=\"0\">{}</pre></details>",
            escape(made),
            env!("CARGO_PKG_VERSION"),
            escape(about.command),
            escape(&settings)
        )
    }

    fn open_table(&mut self, name: &str, head: &[&str]) -> fmt::Result {
        let name = escape(name);
        write!(
            self.text,
            "<div class=\"wide\" role=\"region\" tabindex=\"0\" \
             aria-label=\"{name}\"><table><thead><tr>"
        )?;
        for column in head {
            write!(self.text, "<th scope=\"col\">{column}")?;
        }
        self.text.push_str("</tr></thead><tbody>\n");
        Ok(())
    }

    fn close_table(&mut self) {
        self.text.push_str("</tbody></table></div>\n");
    }
}

/// The probability, the runner-up and what both mean, in words.
fn how_sure(equation: &Equation) -> String {
    let Some(probability) = equation.probability else {
        return String::new();
    };
    let outside = equation.misfit.filter(|misfit| misfit.probability > 0.5);
    let verdict = match probability {
        _ if outside.is_some() => "Probably not the law",
        p if p >= 0.95 => "These terms stand out",
        p if p >= 0.6 => {
            "These terms are the likeliest, but not the only ones that explain the data"
        }
        _ => "Several sets of terms explain the data about as well",
    };
    let other = equation.runner_up.as_ref().map_or(String::new(), |other| {
        let probability = other
            .probability
            .map_or(String::new(), |p| format!(" ({p:.3})"));
        format!(
            " The next best has the terms {}{probability}.",
            escape(&other.terms.join(", "))
        )
    });
    let outside = outside.map_or(String::new(), |misfit| {
        let probability = misfit.probability;
        format!("with probability {probability:.3} it is none of those listed; ")
    });
    format!(
        "<strong>{verdict}</strong>: {outside}probability {probability:.3} among the models \
         listed.{other}"
    )
}
