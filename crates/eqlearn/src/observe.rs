//! Watching a run, and stopping it.
//!
//! Long computations report to an [`Observer`] now and then and ask whether to continue. The
//! library itself never prints: a command line draws a bar, a notebook a widget, a test counts
//! calls.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// How far a piece of work has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What is being done, in a word or two: `"reading"`, `"searching size 5"`.
    pub stage: Stage,
    /// Units of this stage that are decided.
    pub done: u128,
    /// Units of this stage in all, or 0 where the number is not known (a stream of rows).
    pub total: u128,
}

/// A part of the pipeline that takes time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Rows are read and reduced to the triangle; the unit is a row.
    Rows,
    /// Subsets of this many terms are decided; the unit is a subset.
    Subsets {
        /// The number of terms.
        size: usize,
    },
    /// A knob is chosen by cross-validation; the unit is a fold that was left out.
    Folds,
    /// The models of an ensemble are found; the unit is a model.
    Models,
    /// Richer vocabularies are tried; the unit is a vocabulary with a target.
    Vocabularies,
}

/// Watches a run and may stop it. `()` watches nothing.
pub trait Observer {
    /// Called now and then from one thread; `Break` asks the work to stop as soon as it can.
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        let _ = progress;
        ControlFlow::Continue(())
    }
}

impl Observer for () {}

/// Stops after a given time; until then another observer watches and may stop it earlier.
pub(crate) struct Brief<'a> {
    until: Instant,
    over: bool,
    observer: &'a mut dyn Observer,
}

impl<'a> Brief<'a> {
    pub(crate) fn new(time: Duration, observer: &'a mut dyn Observer) -> Self {
        let until = Instant::now() + time;
        Self {
            until,
            over: false,
            observer,
        }
    }

    /// Whether it was the clock that stopped the work.
    pub(crate) fn is_over(&self) -> bool {
        self.over
    }
}

impl Observer for Brief<'_> {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        self.observer.progress(progress)?;
        self.over |= Instant::now() >= self.until;
        if self.over {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
