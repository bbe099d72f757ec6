//! Functions of noisy values, without their bias.
//!
//! Of `U = u + ε` with independent normal noise the function `exp(−½ Σ σ² ∂²) f` has the mean
//! `f(u)`. For powers these are Hermite polynomials, `He₂ = U² − σ²`, `He_{q+1} = U He_q −
//! q σ² He_{q−1}`; for other functions it is the series to fourth order in the noise. Products of
//! two such functions of one value have the covariance
//!
//! ```text
//! Cov(f, g) = Σ_{κ ≠ 0} Π σ^2κ/κ! · ∂^κ f(u) ∂^κ g(u)
//! ```

use crate::error::Result;
use crate::fields::names::Names;
use crate::fields::term::Function;
use crate::terms::term::Term;

/// The orders in the noise that are counted for functions that are no powers.
const SERIES: u32 = 2;

impl Function {
    /// A derivative by the quantities, as a number times a function; none if it is zero.
    pub(crate) fn derivative(&self, kappa: &[u32], names: &Names) -> Option<(f64, Self)> {
        match self {
            Self::Powers(powers) => {
                let mut factor = 1.0;
                let mut left = powers.clone();
                for (power, &times) in left.iter_mut().zip(kappa) {
                    for _ in 0..times {
                        factor *= f64::from(*power);
                        *power = power.checked_sub(1)?;
                    }
                }
                Some((factor, Self::Powers(left)))
            }
            Self::Other(term) => {
                let mut term = term.clone();
                for (name, &times) in names.quantities().iter().zip(kappa) {
                    for _ in 0..times {
                        term = term.derivative(name);
                    }
                }
                (!term.is_zero()).then_some((1.0, Self::Other(term)))
            }
        }
    }

    /// The product with another function.
    pub(crate) fn times(&self, other: &Self, names: &Names) -> Result<Self> {
        match (self, other) {
            (Self::Powers(a), Self::Powers(b)) => {
                Ok(Self::Powers(a.iter().zip(b).map(|(a, b)| a + b).collect()))
            }
            _ => Self::of(&self.term(names).times(&other.term(names)), names),
        }
    }

    /// The derivatives that a covariance counts: how often by each quantity, not all zero.
    pub(crate) fn kappas(&self, names: &Names) -> Vec<Vec<u32>> {
        let highest = |place: usize| match self {
            Self::Powers(powers) => powers[place],
            Self::Other(_) => SERIES,
        };
        let n = names.quantities().len();
        let mut all: Vec<Vec<u32>> = vec![Vec::new()];
        for place in 0..n {
            let longer = |kappa: &Vec<u32>| {
                let kappa = kappa.clone();
                (0..=highest(place)).map(move |k| [kappa.clone(), vec![k]].concat())
            };
            all = all.iter().flat_map(longer).collect();
        }
        let wanted = |kappa: &Vec<u32>| {
            let total: u32 = kappa.iter().sum();
            total > 0 && (matches!(self, Self::Powers(_)) || total <= SERIES)
        };
        all.retain(wanted);
        all
    }
}

/// `Π σ^2κ / κ!`.
pub(crate) fn weight(kappa: &[u32], sigma: &[f64]) -> f64 {
    let one = |(&k, s): (&u32, &f64)| (1..=k).map(|i| s * s / f64::from(i)).product::<f64>();
    kappa.iter().zip(sigma).map(one).product()
}

/// A function of noisy values whose mean is that of the values without noise.
pub(crate) struct Unbiased {
    kind: Kind,
    sigma: Vec<f64>,
}

enum Kind {
    Powers(Vec<u32>),
    /// Terms with their factors.
    Series(Vec<(f64, Term)>),
}

impl Unbiased {
    pub(crate) fn new(function: &Function, sigma: &[f64], names: &Names) -> Self {
        let kind = match function {
            Function::Powers(powers) => Kind::Powers(powers.clone()),
            Function::Other(term) => Kind::Series(series(term, sigma, names)),
        };
        Self {
            kind,
            sigma: sigma.to_vec(),
        }
    }

    /// The values of the function; `values` are those of the quantities.
    pub(crate) fn evaluate(&self, values: &[&[f64]], out: &mut [f64]) {
        match &self.kind {
            Kind::Powers(powers) => {
                out.fill(1.0);
                let all = values.iter().zip(powers).zip(&self.sigma);
                for ((values, &power), sigma) in all.filter(|((_, power), _)| **power > 0) {
                    for (out, &value) in out.iter_mut().zip(*values) {
                        *out *= hermite(value, power, sigma * sigma);
                    }
                }
            }
            Kind::Series(terms) => {
                let mut one = vec![0.0; out.len()];
                out.fill(0.0);
                for (factor, term) in terms {
                    term.evaluate(values, &mut one);
                    for (out, value) in out.iter_mut().zip(&one) {
                        *out += factor * value;
                    }
                }
            }
        }
    }
}

