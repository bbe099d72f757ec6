//! One law in several experiments: the joint fit and the lists against dense least squares on
//! columns that are zero outside their experiment.

use eqlearn::learn::grouped::{GroupedStudy, learn_grouped};
use eqlearn::reduce::groups::{Groups, Labelled};
use eqlearn::search::Search;
use eqlearn::search::groups::{GroupRun, search_groups};
use eqlearn::{Dictionary, Fit, Problem, Reduction, Settings, Support, Table};

use crate::fixture::Dice;

/// Terms and target of each experiment, column by column.
type Experiments = Vec<Vec<Vec<f64>>>;

fn reduction(columns: &[Vec<f64>]) -> Reduction {
    let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    Reduction::from_columns(&columns)
}

fn groups(experiments: &Experiments) -> Groups {
    let named = experiments.iter().enumerate();
    let named = named.map(|(i, columns)| (format!("run {i}"), reduction(columns)));
    Groups::new("run", named.collect())
}

/// All rows with one column for each coefficient, and the place of the coefficient of each term in
/// each experiment.
fn dense(experiments: &Experiments, support: &Support, shared: &Support) -> (Fit, Vec<Vec<usize>>) {
    let n_terms = experiments[0].len() - 1;
    let heights: Vec<usize> = experiments.iter().map(|one| one[0].len()).collect();
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let mut places = vec![Vec::new(); experiments.len()];
    for &term in support.indices() {
        let mut own = Vec::new();
        for (i, one) in experiments.iter().enumerate() {
            let only = |k: usize, column: &Vec<f64>| {
                if k == i {
                    column.clone()
                } else {
                    vec![0.0; heights[k]]
                }
            };
            let column: Vec<Vec<f64>> = (0..experiments.len())
                .map(|k| only(k, &one[term]))
                .collect();
            own.push(column.concat());
        }
        if shared.contains(term) {
            for place in &mut places {
                place.push(columns.len());
            }
            let all: Vec<Vec<f64>> = experiments.iter().map(|one| one[term].clone()).collect();
            columns.push(all.concat());
        } else {
            let first = columns.len();
            let numbered = places.iter_mut().enumerate();
            numbered.for_each(|(i, place)| place.push(first + i));
            columns.extend(own);
        }
    }
    let target: Vec<Vec<f64>> = experiments.iter().map(|one| one[n_terms].clone()).collect();
    columns.push(target.concat());
    let all: Support = (0..columns.len() - 1).collect();
    (reduction(&columns).fit(&all), places)
}

fn subsets(of: &[usize], size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let starting = |first: usize| {
        let rest = subsets(&of[first + 1..], size - 1).into_iter();
        rest.map(move |rest| [vec![of[first]], rest].concat())
    };
    (0..of.len()).flat_map(starting).collect()
}

/// Random experiments: correlated columns, a constant, now and then a column that is a multiple of
/// another in one experiment, few rows, or no noise.
fn random(dice: &mut Dice, n_terms: usize) -> Experiments {
    let n_groups = 1 + dice.below(4);
    let noise = [0.0, 0.1, 1.0][dice.below(3)];
    let law: Vec<bool> = (0..n_terms).map(|_| dice.below(3) == 0).collect();
    let one = |dice: &mut Dice| {
        let n_rows = 3 + dice.below(12);
        let size = 10.0_f64.powi(i32::try_from(dice.below(5)).unwrap() - 2);
        let mut columns: Vec<Vec<f64>> = vec![vec![1.0; n_rows]];
        while columns.len() < n_terms {
            let base = columns[dice.below(columns.len())].clone();
            let fresh = if dice.below(8) == 0 { 0.0 } else { 1.0 };
            columns.push(
                base.iter()
                    .map(|b| size * (b + fresh * dice.normal()))
                    .collect(),
            );
        }
        let weights: Vec<f64> = law
            .iter()
            .map(|&on| f64::from(u8::from(on)) * dice.normal())
            .collect();
        let target = (0..n_rows).map(|row| {
            let sum: f64 = columns.iter().zip(&weights).map(|(c, w)| c[row] * w).sum();
            sum + noise * dice.normal()
        });
        let target: Vec<f64> = target.collect();
        columns.push(target);
        columns
    };
    (0..n_groups).map(|_| one(dice)).collect()
}

fn some(dice: &mut Dice, of: usize, one_in: usize) -> Support {
    (0..of).filter(|_| dice.below(one_in) == 0).collect()
}

