#![doc = include_str!("../../../README.md")]
//!
//! # Modules
//!
//! They are listed in the order in which data flow through them; each uses only those above it
//! (`error` and `observe` serve all).

pub mod error;
pub mod observe;

mod numeric;

pub mod data;

pub mod terms;

pub mod reduce;

pub mod search;

pub mod judge;

pub mod methods;

pub mod learn;

pub mod dynamics;

pub mod ask;

pub mod tell;

pub use ask::Request;
pub use data::table::{
    Batches, ColumnInfo, ColumnKind, Files, Format, Missing, ReadOptions, Source, Table,
};
pub use data::trajectory::Trajectories;
pub use dynamics::discover::{Discover, Discovery, discover};
pub use dynamics::forecast::{Forecast, forecast};
pub use dynamics::refine::{Refined, refine};
pub use dynamics::rows::difference::RowScheme;
pub use dynamics::rows::second_order::Order;
pub use dynamics::simulate::{Simulate, Simulation, simulate};
pub use dynamics::system::System;
pub use error::{Error, Place, Result};
pub use learn::model::{Model, ModelFile, with_error};
pub use learn::{Method, Settings, Study, learn, learn_jointly, learn_shard};
pub use observe::Observer;
pub use reduce::support::Support;
pub use reduce::triangle::Triangle;
pub use reduce::{Cut, Data, Fit, Parts, Reduction, TriangleFile, reduce, reduce_table};
pub use tell::caveats::caveats;
pub use tell::conclude::{Coefficients, Conclusion, conclude};
pub use tell::diagnose::Diagnosis;
pub use tell::gather::Gathered;
pub use tell::part_file::{Basis, PartFile, Whole};
pub use terms::dictionary::Dictionary;
pub use terms::problem::Problem;
pub use terms::term::Term;
