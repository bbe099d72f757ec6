//! What every method promises: one list of checks, run over all of them, and what is special to
//! some.

use std::ops::ControlFlow;

use eqlearn::methods::{
    CrossValidation, Ensemble, Frols, InPlay, Lars, Lasso, MethodsError, Miosr, MiosrAnswer,
    Regressed, Regression, Ridge, Rule, Sr3, Ssr, Stlsq, Variant, ensemble, frols, miosr, sr3, ssr,
    stlsq,
};
use eqlearn::observe::Progress;
use eqlearn::reduce::{Design, ReduceError};
use eqlearn::search::Run;
use eqlearn::{Error, Observer, Reduction, Support};

use crate::brute::best_supports;
use crate::close::assert_close;

/// Every method with coefficients of its own.
fn all() -> Vec<Box<dyn Regression>> {
    vec![
        Box::new(Ridge::default()),
        Box::new(Stlsq::default()),
        Box::new(Sr3::default()),
        Box::new(Frols::default()),
        Box::new(Lasso::default()),
        Box::new(Lars::default()),
        Box::new(Ssr::default()),
        Box::new(Miosr::default()),
        Box::new(Ensemble::default()),
    ]
}

/// Methods that keep every term.
const KEEP_ALL: [&str; 1] = ["ridge"];

/// Methods whose choice does not depend on the units of the terms; the others compare or penalise
/// raw coefficients.
const UNIT_FREE: [&str; 1] = ["frols"];

/// Methods with nothing to choose by cross-validation.
const NO_KNOB: [&str; 1] = ["ensemble"];

/// Columns of a problem: terms, then the target.
#[derive(Clone)]
struct Columns(Vec<Vec<f64>>);

impl Columns {
    /// Random terms, and a target made of the given ones.
    fn new(seed: u64, n_obs: usize, n_terms: usize, truth: &[(usize, f64)], noise: f64) -> Self {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            4.0 * ((state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5)
        };
        let terms = (0..n_terms).map(|_| (0..n_obs).map(|_| next()).collect());
        let mut columns: Vec<Vec<f64>> = terms.collect();
        let value = |i: usize| truth.iter().map(|&(j, w)| w * columns[j][i]).sum::<f64>();
        let exact: Vec<f64> = (0..n_obs).map(value).collect();
        columns.push(exact.iter().map(|y| y + noise * next()).collect());
        Self(columns)
    }

    fn n_obs(&self) -> usize {
        self.0[0].len()
    }

    fn reduction(&self) -> Reduction {
        self.rows(0..self.n_obs())
    }

    fn rows(&self, range: std::ops::Range<usize>) -> Reduction {
        let columns: Vec<&[f64]> = self.0.iter().map(|c| &c[range.clone()]).collect();
        Reduction::from_columns(&columns)
    }

    fn folds(&self, k: usize) -> Vec<Reduction> {
        let n = self.n_obs();
        (0..k)
            .map(|i| self.rows(i * n / k..(i + 1) * n / k))
            .collect()
    }
}

const TRUTH: [(usize, f64); 3] = [(1, 2.0), (4, -3.0), (6, 2.5)];

fn planted(noise: f64) -> Columns {
    Columns::new(3, 80, 9, &TRUTH, noise)
}

fn propose(method: &dyn Regression, reduction: &Reduction, folds: &[Reduction]) -> Regressed {
    let play = InPlay {
        reduction,
        folds,
        always_in: &Support::empty(),
        threads: 1,
    };
    method.regress(&play, &mut ()).unwrap()
}

#[test]
fn a_planted_support_without_noise_is_found() {
    let columns = planted(0.0);
    let (reduction, folds) = (columns.reduction(), columns.folds(20));
    let truth: Support = TRUTH.iter().map(|&(term, _)| term).collect();
    for method in all() {
        let proposal = propose(&*method, &reduction, &folds);
        if KEEP_ALL.contains(&method.name()) {
            assert_eq!(proposal.pick.support.len(), 9);
        } else {
            assert!(proposal.supports.contains(&truth), "{}", method.name());
        }
    }
}

