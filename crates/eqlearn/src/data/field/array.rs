//! Arrays of numbers with any number of dimensions, as files hold them.

/// An array of a file.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::data) struct Array {
    /// Its lengths.
    pub(in crate::data) shape: Vec<usize>,
    /// Its values, the last index running fastest; NaN where one is missing.
    pub(in crate::data) values: Vec<f64>,
    /// The names of its directions, where the file has them.
    pub(in crate::data) along: Vec<String>,
    /// The unit of its values, where the file has it.
    pub(in crate::data) unit: Option<String>,
}

/// The values of an array with its indices in another order: index `order[i]` comes at place `i`.
pub(in crate::data) fn turned(values: &[f64], shape: &[usize], order: &[usize]) -> Vec<f64> {
    let mut strides = vec![1; shape.len()];
    for i in (1..shape.len()).rev() {
        strides[i - 1] = strides[i] * shape[i];
    }
    let lengths: Vec<usize> = order.iter().map(|&i| shape[i]).collect();
    let steps: Vec<usize> = order.iter().map(|&i| strides[i]).collect();
    let mut at = vec![0; shape.len()];
    let mut place = 0;
    let mut turned = Vec::with_capacity(values.len());
    for _ in 0..values.len() {
        turned.push(values[place]);
        // Count up, the last index first.
        for i in (0..lengths.len()).rev() {
            at[i] += 1;
            place += steps[i];
            if at[i] < lengths[i] {
                break;
            }
            place -= steps[i] * lengths[i];
            at[i] = 0;
        }
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_change_places() {
        let values: Vec<f64> = (0..24).map(f64::from).collect();
        let shape = [2, 3, 4];
        let turned = turned(&values, &shape, &[2, 0, 1]);
        for i in 0..2 {
            for j in 0..3 {
                for k in 0..4 {
                    let here = turned[(k * 2 + i) * 3 + j];
                    assert_eq!(here.to_bits(), values[(i * 3 + j) * 4 + k].to_bits());
                }
            }
        }
    }
}
