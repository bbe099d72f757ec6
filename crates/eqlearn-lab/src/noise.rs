//! Pure noise: how often the default method claims a law where there is none.

use std::fmt::Write as _;

use eqlearn::{Method, reduce_table};
use rayon::prelude::*;

use crate::data::noise;
use crate::polynomials::{answer, settings};

/// Runs the default method on `sets` targets of noise for each number of rows.
pub fn run(seed: u64, sets: u32) -> String {
    let mut text = format!(
        "claims of an equation on pure noise, in % of {sets} data sets, p = 72, seed {seed}\n\n"
    );
    let _ = writeln!(
        text,
        "{:<10} {:>16} {:>18}",
        "rows", "constant free", "constant forced"
    );
    for n_obs in [20, 65, 95, 500] {
        let claims = |constant_is_free: bool| {
            let claims_one = |number: &u32| {
                let data = noise(seed, n_obs, *number);
                let reduction = reduce_table(&data.problem, &data.table).expect("noise reduces");
                !answer(&data, &reduction, &settings(Method::Best, constant_is_free)).is_empty()
            };
            let claims = (0..sets).into_par_iter().filter(claims_one).count();
            100.0 * claims as f64 / f64::from(sets)
        };
        let _ = writeln!(
            text,
            "{n_obs:<10} {:>16.1} {:>18.1}",
            claims(true),
            claims(false)
        );
    }
    text
}
