//! The ways in which NumPy writes a number.

use super::header::{Endian, Plain};

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    I16(Endian),
    I32(Endian),
    I64(Endian),
    U8,
    U16(Endian),
    U32(Endian),
    U64(Endian),
    F16(Endian),
    F32(Endian),
    F64(Endian),
    NotANumber,
}

impl Scalar {
    pub(super) fn of(plain: &Plain) -> Scalar {
        let endian = plain.endian;
        match (plain.letter, plain.size) {
            ('i', 1) => Scalar::I8,
            ('i', 2) => Scalar::I16(endian),
            ('i', 4) => Scalar::I32(endian),
            ('i', 8) => Scalar::I64(endian),
            ('u' | 'b', 1) => Scalar::U8,
            ('u', 2) => Scalar::U16(endian),
            ('u', 4) => Scalar::U32(endian),
            ('u', 8) => Scalar::U64(endian),
            ('f', 2) => Scalar::F16(endian),
            ('f', 4) => Scalar::F32(endian),
            ('f', 8) => Scalar::F64(endian),
            _ => Scalar::NotANumber,
        }
    }

    /// Appends the number at the start of each stretch of bytes.
    pub(super) fn append<'a>(self, cells: impl Iterator<Item = &'a [u8]>, to: &mut Vec<f64>) {
        macro_rules! append {
            ($type:ty, $endian:expr, $convert:expr) => {{
                let bytes = |cell: &[u8]| *cell.first_chunk().expect("a record holds its cells");
                match $endian {
                    Endian::Little => {
                        to.extend(cells.map(|c| $convert(<$type>::from_le_bytes(bytes(c)))))
                    }
                    Endian::Big => {
                        to.extend(cells.map(|c| $convert(<$type>::from_be_bytes(bytes(c)))))
                    }
                }
            }};
        }
        match self {
            Scalar::I8 => append!(i8, Endian::Little, f64::from),
            Scalar::I16(endian) => append!(i16, endian, f64::from),
            Scalar::I32(endian) => append!(i32, endian, f64::from),
            Scalar::I64(endian) => append!(i64, endian, |v| v as f64),
            Scalar::U8 => append!(u8, Endian::Little, f64::from),
            Scalar::U16(endian) => append!(u16, endian, f64::from),
            Scalar::U32(endian) => append!(u32, endian, f64::from),
            Scalar::U64(endian) => append!(u64, endian, |v| v as f64),
            Scalar::F16(endian) => append!(u16, endian, f64_from_half),
            Scalar::F32(endian) => append!(f32, endian, f64::from),
            Scalar::F64(endian) => append!(f64, endian, |v| v),
            Scalar::NotANumber => unreachable!("only numeric columns are chosen"),
        }
    }
}

/// The value of an IEEE 754 half-precision number: 1 sign, 5 exponent and 10 fraction bits.
pub(super) fn f64_from_half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let fraction = f64::from(bits & 0x3FF);
    match (bits >> 10) & 0x1F {
        0 => sign * fraction * 2f64.powi(-24),
        31 if fraction > 0.0 => f64::NAN,
        31 => sign * f64::INFINITY,
        exponent => sign * (1024.0 + fraction) * 2f64.powi(i32::from(exponent) - 25),
    }
}
