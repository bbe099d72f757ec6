//! Reflections in double-double arithmetic: numbers of 32 digits, as the sum of two.
//!
//! Loops run over four numbers at a time, their high and low halves in vectors of their own.
//! Products and sums are those of Dekker and Knuth; rounding is the same on every machine, with
//! or without a fused multiply-add instruction.
//!
//! Hida, Li and Bailey, Algorithms for quad-double precision floating point arithmetic (2001).

use qd::Quad;

use crate::numeric::householder::{Reflection, Scalar};
use crate::numeric::vector::widely;

/// Squares of numbers below this lose digits to underflow.
const TINY: f64 = 1e-140;

impl Scalar for Quad {
    fn axis(column: &mut [Self], tolerance: f64) -> Option<Reflection<Self>> {
        let largest = column.iter().fold(0.0_f64, |a, x| a.max(x.0.abs()));
        if !(largest > 0.0) {
            return None;
        }
        // The axis may have any length: small entries are scaled by a power of two.
        let exponent = if largest < TINY {
            libm::frexp(largest).1
        } else {
            0
        };
        if exponent != 0 {
            for entry in column.iter_mut() {
                *entry = scaled(*entry, -exponent);
            }
        }
        let squares = dot(column, column);
        let length = squares.sqrt();
        let first = column[0];
        let diagonal = if first.0 > 0.0 { -length } else { length };
        column[0] = first - diagonal;
        // vᵀv/2 = |x|² − x₁ d.
        let tau = squares - first * diagonal;
        let diagonal = scaled(diagonal, exponent);
        (diagonal.0.abs() > tolerance).then_some(Reflection { diagonal, tau })
    }

    fn turn(axis: &[Self], reflection: Reflection<Self>, column: &mut [Self]) {
        let factor = -(dot(axis, column) / reflection.tau);
        add(column, factor, axis);
    }
}

fn scaled(x: Quad, exponent: i32) -> Quad {
    Quad(libm::ldexp(x.0, exponent), libm::ldexp(x.1, exponent))
}

widely! {
    /// `Σ a_i b_i`.
    fn dot(a: &[Quad], b: &[Quad]) -> Quad = plain_dot
}

widely! {
    /// `a += factor · b`.
    fn add(a: &mut [Quad], factor: Quad, b: &[Quad]) -> () = plain_add
}

/// Numbers worked on at a time.
const LANES: usize = 4;

/// Independent sums: in a single one each addition would wait for the one before.
const SUMS: usize = 3;

type Lanes = [f64; LANES];

/// High and low halves of some numbers.
#[derive(Clone, Copy)]
struct Halves {
    high: Lanes,
    low: Lanes,
}

impl Halves {
    const ZERO: Self = Self {
        high: [0.0; LANES],
        low: [0.0; LANES],
    };

    /// The order of the numbers is the one that a processor unpacks at once.
    #[inline(always)]
    fn unpacked(x: &[Quad; LANES]) -> Self {
        Self {
            high: [x[0].0, x[2].0, x[1].0, x[3].0],
            low: [x[0].1, x[2].1, x[1].1, x[3].1],
        }
    }

    #[inline(always)]
    fn packed(self) -> [Quad; LANES] {
        let Self { high, low } = self;
        [
            Quad(high[0], low[0]),
            Quad(high[2], low[2]),
            Quad(high[1], low[1]),
            Quad(high[3], low[3]),
        ]
    }

    #[inline(always)]
    fn of(x: Quad) -> Self {
        Self {
            high: [x.0; LANES],
            low: [x.1; LANES],
        }
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        let product = each(self.high, other.high, |a, b| a * b);
        let error = fused(self.high, other.high, each(product, product, |p, _| -p));
        let error = fused(self.high, other.low, error);
        let error = fused(self.low, other.high, error);
        quick_two_sum(product, error)
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        let high = two_sum(self.high, other.high);
        let low = two_sum(self.low, other.low);
        let sum = quick_two_sum(high.high, each(high.low, low.high, |a, b| a + b));
        quick_two_sum(sum.high, each(sum.low, low.low, |a, b| a + b))
    }
}

#[inline(always)]
fn each(a: Lanes, b: Lanes, f: impl Fn(f64, f64) -> f64) -> Lanes {
    [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])]
}

/// `a·b + c`, rounded once.
#[inline(always)]
fn fused(a: Lanes, b: Lanes, c: Lanes) -> Lanes {
    [
        a[0].mul_add(b[0], c[0]),
        a[1].mul_add(b[1], c[1]),
        a[2].mul_add(b[2], c[2]),
        a[3].mul_add(b[3], c[3]),
    ]
}

/// The sum and its rounding error, where the first number is the larger one.
#[inline(always)]
fn quick_two_sum(large: Lanes, small: Lanes) -> Halves {
    let sum = each(large, small, |a, b| a + b);
    let kept = each(sum, large, |s, a| s - a);
    let error = each(small, kept, |b, k| b - k);
    Halves {
        high: sum,
        low: error,
    }
}

/// The sum and its rounding error.
#[inline(always)]
fn two_sum(a: Lanes, b: Lanes) -> Halves {
    let sum = each(a, b, |a, b| a + b);
    let second = each(sum, a, |s, a| s - a);
    let first = each(sum, second, |s, b| s - b);
    let error = each(
        each(a, first, |a, first| a - first),
        each(b, second, |b, second| b - second),
        |a, b| a + b,
    );
    Halves {
        high: sum,
        low: error,
    }
}

#[inline(always)]
fn plain_dot(a: &[Quad], b: &[Quad]) -> Quad {
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [Halves::ZERO; SUMS];
    let (a_groups, a_single) = a_blocks.as_chunks::<SUMS>();
    let (b_groups, b_single) = b_blocks.as_chunks::<SUMS>();
    for (a, b) in a_groups.iter().zip(b_groups) {
        for k in 0..SUMS {
            let product = Halves::unpacked(&a[k]).times(Halves::unpacked(&b[k]));
            sums[k] = sums[k].plus(product);
        }
    }
    for (k, (a, b)) in a_single.iter().zip(b_single).enumerate() {
        sums[k] = sums[k].plus(Halves::unpacked(a).times(Halves::unpacked(b)));
    }
    let all = sums.iter().fold(Halves::ZERO, |all, sum| all.plus(*sum));
    let rest = a_rest.iter().zip(b_rest).map(|(a, b)| *a * *b);
    let lanes = all.packed().into_iter();
    lanes.chain(rest).fold(Quad::ZERO, Quad::add_accurate)
}

#[inline(always)]
fn plain_add(a: &mut [Quad], factor: Quad, b: &[Quad]) {
    let (a_blocks, a_rest) = a.as_chunks_mut::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    let factors = Halves::of(factor);
    for (a, b) in a_blocks.iter_mut().zip(b_blocks) {
        let product = Halves::unpacked(b).times(factors);
        *a = Halves::unpacked(a).plus(product).packed();
    }
    for (a, b) in a_rest.iter_mut().zip(b_rest) {
        *a = a.add_accurate(*b * factor);
    }
}
