//! Dictionaries: their order, their limits, their values in more digits.

use proptest::prelude::*;
use qd::Quad;

use super::{Dictionary, NotFinite, count_monomials};
use crate::terms::TermsError;
use crate::{Error, Term};

fn texts(dictionary: &Dictionary) -> Vec<String> {
    dictionary.terms().iter().map(ToString::to_string).collect()
}

fn message(result: crate::Result<Dictionary>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn three_features_with_four_and_six_give_72() {
    let dictionary = Dictionary::monomials(["x1", "x2", "x3"], 4, 6, true).unwrap();
    assert_eq!(dictionary.len(), 72);
    assert_eq!(
        texts(&dictionary)[..10],
        [
            "1", "x1", "x2", "x3", "x1^2", "x1*x2", "x1*x3", "x2^2", "x2*x3", "x3^2"
        ]
    );
    assert_eq!(texts(&dictionary)[71], "x2^2*x3^4");
    assert_eq!(
        Dictionary::monomials(["x1", "x2", "x3"], 4, 6, false)
            .unwrap()
            .len(),
        71
    );
}

#[test]
fn the_count_is_known_before_the_terms_are_made() {
    for (n, power, degree) in [
        (1, 3, 9),
        (2, 2, 2),
        (3, 4, 6),
        (5, 1, 3),
        (4, 0, 3),
        (0, 2, 2),
    ] {
        let names: Vec<String> = (0..n).map(|i| format!("x{i}")).collect();
        let dictionary = Dictionary::monomials(names, power, degree, true).unwrap();
        assert_eq!(count_monomials(n, power, degree), dictionary.len() as u128);
    }
}

#[test]
fn absurd_sizes_are_refused_with_the_count() {
    let names: Vec<String> = (0..30).map(|i| format!("x{i}")).collect();
    insta::assert_snapshot!(
        message(Dictionary::monomials(names.clone(), 4, 6, true)),
        @"1946862 terms are asked for, and a dictionary holds at most 20000; up to degree 3 there \
         are 5456, and fewer features allow a higher one"
    );
    for (power, degree) in [(u32::MAX, u32::MAX), (1, u32::MAX), (u32::MAX, 7)] {
        let result = Dictionary::monomials(names.clone(), power, degree, true);
        assert!(matches!(
            result,
            Err(Error::Terms(TermsError::TooManyTerms { .. }))
        ));
    }
    let result = Dictionary::monomials(["x"], u32::MAX, u32::MAX, true);
    assert!(matches!(
        result,
        Err(Error::Terms(TermsError::TooManyTerms { .. }))
    ));
}

#[test]
fn useless_terms_are_refused() {
    let parse = |texts: &[&str]| message(Dictionary::parse(["x", "y"], texts));
    insta::assert_snapshot!(
        parse(&["x*y", "y*x"]),
        @"term y*x is in the dictionary twice (as x*y); leave one out"
    );
    insta::assert_snapshot!(
        parse(&["x", "2*x"]),
        @"term 2*x is a constant multiple of x, which is in the dictionary already; leave one out"
    );
    insta::assert_snapshot!(
        parse(&["1", "3"]),
        @"term 3 is a constant multiple of 1, which is in the dictionary already; leave one out"
    );
    insta::assert_snapshot!(parse(&["x-x"]), @r#"
    the term is zero everywhere
      x-x
      ^
    "#);
}

#[test]
fn features_need_distinct_names() {
    insta::assert_snapshot!(
        message(Dictionary::new(["x", "x"])),
        @r#"there are two features named "x"; rename one of them"#
    );
    insta::assert_snapshot!(message(Dictionary::new(["x", ""])), @"feature 2 has no name");
}

#[test]
fn terms_are_found_whatever_their_spelling() {
    let dictionary = Dictionary::parse(["x", "y"], ["x*y", "2*sin(x)"]).unwrap();
    let position = |text| dictionary.position(&Term::parse(text, dictionary.features()).unwrap());
    assert_eq!(position("y*x"), Some(0));
    assert_eq!(position("sin(x)+sin(x)"), Some(1));
    assert_eq!(position("sin(x)"), None);
}

#[test]
fn terms_over_other_features_are_matched_by_name() {
    let foreign = Term::parse("b*a", &["b".to_owned(), "a".to_owned()]).unwrap();
    let dictionary = Dictionary::new(["a", "b"])
        .unwrap()
        .with([foreign.clone()])
        .unwrap();
    assert_eq!(texts(&dictionary), ["a*b"]);
    insta::assert_snapshot!(message(Dictionary::new(["a"]).unwrap().with([foreign])), @r#"
    there is no feature "b"; choose from a
      b*a
      ^
    "#);
}

#[test]
fn a_value_that_is_not_finite_is_named_with_its_row() {
    let dictionary = Dictionary::parse(["x1", "x2"], ["x1", "log(x1)", "1/x2"]).unwrap();
    let mut x1 = vec![1.0; 600];
    let mut x2 = vec![1.0; 600];
    (x1[417], x2[400], x2[590]) = (-2.5, 1.0, 0.0);
    let (columns, mut out) = ([x1.as_slice(), x2.as_slice()], vec![0.0; 1800]);
    let place = dictionary.evaluate(&columns, &mut out).unwrap_err();
    assert_eq!(place, NotFinite { row: 417, term: 1 });
    insta::assert_snapshot!(
        dictionary.explain(place, &columns, 418),
        @"term log(x1) is not a finite number in row 418, where x1 = -2.5, nor is 1/x2 in every \
         row; leave these terms out or drop such rows"
    );
    let alone = Dictionary::parse(["x1"], ["x1", "log(x1)"]).unwrap();
    insta::assert_snapshot!(
        alone.explain(place, &columns[..1], 418),
        @"term log(x1) is not a finite number in row 418, where x1 = -2.5; leave the term out or \
         drop the row"
    );
    insta::assert_snapshot!(
        alone.explain_in_motion(place, &columns[..1], ("run.csv", 4.17)),
        @"term log(x1) is not a finite number at time 4.17 of run.csv, where x1 = -2.5; a motion \
         is needed at all times, so leave the term out"
    );
    let mut out = vec![Quad::ZERO; 1800];
    assert_eq!(
        dictionary.evaluate_precisely(&columns, &mut out),
        Err(place)
    );
}

#[test]
fn overflow_is_not_finite() {
    let dictionary = Dictionary::monomials(["x"], 2, 2, true).unwrap();
    let place = dictionary.evaluate(&[&[1e300]], &mut [0.0; 3]).unwrap_err();
    assert_eq!(place, NotFinite { row: 0, term: 2 });
}

#[test]
fn saving_and_loading_gives_the_dictionary_back() {
    let dictionary =
        Dictionary::parse(["x", "wind speed"], ["1", "x/3", "`wind speed`^2"]).unwrap();
    let json = serde_json::to_string(&dictionary).unwrap();
    insta::assert_snapshot!(
        json,
        @r#"{"features":["x","wind speed"],"terms":["1","x/3","`wind speed`^2"]}"#
    );
    assert_eq!(
        serde_json::from_str::<Dictionary>(&json).unwrap(),
        dictionary
    );
    let broken = r#"{"features":["x"],"terms":["x","x*y"]}"#;
    insta::assert_snapshot!(serde_json::from_str::<Dictionary>(broken).unwrap_err(), @r#"
    there is no feature "y"; choose from x
      x*y
        ^
    "#);
}

#[test]
fn double_double_keeps_the_digits_that_rounding_loses() {
    let dictionary = Dictionary::parse(["x"], ["x^3", "(x+1)^2-x^2-2*x", "sqrt(x)"]).unwrap();
    let x = 1e12 + 1.0 / 16.0;
    let mut out = [Quad::ZERO; 3];
    dictionary.evaluate_precisely(&[&[x]], &mut out).unwrap();
    let [cube, one, root] = out;
    assert!(cube.1.abs() > 0.0);
    assert!((one.0 - 1.0).abs() < 1e-6, "{one:?}");
    assert!((root * root - Quad::from_f64(x)).0.abs() < 1e-28 * x);
}

#[test]
fn gaps_between_monomials_are_bridged() {
    let dictionary = Dictionary::parse(["x", "y"], ["x^9*y^4", "x^5", "y^2*x"]).unwrap();
    let mut out = [0.0; 3];
    dictionary.evaluate(&[&[2.0], &[3.0]], &mut out).unwrap();
    for (value, expected) in out.into_iter().zip([512.0 * 81.0, 32.0, 18.0]) {
        assert!((value - expected).abs() < 1e-9, "{value} {expected}");
    }
}

fn mixed() -> Dictionary {
    Dictionary::monomials(["x", "y", "z"], 4, 6, true)
        .unwrap()
        .and_parse([
            "sin(x*y)",
            "x/y",
            "exp(-z)*y",
            "sqrt(abs(x-z))",
            "2*x+y^7",
            "y^2.5",
            "2^x",
        ])
        .unwrap()
}

proptest! {
    #[test]
    fn both_precisions_agree(row in prop::array::uniform3(0.1_f64..3.0)) {
        let dictionary = mixed();
        let columns = row.map(|x| [x]);
        let columns = [columns[0].as_slice(), &columns[1], &columns[2]];
        let mut out = vec![0.0; dictionary.len()];
        let mut precise = vec![Quad::ZERO; dictionary.len()];
        dictionary.evaluate(&columns, &mut out).unwrap();
        dictionary.evaluate_precisely(&columns, &mut precise).unwrap();
        for (i, (a, Quad(b, _))) in out.iter().zip(&precise).enumerate() {
            let close = (a - b).abs() <= 1e-14 * b.abs().max(1e-2);
            prop_assert!(close, "{}: {} {}", dictionary.terms()[i], a, b);
        }
    }

    #[test]
    fn rows_do_not_see_where_chunks_end(n in 1_usize..700, seed in 0.1_f64..1.0) {
        let dictionary = mixed();
        let column = |phase: f64| -> Vec<f64> {
            (0..n).map(|i| 1.5 + (phase + seed * i as f64).sin()).collect()
        };
        let (x, y, z) = (column(0.0), column(1.0), column(2.0));
        let mut all = vec![0.0; n * dictionary.len()];
        dictionary.evaluate(&[&x, &y, &z], &mut all).unwrap();
        let row = (n * 7) / 11;
        let mut one = vec![0.0; dictionary.len()];
        dictionary.evaluate(&[&x[row..=row], &y[row..=row], &z[row..=row]], &mut one).unwrap();
        for (term, value) in one.iter().enumerate() {
            prop_assert_eq!(value.to_bits(), all[term * n + row].to_bits());
        }
        let mut alone = vec![0.0; n];
        for (i, term) in dictionary.terms().iter().enumerate() {
            term.evaluate(&[&x, &y, &z], &mut alone);
            let close = (alone[row] - one[i]).abs() <= 1e-13 * one[i].abs().max(1e-2);
            prop_assert!(close, "{}", term);
        }
    }
}
