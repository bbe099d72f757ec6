//! Where to look for inner parameters, from the formula and the data.
//!
//! A formula says itself on which scale a parameter matters. What is added to a feature is of its
//! size (`?k+x`); the argument of a function is of order one, so `?a*t` in an exponential is
//! between a slow change over all rows and a fast one between two of them; a frequency is between
//! one period over all rows and two rows per period; an exponent is a small number. So magnitudes
//! are asked for from the root down: "this should be about as large as that", and what reaches a
//! parameter is its list of values. Other parameters count with the middle of their own lists, for
//! which the walk is made twice.

use super::{Family, has_parameter};
use crate::terms::term::Term;
use crate::terms::term::node::{Function, Node};

/// Rows that are looked at: scales need no more.
const ROWS: usize = 500;
/// Values per parameter, by the number of parameters; the last for that many and more.
const VALUES: [usize; 4] = [64, 28, 14, 8];
/// Frequencies at most.
const FREQUENCIES: usize = 400;
/// The largest argument of a function such as the exponential over the rows.
const ARGUMENTS: (f64, f64) = (0.03, 1000.0);
/// How far summands are apart in size.
const SUMMANDS: (f64, f64) = (0.01, 100.0);
/// Sizes of exponents.
const EXPONENTS: (f64, f64) = (0.1, 10.0);
/// Where nothing is known.
const ANYWHERE: (f64, f64) = (1e-3, 1e3);
/// Values per list of magnitudes.
const LISTED: usize = 32;

/// A list of values for a parameter, or of sizes for a part of a formula.
#[derive(Debug, Clone)]
struct Wanted {
    values: Vec<f64>,
    /// How sure it is: a list from the data's own places comes before one from sizes.
    rank: u8,
}

pub(super) fn grid(family: &Family, features: &[&[f64]]) -> Vec<Vec<f64>> {
    let rows = features.first().map_or(0, |column| column.len());
    let stride = rows.div_ceil(ROWS).max(1);
    let some: Vec<Vec<f64>> = features
        .iter()
        .map(|column| column.iter().copied().step_by(stride).collect())
        .collect();
    let mut walk = Walk {
        n_features: family.n_features,
        features: some.iter().map(Vec::as_slice).collect(),
        nominal: vec![1.0; family.parameters.len()],
        lists: Vec::new(),
    };
    for _ in 0..2 {
        walk.lists = vec![
            Wanted {
                values: vec![],
                rank: 0
            };
            family.parameters.len()
        ];
        for formula in &family.formulas {
            walk.down(formula.value.node(), None);
        }
        walk.nominal = walk.lists.iter().map(middle).collect();
    }
    let most = VALUES[(family.parameters.len() - 1).min(VALUES.len() - 1)];
    let values = family.parameters.iter().zip(&walk.lists);
    let values: Vec<Vec<f64>> = values
        .map(|(parameter, list)| match parameter.range {
            Some(range) => between(range, most),
            None if family.parameters.len() == 1 => list_or_anywhere(list, FREQUENCIES.max(most)),
            None => list_or_anywhere(list, most),
        })
        .collect();
    let mut column = vec![0.0; walk.features.first().map_or(0, |c| c.len()) * family.n_formulas()];
    let mut all = combinations(&values);
    all.retain(|values| {
        let is_finite = family.evaluate(values, &walk.features, &mut column);
        let vanishes = column.iter().all(|x| x.abs() < f64::MIN_POSITIVE.sqrt());
        is_finite && !vanishes && !family.has_pole(values, &walk.features)
    });
    all
}

/// All combinations, the last parameter running fastest.
fn combinations(values: &[Vec<f64>]) -> Vec<Vec<f64>> {
    values.iter().fold(vec![Vec::new()], |before, own| {
        let extend = |start: &Vec<f64>| {
            let start = start.clone();
            own.iter()
                .map(move |value| [start.as_slice(), &[*value]].concat())
                .collect::<Vec<_>>()
        };
        before.iter().flat_map(extend).collect()
    })
}

fn middle(list: &Wanted) -> f64 {
    // Of lists with both signs the positive half.
    let positive: Vec<f64> = list.values.iter().copied().filter(|v| *v > 0.0).collect();
    let own = if positive.is_empty() {
        &list.values
    } else {
        &positive
    };
    own.get(own.len() / 2).copied().unwrap_or(1.0)
}

