//! The search against 60-digit arithmetic, on the paper's polynomials; see
//! `tests/data/make/search_polynomials.py`.

use eqlearn::search::{Run, Search, search};
use eqlearn::{Support, Triangle};
use serde::Deserialize;

use crate::fixture::{Columns, exponents};

#[derive(Deserialize)]
struct Problem {
    features: Vec<[f64; 3]>,
    target: Vec<f64>,
    truth: Support,
    #[serde(default)]
    sizes: Vec<Vec<Scored>>,
}

#[derive(Deserialize)]
struct Scored {
    support: Support,
    one_minus_r2: String,
}

impl Problem {
    fn triangle(&self) -> Triangle {
        // Products in the order in which the script takes them, so that the doubles are the same.
        let monomial = |x: &[f64; 3], e: &[i32; 3]| {
            let powers = x.iter().zip(e).flat_map(|(x, e)| (0..*e).map(move |_| *x));
            powers.fold(1.0, |product, x| product * x)
        };
        let mut columns: Columns = exponents(4, 6)
            .iter()
            .map(|e| self.features.iter().map(|x| monomial(x, e)).collect())
            .collect();
        columns.push(self.target.clone());
        Triangle::from_columns(&columns)
    }
}

#[test]
fn residuals_agree_with_sixty_digits_to_six_and_so_does_their_order() {
    let text = include_str!("../data/search_polynomials.json");
    let problems: Vec<Problem> = serde_json::from_str(text).unwrap();
    for problem in problems {
        let triangle = problem.triangle();
        // With fewer rows than terms bounds exclude little of the larger sizes: minutes without
        // optimisation.
        let max_terms = if problem.target.len() < 72 { 5 } else { 8 };
        let settings = Search {
            max_terms,
            ..Search::default()
        };
        let found = search(&triangle, &settings, &Run::default(), &mut ()).unwrap();
        let true_size = &found.sizes[problem.truth.len() - 1];
        assert_eq!(true_size.best[0].support, problem.truth);
        for (list, golden) in found.sizes.iter().zip(&problem.sizes) {
            let golden: Vec<(f64, &Support)> = golden
                .iter()
                .map(|g| (g.one_minus_r2.parse().unwrap(), &g.support))
                .collect();
            for (rank, (ours, truth)) in list.best.iter().zip(&golden).enumerate() {
                let digits = -((ours.one_minus_r2 - truth.0).abs() / truth.0).log10();
                let what = format!("size {} rank {rank}: {ours:?} against {truth:?}", list.size);
                assert!(digits >= 6.0, "{digits:.1} digits, {what}");
                let apart = |other: Option<&(f64, &Support)>| {
                    other.is_none_or(|o| (o.0 - truth.0).abs() > 1e-6 * truth.0)
                };
                let before = rank.checked_sub(1).and_then(|r| golden.get(r));
                if apart(before) && apart(golden.get(rank + 1)) {
                    assert_eq!(&ours.support, truth.1, "{what}");
                }
            }
        }
    }
}
