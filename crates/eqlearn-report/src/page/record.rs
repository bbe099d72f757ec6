//! A record: how the learned system moves along it, and what it is like.

use std::fmt::{self, Write as _};

use eqlearn::error::counted;
use eqlearn::tell::document::{DiscoveryReport, Document};
use eqlearn::tell::parting;
use eqlearn::tell::verdict::probability;
use eqlearn::terms::term::escape_xml as escape;

use super::Page;
use crate::motion::Motion;
use crate::number::{full, on_demand, rounded};

impl Page {
    pub(super) fn motion(&mut self, motion: &Motion, document: &Document) -> fmt::Result {
        self.text
            .push_str("<section class=\"motion\">\n<h2>How it moves</h2>\n<p>Dots are the record.");
        if motion.has_cleaned() {
            self.text.push_str(
                " The green line is the record without its noise: the states that were fitted \
                 together with the coefficients.",
            );
        }
        let starts = motion.runs.iter().flat_map(|run| &run.starts);
        let starts = starts.map(|one| (one.horizon, one.reaches_end));
        let starts: Vec<(f64, bool)> = starts.collect();
        if starts.is_empty() {
            self.text.push_str(" There is no system to draw beside it.");
        } else {
            let said = escape(&parting::horizons(&starts, &motion.time));
            let (from, what) = match motion.scales.fitted_for() {
                None => ("a measured state".to_string(), "state"),
                Some(length) => {
                    let length = rounded(length, 2);
                    let time = escape(&motion.time);
                    let measured = motion.scales.n_measured == motion.scales.spreads.len();
                    let (of, what) = if measured {
                        ("state", "state")
                    } else {
                        ("position and velocity", "position")
                    };
                    let from = format!(
                        "the {of} of its motion nearest to the samples of the next {length} of \
                         {time}"
                    );
                    (from, what)
                }
            };
            let noise = if motion.scales.is_noisy() {
                " and four times its noise, added in quadrature"
            } else {
                ""
            };
            write!(
                self.text,
                " The{} line is the learned system. It starts from {from}, at each orange mark, \
                 and ends where a {what} is off by 40 % of its standard deviation{noise}. {said}",
                if motion.has_cleaned() { " blue" } else { "" }
            )?;
        }
        self.text.push_str("</p>\n");
        let discovery = document.motion();
        let forecast = discovery.and_then(|d| d.forecast.as_ref());
        if let (Some(discovery), Some(exponent)) = (discovery, forecast.and_then(|f| f.lyapunov)) {
            let noise = &discovery.choice.noise;
            let said = parting::chaos(&exponent, noise, &motion.scales.spreads, &motion.time);
            writeln!(self.text, "<p class=\"chaos\">{}</p>", escape(&said))?;
        }
        self.choice_of_runs(motion)?;
        self.text
            .push_str("<div class=\"figures\" data-motion></div>\n");
        self.restarts(motion)?;
        self.text.push_str("</section>\n");
        Ok(())
    }

    /// Which run is shown.
    fn choice_of_runs(&mut self, motion: &Motion) -> fmt::Result {
        if motion.runs.len() > 1 {
            self.text
                .push_str("<p class=\"choice\"><label>Run <select data-runs>");
            for (place, run) in motion.runs.iter().enumerate() {
                let name = escape(&run.name);
                write!(self.text, "<option value=\"{place}\">{name}</option>")?;
            }
            self.text.push_str("</select></label>");
            if motion.runs.len() < motion.of {
                write!(
                    self.text,
                    " the first {} of {} are in this page",
                    motion.runs.len(),
                    motion.of
                )?;
            }
            self.text.push_str("</p>\n");
        }
        let shown = motion.runs.first().map_or("", |run| run.shown.as_str());
        writeln!(
            self.text,
            "<p class=\"soft\" data-shown>{}</p>",
            escape(shown)
        )
    }

    /// Every start with its horizon.
    fn restarts(&mut self, motion: &Motion) -> fmt::Result {
        if motion.runs.iter().all(|run| run.starts.is_empty()) {
            return Ok(());
        }
        self.text
            .push_str("<details><summary>Every start and how long it is valid</summary>\n");
        let time = escape(&motion.time);
        let start = format!("start at {time}");
        self.open_table("Starts", &["run", &start, "valid for", "until"])?;
        for run in &motion.runs {
            for one in &run.starts {
                let until = if one.reaches_end {
                    "the end of the run"
                } else {
                    "it is lost"
                };
                writeln!(
                    self.text,
                    "<tr><td>{}<td class=\"number\">{}<td class=\"number\">{}<td>{until}</tr>",
                    escape(&run.name),
                    rounded(one.time, 4),
                    on_demand(&rounded(one.horizon, 3), &full(one.horizon)),
                )?;
            }
        }
        self.close_table();
        self.text.push_str("</details>\n");
        Ok(())
    }

    pub(super) fn record(&mut self, discovery: &DiscoveryReport, motion: &Motion) -> fmt::Result {
        self.text
            .push_str("<section class=\"together\">\n<h2>What the record is like</h2>\n<ul>\n");
        for (state, noise) in motion.states.iter().zip(&discovery.choice.noise) {
            let noise = on_demand(&rounded(*noise, 2), &full(*noise));
            let state = escape(state);
            writeln!(self.text, "<li>noise of {state}: about {noise}</li>")?;
        }
        for (count, what) in [
            (motion.n_gaps, "gaps, across which no derivative is taken"),
            (motion.n_short, "segments too short to be used"),
        ] {
            if count > 0 {
                writeln!(self.text, "<li>{count} {what}</li>")?;
            }
        }
        for why in &discovery.choice.why {
            writeln!(self.text, "<li>{}</li>", escape(why))?;
        }
        let denoised = discovery.choice.denoised.as_ref();
        for one in denoised.map_or(&[][..], |denoised| &denoised.undecided) {
            let longer = match one.longer {
                Some(longer) => {
                    format!("a record {} times as long would decide", rounded(longer, 2))
                }
                None => "no longer record of this motion would decide".to_string(),
            };
            writeln!(
                self.text,
                "<li>undecided: {} in the equation of {}, with probability {}; {longer}</li>",
                escape(&one.term),
                escape(&one.state),
                probability(one.probability),
            )?;
        }
        if let Some(forecast) = &discovery.forecast {
            writeln!(
                self.text,
                "<li>simulated from {} of the record for {}: {} reached the end</li>",
                counted(forecast.windows, "point"),
                rounded(forecast.duration, 3),
                forecast.windows - forecast.failures
            )?;
        }
        self.text.push_str("</ul>\n</section>\n");
        Ok(())
    }
}
