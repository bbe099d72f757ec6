//! Fields: partial differential equations from grids, their noise, and what is refused.

use eqlearn::data::field::{Axis, Boundary, Field, Quantity};
use eqlearn::fields::dictionary::{Derivatives, parse};
use eqlearn::fields::names::Names;
use eqlearn::{
    DiscoverField, Error, FieldDiscovery, Simulate, discover_field, search, simulate_field,
};

/// An axis that starts at zero.
fn axis(name: &str, n: u32, step: f64, boundary: Boundary) -> Axis {
    Axis {
        name: name.into(),
        unit: None,
        values: (0..n).map(|i| f64::from(i) * step).collect(),
        boundary,
    }
}

/// A field of one quantity on time and one direction of space, periodic there.
fn field(n: [u32; 2], steps: [f64; 2], u: impl Fn(f64, f64) -> f64) -> Field {
    let t = axis("t", n[0], steps[0], Boundary::Open);
    let x = axis("x", n[1], steps[1], Boundary::Periodic);
    let at = |t: &f64| x.values.iter().map(|x| u(*t, *x)).collect::<Vec<_>>();
    let values = t.values.iter().flat_map(at).collect();
    let quantity = Quantity {
        name: "u".into(),
        values,
    };
    Field::new("record", vec![t, x], vec![quantity]).unwrap()
}

/// Independent normal noise by Box and Muller from a linear congruential generator.
fn noisy(field: &Field, sigma: f64, seed: u64) -> Field {
    let mut state = seed
        .wrapping_mul(2_862_933_555_777_941_757)
        .wrapping_add(3_037_000_493);
    let mut uniform = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    };
    let mut normal = || (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos();
    let quantities = field.quantities().iter().map(|quantity| Quantity {
        name: quantity.name.clone(),
        values: quantity
            .values
            .iter()
            .map(|u| u + sigma * normal())
            .collect(),
    });
    Field::new(field.name(), field.axes().to_vec(), quantities.collect()).unwrap()
}

/// Eight waves that decay by diffusion: `u_t = 0.02 u_xx`.
fn heat() -> Field {
    let step = std::f64::consts::TAU / 128.0;
    field([128, 128], [0.04, step], |t, x| {
        let wave = |k: i32| {
            let k = f64::from(k);
            (-0.02 * k * k * t).exp() * (k * x + k * k).cos()
        };
        (1..=8).map(wave).sum()
    })
}

/// A wave that gets steeper, before it breaks: `u_t = −u u_x`, by its characteristics.
fn steepening() -> Field {
    let step = std::f64::consts::TAU / 128.0;
    let start = |s: f64| 0.8 * s.sin() + 0.3 * (2.0 * s + 1.0).sin();
    let slope = |s: f64| 0.8 * s.cos() + 0.6 * (2.0 * s + 1.0).cos();
    field([128, 128], [0.004, step], move |t, x| {
        let newton = |s: f64, _| s - (s + t * start(s) - x) / (1.0 + t * slope(s));
        start((0..60).fold(x, newton))
    })
}

fn dictionary(field: &Field) -> eqlearn::Dictionary {
    let terms = Derivatives {
        max_order: 4,
        max_power: 3,
        ..Derivatives::default()
    };
    terms.dictionary(&Names::of(field).unwrap()).unwrap()
}

fn learned(fields: &[Field]) -> FieldDiscovery {
    let run = search::Run {
        threads: 1,
        ..search::Run::default()
    };
    let terms = dictionary(&fields[0]);
    discover_field(fields, &terms, &DiscoverField::default(), &run, &mut ()).unwrap()
}

fn assert_law(found: &FieldDiscovery, expected: &[(&str, f64)], share: f64) {
    let model = found.model(0).expect("there is a law");
    let terms: Vec<&str> = expected.iter().map(|(term, _)| *term).collect();
    assert_eq!(model.term_texts(), terms, "{model}");
    for (w, (term, truth)) in model.coefficients().iter().zip(expected) {
        assert!((w / truth - 1.0).abs() < share, "{term}: {w}, not {truth}");
    }
}

#[test]
fn clean_fields_give_the_exact_law() {
    assert_law(&learned(&[heat()]), &[("u_xx", 0.02)], 1e-6);
    assert_law(&learned(&[steepening()]), &[("u*u_x", -1.0)], 1e-6);
}

#[test]
fn noise_of_a_quarter_of_the_field_does_not_bias_coefficients() {
    let mut sum = 0.0;
    for seed in 1..=4 {
        let found = learned(&[noisy(&steepening(), 0.15, seed)]);
        assert_law(&found, &[("u*u_x", -1.0)], 0.25);
        sum += found.model(0).unwrap().coefficients()[0];
        let sigma = found.choice().noise[0];
        assert!((sigma / 0.15 - 1.0).abs() < 0.02, "{sigma}");
    }
    assert!((sum / 4.0 + 1.0).abs() < 0.08, "{}", sum / 4.0);
}

