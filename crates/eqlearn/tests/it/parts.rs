//! Rows in parts, and what is learned from them: folds, held-out errors, regression methods through
//! `learn`.

use eqlearn::methods::{Ensemble, InPlay, Lasso, Regression, Stlsq};
use eqlearn::search::{Run, Search};
use eqlearn::tell::compare::{Comparison, MethodReport, held_out};
use eqlearn::tell::document::{CoefficientsOf, Document};
use eqlearn::{Cut, Dictionary, Method, Parts, Problem, Settings, Support, Table, learn, reduce};

use crate::close::assert_close;
use crate::fixture::Dice;

/// `y = 2 a b − 3 b + 1` with noise, as a table of this many rows from a generator.
fn table(rows: usize, first: usize) -> Table {
    let mut columns = vec![Vec::new(); 3];
    for row in first..first + rows {
        let mut dice = Dice::new(row as u64);
        let (a, b) = (dice.normal(), 1.0 + dice.normal());
        let y = 2.0 * a * b - 3.0 * b + 1.0 + 0.3 * dice.normal();
        for (column, value) in columns.iter_mut().zip([a, b, y]) {
            column.push(value);
        }
    }
    let names = ["a", "b", "y"].map(String::from);
    Table::new(names.into_iter().zip(columns).collect()).unwrap()
}

fn problem(degree: u32) -> Problem {
    let dictionary = Dictionary::monomials(["a", "b"], degree, degree, true).unwrap();
    Problem::new("y", dictionary).unwrap()
}

fn parts(problem: &Problem, batches: &[usize], cut: &Cut, threads: usize) -> Parts {
    let mut first = 0;
    let tables: Vec<_> = batches
        .iter()
        .map(|&rows| {
            first += rows;
            Ok(table(rows, first - rows))
        })
        .collect();
    Parts::reduce(problem, tables.into_iter(), cut, threads, &mut ()).unwrap()
}

fn sizes(parts: &Parts) -> Vec<usize> {
    parts
        .folds()
        .iter()
        .map(eqlearn::Reduction::n_obs)
        .collect()
}

#[test]
fn folds_are_cut_as_scikit_learn_does_wherever_batches_end() {
    let cut = Cut {
        folds: 5,
        blocks_per_fold: 3,
    };
    let problem = problem(2);
    let (whole, pieces) = (
        parts(&problem, &[103], &cut, 1),
        parts(&problem, &[1, 40, 0, 2, 60], &cut, 1),
    );
    assert_eq!(sizes(&whole), [21, 21, 21, 20, 20]);
    assert_eq!(sizes(&pieces), sizes(&whole));
    let all: Support = (0..6).collect();
    for (a, b) in whole.folds().iter().zip(pieces.folds()) {
        let (a, b) = (a.fit(&all), b.fit(&all));
        assert_close(a.residual_norm(), b.residual_norm(), 13.0, "fold");
    }
    for (blocks, fold) in whole.blocks().iter().zip(whole.folds()) {
        let rows: usize = blocks.iter().map(eqlearn::Reduction::n_obs).sum();
        assert_eq!((blocks.len(), rows), (3, fold.n_obs()));
    }
    // The whole is what a reduction without folds gives.
    let plain = reduce(&problem, [Ok(table(103, 0))].into_iter(), 1, &mut ()).unwrap();
    let (a, b) = (whole.whole().fit(&all), plain.fit(&all));
    for (a, b) in a.coefficients().iter().zip(b.coefficients()) {
        assert_close(*a, *b, 13.0, "coefficient");
    }
}

#[test]
fn a_long_stream_is_cut_near_where_it_should_be_whatever_the_threads() {
    // More than is kept in memory: 100 batches of 15,000 rows and three columns.
    let problem = problem(1);
    let batches = |threads: usize| {
        let tables = (0..100_u32).map(|batch| {
            let at = |row: u32| f64::from(batch * 15_000 + row);
            let column = |f: f64| (0..15_000).map(|row| (at(row) * f).sin()).collect();
            let columns = [("a", 0.7), ("b", 1.1), ("y", 0.3)];
            Table::new(
                columns
                    .map(|(name, f)| (name.to_string(), column(f)))
                    .into(),
            )
        });
        Parts::reduce(&problem, tables, &Cut::default(), threads, &mut ()).unwrap()
    };
    let (one, two) = (batches(1), batches(2));
    assert_eq!(sizes(&one), [300_000; 5]);
    let all: Support = (0..3).collect();
    for (a, b) in one.folds().iter().zip(two.folds()) {
        assert_eq!(a.fit(&all).coefficients(), b.fit(&all).coefficients());
    }
}

