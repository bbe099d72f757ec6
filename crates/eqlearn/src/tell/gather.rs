//! What is kept of a table while its rows are streamed: their triangle, in folds if a method needs
//! them, and the first rows themselves.
//!
//! Rows that were reduced elsewhere come as triangles; then there are no first rows, and a warning
//! says what could not be checked.

use crate::beyond::Learned;
use crate::data::table::Table;
use crate::error::Result;
use crate::judge::noise::NoiseFindings;
use crate::learn::Study;
use crate::observe::Observer;
use crate::reduce::{Cut, Data, Parts, Reduction, TriangleFile, reduce};
use crate::tell::diagnose::Diagnosis;
use crate::tell::warning::{Code, Warning};
use crate::terms::problem::Problem;

/// Rows kept in memory for the check of the residuals: enough to detect structure, whatever the
/// file's length.
const KEPT_ROWS: usize = 1 << 15;

/// All that is left of a table for learning an equation and looking at it afterwards.
#[derive(Debug)]
pub struct Gathered {
    rows: Rows,
    /// None if the rows are elsewhere.
    kept: Option<Vec<Table>>,
}

#[derive(Debug)]
enum Rows {
    Whole(Box<Reduction>),
    InParts(Parts),
}

impl Gathered {
    /// Reduces all rows in one pass, cut into folds if asked.
    ///
    /// # Errors
    /// Those of the batches and of [`reduce`].
    pub fn new(
        problem: &Problem,
        batches: impl Iterator<Item = Result<Table>> + Send,
        cut: Option<&Cut>,
        threads: usize,
        observer: &mut dyn Observer,
    ) -> Result<Self> {
        let (mut kept, mut n_rows) = (Vec::new(), 0);
        let tee = batches.inspect(|batch| {
            if let Ok(batch) = batch {
                n_rows += batch.n_rows();
                if n_rows <= KEPT_ROWS {
                    kept.push(batch.clone());
                }
            }
        });
        let rows = match cut {
            Some(cut) => Rows::InParts(Parts::reduce(problem, tee, cut, threads, observer)?),
            None => Rows::Whole(Box::new(reduce(problem, tee, threads, observer)?)),
        };
        Ok(Self {
            rows,
            kept: Some(kept),
        })
    }

    /// Merges what was reduced elsewhere, in this order. Folds are split between the files.
    ///
    /// # Errors
    /// Files of different problems, or the same rows twice; a target or feature that varies in none
    /// of them; fewer files than parts to cut into; no rows at all.
    pub fn of_triangles(files: &[TriangleFile], cut: Option<&Cut>) -> Result<Self> {
        let whole = TriangleFile::merge_all(files)?;
        let rows = match cut {
            Some(cut) => {
                whole.check_columns()?;
                let n_terms = whole.problem().dictionary().len();
                let all: Vec<Reduction> = files.iter().map(|f| f.reduction().clone()).collect();
                Rows::InParts(Parts::of_reductions(n_terms, &all, cut)?)
            }
            None => Rows::Whole(Box::new(whole.into_reduction()?)),
        };
        Ok(Self { rows, kept: None })
    }

    /// What was gathered before, by another process perhaps.
    pub fn again(reduction: Reduction, kept: Option<Vec<Table>>) -> Self {
        let rows = Rows::Whole(Box::new(reduction));
        Self { rows, kept }
    }

    /// What methods learn from.
    pub fn data(&self) -> Data<'_> {
        match &self.rows {
            Rows::Whole(reduction) => (&**reduction).into(),
            Rows::InParts(parts) => parts.into(),
        }
    }

    /// The rows in folds; none if they were not cut.
    pub fn parts(&self) -> Option<&Parts> {
        match &self.rows {
            Rows::Whole(_) => None,
            Rows::InParts(parts) => Some(parts),
        }
    }

    /// The first rows; none if they are elsewhere.
    pub fn kept(&self) -> &[Table] {
        self.kept.as_deref().unwrap_or_default()
    }

    /// Whether the first rows are at hand.
    pub fn has_rows(&self) -> bool {
        self.kept.is_some()
    }

    /// The warnings from the residuals of an answer.
    ///
    /// # Errors
    /// A study of other columns than these.
    pub fn checks(&self, study: &Study) -> Result<Vec<Warning>> {
        checked(study, self.kept.as_deref(), &NoiseFindings::default())
    }

    /// The warnings from the residuals of an answer, in units of the noise that was found, and what
    /// was found of the rows.
    ///
    /// # Errors
    /// A study of other columns than these.
    pub fn checks_of(&self, learned: &Learned) -> Result<Vec<Warning>> {
        let Learned { study, noise, .. } = learned;
        let rows = learned.rows.as_deref().or(self.kept.as_deref());
        let mut warnings = checked(study, rows, noise)?;
        let numbered = |table: &Table| -> Vec<u64> {
            let rows = 0..table.n_rows();
            rows.map(|row| table.row_number(row)).collect()
        };
        let numbers: Vec<u64> = self.kept().iter().flat_map(numbered).collect();
        warnings.extend(noise.warnings(|row| numbers[row]));
        Ok(warnings)
    }
}

/// The warnings from the residuals of an answer on these rows, or that they are elsewhere.
fn checked(study: &Study, rows: Option<&[Table]>, noise: &NoiseFindings) -> Result<Vec<Warning>> {
    let Some(diagnosis) = study.model().and_then(|model| Diagnosis::new(&model)) else {
        return Ok(Vec::new());
    };
    let mut diagnosis = diagnosis.weighted_by(noise.weights.clone());
    let Some(rows) = rows else {
        let message = "the rows are elsewhere, so the residuals were not checked: structure in \
                       them or single rows that spoil the equation would go unnoticed";
        return Ok(vec![Warning::new(Code::ResidualsUnchecked, message)]);
    };
    for batch in rows {
        diagnosis.add(batch)?;
    }
    Ok(diagnosis.warnings())
}
