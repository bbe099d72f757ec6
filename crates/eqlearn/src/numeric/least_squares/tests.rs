//! NIST's non-linear sets from the given starts, and what must not break it.

use super::{Solution, least_squares};
use crate::terms::term::Term;

/// A set: its name, its model over x (x1, x2) and b1, b2, …, and how many digits must be right
/// from the first and from the second start; none where the first start leads astray.
type Set = (&'static str, &'static str, [Option<f64>; 2]);

const NINE: [Option<f64>; 2] = [Some(9.0), Some(9.0)];

const SETS: [Set; 27] = [
    ("Bennett5", "b1*(b2+x)^(-1/b3)", NINE),
    ("BoxBOD", "b1*(1-exp(-b2*x))", [None, Some(9.0)]),
    ("Chwirut1", "exp(-b1*x)/(b2+b3*x)", NINE),
    ("Chwirut2", "exp(-b1*x)/(b2+b3*x)", NINE),
    ("DanWood", "b1*x^b2", NINE),
    (
        "ENSO",
        "b1+b2*cos(2*pi*x/12)+b3*sin(2*pi*x/12)+b5*cos(2*pi*x/b4)+b6*sin(2*pi*x/b4)\
         +b8*cos(2*pi*x/b7)+b9*sin(2*pi*x/b7)",
        NINE,
    ),
    ("Eckerle4", "b1/b2*exp(-0.5*((x-b3)/b2)^2)", NINE),
    ("Gauss1", GAUSS, NINE),
    ("Gauss2", GAUSS, NINE),
    ("Gauss3", GAUSS, NINE),
    ("Hahn1", CUBIC, NINE),
    ("Kirby2", "(b1+b2*x+b3*x^2)/(1+b4*x+b5*x^2)", NINE),
    ("Lanczos1", LANCZOS, NINE),
    ("Lanczos2", LANCZOS, NINE),
    ("Lanczos3", LANCZOS, NINE),
    ("MGH09", "b1*(x^2+x*b2)/(x^2+x*b3+b4)", NINE),
    ("MGH10", "b1*exp(b2/(x+b3))", NINE),
    ("MGH17", "b1+b2*exp(-x*b4)+b3*exp(-x*b5)", NINE),
    ("Misra1a", "b1*(1-exp(-b2*x))", NINE),
    ("Misra1b", "b1*(1-(1+b2*x/2)^(-2))", NINE),
    ("Misra1c", "b1*(1-(1+2*b2*x)^(-0.5))", NINE),
    ("Misra1d", "b1*b2*x/(1+b2*x)", NINE),
    ("Nelson", "b1-b2*x1*exp(-b3*x2)", NINE),
    ("Rat42", "b1/(1+exp(b2-b3*x))", NINE),
    ("Rat43", "b1/(1+exp(b2-b3*x))^(1/b4)", NINE),
    ("Roszman1", "b1-b2*x-atan(b3/(x-b4))/pi", NINE),
    ("Thurber", CUBIC, NINE),
];

const GAUSS: &str = "b1*exp(-b2*x)+b3*exp(-(x-b4)^2/b5^2)+b6*exp(-(x-b7)^2/b8^2)";
const CUBIC: &str = "(b1+b2*x+b3*x^2+b4*x^3)/(1+b5*x+b6*x^2+b7*x^3)";
const LANCZOS: &str = "b1*exp(-b2*x)+b3*exp(-b4*x)+b5*exp(-b6*x)";

/// A file of NIST: starts, certified values and standard deviations, data.
struct Certified {
    starts: [Vec<f64>; 2],
    values: Vec<f64>,
    deviations: Vec<f64>,
    rss: f64,
    y: Vec<f64>,
    x: Vec<Vec<f64>>,
}

fn read(name: &str) -> Certified {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/nist_nonlinear");
    let text = std::fs::read_to_string(format!("{folder}/{name}.dat")).unwrap();
    let numbers = |line: &str| -> Vec<f64> {
        let words = line.split_whitespace();
        words.filter_map(|word| word.parse().ok()).collect()
    };
    let parameters: Vec<Vec<f64>> = text
        .lines()
        .filter(|line| line.trim_start().starts_with('b') && line.contains(" = "))
        .map(numbers)
        .filter(|line| line.len() == 4)
        .collect();
    let column = |j: usize| parameters.iter().map(|line| line[j]).collect();
    let sum = text.lines().find(|line| line.contains("Sum of Squares:"));
    let last = text.rfind("\nData:").unwrap();
    let data = text[last + 1..].lines();
    let rows: Vec<Vec<f64>> = data.skip(1).map(numbers).filter(|r| r.len() > 1).collect();
    Certified {
        starts: [column(0), column(1)],
        values: column(2),
        deviations: column(3),
        rss: numbers(sum.unwrap())[0],
        y: rows.iter().map(|row| row[0]).collect(),
        x: (1..rows[0].len())
            .map(|j| rows.iter().map(|row| row[j]).collect())
            .collect(),
    }
}

fn solve(set: &Certified, formula: &str, start: &[f64], log: bool) -> Solution {
    let y: Vec<f64> = set
        .y
        .iter()
        .map(|y| if log { y.ln() } else { *y })
        .collect();
    let n = y.len();
    let mut names: Vec<String> = match set.x.len() {
        1 => vec!["x".into()],
        many => (1..=many).map(|j| format!("x{j}")).collect(),
    };
    names.extend((1..=start.len()).map(|j| format!("b{j}")));
    let value = Term::parse(formula, &names).unwrap();
    let slopes: Vec<Term> = (1..=start.len())
        .map(|j| value.derivative(&format!("b{j}")))
        .collect();
    least_squares(n, start, &mut |at, residuals, jacobian| {
        let constants: Vec<Vec<f64>> = at.iter().map(|b| vec![*b; n]).collect();
        let columns: Vec<&[f64]> = set.x.iter().chain(&constants).map(Vec::as_slice).collect();
        value.evaluate(&columns, residuals);
        for (residual, y) in residuals.iter_mut().zip(&y) {
            *residual -= y;
        }
        for (slope, out) in slopes.iter().zip(jacobian.chunks_exact_mut(n)) {
            slope.evaluate(&columns, out);
        }
        residuals.iter().chain(&*jacobian).all(|x| x.is_finite())
    })
}

fn digits(found: f64, certified: f64) -> f64 {
    -((found - certified) / certified).abs().max(1e-16).log10()
}

#[test]
fn certified_sets_are_solved_from_their_starts() {
    let mut wrong = Vec::new();
    for (name, formula, least) in SETS {
        let set = read(name);
        for (start, least) in set.starts.iter().zip(least) {
            let found = solve(&set, formula, start, name == "Nelson");
            let sigma = (found.rss / (set.y.len() - start.len()) as f64).sqrt();
            let values = found.parameters.iter().zip(&set.values);
            let right = values.map(|(a, b)| digits(*a, *b)).fold(16.0, f64::min);
            let errors = found.inverse.iter().flat_map(|inverse| {
                let errors = (0..start.len()).map(|j| sigma * inverse[j][j].sqrt());
                errors.zip(&set.deviations).map(|(a, b)| digits(a, *b))
            });
            let errors = errors.fold(16.0, f64::min);
            println!(
                "{name:9} {:4} {:5} {right:5.1} {errors:5.1} {:5.1}",
                found.steps,
                found.converged,
                digits(found.rss, set.rss)
            );
            if least.is_some_and(|least| right < least || errors < 4.0 || !found.converged) {
                wrong.push(format!("{name} {start:?}: {right} {errors} {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
