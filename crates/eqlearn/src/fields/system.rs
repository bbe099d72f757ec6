//! Partial differential equations of one or several quantities.

use std::fmt;

use crate::fields::names::Names;
use crate::learn::model::Model;
use crate::terms::left_side::LeftSide;

/// The equations of all quantities of a field.
///
/// ```
/// use eqlearn::fields::names::Names;
/// use eqlearn::{FieldSystem, LeftSide, Model, fields};
///
/// let names = Names::new(["u"], ["t", "x"])?;
/// let dictionary = fields::dictionary::parse(&names, ["u*u_x", "u_xx"])?;
/// let left = LeftSide::Evolution { of: "u".into(), time: "t".into(), order: 1 };
/// let burgers = Model::given(left, dictionary, &[-1.0, 0.1])?;
/// let system = FieldSystem::from_models(names, vec![burgers]).expect("the motion of u");
/// assert_eq!(system.to_string(), "u_t = -1 u*u_x + 0.1 u_xx");
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct FieldSystem {
    names: Names,
    order: usize,
    equations: Vec<Model>,
}

impl FieldSystem {
    /// The system of models that give the evolution of every quantity, in the order of the
    /// quantities. None if one gives something else, or they differ in how often they
    /// differentiate by time.
    pub fn from_models(names: Names, equations: Vec<Model>) -> Option<Self> {
        let evolution = |model: &Model| match model.left_side() {
            LeftSide::Evolution { of, order, .. } => Some((of.clone(), *order)),
            _ => None,
        };
        let read: Vec<(String, usize)> = equations.iter().map(evolution).collect::<Option<_>>()?;
        let order = read.first()?.1;
        let quantities = read.iter().map(|(of, _)| of);
        let complete = quantities.eq(names.quantities());
        let same = read.iter().all(|(_, other)| *other == order);
        (complete && same).then_some(Self {
            names,
            order,
            equations,
        })
    }

    /// The quantities and axes.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// How often the left sides differentiate by time.
    pub fn order(&self) -> usize {
        self.order
    }

    /// One equation per quantity.
    pub fn equations(&self) -> &[Model] {
        &self.equations
    }

    /// The equations in LaTeX, one per line.
    pub fn latex(&self) -> String {
        let line = |model: &Model| {
            format!(
                "{} = {}",
                model.left_side().latex(),
                model.right_side_latex()
            )
        };
        let lines: Vec<String> = self.equations.iter().map(line).collect();
        lines.join(" \\\\\n")
    }
}

impl fmt::Display for FieldSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, model) in self.equations.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{model}")?;
        }
        Ok(())
    }
}

/// The left sides of all quantities.
pub(crate) fn left_sides(names: &Names, order: usize) -> Vec<LeftSide> {
    let left = |quantity: &String| LeftSide::Evolution {
        of: quantity.clone(),
        time: names.time().to_string(),
        order,
    };
    names.quantities().iter().map(left).collect()
}
