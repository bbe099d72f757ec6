//! Several targets over the same rows, and columns as other programs give them: constants and
//! repeated rows.

use eqlearn::methods::{Miosr, Stlsq, miosr, stlsq};
use eqlearn::reduce::ReduceError;
use eqlearn::search::{Run, Search};
use eqlearn::terms::problem::{Constants, Weights};
use eqlearn::{
    Data, Dictionary, Error, Method, Problem, Reduction, Settings, Study, Support, Table, learn,
    learn_jointly, reduce_table,
};

use crate::fixture::Dice;

/// Four features, two targets made of them, and whole weights.
fn table() -> Table {
    let mut dice = Dice::new(11);
    let mut columns = vec![Vec::new(); 7];
    for row in 0..60 {
        let x = [(); 4].map(|()| dice.normal());
        let y = 2.0 * x[0] - 0.3 * x[2] + 0.2 * dice.normal();
        let z = x[1] + 0.25 * x[3] + 0.2 * dice.normal();
        let values = [x[0], x[1], x[2], x[3], y, z, f64::from(row % 3)];
        for (column, value) in columns.iter_mut().zip(values) {
            column.push(value);
        }
    }
    let names = ["a", "b", "c", "d", "y", "z", "w"].map(String::from);
    Table::new(names.into_iter().zip(columns).collect()).unwrap()
}

fn problems() -> Vec<Problem> {
    let dictionary = Dictionary::monomials(["a", "b", "c", "d"], 1, 1, true).unwrap();
    let problem = |target| Problem::new(target, dictionary.clone()).unwrap();
    ["y", "z"].map(problem).to_vec()
}

fn reductions() -> Vec<Reduction> {
    let reduce = |problem: &Problem| reduce_table(problem, &table()).unwrap();
    problems().iter().map(reduce).collect()
}

fn together(settings: &Settings) -> Vec<Study> {
    let rows = reductions();
    let data: Vec<Data<'_>> = rows.iter().map(Into::into).collect();
    learn_jointly(&problems(), &data, settings, &Run::default(), &mut ()).unwrap()
}

fn with(method: Method) -> Settings {
    Settings {
        method,
        ..Settings::default()
    }
}

/// One coefficient per term of the dictionary.
fn dense(study: &Study) -> Vec<f64> {
    let mut all = vec![0.0; 5];
    let pick = &study.regressed().unwrap().pick;
    for (&term, &w) in pick.support.indices().iter().zip(&pick.coefficients) {
        all[term] = w;
    }
    all
}

#[test]
fn one_target_is_learned_as_by_itself() {
    for method in Method::all() {
        let settings = with(method);
        for (problem, rows) in problems().iter().zip(&reductions()) {
            let alone = learn(problem, rows, &settings, &Run::default(), &mut ()).unwrap();
            let data = [Data::from(rows)];
            let one = std::slice::from_ref(problem);
            let both = learn_jointly(one, &data, &settings, &Run::default(), &mut ()).unwrap();
            assert_eq!(both[0].model(), alone.model());
        }
    }
}

#[test]
fn methods_that_know_nothing_of_other_targets_treat_each_alone() {
    for name in ["best", "best-subset", "cs-r2", "bsr", "lasso"] {
        let settings = with(name.parse().unwrap());
        let studies = together(&settings);
        for ((problem, rows), study) in problems().iter().zip(&reductions()).zip(&studies) {
            let alone = learn(problem, rows, &settings, &Run::default(), &mut ()).unwrap();
            assert_eq!(study.model(), alone.model(), "{name}");
        }
    }
}

#[test]
fn targets_share_the_rounds_of_stlsq_and_the_terms_of_miosr() {
    let settings = Stlsq {
        threshold: 0.24,
        ..Stlsq::default()
    };
    let expected = stlsq(&reductions(), &settings).unwrap();
    let studies = together(&with(Method::Stlsq(settings)));
    let found: Vec<Vec<f64>> = studies.iter().map(dense).collect();
    assert_eq!(found, expected);
    let rounds: Vec<_> = studies.iter().map(|study| study.how().rounds()).collect();
    assert_eq!(rounds[0], rounds[1]);
    assert!(rounds[0].settled && rounds[0].count > 1);

    let settings = Miosr {
        target_sparsity: Some(3),
        ..Miosr::default()
    };
    let expected = miosr(&reductions(), &settings, &Run::default(), &mut ()).unwrap();
    let studies = together(&with(Method::Miosr(settings)));
    let sizes: Vec<usize> = studies
        .iter()
        .map(|study| study.answer().unwrap().fit.support().len())
        .collect();
    assert_eq!(sizes.iter().sum::<usize>(), 3);
    for (study, target) in studies.iter().zip(&expected.targets) {
        assert_eq!(study.answer().unwrap().fit.support(), &target.support);
        assert_eq!(study.how().proven(), Some(true));
    }
}

#[test]
fn rounds_that_were_cut_off_are_not_settled() {
    let settings = Stlsq {
        threshold: 0.24,
        max_iter: 1,
        ..Stlsq::default()
    };
    let studies = together(&with(Method::Stlsq(settings)));
    let rounds = studies[0].how().rounds();
    assert_eq!((rounds.count, rounds.settled), (1, false));
}

#[test]
fn required_and_excluded_terms_hold_for_all_targets() {
    let space = Search {
        required: Support::from_iter([4]),
        excluded: Support::from_iter([1]),
        ..Search::default()
    };
    let settings = Settings {
        space,
        ..with("stlsq".parse().unwrap())
    };
    for study in together(&settings) {
        let support = study.answer().unwrap().fit.support().clone();
        assert!(support.contains(4) && !support.contains(1));
    }
}

#[test]
fn no_target_is_an_error() {
    let result = learn_jointly(&[], &[], &Settings::default(), &Run::default(), &mut ());
    assert!(matches!(result, Err(Error::Reduce(ReduceError::NoTargets))));
}

#[test]
fn weights_are_precisions_or_repetitions() {
    let weighted = problems()[0].clone().with_weights("w").unwrap();
    let rows = reduce_table(&weighted, &table()).unwrap();
    assert_eq!(rows.n_obs(), 40);
    let repeated = weighted.with_meaning(Weights::Repeats);
    let rows = reduce_table(&repeated, &table()).unwrap();
    assert_eq!(rows.n_obs(), 60);
}

#[test]
fn columns_that_never_vary_are_refused_unless_allowed() {
    let ones = vec![1.0; 8];
    let y: Vec<f64> = (0..8).map(f64::from).collect();
    let columns = [("x", ones.clone()), ("y", y), ("z", ones)];
    let columns = columns.map(|(name, values)| (name.to_string(), values));
    let table = Table::new(columns.to_vec()).unwrap();
    let dictionary = Dictionary::monomials(["x"], 1, 1, true).unwrap();
    for target in ["y", "z"] {
        let problem = Problem::new(target, dictionary.clone()).unwrap();
        assert!(reduce_table(&problem, &table).is_err());
        let problem = problem.with_constants(Constants::Allow);
        assert_eq!(reduce_table(&problem, &table).unwrap().n_obs(), 8);
    }
}
