//! A storage in the words of xarray's `Dataset.to_netcdf`, with its default engine for netCDF-4.

use crate::digit_rounding::DigitRounding;
use crate::pipeline::{Compression, Pipeline};
use crate::storage::Storage;
use hyperslab_storage::lines::{python_string, python_tuple};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// The encoding of a variable: what `to_netcdf` takes, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoding(Vec<(&'static str, Value)>);

/// The value of a word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum Value {
    Flag(bool),
    Number(i64),
    Text(&'static str),
    /// A tuple in Python.
    Sizes(Vec<u64>),
}

impl Encoding {
    /// The encoding that stores a variable so. `None` if netCDF-C has no word for a filter.
    ///
    /// Significant digits are kept by netCDF-C's own quantization, which promises what the filter of the same name does, and
    /// whose values every reader reads.
    pub fn of(storage: &Storage) -> Option<Self> {
        use Value::{Flag, Number, Sizes, Text};
        let Some(chunk) = &storage.chunk else {
            return Some(Self(vec![("contiguous", Flag(true)), ("zlib", Flag(false))]));
        };
        let Pipeline { shuffle, compression, checksum } = &storage.pipeline;
        let mut words = vec![("chunksizes", Sizes(chunk.to_vec()))];
        let deflate = |level: u32| [("zlib", Flag(true)), ("complevel", Number(level.into()))];
        match *compression {
            Compression::None => words.push(("zlib", Flag(false))),
            Compression::Gzip(level) => words.extend(deflate(level)),
            Compression::Rounded { digits, level } => {
                words.extend(deflate(level));
                words.push(("least_significant_digit", Number(digits.into())));
            }
            Compression::Digits { rounding, digits, level } => {
                words.extend(deflate(level));
                words.push(("significant_digits", Number(digits.into())));
                let mode = match rounding {
                    DigitRounding::BitGroom => "BitGroom",
                    DigitRounding::GranularBitRound => "GranularBitRound",
                };
                words.push(("quantize_mode", Text(mode)));
            }
            Compression::Zstd(level) => {
                words.extend([("compression", Text("zstd")), ("complevel", Number(level.into()))]);
            }
            Compression::Blosc => words.extend([
                ("compression", Text("blosc_lz4")),
                ("complevel", Number(5)),
                ("blosc_shuffle", Number(1)),
            ]),
            Compression::Szip => words.extend([
                ("compression", Text("szip")),
                ("szip_coding", Text("nn")),
                ("szip_pixels_per_block", Number(8)),
            ]),
            Compression::Lzf
            | Compression::Bitshuffle
            | Compression::ScaleOffset { .. }
            | Compression::Zfp(_) => return None,
        }
        words.push(("shuffle", Flag(*shuffle)));
        if *checksum {
            words.push(("fletcher32", Flag(true)));
        }
        Some(Self(words))
    }

    /// As a dictionary of Python: `{"chunksizes": (73, 91, 90), "zlib": True}`.
    pub fn python(&self) -> String {
        let words = self.0.iter().map(|(word, value)| format!("\"{word}\": {}", value.python()));
        format!("{{{}}}", words.collect::<Vec<_>>().join(", "))
    }
}

impl Serialize for Encoding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(word, value)| map.serialize_entry(word, value))?;
        map.end()
    }
}

impl Value {
    fn python(&self) -> String {
        match self {
            Self::Flag(true) => "True".to_owned(),
            Self::Flag(false) => "False".to_owned(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => python_string(text),
            Self::Sizes(sizes) => python_tuple(sizes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn significant_digits_are_those_of_netcdf() {
        let compression =
            Compression::Digits { rounding: DigitRounding::GranularBitRound, digits: 4, level: 1 };
        let pipeline = Pipeline { shuffle: true, compression, checksum: false };
        let encoding = Encoding::of(&Storage::chunked(&[100], pipeline)).unwrap();
        assert_eq!(
            encoding.python(),
            "{\"chunksizes\": (100,), \"zlib\": True, \"complevel\": 1, \"significant_digits\": 4, \
             \"quantize_mode\": \"GranularBitRound\", \"shuffle\": True}"
        );
        assert_eq!(
            serde_json::to_string(&encoding).unwrap(),
            r#"{"chunksizes":[100],"zlib":true,"complevel":1,"significant_digits":4,"quantize_mode":"GranularBitRound","shuffle":true}"#
        );
    }

    #[test]
    fn what_netcdf_has_no_word_for_has_no_encoding() {
        for compression in [Compression::Lzf, Compression::Bitshuffle] {
            let pipeline = Pipeline { shuffle: false, compression, checksum: false };
            assert_eq!(Encoding::of(&Storage::chunked(&[100], pipeline)), None);
        }
        assert_eq!(
            Encoding::of(&Storage::CONTIGUOUS).unwrap().python(),
            r#"{"contiguous": True, "zlib": False}"#
        );
    }
}
