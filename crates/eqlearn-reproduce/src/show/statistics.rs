//! The numbers of a box plot.

/// What a box shows: quartiles, whiskers of 1.5 interquartile ranges, outliers, and the mean.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxNumbers {
    /// How many values there are.
    pub count: usize,
    /// The smallest value that is not an outlier.
    pub low: f64,
    /// The first quartile.
    pub first: f64,
    /// The median.
    pub median: f64,
    /// The third quartile.
    pub third: f64,
    /// The largest value that is not an outlier.
    pub high: f64,
    /// The mean of all values.
    pub mean: f64,
    /// Values beyond the whiskers, ascending.
    pub outliers: Vec<f64>,
}

impl BoxNumbers {
    /// The box of some finite values; none if there are none.
    pub fn new(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (first, third) = (quantile(&sorted, 0.25)?, quantile(&sorted, 0.75)?);
        let reach = 1.5 * (third - first);
        let inside = |value: &&f64| (first - reach..=third + reach).contains(*value);
        let low = *sorted.iter().find(inside)?;
        let high = *sorted.iter().rev().find(inside)?;
        Some(Self {
            count: sorted.len(),
            low,
            first,
            median: quantile(&sorted, 0.5)?,
            third,
            high,
            mean: sorted.iter().sum::<f64>() / sorted.len() as f64,
            outliers: sorted
                .iter()
                .filter(|value| !inside(value))
                .copied()
                .collect(),
        })
    }
}

/// A quantile of ascending values by linear interpolation, as in NumPy; none of no values.
pub(super) fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share * (sorted.len().checked_sub(1)?) as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place in the list"
    )]
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let part = place - place.floor();
    Some(sorted[below] + part * (sorted[above] - sorted[below]))
}

/// The median of values in any order.
pub(super) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    quantile(&sorted, 0.5)
}

/// The mean; none of nothing.
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_beyond_the_whiskers_is_an_outlier() {
        let numbers = BoxNumbers::new(&[5.0, 1.0, 2.0, 3.0, 4.0, 30.0]).unwrap();
        // Places 1.25, 2.5 and 3.75 of 1 2 3 4 5 30.
        assert_eq!(
            (numbers.first, numbers.median, numbers.third),
            (2.25, 3.5, 4.75)
        );
        assert_eq!((numbers.low, numbers.high), (1.0, 5.0));
        assert_eq!(numbers.outliers, [30.0]);
        assert!((numbers.mean - 7.5).abs() < 1e-12);
    }

    #[test]
    fn equal_values_have_a_flat_box() {
        let numbers = BoxNumbers::new(&[2.0, 2.0]).unwrap();
        assert_eq!((numbers.low, numbers.high, numbers.count), (2.0, 2.0, 2));
        assert!(numbers.outliers.is_empty());
        assert_eq!(BoxNumbers::new(&[]), None);
    }
}
