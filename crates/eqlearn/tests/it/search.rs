//! The exact search: its lists against a QR of every subset, and their invariants.

use std::ops::ControlFlow;
use std::time::Duration;

use eqlearn::observe::Progress;
use eqlearn::search::{EndReason, Found, Run, Search, SearchError, plan, search};
use eqlearn::{Error, Observer, Support};

use crate::fixture::{Columns, Dice, gaussian, lorenz, polynomial, triangle};

const ALONE: Run<'_> = Run {
    threads: 1,
    checkpoint: None,
    score: None,
    rivals: 0.0,
    go_on: None,
    elsewhere: None,
};

/// Residual of a support by modified Gram–Schmidt, twice, from the raw columns: another algorithm
/// than the library's. Also a bound on the rounding error of its length, which is large for nearly
/// collinear columns.
fn residual(columns: &Columns, centre: &[usize], support: &[usize]) -> (f64, f64) {
    let unit = |v: &[f64]| {
        let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        v.iter()
            .map(|x| x / length.max(1e-300))
            .collect::<Vec<f64>>()
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let project = |basis: &[Vec<f64>], v: &mut Vec<f64>| {
        for q in basis.iter().chain(basis) {
            let d = dot(q, v);
            v.iter_mut().zip(q).for_each(|(x, y)| *x -= d * y);
        }
    };
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut shortest = 1.0_f64;
    let mut grow = |basis: &mut Vec<Vec<f64>>, terms: &[usize]| {
        for &j in terms {
            let mut v = unit(&columns[j]);
            project(basis, &mut v);
            let length = dot(&v, &v).sqrt();
            if length > 1e-13 {
                shortest = shortest.min(length);
                basis.push(unit(&v));
            }
        }
        let mut y = unit(&columns[columns.len() - 1]);
        project(basis, &mut y);
        dot(&y, &y)
    };
    let tss = grow(&mut basis, centre);
    let rss = grow(&mut basis, support);
    let zero = rss < 1e-27 || tss < 1e-27;
    (
        if zero { 0.0 } else { rss / tss },
        1e-13 / shortest / tss.sqrt().max(1e-13),
    )
}

fn subsets(from: &[usize], size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    (0..from.len())
        .flat_map(|i| {
            subsets(&from[i + 1..], size - 1)
                .into_iter()
                .map(move |mut rest| {
                    rest.insert(0, from[i]);
                    rest
                })
        })
        .collect()
}

/// Checks every list against all subsets, allowing supports to change places only within rounding.
fn check(columns: &Columns, settings: &Search, found: &Found, what: &str) {
    let p = columns.len() - 1;
    let free: Vec<usize> = (0..p)
        .filter(|&t| {
            ![&settings.required, &settings.excluded, &settings.centre]
                .iter()
                .any(|s| s.contains(t))
        })
        .collect();
    let close =
        |a: f64, (b, error): (f64, f64)| (a.sqrt() - b.sqrt()).abs() < 1e-10 * b.sqrt() + error;
    for list in &found.sizes {
        let all: Vec<Support> = subsets(&free, list.size - settings.required.len())
            .iter()
            .map(|s| {
                s.iter()
                    .copied()
                    .collect::<Support>()
                    .union(&settings.required)
            })
            .collect();
        assert!(list.exact, "{what}: size {}", list.size);
        assert_eq!(
            list.subsets,
            all.len() as u128,
            "{what}: size {}",
            list.size
        );
        let decided = list.certificate.excluded + list.certificate.enumerated;
        assert_eq!(decided, list.subsets, "{what}: size {}", list.size);
        let mut truth: Vec<((f64, f64), Support)> = all
            .into_iter()
            .map(|s| (residual(columns, settings.centre.indices(), s.indices()), s))
            .collect();
        truth.sort_by(|a, b| a.0.0.total_cmp(&b.0.0).then_with(|| a.1.cmp(&b.1)));
        assert_eq!(list.best.len(), settings.keep.min(truth.len()), "{what}");
        for (rank, (candidate, wanted)) in list.best.iter().zip(&truth).enumerate() {
            let context = || {
                format!(
                    "{what}: size {} rank {rank}: {candidate:?} against {wanted:?}",
                    list.size
                )
            };
            assert!(close(candidate.one_minus_r2, wanted.0), "{}", context());
            if wanted.0.0 <= 0.0 {
                assert_eq!(candidate.support, wanted.1, "{}", context());
            }
            let own = residual(
                columns,
                settings.centre.indices(),
                candidate.support.indices(),
            );
            assert!(
                close(candidate.one_minus_r2, own),
                "{} own {own:?}",
                context()
            );
        }
        assert!(
            list.best.windows(2).all(|w| {
                (w[0].one_minus_r2, &w[0].support) < (w[1].one_minus_r2, &w[1].support)
            })
        );
    }
}

/// A random problem of one of many unpleasant kinds.
pub(crate) fn unpleasant(seed: u64) -> (Columns, String) {
    let mut dice = Dice::new(seed);
    let p = 3 + dice.below(10);
    let kind = seed % 10;
    let n = match kind {
        1 | 2 => 2 + dice.below(p),
        _ => p + 1 + dice.below(20),
    };
    let mut columns = gaussian(seed + 1, p, 1 + dice.below(p.min(4)), n);
    let (a, b, c) = (dice.below(p), dice.below(p), dice.below(p));
    match kind {
        2 | 3 => {
            let copy = columns[b].clone();
            columns[a] = copy;
        }
        4 => {
            columns[a] = columns[b]
                .iter()
                .zip(&columns[c])
                .map(|(x, y)| x + y)
                .collect();
        }
        5 => {
            let tiny = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9][dice.below(7)];
            columns[a] = columns[b]
                .iter()
                .map(|x| x + tiny * dice.normal())
                .collect();
        }
        6 => columns[a] = vec![0.0; n],
        7 => {
            columns[p] = columns[a]
                .iter()
                .zip(&columns[b])
                .map(|(x, y)| 2.0 * x - 3.0 * y)
                .collect();
        }
        8 => {
            for column in &mut columns[..p] {
                for x in column {
                    *x = 1.0 + 1e-5 * *x;
                }
            }
        }
        9 => columns[p] = vec![3.0; n],
        _ => {}
    }
    (columns, format!("seed {seed} kind {kind} p {p} n {n}"))
}

