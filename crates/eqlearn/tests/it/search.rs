//! The comprehensive search: its lists against a QR of every subset, and the laws they obey.

use std::ops::ControlFlow;

use eqlearn::observe::Progress;
use eqlearn::search::{Found, Run, Search, search};
use eqlearn::{Observer, Support, Triangle};

use crate::fixture::{Columns, Dice, gaussian, polynomial, triangle};

const ALONE: Run = Run { threads: 1 };

/// Residual of a support by modified Gram–Schmidt, twice, from the raw columns: another route than the library's.
/// With it, how far rounding may move its length: a column that is nearly a combination of others is known by its leftover only.
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
fn unpleasant(seed: u64) -> (Columns, String) {
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
        2 | 3 => columns[a] = columns[b].clone(),
        4 => {
            columns[a] = columns[b]
                .iter()
                .zip(&columns[c])
                .map(|(x, y)| x + y)
                .collect()
        }
        5 => {
            let tiny = 10_f64.powi(-(3 + dice.below(7) as i32));
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
                column.iter_mut().for_each(|x| *x = 1.0 + 1e-5 * *x);
            }
        }
        9 => columns[p] = vec![3.0; n],
        _ => {}
    }
    (columns, format!("seed {seed} kind {kind} p {p} n {n}"))
}

#[test]
fn lists_equal_a_qr_of_every_subset_on_hundreds_of_unpleasant_problems() {
    for seed in 0..4000 {
        let (columns, what) = unpleasant(seed);
        let keep = [1, 3, 25][seed as usize % 3];
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
    for seed in 0..1000 {
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
            required: take(seed as usize % 2),
            excluded: take(seed as usize / 2 % 2),
            centre: take(seed as usize / 4 % 2),
        };
        let found = search(&triangle(&columns), &settings, &ALONE, &mut ()).unwrap();
        check(&columns, &settings, &found, &what);
    }
}
