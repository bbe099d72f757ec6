//! Reductions: merging, row order, weights, scale, and the fits that are read off them.

use eqlearn::reduce::ReduceError;
use eqlearn::{Dictionary, Error, Fit, Problem, Reduction, Support, Table, reduce, reduce_table};
use proptest::prelude::*;

use crate::close::assert_close;

/// A small deterministic generator of varied numbers.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    }
}

/// Columns of random numbers: terms, then the target.
fn columns(seed: u64, n_rows: usize, n_cols: usize) -> Vec<Vec<f64>> {
    let mut next = noise(seed);
    (0..n_cols)
        .map(|_| (0..n_rows).map(|_| next()).collect())
        .collect()
}

fn reduced(columns: &[Vec<f64>], rows: std::ops::Range<usize>) -> Reduction {
    let slices: Vec<&[f64]> = columns.iter().map(|c| &c[rows.clone()]).collect();
    Reduction::from_columns(&slices)
}

fn assert_same_fit(a: &Fit, b: &Fit, digits: f64) {
    assert_close(a.residual_norm(), b.residual_norm(), digits, "residual");
    for (x, y) in a.coefficients().iter().zip(b.coefficients()) {
        assert!((x - y).abs() < 10_f64.powf(-digits), "{x} {y}");
    }
}

proptest! {
    #[test]
    fn merging_any_split_equals_reducing_all(
        seed: u64,
        n_rows in 1_usize..60,
        n_cols in 2_usize..8,
        cuts in prop::collection::vec(0_usize..60, 0..5)
    ) {
        let columns = columns(seed, n_rows, n_cols);
        let cuts = cuts.into_iter().map(|c| c.min(n_rows));
        let mut edges: Vec<usize> = cuts.chain([0, n_rows]).collect();
        edges.sort_unstable();
        let merged = edges.windows(2).map(|e| reduced(&columns, e[0]..e[1]))
            .fold(Reduction::empty(n_cols - 1), Reduction::merge);
        let whole = reduced(&columns, 0..n_rows);
        prop_assert_eq!(merged.n_obs(), n_rows);
        if n_rows > n_cols {
            let all: Support = (0..n_cols - 1).collect();
            assert_same_fit(&merged.fit(&all), &whole.fit(&all), 10.0);
        }
    }

    #[test]
    fn row_order_does_not_matter(seed: u64, n_rows in 10_usize..60, shift in 0_usize..60) {
        let mut columns = columns(seed, n_rows, 5);
        let support: Support = (0..4).collect();
        let before = reduced(&columns, 0..n_rows).fit(&support);
        for column in &mut columns {
            column.rotate_left(shift % n_rows);
        }
        assert_same_fit(&before, &reduced(&columns, 0..n_rows).fit(&support), 11.0);
    }

    #[test]
    fn adding_a_term_never_raises_the_residual(seed: u64, n_rows in 3_usize..40) {
        let reduction = reduced(&columns(seed, n_rows, 7), 0..n_rows);
        let norm = |m: usize| reduction.fit(&(0..m).collect()).residual_norm();
        let norms: Vec<f64> = (0..=6).map(norm).collect();
        for pair in norms.windows(2) {
            prop_assert!(pair[1] <= pair[0] * (1.0 + 1e-14), "{:?}", norms);
        }
    }
}

#[test]
fn large_and_small_reductions_agree() {
    // 200,000 rows are reduced in blocks, their parts in double-double where they are small enough.
    let columns = columns(7, 200_000, 9);
    let whole = reduced(&columns, 0..200_000);
    let parts = (0..200_000)
        .step_by(1_000)
        .map(|first| reduced(&columns, first..first + 1_000));
    let merged = parts.fold(Reduction::empty(8), Reduction::merge);
    let all: Support = (0..8).collect();
    assert_same_fit(&whole.fit(&all), &merged.fit(&all), 12.0);
}

#[test]
fn scale_changes_coefficients_and_nothing_else() {
    let mut columns = columns(3, 30, 4);
    let support: Support = (0..3).collect();
    let plain = reduced(&columns, 0..30).fit(&support);
    for (column, factor) in columns.iter_mut().zip([1e300, 1e-100, 3.0, 1e200]) {
        for value in column {
            *value *= factor;
        }
    }
    let scaled = reduced(&columns, 0..30).fit(&support);
    for (i, factor) in [1e-100, 1e300, 1e200 / 3.0].into_iter().enumerate() {
        assert_close(
            scaled.coefficients()[i] / factor,
            plain.coefficients()[i],
            12.0,
            "coefficient",
        );
    }
    assert_close(
        scaled.residual_norm() / 1e200,
        plain.residual_norm(),
        13.0,
        "residual",
    );
}

#[test]
fn a_dependent_term_is_named_and_left_at_zero() {
    let mut columns = columns(5, 20, 4);
    columns[2] = columns[0]
        .iter()
        .zip(&columns[1])
        .map(|(a, b)| 2.0 * a - b)
        .collect();
    let fit = reduced(&columns, 0..20).fit(&(0..3).collect());
    assert_eq!(fit.dependent().indices(), [2]);
    assert_eq!(fit.coefficients()[2].to_bits(), 0.0_f64.to_bits());
    assert_eq!(fit.degrees_of_freedom(), 18);
}

