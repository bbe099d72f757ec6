//! A motion: a noisy recording of the Lorenz system.

use std::fmt::Write as _;
use std::process::ExitCode;

use eqlearn::data::trajectory::{Record, TimeFeature};
use eqlearn::dynamics::forecast::restarts;
use eqlearn::dynamics::start::Scales;
use eqlearn::search::Run;
use eqlearn::tell::parting;
use eqlearn::{
    Coefficients, Conclusion, Dictionary, Discover, LeftSide, Model, Simulate, System,
    Trajectories, conclude, discover, simulate,
};

use super::{Noise, place, what_to_try};
use crate::args::{Color, DemoArgs};
use crate::output::{print, write_text};
use crate::progress::Watch;
use crate::report::{Destination, of_system};
use crate::terminal::{Look, result, sentence};
use crate::trouble::Trouble;

const STATES: [&str; 3] = ["x", "y", "z"];
const START: [f64; 3] = [-8.0, 8.0, 27.0];
const STEP: f64 = 0.01;
/// Where they end, the motion is not at its point of decision between the two wings: from there no
/// forecast from a measured state would hold for half a unit of time.
const SAMPLES: u32 = 2100;
const NOISE: f64 = 0.1;
const DATA: &str = "eqlearn-demo.csv";
const PAGE: &str = "eqlearn-demo.html";

pub(super) fn run(args: &DemoArgs) -> Result<ExitCode, Trouble> {
    let look = Look::new(Color::Auto, false);
    let (data, report) = (place(&args.dir, DATA), place(&args.dir, PAGE));
    let truth = lorenz()?;
    // Two units of time more than are recorded, to compare the forecast with.
    let times: Vec<f64> = (0..SAMPLES + 200).map(|i| f64::from(i) * STEP).collect();
    let clean = simulate(&truth, &START, &times, &Simulate::default())?.states;
    let record = recorded(&times, &clean);
    write_text(&data, &csv(&record))?;
    let made = format!(
        "{SAMPLES} samples of three quantities, every {STEP}, with noise of {NOISE}; written to {}",
        data.display()
    );
    print(&format!(
        "{}\n{}\n{}\n{}\n\n",
        look.bold("1. A recording"),
        sentence(&made, "", look),
        look.bold("2. Which equations made it?"),
        look.faint(&format!("eqlearn discover {DATA} --time t --report {PAGE}"))
    ))?;

    let none: &[&str] = &[];
    let trajectories = Trajectories::new("t", &STATES, none, TimeFeature::No, vec![record])?;
    let dictionary = Dictionary::monomials(STATES, 4, 6, true)?;
    let settings = Discover::default();
    let mut watch = Watch::new(true, None);
    let discovery = discover(
        &trajectories,
        &dictionary,
        &settings,
        &Run::default(),
        &mut watch,
    )?;
    let seconds = watch.elapsed().as_secs_f64();
    drop(watch);
    let conclusion = conclude(&discovery, &trajectories, Coefficients::OfRows)?;
    print(&result(&conclusion.document, look))?;
    let truth = format!(
        "The truth: x' = -10 x + 10 y; y' = 28 x - y - x*z; z' = -8/3 z + x*y. \
         Found among {} terms in {seconds:.2} s.",
        dictionary.len()
    );
    print(&format!("\n{}\n", sentence(&truth, "", look)))?;

    if let Some(system) = &conclusion.system {
        print(&format!(
            "{}\n{}{}\n",
            look.bold("3. What comes next?"),
            what_comes_next(system, &trajectories, &times, &clean)?,
            how_long(system, &conclusion, &trajectories, look)
        ))?;
    }
    let to = Destination {
        path: &report,
        data: DATA,
        command: &format!("eqlearn discover {DATA} --time t --report {PAGE}"),
        units: &[],
    };
    of_system(&to, &discovery, &conclusion, &trajectories)?;
    let next = [
        format!("discover {DATA} --time t --save lorenz.json"),
        "simulate lorenz.json --from x=1,y=1,z=20 --until 5 --step 0.01".to_string(),
        "demo --table".to_string(),
    ];
    print(&what_to_try(look, "4. What to try next", &report, &next))?;
    Ok(ExitCode::SUCCESS)
}

