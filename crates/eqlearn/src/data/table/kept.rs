//! Columns of a stream that are held in memory, so that they can be read a second time.

use std::sync::Arc;

/// Rows in memory, from the first on.
#[derive(Debug)]
pub(super) struct KeptReader {
    columns: Arc<Vec<Vec<f64>>>,
    chosen: Vec<usize>,
    next: usize,
}

impl KeptReader {
    pub(super) fn new(columns: Arc<Vec<Vec<f64>>>) -> Self {
        Self {
            columns,
            chosen: Vec::new(),
            next: 0,
        }
    }

    /// From here on `fill` gives these columns.
    pub(super) fn choose(&mut self, columns: Vec<usize>) {
        self.chosen = columns;
    }

    /// Appends at most `room` rows; returns how many, 0 at the end.
    pub(super) fn fill(&mut self, columns: &mut [Vec<f64>], room: usize) -> usize {
        let n_rows = self.columns.first().map_or(0, Vec::len);
        let end = (self.next + room).min(n_rows);
        let rows = self.next..end;
        for (column, &place) in columns.iter_mut().zip(&self.chosen) {
            column.extend_from_slice(&self.columns[place][rows.clone()]);
        }
        self.next = end;
        rows.len()
    }
}
