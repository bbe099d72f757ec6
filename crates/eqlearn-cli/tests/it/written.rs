//! Where results go: checked before the work, and never at the cost of the answer.

use std::fmt::Write as _;

use crate::command::Folder;

const LINE: &str = "x,y\n1,2.1\n2,3.9\n3,6.2\n4,7.8\n5,10.1\n6,11.9\n";

const FIT: [&str; 5] = ["--target", "y", "--max-degree", "1", "--quiet"];

#[test]
fn places_are_checked_before_anything_is_read() {
    let folder = Folder::new("places");
    folder.file("model.json", "{}");
    // The data are not there, and nobody comes to notice.
    let commands: [&[&str]; 6] = [
        &[
            "fit",
            "nowhere.csv",
            "--target",
            "y",
            "--report",
            "no/such/page.html",
        ],
        &[
            "fit",
            "nowhere.csv",
            "--target",
            "y",
            "--save",
            "no/such/model.json",
        ],
        &[
            "discover",
            "nowhere.csv",
            "--time",
            "t",
            "--report",
            "no/such/page.html",
        ],
        &[
            "compare",
            "nowhere.csv",
            "--target",
            "y",
            "--plot-data",
            "no/such/numbers.csv",
        ],
        &[
            "predict",
            "model.json",
            "nowhere.csv",
            "--out",
            "no/such/y.csv",
        ],
        &[
            "reduce",
            "nowhere.csv",
            "--target",
            "y",
            "--out",
            "no/such/part.tri",
        ],
    ];
    let mut said = String::new();
    for words in commands {
        let ran = folder.run(words);
        assert_eq!((ran.status(), ran.stdout().as_str()), (2, ""));
        writeln!(said, "{}: {}", words[0], ran.stderr()).unwrap();
    }
    assert_eq!(folder.names(), ["model.json"], "nothing is left behind");
    insta::assert_snapshot!(said);
}

#[test]
fn a_place_that_is_taken_is_refused() {
    let folder = Folder::new("taken");
    folder.file("data.csv", LINE);
    std::fs::create_dir(folder.path().join("pages")).unwrap();
    let fit = [&["fit", "data.csv"], &FIT[..]].concat();
    let cases: [&[&str]; 3] = [
        &["--save", "./data.csv"],
        &["--save", "out.json", "--report", "./out.json"],
        &["--report", "pages"],
    ];
    let mut said = String::new();
    for words in cases {
        let ran = folder.run(&[&fit[..], words].concat());
        assert_eq!(ran.status(), 2);
        said += &ran.stderr();
    }
    assert_eq!(folder.read("data.csv"), LINE);
    insta::assert_snapshot!(said);
}

#[test]
#[cfg(target_os = "linux")]
fn a_write_that_fails_keeps_the_answer() {
    use std::os::unix::fs::FileTypeExt as _;

    let folder = Folder::new("full");
    folder.file("data.csv", LINE);
    let fit = [&["fit", "data.csv"], &FIT[..]].concat();
    let answer = folder.run(&fit).stdout();
    assert!(answer.starts_with("y = "), "{answer}");
    // A disk without room; the other file is written all the same.
    let files = ["--save", "/dev/full", "--report", "page.html"];
    let ran = folder.run(&[&fit[..], &files].concat());
    assert_eq!((ran.status(), ran.stdout()), (2, answer));
    assert!(
        ran.stderr().starts_with("error: cannot write /dev/full: "),
        "{}",
        ran.stderr()
    );
    assert!(folder.read("page.html").contains("<html"));
    // A device is written to, not replaced by a file.
    let there = std::fs::metadata("/dev/full").unwrap();
    assert!(there.file_type().is_char_device());
}

#[test]
fn files_that_were_written_are_named() {
    let folder = Folder::new("named");
    folder.file("data.csv", LINE);
    let fit = ["fit", "data.csv", "--target", "y", "--max-degree", "1"];
    let ran = folder.run(&[&fit[..], &["--save", "m.json", "--report", "p.html"]].concat());
    assert_eq!(
        ran.stderr(),
        "note: model written to m.json\nnote: page written to p.html\n"
    );
    let fit = ["compare", "data.csv", "--target", "y", "--max-degree", "1"];
    let files = [
        "--methods",
        "best",
        "--report",
        "c.html",
        "--plot-data",
        "c.csv",
    ];
    let ran = folder.run(&[&fit[..], &files].concat());
    assert_eq!(
        ran.stderr(),
        "note: numbers written to c.csv\nnote: page written to c.html\n"
    );
    let rows = (0..200).fold(String::from("t,x\n"), |all, i| {
        let t = 0.05 * f64::from(i);
        all + &format!("{t:.2},{:.6}\n", (-0.4 * t).exp())
    });
    folder.file("run.csv", rows);
    let line = "discover run.csv --time t --max-degree 2 --report d.html";
    assert_eq!(
        folder.run_line(line).stderr(),
        "note: page written to d.html\n"
    );
    folder.file(
        "dice.csv",
        "x,y\n1,6\n2,-1\n3,2\n4,-4\n5,1\n6,-3\n7,4\n8,-2\n9,0.1\n",
    );
    let ran = folder.run(&["fit", "dice.csv", "--target", "y", "--save", "none.json"]);
    assert_eq!(ran.status(), 1, "{}", ran.stdout());
    assert!(
        ran.stderr()
            .contains("there is no model to save: none.json was not written"),
        "{}",
        ran.stderr()
    );
}
