//! NIST's non-linear sets: how many certified digits come out without starting values, where the
//! form of the law is given as terms with inner parameters.
//!
//! The files are those of the library's tests. Certified values have eleven digits.

mod forms;

use std::fmt::Write as _;

use eqlearn::beyond::parameters::{Choice, Ingredients, Inner, Law, Rows, learn_parameters};
use eqlearn::terms::family::Family;
use eqlearn::{Dictionary, Support, Term};
use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::runner::{GoOn, LineOf, Timed, timed};
use serde::{Deserialize, Serialize};

use crate::Report;
use forms::{FORMS, Form};

/// Digits that count as certified.
const CERTIFIED: f64 = 9.0;
/// Digits that NIST gives.
const GIVEN: f64 = 11.0;

#[derive(Debug)]
pub(crate) struct Nist;

/// A set as NIST publishes it, with the form of its law.
#[derive(Debug)]
pub(crate) struct Set {
    form: &'static Form,
    certified: Vec<f64>,
    rss: f64,
    target: Vec<f64>,
    features: Vec<Vec<f64>>,
}

/// The right digits of each certified parameter and of the sum of squares.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    digits: Vec<f64>,
    rss_digits: f64,
}

impl Outcome {
    fn least(&self) -> f64 {
        self.digits.iter().copied().fold(GIVEN, f64::min)
    }
}

impl Experiment for Nist {
    type Scenario = String;
    type Method = Inner;
    type Data = Set;
    type Outcome = Outcome;

    fn name(&self) -> &'static str {
        "nist"
    }

    fn scenarios(&self) -> Vec<String> {
        FORMS.iter().map(|form| form.name.to_owned()).collect()
    }

    fn methods(&self) -> Vec<(&'static str, Inner)> {
        let all = Inner {
            choice: Choice::All,
            ..Inner::default()
        };
        vec![("the form given", all)]
    }

    fn data(&self, name: &String) -> Set {
        let form = FORMS.iter().find(|form| form.name == name);
        read(form.expect("scenarios are made of forms"))
    }

    fn run(&self, set: &Set, method: &Inner, _: &GoOn<'_>) -> Timed<Outcome> {
        timed(|| learned(set, method)).map(|law| judged(set, law.as_ref()))
    }
}

fn numbers(line: &str) -> Vec<f64> {
    let words = line.split_whitespace();
    words.filter_map(|word| word.parse().ok()).collect()
}

fn read(form: &'static Form) -> Set {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../eqlearn/tests/data/nist_nonlinear"
    );
    let text = std::fs::read_to_string(format!("{folder}/{}.dat", form.name));
    let text = text.expect("the library's tests hold the file");
    let parameters = text
        .lines()
        .filter(|line| line.trim_start().starts_with('b') && line.contains(" = "));
    let parameters = parameters.map(numbers).filter(|line| line.len() == 4);
    let sum = text.lines().find(|line| line.contains("Sum of Squares:"));
    let data = text.rfind("\nData:").expect("every file has data");
    let rows: Vec<Vec<f64>> = text[data + 1..]
        .lines()
        .skip(1)
        .map(numbers)
        .filter(|row| row.len() > 1)
        .collect();
    // The law of Nelson's set is one for the logarithm.
    let target = |row: &Vec<f64>| match form.name {
        "Nelson" => row[0].ln(),
        _ => row[0],
    };
    let n_features = rows.first().map_or(0, |row| row.len() - 1);
    Set {
        form,
        certified: parameters.map(|line| line[2]).collect(),
        rss: sum.map_or(f64::NAN, |line| numbers(line)[0]),
        target: rows.iter().map(target).collect(),
        features: (1..=n_features)
            .map(|j| rows.iter().map(|row| row[j]).collect())
            .collect(),
    }
}

/// The law with the smallest sum of squares.
fn learned(set: &Set, settings: &Inner) -> Option<Law> {
    let names: Vec<String> = match set.features.len() {
        1 => vec!["x".into()],
        many => (1..=many).map(|j| format!("x{j}")).collect(),
    };
    let is_family = |text: &&str| Family::is_meant(text);
    let (families, plain): (Vec<&str>, Vec<&str>) =
        set.form.terms.iter().copied().partition(is_family);
    let dictionary = Dictionary::parse(&names, plain).expect("its terms are good");
    let families = Family::parse(families, &names).expect("its formulas are good");
    let features: Vec<&[f64]> = set.features.iter().map(Vec::as_slice).collect();
    let rows = Rows {
        features: &features,
        target: &set.target,
        precision: None,
    };
    let given = Ingredients {
        dictionary: &dictionary,
        always_in: &Support::empty(),
        families: &families,
    };
    let laws = learn_parameters(&rows, &given, settings).expect("all terms are finite");
    laws.into_iter().min_by(|a, b| a.rss.total_cmp(&b.rss))
}

fn judged(set: &Set, law: Option<&Law>) -> Outcome {
    let Some(law) = law else {
        return Outcome {
            digits: vec![0.0; set.certified.len()],
            rss_digits: 0.0,
        };
    };
    let mut names: Vec<String> = (1..=law.coefficients.len())
        .map(|i| format!("c{i}"))
        .collect();
    names.extend(
        law.parameters
            .iter()
            .map(|parameter| parameter.name.clone()),
    );
    let inner = law.parameters.iter().map(|parameter| parameter.value);
    let values = law.coefficients.iter().copied().chain(inner);
    let values: Vec<[f64; 1]> = values.map(|value| [value]).collect();
    let columns: Vec<&[f64]> = values.iter().map(<[f64; 1]>::as_slice).collect();
    let formulas = set.form.certified.iter().zip(&set.certified);
    let digits = formulas.map(|(formula, certified)| {
        let formula = Term::parse(formula, &names).expect("it is a formula of the names");
        let mut found = [0.0];
        formula.evaluate(&columns, &mut found);
        right_digits(found[0], *certified)
    });
    Outcome {
        digits: digits.collect(),
        rss_digits: right_digits(law.rss, set.rss),
    }
}

/// The log relative error, between 0 and the digits that are given.
fn right_digits(found: f64, certified: f64) -> f64 {
    let error = ((found - certified) / certified).abs();
    // A value that is no number has no right digit.
    let digits = -error.log10();
    if digits.is_nan() {
        0.0
    } else {
        digits.clamp(0.0, GIVEN)
    }
}

impl Report for Nist {
    fn table(&self, lines: &[LineOf<Self>]) -> String {
        let mut text = format!(
            "NIST's non-linear sets, the form given as terms, no starting values: right digits\n\n\
             {:<9} {:>5} {:>5}  {:<44} terms\n",
            "set", "least", "rss", "each parameter"
        );
        for line in lines {
            let outcome = &line.outcome;
            let form = FORMS.iter().find(|form| form.name == line.scenario);
            let digits: Vec<String> = outcome.digits.iter().map(|d| format!("{d:.1}")).collect();
            let _ = writeln!(
                text,
                "{:<9} {:>5.1} {:>5.1}  {:<44} {}",
                line.scenario,
                outcome.least(),
                outcome.rss_digits,
                digits.join(" "),
                form.map_or(String::new(), |form| form.terms.join(", "))
            );
        }
        let good = lines.iter().filter(|l| l.outcome.least() >= CERTIFIED);
        let _ = writeln!(
            text,
            "\n{} of {} sets to {CERTIFIED} digits; Roszman1 is left out, because its law has a \
             term with a known coefficient",
            good.count(),
            lines.len()
        );
        text
    }
}
