//! Inner parameters from a start to the minimum.

use super::rows::triangularise;
use super::{Caution, Draft, Hunt, Law, Member, Value};
use crate::numeric::least_squares::{Solution, least_squares};
use crate::numeric::vector::add;
use crate::terms::family::Family;

/// A parameter within this share of its range from an end is at the end.
const AT_END: f64 = 0.01;
/// Members whose parameters are closer than this many standard errors are the same.
const TOLD_APART: f64 = 2.0;

/// The members at the minimum over all parameters, with the best coefficients for each value, and
/// the sum of squared residuals there.
pub(super) fn projected(
    hunt: &Hunt<'_>,
    linear: &[usize],
    mut members: Vec<Member>,
) -> Option<(Vec<Member>, f64)> {
    if members.is_empty() {
        return Some((members, hunt.columns.rss(linear, &[])?));
    }
    let n = hunt.columns.len();
    let start = joined_values(&members);
    let found = least_squares(n, &start, &mut |at, residuals, jacobian| {
        spread_values(&mut members, at);
        fill_projected(hunt, linear, &members, residuals, jacobian).is_some()
    });
    spread_values(&mut members, &found.parameters);
    found.rss.is_finite().then_some((members, found.rss))
}

/// Residuals and their derivatives with the coefficients eliminated, in the coordinates of Q.
fn fill_projected(
    hunt: &Hunt<'_>,
    linear: &[usize],
    members: &[Member],
    residuals: &mut [f64],
    jacobian: &mut [f64],
) -> Option<()> {
    // Notation: Φ = Q R the terms, y the target, c the coefficients, S the slopes of members;
    // r = P y and ∂r/∂θ = −P S c with P = 1 − Q Qᵀ (Kaufman).
    let (n, columns) = (hunt.columns.len(), hunt.columns);
    if members.iter().any(|member| !is_inside(hunt, member)) {
        return None;
    }
    let blocks = hunt.blocks(members)?;
    let slopes = slopes(hunt, members)?;
    let k = linear.len() + blocks.len();
    let terms = linear.iter().map(|&i| &columns.linear[i]).chain(&blocks);
    let behind = [&columns.target]
        .into_iter()
        .chain(slopes.iter().map(|s| &s.column));
    let mut all: Vec<f64> = terms.chain(behind).flatten().copied().collect();
    triangularise(&mut all, n, k)?;
    let coefficients = back_substituted(&all, n, k);
    residuals.fill(0.0);
    residuals[k..].copy_from_slice(&all[k * n + k..(k + 1) * n]);
    jacobian.fill(0.0);
    for (i, slope) in slopes.iter().enumerate() {
        let turned = &all[(k + 1 + i) * n + k..(k + 2 + i) * n];
        let coefficient = coefficients[linear.len() + slope.block];
        add(
            &mut jacobian[slope.parameter * n + k..(slope.parameter + 1) * n],
            -coefficient,
            turned,
        );
    }
    Some(())
}

/// The derivative of one used formula by one parameter: places among all blocks and parameters.
struct Slope {
    block: usize,
    parameter: usize,
    column: Vec<f64>,
}

fn slopes(hunt: &Hunt<'_>, members: &[Member]) -> Option<Vec<Slope>> {
    let (mut block, mut first) = (0, 0);
    let mut all = Vec::new();
    for member in members {
        let family = &hunt.given.families[member.family];
        for parameter in 0..member.values.len() {
            let (used, values) = (&member.used, &member.values);
            let columns = hunt.columns.slopes(family, used, parameter, values)?;
            all.extend(columns.into_iter().enumerate().map(|(i, column)| Slope {
                block: block + i,
                parameter: first + parameter,
                column,
            }));
        }
        block += member.used.len();
        first += member.values.len();
    }
    Some(all)
}

/// The solution of R c = Qᵀy, from columns of which the first k are a triangle and the next is
/// the turned target.
fn back_substituted(columns: &[f64], n_rows: usize, k: usize) -> Vec<f64> {
    let mut solution = vec![0.0; k];
    for i in (0..k).rev() {
        let known: f64 = (i + 1..k)
            .map(|j| columns[j * n_rows + i] * solution[j])
            .sum();
        solution[i] = (columns[k * n_rows + i] - known) / columns[i * n_rows + i];
    }
    solution
}

