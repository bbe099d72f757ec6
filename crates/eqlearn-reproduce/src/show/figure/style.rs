//! Colours and sizes. Blue and orange differ for every kind of colour vision; shades differ by
//! lightness.

use kuva::render::layout::Layout;
use kuva::render::theme::Theme;

/// The palest and the strongest shade of the ordinary hue.
const BLUES: [[f64; 3]; 2] = [[190.0, 217.0, 236.0], [52.0, 122.0, 182.0]];
/// The same of the hue that stands out.
const ORANGES: [[f64; 3]; 2] = [[253.0, 215.0, 170.0], [226.0, 110.0, 18.0]];

pub(super) const INK: &str = "#222222";
pub(super) const FAINT: &str = "#8a8a8a";
pub(super) const BLUE: &str = "#0072b2";
pub(super) const ORANGE: &str = "#d55e00";

/// Colours of lines (Okabe and Ito), to be told apart by dashes too.
pub(super) const LINES: [&str; 5] = [BLUE, ORANGE, "#009e73", "#cc79a7", "#56b4e9"];

/// Shade `place` of `count`, from pale to strong.
pub fn shade(place: usize, count: usize, stands_out: bool) -> String {
    let [pale, strong] = if stands_out { ORANGES } else { BLUES };
    let part = if count < 2 {
        0.5
    } else {
        place as f64 / (count - 1) as f64
    };
    let mix = |channel: usize| pale[channel] + part * (strong[channel] - pale[channel]);
    format!("rgb({:.0},{:.0},{:.0})", mix(0), mix(1), mix(2))
}

/// Margins left and right of panels that must line up: room for the longest term.
pub(super) const ALIGNED: (f64, f64) = (150.0, 20.0);

/// What all panels have in common.
pub(super) fn panel(layout: Layout, title: &str) -> Layout {
    let theme = Theme {
        box_median: "black".into(),
        grid_color: "#e4e4e4".into(),
        ..Theme::light()
    };
    let layout = layout
        .with_theme(theme)
        .with_title_size(15)
        .with_label_size(13)
        .with_tick_size(12)
        .with_body_size(12);
    if title.is_empty() {
        return layout;
    }
    layout.with_title(title)
}
