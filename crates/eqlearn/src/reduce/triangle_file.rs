//! A triangle as a file: rows are reduced where they are stored, and only this file is moved.
//!
//! A file holds the problem, the exact triangle of its rows, and which columns are constant in
//! them: whether a column is constant everywhere is known only once all files are merged.
//!
//! Files merge in the order in which they are given, one after the other, so that the answer does
//! not depend on who reduced them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Reduction;
use super::error::{Difference, ReduceError, TriangleProblem};
use super::rows::{Columns, Reduced, reduce_part};
use crate::data::table::Table;
use crate::error::{JsonProblem, Result};
use crate::observe::Observer;
use crate::terms::dictionary::Dictionary;
use crate::terms::problem::Problem;
use crate::terms::term::Term;

/// The schema of the file.
const SCHEMA: &str = "eqlearn-triangle/1";

/// Rows of one problem, reduced to a triangle that can be saved, sent and merged.
///
/// ```
/// use eqlearn::{Dictionary, Problem, Table, TriangleFile};
///
/// let problem = Problem::new("y", Dictionary::monomials(["x"], 1, 1, true)?)?;
/// let reduce = |x: Vec<f64>, y: Vec<f64>| {
///     let table = Table::new(vec![("x".into(), x), ("y".into(), y)]);
///     TriangleFile::reduce(&problem, [table].into_iter(), 1, &mut ())
/// };
/// let here = reduce(vec![0.0, 1.0], vec![1.0, 3.1])?.named("here");
/// let there = reduce(vec![2.0, 3.0], vec![4.9, 7.0])?.to_json();
///
/// let there = TriangleFile::from_json(&there, "there")?;
/// let all = TriangleFile::merge_all(&[here, there])?.into_reduction()?;
/// assert_eq!(all.n_obs(), 4);
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TriangleFile {
    schema: String,
    version: String,
    problem: Problem,
    /// The value of each feature, then of the target, where it has not varied so far.
    constant: Columns,
    reduction: Reduction,
    /// What to call it in messages.
    #[serde(skip)]
    name: String,
}

/// What is checked first.
#[derive(Deserialize)]
struct Header {
    schema: Option<String>,
    version: Option<String>,
}

impl TriangleFile {
    /// Reduces a stream of batches, of any length in constant memory.
    ///
    /// The answer does not depend on `threads` (0: all cores).
    ///
    /// # Errors
    /// As [`reduce`](super::reduce), but for columns that do not vary and for no rows at all: these
    /// may be some rows of many.
    pub fn reduce(
        problem: &Problem,
        batches: impl Iterator<Item = Result<Table>> + Send,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let Reduced { reduction, columns } = reduce_part(problem, batches, threads, observer)?;
        Ok(Self {
            schema: SCHEMA.to_string(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            problem: problem.clone(),
            constant: columns,
            reduction,
            name: "the triangle".to_string(),
        })
    }

    /// The same with a name for messages.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..self
        }
    }

    /// What was asked of the rows.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The rows. Whether all columns vary is not checked yet.
    pub fn reduction(&self) -> &Reduction {
        &self.reduction
    }

    /// The rows, all of them.
    ///
    /// # Errors
    /// No rows at all; a target or feature that never varies.
    pub fn into_reduction(self) -> Result<Reduction> {
        self.check_columns()?;
        Ok(self.reduction)
    }

    /// That these can be all rows.
    ///
    /// # Errors
    /// As [`into_reduction`](Self::into_reduction).
    pub fn check_columns(&self) -> Result<()> {
        self.constant.check(&self.problem, self.reduction.n_obs())
    }

    /// The rows of this and then of another. Only [`merge_all`](Self::merge_all) checks that they
    /// are not the same.
    ///
    /// # Errors
    /// Another problem.
    pub fn merge(self, later: Self) -> Result<Self> {
        if let Some(difference) = difference(&self, &later) {
            return Err(ReduceError::OtherProblem {
                file: later.name,
                first: self.name,
                difference,
            }
            .into());
        }
        Ok(Self {
            constant: self.constant.merge(later.constant),
            reduction: self.reduction.merge(later.reduction),
            ..self
        })
    }

    /// The rows of all, in this order.
    ///
    /// # Errors
    /// No file; different problems; two files with the same rows.
    pub fn merge_all(files: &[Self]) -> Result<Self> {
        let (first, rest) = files.split_first().ok_or(ReduceError::NoRowsToLearnFrom)?;
        let mut known: BTreeMap<Vec<u64>, &str> = BTreeMap::new();
        for file in files.iter().filter(|file| file.reduction.n_obs() > 0) {
            if let Some(first) = known.insert(file.reduction.bits(), &file.name) {
                return Err(ReduceError::SameRows {
                    file: file.name.clone(),
                    first: first.to_string(),
                }
                .into());
            }
        }
        rest.iter().cloned().try_fold(first.clone(), Self::merge)
    }

    /// The file's text.
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string(self).expect("a triangle holds finite numbers only");
        text + "\n"
    }

    /// Reads a file's text; `name` stands for it in messages.
    ///
    /// # Errors
    /// Text that is cut off or not JSON, another schema, or a missing or malformed field, which is
    /// named.
    pub fn from_json(text: &str, name: &str) -> Result<Self> {
        let read = Self::read(text).map_err(|problem| ReduceError::TriangleFile {
            file: name.to_string(),
            problem,
        });
        Ok(read?.named(name))
    }

    fn read(text: &str) -> Result<Self, TriangleProblem> {
        let header: Header = serde_json::from_str(text).map_err(JsonProblem::from)?;
        match header.schema {
            Some(schema) if schema == SCHEMA => {}
            Some(found) => {
                let (version, known) = (header.version, SCHEMA);
                return Err(JsonProblem::OtherSchema {
                    found,
                    version,
                    known,
                }
                .into());
            }
            None => return Err(JsonProblem::NoSchema.into()),
        }
        let file: Self = serde_json::from_str(text).map_err(JsonProblem::from)?;
        let dictionary = file.problem.dictionary();
        if file.reduction.n_terms() != dictionary.len() {
            return Err(TriangleProblem::OtherTerms {
                columns: file.reduction.n_terms(),
                terms: dictionary.len(),
            });
        }
        if !file.constant.is_about(dictionary.features().len()) {
            return Err(TriangleProblem::OtherColumns);
        }
        Ok(file)
    }
}

