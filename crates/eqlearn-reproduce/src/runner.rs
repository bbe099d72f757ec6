//! One runner for all experiments: scenarios side by side, lines one after another.
//!
//! An [`Experiment`] lists scenarios and methods. The runner makes the data of a scenario once,
//! runs every method on them, and writes one line of JSON per scenario and method. Workers take
//! scenarios in order, and a finished scenario waits until all before it are written. So the file
//! is at any moment a prefix of the complete file.
//!
//! Always holds: the same experiment gives the same lines, byte for byte, whatever the number of
//! threads and however often the run was cut off. Times are kept in a file of their own, because
//! they are never the same twice.

mod ledger;
mod line;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use eqlearn::search::Shard;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) use ledger::{open_after_last_line, read_if_there, read_lines_of};
pub use ledger::{read_lines, read_times};
pub(crate) use line::json_line;
pub use line::{Line, Timing};

use crate::Result;
use ledger::{Finished, Ledger, finished_shares};

/// An experiment: methods that are tried on scenarios.
///
/// To add one, implement this trait; the runner does the rest.
pub trait Experiment: Sync {
    /// What a scenario is: enough to make its data again, and to tell it from all others.
    type Scenario: Clone + PartialEq + Display + Serialize + DeserializeOwned + Send + Sync;
    /// A method with its settings.
    type Method: Sync;
    /// The data of a scenario, ready for every method.
    type Data;
    /// What is written about a method on a scenario. A struct: its fields become part of the line.
    type Outcome: Clone + Serialize + DeserializeOwned + Send + Sync;

    /// The name of its files.
    fn name(&self) -> &str;

    /// The scenarios, in the order of the lines.
    fn scenarios(&self) -> Vec<Self::Scenario>;

    /// The methods with their names, in the order of the lines.
    fn methods(&self) -> Vec<(&'static str, Self::Method)>;

    /// Makes the data of a scenario, the same every time.
    fn data(&self, scenario: &Self::Scenario) -> Self::Data;

    /// Runs one method. Its outcome is not written if `go_on` says `Break`.
    fn run(
        &self,
        data: &Self::Data,
        method: &Self::Method,
        go_on: &GoOn<'_>,
    ) -> Timed<Self::Outcome>;

    /// The cost of a scenario, roughly and in any unit: tells how much work is left.
    fn weight(&self, _scenario: &Self::Scenario) -> f64 {
        1.0
    }
}

/// The lines of an experiment.
pub type LineOf<E> = Line<<E as Experiment>::Scenario, <E as Experiment>::Outcome>;

/// Asked during long work: `Break` means that the run is being stopped.
pub type GoOn<'a> = dyn Fn() -> ControlFlow<()> + 'a;

/// A value and the seconds that it took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timed<T> {
    /// The value.
    pub value: T,
    /// The seconds that count as the method's.
    pub seconds: f64,
}

/// Runs and times the work of a method.
pub fn timed<T>(work: impl FnOnce() -> T) -> Timed<T> {
    let started = Instant::now();
    let value = work();
    Timed {
        value,
        seconds: started.elapsed().as_secs_f64(),
    }
}

impl<T> Timed<T> {
    /// Judges the value, which takes no time of the method's.
    pub fn map<U>(self, judge: impl FnOnce(T) -> U) -> Timed<U> {
        Timed {
            value: judge(self.value),
            seconds: self.seconds,
        }
    }
}

/// How far an experiment has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Scenarios done, those of an earlier run among them.
    pub done: usize,
    /// Scenarios in all.
    pub total: usize,
    /// The share of this run's work that is done, by rough cost.
    pub share: f64,
}

/// Asked several times a second; `Break` ends the run after whole lines.
pub type Watch<'a> = dyn FnMut(&Progress) -> ControlFlow<()> + 'a;

/// How often the watch is asked while nothing is finished.
const PATIENCE: Duration = Duration::from_millis(200);

/// Runs what is missing of an experiment, or of one shard of it, into the files of a folder.
/// `Break`: it was stopped before the end.
///
/// A shard has files of its own. The whole takes over what shards in the same folder have
/// finished, and runs only the rest.
///
/// # Errors
/// Files that cannot be read or written, and lines of another run in the way.
pub fn run<E: Experiment>(
    experiment: &E,
    shard: Shard,
    out: &Path,
    threads: usize,
    watch: &mut Watch<'_>,
) -> Result<ControlFlow<()>> {
    let scenarios = experiment.scenarios().into_iter();
    let own: Vec<E::Scenario> = scenarios
        .skip(shard.number() - 1)
        .step_by(shard.of())
        .collect();
    let methods = experiment.methods();
    let keys = own.iter().flat_map(|scenario| {
        let names = methods.iter().map(|(name, _)| *name);
        names.map(move |name| (scenario, name))
    });
    let keys: Vec<_> = keys.collect();
    let mut ledger = Ledger::open::<E>(experiment, shard, out, &keys)?;
    let finished = match shard {
        Shard::WHOLE if ledger.n_lines() < keys.len() => finished_shares::<E>(experiment, out)?,
        _ => Finished::<E>::new(),
    };
    let crew = Crew::new(experiment, &own, ledger.n_lines(), finished);
    crew.run(threads, watch, &mut |results| ledger.write(results))
}

