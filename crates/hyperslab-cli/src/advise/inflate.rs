//! How much longer the user's libhdf5 takes to inflate what hyperslab deflates than hyperslab's own decoder.
//!
//! That depends on the values, and on the level at which they were deflated: zlib may take twice as long for one level as for
//! another where libdeflate takes the same. So the library decodes samples of each level, from a small file in memory.

use crate::doctor::Library;
use hyperslab::File;
use hyperslab_advise::{Compression, Pipeline};
use hyperslab_create::{CreateOptions, Data, FilterRequest, NewDataset, NewFile, datatypes};
use hyperslab_doctor::Profile;
use std::path::Path;

/// The number of deflate.
const DEFLATE: u16 = 1;
/// Measurements for each second that the answer may take; at least one is made.
const MEASURED_PER_SECOND: f64 = 0.8;
/// The least and the most that zlib can be slower than libdeflate, which copies long runs much faster: a measurement beyond is a
/// disturbed one. Sparse data takes 6 times as long.
pub(super) const FACTORS: (f64, f64) = (1.0, 12.0);
/// A folder in memory, if the system has one.
const IN_MEMORY: &str = "/dev/shm";

/// What was measured, by shuffle and level.
pub(super) struct InflateFactors<'a> {
    library: &'a Library,
    profiles: Vec<Profile>,
    known: Vec<(bool, u32, f64)>,
    measurements_left: usize,
}

impl<'a> InflateFactors<'a> {
    /// For an answer that may take so many seconds, for readers with the caches of these profiles.
    pub(super) fn new(library: &'a Library, profiles: Vec<Profile>, seconds: f64) -> Self {
        let measurements_left = ((seconds * MEASURED_PER_SECOND) as usize).max(1);
        Self { library, profiles, known: Vec::new(), measurements_left }
    }

    /// The factor of a pipeline whose deflate gets these samples, which hyperslab inflates in so many seconds a byte. Of a level that
    /// there is no time for, that of the nearest.
    pub(super) fn factor(
        &mut self,
        pipeline: &Pipeline,
        deflated: impl FnOnce() -> Option<Vec<Vec<u8>>>,
        own: f64,
    ) -> Option<f64> {
        let (Compression::Gzip(level)
        | Compression::Rounded { level, .. }
        | Compression::Digits { level, .. }) = pipeline.compression
        else {
            return None;
        };
        let key = (pipeline.shuffle, level);
        let is_known = self.known.iter().any(|(shuffle, level, _)| (*shuffle, *level) == key);
        if !is_known && self.measurements_left > 0 {
            self.measurements_left -= 1;
            if let Some(seconds) = deflated().and_then(|samples| self.measured(&samples, level)) {
                self.known.push((key.0, key.1, (seconds / own).clamp(FACTORS.0, FACTORS.1)));
            }
        }
        let distance = |(shuffle, known, _): &&(bool, u32, f64)| (*shuffle != key.0, known.abs_diff(key.1));
        self.known.iter().min_by_key(distance).map(|(.., factor)| *factor)
    }

    /// Seconds in which the library inflates a byte of the samples.
    fn measured(&self, samples: &[Vec<u8>], level: u32) -> Option<f64> {
        let calibrated = self.library.calibrated.as_ref()?;
        let len = samples.first().map(Vec::len).filter(|len| *len > 0)?;
        let alike = || samples.iter().filter(|sample| sample.len() == len);
        // The library decodes at least two, so that none stays in its cache.
        let times = if alike().count() < 2 { 2 } else { 1 };
        let bytes: Vec<u8> = (0..times).flat_map(|_| alike()).flatten().copied().collect();
        let folder = tempfile::tempdir_in(IN_MEMORY).or_else(|_| tempfile::tempdir()).ok()?;
        let path = folder.path().join("samples.h5");
        write(&path, bytes, len, level)?;
        let dataset = File::open(&path).ok()?.dataset("/d").ok()?;
        let decoding = calibrated.decoding(&path, &dataset, &self.profiles)?;
        let seconds = decoding.seconds - self.library.terms().load;
        (seconds > 0.0).then(|| seconds / len as f64)
    }
}

/// Writes bytes in deflated chunks of `len`.
fn write(path: &Path, bytes: Vec<u8>, len: usize, level: u32) -> Option<()> {
    let mut file = NewFile::new();
    let deflate = FilterRequest { id: DEFLATE, parameters: vec![level] };
    let dataset = NewDataset::new(datatypes::integer(1, false), &[bytes.len() as u64])
        .chunks(&[len as u64])
        .filters(vec![deflate]);
    let id = file.dataset("/d", dataset).ok()?;
    file.set_data(id, Data::memory(bytes)).ok()?;
    file.write(path, &CreateOptions::default(), &Default::default()).ok()?;
    Some(())
}
