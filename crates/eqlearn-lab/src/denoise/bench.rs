//! The systems of three published methods, at their lengths and levels of noise.

use eqlearn::data::trajectory::Trajectories;
use eqlearn::{Discovery, Model, UndecidedTerm};
use eqlearn_reproduce::known::{Known, LORENZ, stream};
use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::systems::OTHERS;

/// ODR-BINDy's noise in units of the standard deviation of all values of all states together.
const SPREAD: [f64; 7] = [0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4];
/// E-SINDy's, and beyond: in units of the root mean square.
const POWER: [f64; 5] = [0.005, 0.01, 0.025, 0.05, 0.1];
/// MIOSR's, in the same units.
const LITTLE: [f64; 1] = [0.002];
/// The time after which a solution has reached its attractor, and how far along it starts are.
const AGE: f64 = 20.0;
const SPAN: f64 = 20.0;
/// Stands for a length that would decide if none does.
const NEVER: f64 = 1e3;
/// How much of a normal distribution is within so many standard errors: 95 %.
const WITHIN: f64 = 1.96;

/// A system at some lengths of record.
#[derive(Debug)]
pub(super) struct Bench {
    pub(super) known: Known,
    starts: Starts,
    /// The true coefficients, term by term.
    truth: &'static [&'static [f64]],
    pub(super) degree: u32,
    pub(super) durations: &'static [f64],
    pub(super) noise: Noise,
    /// What ODR-BINDy finds, by duration and noise, where that was published.
    pub(super) published: Option<[[f64; 7]; 3]>,
}

/// What the noise is a share of.
#[derive(Debug, Clone, Copy)]
pub(super) enum Noise {
    Spread,
    Power,
    LittlePower,
}

/// Where records start.
#[derive(Debug, Clone, Copy)]
enum Starts {
    /// All where the system says.
    Given,
    /// Each somewhere else on the attractor.
    Attractor,
    /// Each somewhere else within this distance of zero, state by state.
    Within(f64),
}

/// Whose systems, lengths and levels of noise.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Grid {
    OdrBindy,
    ESindy,
    Miosr,
}

const LORENZ_COEFFICIENTS: &[&[f64]] = &[&[-10.0, 10.0], &[28.0, -1.0, -1.0], &[-8.0 / 3.0, 1.0]];

static ODR_BINDY: [Bench; 3] = [
    Bench {
        known: Known {
            key: 51,
            step: 0.01,
            ..LORENZ
        },
        starts: Starts::Given,
        truth: LORENZ_COEFFICIENTS,
        degree: 2,
        durations: &[4.0, 7.0, 10.0],
        noise: Noise::Spread,
        published: Some([
            [1.0, 1.0, 1.0, 0.95, 0.57, 0.14, 0.04],
            [1.0, 1.0, 1.0, 0.99, 0.94, 0.72, 0.25],
            [1.0, 1.0, 1.0, 1.0, 1.0, 0.92, 0.73],
        ]),
    },
    Bench {
        known: Known {
            name: "rössler",
            key: 52,
            states: &["x", "y", "z"],
            truth: &[&["y", "z"], &["x", "y"], &["1", "z", "x*z"]],
            start: &[-6.0, 5.0, 0.0],
            slope: |_, x, d| {
                d[0] = -x[1] - x[2];
                d[1] = x[0] + 0.2 * x[1];
                d[2] = 0.2 + x[2] * (x[0] - 5.7);
            },
            step: 0.05,
            ..Known::BLANK
        },
        starts: Starts::Given,
        truth: &[&[-1.0, -1.0], &[1.0, 0.2], &[0.2, -5.7, 1.0]],
        degree: 2,
        durations: &[10.0, 20.0, 30.0],
        noise: Noise::Spread,
        published: None,
    },
    Bench {
        known: Known {
            name: "van der pol",
            key: 53,
            states: &["x", "y"],
            truth: &[&["y"], &["x", "y", "x^2*y"]],
            start: &[-2.0, 1.0],
            slope: |_, x, d| {
                d[0] = x[1];
                d[1] = 0.5 * (1.0 - x[0] * x[0]) * x[1] - x[0];
            },
            step: 0.01,
            ..Known::BLANK
        },
        starts: Starts::Given,
        truth: &[&[1.0], &[-1.0, 0.5, -0.5]],
        degree: 3,
        durations: &[4.0, 8.0, 12.0],
        noise: Noise::Spread,
        published: None,
    },
];

