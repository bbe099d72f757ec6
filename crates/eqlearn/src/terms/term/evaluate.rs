//! The values of a formula, many rows at a time.
//!
//! A formula becomes a [`Program`] in postfix order once; running it moves a chunk of rows through
//! each instruction before the next, so the cost of dispatch is paid once per chunk. The arithmetic
//! is generic over [`Scalar`]: `f64`, or double-double where more digits are needed.

use std::ops::{Add, Div, Mul};

use qd::Quad;

use super::node::{Function, Node, Number};

/// How many rows go through a program at once: a few buffers of these fit the first-level cache.
pub(crate) const CHUNK: usize = 256;

/// Whole exponents up to this size are multiplied out, which double-double arithmetic needs.
const MAX_MULTIPLIED: u32 = 1024;

/// The numbers that formulas are evaluated in.
pub(crate) trait Scalar:
    Copy + Add<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    fn from_f64(value: f64) -> Self;
    fn apply(self, function: Function) -> Self;
    fn powf(self, exponent: Self) -> Self;
    fn sqrt(self) -> Self;
    fn is_finite(self) -> bool;

    fn powi(self, exponent: u32) -> Self {
        let (mut square, mut rest) = (self, exponent);
        let mut product = Self::from_f64(1.0);
        loop {
            if rest % 2 == 1 {
                product = product * square;
            }
            rest /= 2;
            if rest == 0 {
                return product;
            }
            square = square * square;
        }
    }
}

impl Scalar for f64 {
    fn from_f64(value: f64) -> Self {
        value
    }

    fn apply(self, function: Function) -> Self {
        function.evaluate(self)
    }

    fn powf(self, exponent: Self) -> Self {
        self.powf(exponent)
    }

    fn sqrt(self) -> Self {
        self.sqrt()
    }

    fn is_finite(self) -> bool {
        self.is_finite()
    }
}

/// Twice the digits for `+ - * /`, whole powers and roots; functions use the leading half only.
impl Scalar for Quad {
    fn from_f64(value: f64) -> Self {
        Self::from_f64(value)
    }

    fn apply(self, function: Function) -> Self {
        match function {
            Function::Abs => self.abs(),
            _ => Self::from_f64(function.evaluate(self.0)),
        }
    }

    fn powf(self, exponent: Self) -> Self {
        Self::from_f64(self.0.powf(exponent.0))
    }

    fn sqrt(self) -> Self {
        self.sqrt()
    }

    fn is_finite(self) -> bool {
        self.is_finite()
    }
}

/// A formula in postfix order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Program {
    instructions: Vec<Instruction>,
    /// How many chunks the stack holds at most.
    stack: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Instruction {
    PushNumber(f64),
    PushFeature(usize),
    Add,
    Multiply,
    Divide,
    Power,
    WholePower(u32),
    SquareRoot,
    Apply(Function),
}

impl Program {
    pub(crate) fn new(node: &Node) -> Self {
        let mut instructions = Vec::new();
        compile(node, &mut instructions);
        let (mut height, mut stack) = (0, 0);
        for instruction in &instructions {
            match instruction {
                Instruction::PushNumber(_) | Instruction::PushFeature(_) => height += 1,
                Instruction::Add
                | Instruction::Multiply
                | Instruction::Divide
                | Instruction::Power => height -= 1,
                Instruction::WholePower(_) | Instruction::SquareRoot | Instruction::Apply(_) => {}
            }
            stack = stack.max(height);
        }
        Self {
            instructions,
            stack,
        }
    }

    /// How many scalars the stack needs.
    pub(crate) fn stack_len(&self) -> usize {
        self.stack * CHUNK
    }

