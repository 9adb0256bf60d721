//! What the doctor is asked about each file.

use crate::reads::Places;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What the doctor is asked about each file. By default, what `hyperslab doctor FILE` asks. Words are those of the command
/// line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Request {
    /// Only this dataset; the largest ones if there is none.
    pub dataset: Option<String>,
    /// Blocks that are read, with their weights: `1x361x720@10`. The usual ones if there are none.
    pub reads: Vec<String>,
    /// Blocks in which a program would write a new dataset of this kind.
    pub writes: Vec<String>,
    /// The reads that a program made, in place of `reads`: a trace, one of its files, or JSON lines.
    pub reads_from: Option<PathBuf>,
    /// Order of the dimensions in which the blocks move, slowest first: `1,0,2`.
    pub order: Option<String>,
    /// How the blocks lie.
    pub places: Places,
    /// The chunk cache to simulate in place of the usual ones: `16MiB,521,0.75`.
    pub cache: Option<String>,
    /// The libhdf5 whose seconds are predicted; that of the first Python with h5py if there is none.
    pub libhdf5: Option<PathBuf>,
    /// Only the profiles whose names contain one of these texts.
    pub profiles: Vec<String>,
    /// Reports findings however little they cost, and simulates the reads of every dataset.
    pub all: bool,
    /// Also checks whether the file is fit for object stores, and forecasts what it takes there.
    pub cloud: bool,
    /// The object store.
    pub place: Option<String>,
    /// Reports only these findings.
    pub select: Vec<String>,
    /// Does not report these findings.
    pub ignore: Vec<String>,
    /// Does not report what this earlier report has.
    pub baseline: Option<PathBuf>,
}

impl Request {
    /// The words of a command line that ask the same about these files.
    pub fn words(&self, files: &[PathBuf]) -> Vec<String> {
        let shown = |path: &PathBuf| path.display().to_string();
        let mut words = vec!["hyperslab".to_owned(), "doctor".to_owned()];
        words.extend(files.iter().map(shown));
        words.extend(self.dataset.clone());
        let several = [
            ("--read", &self.reads),
            ("--write", &self.writes),
            ("--profile", &self.profiles),
            ("--select", &self.select),
            ("--ignore", &self.ignore),
        ];
        for (option, values) in several {
            words.extend(values.iter().flat_map(|value| [option.to_owned(), value.clone()]));
        }
        words.extend(self.order.iter().flat_map(|order| ["--order".to_owned(), order.clone()]));
        words.extend(self.places.words());
        let libhdf5 = self.libhdf5.as_ref().map(shown);
        let baseline = self.baseline.as_ref().map(shown);
        let reads_from = self.reads_from.as_ref().map(shown);
        let single = [
            ("--cache", &self.cache),
            ("--reads-from", &reads_from),
            ("--libhdf5", &libhdf5),
            ("--baseline", &baseline),
            ("--place", &self.place),
        ];
        for (option, value) in single {
            words.extend(value.iter().flat_map(|value| [option.to_owned(), value.clone()]));
        }
        words.extend(self.all.then(|| "--all".to_owned()));
        words.extend(self.cloud.then(|| "--cloud".to_owned()));
        words
    }
}
