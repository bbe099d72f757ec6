//! Runs scenarios side by side and writes their lines one after another.
//!
//! Workers take scenarios in order; finished ones wait until all before them are written. So a file is at any moment the beginning of the one file
//! that the plan leads to, and a run that was cut off goes on after its last whole line.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use eqlearn::search::Shard;

use super::attractor::Attractor;
use super::learner::Prepared;
use super::ledger::{self, Ledger, Timing, finished_shares};
use super::line::{Equation, Line};
use super::score::Score;
use super::{Contender, Experiment, Plan, Result, Scenario};

/// How far an experiment has come.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// The experiment.
    pub experiment: Experiment,
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

/// A scenario and those who have not had their turn at it.
#[derive(Debug)]
struct Task {
    scenario: Scenario,
    contenders: Vec<Contender>,
}

/// Runs what is missing of an experiment, or of one share of it. `Break`: it was stopped before the end.
///
/// A share has files of its own. The whole takes over what shares in the same folder have finished, so that it runs only what they have not.
///
/// # Errors
/// Files that cannot be read or written, and lines of another plan in the way.
pub fn run(
    plan: &Plan,
    (experiment, shard): (Experiment, Shard),
    out: &Path,
    threads: usize,
    watch: &mut Watch<'_>,
) -> Result<ControlFlow<()>> {
    let mut tasks: Vec<Task> = plan
        .scenarios(experiment)
        .into_iter()
        .skip(shard.number() - 1)
        .step_by(shard.of())
        .map(|scenario| Task {
            scenario,
            contenders: plan.contenders(experiment),
        })
        .collect();
    let keys = tasks.iter().flat_map(|task| {
        let one = |contender: &Contender| (task.scenario.clone(), contender.name());
        task.contenders.iter().map(one)
    });
    let mut ledger = Ledger::open(out, experiment, shard, &keys.collect::<Vec<_>>())?;
    let total = tasks.len();
    let mut finished = ledger.n_lines();
    tasks.retain_mut(|task| {
        let gone = finished.min(task.contenders.len());
        task.contenders.drain(..gone);
        finished -= gone;
        !task.contenders.is_empty()
    });
    if tasks.is_empty() {
        return Ok(ControlFlow::Continue(()));
    }
    let attractor = Attractor::new(experiment, plan.seed, plan.size.forecasts);
    let crew = Crew {
        tasks: &tasks,
        finished: match shard {
            Shard::WHOLE => finished_shares(out, experiment)?,
            _ => ledger::Results::new(),
        },
        attractor: attractor.as_ref(),
        next: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
    };
    let work: f64 = tasks.iter().map(|task| task.scenario.weight()).sum();
    let mut progress = Progress {
        experiment,
        done: total - tasks.len(),
        total,
        share: 0.0,
    };
    crew.run(threads.max(1), &mut |place, results| {
        if let Some(place) = place {
            ledger.write(results)?;
            progress.done += 1;
            progress.share += tasks[place].scenario.weight() / work;
        }
        Ok(watch(&progress))
    })?;
    Ok(if crew.stop.load(Ordering::Relaxed) {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    })
}

type Results = Vec<(Line, Timing)>;

/// Called with each scenario in order as it is finished, and with none while waiting.
type Report<'a> = dyn FnMut(Option<usize>, &[(Line, Timing)]) -> Result<ControlFlow<()>> + 'a;

struct Crew<'a> {
    tasks: &'a [Task],
    /// What other processes have done already.
    finished: ledger::Results,
    attractor: Option<&'a Attractor>,
    next: AtomicUsize,
    stop: AtomicBool,
}

impl Crew<'_> {
    fn run(&self, threads: usize, report: &mut Report<'_>) -> Result<()> {
        std::thread::scope(|scope| {
            let (send, receive) = channel();
            for _ in 0..threads.min(self.tasks.len()) {
                let send = send.clone();
                scope.spawn(move || self.take_turns(&send));
            }
            drop(send);
            let mut waiting: BTreeMap<usize, Results> = BTreeMap::new();
            let mut first_missing = 0;
            let mut outcome = Ok(());
            loop {
                let answer = match receive.recv_timeout(PATIENCE) {
                    Ok((place, results)) => {
                        waiting.insert(place, results);
                        let mut answer = Ok(ControlFlow::Continue(()));
                        while let Some(results) = waiting.remove(&first_missing) {
                            answer = report(Some(first_missing), &results);
                            first_missing += 1;
                        }
                        answer
                    }
                    Err(RecvTimeoutError::Timeout) => report(None, &[]),
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                match answer {
                    Ok(ControlFlow::Continue(())) => continue,
                    Ok(ControlFlow::Break(())) => {}
                    Err(trouble) => outcome = Err(trouble),
                }
                self.stop.store(true, Ordering::Relaxed);
                break;
            }
            outcome
        })
    }

    fn take_turns(&self, send: &Sender<(usize, Results)>) {
        loop {
            let place = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = self.tasks.get(place) else {
                return;
            };
            let results = self.results(task);
            // What was cut short by a stop is not the answer of the method.
            if self.stop.load(Ordering::Relaxed) || send.send((place, results)).is_err() {
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

    fn results(&self, task: &Task) -> Results {
        let finished = |contender: &Contender| {
            let key = (task.scenario.to_string(), contender.name().to_string());
            self.finished.get(&key).cloned()
        };
        if let Some(results) = task.contenders.iter().map(finished).collect() {
            return results;
        }
        let prepared =
            Prepared::new(task.scenario.data()).expect("the data of a scenario can be folded");
        let one = |contender: &Contender| {
            let started = Instant::now();
            let learned = prepared.learn(*contender, &|| self.go_on());
            let timing = Timing {
                scenario: task.scenario.clone(),
                method: contender.name().to_string(),
                seconds: started.elapsed().as_secs_f64(),
            };
            (self.line(task, &prepared, *contender, learned), timing)
        };
        let mut results = Vec::with_capacity(task.contenders.len());
        for contender in &task.contenders {
            if self.go_on().is_break() {
                break;
            }
            results.push(one(contender));
        }
        results
    }

    fn line(
        &self,
        task: &Task,
        prepared: &Prepared,
        contender: Contender,
        learned: eqlearn::Result<Vec<Equation>>,
    ) -> Line {
        let data = prepared.data();
        let go_on = || self.go_on();
        let (equations, score, trouble) = match learned {
            Ok(equations) => {
                let score = Score::new(data, &equations, self.attractor, &go_on)
                    .expect("learned terms can be read back");
                (equations, score, None)
            }
            Err(error) => {
                let score = Score::of_failure(data, self.attractor);
                (prepared.no_equations(), score, Some(error.to_string()))
            }
        };
        Line {
            scenario: task.scenario.clone(),
            method: contender.name().to_string(),
            equations,
            score,
            trouble,
        }
    }
}
