//! Learning: a known law is found, noise yields none, and the answer states its probability.

use eqlearn::judge::criterion::Criterion;
use eqlearn::judge::ranking::Ranked;
use eqlearn::search::{Run, Search};
use eqlearn::tell::document::Document;
use eqlearn::tell::warning::Code;
use eqlearn::{Dictionary, Method, Problem, Settings, Study, Support, Table, learn, reduce_table};

use crate::fixture::Dice;

const ALONE: Run<'_> = Run {
    threads: 1,
    checkpoint: None,
    score: None,
    rivals: 0.0,
    go_on: None,
    elsewhere: None,
};

/// Three normal features far enough from zero to make powers collinear, and a target made by `law`,
/// with noise.
fn table(seed: u64, rows: usize, noise: f64, law: impl Fn(f64, f64, f64) -> f64) -> Table {
    let mut dice = Dice::new(seed);
    let mut columns = vec![Vec::new(); 4];
    for _ in 0..rows {
        let (x1, x2, x3) = (
            1.0 + dice.normal(),
            -2.0 + dice.normal(),
            3.0 + dice.normal(),
        );
        let y = law(x1, x2, x3) + noise * dice.normal();
        for (column, value) in columns.iter_mut().zip([x1, x2, x3, y]) {
            column.push(value);
        }
    }
    let names = ["x1", "x2", "x3", "y"].map(String::from);
    Table::new(names.into_iter().zip(columns).collect()).unwrap()
}

fn problem() -> Problem {
    Problem::new(
        "y",
        Dictionary::monomials(["x1", "x2", "x3"], 3, 3, true).unwrap(),
    )
    .unwrap()
}

fn studied(table: &Table, settings: &Settings) -> Study {
    let problem = problem();
    let reduction = reduce_table(&problem, table).unwrap();
    learn(&problem, &reduction, settings, &ALONE, &mut ()).unwrap()
}

fn centred(method: Method) -> Settings {
    let space = Search {
        centre: Support::from_iter([0]),
        ..Search::default()
    };
    Settings {
        method,
        space,
        ..Settings::default()
    }
}

fn terms(study: &Study) -> Vec<String> {
    let problem = problem();
    let support = study.answer().unwrap().fit.support().clone();
    let names = support
        .indices()
        .iter()
        .map(|&term| problem.dictionary().terms()[term].to_string());
    names.filter(|name| name != "1").collect()
}

#[test]
fn every_method_finds_a_clear_law() {
    let table = table(1, 80, 0.05, |x1, x2, x3| 2.0 * x1 * x2 - 3.0 * x3);
    for method in [
        Method::Best,
        Method::BestSubset,
        Method::CsR2,
        Method::CsEvidence,
        Method::Bsr,
    ] {
        let name = method.name();
        let found = terms(&studied(&table, &centred(method)));
        assert_eq!(found, ["x3", "x1*x2"], "{name}");
    }
}

#[test]
fn a_free_constant_is_found_where_it_belongs_and_only_there() {
    let free = Settings::default();
    let with = studied(&table(2, 80, 0.05, |x1, _, x3| 4.0 + x1 * x1 - x3), &free);
    assert!(with.answer().unwrap().fit.support().contains(0));
    let without = studied(&table(2, 80, 0.05, |x1, _, x3| x1 * x1 - x3), &free);
    assert!(!without.answer().unwrap().fit.support().contains(0));
}

#[test]
fn noise_yields_no_equation() {
    let claims = (0..20).filter(|&seed| {
        let noise = table(100 + seed, 60, 1.0, |_, _, _| 0.0);
        studied(&noise, &Settings::default()).answer().is_some()
    });
    assert!(claims.count() <= 2, "at most a chance claim in twenty");
}

#[test]
fn a_constant_alone_is_no_law() {
    let flat = table(7, 60, 0.1, |_, _, _| 5.0);
    assert!(studied(&flat, &Settings::default()).answer().is_none());
}

#[test]
fn probabilities_sum_to_one_and_inclusions_follow_from_them() {
    let study = studied(
        &table(3, 60, 0.5, |x1, x2, _| x1 + x2),
        &Settings::default(),
    );
    let total: f64 = study
        .ranking()
        .models()
        .iter()
        .map(|model| model.probability)
        .sum();
    assert!((total - 1.0).abs() < 1e-12);
    let with_first = study
        .ranking()
        .models()
        .iter()
        .filter(|model| model.fit.support().contains(1));
    let inclusion: f64 = with_first.map(|model| model.probability).sum();
    assert!((study.ranking().inclusion()[1] - inclusion).abs() < 1e-12);
}