/// The Hermite polynomial of a power for noise of this variance.
fn hermite(value: f64, power: u32, variance: f64) -> f64 {
    let (mut before, mut last) = (1.0, value);
    for q in 1..power {
        (before, last) = (last, value * last - f64::from(q) * variance * before);
    }
    last
}

/// `f − ½ Σ σ² ∂² f + ⅛ (Σ σ² ∂²)² f`.
fn series(term: &Term, sigma: &[f64], names: &Names) -> Vec<(f64, Term)> {
    let curved = |terms: &[(f64, Term)], factor: f64| -> Vec<(f64, Term)> {
        let all = names.quantities().iter().zip(sigma);
        let second = all.flat_map(|(name, s)| {
            let one = move |(c, term): &(f64, Term)| {
                (factor * c * s * s, term.derivative(name).derivative(name))
            };
            terms.iter().map(one)
        });
        second.filter(|(_, term)| !term.is_zero()).collect()
    };
    let whole = vec![(1.0, term.clone())];
    let first = curved(&whole, -0.5);
    let second = curved(&first, -0.25);
    [whole, first, second].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        Names::new(["u", "v"], ["t", "x"]).unwrap()
    }

    /// The mean over normal noise, by Gauss–Hermite sums of nine points in each direction.
    fn mean(f: &dyn Fn(f64, f64) -> f64, sigma: [f64; 2]) -> f64 {
        let nodes = [
            0.0,
            1.023_255_663_789_132_5,
            2.076_847_978_677_83,
            3.205_429_002_856_47,
            4.512_745_863_399_783,
        ];
        let weights = [
            0.406_349_206_349_206_35,
            0.244_097_502_894_939_43,
            0.049_916_406_765_217_88,
            0.002_789_141_321_231_769,
            0.000_022_345_844_007_746_584,
        ];
        let all: Vec<(f64, f64)> = (-4_i32..=4)
            .map(|i| {
                let k = i.unsigned_abs() as usize;
                (nodes[k] * f64::from(i.signum()), weights[k])
            })
            .collect();
        let inner = |(x, a): &(f64, f64)| {
            let one = |(y, b): &(f64, f64)| a * b * f(x * sigma[0], y * sigma[1]);
            all.iter().map(one).sum::<f64>()
        };
        all.iter().map(inner).sum()
    }

    #[test]
    fn the_mean_over_the_noise_is_the_function_without_it() {
        let sigma = [0.7, 0.3];
        let (u, v) = (1.3, -0.4);
        let unbiased = Unbiased::new(&Function::Powers(vec![4, 3]), &sigma, &names());
        let value = |a: f64, b: f64| {
            let mut out = [0.0];
            unbiased.evaluate(&[&[u + a], &[v + b]], &mut out);
            out[0]
        };
        assert!((mean(&value, sigma) - u.powi(4) * v.powi(3)).abs() < 1e-10);
        let sine = Term::parse("sin(u)", names().quantities()).unwrap();
        let unbiased = Unbiased::new(&Function::Other(sine), &[0.2, 0.0], &names());
        let value = |a: f64, _: f64| {
            let mut out = [0.0];
            unbiased.evaluate(&[&[u + a], &[v]], &mut out);
            out[0]
        };
        assert!((mean(&value, [0.2, 0.0]) - u.sin()).abs() < 2e-6);
    }

    #[test]
    fn covariances_are_sums_over_derivatives() {
        let sigma = [0.7, 0.3];
        let (u, v): (f64, f64) = (1.3, -0.4);
        let functions = [Function::Powers(vec![2, 1]), Function::Powers(vec![3, 0])];
        let [f, g] = functions
            .each_ref()
            .map(|f| Unbiased::new(f, &sigma, &names()));
        let at = |f: &Unbiased, a: f64, b: f64| {
            let mut out = [0.0];
            f.evaluate(&[&[u + a], &[v + b]], &mut out);
            out[0]
        };
        let product = mean(&|a, b| at(&f, a, b) * at(&g, a, b), sigma);
        let covariance = product - u.powi(2) * v * u.powi(3);
        let mut sum = 0.0;
        for kappa in functions[0].kappas(&names()) {
            let [a, b] = functions.each_ref().map(|f| f.derivative(&kappa, &names()));
            if let (Some((a, f)), Some((b, g))) = (a, b) {
                let Function::Powers(powers) = f.times(&g, &names()).unwrap() else {
                    unreachable!("powers stay powers")
                };
                let value = u.powi(powers[0].cast_signed()) * v.powi(powers[1].cast_signed());
                sum += weight(&kappa, &sigma) * a * b * value;
            }
        }
        assert!((covariance - sum).abs() < 1e-10, "{covariance} {sum}");
    }
}
