//! The table of filters: which can be read or written and with which code, and who provides the others.
//!
//! Names and identifiers are those of the HDF5 library (0 to 255) and of The HDF Group's list of registered filters.
//! The error for a filter that is not built in contains its name and provider from this table.

use crate::stage::{Setup, Stage};
use crate::{FilterError, fletcher32, shuffle};
use hyperslab_storage::filter::name_of;

pub(crate) type Make = fn(Setup<'_>) -> Result<Box<dyn Stage>, FilterError>;

/// Where a codec is left out of this build, its constant is `None`.
macro_rules! codecs {
    ($($constant:ident = $module:ident if $feature:literal;)*) => {$(
        #[cfg(feature = $feature)]
        const $constant: Option<Make> = Some(crate::$module::make);
        #[cfg(not(feature = $feature))]
        const $constant: Option<Make> = None;
    )*};
}

codecs! {
    BITSHUFFLE = bitshuffle if "bitshuffle";
    BLOSC = blosc if "blosc";
    BLOSC2 = blosc2 if "blosc2";
    BZIP2 = bzip2 if "bzip2";
    DEFLATE = deflate if "deflate";
    LZ4 = lz4 if "lz4";
    LZF = lzf if "lzf";
    LZO = lzo if "lzo";
    NBIT = nbit if "nbit";
    QUANTIZE = quantize if "bitgroom";
    SCALEOFFSET = scaleoffset if "scaleoffset";
    SZIP = szip if "szip";
    VBZ = vbz if "vbz";
    ZFP = zfp if "zfp";
    ZSTD = zstd if "zstd";
}

/// An entry of the table of filters.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The registered identifier.
    pub id: u16,
    /// The registered name.
    pub name: &'static str,
    /// True if chunks that were stored through it can be read.
    pub read: bool,
    /// True if chunks can be written through it.
    pub write: bool,
    /// The library that implements it, or the provider if it is not built in.
    pub library: &'static str,
    /// The reason why it is not built in, if there is a particular one.
    pub reason: Option<&'static str>,
    /// The Cargo feature that it takes.
    pub feature: Option<&'static str>,
    /// Creates it with its parameters, if it is built in.
    pub(crate) make: Option<Make>,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} (read: {}, write: {}, {})", self.id, self.name, self.read, self.write, self.library)
    }
}

const fn always(id: u16, make: Make) -> Entry {
    Entry {
        id,
        name: name_of(id),
        read: true,
        write: true,
        library: "own",
        reason: None,
        feature: None,
        make: Some(make),
    }
}

const fn read(id: u16, library: &'static str, feature: &'static str, make: Option<Make>) -> Entry {
    let read = make.is_some();
    Entry { id, name: name_of(id), read, write: false, library, reason: None, feature: Some(feature), make }
}

const fn elsewhere(id: u16, provider: &'static str) -> Entry {
    let library = provider;
    Entry {
        id,
        name: name_of(id),
        read: false,
        write: false,
        library,
        reason: None,
        feature: None,
        make: None,
    }
}

impl Entry {
    const fn because(self, reason: &'static str) -> Self {
        Self { reason: Some(reason), ..self }
    }

    /// It is written, too.
    const fn and_write(self) -> Self {
        Self { write: self.read, ..self }
    }
}

static TABLE: &[Entry] = &[
    read(1, "libdeflate", "deflate", DEFLATE).and_write(),
    always(2, shuffle::make),
    always(3, fletcher32::make),
    read(4, "own", "szip", SZIP).and_write(),
    read(5, "own", "nbit", NBIT).and_write(),
    read(6, "own", "scaleoffset", SCALEOFFSET).and_write(),
    elsewhere(257, "Silo (LLNL)"),
    elsewhere(258, "Silo (LLNL)"),
    read(305, "own", "lzo", LZO).and_write(),
    read(307, "libbz2-rs", "bzip2", BZIP2).and_write(),
    read(32000, "own", "lzf", LZF).and_write(),
    read(32001, "own, with LZ4, Zstandard, zlib and Snappy", "blosc", BLOSC).and_write(),
    elsewhere(32002, "MAFISC (University of Hamburg)"),
    elsewhere(32003, "snappy-cuda"),
    read(32004, "lz4_flex", "lz4", LZ4).and_write(),
    elsewhere(32005, "Samplify").because("no longer available"),
    elsewhere(32006, "CBFlib"),
    elsewhere(32007, "JPEG-XR HDF5 filter"),
    read(32008, "own", "bitshuffle", BITSHUFFLE).and_write(),
    elsewhere(32009, "SPDP (Texas State University)"),
    elsewhere(32010, "LPC-Rice"),
    elsewhere(32011, "CCSDS-123 HDF5 filter"),
    elsewhere(32012, "CharLS JPEG-LS HDF5 filter")
        .because("JPEG-LS: the Rust libraries wrap CharLS and need CMake to build"),
    read(32013, "own", "zfp", ZFP).and_write(),
    elsewhere(32014, "fpzip (LLNL)"),
    read(32015, "zstd", "zstd", ZSTD).and_write(),
    elsewhere(32016, "B3D image compression"),
    elsewhere(32017, "SZ, hdf5plugin").because("no Rust library; superseded by SZ3"),
    elsewhere(32018, "EUMETSAT FCIDECOMP, hdf5plugin")
        .because("JPEG-LS: the Rust libraries wrap CharLS and need CMake to build"),
    elsewhere(32019, "JPEG HDF5 filter"),
    read(32020, "own, with zstd", "vbz", VBZ).and_write(),
    elsewhere(32021, "FAPEC (DAPCOM)").because("a commercial library"),
    read(32022, "own", "bitgroom", QUANTIZE).and_write(),
    read(32023, "own", "bitgroom", QUANTIZE).and_write(),
    elsewhere(32024, "SZ3, hdf5plugin").because("the Rust library that wraps it is under the GPL"),
    elsewhere(32025, "Delta-Rice"),
    read(32026, "own, with LZ4, Zstandard and zlib", "blosc2", BLOSC2).and_write(),
    elsewhere(32027, "FLAC HDF5 filter"),
    elsewhere(32028, "H5Z-SPERR, hdf5plugin")
        .because("the Rust library that wraps it needs CMake and libclang to build"),
    elsewhere(32029, "TRPX"),
    elsewhere(32030, "ffmpeg HDF5 filter"),
    elsewhere(32033, "HTJ2K HDF5 filter, hdf5plugin"),
];

/// All filters that have a name, ordered by identifier.
pub fn table() -> &'static [Entry] {
    TABLE
}

/// The table's entry for an identifier.
pub(crate) fn entry(id: u16) -> Option<&'static Entry> {
    TABLE.binary_search_by_key(&id, |entry| entry.id).ok().map(|at| &TABLE[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_says_what_it_does() {
        assert!(TABLE.is_sorted_by(|a, b| a.id < b.id));
        for entry in TABLE {
            assert_eq!(entry.read, entry.make.is_some(), "{entry:?}");
            assert!(entry.read || !entry.write, "{entry:?}");
            // With all features, everything that takes one is here.
            let has_feature = entry.feature.is_some();
            assert!(!(cfg!(feature = "all") && has_feature) || entry.read, "{entry:?}");
        }
    }
}