#[test]
fn rivals_that_cannot_win_share_the_probability() {
    // The last term is so weak that larger equations are nearly as probable.
    let rows = |seed: u64| table(300 + seed, 60, 0.5, |x1, x2, x3| x1 * x2 - x3 + 0.1 * x2);
    let [mut differ, mut with_larger] = [0.0_f64, 0.0_f64];
    for seed in 0..10 {
        let rows = rows(seed);
        let found = studied(&rows, &Settings::default());
        let all = studied(
            &rows,
            &Settings {
                method: Method::BestSubset,
                ..Settings::default()
            },
        );
        let (answer, same) = (found.answer().unwrap(), all.answer().unwrap());
        assert_eq!(answer.fit.support(), same.fit.support());
        let ended_early = found
            .found()
            .is_some_and(|found| found.ended_early.is_some());
        assert!(ended_early, "there is something to list");
        differ = differ.max((answer.probability - same.probability).abs());
        let is_larger = |model: &&Ranked| model.fit.support().len() > answer.fit.support().len();
        let larger = all.ranking().models().iter().filter(is_larger);
        with_larger = with_larger.max(larger.map(|model| model.probability).sum());
    }
    assert!(with_larger > 0.2, "larger equations count: {with_larger}");
    assert!(differ < 1e-3, "{differ}");
}

#[test]
fn the_votes_of_the_paper_are_in_the_result() {
    let table = table(1, 80, 0.05, |x1, x2, x3| 2.0 * x1 * x2 - 3.0 * x3);
    let study = studied(&table, &centred(Method::CsR2));
    let votes = study.votes().unwrap();
    assert!(votes.consistent);
    let last = votes.sizes.last().unwrap();
    assert!(
        last.ratings
            .iter()
            .all(|rating| (0.0..=1.0).contains(rating))
    );
    assert!(
        votes.sizes.iter().any(|vote| !vote.removed.is_empty()),
        "terms are pruned, as in the paper"
    );
    let mut kept = centred(Method::CsR2);
    kept.consistency.prune = false;
    let votes = studied(&table, &kept).votes().unwrap().clone();
    assert!(votes.sizes.iter().all(|vote| vote.removed.is_empty()));
}

#[test]
fn terms_that_cannot_be_told_apart_are_named() {
    // x2 and x3 are nearly equal, so either explains the target.
    let mut dice = Dice::new(11);
    let x1: Vec<f64> = (0..40).map(|_| dice.normal()).collect();
    let x2: Vec<f64> = (0..40).map(|_| dice.normal()).collect();
    let x3: Vec<f64> = x2.iter().map(|x| x + 1e-4 * dice.normal()).collect();
    let y = x1
        .iter()
        .zip(&x2)
        .map(|(a, b)| a + 2.0 * b + 0.3 * dice.normal())
        .collect();
    let table = Table::new(vec![
        ("x1".into(), x1),
        ("x2".into(), x2),
        ("x3".into(), x3),
        ("y".into(), y),
    ])
    .unwrap();
    let problem = Problem::new(
        "y",
        Dictionary::monomials(["x1", "x2", "x3"], 1, 1, true).unwrap(),
    )
    .unwrap();
    let reduction = reduce_table(&problem, &table).unwrap();
    let settings = Settings::default();
    let study = learn(&problem, &reduction, &settings, &ALONE, &mut ()).unwrap();
    let document = Document::new(&study, Vec::new(), 0.0);
    let codes: Vec<Code> = document
        .warnings
        .iter()
        .map(|warning| warning.code)
        .collect();
    assert!(
        codes.contains(&Code::Ambiguous) && codes.contains(&Code::ExchangeableTerms),
        "{codes:?}"
    );
    assert_eq!(Code::ExchangeableTerms.to_string(), "exchangeable-terms");
}

#[test]
fn the_plain_lists_are_never_ended_early() {
    let table = table(1, 80, 0.05, |x1, x2, x3| 2.0 * x1 * x2 - 3.0 * x3);
    let settings = Settings {
        method: Method::BestSubset,
        criterion: Criterion::Bic,
        ..Settings::default()
    };
    let found = studied(&table, &settings).found().unwrap().clone();
    assert_eq!(found.sizes.len(), 8);
    assert!(found.sizes.iter().all(|size| size.exact) && found.ended_early.is_none());
}
