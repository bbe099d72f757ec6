//! A node with its columns in another order, or with one column fewer.

use super::{BLOCK, Node};

impl Node {
    /// Makes `into` this node with its columns from `from` on in another order.
    ///
    /// `places` has the old place of each column; `rows` and `target` are what [`Self::unfold`]
    /// gave, triangularised in the new order.
    pub(crate) fn rearrange(
        &self,
        from: usize,
        places: &[usize],
        rows: &[f64],
        target: &[f64],
        into: &mut Self,
    ) {
        let k = self.len();
        into.slack = self.slack;
        into.resize(self.n_rows, k);
        into.terms.clear();
        into.terms.extend_from_slice(&self.terms[..from]);
        into.terms.extend(places.iter().map(|&old| self.terms[old]));
        for r in 0..from {
            let (row, new) = (self.row(r), &mut into.rows[r * into.stride..][..k]);
            new[r..from].copy_from_slice(&row[r..from]);
            for (x, &old) in new[from..].iter_mut().zip(places) {
                *x = row[old];
            }
            into.clear_before(r);
        }
        let width = (k - from).next_multiple_of(BLOCK);
        for (r, row) in (from..self.n_rows).zip(rows.chunks_exact(width)) {
            into.rows[r * into.stride + r..][..k - r].copy_from_slice(&row[r - from..k - from]);
            into.clear_before(r);
        }
        into.z[..from].copy_from_slice(&self.z[..from]);
        into.z[from..].copy_from_slice(target);
        into.sum_tail(self.tail[self.n_rows]);
    }

    /// Writes the triangle of the columns from `from` on, from row `from` on, with its zeros, and
    /// returns the distance of its rows.
    pub(crate) fn unfold(&self, from: usize, rows: &mut Vec<f64>) -> usize {
        let k = self.len();
        let width = (k - from).next_multiple_of(BLOCK);
        rows.clear();
        rows.resize((self.n_rows - from) * width, 0.0);
        for (r, row) in (from..self.n_rows).zip(rows.chunks_exact_mut(width)) {
            row[r - from..k - from].copy_from_slice(&self.row(r)[r..k]);
        }
        width
    }

    /// Makes column `j` the last: the columns behind it move up, and a rotation for each makes the
    /// rows a triangle again.
    pub(crate) fn make_last(&mut self, j: usize) {
        let (k, stride) = (self.len(), self.stride);
        self.terms[j..].rotate_left(1);
        for r in 0..self.n_rows {
            // Below row j the column is zero; the diagonal entries behind it move below the
            // diagonal.
            let row = &mut self.rows[r * stride..][..k];
            row[..r].fill(0.0);
            row[j..].rotate_left(1);
        }
        for r in j..(k - 1).min(self.n_rows.saturating_sub(1)) {
            let (above, below) = self.rows.split_at_mut((r + 1) * stride);
            let (above, below) = (&mut above[r * stride..][r..k], &mut below[r..k]);
            let length = (above[0] * above[0] + below[0] * below[0]).sqrt();
            if length > 0.0 {
                let (c, s) = (above[0] / length, below[0] / length);
                let turn = |x: f64, y: f64| (c * x + s * y, c * y - s * x);
                for (x, y) in above.iter_mut().zip(&mut *below) {
                    (*x, *y) = turn(*x, *y);
                }
                below[0] = 0.0;
                (self.z[r], self.z[r + 1]) = turn(self.z[r], self.z[r + 1]);
            }
        }
        self.sum_tail(self.tail[self.n_rows]);
    }

    /// Removes the last column.
    pub(crate) fn drop_last(&mut self) {
        self.terms.pop();
        self.n_rows = self.n_rows.min(self.terms.len());
        self.z.truncate(self.n_rows);
        self.tail.truncate(self.n_rows + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::Node;
    use crate::search::numbers::{columns, numbers};
    use crate::search::tree::kernel::Closing;
    use crate::search::tree::order::Arranger;

    /// A node of random columns, of a given number and length.
    fn node(seed: u64, k: usize, height: usize) -> Node {
        let columns = columns(&mut numbers(seed), k + 1, height);
        Node::root((0..k).collect(), columns.concat(), 0.0)
    }

    /// The residual length with these terms, wherever their columns are.
    fn residual(node: &Node, terms: &[usize]) -> f64 {
        let place = |term| node.terms.iter().position(|t| t == term).unwrap();
        let columns: Vec<usize> = terms.iter().map(place).collect();
        node.least_with(&columns, 0.0, &mut Vec::new())
    }

    fn assert_same(one: &Node, other: &Node, without: Option<usize>) {
        for a in 0..one.len() {
            for b in (0..a).filter(|&b| Some(a) != without && Some(b) != without) {
                let (wanted, got) = (residual(one, &[a, b]), residual(other, &[a, b]));
                assert!((wanted - got).abs() < 1e-7, "{a} {b}: {wanted} {got}");
            }
        }
    }

    #[test]
    fn residuals_do_not_depend_on_the_order() {
        for (k, height) in [(11, 30), (17, 17), (20, 9)] {
            let node = node(k as u64, k, height);
            for j in 0..k {
                let mut other = node.clone();
                other.make_last(j);
                assert_eq!(other.terms.last(), Some(&j));
                assert_same(&node, &other, None);
                other.drop_last();
                assert_same(&node, &other, Some(j));
            }
            for from in [0, 3, k / 2] {
                let mut other = node.clone();
                let enough = 0.5 * node.rss();
                Arranger::default().improve(&mut other, from, 5, enough);
                assert!(other.open_pairs(5, enough) <= node.open_pairs(5, enough));
                assert_eq!(other.terms[..from], node.terms[..from]);
                assert_same(&node, &other, None);
            }
        }
    }

    #[test]
    fn what_is_too_small_to_square_does_not_spoil_an_order() {
        // The last column equals the first one, except for entries whose squares underflow.
        let (k, height) = (12, 20);
        let mut columns = columns(&mut numbers(1), k + 1, height);
        columns[0] = vec![0.0; height];
        columns[0][0] = 1.0;
        columns[k - 1] = vec![1e-170; height];
        columns[k - 1][0] = 1.0;
        let node = Node::root((0..k).collect(), columns.concat(), 0.0);
        let mut other = node.clone();
        Arranger::default().improve(&mut other, 0, 5, 0.5 * node.rss());
        assert_ne!(other.terms, node.terms);
        assert_same(&node, &other, Some(k - 1));
    }

    #[test]
    fn what_is_closed_leaves_too_much_and_one_column_more_would_not() {
        let (k, mut closing) = (16, Closing::default());
        for height in [40, 16, 9] {
            let node = node(height as u64, k, height);
            let limit = 0.6 * node.rss();
            let leaves = |u: usize, p: usize, first: usize| {
                let columns: Vec<usize> = (0..first).chain([p, u]).collect();
                node.least_with(&columns, 0.0, &mut Vec::new()).powi(2)
            };
            let mut some = 0;
            for u in 3..k {
                node.open_after_two(u, 1..u, &vec![limit; u - 1], &mut closing);
                for p in 1..u {
                    let closed = closing.closed(p - 1);
                    some += usize::from(closed > 0);
                    assert!(closed == 0 || leaves(u, p, closed) > limit, "{u} {p}");
                    let more = closed + 1;
                    let could = more <= p && more < node.n_rows();
                    assert!(!could || leaves(u, p, more) < limit * 1.001, "{u} {p}");
                }
            }
            assert!(some > 20);
        }
    }
}
