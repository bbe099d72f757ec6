//! The order of a node's candidates: those that explain least together come first.
//!
//! Candidates `0..=u` are closed as long as all of them together leave more unexplained than the list's worst. So the longer the
//! columns in front explain next to nothing, the more subsets are closed at once, whatever their size. Greedily: take the column that
//! explains least of what is left, project it out, take the next. Stand-ins for each other then sit side by side, for once
//! one of them is in, the others add nothing; what the target cannot do without comes last. Leaving out what
//! hurts most, the usual order, is blind where every column has a stand-in.
//!
//! It is a QR factorisation with another choice of pivots, so the factor of the new order comes with it, and fewer rows than columns
//! need no special care.
//!
//! The order decides how long a search takes, never what it finds.

use super::kernel;
use super::node::Node;
use super::rescore::dot;

/// A column of which less than this share of its square is left is measured again.
const STALE: f64 = 1e-6;

/// Re-orders a node so that as many columns as possible leave more than `enough` unexplained; beyond that the order matters little.
pub(crate) fn arrange(node: &Node, enough: f64, into: &mut Node) {
    let (k, n) = (node.len(), node.n_rows());
    let mut alive: Vec<Column> = (0..k).map(|j| Column::new(node, j)).collect();
    let mut target = node.z().to_vec();
    let mut rss = node.rss();
    for step in 0..n {
        let gains = alive[step..].iter().map(Column::gain).enumerate();
        let least = gains.min_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
        let (place, gain) = least.expect("there are no more rows than columns");
        rss -= gain;
        if rss > enough {
            alive[step..=step + place].rotate_right(1);
        } else if rss + gain > enough {
            alive[step..].sort_by(|a, b| a.gain().total_cmp(&b.gain()));
        }
        reflect(step, &mut alive, &mut target);
    }
    into.assemble(
        node,
        alive.iter().map(|c| (c.place, c.x.as_slice())),
        &target,
    );
}

/// A candidate while it is being placed.
struct Column {
    /// Where it was.
    place: usize,
    x: Vec<f64>,
    /// Square of what is left of it, when measured last and now.
    measured: f64,
    squared: f64,
    /// Product of what is left with what is left of the target.
    with_target: f64,
}

impl Column {
    fn new(node: &Node, place: usize) -> Self {
        let mut x = Vec::with_capacity(node.n_rows());
        node.column(place, &mut x);
        let squared = dot(&x, &x);
        let with_target = dot(&x, &node.z()[..x.len()]);
        x.resize(node.n_rows(), 0.0);
        Self {
            place,
            x,
            measured: squared,
            squared,
            with_target,
        }
    }

    /// How much of the target it explains.
    fn gain(&self) -> f64 {
        // Less than this is left of a column that depends on those before it.
        const NOTHING: f64 = 1e-26;
        if self.squared > NOTHING {
            self.with_target * self.with_target / self.squared
        } else {
            0.0
        }
    }
}

/// Turns column `step` into the axis of its row, and all others and the target with it.
fn reflect(step: usize, columns: &mut [Column], target: &mut [f64]) {
    let (done, rest) = columns.split_at_mut(step + 1);
    let pivot = &mut done[step].x[step..];
    let length = dot(pivot, pivot).sqrt();
    let diagonal = -length.copysign(pivot[0]);
    pivot[0] -= diagonal;
    let scale = match dot(pivot, pivot) {
        squared if squared > 0.0 => -2.0 / squared,
        _ => 0.0,
    };
    let target = &mut target[step..];
    kernel::add_scaled(scale * dot(pivot, target), pivot, target);
    for column in rest {
        let x = &mut column.x[step..];
        column.with_target = kernel::reflect(scale, pivot, x, target);
        column.squared -= x[0] * x[0];
        if column.squared < STALE * column.measured {
            column.squared = dot(&x[1..], &x[1..]);
            column.measured = column.squared;
        }
    }
    done[step].x[step] = diagonal;
    done[step].x[step + 1..].fill(0.0);
}
