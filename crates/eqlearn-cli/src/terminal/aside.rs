//! Notes and errors on standard error: folded on a terminal, and whole lines anywhere else.

use std::io::IsTerminal as _;

use terminal_size::terminal_size_of;

use super::fold::{length, sentence};
use super::look::{Look, columns};

/// What is left of a term around the place that an error points at, at most.
const AROUND: usize = 20;

/// A note or an error behind its mark, such as `note: `, at the width of the window.
pub(crate) fn aside(mark: &str, text: &str) -> String {
    let stderr = std::io::stderr();
    let own = || terminal_size_of(&stderr).map(|(width, _)| usize::from(width.0));
    let width = columns().or_else(|| stderr.is_terminal().then(own).flatten());
    folded(mark, text, width)
}

/// The text in lines of at most `width` characters. Below the first line there may be an excerpt
/// with a caret under the place that is meant.
fn folded(mark: &str, text: &str, width: Option<usize>) -> String {
    let Some(width) = width else {
        return format!("{mark}{text}\n");
    };
    let look = Look::plain(width);
    let (first, below) = text.split_once('\n').unwrap_or((text, ""));
    let mut folded = sentence(first, mark, look);
    let mut below = below.lines().peekable();
    while let Some(line) = below.next() {
        let caret = below.next_if(|next| next.trim() == "^");
        for line in cropped(line, caret, look.width) {
            folded.push_str(&line);
            folded.push('\n');
        }
    }
    folded
}

/// A line and the caret below it, with what does not fit cut off.
fn cropped(line: &str, caret: Option<&str>, width: usize) -> Vec<String> {
    let Some(caret) = caret else {
        let kept = line.chars().take(width);
        return vec![kept.collect()];
    };
    if length(line) <= width {
        return vec![line.to_string(), caret.to_string()];
    }
    let place = length(caret) - 1;
    // Two for the indent, one for each mark of what is left out.
    let start = place.saturating_sub(AROUND).max(2);
    let kept: String = line.chars().skip(start).take(width - 4).collect();
    let (before, at) = if start > 2 {
        ("  …", place - start + 3)
    } else {
        ("  ", place)
    };
    let after = if length(line) > start + width - 4 {
        "…"
    } else {
        ""
    };
    vec![
        format!("{before}{kept}{after}"),
        format!("{}^", " ".repeat(at)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_fold_and_excerpts_are_cut_around_their_caret() {
        let term = "sin(a)+cos(b)+exp(c)*sqrt(d)+what*x+log(a)+tan(b)+cosh(c)+cbrt(d)";
        let place = term.find("what").unwrap();
        let text = format!(
            "there is no feature \"what\", and this is a long sentence\n  {term}\n  {}^",
            " ".repeat(place)
        );
        insta::assert_snapshot!(folded("error: ", &text, Some(60)), @r#"
        error: there is no feature "what", and this is a long
               sentence
          …s(b)+exp(c)*sqrt(d)+what*x+log(a)+tan(b)+cosh(c)+cbrt(d)
                               ^
        "#);
        assert_eq!(folded("error: ", &text, None), format!("error: {text}\n"));
    }
}
