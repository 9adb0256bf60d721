//! What is to be stored otherwise: rules, each for the datasets that a pattern matches.

use crate::{FilterRequest, PathPattern};

/// Rules for datasets. Of several rules about the layout of a dataset the last one is used, and of several about its
/// filters, too.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChangeSet {
    /// The rules, in the order of the command line.
    pub rules: Vec<Rule>,
    /// Names of dimensions that get no limit: what has one can grow along it, for which it needs chunks.
    pub unlimited: Vec<String>,
    /// Paths of datasets whose first axis gets no limit.
    pub growing: Vec<String>,
    /// True if they are for several files: a rule that matches no dataset of this one is then listed, not refused.
    pub is_for_several: bool,
}

/// One rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// The option as the user wrote it, for messages: `--chunks /t2m:1x361x720`.
    pub option: String,
    /// The datasets that it is about.
    pub datasets: PathPattern,
    /// What is to be changed.
    pub change: Change,
}

/// A change of how a dataset is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The layout.
    Layout(LayoutRequest),
    /// The filters, in the order in which they are applied when writing; none for no filters.
    Filters(Vec<FilterRequest>),
    /// Floats are rounded, and get filters.
    Rounded {
        /// The decimal places that they keep.
        digits: i32,
        /// The filters, in the order in which they are applied when writing.
        filters: Vec<FilterRequest>,
    },
    /// The filters stay as they are, whatever rules before this one say.
    KeepFilters,
}

/// Floats are rounded to at most so many decimal places, before or behind the point: others lie outside their range.
pub const DECIMAL_PLACES_MAX: i32 = 300;

impl Change {
    /// Reads filters: `shuffle+gzip=4`, `round=2+shuffle+gzip=4`, `none`, `keep`.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn parse_filters(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text == "keep" {
            return Ok(Self::KeepFilters);
        }
        let Some(rounded) = text.strip_prefix("round=") else {
            return FilterRequest::parse_pipeline(text).map(Self::Filters);
        };
        let (digits, filters) = rounded.split_once('+').unwrap_or((rounded, "none"));
        let digits = digits.trim().parse().ok().filter(|digits: &i32| digits.abs() <= DECIMAL_PLACES_MAX);
        let digits = digits.ok_or_else(|| {
            let decimal_places = rounded.split('+').next().unwrap_or_default();
            format!(
                "{decimal_places:?} is not a number of decimal places, such as 2 in round=2+shuffle+gzip=4"
            )
        })?;
        Ok(Self::Rounded { digits, filters: FilterRequest::parse_pipeline(filters)? })
    }
}

impl Rule {
    /// Reads `OBJECTS:VALUE`, or a value for all datasets; `name` is the option's.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(
        name: &str,
        text: &str,
        change: impl Fn(&str) -> Result<Change, String>,
    ) -> Result<Self, String> {
        let parse = |(objects, value): (&str, &str)| {
            PathPattern::parse(objects).and_then(|datasets| Ok((datasets, change(value)?)))
        };
        // A path may have colons; so may a shape, where they are sizes. What is wrong is told of the last one.
        let last = parse(text.rsplit_once(':').unwrap_or(("", text)));
        let (datasets, change) = last.or_else(|why| {
            let places = text.match_indices(':').map(|(place, _)| (&text[..place], &text[place + 1..]));
            let mut others = places.chain([("", text)]).filter_map(|split| parse(split).ok());
            others.next().ok_or(why)
        })?;
        Ok(Self { option: format!("{name} {text}"), datasets, change })
    }
}

/// A layout that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LayoutRequest {
    /// Chunks of these sizes, one for each axis.
    Chunks(Vec<Size>),
    /// Chunks of these sizes along dimensions with these names. Along the others, chunks stay as they are; a dataset
    /// without chunks gets the whole extent.
    NamedChunks(Vec<(String, Size)>),
    /// Chunks of about so many bytes.
    ChunkBytes {
        /// The most bytes of a chunk.
        bytes: u64,
        /// The block in which the dataset is read; rows if it is not given.
        read: Option<Vec<Size>>,
    },
    /// One block.
    Contiguous,
    /// In the object header.
    Compact,
}

impl LayoutRequest {
    /// Reads chunks: `1x361x720`, `1,361,720`, or `time=1,lat=all`.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn parse_chunks(text: &str) -> Result<Self, String> {
        if !text.contains('=') {
            return Size::parse_each(text).map(Self::Chunks);
        }
        let named = text.split(',').map(|part| match part.split_once('=') {
            Some((name, size)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), Size::parse(size)?)),
            _ => Err(format!("{part:?} is not a name and a size, such as time=1")),
        });
        Ok(Self::NamedChunks(named.collect::<Result<_, String>>()?))
    }
}

