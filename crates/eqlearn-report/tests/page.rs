//! What a page says, for small data of a known law.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop here"
)]

use eqlearn::tell::document::Document;
use eqlearn::{Dictionary, Problem, Settings, Study, Table, learn, reduce_table, search};
use eqlearn_report::{About, Board, Sample, Symbols, html};

/// Rows of `target` with a little noise of a fixed shape.
fn table(names: [&str; 3], law: impl Fn(f64, f64) -> f64) -> Table {
    let rows = 0..40;
    let a: Vec<f64> = rows
        .clone()
        .map(|i| 2.0 + (f64::from(i) * 0.7).sin())
        .collect();
    let b: Vec<f64> = rows
        .clone()
        .map(|i| 3.0 + (f64::from(i) * 1.3).cos())
        .collect();
    let noise = |i: i32| 0.02 * (f64::from(i * i) * 7.9).sin();
    let y = rows.map(|i| {
        let row = usize::try_from(i).unwrap();
        law(a[row], b[row]) + noise(i)
    });
    let columns = [a.clone(), b.clone(), y.collect()];
    let named = names.map(String::from).into_iter().zip(columns);
    Table::new(named.collect()).unwrap()
}

fn study(table: &Table) -> Study {
    let names = table.names();
    let dictionary = Dictionary::monomials(names[..2].to_vec(), 2, 2, true).unwrap();
    let problem = Problem::new(&names[2], dictionary).unwrap();
    let rows = reduce_table(&problem, table).unwrap();
    let (settings, run) = (Settings::default(), search::Run::default());
    learn(&problem, &rows, &settings, &run, &mut ()).unwrap()
}

/// The page from its headline to the charts, without style and script.
fn page(table: &Table) -> String {
    let study = study(table);
    let problem = study.problem();
    let units = [("v".to_string(), "m/s".to_string())];
    let features = problem.dictionary().features();
    let symbols = Symbols::new(features, [problem.left_side()], &units);
    let document = Document::new(&study, Vec::new(), 0.0);
    let board = Board::of_study(&study, document.equations.first(), &symbols);
    let tables = std::slice::from_ref(table);
    let sample = Sample::new(tables, document.n_obs, &study, &board, &symbols);
    let settings = serde_json::json!({});
    let about = About {
        data: "data.csv",
        symbols: &symbols,
        command: "eqlearn fit data.csv",
        settings: &settings,
    };
    let page = html(&document, &[board.with_sample(sample)], None, &about);
    let start = page.find("<main>").unwrap();
    let end = page.find("<div class=\"figures\"").unwrap();
    page[start..end].to_string()
}

/// A text without what is between two marks: digits that another processor may round differently.
fn without(text: &str, open: &str, close: &str) -> String {
    let mut parts = text.split(open);
    let first = parts.next().unwrap_or_default().to_string();
    let rest = parts.map(|part| part.split_once(close).map_or("", |(_, rest)| rest));
    rest.fold(first, |all, rest| all + rest)
}

#[test]
fn the_verdict_comes_first_and_quantities_have_symbols() {
    let found = table(["v", "rho", "force"], |v, rho| 1.5 * rho * v - 0.4 * v * v);
    let page = without(&page(&found), "<details>", "</details>");
    insta::assert_snapshot!(without(&page, " title=\"", "\""));
}

#[test]
fn no_equation_is_a_verdict_too() {
    let noise = table(["a", "b", "y"], |_, _| 0.0);
    let page = page(&noise);
    assert!(page.contains("<h1>No equation found</h1>"), "{page}");
    assert!(!page.contains("class=\"equation\""), "{page}");
}

#[test]
fn the_same_result_gives_the_same_bytes() {
    let make = || page(&table(["a", "b", "y"], |a, b| a * b));
    assert_eq!(make(), make());
}
