//! Pictures as inline SVG. Colours come from the page's style, so they follow its light and dark
//! scheme.

use std::fmt::Write as _;

use eqlearn::terms::term::escape_xml as escape;

use crate::board::Board;
use crate::motion::Motion;

/// Width of a picture that has the page to itself.
const WIDE: f64 = 860.0;
/// Width of one that has others beside it.
const NARROW: f64 = 420.0;

/// A plotting area with its axes.
struct Frame {
    width: f64,
    height: f64,
    left: f64,
    x: (f64, f64),
    y: (f64, f64),
    svg: String,
}

const RIGHT: f64 = 14.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 40.0;

impl Frame {
    fn new((width, height): (f64, f64), x: (f64, f64), y: (f64, f64), label: &str) -> Self {
        let wide = |(low, high): (f64, f64)| {
            if high > low {
                (low, high)
            } else {
                (low - 0.5, high + 0.5)
            }
        };
        let label = escape(label);
        Self {
            width,
            height,
            left: 72.0,
            x: wide(x),
            y: wide(y),
            svg: format!(
                "<svg class=\"chart\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
                 aria-label=\"{label}\">"
            ),
        }
    }

    fn x(&self, value: f64) -> f64 {
        let share = (value - self.x.0) / (self.x.1 - self.x.0);
        self.left + share * (self.width - self.left - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        let share = (value - self.y.0) / (self.y.1 - self.y.0);
        self.height - BOTTOM - share * (self.height - BOTTOM - TOP)
    }

    fn axes(&mut self, x_ticks: &[(f64, String)], y_ticks: &[(f64, String)], labels: (&str, &str)) {
        let (left, right, floor) = (self.left, self.width - RIGHT, self.height - BOTTOM);
        for (value, text) in y_ticks {
            let at = self.y(*value);
            let _ = write!(
                self.svg,
                "<line class=\"grid\" x1=\"{left}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
                left - 8.0,
                at + 4.0
            );
        }
        for (value, text) in x_ticks {
            let at = self.x(*value);
            let _ = write!(
                self.svg,
                "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{floor:.1}\" \
                 y2=\"{:.1}\"/>\
                 <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>",
                floor + 4.0,
                floor + 18.0
            );
        }
        let _ = write!(
            self.svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
             <text class=\"side\" x=\"{:.1}\" y=\"14\" transform=\"rotate(-90)\" \
             text-anchor=\"middle\">{}</text>",
            f64::midpoint(left, right),
            self.height - 4.0,
            escape(labels.0),
            -f64::midpoint(TOP, floor),
            escape(labels.1)
        );
    }

    fn line(&mut self, class: &str, points: impl Iterator<Item = (f64, f64)>) {
        let points: Vec<String> = points
            .filter(|(x, y)| x.is_finite() && y.is_finite())
            .map(|(x, y)| format!("{:.1},{:.1}", self.x(x), self.y(y)))
            .collect();
        let _ = write!(
            self.svg,
            "<polyline class=\"{class}\" points=\"{}\"/>",
            points.join(" ")
        );
    }

    fn end(self) -> String {
        self.svg + "</svg>"
    }
}

/// `1 − R²` of each model against its size, on a logarithmic scale; a line through the best.
pub(crate) fn unexplained(board: &Board) -> Option<String> {
    let log = |value: Option<f64>| value.filter(|v| *v > 0.0).map(f64::log10);
    let label = "Unexplained share of the variance by number of terms";
    by_size(
        board,
        &|m| log(board.models[m].unexplained),
        label,
        "1 − R²",
        &power_of_ten,
    )
}

/// The evidence of each model against its size; a line through the best.
pub(crate) fn evidence(board: &Board) -> Option<String> {
    let label = "Log evidence by number of terms";
    let evidence = |m: usize| board.models[m].evidence.filter(|e| e.is_finite());
    by_size(board, &evidence, label, "log evidence", &signed)
}

fn by_size(
    board: &Board,
    value: &dyn Fn(usize) -> Option<f64>,
    label: &str,
    y_label: &str,
    tick_text: &dyn Fn(f64) -> String,
) -> Option<String> {
    let points: Vec<(usize, f64, f64)> = (0..board.models.len())
        .filter_map(|m| {
            let size: f64 = board.models[m].group.parse().ok()?;
            Some((m, size, value(m)?))
        })
        .collect();
    let (low, high) = range(points.iter().map(|point| point.2))?;
    let sizes = range(points.iter().map(|point| point.1))?;
    if sizes.0 >= sizes.1 {
        return None;
    }
    let y_ticks = ticks(low, high);
    let bottom = y_ticks.first().copied().unwrap_or(low).min(low);
    let top = y_ticks.last().copied().unwrap_or(high).max(high);
    let mut frame = Frame::new(
        (NARROW, 260.0),
        (sizes.0 - 0.3, sizes.1 + 0.3),
        (bottom, top),
        label,
    );
    let mut all_sizes: Vec<f64> = points.iter().map(|point| point.1).collect();
    all_sizes.dedup();
    let x_ticks: Vec<(f64, String)> = all_sizes.iter().map(|s| (*s, format!("{s:.0}"))).collect();
    let y_ticks: Vec<(f64, String)> = y_ticks.iter().map(|t| (*t, tick_text(*t))).collect();
    frame.axes(&x_ticks, &y_ticks, ("terms", y_label));
    let best = all_sizes.iter().filter_map(|size| {
        let mut own = points.iter().filter(|point| (point.1 - size).abs() < 0.5);
        own.next().map(|point| (point.1, point.2))
    });
    let best: Vec<(f64, f64)> = best.collect();
    frame.line("line", best.into_iter());
    for (m, size, value) in points {
        let (x, y) = (frame.x(size), frame.y(value));
        let _ = write!(
            frame.svg,
            "<circle class=\"dot\" data-model=\"{m}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>"
        );
    }
    Some(frame.end())
}

/// One state over time: recorded samples and the simulation.
pub(crate) fn over_time(motion: &Motion, state: usize) -> Option<String> {
    let times = (*motion.times.first()?, *motion.times.last()?);
    let (recorded, simulated) = (&motion.recorded[state], &motion.simulated[state]);
    let (low, high) = range(recorded.iter().copied())?;
    let name = &motion.states[state];
    let label = format!("{name} over time: the record as dots, the learned system as a line");
    // A simulation that diverges does not set the scale.
    let room = 0.25 * (high - low);
    let mut frame = Frame::new((WIDE, 200.0), times, (low - room, high + room), &label);
    let texts = |values: Vec<f64>| -> Vec<(f64, String)> {
        values.into_iter().map(|t| (t, signed(t))).collect()
    };
    frame.axes(
        &texts(ticks(times.0, times.1)),
        &texts(ticks(low, high)),
        (&motion.time, name),
    );
    for (t, x) in motion.times.iter().zip(recorded) {
        let (cx, cy) = (frame.x(*t), frame.y(*x));
        let _ = write!(
            frame.svg,
            "<circle class=\"sample\" cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"1.6\"/>"
        );
    }
    let inside = |x: f64| x.clamp(low - room, high + room);
    let line = motion.times.iter().zip(simulated);
    let line: Vec<(f64, f64)> = line.map(|(t, x)| (*t, inside(*x))).collect();
    frame.line("line", line.into_iter());
    if let Some(lost) = motion.lost {
        let (at, floor) = (frame.x(lost), frame.height - BOTTOM);
        let _ = write!(
            frame.svg,
            "<line class=\"mark\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{TOP}\" y2=\"{floor:.1}\"/>"
        );
    }
    Some(frame.end())
}

/// Two states against each other.
pub(crate) fn phase(motion: &Motion, pair: (usize, usize)) -> Option<String> {
    let (a, b) = pair;
    let x = range(motion.recorded.get(a)?.iter().copied())?;
    let y = range(motion.recorded.get(b)?.iter().copied())?;
    let label = format!(
        "{} against {}: the record as dots, the learned system as a line",
        motion.states[b], motion.states[a]
    );
    let mut frame = Frame::new((NARROW, 340.0), x, y, &label);
    let texts = |(low, high): (f64, f64)| -> Vec<(f64, String)> {
        ticks(low, high)
            .into_iter()
            .map(|t| (t, signed(t)))
            .collect()
    };
    frame.axes(&texts(x), &texts(y), (&motion.states[a], &motion.states[b]));
    let near = |v: f64, (low, high): (f64, f64)| (low..=high).contains(&v);
    let inside = |(u, v): &(f64, f64)| near(*u, x) && near(*v, y);
    let simulated = motion.simulated[a].iter().zip(&motion.simulated[b]);
    let simulated: Vec<(f64, f64)> = simulated.map(|(u, v)| (*u, *v)).collect();
    // A curve that leaves the picture is interrupted.
    for stretch in simulated.split(|point| !inside(point)) {
        if stretch.len() > 1 {
            frame.line("line thin", stretch.iter().copied());
        }
    }
    for (u, v) in motion.recorded[a].iter().zip(&motion.recorded[b]) {
        let (cx, cy) = (frame.x(*u), frame.y(*v));
        let _ = write!(
            frame.svg,
            "<circle class=\"sample\" cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"1.6\"/>"
        );
    }
    Some(frame.end())
}

/// A bar of a share between 0 and 1.
pub(crate) fn bar(share: f64) -> String {
    format!(
        "<svg class=\"bar\" viewBox=\"0 0 100 10\" aria-hidden=\"true\"><rect class=\"track\" \
         width=\"100\" height=\"10\"/>\
         <rect class=\"fill\" width=\"{:.1}\" height=\"10\"/></svg>",
        100.0 * share.clamp(0.0, 1.0)
    )
}

fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.filter(|value| value.is_finite());
    let ends = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
        (low.min(v), high.max(v))
    });
    (ends.0 <= ends.1).then_some(ends)
}