/// What makes the problems of two triangles different, if anything does.
fn difference(first: &TriangleFile, later: &TriangleFile) -> Option<Difference> {
    let (a, b) = (&first.problem, &later.problem);
    if a.target() != b.target() {
        return Some(Difference::Target {
            of_file: b.target(),
            of_first: a.target(),
        });
    }
    if a.weights() != b.weights() || a.meaning() != b.meaning() {
        return Some(Difference::Weights {
            of_file: b.weights().map(String::from),
            of_first: a.weights().map(String::from),
        });
    }
    let (ours, theirs) = (a.dictionary(), b.dictionary());
    if ours.features() != theirs.features() {
        return Some(Difference::Features {
            of_file: theirs.features().to_vec(),
            of_first: ours.features().to_vec(),
        });
    }
    if ours.terms() == theirs.terms() {
        return None;
    }
    let missing = |from: &Dictionary, of: &Dictionary| {
        let mut terms = of.terms().iter();
        terms
            .find(|term| from.position(term).is_none())
            .map(Term::to_string)
    };
    Some(match (missing(ours, theirs), missing(theirs, ours)) {
        (Some(term), _) => Difference::TermAdded { term },
        (None, Some(term)) => Difference::TermLacking { term },
        (None, None) => Difference::TermOrder,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::reduce::reduce_table;

    fn table(rows: std::ops::Range<i32>) -> Table {
        let x: Vec<f64> = rows.map(|i| (f64::from(i) * 0.7).sin()).collect();
        let y = x.iter().map(|x| 1.0 + 2.0 * x * x).collect();
        let side = x.iter().map(|_| 3.0).collect();
        Table::new(vec![("x".into(), x), ("s".into(), side), ("y".into(), y)]).unwrap()
    }

    fn problem(terms: &[&str]) -> Problem {
        Problem::new("y", Dictionary::parse(["x"], terms).unwrap()).unwrap()
    }

    fn part(problem: &Problem, rows: std::ops::Range<i32>, name: &str) -> TriangleFile {
        let batches = [Ok(table(rows))].into_iter();
        let file = TriangleFile::reduce(problem, batches, 1, &mut ()).unwrap();
        file.named(name)
    }

    #[test]
    fn merged_parts_equal_one_pass() {
        let problem = problem(&["1", "x", "x^2"]);
        let parts = [part(&problem, 0..7, "a"), part(&problem, 7..40, "b")];
        let merged = TriangleFile::merge_all(&parts).unwrap();
        let whole = reduce_table(&problem, &table(0..40)).unwrap();
        assert_eq!(merged.reduction.n_obs(), 40);
        for column in 0..4 {
            let (a, b) = (
                merged.reduction.column_norm(column),
                whole.column_norm(column),
            );
            assert!((a / b - 1.0).abs() < 1e-15, "{a} {b}");
        }
    }

    #[test]
    fn every_bit_and_the_problem_survive() {
        let problem = problem(&["1", "x", "x^2"]).with_weights("s").unwrap();
        let file = part(&problem, 0..9, "a");
        let text = file.to_json();
        let read = TriangleFile::from_json(&text, "a").unwrap();
        assert_eq!(read.to_json(), text);
        assert_eq!(read.reduction.bits(), file.reduction.bits());
        assert!(difference(&read, &file).is_none());
    }

    #[test]
    fn a_column_may_stand_still_in_a_part_but_not_in_all() {
        let dictionary = Dictionary::parse(["x", "s"], ["1", "x", "s"]).unwrap();
        let problem = Problem::new("y", dictionary).unwrap();
        let at = |side: f64, x: [f64; 2]| {
            let y = vec![x[0] + side, x[1] - side];
            let columns = [("x", x.to_vec()), ("s", vec![side; 2]), ("y", y)];
            let table = Table::new(columns.map(|(name, v)| (name.to_string(), v)).into());
            TriangleFile::reduce(&problem, [table].into_iter(), 1, &mut ()).unwrap()
        };
        let (a, b) = (at(3.0, [0.0, 1.0]), at(4.0, [2.0, 3.0]));
        assert!(matches!(
            a.clone().into_reduction(),
            Err(Error::Reduce(ReduceError::ConstantFeature { .. }))
        ));
        let through_files =
            [a.clone(), b].map(|file| TriangleFile::from_json(&file.to_json(), "").unwrap());
        assert!(
            TriangleFile::merge_all(&through_files)
                .unwrap()
                .into_reduction()
                .is_ok()
        );
        let still = TriangleFile::merge_all(&[a, at(3.0, [2.0, 3.0])]).unwrap();
        assert!(matches!(
            still.into_reduction(),
            Err(Error::Reduce(ReduceError::ConstantFeature { .. }))
        ));
    }

    #[test]
    fn another_problem_is_refused_with_what_differs() {
        let first = problem(&["1", "x"]);
        let said = |other: &Problem| {
            let files = [part(&first, 0..5, "a.tri"), part(other, 5..9, "b.tri")];
            TriangleFile::merge_all(&files).unwrap_err().to_string()
        };
        let weighted = first.clone().with_weights("s").unwrap();
        let dictionary = || first.dictionary().clone();
        let other_target = Problem::new("s", dictionary()).unwrap();
        insta::assert_snapshot!(
            said(&problem(&["1", "x", "x^2"])),
            @"b.tri and a.tri cannot be put together: only b.tri has the term x^2"
        );
        insta::assert_snapshot!(
            said(&problem(&["1"])),
            @"b.tri and a.tri cannot be put together: only a.tri has the term x"
        );
        insta::assert_snapshot!(
            said(&problem(&["x", "1"])),
            @"b.tri and a.tri cannot be put together: their terms are in a different order"
        );
        insta::assert_snapshot!(
            said(&weighted),
            @"b.tri and a.tri cannot be put together: b.tri has the weights \"s\", a.tri has no \
             weights"
        );
        insta::assert_snapshot!(
            said(&other_target),
            @"b.tri and a.tri cannot be put together: b.tri has the target \"s\", a.tri has the \
             target \"y\""
        );
    }

    #[test]
    fn the_same_rows_twice_are_refused() {
        let problem = problem(&["1", "x"]);
        let said = |name: &str| {
            let files = [part(&problem, 0..5, "a.tri"), part(&problem, 0..5, name)];
            TriangleFile::merge_all(&files).unwrap_err().to_string()
        };
        insta::assert_snapshot!(
            said("a.tri"),
            @"a.tri is given twice, and its rows would count twice"
        );
        insta::assert_snapshot!(
            said("b.tri"),
            @"b.tri and a.tri are equal bit by bit: they look like the same rows, which would \
             count twice"
        );
    }

    #[test]
    fn parts_without_rows_merge_and_are_nothing_to_learn_from() {
        let problem = problem(&["1", "x"]);
        let nothing = || TriangleFile::reduce(&problem, [].into_iter(), 1, &mut ()).unwrap();
        let none = TriangleFile::merge_all(&[nothing(), nothing()]).unwrap();
        assert!(matches!(
            none.into_reduction(),
            Err(Error::Reduce(ReduceError::NoRowsToLearnFrom))
        ));
        let some = TriangleFile::merge_all(&[nothing(), part(&problem, 0..5, "a"), nothing()]);
        assert_eq!(some.unwrap().into_reduction().unwrap().n_obs(), 5);
    }

    #[test]
    fn a_damaged_file_is_refused_with_what_is_wrong() {
        let text = part(&problem(&["1", "x"]), 0..5, "a").to_json();
        let said = |text: &str| {
            TriangleFile::from_json(text, "a.tri")
                .unwrap_err()
                .to_string()
        };
        insta::assert_snapshot!(
            said("{\"schema\":"),
            @"a.tri is not a usable triangle: it ends too early: EOF while parsing a value at line \
             1 column 10"
        );
        insta::assert_snapshot!(
            said("x,y\n1,2\n"),
            @"a.tri is not a usable triangle: it is not JSON: expected value at line 1 column 1"
        );
        insta::assert_snapshot!(
            said("{}"),
            @"a.tri is not a usable triangle: it has no field `schema`"
        );
        let later = text.replacen("eqlearn-triangle/1", "eqlearn-triangle/9", 1);
        assert!(said(&later).contains("its schema is \"eqlearn-triangle/9\", written by version"));
        let without = text.replacen("\"constant\"", "\"other\"", 1);
        assert!(said(&without).contains("unknown field `other`"));
        let fewer = text.replacen("\"terms\":[\"1\",\"x\"]", "\"terms\":[\"1\"]", 1);
        assert!(
            said(&fewer).contains("and `problem` has 1 term"),
            "{}",
            said(&fewer)
        );
    }
}
