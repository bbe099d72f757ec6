//! How the quantities of a result are written: symbols, dots for derivatives, units apart.
//!
//! A column `v (m/s)` is the quantity `v`; its unit stands in a legend, for a formula with
//! `v (m/s)²` would seem to square the unit. Time derivatives have dots, first ones and second ones
//! alike: of a second-order system, the velocity of `theta` is `θ̇` and its acceleration `θ̈`.

use std::collections::BTreeMap;

use eqlearn::terms::term::{escape_xml as escape, symbol};
use eqlearn::{LeftSide, Term};

/// The symbols of all features and targets of a result.
#[derive(Debug, Clone)]
pub struct Symbols {
    features: Vec<String>,
    /// The markup of each name that is not written as usual.
    special: BTreeMap<String, String>,
    /// Names and units of columns that have both, in order.
    units: Vec<(String, String)>,
    /// Velocities by name, with the position of each.
    velocities: BTreeMap<String, String>,
}

impl Symbols {
    /// The symbols of these features and of what equations give.
    pub fn new<'a>(features: &[String], left: impl IntoIterator<Item = &'a LeftSide>) -> Self {
        let left: Vec<&LeftSide> = left.into_iter().collect();
        let mut symbols = Self {
            features: features.to_vec(),
            special: BTreeMap::new(),
            units: Vec::new(),
            velocities: velocities(features, &left),
        };
        let targets = left.iter().filter_map(|left| column(left));
        let mut names: Vec<&str> = features.iter().map(String::as_str).chain(targets).collect();
        let mut seen = std::collections::BTreeSet::new();
        names.retain(|name| seen.insert(*name) && !symbols.velocities.contains_key(*name));
        for &name in &names {
            let Some((bare, unit)) = split_unit(name) else {
                continue;
            };
            let same = |other: &&str| split_unit(other).map_or(*other, |(bare, _)| bare) == bare;
            // Two columns of one quantity in different units keep their full names.
            if names.iter().filter(|other| same(other)).count() == 1 {
                symbols.special.insert(name.to_string(), symbol(bare));
                symbols.units.push((name.to_string(), unit.to_string()));
            } else {
                let whole = format!("<mrow><mo>(</mo><mi>{}</mi><mo>)</mo></mrow>", escape(name));
                symbols.special.insert(name.to_string(), whole);
            }
        }
        for (velocity, position) in symbols.velocities.clone() {
            let dotted = accented(&symbols.of(&position), "˙");
            symbols.special.insert(velocity, dotted);
        }
        symbols
    }

    /// The features, in the order of their columns.
    pub fn features(&self) -> &[String] {
        &self.features
    }

    /// The `MathML` of a name.
    pub(crate) fn of(&self, name: &str) -> String {
        self.special
            .get(name)
            .cloned()
            .unwrap_or_else(|| symbol(name))
    }

    /// A name as plain text, for axes of charts: with Greek letters and dots, and with its unit.
    pub(crate) fn plain(&self, name: &str) -> String {
        let letter = |name: &str| {
            let markup = symbol(name);
            let inner = markup
                .strip_prefix("<mi>")
                .and_then(|m| m.strip_suffix("</mi>"));
            // Only what is one letter: names of several are themselves.
            inner
                .filter(|inner| inner.chars().count() == 1)
                .map(String::from)
        };
        match self.velocities.get(name) {
            // A combining dot.
            Some(position) => letter(position)
                .map_or_else(|| format!("d{position}/dt"), |letter| letter + "\u{307}"),
            None => letter(name).unwrap_or_else(|| name.to_string()),
        }
    }

    /// The `MathML` of a term, or its text if it cannot be read.
    pub(crate) fn term(&self, text: &str) -> String {
        match Term::parse(text, &self.features) {
            Ok(term) => self.of_term(&term),
            Err(_) => format!("<mtext>{}</mtext>", escape(text)),
        }
    }

    /// The `MathML` of a term.
    pub(crate) fn of_term(&self, term: &Term) -> String {
        format!("<mrow>{}</mrow>", term.mathml(&|name| self.of(name)))
    }

    /// The `MathML` of what an equation gives.
    pub(crate) fn left(&self, left: &LeftSide) -> String {
        match left {
            LeftSide::Flow { state } => match self.velocities.get(state) {
                Some(position) => accented(&self.of(position), "¨"),
                None => accented(&self.of(state), "˙"),
            },
            LeftSide::Next { state } => format!(
                "<msub>{}<mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msub>",
                self.of(state)
            ),
            LeftSide::Function { of, transform } => transform.mathml(&self.of(of)),
            LeftSide::Derivative { of, by, order } => self.derivative(of, by, *order),
            LeftSide::Column { name } => self.of(name),
        }
    }

    /// `dⁿy/dxⁿ`.
    fn derivative(&self, of: &str, by: &str, order: usize) -> String {
        let raised = |base: &str| match order {
            1 => base.to_string(),
            _ => format!("<msup>{base}<mn>{order}</mn></msup>"),
        };
        let d = "<mi mathvariant=\"normal\">d</mi>";
        let (above, below) = (raised(d), raised(&self.of(by)));
        let of = self.of(of);
        format!("<mfrac><mrow>{above}{of}</mrow><mrow>{d}{below}</mrow></mfrac>")
    }

    /// The units of the quantities, as the page lists them; none if no column names one.
    pub(crate) fn legend(&self) -> Option<String> {
        let entry = |(name, unit): &(String, String)| {
            format!("<math>{}</math> in {}", self.of(name), escape(unit))
        };
        let all: Vec<String> = self.units.iter().map(entry).collect();
        (!all.is_empty()).then(|| all.join(", "))
    }
}

