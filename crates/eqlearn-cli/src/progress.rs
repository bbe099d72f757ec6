//! A progress bar for people at a terminal, the time limit, and Ctrl-C.

use std::io::IsTerminal as _;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use eqlearn::error::counted;
use eqlearn::observe::{Observer, Progress, Stage};
use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressStyle};

/// Set by the first Ctrl-C; the second ends the process.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Lets the first Ctrl-C stop the work cleanly, with what was found so far.
pub(crate) fn catch_interrupts() {
    // Without a handler Ctrl-C still ends the process, so a failure here is no reason to stop.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::abort();
        }
    });
}

/// Whether Ctrl-C was pressed.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// A bar with a share and the time left, for work whose size is known.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// A bar at a terminal, unless the user refused.
    pub(crate) fn new(wanted: bool) -> Self {
        if !wanted || !std::io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let style = ProgressStyle::with_template("{bar:30} {percent:>3} %  {msg}  {elapsed} gone")
            .expect("the template is valid");
        let bar = ProgressBar::new(1000).with_style(style);
        bar.enable_steady_tick(Duration::from_millis(250));
        Self(bar)
    }

    /// Shows what share of the work is done since `started`, and what is being done.
    pub(crate) fn show(&self, share: f64, started: Instant, what: &str) {
        if self.0.is_hidden() {
            return;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share between 0 and 1"
        )]
        self.0.set_position((share.clamp(0.0, 1.0) * 1000.0) as u64);
        let left = if share > 0.02 {
            let seconds = started.elapsed().mul_f64((1.0 - share).max(0.0) / share);
            format!(", about {} left", HumanDuration(seconds))
        } else {
            String::new()
        };
        self.0.set_message(format!("{what}{left}"));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Draws progress on standard error, if that is a terminal and the user did not refuse; stops the
/// work at the time limit.
pub(crate) struct Watch {
    bar: ProgressBar,
    started: Instant,
    limit: Option<Duration>,
}

impl Watch {
    pub(crate) fn new(wanted: bool, limit: Option<Duration>) -> Self {
        let bar = if wanted && std::io::stderr().is_terminal() {
            let style = ProgressStyle::with_template("{spinner} {msg}  {elapsed}")
                .expect("the template is valid");
            let bar = ProgressBar::new_spinner().with_style(style);
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        } else {
            ProgressBar::hidden()
        };
        Self {
            bar,
            started: Instant::now(),
            limit,
        }
    }

    /// The time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    fn message(&self, progress: &Progress) -> String {
        let count = |n: u128| HumanCount(u64::try_from(n).unwrap_or(u64::MAX)).to_string();
        match progress.stage {
            Stage::Subsets { size } => {
                let share = progress.done as f64 / (progress.total.max(1)) as f64;
                let left = if share > 0.01 {
                    let seconds = self.elapsed().as_secs_f64() * (1.0 - share) / share;
                    format!(", about {seconds:.0} s left")
                } else {
                    String::new()
                };
                format!(
                    "{}: {} of {} subsets decided ({:.0} %{left})",
                    counted(size, "term"),
                    count(progress.done),
                    count(progress.total),
                    100.0 * share
                )
            }
            Stage::Folds => format!(
                "cross-validation: fold {} of {}",
                progress.done, progress.total
            ),
            Stage::Models => format!("model {} of {}", progress.done, progress.total),
            Stage::Vocabularies if progress.done == 1 => "1 vocabulary tried".into(),
            Stage::Vocabularies => format!("{} vocabularies tried", progress.done),
            _ if progress.done == 1 => "1 row".into(),
            _ => format!("{} rows", count(progress.done)),
        }
    }
}

impl Observer for Watch {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        if !self.bar.is_hidden() {
            self.bar.set_message(self.message(progress));
        }
        let late = self.limit.is_some_and(|limit| self.elapsed() >= limit);
        if late || INTERRUPTED.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