static E_SINDY: [Bench; 1] = [Bench {
    starts: Starts::Given,
    known: Known {
        key: 54,
        start: &[-8.0, 7.0, 27.0],
        step: 0.01,
        ..LORENZ
    },
    truth: LORENZ_COEFFICIENTS,
    degree: 5,
    durations: &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0],
    noise: Noise::Power,
    published: None,
}];

static MIOSR: [Bench; 2] = [
    Bench {
        known: Known {
            key: 55,
            step: 0.002,
            ..LORENZ
        },
        starts: Starts::Attractor,
        truth: LORENZ_COEFFICIENTS,
        degree: 5,
        durations: &[0.35, 0.49, 0.69],
        noise: Noise::LittlePower,
        published: None,
    },
    Bench {
        known: Known {
            key: 56,
            start: &[1.0, 1.0],
            ..OTHERS[4]
        },
        starts: Starts::Within(2.0),
        truth: &[&[0.25, -1.0, -1.0, -1.0], &[1.0, 0.25, -1.0, -1.0]],
        degree: 5,
        durations: &[2.1, 2.7],
        noise: Noise::LittlePower,
        published: None,
    },
];

impl Noise {
    pub(super) fn shares(self) -> &'static [f64] {
        match self {
            Self::Spread => &SPREAD,
            Self::Power => &POWER,
            Self::LittlePower => &LITTLE,
        }
    }
}

impl Grid {
    pub(super) fn benches(self) -> &'static [Bench] {
        match self {
            Self::OdrBindy => &ODR_BINDY,
            Self::ESindy => &E_SINDY,
            Self::Miosr => &MIOSR,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::OdrBindy => "denoise",
            Self::ESindy => "short",
            Self::Miosr => "shortest",
        }
    }

    /// What noise is a share of, in words.
    pub(super) fn unit(self) -> &'static str {
        match self {
            Self::OdrBindy => "the standard deviation of all values",
            Self::ESindy | Self::Miosr => "the root mean square",
        }
    }
}

/// What was found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// The equations as printed; empty where there is none.
    pub(super) texts: Vec<String>,
    pub(super) right: bool,
    pub(super) error: f64,
    /// Intervals that hold the truth, and all, where the system is right.
    pub(super) covered: (u32, u32),
    /// A record how many times as long would decide all terms, as the answer says: one if this
    /// record does.
    pub(super) longer: f64,
}

impl Bench {
    /// One record of a cell, by duration and noise.
    pub(super) fn recorded(&self, cell: (u32, u32), seed: u64, number: u32) -> Trajectories {
        let (length, level) = cell;
        let place = (number * 10 + level) * 10 + length;
        let duration = self.durations[length as usize];
        self.recorded_for(
            duration,
            self.sigma(cell, seed, number),
            place,
            (seed, number),
        )
    }

    /// The noise of a cell, whose unit is that of the longest record.
    pub(super) fn sigma(&self, (_, level): (u32, u32), seed: u64, number: u32) -> f64 {
        let longest = self.durations[self.durations.len() - 1];
        let values = self.solution(longest, seed, number).concat();
        let unit = match self.noise {
            Noise::Spread => variance(&values),
            Noise::Power | Noise::LittlePower => mean(values.iter().map(|x| x * x)),
        };
        self.noise.shares()[level as usize] * unit.sqrt()
    }

    /// A record of some duration with some noise, whose random numbers have this place.
    pub(super) fn recorded_for(
        &self,
        duration: f64,
        sigma: f64,
        place: u32,
        (seed, number): (u64, u32),
    ) -> Trajectories {
        let known = &self.known;
        let mut states = self.solution(duration, seed, number);
        let sigma = vec![sigma; states.len()];
        known.add_noise(seed, place, &sigma, &mut states);
        known.recorded(known.step, [states])
    }

