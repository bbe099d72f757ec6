//! What users get wrong, and the odd files that they have: each case with the message that it
//! gets and its exit status, one snapshot per kind. A message names the file, row, column or flag,
//! and says what to do.

use std::fmt::Write as _;

use crate::command::Folder;
use crate::fields::long;

/// A name, the files that are there, and the commands: the last one is shown, those before it
/// prepare what it needs.
type Case<'a> = (&'a str, Vec<(&'a str, Vec<u8>)>, Vec<&'a str>);

/// Every case with what is said and the exit status. The answer of a command that works is shown
/// by its first line and its warnings.
fn told(cases: &[Case<'_>]) -> String {
    let mut all = String::new();
    for (name, files, commands) in cases {
        let folder = Folder::new(&name.replace(' ', "-"));
        for (file, content) in files {
            folder.file(file, content);
        }
        std::fs::create_dir(folder.path().join("folder")).unwrap();
        let (shown, before) = commands.split_last().unwrap();
        for command in before {
            assert_eq!(folder.run_line(command).status(), 0, "{name}: {command}");
        }
        let there = folder.names();
        let ran = folder.run_line(shown);
        write!(all, "## {name}\n$ eqlearn {shown}\n{}", ran.stderr()).unwrap();
        if ran.status() == 2 {
            assert_eq!(ran.stdout(), "", "{name}: there is no result");
            assert_eq!(folder.names(), there, "{name}: nothing is half-written");
        } else {
            let answer = ran.stdout();
            let first = answer.lines().take(1);
            let warnings = answer.lines().filter(|line| line.starts_with("! "));
            first
                .chain(warnings)
                .for_each(|line| writeln!(all, "> {line}").unwrap());
        }
        writeln!(all, "[{}]\n", ran.status()).unwrap();
    }
    all
}

macro_rules! tell {
    ($cases:expr) => {
        insta::with_settings!({ omit_expression => true }, {
            insta::assert_snapshot!(told(&$cases))
        })
    };
}

/// One table, `data.csv`, and one command.
fn table<'a>(name: &'a str, text: &str, command: &'a str) -> Case<'a> {
    (name, vec![("data.csv", text.into())], vec![command])
}

/// Five rows near y = 2 x.
const GOOD: &str = "x,y\n1,2.1\n2,3.9\n3,6.2\n4,7.8\n5,10.1\n";

/// The straight line, by least squares.
const LINE: &str = "fit data.csv --target y --method ols --max-degree 1";

/// A command on the five rows.
fn good<'a>(name: &'a str, command: &'a str) -> Case<'a> {
    table(name, GOOD, command)
}

#[test]
fn files() {
    let fit = "fit data.csv --target y";
    tell!([
        ("a missing file", vec![], vec!["fit nowhere.csv --target y"]),
        (
            "a folder without tables",
            vec![],
            vec!["fit folder --target y"]
        ),
        table("an empty file", "", fit),
        table("a header only", "x,y\n", fit),
        table("a ragged row", "x,y\n1,2\n3\n4,5\n", fit),
        (
            "a file of another kind",
            vec![("data.docx", "whatever".into())],
            vec!["fit data.docx --target y"],
        ),
        (
            "no parquet inside",
            vec![("data.parquet", "this is not parquet".into())],
            vec!["fit data.parquet --target y"],
        ),
        (
            "a spreadsheet that is none",
            vec![("data.xlsx", GOOD.into())],
            vec!["fit data.xlsx --target y"],
        ),
        (
            "text that is not compressed",
            vec![("data.csv.gz", GOOD.into())],
            vec!["fit data.csv.gz --target y"],
        ),
        good(
            "a format nobody knows",
            "fit data.csv --target y --format excel"
        ),
        (
            "a sheet that is not there",
            vec![(
                "run.xlsx",
                include_bytes!("../../../eqlearn/tests/data/sheets/run.xlsx").to_vec(),
            )],
            vec!["fit run.xlsx --target y --sheet Sheet9"],
        ),
        good(
            "settings that are not there",
            "fit data.csv --target y --config own.toml"
        ),
        (
            "settings with a key that is no flag",
            vec![
                ("data.csv", GOOD.into()),
                ("own.toml", "max-term = 3".into())
            ],
            vec!["fit data.csv --target y --config own.toml"],
        ),
    ]);
}

#[test]
fn columns() {
    tell!([
        table(
            "no target",
            "day,x,y\n2020-01-01,1,2\n2020-01-02,2,3\n",
            "fit data.csv",
        ),
        good("a target in other letters", "fit data.csv --target Y"),
        table(
            "a target that is not there",
            "speed,y\n1,2\n2,3\n",
            "fit data.csv --target force",
        ),
        table(
            "a feature that is misspelt",
            "speed,y\n1,2\n2,3\n",
            "fit data.csv --target y --features sped",
        ),
        good(
            "the target among the features",
            "fit data.csv --target y --features x,y"
        ),
        table("two columns of one name", "x,x,y\n1,2,3\n2,3,4\n", LINE),
        table("a constant target", "x,y\n1,2\n2,2\n3,2\n", LINE),
        table(
            "a constant column",
            "x,z,y\n1,7,2\n2,7,3\n3,7,2\n4,7,1\n",
            LINE
        ),
        table(
            "a column that is a multiple of another",
            "a,b,y\n1,2,3\n2,4,4\n3,6,1\n5,10,2\n",
            LINE,
        ),
        table(
            "words as a feature",
            "day,y\nmonday,1\ntuesday,2\n",
            "fit data.csv --target y --features day",
        ),
        table(
            "dates as a feature",
            "day,y\n2024-01-01,1\n2024-01-02,2\n",
            "fit data.csv --target y --features day",
        ),
        table(
            "words as a target",
            "x,y\n1,low\n2,high\n",
            "fit data.csv --target y",
        ),
        table(
            "words beside numbers",
            "x,day,y\n1,monday,2.1\n2,tuesday,3.9\n3,monday,6.2\n4,friday,7.8\n5,friday,10.1\n",
            "fit data.csv --target y",
        ),
        table(
            "a copy of a column",
            "x,copy,y\n1,1,2.1\n2,2,3.9\n3,3,6.2\n4,4,7.8\n5,5,10.1\n6,6,12\n7,7,13.9\n",
            "fit data.csv --target y --max-degree 1",
        ),
        table(
            "nothing but words beside the target",
            "day,y\nmonday,1\ntuesday,2\n",
            "fit data.csv --target y",
        ),
    ]);
}

#[test]
fn cells() {
    let late = (0..3000).fold(String::from("x,y\n"), |all, i| {
        all + &format!("{i},{}\n", 2 * i)
    });
    let powers = "fit data.csv --target y --method ols --max-power 2 --max-degree 2";
    let latin = b"temp\xe9rature,y\n1,2.1\n2,3.9\n3,6.2\n4,7.8\n".to_vec();
    tell!([
        table("words far below", &(late + "abc,7\n"), LINE),
        table("NaN", "x,y\n1,2\nNaN,3\n3,4\n", LINE),
        table("infinity", "x,y\n1,2\n2,inf\n3,4\n", LINE),
        table("an empty cell", "x,y\n1,2\n,3\n3,4\n", LINE),
        table(
            "no row is complete",
            "x,y\n1,\n,3\n",
            &format!("{LINE} --missing drop")
        ),
        table(
            "decimal commas beside points",
            "x;y\n1,5;2.5\n2,5;3.5\n3,5;4.1\n",
            LINE
        ),
        table(
            "thousands separators",
            "x;y\n1,200;2\n2,400;4.1\n3,600;5.9\n4,800;8\n",
            LINE
        ),
        table(
            "spaces between thousands",
            "x;y\n1 200;2\n2 400;4.1\n3 600;5.9\n4 800;8\n",
            LINE
        ),
        table(
            "a unit in every cell",
            "x,y\n1 m,2\n2 m,4.1\n3 m,6\n4 m,8\n",
            LINE
        ),
        table("percent signs", "x,y\n10%,2\n20%,4.1\n30%,6\n40%,8\n", LINE),
        table(
            "quoted numbers",
            "x,y\n\"1\",\"2.1\"\n\"2\",\"3.9\"\n\"3\",\"6.2\"\n",
            LINE
        ),
        table("tabs in a csv", &GOOD.replace(',', "\t"), LINE),
        table("semicolons in a csv", &GOOD.replace(',', ";"), LINE),
        table(
            "lines that end as on Windows",
            &GOOD.replace('\n', "\r\n"),
            LINE
        ),
        table("a byte order mark", &format!("\u{feff}{GOOD}"), LINE),
        (
            "letters of another alphabet table",
            vec![("data.csv", latin)],
            vec![LINE]
        ),
        table(
            "values near the end of the range",
            "x,y\n1e300,1\n2e300,2\n3e300,2.5\n",
            powers
        ),
        table(
            "a code for missing values",
            "x,y\n1,2\n2,4.1\n3,5.9\n4,8\n5,-999\n6,12.1\n7,14\n8,16.1\n9,18\n10,20\n",
            "fit data.csv --target y",
        ),
    ]);
}

#[test]
fn rows() {
    tell!([
        table("one row", "x,y\n1,2\n", LINE),
        table("as many rows as terms", "x,y\n1,2\n2,3.5\n", LINE),
        good(
            "fewer rows than terms",
            "fit data.csv --target y --method ols --max-power 9 --max-degree 9",
        ),
        table(
            "one row for the usual search",
            "x,y\n1,2\n",
            "fit data.csv --target y"
        ),
        table(
            "two rows for the usual search",
            "x,y\n1,2\n2,3.5\n",
            "fit data.csv --target y",
        ),
    ]);
}

#[test]
fn terms() {
    let wide = format!(
        "{},y\n{}1\n",
        (0..40)
            .map(|i| format!("x{i}"))
            .collect::<Vec<_>>()
            .join(","),
        "1,".repeat(40)
    );
    tell!([
        good(
            "a bracket that stays open",
            "fit data.csv --target y --terms 'sin(x),x*(x+2'"
        ),
        good(
            "a bracket too many",
            "fit data.csv --target y --terms 'sin(x))'"
        ),
        good(
            "a function nobody knows",
            "fit data.csv --target y --terms 'sine(x)'"
        ),
        table(
            "a term of a column that is misspelt",
            "speed,y\n1,2\n2,3\n",
            "fit data.csv --target y --terms 'log(sped)'",
        ),
        table(
            "a logarithm of negative values",
            "x,y\n1,1\n-2.5,2\n3,2.5\n",
            "fit data.csv --target y --method ols --terms 'log(x)' --only-terms",
        ),
        good(
            "a term that is there already",
            "fit data.csv --target y --max-degree 1 --terms '2*x,1/x'",
        ),
        good(
            "a term that is given twice",
            "fit data.csv --target y --terms 'x,1/x,x' --only-terms",
        ),
        good(
            "only terms, and none",
            "fit data.csv --target y --only-terms"
        ),
        good(
            "a term to require that is not there",
            "fit data.csv --target y --require sin(x)"
        ),
        good(
            "an inner parameter without a term",
            "fit data.csv --target y --range a=1..2"
        ),
        table(
            "a dictionary too large to mean",
            &wide,
            "fit data.csv --target y --max-power 9 --max-degree 12",
        ),
    ]);
}

#[test]
fn flags() {
    tell!([
        good(
            "a flag that is misspelt",
            "fit data.csv --target y --max-term 3"
        ),
        good("a command that is misspelt", "fitt data.csv --target y"),
        good(
            "a method nobody knows",
            "fit data.csv --target y --method laso"
        ),
        good("no terms at all", "fit data.csv --target y --max-terms 0"),
        good("nothing to keep", "fit data.csv --target y --keep 0"),
        good(
            "powers the wrong way round",
            "fit data.csv --target y --powers 4..-2"
        ),
        good(
            "a time that is no time",
            "fit data.csv --target y --time-limit soon"
        ),
        good("no threads", "fit data.csv --target y --threads 0"),
        good(
            "a number that is a word",
            "fit data.csv --target y --max-degree two"
        ),
        good("a negative power", "fit data.csv --target y --max-power -2"),
        good(
            "two forms of output",
            "fit data.csv --target y --json --latex"
        ),
        good("quiet and verbose", "fit data.csv --target y -q -v"),
        good(
            "a knob of another method",
            "fit data.csv --target y --method ols --alpha 3"
        ),
        good("a flag of discover", "fit data.csv --target y --time t"),
        good(
            "weights that are not there",
            "fit data.csv --target y --weights w"
        ),
        good("a colour", "fit data.csv --target y --color red"),
    ]);
}

/// A damped rotation, x' = −0.1 x − 2 y and y' = 2 x − 0.1 y, at these times.
fn rotation(times: impl Iterator<Item = f64>) -> String {
    let mut csv = String::from("t,x,y\n");
    for t in times {
        let r = 2.0 * (-0.1 * t).exp();
        let (x, y) = (r * (2.0 * t).cos(), r * (2.0 * t).sin());
        writeln!(csv, "{t:.3},{x:.6},{y:.6}").unwrap();
    }
    csv
}

fn steady(n: u32) -> impl Iterator<Item = f64> {
    (0..n).map(|i| f64::from(i) * 0.02)
}

#[test]
fn trajectories() {
    let small = "discover data.csv --time t --max-degree 2";
    let uneven = (0..60).map(|i| f64::from(i) * 0.02 + 0.004 * f64::from(i % 3));
    let still = steady(50).fold(String::from("t,x,c\n"), |all, t| {
        all + &format!("{t},{},7\n", t.sin())
    });
    let run = rotation(steady(50));
    tell!([
        table(
            "times that go back",
            &rotation(steady(20).chain([0.1])),
            small
        ),
        table(
            "a time that comes twice",
            &rotation(steady(20).chain([0.38])),
            small
        ),
        table("two samples", &rotation(steady(2)), small),
        table("a state that never varies", &still, small),
        table(
            "a time that is no number",
            &run.replace("0.200,", "NaN,"),
            small
        ),
        table("no word about time", &run, "discover data.csv"),
        table(
            "a time that is not there",
            &run,
            "discover data.csv --time T"
        ),
        table(
            "a state that is not there",
            &run,
            "discover data.csv --time t --states x,z"
        ),
        table(
            "a trajectory column that is not there",
            &run,
            &format!("{small} --trajectory run")
        ),
        table(
            "rows that nobody knows",
            &run,
            &format!("{small} --derivative magic")
        ),
        table(
            "rows that need equal steps",
            &rotation(uneven.clone()),
            &format!("{small} --derivative pade10"),
        ),
        table("times at unequal steps", &rotation(uneven.clone()), small),
        table("a step of zero", &run, "discover data.csv --dt 0"),
        table("a target as for fit", &run, "discover data.csv --target y"),
        table(
            "states and features",
            &run,
            &format!("{small} --states x,y --features x")
        ),
        table(
            "terms without values on a record",
            &run,
            &format!("{small} --terms log(x),sqrt(y),sin(x),1/y")
        ),
    ]);
}

/// One state at 200 times.
fn state(step: f64, value: impl Fn(f64) -> f64) -> String {
    let mut csv = String::from("t,x\n");
    for i in 0..200 {
        let t = step * f64::from(i);
        writeln!(csv, "{t:.3},{:.6}", value(t)).unwrap();
    }
    csv
}

#[test]
fn records_whose_next_step_is_known() {
    use std::f64::consts::TAU;
    let small = "discover data.csv --time t --max-degree 2";
    tell!([
        table(
            "positions without velocities",
            &state(0.05, |t| (2.0 * t).cos()),
            small
        ),
        table(
            "few samples per period",
            &state(0.5, |t| (5.0 * t).cos()),
            small
        ),
        table(
            "an angle that wraps",
            &state(0.05, |t| (2.0 * t) % TAU),
            small
        ),
        table(
            "a clock among the states",
            &state(0.05, |t| (-t).exp()),
            "discover data.csv --dt 0.05 --max-degree 2"
        ),
    ]);
}

/// A field of a long table on the axes t and x.
fn field(name: &'static str, values: Vec<u8>) -> Case<'static> {
    let command = "discover field.csv --axes t,x";
    (name, vec![("field.csv", values)], vec![command])
}

/// A command on a small field, u = sin(x) + t/10.
fn gridded<'a>(name: &'a str, file: &'a str, command: &'a str) -> Case<'a> {
    let bytes = match file {
        "short.npz" => &include_bytes!("../../../eqlearn/tests/data/fields/short.npz")[..],
        "falling.npz" => &include_bytes!("../../../eqlearn/tests/data/fields/falling.npz")[..],
        "lone.npy" => &include_bytes!("../../../eqlearn/tests/data/fields/lone.npy")[..],
        _ => &include_bytes!("../../../eqlearn/tests/data/fields/plain.npz")[..],
    };
    (name, vec![(file, bytes.to_vec())], vec![command])
}

