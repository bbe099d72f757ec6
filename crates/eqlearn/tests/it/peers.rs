//! The comparison methods against scikit-learn, `PySINDy` and Gurobi: the same settings, the same
//! numbers.
//!
//! The data and the peers' answers are in `tests/data/peers`, made by `tests/data/make/peers.py`.
//! Settings are read from the answers as they are, so the names of ours are tested too. Supports
//! must be identical. Coefficients must agree to all digits that the condition number leaves a
//! peer; where these are fewer than 8, its predictions must agree to 8.

use std::collections::BTreeMap;

use eqlearn::methods::{
    CrossValidation, Frols, InPlay, Lars, Lasso, Miosr, Regression, Ridge, Solve, Sr3, Ssr, Stlsq,
    Tuning, Walk, frols, lars_path, lasso, lasso_path, mean_errors, miosr, ridge, sr3, ssr, stlsq,
};
use eqlearn::reduce::Design;
use eqlearn::search::Run;
use eqlearn::{Reduction, Support};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::close::assert_close;

/// Agreement of any method, in digits.
const DIGITS: f64 = 8.0;

/// Agreement that is asked of a method on every problem, in digits: what was measured, rounded
/// down.
fn digits_wanted(method: &str, data: &Data) -> f64 {
    match method {
        "lasso" | "lasso-path" | "lasso-cv" | "lars-cv" => 11.0,
        "stlsq" | "frols" | "ssr" => 10.0,
        "ridge" => 9.0,
        // It stops at changes of 1e-5; until then each round has the rounding errors of `XᵀX`.
        "sr3" => 7.5,
        "lars" | "lars-lasso" => digits_of_gram(data),
        _ => DIGITS,
    }
}

/// Agreement that is asked of every coefficient, in digits, whatever the predictions.
///
/// Answers are stored with 13 digits, and both sides start from the same data, so 12 are left on
/// well-conditioned problems. Of the others a backward-stable solver loses as many digits as the
/// condition number κ has, and so do both of:
///
/// - `stlsq`, `ssr`, `sr3`, `ridge`: `PySINDy` and scikit-learn solve `XᵀX + αI`, where the penalty
///   keeps κ² away; the final `unbias` is least squares by singular values;
/// - `frols`: Gram–Schmidt, which loses orthogonality in proportion to κ;
/// - `lasso` in all forms: both take the same steps in the same order, and stop at the same one;
/// - `lars`, `lars-lasso`: scikit-learn factors the Gram matrix itself, κ².
fn digits_of_coefficients(method: &str, data: &Data) -> f64 {
    let powers = if matches!(method, "lars" | "lars-lasso") {
        2.0
    } else {
        1.0
    };
    (12.5 - powers * data.condition().log10()).min(12.0)
}

/// Agreement that is asked for where a peer forms `XᵀX`, which costs it twice the digits of the
/// condition number.
fn digits_of_gram(data: &Data) -> f64 {
    (15.5 - 2.0 * data.condition().log10()).clamp(4.0, DIGITS)
}

/// One set of data: terms and targets by column.
struct Data {
    name: String,
    terms: Vec<Vec<f64>>,
    targets: Vec<Vec<f64>>,
}

impl Data {
    fn n_obs(&self) -> usize {
        self.targets[0].len()
    }

    fn rows(&self, target: usize, range: std::ops::Range<usize>) -> Reduction {
        let columns = self.terms.iter().chain([&self.targets[target]]);
        let columns: Vec<&[f64]> = columns.map(|c| &c[range.clone()]).collect();
        Reduction::from_columns(&columns)
    }

    fn reductions(&self) -> Vec<Reduction> {
        let targets = 0..self.targets.len();
        targets.map(|t| self.rows(t, 0..self.n_obs())).collect()
    }

    /// The first target's rows, with a constant before the terms.
    fn with_constant(&self, range: std::ops::Range<usize>) -> Reduction {
        let ones = vec![1.0; range.len()];
        let data = self.terms.iter().chain([&self.targets[0]]);
        let columns = [ones.as_slice()].into_iter();
        let columns: Vec<&[f64]> = columns.chain(data.map(|c| &c[range.clone()])).collect();
        Reduction::from_columns(&columns)
    }

