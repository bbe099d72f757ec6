//! Worker threads: each takes the next job, and all share one list.
//!
//! The workers only run jobs. Meanwhile the calling thread reports progress to the observer and
//! saves the checkpoint. A job that is interrupted does not count as done.

use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;

use crate::error::Result;
use crate::numeric::parallel;
use crate::observe::{Observer, Progress, Stage};
use crate::search::Run;
use crate::search::decide::pass::Pass;
use crate::search::decide::source::Source;
use crate::search::split::checkpoint::Checkpoint;
use crate::search::tree::node::Node;
use crate::search::tree::rescore::Rescorer;
use crate::search::tree::walk::{Tally, Walk};

/// Below this many subsets a size is decided without further threads.
const SMALL: u128 = 200_000;

/// Between two looks at the observer.
const TICK: Duration = Duration::from_millis(50);

/// Ticks between two saves: five seconds, so that a killed process loses less than ten.
const TICKS_PER_SAVE: u32 = 100;

/// What the threads work on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Work<'a> {
    pub(crate) pass: &'a Pass<'a>,
    pub(crate) rescorer: &'a Rescorer<'a>,
    pub(crate) size: usize,
    /// How many terms are to be chosen.
    pub(crate) left: usize,
    pub(crate) subsets: u128,
}

/// Runs all jobs of the source; what was done, and whether that is all.
pub(crate) fn run(
    work: &Work<'_>,
    source: Source,
    run: &Run<'_>,
    checkpoint: &mut Checkpoint,
    observer: &mut dyn Observer,
) -> Result<(Tally, bool)> {
    let source = Mutex::new(source);
    let threads = parallel::threads(run.threads);
    let mut saved = Ok(());
    work.look(observer);
    if work.subsets <= SMALL {
        work.jobs(&source);
    } else {
        std::thread::scope(|scope| {
            // Nothing is ever sent: the channel closes when the last thread is done.
            let (sender, receiver) = mpsc::channel::<()>();
            for _ in 0..threads {
                let sender = sender.clone();
                let source = &source;
                scope.spawn(move || {
                    work.jobs(source);
                    drop(sender);
                });
            }
            drop(sender);
            let mut ticks = 0;
            while receiver.recv_timeout(TICK) == Err(mpsc::RecvTimeoutError::Timeout) {
                ticks += 1;
                work.look(observer);
                if ticks % TICKS_PER_SAVE == 0 && saved.is_ok() {
                    saved = checkpoint.save(work.size, &lock(&source), work.pass);
                }
            }
        });
    }
    saved?;
    let source = lock(&source);
    let finished = source.is_done();
    work.look(observer);
    if !finished && !work.pass.flat.load(Relaxed) {
        checkpoint.save(work.size, &source, work.pass)?;
    }
    Ok((source.tally, finished))
}

/// Walks the whole tree below `root` in its order, on one thread, while the observer is told.
pub(crate) fn in_order(work: &Work<'_>, root: &mut Node, observer: &mut dyn Observer) -> Tally {
    work.look(observer);
    std::thread::scope(|scope| {
        // Nothing is ever sent: the channel closes when the thread is done.
        let (sender, receiver) = mpsc::channel::<()>();
        let thread = scope.spawn(move || {
            let _sender = sender;
            let mut walk = Walk::new(work.pass, work.rescorer.clone());
            walk.begin(0, root, &[]);
            walk.visit(0, work.left);
            walk.end()
        });
        while receiver.recv_timeout(TICK) == Err(mpsc::RecvTimeoutError::Timeout) {
            work.look(observer);
        }
        thread.join().expect("a walk does not panic")
    })
}

impl Work<'_> {
    /// One thread: job after job until there are none or somebody says stop.
    fn jobs(&self, source: &Mutex<Source>) {
        let mut walk = Walk::new(self.pass, self.rescorer.clone());
        let mut node = Node::default();
        while !self.pass.stop.load(Relaxed) {
            let job = lock(source).next(self.pass, &mut node);
            let Some(job) = job else { break };
            let depth = job.place.len();
            walk.begin(depth, &mut node, &job.path);
            walk.visit(depth, self.left - depth);
            if self.pass.stop.load(Relaxed) {
                break;
            }
            lock(source).finish(&job.place, &walk.end());
        }
    }

    /// Reports to the observer, which may stop the search.
    fn look(&self, observer: &mut dyn Observer) {
        let progress = Progress {
            stage: Stage::Subsets { size: self.size },
            done: self.pass.decided().min(self.subsets),
            total: self.subsets,
        };
        if observer.progress(&progress) == ControlFlow::Break(()) {
            self.pass.stop.store(true, Relaxed);
        }
    }
}

fn lock(source: &Mutex<Source>) -> MutexGuard<'_, Source> {
    source.lock().unwrap_or_else(PoisonError::into_inner)
}
