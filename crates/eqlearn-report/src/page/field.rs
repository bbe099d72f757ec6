//! A field: measured and simulated side by side, and the error against time.

use std::fmt::{self, Write as _};

use eqlearn::error::counted;
use eqlearn::tell::document::{Document, FieldReport};
use eqlearn::terms::term::escape_xml as escape;

use super::{About, Page};
use crate::number::{full, on_demand, rounded};
use crate::pictures::{AxisOfPicture, Pictures, QuantityPicture};

/// The chart of errors, in its own units.
const CHART: (f64, f64) = (340.0, 140.0);
/// Where its lines begin and end.
const FRAME: (f64, f64, f64, f64) = (46.0, 334.0, 8.0, 112.0);

impl Page {
    pub(super) fn field(
        &mut self,
        pictures: &Pictures,
        document: &Document,
        about: &About<'_>,
    ) -> fmt::Result {
        self.text
            .push_str("<section class=\"field\">\n<h2>Measured and simulated</h2>\n");
        let forecast = document
            .of_field()
            .and_then(|field| field.forecast.as_ref());
        let said = match (pictures.times.is_empty(), forecast) {
            (true, Some(forecast)) => {
                let why = forecast.why_not.as_ref().map(ToString::to_string);
                format!("The field as measured; {}.", why.unwrap_or_default())
            }
            (true, None) => "The field as measured. There is no system to simulate.".to_string(),
            (false, _) => {
                let end = if pictures.reaches_end {
                    ""
                } else {
                    " The simulation failed before the end: times that it did not reach are grey."
                };
                format!(
                    "The simulation starts from the first measured time, without the waves that \
                     noise could be, and sees nothing of what follows.{end}"
                )
            }
        };
        writeln!(self.text, "<p>{}</p>", escape(&said))?;
        for quantity in &pictures.quantities {
            self.quantity(quantity, pictures, about)?;
        }
        self.text.push_str("</section>\n");
        Ok(())
    }

    fn quantity(
        &mut self,
        quantity: &QuantityPicture,
        pictures: &Pictures,
        about: &About<'_>,
    ) -> fmt::Result {
        let name = about.symbols.plain(&quantity.name);
        let simulated = quantity.simulated.as_ref();
        let shown = [
            ("measured", Some(&quantity.measured)),
            ("simulated", simulated),
        ];
        self.text.push_str("<div class=\"figures\">\n");
        for (what, image) in shown {
            let Some(image) = image else { continue };
            let of = escape(&format!("{name} {what}"));
            let [time, space] = pictures.axes.as_slice() else {
                continue;
            };
            let (up, across) = (axis(time), axis(space));
            writeln!(
                self.text,
                "<figure class=\"picture together\"><figcaption>{of}</figcaption>\n<img alt=\"{of} \
                 as colours: {across} from left to right, {up} upwards\" src=\"{image}\">\n<p \
                 class=\"soft\">{across} →, {up} ↑</p>\n</figure>"
            )?;
        }
        self.text.push_str("</div>\n");
        let (low, high) = quantity.ends;
        writeln!(
            self.text,
            "<p class=\"colours\"><span>{}</span> <img alt=\"the scale of colours of {name}, from \
             {} to {}\" src=\"{}\"> <span>{}</span></p>",
            on_demand(&rounded(low, 3), &full(low)),
            rounded(low, 3),
            rounded(high, 3),
            quantity.scale,
            on_demand(&rounded(high, 3), &full(high)),
            name = escape(&name),
        )?;
        self.errors(quantity, pictures, &name)
    }

    /// The error against time, with the noise of what it is measured by.
    fn errors(
        &mut self,
        quantity: &QuantityPicture,
        pictures: &Pictures,
        name: &str,
    ) -> fmt::Result {
        let (Some(begin), Some(end)) = (pictures.times.first(), pictures.times.last()) else {
            return Ok(());
        };
        let Some(last) = quantity.errors.last().filter(|_| begin < end) else {
            return Ok(());
        };
        let highest = quantity
            .errors
            .iter()
            .copied()
            .fold(quantity.noise, f64::max);
        let highest = highest.max(f64::MIN_POSITIVE);
        let (left, right, top, bottom) = FRAME;
        let x = |time: f64| left + (right - left) * (time - begin) / (end - begin);
        let y = |error: f64| bottom - (bottom - top) * error / highest;
        let points = pictures.times.iter().zip(&quantity.errors);
        let points: Vec<String> = points
            .map(|(time, error)| format!("{:.1},{:.1}", x(*time), y(*error)))
            .collect();
        let (width, height) = CHART;
        let noise = y(quantity.noise);
        let said = format!(
            "Error of {name} over time in units of its standard deviation: {} at the end; the \
             dashed line is the measurements' own noise, {}.",
            rounded(*last, 2),
            rounded(quantity.noise, 2)
        );
        writeln!(
            self.text,
            "<figure class=\"errors together\"><figcaption>{said}</figcaption>\n<svg \
             class=\"chart\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{said}\">\n\
             <path class=\"grid\" fill=\"none\" d=\"M{left} {top}V{bottom}H{right}\"/>\n<path \
             class=\"mark\" d=\"M{left} {noise:.1}H{right}\"/>\n<polyline class=\"line\" \
             points=\"{points}\"/>\n<text x=\"{edge}\" y=\"{label}\" \
             text-anchor=\"end\">{highest}</text><text x=\"{edge}\" y=\"{bottom}\" \
             text-anchor=\"end\">0</text>\n<text x=\"{left}\" y=\"{below}\">{begin}</text>\
             <text x=\"{right}\" y=\"{below}\" text-anchor=\"end\">{time} = {end}</text>\n\
             </svg></figure>",
            said = escape(&said),
            points = points.join(" "),
            edge = left - 5.0,
            label = top + 8.0,
            highest = rounded(highest, 2),
            below = bottom + 18.0,
            begin = rounded(*begin, 3),
            end = rounded(*end, 3),
            time = escape(&pictures.axes[0].name),
        )
    }

    pub(super) fn about_field(&mut self, field: &FieldReport) -> fmt::Result {
        self.text
            .push_str("<section class=\"together\">\n<h2>What the field is like</h2>\n<ul>\n");
        let choice = &field.choice;
        let noise = field.quantities.iter().zip(&choice.noise);
        for ((name, noise), share) in noise.zip(&choice.noise_share) {
            writeln!(
                self.text,
                "<li>noise of {}: about {}, {} % of its values</li>",
                escape(name),
                on_demand(&rounded(*noise, 2), &full(*noise)),
                rounded(100.0 * share, 2)
            )?;
        }
        if let Some(widths) = choice.half_widths.first() {
            let widths = field.axes.iter().zip(widths);
            let widths: Vec<String> = widths
                .map(|(axis, width)| format!("{} in {}", rounded(*width, 3), escape(axis)))
                .collect();
            writeln!(
                self.text,
                "<li>test functions at {}, half as wide as {}</li>",
                counted(choice.n_rows, "place"),
                widths.join(" and ")
            )?;
        }
        if choice.left_out > 0 {
            let places = counted(choice.left_out, "place");
            writeln!(self.text, "<li>{places} left out for missing values</li>")?;
        }
        self.text.push_str("</ul>\n</section>\n");
        Ok(())
    }
}

/// An axis with its ends.
fn axis(axis: &AxisOfPicture) -> String {
    let (low, high) = axis.ends;
    let (low, high) = (rounded(low, 3), rounded(high, 3));
    format!("{} from {low} to {high}", escape(&axis.name))
}