#[test]
fn lists_equal_a_qr_of_every_subset_on_hundreds_of_unpleasant_problems() {
    for seed in 0..500 {
        let (columns, what) = unpleasant(seed);
        let keep = [25, 1, 3][columns.len() % 3];
        let settings = Search {
            max_terms: 8,
            keep,
            ..Search::default()
        };
        let found = search(&triangle(&columns), &settings, &ALONE, &mut ()).unwrap();
        check(&columns, &settings, &found, &what);
    }
}

#[test]
fn required_excluded_and_centred_terms_are_respected() {
    for seed in 0..150 {
        let (columns, what) = unpleasant(1000 + seed);
        let p = columns.len() - 1;
        let mut dice = Dice::new(seed);
        let mut terms: Vec<usize> = (0..p).collect();
        let mut take = |n: usize| -> Support {
            (0..n)
                .map(|_| terms.remove(dice.below(terms.len())))
                .collect()
        };
        let settings = Search {
            max_terms: 5,
            keep: 4,
            required: take(usize::from(seed % 2 == 1)),
            excluded: take(usize::from(seed % 4 > 1)),
            centre: take(usize::from(seed % 8 > 3)),
            ..Search::default()
        };
        let found = search(&triangle(&columns), &settings, &ALONE, &mut ()).unwrap();
        check(&columns, &settings, &found, &what);
    }
}