#[test]
fn threads_change_no_bit_of_the_answer() {
    let noisy = noisy(&heat(), 0.5, 3);
    let terms = dictionary(&noisy);
    let answer = |threads| {
        let run = search::Run {
            threads,
            ..search::Run::default()
        };
        let settings = DiscoverField::default();
        let found = discover_field(
            std::slice::from_ref(&noisy),
            &terms,
            &settings,
            &run,
            &mut (),
        )
        .unwrap();
        let model = serde_json::to_string(&found.model(0).unwrap()).unwrap();
        (model, serde_json::to_string(found.choice()).unwrap())
    };
    assert_eq!(answer(1), answer(2));
}

#[test]
fn records_on_other_grids_are_learned_from_together() {
    let step = std::f64::consts::TAU / 96.0;
    let other = field([90, 96], [0.05, step], |t, x| {
        let wave = |k: i32| {
            let k = f64::from(k);
            (-0.02 * k * k * t).exp() * (k * x - k).sin()
        };
        (1..=6).map(wave).sum()
    });
    let found = learned(&[noisy(&heat(), 0.3, 1), noisy(&other, 0.3, 2)]);
    assert_law(&found, &[("u_xx", 0.02)], 0.1);
    assert_eq!(found.choice().half_widths.len(), 2);
}

#[test]
fn places_whose_test_functions_meet_missing_values_are_left_out() {
    let whole = heat();
    let mut quantity = whole.quantities()[0].clone();
    for t in 40..50 {
        quantity.values[t * 128 + 60..t * 128 + 75].fill(f64::NAN);
    }
    let holed = Field::new("holed", whole.axes().to_vec(), vec![quantity]).unwrap();
    let found = learned(&[holed]);
    assert_law(&found, &[("u_xx", 0.02)], 1e-6);
    assert!(found.choice().left_out > 0);
}

#[test]
fn two_quantities_and_two_directions_have_their_own_laws() {
    // Rotation of u and v while both diffuse and drift.
    let (t, x, y) = (
        axis("t", 40, 0.05, Boundary::Open),
        axis("x", 40, std::f64::consts::TAU / 40.0, Boundary::Periodic),
        axis("y", 40, std::f64::consts::TAU / 40.0, Boundary::Periodic),
    );
    let value = |t: f64, x: f64, y: f64, shift: f64| -> f64 {
        let wave = |k: f64, l: f64| {
            let decay = (-0.05 * (k * k + l * l) * t).exp();
            decay * (k * (x - 0.7 * t) + l * y + 1.5 * t + k + 2.0 * l + shift).sin()
        };
        wave(1.0, 0.0) + wave(0.0, 1.0) + wave(2.0, 1.0) + wave(1.0, 2.0) + wave(3.0, 1.0)
    };
    let on_grid = |shift: f64| -> Vec<f64> {
        let mut all = Vec::new();
        for t in &t.values {
            for x in &x.values {
                all.extend(y.values.iter().map(|y| value(*t, *x, *y, shift)));
            }
        }
        all
    };
    let quantity = |name: &str, shift| Quantity {
        name: name.into(),
        values: on_grid(shift),
    };
    let turn = std::f64::consts::FRAC_PI_2;
    let both = vec![quantity("u", 0.0), quantity("v", turn)];
    let field = Field::new("two", vec![t.clone(), x.clone(), y.clone()], both).unwrap();
    let names = Names::of(&field).unwrap();
    let texts = [
        "u", "v", "u_x", "v_x", "u_y", "v_y", "lap(u)", "lap(v)", "(u*v)_x", "u^2", "u*v",
    ];
    let terms = parse(&names, texts).unwrap();
    let (settings, run) = (DiscoverField::default(), search::Run::default());
    let found = discover_field(&[field], &terms, &settings, &run, &mut ()).unwrap();
    let system = found.system().expect("both have a law");
    assert_eq!(
        system.equations()[0].term_texts(),
        ["v", "u_x", "u_xx+u_yy"]
    );
    assert_eq!(
        system.equations()[1].term_texts(),
        ["u", "v_x", "v_xx+v_yy"]
    );
    for (model, expected) in system
        .equations()
        .iter()
        .zip([[1.5, -0.7, 0.05], [-1.5, -0.7, 0.05]])
    {
        for (w, truth) in model.coefficients().iter().zip(expected) {
            assert!((w / truth - 1.0_f64).abs() < 1e-4, "{model}");
        }
    }
}