#[test]
fn the_same_problem_gives_the_same_bits() {
    let columns = planted(0.1);
    let (reduction, folds) = (columns.reduction(), columns.folds(5));
    for method in all() {
        let (a, b) = (
            propose(&*method, &reduction, &folds),
            propose(&*method, &reduction, &folds),
        );
        assert_eq!(a.pick, b.pick, "{}", method.name());
        assert_eq!(a.supports, b.supports, "{}", method.name());
        assert_eq!(a.tuning, b.tuning, "{}", method.name());
    }
}

#[test]
fn permuting_the_terms_permutes_the_answer() {
    let columns = planted(0.1);
    let order = [3, 8, 1, 0, 6, 2, 7, 5, 4];
    let mut permuted = columns.clone();
    for (place, &term) in order.iter().enumerate() {
        permuted.0[place].clone_from(&columns.0[term]);
    }
    for method in all() {
        // Coordinate descent ends within its tolerance; the result depends on the order of the
        // terms.
        let tolerance = if method.name() == "lasso" { 1e-3 } else { 1e-9 };
        let plain = propose(&*method, &columns.reduction(), &[]).pick;
        let moved = propose(&*method, &permuted.reduction(), &[]).pick;
        let back: Support = moved.support.indices().iter().map(|&p| order[p]).collect();
        assert_eq!(back, plain.support, "{}", method.name());
        for (&place, &coefficient) in moved.support.indices().iter().zip(&moved.coefficients) {
            let at = plain
                .support
                .indices()
                .binary_search(&order[place])
                .unwrap();
            assert!(
                (coefficient - plain.coefficients[at]).abs() < tolerance,
                "{}: {coefficient} {}",
                method.name(),
                plain.coefficients[at]
            );
        }
    }
}

#[test]
fn units_change_the_answer_only_where_documented() {
    let columns = planted(0.1);
    let factors = [1e3, 1e-4, 7.0, 1.0, 1e5, 0.3, 1e-2, 1.0, 20.0];
    let mut scaled = columns.clone();
    for (column, factor) in scaled.0.iter_mut().zip(factors) {
        for v in column {
            *v *= factor;
        }
    }
    let normalising: Vec<Box<dyn Regression>> = vec![
        Box::new(Stlsq {
            normalize_columns: true,
            threshold: 5.0,
            ..Stlsq::default()
        }),
        Box::new(Sr3 {
            normalize_columns: true,
            lambda: 20.0,
            ..Sr3::default()
        }),
        Box::new(Ssr {
            normalize_columns: true,
            ..Ssr::default()
        }),
    ];
    let unit_free = all().into_iter().filter(|m| UNIT_FREE.contains(&m.name()));
    for method in unit_free.chain(normalising) {
        let plain = propose(&*method, &columns.reduction(), &[]).pick;
        let other = propose(&*method, &scaled.reduction(), &[]).pick;
        assert_eq!(plain.support, other.support, "{}", method.name());
        for (place, &term) in plain.support.indices().iter().enumerate() {
            let back = other.coefficients[place] * factors[term];
            assert_close(back, plain.coefficients[place], 8.0, method.name());
        }
    }
}

#[test]
fn supports_are_distinct_in_range_and_contain_what_is_always_in() {
    let columns = planted(0.1);
    let (reduction, folds) = (columns.reduction(), columns.folds(5));
    let always_in = Support::from_iter([2]);
    for method in all() {
        let play = InPlay {
            reduction: &reduction,
            folds: &folds,
            always_in: &always_in,
            threads: 1,
        };
        let proposal = method.regress(&play, &mut ()).unwrap();
        let pick = proposal.pick;
        assert_eq!(pick.support.len(), pick.coefficients.len());
        assert!(
            proposal.supports.contains(&pick.support),
            "{}",
            method.name()
        );
        assert!(
            proposal.supports.is_sorted_by(|a, b| a < b),
            "{}",
            method.name()
        );
        for support in &proposal.supports {
            assert!(support.contains(2), "{} {support:?}", method.name());
            assert!(support.indices().iter().all(|&term| term < 9));
        }
    }
}

