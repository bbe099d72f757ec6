//! Declarations and settings agree.

use serde_json::{Value, json};

use super::{described_knobs, has, method_of};
use crate::methods::Method;
use crate::methods::declare::{Chosen, Kind};

/// A value of this kind that is nobody's default.
fn some(kind: &Kind) -> Value {
    match kind {
        Kind::Number => json!(0.123),
        Kind::Whole { .. } => json!(7),
        Kind::Wholes => json!([7]),
        Kind::Switch => json!(true),
        Kind::Choice(_) | Kind::Method { .. } => {
            json!(kind.words().last().expect("there is a choice").0)
        }
    }
}

#[test]
fn every_knob_of_every_method_fills_a_field_of_its_settings() {
    for method in Method::all() {
        let declared = method.declaration();
        for knob in declared.knobs.iter().chain(declared.tuner) {
            let mut changed = false;
            for value in [some(&knob.kind), json!(false)] {
                if knob.kind.setting(&value).is_some() {
                    let knobs = [(knob.name.to_string(), value)].into();
                    changed |= method_of(declared, &knobs).unwrap() != method;
                }
            }
            assert!(changed, "{} of {}", knob.name, declared.name);
        }
        assert_eq!(method_of(declared, &[].into()).unwrap(), method);
    }
}

#[test]
fn names_are_those_of_the_model_files() {
    for method in Method::all() {
        let saved = serde_json::to_value(&method).unwrap();
        let name = match &saved {
            Value::Object(tagged) => tagged.keys().next().unwrap().as_str(),
            other => other.as_str().unwrap(),
        };
        assert_eq!(name, method.name());
    }
}

#[test]
fn a_knob_is_of_one_kind_for_all_methods() {
    let described = described_knobs();
    for method in Method::declarations() {
        for knob in method.knobs.iter().chain(method.tuner) {
            let all = described.iter().find(|all| all.name == knob.name).unwrap();
            assert_eq!(
                format!("{:?}", all.kind),
                format!("{:?}", knob.kind),
                "{}",
                knob.name
            );
        }
    }
}

#[test]
fn what_cross_validation_chooses_is_a_knob_of_the_method() {
    for method in Method::declarations() {
        if let Chosen::Knob(knob) | Chosen::UpTo(knob) = method.chosen {
            assert!(has(method, knob, &[].into()), "{knob} of {}", method.name);
        }
    }
}

#[test]
fn help_names_the_methods_of_a_knob() {
    let described = described_knobs();
    let help = |name| {
        &described
            .iter()
            .find(|knob| knob.name == name)
            .unwrap()
            .help
    };
    assert_eq!(
        help("alpha"),
        "ridge, lasso, lars: the penalty; \
         stlsq, frols, ssr, miosr: the ridge penalty of each fit"
    );
    assert_eq!(help("rule"), "Which value cross-validation chooses");
}