#[test]
fn fewer_rows_than_terms_fit_exactly() {
    let fit = reduced(&columns(5, 3, 6), 0..3).fit(&(0..5).collect());
    assert!(fit.residual_norm() < 1e-15);
    assert_eq!(fit.dependent().len(), 2);
    assert_eq!(fit.sigma(), None);
}

#[test]
fn a_prior_makes_the_fit_ridge() {
    // One term: w = xᵀy / (xᵀx + α).
    let reduction =
        Reduction::from_columns(&[&[1.0, 2.0], &[3.0, 5.0]]).merge(Reduction::prior(1, 2.5));
    assert_close(
        reduction.fit(&Support::from_iter([0])).coefficients()[0],
        13.0 / 7.5,
        15.0,
        "ridge",
    );
    assert_eq!(reduction.n_obs(), 2);
}

fn line_table(weights: &[f64]) -> Table {
    Table::new(vec![
        ("x".into(), vec![0.0, 1.0, 2.0, 3.0]),
        ("w".into(), weights.to_vec()),
        ("y".into(), vec![1.0, 3.2, 4.9, 7.3]),
    ])
    .unwrap()
}

fn line_problem() -> Problem {
    Problem::new(
        "y",
        Dictionary::monomials(&["x".to_string()], 1, 1, true).unwrap(),
    )
    .unwrap()
}

#[test]
fn a_weight_counts_as_that_many_rows() {
    let weighted = line_problem().with_weights("w").unwrap();
    let fit = reduce_table(&weighted, &line_table(&[1.0, 3.0, 1.0, 0.0]))
        .unwrap()
        .fit(&(0..2).collect());
    let repeated = Table::new(vec![
        ("x".into(), vec![0.0, 1.0, 1.0, 1.0, 2.0]),
        ("y".into(), vec![1.0, 3.2, 3.2, 3.2, 4.9]),
    ]);
    let plain = reduce_table(&line_problem(), &repeated.unwrap())
        .unwrap()
        .fit(&(0..2).collect());
    assert_close(fit.rss(), plain.rss(), 13.0, "rss");
    assert_close(
        fit.coefficients()[1],
        plain.coefficients()[1],
        14.0,
        "slope",
    );
    assert_eq!(fit.n_obs(), 3);
}

#[test]
fn a_negative_weight_is_refused_by_row() {
    let weighted = line_problem().with_weights("w").unwrap();
    let error = reduce_table(&weighted, &line_table(&[1.0, 1.0, -2.0, 1.0])).unwrap_err();
    assert!(
        matches!(
            error,
            Error::Reduce(ReduceError::NegativeWeight { row: 3, .. })
        ),
        "{error}"
    );
}

/// A stream of batches with the same rows however they are cut.
fn batches(n_rows: usize, size: usize) -> impl Iterator<Item = eqlearn::Result<Table>> + Send {
    (0..n_rows).step_by(size).map(move |first| {
        let rows = first..(first + size).min(n_rows);
        let x: Vec<f64> = rows
            .clone()
            .map(|i| (i as f64 * 0.37).sin() * 3.0)
            .collect();
        let y = rows.map(|i| (i as f64 * 0.11).cos()).collect();
        Table::new(vec![("x".into(), x), ("y".into(), y)])
    })
}

#[test]
fn threads_never_change_a_bit() {
    let problem = Problem::new(
        "y",
        Dictionary::monomials(&["x".to_string()], 6, 6, true).unwrap(),
    )
    .unwrap();
    let reduction = |threads| reduce(&problem, batches(300_000, 10_000), threads, &mut ()).unwrap();
    let all: Support = (0..7).collect();
    let (one, three) = (reduction(1).fit(&all), reduction(3).fit(&all));
    assert_eq!(one.coefficients(), three.coefficients());
    assert_eq!(
        one.residual_norm().to_bits(),
        three.residual_norm().to_bits()
    );
}

#[test]
fn a_column_that_never_varies_is_refused() {
    let table =
        |x: Vec<f64>, y: Vec<f64>| Table::new(vec![("x".into(), x), ("y".into(), y)]).unwrap();
    let error = |x, y| reduce_table(&line_problem(), &table(x, y)).unwrap_err();
    assert!(matches!(
        error(vec![1.0, 2.0], vec![3.0, 3.0]),
        Error::Reduce(ReduceError::ConstantTarget { .. })
    ));
    assert!(matches!(
        error(vec![2.0, 2.0], vec![3.0, 4.0]),
        Error::Reduce(ReduceError::ConstantFeature { .. })
    ));
    assert!(matches!(
        error(vec![], vec![]),
        Error::Reduce(ReduceError::NoRowsToLearnFrom)
    ));
    // A column of ones of the user's own stands for the constant.
    let own = Problem::new(
        "y",
        Dictionary::monomials(&["x".to_string()], 1, 1, false).unwrap(),
    )
    .unwrap();
    assert!(reduce_table(&own, &table(vec![1.0, 1.0], vec![3.0, 4.0])).is_ok());
}
