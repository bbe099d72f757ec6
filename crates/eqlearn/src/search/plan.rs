//! What a search will have to do, before it does it.

/// Binomial coefficients, computed once; they stop growing at the largest number there is.
#[derive(Debug, Clone)]
pub(crate) struct Binomials {
    columns: usize,
    table: Vec<u128>,
}

impl Binomials {
    /// All `C(n, k)` up to these.
    pub(crate) fn new(n: usize, k: usize) -> Self {
        let columns = k + 1;
        let mut table = vec![0_u128; (n + 1) * columns];
        for i in 0..=n {
            table[i * columns] = 1;
            for j in 1..=k.min(i) {
                let above = (i - 1) * columns + j;
                table[i * columns + j] = table[above - 1].saturating_add(table[above]);
            }
        }
        Self { columns, table }
    }

    /// How many ways there are to choose `k` of `n`.
    pub(crate) fn choose(&self, n: usize, k: usize) -> u128 {
        self.table[n * self.columns + k]
    }
}
