//! xarray's `Dataset.to_netcdf`, with its default engine for netCDF-4.

use super::storage::StorageLines;
use super::{python_string, python_tuple};
use crate::filter::is_nearest_neighbour;
use crate::filter::number::{BIT_GROOM, BLOSC, DEFLATE, FLETCHER32, GRANULAR_BIT_ROUND, SHUFFLE, SZIP, ZSTD};
use crate::{CacheSettings, FilterRequest};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// LZ4 among the compressors of Blosc.
const BLOSC_LZ4: u32 = 1;

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

/// The calls that open a file with this chunk cache. Not with h5netcdf: it opens the dataset anew for every read, and each time
/// with an empty cache.
pub fn xarray_cache(file: &str, path: &str, cache: CacheSettings) -> String {
    let CacheSettings { nbytes, nslots, w0 } = cache;
    let group = match path.rsplit_once('/') {
        Some((group, _)) if !group.is_empty() => format!(", group={}", python_string(group)),
        _ => String::new(),
    };
    let file = python_string(file);
    format!(
        "netCDF4.set_chunk_cache({nbytes}, {nslots}, {w0}); xr.open_dataset({file}{group}, engine=\"netcdf4\")"
    )
}

impl StorageLines<'_> {
    /// The argument `encoding` of `to_netcdf`, for a variable of the root group.
    pub fn xarray(&self) -> Option<String> {
        Some(format!("encoding = {}", self.encoding_of_name()?))
    }

    /// The call of `to_netcdf`, for a variable of the root group.
    pub fn xarray_call(&self) -> Option<String> {
        let encoding = self.encoding_of_name()?;
        Some(format!("ds.to_netcdf(\"out.nc\", engine=\"h5netcdf\", encoding={encoding})"))
    }

    fn encoding_of_name(&self) -> Option<String> {
        Some(format!("{{{}: {}}}", python_string(self.root_name()?), self.encoding()?.python()))
    }

    /// The encoding that stores a variable so. `None` if netCDF-C has no word for a filter.
    ///
    /// Significant digits are kept by netCDF-C's own quantization, which promises what the filter of the same name does, and
    /// whose values every reader reads.
    pub fn encoding(&self) -> Option<Encoding> {
        use Value::{Flag, Number, Sizes, Text};
        let Some(chunks) = self.chunks else {
            return Some(Encoding(vec![("contiguous", Flag(true)), ("zlib", Flag(false))]));
        };
        let mut compression = vec![("zlib", Flag(false))];
        let mut rounding = Vec::new();
        rounding.extend(self.decimal_digits.map(|digits| ("least_significant_digit", Number(digits.into()))));
        for FilterRequest { id, parameters } in self.filters {
            let first = || parameters.first().map(|first| Number((*first).into()));
            match *id {
                SHUFFLE | FLETCHER32 => {}
                DEFLATE => compression = vec![("zlib", Flag(true)), ("complevel", first()?)],
                ZSTD => compression = vec![("compression", Text("zstd")), ("complevel", first()?)],
                BLOSC => {
                    let [_, _, _, _, level, shuffle, BLOSC_LZ4] = parameters[..] else { return None };
                    compression = vec![
                        ("compression", Text("blosc_lz4")),
                        ("complevel", Number(level.into())),
                        ("blosc_shuffle", Number(shuffle.into())),
                    ];
                }
                SZIP => {
                    let coding = if is_nearest_neighbour(parameters) { "nn" } else { "ec" };
                    compression = vec![
                        ("compression", Text("szip")),
                        ("szip_coding", Text(coding)),
                        ("szip_pixels_per_block", Number((*parameters.get(1)?).into())),
                    ];
                }
                BIT_GROOM | GRANULAR_BIT_ROUND => {
                    let mode = if *id == BIT_GROOM { "BitGroom" } else { "GranularBitRound" };
                    rounding = vec![("significant_digits", first()?), ("quantize_mode", Text(mode))];
                }
                _ => return None,
            }
        }
        let mut words = vec![("chunksizes", Sizes(chunks.to_vec()))];
        words.extend(compression.into_iter().chain(rounding));
        words.push(("shuffle", Flag(self.has(SHUFFLE))));
        words.extend(self.has(FLETCHER32).then_some(("fletcher32", Flag(true))));
        Some(Encoding(words))
    }
}

impl Encoding {
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

    fn encoding(chunks: Option<&[u64]>, filters: &[FilterRequest]) -> Option<Encoding> {
        let (file, path) = ("in.nc", "/t2m");
        let lines = StorageLines {
            file,
            is_netcdf: true,
            path,
            chunks,
            filters,
            decimal_digits: None,
            page_bytes: None,
        };
        lines.encoding()
    }

    #[test]
    fn significant_digits_are_those_of_netcdf() {
        let filters =
            [FilterRequest::new(GRANULAR_BIT_ROUND, [4]), FilterRequest::shuffle(), FilterRequest::gzip(1)];
        let encoding = encoding(Some(&[100]), &filters).unwrap();
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
        for id in [32_000, 32_008, 6, 32_013] {
            assert_eq!(encoding(Some(&[100]), &[FilterRequest::new(id, [])]), None, "{id}");
        }
        assert_eq!(encoding(None, &[]).unwrap().python(), r#"{"contiguous": True, "zlib": False}"#);
    }
}
