//! The page: from the answer to how it was found.

use std::fmt::{self, Write as _};

use eqlearn::document::{Document, Equation, SearchReport};
use eqlearn::with_error;

use crate::{chart, escape, math};

/// Where a result came from.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// The name of the data.
    pub data: &'a str,
    /// The features, in the order of their columns.
    pub features: &'a [String],
    /// What to type to make the page again.
    pub command: &'a str,
}

/// The whole page.
pub fn html(document: &Document, about: &About<'_>) -> String {
    let mut text = String::new();
    write_page(&mut text, document, about).expect("writing to a string cannot fail");
    text
}

fn write_page(text: &mut String, document: &Document, about: &About<'_>) -> fmt::Result {
    let title = escape(about.data);
    write!(
        text,
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>eqlearn: {title}</title>\n<style>\n{}</style>\n<main>\n<h1>The equation behind {title}</h1>\n",
        include_str!("style.css")
    )?;
    if document.equations.is_empty() {
        text.push_str(
            "<div class=\"equation\"><strong>No equation.</strong> Nothing in the dictionary explains the target better than chance.</div>\n",
        );
    }
    for equation in &document.equations {
        write_equation(text, equation, document, about)?;
    }
    if !document.warnings.is_empty() {
        text.push_str("<h2>What to keep in mind</h2>\n");
    }
    for warning in &document.warnings {
        writeln!(
            text,
            "<p class=\"warning\">{}</p>",
            escape(&warning.message)
        )?;
    }
    if let Some(search) = &document.search {
        write_search(text, search, document.equations.first())?;
    }
    write!(
        text,
        "<h2>How it was made</h2>\n<p class=\"soft\">{} rows, {} terms, method {}, eqlearn {}</p>\n<pre>{}</pre>\n</main>\n</html>\n",
        document.n_obs,
        document.n_terms,
        escape(&document.method),
        env!("CARGO_PKG_VERSION"),
        escape(about.command)
    )
}

fn write_equation(
    text: &mut String,
    equation: &Equation,
    document: &Document,
    about: &About<'_>,
) -> fmt::Result {
    let typeset = math::equation(equation, document.kind, about.features);
    writeln!(text, "<div class=\"equation\">{typeset}</div>")?;
    write!(text, "<p class=\"sure\">")?;
    if let Some(probability) = equation.probability {
        write!(
            text,
            "Probability among the equations listed: <strong>{probability:.3}</strong>. "
        )?;
    }
    if let Some(other) = &equation.runner_up {
        let probability = other
            .probability
            .map_or(String::new(), |p| format!(" ({p:.3})"));
        write!(
            text,
            "The next best has the terms {}{probability}. ",
            escape(&other.terms.join(", "))
        )?;
    }
    let sigma = equation
        .sigma
        .map_or(String::new(), |sigma| format!(", noise {sigma:.4e}"));
    writeln!(
        text,
        "Unexplained: 1 − R² = {:e}{sigma}.</p>",
        equation.one_minus_r2
    )?;
    text.push_str(
        "<div class=\"wide\"><table><thead><tr><th>term<th>coefficient<th>standard error<th>belongs in</tr></thead><tbody>\n",
    );
    for entry in &equation.terms {
        let error = entry
            .std_error
            .map_or("–".to_string(), |e| format!("{e:.2e}"));
        let inclusion = entry.inclusion.map_or("–".to_string(), |share| {
            format!("{} {share:.3}", chart::bar(share))
        });
        writeln!(
            text,
            "<tr><td><math>{}</math><td class=\"number\">{}<td class=\"number\">{error}<td class=\"number\">{inclusion}</tr>",
            math::term(&entry.term, about.features),
            with_error(entry.coefficient, entry.std_error)
        )?;
    }
    text.push_str("</tbody></table></div>\n");
    Ok(())
}

fn write_search(
    text: &mut String,
    search: &SearchReport,
    answer: Option<&Equation>,
) -> fmt::Result {
    let place = |equation: &Equation| {
        let is_it = |terms: &[String]| {
            terms.len() == equation.terms.len()
                && equation
                    .terms
                    .iter()
                    .all(|entry| terms.contains(&entry.term))
        };
        let mut sizes = search.sizes.iter();
        let found = sizes.find(|size| size.best.iter().any(|model| is_it(&model.terms)));
        found.map(|size| size.size)
    };
    let chosen = answer.and_then(place);
    if let Some(svg) = chart::sizes(search, chosen) {
        writeln!(
            text,
            "<h2>How much each size leaves unexplained</h2>\n{svg}"
        )?;
    }
    if let Some(svg) = chart::term_map(search, answer) {
        writeln!(
            text,
            "<h2>The best equations of each size</h2>\n<p class=\"soft\">A column is an equation, best first within its size; orange is the answer.</p>\n<div class=\"wide\">{svg}</div>"
        )?;
    }
    text.push_str(
        "<div class=\"wide\"><table><thead><tr><th>terms<th>best equation of this size<th>1 − R²<th>subsets<th>proven</tr></thead><tbody>\n",
    );
    for size in &search.sizes {
        let Some(best) = size.best.first() else {
            continue;
        };
        writeln!(
            text,
            "<tr><td class=\"number\">{}<td>{}<td class=\"number\">{:.6e}<td class=\"number\">{}<td>{}</tr>",
            size.size,
            escape(&best.terms.join(", ")),
            best.one_minus_r2,
            size.subsets,
            if size.exact { "yes" } else { "not finished" }
        )?;
    }
    text.push_str("</tbody></table></div>\n");
    Ok(())
}
