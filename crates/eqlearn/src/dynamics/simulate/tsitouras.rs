//! The explicit Runge–Kutta method of Tsitouras, of order 5 with an error estimate of order 4.
//!
//! Ch. Tsitouras, Runge–Kutta pairs of order 5(4) satisfying only the first column simplifying
//! assumption, Computers & Mathematics with Applications 62 (2011).

use super::Task;
use super::step::{Trial, add};

const N_STAGES: usize = 7;

/// The positions of the stages in the step.
const NODES: [f64; N_STAGES] = [0.0, 0.161, 0.327, 0.9, 0.980_025_540_904_509_7, 1.0, 1.0];

/// The weights of the stages after the first in the state of a stage; the first has what is missing
/// to the node. The last stage is the end of the step.
const STAGES: [&[f64]; N_STAGES - 2] = [
    &[],
    &[0.335_480_655_492_357],
    &[-6.359_448_489_975_075, 4.362_295_432_869_581],
    &[
        -11.748_883_564_062_83,
        7.495_539_342_889_836,
        -0.092_495_066_361_755_25,
    ],
    &[
        -12.920_969_317_847_11,
        8.159_367_898_576_159,
        -0.071_584_973_281_401,
        -0.028_269_050_394_068_38,
    ],
];

const END: [f64; N_STAGES - 1] = [
    0.096_460_766_818_065_23,
    0.01,
    0.479_889_650_414_499_6,
    1.379_008_574_103_742,
    -3.290_069_515_436_081,
    2.324_710_524_099_774,
];

const ERROR: [f64; N_STAGES] = [
    -0.001_780_011_052_225_777,
    -0.000_816_434_459_656_746_9,
    0.007_880_878_010_261_995,
    -0.144_711_007_173_262_9,
    0.582_357_165_452_555_2,
    -0.458_082_105_929_186_97,
    0.015_151_515_151_515_152,
];

/// Dense output: the weight of each stage as a polynomial in the fraction of the step, powers 1
/// to 4.
const WITHIN: [[f64; 4]; N_STAGES] = [
    [
        1.0,
        -2.763_706_197_274_83,
        2.913_255_461_821_91,
        -1.053_088_497_729_02,
    ],
    [0.0, 0.1317, -0.2234, 0.1017],
    [
        0.0,
        3.930_296_236_894_75,
        -5.941_033_872_131_5,
        2.490_627_285_651_25,
    ],
    [
        0.0,
        -12.411_077_166_933_7,
        30.338_188_630_282_3,
        -16.548_102_889_244_9,
    ],
    [
        0.0,
        37.509_313_416_511,
        -88.178_904_894_766_4,
        47.379_521_962_819_3,
    ],
    [
        0.0,
        -27.896_526_289_197_3,
        65.091_894_674_793_7,
        -34.870_657_861_496_6,
    ],
    [0.0, 1.5, -4.0, 2.5],
];

/// Tries a step of this length; the shape is the contribution of each stage.
pub(super) fn trial(task: &Task, state: &[f64], slope: &[f64], length: f64) -> Trial {
    let times_length = |slope: &[f64]| slope.iter().map(|v| length * v).collect();
    let mut shape: Vec<Vec<f64>> = vec![times_length(slope)];
    let mut slope = vec![0.0; state.len()];
    let mut after = state.to_vec();
    for (stage, node) in NODES.iter().enumerate().skip(1) {
        after.copy_from_slice(state);
        match STAGES.get(stage - 1) {
            Some(rest) => {
                let first = node - rest.iter().sum::<f64>();
                add(&mut after, &shape[..1], &[first]);
                add(&mut after, &shape[1..], rest);
            }
            None => add(&mut after, &shape, &END),
        }
        task.slope(&after, &mut slope);
        shape.push(times_length(&slope));
    }
    let mut error = vec![0.0; state.len()];
    add(&mut error, &shape, &ERROR);
    Trial {
        after,
        slope_after: slope,
        error,
        shape,
    }
}

/// The state after a fraction of the step.
pub(super) fn within(before: &[f64], shape: &[Vec<f64>], share: f64) -> Vec<f64> {
    let weight = |factors: &[f64; 4]| {
        let (mut weight, mut power) = (0.0, share);
        for factor in factors {
            weight += factor * power;
            power *= share;
        }
        weight
    };
    let mut state = before.to_vec();
    add(&mut state, shape, &WITHIN.each_ref().map(weight));
    state
}
