//! The filters that have a name: those of the HDF5 library, and those on The HDF Group's list of registered filters.

use super::number::{
    BIT_GROOM, BITSHUFFLE, BLOSC, BLOSC2, BZIP2, DEFLATE, FCIDECOMP, FLETCHER32, GRANULAR_BIT_ROUND, LZ4,
    LZF, LZO, NBIT, SCALEOFFSET, SHUFFLE, SPERR, SZ, SZ3, SZIP, VBZ, ZFP, ZSTD,
};

/// A filter that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KnownFilter {
    /// Its number in files.
    pub number: u16,
    /// The name that the HDF5 library gives it, or under which it is registered.
    pub name: &'static str,
    /// What people call it in `--filter` and in tables, where that is not its number.
    pub word: Option<&'static str>,
}

const fn named(number: u16, name: &'static str, word: &'static str) -> KnownFilter {
    KnownFilter { number, name, word: Some(word) }
}

const fn numbered(number: u16, name: &'static str) -> KnownFilter {
    KnownFilter { number, name, word: None }
}

const TABLE: &[KnownFilter] = &[
    named(DEFLATE, "deflate", "gzip"),
    named(SHUFFLE, "shuffle", "shuffle"),
    named(FLETCHER32, "fletcher32", "fletcher32"),
    named(SZIP, "szip", "szip"),
    named(NBIT, "nbit", "nbit"),
    named(SCALEOFFSET, "scaleoffset", "scaleoffset"),
    numbered(257, "hzip"),
    numbered(258, "fpzip"),
    named(LZO, "LZO", "lzo"),
    named(BZIP2, "bzip2", "bzip2"),
    named(LZF, "lzf", "lzf"),
    named(BLOSC, "blosc", "blosc"),
    numbered(32_002, "MAFISC"),
    numbered(32_003, "Snappy"),
    named(LZ4, "lz4", "lz4"),
    numbered(32_005, "APAX"),
    numbered(32_006, "CBF"),
    numbered(32_007, "JPEG-XR"),
    named(BITSHUFFLE, "bitshuffle", "bitshuffle"),
    numbered(32_009, "SPDP"),
    numbered(32_010, "LPC-Rice"),
    numbered(32_011, "CCSDS-123"),
    numbered(32_012, "JPEG-LS"),
    named(ZFP, "zfp", "zfp"),
    numbered(32_014, "fpzip"),
    named(ZSTD, "zstd", "zstd"),
    numbered(32_016, "B3D"),
    numbered(SZ, "SZ"),
    numbered(FCIDECOMP, "FCIDECOMP"),
    numbered(32_019, "JPEG"),
    named(VBZ, "VBZ", "vbz"),
    numbered(32_021, "FAPEC"),
    named(BIT_GROOM, "BitGroom", "bitgroom"),
    named(GRANULAR_BIT_ROUND, "Granular BitRound", "granularbitround"),
    numbered(SZ3, "SZ3"),
    numbered(32_025, "Delta-Rice"),
    named(BLOSC2, "blosc2", "blosc2"),
    numbered(32_027, "FLAC"),
    numbered(SPERR, "SPERR"),
    numbered(32_029, "TERSE/PROLIX"),
    numbered(32_030, "FFMPEG"),
    numbered(32_033, "HTJ2K"),
];

/// The filter of this number, if it has a name.
fn known(number: u16) -> Option<&'static KnownFilter> {
    TABLE.binary_search_by_key(&number, |known| known.number).ok().map(|at| &TABLE[at])
}

/// The registered name of a filter of the table.
///
/// # Panics
/// Where the table has no such filter; in a constant, this is an error of the build.
pub const fn name_of(number: u16) -> &'static str {
    let mut at = 0;
    while TABLE[at].number != number {
        at += 1;
    }
    TABLE[at].name
}

/// What people call a filter: a word, or its number.
pub fn word_of(number: u16) -> String {
    known(number).and_then(|known| known.word).map_or_else(|| number.to_string(), str::to_owned)
}

/// The filter that people call by this word.
pub(super) fn by_word(word: &str) -> Option<u16> {
    TABLE.iter().find(|known| known.word == Some(word)).map(|known| known.number)
}

/// All words, the library's own filters first.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    TABLE.iter().filter_map(|known| known.word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_order_and_words_are_unique() {
        assert!(TABLE.is_sorted_by(|one, next| one.number < next.number));
        let mut found: Vec<&str> = words().collect();
        found.sort_unstable();
        let count = found.len();
        found.dedup();
        assert_eq!(found.len(), count);
    }

    #[test]
    fn filters_are_found_by_number_and_by_word() {
        assert_eq!(known(ZSTD).unwrap().name, "zstd");
        assert_eq!(name_of(DEFLATE), "deflate");
        assert_eq!(by_word("gzip"), Some(DEFLATE));
        assert_eq!((word_of(DEFLATE), word_of(32_029)), ("gzip".to_owned(), "32029".to_owned()));
        assert_eq!((known(40_000), by_word("snappy")), (None, None));
    }
}
