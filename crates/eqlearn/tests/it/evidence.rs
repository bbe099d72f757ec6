//! Criteria: compared with densities and integrals computed in another way, and in extreme cases.

use eqlearn::judge::criterion::{
    Criterion, EvidencePrior, Judged, PriorMean, PriorPrecision, Sample,
};
use eqlearn::{Dictionary, Problem, Reduction, Support, Table, reduce_table};
use serde::Deserialize;

use crate::close::assert_close;

#[derive(Deserialize)]
struct Golden {
    features: Vec<Vec<f64>>,
    y: Vec<f64>,
    log_evidence: f64,
    log_evidence_by_integration: Option<f64>,
    one_minus_r2: f64,
    hyper_g: f64,
    zellner_siow: f64,
}

fn golden() -> Vec<Golden> {
    serde_json::from_str(include_str!("../data/evidence/evidence.json")).unwrap()
}

fn reduced(golden: &Golden) -> Reduction {
    let names: Vec<String> = (1..=golden.features.len())
        .map(|j| format!("x{j}"))
        .collect();
    let columns = names.iter().cloned().zip(golden.features.iter().cloned());
    let table = Table::new(columns.chain([("y".into(), golden.y.clone())]).collect()).unwrap();
    let problem = Problem::new("y", Dictionary::monomials(&names, 1, 1, true).unwrap()).unwrap();
    reduce_table(&problem, &table).unwrap()
}

#[test]
fn the_evidence_is_the_density_of_the_data_to_ten_digits() {
    for golden in golden() {
        let reduction = reduced(&golden);
        let baseline = reduction.fit(&Support::from_iter([0]));
        let fit = reduction.fit(&(0..=golden.features.len()).collect());
        let n_candidates = golden.features.len();
        let judged = Judged {
            fit: &fit,
            baseline: &baseline,
            n_candidates,
        };
        assert_close(fit.share_of(&baseline), golden.one_minus_r2, 10.0, "1 − R²");
        let ours = EvidencePrior::default().log_evidence(&judged);
        assert_close(ours, golden.log_evidence, 10.0, "log evidence");
        if let Some(integral) = golden.log_evidence_by_integration {
            assert_close(ours, integral, 10.0, "log evidence by integration");
        }
        assert_close(
            Criterion::HyperG { a: 3.0 }.score(&judged),
            golden.hyper_g,
            10.0,
            "hyper-g",
        );
        assert_close(
            Criterion::ZellnerSiow.score(&judged),
            golden.zellner_siow,
            10.0,
            "Zellner–Siow",
        );
    }
}

/// All criteria, with every kind of prior.
fn criteria() -> Vec<Criterion> {
    let zero_mean = EvidencePrior {
        mean: PriorMean::Zero,
        precision: PriorPrecision::Fixed(0.1),
        ..EvidencePrior::default()
    };
    vec![
        Criterion::RSquared,
        Criterion::AdjustedRSquared,
        Criterion::Aic,
        Criterion::Aicc,
        Criterion::Bic,
        Criterion::Ebic { gamma: 1.0 },
        Criterion::Evidence(EvidencePrior::default()),
        Criterion::Evidence(zero_mean),
        Criterion::UnitInformation,
        Criterion::HyperG { a: 3.0 },
        Criterion::ZellnerSiow,
        Criterion::Residual,
    ]
}

#[test]
fn no_criterion_is_ever_nan() {
    let x: Vec<f64> = (0..6).map(f64::from).collect();
    let square: Vec<f64> = x.iter().map(|x| x * x).collect();
    let exact: Vec<f64> = x.iter().map(|x| 3.0 * x).collect();
    let wild = vec![1.0, -2.0, 0.5, 7.0, -3.0, 0.25];
    for y in [exact, wild.clone()] {
        let reduction = Reduction::from_columns(&[
            &[1.0; 6],
            &x,
            &square,
            &wild,
            &[0.0, 1.0, 0.0, 2.0, 5.0, 1.0],
            &[9.0, 1.0, 1.0, 2.0, 2.0, 3.0],
            &y,
        ]);
        let baseline = reduction.fit(&Support::from_iter([0]));
        for size in 1..=6 {
            let fit = reduction.fit(&(0..size).collect());
            let judged = Judged {
                fit: &fit,
                baseline: &baseline,
                n_candidates: 5,
            };
            for criterion in criteria() {
                assert!(
                    !criterion.score(&judged).is_nan(),
                    "{criterion:?} with {size} terms"
                );
            }
        }
    }
}

#[test]
fn the_empty_equation_scores_zero() {
    let reduction =
        Reduction::from_columns(&[&[1.0; 4], &[1.0, 2.0, 3.0, 5.0], &[1.0, 0.0, 2.0, 1.0]]);
    let baseline = reduction.fit(&Support::from_iter([0]));
    let judged = Judged {
        fit: &baseline,
        baseline: &baseline,
        n_candidates: 1,
    };
    for criterion in criteria() {
        if !matches!(criterion, Criterion::RSquared | Criterion::AdjustedRSquared) {
            assert!(criterion.score(&judged).abs() < 1e-12, "{criterion:?}");
        }
    }
}

#[test]
fn a_larger_residual_never_scores_better() {
    let sample = Sample {
        n_obs: 40,
        always_in: 1,
        n_candidates: 20,
    };
    for criterion in criteria() {
        let scores = (0..=40).filter_map(|i| {
            criterion.score_of_residual(&sample, 3, 10_f64.powf(-0.5 * f64::from(i)))
        });
        let scores: Vec<f64> = scores.collect();
        assert!(
            scores.windows(2).all(|pair| pair[1] >= pair[0] - 1e-9),
            "{criterion:?}: {scores:?}"
        );
    }
}
