//! Names and units in the header of a table: `v (m/s)` is the quantity v in m/s.

use std::collections::HashSet;

use super::ColumnInfo;

/// A longer text in brackets is a remark, not a unit.
const LONGEST_UNIT: usize = 16;

/// How many columns a note names.
const MOST_NAMED: usize = 8;

/// The name and the unit of a header such as `v (m/s)`, `v [m/s]` or `v / (m/s)`.
pub(super) fn split(header: &str) -> Option<(&str, &str)> {
    let (name, unit) = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>')]
        .into_iter()
        .find_map(|(open, close)| {
            let inside = header.trim_end().strip_suffix(close)?;
            inside.split_once(open)
        })?;
    // f(x) is a name.
    let apart = name.ends_with([' ', '_', '\u{a0}']) || header.ends_with(']');
    let name = name.trim_end().trim_end_matches(['_', '/']).trim();
    let unit = unit.trim();
    let is_unit_char = |c: char| c.is_alphanumeric() || "^*/.·⋅-−+()%‰°²³⁻¹⁴µμΩ√ ".contains(c);
    let is_unit = !unit.is_empty()
        && unit.chars().count() <= LONGEST_UNIT
        && unit.chars().all(is_unit_char)
        && unit.split_whitespace().count() <= 3;
    (apart && is_unit && !name.is_empty()).then_some((name, unit))
}

/// Splits the units from the names, where the names stay distinct without them.
pub(super) fn take_units(columns: &mut [ColumnInfo]) {
    let split_name = |column: &ColumnInfo| {
        let short = split(&column.name).map(|(name, _)| name);
        short.unwrap_or(&column.name).to_string()
    };
    let short: Vec<String> = columns.iter().map(split_name).collect();
    let mut seen = HashSet::new();
    let twice: HashSet<&String> = short.iter().filter(|name| !seen.insert(*name)).collect();
    for (column, name) in columns.iter_mut().zip(&short) {
        if twice.contains(name) || *name == column.name {
            continue;
        }
        let unit = split(&column.name).map(|(_, unit)| unit.to_string());
        column.unit = unit;
        column.name.clone_from(name);
    }
}

/// What is said of units that were found.
pub(super) fn note(columns: &[ColumnInfo]) -> Option<String> {
    let with = columns.iter().filter_map(|column| {
        let unit = column.unit.as_ref()?;
        Some(format!("{} in {unit}", column.name))
    });
    let with: Vec<String> = with.collect();
    let more = match with.len() {
        0 => return None,
        n if n > MOST_NAMED => format!(" and {} more", n - MOST_NAMED),
        _ => String::new(),
    };
    let named = with.iter().take(MOST_NAMED).cloned();
    let named: Vec<String> = named.collect();
    Some(format!("units by the header: {}{more}", named.join(", ")))
}

/// The unit in a cell of a row of units; none where it is blank, a dash, or a plain number's.
pub(super) fn unit_of_cell(cell: &str) -> Option<String> {
    let inside = cell.trim().trim_matches(['(', ')', '[', ']', '<', '>']);
    let inside = inside.trim();
    let none = inside.is_empty() || ["-", "–", "—", "1", "/"].contains(&inside);
    (!none).then(|| inside.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_stands_in_brackets_behind_the_name() {
        for (header, expected) in [
            ("v (m/s)", Some(("v", "m/s"))),
            ("v[m/s]", Some(("v", "m/s"))),
            ("T / (°C)", Some(("T", "°C"))),
            ("air density (kg m^-3)", Some(("air density", "kg m^-3"))),
            ("load_(kN)", Some(("load", "kN"))),
            ("share (%)", Some(("share", "%"))),
            ("k (W/(m K))", Some(("k", "W/(m K)"))),
            ("f(x)", None),
            ("x", None),
            ("(m/s)", None),
            ("x (without the two first runs)", None),
            ("x (a, b)", None),
        ] {
            assert_eq!(split(header), expected, "{header}");
        }
    }

    #[test]
    fn names_that_would_be_the_same_keep_their_units() {
        let mut columns: Vec<ColumnInfo> = ["v (m/s)", "v (km/h)", "t (s)"]
            .map(ColumnInfo::numeric)
            .into();
        take_units(&mut columns);
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["v (m/s)", "v (km/h)", "t"]);
        assert_eq!(columns[2].unit.as_deref(), Some("s"));
    }
}
