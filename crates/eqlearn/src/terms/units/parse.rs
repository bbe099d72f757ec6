//! From text to dimensions: `J/(mol*K)`, `m s^-2`, `V/Hz^0.5`, `µm`, `1`.

use super::Dimension;
use crate::error::Result;
use crate::terms::TermsError;

/// Units with their exponents of kg, m, s, A, K, mol and cd, and whether they take prefixes.
const UNITS: [(&[&str], [i32; 7], Prefixes); 46] = {
    use Prefixes::{Allowed, Refused};
    [
        (&["m"], [0, 1, 0, 0, 0, 0, 0], Allowed),
        (&["g"], [1, 0, 0, 0, 0, 0, 0], Allowed),
        (&["s"], [0, 0, 1, 0, 0, 0, 0], Allowed),
        (&["A"], [0, 0, 0, 1, 0, 0, 0], Allowed),
        (&["K"], [0, 0, 0, 0, 1, 0, 0], Allowed),
        (&["mol"], [0, 0, 0, 0, 0, 1, 0], Allowed),
        (&["cd"], [0, 0, 0, 0, 0, 0, 1], Allowed),
        (&["Hz"], [0, 0, -1, 0, 0, 0, 0], Allowed),
        (&["Bq"], [0, 0, -1, 0, 0, 0, 0], Allowed),
        (&["N"], [1, 1, -2, 0, 0, 0, 0], Allowed),
        (&["Pa"], [1, -1, -2, 0, 0, 0, 0], Allowed),
        (&["bar"], [1, -1, -2, 0, 0, 0, 0], Allowed),
        (&["atm"], [1, -1, -2, 0, 0, 0, 0], Refused),
        (&["J"], [1, 2, -2, 0, 0, 0, 0], Allowed),
        (&["eV"], [1, 2, -2, 0, 0, 0, 0], Allowed),
        (&["cal"], [1, 2, -2, 0, 0, 0, 0], Allowed),
        (&["Wh"], [1, 2, -2, 0, 0, 0, 0], Allowed),
        (&["W"], [1, 2, -3, 0, 0, 0, 0], Allowed),
        (&["C"], [0, 0, 1, 1, 0, 0, 0], Allowed),
        (&["V"], [1, 2, -3, -1, 0, 0, 0], Allowed),
        (&["F"], [-1, -2, 4, 2, 0, 0, 0], Allowed),
        (&["ohm", "Ohm", "Ω", "Ω"], [1, 2, -3, -2, 0, 0, 0], Allowed),
        (&["S"], [-1, -2, 3, 2, 0, 0, 0], Allowed),
        (&["Wb"], [1, 2, -2, -1, 0, 0, 0], Allowed),
        (&["T"], [1, 0, -2, -1, 0, 0, 0], Allowed),
        (&["H"], [1, 2, -2, -2, 0, 0, 0], Allowed),
        (&["lm"], [0, 0, 0, 0, 0, 0, 1], Allowed),
        (&["lx"], [0, -2, 0, 0, 0, 0, 1], Allowed),
        (&["Gy"], [0, 2, -2, 0, 0, 0, 0], Allowed),
        (&["Sv"], [0, 2, -2, 0, 0, 0, 0], Allowed),
        (&["kat"], [0, 0, -1, 0, 0, 1, 0], Allowed),
        (&["l", "L"], [0, 3, 0, 0, 0, 0, 0], Allowed),
        (&["Da"], [1, 0, 0, 0, 0, 0, 0], Allowed),
        (&["min"], [0, 0, 1, 0, 0, 0, 0], Refused),
        (&["h", "hour"], [0, 0, 1, 0, 0, 0, 0], Refused),
        (&["d", "day"], [0, 0, 1, 0, 0, 0, 0], Refused),
        (&["yr", "year"], [0, 0, 1, 0, 0, 0, 0], Refused),
        (&["au", "AU"], [0, 1, 0, 0, 0, 0, 0], Refused),
        (&["ly"], [0, 1, 0, 0, 0, 0, 0], Refused),
        (&["pc"], [0, 1, 0, 0, 0, 0, 0], Allowed),
        (&["degC", "°C"], [0, 0, 0, 0, 1, 0, 0], Refused),
        (&["rad"], [0; 7], Allowed),
        (&["sr"], [0; 7], Refused),
        (&["deg", "°"], [0; 7], Refused),
        (&["percent", "%"], [0; 7], Refused),
        (&["dB"], [0; 7], Refused),
    ]
};

/// Whether a unit takes prefixes: `km` is a length, and `yd` is no very short day.
#[derive(Clone, Copy, PartialEq)]
enum Prefixes {
    Allowed,
    Refused,
}

const PREFIXES: [&str; 26] = [
    "da", "Q", "R", "Y", "Z", "E", "P", "T", "G", "M", "k", "h", "d", "c", "m", "µ", "μ", "u", "n",
    "p", "f", "a", "z", "y", "r", "q",
];

/// The name and the dimension in `V=m^3`.
pub(super) fn entry(text: &str) -> Result<(String, Dimension)> {
    let text = text.trim();
    let quoted = text.strip_prefix('`').and_then(|rest| rest.split_once('`'));
    let read = match quoted {
        Some((name, rest)) => rest.trim().strip_prefix('=').map(|unit| (name, unit)),
        None => text.split_once('='),
    };
    let (name, unit) = read
        .map(|(name, unit)| (name.trim(), unit.trim()))
        .filter(|(name, _)| !name.is_empty())
        .ok_or_else(|| TermsError::UnitWithoutName { text: text.into() })?;
    let mut reader = Reader { text: unit, at: 0 };
    let wrong = |problem: String| TermsError::UnknownUnit {
        unit: unit.into(),
        name: name.into(),
        problem,
    };
    let dimension = reader.whole().map_err(wrong)?;
    Ok((name.to_owned(), dimension))
}