#[test]
#[expect(clippy::too_many_lines, reason = "a list of mistakes")]
fn fields() {
    let npz = "plain.npz";
    let wave = |t: f64, x: f64| (x - t).sin() + 0.3 * (2.0 * x - t).cos();
    let one_time = long(wave)
        .split(|byte| *byte == b'\n')
        .filter(|line| line.starts_with(b"t,") || line.starts_with(b"0,"))
        .collect::<Vec<_>>()
        .join(&b'\n');
    tell!([
        gridded(
            "an axis of another length",
            "short.npz",
            "discover short.npz --axes t,x --field u"
        ),
        gridded(
            "a time that falls",
            "falling.npz",
            "discover falling.npz --axes t,x --field u"
        ),
        gridded(
            "an array that is not there",
            npz,
            "discover plain.npz --axes t,y --field u"
        ),
        gridded("no axes", npz, "discover plain.npz --field u"),
        gridded("one axis", npz, "discover plain.npz --axes t --field u"),
        gridded(
            "an array without coordinates",
            "lone.npy",
            "discover lone.npy --axes t,x"
        ),
        gridded(
            "periodic in time",
            npz,
            "discover plain.npz --axes t,x --periodic t"
        ),
        gridded(
            "states of a field",
            npz,
            "discover plain.npz --axes t,x --states u"
        ),
        gridded(
            "a time of a field",
            npz,
            "discover plain.npz --axes t,x --time t"
        ),
        gridded(
            "one half width",
            npz,
            "discover plain.npz --axes t,x --half-width 0.5"
        ),
        gridded(
            "a half width of nothing",
            npz,
            "discover plain.npz --axes t,x --half-widths 0.5,0"
        ),
        gridded(
            "code of a field",
            npz,
            "discover plain.npz --axes t,x --code python"
        ),
        gridded(
            "noise of a field",
            npz,
            "discover plain.npz --axes t,x --denoise on"
        ),
        gridded(
            "a parameter in a field",
            npz,
            "discover plain.npz --axes t,x --terms 'exp(-?a*u)'"
        ),
        gridded(
            "a third order in time",
            npz,
            "discover plain.npz --axes t,x --order 3"
        ),
        gridded(
            "a product without a weak form",
            npz,
            "discover plain.npz --axes t,x --terms 'u*u_xx'"
        ),
        gridded(
            "a direction that is not there",
            npz,
            "discover plain.npz --axes t,x --terms 'u_y'"
        ),
        gridded(
            "a grid that is too small",
            npz,
            "discover plain.npz --axes t,x"
        ),
        field("one time", one_time),
        field("a constant field", long(|_, _| 2.5)),
        field(
            "a grid that is too coarse",
            long(|t, x| (31.4 * x + 2.0 * t).sin() + (27.1 * x - 29.0 * t).cos())
        ),
    ]);
}

