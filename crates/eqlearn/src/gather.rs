//! What is kept of a table while its rows stream by: their triangle, in folds if a method needs them, and the first rows themselves.

use crate::diagnose::Diagnosis;
use crate::error::Result;
use crate::model::Model;
use crate::observe::Observer;
use crate::problem::Problem;
use crate::reduction::{Cut, Data, Parts, Reduction, reduce};
use crate::table::Table;
use crate::warning::Warning;

/// Rows kept in memory for the check of the residuals: enough to see structure, whatever the file's length.
const KEPT_ROWS: usize = 1 << 15;

/// All that is left of a table for learning an equation and looking at it afterwards.
#[derive(Debug)]
pub struct Gathered {
    rows: Rows,
    kept: Vec<Table>,
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
        Ok(Self { rows, kept })
    }

    /// What was gathered before, by another process perhaps.
    pub fn again(reduction: Reduction, kept: Vec<Table>) -> Self {
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

    /// The first rows.
    pub fn kept(&self) -> &[Table] {
        &self.kept
    }

    /// What the residuals of a model say against it.
    ///
    /// # Errors
    /// A model of other columns than these.
    pub fn warnings(&self, model: &Model) -> Result<Vec<Warning>> {
        let Some(mut diagnosis) = Diagnosis::new(model) else {
            return Ok(Vec::new());
        };
        for batch in &self.kept {
            diagnosis.add(batch)?;
        }
        Ok(diagnosis.warnings())
    }
}
