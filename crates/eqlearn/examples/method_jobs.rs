//! The methods on the paper's Lorenz problem, 10,000 rows and 72 terms; `bench/peers/run methods`
//! drives it.
//!
//! ```text
//! method_jobs list                 the names of the jobs, one per line
//! method_jobs export FILE          the features and the target as CSV
//! method_jobs run JOB REPEATS      one JSON object: seconds (medians), the coefficients,
//!                                  the knob and its values
//! ```
#![expect(clippy::print_stdout, reason = "its output is read by a script")]

#[path = "../tests/it/fixture.rs"]
#[expect(dead_code, reason = "other jobs use the rest")]
mod fixture;

use std::error::Error;
use std::fmt::Write;
use std::time::Instant;

use eqlearn::methods::{
    CrossValidation, Frols, How, Lars, Lasso, Miosr, Pick, Proposal, Ridge, Sr3, Ssr, Stlsq,
    Variant,
};
use eqlearn::search::{Run, Search};
use eqlearn::{Cut, Data, Dictionary, Method, Parts, Problem, Reduction, Settings, Support, Table};
use fixture::{exponents, lorenz};

/// Rows of the problem.
const N_OBS: usize = 10_000;

/// The jobs: a name, whether the constant is always in, and the parts that the rows are cut into.
const JOBS: [(&str, bool, Option<Cut>); 17] = [
    ("ols", true, None),
    ("ridge", true, None),
    ("ridge-cv", true, Some(FOLDS)),
    ("lasso", true, None),
    ("lasso-cv", true, Some(FOLDS)),
    ("lars", true, None),
    ("lars-cv", true, Some(FOLDS)),
    ("stlsq", false, None),
    ("stlsq-cv", false, Some(FOLDS)),
    ("sr3", false, None),
    ("sr3-cv", false, Some(FOLDS)),
    ("frols", false, None),
    ("frols-cv", false, Some(FOLDS)),
    ("ssr", false, None),
    ("miosr", false, None),
    ("miosr-cv", false, Some(FOLDS)),
    ("ensemble", false, Some(BLOCKS)),
];

const FOLDS: Cut = Cut {
    folds: 5,
    blocks_per_fold: 1,
};
const BLOCKS: Cut = Cut {
    folds: 40,
    blocks_per_fold: 1,
};