    fn solution(&self, duration: f64, seed: u64, number: u32) -> Vec<Vec<f64>> {
        let n = steps(duration, self.known.step) + usize::from(self.has_both_ends());
        let start = self.start(seed, number);
        self.known.solution_from(&start, n, self.known.step)
    }

    /// Whether a record has a sample at its end besides that at its start.
    fn has_both_ends(&self) -> bool {
        !matches!(self.noise, Noise::Spread)
    }

    /// Where a record starts.
    fn start(&self, seed: u64, number: u32) -> Vec<f64> {
        let known = &self.known;
        let mut rng = stream(seed, 11, known.key, number);
        match self.starts {
            Starts::Given => known.start.to_vec(),
            Starts::Attractor => {
                let n = steps(AGE + SPAN * rng.random_range(0.0..1.0), known.step);
                let ends = known.solution(n + 1, known.step).into_iter();
                ends.map(|column| column[n]).collect()
            }
            Starts::Within(distance) => {
                let drawn = known.start.iter();
                drawn
                    .map(|_| rng.random_range(-distance..distance))
                    .collect()
            }
        }
    }

    /// Duration and noise of each cell, by place.
    pub(super) fn cells(&self) -> impl Iterator<Item = (u32, u32)> {
        let all = |n: usize| 0..u32::try_from(n).expect("some lengths and levels");
        let levels = all(self.noise.shares().len());
        all(self.durations.len()).flat_map(move |l| levels.clone().map(move |level| (l, level)))
    }

    /// What a discovery came to.
    pub(super) fn judge(&self, found: &Discovery) -> Outcome {
        let states = 0..found.studies().len();
        let models: Vec<Option<Model>> = states.map(|state| found.model(state)).collect();
        let (mut wrong, mut total) = (0.0, 0.0);
        let mut right = true;
        let mut covered = (0, 0);
        for (state, (terms, truth)) in self.known.truth.iter().zip(self.truth).enumerate() {
            total += truth.iter().map(|w| w * w).sum::<f64>();
            let model = models[state].as_ref();
            let found = model.map_or(Vec::new(), Model::term_texts);
            let own = model.map_or(&[][..], Model::coefficients);
            let errors = model.and_then(Model::std_errors).unwrap_or(&[]);
            right &= found.len() == terms.len();
            for (term, w) in terms.iter().zip(*truth) {
                let Some(place) = found.iter().position(|own| own == term) else {
                    right = false;
                    wrong += w * w;
                    continue;
                };
                wrong += (own[place] - w).powi(2);
                let error = errors.get(place).copied().unwrap_or(0.0);
                covered.0 += u32::from((own[place] - w).abs() <= WITHIN * error);
                covered.1 += 1;
            }
            let others = found.iter().zip(own);
            let others = others.filter(|(term, _)| !terms.contains(&term.as_str()));
            wrong += others.map(|(_, w)| w * w).sum::<f64>();
        }
        let text = |model: &Option<Model>| model.as_ref().map(ToString::to_string);
        let denoised = found.choice().denoised.as_ref();
        let undecided = denoised.map_or(&[][..], |denoised| &denoised.undecided);
        let longer = |longest: f64, term: &UndecidedTerm| longest.max(term.longer.unwrap_or(NEVER));
        Outcome {
            texts: models.iter().map(|m| text(m).unwrap_or_default()).collect(),
            right,
            error: (wrong / total).sqrt(),
            covered: if right { covered } else { (0, 0) },
            longer: undecided.iter().fold(1.0, longer),
        }
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (n, sum) = values.fold((0, 0.0), |(n, sum), value| (n + 1, sum + value));
    sum / f64::from(n)
}

fn variance(x: &[f64]) -> f64 {
    let about = mean(x.iter().copied());
    mean(x.iter().map(|x| (x - about).powi(2)))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "some thousand steps"
)]
fn steps(duration: f64, step: f64) -> usize {
    (duration / step).round() as usize
}
