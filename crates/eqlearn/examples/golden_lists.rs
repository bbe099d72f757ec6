//! The lists that `tests/data/make/search_polynomials.py` scores in many digits.
//!
//! ```text
//! golden_lists PROBLEMS.json > LISTS.json
//! ```
#![expect(clippy::print_stdout, reason = "its output is read by a script")]

#[path = "../tests/it/fixture.rs"]
#[expect(dead_code, reason = "only the exponents are needed here")]
mod fixture;

use std::error::Error;

use eqlearn::search::{Run, Search, search};
use eqlearn::{Support, Triangle};
use serde::Deserialize;

#[derive(Deserialize)]
struct Problem {
    features: Vec<[f64; 3]>,
    target: Vec<f64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("name the problems")?;
    let problems: Vec<Problem> = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let mut lists: Vec<Vec<Vec<Support>>> = Vec::new();
    for problem in &problems {
        // Products in the order in which the script takes them, so that the doubles are the same.
        let monomial = |x: &[f64; 3], e: &[i32; 3]| {
            let powers = x.iter().zip(e).flat_map(|(x, e)| (0..*e).map(move |_| *x));
            powers.fold(1.0, |product, x| product * x)
        };
        let mut columns: fixture::Columns = fixture::exponents(4, 6)
            .iter()
            .map(|e| problem.features.iter().map(|x| monomial(x, e)).collect())
            .collect();
        columns.push(problem.target.clone());
        let triangle = Triangle::from_columns(&columns);
        let found = search(&triangle, &Search::default(), &Run::default(), &mut ())?;
        let sizes = found.sizes.into_iter();
        let supports = sizes.map(|list| list.best.into_iter().map(|c| c.support).collect());
        lists.push(supports.collect());
    }
    println!("{}", serde_json::to_string(&lists)?);
    Ok(())
}
