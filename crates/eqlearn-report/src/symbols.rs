//! How the quantities of a result are written: symbols, dots for derivatives, units apart.
//!
//! Units stand in a legend and at the axes of charts, not in formulas, where `v (m/s)²` would seem
//! to square them. Time derivatives have dots, first ones and second ones alike: of a second-order
//! system, the velocity of `theta` is `θ̇` and its acceleration `θ̈`. A dot in the middle of a word
//! would seem to belong to one of its letters, so those have primes: `angle′`.

use std::collections::BTreeMap;

use eqlearn::terms::term::{escape_xml as escape, symbol};
use eqlearn::{LeftSide, Term};

use crate::number::shortened;

/// The symbols of all features and targets of a result.
#[derive(Debug, Clone)]
pub struct Symbols {
    features: Vec<String>,
    /// Columns with their units, in order.
    units: Vec<(String, String)>,
    /// The quantities of fields.
    quantities: Vec<String>,
    /// Velocities by name, with the position of each.
    velocities: BTreeMap<String, String>,
}

impl Symbols {
    /// The symbols of these features and of what equations give. `units` are columns with their
    /// units.
    pub fn new<'a>(
        features: &[String],
        left: impl IntoIterator<Item = &'a LeftSide>,
        units: &[(String, String)],
    ) -> Self {
        let left: Vec<&LeftSide> = left.into_iter().collect();
        Self {
            features: features.to_vec(),
            units: units.to_vec(),
            quantities: quantities(&left),
            velocities: velocities(features, &left),
        }
    }

    /// The features, in the order of their columns.
    pub fn features(&self) -> &[String] {
        &self.features
    }

    /// The `MathML` of a name.
    pub(crate) fn of(&self, name: &str) -> String {
        if let Some(position) = self.velocities.get(name) {
            return differentiated(&self.of(position), Order::First);
        }
        if let Some(derivative) = self.partial(name) {
            return derivative;
        }
        // A name with brackets of its own keeps an exponent outside of them.
        if name.contains(['(', '[']) {
            let name = escape(name);
            return format!("<mrow><mo>(</mo><mi>{name}</mi><mo>)</mo></mrow>");
        }
        symbol(name)
    }

    /// A derivative of a field, with its directions below: `u_xx`, or `(u^2)_xx`.
    fn partial(&self, name: &str) -> Option<String> {
        let (of, by) = name.rsplit_once('_')?;
        let known = self.quantities.iter().any(|quantity| quantity == of);
        let inside = of.strip_prefix('(').and_then(|of| of.strip_suffix(')'));
        let base = match inside {
            _ if known => self.of(of),
            Some(inside) if !self.quantities.is_empty() => {
                let term = Term::parse(inside, &self.quantities).ok()?;
                format!("<mrow><mo>(</mo>{}<mo>)</mo></mrow>", self.of_term(&term))
            }
            _ => return None,
        };
        let each = by.chars();
        let by: Vec<String> = each
            .map(|axis| format!("<mi>{}</mi>", escape(&axis.to_string())))
            .collect();
        let by = by.concat();
        Some(format!("<msub>{base}<mrow>{by}</mrow></msub>"))
    }

    /// A name as plain text, for axes of charts: with Greek letters and dots, and with its unit.
    pub(crate) fn plain(&self, name: &str) -> String {
        let letter = |name: &str| {
            let markup = symbol(name);
            let inner = markup
                .strip_prefix("<mi>")
                .and_then(|m| m.strip_suffix("</mi>"));
            // Only what is one letter: names of several are themselves.
            let inner = inner.filter(|inner| inner.chars().count() == 1);
            inner.map_or_else(|| name.to_string(), String::from)
        };
        if let Some(position) = self.velocities.get(name) {
            let position = letter(position);
            return match position.chars().count() {
                // With a combining dot.
                1 => position + "\u{307}",
                _ => position + "′",
            };
        }
        let unit = self.units.iter().find(|(known, _)| known == name);
        let unit = unit.map_or(String::new(), |(_, unit)| format!(" ({unit})"));
        letter(name) + &unit
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
        let mathml = term.mathml(&|name| self.of(name));
        format!("<mrow>{}</mrow>", shortened(&mathml))
    }

    /// The `MathML` of what an equation gives.
    pub(crate) fn left(&self, left: &LeftSide) -> String {
        match left {
            LeftSide::Flow { state } => match self.velocities.get(state) {
                Some(position) => differentiated(&self.of(position), Order::Second),
                None => differentiated(&self.of(state), Order::First),
            },
            LeftSide::Next { state } => format!(
                "<msub>{}<mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msub>",
                self.of(state)
            ),
            LeftSide::Function { of, transform } => transform.mathml(&self.of(of)),
            LeftSide::Derivative { of, by, order } => self.derivative(of, by, *order),
            LeftSide::Column { name } => self.of(name),
            LeftSide::Evolution { of, time, order } => self.evolution(of, time, *order),
        }
    }

    /// `∂ⁿu/∂tⁿ`.
    fn evolution(&self, of: &str, time: &str, order: usize) -> String {
        let raised = |base: &str| match order {
            1 => base.to_string(),
            _ => format!("<msup>{base}<mn>{order}</mn></msup>"),
        };
        let (d, of) = ("<mi>∂</mi>", self.of(of));
        let (above, below) = (raised(d), raised(&self.of(time)));
        format!("<mfrac><mrow>{above}{of}</mrow><mrow>{d}{below}</mrow></mfrac>")
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
            format!(
                "<math>{}</math> in {}",
                self.of(name),
                raised(&escape(unit))
            )
        };
        let all: Vec<String> = self.units.iter().map(entry).collect();
        (!all.is_empty()).then(|| all.join(", "))
    }
}