/// Runs an experiment without files. None: it was stopped before the end.
pub fn collect<E: Experiment>(
    experiment: &E,
    threads: usize,
    watch: &mut Watch<'_>,
) -> Option<Vec<LineOf<E>>> {
    let mut lines = Vec::new();
    let crew = Crew::new(experiment, &experiment.scenarios(), 0, Finished::<E>::new());
    let ended = crew.run(threads, watch, &mut |results| {
        lines.extend(results.iter().map(|(line, _)| line.clone()));
        Ok(())
    });
    let ended = ended.expect("without files nothing can fail");
    ended.is_continue().then_some(lines)
}

/// The lines of one scenario with their times.
type Results<E> = Vec<(LineOf<E>, Timing<<E as Experiment>::Scenario>)>;

/// Takes the results of the scenarios, in order.
type Write<'a, E> =
    dyn FnMut(&[(LineOf<E>, Timing<<E as Experiment>::Scenario>)]) -> Result<()> + 'a;

/// A scenario, and how many methods have had their turn at it.
struct Task<S> {
    scenario: S,
    n_done: usize,
}

/// The state common to all workers.
struct Crew<'a, E: Experiment> {
    experiment: &'a E,
    methods: Vec<(&'static str, E::Method)>,
    tasks: Vec<Task<E::Scenario>>,
    total: usize,
    /// What other processes have done already.
    finished: Finished<E>,
    next: AtomicUsize,
    stop: AtomicBool,
}

impl<'a, E: Experiment> Crew<'a, E> {
    /// Leaves out the scenarios of the first `n_lines` lines.
    fn new(
        experiment: &'a E,
        scenarios: &[E::Scenario],
        n_lines: usize,
        finished: Finished<E>,
    ) -> Self {
        let methods = experiment.methods();
        let per_scenario = methods.len().max(1);
        let complete = scenarios.len().min(n_lines / per_scenario);
        let mut n_done = n_lines % per_scenario;
        let tasks = scenarios[complete..].iter().map(|scenario| Task {
            scenario: scenario.clone(),
            n_done: std::mem::take(&mut n_done),
        });
        Self {
            experiment,
            tasks: tasks.collect(),
            methods,
            total: scenarios.len(),
            finished,
            next: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
        }
    }

    fn run(
        &self,
        threads: usize,
        watch: &mut Watch<'_>,
        write: &mut Write<'_, E>,
    ) -> Result<ControlFlow<()>> {
        let weight = |task: &Task<E::Scenario>| self.experiment.weight(&task.scenario);
        let work: f64 = self.tasks.iter().map(weight).sum();
        let mut progress = Progress {
            done: self.total - self.tasks.len(),
            total: self.total,
            share: 0.0,
        };
        let mut waiting: BTreeMap<usize, Results<E>> = BTreeMap::new();
        let mut first_missing = 0;
        let mut take = |arrived: Option<(usize, Results<E>)>| {
            waiting.extend(arrived);
            while let Some(results) = waiting.remove(&first_missing) {
                write(&results)?;
                progress.done += 1;
                progress.share += weight(&self.tasks[first_missing]) / work;
                first_missing += 1;
            }
            Ok(watch(&progress))
        };
        std::thread::scope(|scope| {
            let (send, receive) = channel();
            for _ in 0..threads.clamp(1, self.tasks.len().max(1)) {
                let send = send.clone();
                scope.spawn(move || self.take_turns(&send));
            }
            drop(send);
            loop {
                let answer = match receive.recv_timeout(PATIENCE) {
                    Ok(arrived) => take(Some(arrived)),
                    Err(RecvTimeoutError::Timeout) => take(None),
                    Err(RecvTimeoutError::Disconnected) => return Ok(ControlFlow::Continue(())),
                };
                if !matches!(answer, Ok(ControlFlow::Continue(()))) {
                    self.stop.store(true, Ordering::Relaxed);
                    return answer;
                }
            }
        })
    }

    fn take_turns(&self, send: &Sender<(usize, Results<E>)>) {
        loop {
            let place = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = self.tasks.get(place) else {
                return;
            };
            let results = self.results(task);
            // What was cut short by a stop is not the answer of the method.
            if self.go_on().is_break() || send.send((place, results)).is_err() {
                return;
            }
        }
    }

    fn go_on(&self) -> ControlFlow<()> {
        if self.stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn results(&self, task: &Task<E::Scenario>) -> Results<E> {
        let missing = &self.methods[task.n_done..];
        let finished = missing.iter().map(|(name, _)| {
            let key = (task.scenario.to_string(), (*name).to_string());
            self.finished.get(&key).cloned()
        });
        if let Some(results) = finished.collect() {
            return results;
        }
        let data = self.experiment.data(&task.scenario);
        let mut results = Vec::with_capacity(missing.len());
        for (name, method) in missing {
            if self.go_on().is_break() {
                break;
            }
            let done = self.experiment.run(&data, method, &|| self.go_on());
            let line = Line {
                scenario: task.scenario.clone(),
                method: (*name).to_string(),
                outcome: done.value,
            };
            let timing = Timing {
                scenario: task.scenario.clone(),
                method: (*name).to_string(),
                seconds: done.seconds,
            };
            results.push((line, timing));
        }
        results
    }
}