/// A unit, and how far it is read.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn whole(&mut self) -> Result<Dimension, String> {
        let dimension = self.product()?;
        match self.rest().chars().next() {
            None => Ok(dimension),
            Some(')') => Err("a parenthesis is closed that was not opened".into()),
            Some(found) => Err(format!("{found:?} has no meaning in a unit")),
        }
    }

    /// Factors with `*`, `/`, or a blank between them, from left to right.
    fn product(&mut self) -> Result<Dimension, String> {
        let mut product = self.factor()?;
        let mut divided = false;
        loop {
            self.skip_blanks();
            let next = self.rest().chars().next();
            match next {
                Some('*' | '·' | '⋅' | '.') => {
                    self.skip(next);
                    product = product.times(self.factor()?);
                }
                Some('/') => {
                    self.skip(next);
                    divided = true;
                    product = product.over(self.factor()?);
                }
                Some(c) if c == '(' || c.is_alphanumeric() || "°%".contains(c) => {
                    if divided {
                        return Err("after / a blank may mean a product above or below; \
                                    write * or parentheses"
                            .into());
                    }
                    product = product.times(self.factor()?);
                }
                _ => return Ok(product),
            }
        }
    }

    /// A unit, a number or a parenthesis, with its power.
    fn factor(&mut self) -> Result<Dimension, String> {
        self.skip_blanks();
        let next = self.rest().chars().next();
        let base = match next {
            None => return Err("a unit is missing at its end; 1 is that of plain numbers".into()),
            Some('(') => {
                self.skip(next);
                let inner = self.product()?;
                if !self.rest().starts_with(')') {
                    return Err("a parenthesis is not closed".into());
                }
                self.skip(Some(')'));
                inner
            }
            Some(c) if c.is_ascii_digit() => {
                self.number()?;
                Dimension::NONE
            }
            Some(_) => self.symbol()?,
        };
        Ok(self.power()?.map_or(base, |power| base.power(power)))
    }

    /// `^2`, `**-1`, `^(1/2)`, `²`, or digits right behind a symbol.
    fn power(&mut self) -> Result<Option<f64>, String> {
        for (sign, power) in [("²", 2.0), ("³", 3.0), ("⁻¹", -1.0), ("⁻²", -2.0)] {
            if self.rest().starts_with(sign) {
                self.at += sign.len();
                return Ok(Some(power));
            }
        }
        let marked = ["^", "**"].into_iter().find(|m| self.rest().starts_with(m));
        if let Some(mark) = marked {
            self.at += mark.len();
            self.skip_blanks();
            if self.rest().starts_with('(') {
                self.at += 1;
                let power = self.number()?;
                let below = if self.rest().starts_with('/') {
                    self.at += 1;
                    self.number()?
                } else {
                    1.0
                };
                if !self.rest().starts_with(')') || below == 0.0 {
                    return Err("a power is a number such as 2, -1, 0.5 or (1/3)".into());
                }
                self.at += 1;
                return Ok(Some(power / below));
            }
            return self.number().map(Some);
        }
        let digits = self.rest().trim_start_matches('-');
        if digits.starts_with(|c: char| c.is_ascii_digit()) && self.follows_a_symbol() {
            return self.number().map(Some);
        }
        Ok(None)
    }

    fn follows_a_symbol(&self) -> bool {
        let before = self.text[..self.at].chars().next_back();
        before.is_some_and(char::is_alphabetic)
    }

    fn number(&mut self) -> Result<f64, String> {
        let rest = self.rest();
        let signs = |(i, c): &(usize, char)| {
            let after_e = || rest[..*i].ends_with(['e', 'E']);
            c.is_ascii_digit()
                || *c == '.'
                || *c == '-' && (*i == 0 || after_e())
                || matches!(c, 'e' | 'E') && *i > 0 && is_exponent(&rest[*i + 1..])
        };
        let end = rest.char_indices().take_while(signs).count();
        let number = rest[..end].parse::<f64>();
        self.at += end;
        let number = number.ok().filter(|number| number.is_finite());
        number.ok_or_else(|| "a power is a number such as 2, -1, 0.5 or (1/3)".into())
    }

    /// A unit with or without a prefix.
    fn symbol(&mut self) -> Result<Dimension, String> {
        let rest = self.rest();
        let is_letter = |c: char| c.is_alphabetic() || "°%".contains(c);
        let end = rest.find(|c: char| !is_letter(c)).unwrap_or(rest.len());
        let symbol = &rest[..end];
        if symbol.is_empty() {
            let found = rest.chars().next().unwrap_or(' ');
            return Err(format!("{found:?} has no meaning in a unit"));
        }
        self.at += end;
        let find = |name: &str| UNITS.iter().find(|(names, ..)| names.contains(&name));
        let prefixed = || {
            let bare = PREFIXES.iter().filter_map(|p| symbol.strip_prefix(p));
            let mut found = bare.filter_map(find);
            found.find(|(.., prefixes)| *prefixes == Prefixes::Allowed)
        };
        match find(symbol).or_else(prefixed) {
            Some((_, exponents, _)) => Ok(Dimension::whole(*exponents)),
            None => Err(format!(
                "{symbol:?} is not a unit that is known here; \
                 write it with those of the SI, such as m, kg, s, N, J, V, mol, K"
            )),
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip(&mut self, character: Option<char>) {
        self.at += character.map_or(0, char::len_utf8);
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }
}

/// Whether this follows the e of a number such as 1e-3.
fn is_exponent(rest: &str) -> bool {
    let digits = rest.strip_prefix('-').unwrap_or(rest);
    digits.starts_with(|c: char| c.is_ascii_digit())
}
