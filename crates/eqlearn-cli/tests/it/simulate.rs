//! Saved models at work: systems with inputs and several runs, predictions, and swapped files.

use std::fmt::Write as _;

use crate::command::{Folder, Ran};
use crate::noise::normal;

/// Learns from `run.csv` and saves the system; the flags may name inputs.
fn learn(folder: &Folder, flags: &[&str]) {
    let words = [
        "discover",
        "run.csv",
        "--time",
        "t",
        "--max-degree",
        "2",
        "--quiet",
    ];
    let ran = folder.run(&[&words[..], &["--save", "system.json"], flags].concat());
    assert_eq!(ran.status(), 0, "{}{}", ran.stdout(), ran.stderr());
}

/// A body with friction and a known force: v' = u − 0.5 v. Exact for a force of sines.
fn driven(folder: &Folder) {
    let mut text = String::from("t,v,u\n");
    for (i, z) in normal(1, 600).iter().enumerate() {
        let t = 0.05 * i as f64;
        // The answer of v' = sin 2t − v/2 from v(0) = 1.
        let steady = (0.5 * (2.0 * t).sin() - 2.0 * (2.0 * t).cos()) / 4.25;
        let v = steady + (1.0 + 2.0 / 4.25) * (-0.5 * t).exp();
        let _ = writeln!(text, "{t:.2},{:.6},{:.6}", v + 1e-4 * z, (2.0 * t).sin());
    }
    folder.file("run.csv", text);
    learn(folder, &["--inputs", "u"]);
}

fn column(ran: &Ran, place: usize) -> Vec<f64> {
    let stdout = ran.stdout();
    let rows = stdout.lines().skip(1);
    rows.map(|row| row.split(',').nth(place).unwrap().parse().unwrap())
        .collect()
}

#[test]
fn inputs_come_from_a_table() {
    let folder = Folder::new("driven");
    driven(&folder);
    // A constant force of 1 from rest: v = 2 (1 − e^(−t/2)).
    folder.file("force.csv", "t,u\n0,1\n10,1\n");
    let base = [
        "simulate",
        "system.json",
        "--from",
        "v=0",
        "--inputs",
        "force.csv",
    ];
    let ran = folder.run(&[&base[..], &["--until", "6", "--step", "2"]].concat());
    assert_eq!(ran.status(), 0, "{}", ran.stderr());
    for (t, v) in column(&ran, 0).iter().zip(column(&ran, 1)) {
        assert!((v - 2.0 * (1.0 - (-0.5 * t).exp())).abs() < 0.01, "{t} {v}");
    }
    // The times of the table, if no others are wanted.
    assert_eq!(column(&folder.run(&base), 0), [0.0, 10.0]);
    let mut said = String::new();
    let cases: [&[&str]; 3] = [
        &[
            "simulate",
            "system.json",
            "--from",
            "v=0",
            "--until",
            "6",
            "--step",
            "2",
        ],
        &[&base[..], &["--until", "20", "--step", "2"]].concat(),
        &[
            "simulate",
            "system.json",
            "--from",
            "v=0",
            "--inputs",
            "run.csv",
            "--time",
            "time",
        ],
    ];
    for words in cases {
        let ran = folder.run(words);
        assert_eq!(ran.status(), 2);
        said += &ran.stderr();
    }
    insta::assert_snapshot!(said);
}

#[test]
fn time_may_be_a_feature() {
    let folder = Folder::new("time-feature");
    let mut text = String::from("t,x\n");
    for i in 0..300 {
        let t = 0.05 * f64::from(i);
        let _ = writeln!(text, "{t:.2},{:.9}", 1.0 + 0.1 * t * t);
    }
    folder.file("run.csv", text);
    learn(&folder, &["--time-as-feature"]);
    let base = [
        "simulate",
        "system.json",
        "--from",
        "x=1",
        "--until",
        "10",
        "--step",
        "5",
    ];
    let x = column(&folder.run(&base), 1);
    assert!(
        (x[1] - 3.5).abs() < 1e-3 && (x[2] - 11.0).abs() < 1e-3,
        "{x:?}"
    );
    // From another time on the same state has another future.
    let x = column(&folder.run(&[&base[..], &["--begin", "5"]].concat()), 1);
    assert!((x[1] - 8.5).abs() < 1e-3, "{x:?}");
}

