//! The smallest experiment: what the runner needs to know, and what it does with it.

use std::fmt;
use std::ops::ControlFlow;

use eqlearn::search::Shard;
use eqlearn_reproduce::Experiment;
use eqlearn_reproduce::runner::{
    GoOn, LineOf, Progress, Timed, collect, read_lines, read_times, run, timed,
};
use serde::{Deserialize, Serialize};

use crate::folder::Folder;

/// Powers of the first numbers.
struct Powers(u32);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Base {
    base: u32,
}

impl fmt::Display for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "base {}", self.base)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Power {
    power: u32,
}

impl Experiment for Powers {
    type Scenario = Base;
    type Method = u32;
    type Data = u32;
    type Outcome = Power;

    fn name(&self) -> &'static str {
        "powers"
    }

    fn scenarios(&self) -> Vec<Base> {
        (0..self.0).map(|base| Base { base }).collect()
    }

    fn methods(&self) -> Vec<(&'static str, u32)> {
        vec![("square", 2), ("cube", 3)]
    }

    fn data(&self, scenario: &Base) -> u32 {
        scenario.base
    }

    fn run(&self, base: &u32, exponent: &u32, _: &GoOn<'_>) -> Timed<Power> {
        timed(|| base.pow(*exponent)).map(|power| Power { power })
    }
}

fn go_on(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn files_and_memory_hold_the_same_lines_in_order() {
    let folder = Folder::new("toy-lines");
    let ended = run(&Powers(50), Shard::WHOLE, folder.path(), 2, &mut go_on);
    assert!(ended.unwrap().is_continue());
    let text = folder.read("powers.jsonl");
    let first = r#"{"scenario":{"base":0},"method":"square","power":0}"#;
    let last = r#"{"scenario":{"base":49},"method":"cube","power":117649}"#;
    let all: Vec<&str> = text.lines().collect();
    assert_eq!((all.len(), all[0], all[99]), (100, first, last));
    let lines: Vec<LineOf<Powers>> = read_lines(folder.path(), "powers").unwrap();
    assert_eq!(collect(&Powers(50), 3, &mut go_on).unwrap(), lines);
    assert_eq!(
        read_times::<Base>(folder.path(), "powers").unwrap().len(),
        100
    );
}

#[test]
fn a_longer_run_goes_on_from_a_shorter_one() {
    let folder = Folder::new("toy-longer");
    for scenarios in [3, 7] {
        let ended = run(
            &Powers(scenarios),
            Shard::WHOLE,
            folder.path(),
            1,
            &mut go_on,
        );
        assert!(ended.unwrap().is_continue());
    }
    assert_eq!(folder.read("powers.jsonl").lines().count(), 14);
    assert_eq!(folder.read("powers-times.jsonl").lines().count(), 14);
    let shorter = run(&Powers(3), Shard::WHOLE, folder.path(), 1, &mut go_on).unwrap_err();
    assert!(shorter.to_string().contains("no more lines"), "{shorter}");
}

#[test]
fn a_run_without_files_can_be_stopped() {
    assert_eq!(
        collect(&Powers(50), 2, &mut |_| ControlFlow::Break(())),
        None
    );
}
