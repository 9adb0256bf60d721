//! The chunk cache with which a dataset is read well as it is: an answer that rewrites nothing.

use crate::cost::{self, Costed};
use crate::reader::{Reader, ReaderKind};
use crate::{AdviseError, Question};
use hyperslab_doctor::Profile;
use hyperslab_storage::CacheSettings;
use serde::Serialize;

/// A chunk cache that a program sets, and what it is worth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CacheAnswer {
    /// The reader that sets it.
    pub reader: String,
    /// Bytes of the cache.
    pub nbytes: u64,
    /// Slots of its hash table.
    pub nslots: u64,
    /// The preemption of chunks that have been read completely.
    pub w0: f64,
    /// Seconds of all reads by their weights, with the default cache.
    pub seconds: f64,
    /// Seconds of all reads by their weights, with this cache.
    pub seconds_then: f64,
    /// The line that sets it.
    pub line: String,
}

/// No larger cache is considered, and no smaller one.
const BYTES_MAX: u64 = 1 << 30;
const BYTES_MIN: u64 = 2 << 20;
/// Chunk visits of one simulation.
const VISITS_MAX: u64 = 10_000;
/// Numbers of slots: primes, of which the first is taken that has so many for each chunk that the cache holds.
const SLOTS: [u64; 7] = [521, 2_003, 8_191, 20_011, 100_003, 300_007, 1_000_003];
const SLOTS_PER_CHUNK: u64 = 10;
/// The share of chunks that are evicted first because they have been read: libhdf5's own.
const W0: f64 = 0.75;
/// A cache is worth setting if it makes the reads so many times as fast,
const WORTH: f64 = 1.5;
/// and large enough if the largest is not faster by more than this.
const ENOUGH: f64 = 1.1;

/// The smallest cache for each reader through libhdf5 with which the dataset, as it is, is read about as fast as with any;
/// none for a reader that gains little.
pub(crate) fn caches(question: &Question<'_>, present: &Costed) -> Result<Vec<CacheAnswer>, AdviseError> {
    let Some(chunk_bytes) = question.facts.chunk_bytes().filter(|bytes| (1..=BYTES_MAX).contains(bytes))
    else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for (reader, default) in question.readers.iter().zip(&present.seconds) {
        // The oldest of several libraries.
        let Some(profile) = reader.profiles().first() else { continue };
        let with = |nbytes: u64| -> Result<(CacheSettings, f64), AdviseError> {
            let chunks = nbytes / chunk_bytes;
            let slots = SLOTS.into_iter().find(|slots| *slots >= chunks.saturating_mul(SLOTS_PER_CHUNK));
            let settings = CacheSettings { nbytes, nslots: slots.unwrap_or(SLOTS[SLOTS.len() - 1]), w0: W0 };
            let custom = Profile::custom(settings).with_version(profile.version);
            Ok((settings, seconds(question, present, reader, custom)?))
        };
        let (_, least) = with(BYTES_MAX)?;
        if *default < WORTH * least {
            continue;
        }
        let own = profile.cache(Some(chunk_bytes)).nbytes;
        let sizes = std::iter::successors(Some(BYTES_MIN), |nbytes| nbytes.checked_mul(2));
        for nbytes in sizes.skip_while(|nbytes| *nbytes <= own).take_while(|nbytes| *nbytes <= BYTES_MAX) {
            let (CacheSettings { nbytes, nslots, w0 }, seconds) = with(nbytes)?;
            if seconds <= ENOUGH * least {
                found.push(CacheAnswer {
                    reader: reader.name.clone(),
                    nbytes,
                    nslots,
                    w0,
                    seconds: *default,
                    seconds_then: seconds,
                    line: line(&reader.name, nbytes, nslots),
                });
                break;
            }
        }
    }
    Ok(found)
}

/// Seconds of all reads of the dataset as it is, with this cache.
fn seconds(
    question: &Question<'_>,
    present: &Costed,
    reader: &Reader,
    cache: Profile,
) -> Result<f64, AdviseError> {
    let reader = Reader { kind: ReaderKind::Libhdf5(vec![cache]), ..reader.clone() };
    let question = Question { readers: vec![reader], ..question.clone() };
    let simulated = cost::simulate_present(&question, question.facts, VISITS_MAX)?;
    let costed = cost::of_present(&question, present.storage.clone(), &simulated, None)?;
    Ok(costed.seconds.first().copied().unwrap_or(f64::INFINITY))
}

/// How a program sets the cache: netCDF's for a variable, h5py's for a file.
fn line(reader: &str, nbytes: u64, nslots: u64) -> String {
    let is_netcdf = reader.starts_with("netcdf") || reader.starts_with("xarray");
    if is_netcdf {
        format!("variable.set_var_chunk_cache({nbytes}, {nslots}, {W0})  # netCDF4")
    } else {
        format!("h5py.File(path, rdcc_nbytes={nbytes}, rdcc_nslots={nslots})")
    }
}
