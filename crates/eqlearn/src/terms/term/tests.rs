//! The language of terms: reading, printing, values, derivatives.

use proptest::prelude::*;

use super::{Language, Term, symbol};
use crate::Error;
use crate::terms::{TermProblem, TermsError};

fn features() -> Vec<String> {
    ["x", "y", "z"].map(String::from).to_vec()
}

fn term(text: &str) -> Term {
    Term::parse(text, &features()).unwrap()
}

fn error(text: &str) -> String {
    Term::parse(text, &features()).unwrap_err().to_string()
}

fn value(term: &Term, at: [f64; 3]) -> f64 {
    let mut out = [0.0];
    let columns = at.map(|x| [x]);
    term.evaluate(&[&columns[0], &columns[1], &columns[2]], &mut out);
    out[0]
}

#[test]
fn spelling_does_not_matter() {
    for (a, b) in [
        ("x*y", "y*x"),
        ("x*x", "x^2"),
        ("x^1", "x"),
        ("x^2*x^-1", "x"),
        ("x^0", "1"),
        ("((x))", "x"),
        ("sin(y*x)", "sin(x*y)"),
        ("x+y", "y+x"),
        ("2*3*x", "6*x"),
        ("x**2", "x^2"),
        ("ln(x)", "log(x)"),
        ("sqrt(x)", "x^0.5"),
        ("sqrt(x)*sqrt(x)", "x"),
        ("x/y/z", "x/(y*z)"),
        ("2*(x+y)", "2*x+2*y"),
        ("(x-y)^2", "(y-x)^2"),
        ("z*(x-y)", "-z*(y-x)"),
        ("(x*y)^2", "x^2*y^2"),
        ("sin(-x)", "-sin(x)"),
        ("cos(y-x)", "cos(x-y)"),
        ("x-x", "0"),
        ("x+x", "2*x"),
        ("-x^2", "0-(x^2)"),
        ("2^3^2", "512"),
        ("2^-x", "2^(-x)"),
        (".5*x + 1e-3", "0.5*x+0.001"),
        ("cos(pi)", "-1"),
    ] {
        assert_eq!(term(a), term(b), "{a} and {b}");
    }
}

#[test]
fn different_functions_stay_different() {
    for (a, b) in [
        ("sqrt(x^2)", "x"),
        ("-x^2", "(-x)^2"),
        ("x^y^2", "(x^y)^2"),
        ("x-y", "y-x"),
    ] {
        assert_ne!(term(a), term(b), "{a} and {b}");
    }
}

#[test]
fn multiples_are_proportional() {
    for (a, b) in [
        ("2*x", "x"),
        ("3", "1"),
        ("x-y", "3*y-3*x"),
        ("2*x+2", "x+1"),
        ("x/3", "-x"),
    ] {
        assert!(term(a).is_proportional_to(&term(b)), "{a} and {b}");
    }
    assert!(!term("x+1").is_proportional_to(&term("x+2")));
}

#[test]
fn features_beat_constants_and_functions() {
    let features = ["pi", "log", "wind speed", "x-1", "a`b", "größe", "v.x"].map(String::from);
    let parse = |text| Term::parse(text, &features).unwrap().to_string();
    assert_eq!(parse("2*pi"), "2*pi");
    assert_eq!(parse("log*log(log)"), "log*log(log)");
    assert_eq!(parse("`x-1`*`wind speed`^2"), "`wind speed`^2*`x-1`");
    assert_eq!(parse("`a``b`+1"), "`a``b`+1");
    assert_eq!(parse("größe*v.x"), "größe*v.x");
}