    /// Contiguous folds as scikit-learn makes them: the first few are one row longer.
    fn folds(
        &self,
        k: usize,
        rows: impl Fn(std::ops::Range<usize>) -> Reduction,
    ) -> Vec<Reduction> {
        let (n, mut first) = (self.n_obs(), 0);
        let mut folds = Vec::new();
        for fold in 0..k {
            let size = n / k + usize::from(fold < n % k);
            folds.push(rows(first..first + size));
            first += size;
        }
        folds
    }

    fn condition(&self) -> f64 {
        Design::new(&self.rows(0, 0..self.n_obs())).condition()
    }

    fn predictions(&self, coefficients: &[f64]) -> Vec<f64> {
        let row = |i: usize| {
            let products = self.terms.iter().zip(coefficients).map(|(x, w)| x[i] * w);
            products.sum()
        };
        (0..self.n_obs()).map(row).collect()
    }
}

fn file(name: &str) -> BTreeMap<String, Value> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/peers/");
    let text = std::fs::read_to_string(format!("{folder}{name}")).unwrap();
    let mut content: BTreeMap<String, Value> = serde_json::from_str(&text).unwrap();
    content.remove("versions").unwrap();
    content
}

fn numbers(value: &Value) -> Vec<f64> {
    serde_json::from_value(value.clone()).unwrap()
}

fn columns(value: &Value) -> Vec<Vec<f64>> {
    serde_json::from_value(value.clone()).unwrap()
}

/// Every problem with the answers of one package.
fn problems(package: &str) -> Vec<(Data, Vec<Value>)> {
    let mut answers = file(package);
    let made = file("problems.json").into_iter().map(|(name, data)| {
        let data = Data {
            terms: columns(&data["terms"]),
            targets: columns(&data["targets"]),
            name: name.clone(),
        };
        (
            data,
            serde_json::from_value(answers.remove(&name).unwrap()).unwrap(),
        )
    });
    made.collect()
}

fn settings<T: DeserializeOwned>(answer: &Value, without: &[&str]) -> T {
    let mut settings = answer["settings"].as_object().unwrap().clone();
    for name in without {
        settings.remove(*name).unwrap();
    }
    serde_json::from_value(Value::Object(settings)).unwrap()
}

/// Digits to which two vectors agree, as a share of the largest entry.
fn digits(ours: &[f64], theirs: &[f64]) -> f64 {
    assert_eq!(ours.len(), theirs.len());
    let largest = theirs.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    let pairs = ours.iter().zip(theirs);
    let error = pairs.fold(0.0_f64, |a, (x, y)| a.max((x - y).abs()));
    if error > 0.0 {
        (largest.max(f64::MIN_POSITIVE) / error).log10()
    } else {
        17.0
    }
}

fn nonzero(coefficients: &[f64]) -> Support {
    (0..coefficients.len())
        .filter(|&j| coefficients[j].abs() > 1e-14)
        .collect()
}

/// What did not agree.
#[derive(Default)]
struct Record {
    failures: Vec<String>,
}

impl Record {
    /// Compares coefficients, and predictions where the coefficients alone do not agree.
    fn compare(&mut self, data: &Data, method: &str, ours: &[f64], theirs: &[f64], what: &str) {
        let by_coefficient = digits(ours, theirs);
        let by_prediction = digits(&data.predictions(ours), &data.predictions(theirs));
        let wanted = digits_wanted(method, data);
        let floor = digits_of_coefficients(method, data);
        self.expect(by_coefficient >= floor, || {
            format!(
                "{} {method} {what}: coefficients agree to {by_coefficient:.1} digits, \
                 not {floor:.1}",
                data.name
            )
        });
        self.expect(by_coefficient.max(by_prediction) >= wanted, || {
            format!(
                "{} {method} {what}: coefficients agree to {by_coefficient:.1} digits, \
                 predictions to {by_prediction:.1}",
                data.name
            )
        });
    }

    fn expect(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            self.failures.push(message());
        }
    }

    fn finish(&self) {
        let failures = self.failures.join("\n");
        assert!(failures.is_empty(), "{failures}");
    }
}