#[test]
fn the_joint_fit_is_least_squares_with_a_column_for_each_coefficient() {
    let mut dice = Dice::new(1);
    let mut with_errors = 0;
    for _ in 0..200 {
        let n_terms = 3 + dice.below(4);
        let experiments = random(&mut dice, n_terms);
        let groups = groups(&experiments);
        let (support, shared) = (some(&mut dice, n_terms, 2), some(&mut dice, n_terms, 3));
        let fit = groups.fit(&support, &shared);
        let (known, places) = dense(&experiments, &support, &shared);
        let scale = groups
            .fit(&Support::empty(), &Support::empty())
            .residual_norm();
        assert!((fit.residual_norm() - known.residual_norm()).abs() <= 1e-9 * scale);
        assert_eq!(fit.degrees_of_freedom(), known.degrees_of_freedom());
        if !known.dependent().is_empty() {
            continue;
        }
        let norms = groups.residual_norms(&fit);
        let squared: f64 = norms.iter().map(|norm| norm * norm).sum();
        assert!((squared.sqrt() - fit.residual_norm()).abs() <= 1e-9 * scale);
        let covariances = groups.covariances(&fit);
        for (i, own) in places.iter().enumerate() {
            for (k, &place) in own.iter().enumerate() {
                let (a, b) = (fit.coefficients()[i][k], known.coefficients()[place]);
                assert!((a - b).abs() <= 1e-8 * b.abs().max(1e-6), "{a} {b}");
            }
            let Some(theirs) = known.covariance().filter(|_| known.residual_norm() > 1e-9) else {
                continue;
            };
            let ours = &covariances.as_ref().unwrap()[i];
            with_errors += 1;
            for (k, &row) in own.iter().enumerate() {
                for (l, &column) in own.iter().enumerate() {
                    let scale = (theirs[row][row] * theirs[column][column]).sqrt();
                    let (a, b) = (ours[k][l], theirs[row][column]);
                    assert!((a - b).abs() <= 1e-6 * scale, "{a} {b}");
                }
            }
        }
    }
    assert!(with_errors > 100, "{with_errors}");
}

#[test]
fn lists_are_those_of_brute_force() {
    let mut dice = Dice::new(2);
    let (mut lists, mut mixed) = (0, 0);
    for _ in 0..300 {
        let n_terms = 4 + dice.below(4);
        let experiments = random(&mut dice, n_terms);
        let groups = groups(&experiments);
        let shared = match dice.below(3) {
            0 => Support::empty(),
            _ => some(&mut dice, n_terms, 2),
        };
        let centre: Support = (0..usize::from(dice.below(3) == 0)).collect();
        let required = match dice.below(4) {
            0 => Support::from_iter([n_terms - 1]),
            _ => Support::empty(),
        };
        let settings = Search {
            max_terms: 4,
            keep: 1 + dice.below(6),
            required: required.clone(),
            centre: centre.clone(),
            ..Search::default()
        };
        let run = GroupRun::default();
        let found = search_groups(&groups, &shared, &settings, &run, &mut ()).unwrap();
        let tss = dense(&experiments, &centre, &shared).0.residual_norm();
        let whole = dense(&experiments, &Support::empty(), &shared)
            .0
            .residual_norm();
        for one in &found.lists {
            assert!(one.list.exact);
            lists += 1;
            mixed += usize::from(one.free > 0 && one.shared > 0);
            let others: Vec<usize> = (0..n_terms)
                .filter(|&term| !centre.contains(term) && !required.contains(term))
                .collect();
            let size = one.free + one.shared - required.len();
            let all = subsets(&others, size).into_iter();
            let all = all.map(|more| more.into_iter().collect::<Support>().union(&required));
            let n_shared =
                |s: &Support| s.indices().iter().filter(|t| shared.contains(**t)).count();
            let all: Vec<Support> = all.filter(|s| n_shared(s) == one.shared).collect();
            assert_eq!(one.list.subsets, all.len() as u128);
            let share = |support: &Support| {
                let left = dense(&experiments, &support.union(&centre), &shared).0;
                if left.residual_norm() <= 1e-13 * whole || tss <= 1e-13 * whole {
                    0.0
                } else {
                    (left.residual_norm() / tss).powi(2)
                }
            };
            let mut known: Vec<(f64, Support)> = all.into_iter().map(|s| (share(&s), s)).collect();
            known.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
            assert_eq!(one.list.best.len(), known.len().min(settings.keep));
            for (candidate, (residual, _)) in one.list.best.iter().zip(&known) {
                // Columns that happen to be nearly collinear cost digits.
                let near = 1e-7 * residual + 1e-20;
                let own = share(&candidate.support);
                assert!(
                    (candidate.one_minus_r2 - residual).abs() <= near,
                    "{candidate:?} {residual}"
                );
                assert!(
                    (candidate.one_minus_r2 - own).abs() <= near,
                    "{candidate:?} {own}"
                );
            }
        }
    }
    assert!(lists > 800 && mixed > 200, "{lists} {mixed}");
}

