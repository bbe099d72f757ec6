//! Formulas as source code: what is printed is run, and its numbers are those of the library.

use std::path::PathBuf;
use std::process::Command;

use eqlearn::Term;
use eqlearn::terms::term::Language;

/// Every function, and every kind of power.
const TERMS: [&str; 30] = [
    "sin(x)",
    "cos(x)",
    "tan(x)",
    "asin(x)",
    "acos(y)",
    "atan(x)",
    "sinh(x)",
    "cosh(y)",
    "tanh(x)",
    "exp(-x)",
    "log(2+x)",
    "log10(2+x)",
    "log2(2+y)",
    "sqrt(1+x)",
    "sqrt(y^2)",
    "cbrt(x)",
    "abs(x)",
    "sign(x)",
    "sign(x*y)",
    "sign(x-y)*y",
    "x",
    "x^2*y",
    "-x^3",
    "(x-y)^3",
    "(2+x)^-2",
    "y/(3+x)",
    "(2+x)^1.5",
    "2^x",
    "(2+x)^y",
    "0.5*x-3*y^2*sin(2*x)+1",
];

/// Zeros of either sign among them, and equal values.
const STATES: [[f64; 2]; 7] = [
    [0.0, 0.0],
    [-0.0, 0.5],
    [0.3, -0.7],
    [-0.9, 0.2],
    [1.0, -1.0],
    [-1.0, 1.0],
    [0.25, 0.25],
];

fn terms() -> Vec<Term> {
    let features = ["x", "y"].map(String::from);
    let parse = |text: &&str| Term::parse(text, &features).unwrap();
    TERMS.iter().map(parse).collect()
}

fn printed(language: Language) -> Vec<String> {
    let name = |place: usize| ["x", "y"][place].to_string();
    let terms = terms().into_iter();
    terms.map(|term| term.code(language, &name)).collect()
}

/// A folder for files of this test.
fn folder(test: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("eqlearn-code-{}-{test}", std::process::id()));
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// The output of a command, which must succeed.
fn output(command: &mut Command) -> String {
    let ran = command.output().unwrap();
    let told = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(ran.status.success(), "{command:?}: {told}");
    String::from_utf8(ran.stdout).unwrap()
}

/// Compares one line per state, a number per term, with what the library says.
fn agree(output: &str) {
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines.len(), STATES.len(), "{output}");
    for (state, line) in STATES.iter().zip(lines) {
        let numbers: Vec<f64> = line.split(' ').map(|n| n.parse().unwrap()).collect();
        assert_eq!(numbers.len(), TERMS.len(), "{line}");
        for ((term, text), number) in terms().iter().zip(TERMS).zip(numbers) {
            let mut expected = [0.0];
            term.evaluate(&[&state[..1], &state[1..]], &mut expected);
            let error = (number - expected[0]).abs();
            assert!(
                error <= 1e-14 * expected[0].abs().max(1.0),
                "{text} at {state:?} is {number}, not {}",
                expected[0]
            );
        }
    }
}

#[test]
fn rust_code_has_the_numbers_of_the_library() {
    let folder = folder("rust");
    let source = format!(
        "fn terms(x: f64, y: f64) -> Vec<f64> {{\n    vec![{}]\n}}\n\nfn main() {{\n    \
         for [x, y] in {STATES:?} {{\n        \
         let numbers: Vec<String> = terms(x, y).iter().map(f64::to_string).collect();\n        \
         println!(\"{{}}\", numbers.join(\" \"));\n    }}\n}}\n",
        printed(Language::Rust).join(",\n        ")
    );
    std::fs::write(folder.join("code.rs"), source).unwrap();
    output(
        Command::new("rustc")
            .args(["--edition", "2024", "code.rs"])
            .current_dir(&folder),
    );
    agree(&output(&mut Command::new(folder.join("code"))));
    std::fs::remove_dir_all(folder).unwrap();
}

/// As much of `NumPy` as printed code uses, for a Python that has none.
const NUMPY: &str = "import math
from math import cbrt, cos, cosh, exp, log, log10, log2, sin, sinh, sqrt, tan, tanh

arcsin, arccos, arctan, abs = math.asin, math.acos, math.atan, math.fabs


def power(x, y):
    try:
        return math.pow(x, y)
    except ValueError:
        return math.nan if x else math.inf


def sign(x):
    return float((x > 0) - (x < 0))
";

#[test]
fn python_code_has_the_numbers_of_the_library() {
    let folder = folder("python");
    let states: Vec<String> = STATES.iter().map(|s| format!("{s:?}")).collect();
    let source = format!(
        "import numpy as np\n\n\ndef terms(x, y):\n    return [\n        {},\n    ]\n\n\n\
         for x, y in [{}]:\n    print(*(repr(float(number)) for number in terms(x, y)))\n",
        printed(Language::Python).join(",\n        "),
        states.join(", ")
    );
    std::fs::write(folder.join("numpy.py"), NUMPY).unwrap();
    std::fs::write(folder.join("code.py"), source).unwrap();
    agree(&output(
        Command::new("python3").arg("code.py").current_dir(&folder),
    ));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn powers_without_a_real_value_are_nan_or_inf_in_python() {
    let folder = folder("powers");
    let name = |_: usize| "x".to_string();
    let code = |text: &str| {
        let term = Term::parse(text, &["x".to_string()]).unwrap();
        term.code(Language::Python, &name)
    };
    let source = format!(
        "import numpy as np\n\nx = -0.9\nprint(float({}))\nx = 0.0\nprint(float({}))\n",
        code("x^1.5"),
        code("x^-1.5")
    );
    std::fs::write(folder.join("numpy.py"), NUMPY).unwrap();
    std::fs::write(folder.join("code.py"), source).unwrap();
    let printed = output(Command::new("python3").arg("code.py").current_dir(&folder));
    assert_eq!(printed, "nan\ninf\n");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn julia_code_has_the_numbers_of_the_library() {
    if Command::new("julia").arg("--version").output().is_err() {
        return;
    }
    let states: Vec<String> = STATES.iter().map(|s| format!("{s:?}")).collect();
    let source = format!(
        "terms(x, y) = [\n    {},\n]\nfor (x, y) in [{}]\n    \
         println(join(terms(x, y), \" \"))\nend\n",
        printed(Language::Julia).join(",\n    "),
        states.join(", ")
    );
    agree(&output(Command::new("julia").args(["-e", &source])));
}
