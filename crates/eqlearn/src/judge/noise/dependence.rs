//! Rows that say less than their number: copies of each other, and rows that follow each other.

use std::cmp::Ordering;

/// The share of rows that may be copies by chance before it is worth a word.
const COPIES_SAID: f64 = 0.05;

/// The fewest copies that are worth a word.
const FEWEST_COPIES: usize = 3;

/// A target with no more different values than this may be a count or a grade, for which equal rows
/// are no surprise.
const FEW_VALUES: usize = 20;

/// So many different rows, each with a target of its own that is no whole number, are no counts.
const FEWEST_ROWS: usize = 8;

/// The correlation of neighbours, of residuals and of features, that makes a random walk.
const STRONG: f64 = 0.5;

/// How far the correlation of residuals must be from chance, in standard deviations.
const ALARM: f64 = 4.0;

/// Rows of a table that are equal in all columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copies {
    /// The number of rows.
    pub n_rows: usize,
    /// How many of them differ: what the table is worth.
    pub n_distinct: usize,
    /// Which rows are the first of their kind.
    pub is_first: Vec<bool>,
}

impl Copies {
    /// A sentence for people.
    pub fn sentence(&self) -> String {
        let Self {
            n_rows, n_distinct, ..
        } = self;
        format!(
            "{} of {n_rows} rows are exact copies of others: they count once, as {n_distinct} rows",
            n_rows - n_distinct
        )
    }
}

/// Finds rows that are copies of others, in features and target.
///
/// None if there are few, or if the target has so few different values that equal rows are no
/// surprise: counts, or readings of few digits.
pub fn copies(features: &[&[f64]], target: &[f64]) -> Option<Copies> {
    let n_rows = target.len();
    let compare = |a: usize, b: usize| {
        let pairs = features.iter().map(|x| x[a].total_cmp(&x[b]));
        let first = pairs.fold(Ordering::Equal, Ordering::then);
        first.then(target[a].total_cmp(&target[b]))
    };
    let mut order: Vec<usize> = (0..n_rows).collect();
    order.sort_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
    let mut is_first = vec![false; n_rows];
    for (place, &row) in order.iter().enumerate() {
        is_first[row] = place == 0 || compare(order[place - 1], row).is_ne();
    }
    let n_distinct = is_first.iter().filter(|first| **first).count();
    let mut values: Vec<f64> = target.to_vec();
    values.sort_by(f64::total_cmp);
    values.dedup_by(|a, b| a.total_cmp(b).is_eq());
    let n_copies = n_rows - n_distinct;
    let many = n_copies >= FEWEST_COPIES && n_copies as f64 > COPIES_SAID * n_rows as f64;
    let is_whole = values.iter().all(|value| value.fract().abs() <= 0.0);
    let own_values = !is_whole && n_distinct >= FEWEST_ROWS && values.len() == n_distinct;
    let is_measured = values.len() > FEW_VALUES && 2 * values.len() > n_distinct;
    (many && (is_measured || own_values)).then_some(Copies {
        n_rows,
        n_distinct,
        is_first,
    })
}

/// Rows that follow each other like a random walk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dependence {
    /// Where it shows, besides in a feature.
    pub shown: Shown,
    /// The correlation of neighbouring rows there.
    pub correlation: f64,
    /// The number of rows that would tell as much if they were independent, n (1 − r)/(1 + r).
    pub effective_rows: f64,
}

/// Where it shows that rows follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// In what the law leaves over.
    Residuals,
    /// In the target, whose changes from row to row the law does not explain.
    Changes,
}

impl Dependence {
    fn new(shown: Shown, correlation: f64, n_rows: f64) -> Self {
        Self {
            shown,
            correlation,
            effective_rows: (n_rows * (1.0 - correlation) / (1.0 + correlation)).max(1.0),
        }
    }

    /// A sentence for people.
    pub fn sentence(&self) -> String {
        let Self {
            correlation,
            effective_rows,
            ..
        } = self;
        let worth = format!("they are worth about {effective_rows:.0} independent rows");
        match self.shown {
            Shown::Residuals => format!(
                "rows follow each other, in the features and in what the law leaves over \
                 (correlation {correlation:.2} from row to row): {worth}"
            ),
            Shown::Changes => format!(
                "rows follow each other like a random walk, in the features and in the target \
                 (correlation {correlation:.2} from row to row), and the law explains none of the \
                 changes from one row to the next: {worth}"
            ),
        }
    }
}

/// Tests whether rows, in the order of the file, depend on those before.
///
/// Both the residuals and a feature must: residuals alone cannot mislead a law of features that are
/// drawn anew for each row, and in a table that is sorted by a feature they show a missing term,
/// which the misfit judges.
///
/// A long equation among few rows takes up what the residuals would show. But it predicts no
/// changes: if target and features walk by themselves, the residual changes from row to row by more
/// than the target does. A law with independent noise leaves less, however large the noise is.
pub fn dependence(features: &[&[f64]], target: &[f64], residuals: &[f64]) -> Option<Dependence> {
    let n = residuals.len() as f64;
    let wanders = |x: &&&[f64]| !is_sorted(x) && lag_one(x).is_some_and(|r| r > STRONG);
    features.iter().find(wanders)?;
    let strong =
        |column: &[f64]| lag_one(column).filter(|r| *r > STRONG && deviations(*r, n) > ALARM);
    if let Some(correlation) = strong(residuals) {
        return Some(Dependence::new(Shown::Residuals, correlation, n));
    }
    let is_unexplained = change(residuals) >= change(target);
    let correlation = strong(target).filter(|_| is_unexplained)?;
    Some(Dependence::new(Shown::Changes, correlation, n))
}