/// Whether the parameters are in the ranges that were given, and no pole is among the rows: beside
/// a pole a term can follow the noise of any single row.
fn is_inside(hunt: &Hunt<'_>, member: &Member) -> bool {
    let family = &hunt.given.families[member.family];
    let mut pairs = family.parameters().iter().zip(&member.values);
    let is_in_range = pairs.all(|(parameter, value)| match parameter.range {
        Some((low, high)) => (low..=high).contains(value),
        None => value.is_finite(),
    });
    is_in_range && !family.has_pole(&member.values, &hunt.columns.features())
}

fn joined_values(members: &[Member]) -> Vec<f64> {
    members
        .iter()
        .flat_map(|m| m.values.iter().copied())
        .collect()
}

fn spread_values(members: &mut [Member], values: &[f64]) {
    let mut values = values.iter();
    for own in members.iter_mut().flat_map(|member| &mut member.values) {
        *own = *values.next().expect("one for each parameter");
    }
}

/// The law of a draft: coefficients and parameters together, to the last digit.
pub(super) fn polished(hunt: &Hunt<'_>, draft: &Draft) -> Option<Law> {
    let (mut members, _) = projected(hunt, &draft.linear, draft.members.clone())?;
    put_in_order(hunt, &mut members);
    let n = hunt.columns.len();
    let blocks = hunt.blocks(&members)?;
    let n_terms = draft.linear.len() + blocks.len();
    let terms = draft.linear.iter().map(|&i| &hunt.columns.linear[i]);
    let all = terms.chain(&blocks).chain([&hunt.columns.target]);
    let mut all: Vec<f64> = all.flatten().copied().collect();
    triangularise(&mut all, n, n_terms)?;
    let mut start = back_substituted(&all, n, n_terms);
    start.extend(joined_values(&members));
    let found = least_squares(n, &start, &mut |at, residuals, jacobian| {
        spread_values(&mut members, &at[n_terms..]);
        fill_joint(
            hunt,
            &draft.linear,
            &members,
            &at[..n_terms],
            (residuals, jacobian),
        )
        .is_some()
    });
    if !found.rss.is_finite() {
        return None;
    }
    spread_values(&mut members, &found.parameters[n_terms..]);
    Some(told(hunt, &draft.linear, &members, &found))
}

/// By family, then by value; families that differ in names only share their members in order.
fn put_in_order(hunt: &Hunt<'_>, members: &mut [Member]) {
    let families = hunt.given.families;
    let first_like = |family: usize| {
        let like = families.iter().position(|f| f.is_like(&families[family]));
        like.unwrap_or(family)
    };
    let mut own: Vec<usize> = members.iter().map(|member| member.family).collect();
    own.sort_by_key(|&family| (first_like(family), family));
    members.sort_by(|a, b| {
        let values = a.values.iter().zip(&b.values);
        let values = values.fold(std::cmp::Ordering::Equal, |o, (a, b)| {
            o.then(a.total_cmp(b))
        });
        let families = first_like(a.family).cmp(&first_like(b.family));
        families.then(a.used.cmp(&b.used)).then(values)
    });
    for (member, family) in members.iter_mut().zip(own) {
        member.family = family;
    }
}

/// Residuals `Φ c − y` and their derivatives `[Φ, c ∂φ/∂θ]`.
fn fill_joint(
    hunt: &Hunt<'_>,
    linear: &[usize],
    members: &[Member],
    coefficients: &[f64],
    (residuals, jacobian): (&mut [f64], &mut [f64]),
) -> Option<()> {
    let n = hunt.columns.len();
    if members.iter().any(|member| !is_inside(hunt, member)) {
        return None;
    }
    let blocks = hunt.blocks(members)?;
    let terms = linear
        .iter()
        .map(|&i| &hunt.columns.linear[i])
        .chain(&blocks);
    jacobian.fill(0.0);
    for (r, y) in residuals.iter_mut().zip(&hunt.columns.target) {
        *r = -y;
    }
    for ((column, c), out) in terms.zip(coefficients).zip(jacobian.chunks_exact_mut(n)) {
        out.copy_from_slice(column);
        add(residuals, *c, column);
    }
    for slope in slopes(hunt, members)? {
        let place = coefficients.len() + slope.parameter;
        let coefficient = coefficients[linear.len() + slope.block];
        add(
            &mut jacobian[place * n..(place + 1) * n],
            coefficient,
            &slope.column,
        );
    }
    Some(())
}

