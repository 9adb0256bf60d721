//! Filter pipelines: the lossless ones that are considered, and how each program names them.

use hyperslab_doctor::FilterFact;

/// A filter pipeline: a shuffle of bytes or none, then a compression, then a checksum or none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pipeline {
    /// True if bytes are shuffled before they are compressed.
    pub shuffle: bool,
    /// What makes the data smaller.
    pub compression: Compression,
    /// True if each chunk ends with a Fletcher-32 checksum.
    pub checksum: bool,
}

/// A filter that makes data smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Compression {
    /// None.
    None,
    /// Deflate at a level from 1 to 9, which every libhdf5 reads.
    Gzip(u32),
    /// LZF, which h5py has.
    Lzf,
    /// Szip with nearest-neighbour coding in blocks of 8 pixels.
    Szip,
    /// Zstandard at a level.
    Zstd(u32),
    /// Blosc: LZ4 at level 5 after its own shuffle of bytes.
    Blosc,
    /// Bitshuffle with LZ4.
    Bitshuffle,
}

/// Filter numbers.
const DEFLATE: u16 = 1;
const SHUFFLE: u16 = 2;
const FLETCHER32: u16 = 3;
const SZIP: u16 = 4;
const LZF: u16 = 32_000;
const BLOSC: u16 = 32_001;
const BITSHUFFLE: u16 = 32_008;
const ZSTD: u16 = 32_015;
/// `H5_SZIP_NN_OPTION_MASK`, and the pixels of a block.
const SZIP_NEAREST_NEIGHBOUR: u32 = 32;
const SZIP_PIXELS: u32 = 8;
/// Elements of this size that are not numbers are not shuffled.
const ELEMENT_BYTES_SHUFFLED_MAX: u64 = 16;
const GZIP_LEVELS: [u32; 4] = [1, 4, 6, 9];
const ZSTD_LEVELS: [u32; 3] = [1, 3, 9];

impl Compression {
    /// The compressions that a reader may have or lack.
    pub const PLUGINS: [&'static str; 5] = ["lzf", "szip", "zstd", "blosc", "bitshuffle"];

    /// The name of the plug-in that a reader needs; none for what every libhdf5 has.
    pub fn plugin(self) -> Option<&'static str> {
        match self {
            Self::None | Self::Gzip(_) => None,
            Self::Lzf => Some("lzf"),
            Self::Szip => Some("szip"),
            Self::Zstd(_) => Some("zstd"),
            Self::Blosc => Some("blosc"),
            Self::Bitshuffle => Some("bitshuffle"),
        }
    }

    /// True if it shuffles itself, so that a shuffle before it has no use.
    fn shuffles(self) -> bool {
        matches!(self, Self::Blosc | Self::Bitshuffle)
    }
}

impl Pipeline {
    /// No filter.
    pub const NONE: Self = Self { shuffle: false, compression: Compression::None, checksum: false };

    /// The pipelines that are considered for elements of this size, if all compressions are allowed.
    pub fn candidates(element_bytes: u64, checksum: bool) -> Vec<Self> {
        let gzip = GZIP_LEVELS.map(Compression::Gzip);
        let zstd = ZSTD_LEVELS.map(Compression::Zstd);
        let others = [Compression::Lzf, Compression::Szip, Compression::Blosc, Compression::Bitshuffle];
        let can_shuffle = (2..=ELEMENT_BYTES_SHUFFLED_MAX).contains(&element_bytes);
        let mut found = vec![Self { checksum, ..Self::NONE }];
        for compression in gzip.into_iter().chain(zstd).chain(others) {
            let is_szip = compression == Compression::Szip;
            // Szip takes pixels of at most 64 bits, and shuffles nothing by itself.
            if is_szip && !matches!(element_bytes, 1 | 2 | 4 | 8) {
                continue;
            }
            found.push(Self { shuffle: false, compression, checksum });
            if can_shuffle && !compression.shuffles() && !is_szip {
                found.push(Self { shuffle: true, compression, checksum });
            }
        }
        found
    }

