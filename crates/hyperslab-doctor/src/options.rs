//! What the caller chooses: reads, libraries, caches.

use crate::profile::Profile;
use crate::simulate::VISITS_MAX_DEFAULT;
use hyperslab_storage::cost::Terms;
use hyperslab_storage::pattern::RequestedRead;

/// The reads, libraries and caches to simulate.
#[derive(Debug, Clone)]
pub struct Options {
    /// The file's name, for the lines to paste.
    pub file: String,
    /// Read patterns; if empty, the common ones (see [`default_reads`](hyperslab_storage::pattern::default_reads)).
    pub reads: Vec<RequestedRead>,
    /// Blocks in which the dataset would be written, each over the whole of it.
    pub writes: Vec<RequestedRead>,
    /// Order of the sweeps, slowest dimension first; `None` for row-major.
    pub order: Option<Vec<usize>>,
    /// Libraries and caches; if empty, [`Profile::defaults`].
    pub profiles: Vec<Profile>,
    /// What the parts of a read cost on this machine.
    pub terms: Terms,
    /// True if they were measured with the user's libhdf5. Times that follow from constants are printed as "about".
    pub is_calibrated: bool,
    /// True if the first profile is the library that the user has. A read that nobody asked for is then of low severity
    /// if it is fast there.
    pub first_profile_is_own: bool,
    /// Threads that hyperslab would use; affects its predicted time.
    pub threads: usize,
    /// Bytes of decoded chunks that hyperslab would keep.
    pub engine_cache_bytes: u64,
    /// Bytes of the file, of which costs are a share; 0 if it is not known.
    pub file_bytes: u64,
    /// True if the file is a netCDF-4 file, which nccopy can repack.
    pub is_netcdf: bool,
    /// Also report what costs readers of object stores.
    pub cloud: bool,
    /// Where the file lies or will lie, as `hyperslab advise --place` takes it, for the lines to paste.
    pub place: Option<String>,
    /// Report findings however little they cost.
    pub all: bool,
    /// Chunk visits that one simulation may cost before the rest is extrapolated.
    pub visits_max: u64,
}

impl Options {
    pub(crate) fn profiles_or_defaults(&self) -> Vec<Profile> {
        if self.profiles.is_empty() { Profile::defaults() } else { self.profiles.clone() }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            file: "in.h5".to_owned(),
            reads: Vec::new(),
            writes: Vec::new(),
            order: None,
            profiles: Vec::new(),
            terms: Terms::BUILT_IN,
            is_calibrated: false,
            first_profile_is_own: false,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            engine_cache_bytes: 1 << 30,
            file_bytes: 0,
            is_netcdf: false,
            cloud: false,
            place: None,
            all: false,
            visits_max: VISITS_MAX_DEFAULT,
        }
    }
}
