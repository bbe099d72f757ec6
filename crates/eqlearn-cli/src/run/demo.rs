//! `eqlearn demo`: a first experience on built-in data.
//!
//! Kepler's third law from the table of the planets: which power of the distance gives the period? Then one of the paper's
//! problems: three terms among 72, most of them nearly alike on these data.

use std::process::ExitCode;

use eqlearn::document::Document;
use eqlearn::search::{Run, Search};
use eqlearn::{Dictionary, Problem, Settings, Support, Table, learn, reduce_table};

use crate::args::Color;
use crate::output::print;
use crate::page::{Look, page};
use crate::trouble::Trouble;

/// Semi-major axis in astronomical units and period in years, as measured (NASA planetary fact sheets).
const PLANETS: [(f64, f64); 8] = [
    (0.387, 0.241),
    (0.723, 0.615),
    (1.0, 1.0),
    (1.524, 1.881),
    (5.203, 11.862),
    (9.537, 29.447),
    (19.191, 84.017),
    (30.069, 164.79),
];

pub(crate) fn run() -> Result<ExitCode, Trouble> {
    let look = Look::new(Color::Auto, false);
    print("Kepler's third law: the period of the planets from their distance to the sun\n\n")?;
    let (distance, period) = PLANETS.into_iter().unzip();
    let planets = Table::new(vec![("a".into(), distance), ("period".into(), period)])?;
    let terms = [
        "a^0.5", "a", "a^1.5", "a^2", "a^2.5", "a^3", "log(a)", "exp(-a)",
    ];
    let dictionary = Dictionary::parse(["a"], terms)?;
    print(&page(
        &learned(
            &planets,
            "period",
            dictionary,
            Search {
                max_terms: 3,
                ..Search::default()
            },
        )?,
        look,
    ))?;

    print(
        "\n\nA hidden law: y = 2 x1^2*x3 - 3 x2 + 1.5 x1*x2*x3 with noise, 95 rows, 72 terms to choose from\n\n",
    )?;
    let features = ["x1", "x2", "x3"];
    let dictionary = Dictionary::monomials(features, 4, 6, true)?;
    print(&page(
        &learned(&hidden_law()?, "y", dictionary, Search::default())?,
        look,
    ))?;
    print("\nNow your own data: eqlearn fit data.csv --target COLUMN\n")?;
    Ok(ExitCode::SUCCESS)
}

fn learned(
    table: &Table,
    target: &str,
    dictionary: Dictionary,
    space: Search,
) -> Result<Document, Trouble> {
    let problem = Problem::new(target, dictionary)?;
    let reduction = reduce_table(&problem, table)?;
    let settings = Settings {
        space: Search {
            centre: Support::empty(),
            ..space
        },
        ..Settings::default()
    };
    let started = std::time::Instant::now();
    let study = learn(&problem, &reduction, &settings, &Run::default(), &mut ())?;
    Ok(Document::new(
        &problem,
        &reduction,
        &settings,
        &study,
        started.elapsed().as_secs_f64(),
    ))
}

/// Features far from zero and close to each other, where powers are nearly alike.
fn hidden_law() -> Result<Table, Trouble> {
    let mut state = 20_260_115_u64;
    let mut uniform = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    // Twelve uniform numbers make a normal one, near enough for a demonstration.
    let mut normal = move || (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
    let mut columns = vec![Vec::new(); 4];
    for _ in 0..95 {
        let (x1, x2, x3) = (-7.0 + 1.5 * normal(), 2.0 + normal(), 9.0 + 2.0 * normal());
        let y = 2.0 * x1 * x1 * x3 - 3.0 * x2 + 1.5 * x1 * x2 * x3 + 0.05 * normal();
        for (column, value) in columns.iter_mut().zip([x1, x2, x3, y]) {
            column.push(value);
        }
    }
    let names = ["x1", "x2", "x3", "y"].map(String::from);
    Ok(Table::new(names.into_iter().zip(columns).collect())?)
}
