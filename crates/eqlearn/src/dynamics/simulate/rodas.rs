//! The linearly implicit Runge–Kutta method RODAS, of order 4 with an error estimate of order 3.
//!
//! It is L-stable: components that decay within a step are damped, not resolved. Each of its six
//! stages solves a linear system with the same matrix, made from the exact Jacobian; nothing is
//! iterated. Hairer and Wanner, Solving Ordinary Differential Equations II, section IV.7.

use super::Task;
use super::step::{Trial, add};

const GAMMA: f64 = 0.25;

/// The weights of earlier stages in the state at which a stage evaluates the equations. From the
/// fifth on, a stage's own result is added too.
const STATES: [&[f64]; 5] = [
    &[],
    &[1.544],
    &[0.946_678_528_081_582_6, 0.255_701_169_898_328_4],
    &[
        3.314_825_187_068_521,
        2.896_124_015_972_201,
        0.998_641_913_997_781_7,
    ],
    &[
        1.221_224_509_226_641,
        6.019_134_481_288_629,
        12.537_083_329_320_87,
        -0.687_886_036_105_895,
    ],
];

/// The weights of earlier stages in the right-hand side of a stage, to be divided by the step
/// length.
const SLOPES: [&[f64]; 6] = [
    &[],
    &[-5.6688],
    &[-2.430_093_356_833_875, -0.206_359_915_709_191_5],
    &[
        -0.107_352_905_815_137_5,
        -9.594_562_251_023_355,
        -20.470_286_148_096_16,
    ],
    &[
        7.496_443_313_967_647,
        -10.246_804_314_643_52,
        -33.999_903_528_199_05,
        11.708_908_932_061_6,
    ],
    &[
        8.083_246_795_921_522,
        -7.981_132_988_064_893,
        -31.521_594_328_743_71,
        16.319_305_431_231_36,
        -6.058_818_238_834_054,
    ],
];

/// The weights of the stages in the two coefficients of the dense output.
const BENDS: [[f64; 5]; 2] = [
    [
        10.126_235_083_445_86,
        -7.487_995_877_610_167,
        -34.800_918_615_557_47,
        -7.992_771_707_568_823,
        1.025_137_723_295_662,
    ],
    [
        -0.676_280_339_280_125_3,
        6.087_714_651_680_015,
        16.430_843_208_924_78,
        24.767_225_114_183_86,
        -6.594_389_125_716_872,
    ],
];

/// Tries a step of this length; the shape is the two coefficients of the dense output.
pub(super) fn trial(task: &Task, state: &[f64], slope: &[f64], length: f64) -> Trial {
    let n = state.len();
    let mut stages: Vec<Vec<f64>> = Vec::with_capacity(SLOPES.len());
    let (mut after, mut slope) = (state.to_vec(), slope.to_vec());
    let matrix = Factored::new(matrix(task, state, 1.0 / (length * GAMMA)));
    for (i, rest) in SLOPES.iter().enumerate() {
        match STATES.get(i) {
            Some(earlier) => {
                after.copy_from_slice(state);
                add(&mut after, &stages, earlier);
            }
            None => add(&mut after, &stages[i - 1..], &[1.0]),
        }
        if i > 0 {
            task.slope(&after, &mut slope);
        }
        let mut stage = slope.clone();
        let rest: Vec<f64> = rest.iter().map(|factor| factor / length).collect();
        add(&mut stage, &stages, &rest);
        matrix.solve(&mut stage);
        stages.push(stage);
    }
    let error = stages[SLOPES.len() - 1].clone();
    add(&mut after, &stages[SLOPES.len() - 1..], &[1.0]);
    task.slope(&after, &mut slope);
    let bend = |factors: [f64; 5]| {
        let mut bend = vec![0.0; n];
        add(&mut bend, &stages, &factors);
        bend
    };
    Trial {
        after,
        slope_after: slope,
        error,
        shape: BENDS.map(bend).into(),
    }
}

/// The state after a fraction of the step.
pub(super) fn within(before: &[f64], after: &[f64], bends: &[Vec<f64>], share: f64) -> Vec<f64> {
    let left = 1.0 - share;
    (0..before.len())
        .map(|d| {
            let bend = left * (bends[0][d] + share * bends[1][d]);
            left * before[d] + share * (after[d] + bend)
        })
        .collect()
}

/// The rows of a diagonal matrix minus the Jacobian.
fn matrix(task: &Task, state: &[f64], diagonal: f64) -> Vec<Vec<f64>> {
    let n = state.len();
    let mut rows = vec![vec![0.0; n]; n];
    let (mut direction, mut change) = (vec![0.0; n], vec![0.0; n]);
    for column in 0..n {
        direction[column] = 1.0;
        task.slope_along(state, &direction, &mut change);
        direction[column] = 0.0;
        for (row, change) in rows.iter_mut().zip(&change) {
            row[column] = -change;
        }
        rows[column][column] += diagonal;
    }
    rows
}

/// An LU factorisation with row pivoting.
struct Factored {
    rows: Vec<Vec<f64>>,
    /// Which row of the matrix a row was.
    order: Vec<usize>,
}

impl Factored {
    /// Gaussian elimination with partial pivoting. A singular matrix gives solutions that are not
    /// finite, so that the step is rejected.
    fn new(mut rows: Vec<Vec<f64>>) -> Self {
        let n = rows.len();
        let mut order: Vec<usize> = (0..n).collect();
        for k in 0..n {
            let pivot = (k..n)
                .max_by(|&i, &j| rows[i][k].abs().total_cmp(&rows[j][k].abs()))
                .expect("there is a row from k on");
            rows.swap(k, pivot);
            order.swap(k, pivot);
            let (above, below) = rows.split_at_mut(k + 1);
            for row in below {
                let factor = row[k] / above[k][k];
                row[k] = factor;
                for (value, pivot) in row[k + 1..].iter_mut().zip(&above[k][k + 1..]) {
                    *value -= factor * pivot;
                }
            }
        }
        Self { rows, order }
    }

    /// Replaces a right side by the solution.
    fn solve(&self, right: &mut Vec<f64>) {
        let mut x: Vec<f64> = self.order.iter().map(|&row| right[row]).collect();
        let known = |x: &[f64], row: &[f64]| -> f64 { x.iter().zip(row).map(|(x, a)| x * a).sum() };
        for i in 0..x.len() {
            x[i] -= known(&x[..i], &self.rows[i][..i]);
        }
        for i in (0..x.len()).rev() {
            x[i] -= known(&x[i + 1..], &self.rows[i][i + 1..]);
            x[i] /= self.rows[i][i];
        }
        *right = x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_is_solved_with_whatever_the_order_of_its_rows() {
        let rows = vec![
            vec![0.0, 2.0, 1.0],
            vec![4.0, 1.0, -1.0],
            vec![1.0, 0.0, 3.0],
        ];
        let mut x = vec![7.0, 3.0, 10.0];
        Factored::new(rows).solve(&mut x);
        for (x, expected) in x.iter().zip([1.0, 2.0, 3.0]) {
            assert!((x - expected).abs() < 1e-14, "{x} {expected}");
        }
    }

    #[test]
    fn a_singular_matrix_gives_no_numbers() {
        let mut x = vec![1.0, 1.0];
        Factored::new(vec![vec![1.0, 2.0], vec![2.0, 4.0]]).solve(&mut x);
        assert!(x.iter().any(|x| !x.is_finite()));
    }
}
