//! One filter of a pipeline as people write it: `gzip=6`, `shuffle`, `szip=nn,8`, `32015=3`.
//!
//! The predefined filters have names; any other is named by its registered identification, with its client data.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// A filter and its parameters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum FilterSpec {
    /// Deflate at a level.
    Gzip(u32),
    /// Bytes of elements regrouped.
    Shuffle,
    /// A checksum.
    Fletcher32,
    /// Szip with a coding and the pixels of a block.
    Szip {
        /// Nearest-neighbour coding, else entropy coding.
        nearest_neighbour: bool,
        /// Even, 2 to 32.
        pixels: u32,
    },
    /// Only the bits that the type has.
    Nbit,
    /// Integers less their minimum, in so many bits (all that are needed, if no number is given); floats to so many decimal
    /// places, which must be given.
    ScaleOffset(Option<i32>),
    /// Any registered filter that the library can load.
    Other {
        /// Its identification.
        id: u16,
        /// Its client data.
        parameters: Vec<u32>,
    },
}

/// Registered filters that have a name people know.
const NAMES: &[(&str, u16)] = &[
    ("lzf", 32_000),
    ("blosc", 32_001),
    ("lz4", 32_004),
    ("bitshuffle", 32_008),
    ("zfp", 32_013),
    ("zstd", 32_015),
    ("blosc2", 32_026),
    ("bzip2", 307),
    ("lzo", 305),
    ("bitgroom", 32_022),
    ("granularbitround", 32_023),
    ("vbz", 32_020),
];

const ZFP: u16 = 32_013;

/// The modes of zfp that take a number, and how H5Z-ZFP numbers them. Without one, zfp is reversible.
const ZFP_MODES: [(&str, u32); 3] = [("zfp-rate", 1), ("zfp-precision", 2), ("zfp-accuracy", 3)];
const ZFP_REVERSIBLE: u32 = 5;

/// Entropy coding, in szip's first parameter (`H5_SZIP_EC_OPTION_MASK`).
pub const SZIP_ENTROPY_CODING: u32 = 4;
/// Nearest-neighbour coding (`H5_SZIP_NN_OPTION_MASK`).
pub const SZIP_NEAREST_NEIGHBOUR: u32 = 32;

/// The coding of szip, as libhdf5's functions take it.
pub(crate) fn szip_coding(is_nearest_neighbour: bool) -> u32 {
    if is_nearest_neighbour { SZIP_NEAREST_NEIGHBOUR } else { SZIP_ENTROPY_CODING }
}

impl FilterSpec {
    /// The identification of the filter.
    pub fn id(&self) -> u16 {
        match self {
            Self::Gzip(_) => 1,
            Self::Shuffle => 2,
            Self::Fletcher32 => 3,
            Self::Szip { .. } => 4,
            Self::Nbit => 5,
            Self::ScaleOffset(_) => 6,
            Self::Other { id, .. } => *id,
        }
    }

    /// The parameters that the user gives, as libhdf5's functions take them; those that follow from the dataset are not among
    /// them.
    pub fn given_parameters(&self) -> Vec<u32> {
        match self {
            Self::Gzip(level) => vec![*level],
            Self::Shuffle | Self::Fletcher32 | Self::Nbit => Vec::new(),
            Self::Szip { nearest_neighbour, pixels } => vec![szip_coding(*nearest_neighbour), *pixels],
            Self::ScaleOffset(digits) => digits.iter().map(|digits| digits.cast_unsigned()).collect(),
            Self::Other { parameters, .. } => parameters.clone(),
        }
    }

    /// Reads a pipeline: filters in the order in which they are applied when writing, joined by `+`; `none` for none.
    pub fn parse_pipeline(text: &str) -> Result<Vec<Self>, String> {
        match text.trim() {
            "none" => Ok(Vec::new()),
            text => text.split('+').map(|one| one.trim().parse()).collect(),
        }
    }
}

/// A pipeline as [`FilterSpec::parse_pipeline`] reads it.
pub fn pipeline_text(filters: &[FilterSpec]) -> String {
    match filters {
        [] => "none".to_owned(),
        some => some.iter().map(FilterSpec::to_string).collect::<Vec<_>>().join("+"),
    }
}

impl FromStr for FilterSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, given) = text.split_once('=').map_or((text, None), |(name, given)| (name, Some(given)));
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
                    "{name} takes one number from {from} to {to}, not {:?}",
                    given.unwrap_or_default()
                )),
            }
        };
        let bare = |spec: Self| match given {
            None => Ok(spec),
            Some(_) => Err(format!("{name} takes no parameters")),
        };
        match name.trim() {
            "gzip" | "deflate" => Ok(Self::Gzip(one(6, 0, 9)? as u32)),
            "shuffle" => bare(Self::Shuffle),
            "fletcher32" => bare(Self::Fletcher32),
            "nbit" => bare(Self::Nbit),
            "scaleoffset" if numbers()?.is_empty() => Ok(Self::ScaleOffset(None)),
            "scaleoffset" => {
                Ok(Self::ScaleOffset(Some(one(0, i64::from(i32::MIN), i64::from(i32::MAX))? as i32)))
            }
            "szip" => szip(text, given.unwrap_or("nn,8")),
            "zfp" if given.is_none() => Ok(Self::Other { id: ZFP, parameters: vec![ZFP_REVERSIBLE] }),
            name => {
                if let Some((_, mode)) = ZFP_MODES.iter().find(|(known, _)| *known == name) {
                    return zfp(text, *mode, given.unwrap_or_default());
                }
                let known = NAMES.iter().find(|(known, _)| *known == name).map(|(_, id)| *id);
                let id = known.or_else(|| name.parse().ok()).ok_or_else(|| unknown(name))?;
                let parameters = numbers()?.into_iter().map(u32::try_from).collect::<Result<_, _>>();
                Ok(Self::Other { id, parameters: parameters.map_err(|_| format!("{text:?}: out of range"))? })
            }
        }
    }
}