/// y = w x + 2 − 0.5 z² with noise in several runs of these sizes; the weights scatter by `spread`.
fn learned(seed: u64, sizes: &[usize], spread: f64, shared: &[usize]) -> GroupedStudy {
    let mut dice = Dice::new(seed);
    let (mut x, mut z, mut y, mut places) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (run, &size) in sizes.iter().enumerate() {
        let weight = 1.0 + spread * dice.normal();
        for _ in 0..size {
            let (a, b) = (dice.normal(), dice.normal());
            x.push(a);
            z.push(b);
            y.push(weight * a + 2.0 - 0.5 * b * b + 0.3 * dice.normal());
            places.push(run);
        }
    }
    let columns = [("x", x), ("z", z), ("y", y)];
    let columns = columns.map(|(name, values)| (name.to_string(), values));
    let labels = (0..sizes.len()).map(|run| format!("run {run}")).collect();
    let rows = Labelled {
        table: Table::new(columns.into()).unwrap(),
        labels,
        places,
    };
    let dictionary = Dictionary::monomials(["x", "z"], 3, 3, true).unwrap();
    let problem = Problem::new("y", dictionary).unwrap();
    let groups = Groups::reduce(&problem, "run", [Ok(rows)].into_iter(), 1, &mut ()).unwrap();
    let shared = shared.iter().copied().collect();
    learn_grouped(&problem, groups, &shared, &Settings::default(), &mut ()).unwrap()
}

#[test]
fn tests_of_equality_alarm_as_often_as_they_say() {
    let (mut alarms, mut tests, mut found) = (0_u32, 0_u32, 0);
    for seed in 0..150 {
        let study = learned(seed, &[12, 20, 30, 16], 0.0, &[]);
        let fit = &study.answer().unwrap().fit;
        if study.names(fit.support()) != ["1", "x", "z^2"] {
            continue;
        }
        found += 1;
        for equality in &study.sharing().unwrap().terms {
            tests += 1;
            alarms += u32::from(equality.p.unwrap() < 0.1);
        }
    }
    assert!(found >= 140, "{found}");
    // Three standard deviations about a tenth.
    let (mean, spread) = (
        0.1 * f64::from(tests),
        3.0 * (0.09 * f64::from(tests)).sqrt(),
    );
    assert!(
        (f64::from(alarms) - mean).abs() < spread,
        "{alarms} of {tests}"
    );
}

#[test]
fn what_differs_is_found_and_what_is_equal_is_to_be_shared() {
    let mut right = 0;
    for seed in 0..40 {
        let study = learned(seed, &[25; 8], 0.5, &[]);
        let sharing = study.sharing().unwrap();
        let best = study.names(&sharing.patterns[0].shared);
        right += usize::from(best == ["1", "z^2"]);
        let x = sharing
            .terms
            .iter()
            .find(|one| study.term(one.term).to_string() == "x");
        let x = x.unwrap();
        assert!(
            x.p.unwrap() < 1e-6 && (0.15..1.2).contains(&x.spread),
            "{x:?}"
        );
    }
    assert!(right >= 36, "{right}");
}

#[test]
fn one_experiment_is_a_plain_problem_and_all_shared_is_too() {
    let study = learned(5, &[60], 0.0, &[]);
    let together = learned(6, &[20, 25, 15], 0.0, &(0..10).collect::<Vec<_>>());
    for study in [study, together] {
        let whole = study.groups().whole();
        let settings = Settings::default();
        let run = eqlearn::search::Run::default();
        let plain = eqlearn::learn(study.problem(), &whole, &settings, &run, &mut ()).unwrap();
        let (ours, theirs) = (study.answer().unwrap(), plain.answer().unwrap());
        assert_eq!(ours.fit.support(), theirs.fit.support());
        assert!((ours.score - theirs.score).abs() < 1e-8 * theirs.score.abs());
        let models = study.models_of_answer().unwrap();
        let model = plain.model().unwrap();
        for own in &models {
            let pairs = own.coefficients().iter().zip(model.coefficients());
            assert!(
                pairs
                    .into_iter()
                    .all(|(a, b)| (a - b).abs() < 1e-9 * b.abs())
            );
            let (a, b) = (own.std_errors().unwrap(), model.std_errors().unwrap());
            assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-7 * b));
        }
        for (own, list) in study
            .found()
            .lists
            .iter()
            .zip(&plain.found().unwrap().sizes)
        {
            for (a, b) in own.list.best.iter().zip(&list.best) {
                assert!((a.one_minus_r2 - b.one_minus_r2).abs() <= 1e-9 * b.one_minus_r2);
            }
        }
    }
}
