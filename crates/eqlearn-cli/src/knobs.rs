//! From flags to a method with its settings: which knobs are fixed, and which cross-validation chooses.

use clap::ValueEnum as _;
use eqlearn::methods::{
    Base, CrossValidation, Ensemble, Frols, Lars, Lasso, Miosr, Regulariser, Ridge, Rule, Sr3, Ssr,
    Stlsq, Variant,
};
use eqlearn::{Cut, Method};

use crate::args::methods::{self as flags, KnobArgs};
use crate::args::{self};
use crate::trouble::Trouble;

/// Folds if nobody says.
const FOLDS: usize = 5;

/// Blocks of each fold that an ensemble draws from.
const BLOCKS_PER_FOLD: usize = 8;

/// A method, and how its rows are to be cut.
#[derive(Debug, Clone)]
pub(crate) struct Chosen {
    pub(crate) method: Method,
    /// None where the method needs no parts.
    pub(crate) cut: Option<Cut>,
}

/// The method of this name with the flags that it knows; a flag that it does not know is refused.
pub(crate) fn choose(name: args::Method, knobs: &KnobArgs) -> Result<Chosen, Trouble> {
    check(&[name], knobs)?;
    apply(name, knobs)
}

/// Several methods, each with the flags that it knows; a flag that none of them knows is refused.
pub(crate) fn choose_all(names: &[args::Method], knobs: &KnobArgs) -> Result<Vec<Chosen>, Trouble> {
    check(names, knobs)?;
    names.iter().map(|&name| apply(name, knobs)).collect()
}

/// How rows are cut for a comparison: for the folds of its errors and for an ensemble's blocks.
pub(crate) fn cut_for_all(knobs: &KnobArgs) -> Cut {
    let folds = knobs.cv.map_or(FOLDS, usize::from);
    Cut {
        folds: if folds == 0 { FOLDS } else { folds },
        blocks_per_fold: BLOCKS_PER_FOLD,
    }
}

/// The flags of a method, besides those of cross-validation.
fn takes(name: args::Method) -> &'static [&'static str] {
    use args::Method as M;
    match name {
        M::Best | M::BestSubset | M::CsR2 | M::CsEvidence | M::Bsr | M::Ols => &[],
        M::Ridge => &["--alpha"],
        M::Lasso => &["--alpha", "--tol", "--max-iter"],
        M::Lars => &["--alpha", "--max-iter"],
        M::Stlsq => &["--threshold", "--alpha", "--max-iter", "--normalize"],
        M::Sr3 => &[
            "--lambda",
            "--nu",
            "--regulariser",
            "--tol",
            "--max-iter",
            "--normalize",
        ],
        M::Frols => &["--sparsity", "--alpha", "--variant", "--normalize"],
        M::Ssr => &["--alpha", "--max-iter", "--variant", "--normalize"],
        M::Miosr => &["--sparsity", "--alpha", "--normalize"],
        M::Ensemble => &[
            "--base",
            "--models",
            "--drop-terms",
            "--seed",
            "--threshold",
            "--alpha",
            "--lambda",
        ],
    }
}

/// Flags of cross-validation and refitting, for every method that has a knob.
const COMMON: [&str; 5] = ["--cv", "--rule", "--points", "--refinements", "--refit"];

fn given(knobs: &KnobArgs) -> Vec<&'static str> {
    let flags = [
        ("--alpha", knobs.alpha.is_some()),
        ("--threshold", knobs.threshold.is_some()),
        ("--lambda", knobs.lambda.is_some()),
        ("--nu", knobs.nu.is_some()),
        ("--regulariser", knobs.regulariser.is_some()),
        ("--sparsity", knobs.sparsity.is_some()),
        ("--tol", knobs.tol.is_some()),
        ("--max-iter", knobs.max_iter.is_some()),
        ("--variant", knobs.variant.is_some()),
        ("--normalize", knobs.normalize),
        ("--base", knobs.base.is_some()),
        ("--models", knobs.models.is_some()),
        ("--drop-terms", knobs.drop_terms.is_some()),
        ("--seed", knobs.seed.is_some()),
        ("--cv", knobs.cv.is_some()),
        ("--rule", knobs.rule.is_some()),
        ("--points", knobs.points.is_some()),
        ("--refinements", knobs.refinements.is_some()),
        ("--refit", knobs.refit),
    ];
    let given = flags.into_iter().filter(|(_, given)| *given);
    given.map(|(flag, _)| flag).collect()
}