#[test]
fn pysindy_gives_the_same_supports_and_coefficients() {
    let mut record = Record::default();
    for (data, answers) in problems("pysindy.json") {
        let reductions = data.reductions();
        for answer in answers
            .iter()
            .filter(|answer| answer.get("error").is_none())
        {
            let method = answer["method"].as_str().unwrap();
            let ours = match method {
                "stlsq" => stlsq(&reductions, &settings::<Stlsq>(answer, &[])).unwrap(),
                "sr3" => sr3(&reductions, &settings::<Sr3>(answer, &[])).unwrap(),
                "ssr" => ssr(&reductions, &settings::<Ssr>(answer, &[])).unwrap(),
                _ => {
                    let paths = frols(&reductions, &settings::<Frols>(answer, &[])).unwrap();
                    paths.into_iter().map(|path| path.coefficients).collect()
                }
            };
            let what = answer["settings"].to_string();
            for (ours, theirs) in ours.iter().zip(columns(&answer["coefficients"])) {
                record.compare(&data, method, ours, &theirs, &what);
                record.expect(nonzero(ours) == nonzero(&theirs), || {
                    format!("{} {method} {what}: other support", data.name)
                });
            }
        }
    }
    record.finish();
}

/// A problem as scikit-learn sees it, with or without an intercept.
struct Peer<'a> {
    data: &'a Data,
    always_in: Support,
    whole: Reduction,
    folds: Vec<Reduction>,
}

impl<'a> Peer<'a> {
    fn new(data: &'a Data, answer: &Value) -> Self {
        if answer["settings"]["intercept"].as_bool().unwrap() {
            Self {
                data,
                always_in: Support::from_iter([0]),
                whole: data.with_constant(0..data.n_obs()),
                folds: data.folds(5, |rows| data.with_constant(rows)),
            }
        } else {
            Self {
                data,
                always_in: Support::empty(),
                whole: data.rows(0, 0..data.n_obs()),
                folds: data.folds(5, |rows| data.rows(0, rows)),
            }
        }
    }

