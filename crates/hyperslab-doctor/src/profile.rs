//! The libraries and chunk caches that a read is simulated with: the defaults of common libraries, or a cache that the
//! user sets.
//!
//! | profile | bytes | slots | w0 | library simulated |
//! |---|---|---|---|---|
//! | libhdf5 1.8, 1.10, 1.14 | 1 MiB | 521 | 0.75 | 1.8, 1.10.5, 1.14 |
//! | libhdf5 2.x | 8 MiB | 8191 | 0.75 | 2.2 |
//! | netCDF-C 4.9 | 16 MiB, for chunks above it ten chunks up to 64 MiB | 4133 | 0.75 | 1.14 |
//! | netCDF-C 4.10 | 64 MiB | 1000 | 0.75 | 2.2 |
//!
//! The values are those that the libraries report: `H5Pget_cache` of 1.10.8 to 2.2.0, `nc_get_var_chunk_cache` after a
//! first read by netCDF-C 4.9.0 and 4.10.1.

use crate::simulate::LibVersion;
use hyperslab_storage::CacheSettings;
use hyperslab_units::size::bytes_text;

/// A named cache in a named library.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// `libhdf5 1.14`, `netCDF-C 4.9`, `cache 3 MiB` …
    pub name: String,
    /// The version of libhdf5 that is simulated.
    pub version: LibVersion,
    cache: CacheSettings,
    grows: Option<Growth>,
}

/// The rule by which netCDF-C up to 4.9 gives a variable with large chunks a larger cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Growth {
    chunks: u64,
    nbytes_max: u64,
}

impl Profile {
    /// A library with its default cache.
    fn library(name: &str, version: LibVersion, nbytes: u64, nslots: u64) -> Self {
        Self {
            name: name.to_owned(),
            version,
            cache: CacheSettings { nbytes, nslots, w0: 0.75 },
            grows: None,
        }
    }

    /// A cache that the user sets, in the newest libhdf5.
    pub fn custom(cache: CacheSettings) -> Self {
        let name = format!("cache {}, {} slots, w0 {}", bytes_text(cache.nbytes), cache.nslots, cache.w0);
        Self { name, version: LibVersion::NEWEST, cache, grows: None }
    }

    /// A libhdf5 that the user has, with its default cache: `release` is as it names itself, such as `1.14.6`. `None` for
    /// a release that is not simulated.
    pub fn installed(name: &str, release: &str) -> Option<Self> {
        let version: LibVersion = release.parse().ok()?;
        let (nbytes, nslots) = if version >= LibVersion::V2_0 { (8 << 20, 8191) } else { (1 << 20, 521) };
        Some(Self::library(name, version, nbytes, nslots))
    }

    /// The same cache in another version of libhdf5.
    pub fn with_version(self, version: LibVersion) -> Self {
        Self { version, ..self }
    }

    /// The profiles that are simulated if the user names none.
    pub fn defaults() -> Vec<Self> {
        let netcdf_4_9 = Self::library("netCDF-C 4.9", LibVersion::V1_14, 16 << 20, 4133);
        vec![
            Self::library("libhdf5 1.8", LibVersion::V1_8, 1 << 20, 521),
            Self::library("libhdf5 1.10", LibVersion::V1_10_5, 1 << 20, 521),
            Self::library("libhdf5 1.14", LibVersion::V1_14, 1 << 20, 521),
            Self::library("libhdf5 2.x", LibVersion::V2_2, 8 << 20, 8191),
            Self { grows: Some(Growth { chunks: 10, nbytes_max: 64 << 20 }), ..netcdf_4_9 },
            Self::library("netCDF-C 4.10", LibVersion::V2_2, 64 << 20, 1000),
        ]
    }

    /// The cache that a dataset with chunks of this size gets.
    pub fn cache(&self, chunk_bytes: Option<u64>) -> CacheSettings {
        match (self.grows, chunk_bytes) {
            (Some(growth), Some(chunk)) if chunk > self.cache.nbytes => CacheSettings {
                nbytes: chunk.saturating_mul(growth.chunks).min(growth.nbytes_max),
                ..self.cache
            },
            _ => self.cache,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn netcdf_4_9_grows_its_cache_for_large_chunks() {
        let profiles = Profile::defaults();
        let netcdf = profiles.iter().find(|profile| profile.name == "netCDF-C 4.9").unwrap();
        assert_eq!(netcdf.cache(Some(4_000)).nbytes, 16 << 20);
        assert_eq!(netcdf.cache(None).nbytes, 16 << 20);
        assert_eq!(
            netcdf.cache(Some(20 << 20)).nbytes,
            64 << 20,
            "as netCDF-C 4.9.0 answers for 20 and 72 MiB"
        );
        assert_eq!(netcdf.cache(Some(72 << 20)).nbytes, 64 << 20);
    }

    #[test]
    fn an_installed_library_has_the_cache_of_its_release() {
        let installed = |release| Profile::installed("h5py", release);
        assert_eq!(installed("1.14.6").unwrap().cache(None).nbytes, 1 << 20);
        let newer = installed("2.0.0").unwrap();
        assert_eq!((newer.cache(None).nbytes, newer.version), (8 << 20, LibVersion::V2_0));
        assert_eq!(installed("unknown"), None);
    }

    #[test]
    fn the_defaults_are_the_libraries_own() {
        let nbytes: Vec<u64> =
            Profile::defaults().iter().map(|profile| profile.cache(None).nbytes >> 20).collect();
        assert_eq!(nbytes, [1, 1, 1, 8, 16, 64]);
        assert_eq!(
            Profile::custom(CacheSettings { nbytes: 3 << 20, nslots: 521, w0: 0.75 }).name,
            "cache 3 MiB, 521 slots, w0 0.75"
        );
    }
}
