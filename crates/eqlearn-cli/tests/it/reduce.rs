//! `reduce`, and `fit` on its files: the answer is that of all rows.

use std::fmt::Write as _;
use std::ops::Range;

use crate::command::Folder;

macro_rules! says {
    ($text:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($text) })
    };
}

/// y = 2 x² − 3 z with a little noise.
fn rows(range: Range<i32>) -> String {
    let mut csv = String::from("x,z,y\n");
    for i in range.map(f64::from) {
        let (x, z) = ((i * 0.7).sin(), (i * 1.3).cos());
        let y = 2.0 * x * x - 3.0 * z + 0.01 * (i * 7.9).sin();
        writeln!(csv, "{x},{z},{y}").unwrap();
    }
    csv
}

/// A folder with all rows in one file, and in six parts.
fn parts(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("all.csv", rows(0..300));
    for k in 0..6 {
        folder.file(&format!("part{k}.csv"), rows(50 * k..50 * (k + 1)));
    }
    folder
}

fn reduce<'a>(data: &[&'a str], out: &'a str) -> Vec<&'a str> {
    let flags = ["--target", "y", "--max-degree", "3", "-q", "--out", out];
    [&["reduce"], data, &flags].concat()
}

/// Parts, each reduced by itself: part0.tri and so on.
fn triangles(test: &str) -> Folder {
    let folder = parts(test);
    for k in 0..6 {
        let (data, out) = (format!("part{k}.csv"), format!("part{k}.tri"));
        let ran = folder.run(&reduce(&[&data], &out));
        assert_eq!(ran.status(), 0, "{}", ran.stderr());
    }
    folder
}

const TRIANGLES: [&str; 6] = [
    "part0.tri",
    "part1.tri",
    "part2.tri",
    "part3.tri",
    "part4.tri",
    "part5.tri",
];

