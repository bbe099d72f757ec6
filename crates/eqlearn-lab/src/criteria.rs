//! The criteria side by side, on the same exact lists: who recovers the truth, and who keeps quiet when there is none.

use std::fmt::Write as _;

use eqlearn::judge::criterion::{Criterion, EvidencePrior, SizePrior};
use eqlearn::judge::ranking::{Ranking, Yardstick};
use eqlearn::search::{Run, Search, search};
use eqlearn::{Reduction, Support, reduce_table};
use rayon::prelude::*;

use crate::data::{Planted, noise, planted_gaussian, polynomial};

/// The criteria that are compared, with the prior over sizes that goes with each.
pub fn contenders() -> Vec<(&'static str, Criterion, SizePrior)> {
    use SizePrior::{UniformModels, UniformSizes};
    let evidence = Criterion::Evidence(EvidencePrior::default());
    vec![
        ("adjusted R²", Criterion::AdjustedRSquared, UniformModels),
        ("AIC", Criterion::Aic, UniformModels),
        ("AICc", Criterion::Aicc, UniformModels),
        ("AICc, sizes alike", Criterion::Aicc, UniformSizes),
        ("BIC", Criterion::Bic, UniformModels),
        ("EBIC(0.5)", Criterion::Ebic { gamma: 0.5 }, UniformModels),
        ("EBIC(1)", Criterion::Ebic { gamma: 1.0 }, UniformModels),
        ("paper's evidence", evidence, UniformModels),
        ("paper's evidence, sizes alike", evidence, UniformSizes),
        (
            "unit information, sizes alike",
            Criterion::UnitInformation,
            UniformSizes,
        ),
        (
            "hyper-g(3), sizes alike",
            Criterion::HyperG { a: 3.0 },
            UniformSizes,
        ),
        (
            "Zellner–Siow, sizes alike",
            Criterion::ZellnerSiow,
            UniformSizes,
        ),
        ("residual (hg)", Criterion::Residual, UniformModels),
    ]
}

/// A kind of data, and how to make its n-th set.
struct Kind {
    name: String,
    make: Box<dyn Fn(u32) -> Planted + Sync>,
}

fn kinds(seed: u64) -> Vec<Kind> {
    let mut kinds = Vec::new();
    for n_terms in 2..=4 {
        kinds.push(Kind {
            name: format!("poly {n_terms}"),
            make: Box::new(move |number| polynomial(seed, n_terms, number)),
        });
    }
    for (n_obs, signal) in [(65, 3.0), (200, 1.0), (200, 3.0), (1000, 0.5)] {
        let name = format!("N{n_obs} s{signal}");
        kinds.push(Kind {
            name,
            make: Box::new(move |number| planted_gaussian(seed, n_obs, 0.0, signal, number)),
        });
    }
    kinds.push(Kind {
        name: "N200 s3 ρ.9".into(),
        make: Box::new(move |number| planted_gaussian(seed, 200, 0.9, 3.0, number)),
    });
    for n_obs in [20, 65, 95, 500] {
        kinds.push(Kind {
            name: format!("noise {n_obs}"),
            make: Box::new(move |number| noise(seed, n_obs, number)),
        });
    }
    kinds
}

/// Exact lists of all sizes up to 8 (5 for the smallest samples), the constant always in.
pub fn lists(reduction: &Reduction) -> Vec<Support> {
    // With so few rows no bound helps, and sizes beyond 5 take seconds each.
    let max_terms = if reduction.n_obs() < 40 { 5 } else { 8 };
    let space = Search {
        max_terms,
        centre: Support::from_iter([0]),
        ..Search::default()
    };
    let run = Run {
        threads: 1,
        ..Run::default()
    };
    let found =
        search(&reduction.triangle(), &space, &run, &mut ()).expect("planted data can be searched");
    found
        .sizes
        .into_iter()
        .flat_map(|size| size.best.into_iter().map(|c| c.support))
        .collect()
}

/// The ranking of these supports by one criterion.
pub fn ranked(
    reduction: &Reduction,
    supports: &[Support],
    criterion: Criterion,
    size_prior: SizePrior,
) -> Ranking {
    let n_candidates = reduction.n_terms() - 1;
    let yardstick = Yardstick {
        criterion,
        size_prior,
        n_candidates,
    };
    Ranking::new(reduction, &Support::from_iter([0]), supports, &yardstick)
}

/// Runs all criteria on `sets` data sets of each kind.
pub fn run(seed: u64, sets: u32) -> String {
    let contenders = contenders();
    let mut text = format!(
        "exact lists of p = 72, sizes 1 to 8 (to 5 where N = 20), chosen by each criterion; {sets} sets of each kind, seed {seed}\n\
         planted: exact recovery in % / mean size error; noise: claims of an equation in %\n\
         poly: the paper's polynomials; N s: N rows, correlated normal terms (ρ = 0 if not given), coefficients s × noise\n\n"
    );
    let mut rows: Vec<String> = contenders
        .iter()
        .map(|(name, ..)| format!("{name:<30}"))
        .collect();
    let _ = write!(text, "{:<30}", "criterion");
    for kind in kinds(seed) {
        let _ = write!(text, " {:>12}", kind.name);
        let one = |number: u32| {
            let planted = (kind.make)(number);
            let reduction =
                reduce_table(&planted.problem, &planted.table).expect("planted data reduce");
            let supports = lists(&reduction);
            let truth = planted.truth.with(0);
            let judge = |(_, criterion, prior): &(_, Criterion, SizePrior)| {
                let ranking = ranked(&reduction, &supports, *criterion, *prior);
                let best = ranking.best().fit.support();
                let size_error = best.len() as f64 - truth.len() as f64;
                (*best == truth, size_error)
            };
            contenders.iter().map(judge).collect::<Vec<_>>()
        };
        let all: Vec<Vec<(bool, f64)>> = (0..sets).into_par_iter().map(one).collect();
        for (i, row) in rows.iter_mut().enumerate() {
            let right = 100.0 * all.iter().filter(|set| set[i].0).count() as f64 / f64::from(sets);
            let size_error = all.iter().map(|set| set[i].1).sum::<f64>() / f64::from(sets);
            if kind.name.starts_with("noise") {
                let _ = write!(row, " {:>12.1}", 100.0 - right);
            } else {
                let _ = write!(row, " {right:>5.0} /{size_error:>+5.2}");
            }
        }
    }
    text.push('\n');
    text + &rows.join("\n")
}
