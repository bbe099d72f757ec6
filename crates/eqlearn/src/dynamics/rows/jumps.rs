//! Inputs that jump from one sample to the next: switched heaters, valves, voltages.
//!
//! Nobody knows when between two samples an input switched, so that integrals over what it drives
//! are uncertain by half a step there, however precise the samples are. This is one more error of
//! the rows: at the sample after the jump, the right side is uncertain by half of what the jump
//! changes of it. Straight lines between samples, which an input is taken to follow, lie in the
//! middle of what is possible.

use super::interpolate::Nodes;
use crate::data::trajectory::Piece;
use crate::numeric::vector::dot;

/// A jump is this share of the input's range at least,
const LARGE: f64 = 0.02;
/// and this many times larger than one of the changes beside it. Where the samples follow an input,
/// neighbouring changes are alike.
const SUDDEN: f64 = 4.0;

/// A feature that jumps between two samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Jump {
    /// The place of the feature.
    pub(crate) feature: usize,
    /// The sample after the jump.
    pub(crate) sample: usize,
    before: f64,
    after: f64,
}

impl Jump {
    /// Whether a node is where nobody knows on which side of the jump it is: at the sample itself,
    /// or between the two samples.
    fn concerns(&self, left: usize, share: f64) -> bool {
        (left == self.sample && share <= 0.0) || (left + 1 == self.sample && share > 0.0)
    }
}

/// The jumps of all columns of a piece.
pub(crate) fn jumps(piece: &Piece) -> Vec<Jump> {
    let of_column = |(feature, column): (usize, &Vec<f64>)| {
        let jump = |sample: usize| Jump {
            feature,
            sample,
            before: column[sample - 1],
            after: column[sample],
        };
        let samples = after_jumps(column).into_iter();
        samples.map(jump).collect::<Vec<Jump>>()
    };
    piece
        .columns()
        .iter()
        .enumerate()
        .flat_map(of_column)
        .collect()
}

/// The samples right after a jump.
fn after_jumps(column: &[f64]) -> Vec<usize> {
    let ends = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = column
        .iter()
        .fold(ends, |(low, high), x| (low.min(*x), high.max(*x)));
    let steps: Vec<f64> = column
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).abs())
        .collect();
    let is_jump = |i: &usize| {
        let near = i.saturating_sub(1)..(i + 2).min(steps.len());
        let others = near.filter(|k| k != i).map(|k| steps[k]);
        let least = others.fold(f64::INFINITY, f64::min);
        steps[*i] > LARGE * (high - low) && steps[*i] > SUDDEN * least
    };
    (0..steps.len()).filter(is_jump).map(|i| i + 1).collect()
}

/// The derivative of an equation with respect to a feature at nodes; none if it is zero.
pub(crate) type ByFeature<'a> = dyn Fn(usize, &Nodes) -> Option<Vec<f64>> + 'a;

/// For each input that jumps: by how much the right side of an equation is uncertain at each node.
/// The states are the first features.
pub(crate) fn uncertain(nodes: &Nodes, n_states: usize, slope: &ByFeature<'_>) -> Vec<Vec<f64>> {
    let inputs = n_states..nodes.columns.len();
    let jumps = |input: &usize| nodes.jumps.iter().any(|jump| jump.feature == *input);
    inputs
        .filter(jumps)
        .map(|input| of_input(nodes, input, slope))
        .collect()
}

fn of_input(nodes: &Nodes, input: usize, slope: &ByFeature<'_>) -> Vec<f64> {
    let (mut before, mut after) = (nodes.clone(), nodes.clone());
    for jump in nodes.jumps.iter().filter(|jump| jump.feature == input) {
        let near = nodes.left.partition_point(|left| left + 1 < jump.sample);
        for node in (near..nodes.left.len()).take_while(|j| nodes.left[*j] <= jump.sample) {
            if jump.concerns(nodes.left[node], nodes.share[node]) {
                before.columns[input][node] = jump.before;
                after.columns[input][node] = jump.after;
            }
        }
    }
    let mut half = vec![0.0; nodes.times.len()];
    for side in [&before, &after] {
        let Some(slope) = slope(input, side) else {
            continue;
        };
        let ends = after.columns[input].iter().zip(&before.columns[input]);
        for ((half, slope), (after, before)) in half.iter_mut().zip(slope).zip(ends) {
            // Half of the change, which is the mean derivative of both sides times the jump.
            *half += 0.25 * slope * (after - before);
        }
    }
    half
}

/// The derivative with respect to a feature where no equation is known yet: as if the feature alone
/// made the derivative of a state as large as this rate.
pub(crate) fn guess(nodes: &Nodes, feature: usize, rate: f64) -> Option<Vec<f64>> {
    let column = &nodes.columns[feature];
    let n = column.len() as f64;
    let mean = column.iter().sum::<f64>() / n;
    let centred: Vec<f64> = column.iter().map(|x| x - mean).collect();
    let factor = rate / (dot(&centred, &centred) / n).sqrt();
    factor.is_finite().then(|| vec![factor; column.len()])
}

#[cfg(test)]
mod tests {
    use super::after_jumps;

    #[test]
    fn switches_are_jumps_and_waves_are_none() {
        assert_eq!(after_jumps(&[0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0]), [2, 5]);
        assert_eq!(after_jumps(&[0.0, 0.0, 1.0, 0.0, 0.0]), [2, 3]);
        for samples_of_period in [20, 50, 333] {
            let angle =
                |i: i32| std::f64::consts::TAU * f64::from(i) / f64::from(samples_of_period);
            let wave: Vec<f64> = (0..400).map(|i| angle(i).sin()).collect();
            assert!(after_jumps(&wave).is_empty(), "{samples_of_period}");
        }
        let ramp: Vec<f64> = (0..50).map(f64::from).collect();
        assert!(after_jumps(&ramp).is_empty());
    }
}
