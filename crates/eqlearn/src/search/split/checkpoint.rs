//! A file from which an interrupted search resumes.
//!
//! It holds the finished sizes and, of the unfinished one, the list, the counts, the position of
//! the source of jobs and the jobs that were running. Lists hold exact residuals, so a resumed
//! search ends with the same lists as one that was never stopped. The file is replaced atomically:
//! a process killed at any moment leaves the old one or the new one.
//!
//! A method that searches size by size, with different exclusions for each, has one file for all
//! sizes: its exclusions follow from the lists of the smaller sizes.
//!
//! A hash of the triangle and the settings, and the version, protect the file from being used for
//! another search.

use std::fmt::Debug;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::reduce::triangle::Triangle;
use crate::search::decide::pass::Pass;
use crate::search::decide::source::{Running, Source};
use crate::search::{CheckpointOf, SearchError, Shard, SizeList};

const SCHEMA: &str = "eqlearn-checkpoint/2";

/// Where and what to save; does nothing if there is no file.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    path: Option<PathBuf>,
    saved: Saved,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Saved {
    schema: String,
    version: String,
    fingerprint: String,
    finished: Vec<SizeList>,
    running: Option<Running>,
}

impl Checkpoint {
    /// Saves nothing.
    pub(crate) fn none() -> Self {
        Self {
            path: None,
            saved: Saved {
                schema: SCHEMA.to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                fingerprint: String::new(),
                finished: Vec::new(),
                running: None,
            },
        }
    }

    /// Opens a checkpoint and reads the file if there is one. `settings` is everything besides the
    /// triangle that determines the answer.
    pub(crate) fn open(
        path: Option<&Path>,
        triangle: &Triangle,
        settings: &dyn Debug,
        shard: Shard,
    ) -> Result<Self> {
        let mut checkpoint = Self::none();
        let Some(path) = path else {
            return Ok(checkpoint);
        };
        checkpoint.path = Some(path.to_path_buf());
        checkpoint.saved.fingerprint = format!("{} {shard}", fingerprint(triangle, settings));
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(checkpoint),
            Err(source) => {
                return Err(SearchError::CheckpointUnusable {
                    path: path.to_path_buf(),
                    source,
                }
                .into());
            }
        };
        let foreign = |of| SearchError::ForeignCheckpoint {
            path: path.to_path_buf(),
            of,
        };
        let read: Saved =
            serde_json::from_slice(&text).map_err(|_| foreign(CheckpointOf::NoSearch))?;
        if read.schema != SCHEMA || read.version != checkpoint.saved.version {
            return Err(foreign(CheckpointOf::OtherVersion).into());
        }
        if read.fingerprint != checkpoint.saved.fingerprint {
            return Err(foreign(CheckpointOf::OtherProblem).into());
        }
        checkpoint.saved = read;
        Ok(checkpoint)
    }

    /// The list of a size that is finished.
    pub(crate) fn finished(&self, size: usize) -> Option<SizeList> {
        let mut lists = self.saved.finished.iter();
        lists.find(|list| list.size == size).cloned()
    }

    /// Where the search of a size stood.
    pub(crate) fn running(&self, size: usize) -> Option<&Running> {
        self.saved.running.as_ref().filter(|r| r.size == size)
    }

    /// Saves that a size is finished.
    pub(crate) fn finish(&mut self, list: &SizeList) -> Result<()> {
        let mut known = self.saved.finished.iter();
        if self.path.is_none() || known.any(|known| known.size == list.size) {
            return Ok(());
        }
        self.saved.finished.push(list.clone());
        self.saved.running = None;
        self.write()
    }

    /// Saves where the running size stands.
    pub(crate) fn save(&mut self, size: usize, source: &Source, pass: &Pass<'_>) -> Result<()> {
        if self.path.is_none() {
            return Ok(());
        }
        self.saved.running = Some(source.running(size, pass.list().into_best()));
        self.write()
    }

    fn write(&self) -> Result<()> {
        let Some(path) = &self.path else {
            return Ok(());
        };
        let mut beside = path.clone().into_os_string();
        beside.push(".tmp");
        let replace = || -> std::io::Result<()> {
            let mut file = fs::File::create(&beside)?;
            file.write_all(&serde_json::to_vec(&self.saved)?)?;
            file.sync_all()?;
            fs::rename(&beside, path)
        };
        let failed = |source| SearchError::CheckpointUnusable {
            path: path.clone(),
            source,
        };
        Ok(replace().map_err(failed)?)
    }
}

/// A hash (FNV-1a, 128 bits) of all that determines the answer.
pub(crate) fn fingerprint(triangle: &Triangle, settings: &dyn Debug) -> String {
    let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let mut take = |bytes: &[u8]| {
        for &byte in bytes {
            hash = (hash ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013B);
        }
    };
    take(&triangle.n_rows().to_le_bytes());
    for j in 0..=triangle.n_terms() {
        for x in triangle.column(j) {
            take(&x.to_bits().to_le_bytes());
        }
    }
    take(format!("{settings:?}").as_bytes());
    format!("{hash:032x}")
}