/// A unit with its powers raised: `kg/m^3` is kg/m³.
fn raised(unit: &str) -> String {
    let mut parts = unit.split('^');
    let mut text = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let is_power = |c: char| c.is_ascii_digit() || c == '-' || c == '−';
        let (power, rest) = part.split_at(part.find(|c| !is_power(c)).unwrap_or(part.len()));
        match power {
            "" => text.push('^'),
            _ => text.extend(["<sup>", &power.replace('-', "−"), "</sup>"]),
        }
        text.push_str(rest);
    }
    text
}

/// The quantities whose evolution is learned.
fn quantities(left: &[&LeftSide]) -> Vec<String> {
    let of = left.iter().filter_map(|left| match left {
        LeftSide::Evolution { of, .. } => Some(of.clone()),
        _ => None,
    });
    of.collect()
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

/// How often a symbol is differentiated by time.
#[derive(Debug, Clone, Copy)]
enum Order {
    First,
    Second,
}

/// A symbol with dots above its letter, or with primes behind a word.
fn differentiated(symbol: &str, order: Order) -> String {
    let (dots, primes) = match order {
        Order::First => ("˙", "′"),
        Order::Second => ("¨", "″"),
    };
    let (tag, rest) = symbol.split_once("<mi>").unwrap_or(("", symbol));
    let (letters, index) = rest.split_once("</mi>").unwrap_or((rest, ""));
    if letters.chars().count() > 1 {
        return format!("{tag}<mi>{letters}{primes}</mi>{index}");
    }
    format!("{tag}<mover accent=\"true\"><mi>{letters}</mi><mo>{dots}</mo></mover>{index}")
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
        let units = [("v", "m/s"), ("rho", "kg/m^3")];
        let units = units.map(|(name, unit)| (name.to_string(), unit.to_string()));
        let symbols = Symbols::new(&names(&["v", "rho", "n"]), [], &units);
        assert_eq!(
            symbols.legend().unwrap(),
            "<math><mi>v</mi></math> in m/s, <math><mi>ρ</mi></math> in kg/m<sup>3</sup>"
        );
        assert_eq!(symbols.plain("rho"), "ρ (kg/m^3)");
        assert_eq!(Symbols::new(&[], [], &[]).legend(), None);
    }

    #[test]
    fn an_exponent_stands_outside_of_the_brackets_of_a_name() {
        let symbols = Symbols::new(&names(&["v (m/s)", "v (km/h)"]), [], &[]);
        assert_eq!(
            symbols.term("`v (m/s)`^2"),
            "<mrow><msup><mrow><mo>(</mo><mi>v (m/s)</mi><mo>)</mo></mrow><mn>2</mn></msup></mrow>"
        );
    }

    #[test]
    fn derivatives_have_dots_or_primes() {
        let symbols = Symbols::new(&names(&["theta", "dtheta"]), [&flow("dtheta")], &[]);
        let theta =
            |mark: &str| format!("<mover accent=\"true\"><mi>θ</mi><mo>{mark}</mo></mover>");
        assert_eq!(symbols.left(&flow("dtheta")), theta("¨"));
        assert_eq!(symbols.of("dtheta"), theta("˙"));
        assert_eq!(symbols.plain("dtheta"), "θ\u{307}");
        assert_eq!(symbols.plain("theta"), "θ");
        let symbols = Symbols::new(&names(&["angle", "dangle"]), [&flow("dangle")], &[]);
        let angle = |mark: &str| format!("<mi>angle{mark}</mi>");
        assert_eq!(symbols.left(&flow("dangle")), angle("″"));
        assert_eq!(symbols.of("dangle"), angle("′"));
        assert_eq!(symbols.plain("dangle"), "angle′");
        // Both are states with equations of their own: nothing is a velocity by definition.
        let states = [flow("x1"), flow("dx1")];
        let symbols = Symbols::new(&names(&["x1", "dx1"]), &states, &[]);
        assert_eq!(
            symbols.left(&states[0]),
            "<msub><mover accent=\"true\"><mi>x</mi><mo>˙</mo></mover><mn>1</mn></msub>"
        );
    }
}