#[test]
fn several_starts_are_several_runs() {
    let folder = Folder::new("runs");
    let mut text = String::from("t,x\n");
    for i in 0..200 {
        let t = 0.05 * f64::from(i);
        let _ = writeln!(text, "{t:.2},{:.9}", 2.0 * (-0.4 * t).exp());
    }
    folder.file("run.csv", text);
    learn(&folder, &[]);
    folder.file("starts.csv", "who,x\na,1\nb,4\n");
    let times = ["--until", "1", "--step", "0.5"];
    let base = [
        "simulate",
        "system.json",
        "--from",
        "x=2",
        "--starts",
        "starts.csv",
    ];
    let ran = folder.run(&[&base[..], &times].concat());
    assert!(
        ran.stdout().starts_with("run,t,x\n1,0,2\n"),
        "{}",
        ran.stdout()
    );
    assert_eq!(
        column(&ran, 0),
        [1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0]
    );
    // What is written can be learned from again, and be looked at.
    let long = [
        "--until",
        "5",
        "--step",
        "0.05",
        "--out",
        "all.parquet",
        "--plot",
        "all.svg",
    ];
    let ran = folder.run(&[&base[..], &long].concat());
    assert_eq!(
        (ran.status(), ran.stdout().as_str()),
        (0, ""),
        "{}",
        ran.stderr()
    );
    let again = [
        "discover",
        "all.parquet",
        "--time",
        "t",
        "--trajectory",
        "run",
        "--max-degree",
        "2",
    ];
    let found = folder.run(&again).stdout();
    assert!(found.starts_with("x' = -0.39999999"), "{found}");
    let svg = folder.read("all.svg");
    assert!(svg.starts_with("<svg") && svg.contains("run 3") && svg.len() < 60_000);
}

/// y = 3 a − b, and a column that has no part in it.
fn saved_law(folder: &Folder) {
    let mut text = String::from("a,b,c,y\n");
    for (i, z) in normal(4, 40).iter().enumerate() {
        let (a, b) = ((i as f64 * 0.7).sin() + 2.0, (i as f64 * 1.3).cos() + 2.0);
        let c = (i as f64 * 2.1).sin() + 2.0;
        let _ = writeln!(text, "{a:.5},{b:.5},{c:.5},{:.5}", 3.0 * a - b + 0.01 * z);
    }
    folder.file("gas.csv", text);
    let words = [
        "fit",
        "gas.csv",
        "--target",
        "y",
        "--max-degree",
        "2",
        "--save",
        "gas.json",
    ];
    assert_eq!(folder.run(&words).status(), 0);
}

#[test]
fn predictions_need_the_columns_of_the_law_alone() {
    let folder = Folder::new("needed");
    saved_law(&folder);
    folder.file("new.csv", "b,a\n1,2\n");
    let ran = folder.run(&["predict", "gas.json", "new.csv"]);
    let y = column(&ran, 0)[0];
    assert!((y - 5.0).abs() < 0.05, "{y} {}", ran.stderr());
    folder.file("less.csv", "b,c\n1,2\n");
    let ran = folder.run(&["predict", "gas.json", "less.csv"]);
    assert!(ran.status() == 2 && ran.stderr().contains("column \"a\" is not in the table"));
}

#[test]
fn what_is_swapped_is_recognised() {
    let folder = Folder::new("swapped");
    saved_law(&folder);
    let mut said = String::new();
    let cases: [&[&str]; 3] = [
        &["predict", "gas.csv", "gas.json"],
        &["predict", "gas.csv", "gas.csv"],
        &[
            "simulate", "gas.json", "--from", "y=1", "--until", "1", "--step", "1",
        ],
    ];
    for words in cases {
        let ran = folder.run(words);
        assert_eq!(ran.status(), 2);
        said += &ran.stderr();
    }
    insta::assert_snapshot!(said);
}

#[test]
fn a_record_whose_next_step_is_known_gets_a_hint() {
    let folder = Folder::new("hints");
    let mut text = String::from("t,x\n");
    for (i, z) in normal(8, 300).iter().enumerate() {
        let t = 0.05 * i as f64;
        let _ = writeln!(text, "{t:.2},{:.6}", (2.0 * t).cos() + 1e-3 * z);
    }
    folder.file("run.csv", text);
    let ran = folder.run(&["discover", "run.csv", "--time", "t", "--max-degree", "2"]);
    let hint =
        "note: x turns around, which no law x' = f(x) allows: --order 2 learns its acceleration";
    assert!(ran.stderr().contains(hint), "{}", ran.stderr());
    let second = [
        "discover",
        "run.csv",
        "--time",
        "t",
        "--max-degree",
        "2",
        "--order",
        "2",
    ];
    let ran = folder.run(&second);
    assert_eq!(ran.stderr(), "");
    assert!(ran.stdout().starts_with("dx' = -4.0"), "{}", ran.stdout());
}