#[test]
fn second_derivatives_by_time_are_learned() {
    let step = std::f64::consts::TAU / 96.0;
    let wave = field([96, 96], [0.03, step], |t, x| {
        let own = |k: i32| {
            let k = f64::from(k);
            (k * x + k).sin() * (1.5 * k * t + k * k).cos()
        };
        (1..=5).map(own).sum()
    });
    let settings = DiscoverField {
        order: eqlearn::Order::Second,
        ..DiscoverField::default()
    };
    let terms = dictionary(&wave);
    let run = search::Run::default();
    let found = discover_field(&[wave], &terms, &settings, &run, &mut ()).unwrap();
    assert_eq!(found.model(0).unwrap().target(), "u_tt");
    assert_law(&found, &[("u_xx", 2.25)], 1e-5);
}

#[test]
fn terms_that_the_field_cannot_tell_apart_are_named() {
    // A single wave: u_xx is −u, and u_xxx is −u_x.
    let step = std::f64::consts::TAU / 64.0;
    let found = learned(&[field([64, 64], [0.1, step], |t, x| (x - t).sin())]);
    let rivals = &found.choice().equations[0].rivals;
    let own = found.model(0).unwrap().term_texts();
    let is_one_of = |terms: &[String]| terms == ["u_x"] || terms == ["u_xxx"];
    assert!(is_one_of(&own), "{own:?}");
    assert!(rivals.iter().any(|terms| is_one_of(terms)), "{rivals:?}");
    assert!(learned(&[heat()]).choice().equations[0].rivals.is_empty());
}

#[test]
fn what_was_learned_is_simulated() {
    let truth = steepening();
    let system = learned(std::slice::from_ref(&truth)).system().unwrap();
    let start = truth.quantities()[0].values[..128].to_vec();
    let times: Vec<f64> = truth.time().values[..100].to_vec();
    let length = std::f64::consts::TAU;
    let run = simulate_field(&system, &[start], length, &times, &Simulate::default()).unwrap();
    let pairs = run.values[0].iter().zip(&truth.quantities()[0].values);
    let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-4, "{worst}");
}

fn refused(fields: &[Field], settings: &DiscoverField) -> String {
    let terms = dictionary(&fields[0]);
    let run = search::Run::default();
    discover_field(fields, &terms, settings, &run, &mut ())
        .unwrap_err()
        .to_string()
}

#[test]
fn fields_that_cannot_be_used_are_refused_in_words() {
    let usual = DiscoverField::default();
    let good = heat();
    let constant = field([20, 40], [0.1, 0.1], |_, _| 3.0);
    let uneven = {
        let mut axes = good.axes().to_vec();
        axes[0].values[5] += 0.01;
        Field::new("uneven", axes, good.quantities().to_vec()).unwrap()
    };
    let coarse = field([20, 40], [0.1, 0.1], |t, x| {
        let place = (t * 10.0).round() * 40.0 + (x * 10.0).round();
        (place * place * 0.7).sin()
    });
    let short = field([8, 40], [0.1, 0.1], |t, x| (x - t).sin());
    let narrow = field([40, 12], [0.1, 0.1], |t, x| (x - t).sin());
    let nowhere = field([20, 40], [0.1, 0.1], |_, _| f64::NAN);
    let named = {
        let mut quantities = good.quantities().to_vec();
        quantities[0].name = "w".into();
        Field::new("other", good.axes().to_vec(), quantities).unwrap()
    };
    let widths = DiscoverField {
        half_widths: Some(vec![0.5]),
        ..DiscoverField::default()
    };
    for (fields, settings, remedy) in [
        (vec![constant], &usual, "is 3 everywhere"),
        (vec![uneven], &usual, "interpolate the field to equal steps"),
        (
            vec![coarse],
            &usual,
            "as much from point to point as anywhere",
        ),
        (vec![short], &usual, "\"t\" of record has 8 points"),
        (vec![narrow], &usual, "allow lower derivatives"),
        (vec![nowhere], &usual, "has no value at all"),
        (
            vec![good.clone(), named],
            &usual,
            "records must share their names",
        ),
        (vec![good], &widths, "one for each axis"),
    ] {
        let said = refused(&fields, settings);
        assert!(said.contains(remedy), "{said}");
    }
    let none: Result<FieldDiscovery, Error> = discover_field(
        &[],
        &eqlearn::Dictionary::new(["u"]).unwrap(),
        &usual,
        &search::Run::default(),
        &mut (),
    );
    assert!(none.unwrap_err().to_string().contains("there is no field"));
}

#[test]
fn terms_without_a_weak_form_are_refused_by_name() {
    let names = Names::new(["u"], ["t", "x", "y"]).unwrap();
    for (text, remedy) in [
        ("u_x^2", "(u^2)_xx has one"),
        ("(u_x^2)_x", "must be a function of u alone"),
        ("div(u)", "one component for each of x, y"),
        ("(u^2", "has no partner"),
        ("(u^2)_q", "the axes are t, x, y"),
        ("w_x", "there is no feature \"w_x\""),
    ] {
        let said = parse(&names, [text]).unwrap_err().to_string();
        assert!(said.contains(remedy), "{text}: {said}");
    }
}