#[test]
fn text_is_short_and_readable() {
    for (text, printed) in [
        ("1-x^2", "1-x^2"),
        ("x/3", "x/3"),
        ("x/2", "0.5*x"),
        ("1/(1+x)", "1/(x+1)"),
        ("x/(y*z)", "x/y/z"),
        ("-3*x/y^2", "-3*x/y^2"),
        ("1/sqrt(x)", "1/sqrt(x)"),
        ("(x+y)/z", "(x+y)/z"),
        ("(x+y)*(x-y)", "(x+y)*(x-y)"),
        ("x^(1/3)", "x^(1/3)"),
        ("1e-20*x", "1e-20*x"),
        ("(x^y)^2", "(x^y)^2"),
        ("2^(-x)", "2^(-x)"),
        ("z*y^3*x^2", "x^2*y^3*z"),
    ] {
        assert_eq!(term(text).to_string(), printed);
    }
}

#[test]
fn lists_split_at_outer_commas() {
    assert_eq!(Term::split("sin(x), x*y^2"), ["sin(x)", "x*y^2"]);
    assert_eq!(Term::split("f(a,b),`c,d`"), ["f(a,b)", "`c,d`"]);
    assert!(Term::split("  ").is_empty());
    assert_eq!(Term::split("x,,y"), ["x", "", "y"]);
}