/// A size along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Elements.
    Elements(u64),
    /// The whole extent.
    Whole,
}

impl Size {
    /// Reads `720`, or `all` and `:` for the whole extent.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.trim() {
            "all" | ":" => Ok(Self::Whole),
            text => match text.parse() {
                Ok(elements) if elements > 0 => Ok(Self::Elements(elements)),
                _ => Err(format!("{text:?} is not a number of elements; write 1 or more, or `all`")),
            },
        }
    }

    /// Reads a size for each dimension, separated by `x` or `,`.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub fn parse_each(text: &str) -> Result<Vec<Self>, String> {
        text.split(['x', ',']).map(Self::parse).collect()
    }

    /// The size in an extent of `dim` elements.
    pub fn of(self, dim: u64) -> u64 {
        match self {
            Self::Elements(elements) => elements,
            Self::Whole => dim.max(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_by_position_or_by_name() {
        let chunks = LayoutRequest::Chunks(vec![Size::Elements(1), Size::Whole, Size::Elements(720)]);
        assert_eq!(LayoutRequest::parse_chunks("1xallx720").unwrap(), chunks);
        assert_eq!(LayoutRequest::parse_chunks("1,:,720").unwrap(), chunks);
        let named = vec![("time".to_owned(), Size::Elements(1)), ("lat".to_owned(), Size::Whole)];
        assert_eq!(LayoutRequest::parse_chunks("time=1,lat=all").unwrap(), LayoutRequest::NamedChunks(named));
        for text in ["", "0", "1x", "1x-2", "time=1,2", "=1", "time=x"] {
            assert!(LayoutRequest::parse_chunks(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_colon_ends_the_objects_or_is_a_size() {
        let shape = |text: &str| {
            Rule::parse("--chunks", text, |shape| LayoutRequest::parse_chunks(shape).map(Change::Layout))
        };
        let chunks = |sizes: &[u64]| {
            let size = |size: &u64| if *size == 0 { Size::Whole } else { Size::Elements(*size) };
            Change::Layout(LayoutRequest::Chunks(sizes.iter().map(size).collect()))
        };
        for (text, objects, sizes) in [
            ("1,:,720", "", &[1, 0, 720][..]),
            (":x1x1", "", &[0, 1, 1]),
            ("t2m:1x:x720", "t2m", &[1, 0, 720]),
            ("/a:b:5x:", "/a:b", &[5, 0]),
            ("/a:b:5x6", "/a:b", &[5, 6]),
            ("t2m::", "t2m", &[0]),
        ] {
            let rule = shape(text).unwrap();
            assert_eq!((rule.datasets, rule.change), (PathPattern::parse(objects).unwrap(), chunks(sizes)));
        }
        let named = shape("t2m:lat=:").unwrap();
        assert_eq!(named.datasets, PathPattern::parse("t2m").unwrap(), "not the dimension t2m:lat");
        assert!(shape("t2m:1x0").unwrap_err().contains("\"0\" is not a number"));
    }

    #[test]
    fn filters_have_the_parameters_of_libhdf5() {
        let Change::Filters(filters) = Change::parse_filters("shuffle+szip=ec,16+scaleoffset=-2").unwrap()
        else {
            panic!("filters")
        };
        let found: Vec<_> = filters.iter().map(|filter| (filter.id, &filter.parameters[..])).collect();
        assert_eq!(found, [(2, &[][..]), (4, &[4, 16]), (6, &[(-2i32) as u32])]);
        assert_eq!(Change::parse_filters("none").unwrap(), Change::Filters(Vec::new()));
        assert_eq!(Change::parse_filters("keep").unwrap(), Change::KeepFilters);
        let rounded = |filters| Change::Rounded { digits: -1, filters };
        let gzip = FilterRequest { id: 1, parameters: vec![4] };
        assert_eq!(Change::parse_filters("round=-1+gzip=4").unwrap(), rounded(vec![gzip]));
        assert_eq!(Change::parse_filters("round=-1").unwrap(), rounded(Vec::new()));
        for text in ["round=", "round=x+gzip=4", "round=301", "round=1+keep", "gzip=4+round=1"] {
            assert!(Change::parse_filters(text).is_err(), "{text}");
        }
        assert!(Change::parse_filters("shufle").unwrap_err().contains("there is no filter"));
    }
}
