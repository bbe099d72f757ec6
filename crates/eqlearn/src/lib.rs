#![doc = include_str!("../README.md")]
//!
//! # Stages
//!
//! Folders are stages, in the order in which data flow. Each uses only those above it.
//!
//! ```text
//! file ─► Table ────────► Reduction ─► Proposal ─► Study ─► Document
//!         Trajectories ─┘    ▲            ▲
//!         (data)             │            │
//!                         Problem      Method, exact search
//! ```
//!
//! | stage | holds |
//! |---|---|
//! | [`error`], [`observe`] | what can go wrong; progress and stopping |
//! | `numeric` | numerical tools that know nothing of equations |
//! | [`data`] | tables and trajectories, checked once |
//! | [`terms`] | terms as data, dictionaries, left sides, problems |
//! | [`reduce`](mod@reduce) | rows end here: one triangle, and the fit of one support |
//! | [`search`] | the best supports of every size, proven |
//! | [`judge`] | criteria, and rankings by them |
//! | [`methods`] | ways to find supports, one file each, behind one trait |
//! | [`learn`](mod@learn) | from rows to a [`Study`]: the answer and how sure it is |
//! | [`beyond`] | laws outside the plain dictionary, and whether the law is outside at all |
//! | [`dynamics`] | trajectories to a system of differential equations, and back by simulation |
//! | [`fields`] | fields on grids to partial differential equations |
//! | [`tell`] | documents, warnings, comparisons |

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

pub mod beyond;

pub mod dynamics;

pub mod fields;

pub mod ask;

pub mod tell;

pub use ask::Request;
pub use beyond::{Beyond, Learned, Noise, learn_beyond};
pub use data::Place;
pub use data::table::{
    Batches, ColumnInfo, ColumnKind, Files, Format, Missing, ReadOptions, Source, Table,
};
pub use data::trajectory::Trajectories;
pub use dynamics::discover::{Denoise, Discover, Discovery, UndecidedTerm, discover};
pub use dynamics::forecast::{Forecast, forecast};
pub use dynamics::refine::{Refined, refine};
pub use dynamics::rows::difference::RowScheme;
pub use dynamics::rows::second_order::Order;
pub use dynamics::simulate::{Forcing, Simulate, Simulation, simulate, simulate_forced};
pub use dynamics::system::System;
pub use error::{Error, Result};
pub use fields::discover::{DiscoverField, FieldDiscovery, discover_field};
pub use fields::follow::{FollowedField, NotFollowed, follow};
pub use fields::simulate::{FieldSimulation, simulate_field};
pub use fields::system::FieldSystem;
pub use learn::model::{Model, ModelFile, with_error};
pub use learn::{Method, Own, Settings, Study, learn, learn_jointly, learn_shard};
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
pub use terms::left_side::LeftSide;
pub use terms::problem::Problem;
pub use terms::term::Term;