/// What is told of a solution.
fn told(hunt: &Hunt<'_>, linear: &[usize], members: &[Member], found: &Solution) -> Law {
    let n_numbers = found.parameters.len();
    let freedom = hunt.columns.len().saturating_sub(n_numbers);
    let sigma = (freedom > 0).then(|| (found.rss / freedom as f64).sqrt());
    let covariance = sigma.zip(found.inverse.as_ref()).map(|(sigma, inverse)| {
        let row = |row: &Vec<f64>| row.iter().map(|x| x * sigma * sigma).collect();
        inverse.iter().map(row).collect::<Vec<Vec<f64>>>()
    });
    let mut terms: Vec<_> = linear
        .iter()
        .map(|&i| hunt.given.dictionary.terms()[i].clone())
        .collect();
    let n_terms = linear.len() + members.iter().map(|m| m.used.len()).sum::<usize>();
    let mut parameters: Vec<Value> = Vec::new();
    for (i, member) in members.iter().enumerate() {
        let family = &hunt.given.families[member.family];
        let own = terms.len()..terms.len() + member.used.len();
        let all = family.members(&member.values);
        terms.extend(member.used.iter().map(|&formula| all[formula].clone()));
        let before = members[..i]
            .iter()
            .filter(|m| m.family == member.family)
            .count();
        for (j, value) in member.values.iter().enumerate() {
            let place = n_terms + parameters.len();
            parameters.push(Value {
                name: numbered(&family.parameters()[j].name, before),
                value: *value,
                std_error: covariance.as_ref().map(|c| c[place][place].sqrt()),
                range: range(family, &hunt.grids[member.family], j),
                is_limited: family.parameters()[j].range.is_some(),
                terms: own.clone().collect(),
            });
        }
    }
    Law {
        terms,
        coefficients: found.parameters[..n_terms].to_vec(),
        n_candidates: hunt.n_candidates(),
        log_n_laws: hunt.log_n_laws(linear, members),
        slopes: law_slopes(hunt, linear.len(), members, found),
        cautions: cautions(members, &parameters),
        members: members.to_vec(),
        parameters,
        covariance,
        rss: found.rss,
        sigma,
        score: hunt.score(linear, members, found.rss),
        converged: found.converged,
    }
}

/// The derivatives of a law by its parameters: those of its members times their coefficients.
fn law_slopes(
    hunt: &Hunt<'_>,
    n_linear: usize,
    members: &[Member],
    found: &Solution,
) -> Vec<Vec<f64>> {
    let n_parameters = members.iter().map(|member| member.values.len()).sum();
    let mut sums = vec![vec![0.0; hunt.columns.len()]; n_parameters];
    for slope in slopes(hunt, members).unwrap_or_default() {
        let coefficient = found.parameters[n_linear + slope.block];
        add(&mut sums[slope.parameter], coefficient, &slope.column);
    }
    sums
}

/// `a` for the first member of a family, then `a2` and so on.
fn numbered(name: &str, before: usize) -> String {
    match before {
        0 => name.to_owned(),
        more => format!("{name}{}", more + 1),
    }
}

/// Where a parameter was looked for.
fn range(family: &Family, grid: &[Vec<f64>], parameter: usize) -> (f64, f64) {
    let own = grid.iter().map(|values| values[parameter]);
    let hull = own.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    family.parameters()[parameter].range.unwrap_or(hull)
}

fn cautions(members: &[Member], parameters: &[Value]) -> Vec<Caution> {
    // Automatic ranges end where nothing changes any more: a value beyond is one that the data do
    // not tell.
    let at_end = |value: &&Value| {
        let (low, high) = value.range;
        let near = AT_END * (high - low);
        let is_near = value.value >= high - near || value.value <= low + near;
        let error = value.std_error.unwrap_or(f64::INFINITY);
        is_near && (value.is_limited || error > value.value.abs())
    };
    let mut cautions: Vec<Caution> = parameters
        .iter()
        .filter(at_end)
        .map(|value| Caution::EndOfRange {
            name: value.name.clone(),
        })
        .collect();
    let mut first = 0;
    let mut places = Vec::new();
    for member in members {
        places.push(first..first + member.values.len());
        first += member.values.len();
    }
    for (i, a) in members.iter().enumerate() {
        for (j, b) in members.iter().enumerate().skip(i + 1) {
            let pairs = parameters[places[i].clone()]
                .iter()
                .zip(&parameters[places[j].clone()]);
            let is_same = |(a, b): (&Value, &Value)| {
                let error = |value: &Value| value.std_error.unwrap_or(f64::INFINITY);
                (a.value - b.value).abs() <= TOLD_APART * error(a).hypot(error(b))
            };
            if a.family == b.family && pairs.clone().all(is_same) {
                let names = pairs
                    .flat_map(|(a, b)| [a.name.clone(), b.name.clone()])
                    .collect();
                cautions.push(Caution::Merged { names });
            }
        }
    }
    cautions
}