/// The lists alone, without the counts of work.
pub(crate) fn lists(found: &Found) -> Vec<(usize, Vec<(u64, Support)>)> {
    found
        .sizes
        .iter()
        .map(|list| {
            let best = list.best.iter();
            let best = best.map(|c| (c.one_minus_r2.to_bits(), c.support.clone()));
            (list.size, best.collect())
        })
        .collect()
}

#[test]
fn one_thread_and_three_give_the_same_bits() {
    for columns in [
        polynomial(1, 4, 95),
        gaussian(3, 40, 2, 60),
        polynomial(5, 2, 20),
    ] {
        let settings = Search {
            max_terms: 5,
            ..Search::default()
        };
        let triangle = triangle(&columns);
        let one = search(&triangle, &settings, &ALONE, &mut ()).unwrap();
        let crew = Run {
            threads: 3,
            ..Run::default()
        };
        let three = search(&triangle, &settings, &crew, &mut ()).unwrap();
        assert_eq!(lists(&one), lists(&three));
    }
}

#[test]
fn a_shorter_list_is_the_beginning_of_a_longer_one() {
    for (seed, columns) in [
        (1, gaussian(1, 30, 3, 50)),
        (2, polynomial(2, 4, 95)),
        (7, unpleasant(7).0),
    ] {
        let triangle = triangle(&columns);
        let list = |keep| {
            let settings = Search {
                max_terms: 4,
                keep,
                ..Search::default()
            };
            lists(&search(&triangle, &settings, &ALONE, &mut ()).unwrap())
        };
        for ((size, short), (_, long)) in list(7).iter().zip(&list(60)) {
            assert_eq!(short[..], long[..short.len()], "seed {seed} size {size}");
        }
    }
}

#[test]
fn permuting_the_columns_permutes_the_lists() {
    for seed in 0..60 {
        let (columns, what) = unpleasant(seed);
        let p = columns.len() - 1;
        let mut dice = Dice::new(seed);
        let mut order: Vec<usize> = (0..p).collect();
        for i in (1..p).rev() {
            order.swap(i, dice.below(i + 1));
        }
        let mut permuted: Columns = order.iter().map(|&j| columns[j].clone()).collect();
        permuted.push(columns[p].clone());
        let settings = Search {
            max_terms: 4,
            keep: 2000,
            ..Search::default()
        };
        let straight = search(&triangle(&columns), &settings, &ALONE, &mut ()).unwrap();
        let turned = search(&triangle(&permuted), &settings, &ALONE, &mut ()).unwrap();
        for (a, b) in straight.sizes.iter().zip(&turned.sizes) {
            let mut back: Vec<(u64, Support)> = b
                .best
                .iter()
                .map(|c| {
                    let support = c.support.indices().iter().map(|&j| order[j]).collect();
                    (c.one_minus_r2.to_bits(), support)
                })
                .collect();
            back.sort_by(|x, y| {
                f64::from_bits(x.0)
                    .total_cmp(&f64::from_bits(y.0))
                    .then_with(|| x.1.cmp(&y.1))
            });
            for (x, y) in a.best.iter().zip(&back) {
                let same = (x.one_minus_r2.sqrt() - f64::from_bits(y.0).sqrt()).abs() < 1e-7;
                assert!(same, "{what} size {}: {x:?} {y:?}", a.size);
                if x.one_minus_r2 <= 0.0 {
                    assert_eq!(x.support, y.1, "{what} size {}", a.size);
                }
            }
        }
    }
}

/// Stops in the middle of a size with more than a billion subsets, once it has been seen there this
/// many times.
struct Impatient(u32);

impl Observer for Impatient {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        assert!(progress.done <= progress.total);
        if progress.total < 1_000_000_000 || progress.done == 0 {
            return ControlFlow::Continue(());
        }
        if self.0 > 0 {
            self.0 -= 1;
            return ControlFlow::Continue(());
        }
        ControlFlow::Break(())
    }
}

/// Stops at the first look.
struct Stop;

