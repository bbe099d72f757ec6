//! What can go wrong, in the reader's terms.
//!
//! One error type for the whole library. Each variant carries the facts a program would need and
//! says them in a sentence that a scientist understands. Errors are for what a user can cause;
//! a broken invariant of ours panics with the reason why it should have held.

/// The result of anything that a user's input can make fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can go wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An observer asked the work to stop before there was anything to report.
    #[error("stopped before there was a result")]
    Stopped,

    // Terms and dictionaries.
    /// The text of a term is not a formula over the features.
    #[error("{problem}\n  {}\n  {}^", one_line(text), " ".repeat(*column))]
    Term {
        /// The whole text of the term, as given.
        text: String,
        /// Where the problem is, in characters from the start of the text, from 0.
        column: usize,
        /// What is wrong there.
        problem: TermProblem,
    },
    /// The same term is given twice, perhaps written differently.
    #[error("term {text} is in the dictionary twice (as {term}); leave one out")]
    DuplicateTerm {
        /// The second of the two, as given.
        text: String,
        /// The first of the two, as the dictionary prints it.
        term: String,
    },
    /// A term differs from an earlier one by a constant factor only.
    #[error(
        "term {text} is a constant multiple of {term}, which is in the dictionary already; \
         leave one out"
    )]
    ProportionalTerm {
        /// The second of the two, as given.
        text: String,
        /// The first of the two, as the dictionary prints it.
        term: String,
    },
    /// A term has no finite value on some row of the data.
    #[error(
        "term {term} is not a finite number in row {row}{}; leave the term out or drop the row",
        where_clause(values)
    )]
    NotFinite {
        /// The term, as the dictionary prints it.
        term: String,
        /// The row, as the caller counts them.
        row: usize,
        /// The features in the term and their values in that row.
        values: Vec<(String, f64)>,
    },
    /// The dictionary would be too large to be of use.
    #[error(
        "at least {count} terms are asked for, and a dictionary holds at most {limit}; \
         lower the highest power, the highest degree or the number of features"
    )]
    TooManyTerms {
        /// How many terms there would be at least.
        count: u128,
        /// How many are allowed.
        limit: usize,
    },
    /// Two features of a dictionary have the same name.
    #[error("there are two features named {name:?}; rename one of them")]
    DuplicateFeature {
        /// The name they share.
        name: String,
    },
    /// A feature of a dictionary has an empty name.
    #[error("feature {position} has no name")]
    UnnamedFeature {
        /// Its place among the features, from 1.
        position: usize,
    },
}

/// What is wrong with the text of a term.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TermProblem {
    /// There is nothing but white space.
    #[error("the term is empty")]
    Empty,
    /// A number, a feature, a function or a parenthesis must come here.
    #[error("a number, a feature or a function is missing before {found}")]
    MissingOperand {
        /// What comes instead.
        found: String,
    },
    /// Two factors stand side by side.
    #[error("an operator is missing before {found}; a product needs *")]
    MissingOperator {
        /// The second factor.
        found: String,
    },
    /// A parenthesis is never closed.
    #[error("this parenthesis is never closed")]
    NeverClosed,
    /// A parenthesis is closed that was not opened.
    #[error("this parenthesis was never opened")]
    NeverOpened,
    /// A backquoted name has no second backquote.
    #[error("this backquote has no second one to end the name")]
    NeverQuoted,
    /// The character has no meaning in a term.
    #[error("{found:?} has no meaning in a term; names with such characters go in backquotes")]
    UnknownCharacter {
        /// The character.
        found: char,
    },
    /// A name that is neither a feature nor a constant.
    #[error("there is no feature {name:?}; {}", suggestion(nearest.as_deref(), known))]
    UnknownFeature {
        /// The name as written.
        name: String,
        /// The feature with the most similar name, if one is similar at all.
        nearest: Option<String>,
        /// All features.
        known: Vec<String>,
    },
    /// A name before a parenthesis that is no function.
    #[error("there is no function {name:?}; {}", suggestion(nearest.as_deref(), known))]
    UnknownFunction {
        /// The name as written.
        name: String,
        /// The function with the most similar name, if one is similar at all.
        nearest: Option<String>,
        /// All functions.
        known: Vec<String>,
    },
    /// A function without its argument.
    #[error("the function {name} needs its argument in parentheses")]
    MissingArgument {
        /// The function.
        name: String,
    },
    /// The parentheses, powers or signs are nested beyond reason.
    #[error("the term is nested deeper than {limit} levels")]
    TooDeep {
        /// How deep a term may be nested.
        limit: usize,
    },
    /// A constant part of the term has no finite value.
    #[error("this is not a finite number")]
    NotFinite,
    /// Everything cancels.
    #[error("the term is zero everywhere")]
    Zero,
}

/// How many names a message lists before it says "and more".
const LISTED: usize = 20;

/// The known name most similar to `name`, if any is similar enough to be a slip of the hand.
pub(crate) fn nearest<'a>(name: &str, known: &'a [String]) -> Option<&'a str> {
    // A slip for every three letters; of a single letter, only the case.
    let allowed = match name.chars().count() {
        0 | 1 => 1,
        n => 2 * n.div_ceil(3),
    };
    known
        .iter()
        .map(|other| (distance(name, other), other.as_str()))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= allowed)
        .map(|(_, other)| other)
}

/// The edit distance in half steps: a change of case costs one, a letter inserted, left out, changed
/// or swapped with its neighbour two.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut d = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            if i == 0 || j == 0 {
                d[i][j] = 2 * (i + j);
                continue;
            }
            let (p, q) = (a[i - 1], b[j - 1]);
            let same_letter = p.to_lowercase().eq(q.to_lowercase());
            let change = if p == q {
                0
            } else {
                2 - usize::from(same_letter)
            };
            let mut best = d[i - 1][j - 1] + change;
            best = best.min(d[i - 1][j] + 2).min(d[i][j - 1] + 2);
            if i > 1 && j > 1 && (p, a[i - 2]) == (b[j - 2], q) {
                best = best.min(d[i - 2][j - 2] + 2);
            }
            d[i][j] = best;
        }
    }
    d[a.len()][b.len()]
}

fn suggestion(nearest: Option<&str>, known: &[String]) -> String {
    match nearest {
        Some(name) => format!("did you mean {name:?}?"),
        None if known.is_empty() => "there are none".to_owned(),
        None if known.len() > LISTED => {
            format!(
                "choose from {} and {} more",
                known[..LISTED].join(", "),
                known.len() - LISTED
            )
        }
        None => format!("choose from {}", known.join(", ")),
    }
}

/// The text with a blank for each control character, so that a caret below it stays in place.
fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

fn where_clause(values: &[(String, f64)]) -> String {
    let values: Vec<String> = values
        .iter()
        .map(|(name, value)| format!("{name} = {value:?}"))
        .collect();
    if values.is_empty() {
        String::new()
    } else {
        format!(", where {}", values.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn slips_are_recognised_and_strangers_are_not() {
        let known = ["speed", "x3", "X", "temperature"].map(String::from);
        for (name, expected) in [
            ("sped", Some("speed")),
            ("psede", Some("speed")),
            ("Temprature", Some("temperature")),
            ("x4", Some("x3")),
            ("x", Some("X")),
            ("y", None),
            ("pressure", None),
        ] {
            assert_eq!(nearest(name, &known), expected, "{name}");
        }
        assert_eq!(nearest("x", &[]), None);
    }
}