#[test]
fn unknown_names_are_pointed_at() {
    insta::assert_snapshot!(error("sin(x)+w"), @r#"
    there is no feature "w"; choose from x, y, z
      sin(x)+w
             ^
    "#);
    insta::assert_snapshot!(error("sni(x)"), @r#"
    there is no function "sni"; did you mean "sin"?
      sni(x)
      ^
    "#);
    insta::assert_snapshot!(error("x+sin"), @r#"
    the function sin needs its argument in parentheses
      x+sin
        ^
    "#);
    insta::assert_snapshot!(error("`größe`*x"), @r#"
    there is no feature "größe"; choose from x, y, z
      `größe`*x
      ^
    "#);
}

#[test]
fn slips_of_syntax_are_pointed_at() {
    insta::assert_snapshot!(error("2x"), @r#"
    an operator is missing before "x"; a product needs *
      2x
       ^
    "#);
    insta::assert_snapshot!(error("(x+y"), @r#"
    this parenthesis is never closed
      (x+y
      ^
    "#);
    insta::assert_snapshot!(error("x)+y"), @r#"
    this parenthesis was never opened
      x)+y
       ^
    "#);
    insta::assert_snapshot!(error("x*(y+)"), @r#"
    a number, a feature or a function is missing before ")"
      x*(y+)
           ^
    "#);
    insta::assert_snapshot!(error("x*"), @r#"
    a number, a feature or a function is missing before the end
      x*
        ^
    "#);
    insta::assert_snapshot!(error("  "), @r#"
    the term is empty
        
      ^
    "#);
    insta::assert_snapshot!(error("x(y)"), @r#"
    an operator is missing before "("; a product needs *
      x(y)
       ^
    "#);
    insta::assert_snapshot!(error("x # y"), @r#"
    '#' has no meaning in a term; names with such characters go in backquotes
      x # y
        ^
    "#);
    insta::assert_snapshot!(error("x*`y"), @r#"
    this backquote has no second one to end the name
      x*`y
        ^
    "#);
}

#[test]
fn constants_without_a_value_are_pointed_at() {
    insta::assert_snapshot!(error("x+log(0)"), @r#"
    this is not a finite number
      x+log(0)
        ^
    "#);
    insta::assert_snapshot!(error("x/(y-y)"), @r#"
    this is not a finite number
      x/(y-y)
        ^
    "#);
    insta::assert_snapshot!(error("1e999*x"), @r#"
    this is not a finite number
      1e999*x
      ^
    "#);
}

#[test]
fn the_caret_counts_characters() {
    let features = ["größe", "µ"].map(String::from);
    let message = Term::parse("größe*µ+grösse", &features)
        .unwrap_err()
        .to_string();
    insta::assert_snapshot!(message, @r#"
    there is no feature "grösse"; did you mean "größe"?
      größe*µ+grösse
              ^
    "#);
}

#[test]
fn deep_nesting_is_an_error_not_a_crash() {
    for deep in [
        "(".repeat(100_000),
        "-".repeat(100_000),
        "x^".repeat(100_000),
        "sin(".repeat(100_000),
        format!("{}x{}", "exp(".repeat(150), ")".repeat(150)),
    ] {
        assert!(matches!(
            Term::parse(&deep, &features()),
            Err(Error::Terms(TermsError::Syntax {
                problem: TermProblem::TooDeep { .. },
                ..
            }))
        ));
    }
    let long = vec!["x*y"; 10_000].join("+");
    assert_eq!(term(&long).to_string(), "10000*x*y");
}

#[test]
fn latex_is_typeset_as_a_mathematician_would() {
    let features = ["x1", "x_23", "speed", "alpha", "wind speed", "rate_%"].map(String::from);
    let latex = |text| Term::parse(text, &features).unwrap().latex();
    insta::assert_snapshot!(latex("x1^2*x_23"), @"x_1^2 x_{23}");
    insta::assert_snapshot!(latex("speed*alpha^12"), @r"\mathrm{speed} \alpha^{12}");
    insta::assert_snapshot!(
        latex("`wind speed`/(1+`rate_%`)"),
        @r"\frac{\mathrm{wind\ speed}}{\mathrm{rate\_\%} + 1}"
    );
    insta::assert_snapshot!(
        latex("-2*sin(x1)^2/sqrt(speed)"),
        @r"-\frac{2 \left(\sin\left(x_1\right)\right)^2}{\sqrt{\mathrm{speed}}}"
    );
    insta::assert_snapshot!(
        latex("abs(x1)*cbrt(alpha)*log(x1)"),
        @r"\ln\left(x_1\right) \sqrt[3]{\alpha} \left|x_1\right|"
    );
    insta::assert_snapshot!(latex("(x1+alpha)^-2"), @r"\frac{1}{\left(x_1 + \alpha\right)^2}");
    insta::assert_snapshot!(latex("1e-20*x1"), @r"1 \times 10^{-20} x_1");
}

#[test]
fn words_do_not_run_together_in_mathml() {
    let features = ["hare", "lynx", "m", "v"].map(String::from);
    let mathml = |text| Term::parse(text, &features).unwrap().mathml(&symbol);
    assert_eq!(
        mathml("hare*lynx"),
        "<mrow><mi>hare</mi><mo>⋅</mo><mi>lynx</mi></mrow>"
    );
    assert!(mathml("m*v").contains("<mi>m</mi><mo>&#x2062;</mo><mspace"));
    assert_eq!(mathml("m^(1/3)"), "<msup><mi>m</mi><mn>1/3</mn></msup>");
}

#[test]
fn mathml_is_escaped_and_structured() {
    let features = ["x1", "a<b", "theta"].map(String::from);
    let mathml = |text| Term::parse(text, &features).unwrap().mathml(&symbol);
    insta::assert_snapshot!(
        mathml("x1^2*theta"),
        @"<mrow><msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup><mo>&#x2062;</mo><mspace \
         width=\"0.17em\"/><mi>θ</mi></mrow>"
    );
    insta::assert_snapshot!(
        mathml("-`a<b`/2"),
        @"<mrow><mo>-</mo><mrow><mn>0.5</mn><mo>⋅</mo><mi>a&lt;b</mi></mrow></mrow>"
    );
    insta::assert_snapshot!(
        mathml("abs(x1-theta)/sqrt(x1)"),
        @"<mfrac><mrow><mo>|</mo><mrow><msub><mi>x</mi><mn>1</mn></msub><mo>-</mo><mi>θ</mi></mrow>\
         <mo>|</mo></mrow><msqrt><msub><mi>x</mi><mn>1</mn></msub></msqrt></mfrac>"
    );
    insta::assert_snapshot!(
        mathml("log10(x1)^2"),
        @"<msup><mrow><mo>(</mo><mrow><msub><mi>log</mi><mn>10</mn></msub><mo>&#x2061;</mo><mrow>\
         <mo>(</mo><msub><mi>x</mi><mn>1</mn></msub><mo>)</mo></mrow></mrow><mo>)</mo></mrow><mn>\
         2</mn></msup>"
    );
}

#[test]
fn derivatives_follow_the_rules() {
    for (text, derivative) in [
        ("x^3*y", "3*x^2*y"),
        ("sin(x*y)", "y*cos(x*y)"),
        ("abs(x)", "sign(x)"),
        ("sqrt(x)", "0.5/sqrt(x)"),
        ("x/y", "1/y"),
        ("y/x", "-y/x^2"),
        ("y^2", "0"),
        ("exp(2*x)", "2*exp(2*x)"),
        ("y^x", "y^x*log(y)"),
    ] {
        assert_eq!(term(text).derivative("x"), term(derivative), "{text}");
    }
}

/// Formulas as text, of moderate depth, with parentheses everywhere.
fn formulas() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        prop::sample::select(vec!["x", "y", "z", "pi"]).prop_map(String::from),
        (-20_i32..20).prop_map(|n| format!("({})", f64::from(n) / 4.0)),
        (1_i32..9).prop_map(|n| format!("(1/{n})")),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let functions = vec![
            "sin", "cos", "tanh", "exp", "log", "sqrt", "abs", "cbrt", "atan",
        ];
        prop_oneof![
            (
                inner.clone(),
                prop::sample::select(vec!["+", "-", "*", "/"]),
                inner.clone()
            )
                .prop_map(|(a, operator, b)| format!("({a}{operator}{b})")),
            (inner.clone(), -3_i32..4).prop_map(|(a, n)| format!("({a})^({n})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})^({b})")),
            (prop::sample::select(functions), inner).prop_map(|(f, a)| format!("{f}({a})")),
        ]
    })
}

proptest! {
    #[test]
    fn printing_and_parsing_gives_the_term_back(text in formulas()) {
        if let Ok(term) = Term::parse(&text, &features()) {
            let printed = term.to_string();
            prop_assert_eq!(&Term::parse(&printed, &features()).unwrap(), &term, "{}", printed);
            prop_assert!(term.is_proportional_to(&term.clone()));
        }
    }

    #[test]
    fn any_text_is_a_term_or_an_error(text in "[-+*/^()xyz0-9.e`, sinµ]{0,30}") {
        if let Err(error) = Term::parse(&text, &features()) {
            let message = error.to_string();
            let caret = message.lines().last().unwrap().chars().count();
            prop_assert!(caret <= text.chars().count() + 3);
        }
    }

    #[test]
    fn the_canonical_form_has_the_same_values(
        x in 0.1_f64..2.0, y in 0.1_f64..2.0, z in 0.1_f64..2.0,
    ) {
        let at = [x, y, z];
        for (text, expected) in [
            ("(y-x)^3*z/(x*y)", (y - x).powi(3) * z / (x * y)),
            ("-x^2+2^-y", -x * x + 2_f64.powf(-y)),
            ("sqrt(x/y)*sin(-z)", (x / y).sqrt() * (-z).sin()),
            ("(2*x+4*y)^-1/(z+1)", 1.0 / (2.0 * x + 4.0 * y) / (z + 1.0)),
        ] {
            let value = value(&term(text), at);
            prop_assert!((value - expected).abs() <= 1e-13 * (1.0 + expected.abs()), "{text}");
        }
    }

    #[test]
    fn derivatives_agree_with_differences(
        text in formulas(), x in 0.5_f64..1.5, y in 0.5_f64..1.5, z in 0.5_f64..1.5,
    ) {
        let Ok(term) = Term::parse(&text, &features()) else { return Ok(()) };
        let derivative = value(&term.derivative("x"), [x, y, z]);
        let along = |x: f64| value(&term, [x, y, z]);
        let central = |h: f64| (along(x + h) - along(x - h)) / (2.0 * h);
        let (coarse, fine) = (central(2e-4), central(1e-4));
        let size = value(&term, [x, y, z]).abs();
        // Where two step sizes disagree, the function is too wild here for a difference to say
        // much.
        let tame = (coarse - fine).abs() <= 1e-6 * (1.0 + fine.abs()) && size < 1e4;
        if derivative.is_finite() && tame {
            prop_assert!(
                (derivative - fine).abs() <= 1e-4 * (1.0 + fine.abs()),
                "{} gives {}, differences {}", term, derivative, fine
            );
        }
    }
}

#[test]
fn multiples_of_pi_print_as_they_are_written() {
    let features = ["x", "year"].map(String::from);
    for text in [
        "sin(2*pi*year)",
        "cos(pi*x/6)",
        "exp(-2*pi*x)",
        "sin(2*pi*year/365)",
        "cos(x+pi/2)",
        "x^pi",
        "3*pi*x/4/year",
    ] {
        let term = Term::parse(text, &features).unwrap();
        assert_eq!(term.to_string(), text);
        assert_eq!(Term::parse(&term.to_string(), &features).unwrap(), term);
    }
    let term = Term::parse("sin(2*pi*x)", &features).unwrap();
    assert_eq!(term.latex(), r"\sin\left(2 \pi x\right)");
    assert!(term.mathml(&symbol).contains("<mi>π</mi>"));
    assert_eq!(
        Term::parse("sin(3.14*x)", &features).unwrap().to_string(),
        "sin(3.14*x)"
    );
}

#[test]
fn every_multiple_of_pi_is_read_back_to_the_bit() {
    let features = ["x".to_string()];
    for times in 1..40 {
        for over in 1..40 {
            let text = format!("sin({times}*pi*x/{over})");
            let term = Term::parse(&text, &features).unwrap();
            assert_eq!(Term::parse(&term.to_string(), &features).unwrap(), term);
            let number = Term::parse(&format!("cos(x+{times}*pi/{over})"), &features).unwrap();
            assert_eq!(Term::parse(&number.to_string(), &features).unwrap(), number);
        }
    }
}

#[test]
fn pi_is_not_printed_where_it_is_a_feature() {
    let features = ["pi", "x"].map(String::from);
    let term = Term::parse("sin(2*pi*x)", &features).unwrap();
    assert_eq!(term.to_string(), "sin(2*pi*x)");
    assert_eq!(term.features().len(), 2);
    assert!(Term::parse("sin(6.283185307179586*x)", &features).is_err());
}

#[test]
fn broken_exponents_print_as_fractions_and_read_back() {
    let features = ["x".to_string(), "y".to_string()];
    for (text, printed) in [
        ("cbrt(x)", "cbrt(x)"),
        ("x^(1/3)", "x^(1/3)"),
        ("x^(5/3)", "x^(5/3)"),
        ("x^1.6666666666666667", "x^(5/3)"),
        ("x^1.6666666666666665", "x^(5/3)"),
        ("x^2/x^(1/3)", "x^(5/3)"),
        ("x*y^(2/3)*y", "x*y^(5/3)"),
        ("1/x^(2/3)", "1/x^(2/3)"),
        ("1/x^(7/3)", "1/x^(7/3)"),
        ("x^(5/6)", "x^(5/6)"),
        ("x^(-2/7)", "1/x^(2/7)"),
        ("x^(1/3)*x^(2/3)", "x"),
        ("x^(5/3)/x^(2/3)", "x"),
        ("x^0.6", "x^0.6"),
        ("x^0.1*x^0.2", "x^0.3"),
        ("x^1.25", "x^1.25"),
        ("x^1.666666", "x^1.666666"),
    ] {
        let term = Term::parse(text, &features).unwrap();
        assert_eq!(term.to_string(), printed);
        assert_eq!(Term::parse(&term.to_string(), &features).unwrap(), term);
    }
    let term = Term::parse("x^1.6666666666666667", &features).unwrap();
    assert_eq!(term.latex(), "x^{\\frac{5}{3}}");
    assert!(term.mathml(&symbol).contains("<mn>5/3</mn>"));
    let code = term.code(Language::Rust, &|_| "x".into());
    assert_eq!(code, "(x).powf(1.6666666666666667)");
    let powers = term.real_powers().unwrap();
    let product = Term::power_product([(0, "x", 5.0 / 3.0)]);
    assert_eq!((powers[0].2, product), (5.0 / 3.0, term));
}
