//! What is said of a bench before it measures: the question, the engines, the machine.

use super::machine::Machine;
use crate::matrix::Row;
use hyperslab_storage::CacheSettings;
use hyperslab_units::size;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The question, the engines, the machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// Release of hyperslab.
    pub hyperslab: String,
    /// When measuring began, UTC.
    pub date: String,
    /// The command line.
    pub command: String,
    /// What was stored and read.
    pub data: Data,
    /// What was varied, in words.
    pub asked: Vec<String>,
    /// How much each access counts where all of them are added up, by its words; 1 for others.
    #[serde(default)]
    pub weights: Vec<(String, f64)>,
    /// What was done about the system's page cache, in words.
    pub page_cache: String,
    /// The engines that took part.
    pub engines: Vec<Participant>,
    /// Where.
    pub machine: Machine,
}

/// What was stored and read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Data {
    /// The file; none for made-up values.
    pub file: Option<PathBuf>,
    /// The dataset in it.
    pub dataset: Option<String>,
    /// The extent.
    pub shape: Vec<u64>,
    /// The type of an element; of made-up values there may be several.
    pub element: String,
    /// Bytes of one element, of the first type.
    pub element_bytes: u64,
    /// The chunk shape in the file.
    pub chunks: Option<Vec<u64>>,
    /// The pipeline of filters in the file, as `--filter` takes it.
    #[serde(default)]
    pub filters: Option<String>,
    /// Bytes of the dataset in the file.
    pub stored_bytes: Option<u64>,
}

/// One engine, as it was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Participant {
    /// Its name in the rows.
    pub name: String,
    /// Its release.
    pub version: String,
    /// The release of the libhdf5 inside.
    pub hdf5_version: Option<String>,
    /// The library file.
    pub path: Option<PathBuf>,
    /// The chunk cache that it gives a dataset where none is set.
    pub default_cache: Option<CacheSettings>,
}

impl Head {
    /// How much an access counts.
    pub fn weight_of(&self, read_as: &str) -> f64 {
        self.weights.iter().find(|(known, _)| known == read_as).map_or(1.0, |(_, weight)| *weight)
    }
}

impl Data {
    /// Bytes of the file that was made, or of the dataset in the file as it is.
    pub fn bytes_of(&self, row: &Row) -> Option<u64> {
        match (&row.write, &row.storage) {
            (Some(write), _) => Some(write.file_bytes),
            (None, None) => self.stored_bytes,
            (None, Some(_)) => None,
        }
    }

    /// Bytes of values for a byte that is stored.
    pub fn ratio_of(&self, row: &Row) -> Option<f64> {
        let logical = match &row.storage {
            Some(storage) => storage.logical_bytes(),
            None => self.shape.iter().fold(self.element_bytes, |bytes, dim| bytes.saturating_mul(*dim)),
        };
        size::ratio(logical, self.bytes_of(row)?)
    }

    /// The shape of a chunk of what was read.
    pub fn chunks_of<'a>(&'a self, row: &'a Row) -> Option<&'a Vec<u64>> {
        row.storage.as_ref().map_or(self.chunks.as_ref(), |storage| storage.chunks.as_ref())
    }

    /// How the file stores it: `60x30x9x717 >f4 in chunks of 4x30x9x717, gzip=6, 41.2 MiB`.
    pub fn storage(&self) -> String {
        let mut text = format!("{} {}", size::shape(&self.shape), self.element);
        if self.file.is_some() {
            text += &match &self.chunks {
                Some(chunks) => format!(" in chunks of {}", size::shape(chunks)),
                None => " without chunks".to_owned(),
            };
            text += &self
                .filters
                .as_ref()
                .filter(|text| *text != "none")
                .map_or(String::new(), |text| format!(", {text}"));
            text += &self.stored_bytes.map_or(String::new(), |bytes| format!(", {}", size::bytes(bytes)));
        }
        text
    }

    /// What was read, and how it is stored.
    pub fn headline(&self) -> String {
        match self.file {
            Some(_) => format!("{}: {}", self.name(), self.storage()),
            None => self.name(),
        }
    }

    /// `/t2m of era5.nc`, or what was made up.
    pub fn name(&self) -> String {
        match (&self.file, &self.dataset) {
            (Some(file), Some(dataset)) => {
                let file = file.file_name().unwrap_or_else(|| file.as_os_str());
                format!("{dataset} of {}", file.to_string_lossy())
            }
            _ => format!("made-up values, {} of {}", size::shape(&self.shape), self.element),
        }
    }
}