fn list_or_anywhere(list: &Wanted, most: usize) -> Vec<f64> {
    if list.values.is_empty() {
        return thinned(&both_signs(&sizes(ANYWHERE, 1.0)), most);
    }
    thinned(&list.values, most)
}

/// So many of a sorted list, evenly.
fn thinned(values: &[f64], most: usize) -> Vec<f64> {
    if values.len() <= most {
        return values.to_vec();
    }
    let place = |i: usize| i * (values.len() - 1) / (most - 1);
    (0..most).map(|i| values[place(i)]).collect()
}

/// Values of a range that the user gave: by factors if it spans them, else evenly.
fn between((low, high): (f64, f64), count: usize) -> Vec<f64> {
    let step = |i: usize| i as f64 / (count - 1) as f64;
    if low > 0.0 && high > 10.0 * low {
        return (0..count)
            .map(|i| low * (high / low).powf(step(i)))
            .collect();
    }
    (0..count).map(|i| low + (high - low) * step(i)).collect()
}

/// Sizes between two multiples of a scale, by factors.
fn sizes((low, high): (f64, f64), scale: f64) -> Vec<f64> {
    between((low * scale, high * scale), LISTED)
}

fn both_signs(sizes: &[f64]) -> Vec<f64> {
    let negative = sizes.iter().rev().map(|size| -size);
    negative.chain(sizes.iter().copied()).collect()
}

/// The way from the root down.
struct Walk<'a> {
    n_features: usize,
    features: Vec<&'a [f64]>,
    nominal: Vec<f64>,
    lists: Vec<Wanted>,
}

