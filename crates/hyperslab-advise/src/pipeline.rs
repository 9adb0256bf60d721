//! Filter pipelines: those that are considered, and how each program names them. They are lossless, apart from those within a
//! bound of the error that the user gives.

use crate::digit_rounding::DigitRounding;
use crate::error_bound::{ErrorBound, Tolerance};
use hyperslab_doctor::FilterFact;
use hyperslab_storage::filter::NEAREST_NEIGHBOUR;
use hyperslab_storage::filter::number::{
    BITSHUFFLE, BLOSC, DEFLATE, FLETCHER32, LZF, SCALEOFFSET, SHUFFLE, SZIP, ZFP, ZSTD,
};
use hyperslab_storage::{FilterRequest, pipeline_text};

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
    /// Floats rounded to so many decimal digits, which every libhdf5 since 1.8 has; deflated at a level, or not at level 0.
    ScaleOffset {
        /// Digits behind the decimal point; less than 0 for digits before it.
        digits: i32,
        /// The level of deflate.
        level: u32,
    },
    /// Floats rounded to so many decimal places before they are deflated: readers need no other filter.
    Rounded {
        /// Places behind the decimal point; less than 0 for places before it.
        digits: i32,
        /// The level of deflate.
        level: u32,
    },
    /// zfp with a bound of the error.
    Zfp(Tolerance),
    /// Floats of which so many significant decimal digits are kept, then deflated at a level.
    Digits {
        /// What rounds them.
        rounding: DigitRounding,
        /// Significant decimal digits.
        digits: u32,
        /// The level of deflate.
        level: u32,
    },
}

/// `H5Z_SO_FLOAT_DSCALE`
const DECIMAL: u32 = 0;
/// The mode of zfp with a bound of the error.
const ZFP_ACCURACY: u32 = 3;
/// The pixels of a block.
const SZIP_PIXELS: u32 = 8;
/// Elements of this size that are not numbers are not shuffled.
const ELEMENT_BYTES_SHUFFLED_MAX: u64 = 16;
const GZIP_LEVELS: [u32; 4] = [1, 4, 6, 9];
const ZSTD_LEVELS: [u32; 3] = [1, 3, 9];
/// Of scaleoffset, which leaves little to deflate.
const SCALEOFFSET_LEVELS: [u32; 2] = [0, 1];
/// Of rounded values, whose last bytes are mostly zeros.
const ROUNDED_LEVELS: [u32; 2] = [1, 4];

impl Compression {
    /// The compressions that a reader may have or lack.
    pub const PLUGINS: [&'static str; 8] =
        ["lzf", "szip", "zstd", "blosc", "bitshuffle", "zfp", "bitgroom", "granularbitround"];

    /// The name of the plug-in that a reader needs; none for what every libhdf5 has.
    pub fn plugin(self) -> Option<&'static str> {
        match self {
            Self::None | Self::Gzip(_) | Self::ScaleOffset { .. } | Self::Rounded { .. } => None,
            Self::Lzf => Some("lzf"),
            Self::Szip => Some("szip"),
            Self::Zstd(_) => Some("zstd"),
            Self::Blosc => Some("blosc"),
            Self::Bitshuffle => Some("bitshuffle"),
            Self::Zfp(_) => Some("zfp"),
            Self::Digits { rounding, .. } => Some(rounding.name()),
        }
    }

    /// True if values may come back changed.
    pub fn is_lossy(self) -> bool {
        matches!(self, Self::ScaleOffset { .. } | Self::Rounded { .. } | Self::Zfp(_) | Self::Digits { .. })
    }

