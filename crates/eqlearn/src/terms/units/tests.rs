//! Units as text, and which terms they let through.

use super::*;
use crate::terms::transform::Transform;

fn dimension(unit: &str) -> String {
    let given = Units::parse([format!("x={unit}")]).unwrap();
    given[0].1.to_string()
}

fn problem_of(text: &str) -> String {
    Units::parse([text]).unwrap_err().to_string()
}

/// Units of the features and then of the target `y`, with constants if there are any.
fn units(text: &str, features: &[&str]) -> (Units, Vec<String>) {
    let features: Vec<String> = features.iter().map(ToString::to_string).collect();
    let columns = [&features[..], &["y".into()]].concat();
    let given = Units::parse([text]).unwrap();
    (Units::new(&given, &columns).unwrap(), features)
}

#[test]
fn derived_units_are_those_of_the_si_brochure() {
    for (unit, base) in [
        ("N", "kg m s^-2"),
        ("Pa", "kg m^-1 s^-2"),
        ("J", "kg m^2 s^-2"),
        ("W", "kg m^2 s^-3"),
        ("C", "s A"),
        ("V", "kg m^2 s^-3 A^-1"),
        ("F", "kg^-1 m^-2 s^4 A^2"),
        ("ohm", "kg m^2 s^-3 A^-2"),
        ("S", "kg^-1 m^-2 s^3 A^2"),
        ("Wb", "kg m^2 s^-2 A^-1"),
        ("T", "kg s^-2 A^-1"),
        ("H", "kg m^2 s^-2 A^-2"),
        ("lx", "m^-2 cd"),
        ("kat", "s^-1 mol"),
        ("Hz", "s^-1"),
        ("Gy", "m^2 s^-2"),
        ("rad", "plain numbers"),
        ("1", "plain numbers"),
        ("deg", "plain numbers"),
    ] {
        assert_eq!(dimension(unit), base, "{unit}");
    }
    // Products of them by other ways.
    for (a, b) in [
        ("V", "W/A"),
        ("ohm", "V/A"),
        ("F", "C/V"),
        ("Wb", "V s"),
        ("T", "Wb/m^2"),
        ("H", "Wb/A"),
        ("J", "N*m"),
        ("W", "J/s"),
        ("Pa", "N/m²"),
        ("S", "1/Ω"),
        ("Sv", "J/kg"),
        ("lx", "lm/m2"),
    ] {
        assert_eq!(dimension(a), dimension(b), "{a} and {b}");
    }
}

#[test]
fn products_quotients_powers_and_prefixes_are_read() {
    for (a, b) in [
        ("J/(mol*K)", "J/mol/K"),
        ("J/(mol K)", "J mol^-1 K^-1"),
        ("m s-2", "m/s^2"),
        ("m**2", "m^2"),
        ("kg m^2/s^2", "J"),
        ("µm", "km"),
        ("mmol", "mol"),
        ("min", "s"),
        ("cd", "mcd"),
        ("1/s", "Hz"),
        ("60 s", "h"),
        ("1e-3 m", "m"),
        ("m^(1/2)", "m^0.5"),
        ("(m/s)^2", "m^2 s^-2"),
        ("kWh", "J"),
        ("°C", "K"),
        ("m³", "l"),
        ("N·m", "N.m"),
    ] {
        assert_eq!(dimension(a), dimension(b), "{a} and {b}");
    }
    assert_eq!(dimension("m^(1/3)"), "m^0.333");
}

#[test]
fn what_is_no_unit_is_refused_with_what_is_wrong() {
    for (text, words) in [
        ("x=ft", "\"ft\" is not a unit"),
        ("x=yd", "\"yd\" is not a unit"),
        ("x=", "missing"),
        ("x=m/", "missing"),
        ("x=J/mol K", "write * or parentheses"),
        ("x=(m", "not closed"),
        ("x=m)", "not opened"),
        ("x=m^", "a power is a number"),
        ("x=m^(1/0)", "a power is a number"),
        ("x=m+s", "'+' has no meaning"),
        ("m", "no unit of a column"),
        ("=m", "no unit of a column"),
        ("x=m, x=s", "twice"),
    ] {
        let said = problem_of(text);
        assert!(said.contains(words), "{text}: {said}");
    }
}