#[test]
fn bad_problems_give_an_answer_or_an_error_and_never_a_panic() {
    let mut constant_target = planted(0.1);
    constant_target.0[9] = vec![3.0; 80];
    let mut zero_target = planted(0.1);
    zero_target.0[9] = vec![0.0; 80];
    let mut twins = planted(0.1);
    twins.0[5] = twins.0[4].clone();
    let mut zero_term = planted(0.1);
    zero_term.0[4] = vec![0.0; 80];
    let mut huge = planted(0.1);
    huge.0[4].iter_mut().for_each(|v| *v *= 1e200);
    let mut tiny = planted(0.1);
    tiny.0.iter_mut().flatten().for_each(|v| *v *= 1e-200);
    let problems = [
        constant_target,
        zero_target,
        twins,
        zero_term,
        huge,
        tiny,
        Columns::new(5, 40, 1, &[(0, 2.0)], 0.1),
        Columns::new(6, 6, 20, &TRUTH, 0.1),
        Columns::new(7, 20, 20, &TRUTH, 0.1),
        Columns::new(8, 1, 3, &[(1, 1.0)], 0.1),
    ];
    for (place, columns) in problems.iter().enumerate() {
        let reduction = columns.reduction();
        for folds in [Vec::new(), columns.folds(5)] {
            for always_in in [Support::empty(), Support::from_iter([0])] {
                for method in all() {
                    let play = InPlay {
                        reduction: &reduction,
                        folds: &folds,
                        always_in: &always_in,
                        threads: 1,
                    };
                    let what = format!("problem {place}, {}", method.name());
                    match method.regress(&play, &mut ()) {
                        Ok(regressed) => {
                            let pick = regressed.pick;
                            let finite = pick.coefficients.iter().all(|c| c.is_finite());
                            assert!(finite, "{what}");
                        }
                        // Squares of huge values overflow.
                        Err(error) => assert_eq!(place, 4, "{what}: {error}"),
                    }
                }
            }
        }
    }
}

/// Asks to stop at once.
struct Impatient;