    /// The most by which a value changes, as a share of it, if the filter promises one.
    pub fn largest_share(self) -> Option<f64> {
        match self {
            Self::Digits { rounding, digits, .. } => Some(rounding.largest_share(digits)),
            _ => None,
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

    /// The pipelines for floats that may change by at most so much.
    pub fn lossy_candidates(bound: ErrorBound, checksum: bool) -> Vec<Self> {
        match bound {
            ErrorBound::Absolute(tolerance) => Self::within(tolerance, checksum),
            ErrorBound::Relative(share) => Self::within_share(share, checksum),
        }
    }

    /// Those that keep a share of each value.
    fn within_share(share: Tolerance, checksum: bool) -> Vec<Self> {
        let of = |rounding: DigitRounding| {
            let digits = rounding.digits(share.error());
            let compression = move |digits, level| Compression::Digits { rounding, digits, level };
            digits.into_iter().flat_map(move |digits| ROUNDED_LEVELS.map(|level| compression(digits, level)))
        };
        let compressions = DigitRounding::ALL.into_iter().flat_map(of);
        compressions.map(|compression| Self { shuffle: true, compression, checksum }).collect()
    }

    /// Those that keep an absolute bound.
    fn within(tolerance: Tolerance, checksum: bool) -> Vec<Self> {
        let digits = tolerance.digits();
        let scaleoffset = SCALEOFFSET_LEVELS.map(|level| Compression::ScaleOffset { digits, level });
        let digits = tolerance.rounded_digits();
        let rounded = ROUNDED_LEVELS.map(|level| Compression::Rounded { digits, level });
        let compressions = scaleoffset.into_iter().chain(rounded).chain([Compression::Zfp(tolerance)]);
        let shuffle = |compression| matches!(compression, Compression::Rounded { .. });
        compressions.map(|one| Self { shuffle: shuffle(one), compression: one, checksum }).collect()
    }

    /// The pipeline of a dataset, if it is one of this kind and lossless.
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

    /// The filters, as a program that writes asks for them, in the order of writing. What follows from the dataset (the size of
    /// an element, a chunk) is left out.
    pub fn requests(&self) -> Vec<FilterRequest> {
        let mut filters = Vec::new();
        if let Compression::Digits { rounding, digits, .. } = self.compression {
            filters.push(FilterRequest::new(rounding.id(), [digits]));
        }
        filters.extend(self.shuffle.then(FilterRequest::shuffle));
        match self.compression {
            Compression::None => {}
            Compression::Gzip(level)
            | Compression::Rounded { level, .. }
            | Compression::Digits { level, .. } => filters.push(FilterRequest::gzip(level)),
            Compression::Lzf => filters.push(FilterRequest::new(LZF, [])),
            Compression::Szip => filters.push(FilterRequest::new(SZIP, [NEAREST_NEIGHBOUR, SZIP_PIXELS])),
            Compression::Zstd(level) => filters.push(FilterRequest::new(ZSTD, [level])),
            // Four numbers that the filter sets itself, the level, a shuffle of bytes, LZ4.
            Compression::Blosc => filters.push(FilterRequest::new(BLOSC, [0, 0, 0, 0, 5, 1, 1])),
            // Blocks of its own size, LZ4.
            Compression::Bitshuffle => filters.push(FilterRequest::new(BITSHUFFLE, [0, 2])),
            Compression::ScaleOffset { digits, level } => {
                filters.push(FilterRequest::new(SCALEOFFSET, [DECIMAL, digits.cast_unsigned()]));
                filters.extend((level > 0).then(|| FilterRequest::gzip(level)));
            }
            Compression::Zfp(tolerance) => {
                let [low, high] = tolerance.words();
                filters.push(FilterRequest::new(ZFP, [ZFP_ACCURACY, 0, low, high]));
            }
        }
        filters.extend(self.checksum.then(FilterRequest::fletcher32));
        filters
    }

    /// The filters as facts for the doctor.
    pub fn facts(&self) -> Vec<FilterFact> {
        self.requests().into_iter().map(FilterFact::from).collect()
    }

    /// As `hyperslab repack --filter` takes it: `shuffle+gzip=4`, `round=2+gzip=1`, `none`.
    pub fn text(&self) -> String {
        let filters = pipeline_text(&self.requests());
        match self.compression {
            Compression::Rounded { digits, .. } => format!("round={digits}+{filters}"),
            _ => filters,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_storage::filter::number::{BIT_GROOM, GRANULAR_BIT_ROUND};

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

    #[test]
    fn digits_keep_a_share_of_each_value() {
        let texts = |bound: &str| -> Vec<String> {
            let bound: ErrorBound = bound.parse().unwrap();
            Pipeline::lossy_candidates(bound, false).iter().map(Pipeline::text).collect()
        };
        assert_eq!(
            texts("0.1%"),
            [
                "bitgroom=3+shuffle+gzip=1",
                "bitgroom=3+shuffle+gzip=4",
                "granularbitround=4+shuffle+gzip=1",
                "granularbitround=4+shuffle+gzip=4",
            ]
        );
        assert!(
            texts("1%")[0].starts_with("bitgroom=2+") && texts("1%")[2].starts_with("granularbitround=3+")
        );
        assert_eq!(texts("1e-14%").len(), 0, "no filter keeps this precision");
        for bound in ["0.1%", "2 %", "60%"] {
            let bound: ErrorBound = bound.parse().unwrap();
            for one in Pipeline::lossy_candidates(bound, false) {
                assert!(
                    one.compression.largest_share().unwrap() <= bound.tolerance().error(),
                    "{}",
                    one.text()
                );
                assert!(one.compression.is_lossy());
                assert_eq!(one.requests().len(), 3, "{}", one.text());
                assert!(matches!(one.requests()[0].id, BIT_GROOM | GRANULAR_BIT_ROUND), "{}", one.text());
            }
        }
    }

    #[test]
    fn lossy_pipelines_keep_the_bound() {
        let texts = |error: f64| -> Vec<String> {
            let bound = ErrorBound::Absolute(Tolerance::new(error).unwrap());
            Pipeline::lossy_candidates(bound, true).iter().map(Pipeline::text).collect()
        };
        assert_eq!(
            texts(0.01),
            [
                "scaleoffset=2+fletcher32",
                "scaleoffset=2+gzip=1+fletcher32",
                "round=2+shuffle+gzip=1+fletcher32",
                "round=2+shuffle+gzip=4+fletcher32",
                "zfp-accuracy=0.01+fletcher32",
            ]
        );
        // A digit is never more than the bound.
        assert!(texts(0.05)[0].starts_with("scaleoffset=2+"));
        assert!(texts(20.0)[0].starts_with("scaleoffset=-1+"));
        // Half a place is never more than the bound.
        assert!(texts(0.05)[2].starts_with("round=1+") && texts(0.005)[2].starts_with("round=2+"));
        assert!(texts(20.0)[2].starts_with("round=-1+") && texts(0.5)[2].starts_with("round=0+"));
        for error in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Tolerance::new(error), None);
        }
        let lossy = Pipeline::lossy_candidates("0.5".parse().unwrap(), false);
        assert!(lossy.iter().all(|one| one.compression.is_lossy()));
        assert!(Pipeline::candidates(4, false).iter().all(|one| !one.compression.is_lossy()));
    }
}
