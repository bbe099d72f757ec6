//! The order of a node's candidates: what hurts most to leave out goes first.
//!
//! The bound of the n-th child is the residual of all candidates but the first n − 1, so the sooner the loss is large the sooner the
//! loop ends. Greedily: leave out the column whose loss raises the residual most, then the next. With `W` the inverse of the triangle and `w` the
//! coefficients, leaving out `v` costs `w_v² / |W_v|²`, and removes from the other rows their part along `W_v`.
//!
//! With fewer rows than candidates nothing is lost at first; then the strongest go first, as in forward selection, until as many
//! are left as there are rows.
//!
//! The order decides how long a search takes, never what it finds.

use super::kernel;
use super::node::Node;
use super::rescore::dot;

/// Re-orders a node so that the bounds of its children rise fast; beyond `enough` they need not.
pub(crate) fn arrange(node: &Node, enough: f64, into: &mut Node) {
    arrange_back(node, enough, into);
    if enough.is_finite() {
        let mut other = Node::default();
        node.reorder(&idlest(node, enough), &mut other);
        if closed(&other, enough) > closed(into, enough) {
            std::mem::swap(&mut other, into);
        }
    }
}

/// How many columns from the first on leave more than enough unexplained together.
fn closed(node: &Node, enough: f64) -> usize {
    (0..node.len()).take_while(|&u| node.bound(u) > enough).count()
}

/// The order in which columns explain as little as possible for as long as possible.
fn idlest(node: &Node, enough: f64) -> Vec<usize> {
    let (k, n) = (node.len(), node.n_rows());
    let mut columns: Vec<Vec<f64>> = (0..k)
        .map(|j| {
            let mut column = Vec::new();
            node.column(j, &mut column);
            column.resize(n, 0.0);
            column
        })
        .collect();
    let mut target = node.z().to_vec();
    let mut alive: Vec<usize> = (0..k).collect();
    let mut order = Vec::with_capacity(k);
    let mut rss = node.rss();
    let least = |column: &[f64]| dot(column, column) > 1e-24;
    while !alive.is_empty() {
        let gain = |j: usize| {
            let (c, d) = (dot(&columns[j], &target), dot(&columns[j], &columns[j]));
            if d > 1e-24 { c * c / d } else { 0.0 }
        };
        let (place, least_gain) = alive
            .iter()
            .enumerate()
            .map(|(place, &v)| (place, gain(v)))
            .min_by(|a, b| a.1.total_cmp(&b.1).then_with(|| b.0.cmp(&a.0)))
            .expect("some column is left");
        if rss - least_gain <= enough {
            alive.sort_by(|&a, &b| gain(a).total_cmp(&gain(b)).then_with(|| a.cmp(&b)));
            order.append(&mut alive);
            break;
        }
        rss -= least_gain;
        let v = alive.remove(place);
        order.push(v);
        let pivot = columns[v].clone();
        if least(&pivot) {
            let squared = dot(&pivot, &pivot);
            for &u in &alive {
                let factor = dot(&pivot, &columns[u]) / squared;
                kernel::add_scaled(-factor, &pivot, &mut columns[u]);
            }
            let factor = dot(&pivot, &target) / squared;
            kernel::add_scaled(-factor, &pivot, &mut target);
        }
    }
    order
}

fn arrange_back(node: &Node, enough: f64, into: &mut Node) {
    let (k, n) = (node.len(), node.n_rows());
    if n < k {
        let mut order = strongest(node, k - n);
        order.reverse();
        let mut rest: Vec<usize> = (0..k).filter(|j| !order.contains(j)).collect();
        rest.append(&mut order);
        let mut turned = Node::default();
        node.reorder(&rest, &mut turned);
        let mut order = costliest(&turned, n, enough);
        order.extend(n..k);
        turned.reorder(&order, into);
    } else {
        node.reorder(&costliest(node, k, enough), into);
    }
}