fn method(job: &str) -> Option<Method> {
    let grid = |points| CrossValidation {
        points,
        refinements: 0,
        ..CrossValidation::default()
    };
    Some(match job.trim_end_matches("-cv") {
        "ols" => Method::Ols,
        "ridge" => Method::Ridge(Ridge {
            tuner: grid(10),
            ..Ridge::default()
        }),
        "lasso" => Method::Lasso(Lasso {
            tuner: grid(100),
            ..Lasso::default()
        }),
        "lars" => Method::Lars(Lars::default()),
        "stlsq" => Method::Stlsq(Stlsq {
            tuner: grid(10),
            ..Stlsq::default()
        }),
        "sr3" => Method::Sr3(Sr3 {
            tuner: grid(10),
            ..Sr3::default()
        }),
        "frols" => Method::Frols(Frols {
            variant: Variant::PySindy,
            ..Frols::default()
        }),
        "ssr" => Method::Ssr(Ssr {
            variant: Variant::PySindy,
            ..Ssr::default()
        }),
        "miosr" => Method::Miosr(Miosr::default()),
        "ensemble" => Method::Ensemble(Box::default()),
        _ => return None,
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["list"] => {
            for (name, ..) in JOBS {
                println!("{name}");
            }
            Ok(())
        }
        ["export", file] => export(file),
        ["run", name, repeats] => run(name, repeats.parse()?),
        _ => Err("usage: method_jobs list | export FILE | run JOB REPEATS".into()),
    }
}

/// The three states and the derivative of the second, as columns of a table.
fn table() -> eqlearn::Result<Table> {
    let columns = lorenz(1, 1, N_OBS);
    let powers = exponents(4, 6);
    let state = |wanted: [i32; 3]| {
        let place = powers.iter().position(|powers| *powers == wanted);
        columns[place.expect("features are terms")].clone()
    };
    Table::new(vec![
        ("x".into(), state([1, 0, 0])),
        ("y".into(), state([0, 1, 0])),
        ("z".into(), state([0, 0, 1])),
        ("slope".into(), columns[powers.len()].clone()),
    ])
}

/// All monomials in the order of the fixture, which the peers are given as a matrix.
fn problem() -> eqlearn::Result<Problem> {
    let text = |powers: &[i32; 3]| format!("x^{}*y^{}*z^{}", powers[0], powers[1], powers[2]);
    let texts: Vec<String> = exponents(4, 6).iter().map(text).collect();
    let dictionary = Dictionary::parse(["x", "y", "z"], texts.iter().map(String::as_str))?;
    Problem::new("slope", dictionary)
}

fn export(file: &str) -> Result<(), Box<dyn Error>> {
    let table = table()?;
    let mut text = table.names().join(",") + "\n";
    for row in 0..table.n_rows() {
        let cells: Vec<String> = table.columns().map(|c| format!("{:e}", c[row])).collect();
        writeln!(text, "{}", cells.join(","))?;
    }
    std::fs::write(file, text)?;
    Ok(())
}

fn run(name: &str, repeats: usize) -> Result<(), Box<dyn Error>> {
    let job = JOBS.iter().find(|job| job.0 == name);
    let &(_, centred, cut) = job.ok_or("no such job")?;
    let method = method(name).ok_or("no such method")?;
    let (table, problem) = (table()?, problem()?);
    let centre: Support = centred.then_some(0).into_iter().collect();
    let settings = Settings {
        method,
        space: Search {
            centre,
            ..Search::default()
        },
        ..Settings::default()
    };
    let one_thread = Run {
        threads: 1,
        ..Run::default()
    };
    let (mut reducing, mut solving, mut last) = (Vec::new(), Vec::new(), None);
    for _ in 0..=repeats {
        let batches = [Ok(table.clone())].into_iter();
        let start = Instant::now();
        let whole = Cut {
            folds: 1,
            blocks_per_fold: 1,
        };
        let parts = Parts::reduce(&problem, batches, &cut.unwrap_or(whole), 1, &mut ())?;
        let reduced = start.elapsed().as_secs_f64();
        // Jobs without folds have their knobs from the settings.
        let folds = if cut.is_some() { parts.folds() } else { &[] };
        let data = Data {
            folds,
            ..Data::from(&parts)
        };
        let task = settings.task(&problem, data, &one_thread);
        let proposal = settings.method.seam().propose(&task, &mut ())?;
        last = Some((proposal, parts.whole().clone()));
        reducing.push(reduced);
        solving.push(start.elapsed().as_secs_f64() - reduced);
    }
    let (proposal, rows) = last.ok_or("nothing was run")?;
    // The first run warms the caches.
    println!(
        "{}",
        report(
            &proposal,
            &rows,
            median(&reducing[1..]),
            median(&solving[1..])
        )
    );
    Ok(())
}

fn report(proposal: &Proposal, rows: &Reduction, reducing: f64, solving: f64) -> serde_json::Value {
    let mut coefficients = vec![0.0; exponents(4, 6).len()];
    let (pick, tuning) = if let How::Own(regressed) = &proposal.how {
        (regressed.pick.clone(), regressed.tuning.as_ref())
    } else {
        let fit = rows.fit(&proposal.supports[0]);
        let pick = Pick {
            support: fit.support().clone(),
            coefficients: fit.coefficients().to_vec(),
        };
        (pick, None)
    };
    for (&term, &value) in pick.support.indices().iter().zip(&pick.coefficients) {
        coefficients[term] = value;
    }
    let values: Option<Vec<f64>> =
        tuning.map(|t| t.curve.iter().map(|tried| tried.value).collect());
    serde_json::json!({
        "reducing": reducing,
        "solving": solving,
        "coefficients": coefficients,
        "chosen": tuning.map(|tuning| tuning.chosen),
        "values": values,
        "proven": proposal.how.proven(),
    })
}

fn median(seconds: &[f64]) -> f64 {
    let mut sorted = seconds.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}
