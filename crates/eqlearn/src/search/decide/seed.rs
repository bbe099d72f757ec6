//! Good supports before the search, so that the cutoff is low from the start.
//!
//! The best supports of the size below are extended by every term, and the best of these are
//! improved by swapping one term for another until no swap helps. This heuristic affects the time
//! of the search, never its result.

use crate::numeric::householder::reflect;
use crate::numeric::vector::dot;
use crate::reduce::triangle::Triangle;
use crate::search::tree::kernel;
use crate::search::tree::node::Node;

/// The columns that remain once the terms that are always in are projected out.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) columns: Vec<Vec<f64>>,
    pub(crate) target: Vec<f64>,
}

/// A proposal: the places of its columns, and its approximate residual.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Proposal {
    pub(crate) places: Vec<usize>,
    pub(crate) rss: f64,
}

/// How many supports of the size below are extended.
const EXTENDED: usize = 12;
/// How many of the best are improved by swaps, and how often at most.
const SWAPPED: usize = 2;
const ROUNDS: usize = 6;

/// Proposals of one size more than `smaller`, about `count` of them, best first.
pub(crate) fn propose(field: &Field, smaller: &[Vec<usize>], count: usize) -> Vec<Proposal> {
    let mut found: Vec<Proposal> = Vec::new();
    for places in smaller.iter().take(EXTENDED) {
        field.extend(places, count, &mut found);
    }
    settle(&mut found, count);
    let mut tried: Vec<Vec<usize>> = Vec::new();
    for _ in 0..ROUNDS {
        let leaders: Vec<Vec<usize>> = found
            .iter()
            .take(SWAPPED)
            .map(|p| p.places.clone())
            .filter(|places| !tried.contains(places))
            .collect();
        if leaders.is_empty() {
            break;
        }
        for leader in leaders {
            for out in 0..leader.len() {
                let mut rest = leader.clone();
                rest.remove(out);
                field.extend(&rest, count, &mut found);
            }
            tried.push(leader);
        }
        settle(&mut found, count);
    }
    found
}

/// Best first, each once, no more than wanted.
fn settle(found: &mut Vec<Proposal>, count: usize) {
    found.sort_by(|a, b| {
        a.rss
            .total_cmp(&b.rss)
            .then_with(|| a.places.cmp(&b.places))
    });
    let mut seen: Vec<Vec<usize>> = Vec::new();
    found.retain(|p| {
        let new = seen.len() < count && !seen.contains(&p.places);
        if new {
            seen.push(p.places.clone());
        }
        new
    });
}

impl Field {
    /// Adds the best `count` supports that have one column more than `places`.
    fn extend(&self, places: &[usize], count: usize, found: &mut Vec<Proposal>) {
        let mut basis: Vec<Vec<f64>> = Vec::with_capacity(places.len());
        let mut target = self.target.clone();
        for &j in places {
            let mut column = self.columns[j].clone();
            // Orthogonalised twice: the second pass removes the rounding errors of the first.
            for q in basis.iter().chain(&basis) {
                kernel::add_scaled(-dot(q, &column), q, &mut column);
            }
            let length = dot(&column, &column).sqrt();
            if length > 1e-12 {
                for v in &mut column {
                    *v /= length;
                }
                kernel::add_scaled(-dot(&column, &target), &column, &mut target);
                basis.push(column);
            }
        }
        let rss = dot(&target, &target);
        let mut extended: Vec<(f64, usize)> = (0..self.columns.len())
            .filter(|j| !places.contains(j))
            .map(|j| {
                let column = &self.columns[j];
                let squared = dot(column, column);
                let left = basis.iter().fold(squared, |left, q| {
                    let d = dot(q, column);
                    left - d * d
                });
                let c = dot(&target, column);
                let gain = if left > 1e-12 * squared {
                    c * c / left
                } else {
                    0.0
                };
                ((rss - gain).max(0.0), j)
            })
            .collect();
        extended.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        found.extend(extended.iter().take(count).map(|&(rss, j)| {
            let mut places = places.to_vec();
            places.push(j);
            places.sort_unstable();
            Proposal { places, rss }
        }));
    }
}

impl Field {
    /// Projects the terms that are always in out of the other columns and the target.
    pub(crate) fn new(
        triangle: &Triangle,
        always: &[usize],
        free: &[usize],
        tolerance: f64,
    ) -> Self {
        let target = triangle.n_terms();
        let height = triangle.n_rows();
        let all = always.iter().chain(free).chain([&target]);
        let mut work: Vec<f64> = all.flat_map(|&j| triangle.column(j)).copied().collect();
        let mut rank = 0;
        for place in 0..always.len() {
            if reflect(&mut work, height, place, rank..height, tolerance) {
                rank += 1;
            }
        }
        let left = |place: usize| work[place * height..][rank..height].to_vec();
        let places = always.len()..=always.len() + free.len();
        let mut columns: Vec<Vec<f64>> = places.map(left).collect();
        let target = columns.pop().expect("the target is the last column");
        Self { columns, target }
    }

    /// The root of the subset tree, with the columns as they are.
    pub(crate) fn root(&self, terms: &[usize], slack: f64) -> Node {
        let columns = self.columns.iter().chain([&self.target]).flatten();
        Node::root(terms.to_vec(), columns.copied().collect(), slack)
    }
}
