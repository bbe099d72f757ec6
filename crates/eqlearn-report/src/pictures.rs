//! A measured field beside the simulated one, as pictures with one scale of colours.

use eqlearn::FollowedField;
use eqlearn::data::field::Field;

use crate::png::{Colour, data_uri};

/// Points of a picture along each side at most.
const SIDE: usize = 220;

/// Colours of a scale, beside that of a missing value.
const COLOURS: u8 = 255;

/// The place of the colour of a missing value.
const MISSING: u8 = 255;

/// Colours from dark blue to yellow, which keep their order in grey and for the colour-blind:
/// some of the map that is called viridis.
const ANCHORS: [Colour; 9] = [
    [68, 1, 84],
    [71, 45, 123],
    [59, 82, 139],
    [44, 114, 142],
    [33, 145, 140],
    [40, 174, 128],
    [94, 201, 98],
    [173, 220, 48],
    [253, 231, 37],
];

/// The pictures of all quantities of a record.
#[derive(Debug, Clone)]
pub struct Pictures {
    /// The axes of the pictures, time first; more where they are slices.
    pub(crate) axes: Vec<AxisOfPicture>,
    pub(crate) quantities: Vec<QuantityPicture>,
    /// The times that a simulation reached.
    pub(crate) times: Vec<f64>,
    /// Whether these are all times of the record.
    pub(crate) reaches_end: bool,
}

/// An axis: its name and its ends.
#[derive(Debug, Clone)]
pub(crate) struct AxisOfPicture {
    pub(crate) name: String,
    pub(crate) ends: (f64, f64),
}

/// One quantity.
#[derive(Debug, Clone)]
pub(crate) struct QuantityPicture {
    pub(crate) name: String,
    /// The values of the darkest and of the lightest colour.
    pub(crate) ends: (f64, f64),
    pub(crate) measured: String,
    /// None where nothing was simulated.
    pub(crate) simulated: Option<String>,
    /// What is left where both are shown, on a scale of its own, with the end of that.
    pub(crate) scale: String,
    /// The error at each time, in units of the spread.
    pub(crate) errors: Vec<f64>,
    /// The noise in the same units.
    pub(crate) noise: f64,
}

impl Pictures {
    /// Pictures of a record, and of its simulation if there is one. Of several directions of space,
    /// the middle of all but the first is shown.
    pub fn new(record: &Field, followed: Option<&FollowedField>, noise: &[f64]) -> Self {
        let axes = record.axes().iter().take(2).map(|axis| AxisOfPicture {
            name: axis.name.clone(),
            ends: (
                axis.values[0],
                *axis.values.last().expect("axes have points"),
            ),
        });
        let shape = record.shape();
        let quantities = record.quantities().iter().zip(noise).enumerate();
        let quantities = quantities.map(|(place, (quantity, noise))| {
            let measured = middle(&quantity.values, &shape);
            let simulated = followed.map(|followed| followed.simulation.values[place].as_slice());
            let ends = ends(&measured);
            let draw = |values: &[f64]| picture(values, (shape[0], shape[1]), ends);
            QuantityPicture {
                name: quantity.name.clone(),
                ends,
                measured: draw(&measured),
                simulated: simulated.map(draw),
                scale: scale(),
                errors: followed.map_or(Vec::new(), |followed| followed.errors[place].clone()),
                noise: noise / spread(&quantity.values),
            }
        });
        Self {
            axes: axes.collect(),
            quantities: quantities.collect(),
            times: followed.map_or(Vec::new(), |followed| followed.simulation.times.clone()),
            reaches_end: followed.is_some_and(FollowedField::reaches_end),
        }
    }
}

/// The values along time and the first direction of space, in the middle of the others.
fn middle(values: &[f64], shape: &[usize]) -> Vec<f64> {
    let others = &shape[2..];
    let inner: usize = others.iter().product();
    let place = others.iter().fold(0, |place, n| place * n + n / 2);
    values.iter().skip(place).step_by(inner).copied().collect()
}