fn lorenz() -> Result<System, Trouble> {
    let equation = |state: &str, terms: &[(&str, f64)]| -> Result<Model, Trouble> {
        let texts = terms.iter().map(|(term, _)| term);
        let coefficients: Vec<f64> = terms.iter().map(|(_, value)| *value).collect();
        let dictionary = Dictionary::parse(STATES, texts)?;
        let left = LeftSide::Flow {
            state: state.into(),
        };
        Ok(Model::given(left, dictionary, &coefficients)?)
    };
    let equations = vec![
        equation("x", &[("x", -10.0), ("y", 10.0)])?,
        equation("y", &[("x", 28.0), ("y", -1.0), ("x*z", -1.0)])?,
        equation("z", &[("z", -8.0 / 3.0), ("x*y", 1.0)])?,
    ];
    Ok(System::from_models(equations).expect("three states, an equation for each"))
}

/// The motion as an instrument would have seen it.
fn recorded(times: &[f64], clean: &[Vec<f64>]) -> Record {
    let mut noise = Noise::new();
    let n = SAMPLES as usize;
    // As many digits as an instrument would give.
    let mut read = |x: &f64| (1e4 * (x + NOISE * noise.normal())).round() / 1e4;
    Record {
        name: DATA.into(),
        times: times[..n].to_vec(),
        states: clean
            .iter()
            .map(|x| x[..n].iter().map(&mut read).collect())
            .collect(),
        inputs: Vec::new(),
    }
}

fn csv(record: &Record) -> String {
    let mut text = format!("t,{}\n", STATES.join(","));
    for (i, t) in record.times.iter().enumerate() {
        let _ = write!(text, "{t}");
        for x in &record.states {
            let _ = write!(text, ",{}", x[i]);
        }
        text.push('\n');
    }
    text
}

/// The learned system from the last measured state on, beside what really happened.
fn what_comes_next(
    system: &System,
    record: &Trajectories,
    times: &[f64],
    clean: &[Vec<f64>],
) -> Result<String, Trouble> {
    let last = SAMPLES as usize - 1;
    let measured = record.pieces()[0].columns();
    let start: Vec<f64> = measured.iter().map(|x| x[last]).collect();
    let future = simulate(system, &start, &times[last..], &Simulate::default())?;
    let mut text =
        String::from("From the last measured state on:\n\n      t   forecast x        truth\n");
    for step in [50, 100, 150, 200] {
        let Some(x) = future.states[0].get(step) else {
            continue;
        };
        let _ = writeln!(
            text,
            "  {:5.2}   {x:10.2}   {:10.2}",
            times[last + step],
            clean[0][last + step]
        );
    }
    text.push('\n');
    Ok(text)
}

/// How long the system follows its record from measured states, and why no longer.
fn how_long(system: &System, conclusion: &Conclusion, record: &Trajectories, look: Look) -> String {
    let discovery = conclusion.document.motion();
    let (noise, time_scale) = discovery.map_or((&[][..], 1.0), |discovery| {
        (&discovery.choice.noise[..], discovery.choice.time_scale)
    });
    let scales = Scales::new(record, noise, time_scale);
    let starts = record.pieces().iter();
    let starts = starts.flat_map(|piece| restarts(system, piece, &scales));
    let starts: Vec<(f64, bool)> = starts.map(|one| (one.horizon, one.reaches_end)).collect();
    let mut said = vec![format!(
        "{} Lost means that a state is off by 40 % of its standard deviation.",
        parting::horizons(&starts, record.time())
    )];
    let exponent = discovery.and_then(|d| Some((d, d.forecast.as_ref()?.lyapunov?)));
    said.extend(exponent.map(|(discovery, exponent)| {
        parting::chaos(
            &exponent,
            &discovery.choice.noise,
            &scales.spreads,
            record.time(),
        )
    }));
    said.iter().map(|text| sentence(text, "", look)).collect()
}
