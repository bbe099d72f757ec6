//! Python literals, as far as headers of NumPy arrays use them.

/// Deeper nesting is taken for damage.
const DEEPEST: usize = 32;

/// A value written in Python.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Literal {
    Text(String),
    Integer(u64),
    Bool(bool),
    /// A list or a tuple.
    Sequence(Vec<Literal>),
    Dictionary(Vec<(Literal, Literal)>),
}

impl Literal {
    /// The value that a text holds, with nothing but blanks around it.
    pub(super) fn parse(text: &str) -> Option<Literal> {
        let mut rest = text;
        let value = value(&mut rest, DEEPEST)?;
        rest.trim_start().is_empty().then_some(value)
    }

    /// The value of a key of a dictionary.
    pub(super) fn entry(&self, key: &str) -> Option<&Literal> {
        let Literal::Dictionary(entries) = self else {
            return None;
        };
        let is_key = |name: &Literal| matches!(name, Literal::Text(name) if name == key);
        let found = entries.iter().find(|(name, _)| is_key(name));
        found.map(|(_, value)| value)
    }

    pub(super) fn as_sequence(&self) -> Option<&[Literal]> {
        match self {
            Literal::Sequence(values) => Some(values),
            _ => None,
        }
    }

    pub(super) fn as_bool(&self) -> Option<bool> {
        match self {
            Literal::Bool(value) => Some(*value),
            _ => None,
        }
    }
}

fn value(rest: &mut &str, depth: usize) -> Option<Literal> {
    let depth = depth.checked_sub(1)?;
    *rest = rest.trim_start();
    let first = rest.chars().next()?;
    match first {
        '\'' | '"' => text(rest, first).map(Literal::Text),
        '0'..='9' => integer(rest),
        '(' => items(rest, ')', |rest| value(rest, depth)).map(|(mut values, commas)| {
            // One value in parentheses is that value; a comma makes it a tuple.
            match values.pop() {
                Some(only) if values.is_empty() && commas == 0 => only,
                last => {
                    values.extend(last);
                    Literal::Sequence(values)
                }
            }
        }),
        '[' => {
            items(rest, ']', |rest| value(rest, depth)).map(|(values, _)| Literal::Sequence(values))
        }
        '{' => items(rest, '}', |rest| {
            let key = value(rest, depth)?;
            take(rest, ':')?;
            Some((key, value(rest, depth)?))
        })
        .map(|(entries, _)| Literal::Dictionary(entries)),
        _ => [("True", true), ("False", false)]
            .into_iter()
            .find_map(|(word, value)| {
                *rest = rest.strip_prefix(word)?;
                Some(Literal::Bool(value))
            }),
    }
}

/// Items between brackets, and the number of commas after them.
fn items<T>(
    rest: &mut &str,
    end: char,
    mut item: impl FnMut(&mut &str) -> Option<T>,
) -> Option<(Vec<T>, usize)> {
    *rest = &rest[1..];
    let (mut found, mut commas) = (Vec::new(), 0);
    while take(rest, end).is_none() {
        if found.len() > commas {
            return None;
        }
        found.push(item(rest)?);
        commas += usize::from(take(rest, ',').is_some());
    }
    Some((found, commas))
}

/// Steps over a mark and the blanks before it.
fn take(rest: &mut &str, mark: char) -> Option<()> {
    *rest = rest.trim_start().strip_prefix(mark)?;
    Some(())
}

fn integer(rest: &mut &str) -> Option<Literal> {
    let end = rest.find(|c: char| !c.is_ascii_digit());
    let (digits, after) = rest.split_at(end.unwrap_or(rest.len()));
    // Python 2 marked its long integers.
    *rest = after.strip_prefix('L').unwrap_or(after);
    digits.parse().ok().map(Literal::Integer)
}

fn text(rest: &mut &str, quote: char) -> Option<String> {
    let mut letters = rest[1..].chars();
    let mut text = String::new();
    loop {
        match letters.next()? {
            '\\' => text.push(escaped(&mut letters)?),
            letter if letter == quote => break,
            letter => text.push(letter),
        }
    }
    *rest = letters.as_str();
    Some(text)
}

/// The letter behind a backslash, in the ways in which Python's `repr` writes one.
fn escaped(letters: &mut std::str::Chars<'_>) -> Option<char> {
    let n_digits = match letters.next()? {
        'n' => return Some('\n'),
        'r' => return Some('\r'),
        't' => return Some('\t'),
        'x' => 2,
        'u' => 4,
        'U' => 8,
        letter @ ('\\' | '\'' | '"') => return Some(letter),
        _ => return None,
    };
    let digits = letters.as_str().get(..n_digits)?;
    *letters = letters.as_str()[n_digits..].chars();
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Literal {
        Literal::Text(text.into())
    }

    #[test]
    fn a_header_is_read_whatever_its_blanks_and_quotes() {
        let header = Literal::parse(
            " { 'descr': [('t', \"<i4\"), ('', '|V4', (2,3))], 'shape': (2L,), 'a': True,}  \n",
        )
        .unwrap();
        let fields = header.entry("descr").unwrap().as_sequence().unwrap();
        assert_eq!(fields[0].as_sequence().unwrap(), [text("t"), text("<i4")]);
        assert_eq!(
            fields[1].as_sequence().unwrap()[2],
            Literal::Sequence(vec![Literal::Integer(2), Literal::Integer(3)])
        );
        assert_eq!(
            *header.entry("shape").unwrap(),
            Literal::Sequence(vec![Literal::Integer(2)])
        );
        assert_eq!(header.entry("a").unwrap().as_bool(), Some(true));
        assert!(header.entry("b").is_none());
    }

    #[test]
    fn escaped_letters_are_those_of_python() {
        assert_eq!(
            Literal::parse(r#"'a\'\\\n\xe9\u03b1"'"#),
            Some(text("a'\\\né\u{3b1}\""))
        );
        assert_eq!(Literal::parse(r"'\q'"), None);
        assert_eq!(Literal::parse(r"'\xé'"), None);
    }

    #[test]
    fn parentheses_around_one_value_change_nothing() {
        assert_eq!(Literal::parse("(7)"), Some(Literal::Integer(7)));
        assert_eq!(Literal::parse("()"), Some(Literal::Sequence(Vec::new())));
    }

    #[test]
    fn what_is_no_literal_is_refused() {
        for damaged in ["", "{", "(1 2)", "(,)", "'x", "1 2", "-1", "{'a' 1}", "nan"] {
            assert_eq!(Literal::parse(damaged), None, "{damaged}");
        }
        assert_eq!(Literal::parse(&"(".repeat(60_000)), None);
        assert_eq!(Literal::parse("99999999999999999999"), None);
    }
}
