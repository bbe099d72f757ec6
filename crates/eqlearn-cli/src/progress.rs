//! A progress bar for people at a terminal.

use std::io::IsTerminal as _;
use std::ops::ControlFlow;
use std::time::Duration;

use eqlearn::observe::{Observer, Progress, Stage};
use indicatif::{HumanCount, ProgressBar, ProgressStyle};

/// Draws progress on standard error, if that is a terminal and the user did not refuse.
pub(crate) struct Bar {
    bar: ProgressBar,
}

impl Bar {
    pub(crate) fn new(wanted: bool) -> Self {
        if !wanted || !std::io::stderr().is_terminal() {
            return Self {
                bar: ProgressBar::hidden(),
            };
        }
        let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}")
            .expect("the template is valid");
        let bar = ProgressBar::new_spinner().with_style(style);
        bar.enable_steady_tick(Duration::from_millis(120));
        Self { bar }
    }
}

impl Observer for Bar {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        if let Stage::Rows = progress.stage {
            let rows = u64::try_from(progress.done).unwrap_or(u64::MAX);
            self.bar.set_message(format!("{} rows", HumanCount(rows)));
        }
        ControlFlow::Continue(())
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