#[test]
fn the_error_on_rows_left_out_is_that_of_a_fit_without_them() {
    let (problem, n_obs) = (problem(2), 60);
    let parts = parts(&problem, &[n_obs], &Cut::default(), 1);
    let settings = Settings {
        method: Method::Ols,
        ..Settings::default()
    };
    let found = held_out(&problem, &parts, &settings, &Run::default(), &mut ()).unwrap();
    // The same from rows: predictions of 12 rows by the fit of the other 48.
    let rows = table(n_obs, 0);
    let mut total = 0.0;
    for fold in 0..5 {
        let without = |values: &[f64]| {
            let kept = (0..n_obs).filter(|row| row / 12 != fold);
            kept.map(|row| values[row]).collect::<Vec<f64>>()
        };
        let only = |values: &[f64]| values[12 * fold..12 * (fold + 1)].to_vec();
        let select = |pick: &dyn Fn(&[f64]) -> Vec<f64>| {
            let columns = rows.names().iter().cloned().zip(rows.columns().map(pick));
            Table::new(columns.collect()).unwrap()
        };
        let training = eqlearn::reduce_table(&problem, &select(&without)).unwrap();
        let model = eqlearn::Model::new(&problem, &training.fit(&(0..6).collect()));
        let test = select(&only);
        let predicted = model.predict(&test).unwrap();
        let errors = predicted.iter().zip(test.column("y").unwrap());
        total += errors.map(|(p, y)| (p - y).powi(2)).sum::<f64>();
    }
    assert_close(found.error, (total / n_obs as f64).sqrt(), 11.0, "error");
    assert!(found.std_error > 0.0 && found.std_error < found.error);
}

fn settings(method: Method) -> Settings {
    Settings {
        method,
        ..Settings::default()
    }
}

#[test]
fn every_method_learns_the_law_through_one_door() {
    let problem = problem(2);
    let cut = Cut {
        blocks_per_fold: 8,
        ..Cut::default()
    };
    let parts = parts(&problem, &[300], &cut, 1);
    let mut reports = Vec::new();
    for method in Method::all() {
        let settings = settings(method);
        let name = settings.method.name();
        assert_eq!(name.parse::<Method>().unwrap(), settings.method);
        let study = learn(&problem, &parts, &settings, &Run::default(), &mut ()).unwrap();
        let model = study.model().unwrap();
        let terms = model.term_texts();
        for term in ["b", "a*b"] {
            assert!(terms.iter().any(|t| t == term), "{name}: {terms:?}");
        }
        let document = Document::new(&study, Vec::new(), 0.0);
        let regression = document.regression.as_ref();
        assert_eq!(regression.is_some(), study.regressed().is_some());
        // JSON there and back.
        let text = serde_json::to_string(&document).unwrap();
        assert_eq!(serde_json::from_str::<Document>(&text).unwrap(), document);
        let held_out = held_out(&problem, &parts, &settings, &Run::default(), &mut ()).unwrap();
        assert!(held_out.error < 1.0, "{name}: {}", held_out.error);
        let report = MethodReport::new(&study, 0.0);
        reports.push(report.with_held_out(Some(held_out)));
    }
    let comparison = Comparison::new(&problem, &parts, reports);
    let product = comparison.terms.iter().find(|t| t.term == "a*b").unwrap();
    assert_eq!(product.methods.len(), comparison.methods.len());
    // Least squares on all terms has the smallest residual.
    let share = |name: &str| {
        let report = comparison.methods.iter().find(|m| m.method == name);
        report.unwrap().one_minus_r2.unwrap()
    };
    assert!(
        comparison
            .methods
            .iter()
            .all(|m| m.one_minus_r2.unwrap() >= share("ols"))
    );
}

#[test]
fn a_method_is_itself_behind_the_door() {
    let problem = problem(2);
    let parts = parts(&problem, &[200], &Cut::default(), 1);
    let centre = Support::from_iter([0]);
    let lasso = Lasso::default();
    let play = InPlay {
        reduction: parts.whole(),
        folds: parts.folds(),
        always_in: &centre,
        threads: 1,
    };
    let direct = lasso.regress(&play, &mut ()).unwrap();
    let space = Search {
        centre: centre.clone(),
        ..Search::default()
    };
    let settings = Settings {
        method: Method::Lasso(lasso),
        space,
        ..Settings::default()
    };
    let study = learn(&problem, &parts, &settings, &Run::default(), &mut ()).unwrap();
    let regressed = study.regressed().unwrap();
    assert_eq!(
        (&regressed.pick, &regressed.tuning),
        (&direct.pick, &direct.tuning)
    );
    let own = study.own().unwrap();
    assert_eq!(own.coefficients, direct.pick.coefficients);
    let refit = Settings {
        refit: true,
        ..settings.clone()
    };
    let study = learn(&problem, &parts, &refit, &Run::default(), &mut ()).unwrap();
    assert!(study.own().is_none());
    let document = Document::new(&study, Vec::new(), 0.0);
    let report = document.regression.unwrap();
    assert_eq!(report.coefficients, CoefficientsOf::LeastSquares);
    // Without folds, or with a knob that is not to be tuned, the settings decide.
    let fixed = Settings {
        tune: false,
        ..settings
    };
    let study = learn(&problem, &parts, &fixed, &Run::default(), &mut ()).unwrap();
    assert!(study.regressed().unwrap().tuning.is_none());
}

