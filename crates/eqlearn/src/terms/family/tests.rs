//! Families: what is read, what members are, and where parameters are looked for.

use super::Family;

fn features() -> Vec<String> {
    ["x", "t"].map(String::from).to_vec()
}

fn one(text: &str) -> Family {
    Family::parse([text], &features()).unwrap().remove(0)
}

#[test]
fn formulas_that_share_a_parameter_are_one_family() {
    let texts = ["exp(-?a*t)", "cos(?w*t)", "x/(?k+x)", "sin(?w*t)"];
    let families = Family::parse(texts, &features()).unwrap();
    let mut texts: Vec<Vec<&str>> = families.iter().map(|f| f.texts().collect()).collect();
    texts.sort();
    assert_eq!(
        texts,
        [
            vec!["cos(?w*t)", "sin(?w*t)"],
            vec!["exp(-?a*t)"],
            vec!["x/(?k+x)"]
        ]
    );
}

#[test]
fn a_member_is_the_term_with_numbers_for_parameters() {
    for (text, values, term) in [
        ("exp(-?a*t)", vec![0.5], "exp(-0.5*t)"),
        ("x/(?k+x)", vec![2.0], "x/(x+2)"),
        ("x^?n/(?k^?n+x^?n)", vec![2.0, 3.0], "x^2/(x^2+9)"),
    ] {
        assert_eq!(one(text).members(&values)[0].to_string(), term);
    }
}

#[test]
fn slopes_are_differences_of_values() {
    let (x, t) = ([0.5, 1.5, 2.5], [1.0, 2.0, 4.0]);
    for (text, at) in [
        ("x^?n/(?k^?n+x^?n)", vec![1.7, 0.8]),
        ("exp(-?a*t)*cos(?w*x)", vec![0.3, 2.0]),
    ] {
        let family = one(text);
        for parameter in 0..2 {
            let value = |by: f64| {
                let mut moved = at.clone();
                moved[parameter] += by;
                let mut out = [0.0; 3];
                assert!(family.evaluate(&moved, &[&x, &t], &mut out));
                out
            };
            let mut slopes = [0.0; 3];
            assert!(family.slopes(&[0], parameter, &at, &[&x, &t], &mut slopes));
            let (above, below) = (value(1e-6), value(-1e-6));
            for i in 0..3 {
                let difference = (above[i] - below[i]) / 2e-6;
                assert!((slopes[i] - difference).abs() < 1e-8, "{text} {parameter}");
            }
        }
    }
}

#[test]
fn parameters_are_looked_for_on_the_scale_of_the_data() {
    let x: Vec<f64> = (1..=50).map(|i| 100.0 * f64::from(i)).collect();
    let t: Vec<f64> = (0..50).map(|i| 0.01 * f64::from(i)).collect();
    for (text, wanted) in [
        ("exp(-?a*t)", vec![10.0]),
        ("x/(?k+x)", vec![700.0]),
        ("cos(?w*t)", vec![60.0]),
        ("exp(-(x-?m)^2/?s^2)", vec![2200.0, 400.0]),
        ("x^?n/(?k^?n+x^?n)", vec![2.0, 900.0]),
    ] {
        let grid = one(text).grid(&[&x, &t]);
        let is_near = |values: &&Vec<f64>| {
            let mut pairs = values.iter().zip(&wanted);
            pairs.all(|(a, b)| (a / b - 1.0).abs() < 0.35)
        };
        assert!(
            grid.iter().any(|values| is_near(&values)),
            "{text}: {grid:?}"
        );
        assert!(grid.len() <= 800, "{text}: {}", grid.len());
    }
}

#[test]
fn members_with_a_pole_among_the_rows_are_left_out() {
    let x = [1.0, 2.0, 3.0];
    let family = one("x/(?k+x)");
    assert!(family.has_pole(&[-1.5], &[&x, &x]));
    assert!(
        family
            .grid(&[&x, &x])
            .iter()
            .all(|k| k[0] > -1.0 || k[0] < -3.0)
    );
}

#[test]
fn ranges_are_kept_and_mistakes_are_told() {
    let mut families = Family::parse(["exp(-?a*t)"], &features()).unwrap();
    Family::limit(&mut families, "a", (2.0, 3.0)).unwrap();
    let t: Vec<f64> = (0..50).map(f64::from).collect();
    let grid = families[0].grid(&[&t, &t]);
    assert!(grid.iter().all(|a| (2.0..=3.0).contains(&a[0])));
    let told = Family::limit(&mut families, "b", (0.0, 1.0)).unwrap_err();
    assert!(
        told.to_string().contains("there is no parameter ?b"),
        "{told}"
    );
    assert!(Family::limit(&mut families, "a", (1.0, 1.0)).is_err());
    assert!(Family::parse(["exp(t)"], &features()).is_err());
    let told = crate::Term::parse("exp(?a*t)", &features()).unwrap_err();
    assert!(
        told.to_string().contains("a parameter to be found"),
        "{told}"
    );
    assert!(Family::is_meant("x^?n") && !Family::is_meant("`what?`*x"));
}
