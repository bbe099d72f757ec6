//! Fields in time, from their equations: one direction of space, periodic.
//!
//! All terms are total derivatives of functions of the quantities, so that the right side is
//! evaluated on the grid and differentiated by Fourier series. Linear terms of a quantity in its
//! own equation are integrated exactly, the others by a Runge–Kutta scheme of fourth order
//! (ETDRK4), whose steps are halved until two halves and a whole agree.
//!
//! Cox and Matthews, Exponential time differencing for stiff systems, 2002; Kassam and Trefethen,
//! Fourth-order time-stepping for stiff PDEs, 2005, for the sums on a circle.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::fields::FieldsError;
use crate::fields::names::Names;
use crate::fields::system::FieldSystem;
use crate::fields::term::{Function, Part, weak_form};
use crate::numeric::fourier::{Complex, Fourier};

/// The error of a step that is allowed, as a share of the size of the field.
const TOLERANCE: f64 = 1e-7;
/// A step is halved at most this often.
const HALVINGS: u32 = 24;
/// Points on the circle on which the coefficients of a step are averaged.
const CIRCLE: u32 = 32;

/// Follows the equations from a state of all quantities at the first of the times.
///
/// `start` has the values of each quantity on equal steps along `length`, after which the first
/// point comes again. The answer has for each quantity its values at all times, time after time.
///
/// ```
/// use eqlearn::fields::names::Names;
/// use eqlearn::{FieldSystem, LeftSide, Model, fields};
///
/// let names = Names::new(["u"], ["t", "x"])?;
/// let left = LeftSide::Evolution { of: "u".into(), time: "t".into(), order: 1 };
/// let heat = Model::given(left, fields::dictionary::parse(&names, ["u_xx"])?, &[0.5])?;
/// let system = FieldSystem::from_models(names, vec![heat]).expect("the motion of u");
/// let turn = std::f64::consts::TAU;
/// let start: Vec<f64> = (0..32).map(|i| (turn * f64::from(i) / 32.0).cos()).collect();
/// let u = fields::simulate::simulate_field(&system, &[start], turn, &[0.0, 1.0])?;
/// assert!((u[0][32] - (-0.5_f64).exp()).abs() < 1e-9);
/// # Ok::<(), eqlearn::Error>(())
/// ```
///
/// # Errors
/// A system of more than one direction of space or of second order in time; a state of another
/// size; a solution that leaves all bounds.
pub fn simulate_field(
    system: &FieldSystem,
    start: &[Vec<f64>],
    length: f64,
    times: &[f64],
) -> Result<Vec<Vec<f64>>> {
    let n_axes = system.names().axes().len();
    if n_axes != 2 || system.order() != 1 {
        return Err(FieldsError::NotSimulated {
            space: n_axes - 1,
            order: system.order(),
        }
        .into());
    }
    let n_points = start.first().map_or(0, Vec::len);
    let fits = start.len() == system.names().quantities().len();
    let finite = start.iter().flatten().all(|value| value.is_finite());
    if !fits || !finite || n_points == 0 || start.iter().any(|u| u.len() != n_points) {
        return Err(FieldsError::StartOfField {
            quantities: system.names().quantities().to_vec(),
        }
        .into());
    }
    let flow = Flow::new(system, n_points, length)?;
    let mut state: State = start.iter().map(|u| flow.fourier.forward(u)).collect();
    let mut out: Vec<Vec<f64>> = start.to_vec();
    let mut integrator = Integrator {
        flow: &flow,
        schemes: BTreeMap::new(),
        halvings: 0,
    };
    for pair in times.windows(2) {
        state = integrator
            .advance(state, pair[1] - pair[0])
            .ok_or(FieldsError::Diverges { time: pair[1] })?;
        for (out, u) in out.iter_mut().zip(&state) {
            out.extend(flow.fourier.backward(u));
        }
    }
    Ok(out)
}

/// The Fourier series of each quantity.
type State = Vec<Vec<Complex<f64>>>;

