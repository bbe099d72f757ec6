//! A search split among processes, and merged again.

use serde_json::Value;

use crate::command::{Folder, Ran};
use crate::search::planted;

// All 72 monomials: sizes from six on are split.
const FIT: [&str; 9] = [
    "fit",
    "data.csv",
    "--target",
    "y",
    "--features",
    "a,b,c",
    "--max-terms",
    "6",
    "--quiet",
];

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("data.csv", planted());
    folder
}

fn part(folder: &Folder, shard: &str, name: &str, rest: &[&str]) {
    let flags = ["--shard", shard, "--save-part", name];
    let ran = folder.run(&[&FIT[..], &flags, rest].concat());
    assert_eq!(ran.status(), 0, "{}", ran.stderr());
}

fn refuses(ran: &Ran, words: &str) {
    let said = ran.stderr();
    assert_eq!(ran.status(), 2, "{said}");
    assert!(said.contains(words), "{said}");
}

/// A document without what varies: time, and how much work the proof took.
fn lasting(mut document: Value) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                for name in ["seconds", "enumerated", "excluded", "rescored", "nodes"] {
                    fields.remove(name);
                }
                fields.values_mut().for_each(strip);
            }
            Value::Array(values) => values.iter_mut().for_each(strip),
            _ => {}
        }
    }
    strip(&mut document);
    document
}

#[test]
fn merged_parts_give_the_document_of_one_process() {
    let folder = folder("merged");
    for method in ["best", "best-subset"] {
        let whole = [&FIT[..], &["--method", method, "--json"]].concat();
        let whole = folder.run(&whole).document();
        for number in 1..=3 {
            let (shard, name) = (format!("{number}/3"), format!("p{number}.json"));
            let before: Vec<String> = (1..number).map(|k| format!("p{k}.json")).collect();
            let known: Vec<&str> = before.iter().flat_map(|name| ["--known", name]).collect();
            let rest = [&["--method", method], &known[..]].concat();
            part(&folder, &shard, &name, &rest);
        }
        let merge = ["merge", "p3.json", "p1.json", "p2.json", "--json"];
        let merged = folder.run(&merge).document();
        assert_eq!(lasting(whole), lasting(merged));
    }
    let page = [
        "merge",
        "p1.json",
        "p2.json",
        "p3.json",
        "--report",
        "page.html",
        "--save",
        "m.json",
    ];
    assert_eq!(folder.run(&page).status(), 0);
    assert!(folder.read("page.html").contains("data.csv"));
    assert_eq!(folder.run(&["predict", "m.json", "data.csv"]).status(), 0);
}

#[test]
fn parts_that_do_not_belong_together_are_refused_by_name() {
    let folder = folder("foreign");
    part(&folder, "1/2", "p1.json", &[]);
    part(&folder, "2/2", "p2.json", &[]);
    part(&folder, "2/2", "other.json", &["--keep", "3"]);
    part(&folder, "2/2", "else.json", &["--exclude", "a"]);
    folder.file("noise.json", "{}");
    let says = |parts: &[&str], words: &str| {
        refuses(&folder.run(&[&["merge"], parts].concat()), words);
    };
    says(&["p1.json"], "a part is missing: 2/2");
    says(&["p1.json"], "run the same command with --shard 2/2");
    says(
        &["p1.json", "p2.json", "p2.json"],
        "p2.json and p2.json are both part 2 of 2",
    );
    says(
        &["p1.json", "other.json"],
        "other.json does not belong to the other parts: it is of other settings",
    );
    says(&["p1.json", "else.json"], "else.json does not belong");
    says(
        &["p1.json", "noise.json"],
        "noise.json is no part of a search: it has no field `schema`",
    );
    says(&["p1.json", "gone.json"], "cannot read the part gone.json");
    let text = folder.read("p2.json");
    folder.file("cut.json", &text[..text.len() / 2]);
    says(
        &["p1.json", "cut.json"],
        "cut.json is no part of a search: it ends too early: EOF",
    );
    folder.file(
        "old.json",
        text.replacen("\"version\":\"", "\"version\":\"9", 1),
    );
    says(&["p1.json", "old.json"], "wrote it, this is");
}

#[test]
fn flags_that_make_no_sense_for_a_part_say_so() {
    let folder = folder("absurd");
    let says = |flags: &[&str], words: &str| {
        refuses(&folder.run(&[&FIT[..], flags].concat()), words);
    };
    says(
        &["--shard", "3/2", "--save-part", "p.json"],
        "no share such as 3/16",
    );
    says(&["--shard", "1/2"], "--save-part");
    says(
        &["--shard", "1/2", "--save-part", "p.json", "--json"],
        "cannot be used with",
    );
    says(
        &[
            "--shard",
            "1/2",
            "--save-part",
            "p.json",
            "--method",
            "cs-r2",
        ],
        "cs-r2 cannot be split into parts",
    );
    says(
        &["--shard", "1/2", "--save-part", "nowhere/p.json"],
        "cannot write nowhere/p.json",
    );
    assert_eq!(folder.names(), ["data.csv"]);
}
