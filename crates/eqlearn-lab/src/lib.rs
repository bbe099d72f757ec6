//! Seeded experiments: data whose equation is known, and how often it is found.
//!
//! `cargo run --release -p eqlearn-lab -- --help` lists them. Each prints a table. The same seed
//! gives the same table, whatever the number of threads. With `--out` the lines behind the table
//! are kept in files, and a run that was cut off goes on from them.
//!
//! To add an experiment, write a file with a type that implements
//! [`Experiment`](eqlearn_reproduce::Experiment) and [`Report`], and add an entry to [`ALL`].
//! Threads, files, progress and flags come with that.

mod calibration;
mod chaotic;
mod conduct;
mod criteria;
mod denoise;
mod dynamics;
mod fields;
mod fractions;
mod kinetics;
pub mod laws;
mod learner;
mod misfit;
mod motion_misfit;
mod nist;
mod noise;
mod oracle;
mod pendulum;
mod polynomials;
mod refine;
mod said;
mod sets;
mod shapes;
mod spoiled;
mod strogatz;
mod systems;
mod uneven;

use crate::chaotic::ManyChaotic;
use crate::denoise::{Grid, HighNoise, Longer, cost};
use eqlearn::Denoise;
use eqlearn_reproduce::known::{LORENZ, RABINOVICH, RABINOVICH_ATTRACTOR};

use conduct::conduct;
pub use conduct::{Entry, Report, Reported, Request, Show};

/// All experiments, in the order of the help.
pub const ALL: &[Entry] = &[
    Entry {
        name: "polynomials",
        about: "How often each method recovers the paper's random polynomials exactly",
        run: |request, show| conduct(&polynomials::Polynomials::new(request), request, show),
    },
    Entry {
        name: "noise",
        about: "How often the default method claims a law on pure noise",
        run: |request, show| conduct(&noise::Noise::new(request), request, show),
    },
    Entry {
        name: "nist",
        about: "NIST's non-linear sets without starting values: right digits of each parameter",
        run: |request, show| conduct(&nist::Nist, request, show),
    },
    Entry {
        name: "criteria",
        about: "How each criterion does on the same lists: recovery, false claims, size errors",
        run: |request, show| conduct(&criteria::Criteria::new(request), request, show),
    },
    Entry {
        name: "calibration",
        about: "Whether models reported with probability 0.9 are right nine times out of ten",
        run: |request, show| conduct(&calibration::Calibration::new(request), request, show),
    },
    Entry {
        name: "misfit",
        about: "Whether laws outside the dictionary are told from those inside",
        run: |request, show| conduct(&misfit::Misfits::new(request), request, show),
    },
    Entry {
        name: "motion-misfit",
        about: "The same for equations of motion",
        run: |request, show| {
            let experiment = motion_misfit::MotionMisfits::new(request);
            conduct(&experiment, request, show)
        },
    },
    Entry {
        name: "uneven",
        about: "Whether laws, probabilities and error bars hold where the noise is not even",
        run: |request, show| conduct(&uneven::Unevens::new(request), request, show),
    },
    Entry {
        name: "spoiled",
        about: "Outliers, sentinels, copied rows and random walks: what is claimed and what named",
        run: |request, show| conduct(&spoiled::Spoiled::new(request), request, show),
    },
    Entry {
        name: "fractions",
        about: "How often laws that are a fraction of two sums are found",
        run: |request, show| conduct(&fractions::Fractions::new(request), request, show),
    },
    Entry {
        name: "lorenz",
        about: "The paper's 80 scenarios of the Lorenz system",
        run: |request, show| conduct(&dynamics::Grid::new(&LORENZ, request), request, show),
    },
    Entry {
        name: "rabinovich",
        about: "The paper's 84 scenarios of the Rabinovich–Fabrikant system",
        run: |request, show| conduct(&dynamics::Grid::new(&RABINOVICH, request), request, show),
    },
    Entry {
        name: "rabinovich-attractor",
        about: "The same from a start on the attractor, not one that spirals into a fixed point",
        run: |request, show| {
            let grid = dynamics::Grid::new(&RABINOVICH_ATTRACTOR, request);
            conduct(&grid, request, show)
        },
    },
    Entry {
        name: "oracle",
        about: "Whether the noisiest of these records could tell, with true terms and true noise",
        run: |request, show| conduct(&oracle::Oracle::new(request), request, show),
    },
    Entry {
        name: "systems",
        about: "Eight more systems at four noise levels",
        run: |request, show| conduct(&systems::Systems::new(request), request, show),
    },
    Entry {
        name: "denoise",
        about: "Motion at up to 40 % of noise: whole systems, beside ODR-BINDy's published rates",
        run: |request, show| {
            let grid = HighNoise::new(request, Grid::OdrBindy);
            conduct(&grid, request, show)
        },
    },
    Entry {
        name: "short",
        about: "Short records with 56 terms, at the lengths and noise of E-SINDy",
        run: |request, show| {
            let grid = HighNoise::new(request, Grid::ESindy);
            conduct(&grid, request, show)
        },
    },
    Entry {
        name: "shortest",
        about: "Records so short that MIOSR needs more, with little noise",
        run: |request, show| {
            let grid = HighNoise::new(request, Grid::Miosr);
            conduct(&grid, request, show)
        },
    },
    Entry {
        name: "longer",
        about: "Whether the record that an answer asks for decides the terms that it leaves open",
        run: |request, show| conduct(&Longer::new(request), request, show),
    },
    Entry {
        name: "chaotic",
        about: "79 chaotic systems at six levels of noise: how often the whole system is right",
        run: |request, show| {
            let experiment = ManyChaotic::new(request, Denoise::Auto);
            conduct(&experiment, request, show)
        },
    },
    Entry {
        name: "chaotic-separately",
        about: "The same, each equation by itself at all levels",
        run: |request, show| {
            let experiment = ManyChaotic::new(request, Denoise::Off);
            conduct(&experiment, request, show)
        },
    },
    Entry {
        name: "cost",
        about: "How much longer all equations together take than each by itself",
        run: cost,
    },
    Entry {
        name: "refine",
        about: "Coefficients of motion: by rows, refined, and fitted together with the states",
        run: |request, show| conduct(&refine::Refinement::new(request), request, show),
    },
    Entry {
        name: "fields",
        about: "Partial differential equations from grids with up to 100 % of noise",
        run: |request, show| conduct(&fields::Fields::new(request), request, show),
    },
    Entry {
        name: "laws",
        about: "100 textbook laws without any flag: found, said to be outside, or claimed wrongly",
        run: |request, show| conduct(&laws::Laws::new(request), request, show),
    },
    Entry {
        name: "strogatz",
        about: "Seven textbook systems of two states, five of them not polynomial",
        run: |request, show| conduct(&strogatz::Strogatz::new(request), request, show),
    },
    Entry {
        name: "kinetics",
        about: "Michaelis–Menten and Hill kinetics as motion, without any flag",
        run: |request, show| conduct(&kinetics::Kinetics::new(request), request, show),
    },
    Entry {
        name: "pendulum",
        about: "The double pendulum, a fraction with one number inside, from angles and velocities",
        run: |request, show| conduct(&pendulum::Pendulum::new(request), request, show),
    },
];
