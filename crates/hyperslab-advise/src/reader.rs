//! The programs that read the data: the chunk caches that they have by default, and the filters that they can undo.
//!
//! | reader | caches simulated | filters |
//! |---|---|---|
//! | `libhdf5-1.8`, `libhdf5-1.10`, `libhdf5-1.14`, `libhdf5-2` | its own | gzip, shuffle, fletcher32 |
//! | `netcdf-4.9`, `netcdf-4.10` | its own | the same |
//! | `xarray` | those of netCDF-C 4.9 and 4.10, the slower one | the same |
//! | `h5py` | libhdf5 1.14 and 2.x, the slower one | and lzf |
//! | `matlab` | libhdf5 1.8 to 1.14 | gzip, shuffle, fletcher32 |
//! | `hyperslab` | its own | all that are considered |
//!
//! `NAME+zstd+blosc` adds filters that the reader has as plug-ins. Szip is a choice of those who build libhdf5, and is
//! added in the same way.

use crate::error::AdviseError;
use crate::pipeline::{Compression, Pipeline};
use hyperslab_doctor::Profile;
use hyperslab_doctor::forecast::CloudReader;

/// A program that reads the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Reader {
    /// As the user named it: `libhdf5-1.14`, `xarray+zstd`.
    pub name: String,
    /// How it reads.
    pub kind: ReaderKind,
    /// The compressions that it can undo besides deflate.
    pub compressions: Vec<&'static str>,
}

/// How a program reads.
#[derive(Debug, Clone, PartialEq)]
pub enum ReaderKind {
    /// Through libhdf5, with the default cache of one of these profiles: what a read takes is the slowest of them.
    Libhdf5(Vec<Profile>),
    /// By hyperslab.
    Hyperslab,
}

/// The readers that are known, and the names of the doctor's profiles.
const READERS: [(&str, &[&str]); 9] = [
    ("libhdf5-1.8", &["libhdf5 1.8"]),
    ("libhdf5-1.10", &["libhdf5 1.10"]),
    ("libhdf5-1.14", &["libhdf5 1.14"]),
    ("libhdf5-2", &["libhdf5 2.x"]),
    ("netcdf-4.9", &["netCDF-C 4.9"]),
    ("netcdf-4.10", &["netCDF-C 4.10"]),
    ("xarray", &["netCDF-C 4.9", "netCDF-C 4.10"]),
    ("h5py", &["libhdf5 1.14", "libhdf5 2.x"]),
    ("matlab", &["libhdf5 1.8", "libhdf5 1.10", "libhdf5 1.14"]),
];
const HYPERSLAB: &str = "hyperslab";
/// Those who must be served where nobody is named: the caches of 1, 8, 16 and 64 MiB.
const DEFAULT: [&str; 4] = ["libhdf5-1.14", "libhdf5-2", "netcdf-4.9", "netcdf-4.10"];

impl Reader {
    /// The readers that must be served if the user names none: every libhdf5 since 1.8, netCDF, MATLAB. Libraries with the
    /// same cache are one reader.
    pub fn defaults() -> Vec<Self> {
        DEFAULT.iter().filter_map(|name| Self::parse(name).ok()).collect()
    }

    /// A reader by its name, with `+FILTER` for each filter that it has as a plug-in.
    ///
    /// # Errors
    /// [`AdviseError::Reader`] for a name or a filter that is not known.
    pub fn parse(text: &str) -> Result<Self, AdviseError> {
        let wrong = |problem: String| AdviseError::Reader { text: text.to_owned(), problem };
        let mut parts = text.trim().split('+');
        let name = parts.next().unwrap_or_default().to_ascii_lowercase();
        let mut compressions: Vec<&'static str> = Vec::new();
        for part in parts {
            let known = Compression::PLUGINS.iter().find(|known| **known == part.trim());
            compressions.push(known.ok_or_else(|| {
                wrong(format!("{part:?} is not one of the filters {}", Compression::PLUGINS.join(", ")))
            })?);
        }
        if name == HYPERSLAB {
            let compressions = Compression::PLUGINS.to_vec();
            return Ok(Self { name: text.trim().to_owned(), kind: ReaderKind::Hyperslab, compressions });
        }
        let names = READERS.iter().find(|(known, _)| *known == name).map(|(_, profiles)| *profiles);
        let names = names.ok_or_else(|| {
            let known: Vec<&str> = READERS.iter().map(|(known, _)| *known).chain([HYPERSLAB]).collect();
            wrong(format!("the readers are {}", known.join(", ")))
        })?;
        if name == "h5py" {
            compressions.push("lzf");
        }
        let profiles =
            Profile::defaults().into_iter().filter(|profile| names.contains(&profile.name.as_str()));
        let kind = ReaderKind::Libhdf5(profiles.collect());
        Ok(Self { name: text.trim().to_owned(), kind, compressions })
    }

    /// The libraries that it may be; none for hyperslab.
    pub fn profiles(&self) -> &[Profile] {
        match &self.kind {
            ReaderKind::Libhdf5(profiles) => profiles,
            ReaderKind::Hyperslab => &[],
        }
    }

    /// How it reads a file in an object store, as far as that goes through libhdf5.
    pub(crate) fn in_object_stores(&self) -> &'static [CloudReader] {
        let name = self.name.split('+').next().unwrap_or_default().to_ascii_lowercase();
        match name.as_str() {
            HYPERSLAB => &[],
            "libhdf5-1.14" | "netcdf-4.9" => &[CloudReader::Ros3Beginning],
            "libhdf5-2" | "netcdf-4.10" => &[CloudReader::Ros3PageBuffer, CloudReader::Ros3BlockCache],
            "xarray" => &[CloudReader::FsspecBlocks4],
            "h5py" => &[CloudReader::FsspecReadAhead, CloudReader::FsspecBlocks4],
            _ => &[CloudReader::Ros3Uncached],
        }
    }

    /// True if it can undo these filters.
    pub fn reads(&self, pipeline: &Pipeline) -> bool {
        pipeline.compression.plugin().is_none_or(|plugin| self.compressions.contains(&plugin))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reader_has_a_cache() {
        for (name, profiles) in READERS {
            assert_eq!(Reader::parse(name).unwrap().profiles().len(), profiles.len(), "{name}");
        }
        assert_eq!(Reader::parse("hyperslab").unwrap().profiles(), []);
        assert_eq!(Reader::defaults().len(), DEFAULT.len());
    }

    #[test]
    fn plugins_are_named() {
        let zstd = Pipeline { shuffle: true, compression: Compression::Zstd(3), checksum: false };
        let gzip = Pipeline { compression: Compression::Gzip(4), ..zstd.clone() };
        let plain = Reader::parse("xarray").unwrap();
        assert!(plain.reads(&gzip) && !plain.reads(&zstd));
        assert!(Reader::parse("xarray+zstd").unwrap().reads(&zstd));
        assert!(Reader::parse("hyperslab").unwrap().reads(&zstd));
        for (text, says) in [("hdf4", "netcdf-4.9"), ("h5py+snappy", "blosc"), ("", "hyperslab")] {
            assert!(Reader::parse(text).unwrap_err().to_string().contains(says), "{text}");
        }
    }
}