impl Observer for Impatient {
    fn progress(&mut self, _progress: &Progress) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

#[test]
fn cross_validation_and_ensembles_stop_when_asked() {
    let columns = planted(0.1);
    let (reduction, folds) = (columns.reduction(), columns.folds(5));
    for method in all() {
        let play = InPlay {
            reduction: &reduction,
            folds: &folds,
            always_in: &Support::empty(),
            threads: 1,
        };
        let stopped = matches!(method.regress(&play, &mut Impatient), Err(Error::Stopped));
        assert!(stopped, "{}", method.name());
    }
}

#[test]
fn folds_choose_the_knob_and_the_curve_is_told() {
    let columns = planted(0.5);
    let (reduction, folds) = (columns.reduction(), columns.folds(5));
    for method in all() {
        let proposal = propose(&*method, &reduction, &folds);
        let Some(tuning) = proposal.tuning else {
            assert!(NO_KNOB.contains(&method.name()), "{}", method.name());
            continue;
        };
        assert!(
            tuning.curve.is_sorted_by(|a, b| a.value < b.value),
            "{}",
            method.name()
        );
        let least = tuning
            .curve
            .iter()
            .map(|t| t.error)
            .fold(f64::INFINITY, f64::min);
        let chosen = tuning
            .curve
            .iter()
            .find(|t| t.value.total_cmp(&tuning.chosen).is_eq());
        assert!(chosen.unwrap().error <= least, "{}", method.name());
    }
}

#[test]
fn one_fold_is_too_few() {
    let columns = planted(0.1);
    let (reduction, folds) = (columns.reduction(), columns.folds(1));
    let play = InPlay {
        reduction: &reduction,
        folds: &folds,
        always_in: &Support::empty(),
        threads: 1,
    };
    let error = Stlsq::default().regress(&play, &mut ()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cross-validation needs at least 2 folds, and there are 1"
    );
}

#[test]
fn the_one_standard_error_rule_never_has_more_terms() {
    let columns = planted(2.0);
    let (reduction, folds) = (columns.reduction(), columns.folds(5));
    let tuner = CrossValidation {
        rule: Rule::OneStandardError,
        ..Lasso::default().tuner
    };
    let careful = Lasso {
        tuner,
        ..Lasso::default()
    };
    let plain = propose(&Lasso::default(), &reduction, &folds);
    let careful = propose(&careful, &reduction, &folds);
    assert!(careful.tuning.unwrap().chosen >= plain.tuning.unwrap().chosen);
    assert!(careful.pick.support.len() <= plain.pick.support.len());
}

#[test]
fn a_knob_at_the_end_of_its_grid_is_told() {
    // Pure noise: the largest penalty is the best, and a larger one would be as good.
    let columns = Columns::new(11, 80, 9, &[], 1.0);
    let proposal = propose(&Ridge::default(), &columns.reduction(), &columns.folds(5));
    assert!(proposal.tuning.unwrap().at_edge);
    let columns = planted(2.0);
    let proposal = propose(&Lasso::default(), &columns.reduction(), &columns.folds(5));
    assert!(!proposal.tuning.unwrap().at_edge);
}

#[test]
fn fold_errors_equal_those_from_rows() {
    let columns = planted(0.5);
    let test = columns.rows(0..20);
    let w = [0.3, -1.0, 0.0, 2.0, 0.0, 0.1, 0.0, 0.0, 1.0];
    let row = |i: usize| {
        let predicted: f64 = (0..9).map(|j| w[j] * columns.0[j][i]).sum();
        (columns.0[9][i] - predicted).powi(2)
    };
    let direct: f64 = (0..20).map(row).sum();
    assert_close(
        test.residual_norm_of(&w).powi(2),
        direct,
        13.0,
        "held-out error",
    );
}

#[test]
fn projecting_out_a_constant_is_centring() {
    let columns = planted(0.5);
    let mut with_ones = columns.clone();
    with_ones.0.insert(0, vec![1.0; 80]);
    let projected = with_ones.reduction().project_out(&Support::from_iter([0]));
    let mut centred = columns;
    for column in &mut centred.0 {
        let mean = column.iter().sum::<f64>() / 80.0;
        for v in column {
            *v -= mean;
        }
    }
    let all: Support = (0..9).collect();
    let (a, b) = (projected.fit(&all), centred.reduction().fit(&all));
    assert_close(a.residual_norm(), b.residual_norm(), 12.0, "residual");
    for (a, b) in a.coefficients().iter().zip(b.coefficients()) {
        assert_close(*a, *b, 11.0, "coefficient");
    }
}

/// Two targets over the same terms.
fn two_targets() -> Vec<Reduction> {
    let first = planted(0.1);
    let mut second = first.clone();
    second.0[9] = (0..80)
        .map(|i| 4.0 * first.0[0][i] - first.0[3][i] + 0.01 * first.0[8][i])
        .collect();
    vec![first.reduction(), second.reduction()]
}

#[test]
fn targets_of_other_rows_are_refused() {
    let mut targets = two_targets();
    targets.push(Columns::new(99, 80, 9, &TRUTH, 0.1).reduction());
    let error = stlsq(&targets, &Stlsq::default()).unwrap_err();
    assert!(
        matches!(
            error,
            Error::Reduce(ReduceError::DifferentRows {
                first: 1,
                second: 3
            })
        ),
        "{error}"
    );
    assert!(matches!(
        Design::several(&[]),
        Err(Error::Reduce(ReduceError::NoTargets))
    ));
}

#[test]
fn a_boxed_method_treats_targets_together_as_it_does_unboxed() {
    let rows = two_targets();
    let none = Support::empty();
    let play = |reduction| InPlay {
        reduction,
        folds: &[],
        always_in: &none,
        threads: 1,
    };
    let targets: Vec<InPlay<'_>> = rows.iter().map(play).collect();
    let coefficients = |method: &dyn Regression| -> Vec<Vec<f64>> {
        let all = method.regress_together(&targets, &mut ()).unwrap();
        let all = all.expect("this method treats targets together");
        all.into_iter().map(|one| one.pick.coefficients).collect()
    };
    let method = Stlsq::default();
    assert_eq!(
        coefficients(&Box::new(method.clone())),
        coefficients(&method)
    );
}

#[test]
fn several_targets_agree_with_each_alone_where_nothing_is_shared() {
    let targets = two_targets();
    let alone = |method: &dyn Fn(&[Reduction]) -> Vec<Vec<f64>>| {
        let both = method(&targets);
        for (target, together) in targets.iter().zip(both) {
            let one = method(std::slice::from_ref(target)).swap_remove(0);
            for (a, b) in one.iter().zip(together) {
                assert!((a - b).abs() < 1e-9, "{a} {b}");
            }
        }
    };
    alone(&|t| stlsq(t, &Stlsq::default()).unwrap());
    alone(&|t| {
        sr3(
            t,
            &Sr3 {
                tol: 1e-13,
                max_iter: 1000,
                ..Sr3::default()
            },
        )
        .unwrap()
    });
    alone(&|t| {
        let paths = frols(t, &Frols::default()).unwrap();
        paths.into_iter().map(|path| path.coefficients).collect()
    });
}

#[test]
fn a_shared_limit_is_spent_where_it_pays_most() {
    let targets = two_targets();
    let sizes = |settings: &Miosr| -> Vec<usize> {
        let answer = miosr(&targets, settings, &Run::default(), &mut ()).unwrap();
        assert!(answer.proven);
        answer.targets.iter().map(|t| t.support.len()).collect()
    };
    // Of all ways to split five terms none is better than the one found.
    let shared = miosr(&targets, &Miosr::default(), &Run::default(), &mut ()).unwrap();
    let total = |answer: &MiosrAnswer| -> f64 { answer.targets.iter().map(|t| t.objective).sum() };
    for first in 0..=5 {
        let split = Miosr {
            target_sparsity: None,
            group_sparsity: Some(vec![first, 5 - first]),
            ..Miosr::default()
        };
        let split = miosr(&targets, &split, &Run::default(), &mut ()).unwrap();
        assert!(total(&shared) <= total(&split) * (1.0 + 1e-12));
    }
    assert_eq!(sizes(&Miosr::default()), [3, 2]);
    let capped = Miosr {
        group_sparsity: Some(vec![1, 4]),
        ..Miosr::default()
    };
    assert_eq!(sizes(&capped), [1, 4]);
    let nothing = Miosr {
        target_sparsity: None,
        ..Miosr::default()
    };
    assert!(matches!(
        miosr(&targets, &nothing, &Run::default(), &mut ()),
        Err(Error::Methods(MethodsError::Setting { .. }))
    ));
}

#[test]
fn the_exact_search_of_miosr_equals_trying_all_subsets() {
    for (n_obs, n_terms, alpha) in [(80, 9, 0.01), (40, 9, 30.0), (7, 10, 0.5), (60, 11, 0.0)] {
        let columns = Columns::new(n_terms as u64, n_obs, n_terms, &TRUTH, 1.5);
        let reduction = columns.reduction();
        let settings = Miosr {
            alpha,
            ..Miosr::default()
        };
        let penalised = reduction
            .clone()
            .merge(Reduction::prior(n_terms, settings.alpha));
        let brute = best_supports(&penalised, 5);
        for (size, support) in (1..).zip(&brute) {
            let settings = Miosr {
                target_sparsity: Some(size),
                ..settings.clone()
            };
            let rows = std::slice::from_ref(&reduction);
            let ours = miosr(rows, &settings, &Run::default(), &mut ()).unwrap();
            assert!(ours.proven);
            assert_eq!(
                ours.targets[0].support, *support,
                "{n_obs} rows, size {size}"
            );
            let proposal = propose(&settings, &reduction, &[]);
            assert_eq!(proposal.proven, Some(true));
            assert_eq!(proposal.pick.support, *support);
        }
    }
}

#[test]
fn a_search_of_miosr_that_is_stopped_does_not_claim_a_proof() {
    // Random columns with no law: bounds exclude nothing.
    let reduction = Columns::new(21, 300, 60, &[], 1.0).reduction();
    let settings = Miosr {
        target_sparsity: Some(8),
        ..Miosr::default()
    };
    let rows = std::slice::from_ref(&reduction);
    let stopped = miosr(rows, &settings, &Run::default(), &mut Impatient).unwrap();
    assert!(!stopped.proven);
}

#[test]
fn an_ensemble_counts_how_often_terms_are_found() {
    let columns = planted(0.3);
    let blocks = columns.folds(40);
    let settings = Ensemble {
        terms_to_drop: 1,
        n_models: 50,
        ..Ensemble::default()
    };
    let run = |seed: u64| {
        let settings = Ensemble {
            seed,
            ..settings.clone()
        };
        let method = Stlsq {
            threshold: 1.0,
            ..Stlsq::default()
        };
        ensemble(&blocks, &Support::empty(), &method, &settings, &mut ()).unwrap()
    };
    let models = run(1);
    for (term, &share) in models.inclusion.iter().enumerate() {
        let true_term = TRUTH.iter().any(|&(t, _)| t == term);
        assert!(
            if true_term {
                share > 0.75
            } else {
                share < 0.25
            },
            "{term}: {share}"
        );
    }
    for (term, coefficient) in TRUTH {
        assert!((models.coefficients[term] - coefficient).abs() < 0.2);
    }
    assert_eq!(models.coefficients, run(1).coefficients);
    assert_ne!(models.models, run(2).models);
}

#[test]
fn pysindys_frols_and_the_textbook_part_ways_where_it_minimises_the_gain() {
    let reduction = planted(0.1).reduction();
    let textbook = Frols {
        tolerance: 0.01,
        ..Frols::default()
    };
    let textbook = frols(std::slice::from_ref(&reduction), &textbook).unwrap();
    let compatible = Frols {
        variant: Variant::PySindy,
        ..Frols::default()
    };
    let compatible = frols(std::slice::from_ref(&reduction), &compatible).unwrap();
    assert_eq!(textbook[0].order, compatible[0].order);
    assert!(textbook[0].ratios.iter().sum::<f64>() <= 1.0 + 1e-12);
    assert_eq!(textbook[0].chosen, 3);
    assert!(compatible[0].chosen > 3);
}

#[test]
fn stepwise_regression_finds_the_jump() {
    let reductions = [planted(0.1).reduction()];
    let found = ssr(&reductions, &Ssr::default()).unwrap();
    let support: Support = (0..9).filter(|&j| found[0][j].abs() > 0.0).collect();
    assert_eq!(support, TRUTH.iter().map(|&(term, _)| term).collect());
}

#[test]
fn settings_without_meaning_are_refused() {
    let reduction = planted(0.1).reduction();
    let play = InPlay {
        reduction: &reduction,
        folds: &[],
        always_in: &Support::empty(),
        threads: 1,
    };
    let bad: [Box<dyn Regression>; 5] = [
        Box::new(Stlsq {
            threshold: -1.0,
            ..Stlsq::default()
        }),
        Box::new(Sr3 {
            nu: 0.0,
            ..Sr3::default()
        }),
        Box::new(Lasso {
            alpha: f64::NAN,
            ..Lasso::default()
        }),
        Box::new(Lars {
            alpha: -2.0,
            ..Lars::default()
        }),
        Box::new(Ensemble {
            n_models: 0,
            ..Ensemble::default()
        }),
    ];
    for method in bad {
        let error = method.regress(&play, &mut ()).unwrap_err();
        assert!(
            matches!(error, Error::Methods(MethodsError::Setting { .. })),
            "{}: {error}",
            method.name()
        );
    }
}
