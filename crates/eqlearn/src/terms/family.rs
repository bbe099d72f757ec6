//! Terms with inner parameters: `exp(-?a*t)` for all values of `?a`.
//!
//! A family is one formula, or several that share parameters, such as `cos(?w*t)` and `sin(?w*t)`:
//! the same name is the same number. Values for the parameters make ordinary terms of it, its
//! members. Inside, parameters are features behind those of the data, so that values and
//! derivatives come from the same code as those of terms.
//!
//! Invariant: every formula has a parameter, and every parameter is in a formula.

mod grid;

use crate::error::Result;
use crate::terms::TermsError;
use crate::terms::term::Term;
use crate::terms::term::node::{self, Node};

/// Formulas that share inner parameters.
///
/// ```
/// use eqlearn::terms::family::Family;
///
/// let families = Family::parse(["x/(?k+x)"], &["x".to_string()])?;
/// assert_eq!(families[0].members(&[2.5])[0].to_string(), "x/(x+2.5)");
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Family {
    n_features: usize,
    formulas: Vec<Formula>,
    parameters: Vec<Parameter>,
}

/// An inner parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its name, without the question mark.
    pub name: String,
    /// Where it is looked for; from the data if not given.
    pub range: Option<(f64, f64)>,
}

#[derive(Debug, Clone, PartialEq)]
struct Formula {
    text: String,
    value: Term,
    /// The derivative by each parameter.
    slopes: Vec<Term>,
    /// What it divides by, as far as that has parameters.
    divisors: Vec<Term>,
}

impl Family {
    /// Whether the text of a term has an inner parameter.
    pub fn is_meant(text: &str) -> bool {
        // Every other piece is in backquotes.
        text.split('`').step_by(2).any(|piece| piece.contains('?'))
    }

    /// The families of these formulas; those that share a parameter are one family.
    ///
    /// # Errors
    /// If a text is no formula, or has no inner parameter.
    pub fn parse(
        texts: impl IntoIterator<Item = impl AsRef<str>>,
        features: &[String],
    ) -> Result<Vec<Self>> {
        let mut groups: Vec<(Vec<String>, Vec<String>)> = Vec::new();
        for text in texts {
            let text = text.as_ref().trim().to_owned();
            let mut names = Vec::new();
            Term::parse_family(&text, features, &mut names)?;
            if names.is_empty() {
                return Err(TermsError::NoParameter { text }.into());
            }
            let shares = |group: &(Vec<String>, _)| names.iter().any(|n| group.0.contains(n));
            // The joined family stands where the first of its formulas stands.
            let first = groups.iter().position(shares).unwrap_or(groups.len());
            let (joined, mut others): (Vec<_>, Vec<_>) = groups.into_iter().partition(shares);
            let mut group = (Vec::new(), Vec::new());
            for (own, texts) in joined {
                group.0.extend(own);
                group.1.extend(texts);
            }
            group.0.extend(names.iter().cloned());
            group.1.push(text);
            others.insert(first, group);
            groups = others;
        }
        let families = groups.iter().map(|(_, texts)| Self::new(texts, features));
        families.collect()
    }

    fn new(texts: &[String], features: &[String]) -> Result<Self> {
        let mut names = Vec::new();
        let mut values = Vec::new();
        for text in texts {
            values.push(Term::parse_family(text, features, &mut names)?);
        }
        let formula = |(text, value): (&String, Term)| {
            let mut divisors = Vec::new();
            collect_divisors(value.node(), features.len(), &mut divisors);
            let slopes = names
                .iter()
                .map(|name| value.derivative(&format!("?{name}")));
            Formula {
                text: text.clone(),
                slopes: slopes.collect(),
                divisors,
                value,
            }
        };
        let formulas = texts.iter().zip(values).map(formula).collect();
        let parameter = |name| Parameter { name, range: None };
        Ok(Self {
            n_features: features.len(),
            formulas,
            parameters: names.into_iter().map(parameter).collect(),
        })
    }

    /// Limits a parameter of one of these families.
    ///
    /// # Errors
    /// If none of them has this parameter, or if the range holds no numbers.
    pub fn limit(families: &mut [Self], name: &str, (low, high): (f64, f64)) -> Result<()> {
        if !(low < high && low.is_finite() && high.is_finite()) {
            let name = name.to_owned();
            return Err(TermsError::EmptyRange { name, low, high }.into());
        }
        let mut all = families
            .iter_mut()
            .flat_map(|family| &mut family.parameters);
        if let Some(parameter) = all.find(|parameter| parameter.name == name) {
            parameter.range = Some((low, high));
            return Ok(());
        }
        let all = families.iter().flat_map(|family| &family.parameters);
        Err(TermsError::UnknownParameter {
            name: name.to_owned(),
            known: all.map(|parameter| parameter.name.clone()).collect(),
        }
        .into())
    }

