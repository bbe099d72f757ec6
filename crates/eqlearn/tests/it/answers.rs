//! What counts as an answer, and what is said where there is none.

use std::ops::ControlFlow;

use eqlearn::data::trajectory::Trajectories;
use eqlearn::learn::LearnError;
use eqlearn::observe::{Observer, Progress, Stage};
use eqlearn::search::Run;
use eqlearn::tell::document::Document;
use eqlearn::tell::warning::Code;
use eqlearn::{
    Coefficients, Dictionary, Discover, Discovery, Error, LeftSide, Order, Problem, Settings,
    Study, Table, conclude, discover, learn, reduce_table,
};

use crate::fixture::Dice;

fn alone() -> Run<'static> {
    Run {
        threads: 1,
        ..Run::default()
    }
}

fn studied(problem: &Problem, table: &Table) -> Study {
    let reduction = reduce_table(problem, table).unwrap();
    learn(problem, &reduction, &Settings::default(), &alone(), &mut ()).unwrap()
}

fn codes(study: &Study) -> Vec<Code> {
    let document = Document::new(study, vec![], 0.0);
    document.warnings.iter().map(|w| w.code).collect()
}

/// One state at equal times.
fn recorded(step: f64, states: &[(&str, Vec<f64>)]) -> Trajectories {
    let times = (0..states[0].1.len()).map(|i| i as f64 * step).collect();
    let (names, columns): (Vec<&str>, _) = states.iter().cloned().unzip();
    Trajectories::of_run("t", times, &names, columns).unwrap()
}

fn discovered(record: &Trajectories, dictionary: &Dictionary, order: Order) -> Discovery {
    let settings = Discover {
        order,
        ..Discover::default()
    };
    discover(record, dictionary, &settings, &alone(), &mut ()).unwrap()
}

fn texts(found: &Discovery, state: usize) -> Vec<String> {
    found.model(state).unwrap().term_texts()
}

#[test]
fn free_fall_has_a_constant_acceleration() {
    let mut dice = Dice::new(1);
    let times = (0..120).map(|i| f64::from(i) / 60.0);
    let heights = times.map(|t| 20.0 + 2.0 * t - 4.905 * t * t + 0.001 * dice.normal());
    let record = recorded(1.0 / 60.0, &[("h", heights.collect())]);
    let features = Order::Second.features(&record).unwrap();
    let dictionary = Dictionary::monomials(features, 3, 3, true).unwrap();
    let found = discovered(&record, &dictionary, Order::Second);
    assert_eq!(texts(&found, 0), ["1"]);
    let model = found.model(0).unwrap();
    let off = (model.coefficients()[0] + 9.81).abs();
    assert!(off < 4.0 * model.std_errors().unwrap()[0], "{model}");
    let conclusion = conclude(&found, &record, Coefficients::OfRows).unwrap();
    assert!(conclusion.system.is_some());
}

#[test]
fn a_constant_derivative_of_a_column_is_a_law_and_a_constant_column_is_none() {
    let mut dice = Dice::new(2);
    let x: Vec<f64> = (0..60).map(|_| dice.normal()).collect();
    let y: Vec<f64> = x.iter().map(|_| 5.0 + 0.1 * dice.normal()).collect();
    let table = |name: &str| Table::new(vec![("x".into(), x.clone()), (name.into(), y.clone())]);
    let dictionary = Dictionary::monomials(["x"], 3, 3, true).unwrap();
    let left = LeftSide::Derivative {
        of: "z".into(),
        by: "t".into(),
        order: 1,
    };
    let rate = Problem::new(left, dictionary.clone()).unwrap();
    let study = studied(&rate, &table("dz/dt").unwrap());
    assert_eq!(study.model().unwrap().term_texts(), ["1"]);
    let column = Problem::new("y", dictionary).unwrap();
    let study = studied(&column, &table("y").unwrap());
    assert!(study.model().is_none());
    // Chance was not what it was compared with.
    let why = study.why_none().unwrap();
    assert!(why.contains("y better than a constant"), "{why}");
    assert_eq!(codes(&study), [Code::NoEquation]);
}

/// Stops as soon as subsets are searched.
struct Impatient;

