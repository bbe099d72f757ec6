//! A comparison as a small page for people: one line per method, then who uses which term.

use std::fmt::{self, Write as _};

use eqlearn::error::counted;
use eqlearn::tell::compare::{Comparison, MethodReport, TermUse};
use eqlearn::tell::warning::Code;
use eqlearn::terms::vocabulary::Vocabulary;

use super::Look;
use super::fold::{beginning, listing, sentence, warning};

/// Terms shown; the others are counted.
const MOST_TERMS: usize = 25;

/// The whole page.
pub(crate) fn comparison(comparison: &Comparison, look: Look) -> String {
    let mut text = String::new();
    write_page(&mut text, comparison, look).expect("writing to a string cannot fail");
    text
}

/// The letter that stands for a method in the table of terms.
fn letter(place: usize) -> char {
    let place = u8::try_from(place).unwrap_or(u8::MAX);
    if place < 26 {
        char::from(b'a' + place)
    } else {
        '*'
    }
}

fn write_page(text: &mut String, comparison: &Comparison, look: Look) -> fmt::Result {
    let Comparison {
        target,
        n_obs,
        n_terms,
        folds,
        ..
    } = comparison;
    writeln!(
        text,
        "{}\n",
        look.bold(&format!(
            "{target} from {} and {}",
            counted(*n_obs, "row"),
            counted(*n_terms, "term")
        ))
    )?;
    let header = [
        "method",
        "terms",
        "1 − R²",
        "evidence",
        "CV error",
        "time",
        "equation",
    ];
    let methods = comparison.methods.iter().enumerate();
    let rows: Vec<Vec<String>> = methods.map(|(place, one)| row(place, one, look)).collect();
    listing(text, &header, &rows, look)?;
    write_terms(text, comparison, look)?;
    let left_out = match folds {
        0 => "neighbouring rows share samples, so there is no CV error".to_string(),
        folds => {
            let beyond = comparison.methods.iter().any(is_beyond);
            let but = if beyond {
                "; laws beyond the dictionary have no evidence and no CV error to compare"
            } else {
                ""
            };
            format!("CV error: root mean square error on held-out rows, {folds} folds{but}")
        }
    };
    let legend =
        format!("1 − R² and log evidence are computed in the same way for all; {left_out}");
    let folded = sentence(&legend, "  ", look);
    writeln!(text, "{}", look.faint(folded.trim_end()))?;
    for report in &comparison.methods {
        let worth_saying = [Code::KnobAtEdge, Code::Stopped, Code::NotConsistent];
        let said = report.warnings.iter();
        let said = said.filter(|w| worth_saying.contains(&w.code));
        for message in report.failure.iter().chain(said.map(|w| &w.message)) {
            let said = format!("{}: {message}", report.method);
            write!(text, "\n{}", warning(&said, look))?;
        }
    }
    Ok(())
}

/// What is told of one method.
fn row(place: usize, report: &MethodReport, look: Look) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or("–".into(), |x| look.number(x));
    let equation = match (&report.equation, &report.failure, report.vocabulary) {
        (Some(equation), _, Some(vocabulary)) if is_beyond(report) => {
            format!("{}: {equation}", vocabulary.word())
        }
        (Some(equation), ..) => equation.clone(),
        (None, Some(_), _) => "failed, see below".into(),
        (None, None, _) => "no equation".into(),
    };
    let equation = if look.verbose {
        equation
    } else {
        beginning(&equation)
    };
    vec![
        format!("{} {}", letter(place), report.method),
        report.size.map_or("–".into(), |size| size.to_string()),
        number(report.one_minus_r2),
        report
            .log_evidence
            .map_or("–".into(), |v| format!("{v:.1}")),
        number(report.cv_error),
        format!("{:.2} s", report.seconds),
        equation,
    ]
}

/// Whether the equation is from beyond the dictionary.
fn is_beyond(report: &MethodReport) -> bool {
    report.vocabulary.is_some_and(|v| v > Vocabulary::Monomials)
}

/// Which method uses which term, most used first. Methods that keep every term do not count.
fn write_terms(text: &mut String, comparison: &Comparison, look: Look) -> fmt::Result {
    let keep_all = ["ols", "ridge"];
    let chosen = |term: &&TermUse| term.methods.iter().any(|m| !keep_all.contains(&m.as_str()));
    let mut terms: Vec<&TermUse> = comparison.terms.iter().filter(chosen).collect();
    if terms.is_empty() {
        return writeln!(text);
    }
    terms.sort_by_key(|term| std::cmp::Reverse(term.methods.len()));
    let names = terms.iter().take(MOST_TERMS);
    let width = names.map(|t| t.term.chars().count()).max().unwrap_or(0);
    let letters: Vec<String> = (0..comparison.methods.len())
        .map(|place| letter(place).to_string())
        .collect();
    let room = look.width.saturating_sub(2 * letters.len() + 16);
    let width = width.clamp(4, room.max(8));
    let header = format!("  {:width$}  {}  used by", "term", letters.join(" "));
    writeln!(text, "\n{}", look.faint(&header))?;
    for term in terms.iter().take(MOST_TERMS) {
        let mark = |report: &MethodReport| {
            if term.methods.contains(&report.method) {
                "●"
            } else {
                "·"
            }
        };
        let marks: Vec<&str> = comparison.methods.iter().map(mark).collect();
        let name: String = term.term.chars().take(width).collect();
        let count = term.methods.len();
        writeln!(text, "  {name:width$}  {}  {count:>7}", marks.join(" "))?;
    }
    let more = terms.len().saturating_sub(MOST_TERMS);
    if more > 0 {
        writeln!(text, "{}", look.faint(&format!("  and {more} more")))?;
    }
    writeln!(text)
}