fn knows(name: args::Method, flag: &str) -> bool {
    let own = takes(name);
    own.contains(&flag) || (COMMON.contains(&flag) && !own.is_empty())
}

fn check(names: &[args::Method], knobs: &KnobArgs) -> Result<(), Trouble> {
    let strange = |flag: &&str| !names.iter().any(|&name| knows(name, flag));
    // Folds are also those of a comparison's errors, which every method has.
    let several = names.len() > 1;
    let mut given = given(knobs).into_iter();
    let Some(flag) = given.find(|flag| strange(flag) && !(several && *flag == "--cv")) else {
        return Ok(());
    };
    let word = |name: &args::Method| {
        let value = name.to_possible_value().expect("no method is hidden");
        value.get_name().to_string()
    };
    let asked: Vec<String> = names.iter().map(word).collect();
    let all = args::Method::value_variants().iter();
    let able: Vec<String> = all.filter(|&&m| knows(m, flag)).map(word).collect();
    Err(
        Trouble::new(format!("{flag} means nothing to {}", asked.join(", ")))
            .hint(format!("{flag} is for {}", able.join(", "))),
    )
}

fn apply(name: args::Method, knobs: &KnobArgs) -> Result<Chosen, Trouble> {
    use args::Method as M;
    let (method, fixed) = match name {
        M::Best => (Method::Best, None),
        M::BestSubset => (Method::BestSubset, None),
        M::CsR2 => (Method::CsR2, None),
        M::CsEvidence => (Method::CsEvidence, None),
        M::Bsr => (Method::Bsr, None),
        M::Ols => (Method::Ols, None),
        M::Ridge => (
            Method::Ridge(ridge(knobs)),
            Some(("--alpha", knobs.alpha.is_some())),
        ),
        M::Lasso => (
            Method::Lasso(lasso(knobs)),
            Some(("--alpha", knobs.alpha.is_some())),
        ),
        M::Lars => (
            Method::Lars(lars(knobs)),
            Some(("--alpha", knobs.alpha.is_some())),
        ),
        M::Stlsq => (
            Method::Stlsq(stlsq(knobs)),
            Some(("--threshold", knobs.threshold.is_some())),
        ),
        M::Sr3 => (
            Method::Sr3(sr3(knobs)),
            Some(("--lambda", knobs.lambda.is_some())),
        ),
        // A limit is no choice: with --cv sizes up to it are tried.
        M::Frols | M::Miosr => {
            let method = if name == M::Frols {
                Method::Frols(frols(knobs))
            } else {
                Method::Miosr(miosr(knobs))
            };
            let fixed = knobs.sparsity.is_some() && knobs.cv.is_none();
            (method, Some(("--sparsity", fixed)))
        }
        M::Ssr => (Method::Ssr(ssr(knobs)), Some(("", false))),
        M::Ensemble => {
            let cut = Cut {
                blocks_per_fold: BLOCKS_PER_FOLD,
                ..Cut::default()
            };
            return Ok(Chosen {
                method: Method::Ensemble(Box::new(ensemble(knobs))),
                cut: Some(cut),
            });
        }
    };
    let folds = knobs.cv.map_or(FOLDS, usize::from);
    let cut = match fixed {
        None => None,
        Some((flag, true)) if knobs.cv.is_some_and(|folds| folds > 0) => {
            let message = format!("{flag} fixes what --cv would choose");
            return Err(Trouble::new(message).hint("give one of the two"));
        }
        Some((_, fixed)) => (!fixed && folds > 0).then_some(Cut {
            folds,
            ..Cut::default()
        }),
    };
    Ok(Chosen { method, cut })
}

fn tuner(knobs: &KnobArgs) -> CrossValidation {
    let default = CrossValidation::default();
    CrossValidation {
        points: knobs.points.map_or(default.points, usize::from),
        refinements: knobs.refinements.map_or(default.refinements, usize::from),
        rule: match knobs.rule {
            Some(flags::Rule::OneSe) => Rule::OneStandardError,
            Some(flags::Rule::Min) | None => Rule::Minimum,
        },
    }
}

