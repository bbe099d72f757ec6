//! A search in parts, in other processes, or on a cluster: exactly the lists of one that is not
//! split.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Duration;

use eqlearn::observe::Progress;
use eqlearn::search::{
    Cluster, Engine, Found, Merged, PartsError, Run, Search, SearchPart, Shard, search,
    search_shard, work,
};
use eqlearn::{Error, Observer, Triangle};

use crate::fixture::{gaussian, lorenz, polynomial, triangle};
use crate::search::{lists, unpleasant};

type Named = Vec<(String, SearchPart)>;

fn parts(triangle: &Triangle, settings: &Search, of: usize, run: &Run<'_>) -> Named {
    Shard::all(of)
        .map(|shard| {
            let part = search_shard(triangle, settings, shard, &[], run, &mut ()).unwrap();
            (format!("p{}.json", shard.number()), part)
        })
        .collect()
}

fn put_together(triangle: &Triangle, settings: &Search, parts: &Named, run: &Run<'_>) -> Found {
    let merged = Merged::new(parts, settings.keep).unwrap();
    let run = Run {
        elsewhere: Some(&merged),
        ..run.clone()
    };
    search(triangle, settings, &run, &mut ()).unwrap()
}

fn assert_proven(found: &Found) {
    for list in &found.sizes {
        let decided = list.certificate.excluded + list.certificate.enumerated;
        assert!(list.exact);
        assert_eq!(decided, list.subsets, "{} terms", list.size);
    }
}

#[test]
fn parts_merge_into_the_lists_of_one_process() {
    let problems = [
        (polynomial(1, 2, 95), 8),
        (polynomial(5, 3, 95), 6),
        (polynomial(2, 3, 20), 5),
        (lorenz(1, 0, 200), 7),
        (gaussian(1, 200, 8, 600), 5),
    ];
    for (columns, max_terms) in problems {
        let triangle = triangle(&columns);
        let settings = Search {
            max_terms,
            ..Search::default()
        };
        let run = Run::default();
        let whole = search(&triangle, &settings, &run, &mut ()).unwrap();
        for of in [1, 3, 16] {
            let mut parts = parts(&triangle, &settings, of, &run);
            parts.reverse();
            let found = put_together(&triangle, &settings, &parts, &run);
            assert_eq!(lists(&whole), lists(&found));
            assert_proven(&found);
        }
    }
}

#[test]
fn parts_of_unpleasant_problems_merge_too() {
    for seed in 0..100 {
        let (columns, what) = unpleasant(seed);
        let triangle = triangle(&columns);
        let settings = Search {
            keep: [25, 1, 3][columns.len() % 3],
            ..Search::default()
        };
        let run = Run::default();
        let whole = search(&triangle, &settings, &run, &mut ()).unwrap();
        let parts = parts(&triangle, &settings, 2, &run);
        let found = put_together(&triangle, &settings, &parts, &run);
        assert_eq!(lists(&whole), lists(&found), "{what}");
        assert_proven(&found);
    }
}

#[test]
fn a_score_ends_merged_parts_where_it_ends_one_process() {
    let triangle = triangle(&gaussian(4, 40, 2, 400));
    let settings = Search::default();
    let score = |size: usize, share: f64| -200.0 * share.ln() - 9.0 * size as f64;
    let run = Run {
        score: Some(&score),
        ..Run::default()
    };
    let whole = search(&triangle, &settings, &run, &mut ()).unwrap();
    assert!(whole.ended_early.is_some());
    let parts = parts(&triangle, &settings, 3, &run);
    assert!(parts.iter().all(|(_, part)| part.sizes.len() < 8));
    let found = put_together(&triangle, &settings, &parts, &run);
    assert_eq!(lists(&whole), lists(&found));
    assert_eq!(whole.ended_early, found.ended_early);
}

#[test]
fn what_is_known_before_lets_a_part_exclude_more() {
    let triangle = triangle(&polynomial(5, 3, 95));
    let settings = Search {
        max_terms: 7,
        ..Search::default()
    };
    let run = Run {
        threads: 1,
        ..Run::default()
    };
    let mut parts = parts(&triangle, &settings, 4, &run);
    let [shard, first] = [parts[3].1.shard, parts[0].1.shard];
    assert_eq!((shard.number(), first.number()), (4, 1));
    let known = search_shard(&triangle, &settings, shard, &parts[..3], &run, &mut ()).unwrap();
    let scored = |part: &SearchPart| -> u64 {
        let counts = part.sizes.iter().map(|list| list.certificate.rescored);
        counts.sum()
    };
    assert!(scored(&known) < scored(&parts[3].1));
    parts[3].1 = known;
    let found = put_together(&triangle, &settings, &parts, &run);
    let whole = search(&triangle, &settings, &run, &mut ()).unwrap();
    assert_eq!(lists(&whole), lists(&found));
}