impl Walk<'_> {
    /// Tells the parameters in this part of the formula which values give it its largest value out
    /// of `wanted`.
    fn down(&mut self, part: &Node, wanted: Option<&[f64]>) {
        match part {
            Node::Number(_) => {}
            Node::Feature(_) => {
                if let (Some(place), Some(wanted)) = (self.parameter(part), wanted) {
                    self.suggest(place, wanted.to_vec(), 1);
                }
            }
            Node::Power(base, exponent) => {
                if let Node::Number(n) = **exponent {
                    let is_odd = n.integer().is_some_and(|n| n % 2 != 0);
                    let root = |value: &f64| {
                        let size = value.abs().powf(1.0 / n.value());
                        if is_odd { size.copysign(*value) } else { size }
                    };
                    let wanted = wanted.map(|values| sorted(values.iter().map(root)));
                    self.down(base, wanted.as_deref());
                } else {
                    self.down(exponent, Some(&both_signs(&sizes(EXPONENTS, 1.0))));
                    self.down(base, wanted);
                }
            }
            Node::Function(function, argument) => {
                let arguments = self.arguments(*function, argument);
                self.down(argument, Some(&arguments));
            }
            Node::Product(factors) => self.product(factors, wanted),
            Node::Sum(operands) => self.sum(operands, wanted),
        }
    }

    fn product(&mut self, factors: &[Node], wanted: Option<&[f64]>) {
        for (i, factor) in factors.iter().enumerate() {
            let is_parameter = self.parameter(factor.split_power().0).is_some();
            let asked = wanted.filter(|_| is_parameter).map(|sizes| {
                let others = factors.iter().enumerate().filter(|(j, _)| *j != i);
                let others: Vec<Node> = others.map(|(_, factor)| factor.clone()).collect();
                let rest = self.largest(&Node::Product(others));
                sizes.iter().map(|size| size / rest).collect::<Vec<f64>>()
            });
            self.down(factor, asked.as_deref());
        }
    }

    fn sum(&mut self, operands: &[Node], wanted: Option<&[f64]>) {
        let known = |operand: &&Node| !has_parameter(operand, self.n_features);
        let known: Vec<Node> = operands.iter().filter(known).cloned().collect();
        let has_features = known
            .iter()
            .any(|operand| !matches!(operand, Node::Number(_)));
        let reference = Node::Sum(known);
        for (i, operand) in operands.iter().enumerate() {
            if !has_parameter(operand, self.n_features) {
                continue;
            }
            let (factor, rest) = operand.split_coefficient();
            if let (Some(place), true) = (self.parameter(&rest), has_features) {
                self.place_among(place, &self.values(&reference), factor);
                continue;
            }
            let asked = if matches!(&reference, Node::Sum(known) if !known.is_empty()) {
                Some(both_signs(&sizes(SUMMANDS, self.largest(&reference))))
            } else if wanted.is_some() {
                wanted.map(<[f64]>::to_vec)
            } else {
                let others = operands.iter().enumerate().filter(|(j, _)| *j != i);
                let others = others.map(|(_, operand)| operand.clone()).collect();
                let size = self.largest(&Node::Sum(others));
                Some(both_signs(&sizes(SUMMANDS, size)))
            };
            self.down(operand, asked.as_deref());
        }
    }

    /// A parameter that is added to these values: one of them, or of their size.
    fn place_among(&mut self, place: usize, values: &[f64], factor: f64) {
        let (low, high) = ends(values);
        let size = low.abs().max(high.abs());
        let among = (0..LISTED).map(|i| low + (high - low) * i as f64 / (LISTED - 1) as f64);
        // Beyond the values, up to a hundred times their size.
        let beyond = both_signs(&sizes(SUMMANDS, size));
        let beyond = beyond.into_iter().filter(|v| *v < low || *v > high);
        let all = sorted(among.chain(beyond).map(|value| -value / factor));
        self.suggest(place, all, 2);
    }

    /// Values of an argument that change the function's values from row to row, but not wildly.
    fn arguments(&self, function: Function, argument: &Node) -> Vec<f64> {
        if !matches!(function, Function::Sin | Function::Cos | Function::Tan) {
            return both_signs(&sizes(ARGUMENTS, 1.0));
        }
        let mut values = self.values(argument);
        values.sort_by(f64::total_cmp);
        values.dedup();
        let (low, high) = ends(&values);
        let mut gaps: Vec<f64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
        gaps.sort_by(f64::total_cmp);
        let gap = gaps.get(gaps.len() / 2).copied().unwrap_or(1.0);
        let size = low.abs().max(high.abs());
        // A quarter of a period more over all rows for each value, up to half a period per row;
        // the sign of a frequency means nothing.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped"
        )]
        let count = (2.0 * (high - low) / gap).clamp(8.0, FREQUENCIES as f64) as usize;
        let quarter = std::f64::consts::FRAC_PI_2 * size / (high - low).max(f64::MIN_POSITIVE);
        (1..=count).map(|i| i as f64 * quarter).collect()
    }

    fn suggest(&mut self, place: usize, values: Vec<f64>, rank: u8) {
        let values = values.into_iter().filter(|value| value.is_finite());
        let list = &mut self.lists[place];
        if rank < list.rank {
            return;
        }
        let kept = if rank > list.rank {
            Vec::new()
        } else {
            std::mem::take(&mut list.values)
        };
        list.values = sorted(kept.into_iter().chain(values));
        list.rank = rank;
    }

    /// The place of the parameter that the node is.
    fn parameter(&self, node: &Node) -> Option<usize> {
        match node {
            Node::Feature(feature) => feature.column.checked_sub(self.n_features),
            _ => None,
        }
    }

    /// The values of a part on the rows, with the middle value of each parameter.
    fn values(&self, part: &Node) -> Vec<f64> {
        let n = self.features.first().map_or(0, |column| column.len());
        let constants: Vec<Vec<f64>> = self.nominal.iter().map(|v| vec![*v; n]).collect();
        let own = constants.iter().map(Vec::as_slice);
        let columns: Vec<&[f64]> = self.features.iter().copied().chain(own).collect();
        let mut out = vec![0.0; n];
        Term::from_node(part.clone()).evaluate(&columns, &mut out);
        out.retain(|value| value.is_finite());
        out
    }

    /// The largest size of a part on the rows; 1 if it has none.
    fn largest(&self, part: &Node) -> f64 {
        let values = self.values(part);
        let largest = values.iter().map(|value| value.abs()).fold(0.0, f64::max);
        if largest > 0.0 { largest } else { 1.0 }
    }
}

fn ends(values: &[f64]) -> (f64, f64) {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if low <= high { (low, high) } else { (0.0, 1.0) }
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}
