//! The numbers of filters in files: below 256 those of the HDF5 library, others from The HDF Group's list of registered filters.

/// Deflate.
pub const DEFLATE: u16 = 1;
/// Shuffle of bytes.
pub const SHUFFLE: u16 = 2;
/// Fletcher-32 checksum.
pub const FLETCHER32: u16 = 3;
/// Szip.
pub const SZIP: u16 = 4;
/// N-bit.
pub const NBIT: u16 = 5;
/// Scale-offset.
pub const SCALEOFFSET: u16 = 6;
/// LZO.
pub const LZO: u16 = 305;
/// bzip2.
pub const BZIP2: u16 = 307;
/// LZF.
pub const LZF: u16 = 32_000;
/// Blosc.
pub const BLOSC: u16 = 32_001;
/// LZ4.
pub const LZ4: u16 = 32_004;
/// Bitshuffle.
pub const BITSHUFFLE: u16 = 32_008;
/// zfp.
pub const ZFP: u16 = 32_013;
/// Zstandard.
pub const ZSTD: u16 = 32_015;
/// SZ.
pub const SZ: u16 = 32_017;
/// FCIDECOMP.
pub const FCIDECOMP: u16 = 32_018;
/// VBZ.
pub const VBZ: u16 = 32_020;
/// BitGroom.
pub const BIT_GROOM: u16 = 32_022;
/// Granular BitRound.
pub const GRANULAR_BIT_ROUND: u16 = 32_023;
/// SZ3.
pub const SZ3: u16 = 32_024;
/// Blosc2.
pub const BLOSC2: u16 = 32_026;
/// SPERR.
pub const SPERR: u16 = 32_028;