impl Observer for Stop {
    fn progress(&mut self, _: &Progress) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}

#[test]
fn a_list_of_zeros_is_not_called_exact_if_the_search_was_stopped() {
    // Ten rows and thirty terms: ten terms explain everything.
    let columns = gaussian(1, 30, 2, 10);
    let settings = Search {
        min_terms: 10,
        max_terms: 10,
        keep: 3,
        ..Search::default()
    };
    let triangle = triangle(&columns);
    let stopped = search(&triangle, &settings, &ALONE, &mut Stop).unwrap();
    assert!(!stopped.sizes[0].exact);
    let whole = search(&triangle, &settings, &ALONE, &mut ()).unwrap();
    assert!(whole.sizes[0].exact);
    let first: Support = (0..10).collect();
    assert_eq!(whole.sizes[0].best[0].support, first);
}

#[test]
fn a_stopped_search_says_what_is_proven_and_a_resumed_one_gives_the_same_bits() {
    let triangle = triangle(&polynomial(1, 2, 20));
    let settings = Search {
        max_terms: 7,
        ..Search::default()
    };
    let whole = search(&triangle, &settings, &ALONE, &mut ()).unwrap();
    let path = std::env::temp_dir().join(format!("eqlearn-checkpoint-{}", std::process::id()));
    let run = Run {
        threads: 2,
        checkpoint: Some(path.clone()),
        ..Run::default()
    };
    let part = search(&triangle, &settings, &run, &mut Impatient(0)).unwrap();
    let last = part.sizes.last().unwrap();
    assert!(!last.exact);
    assert!(last.certificate.excluded + last.certificate.enumerated < last.subsets);
    let before = part.sizes.len() - 1;
    assert_eq!(lists(&whole)[..before], lists(&part)[..before]);
    let mut rounds = 0;
    let resumed = loop {
        let found = search(&triangle, &settings, &run, &mut Impatient(rounds)).unwrap();
        if found.sizes.len() == 7 && found.sizes.iter().all(|list| list.exact) {
            break found;
        }
        rounds += 5;
    };
    assert_eq!(lists(&whole), lists(&resumed));
    for list in &resumed.sizes {
        assert_eq!(
            list.certificate.excluded + list.certificate.enumerated,
            list.subsets
        );
    }
    let other = Search {
        keep: 3,
        ..settings
    };
    let refused = search(&triangle, &other, &run, &mut ()).unwrap_err();
    assert!(
        matches!(
            refused,
            Error::Search(SearchError::ForeignCheckpoint { .. })
        ),
        "{refused}"
    );
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_score_ends_the_search_when_no_larger_support_can_win() {
    let columns = gaussian(4, 20, 2, 400);
    let triangle = triangle(&columns);
    let settings = Search::default();
    let bic = |size: usize, one_minus_r2: f64| {
        -400.0 * one_minus_r2.max(1e-300).ln() - 400_f64.ln() * size as f64
    };
    let run = Run {
        score: Some(&bic),
        ..ALONE
    };
    let short = search(&triangle, &settings, &run, &mut ()).unwrap();
    let whole = search(&triangle, &settings, &ALONE, &mut ()).unwrap();
    let end = short.ended_early.unwrap();
    assert!(end.after < 8 && whole.ended_early.is_none());
    assert_eq!(lists(&short)[..], lists(&whole)[..end.after]);
    let best = whole
        .sizes
        .iter()
        .map(|l| bic(l.size, l.best[0].one_minus_r2));
    let EndReason::Proven { best: proven, .. } = end.reason else {
        panic!("the end is a proof");
    };
    assert!(best.fold(f64::NEG_INFINITY, f64::max) <= proven);
}

#[test]
fn a_plan_counts_the_subsets_and_guesses_the_time() {
    let triangle = triangle(&polynomial(1, 4, 95));
    let plan = plan(
        &triangle,
        &Search::default(),
        &ALONE,
        Duration::from_millis(50),
    )
    .unwrap();
    assert_eq!(plan.sizes.len(), 8);
    assert_eq!(plan.sizes[7].subsets, 11_969_016_345);
    assert!(plan.seconds() > 0.0 && plan.seconds() < 60.0, "{plan:?}");
    assert_eq!(plan.within(Duration::from_hours(1)), Some(8));
}

#[test]
fn settings_that_make_no_sense_are_refused_in_words() {
    let triangle = triangle(&gaussian(1, 3, 1, 10));
    let message = |settings: Search| {
        search(&triangle, &settings, &ALONE, &mut ())
            .unwrap_err()
            .to_string()
    };
    insta::assert_snapshot!(
        message(Search { required: [3].into_iter().collect(), ..Search::default() }),
        @"there is no term number 3: the dictionary has 3, counted from 0"
    );
    insta::assert_snapshot!(
        message(Search {
            required: [1].into_iter().collect(),
            centre: [1].into_iter().collect(),
            ..Search::default()
        }),
        @"term number 1 is named twice: a term is required, excluded or always in, not two of these"
    );
    insta::assert_snapshot!(
        message(Search { keep: 0, ..Search::default() }),
        @"a search must keep at least one support per size"
    );
    insta::assert_snapshot!(
        message(Search { max_terms: 0, ..Search::default() }),
        @"an equation of at most 0 terms is asked for; allow at least 1 term"
    );
    insta::assert_snapshot!(
        message(Search {
            max_terms: 1,
            required: [0, 2].into_iter().collect(),
            ..Search::default()
        }),
        @"an equation may have at most 1 term, and 2 are required; allow more terms or require \
         fewer"
    );
}

/// Nodes, subsets enumerated and supports re-scored, per size: a lost optimisation shows here
/// without measuring time.
fn work(columns: &Columns, max_terms: usize) -> String {
    let settings = Search {
        max_terms,
        ..Search::default()
    };
    let found =
        search(&triangle(columns), &settings, &ALONE, &mut ()).expect("the settings are sound");
    let line = |list: &eqlearn::search::SizeList| {
        let c = &list.certificate;
        // Two digits: rounding may change the counts by a few subsets.
        format!(
            "{}: {:.1e} nodes {:.1e} enumerated {} rescored",
            list.size, c.nodes as f64, c.enumerated as f64, c.rescored
        )
    };
    found.sizes.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_work_on_known_problems_does_not_grow() {
    insta::assert_snapshot!("polynomial", work(&polynomial(1, 4, 95), 8));
    insta::assert_snapshot!("lorenz", work(&lorenz(1, 1, 500), 6));
    insta::assert_snapshot!("gaussian", work(&gaussian(1, 100, 8, 300), 8));
    insta::assert_snapshot!("fewer_rows_than_terms", work(&polynomial(1, 2, 20), 5));
}

#[test]
fn the_work_stays_small_where_terms_stand_for_each_other() {
    // Rounding decides which of many equivalent orders is found, so these are upper limits. Without
    // comparing orders, the first takes 1e8 subsets and 7e3 nodes; without branching first on the
    // one term that explains nearly all, the second takes 3e4 nodes.
    for (seed, most_nodes, most_enumerated) in [(5, 5e3, 8e7), (9, 8e3, 5e7)] {
        let triangle = triangle(&polynomial(seed, 4, 95));
        let found = search(&triangle, &Search::default(), &ALONE, &mut ()).unwrap();
        let certificates = found.sizes.iter().map(|list| &list.certificate);
        let nodes: u64 = certificates.clone().map(|c| c.nodes).sum();
        let enumerated: u128 = certificates.map(|c| c.enumerated).sum();
        assert!((nodes as f64) < most_nodes, "{seed}: {nodes}");
        assert!(
            (enumerated as f64) < most_enumerated,
            "{seed}: {enumerated}"
        );
    }
}
