//! Tables that become the records of one motion.

use super::{Checked, Request};
use crate::data::table::{ColumnKind, Instant, Reading, Source};
use crate::data::trajectory::{Record, Trajectories};
use crate::data::{TableError, left_out};
use crate::error::Result;
use crate::judge::noise::{Sentinel, sentinels};

/// Records of the same states, read from one table after the other.
///
/// Times are numbers, or dates and times of day, which become seconds since the first of the first
/// table. A column of numbers or text may separate the trajectories of a table.
#[derive(Debug)]
pub struct Recording {
    checked: Checked,
    records: Vec<Record>,
    first: Option<First>,
    notes: Vec<String>,
}

/// What the first table says of all.
#[derive(Debug)]
struct First {
    file: String,
    states: Vec<String>,
    /// The units of the columns that are read, by name.
    units: Vec<(String, Option<String>)>,
    /// The first moment, where times are dates.
    since: Option<Instant>,
}

impl Recording {
    /// Nothing is recorded yet.
    pub fn new(checked: Checked) -> Self {
        Self {
            checked,
            records: Vec::new(),
            first: None,
            notes: Vec::new(),
        }
    }

    /// Reads a table, and splits it where the column of trajectories says so.
    ///
    /// # Errors
    /// No word about time, columns that are not there or hold something else, other units than
    /// before.
    pub fn read(&mut self, source: Source) -> Result<()> {
        self.checked.check_time(Some(&source))?;
        if self.first.is_none() {
            self.checked = self.checked.clone().in_names_of(&source);
            self.first = Some(First {
                file: source.name().to_string(),
                states: self.checked.states(&source)?,
                units: Vec::new(),
                since: None,
            });
        }
        self.check_units(&source)?;
        self.check_clock(&source)?;
        let columns = self.columns(&source);
        let file = source.name().to_string();
        let asked: Vec<(&str, Reading)> = columns
            .iter()
            .map(|(name, reading)| (name.as_str(), reading.clone()))
            .collect();
        let mut batches = source.batches_as(&asked)?;
        let mut values: Vec<Vec<f64>> = vec![Vec::new(); asked.len()];
        for batch in batches.by_ref() {
            for (all, part) in values.iter_mut().zip(batch?.columns()) {
                all.extend_from_slice(part);
            }
        }
        self.notes.extend(notes_on_sentinels(&columns, &values));
        if batches.dropped() > 0 {
            self.notes.push(left_out(batches.dropped()));
        }
        if let Some(moment) = batches.first_moment(0) {
            self.shift(&mut values[0], moment);
        }
        let place = usize::from(self.checked.request.time.is_some());
        let labels = batches.labels(place).to_vec();
        self.split(&file, values, &labels);
        Ok(())
    }

    /// What was noticed since this was asked last.
    pub fn take_notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// The request with its states, in the names of the tables.
    pub fn request(&self) -> Request {
        Request {
            states: Some(self.states().to_vec()),
            features: None,
            ..self.checked.request.clone()
        }
    }

    /// The states, once a table is read.
    pub fn states(&self) -> &[String] {
        self.first.as_ref().map_or(&[], |first| &first.states)
    }

    /// The records so far.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The trajectories in all tables, and the request in the names of their columns.
    ///
    /// # Errors
    /// As [`Trajectories::new`].
    pub fn finish(self) -> Result<(Checked, Trajectories)> {
        let states = self.first.map_or(Vec::new(), |first| first.states);
        let trajectories = self.checked.trajectories(&states, self.records)?;
        Ok((self.checked, trajectories))
    }

    /// The columns to read, and how: time, trajectory, states, inputs.
    fn columns(&self, source: &Source) -> Vec<(String, Reading)> {
        let Request {
            time,
            trajectory,
            inputs,
            ..
        } = &self.checked.request;
        let kind = |name: &String| {
            let mut columns = source.columns().iter();
            let column = columns.find(|column| column.name == source.name_of(name));
            column.map(|column| column.kind)
        };
        let of_time = |name: &String| match kind(name) {
            Some(ColumnKind::Date) => Reading::Seconds,
            _ => Reading::Number,
        };
        let of_runs = |name: &String| match kind(name) {
            Some(ColumnKind::Text | ColumnKind::Date) => Reading::Label,
            _ => Reading::Number,
        };
        let time = time.iter().map(|name| (name.clone(), of_time(name)));
        let runs = trajectory.iter().map(|name| (name.clone(), of_runs(name)));
        let values = self.states().iter().chain(inputs);
        let values = values.map(|name| (name.clone(), Reading::Number));
        time.chain(runs).chain(values).collect()
    }