/// The order of the first `k` columns (at most as many as rows), the costliest to leave out last.
fn costliest(node: &Node, k: usize, enough: f64) -> Vec<usize> {
    let mut inverse = inverse(node, k);
    let mut coefficients: Vec<f64> = inverse.iter().map(|row| dot(row, &node.z()[..k])).collect();
    let mut squares: Vec<f64> = inverse.iter().map(|row| dot(row, row)).collect();
    let mut alive: Vec<usize> = (0..k).collect();
    let mut order = Vec::with_capacity(k);
    let mut bound = if k == 0 { 0.0 } else { node.bound(k - 1) };
    let cost = |coefficients: &[f64], squares: &[f64], v: usize| {
        if squares[v] > 0.0 {
            coefficients[v] * coefficients[v] / squares[v]
        } else {
            0.0
        }
    };
    while alive.len() > 1 && bound < enough {
        let (place, _) = alive
            .iter()
            .enumerate()
            .map(|(place, &v)| (place, cost(&coefficients, &squares, v)))
            .max_by(|a, b| a.1.total_cmp(&b.1).then_with(|| b.0.cmp(&a.0)))
            .expect("more than one column is left");
        let v = alive.remove(place);
        bound += cost(&coefficients, &squares, v);
        order.push(v);
        let gone = std::mem::take(&mut inverse[v]);
        for &u in &alive {
            let factor = dot(&inverse[u], &gone) / squares[v];
            kernel::add_scaled(-factor, &gone, &mut inverse[u]);
            coefficients[u] -= factor * coefficients[v];
            squares[u] = dot(&inverse[u], &inverse[u]);
        }
    }
    alive.sort_by(|&a, &b| {
        let cost = |v| cost(&coefficients, &squares, v);
        cost(b).total_cmp(&cost(a)).then_with(|| a.cmp(&b))
    });
    order.append(&mut alive);
    order.reverse();
    order
}

/// The inverse of the leading triangle, row by row; tiny pivots are lifted, since only an order is wanted.
fn inverse(node: &Node, k: usize) -> Vec<Vec<f64>> {
    const LEAST: f64 = 1e-14;
    let mut inverse = vec![vec![0.0; k]; k];
    for r in (0..k).rev() {
        let (row, _) = node.row(r);
        let pivot = row[0].abs().max(LEAST).copysign(row[0]);
        let (upper, lower) = inverse.split_at_mut(r + 1);
        let own = &mut upper[r];
        own[r] = 1.0 / pivot;
        for (j, below) in lower.iter().enumerate() {
            kernel::add_scaled(-row[j + 1] / pivot, below, own);
        }
    }
    inverse
}

/// The first `count` columns that forward selection would take.
fn strongest(node: &Node, count: usize) -> Vec<usize> {
    let (k, n) = (node.len(), node.n_rows());
    let mut columns: Vec<Vec<f64>> = (0..k)
        .map(|j| {
            let mut column = Vec::new();
            node.column(j, &mut column);
            column.resize(n, 0.0);
            column
        })
        .collect();
    let mut target = node.z().to_vec();
    let mut order = Vec::with_capacity(count);
    while order.len() < count {
        let gain = |j: usize| {
            let (c, d) = (dot(&columns[j], &target), dot(&columns[j], &columns[j]));
            if d > 1e-20 { c * c / d } else { 0.0 }
        };
        let best = (0..k)
            .filter(|j| !order.contains(j))
            .max_by(|&a, &b| gain(a).total_cmp(&gain(b)).then_with(|| b.cmp(&a)))
            .expect("fewer are taken than there are");
        order.push(best);
        let pivot = columns[best].clone();
        let squared = dot(&pivot, &pivot);
        if squared > 1e-20 {
            for column in columns.iter_mut().chain([&mut target]) {
                let factor = dot(&pivot, column) / squared;
                kernel::add_scaled(-factor, &pivot, column);
            }
        }
    }
    order
}
