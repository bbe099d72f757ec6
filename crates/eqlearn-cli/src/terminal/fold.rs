//! Text that keeps to the width of a terminal: folded equations, sentences and tables, and numbers
//! with three digits.

use std::fmt::{self, Write as _};

use eqlearn::error::counted;

use super::Look;

/// A column of terms or words that is narrower is not worth having: they go to a line of their own.
const NARROWEST: usize = 24;

/// The same for a column of equations.
const NARROWEST_OF_EQUATIONS: usize = 48;

/// A number with more characters than this is the value of a parameter, and not what a user wrote.
const LONGEST_NUMBER: usize = 8;

/// An equation with more summands is shown by its beginning where there are many equations.
const MOST_SUMMANDS: usize = 8;

/// A number with three digits.
pub(super) fn three(x: f64) -> String {
    let short = format!("{x:.2e}");
    let rounded: f64 = short.parse().unwrap_or(x);
    let size = rounded.abs();
    if !(1e-3..1e5).contains(&size) {
        return if size > 0.0 { short } else { "0".into() };
    }
    let decimals = [(1e-2, 5), (1e-1, 4), (1.0, 3), (10.0, 2), (100.0, 1)];
    let decimals = decimals.into_iter().find(|(above, _)| size < *above);
    let decimals = decimals.map_or(0, |(_, decimals)| decimals);
    format!("{rounded:.decimals$}")
}

/// The length of a text on the screen.
pub(super) fn length(text: &str) -> usize {
    text.chars().count()
}

/// The text with its long numbers in four digits: parameters stand in terms with all of theirs.
pub(super) fn short(text: &str) -> String {
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let (mut short, mut rest) = (String::new(), text);
    while let Some(start) = rest.find(is_number) {
        let end = rest[start..].find(|c| !is_number(c));
        let end = end.map_or(rest.len(), |length| start + length);
        short.push_str(&rest[..start]);
        let is_whole = !short.ends_with(is_name) && !rest[end..].starts_with(is_name);
        match rest[start..end].parse::<f64>() {
            Ok(number) if is_whole && end - start > LONGEST_NUMBER => {
                let rounded: f64 = format!("{number:.3e}").parse().unwrap_or(number);
                let _ = write!(short, "{rounded}");
            }
            _ => short.push_str(&rest[start..end]),
        }
        rest = &rest[end..];
    }
    short + rest
}

/// The pieces in lines of at most `first` characters, and then of `rest`. A piece that is longer
/// than a line is broken itself: between its words, or anywhere.
fn lines<'a>(pieces: impl Iterator<Item = &'a str>, first: usize, rest: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for piece in pieces {
        let words = if length(piece) > rest {
            piece.split(' ').flat_map(|word| cut(word, rest)).collect()
        } else {
            vec![piece.to_string()]
        };
        for word in words {
            let room = if lines.len() == 1 { first } else { rest };
            let last = lines.last_mut().expect("there is a first line");
            if last.is_empty() {
                last.push_str(&word);
            } else if length(last) + 1 + length(&word) > room {
                lines.push(word);
            } else {
                last.push(' ');
                last.push_str(&word);
            }
        }
    }
    lines
}

/// A word in pieces of at most `width` characters.
fn cut(word: &str, width: usize) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let pieces = letters.chunks(width.max(1));
    pieces.map(|piece| piece.iter().collect()).collect()
}