fn fit<'a>(data: &[&'a str], flags: &[&'a str]) -> Vec<&'a str> {
    [&["fit"], data, flags].concat()
}

/// What a command that must fail says.
fn refused(folder: &Folder, args: &[&str]) -> String {
    let ran = folder.run(args);
    assert_eq!(ran.status(), 2, "{}", ran.stdout());
    assert_eq!(ran.stdout(), "");
    ran.stderr()
}

fn coefficients(document: &serde_json::Value) -> Vec<(String, f64)> {
    let terms = document["equations"][0]["terms"].as_array().unwrap();
    let pair = |term: &serde_json::Value| {
        let name = term["term"].as_str().unwrap().to_string();
        (name, term["coefficient"].as_f64().unwrap())
    };
    terms.iter().map(pair).collect()
}

#[test]
fn triangles_give_the_equation_of_all_rows() {
    let folder = triangles("tri-equal");
    let whole = folder
        .run(&[
            "fit",
            "all.csv",
            "--target",
            "y",
            "--max-degree",
            "3",
            "--json",
        ])
        .document();
    let merged = folder.run(&fit(&TRIANGLES, &["--json"])).document();
    assert_eq!(merged["n_obs"], 300);
    for (a, b) in coefficients(&whole).iter().zip(coefficients(&merged)) {
        assert_eq!(a.0, b.0);
        assert!((a.1 - b.1).abs() < 1e-14 * a.1.abs(), "{a:?} {b:?}");
    }
    assert_eq!(whole["warnings"].as_array().unwrap().len(), 0);
    assert_eq!(merged["warnings"][0]["code"], "residuals-unchecked");
}

#[test]
fn one_command_for_all_parts_and_one_for_each_give_the_same_bits() {
    let folder = triangles("tri-bits");
    let tables: Vec<String> = (0..6).map(|k| format!("part{k}.csv")).collect();
    let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
    assert_eq!(folder.run(&reduce(&tables, "all.tri")).status(), 0);
    let at_once = folder.run(&fit(&["all.tri"], &["--latex"])).stdout();
    assert_eq!(at_once, folder.run(&fit(&TRIANGLES, &["--latex"])).stdout());
    let rss = |args: &[&str]| folder.run(args).document()["equations"][0]["rss"].clone();
    assert_eq!(
        rss(&fit(&["all.tri"], &["--json"])),
        rss(&fit(&TRIANGLES, &["--json"]))
    );
}

#[test]
fn threads_do_not_change_a_byte() {
    let folder = Folder::new("tri-threads");
    folder.file("long.csv", rows(0..100_000));
    for (threads, out) in [("1", "one.tri"), ("2", "two.tri")] {
        let args = [&reduce(&["long.csv"], out)[..], &["--threads", threads]].concat();
        assert_eq!(folder.run(&args).status(), 0);
    }
    assert_eq!(folder.read("one.tri"), folder.read("two.tri"));
}

#[test]
fn a_folder_is_the_tables_in_it_by_name() {
    let folder = parts("tri-folder");
    let (sub, hidden) = (folder.path().join("parts"), "_notes.csv");
    std::fs::create_dir(&sub).unwrap();
    for k in [3, 0, 5, 1, 4, 2] {
        std::fs::write(sub.join(format!("{k}.csv")), rows(50 * k..50 * (k + 1))).unwrap();
    }
    std::fs::write(sub.join(hidden), "not,a,part\n").unwrap();
    std::fs::write(sub.join("README.md"), "words").unwrap();
    assert_eq!(folder.run(&reduce(&["parts"], "a.tri")).status(), 0);
    let named: Vec<String> = (0..6).map(|k| format!("part{k}.csv")).collect();
    let named: Vec<&str> = named.iter().map(String::as_str).collect();
    assert_eq!(folder.run(&reduce(&named, "b.tri")).status(), 0);
    assert_eq!(folder.read("a.tri"), folder.read("b.tri"));
    std::fs::create_dir(folder.path().join("none")).unwrap();
    says!(refused(&folder, &reduce(&["none"], "c.tri")));
}

#[test]
fn several_tables_and_a_stream_are_rows_like_any_other() {
    let folder = parts("tri-tables");
    let flags = ["--target", "y", "--max-degree", "3", "--json"];
    let whole = folder.run(&fit(&["all.csv"], &flags)).document();
    let tables: Vec<String> = (0..6).map(|k| format!("part{k}.csv")).collect();
    let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
    let several = folder.run(&fit(&tables, &flags)).document();
    assert_eq!(several["n_obs"], 300);
    for (a, b) in coefficients(&whole).iter().zip(coefficients(&several)) {
        assert!((a.1 - b.1).abs() < 1e-14 * a.1.abs(), "{a:?} {b:?}");
    }
    let stream = folder.run_with(&reduce(&["-"], "stream.tri"), rows(0..300).as_bytes());
    assert_eq!(stream.status(), 0, "{}", stream.stderr());
    assert_eq!(folder.run(&reduce(&["all.csv"], "all.tri")).status(), 0);
    assert_eq!(folder.read("stream.tri"), folder.read("all.tri"));
}

#[test]
fn cross_validation_leaves_out_whole_files() {
    let folder = triangles("tri-folds");
    let lasso = ["--method", "lasso", "--json"];
    let document = folder.run(&fit(&TRIANGLES, &lasso)).document();
    assert_eq!(coefficients(&document).len(), 3);
    says!(refused(&folder, &fit(&TRIANGLES[..2], &lasso)));
    let fixed = ["--method", "lasso", "--alpha", "0.01", "--json"];
    assert_eq!(folder.run(&fit(&TRIANGLES[..2], &fixed)).status(), 0);
}

#[test]
fn a_column_may_stand_still_in_one_part_but_not_in_all() {
    let folder = Folder::new("tri-constant");
    folder.file("a.csv", "x,y\n1,2.1\n1,2.0\n1,1.9\n");
    folder.file("b.csv", "x,y\n2,3.9\n3,6.2\n4,7.8\n");
    for (data, out) in [("a.csv", "a.tri"), ("b.csv", "b.tri")] {
        let args = [
            "reduce",
            data,
            "--target",
            "y",
            "--max-degree",
            "1",
            "-q",
            "--out",
            out,
        ];
        assert_eq!(folder.run(&args).status(), 0);
    }
    let ols = ["--method", "ols"];
    assert_eq!(folder.run(&fit(&["a.tri", "b.tri"], &ols)).status(), 0);
    says!(refused(&folder, &fit(&["a.tri"], &ols)));
}

#[test]
fn flags_that_come_too_late_are_named() {
    let folder = triangles("tri-late");
    let said: Vec<String> = [
        &["--max-degree", "6"][..],
        &["--features", "x"],
        &["--terms", "sin(x)"],
        &["--weights", "z"],
        &["--differentiate", "x"],
        &["--constant", "none"],
        &["--target", "z"],
    ]
    .iter()
    .map(|flags| refused(&folder, &fit(&["part0.tri"], flags)))
    .collect();
    says!(said.concat());
    let allowed = ["--target", "y", "--constant", "forced"];
    assert_eq!(folder.run(&fit(&["part0.tri"], &allowed)).status(), 0);
}

#[test]
fn triangles_that_do_not_belong_together_are_refused() {
    let folder = triangles("tri-foreign");
    let other = [
        "reduce",
        "part1.csv",
        "--target",
        "y",
        "--max-degree",
        "2",
        "-q",
        "--out",
        "other.tri",
    ];
    assert_eq!(folder.run(&other).status(), 0);
    let copy = folder.read("part0.tri");
    folder.file("copy.tri", &copy);
    folder.file("cut.tri", &copy[..copy.len() / 2]);
    folder.file(
        "later.tri",
        copy.replacen("eqlearn-triangle/1", "eqlearn-triangle/2", 1),
    );
    folder.file("words.tri", "x,y\n");
    let said: Vec<String> = [
        &["part0.tri", "other.tri"][..],
        &["part0.tri", "part1.tri", "part0.tri"],
        &["part0.tri", "copy.tri"],
        &["part0.tri", "cut.tri"],
        &["later.tri"],
        &["words.tri"],
        &["nowhere.tri"],
        &["part0.tri", "part1.csv"],
    ]
    .iter()
    .map(|data| refused(&folder, &fit(data, &[])))
    .collect();
    says!(
        said.concat()
            .replace(env!("CARGO_PKG_VERSION"), "[version]")
    );
}

#[test]
fn what_cannot_be_reduced_leaves_nothing_behind() {
    let folder = Folder::new("tri-wrong");
    folder.file("a.csv", "x,y\n1,2.1\n2,3.9\n");
    folder.file("b.csv", "x,w\n1,2.1\n2,3.9\n");
    folder.file("c.csv", "x,y\n0,2.1\n2,3.9\n");
    let said: Vec<String> = [
        reduce(&["a.csv", "b.csv"], "out.tri"),
        reduce(&["a.csv", "nowhere.csv"], "out.tri"),
        reduce(&["a.csv"], "out.csv"),
        reduce(&["a.csv"], "nowhere/out.tri"),
        reduce(&["a.csv", "-"], "out.tri"),
        ["reduce", "a.csv", "--out", "out.tri"].to_vec(),
        [
            &reduce(&["a.csv", "c.csv"], "out.tri")[..],
            &["--terms", "log(x)"],
        ]
        .concat(),
        fit(&["a.csv", "b.csv"], &["--target", "y"]),
    ]
    .iter()
    .map(|args| refused(&folder, args))
    .collect();
    says!(said.concat());
    assert_eq!(folder.names(), ["a.csv", "b.csv", "c.csv"]);
}
