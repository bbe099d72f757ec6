//! From fields to partial differential equations.
//!
//! Rows of the weak form of all records are multiplied out, noise is taken out of the products, and
//! what is left is a triangle of unit variance for the exact search. The covariance of the scores
//! depends on the law itself, so learning and statistics go in turns until the terms settle.

mod choice;
mod turns;

use serde::{Deserialize, Serialize};

use crate::data::field::Field;
use crate::dynamics::rows::second_order::Order;
use crate::error::{Error, Result};
use crate::fields::FieldsError;
use crate::fields::correct::{Layout, Rows, check_functions};
use crate::fields::names::Names;
use crate::fields::rows::grid::Grid;
use crate::fields::system::{FieldSystem, left_sides};
use crate::fields::term::{Function, Part, weak_form};
use crate::learn::model::Model;
use crate::learn::{Settings, Study};
use crate::observe::Observer;
use crate::search::Run;
use crate::terms::dictionary::Dictionary;
use crate::terms::left_side::LeftSide;
use crate::terms::problem::Problem;
pub use choice::FieldChoice;
use turns::Turns;

/// What to learn from fields, and how.
///
/// | field | default | meaning |
/// |---|---|---|
/// | `learn` | the default search | how a triangle becomes an equation |
/// | `order` | first | whether `u_t` or `u_tt` is learned |
/// | `half_widths` | from the data | half widths of the test functions, in units of the axes |
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DiscoverField {
    /// How a triangle becomes an equation.
    pub learn: Settings,
    /// Whether `u_t` or `u_tt` is learned.
    pub order: Order,
    /// Half widths of the test functions along each axis, time first, in units of the axes; from
    /// the data if not given.
    pub half_widths: Option<Vec<f64>>,
}

/// What was learned from fields, and how.
#[derive(Debug, Clone)]
pub struct FieldDiscovery {
    settings: DiscoverField,
    names: Names,
    studies: Vec<Study>,
    choice: FieldChoice,
}

impl FieldDiscovery {
    /// What was asked.
    pub fn settings(&self) -> &DiscoverField {
        &self.settings
    }

    /// The quantities and axes.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// One study per quantity. Its rows are scores of unit variance, as many as independent terms.
    pub fn studies(&self) -> &[Study] {
        &self.studies
    }

    /// What was chosen on the way.
    pub fn choice(&self) -> &FieldChoice {
        &self.choice
    }

    /// The learned equation of a quantity; none if it has none. Its noise level is that of the
    /// quantity.
    pub fn model(&self, quantity: usize) -> Option<Model> {
        let model = self.studies[quantity].model()?;
        Some(model.with_sigma(self.choice.noise[quantity]))
    }

    /// The learned system; none unless every quantity has an equation.
    pub fn system(&self) -> Option<FieldSystem> {
        let models = (0..self.studies.len()).map(|quantity| self.model(quantity));
        FieldSystem::from_models(self.names.clone(), models.collect::<Option<_>>()?)
    }
}