#[test]
fn names_in_backquotes_may_hold_anything() {
    let given = Units::parse(["`a,b = c`=m, d=s"]).unwrap();
    let names: Vec<&str> = given.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["a,b = c", "d"]);
}

#[test]
fn terms_of_the_target_s_dimension_are_admitted_and_no_others() {
    // A distance from a speed, an acceleration and a time.
    let (units, features) = units("v=m/s, a=m/s^2, t=s, y=m", &["v", "a", "t"]);
    let admits = |text: &str| {
        let term = Term::parse(text, &features).unwrap();
        units.admits(&term, &"y".into())
    };
    for right in [
        "v*t",
        "a*t^2",
        "v^2/a",
        "v*t*sin(a*t/v)",
        "abs(v*t)",
        "sqrt(v^4/a^2)",
    ] {
        assert!(admits(right), "{right}");
    }
    for wrong in [
        "1",
        "v",
        "t",
        "a*t",
        "v*t*a",
        "sin(t)",
        "v*t+t",
        "exp(v)*v*t",
        "t^v",
    ] {
        assert!(!admits(wrong), "{wrong}");
    }
}

#[test]
fn a_constant_makes_up_for_its_own_dimension_in_small_powers() {
    let (units, features) = units("L=m, y=s, g=m/s^2", &["L"]);
    let admits = |text: &str| {
        let term = Term::parse(text, &features).unwrap();
        units.admits(&term, &"y".into())
    };
    // The period of a pendulum: √(L/g).
    assert!(admits("sqrt(L)"));
    assert!(!admits("L") && !admits("L^2") && !admits("1"));
}

#[test]
fn functions_of_the_target_have_its_dimension_to_a_power() {
    let (units, features) = units("L=m, y=s, g=m/s^2", &["L"]);
    let of = |transform| LeftSide::Function {
        of: "y".into(),
        transform,
    };
    let term = |text: &str| Term::parse(text, &features).unwrap();
    assert!(units.admits(&term("L"), &of(Transform::Square)));
    assert!(units.admits(&term("1/L"), &of(Transform::ReciprocalSquare)));
    assert!(!units.admits(&term("1/L"), &of(Transform::Square)));
    assert!(!units.admits(&term("log(L/L)+L/L"), &of(Transform::Log)));
}

#[test]
fn inner_parameters_may_have_any_dimension() {
    let (units, features) = units("S=mol/l, y=1", &["S"]);
    let admits = |text: &str| {
        let families = Family::parse([text], &features).unwrap();
        units.admits_family(&families[0], &"y".into())
    };
    assert!(admits("S/(?k+S)") && admits("exp(-?a*S)") && admits("S^?n"));
    // The parameter is added to a concentration, so that the whole is one.
    assert!(!admits("?k+S"));
}

#[test]
fn a_fraction_has_one_dimension_above_and_one_below() {
    let (units, features) = units("a=m, b=m, c=s, y=m", &["a", "b", "c"]);
    let texts = ["1", "a", "b", "c", "a^2", "a*b", "b^2", "a*c"];
    let terms: Vec<Term> = texts
        .iter()
        .map(|text| Term::parse(text, &features).unwrap())
        .collect();
    let kinds = units.fractions(&terms, &Term::constant(), &"y".into());
    let named = |places: &[usize]| -> Vec<&str> { places.iter().map(|&i| texts[i]).collect() };
    let kinds: Vec<_> = kinds.iter().map(|(a, b)| (named(a), named(b))).collect();
    // Areas over lengths; areas over areas would be plain numbers.
    assert_eq!(kinds, [(vec!["a^2", "a*b", "b^2"], vec!["a", "b"])]);
}

#[test]
fn every_column_needs_a_unit_and_constants_are_few() {
    let columns = ["x", "y"].map(String::from);
    let new = |text: &str| Units::new(&Units::parse([text]).unwrap(), &columns);
    let said = new("y=m").unwrap_err().to_string();
    assert!(
        said.contains("no unit is given for x") && said.contains("x=1"),
        "{said}"
    );
    let said = new("x=1,y=1,a=m,b=s,c=kg,d=A,e=K").unwrap_err().to_string();
    assert!(said.contains("a, b, c, d, e"), "{said}");
}