fn szip(text: &str, given: &str) -> Result<FilterSpec, String> {
    let fail = || {
        format!("{text:?}: szip takes a coding and the pixels of a block, such as szip=nn,8 or szip=ec,32")
    };
    let (coding, pixels) = given.split_once(',').unwrap_or((given, "8"));
    let nearest_neighbour = match coding.trim() {
        "nn" => true,
        "ec" => false,
        _ => return Err(fail()),
    };
    let pixels: u32 = pixels.trim().parse().map_err(|_| fail())?;
    let is_possible = (2..=32).contains(&pixels) && pixels.is_multiple_of(2);
    is_possible.then_some(FilterSpec::Szip { nearest_neighbour, pixels }).ok_or_else(fail)
}

fn zfp(text: &str, mode: u32, given: &str) -> Result<FilterSpec, String> {
    const PRECISION: u32 = 2;
    let number: f64 = given.trim().parse().ok().filter(|number| *number > 0.0 && f64::is_finite(*number)).ok_or_else(
        || format!("{text:?}: zfp takes a positive number, such as zfp-rate=8, zfp-precision=20 or zfp-accuracy=0.01"),
    )?;
    let parameters = match mode {
        PRECISION if number.fract() == 0.0 && number <= 64.0 => vec![mode, 0, number as u32],
        PRECISION => return Err(format!("{text:?}: a number of bit planes from 1 to 64 is required")),
        _ => vec![mode, 0, number.to_bits() as u32, (number.to_bits() >> 32) as u32],
    };
    Ok(FilterSpec::Other { id: ZFP, parameters })
}

/// How [`zfp`] reads these parameters.
fn zfp_text(parameters: &[u32]) -> Option<String> {
    let name = |mode| ZFP_MODES.iter().find(|(_, known)| *known == mode).map(|(name, _)| name);
    match *parameters {
        [ZFP_REVERSIBLE] => Some("zfp".into()),
        [mode @ 2, 0, planes] => Some(format!("{}={planes}", name(mode)?)),
        [mode @ (1 | 3), 0, low, high] => {
            let number = f64::from_bits(u64::from(low) | u64::from(high) << 32);
            Some(format!("{}={number}", name(mode)?))
        }
        _ => None,
    }
}

fn unknown(name: &str) -> String {
    let named: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
    format!(
        "there is no filter {name:?}; write none, gzip, shuffle, fletcher32, szip, nbit, scaleoffset, {}, or the number \
         of a registered filter",
        named.join(", ")
    )
}

impl fmt::Display for FilterSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gzip(level) => write!(f, "gzip={level}"),
            Self::Shuffle => f.write_str("shuffle"),
            Self::Fletcher32 => f.write_str("fletcher32"),
            Self::Szip { nearest_neighbour, pixels } => {
                write!(f, "szip={},{pixels}", if *nearest_neighbour { "nn" } else { "ec" })
            }
            Self::Nbit => f.write_str("nbit"),
            Self::ScaleOffset(None) => f.write_str("scaleoffset"),
            Self::ScaleOffset(Some(digits)) => write!(f, "scaleoffset={digits}"),
            Self::Other { id: ZFP, parameters } if zfp_text(parameters).is_some() => {
                f.write_str(&zfp_text(parameters).unwrap_or_default())
            }
            Self::Other { id, parameters } => {
                match NAMES.iter().find(|(_, known)| known == id) {
                    Some((name, _)) => f.write_str(name)?,
                    None => write!(f, "{id}")?,
                }
                for (i, parameter) in parameters.iter().enumerate() {
                    write!(f, "{}{parameter}", if i == 0 { '=' } else { ',' })?;
                }
                Ok(())
            }
        }
    }
}

impl TryFrom<String> for FilterSpec {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<FilterSpec> for String {
    fn from(filter: FilterSpec) -> Self {
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
            "scaleoffset=2",
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
            assert_eq!(pipeline_text(&FilterSpec::parse_pipeline(text).unwrap()), text);
        }
        assert_eq!(FilterSpec::parse_pipeline("gzip").unwrap(), [FilterSpec::Gzip(6)]);
        assert_eq!("zstd".parse::<FilterSpec>().unwrap().id(), 32_015);
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
            let error = FilterSpec::parse_pipeline(text).unwrap_err();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