/// Learns one equation per quantity from one or several records.
///
/// ```
/// use eqlearn::data::field::{Axis, Boundary, Field, Quantity};
/// use eqlearn::fields::{dictionary::Derivatives, names::Names};
/// use eqlearn::{DiscoverField, discover_field};
///
/// // Three waves that travel to the right: u_t = −u_x.
/// let axis = |name: &str, n: u32, step: f64| Axis {
///     name: name.into(),
///     unit: None,
///     values: (0..n).map(|i| f64::from(i) * step).collect(),
///     boundary: Boundary::Open,
/// };
/// let (t, x) = (axis("t", 60, 0.1), axis("x", 80, 0.1));
/// let wave = |s: f64| s.sin() + 0.5 * (2.3 * s).cos() + 0.4 * (3.1 * s).sin();
/// let values = t.values.iter().flat_map(|t| x.values.iter().map(move |x| wave(x - t)));
/// let u = Quantity { name: "u".into(), values: values.collect() };
/// let field = Field::new("wave", vec![t, x], vec![u])?;
///
/// let terms = Derivatives { max_order: 2, max_power: 2, ..Derivatives::default() };
/// let dictionary = terms.dictionary(&Names::of(&field)?)?;
/// let settings = DiscoverField::default();
/// let found = discover_field(&[field], &dictionary, &settings, &Default::default(), &mut ())?;
/// let model = found.model(0).expect("there is a law");
/// assert_eq!(model.term_texts(), ["u_x"]);
/// assert!((model.coefficients()[0] + 1.0).abs() < 1e-6);
/// # Ok::<(), eqlearn::Error>(())
/// ```
///
/// # Errors
/// Records that differ in their names; a term without a weak form; an axis with unequal steps or
/// too few points; a quantity that never varies; settings without meaning;
/// [`Error::Stopped`] if the observer says so.
pub fn discover_field(
    records: &[Field],
    dictionary: &Dictionary,
    settings: &DiscoverField,
    run: &Run<'_>,
    observer: &mut dyn Observer,
) -> Result<FieldDiscovery> {
    let first = records.first().ok_or(FieldsError::NoField)?;
    let names = Names::of(first)?;
    for record in records {
        check_names(record, first)?;
    }
    if let Some(widths) = &settings.half_widths
        && widths.len() != names.axes().len()
    {
        return Err(FieldsError::Widths {
            given: widths.len(),
            axes: names.axes().len(),
        }
        .into());
    }
    let order = match settings.order {
        Order::First => 1,
        Order::Second => 2,
    };
    let lefts = left_sides(&names, order);
    let terms = weak_forms(dictionary, &names, &lefts, order)?;
    let parts: Vec<Vec<Part>> = terms.iter().map(|(_, parts)| parts.clone()).collect();
    let left_parts: Vec<Part> = (0..lefts.len())
        .map(|q| left_part(&names, q, order))
        .collect();
    let layout = Layout::new(&parts, &left_parts);
    let orders = layout.highest(names.axes().len());
    let mut rows = Vec::new();
    for record in records {
        let grid = Grid::new(record, &orders, settings.half_widths.as_deref())?;
        check_functions(&grid, &terms, &names, record.name())?;
        rows.push(Rows::new(grid, &layout, &names, run.threads)?);
    }
    let n_rows: usize = rows.iter().map(|rows| rows.kept.len()).sum();
    if n_rows <= dictionary.len() {
        return Err(FieldsError::TooFewRows {
            rows: n_rows,
            terms: dictionary.len(),
        }
        .into());
    }
    let mut choice = FieldChoice::new(&rows, n_rows);
    let turns = Turns::new(&rows, &layout, &names);
    let mut studies = Vec::new();
    for (quantity, left) in lefts.into_iter().enumerate() {
        let problem = Problem::new(left, dictionary.clone())?;
        let (study, told) = turns.learn(&problem, quantity, &settings.learn, run, observer)?;
        choice.tell(told);
        studies.push(study);
    }
    Ok(FieldDiscovery {
        settings: settings.clone(),
        names,
        studies,
        choice,
    })
}

/// Every term by its text with the total derivatives that it is made of.
fn weak_forms(
    dictionary: &Dictionary,
    names: &Names,
    lefts: &[LeftSide],
    order: usize,
) -> Result<Vec<(String, Vec<Part>)>> {
    let form = |term: &crate::terms::term::Term| -> Result<(String, Vec<Part>)> {
        let parts = weak_form(term, names)?;
        if parts.iter().any(|part| part.orders[0] as usize >= order) {
            let left = lefts.first().map(ToString::to_string).unwrap_or_default();
            return Err(FieldsError::TimeDerivative {
                term: term.to_string(),
                time: names.time().to_string(),
                left,
            }
            .into());
        }
        Ok((term.to_string(), parts))
    };
    dictionary.terms().iter().map(form).collect()
}

fn left_part(names: &Names, quantity: usize, order: usize) -> Part {
    let mut orders = vec![0; names.axes().len()];
    orders[0] = u32::try_from(order).expect("one or two");
    let powers = (0..names.quantities().len()).map(|q| u32::from(q == quantity));
    Part {
        coefficient: 1.0,
        orders,
        function: Function::Powers(powers.collect()),
    }
}

fn check_names(record: &Field, first: &Field) -> Result<(), Error> {
    let told = |field: &Field| -> Result<String> {
        let names = Names::of(field)?;
        Ok(format!(
            "{} on {}",
            names.quantities().join(", "),
            names.axes().join(", ")
        ))
    };
    let (found, expected) = (told(record)?, told(first)?);
    if found == expected {
        return Ok(());
    }
    Err(FieldsError::DifferentNames {
        record: record.name().to_string(),
        found,
        first: first.name().to_string(),
        expected,
    }
    .into())
}
