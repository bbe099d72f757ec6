//! `discover` and `simulate` from end to end, and how they refuse.

use std::fmt::Write as _;
use std::process::Command;

use crate::command::Folder;
use crate::noise::{normal, uniform};

macro_rules! says {
    ($text:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($text) })
    };
}

/// A damped rotation, x' = −0.1 x − 2 y and y' = 2 x − 0.1 y, at these times.
fn rotation(times: impl Iterator<Item = f64>) -> String {
    let mut csv = String::from("t,x,y\n");
    for t in times {
        let r = 2.0 * (-0.1 * t).exp();
        writeln!(csv, "{t},{},{}", r * (2.0 * t).cos(), r * (2.0 * t).sin()).unwrap();
    }
    csv
}

fn steady(n: u32) -> impl Iterator<Item = f64> {
    (0..n).map(|i| f64::from(i) * 0.02)
}

const SMALL: [&str; 4] = ["--max-power", "2", "--max-degree", "2"];

fn discover<'a>(files: &[&'a str], rest: &[&'a str]) -> Vec<&'a str> {
    [&["discover"], files, &["--time", "t"], &SMALL, rest].concat()
}

fn terms(document: &serde_json::Value, equation: usize) -> Vec<String> {
    let terms = document["equations"][equation]["terms"].as_array().unwrap();
    let name = |term: &serde_json::Value| term["term"].as_str().unwrap().to_string();
    terms.iter().map(name).collect()
}

#[track_caller]
fn finds_the_rotation(document: &serde_json::Value) {
    assert_eq!(document["kind"], "system");
    assert_eq!(document["equations"][0]["target"], "x");
    assert_eq!(document["equations"][1]["target"], "y");
    for equation in 0..2 {
        assert_eq!(terms(document, equation), ["x", "y"]);
    }
    let slope = document["equations"][1]["terms"][0]["coefficient"]
        .as_f64()
        .unwrap();
    assert!((slope - 2.0).abs() < 1e-3, "{slope}");
}

#[test]
fn flags_that_would_do_nothing_are_refused() {
    let folder = Folder::new("discover-flags");
    folder.file("run.csv", rotation(steady(100)));
    for flags in [
        ["--checkpoint", "half.json"],
        ["--cv", "5"],
        ["--rule", "min"],
        ["--half-width=1", "--derivative=central4"],
        ["--discrete", "--derivative=spline"],
        ["--discrete", "--refine"],
        ["--discrete", "--order=2"],
        ["--refine", "--order=2"],
        ["--dt", "0.1"],
    ] {
        let ran = folder.run(&discover(&["run.csv"], &flags));
        assert_eq!(ran.status(), 2, "{flags:?}");
        let (flag, _) = flags[0].split_once('=').unwrap_or((flags[0], ""));
        assert!(ran.stderr().contains(flag), "{}", ran.stderr());
    }
    let ran = folder.run(&["discover", "run.csv", "--dt", "0.1", "--time-as-feature"]);
    assert!(ran.stderr().contains("--time-as-feature needs a column"));
}

#[test]
fn what_is_saved_is_what_was_shown() {
    let folder = Folder::new("saved-as-shown");
    folder.file("run.csv", rotation(steady(400)));
    let rest = [
        "--method",
        "lasso",
        "--alpha",
        "0.01",
        "--derivative",
        "central2",
        "--json",
        "--save",
        "system.json",
    ];
    let shown = folder.run(&discover(&["run.csv"], &rest)).document();
    let saved: serde_json::Value = serde_json::from_str(&folder.read("system.json")).unwrap();
    for e in 0..2 {
        let terms = shown["equations"][e]["terms"].as_array().unwrap().iter();
        let shown: Vec<_> = terms.map(|term| term["coefficient"].clone()).collect();
        let saved = saved["equations"][e]["coefficients"].as_array().unwrap();
        assert_eq!(&shown, saved);
    }
}

#[test]
fn a_rotation_is_found_saved_and_simulated() {
    let folder = Folder::new("rotation");
    folder.file("run.csv", rotation(steady(400)));
    let document = folder
        .run(&discover(
            &["run.csv"],
            &["--json", "--save", "system.json"],
        ))
        .document();
    finds_the_rotation(&document);
    assert_eq!(document["discovery"]["forecast"]["failures"], 0);
    let ran = folder.run(&[
        "simulate",
        "system.json",
        "--from",
        "x=2,y=0",
        "--until",
        "1",
        "--step",
        "0.5",
    ]);
    assert_eq!(ran.status(), 0, "{}", ran.stderr());
    let last = ran.stdout().lines().last().unwrap().to_string();
    let values: Vec<f64> = last.split(',').map(|v| v.parse().unwrap()).collect();
    let r = 2.0 * (-0.1_f64).exp();
    assert!((values[1] - r * 2.0_f64.cos()).abs() < 1e-3, "{last}");
}

#[test]
fn jitter_gaps_and_several_files_are_no_obstacle() {
    let folder = Folder::new("jitter");
    let jittered = |n: u32, start: f64| {
        (0..n).map(move |i| start + f64::from(i) * 0.02 + 0.004 * f64::from(i * 7 % 5))
    };
    folder.file(
        "a.csv",
        rotation(jittered(300, 0.0).chain(jittered(200, 9.0))),
    );
    folder.file("b.csv", rotation(jittered(200, 1.0)));
    let ran = folder.run(&discover(&["a.csv", "b.csv"], &["--json"]));
    finds_the_rotation(&ran.document());
    assert!(ran.stderr().contains("cut at 1 gap\n"), "{}", ran.stderr());
}

#[test]
fn a_column_separates_trajectories() {
    let folder = Folder::new("trajectory");
    let mut csv = String::from("run,t,x,y\n");
    for run in 1..=2 {
        for line in rotation(steady(200)).lines().skip(1) {
            writeln!(csv, "{run},{line}").unwrap();
        }
    }
    folder.file("runs.csv", csv);
    let ran = folder.run(&discover(&["runs.csv"], &["--json", "--trajectory", "run"]));
    finds_the_rotation(&ran.document());
    let without = folder.run(&discover(&["runs.csv"], &["--states", "x,y"]));
    assert_eq!(without.status(), 2);
    says!(without.stderr());
}

#[test]
fn a_map_is_learned_from_its_iterates() {
    let folder = Folder::new("map");
    let mut csv = String::from("x,y\n");
    let (mut x, mut y) = (0.1, 0.1);
    for _ in 0..300 {
        writeln!(csv, "{x},{y}").unwrap();
        (x, y) = (1.0 - 1.4 * x * x + y, 0.3 * x);
    }
    folder.file("henon.csv", csv);
    let args = [
        &["discover", "henon.csv", "--discrete", "--json"],
        &SMALL[..],
    ]
    .concat();
    let document = folder.run(&args).document();
    assert_eq!(terms(&document, 0), ["1", "y", "x^2"]);
    assert_eq!(terms(&document, 1), ["x"]);
}

#[test]
fn every_kind_of_rows_finds_a_rotation() {
    let folder = Folder::new("kinds");
    folder.file("run.csv", rotation(steady(400)));
    for rows in [
        "auto",
        "weak",
        "forward",
        "trapezoid",
        "central2",
        "central4",
        "central6",
        "central8",
        "pade4",
        "pade6",
        "pade10",
        "savgol",
        "spline",
    ] {
        let document = folder
            .run(&discover(&["run.csv"], &["--json", "--derivative", rows]))
            .document();
        // Forward differences have an error of the order of the step; the others give four digits.
        let digits = if rows == "forward" { 5e-2 } else { 1e-3 };
        let truth = [[("x", -0.1), ("y", -2.0)], [("x", 2.0), ("y", -0.1)]];
        for (equation, truth) in truth.iter().enumerate() {
            assert_eq!(terms(&document, equation), ["x", "y"], "{rows}");
            for (place, (_, expected)) in truth.iter().enumerate() {
                let term = &document["equations"][equation]["terms"][place];
                let found = term["coefficient"].as_f64().unwrap();
                assert!((found - expected).abs() < digits, "{rows}: {term}");
            }
        }
    }
}

/// Two steps of a map by the printed function, which a command runs.
fn followed(command: &mut Command, start: &str) -> Vec<f64> {
    let ran = command.arg(start).output().unwrap();
    let told = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(ran.status.success(), "{told}");
    let text = String::from_utf8(ran.stdout).unwrap();
    text.split_whitespace()
        .map(|n| n.parse().unwrap())
        .collect()
}

#[test]
fn a_system_prints_as_code_that_moves_as_it_does() {
    let folder = Folder::new("code");
    let mut csv = String::from("x,y\n");
    let (mut x, mut y) = (0.1_f64, 0.2_f64);
    for n in 0..300 {
        writeln!(csv, "{x},{y}").unwrap();
        let sign = if x > 0.0 { 1.0 } else { -1.0 };
        // Kicks now and then keep the terms linearly independent.
        let push = 0.3 * f64::from(n % 7 - 3);
        (x, y) = (0.6 * y - 0.5 * sign + push, 0.4 * x.sin() - 0.3 * y.abs());
    }
    folder.file("map.csv", csv);
    let map = [
        "discover",
        "map.csv",
        "--discrete",
        "--method",
        "ols",
        "--only-terms",
        "--terms",
        "1, sign(x), y, sin(x), abs(y), x^2*y",
    ];
    let saved = folder.run(&[&map[..], &["--save", "map.json"]].concat());
    assert_eq!(saved.status(), 0, "{}", saved.stderr());
    let code = |language| {
        let ran = folder.run(&[&map[..], &["--code", language]].concat());
        assert_eq!(ran.status(), 0, "{}", ran.stderr());
        ran.stdout()
    };
    let python = "import sys\nx = [float(v) for v in sys.argv[1].split(',')]\n\
                  print(*(repr(float(v)) for v in slope(0.0, x)))\n";
    folder.file("code.py", format!("{}\n{python}", code("python")));
    folder.file(
        "numpy.py",
        "from math import sin, fabs as abs\nsign = lambda x: (x > 0) - (x < 0)\narray = list\n",
    );
    let rust = "fn main() {\n    let start = std::env::args().nth(1).unwrap();\n    \
                let x: Vec<f64> = start.split(',').map(|v| v.parse().unwrap()).collect();\n    \
                let [a, b] = slope(0.0, &[x[0], x[1]]);\n    println!(\"{a} {b}\");\n}\n";
    folder.file("code.rs", format!("{}\n{rust}", code("rust")));
    let julia = "println(join(slope([parse(Float64, v) for v in split(ARGS[1], ',')], 0), ' '))";
    folder.file("code.jl", format!("{}\n{julia}\n", code("julia")));
    let compiled = Command::new("rustc")
        .args(["--edition", "2024", "code.rs"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&compiled.stderr).into_owned();
    assert!(compiled.status.success(), "{told}");
    let has_julia = Command::new("julia").arg("--version").output().is_ok();
    for (x, y) in [(0.0, 0.0), (0.5, -0.3), (-0.7, 0.0), (0.0, 0.9)] {
        let from = format!("x={x},y={y}");
        let once = ["--from", &from, "--until", "1", "--step", "1"];
        let ran = folder.run(&[&["simulate", "map.json"], &once[..]].concat());
        let last = ran.stdout().lines().last().unwrap().to_string();
        let expected: Vec<f64> = last
            .split(',')
            .skip(1)
            .map(|v| v.parse().unwrap())
            .collect();
        assert_eq!(expected.len(), 2, "{last}");
        let mut python = Command::new("python3");
        python.arg("code.py").current_dir(folder.path());
        let mut commands = vec![python, Command::new(folder.path().join("code"))];
        if has_julia {
            let mut julia = Command::new("julia");
            julia.arg("code.jl").current_dir(folder.path());
            commands.push(julia);
        }
        for mut command in commands {
            let found = followed(&mut command, &format!("{x},{y}"));
            let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-13;
            let all = found.len() == 2 && found.iter().zip(&expected).all(near);
            assert!(all, "{command:?}: {found:?}, not {expected:?}");
        }
    }
}

#[test]
fn threads_do_not_change_a_byte() {
    let folder = Folder::new("discover-threads");
    folder.file("run.csv", rotation(steady(300)));
    let wide = ["--max-power", "6", "--max-degree", "6", "--json"];
    let search = ["--method", "best-subset", "--max-terms", "6", "--threads"];
    let run = |threads| {
        let record = ["discover", "run.csv", "--time", "t"];
        let args = [&record[..], &wide, &search, &[threads]].concat();
        let document = folder.run(&args).document();
        // Threads share sizes of more than 200,000 subsets: 28 terms have 376,740 of six.
        assert_eq!(document["n_terms"], 28);
        document.to_string()
    };
    assert_eq!(run("1"), run("2"));
}

/// The Lorenz system without noise.
pub(crate) fn lorenz() -> String {
    let slope = |x: [f64; 3]| {
        [
            10.0 * (x[1] - x[0]),
            x[0] * (28.0 - x[2]) - x[1],
            x[0] * x[1] - 8.0 / 3.0 * x[2],
        ]
    };
    let mut csv = String::from("t,x,y,z\n");
    let (mut x, h) = ([-8.0, 7.0, 27.0], 0.001);
    for i in 0..20_000 {
        if i % 10 == 0 {
            writeln!(csv, "{},{},{},{}", f64::from(i) * h, x[0], x[1], x[2]).unwrap();
        }
        let along =
            |k: [f64; 3], share: f64| -> [f64; 3] { std::array::from_fn(|d| x[d] + share * k[d]) };
        let k1 = slope(x);
        let k2 = slope(along(k1, h / 2.0));
        let k3 = slope(along(k2, h / 2.0));
        let k4 = slope(along(k3, h));
        let mean = |d: usize| (k1[d] + 2.0 * k2[d] + 2.0 * k3[d] + k4[d]) / 6.0;
        x = std::array::from_fn(|d| x[d] + h * mean(d));
    }
    csv
}

#[test]
fn the_coefficients_of_a_method_are_those_of_the_terms_it_answers_with() {
    let folder = Folder::new("lorenz-lars");
    folder.file("lz.csv", lorenz());
    let method = ["--method", "lars", "--alpha", "0.001", "--json"];
    let args = [&["discover", "lz.csv", "--time", "t"], &method[..]].concat();
    let ran = folder.run(&[&args[..], &["--save", "s.json"]].concat());
    let document = ran.document();
    let saved: serde_json::Value = serde_json::from_str(&folder.read("s.json")).unwrap();
    for equation in 0..3 {
        let shown = document["equations"][equation]["terms"].as_array().unwrap();
        let saved = &saved["equations"][equation];
        let coefficients = saved["coefficients"].as_array().unwrap();
        assert_eq!(saved["terms"].as_array().unwrap().len(), shown.len());
        assert_eq!(coefficients.len(), shown.len());
        for (shown, saved) in shown.iter().zip(coefficients) {
            assert_eq!(&shown["coefficient"], saved);
        }
    }
}

#[test]
fn states_of_very_different_size_are_no_obstacle() {
    let folder = Folder::new("scales");
    let mut csv = String::from("t,x,y\n");
    for t in steady(400) {
        let r = 2.0 * (-0.1 * t).exp();
        writeln!(
            csv,
            "{t},{},{}",
            1e9 * r * (2.0 * t).cos(),
            1e-9 * r * (2.0 * t).sin()
        )
        .unwrap();
    }
    folder.file("run.csv", csv);
    let document = folder.run(&discover(&["run.csv"], &["--json"])).document();
    for equation in 0..2 {
        assert_eq!(terms(&document, equation), ["x", "y"]);
    }
}

#[test]
fn a_system_that_runs_away_ends_with_words() {
    let folder = Folder::new("runaway");
    // x = 1 / (1 − t) solves x' = x² until t = 1.
    let mut csv = String::from("t,x\n");
    (0..300)
        .map(|i| f64::from(i) * 0.002)
        .for_each(|t| writeln!(csv, "{t},{}", 1.0 / (1.0 - t)).unwrap());
    folder.file("run.csv", csv);
    let learned = folder
        .run(&discover(&["run.csv"], &["--json", "--save", "s.json"]))
        .document();
    assert_eq!(terms(&learned, 0), ["x^2"]);
    let ran = folder.run(&[
        "simulate", "s.json", "--from", "x=1", "--until", "2", "--step", "0.1",
    ]);
    assert_eq!(ran.status(), 1, "{}", ran.stderr());
    assert!(
        ran.stderr().contains("at time 1.0") || ran.stderr().contains("at time 0.99"),
        "{}",
        ran.stderr()
    );
}

/// The positions of a pendulum, θ'' = −4 sin θ − 0.2 θ', by small steps.
fn pendulum() -> String {
    let slope = |x: [f64; 2]| [x[1], -4.0 * x[0].sin() - 0.2 * x[1]];
    let along = |x: [f64; 2], k: [f64; 2], h: f64| [x[0] + h * k[0], x[1] + h * k[1]];
    let (mut x, h) = ([2.5, 0.0], 0.001);
    let mut csv = String::from("t,x\n");
    for i in 0..40_000 {
        if i % 20 == 0 {
            writeln!(csv, "{},{}", f64::from(i) * h, x[0]).unwrap();
        }
        let k1 = slope(x);
        let k2 = slope(along(x, k1, h / 2.0));
        let k3 = slope(along(x, k2, h / 2.0));
        let k4 = slope(along(x, k3, h));
        let mean = |d: usize| (k1[d] + 2.0 * k2[d] + 2.0 * k3[d] + k4[d]) / 6.0;
        x = [x[0] + h * mean(0), x[1] + h * mean(1)];
    }
    csv
}

#[test]
fn accelerations_are_learned_from_positions_alone() {
    let folder = Folder::new("pendulum");
    folder.file("run.csv", pendulum());
    let order = [
        "--order",
        "2",
        "--terms",
        "sin(x),cos(x)",
        "--json",
        "--save",
        "pendulum.json",
    ];
    let document = folder.run(&discover(&["run.csv"], &order)).document();
    assert_eq!(document["equations"][0]["target"], "dx");
    assert_eq!(terms(&document, 0), ["dx", "sin(x)"]);
    let damping = document["equations"][0]["terms"][0]["coefficient"]
        .as_f64()
        .unwrap();
    assert!((damping + 0.2).abs() < 2e-3, "{damping}");
    assert_eq!(document["discovery"]["forecast"]["failures"], 0);

    let simulate = [
        "simulate",
        "pendulum.json",
        "--from",
        "x=2.5,dx=0",
        "--until",
        "4",
        "--step",
        "0.02",
    ];
    let ran = folder.run(&[&simulate[..], &["--out", "run.parquet"]].concat());
    assert_eq!(ran.status(), 0, "{}", ran.stderr());
    // What was written can be read, and is the motion.
    let again = folder.run(&[
        "fit",
        "run.parquet",
        "--target",
        "x",
        "--features",
        "t",
        "--method",
        "ols",
        "--max-power",
        "1",
        "--json",
    ]);
    assert_eq!(again.document()["n_obs"], 201);

    let rows = folder.run(&discover(
        &["run.csv"],
        &["--order", "2", "--derivative", "forward"],
    ));
    assert_eq!(rows.status(), 2);
    assert!(rows.stderr().contains("weak"), "{}", rows.stderr());
}

#[test]
fn refined_coefficients_follow_the_motion() {
    let folder = Folder::new("refine");
    folder.file("run.csv", rotation(steady(400)));
    let args = ["--json", "--refine", "--derivative", "forward"];
    let rough = folder
        .run(&discover(
            &["run.csv"],
            &["--json", "--derivative", "forward"],
        ))
        .document();
    let refined = folder.run(&discover(&["run.csv"], &args)).document();
    let slope = |document: &serde_json::Value| {
        document["equations"][1]["terms"][0]["coefficient"]
            .as_f64()
            .unwrap()
    };
    assert!((slope(&rough) - 2.0).abs() > 1e-4, "{}", slope(&rough));
    assert!((slope(&refined) - 2.0).abs() < 1e-5, "{}", slope(&refined));
    let report = &refined["discovery"]["refined"];
    assert!(report["distance_after"].as_f64() < report["distance_before"].as_f64());
}

#[test]
fn a_law_of_motion_outside_the_dictionary_is_said_to_be_outside() {
    let folder = Folder::new("motion-misfit");
    folder.file("run.csv", pendulum());
    let cubic = [
        "discover",
        "run.csv",
        "--time",
        "t",
        "--order",
        "2",
        "--max-degree",
        "3",
    ];
    let document = folder.run(&[&cubic[..], &["--json"]].concat()).document();
    let misfit = &document["equations"][0]["misfit"];
    assert!(misfit["log_bayes_factor"].as_f64().unwrap() > 20.0);
    assert!(misfit["probability"].as_f64().unwrap() > 0.999);
    let warnings = document["warnings"].as_array().unwrap();
    let said = warnings.iter().find(|warning| warning["code"] == "misfit");
    let said = said.unwrap()["message"].as_str().unwrap();
    assert!(said.starts_with("dx: the law is probably none"), "{said}");
    let ran = folder.run(&cubic);
    let first = ran.stdout().lines().next().unwrap().to_string();
    assert!(first.starts_with("! probably not the law"), "{first}");

    let sine = [&cubic[..], &["--terms", "sin(x)"]].concat();
    let ran = folder.run(&sine);
    assert!(
        !ran.stdout().contains("probably not the law"),
        "{}",
        ran.stdout()
    );
}

/// Positions of a damped spring, x'' = −4 x − 0.3 x', at 400 times, with noise of 5 % of their
/// spread.
fn spring(start: [f64; 2], seed: u32) -> Vec<[f64; 2]> {
    let turn = (4.0_f64 - 0.15 * 0.15).sqrt();
    let [a, b] = [start[0], (start[1] + 0.15 * start[0]) / turn];
    let x = |t: f64| (-0.15 * t).exp() * (a * (turn * t).cos() + b * (turn * t).sin());
    let times: Vec<f64> = steady(500).skip(100).map(|t| t - 2.0).collect();
    let noise = normal(seed, 400);
    let both = times.iter().zip(noise);
    both.map(|(t, z)| [*t, x(*t) + 0.02 * z]).collect()
}

#[test]
fn forecasts_from_positions_alone_follow_to_the_end() {
    let folder = Folder::new("spring");
    for seed in [1, 2, 3] {
        let mut csv = String::from("run,t,x\n");
        for (run, start) in [(0, [1.0, 0.0]), (1, [-0.4, 1.5])] {
            for [t, x] in spring(start, 2 * seed + run) {
                writeln!(csv, "{run},{t:.3},{x:.5}").unwrap();
            }
        }
        folder.file("two.csv", &csv);
        let one: Vec<&str> = csv.lines().take(401).collect();
        folder.file("one.csv", one.join("\n"));
        for (file, every) in [("one.csv", ""), ("two.csv", " of every run")] {
            let line =
                format!("discover {file} --time t --trajectory run --order 2 --report page.html");
            let ran = folder.run_line(&line);
            assert_eq!(ran.status(), 0, "{}", ran.stderr());
            assert!(ran.stdout().starts_with("dx' = "), "{}", ran.stdout());
            let page = folder.read("page.html");
            let said = format!("From the first sample{every} it follows to the end.");
            assert!(page.contains(&said), "{file}, seed {seed}");
            let from = "the position and velocity of its motion nearest to the samples of the next";
            assert!(page.contains(from), "{file}");
        }
    }
}

/// A tank that an input heats, x' = 0.8 u − 1.2 x, where the input is switched at samples; with
/// noise of this level.
fn switched(noise: f64, seed: u32) -> String {
    let (wait, level, z) = (uniform(seed, 60), uniform(seed + 50, 60), normal(seed, 400));
    let mut csv = String::from("t,x,u\n");
    let (mut x, mut place, mut left) = (0.3, 0, 0.0);
    for (i, z) in (0_u32..).zip(z) {
        if left <= 0.0 {
            place += 1;
            left = 10.0 + (50.0 * wait[place]).floor();
        }
        left -= 1.0;
        let u = (4.0 * level[place]).floor();
        writeln!(csv, "{:.2},{:.6},{u}", 0.05 * f64::from(i), x + noise * z).unwrap();
        // The exact solution over a step of constant input.
        let rest = 0.8 * u / 1.2;
        x = rest + (x - rest) * (-1.2_f64 * 0.05).exp();
    }
    csv
}

#[test]
fn an_input_that_is_switched_is_no_sign_of_another_law() {
    let folder = Folder::new("switched");
    for seed in 1..=4 {
        for noise in [0.0, 0.002, 0.01] {
            folder.file("tank.csv", switched(noise, seed));
            let ran = folder.run_line("discover tank.csv --time t --inputs u --json");
            let document = ran.document();
            assert_eq!(terms(&document, 0), ["x", "u"], "{noise}, seed {seed}");
            for (place, truth) in [-1.2, 0.8].into_iter().enumerate() {
                let found = &document["equations"][0]["terms"][place]["coefficient"];
                let off = found.as_f64().unwrap() / truth - 1.0;
                assert!(off.abs() < 0.02, "{noise}, seed {seed}: {found}");
            }
            let codes = document["warnings"].as_array().unwrap().iter();
            let codes: Vec<&str> = codes.map(|one| one["code"].as_str().unwrap()).collect();
            assert!(
                !codes.contains(&"misfit"),
                "{noise}, seed {seed}: {codes:?}"
            );
        }
    }
}

#[test]
fn columns_to_learn_from_are_features_too() {
    let folder = Folder::new("discover-features");
    let mut csv = String::from("t,x,y,other\n");
    for (i, line) in rotation(steady(300)).lines().skip(1).enumerate() {
        writeln!(csv, "{line},{}", (0.1 * (i * i) as f64).sin()).unwrap();
    }
    folder.file("run.csv", csv);
    let document = folder.run(&discover(&["run.csv"], &["--json", "--features", "x,y"]));
    finds_the_rotation(&document.document());
    let driven = ["--json", "--features", "x,y", "--inputs", "y"];
    let document = folder.run(&discover(&["run.csv"], &driven)).document();
    assert_eq!(document["equations"].as_array().unwrap().len(), 1);
}

/// The rotation at these times, and what of it is recorded with noise of about a tenth of its
/// spread.
fn noisy_rotation(n: u32) -> (String, String) {
    let clean = rotation((0..n).map(|i| f64::from(i) * 0.05));
    let (of_x, of_y) = (normal(1, n), normal(2, n));
    let mut noisy = String::from("t,x,y\n");
    for (row, (u, v)) in numbers(&clean).iter().zip(of_x.iter().zip(&of_y)) {
        writeln!(
            noisy,
            "{},{},{}",
            row[0],
            row[1] + 0.1 * u,
            row[2] + 0.1 * v
        )
        .unwrap();
    }
    (clean, noisy)
}

/// The numbers of a table below its header.
fn numbers(csv: &str) -> Vec<Vec<f64>> {
    let rows = csv.lines().skip(1);
    let row = |line: &str| line.split(',').map(|cell| cell.parse().unwrap()).collect();
    rows.map(row).collect()
}

#[test]
fn states_without_noise_are_saved_and_drawn() {
    let folder = Folder::new("save-states");
    let (clean, noisy) = noisy_rotation(300);
    folder.file("run.csv", &noisy);
    let rest = [
        "--save-states",
        "clean.csv",
        "--report",
        "page.html",
        "--json",
    ];
    let ran = folder.run(&discover(&["run.csv"], &rest));
    let document = ran.document();
    assert!(
        ran.stderr().contains("states written to clean.csv"),
        "{}",
        ran.stderr()
    );
    let saved = folder.read("clean.csv");
    assert_eq!(saved.lines().next(), Some("t,x,y"));
    let (clean, noisy, saved) = (numbers(&clean), numbers(&noisy), numbers(&saved));
    let times = |rows: &[Vec<f64>]| -> Vec<u64> { rows.iter().map(|r| r[0].to_bits()).collect() };
    assert_eq!(times(&saved), times(&noisy));
    for state in 1..3 {
        let distance = |rows: &[Vec<f64>]| -> f64 {
            let both = rows.iter().zip(&clean);
            both.map(|(row, truth)| (row[state] - truth[state]).powi(2))
                .sum::<f64>()
                .sqrt()
        };
        assert!(2.0 * distance(&saved) < distance(&noisy), "{state}");
    }
    let told = document["discovery"]["denoised"]["states"]
        .as_array()
        .unwrap();
    assert_eq!(told.len(), 2);
    for one in told {
        let chi2 = one["chi2_per_sample"].as_f64().unwrap();
        assert!((chi2 - 1.0).abs() < 0.3, "{one}");
    }
    let page = folder.read("page.html");
    assert!(page.contains("The green line is the record without its noise"));
    assert!(page.contains("\"cleaned\":[["));
}

#[test]
fn states_of_several_runs_are_told_apart() {
    let folder = Folder::new("save-states-of-runs");
    let (_, noisy) = noisy_rotation(300);
    let lines: Vec<&str> = noisy.lines().collect();
    folder.file("a.csv", lines[..151].join("\n"));
    folder.file("b.csv", [&lines[..1], &lines[151..]].concat().join("\n"));
    let ran = folder.run(&discover(
        &["a.csv", "b.csv"],
        &["--save-states", "clean.csv"],
    ));
    assert_eq!(ran.status(), 0, "{}", ran.stderr());
    let saved = folder.read("clean.csv");
    let rows: Vec<&str> = saved.lines().collect();
    assert_eq!((rows[0], rows.len()), ("record,t,x,y", 301));
    assert!(
        rows[1].starts_with('a') && rows[151].starts_with('b'),
        "{}",
        rows[151]
    );
}

#[test]
fn states_without_noise_are_missed_where_there_are_none() {
    let folder = Folder::new("no-states");
    folder.file("run.csv", rotation(steady(400)));
    let save = ["--save-states", "clean.csv"];
    let ran = folder.run(&discover(&["run.csv"], &save));
    assert_eq!(ran.status(), 2);
    // The answer is not lost.
    assert!(ran.stdout().starts_with("x' = "), "{}", ran.stdout());
    let said = ran.stderr();
    assert!(said.contains("clean.csv was not written"), "{said}");
    assert!(
        said.contains("--denoise on does it also where there is little"),
        "{said}"
    );
    let ran = folder.run(&discover(
        &["run.csv"],
        &[&save[..], &["--denoise", "off"]].concat(),
    ));
    assert_eq!((ran.status(), ran.stdout()), (2, String::new()));
    let said = ran.stderr();
    assert!(said.contains("which --denoise off forbids"), "{said}");
    // Before anything is learned.
    let ran = folder.run(&discover(
        &["run.csv"],
        &["--save-states", "none/clean.csv"],
    ));
    assert_eq!((ran.status(), ran.stdout()), (2, String::new()));
    let said = ran.stderr();
    assert!(
        said.contains("cannot write none/clean.csv: there is no folder none"),
        "{said}"
    );
    let ran = folder.run(&discover(&["run.csv"], &["--save-states", "run.csv"]));
    assert_eq!((ran.status(), ran.stdout()), (2, String::new()));
    assert!(
        ran.stderr()
            .contains("--save-states would overwrite the data")
    );
    // Where they cannot be fitted, the reason is said.
    let far = rotation((0..200).map(|i| f64::from(i) * 0.4));
    folder.file("run.csv", far);
    let ran = folder.run(&discover(
        &["run.csv"],
        &[&save[..], &["--denoise", "on"]].concat(),
    ));
    assert_eq!(ran.status(), 2);
    let said = ran.stderr();
    assert!(said.contains("the steps are too long"), "{said}");
    assert_eq!(folder.names(), ["run.csv"]);
}