/// The column whose name a left side shows.
fn column(left: &LeftSide) -> Option<&str> {
    match left {
        LeftSide::Column { name } => Some(name),
        LeftSide::Function { of, .. } | LeftSide::Derivative { of, .. } => Some(of),
        LeftSide::Flow { .. } | LeftSide::Next { .. } => None,
    }
}

/// The velocities among the states: their derivatives are learned, and those of their positions are
/// not, because they hold by definition.
fn velocities(features: &[String], left: &[&LeftSide]) -> BTreeMap<String, String> {
    let flows: Vec<&str> = left
        .iter()
        .filter_map(|left| match left {
            LeftSide::Flow { state } => Some(state.as_str()),
            _ => None,
        })
        .collect();
    let position = |state: &&str| {
        let position = state.strip_prefix('d')?.to_string();
        let is_given = features.contains(&position) && !flows.contains(&position.as_str());
        is_given.then(|| (state.to_string(), position))
    };
    flows.iter().filter_map(position).collect()
}

/// A header such as `v (m/s)`, `v [m/s]` or `v / (m/s)` as name and unit.
fn split_unit(name: &str) -> Option<(&str, &str)> {
    let name = name.trim();
    let bracketed = |open: char, close: char| {
        let (bare, rest) = name.split_once(open)?;
        Some((bare, rest.strip_suffix(close)?))
    };
    let (bare, unit) = bracketed('[', ']')
        .or_else(|| bracketed('(', ')').filter(|(bare, _)| bare.ends_with(' ')))
        .or_else(|| name.split_once(" / "))?;
    let bare = bare.trim().trim_end_matches('/').trim_end();
    let unit = unit.trim();
    (!bare.is_empty() && !unit.is_empty()).then_some((bare, unit))
}

/// A symbol with a mark above its letter.
fn accented(symbol: &str, mark: &str) -> String {
    let over = |base: &str| format!("<mover accent=\"true\">{base}<mo>{mark}</mo></mover>");
    match symbol
        .strip_prefix("<msub>")
        .and_then(|rest| rest.split_once("</mi>"))
    {
        Some((letter, index)) => format!("<msub>{}{index}", over(&format!("{letter}</mi>"))),
        None => over(symbol),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(all: &[&str]) -> Vec<String> {
        all.iter().map(ToString::to_string).collect()
    }

    fn flow(state: &str) -> LeftSide {
        LeftSide::Flow {
            state: state.into(),
        }
    }

    #[test]
    fn a_unit_stands_apart_from_its_quantity() {
        let features = names(&["v (m/s)", "rho [kg/m^3]", "t / s", "log(y)", "n"]);
        let symbols = Symbols::new(&features, [&LeftSide::from("F (N)")]);
        assert_eq!(symbols.of("v (m/s)"), "<mi>v</mi>");
        assert_eq!(
            symbols.term("`v (m/s)`^2"),
            "<mrow><msup><mi>v</mi><mn>2</mn></msup></mrow>"
        );
        assert_eq!(symbols.of("log(y)"), "<mi>log(y)</mi>");
        assert_eq!(
            symbols.legend().unwrap(),
            "<math><mi>v</mi></math> in m/s, <math><mi>ρ</mi></math> in kg/m^3, \
             <math><mi>t</mi></math> in s, <math><mi>F</mi></math> in N"
        );
    }

    #[test]
    fn one_quantity_in_two_units_keeps_both_names() {
        let symbols = Symbols::new(&names(&["v (m/s)", "v (km/h)"]), []);
        assert!(symbols.of("v (m/s)").contains("v (m/s)"));
        assert_eq!(symbols.legend(), None);
    }

    #[test]
    fn derivatives_have_dots() {
        let symbols = Symbols::new(&names(&["theta", "dtheta"]), [&flow("dtheta")]);
        let theta =
            |mark: &str| format!("<mover accent=\"true\"><mi>θ</mi><mo>{mark}</mo></mover>");
        assert_eq!(symbols.left(&flow("dtheta")), theta("¨"));
        assert_eq!(symbols.of("dtheta"), theta("˙"));
        assert_eq!(symbols.plain("dtheta"), "θ\u{307}");
        assert_eq!(symbols.plain("theta"), "θ");
        // Both are states with equations of their own: nothing is a velocity by definition.
        let states = [flow("x1"), flow("dx1")];
        let symbols = Symbols::new(&names(&["x1", "dx1"]), &states);
        assert_eq!(
            symbols.left(&states[0]),
            "<msub><mover accent=\"true\"><mi>x</mi><mo>˙</mo></mover><mn>1</mn></msub>"
        );
    }
}