impl Observer for Impatient {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        match progress.stage {
            Stage::Subsets { .. } => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

#[test]
fn a_search_that_looked_at_nothing_is_no_verdict_on_the_law() {
    let mut dice = Dice::new(3);
    let names: Vec<String> = (1..=9).map(|i| format!("x{i}")).collect();
    let columns: Vec<Vec<f64>> = names
        .iter()
        .map(|_| (0..40).map(|_| 3.0 + dice.normal()).collect())
        .collect();
    let y = (0..40).map(|i| columns[0][i] * columns[1][i]).collect();
    let named = names.iter().cloned().zip(columns);
    let table = Table::new(named.chain([("y".into(), y)]).collect()).unwrap();
    let dictionary = Dictionary::monomials(&names, 3, 3, true).unwrap();
    let problem = Problem::new("y", dictionary).unwrap();
    let reduction = reduce_table(&problem, &table).unwrap();
    let settings = Settings::default();
    let stopped = learn(&problem, &reduction, &settings, &alone(), &mut Impatient);
    match stopped {
        Err(Error::Learn(LearnError::NothingSearched { n_terms })) => assert_eq!(n_terms, 220),
        other => panic!("{other:?}"),
    }
}

/// A column of some values, a feature, and a law that has both.
fn with_marks(marks: &[f64]) -> Table {
    let mut dice = Dice::new(4);
    let mut columns = vec![Vec::new(); 3];
    for i in 0..200 {
        let (d, x) = (marks[i % marks.len()], dice.normal());
        let y = 2.0 * x + 1.5 * d * x + 0.7 * d + 0.1 * dice.normal();
        for (column, value) in columns.iter_mut().zip([d, x, y]) {
            column.push(value);
        }
    }
    let names = ["d", "x", "y"].map(String::from);
    Table::new(names.into_iter().zip(columns).collect()).unwrap()
}

#[test]
fn powers_of_zeros_and_ones_are_one_term() {
    let dictionary = Dictionary::monomials(["d", "x"], 4, 6, true).unwrap();
    let problem = Problem::new("y", dictionary).unwrap();
    // The powers of 0 and 1 are one, of −1, 0 and 1 two: d and d².
    for (marks, n_candidates) in [(&[0.0, 1.0][..], 10), (&[-1.0, 0.0, 1.0], 15)] {
        let study = studied(&problem, &with_marks(marks));
        let model = study.model().unwrap();
        assert_eq!(model.term_texts(), ["d", "x", "d*x"]);
        assert_eq!(study.yardstick().n_candidates, n_candidates);
        assert!(study.answer().unwrap().probability > 0.9);
        let codes = codes(&study);
        assert!(!codes.contains(&Code::RankDeficient), "{codes:?}");
        assert!(!codes.contains(&Code::ExchangeableTerms), "{codes:?}");
    }
}

#[test]
fn a_required_power_stands_for_its_copies() {
    let dictionary = Dictionary::monomials(["d", "x"], 4, 6, true).unwrap();
    let mut settings = Settings::default();
    settings.space.required = [dictionary.find("d^3").unwrap()].into_iter().collect();
    let problem = Problem::new("y", dictionary).unwrap();
    let reduction = reduce_table(&problem, &with_marks(&[0.0, 1.0])).unwrap();
    let study = learn(&problem, &reduction, &settings, &alone(), &mut ()).unwrap();
    assert_eq!(study.model().unwrap().term_texts(), ["x", "d*x", "d^3"]);
}

#[test]
fn a_dictionary_that_is_used_up_is_a_warning() {
    let mut dice = Dice::new(5);
    let x: Vec<f64> = (0..50).map(|_| dice.normal()).collect();
    let y = x.iter().map(|x| x.exp()).collect();
    let table = Table::new(vec![("x".into(), x), ("y".into(), y)]).unwrap();
    let problem = Problem::new("y", Dictionary::monomials(["x"], 2, 2, true).unwrap()).unwrap();
    assert!(codes(&studied(&problem, &table)).contains(&Code::AllTerms));
    let larger = Problem::new("y", Dictionary::monomials(["x"], 12, 12, true).unwrap()).unwrap();
    assert!(!codes(&studied(&larger, &table)).contains(&Code::AllTerms));
}

/// A pendulum without friction, by small steps of a symmetric method.
fn pendulum(n: usize, step: f64) -> Vec<f64> {
    let (mut a, mut w) = (2.5_f64, 0.0);
    let mut angles = Vec::with_capacity(n);
    for _ in 0..n {
        angles.push(a);
        for _ in 0..400 {
            let h = step / 400.0;
            let middle = a + 0.5 * h * w;
            w -= 4.0 * h * middle.sin() + 0.1 * h * w;
            a = middle + 0.5 * h * w;
        }
    }
    angles
}

#[test]
fn a_cautious_choice_is_not_contradicted_by_its_own_probability() {
    // Without a term for the friction, residuals are no noise.
    let record = recorded(0.1, &[("a", pendulum(300, 0.1))]);
    let features = Order::Second.features(&record).unwrap();
    let sines = ["sin(a)", "cos(a)", "sin(2*a)", "cos(2*a)"];
    let dictionary = Dictionary::parse(features, sines).unwrap();
    let found = discovered(&record, &dictionary, Order::Second);
    assert_eq!(texts(&found, 0), ["sin(a)"]);
    let study = &found.studies()[0];
    assert_eq!(study.place(), Some(0));
    assert!(study.answer().unwrap().probability > 0.2);
    assert!(!codes(study).contains(&Code::NotTheMostProbable));
}

#[test]
fn two_weeks_of_an_epidemic_are_enough() {
    // Whole numbers of 763 boys, one count a day.
    let (mut s, mut i) = (760.0_f64, 3.0_f64);
    let mut counts = [Vec::new(), Vec::new()];
    for _ in 0..14 {
        counts[0].push(s.round());
        counts[1].push(i.round());
        for _ in 0..1000 {
            let (infected, cured) = (1.66 * s * i / 763.0, 0.44 * i);
            s -= 1e-3 * infected;
            i += 1e-3 * (infected - cured);
        }
    }
    let [s, i] = counts;
    let record = recorded(1.0, &[("s", s), ("i", i)]);
    let dictionary = Dictionary::monomials(["s", "i"], 4, 6, true).unwrap();
    let found = discovered(&record, &dictionary, Order::First);
    assert_eq!(texts(&found, 0), ["s*i"]);
    assert_eq!(texts(&found, 1), ["i", "s*i"]);
    let rate = found.model(0).unwrap().coefficients()[0];
    assert!((rate * 763.0 / -1.66 - 1.0).abs() < 0.01, "{rate}");
    assert!(
        found
            .studies()
            .iter()
            .all(|study| study.reduction().n_obs() >= 6)
    );
}

#[test]
fn a_short_record_has_more_than_one_acceleration() {
    // A ball in fourteen pictures.
    let times = (0..14).map(|i| f64::from(i) * 0.05);
    let height = times.map(|t| 2.0 + 1.5 * t - 4.905 * t * t).collect();
    let record = recorded(0.05, &[("h", height)]);
    let features = Order::Second.features(&record).unwrap();
    let dictionary = Dictionary::monomials(features, 2, 2, true).unwrap();
    let found = discovered(&record, &dictionary, Order::Second);
    assert!(found.studies()[0].reduction().n_obs() >= 6);
    assert_eq!(texts(&found, 0), ["1"]);
    let g = found.model(0).unwrap().coefficients()[0];
    assert!((g / -9.81 - 1.0).abs() < 1e-6, "{g}");
}

#[test]
fn a_discovery_tells_the_best_equations_of_every_size() {
    let times = (0..400).map(|i| f64::from(i) * 0.02);
    let x = times.map(|t| (-0.5 * t).exp()).collect();
    let record = recorded(0.02, &[("x", x)]);
    let dictionary = Dictionary::monomials(["x"], 3, 3, true).unwrap();
    let found = discovered(&record, &dictionary, Order::First);
    let document = Document::system(&found, None, None);
    let lists = document.lists();
    assert_eq!(lists.len(), 1);
    assert_eq!(lists[0].state, "x");
    assert_eq!(lists[0].sizes[0].best[0].terms, ["x"]);
}

#[test]
fn a_derivative_needs_few_rows() {
    // dy/dx = −0.5 y, from ten exact rows.
    let x: Vec<f64> = (0..10).map(|i| f64::from(i) * 0.2).collect();
    let y = x.iter().map(|x| 3.0 * (-0.5 * x).exp()).collect();
    let table = Table::new(vec![("x".into(), x), ("y".into(), y)]).unwrap();
    let made = table.differentiated("y", "x", 1).unwrap();
    assert!(made.n_rows() >= 6);
    let (y, slope) = (made.column("y").unwrap(), made.column("dy/dx").unwrap());
    for (y, slope) in y.iter().zip(slope) {
        assert!((slope + 0.5 * y).abs() < 1e-4 * y.abs(), "{slope} {y}");
    }
    let nine: Vec<f64> = (0..9).map(f64::from).collect();
    let table = Table::new(vec![("x".into(), nine.clone()), ("y".into(), nine)]).unwrap();
    assert!(table.differentiated("y", "x", 1).is_err());
}
