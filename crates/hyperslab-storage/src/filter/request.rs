//! A filter that is asked for, as people write it: `gzip=6`, `shuffle`, `szip=nn,8`, `32015=3`.
//!
//! Filters with a word are read and written by it, any other by its number, with its client data.

use super::number::{BITSHUFFLE, DEFLATE, FLETCHER32, NBIT, SCALEOFFSET, SHUFFLE, SZIP, ZFP};
use super::{szip, table, zfp};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A filter and the parameters that a user gives; those that follow from the dataset are not among them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FilterRequest {
    /// The number in files.
    pub id: u16,
    /// As libhdf5's functions take them. Of scale-offset, one (decimal places of floats, bits of integers), or the kind of
    /// scaling before it.
    pub parameters: Vec<u32>,
}

/// The level of deflate where none is given.
const LEVEL: i64 = 6;

impl FilterRequest {
    /// A filter by its number.
    pub fn new(id: u16, parameters: impl Into<Vec<u32>>) -> Self {
        Self { id, parameters: parameters.into() }
    }

    /// The request that makes a filter of a file again: without the parameters that libhdf5 adds itself, such as the size of the
    /// elements.
    pub fn of_stored(id: u16, parameters: &[u32]) -> Self {
        match (id, parameters) {
            (SZIP, [options, pixels, ..]) => {
                Self::new(SZIP, [options & (super::NEAREST_NEIGHBOUR | super::ENTROPY_CODING), *pixels])
            }
            (SCALEOFFSET, [_, factor, ..]) => Self::new(SCALEOFFSET, [*factor]),
            (SHUFFLE | FLETCHER32 | NBIT, _) => Self::new(id, []),
            (id, parameters) => Self::new(id, parameters),
        }
    }

    /// Deflate at a level.
    pub fn gzip(level: u32) -> Self {
        Self::new(DEFLATE, [level])
    }

    /// Bytes of elements regrouped.
    pub fn shuffle() -> Self {
        Self::new(SHUFFLE, [])
    }

    /// A checksum.
    pub fn fletcher32() -> Self {
        Self::new(FLETCHER32, [])
    }

    /// True for filters that make data smaller. Shuffles and checksums do not; an unknown filter is assumed to.
    pub fn compresses(&self) -> bool {
        compresses(self.id, &self.parameters)
    }

    /// Reads a pipeline: filters in the order in which they are applied when writing, joined by `+`; `none` for none.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse_pipeline(text: &str) -> Result<Vec<Self>, String> {
        match text.trim() {
            "none" => Ok(Vec::new()),
            text => text.split('+').map(|one| one.trim().parse()).collect(),
        }
    }
}

/// True for filters that make data smaller, by number and the parameters in a file.
pub fn compresses(id: u16, parameters: &[u32]) -> bool {
    let is_bitshuffle_alone = id == BITSHUFFLE && parameters.get(4).copied().unwrap_or(0) == 0;
    !matches!(id, SHUFFLE | FLETCHER32) && !is_bitshuffle_alone
}

/// A pipeline as [`FilterRequest::parse_pipeline`] reads it.
pub fn pipeline_text(filters: &[FilterRequest]) -> String {
    match filters {
        [] => "none".to_owned(),
        some => some.iter().map(FilterRequest::to_string).collect::<Vec<_>>().join("+"),
    }
}

impl FromStr for FilterRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, given) = text.split_once('=').map_or((text, None), |(word, given)| (word, Some(given)));
        let numbers = || -> Result<Vec<i64>, String> {
            let parts = given.unwrap_or_default().split(',').map(str::trim).filter(|part| !part.is_empty());
            parts
                .map(|part| part.parse().map_err(|_| format!("{part:?} in {text:?} is not a number")))
                .collect()
        };
        let one = |default: i64, from: i64, to: i64| -> Result<i64, String> {
            match numbers()?.as_slice() {
                [] => Ok(default),
                [number] if (from..=to).contains(number) => Ok(*number),
                _ => Err(format!(
                    "{word} takes one number from {from} to {to}, not {:?}",
                    given.unwrap_or_default()
                )),
            }
        };
        let word = match word.trim() {
            "deflate" => "gzip",
            word => word,
        };
        if let Some(mode) = zfp::mode(word) {
            return Ok(Self::new(ZFP, zfp::parse(text, mode, given.unwrap_or_default())?));
        }
        let id = table::by_word(word).or_else(|| word.parse().ok()).ok_or_else(|| unknown(word))?;
        let is_word = word.starts_with(|first: char| !first.is_ascii_digit());
        let parameters = match id {
            DEFLATE if is_word => vec![one(LEVEL, 0, 9)? as u32],
            SHUFFLE | FLETCHER32 | NBIT if is_word => match given {
                None => Vec::new(),
                Some(_) => return Err(format!("{word} takes no parameters")),
            },
            SCALEOFFSET if is_word => match numbers()?.is_empty() {
                true => Vec::new(),
                false => vec![(one(0, i64::from(i32::MIN), i64::from(i32::MAX))? as i32).cast_unsigned()],
            },
            SZIP if is_word => szip::parse(text, given.unwrap_or("nn,8"))?,
            ZFP if is_word && given.is_none() => vec![zfp::REVERSIBLE],
            _ => {
                let parameters = numbers()?.into_iter().map(u32::try_from).collect::<Result<_, _>>();
                parameters.map_err(|_| format!("{text:?}: out of range"))?
            }
        };
        Ok(Self { id, parameters })
    }
}

