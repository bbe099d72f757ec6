//! How noisy a field is, and how its rows were made.

use eqlearn::error::counted;
use eqlearn::tell::document::{FieldForecast, FieldReport};

use super::Look;
use super::fold::{sentence, three};

/// A noise below this share of the values is that of numbers with sixteen digits.
const ROUNDING: f64 = 1e-12;

/// How noisy the field is; how rows were made, if that is wanted.
pub(super) fn write_field(text: &mut String, field: &FieldReport, look: Look) {
    let choice = &field.choice;
    text.push('\n');
    let noise = field.quantities.iter().zip(&choice.noise);
    let noise = noise
        .zip(&choice.noise_share)
        .map(|((name, noise), share)| {
            if *share < ROUNDING {
                return format!("{name} none");
            }
            let share = three(100.0 * share);
            format!("{name} {}, {share} % of its values", look.number(*noise))
        });
    let noise: Vec<String> = noise.collect();
    let said = format!("noise of the samples: {}", noise.join("; "));
    text.push_str(&sentence(&said, "  ", look));
    if let Some(widths) = choice.half_widths.first() {
        let widths = field.axes.iter().zip(widths);
        let widths: Vec<String> = widths
            .map(|(axis, width)| format!("{} in {axis}", look.number(*width)))
            .collect();
        let more = match choice.half_widths.len() {
            1 => String::new(),
            n => format!(", in the first of {}", counted(n, "record")),
        };
        let gaps = match choice.left_out {
            0 => String::new(),
            n => format!("; {} left out for missing values", counted(n, "place")),
        };
        let said = format!(
            "test functions at {}, half as wide as {}{more}{gaps}",
            counted(choice.n_rows, "place"),
            widths.join(" and "),
        );
        text.push_str(&sentence(&said, "  ", look));
    }
    if let Some(forecast) = &field.forecast {
        text.push_str(&sentence(&followed(field, forecast), "  ", look));
    }
    if look.verbose {
        for (name, equation) in field.quantities.iter().zip(&choice.equations) {
            let said = format!(
                "{name}: {}; the rows' residuals are {} times what noise explains (mean squares)",
                counted(equation.searches, "search"),
                look.number(equation.misfit)
            );
            text.push_str(&sentence(&said, "  ", look));
        }
    }
}

/// How a simulation of the equations follows the record.
fn followed(field: &FieldReport, forecast: &FieldForecast) -> String {
    let Some(until) = forecast.until else {
        let why = forecast.why_not.as_ref().map(ToString::to_string);
        return format!("the field: {}", why.unwrap_or_default());
    };
    let errors = field.quantities.iter().zip(&forecast.error);
    let errors: Vec<String> = errors
        .map(|(name, error)| format!("{name} {} %", three(100.0 * error)))
        .collect();
    let (time, errors) = (&field.axes[0], errors.join(", "));
    let until = three(until);
    if forecast.reaches_end {
        format!(
            "simulated from its first time to its last ({time} = {until}), off there by {errors} \
             of the standard deviation, noise included"
        )
    } else {
        format!("simulated from its first time, which failed after {time} = {until}")
    }
}
