//! What the caller chooses: reads, libraries, caches.

use crate::pattern::RequestedRead;
use crate::predict::Terms;
use crate::profile::Profile;
use crate::simulate::VISITS_MAX_DEFAULT;

/// The reads, libraries and caches to simulate.
#[derive(Debug, Clone)]
pub struct Options {
    /// The file's name, for the lines to paste.
    pub file: String,
    /// Read patterns; if empty, the common ones (see [`default_reads`](crate::pattern::default_reads)).
    pub reads: Vec<RequestedRead>,
    /// Order of the sweeps, slowest dimension first; `None` for row-major.
    pub order: Option<Vec<usize>>,
    /// Libraries and caches; if empty, [`Profile::defaults`].
    pub profiles: Vec<Profile>,
    /// What the parts of a read cost on this machine.
    pub terms: Terms,
    /// Threads that hyperslab would use; affects its predicted time.
    pub threads: usize,
    /// Bytes of decoded chunks that hyperslab would keep.
    pub engine_cache_bytes: u64,
    /// Chunk visits that one simulation may cost before the rest is extrapolated.
    pub visits_max: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            file: "in.h5".to_owned(),
            reads: Vec::new(),
            order: None,
            profiles: Vec::new(),
            terms: Terms::BUILT_IN,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            engine_cache_bytes: 1 << 30,
            visits_max: VISITS_MAX_DEFAULT,
        }
    }
}
