//! Are probabilities honest? Of the models reported with probability 0.9, nine out of ten should be right.

use std::fmt::Write as _;

use eqlearn::judge::criterion::{Criterion, SizePrior};
use eqlearn::reduce_table;
use rayon::prelude::*;

use crate::criteria::{lists, ranked};
use crate::data::{Planted, Weights, planted_at_random, planted_gaussian, polynomial};

/// Bins of the reported probability.
const EDGES: [f64; 8] = [0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.97, 1.0];

/// Rows, and the signal in units of the noise: from hopeless to clear.
const NOISE_LEVELS: [(usize, f64); 8] = [
    (95, 0.1),
    (95, 0.2),
    (95, 0.5),
    (95, 2.0),
    (300, 0.05),
    (300, 0.1),
    (300, 0.3),
    (300, 1.0),
];

/// Makes the n-th set of a kind.
type Make = Box<dyn Fn(u32) -> Planted + Sync>;

/// Runs the default criterion over planted models at several noise levels: a table, and a figure as SVG.
pub fn run(seed: u64, sets: u32) -> (String, String) {
    let mut text = format!("reported probability against how often it was right, seed {seed}\n");
    let mut curves = Vec::new();
    for (weights, title) in [
        (
            Weights::Paper,
            "one to six terms, weights as in the paper's polynomials",
        ),
        (
            Weights::Normal,
            "one to six terms, normal weights: some too small to be seen",
        ),
    ] {
        let makers = NOISE_LEVELS.map(|(n_obs, signal)| -> Make {
            Box::new(move |number| planted_at_random(seed, n_obs, weights, signal, number))
        });
        let bins = bins(&reported(&makers, sets));
        write_table(&mut text, title, &bins);
        curves.push((title, bins));
    }
    let clear = [(65, 1.0), (95, 0.5), (95, 0.8), (200, 0.5), (500, 0.3)];
    let clear = clear.map(|(n_obs, signal)| -> Make {
        Box::new(move |number| planted_gaussian(seed, n_obs, 0.5, signal, number))
    });
    let polynomials = [2, 3, 4].map(|n_terms| -> Make {
        Box::new(move |number| polynomial(seed.wrapping_add(1000), n_terms, number))
    });
    let clear: Vec<Make> = clear.into_iter().chain(polynomials).collect();
    let title = "three clear terms, and the paper's polynomials";
    let bins = bins(&reported(&clear, sets));
    write_table(&mut text, title, &bins);
    curves.push((title, bins));
    (text, figure(&curves))
}

/// Models whose reported probability is in one range.
struct Bin {
    from: f64,
    to: f64,
    count: f64,
    mean: f64,
    right: f64,
    /// One standard error of `right`.
    spread: f64,
}

fn bins(reported: &[(f64, bool)]) -> Vec<Bin> {
    let bin = |pair: &[f64]| {
        let inside: Vec<&(f64, bool)> = reported
            .iter()
            .filter(|(p, _)| *p > pair[0] && *p <= pair[1])
            .collect();
        let count = inside.len() as f64;
        let right = inside.iter().filter(|(_, right)| *right).count() as f64 / count;
        (!inside.is_empty()).then(|| Bin {
            from: pair[0],
            to: pair[1],
            count,
            mean: inside.iter().map(|(p, _)| p).sum::<f64>() / count,
            right,
            spread: (right * (1.0 - right) / count).sqrt(),
        })
    };
    EDGES.windows(2).filter_map(bin).collect()
}

/// The probability of each answer, and whether it was right.
fn reported(makers: &[Make], sets: u32) -> Vec<(f64, bool)> {
    let one = |(make, number): (&Make, u32)| {
        let planted = make(number);
        let reduction =
            reduce_table(&planted.problem, &planted.table).expect("planted data reduce");
        let ranking = ranked(
            &reduction,
            &lists(&reduction),
            Criterion::Residual,
            SizePrior::UniformModels,
        );
        let best = ranking.best();
        let truth = planted.truth.with(0);
        (best.probability, *best.fit.support() == truth)
    };
    let all = makers
        .iter()
        .flat_map(|make| (0..sets).map(move |n| (make, n)));
    all.collect::<Vec<_>>().into_par_iter().map(one).collect()
}

fn write_table(text: &mut String, title: &str, bins: &[Bin]) {
    let models: f64 = bins.iter().map(|bin| bin.count).sum();
    let _ = writeln!(
        text,
        "\n{models} models: {title}\n{:>14} {:>8} {:>16} {:>12} {:>16}",
        "reported", "models", "mean reported", "right", "± one s.e."
    );
    for bin in bins {
        let _ = writeln!(
            text,
            "{:>6.2} – {:<5.2} {:>8} {:>16.3} {:>12.3} {:>16.3}",
            bin.from, bin.to, bin.count, bin.mean, bin.right, bin.spread
        );
    }
}

/// Reported against observed, one curve per population, error bars of one standard error; the diagonal is honesty.
fn figure(curves: &[(&str, Vec<Bin>)]) -> String {
    const COLOURS: [&str; 3] = ["#0072b2", "#d55e00", "#009e73"];
    let (x, y) = (|p: f64| 60.0 + 400.0 * p, |p: f64| 420.0 - 400.0 * p);
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 560 560\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"560\" height=\"560\" fill=\"white\"/>\n",
    );
    for tenth in 0..=5 {
        let p = f64::from(tenth) / 5.0;
        let _ = writeln!(
            svg,
            "<path d=\"M{:.0} 420v6M60 {:.0}h-6\" stroke=\"black\"/><text x=\"{:.0}\" y=\"442\" text-anchor=\"middle\">{p}</text>\
             <text x=\"48\" y=\"{:.0}\" text-anchor=\"end\">{p}</text>",
            x(p),
            y(p),
            x(p),
            y(p) + 4.0
        );
    }
    svg.push_str(
        "<path d=\"M60 20V420H460\" fill=\"none\" stroke=\"black\"/>\n<path d=\"M60 420L460 20\" stroke=\"#999\" stroke-dasharray=\"4 4\"/>\n\
         <text x=\"260\" y=\"465\" text-anchor=\"middle\">probability reported</text>\n\
         <text transform=\"translate(16 220) rotate(-90)\" text-anchor=\"middle\">share of answers that were right</text>\n",
    );
    for (place, ((title, bins), colour)) in curves.iter().zip(COLOURS).enumerate() {
        let points: Vec<String> = bins
            .iter()
            .map(|bin| format!("{:.1},{:.1}", x(bin.mean), y(bin.right)))
            .collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            points.join(" ")
        );
        for bin in bins {
            let _ = writeln!(
                svg,
                "<path d=\"M{:.1} {:.1}V{:.1}\" stroke=\"{colour}\"/><circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"{colour}\"/>",
                x(bin.mean),
                y(bin.right - bin.spread),
                y(bin.right + bin.spread),
                x(bin.mean),
                y(bin.right)
            );
        }
        let at = 495.0 + 22.0 * place as f64;
        let _ = writeln!(
            svg,
            "<circle cx=\"66\" cy=\"{:.0}\" r=\"5\" fill=\"{colour}\"/><text x=\"80\" y=\"{at:.0}\">{title}</text>",
            at - 4.0
        );
    }
    svg + "</svg>\n"
}