/// The right sides of all equations.
struct Flow<'a> {
    names: &'a Names,
    fourier: Fourier,
    /// `i k` of each wave.
    slopes: Vec<Complex<f64>>,
    /// Whether a wave is long enough to be free of aliases of products.
    kept: Vec<bool>,
    /// What each wave of a quantity is multiplied by in its own equation.
    linear: State,
    /// The other terms of each equation: factor, derivatives along space, function.
    others: Vec<Vec<(f64, u32, Function)>>,
}

impl<'a> Flow<'a> {
    fn new(system: &'a FieldSystem, n_points: usize, length: f64) -> Result<Self> {
        let names = system.names();
        let wave = |i: usize| {
            let signed = if 2 * i > n_points {
                i as f64 - n_points as f64
            } else {
                i as f64
            };
            // The shortest wave of an even number of points has no odd derivatives.
            let signed = if 2 * i == n_points { 0.0 } else { signed };
            std::f64::consts::TAU * signed / length
        };
        let slopes: Vec<Complex<f64>> = (0..n_points).map(|i| Complex::new(0.0, wave(i))).collect();
        let mut linear = Vec::new();
        let mut others = Vec::new();
        for (quantity, model) in system.equations().iter().enumerate() {
            let own: Vec<u32> = (0..names.quantities().len())
                .map(|q| u32::from(q == quantity))
                .collect();
            let mut factors = vec![Complex::new(0.0, 0.0); n_points];
            let mut rest = Vec::new();
            for (term, w) in model.terms().iter().zip(model.coefficients()) {
                for Part {
                    coefficient,
                    orders,
                    function,
                } in weak_form(term, names)?
                {
                    let factor = w * coefficient;
                    if function == Function::Powers(own.clone()) {
                        for (sum, slope) in factors.iter_mut().zip(&slopes) {
                            *sum += slope.powu(orders[1]) * factor;
                        }
                    } else {
                        rest.push((factor, orders[1], function));
                    }
                }
            }
            linear.push(factors);
            others.push(rest);
        }
        let third = |i: usize| 3 * i.min(n_points - i) <= n_points;
        Ok(Self {
            names,
            fourier: Fourier::new(n_points),
            slopes,
            kept: (0..n_points).map(third).collect(),
            linear,
            others,
        })
    }

    /// The terms that are not integrated exactly.
    fn rest(&self, state: &State) -> State {
        let values: Vec<Vec<f64>> = state.iter().map(|u| self.fourier.backward(u)).collect();
        let columns: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
        let n = self.slopes.len();
        let mut value = vec![0.0; n];
        let sum = |others: &Vec<(f64, u32, Function)>| {
            let mut sum = vec![Complex::new(0.0, 0.0); n];
            for (factor, order, function) in others {
                function.term(self.names).evaluate(&columns, &mut value);
                let series = self.fourier.forward(&value);
                for (place, sum) in sum.iter_mut().enumerate().filter(|(i, _)| self.kept[*i]) {
                    *sum += series[place] * self.slopes[place].powu(*order) * factor;
                }
            }
            sum
        };
        self.others.iter().map(sum).collect()
    }
}

/// The coefficients of a step of one length, for each quantity and wave.
struct Scheme {
    whole: State,
    half: State,
    inner: State,
    outer: [State; 3],
}