fn ends(values: &[f64]) -> (f64, f64) {
    let known = values.iter().filter(|value| !value.is_nan());
    known.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(*value), high.max(*value))
    })
}

fn spread(values: &[f64]) -> f64 {
    let known: Vec<f64> = values.iter().copied().filter(|u| !u.is_nan()).collect();
    let n = known.len() as f64;
    let mean = known.iter().sum::<f64>() / n;
    (known.iter().map(|u| (u - mean).powi(2)).sum::<f64>() / n).sqrt()
}

/// The picture of a field: space from left to right, time upwards. Times that a simulation did not
/// reach are those of a missing value.
fn picture(values: &[f64], (n_times, n_points): (usize, usize), (low, high): (f64, f64)) -> String {
    let shown = |n: usize| n.min(SIDE);
    let at = |place: usize, of: usize, n: usize| place * n / of;
    let row = |up: usize| -> Vec<u8> {
        let time = at(up, shown(n_times), n_times);
        let colour = |across: usize| {
            let point = at(across, shown(n_points), n_points);
            let value = values.get(time * n_points + point).copied();
            value.map_or(MISSING, |value| place_of((value - low) / (high - low)))
        };
        (0..shown(n_points)).map(colour).collect()
    };
    let rows: Vec<Vec<u8>> = (0..shown(n_times)).rev().map(row).collect();
    data_uri(shown(n_points), &rows, &palette())
}

/// The place in the palette of a share of the scale.
fn place_of(share: f64) -> u8 {
    if share.is_nan() {
        return MISSING;
    }
    let place = (share * f64::from(COLOURS)).floor();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is clamped to the palette"
    )]
    let place = place.clamp(0.0, f64::from(COLOURS - 1)) as u8;
    place
}

/// All colours, and that of a missing value.
fn palette() -> Vec<Colour> {
    let between = |place: u8| {
        let along = f64::from(place) / f64::from(COLOURS - 1) * (ANCHORS.len() - 1) as f64;
        let first = (0..ANCHORS.len() - 1)
            .rfind(|&i| i as f64 <= along)
            .unwrap_or(0);
        let share = along - first as f64;
        std::array::from_fn(|i| {
            let (a, b) = (ANCHORS[first][i], ANCHORS[first + 1][i]);
            let mixed = f64::from(a) + share * (f64::from(b) - f64::from(a));
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it is between two bytes"
            )]
            let byte = mixed.round() as u8;
            byte
        })
    };
    let missing = [[160, 160, 160]];
    (0..COLOURS).map(between).chain(missing).collect()
}

/// The scale itself, from the lowest value at the left.
fn scale() -> String {
    data_uri(COLOURS.into(), &[(0..COLOURS).collect()], &palette())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_span_the_scale_and_missing_values_have_their_own() {
        let all = palette();
        assert_eq!(all.len(), 256);
        assert_eq!((all[0], all[254]), (ANCHORS[0], ANCHORS[8]));
        assert_eq!(place_of(0.0), 0);
        assert_eq!(place_of(1.0), 254);
        assert_eq!(place_of(f64::NAN), MISSING);
        assert_eq!(place_of(-3.0), 0);
        // Lighter and lighter, so that it can be read in grey.
        let light = |c: &Colour| 0.3 * f64::from(c[0]) + 0.6 * f64::from(c[1]);
        assert!(
            all[..255]
                .windows(2)
                .all(|two| light(&two[0]) <= light(&two[1]) + 0.5)
        );
    }

    #[test]
    fn of_several_directions_the_middle_is_shown() {
        // Two times, three points, five points of the other direction.
        let values: Vec<f64> = (0..30).map(f64::from).collect();
        assert_eq!(
            middle(&values, &[2, 3, 5]),
            [2.0, 7.0, 12.0, 17.0, 22.0, 27.0]
        );
        assert_eq!(middle(&values, &[5, 6]), values);
    }
}