fn unknown(word: &str) -> String {
    let words: Vec<&str> = table::words().collect();
    format!(
        "there is no filter {word:?}; write none, {}, or the number of a registered filter",
        words.join(", ")
    )
}

impl fmt::Display for FilterRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let special = match (self.id, &self.parameters[..]) {
            (SZIP, parameters) => szip::text(parameters),
            (ZFP, parameters) => zfp::text(parameters),
            (SCALEOFFSET, [digits] | [_, digits]) => Some(format!("scaleoffset={}", digits.cast_signed())),
            _ => None,
        };
        if let Some(special) = special {
            return f.write_str(&special);
        }
        f.write_str(&table::word_of(self.id))?;
        for (place, parameter) in self.parameters.iter().enumerate() {
            write!(f, "{}{parameter}", if place == 0 { '=' } else { ',' })?;
        }
        Ok(())
    }
}

impl TryFrom<String> for FilterRequest {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<FilterRequest> for String {
    fn from(filter: FilterRequest) -> Self {
        filter.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipelines_come_back_as_they_were_written() {
        for text in [
            "none",
            "gzip=6",
            "shuffle+gzip=4",
            "szip=ec,32",
            "nbit",
            "scaleoffset",
            "scaleoffset=2",
            "scaleoffset=-2",
            "zstd=3",
            "fletcher32",
            "lzo",
            "bitgroom=3+shuffle+gzip=4",
            "zfp",
            "zfp-rate=8.5",
            "zfp-precision=20",
            "zfp-accuracy=0.01",
            "32100=1,2,3",
        ] {
            assert_eq!(pipeline_text(&FilterRequest::parse_pipeline(text).unwrap()), text);
        }
        assert_eq!(FilterRequest::parse_pipeline("gzip").unwrap(), [FilterRequest::gzip(6)]);
        assert_eq!(FilterRequest::parse_pipeline("deflate=1").unwrap(), [FilterRequest::gzip(1)]);
        assert_eq!("zstd".parse::<FilterRequest>().unwrap().id, 32_015);
        assert_eq!("szip".parse(), Ok(FilterRequest::new(SZIP, [32, 8])));
    }

    #[test]
    fn what_is_no_filter_says_what_there_is() {
        for (text, says) in [
            ("gzip=10", "0 to 9"),
            ("shuffle=1", "no parameters"),
            ("szip=nn,7", "nn,8"),
            ("snappy", "registered filter"),
            ("zstd=x", "not a number"),
            ("zstd=-1", "out of range"),
            ("", "no filter"),
            ("zfp-rate=0", "positive number"),
            ("zfp-precision=65", "1 to 64"),
        ] {
            let error = FilterRequest::parse_pipeline(text).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
    }

    #[test]
    fn shuffles_and_checksums_do_not_compress() {
        assert!(FilterRequest::gzip(6).compresses() && FilterRequest::new(32_015, [3]).compresses());
        assert_eq!(FilterRequest::of_stored(SHUFFLE, &[4]), FilterRequest::shuffle());
        assert_eq!(FilterRequest::of_stored(DEFLATE, &[6]), FilterRequest::gzip(6));
        assert_eq!(FilterRequest::of_stored(SZIP, &[141, 32, 8, 256]).parameters, [4, 32]);
        assert!(!FilterRequest::shuffle().compresses() && !FilterRequest::fletcher32().compresses());
        assert!(!compresses(BITSHUFFLE, &[0, 4, 4, 0, 0]) && compresses(BITSHUFFLE, &[0, 4, 4, 0, 2]));
    }
}
