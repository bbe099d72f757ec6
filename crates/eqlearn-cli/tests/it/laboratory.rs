//! Data as laboratories keep them: commas, units, dates, text, spreadsheets.

use std::fmt::Write as _;

use crate::command::Folder;
use crate::noise::{normal, uniform};

/// y = 3 v² − 2 v with a little noise; numbers as `write` has them.
fn rows(write: impl Fn(f64) -> String, between: &str) -> String {
    let mut text = String::new();
    for (u, z) in uniform(1, 40).iter().zip(normal(2, 40)) {
        let v = 1.0 + 4.0 * u;
        let y = 3.0 * v * v - 2.0 * v + 0.01 * z;
        let _ = writeln!(text, "{}{between}{}", write(v), write(y));
    }
    text
}

fn plain(x: f64) -> String {
    format!("{x:.4}")
}

fn with_comma(x: f64) -> String {
    plain(x).replace('.', ",")
}

/// The equation that `fit` finds, and what it says besides.
fn fit(folder: &Folder, args: &[&str]) -> (String, String) {
    let ran = folder.run(&[&["fit"], args].concat());
    assert_eq!(ran.status(), 0, "{}", ran.stderr());
    let first = ran.stdout().lines().next().unwrap().to_string();
    (first, ran.stderr())
}

#[test]
fn a_table_of_another_country_gives_the_same_law() {
    let folder = Folder::new("commas");
    folder.file("point.csv", format!("v,y\n{}", rows(plain, ",")));
    folder.file(
        "comma.csv",
        format!("v;y;\n{}", rows(with_comma, ";").replace('\n', ";\n")),
    );
    let (expected, said) = fit(&folder, &["point.csv", "--target", "y"]);
    assert!(
        expected.starts_with("y = -") && said.is_empty(),
        "{expected} {said}"
    );
    let (found, said) = fit(&folder, &["comma.csv", "--target", "y"]);
    assert_eq!(found, expected);
    assert_eq!(
        said,
        "note: comma.csv has decimal commas: 1,5 is one and a half\n"
    );
    let (found, said) = fit(&folder, &["comma.csv", "--target", "y", "--decimal", ","]);
    assert_eq!((found, said), (expected, String::new()));
    let ran = folder.run(&["fit", "comma.csv", "--target", "y", "--decimal", "."]);
    assert_eq!(ran.status(), 2);
    insta::assert_snapshot!(ran.stderr());
}

#[test]
fn units_are_no_part_of_names() {
    let folder = Folder::new("unit-names");
    folder.file("head.csv", format!("v (m/s),y [kN]\n{}", rows(plain, ",")));
    folder.file("row.csv", format!("v,y\nm/s,kN\n{}", rows(plain, ",")));
    let (expected, said) = fit(&folder, &["head.csv", "--target", "y"]);
    assert!(expected.contains(" v^2"), "{expected}");
    assert_eq!(said, "note: units by the header: v in m/s, y in kN\n");
    assert_eq!(fit(&folder, &["row.csv", "--target", "y"]).0, expected);
    // With its unit a column is known too, in terms as well.
    let long = [
        "--target",
        "y [kN]",
        "--terms",
        "log(`v (m/s)`)",
        "--require",
        "`v (m/s)`",
    ];
    let (found, _) = fit(&folder, &[&["head.csv"], &long[..]].concat());
    assert_eq!(found, expected);
    // Files in other units are no more rows of the same table.
    folder.file(
        "other.csv",
        format!("v (km/h),y (kN)\n{}", rows(plain, ",")),
    );
    let ran = folder.run(&["fit", "head.csv", "other.csv", "--target", "y", "--quiet"]);
    assert_eq!(ran.status(), 2);
    insta::assert_snapshot!(ran.stderr());
}

/// A decay with rate 0.5 per second, twice, with dates and names.
fn decays() -> String {
    let mut text = String::from("when,run,x\n");
    let noise = normal(3, 60);
    for (run, start) in [("warm", 2.0), ("cold", 3.0)] {
        for (i, z) in noise.iter().enumerate() {
            let t = 0.1 * i as f64;
            let x = start * (-0.5 * t).exp() + 1e-4 * z;
            let _ = writeln!(text, "2024-01-31T23:59:{:06.3}Z,{run},{x:.6}", 53.0 + t);
        }
    }
    text
}

#[test]
fn dates_are_times_and_text_separates_trajectories() {
    let folder = Folder::new("dates");
    folder.file("run.csv", decays());
    let words = [
        "discover",
        "run.csv",
        "--time",
        "when",
        "--trajectory",
        "run",
        "--max-degree",
        "2",
    ];
    let ran = folder.run(&words);
    assert_eq!(ran.status(), 0, "{}", ran.stderr());
    assert!(ran.stdout().starts_with("x' = -0.5"), "{}", ran.stdout());
    assert_eq!(
        ran.stderr(),
        "note: when is in seconds since 2024-01-31T23:59:53.000Z\n"
    );
    // Without the names, times go back; with words in place of times, it is said how to write them.
    let ran = folder.run(&["discover", "run.csv", "--time", "when"]);
    assert!(ran.stderr().contains("--trajectory"), "{}", ran.stderr());
    let ran = folder.run(&["discover", "run.csv", "--time", "run"]);
    insta::assert_snapshot!(ran.stderr());
}