/// The sum of squares of the changes from row to row.
fn change(column: &[f64]) -> f64 {
    let squares = column.windows(2).map(|pair| (pair[1] - pair[0]).powi(2));
    squares.sum()
}

/// A correlation of n pairs in units of its standard deviation by chance, also where it is strong:
/// the normal score of its t statistic (Wallace 1959).
pub(crate) fn deviations(correlation: f64, n: f64) -> f64 {
    let freedom = (n - 2.0).max(1.0);
    let size = (-freedom * (-correlation * correlation).ln_1p()).sqrt();
    (1.0 - 0.75 / freedom).max(0.25) * size.copysign(correlation)
}

/// The correlation of a column with itself one row later; none if it never varies.
fn lag_one(column: &[f64]) -> Option<f64> {
    let n = column.len() as f64;
    let mean = column.iter().sum::<f64>() / n;
    let squares: f64 = column.iter().map(|x| (x - mean).powi(2)).sum();
    let pairs = column
        .windows(2)
        .map(|pair| (pair[0] - mean) * (pair[1] - mean));
    let products: f64 = pairs.sum();
    (squares > 0.0 && column.len() > 3).then(|| products / squares)
}

/// Whether a column only rises or only falls.
fn is_sorted(column: &[f64]) -> bool {
    let rises = column.windows(2).all(|pair| pair[0] <= pair[1]);
    rises || column.windows(2).all(|pair| pair[0] >= pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scattered(count: u32) -> Vec<f64> {
        let value = |i: u32| {
            let bits = i.wrapping_mul(2_654_435_761);
            let bits = (bits ^ (bits >> 15)).wrapping_mul(0x85eb_ca6b);
            f64::from((bits ^ (bits >> 13)) >> 8) / f64::from(1 << 24) - 0.5
        };
        (1..=count).map(value).collect()
    }

    fn walk(steps: &[f64]) -> Vec<f64> {
        let sum = |sum: &mut f64, step: &f64| {
            *sum += step;
            Some(*sum)
        };
        steps.iter().scan(0.0, sum).collect()
    }

    #[test]
    fn copies_are_counted_once() {
        let (x, y) = (scattered(50), walk(&scattered(50)));
        assert_eq!(copies(&[&x], &y), None);
        let twice = |column: &[f64]| [column, column].concat();
        let found = copies(&[&twice(&x)], &twice(&y)).expect("all are there twice");
        assert_eq!((found.n_rows, found.n_distinct), (100, 50));
        assert!(found.is_first[..50].iter().all(|first| *first));
        let few = |column: &[f64]| column[..12].repeat(4);
        let found = copies(&[&few(&x)], &few(&y)).expect("all are there four times");
        assert_eq!((found.n_rows, found.n_distinct), (48, 12));
        // Counts repeat by themselves.
        let dice: Vec<f64> = scattered(100).iter().map(|x| (6.0 * x).round()).collect();
        assert_eq!(copies(&[&dice], &dice), None);
    }

    #[test]
    fn walks_depend_on_the_row_before_and_fresh_rows_do_not() {
        let steps = scattered(200);
        let (x, r) = (walk(&steps[..100]), walk(&steps[100..]));
        let found = dependence(&[&x], &r, &r).expect("both walk");
        assert!(found.effective_rows < 50.0);
        assert_eq!(found.shown, Shown::Residuals);
        let fresh = &steps[100..];
        assert_eq!(dependence(&[&x], fresh, fresh), None);
        assert_eq!(dependence(&[&steps[..100]], &r, &r), None);
        // A sorted column says nothing about time.
        let time: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(dependence(&[&time], &r, &r), None);
    }

    #[test]
    fn a_law_that_explains_no_change_is_none_of_walks_and_noise_hides_no_change_that_it_explains() {
        let steps = scattered(300);
        let (x, y) = (walk(&steps[..100]), walk(&steps[100..200]));
        // What an equation of many terms leaves of a walk: changes, and no correlation.
        let found = dependence(&[&x], &y, &steps[150..250]).map(|found| found.shown);
        assert_eq!(found, Some(Shown::Changes));
        for size in [0.1, 1.0, 3.0] {
            let noise: Vec<f64> = steps[200..].iter().map(|e| size * e).collect();
            let law: Vec<f64> = x.iter().zip(&noise).map(|(x, e)| x + e).collect();
            assert_eq!(
                dependence(&[&x], &law, &noise),
                None,
                "noise of {size} steps"
            );
        }
    }
}
