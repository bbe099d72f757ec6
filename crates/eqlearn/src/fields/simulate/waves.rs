//! The equations of a periodic field as those of its waves.

use std::f64::consts::TAU;

use crate::error::Result;
use crate::fields::names::Names;
use crate::fields::system::FieldSystem;
use crate::fields::term::{Function, weak_form};
use crate::numeric::fourier::{Complex, Fourier};
use crate::terms::term::Term;

/// The waves of all quantities, one quantity after the other.
pub(super) type State = Vec<Complex<f64>>;

/// What the equations make of waves: for each a rate of its own, and the rest.
pub(super) struct Waves {
    n: usize,
    fourier: Fourier,
    linear: State,
    rest: Vec<Rest>,
    /// Waves up to a third of the grid: the squares of shorter ones would look like longer ones.
    resolved: Vec<bool>,
}

/// A function of the quantities, and what of its waves goes into each equation.
struct Rest {
    function: Function,
    term: Term,
    /// The equation, and a factor for each wave.
    into: Vec<(usize, State)>,
}

impl Waves {
    pub(super) fn new(system: &FieldSystem, n: usize, length: f64) -> Result<Self> {
        let names = system.names();
        let resolved = (0..n).map(|i| 3 * i.min(n - i) <= n).collect();
        let mut all = Self {
            n,
            fourier: Fourier::new(n),
            linear: vec![Complex::ZERO; n * names.quantities().len()],
            rest: Vec::new(),
            resolved,
        };
        for (place, model) in system.equations().iter().enumerate() {
            for (term, coefficient) in model.terms().iter().zip(model.coefficients()) {
                for part in weak_form(term, names)? {
                    let c = coefficient * part.coefficient;
                    let factors = factors(n, length, part.orders[1], c);
                    all.add(place, part.function, factors, names);
                }
            }
        }
        Ok(all)
    }

    /// Takes the derivative of a function into an equation.
    fn add(&mut self, equation: usize, function: Function, factors: State, names: &Names) {
        if is_own(&function, equation) {
            let own = &mut self.linear[equation * self.n..][..self.n];
            own.iter_mut().zip(factors).for_each(|(sum, f)| *sum += f);
            return;
        }
        let known = self.rest.iter_mut().find(|rest| rest.function == function);
        match known {
            Some(rest) => rest.into.push((equation, factors)),
            None => self.rest.push(Rest {
                term: function.term(names),
                function,
                into: vec![(equation, factors)],
            }),
        }
    }

    /// The waves of these lines.
    pub(super) fn of(&self, lines: &[Vec<f64>]) -> State {
        let each = lines.iter().map(|line| self.fourier.forward(line));
        each.flatten().collect()
    }

    /// The lines that these waves make.
    pub(super) fn lines(&self, state: &State) -> Vec<Vec<f64>> {
        let each = state.chunks_exact(self.n);
        each.map(|waves| self.fourier.backward(waves)).collect()
    }

    /// The largest value of any quantity.
    pub(super) fn largest(&self, state: &State) -> f64 {
        let lines = self.lines(state);
        lines.iter().flatten().fold(0.0, |a, x| a.max(x.abs()))
    }

    /// The rate of each wave by itself.
    pub(super) fn linear(&self) -> &State {
        &self.linear
    }

    /// What changes waves besides.
    pub(super) fn rest(&self, state: &State) -> State {
        let mut sum = vec![Complex::ZERO; state.len()];
        if self.rest.is_empty() {
            return sum;
        }
        let smooth = state.iter().zip(self.resolved.iter().cycle());
        let smooth = smooth.map(|(wave, is)| if *is { *wave } else { Complex::ZERO });
        let lines = self.lines(&smooth.collect());
        let columns: Vec<&[f64]> = lines.iter().map(Vec::as_slice).collect();
        let mut values = vec![0.0; self.n];
        for rest in &self.rest {
            rest.term.evaluate(&columns, &mut values);
            let waves = self.fourier.forward(&values);
            for (equation, factors) in &rest.into {
                let own = &mut sum[equation * self.n..][..self.n];
                let all = own.iter_mut().zip(&waves).zip(factors).zip(&self.resolved);
                for (((sum, wave), factor), _) in all.filter(|(_, is)| **is) {
                    *sum += wave * factor;
                }
            }
        }
        sum
    }
}

/// Whether a function is the quantity of the equation itself.
fn is_own(function: &Function, equation: usize) -> bool {
    let Function::Powers(powers) = function else {
        return false;
    };
    let mut each = powers.iter().enumerate();
    each.all(|(place, &power)| power == u32::from(place == equation))
}

/// What a derivative multiplies each wave by, times a number.
fn factors(n: usize, length: f64, order: u32, coefficient: f64) -> State {
    let factor = |i: usize| {
        // The shortest wave of an even grid has no direction, so its odd derivatives are zero.
        if 2 * i == n && order % 2 == 1 {
            return Complex::ZERO;
        }
        let k = if 2 * i > n {
            -((n - i) as f64)
        } else {
            i as f64
        };
        Complex::new(0.0, TAU * k / length).powu(order) * coefficient
    };
    (0..n).map(factor).collect()
}