    fn play(&self) -> InPlay<'_> {
        InPlay {
            reduction: &self.whole,
            folds: &self.folds,
            always_in: &self.always_in,
            threads: 1,
        }
    }

    fn projected(&self) -> Reduction {
        self.whole.project_out(&self.always_in)
    }

    /// The constant that goes with these coefficients.
    fn constant(&self, coefficients: &[f64]) -> f64 {
        let mut all = vec![0.0; self.always_in.len()];
        all.extend(coefficients);
        self.whole
            .complete(&self.always_in, &all)
            .first()
            .copied()
            .unwrap_or(0.0)
    }

    /// The pick of a method, one coefficient per term, and how it chose its knob.
    fn pick(&self, method: &dyn Regression) -> (Vec<f64>, Tuning) {
        let proposal = method.regress(&self.play(), &mut ()).unwrap();
        let pick = proposal.pick;
        let mut all = vec![0.0; self.whole.n_terms()];
        for (&term, &value) in pick.support.indices().iter().zip(&pick.coefficients) {
            all[term] = value;
        }
        (
            all.split_off(self.always_in.len()),
            proposal.tuning.unwrap(),
        )
    }

    fn check(&self, record: &mut Record, answer: &Value, ours: &[f64]) {
        let method = answer["method"].as_str().unwrap();
        let theirs = numbers(&answer["coefficients"]);
        let what = answer["settings"].to_string();
        record.compare(self.data, method, ours, &theirs, &what);
        record.expect(nonzero(ours) == nonzero(&theirs), || {
            format!("{} {method} {what}: other support", self.data.name)
        });
        let target = self.data.targets[0].iter();
        let scale = target.fold(0.0_f64, |a, v| a.max(v.abs()));
        let error = (self.constant(ours) - answer["constant"].as_f64().unwrap()).abs();
        record.expect(error < 1e-7 * scale, || {
            format!(
                "{} {method} {what}: constant off by {error:e} of {scale:e}",
                self.data.name
            )
        });
    }

    /// Compares a knob that was chosen by cross-validation.
    fn check_choice(&self, record: &mut Record, answer: &Value, chosen: f64) {
        let theirs = answer["alpha"].as_f64().unwrap();
        record.expect((chosen - theirs).abs() <= 1e-8 * theirs, || {
            format!(
                "{} {}: chose {chosen:e}, not {theirs:e}",
                self.data.name, answer["method"]
            )
        });
    }

    /// Compares the curve of `LassoCV`, the penalty it chose, and the coefficients there.
    fn check_lasso_cv(&self, record: &mut Record, answer: &Value) {
        let as_lasso_cv = Lasso {
            tuner: CrossValidation {
                points: 100,
                refinements: 0,
                ..CrossValidation::default()
            },
            ..Lasso::default()
        };
        let (ours, tuning) = self.pick(&as_lasso_cv);
        self.check_choice(record, answer, tuning.chosen);
        let from_largest = tuning.curve.iter().rev().step_by(9);
        for (tried, theirs) in from_largest.zip(numbers(&answer["errors"])) {
            assert_close(tried.error, theirs, 9.0, &self.data.name);
        }
        self.check(record, answer, &ours);
    }

    /// Compares knots, up to the numerical rank of the data: beyond, scikit-learn follows rounding
    /// errors.
    fn check_path(&self, record: &mut Record, answer: &Value, alphas: &[f64], ours: &[Vec<f64>]) {
        let method = answer["method"].as_str().unwrap();
        let theirs = columns(answer.get("path").unwrap_or(&answer["coefficients"]));
        let (mut wanted, mut alphas, mut ours) = (numbers(&answer["alphas"]), alphas, ours);
        let rank = Design::new(&self.projected()).height();
        if method == "lars" && rank < self.data.terms.len() {
            let determined = theirs
                .iter()
                .take_while(|w| nonzero(w).len() < rank)
                .count();
            wanted.truncate(determined);
            (alphas, ours) = (&alphas[..determined], &ours[..determined]);
        } else if ours.len() != theirs.len() {
            record.expect(false, || {
                let name = &self.data.name;
                format!(
                    "{name} {method}: {} knots, not {}",
                    ours.len(),
                    theirs.len()
                )
            });
            return;
        }
        let found = digits(alphas, &wanted);
        record.expect(found >= DIGITS, || {
            format!(
                "{} {method}: knots agree to {found:.1} digits",
                self.data.name
            )
        });
        for (knot, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            record.compare(self.data, method, ours, theirs, &format!("knot {knot}"));
        }
    }
}

#[test]
fn scikit_learn_gives_the_same_coefficients_paths_and_penalties() {
    let mut record = Record::default();
    for (data, answers) in problems("sklearn.json") {
        for answer in &answers {
            let peer = Peer::new(&data, answer);
            let projected = peer.projected();
            let design = Design::new(&projected);
            match answer["method"].as_str().unwrap() {
                "ridge" => {
                    let settings: Ridge = settings(answer, &["intercept"]);
                    peer.check(&mut record, answer, &ridge(&projected, settings.alpha));
                }
                "lasso" => {
                    let settings: Lasso = settings(answer, &["intercept"]);
                    let (ours, rounds) = lasso(&design, &settings);
                    peer.check(&mut record, answer, &ours);
                    let theirs = answer["rounds"].as_u64().unwrap();
                    record.expect(rounds as u64 == theirs, || {
                        format!("{} lasso: {rounds} rounds, not {theirs}", data.name)
                    });
                }
                "lasso-path" => {
                    let method = Lasso::default();
                    let mut alphas = method.grid(&design).values(12);
                    alphas.reverse();
                    let ours = lasso_path(&design, &alphas, &method);
                    peer.check_path(&mut record, answer, &alphas, &ours);
                }
                "lasso-cv" => peer.check_lasso_cv(&mut record, answer),
                "lars" | "lars-lasso" => {
                    let walk = match answer["method"].as_str() {
                        Some("lars") => Walk::LeastAngle,
                        _ => Walk::Lasso,
                    };
                    let settings = Lars {
                        walk,
                        ..Lars::default()
                    };
                    let path = lars_path(&design, &settings);
                    peer.check_path(&mut record, answer, &path.alphas, &path.coefficients);
                    let end = path.active.len();
                    record.expect(walk == Walk::Lasso || end == design.height(), || {
                        format!("{} lars: ends with {end} terms", data.name)
                    });
                }
                // With fewer rows than terms in a training set the end of scikit-learn's path is
                // rounding error, and so is its held-out error.
                "lars-cv" if data.name.starts_with("short") => {}
                "lars-cv" => {
                    let (ours, tuning) = peer.pick(&Lars::default());
                    peer.check_choice(&mut record, answer, tuning.chosen);
                    peer.check(&mut record, answer, &ours);
                }
                _ => check_ridge_search(&mut record, &peer, answer),
            }
        }
    }
    record.finish();
}