#[test]
fn excluded_terms_stay_out_and_required_ones_in() {
    let problem = problem(2);
    let parts = parts(&problem, &[200], &Cut::default(), 1);
    // The terms are 1, a, b, a², ab, b².
    let (out, within) = (4, 3);
    for method in Method::all() {
        if method == Method::Ols {
            continue;
        }
        let space = Search {
            excluded: Support::from_iter([out]),
            required: Support::from_iter([within]),
            ..Search::default()
        };
        let settings = Settings {
            space,
            ..settings(method)
        };
        let study = learn(&problem, &parts, &settings, &Run::default(), &mut ()).unwrap();
        let support = study.answer().unwrap().fit.support();
        let name = settings.method.name();
        assert!(
            !support.contains(out) && support.contains(within),
            "{name}: {support:?}"
        );
    }
}

#[test]
fn inclusion_frequencies_are_those_of_bags_of_rows() {
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    // Blocks of four rows; a bag has the rows of as many blocks, drawn with replacement. Here the
    // rows themselves are stacked.
    let (n_blocks, rows, n_terms) = (30, 4, 6);
    let mut dice = Dice::new(5);
    let columns: Vec<Vec<f64>> = (0..n_terms)
        .map(|_| (0..n_blocks * rows).map(|_| dice.normal()).collect())
        .collect();
    let target: Vec<f64> = (0..n_blocks * rows)
        .map(|i| columns[1][i] + 0.35 * columns[4][i] + 1.5 * dice.normal())
        .collect();
    let all: Vec<&Vec<f64>> = columns.iter().chain([&target]).collect();
    let of_rows = |wanted: &[usize]| {
        let picked: Vec<Vec<f64>> = all
            .iter()
            .map(|column| wanted.iter().map(|&row| column[row]).collect())
            .collect();
        let slices: Vec<&[f64]> = picked.iter().map(Vec::as_slice).collect();
        eqlearn::Reduction::from_columns(&slices)
    };
    let block = |b: usize| (b * rows..(b + 1) * rows).collect::<Vec<usize>>();
    let blocks: Vec<_> = (0..n_blocks).map(|b| of_rows(&block(b))).collect();
    let base = Stlsq {
        threshold: 0.3,
        ..Stlsq::default()
    };
    let settings = Ensemble {
        n_models: 40,
        seed: 9,
        ..Ensemble::default()
    };
    let always_in = Support::empty();
    let found = eqlearn::methods::ensemble(&blocks, &always_in, &base, &settings, &mut ()).unwrap();

    let mut random = ChaCha8Rng::seed_from_u64(9);
    let mut counts = vec![0.0; n_terms];
    for _ in 0..40 {
        let drawn: Vec<usize> = (0..n_blocks)
            .flat_map(|_| block(random.random_range(0..n_blocks)))
            .collect();
        let w = eqlearn::methods::stlsq(&[of_rows(&drawn)], &base).unwrap();
        for (count, w) in counts.iter_mut().zip(&w[0]) {
            *count += f64::from(u8::from(w.abs() > 0.0)) / 40.0;
        }
    }
    for (share, count) in found.inclusion.iter().zip(&counts) {
        assert_close(*share, *count, 12.0, "inclusion");
    }
    assert!(counts.iter().any(|c| *c > 0.0 && *c < 1.0), "{counts:?}");
}

#[test]
fn one_fold_has_no_error_on_rows_left_out() {
    let problem = problem(1);
    let cut = Cut {
        folds: 1,
        ..Cut::default()
    };
    let parts = parts(&problem, &[30], &cut, 1);
    let error = held_out(
        &problem,
        &parts,
        &settings(Method::Ols),
        &Run::default(),
        &mut (),
    );
    assert!(error.unwrap_err().to_string().contains("2 folds"));
}