/// The bending of bars of three materials.
fn bars() -> String {
    let mut text = String::from("load,material,bend\n");
    for (i, z) in normal(5, 60).iter().enumerate() {
        let (material, soft) = [("steel", 0.2), ("brass", 0.4), ("oak wood", 1.1)][i % 3];
        let load = 1.0 + (i as f64 * 0.37) % 4.0;
        let _ = writeln!(text, "{load:.4},{material},{:.4}", soft * load + 0.002 * z);
    }
    text
}

#[test]
fn categories_become_columns_of_zeros_and_ones() {
    let folder = Folder::new("categories");
    folder.file("bars.csv", bars());
    let base = ["bars.csv", "--target", "bend", "--max-degree", "2"];
    let words = [&base[..], &["--categories", "material", "--save", "m.json"]].concat();
    let (found, said) = fit(&folder, &words);
    insta::assert_snapshot!(found);
    insta::assert_snapshot!(said);
    // The model knows them in a table of text, and one can be asked for by its name.
    folder.file("new.csv", "load,material\n2,oak wood\n2,steel\n");
    let ran = folder.run(&["predict", "m.json", "new.csv"]);
    let values: Vec<f64> = ran
        .stdout()
        .lines()
        .skip(1)
        .map(|x| x.parse().unwrap())
        .collect();
    assert!(
        (values[0] - 2.2).abs() < 0.01 && (values[1] - 0.4).abs() < 0.01,
        "{values:?}"
    );
    let named = ["--features", "load,material_brass,material_oak wood"];
    assert_eq!(fit(&folder, &[&base[..], &named].concat()).0, found);
    // Asked for as numbers, the column is refused by name; without a word it is left out with one.
    let ran = folder.run(&[&["fit"], &base[..], &["--features", "load,material"]].concat());
    insta::assert_snapshot!(ran.stderr());
    let ran = folder.run(&[&["fit"], &base[..]].concat());
    assert!(
        ran.stderr()
            .contains("left out, not numbers: \"material\" (text)")
    );
    // A text that nobody saw before is refused, in further files too.
    let mut many = String::from("load,material,bend\n");
    (0..60).for_each(|i| writeln!(many, "{i},m{i},{}", i * i % 7).unwrap());
    folder.file("many.csv", many);
    let ran = folder.run(&[
        "fit",
        "many.csv",
        "--target",
        "bend",
        "--categories",
        "material",
    ]);
    insta::assert_snapshot!(ran.stderr());
    let ran = folder.run_with(
        &["fit", "-", "--target", "bend", "--categories", "material"],
        bars().as_bytes(),
    );
    insta::assert_snapshot!(ran.stderr());
}

#[test]
fn two_hundred_columns_get_a_degree_that_fits() {
    let folder = Folder::new("wide");
    let names: Vec<String> = (0..200).map(|i| format!("x{i}")).collect();
    let row = |seed: u32| -> String {
        let cells = uniform(seed, 201);
        cells.into_iter().map(plain).collect::<Vec<_>>().join(",")
    };
    let rows: Vec<String> = (1..300).map(row).collect();
    folder.file(
        "wide.csv",
        format!("{},y\n{}\n", names.join(","), rows.join("\n")),
    );
    let ran = folder.run(&["fit", "wide.csv", "--target", "y"]);
    assert_eq!(ran.status(), 2);
    insta::assert_snapshot!(ran.stderr());
    let ran = folder.run(&["fit", "wide.csv", "--target", "y", "--max-degree", "1"]);
    assert!(ran.status() < 2, "{}", ran.stderr());
}

#[test]
fn codes_for_missing_values_are_named_and_can_be_told() {
    let folder = Folder::new("codes");
    let mut text = String::from("t,x\n");
    for i in 0..100 {
        let t = 0.1 * f64::from(i);
        let x = if i == 40 {
            -999.0
        } else {
            2.0 * (-0.3 * t).exp()
        };
        let _ = writeln!(text, "{t:.1},{x:.6}");
    }
    folder.file("run.csv", text);
    let words = ["discover", "run.csv", "--time", "t", "--max-degree", "2"];
    let ran = folder.run(&words);
    let named = "note: x is -999 in row 41: does it stand for a missing value?";
    assert!(ran.stderr().contains(named), "{}", ran.stderr());
    let told = [&words[..], &["--missing-value", "-999"]].concat();
    insta::assert_snapshot!(folder.run(&told).stderr());
    let ran = folder.run(&[&told[..], &["--missing", "drop"]].concat());
    assert_eq!(
        ran.stderr(),
        "note: 1 row with missing values was left out\n"
    );
    assert!(ran.stdout().starts_with("x' = -0.300"), "{}", ran.stdout());
}

#[test]
fn spreadsheets_are_read_by_sheet() {
    let folder = Folder::new("sheets");
    let book: &[u8] = include_bytes!("../../../eqlearn/tests/data/sheets/run.xlsx");
    folder.file("run.xlsx", book);
    insta::assert_snapshot!(folder.run(&["fit", "run.xlsx"]).stderr());
    let ran = folder.run(&["fit", "run.xlsx", "--sheet", "Comma"]);
    insta::assert_snapshot!(ran.stderr());
}
