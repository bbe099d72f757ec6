//! Problems with a known law: seeded, the same on every machine.

use eqlearn::Triangle;

/// Random numbers (`SplitMix64`), enough for fixtures.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D_4C95_7F2D)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    /// Uniform in [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Standard normal.
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// A whole number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.bits() >> 32).expect("32 bits fit") % end
    }
}

/// Columns of a problem, the target last.
pub(crate) type Columns = Vec<Vec<f64>>;

/// Exponents of the monomials of three features with powers up to `power` and total up to `total`.
pub(crate) fn exponents(power: i32, total: i32) -> Vec<[i32; 3]> {
    let mut all = Vec::new();
    for a in 0..=power {
        for b in 0..=power {
            for c in 0..=power {
                if a + b + c <= total {
                    all.push([a, b, c]);
                }
            }
        }
    }
    all
}

fn monomials(features: &[[f64; 3]]) -> Columns {
    exponents(4, 6)
        .iter()
        .map(|e| {
            features
                .iter()
                .map(|x| x[0].powi(e[0]) * x[1].powi(e[1]) * x[2].powi(e[2]))
                .collect()
        })
        .collect()
}

/// A random polynomial of `n_true` terms, with all 72 monomials as the dictionary.
pub(crate) fn polynomial(seed: u64, n_true: usize, n_obs: usize) -> Columns {
    let mut dice = Dice::new(seed);
    let mut means: Vec<f64> = (0..3).map(|_| dice.uniform() * 40.0 - 20.0).collect();
    means.sort_by(f64::total_cmp);
    let z = 1.959_964;
    let (d1, d2) = (means[1] - means[0], means[2] - means[1]);
    let s2 = d1.min(d2) / (2.0 * z);
    let spreads = [d1 / z - s2, s2, d2 / z - s2];
    let features: Vec<[f64; 3]> = (0..n_obs)
        .map(|_| std::array::from_fn(|i| means[i] + spreads[i] * dice.normal()))
        .collect();
    let mut columns = monomials(&features);
    let small: Vec<usize> = exponents(4, 6)
        .iter()
        .enumerate()
        .filter(|(_, e)| e.iter().all(|&x| x <= 2) && (1..=4).contains(&e.iter().sum::<i32>()))
        .map(|(j, _)| j)
        .collect();
    let mut target = vec![0.0; n_obs];
    let mut truth: Vec<usize> = Vec::new();
    while truth.len() < n_true {
        let j = small[dice.below(small.len())];
        if truth.contains(&j) {
            continue;
        }
        truth.push(j);
        let sign = if dice.uniform() < 0.5 { -1.0 } else { 1.0 };
        let coefficient = sign * (1.0 + 3.0 * dice.uniform());
        for (t, x) in target.iter_mut().zip(&columns[j]) {
            *t += coefficient * x;
        }
    }
    for t in &mut target {
        *t += 0.01 * dice.normal();
    }
    columns.push(target);
    columns
}

/// The Lorenz system's derivative of one state by forward differences, over all 72 monomials.
pub(crate) fn lorenz(seed: u64, state: usize, n_obs: usize) -> Columns {
    assert!(state < 3 && n_obs > 0, "a state of three, and some rows");
    let mut dice = Dice::new(seed);
    let slope = |x: [f64; 3]| {
        [
            10.0 * (x[1] - x[0]),
            x[0] * (28.0 - x[2]) - x[1],
            x[0] * x[1] - 8.0 / 3.0 * x[2],
        ]
    };
    let step = |x: [f64; 3], h: f64| {
        let along = |k: [f64; 3], h: f64| std::array::from_fn(|i| x[i] + h * k[i]);
        let k1 = slope(x);
        let k2 = slope(along(k1, h / 2.0));
        let k3 = slope(along(k2, h / 2.0));
        let k4 = slope(along(k3, h));
        std::array::from_fn(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
    };
    let dt = 0.01;
    let mut x = [-8.0, 7.0, 27.0];
    let mut seen: Vec<[f64; 3]> = Vec::new();
    for _ in 0..=n_obs {
        seen.push(std::array::from_fn(|i| x[i] + 0.01 * dice.normal()));
        for _ in 0..10 {
            x = step(x, dt / 10.0);
        }
    }
    let mut columns = monomials(&seen[..n_obs]);
    columns.push(
        (0..n_obs)
            .map(|t| (seen[t + 1][state] - seen[t][state]) / dt)
            .collect(),
    );
    columns
}

/// Independent normal columns; the first `n_true` make the target, with unit noise.
pub(crate) fn gaussian(seed: u64, n_terms: usize, n_true: usize, n_obs: usize) -> Columns {
    let mut dice = Dice::new(seed);
    let mut columns: Columns = (0..n_terms)
        .map(|_| (0..n_obs).map(|_| dice.normal()).collect())
        .collect();
    let target = (0..n_obs)
        .map(|t| columns[..n_true].iter().map(|c| c[t]).sum::<f64>() + dice.normal())
        .collect();
    columns.push(target);
    columns
}

/// The triangle of columns.
pub(crate) fn triangle(columns: &Columns) -> Triangle {
    Triangle::from_columns(columns)
}