    /// The pipeline of a dataset, if it is one of this kind.
    pub fn of(filters: &[FilterFact]) -> Option<Self> {
        let mut pipeline = Self::NONE;
        for filter in filters {
            let parameter = |at: usize| filter.parameters.get(at).copied();
            let compression = match filter.id {
                SHUFFLE => {
                    pipeline.shuffle = true;
                    continue;
                }
                FLETCHER32 => {
                    pipeline.checksum = true;
                    continue;
                }
                DEFLATE => Compression::Gzip(parameter(0).unwrap_or(6)),
                LZF => Compression::Lzf,
                SZIP => Compression::Szip,
                ZSTD => Compression::Zstd(parameter(0).unwrap_or(3)),
                BLOSC => Compression::Blosc,
                BITSHUFFLE => Compression::Bitshuffle,
                _ => return None,
            };
            if pipeline.compression != Compression::None {
                return None;
            }
            pipeline.compression = compression;
        }
        Some(pipeline)
    }

    /// True if there is a filter.
    pub fn is_filtered(&self) -> bool {
        self.shuffle || self.checksum || self.compression != Compression::None
    }

    /// The filters, as a program that writes asks for them: identifications and parameters, in the order of writing. What
    /// follows from the dataset (the size of an element, a chunk) is left out.
    pub fn requests(&self) -> Vec<(u16, Vec<u32>)> {
        let mut filters: Vec<(u16, Vec<u32>)> = Vec::new();
        if self.shuffle {
            filters.push((SHUFFLE, Vec::new()));
        }
        match self.compression {
            Compression::None => {}
            Compression::Gzip(level) => filters.push((DEFLATE, vec![level])),
            Compression::Lzf => filters.push((LZF, Vec::new())),
            Compression::Szip => filters.push((SZIP, vec![SZIP_NEAREST_NEIGHBOUR, SZIP_PIXELS])),
            Compression::Zstd(level) => filters.push((ZSTD, vec![level])),
            // Four numbers that the filter sets itself, the level, a shuffle of bytes, LZ4.
            Compression::Blosc => filters.push((BLOSC, vec![0, 0, 0, 0, 5, 1, 1])),
            // Blocks of its own size, LZ4.
            Compression::Bitshuffle => filters.push((BITSHUFFLE, vec![0, 2])),
        }
        if self.checksum {
            filters.push((FLETCHER32, Vec::new()));
        }
        filters
    }

    /// The filters as facts for the doctor.
    pub fn facts(&self) -> Vec<FilterFact> {
        let fact = |(id, parameters): (u16, Vec<u32>)| {
            let name = match id {
                DEFLATE => "gzip",
                SHUFFLE => "shuffle",
                FLETCHER32 => "fletcher32",
                SZIP => "szip",
                LZF => "lzf",
                BLOSC => "blosc",
                BITSHUFFLE => "bitshuffle",
                _ => "zstd",
            };
            FilterFact { name: name.to_owned(), id, parameters, description: name.to_owned() }
        };
        self.requests().into_iter().map(fact).collect()
    }

    /// As `hyperslab repack --filter` takes it: `shuffle+gzip=4`, `none`.
    pub fn text(&self) -> String {
        let mut words = Vec::new();
        words.extend(self.shuffle.then(|| "shuffle".to_owned()));
        match self.compression {
            Compression::None => {}
            Compression::Gzip(level) => words.push(format!("gzip={level}")),
            Compression::Lzf => words.push("lzf".to_owned()),
            Compression::Szip => words.push(format!("szip=nn,{SZIP_PIXELS}")),
            Compression::Zstd(level) => words.push(format!("zstd={level}")),
            Compression::Blosc => words.push("blosc=0,0,0,0,5,1,1".to_owned()),
            Compression::Bitshuffle => words.push("bitshuffle=0,2".to_owned()),
        }
        words.extend(self.checksum.then(|| "fletcher32".to_owned()));
        if words.is_empty() { "none".to_owned() } else { words.join("+") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipelines_come_back_from_their_facts() {
        for pipeline in Pipeline::candidates(4, true) {
            assert_eq!(Pipeline::of(&pipeline.facts()), Some(pipeline.clone()), "{}", pipeline.text());
        }
        let scaled =
            FilterFact { name: String::new(), id: 6, parameters: vec![], description: String::new() };
        assert_eq!(Pipeline::of(&[scaled]), None);
        assert_eq!(Pipeline::of(&[FilterFact::gzip(1), FilterFact::gzip(2)]), None, "deflated twice");
    }

    #[test]
    fn single_bytes_are_not_shuffled() {
        assert!(Pipeline::candidates(1, false).iter().all(|pipeline| !pipeline.shuffle));
        let texts: Vec<String> = Pipeline::candidates(4, false).iter().map(Pipeline::text).collect();
        assert!(texts.contains(&"shuffle+gzip=4".to_owned()) && texts[0] == "none", "{texts:?}");
    }
}