    /// The parameters, in the order of their values everywhere.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The formulas as they were given.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.formulas.iter().map(|formula| formula.text.as_str())
    }

    /// The formulas, in which parameters are features behind those of the data.
    pub(crate) fn formulas(&self) -> impl Iterator<Item = &Term> {
        self.formulas.iter().map(|formula| &formula.value)
    }

    /// How many formulas share the parameters.
    pub fn n_formulas(&self) -> usize {
        self.formulas.len()
    }

    /// The terms that the formulas become with these values of the parameters.
    ///
    /// # Panics
    /// If there are fewer values than parameters.
    pub fn members(&self, values: &[f64]) -> Vec<Term> {
        let member = |formula: &Formula| {
            let node = substitute(formula.value.node(), self.n_features, values);
            Term::from_node(node)
        };
        self.formulas.iter().map(member).collect()
    }

    /// Whether the other family has the same formulas, by other names of the parameters.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        // Numbers that are no numbers of a formula.
        let values = |family: &Self| -> Vec<f64> {
            let places = 0..family.parameters.len();
            places
                .map(|i| 0.123_456_789 + 0.057_721_566 * i as f64)
                .collect()
        };
        self.members(&values(self)) == other.members(&values(other))
    }

    /// The values of all formulas on every row, column after column; whether all are finite.
    pub(crate) fn evaluate(&self, values: &[f64], features: &[&[f64]], out: &mut [f64]) -> bool {
        let terms = self.formulas.iter().map(|formula| &formula.value);
        fill(terms, values, features, out)
    }

    /// The same for some formulas.
    pub(crate) fn evaluate_some(
        &self,
        used: &[usize],
        values: &[f64],
        features: &[&[f64]],
        out: &mut [f64],
    ) -> bool {
        let terms = used.iter().map(|&formula| &self.formulas[formula].value);
        fill(terms, values, features, out)
    }

    /// The derivatives of some formulas by one parameter, column after column; whether all are
    /// finite.
    pub(crate) fn slopes(
        &self,
        used: &[usize],
        parameter: usize,
        values: &[f64],
        features: &[&[f64]],
        out: &mut [f64],
    ) -> bool {
        let terms = used
            .iter()
            .map(|&formula| &self.formulas[formula].slopes[parameter]);
        fill(terms, values, features, out)
    }

    /// Whether some divisor has both signs on these rows: there is a pole among them.
    pub(crate) fn has_pole(&self, values: &[f64], features: &[&[f64]]) -> bool {
        let n = features.first().map_or(0, |column| column.len());
        let divisors: Vec<&Term> = self.formulas.iter().flat_map(|f| &f.divisors).collect();
        let mut out = vec![0.0; n * divisors.len()];
        fill(divisors.into_iter(), values, features, &mut out);
        let both =
            |column: &[f64]| column.iter().any(|x| *x <= 0.0) && column.iter().any(|x| *x >= 0.0);
        n > 0 && out.chunks_exact(n).any(both)
    }

    /// Values of the parameters to start from: a grid fine enough that neighbours are alike,
    /// without members that have no finite values, vanish, or have a pole among these rows.
    pub(crate) fn grid(&self, features: &[&[f64]]) -> Vec<Vec<f64>> {
        grid::grid(self, features)
    }
}

/// Fills `out` with the values of terms, column by column; whether all are finite. The parameters
/// are constant columns behind the features.
fn fill<'a>(
    terms: impl Iterator<Item = &'a Term>,
    values: &[f64],
    features: &[&[f64]],
    out: &mut [f64],
) -> bool {
    let n = features.first().map_or(0, |column| column.len());
    if n == 0 {
        return false;
    }
    let constants: Vec<Vec<f64>> = values.iter().map(|value| vec![*value; n]).collect();
    let own = constants.iter().map(Vec::as_slice);
    let columns: Vec<&[f64]> = features.iter().copied().chain(own).collect();
    for (term, out) in terms.zip(out.chunks_exact_mut(n)) {
        term.evaluate(&columns, out);
    }
    out.iter().all(|value| value.is_finite())
}

/// The formula with values for its parameters, in canonical form.
fn substitute(formula: &Node, n_features: usize, values: &[f64]) -> Node {
    let value = |place: usize| Node::number(values[place]);
    node::with_features(formula, &|feature| {
        feature.column.checked_sub(n_features).map(value)
    })
}

/// Whether a parameter is in the formula.
fn has_parameter(formula: &Node, n_features: usize) -> bool {
    if let Node::Feature(feature) = formula {
        return feature.column >= n_features;
    }
    let mut children = formula.children().into_iter();
    children.any(|child| has_parameter(child, n_features))
}

fn collect_divisors(formula: &Node, n_features: usize, divisors: &mut Vec<Term>) {
    if let (Node::Sum(_), exponent) = formula.split_power()
        && exponent.value() < 0.0
        && has_parameter(formula, n_features)
    {
        divisors.push(Term::from_node(formula.split_power().0.clone()));
    }
    for child in formula.children() {
        collect_divisors(child, n_features, divisors);
    }
}

#[cfg(test)]
mod tests;