    /// Numbers in different units are not one state.
    fn check_units(&mut self, source: &Source) -> Result<()> {
        let first = self.first.as_mut().expect("the first table was seen");
        let unit = |name: &String| source.unit_of(name);
        if first.units.is_empty() {
            let all = source.columns().iter().map(|column| &column.name);
            first.units = all.map(|name| (name.clone(), unit(name))).collect();
            return Ok(());
        }
        for (name, known) in &first.units {
            if let (Some(known), Some(other)) = (known, unit(name))
                && *known != other
            {
                return Err(TableError::UnitsDiffer {
                    column: name.clone(),
                    first: first.file.as_str().into(),
                    first_unit: known.as_str().into(),
                    second: source.name().into(),
                    second_unit: other.into(),
                }
                .into());
            }
        }
        Ok(())
    }

    /// Refuses times that are words.
    fn check_clock(&self, source: &Source) -> Result<()> {
        let Some(time) = &self.checked.request.time else {
            return Ok(());
        };
        let mut columns = source.columns().iter();
        let column = columns.find(|column| column.name == source.name_of(time));
        match column.filter(|column| column.kind == ColumnKind::Text) {
            None => Ok(()),
            Some(column) => Err(TableError::ColumnNotTime {
                file: source.name().to_string(),
                column: time.clone(),
                kind: column.kind.title(),
                example: column.example.clone(),
            }
            .into()),
        }
    }

    /// Counts seconds from the first moment of the first table.
    fn shift(&mut self, times: &mut [f64], (moment, written): &(Instant, String)) {
        let first = self.first.as_mut().expect("the first table was seen");
        let since = *first.since.get_or_insert_with(|| {
            let time = self.checked.request.time.as_deref().unwrap_or_default();
            self.notes
                .push(format!("{time} is in seconds since {written}"));
            *moment
        });
        let ahead = moment.seconds_since(since);
        for time in times.iter_mut() {
            *time += ahead;
        }
    }

    /// One record per trajectory of a table.
    fn split(&mut self, file: &str, columns: Vec<Vec<f64>>, labels: &[String]) {
        let Request {
            time, trajectory, ..
        } = &self.checked.request;
        let mut columns = columns.into_iter();
        let times = time
            .as_ref()
            .map(|_| columns.next().expect("the first column is time"));
        let runs = trajectory
            .as_ref()
            .map(|_| columns.next().expect("then comes the trajectory"));
        let values: Vec<Vec<f64>> = columns.collect();
        let n_states = self.states().len();
        for (run, rows) in groups(runs.as_deref(), values[0].len()) {
            let pick = |column: &Vec<f64>| rows.iter().map(|&row| column[row]).collect();
            let picked: Vec<Vec<f64>> = values.iter().map(pick).collect();
            let times = times
                .as_ref()
                .map_or_else(|| self.checked.clock(rows.len()), pick);
            let name = match run {
                None => file.to_string(),
                Some(run) => format!("{file}, trajectory {}", label(run, labels)),
            };
            self.records.push(Record {
                name,
                times,
                states: picked[..n_states].to_vec(),
                inputs: picked[n_states..].to_vec(),
            });
        }
    }
}

/// Remarks on numbers that seem to stand for a missing value.
fn notes_on_sentinels(columns: &[(String, Reading)], values: &[Vec<f64>]) -> Vec<String> {
    let numbers = columns.iter().zip(values);
    let numbers = numbers.filter(|((_, reading), _)| *reading == Reading::Number);
    let numbers: Vec<(&str, &[f64])> = numbers
        .map(|((name, _), values)| (name.as_str(), values.as_slice()))
        .collect();
    let note = |found: Sentinel| {
        let Sentinel {
            column,
            value,
            rows,
        } = found;
        let times = match rows.len() {
            1 => format!("in row {}", rows[0] + 1),
            n => format!("{n} times, first in row {}", rows[0] + 1),
        };
        format!("{column} is {value} {times}: does it stand for a missing value?")
    };
    sentinels(&numbers).into_iter().map(note).collect()
}

/// What a trajectory is called: its text, or its number.
fn label(run: f64, labels: &[String]) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "labels are numbered from 0"
    )]
    let text = labels.get(run as usize);
    text.cloned().unwrap_or_else(|| run.to_string())
}

/// The rows of each trajectory, in order of appearance.
fn groups(runs: Option<&[f64]>, n_rows: usize) -> Vec<(Option<f64>, Vec<usize>)> {
    let Some(runs) = runs else {
        return vec![(None, (0..n_rows).collect())];
    };
    let mut groups: Vec<(Option<f64>, Vec<usize>)> = Vec::new();
    for (row, run) in runs.iter().enumerate() {
        let known = groups
            .iter_mut()
            .rev()
            .find(|(known, _)| known.is_some_and(|known| known.to_bits() == run.to_bits()));
        match known {
            Some((_, rows)) => rows.push(row),
            None => groups.push((Some(*run), vec![row])),
        }
    }
    groups
}
