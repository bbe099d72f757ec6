//! A system driven by recorded inputs, followed from sample to sample.
//!
//! Between two samples inputs are straight lines. The classical Runge–Kutta method takes one step
//! from sample to sample, then two, then four, until the last two results agree.

use crate::dynamics::simulate::{End, Simulate, Simulation};
use crate::dynamics::system::{Evaluator, Kind, System};

/// Steps between two samples at most.
const MOST_STEPS: u32 = 1024;

/// The motion from a state at the first of some times. `others` has a column for each feature that
/// is not a state, sampled at these times.
pub(crate) fn follow(
    system: &System,
    start: &[f64],
    times: &[f64],
    others: &[&[f64]],
    settings: &Simulate,
) -> Simulation {
    let evaluator = system.evaluator();
    let limit = settings.bound * start.iter().fold(1.0_f64, |a, x| a.max(x.abs()));
    let mut run = Simulation {
        times: vec![times[0]],
        states: start.iter().map(|x| vec![*x]).collect(),
        end: End::Reached,
    };
    let mut state = start.to_vec();
    for i in 1..times.len() {
        let stretch = Stretch {
            evaluator: &evaluator,
            duration: times[i] - times[i - 1],
            before: others.iter().map(|column| column[i - 1]).collect(),
            after: others.iter().map(|column| column[i]).collect(),
        };
        let next = match system.kind() {
            Kind::Map => Some(stretch.slope(&state, 0.0)),
            Kind::Flow => stretch.across(&state, settings.tolerance),
        };
        let time = times[i];
        let Some(next) = next else {
            run.end = End::StepCollapsed { time };
            break;
        };
        if next.iter().any(|x| !x.is_finite() || x.abs() > limit) {
            run.end = End::BlewUp { time };
            break;
        }
        state = next;
        run.times.push(time);
        for (column, x) in run.states.iter_mut().zip(&state) {
            column.push(*x);
        }
    }
    run
}

/// The time between two samples, with the inputs at both.
struct Stretch<'a> {
    evaluator: &'a Evaluator,
    duration: f64,
    before: Vec<f64>,
    after: Vec<f64>,
}

impl Stretch<'_> {
    /// The state at the end; none if even the shortest steps do not agree.
    fn across(&self, state: &[f64], tolerance: f64) -> Option<Vec<f64>> {
        let mut last = self.in_steps(state, 1);
        let mut n = 2;
        while n <= MOST_STEPS {
            let finer = self.in_steps(state, n);
            let near = |(a, b): (&f64, &f64)| (a - b).abs() <= tolerance * (1.0 + b.abs());
            if last.iter().zip(&finer).all(near) {
                return Some(finer);
            }
            last = finer;
            n *= 2;
        }
        None
    }

    fn in_steps(&self, state: &[f64], n: u32) -> Vec<f64> {
        let h = self.duration / f64::from(n);
        let mut x = state.to_vec();
        for step in 0..n {
            let at = |share: f64| (f64::from(step) + share) / f64::from(n);
            let k1 = self.slope(&x, at(0.0));
            let k2 = self.slope(&plus(&x, 0.5 * h, &k1), at(0.5));
            let k3 = self.slope(&plus(&x, 0.5 * h, &k2), at(0.5));
            let k4 = self.slope(&plus(&x, h, &k3), at(1.0));
            for (d, x) in x.iter_mut().enumerate() {
                *x += h / 6.0 * (k1[d] + 2.0 * (k2[d] + k3[d]) + k4[d]);
            }
        }
        x
    }

    /// The slope after a share of the time.
    fn slope(&self, state: &[f64], share: f64) -> Vec<f64> {
        let inputs = self.before.iter().zip(&self.after);
        let inputs = inputs.map(|(a, b)| a + share * (b - a));
        let features: Vec<f64> = state.iter().copied().chain(inputs).collect();
        let mut slope = vec![0.0; state.len()];
        self.evaluator.slope(&features, &mut slope);
        slope
    }
}

fn plus(x: &[f64], factor: f64, y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x + factor * y).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::model::Model;
    use crate::terms::dictionary::Dictionary;
    use crate::terms::left_side::LeftSide;

    /// `x' = rate x + u`.
    fn pushed(rate: f64) -> System {
        let left = LeftSide::Flow { state: "x".into() };
        let dictionary = Dictionary::parse(["x", "u"], ["x", "u"]).unwrap();
        System::from_models(vec![Model::given(left, dictionary, &[rate, 1.0]).unwrap()]).unwrap()
    }

    #[test]
    fn a_ramp_pulls_its_follower_along() {
        // x' = −x + t has the solution t − 1 + (x₀ + 1) exp(−t).
        let times: Vec<f64> = (0..=20).map(|i| 0.25 * f64::from(i)).collect();
        let settings = Simulate::default();
        let run = follow(&pushed(-1.0), &[2.0], &times, &[&times], &settings);
        assert_eq!(run.end, End::Reached);
        for (t, x) in times.iter().zip(&run.states[0]) {
            assert!((x - (t - 1.0 + 3.0 * (-t).exp())).abs() < 1e-6, "{t} {x}");
        }
    }

    #[test]
    fn it_ends_where_it_blows_up() {
        let times: Vec<f64> = (0..=200).map(f64::from).collect();
        let none = vec![0.0; times.len()];
        let run = follow(&pushed(1.0), &[1.0], &times, &[&none], &Simulate::default());
        assert!(matches!(run.end, End::BlewUp { .. }), "{:?}", run.end);
        assert_eq!(run.times.len(), run.states[0].len());
    }
}