fn rounds(knobs: &KnobArgs, default: usize) -> usize {
    knobs.max_iter.map_or(default, |rounds| rounds as usize)
}

fn variant(knobs: &KnobArgs) -> Variant {
    match knobs.variant {
        Some(flags::Variant::PySindy) => Variant::PySindy,
        Some(flags::Variant::Textbook) | None => Variant::Textbook,
    }
}

fn ridge(knobs: &KnobArgs) -> Ridge {
    Ridge {
        alpha: knobs.alpha.unwrap_or(Ridge::default().alpha),
        tuner: tuner(knobs),
    }
}

fn lasso(knobs: &KnobArgs) -> Lasso {
    let default = Lasso::default();
    Lasso {
        alpha: knobs.alpha.unwrap_or(default.alpha),
        tol: knobs.tol.unwrap_or(default.tol),
        max_iter: rounds(knobs, default.max_iter),
        tuner: tuner(knobs),
        ..default
    }
}

fn lars(knobs: &KnobArgs) -> Lars {
    let default = Lars::default();
    Lars {
        alpha: knobs.alpha.unwrap_or(default.alpha),
        max_steps: rounds(knobs, default.max_steps),
        rule: tuner(knobs).rule,
        ..default
    }
}

fn stlsq(knobs: &KnobArgs) -> Stlsq {
    let default = Stlsq::default();
    Stlsq {
        threshold: knobs.threshold.unwrap_or(default.threshold),
        alpha: knobs.alpha.unwrap_or(default.alpha),
        max_iter: rounds(knobs, default.max_iter),
        normalize_columns: knobs.normalize,
        tuner: tuner(knobs),
        ..default
    }
}

fn sr3(knobs: &KnobArgs) -> Sr3 {
    let default = Sr3::default();
    Sr3 {
        lambda: knobs.lambda.unwrap_or(default.lambda),
        nu: knobs.nu.unwrap_or(default.nu),
        regulariser: match knobs.regulariser {
            None | Some(flags::Regulariser::L0) => Regulariser::L0,
            Some(flags::Regulariser::L1) => Regulariser::L1,
            Some(flags::Regulariser::L2) => Regulariser::L2,
        },
        tol: knobs.tol.unwrap_or(default.tol),
        max_iter: rounds(knobs, default.max_iter),
        normalize_columns: knobs.normalize,
        tuner: tuner(knobs),
        ..default
    }
}

fn frols(knobs: &KnobArgs) -> Frols {
    let default = Frols::default();
    Frols {
        variant: variant(knobs),
        max_terms: knobs.sparsity.map_or(default.max_terms, usize::from),
        alpha: knobs.alpha.unwrap_or(default.alpha),
        normalize_columns: knobs.normalize,
        tuner: tuner(knobs),
        ..default
    }
}

fn ssr(knobs: &KnobArgs) -> Ssr {
    let default = Ssr::default();
    Ssr {
        variant: variant(knobs),
        alpha: knobs.alpha.unwrap_or(default.alpha),
        max_iter: rounds(knobs, default.max_iter),
        normalize_columns: knobs.normalize,
        tuner: tuner(knobs),
        ..default
    }
}

fn miosr(knobs: &KnobArgs) -> Miosr {
    let default = Miosr::default();
    Miosr {
        target_sparsity: knobs.sparsity.map(usize::from).or(default.target_sparsity),
        alpha: knobs.alpha.unwrap_or(default.alpha),
        normalize_columns: knobs.normalize,
        tuner: tuner(knobs),
        ..default
    }
}

fn ensemble(knobs: &KnobArgs) -> Ensemble {
    let default = Ensemble::default();
    Ensemble {
        base: match knobs.base {
            None | Some(flags::Base::Stlsq) => Base::Stlsq(stlsq(knobs)),
            Some(flags::Base::Sr3) => Base::Sr3(sr3(knobs)),
            Some(flags::Base::Lasso) => Base::Lasso(lasso(knobs)),
        },
        n_models: knobs.models.map_or(default.n_models, |n| n as usize),
        terms_to_drop: knobs.drop_terms.map_or(default.terms_to_drop, usize::from),
        seed: knobs.seed.unwrap_or(default.seed),
        ..default
    }
}
