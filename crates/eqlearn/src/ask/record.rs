//! From words to rows of trajectories.

use super::{AskError, Checked, Command, Request};
use crate::data::table::Source;
use crate::data::trajectory::{Record, TimeFeature, Trajectories};
use crate::dynamics::discover::{Denoise, Discover};
use crate::dynamics::rows::difference::RowScheme;
use crate::dynamics::rows::second_order::Order;
use crate::error::Result;
use crate::learn::Settings;
use crate::terms::Extent;
use crate::terms::dictionary::Dictionary;
use crate::terms::vocabulary::Vocabulary;

/// What time is called where no column names it.
const TIME: &str = "t";

impl Request {
    pub(super) fn check_record(&self) -> Result<()> {
        self.check_times()?;
        if self.states.is_some() && self.features.is_some() {
            return Err(AskError::StatesTwice.into());
        }
        let rows = self.rows()?;
        let is_map = rows == RowScheme::Map;
        let refines = self.refine == Some(true);
        let order = self.order.unwrap_or(1);
        if !(1..=2).contains(&order) {
            return Err(AskError::Value {
                word: "order".into(),
                value: order.to_string(),
                range: "1 or 2".into(),
            }
            .into());
        }
        self.check_reach(rows, order)?;
        self.denoise()?;
        let of_map = |word| Err(AskError::OfMap { word }.into());
        match (is_map, order) {
            (true, 2) => of_map("order"),
            (true, _) if refines => of_map("refine"),
            (false, 2) if refines => Err(AskError::RefinedAccelerations.into()),
            _ => Ok(()),
        }
    }

    /// Whether the equations of all states are fitted to the record together.
    fn denoise(&self) -> Result<Denoise> {
        match self.denoise.as_deref() {
            None | Some("auto") => Ok(Denoise::Auto),
            Some("on") => Ok(Denoise::On),
            Some("off") => Ok(Denoise::Off),
            Some(other) => Err(AskError::Value {
                word: "denoise".into(),
                value: format!("{other:?}"),
                range: "auto, on or off".into(),
            }
            .into()),
        }
    }

    /// Laws outside the dictionary are found from the weak form.
    fn check_reach(&self, rows: RowScheme, order: usize) -> Result<()> {
        let asked = self.vocabulary()?;
        if asked.is_some_and(|v| !matches!(v, Vocabulary::Monomials | Vocabulary::Fractions)) {
            return Err(AskError::Value {
                word: "vocabulary".into(),
                value: format!("{:?}", self.vocabulary.as_deref().unwrap_or_default()),
                range: "auto, monomials or fractions, where the law is one of motion".into(),
            }
            .into());
        }
        let word = if self.has_inner() {
            "terms"
        } else if asked.is_some_and(|asked| asked > Vocabulary::Monomials) {
            "vocabulary"
        } else {
            return Ok(());
        };
        let is_weak = order == 1 && matches!(rows, RowScheme::Auto | RowScheme::Weak { .. });
        if !is_weak {
            return Err(AskError::BeyondRows { word }.into());
        }
        if !self.units.is_empty() {
            return Err(AskError::UnitsBeyond { word }.into());
        }
        Ok(())
    }

    fn check_times(&self) -> Result<()> {
        if self.time.is_some() && self.dt.is_some() {
            return Err(AskError::TwoTimes.into());
        }
        if self.time_as_feature == Some(true) && self.time.is_none() {
            return Err(AskError::NoTimeFeature.into());
        }
        let lengths = [
            ("dt", "time step", self.dt),
            ("half-width", "half width", self.half_width),
        ];
        for (word, what, value) in lengths {
            if let Some(value) = value
                && !(value.is_finite() && value > 0.0)
            {
                return Err(AskError::NotAboveZero { word, what, value }.into());
            }
        }
        Ok(())
    }

    /// How trajectories become rows.
    fn rows(&self) -> Result<RowScheme> {
        let named: Option<RowScheme> = self.derivative.as_deref().map(str::parse).transpose()?;
        let rows = match (named, self.discrete) {
            (None | Some(RowScheme::Auto | RowScheme::Map), Some(true)) => RowScheme::Map,
            (Some(_), Some(true)) => {
                return Err(AskError::OfMap { word: "derivative" }.into());
            }
            (named, _) => named.unwrap_or_default(),
        };
        match (rows, self.half_width) {
            (rows, None) => Ok(rows),
            (RowScheme::Auto | RowScheme::Weak { .. }, half_width) => {
                Ok(RowScheme::Weak { half_width })
            }
            (rows, Some(_)) => {
                let rows = rows.to_string();
                Err(AskError::HalfWidth { rows }.into())
            }
        }
    }
}

