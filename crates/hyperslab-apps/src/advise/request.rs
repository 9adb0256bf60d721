//! What advice is asked for.

use crate::files;
use crate::reads::Places;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What advice is asked for. Words are those of the command line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Request {
    /// The file; none for data that do not exist yet.
    pub file: Option<PathBuf>,
    /// Data that do not exist yet.
    pub made_up: Option<MadeUp>,
    /// Datasets of the file; the largest if there are none.
    pub datasets: Vec<String>,
    /// Blocks that are read, with their weights: `1x361x720@10`. The usual ones if there are none.
    pub reads: Vec<String>,
    /// How the blocks lie.
    pub places: Places,
    /// A file of the reads that a program made, in place of those.
    pub reads_from: Option<PathBuf>,
    /// Block in which the dataset is written; whole chunks if there is none.
    pub write: Option<String>,
    /// Programs that read the file.
    pub readers: Vec<String>,
    /// The most that the data may take: `500MiB`, `1.2x`, `none`.
    pub size_bound: String,
    /// The most by which a value may change, `0.01` or `0.1%`; without it, by nothing.
    pub max_error: Option<String>,
    /// Where the file will lie.
    pub place: Option<String>,
    /// Also forecasts what the file takes there as it is.
    pub cloud: bool,
    /// Seconds for all datasets together.
    pub seconds: f64,
    /// The libhdf5 whose seconds are predicted; that of the first Python with h5py if there is none.
    pub libhdf5: Option<PathBuf>,
}

/// Values that are made up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MadeUp {
    /// Their shape: `365x721x1440`.
    pub shape: String,
    /// Their type: `<f4`.
    pub element: String,
    /// The ratio by which gzip without shuffle makes them smaller.
    pub ratio: f64,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            file: None,
            made_up: None,
            datasets: Vec::new(),
            reads: Vec::new(),
            places: Places::default(),
            reads_from: None,
            write: None,
            readers: Vec::new(),
            size_bound: "1.05x".to_owned(),
            max_error: None,
            place: None,
            cloud: false,
            seconds: 10.0,
            libhdf5: None,
        }
    }
}

impl Request {
    /// The words of a command line that asks the same.
    pub fn words(&self) -> Vec<String> {
        let mut words = vec!["hyperslab".to_owned(), "advise".to_owned()];
        let mut option = |name: &str, value: String| words.extend([name.to_owned(), value]);
        if let Some(MadeUp { shape, element, ratio }) = &self.made_up {
            option("--synthetic", shape.clone());
            option("--type", element.clone());
            option("--ratio", ratio.to_string());
        }
        words.extend(self.file.iter().filter(|_| self.made_up.is_none()).map(|file| files::shown(file)));
        words.extend(self.datasets.iter().cloned());
        let mut option = |name: &str, value: String| words.extend([name.to_owned(), value]);
        self.reads.iter().for_each(|read| option("--read", read.clone()));
        if let Some(path) = &self.reads_from {
            option("--reads-from", files::shown(path));
        }
        if let Some(write) = &self.write {
            option("--write", write.clone());
        }
        if !self.readers.is_empty() {
            option("--readers", self.readers.join(","));
        }
        option("--size-bound", self.size_bound.clone());
        if let Some(max_error) = &self.max_error {
            option("--max-error", max_error.clone());
        }
        if let Some(place) = &self.place {
            option("--place", place.clone());
        }
        option("--seconds", self.seconds.to_string());
        words.extend(self.places.words());
        words.extend(self.cloud.then(|| "--cloud".to_owned()));
        words
    }
}