#[test]
fn foreign_missing_and_double_parts_are_refused_by_name() {
    let settings = Search {
        max_terms: 3,
        ..Search::default()
    };
    let run = Run::default();
    let one = triangle(&polynomial(1, 2, 95));
    let other = triangle(&polynomial(2, 2, 95));
    let parts_of_one = parts(&one, &settings, 3, &run);
    let refusal = |parts: &Named| match Merged::new(parts, settings.keep) {
        Err(Error::Parts(problem)) => problem.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(refusal(&Vec::new()), "there are no parts to merge");
    let two = parts_of_one[..2].to_vec();
    assert_eq!(refusal(&two), "a part is missing: 3/3");
    let mut twice = parts_of_one.clone();
    twice.push(("copy.json".into(), parts_of_one[1].1.clone()));
    assert_eq!(
        refusal(&twice),
        "copy.json and p2.json are both part 2 of 3; give each part once"
    );
    let mut foreign = parts_of_one.clone();
    foreign[2] = parts(&other, &settings, 3, &run).remove(2);
    assert_eq!(
        refusal(&foreign),
        "p3.json does not belong to the other parts: it is of other data or other settings"
    );
    let mut finer = parts_of_one;
    finer[1] = parts(&one, &settings, 4, &run).remove(1);
    assert_eq!(
        refusal(&finer),
        "p2.json does not belong to the other parts: it is part 2 of 4, not one of 3 parts"
    );
}

#[test]
fn a_part_that_was_stopped_makes_the_whole_inexact() {
    struct AtOnce;
    impl Observer for AtOnce {
        fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
            if progress.total > 50_000_000 {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        }
    }
    let triangle = triangle(&polynomial(1, 2, 20));
    let settings = Search {
        max_terms: 6,
        ..Search::default()
    };
    let run = Run::default();
    let mut parts = parts(&triangle, &settings, 2, &run);
    let shard = parts[1].1.shard;
    parts[1].1 = search_shard(&triangle, &settings, shard, &[], &run, &mut AtOnce).unwrap();
    let found = put_together(&triangle, &settings, &parts, &run);
    let last = found.sizes.last().unwrap();
    assert!(!last.exact);
    assert!(last.certificate.excluded + last.certificate.enumerated < last.subsets);
}

type Done<'a> = dyn FnMut(usize, &[u8]) -> ControlFlow<()> + 'a;

/// An engine with this many workers, made from a function.
struct Fake<F>(usize, F);

impl<F> Engine for Fake<F>
where
    F: Fn(&[u8], &[Vec<u8>], &mut Done<'_>) -> Result<(), String> + Sync,
{
    fn workers(&self) -> usize {
        self.0
    }

    fn run(&self, shared: &[u8], tasks: &[Vec<u8>], done: &mut Done<'_>) -> Result<(), String> {
        (self.1)(shared, tasks, done)
    }
}

fn worked(shared: &[u8], task: &[u8]) -> Result<Vec<u8>, String> {
    work(shared, task, 1, &mut ()).map_err(|error| error.to_string())
}

/// Three workers in an odd order that deliver some results twice, as an engine may after a worker
/// died; it logs the number of tasks.
fn clumsy(log: &Mutex<Vec<usize>>) -> impl Engine {
    Fake(
        3,
        |shared: &[u8], tasks: &[Vec<u8>], done: &mut Done<'_>| {
            log.lock().unwrap().push(tasks.len());
            for (place, task) in tasks.iter().enumerate().rev() {
                let result = worked(shared, task)?;
                for _ in 0..=usize::from(place % 3 == 1) {
                    if done(place, &result).is_break() {
                        return Ok(());
                    }
                }
            }
            Ok(())
        },
    )
}

#[test]
fn a_cluster_finds_the_lists_of_one_process() {
    for columns in [
        polynomial(1, 2, 95),
        polynomial(5, 3, 95),
        lorenz(1, 0, 200),
    ] {
        let triangle = triangle(&columns);
        let settings = Search::default();
        let whole = search(&triangle, &settings, &Run::default(), &mut ()).unwrap();
        let log = Mutex::new(Vec::new());
        let engine = clumsy(&log);
        let cluster = Cluster::new(&engine).with_trial(Duration::ZERO);
        let run = Run {
            elsewhere: Some(&cluster),
            ..Run::default()
        };
        let found = search(&triangle, &settings, &run, &mut ()).unwrap();
        assert_eq!(lists(&whole), lists(&found));
        assert_proven(&found);
        // Sizes six, seven and eight, the largest in two rounds.
        assert_eq!(*log.lock().unwrap(), [3, 8, 24, 36]);
    }
}

#[test]
fn what_a_trial_decides_is_not_sent() {
    let triangle = triangle(&polynomial(1, 2, 95));
    let log = Mutex::new(Vec::new());
    let engine = clumsy(&log);
    let cluster = Cluster::new(&engine).with_trial(Duration::from_hours(1));
    let run = Run {
        elsewhere: Some(&cluster),
        ..Run::default()
    };
    let found = search(&triangle, &Search::default(), &run, &mut ()).unwrap();
    let whole = search(&triangle, &Search::default(), &Run::default(), &mut ()).unwrap();
    assert_eq!(lists(&whole), lists(&found));
    assert!(log.lock().unwrap().is_empty());
}

#[test]
fn a_cluster_that_is_stopped_says_what_is_proven() {
    struct AfterFour(u32);
    impl Observer for AfterFour {
        fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
            assert!(progress.done <= progress.total);
            if progress.total > 10_000_000_000 {
                self.0 += 1;
            }
            if self.0 > 4 {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        }
    }
    let triangle = triangle(&polynomial(1, 2, 95));
    let log = Mutex::new(Vec::new());
    let engine = clumsy(&log);
    let cluster = Cluster::new(&engine).with_trial(Duration::ZERO);
    let run = Run {
        elsewhere: Some(&cluster),
        ..Run::default()
    };
    let found = search(&triangle, &Search::default(), &run, &mut AfterFour(0)).unwrap();
    let last = found.sizes.last().unwrap();
    assert_eq!((last.size, last.exact), (8, false));
    assert!(last.certificate.excluded + last.certificate.enumerated < last.subsets);
    assert!(found.sizes[..7].iter().all(|list| list.exact));
}

/// One worker that receives something else than what was sent.
fn tampering(change: impl Fn(Vec<u8>) -> Vec<u8> + Sync) -> impl Engine {
    Fake(
        1,
        move |shared: &[u8], tasks: &[Vec<u8>], done: &mut Done<'_>| {
            let changed = change(shared.to_vec());
            for (place, task) in tasks.iter().enumerate() {
                let _ = done(place, &worked(&changed, task)?);
            }
            Ok(())
        },
    )
}