/// The summands of an equation, each with its sign; what is before the first one goes with it.
fn summands(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_i32, 0);
    for (place, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            // The sums of a fraction are in brackets, and may be broken all the same.
            '+' | '-' | '/'
                if depth <= 1
                    && text[..place].ends_with(' ')
                    && text[place + 1..].starts_with(' ') =>
            {
                parts.push(text[start..place].trim());
                start = place;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

/// An equation in lines of at most `width` characters, broken between its summands.
pub(super) fn equation(text: &str, width: usize) -> Vec<String> {
    let broken = lines(summands(text).into_iter(), width, width.saturating_sub(4));
    let mut broken = broken.into_iter();
    let first = broken.next().into_iter();
    first
        .chain(broken.map(|line| format!("    {line}")))
        .collect()
}

/// An equation of many terms in short: its first ones, and how many more there are.
pub(super) fn beginning(equation: &str) -> String {
    let parts = summands(equation);
    if parts.len() <= MOST_SUMMANDS {
        return equation.to_string();
    }
    let (shown, rest) = parts.split_at(MOST_SUMMANDS - 2);
    format!(
        "{} + … ({})",
        shown.join(" "),
        counted(rest.len(), "more term")
    )
}

/// A sentence in lines that start with `start` and keep to the width of the page.
pub(crate) fn sentence(text: &str, start: &str, look: Look) -> String {
    folded(text.split(' '), start, look)
}

/// A cell of a table in the same way: an equation, or words.
fn cell(text: &str, start: &str, look: Look) -> String {
    if is_equation(text) {
        folded(summands(text).into_iter(), start, look)
    } else {
        sentence(text, start, look)
    }
}

/// Whether a cell is an equation.
fn is_equation(cell: &str) -> bool {
    cell.contains(" = ")
}

fn folded<'a>(pieces: impl Iterator<Item = &'a str>, start: &str, look: Look) -> String {
    let indent = " ".repeat(length(start));
    let room = look.width.saturating_sub(length(start)).max(NARROWEST);
    let mut folded = String::new();
    for (place, line) in lines(pieces, room, room).iter().enumerate() {
        let start = if place == 0 { start } else { &indent };
        let _ = writeln!(folded, "{start}{line}");
    }
    folded
}

/// A warning, behind its mark.
pub(super) fn warning(text: &str, look: Look) -> String {
    // The mark may be coloured, and is one character wide all the same.
    let folded = sentence(text, "! ", look);
    format!("{}{}", look.mark(), &folded[1..])
}

/// A table whose first column is text and whose others are numbers. Where a row is too long for the
/// page, its text has a line of its own.
pub(super) fn numbers(
    text: &mut String,
    header: &[&str],
    rows: &[Vec<String>],
    look: Look,
) -> fmt::Result {
    let widths = widths(header, rows);
    let of_numbers: usize = widths[1..].iter().map(|width| width + 2).sum();
    let beside = 2 + widths[0] + of_numbers <= look.width;
    let first = if beside { widths[0] } else { 0 };
    let line = |cells: &[String]| {
        let mut line = format!("  {:first$}", cells[0]);
        for (cell, width) in cells[1..].iter().zip(&widths[1..]) {
            let _ = write!(line, "  {cell:>width$}");
        }
        line
    };
    let header: Vec<String> = header.iter().map(|cell| (*cell).to_string()).collect();
    if beside {
        writeln!(text, "{}", look.faint(line(&header).trim_end()))?;
        return rows
            .iter()
            .try_for_each(|row| writeln!(text, "{}", line(row)));
    }
    let below = |cells: &[String]| [&[String::new()], &cells[1..]].concat();
    writeln!(text, "{}", look.faint(&format!("  {}", header[0])))?;
    writeln!(text, "{}", look.faint(line(&below(&header)).trim_end()))?;
    for row in rows {
        text.push_str(&sentence(&row[0], "  ", look));
        writeln!(text, "{}", line(&below(row)))?;
    }
    Ok(())
}

/// A table whose last column is text, which goes on below itself, or stands on lines of its own
/// where there is no room beside the others. Columns of words are aligned left, of numbers right.
pub(super) fn listing(
    text: &mut String,
    header: &[&str],
    rows: &[Vec<String>],
    look: Look,
) -> fmt::Result {
    let widths = widths(header, rows);
    let last = header.len() - 1;
    let is_of_words = |place: usize| {
        let mut cells = rows.iter().map(|row| &row[place]);
        cells.any(|cell| cell.starts_with(char::is_alphabetic))
    };
    let of_words: Vec<bool> = (0..last).map(is_of_words).collect();
    let start = |cells: &[&str]| {
        let mut line = String::new();
        for ((cell, width), of_words) in cells[..last].iter().zip(&widths).zip(&of_words) {
            let _ = if *of_words {
                write!(line, "  {cell:<width$}")
            } else {
                write!(line, "  {cell:>width$}")
            };
        }
        line + "  "
    };
    let least = if rows.iter().any(|row| is_equation(&row[last])) {
        NARROWEST_OF_EQUATIONS
    } else {
        NARROWEST
    };
    let beside = length(&start(header)) + least.min(widths[last]) <= look.width;
    let line = |cells: &[&str]| {
        if beside {
            return cell(cells[last], &start(cells), look);
        }
        let below = cell(cells[last], "      ", look);
        format!("{}\n{below}", start(cells).trim_end())
    };
    writeln!(text, "{}", look.faint(line(header).trim_end()))?;
    for row in rows {
        let cells: Vec<&str> = row.iter().map(String::as_str).collect();
        text.push_str(&line(&cells));
    }
    Ok(())
}

/// The widest cell of each column.
fn widths(header: &[&str], rows: &[Vec<String>]) -> Vec<usize> {
    let width = |(place, title): (usize, &&str)| {
        let cells = rows.iter().map(|row| length(&row[place]));
        cells.chain([length(title)]).max().unwrap_or(0)
    };
    header.iter().enumerate().map(width).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NARROW: Look = Look {
        colours: false,
        verbose: false,
        width: 40,
    };

    #[test]
    fn numbers_have_three_digits() {
        for (x, text) in [
            (0.096_441_3, "0.0964"),
            (2370.34, "2370"),
            (103_385.29, "1.03e5"),
            (9.9996, "10.0"),
            (0.999_9, "1.00"),
            (-46.52, "-46.5"),
            (6.2232e-6, "6.22e-6"),
            (0.001_234, "0.00123"),
            (0.0, "0"),
            (1.0, "1.00"),
        ] {
            assert_eq!(three(x), text, "{x}");
        }
    }

    #[test]
    fn equations_break_between_their_summands() {
        let long = "S' = (-2.02(4) S + 3.5(2) S^2) / (1 + 2.03(7) S) - 1.25(3) exp(-a - b)*x";
        insta::assert_snapshot!(equation(long, 40).join("\n"), @"
        S' = (-2.02(4) S + 3.5(2) S^2) / (1
            + 2.03(7) S) - 1.25(3) exp(-a - b)*x
        ");
        assert_eq!(equation("y = 2 x", 40), ["y = 2 x"]);
    }

    #[test]
    fn equations_of_many_terms_are_told_by_their_beginning() {
        let long = "y = 1.5 - x1 + x2 - x3 + x4 - x5 + x6 - x7 + x8";
        assert_eq!(
            beginning(long),
            "y = 1.5 - x1 + x2 - x3 + x4 - x5 + … (3 more terms)"
        );
        assert_eq!(beginning("y = 2 x + z"), "y = 2 x + z");
    }

    #[test]
    fn numbers_within_terms_are_short() {
        assert_eq!(
            short("S/(S+0.5018417258746315), x12345678901"),
            "S/(S+0.5018), x12345678901"
        );
        assert_eq!(short("x^1.5*exp(-0.25*t)"), "x^1.5*exp(-0.25*t)");
    }

    #[test]
    fn what_is_too_long_for_a_line_is_broken_anywhere() {
        let long = format!("a {} b", "x".repeat(90));
        let folded = sentence(&long, "  ", NARROW);
        assert!(folded.lines().all(|line| length(line) <= 40), "{folded}");
        let equation = format!("y = 2 {} + b", "x*".repeat(50));
        let folded = cell(&equation, "  ", NARROW);
        assert!(folded.lines().all(|line| length(line) <= 40), "{folded}");
    }

    #[test]
    fn tables_fold_where_they_do_not_fit() {
        let rows = [
            ["sqrt(length)*angle^2*viscosity", "0.1247(13)", "94.7"],
            ["x", "1.5", "3.00"],
        ];
        let rows: Vec<Vec<String>> = rows.map(|row| row.map(String::from).into()).into();
        let mut text = String::new();
        numbers(&mut text, &["term", "coefficient", "t"], &rows, NARROW).unwrap();
        let listed = [["1", "2.4e-4", "v, rho^4, rho^3*v*d, rho*v^2*d^2, v^3*d^3"]];
        let listed: Vec<Vec<String>> = listed.map(|row| row.map(String::from).into()).into();
        listing(
            &mut text,
            &["size", "1 − R²", "best terms"],
            &listed,
            NARROW,
        )
        .unwrap();
        assert!(
            text.contains("\n  sqrt(length)*angle^2*viscosity\n"),
            "{text}"
        );
        assert!(
            text.lines().all(|line| line.chars().count() <= 40),
            "{text}"
        );
    }
}
