//! Products and scores against means over many draws of the noise.

use super::*;
use crate::data::field::{Axis, Boundary, Field, Quantity};
use crate::fields::score::score_covariance;
use crate::numeric::vector::add;

const SIGMA: f64 = 0.3;

/// A small field of waves with noise from a linear congruential generator; none for seed 0.
fn field(seed: u64) -> Field {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut uniform = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    };
    let mut normal = || {
        let radius = (-2.0 * uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * uniform()).cos()
    };
    let axis = |name: &str, n: u32, boundary| Axis {
        name: name.into(),
        unit: None,
        values: (0..n).map(|i| f64::from(i) * 0.2).collect(),
        boundary,
    };
    let (t, x) = (axis("t", 36, Boundary::Open), axis("x", 40, Boundary::Open));
    let mut values = Vec::new();
    for t in &t.values {
        for x in &x.values {
            let noise = if seed == 0 { 0.0 } else { SIGMA * normal() };
            values.push((x - t).sin() + 0.5 * (0.7 * x + 0.4 * t).cos() + noise);
        }
    }
    let u = Quantity {
        name: "u".into(),
        values,
    };
    Field::new("waves", vec![t, x], vec![u]).unwrap()
}

fn part(orders: [u32; 2], power: u32) -> Part {
    Part {
        coefficient: 1.0,
        orders: orders.to_vec(),
        function: Function::Powers(vec![power]),
    }
}

/// The terms `u`, `(u^2)_x`, `u_xx` and `u^3`, and `u_t`.
fn layout() -> Layout {
    let terms = [
        part([0, 0], 1),
        part([0, 1], 2),
        part([0, 2], 1),
        part([0, 0], 3),
    ];
    Layout::new(&terms.map(|part| vec![part]), &[part([1, 0], 1)])
}

fn rows<'a>(field: &'a Field, names: &Names) -> Rows<'a> {
    let layout = layout();
    let mut grid = Grid::new(field, &layout.highest(2), None).unwrap();
    grid.sigma = vec![if field == &self::field(0) { 0.0 } else { SIGMA }];
    Rows::new(grid, &layout, names, 1).unwrap()
}

#[test]
fn the_mean_over_the_noise_is_the_product_without_it() {
    let names = Names::new(["u"], ["t", "x"]).unwrap();
    let clean_field = field(0);
    let clean = rows(&clean_field, &names);
    let n = clean.columns.len();
    let products = |rows: &Rows<'_>| -> Vec<f64> {
        let pairs = (0..n).flat_map(|i| (0..=i).map(move |j| (i, j)));
        let product =
            |(i, j): (usize, usize)| dot(&rows.columns[i], &rows.columns[j]) - rows.noise[i][j];
        pairs.map(product).collect()
    };
    let truth = products(&clean);
    let draws: Vec<Vec<f64>> = (1..=200)
        .map(|seed| {
            let noisy = field(seed);
            products(&rows(&noisy, &names))
        })
        .collect();
    for (k, truth) in truth.iter().enumerate() {
        let mean = draws.iter().map(|draw| draw[k]).sum::<f64>() / 200.0;
        let squares = draws.iter().map(|draw| (draw[k] - mean).powi(2));
        let error = (squares.sum::<f64>() / 199.0 / 200.0).sqrt();
        assert!(
            (mean - truth).abs() < 4.5 * error,
            "{k}: {mean} {truth} {error}"
        );
    }
}

#[test]
fn scores_have_the_covariance_that_is_foreseen() {
    let names = Names::new(["u"], ["t", "x"]).unwrap();
    let layout = layout();
    let clean_field = field(0);
    let clean = rows(&clean_field, &names);
    // Directions without noise, and the residual u_t + ½ (u²)_x − 0.2 u_xx.
    let factored = Factored::new(&clean.columns, &clean.noise, 4);
    let directions: Vec<&[f64]> = factored.directions.iter().map(Vec::as_slice).collect();
    let residual = layout.in_columns(&[(4, 1.0), (1, 0.5), (2, -0.2)]);
    let scores = |rows: &Rows<'_>| -> Vec<f64> {
        let mut left = rows.columns[4].clone();
        add(&mut left, 0.5, &rows.columns[1]);
        add(&mut left, -0.2, &rows.columns[2]);
        directions
            .iter()
            .map(|direction| dot(direction, &left))
            .collect()
    };
    let draws: Vec<Vec<f64>> = (1..=400)
        .map(|seed| {
            let noisy = field(seed);
            scores(&rows(&noisy, &names))
        })
        .collect();
    let noisy_field = field(1);
    let mut noisy = rows(&noisy_field, &names);
    noisy.kept.clone_from(&clean.kept);
    let smooth: Vec<Vec<f64>> = clean.grid.values.iter().map(|u| u.to_vec()).collect();
    let foreseen = score_covariance(&noisy, &layout, &directions, &residual, &names, &smooth);
    for (k, foreseen) in foreseen.iter().enumerate() {
        let mean = draws.iter().map(|draw| draw[k]).sum::<f64>() / 400.0;
        let squares = draws.iter().map(|draw| (draw[k] - mean).powi(2));
        let ratio = squares.sum::<f64>() / 399.0 / foreseen[k];
        // Four standard deviations of a variance from 400 draws.
        assert!(
            (ratio - 1.0).abs() < 4.0 * (2.0_f64 / 399.0).sqrt(),
            "{k}: {ratio}"
        );
    }
}
