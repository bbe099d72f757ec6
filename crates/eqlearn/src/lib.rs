#![doc = include_str!("../../../README.md")]
//!
//! # Modules
//!
//! They are listed in the order in which data flow through them; each uses only those above it
//! (`error` and `observe` serve all).

pub mod error;
pub mod observe;

mod local;
mod parallel;
mod spline;
mod vector;

pub mod table;
pub mod term;

pub mod dictionary;

pub mod problem;

pub mod trajectory;

pub mod resolution;

pub mod interpolate;

pub mod weak;

pub mod triangle;

pub mod support;

pub mod reduction;

pub mod derivative;

pub mod second_order;

pub mod search;

pub mod criterion;

pub mod ranking;

pub mod model;

pub mod methods;

pub mod learn;

pub mod system;

pub mod simulate;

mod windows;

pub mod discover;

pub mod forecast;

pub mod refine;

pub mod warning;

pub mod caveats;
pub mod diagnose;
pub mod gather;
pub mod part_file;

pub mod document;

pub mod conclude;

pub mod compare;

pub use caveats::caveats;
pub use conclude::{Coefficients, Conclusion, conclude};
pub use derivative::RowScheme;
pub use diagnose::Diagnosis;
pub use dictionary::Dictionary;
pub use discover::{Discover, Discovery, discover};
pub use error::{Error, Place, Result};
pub use forecast::{Forecast, forecast};
pub use gather::Gathered;
pub use learn::{Method, Settings, Study, learn, learn_jointly, learn_shard};
pub use model::{Model, ModelFile, with_error};
pub use observe::Observer;
pub use part_file::{Basis, PartFile, Whole};
pub use problem::Problem;
pub use reduction::{Cut, Data, Fit, Parts, Reduction, TriangleFile, reduce, reduce_table};
pub use refine::{Refined, refine};
pub use second_order::Order;
pub use simulate::{Simulate, Simulation, simulate};
pub use support::Support;
pub use system::System;
pub use table::{
    Batches, ColumnInfo, ColumnKind, Files, Format, Missing, ReadOptions, Source, Table,
};
pub use term::Term;
pub use trajectory::Trajectories;
pub use triangle::Triangle;