    /// Runs over the rows from `start`, as many as `out` takes and at most a chunk.
    pub(crate) fn run<S: Scalar>(
        &self,
        features: &[&[f64]],
        start: usize,
        stack: &mut [S],
        out: &mut [S],
    ) {
        let len = out.len();
        let mut top = 0;
        for instruction in &self.instructions {
            let (below, free) = stack.split_at_mut(top * CHUNK);
            match *instruction {
                Instruction::PushNumber(value) => {
                    free[..len].fill(S::from_f64(value));
                    top += 1;
                }
                Instruction::PushFeature(column) => {
                    load(&features[column][start..start + len], &mut free[..len]);
                    top += 1;
                }
                Instruction::Add => top = combine(below, len, |a, b| a + b),
                Instruction::Multiply => top = combine(below, len, |a, b| a * b),
                Instruction::Divide => top = combine(below, len, |a, b| a / b),
                Instruction::Power => top = combine(below, len, S::powf),
                Instruction::WholePower(exponent) => change(below, len, |a| a.powi(exponent)),
                Instruction::SquareRoot => change(below, len, S::sqrt),
                Instruction::Apply(function) => change(below, len, |a| a.apply(function)),
            }
        }
        out.copy_from_slice(&stack[..len]);
    }
}

/// Copies a column into scalars.
pub(crate) fn load<S: Scalar>(column: &[f64], out: &mut [S]) {
    for (out, value) in out.iter_mut().zip(column) {
        *out = S::from_f64(*value);
    }
}

/// Replaces the two topmost chunks by one, and returns the new height.
fn combine<S: Scalar>(stack: &mut [S], len: usize, f: impl Fn(S, S) -> S) -> usize {
    let height = stack.len() / CHUNK - 1;
    let (below, right) = stack.split_at_mut(height * CHUNK);
    let left = &mut below[(height - 1) * CHUNK..][..len];
    for (left, right) in left.iter_mut().zip(right) {
        *left = f(*left, *right);
    }
    height
}

/// Replaces the topmost chunk.
fn change<S: Scalar>(stack: &mut [S], len: usize, f: impl Fn(S) -> S) {
    let start = stack.len() - CHUNK;
    for value in &mut stack[start..start + len] {
        *value = f(*value);
    }
}

fn compile(node: &Node, out: &mut Vec<Instruction>) {
    match node {
        Node::Number(number) => out.push(Instruction::PushNumber(number.value())),
        Node::Feature(feature) => out.push(Instruction::PushFeature(feature.column)),
        Node::Function(function, argument) => {
            compile(argument, out);
            out.push(Instruction::Apply(*function));
        }
        Node::Sum(operands) => {
            for (i, operand) in operands.iter().enumerate() {
                compile(operand, out);
                if i > 0 {
                    out.push(Instruction::Add);
                }
            }
        }
        Node::Product(factors) => compile_product(factors, out),
        Node::Power(..) => compile_product(std::slice::from_ref(node), out),
    }
}

/// Factors first, then divisors, so that x/y is one rounding.
fn compile_product(factors: &[Node], out: &mut Vec<Instruction>) {
    let is_divisor = |factor: &&Node| factor.split_power().1.value() < 0.0;
    let (divisors, factors): (Vec<&Node>, Vec<&Node>) = factors.iter().partition(is_divisor);
    if factors.is_empty() {
        out.push(Instruction::PushNumber(1.0));
    }
    for (i, factor) in factors.into_iter().enumerate() {
        let (base, exponent) = factor.split_power();
        compile_power(base, exponent, out);
        if i > 0 {
            out.push(Instruction::Multiply);
        }
    }
    for divisor in divisors {
        let (base, exponent) = divisor.split_power();
        compile_power(base, Number::new(-exponent.value()), out);
        out.push(Instruction::Divide);
    }
}

/// A base with a positive exponent.
fn compile_power(base: &Node, exponent: Number, out: &mut Vec<Instruction>) {
    if exponent == Number::ONE
        && let Node::Power(inner, exponent) = base
    {
        compile(inner, out);
        compile(exponent, out);
        out.push(Instruction::Power);
        return;
    }
    compile(base, out);
    match exponent.integer().and_then(|n| u32::try_from(n).ok()) {
        Some(1) => {}
        Some(n) if n <= MAX_MULTIPLIED => out.push(Instruction::WholePower(n)),
        _ if exponent == Number::HALF => out.push(Instruction::SquareRoot),
        _ => out.extend([
            Instruction::PushNumber(exponent.value()),
            Instruction::Power,
        ]),
    }
}
