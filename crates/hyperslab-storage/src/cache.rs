//! libhdf5's chunk cache: its three settings, and their text `NBYTES[,NSLOTS[,W0]]`.

use crate::WordError;
use hyperslab_units::parse_bytes;
use serde::{Deserialize, Serialize};

/// The three settings of `H5Pset_chunk_cache`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CacheSettings {
    /// Bytes of decoded chunks the cache may hold.
    pub nbytes: u64,
    /// Slots of the hash table, one chunk each.
    pub nslots: u64,
    /// Share of the list in which completely read chunks are evicted first, 0 to 1.
    pub w0: f64,
}

/// Parses `3MiB`, `3MiB,521` or `3MiB,521,0.75`. Omitted parts are the defaults of libhdf5 up to 1.14.
pub fn parse_cache(text: &str) -> Result<CacheSettings, WordError> {
    let fail = |problem: String| WordError::Cache { text: text.to_owned(), problem };
    let mut parts = text.split(',').map(str::trim);
    let nbytes = parse_bytes(parts.next().unwrap_or_default()).map_err(|error| fail(error.to_string()))?;
    let nslots = match parts.next() {
        Some(part) => part.parse().map_err(|_| fail(format!("{part:?} is not a number of slots")))?,
        None => 521,
    };
    let w0 = match parts.next() {
        Some(part) => part.parse().map_err(|_| fail(format!("{part:?} is not a number")))?,
        None => 0.75,
    };
    if !(0.0..=1.0).contains(&w0) {
        return Err(fail("w0 must be between 0 and 1".to_owned()));
    }
    if parts.next().is_some() {
        return Err(fail("it has more than three parts".to_owned()));
    }
    Ok(CacheSettings { nbytes, nslots, w0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_are_read_in_one_to_three_parts() {
        let cache = |nbytes, nslots, w0| Ok(CacheSettings { nbytes, nslots, w0 });
        assert_eq!(parse_cache("3MiB"), cache(3 << 20, 521, 0.75));
        assert_eq!(parse_cache("1048576, 8191"), cache(1 << 20, 8191, 0.75));
        assert_eq!(parse_cache("0,0,1"), cache(0, 0, 1.0));
        for text in ["", "x", "1,2,3", "1,2,NaN", "1,2,0.5,4", "1,-2"] {
            assert!(parse_cache(text).is_err(), "{text}");
        }
    }
}
