//! The words that error messages share: names that were meant, lists that stay short.

use std::fmt::Display;

/// How many names a message lists before it says "and more".
const LISTED: usize = 20;

/// A number of things: `1 row`, `2 rows`.
///
/// ```
/// use eqlearn::error::counted;
///
/// assert_eq!(counted(1, "term"), "1 term");
/// assert_eq!(counted(72, "term"), "72 terms");
/// ```
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(n: N, thing: &str) -> String {
    let ending = if n == N::from(1) { "" } else { "s" };
    format!("{n} {thing}{ending}")
}

/// The known name most similar to `name`, if any is similar enough to be a typing error.
pub fn nearest<'a>(name: &str, known: &'a [String]) -> Option<&'a str> {
    // One error for every three letters; for a single letter, only its case.
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

/// The edit distance in half steps: a change of case costs one; a letter inserted, left out,
/// changed or swapped with its neighbour costs two.
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

/// What to say about a name that is not known: the one that was meant, or all there are.
pub(crate) fn suggestion(nearest: Option<&str>, known: &[String]) -> String {
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

/// What to say about a column that is not there: the one that was meant, and all there are.
pub(crate) fn remedy(nearest: Option<&str>, known: &[String]) -> String {
    let meant = nearest.map_or(String::new(), |name| format!("did you mean {name:?}? "));
    let listed = known[..known.len().min(LISTED)].join(", ");
    match known.len().saturating_sub(LISTED) {
        0 => format!("{meant}it has {listed}"),
        more => format!("{meant}it has {listed} and {more} more"),
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