impl Scheme {
    fn new(linear: &State, step: f64) -> Self {
        let of = |f: &dyn Fn(Complex<f64>) -> Complex<f64>| -> State {
            let wave = |l: &Complex<f64>| f(l * step);
            linear
                .iter()
                .map(|waves| waves.iter().map(wave).collect())
                .collect()
        };
        // Means over a circle around the point, because differences cancel near zero.
        let mean = |f: &dyn Fn(Complex<f64>) -> Complex<f64>| {
            of(&|z| {
                let at = |k: u32| {
                    let angle = std::f64::consts::TAU * (f64::from(k) + 0.5) / f64::from(CIRCLE);
                    f(z + Complex::from_polar(1.0, angle))
                };
                (0..CIRCLE).map(at).sum::<Complex<f64>>() * (step / f64::from(CIRCLE))
            })
        };
        let cube = |z: Complex<f64>| z * z * z;
        Self {
            whole: of(&|z| z.exp()),
            half: of(&|z| (z * 0.5).exp()),
            inner: mean(&|z| ((z * 0.5).exp() - 1.0) / z),
            outer: [
                mean(&|z| (-z - 4.0 + z.exp() * (z * z - z * 3.0 + 4.0)) / cube(z)),
                mean(&|z| (z + 2.0 + z.exp() * (z - 2.0)) / cube(z)),
                mean(&|z| (-z * z - z * 3.0 - 4.0 + z.exp() * (-z + 4.0)) / cube(z)),
            ],
        }
    }

    fn step(&self, flow: &Flow<'_>, state: &State) -> State {
        let combine = |f: &dyn Fn(usize, usize) -> Complex<f64>| -> State {
            let waves = |q: usize| (0..flow.slopes.len()).map(|k| f(q, k)).collect();
            (0..state.len()).map(waves).collect()
        };
        let first = flow.rest(state);
        let a = combine(&|q, k| self.half[q][k] * state[q][k] + self.inner[q][k] * first[q][k]);
        let second = flow.rest(&a);
        let b = combine(&|q, k| self.half[q][k] * state[q][k] + self.inner[q][k] * second[q][k]);
        let third = flow.rest(&b);
        let c = combine(&|q, k| {
            let slope = third[q][k] * 2.0 - first[q][k];
            self.half[q][k] * a[q][k] + self.inner[q][k] * slope
        });
        let fourth = flow.rest(&c);
        let [x, y, z] = &self.outer;
        combine(&|q, k| {
            self.whole[q][k] * state[q][k]
                + x[q][k] * first[q][k]
                + y[q][k] * (second[q][k] + third[q][k]) * 2.0
                + z[q][k] * fourth[q][k]
        })
    }
}

/// Steps that are parts of a span, with the coefficients of each length that was needed.
struct Integrator<'a> {
    flow: &'a Flow<'a>,
    schemes: BTreeMap<(u64, u32), Scheme>,
    halvings: u32,
}

impl Integrator<'_> {
    /// The state after a span of time; none if it leaves all bounds.
    fn advance(&mut self, mut state: State, span: f64) -> Option<State> {
        let mut done = 0.0;
        self.halvings = self.halvings.saturating_sub(1);
        while done < 1.0 {
            // Whole steps of the present length fit into what is left.
            let part = 0.5_f64.powi(self.halvings.cast_signed());
            let whole = self.step(span, self.halvings, &state);
            let half = self.step(span, self.halvings + 1, &state);
            let halves = self.step(span, self.halvings + 1, &half);
            let (error, size) = distance(&whole, &halves);
            if error <= TOLERANCE * size {
                done += part;
                state = halves;
            } else if self.halvings == HALVINGS {
                return None;
            } else {
                self.halvings += 1;
            }
        }
        Some(state)
    }

    fn step(&mut self, span: f64, halvings: u32, state: &State) -> State {
        let length = span * 0.5_f64.powi(halvings.cast_signed());
        let new = || Scheme::new(&self.flow.linear, length);
        let scheme = self
            .schemes
            .entry((span.to_bits(), halvings))
            .or_insert_with(new);
        scheme.step(self.flow, state)
    }
}

/// The distance of two states, and the size of the second.
fn distance(a: &State, b: &State) -> (f64, f64) {
    let both = a.iter().flatten().zip(b.iter().flatten());
    let error: f64 = both.map(|(a, b)| (a - b).norm_sqr()).sum();
    let size: f64 = b.iter().flatten().map(Complex::norm_sqr).sum();
    (error.sqrt(), size.sqrt())
}