impl Checked {
    /// Refuses trajectories without an option about time; the error names the columns of the table.
    pub fn check_time(&self, table: Option<&Source>) -> Result<()> {
        let Request {
            time, dt, discrete, ..
        } = &self.request;
        if time.is_some() || dt.is_some() || *discrete == Some(true) {
            return Ok(());
        }
        let table = table.map(|source| {
            let columns = source.columns().iter().map(|column| column.name.clone());
            (source.name().to_string(), columns.collect())
        });
        Err(AskError::NoTime { table }.into())
    }

    /// The states that are asked for: named, or those of the features or of all columns of numbers
    /// that have no other part.
    pub fn states(&self, source: &Source) -> Result<Vec<String>> {
        let request = &self.request;
        let others = request
            .inputs
            .iter()
            .chain(&request.time)
            .chain(&request.trajectory);
        let others: Vec<&str> = others.map(String::as_str).collect();
        let named = request.states.clone().filter(|states| !states.is_empty());
        let alone = |name: &String| !others.contains(&name.as_str());
        let of_features = || {
            let features = request.features.iter().flatten();
            let states: Vec<String> = features.filter(|name| alone(name)).cloned().collect();
            (!states.is_empty()).then_some(states)
        };
        let states = named.or_else(of_features);
        let states = states.unwrap_or_else(|| super::numeric_columns(source, &others).0);
        if states.is_empty() {
            let file = source.name().to_string();
            return Err(AskError::NoStates { file }.into());
        }
        let used = others.into_iter().map(String::from);
        let used: Vec<String> = states.iter().cloned().chain(used).collect();
        request.check_units_of(source, &used)?;
        Ok(states)
    }

    /// The times of this many rows, where no column has them.
    pub fn clock(&self, n_rows: usize) -> Vec<f64> {
        let step = self.request.dt.unwrap_or(1.0);
        (0..n_rows).map(|row| row as f64 * step).collect()
    }

    /// Whether coefficients are fitted to the trajectories themselves.
    pub fn refines(&self) -> bool {
        self.request.refine == Some(true)
    }

    /// The trajectories in these records of these states.
    pub fn trajectories(&self, states: &[String], records: Vec<Record>) -> Result<Trajectories> {
        let request = &self.request;
        let time = request.time.as_deref().unwrap_or(TIME);
        let feature = if request.time_as_feature == Some(true) {
            TimeFeature::Yes
        } else {
            TimeFeature::No
        };
        Trajectories::new(time, states, &request.inputs, feature, records)
    }

    /// The terms that may be in the equations of these trajectories, and the settings.
    ///
    /// # Panics
    /// If trajectories are not what the request is about.
    pub fn discover(&self, trajectories: &Trajectories) -> Result<(Dictionary, Discover)> {
        let (dictionary, mut all) = self.discover_by_each(trajectories)?;
        Ok((dictionary, all.swap_remove(0)))
    }

    /// The same for each method that is compared.
    pub fn discover_by_each(
        &self,
        trajectories: &Trajectories,
    ) -> Result<(Dictionary, Vec<Discover>)> {
        let rows = self.request.rows()?;
        let order = match self.request.order {
            Some(2) => Order::Second,
            _ => Order::First,
        };
        let features = order.features(trajectories)?;
        let extent = |name: &String| extent(trajectories, name);
        let extents: Vec<Extent> = features.iter().map(extent).collect();
        let units = self.units_of_motion(trajectories, (rows, order))?;
        let dictionary = self.dictionary(&features, Some(&extents), units.as_ref())?;
        let excluded = Self::excluded_by_units(&dictionary, units.as_ref());
        // Methods are compared on the same terms, and units are those of terms.
        let compared = self.command == Command::CompareTrajectories;
        let asked = self.request.vocabulary().expect("it was checked");
        let settled = compared || units.is_some() || self.request.settles_terms();
        let vocabulary = asked.or(settled.then_some(Vocabulary::Monomials));
        let families = self.request.families(dictionary.features())?;
        let denoise = self.request.denoise()?;
        let of_learning = |learn: Settings| Discover {
            rows,
            order,
            learn,
            vocabulary,
            families: families.clone(),
            denoise,
            excluded: excluded.clone(),
        };
        let settings = self.settings_of_each(&dictionary)?;
        Ok((dictionary, settings.into_iter().map(of_learning).collect()))
    }
}

/// What the values of a feature are like. A motion passes all values between its samples, and
/// velocities, which are not recorded, may have any.
fn extent(trajectories: &Trajectories, feature: &str) -> Extent {
    let place = trajectories.features().iter().position(|n| n == feature);
    place.map_or(Extent::ANY, |place| {
        let pieces = trajectories.pieces().iter();
        Extent::of_all(pieces.map(|piece| piece.columns()[place].as_slice())).between()
    })
}