/// `GridSearchCV` over a ridge penalty: the curve and the choice.
fn check_ridge_search(record: &mut Record, peer: &Peer<'_>, answer: &Value) {
    let values = numbers(&answer["values"]);
    let solve: &Solve<'_> = &|rows, values, _| {
        let projected = rows.project_out(&peer.always_in);
        let dense = |&alpha: &f64| {
            let mut all = vec![0.0; peer.always_in.len()];
            all.extend(ridge(&projected, alpha));
            all[0] = rows.complete(&peer.always_in, &all)[0];
            all
        };
        Ok(values.iter().map(dense).collect())
    };
    let errors = mean_errors(&peer.folds, &values, solve).unwrap();
    let mean = |i: usize| errors.iter().map(|e| e[i]).sum::<f64>() / errors.len() as f64;
    let ours: Vec<f64> = (0..values.len()).map(mean).collect();
    for (ours, theirs) in ours.iter().zip(numbers(&answer["errors"])) {
        let wanted = digits_of_gram(peer.data);
        assert_close(
            *ours,
            theirs,
            wanted,
            &format!("{} ridge-cv", peer.data.name),
        );
    }
    let best = (0..ours.len()).min_by(|&a, &b| ours[a].total_cmp(&ours[b]));
    peer.check_choice(record, answer, values[best.unwrap()]);
}

#[test]
fn gurobi_never_finds_a_better_support_and_the_same_where_it_proves() {
    let (mut same_where_proven, mut better) = (0, Vec::new());
    for (data, answers) in problems("gurobi.json") {
        let reductions = data.reductions();
        for answer in answers.iter().filter(|a| a.get("error").is_none()) {
            let settings: Miosr = settings(answer, &[]);
            let ours = miosr(&reductions, &settings, &Run::default(), &mut ()).unwrap();
            assert!(ours.proven, "{}", data.name);
            let objective: f64 = ours.targets.iter().map(|t| t.objective).sum();
            let mut theirs = 0.0;
            let mut same = true;
            for ((w, target), reduction) in columns(&answer["coefficients"])
                .iter()
                .zip(&ours.targets)
                .zip(&reductions)
            {
                let squares: f64 = w.iter().map(|w| w * w).sum();
                theirs += reduction.residual_norm_of(w).powi(2) + settings.alpha * squares;
                same &= nonzero(w) == target.support;
            }
            let what = format!("{} {}", data.name, answer["settings"]);
            assert!(
                objective <= theirs * (1.0 + 1e-10),
                "{what}: {objective} {theirs}"
            );
            if answer["proven"].as_bool().unwrap() && same {
                same_where_proven += 1;
            } else if answer["proven"].as_bool().unwrap() {
                // Gurobi proves within tolerances, which for raw powers are wider than the
                // differences between supports.
                assert!(
                    objective < theirs * (1.0 - 1e-6),
                    "{what}: {objective} {theirs}"
                );
                better.push(what);
            }
        }
    }
    let on_powers = |what: &String| what.starts_with("polynomial");
    assert!(better.iter().all(on_powers), "{better:?}");
    assert_eq!((same_where_proven, better.len()), (114, 7));
}

#[test]
fn settings_refuse_names_that_do_not_exist() {
    let misspelt = serde_json::json!({"treshold": 0.1});
    assert!(serde_json::from_value::<Stlsq>(misspelt).is_err());
    let tuner: CrossValidation = serde_json::from_str("{\"points\": 7}").unwrap();
    assert_eq!((tuner.points, tuner.refinements), (7, 3));
}