#[test]
fn models() {
    let saved = "fit data.csv --target y --method ols --max-degree 1 --save m.json -q";
    let learned = "discover data.csv --time t --max-degree 2 --save s.json -q";
    let long = rotation(steady(300));
    let after = |name: &'static str, shown: &'static str| {
        (name, vec![("data.csv", GOOD.into())], vec![saved, shown])
    };
    let moved = |name: &'static str, shown: &'static str| {
        (
            name,
            vec![("data.csv", long.clone().into())],
            vec![learned, shown],
        )
    };
    tell!([
        after("swapped files", "predict data.csv m.json"),
        after("no model among them", "predict data.csv data.csv"),
        after(
            "a law where a system is needed",
            "simulate m.json --from y=1 --until 1 --step 1"
        ),
        (
            "a model of another time",
            vec![
                ("data.csv", GOOD.into()),
                ("m.json", r#"{"schema": "eqlearn-model/99"}"#.into()),
            ],
            vec!["predict m.json data.csv"],
        ),
        (
            "a model without its numbers",
            vec![
                ("data.csv", GOOD.into()),
                ("m.json", r#"{"schema": "eqlearn-model/1"}"#.into()),
            ],
            vec!["predict m.json data.csv"],
        ),
        (
            "new rows without a column",
            vec![("data.csv", GOOD.into()), ("new.csv", "z\n1\n".into())],
            vec![saved, "predict m.json new.csv"],
        ),
        moved(
            "a state without a start",
            "simulate s.json --from x=1 --until 1 --step 0.1"
        ),
        moved(
            "a start of no state",
            "simulate s.json --from x=1,z=2 --until 1 --step 0.1"
        ),
        moved(
            "a start that is a word",
            "simulate s.json --from x=one --until 1 --step 0.1"
        ),
        moved("no start", "simulate s.json --until 1 --step 0.1"),
        moved(
            "an end before the start",
            "simulate s.json --from x=1,y=2 --until=-3 --step 0.1"
        ),
        moved(
            "a step of nothing",
            "simulate s.json --from x=1,y=2 --until 1 --step 0"
        ),
        (
            "an input without values",
            vec![("data.csv", long.clone().into())],
            vec![
                "discover data.csv --time t --states x --inputs y --max-degree 1 --save s.json -q",
                "simulate s.json --from x=1 --until 1 --step 0.1",
            ],
        ),
    ]);
}

#[test]
fn places() {
    tell!([
        good(
            "a page in no folder",
            "fit data.csv --target y --report no/such/page.html"
        ),
        good(
            "a page that is a folder",
            "fit data.csv --target y --report folder"
        ),
        good(
            "a model over the data",
            "fit data.csv --target y --save data.csv"
        ),
        good(
            "one place for two files",
            "fit data.csv --target y --save a --report a"
        ),
        good(
            "a part without a place",
            "fit data.csv --target y --shard 1/2"
        ),
        good("a triangle without a place", "reduce data.csv --target y"),
    ]);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a list of mistakes")]
fn experiments() {
    let rows = "run,x,y\na,1,2.1\na,2,3.9\na,3,6.2\na,4,7.8\nb,1,3.2\nb,2,5.8\nb,3,9.1\nb,4,12.0\n";
    let one = "run,x,y\na,1,2.1\na,2,3.9\na,3,6.2\na,4,7.8\na,5,10.1\n";
    let few = "run,x,y\na,1,2.1\na,2,3.9\na,3,6.2\na,4,7.8\nb,1,3.2\n";
    let grouped = |name, more| table(name, rows, more);
    let saved = "fit data.csv --target y --group run --max-degree 1 --save m.json -q";
    tell!([
        grouped(
            "a column that is not there",
            "fit data.csv --target y --group runs"
        ),
        grouped(
            "experiments among the features",
            "fit data.csv --target y --group run --features run,x"
        ),
        grouped(
            "experiments as the target",
            "fit data.csv --target y --group y"
        ),
        grouped(
            "a shared term that is not there",
            "fit data.csv --target y --group run --shared 'sin(x)'"
        ),
        grouped(
            "shared without experiments",
            "fit data.csv --target y --shared x"
        ),
        table(
            "an experiment of one row",
            few,
            "fit data.csv --target y --group run"
        ),
        table(
            "one experiment",
            one,
            "fit data.csv --target y --group run --max-degree 1"
        ),
        grouped(
            "a method without lists",
            "fit data.csv --target y --group run --method lasso"
        ),
        grouped(
            "an evidence that is not known",
            "fit data.csv --target y --group run --criterion evidence"
        ),
        grouped(
            "a robust fit of experiments",
            "fit data.csv --target y --group run --robust"
        ),
        grouped(
            "a richer vocabulary of experiments",
            "fit data.csv --target y --group run --vocabulary functions"
        ),
        grouped(
            "inner parameters of experiments",
            "fit data.csv --target y --group run --terms 'exp(-?a*x)'"
        ),
        grouped(
            "a derivative of experiments",
            "fit data.csv --target y --group run --differentiate x"
        ),
        grouped(
            "a shard of experiments",
            "fit data.csv --target y --group run --shard 1/2 --save-part p.json"
        ),
        grouped(
            "experiments of motion",
            "discover data.csv --dt 1 --group run"
        ),
        grouped(
            "experiments compared",
            "compare data.csv --target y --group run"
        ),
        (
            "experiments of a triangle",
            vec![("data.csv", rows.into())],
            vec![
                "reduce data.csv --target y --features x --out rows.tri -q",
                "fit rows.tri --group run",
            ],
        ),
        (
            "an experiment that is not known",
            vec![
                ("data.csv", rows.into()),
                ("new.csv", "run,x\na,1\nc,2\n".into()),
            ],
            vec![saved, "predict m.json new.csv --out p.csv"],
        ),
        (
            "no experiments to predict",
            vec![("data.csv", rows.into()), ("new.csv", "x\n1\n2\n".into())],
            vec![saved, "predict m.json new.csv --out p.csv"],
        ),
    ]);
}
