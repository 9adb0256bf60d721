//! What decoding costs the user's libhdf5: it decodes samples from a small file in memory.

use super::sample_folder::SampleFolder;
use crate::facts::Library;
use hyperslab::{Datatype, File};
use hyperslab_create::{CreateOptions, Data, FilterRequest, NewDataset, NewFile};
use hyperslab_doctor::Profile;
use hyperslab_storage::cost::LibraryDecoding;
use std::path::Path;

/// The file of the samples, and the dataset in it.
const FILE: &str = "samples.h5";
const DATASET: &str = "/d";

/// The user's libhdf5.
pub(super) struct UserLibrary<'a> {
    library: &'a Library,
    /// Those who read, whose caches hold a chunk or do not.
    profiles: Vec<Profile>,
}

/// Chunks of one shape.
pub(super) struct SampleChunks<'s> {
    pub(super) datatype: Datatype,
    /// Extent of a chunk.
    pub(super) shape: &'s [u64],
    pub(super) filters: Vec<FilterRequest>,
    /// The elements of each chunk, as the file stores them before they are filtered.
    pub(super) values: Vec<&'s [u8]>,
}

impl<'a> UserLibrary<'a> {
    pub(super) fn new(library: &'a Library, profiles: Vec<Profile>) -> Self {
        Self { library, profiles }
    }

    /// Seconds that loading a chunk takes apart from decoding it.
    pub(super) fn load_seconds(&self) -> f64 {
        self.library.terms().load
    }

    /// What decoding one of these chunks costs. `None` if the library cannot be asked, or lacks a filter.
    pub(super) fn decoding(&self, chunks: &SampleChunks<'_>) -> Option<LibraryDecoding> {
        let calibrated = self.library.calibrated.as_ref()?;
        let folder = SampleFolder::with(|folder| chunks.write(&folder.join(FILE)))?;
        let path = folder.path().join(FILE);
        let dataset = File::open(&path).ok()?.dataset(DATASET).ok()?;
        calibrated.decoding(&path, &dataset, &self.profiles)
    }
}

impl SampleChunks<'_> {
    /// Writes the chunks one after another along the first axis.
    fn write(&self, path: &Path) -> Option<()> {
        // The library decodes at least two, so that none stays in its cache.
        let times = if self.values.len() < 2 { 2 } else { 1 };
        let bytes: Vec<u8> =
            (0..times).flat_map(|_| &self.values).flat_map(|chunk| chunk.iter()).copied().collect();
        let mut extent = self.shape.to_vec();
        *extent.first_mut()? *= (times * self.values.len()) as u64;
        let mut file = NewFile::new();
        let dataset =
            NewDataset::new(self.datatype.clone(), &extent).chunks(self.shape).filters(self.filters.clone());
        let id = file.dataset(DATASET, dataset).ok()?;
        file.set_data(id, Data::memory(bytes)).ok()?;
        file.write(path, &CreateOptions::default(), &Default::default()).ok()?;
        Some(())
    }
}