#[test]
fn workers_of_another_version_damaged_tasks_and_lost_results_are_refused() {
    let triangle = triangle(&polynomial(1, 2, 95));
    let trouble = |engine: &dyn Engine| {
        let cluster = Cluster::new(engine).with_trial(Duration::ZERO);
        let run = Run {
            elsewhere: Some(&cluster),
            ..Run::default()
        };
        match search(&triangle, &Search::default(), &run, &mut ()) {
            Err(Error::Parts(
                problem @ (PartsError::EngineFailed { .. } | PartsError::ResultsLost { .. }),
            )) => problem.to_string(),
            other => panic!("{other:?}"),
        }
    };
    let renamed = |from: &'static str, to: &'static str| {
        move |task: Vec<u8>| {
            let place = task
                .windows(from.len())
                .position(|window| window == from.as_bytes())
                .unwrap();
            let mut changed = task;
            changed[place..place + to.len()].copy_from_slice(to.as_bytes());
            changed
        }
    };
    let version = trouble(&tampering(renamed("\"0.1.", "\"9.9.")));
    assert!(
        version.contains("install the same version everywhere"),
        "{version}"
    );
    let processor = trouble(&tampering(renamed(
        "\"arithmetic\":\"",
        "\"arithmetic\":\"x",
    )));
    assert!(
        processor.contains("the same kind of processor"),
        "{processor}"
    );
    let losing = Fake(
        2,
        |shared: &[u8], tasks: &[Vec<u8>], done: &mut Done<'_>| {
            let _ = done(0, &worked(shared, &tasks[0])?);
            Ok(())
        },
    );
    let lost = trouble(&losing);
    assert!(lost.contains("1 of 2 results did not come back"), "{lost}");
    let cut = trouble(&tampering(|task: Vec<u8>| task[..task.len() / 2].to_vec()));
    assert!(cut.contains("cut off"), "{cut}");
}
