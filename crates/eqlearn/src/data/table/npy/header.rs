//! The header of a NumPy array: what it holds, and its shape.
//!
//! After a few bytes of its own, the header is a Python dictionary written as text, such as
//! `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }`.

use std::io::{self, Read};

use super::literal::Literal;

/// What stands before the numbers of an array.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) element: Element,
    pub(super) order: Order,
    pub(super) shape: Vec<u64>,
}

/// Which index of a matrix runs fastest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// The last: row by row.
    C,
    /// The first: column by column.
    Fortran,
}

/// What an array holds at each place.
#[derive(Debug)]
pub(super) enum Element {
    /// One value.
    Plain(Plain),
    /// Named values side by side.
    Record(Vec<(String, Element)>),
    /// An array within a record: how many values, and what they are.
    Array(u64, Box<Element>),
}

/// The type of a value, as NumPy writes it: `<f8` is a little-endian float of eight bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plain {
    pub(super) endian: Endian,
    /// `f` for a float, `i` for an integer, `U` for text, ….
    pub(super) letter: char,
    /// Bytes of a value.
    pub(super) size: usize,
}

/// Which byte of a number comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Endian {
    Little,
    Big,
}

impl Header {
    /// Reads a header and leaves the reader at the first number.
    pub(super) fn read(from: &mut impl Read) -> io::Result<Header> {
        let mut start = [0; 8];
        from.read_exact(&mut start)?;
        if !start.starts_with(b"\x93NUMPY") {
            return Err(invalid("it does not start like one"));
        }
        let mut length = [0; 4];
        match start[6] {
            1 => from.read_exact(&mut length[..2])?,
            2 | 3 => from.read_exact(&mut length)?,
            version => {
                let unknown = format!("its header is of version {version}, which is not known");
                return Err(invalid(&unknown));
            }
        }
        let length = u32::from_le_bytes(length);
        // Not `read_exact`: a damaged length would ask for gigabytes before a byte is read.
        let mut bytes = Vec::new();
        from.take(u64::from(length)).read_to_end(&mut bytes)?;
        if bytes.len() < length as usize {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let text = if start[6] == 3 {
            String::from_utf8(bytes).map_err(|_| invalid("its header is not UTF-8"))?
        } else {
            // Latin-1, whose codes are the first 256 of Unicode.
            bytes.into_iter().map(char::from).collect()
        };
        Literal::parse(&text)
            .and_then(|literal| Header::from_literal(&literal))
            .ok_or_else(|| invalid("its header is not one of an array"))
    }

    fn from_literal(literal: &Literal) -> Option<Header> {
        let fortran = literal.entry("fortran_order")?.as_bool()?;
        Some(Header {
            element: Element::from_literal(literal.entry("descr")?)?,
            order: if fortran { Order::Fortran } else { Order::C },
            shape: shape_from_literal(literal.entry("shape")?)?,
        })
    }
}

impl Element {
    fn from_literal(literal: &Literal) -> Option<Element> {
        if let Literal::Text(code) = literal {
            return Plain::parse(code).map(Element::Plain);
        }
        let fields = literal.as_sequence()?.iter().map(|field| {
            let (name, element, shape) = match field.as_sequence()? {
                [Literal::Text(name), element] => (name, element, Vec::new()),
                [Literal::Text(name), element, shape] => {
                    (name, element, shape_from_literal(shape)?)
                }
                _ => return None,
            };
            let mut element = Element::from_literal(element)?;
            for &n in shape.iter().rev() {
                element = Element::Array(n, Box::new(element));
            }
            Some((name.clone(), element))
        });
        fields.collect::<Option<_>>().map(Element::Record)
    }

    /// How many bytes it takes.
    pub(super) fn size(&self) -> usize {
        match self {
            Element::Plain(plain) => plain.size,
            Element::Record(fields) => fields
                .iter()
                .fold(0, |sum, (_, field)| sum.saturating_add(field.size())),
            Element::Array(n, element) => usize::try_from(*n)
                .unwrap_or(usize::MAX)
                .saturating_mul(element.size()),
        }
    }

    /// Whether Python objects are in it, which only Python can read.
    pub(super) fn holds_objects(&self) -> bool {
        match self {
            Element::Plain(plain) => plain.letter == 'O',
            Element::Record(fields) => fields.iter().any(|(_, field)| field.holds_objects()),
            Element::Array(_, element) => element.holds_objects(),
        }
    }
}

impl Plain {
    fn parse(code: &str) -> Option<Plain> {
        let mut letters = code.chars();
        let endian = match letters.next()? {
            '<' | '|' => Endian::Little,
            '>' => Endian::Big,
            _ => return None,
        };
        let letter = letters.next().filter(|c| "biufcmMSaUOV".contains(*c))?;
        // A unit of time follows the size: `<M8[ns]`.
        let size = letters.as_str().split('[').next()?;
        let size: usize = match letter {
            'O' => 0,
            'U' => size.parse::<usize>().ok()?.checked_mul(4)?,
            _ => size.parse().ok()?,
        };
        Some(Plain {
            endian,
            letter,
            size,
        })
    }
}

fn shape_from_literal(literal: &Literal) -> Option<Vec<u64>> {
    let lengths = literal.as_sequence()?.iter();
    lengths
        .map(|length| match length {
            Literal::Integer(n) => Some(*n),
            _ => None,
        })
        .collect()
}

fn invalid(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}