/// Four to eight round numbers from around `low` to around `high`.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let span = (high - low).max(1e-300);
    let rough = span / 5.0;
    let decade = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * decade)
        .find(|step| *step >= rough)
        .unwrap_or(decade);
    let first = (low / step).floor();
    (0..12)
        .map(|k| (first + f64::from(k)) * step)
        .filter(|tick| *tick >= low - 0.01 * step && *tick <= high + 0.01 * step)
        .collect()
}

/// Ten to some power as a label: written as a power where that is a whole number.
fn power_of_ten(exponent: f64) -> String {
    if (exponent - exponent.round()).abs() < 1e-6 {
        let raised = "<tspan dy=\"-5\" font-size=\"9\">";
        format!("10{raised}{}</tspan>", signed(exponent.round()))
    } else {
        format!("{:.2}", 10_f64.powf(exponent))
    }
}

/// A number as a label, with a true minus.
fn signed(value: f64) -> String {
    let text = if value.abs() >= 1e5 || (value.abs() < 1e-3 && value.abs() > 0.0) {
        format!("{value:.1e}")
    } else {
        let digits = format!("{value:.4}");
        let short = digits.trim_end_matches('0').trim_end_matches('.');
        if short == "-0" {
            "0".to_string()
        } else {
            short.to_string()
        }
    };
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::{signed, ticks};

    #[test]
    fn ticks_are_round_and_inside() {
        let tenths: Vec<f64> = ticks(0.0, 1.0).iter().map(|t| (10.0 * t).round()).collect();
        assert_eq!(tenths, [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(ticks(-16.0, 0.0).len(), 4);
        assert_eq!(signed(-0.5), "−0.5");
        assert_eq!(signed(12.0), "12");
        assert!(super::power_of_ten(-3.0).starts_with("10<tspan"));
        assert_eq!(super::power_of_ten(-0.4), "0.40");
    }
}
