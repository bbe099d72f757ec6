//! Writes the tables of the textbook laws as CSV, for other programs.
//!
//! `law_tables DIR [SEED]` writes `KEY-LEVEL.csv` (rows to learn from, at each noise level) and
//! `KEY-fresh.csv` (rows to judge by), and `laws.csv` with what the verdict needs.

#![expect(clippy::print_stderr, reason = "an example speaks to its user")]

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use eqlearn::Table;
use eqlearn_lab::laws::{Law, Made, NOISE};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next() else {
        eprintln!("usage: law_tables DIR [SEED]");
        return ExitCode::from(2);
    };
    let seed = arguments.next().and_then(|seed| seed.parse().ok());
    match write(Path::new(&folder), seed.unwrap_or(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn write(folder: &Path, seed: u64) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut list = String::from("key,name,class,terms,level,noise,sigma\n");
    for law in Law::all() {
        let Law {
            key,
            name,
            class,
            n_terms,
            ..
        } = &law;
        for (level, noise) in (0..).zip(NOISE) {
            let made = Made::new(&law, seed, level);
            let class = class.name();
            let sigma = made.sigma;
            let line = format!("{key},{name},{class},{n_terms},{level},{noise},{sigma}");
            list.push_str(&line);
            list.push('\n');
            let path = folder.join(format!("{key}-{level}.csv"));
            fs::write(path, csv(&made.given))?;
            if level == 0 {
                fs::write(folder.join(format!("{key}-fresh.csv")), csv(&made.fresh))?;
            }
        }
    }
    fs::write(folder.join("laws.csv"), list)
}

fn csv(table: &Table) -> String {
    let columns = table.names().iter().map(|name| table.column(name));
    let columns: Vec<&[f64]> = columns.map(|c| c.expect("a column of its own")).collect();
    let mut text = table.names().join(",") + "\n";
    for row in 0..table.n_rows() {
        let cells: Vec<String> = columns.iter().map(|c| c[row].to_string()).collect();
        text += &(cells.join(",") + "\n");
    }
    text
}
