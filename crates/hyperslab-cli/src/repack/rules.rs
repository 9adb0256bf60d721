//! Options about datasets as rules of a change set, and options about objects as a selection.

use super::arguments::RepackArgs;
use super::{h5repack, recipe};
use crate::failure::Failure;
use hyperslab_repack::{
    Change, ChangeSet, DecimalRounding, FilterRequest, LayoutRequest, ObjectChoice, ObjectSelection,
    PathPattern, Rename, Rule, Size,
};

/// Chunks that serve a read, if no size is given.
const CHUNK_BYTES: u64 = 1 << 20;

/// The rules and the selection of the command line. Rules of a recipe come first, so that options override them.
pub(super) fn requests(args: &RepackArgs) -> Result<(ChangeSet, ObjectSelection), Failure> {
    let recipe::Requests { mut rules, mut objects } =
        args.recipe.as_deref().map(recipe::read).transpose()?.unwrap_or_default();
    for (name, texts, choices) in
        [("--only", &args.only, &mut objects.only), ("--drop", &args.drop, &mut objects.drop)]
    {
        for text in texts {
            choices.push(choice(&format!("{name} {text}"), text)?);
        }
    }
    for text in &args.rename {
        let option = format!("--rename {text}");
        objects.rename.push(Rename::parse(&option, text).map_err(|why| wrong(&option, &why))?);
    }
    let read = args.read.as_deref().map(parse_shape).transpose();
    let read =
        read.map_err(|why| wrong(&format!("--for {}", args.read.as_deref().unwrap_or_default()), &why))?;
    if read.is_some() && args.chunk_bytes.is_empty() {
        let change = chunk_bytes(CHUNK_BYTES, &read);
        let option = format!("--for {}", args.read.as_deref().unwrap_or_default());
        rules.push(Rule { option, datasets: PathPattern::All, change });
    }
    for text in &args.chunk_bytes {
        let change = |text: &str| match hyperslab::parse_bytes(text) {
            Ok(0) => Err("a chunk has at least one byte".into()),
            Ok(bytes) => Ok(chunk_bytes(bytes, &read)),
            Err(error) => Err(error.to_string()),
        };
        rules.push(rule("--chunk-bytes", text, change)?);
    }
    for text in &args.chunks {
        rules.push(rule("--chunks", text, |shape| parse_chunks(shape).map(Change::Layout))?);
    }
    for (name, texts, layout) in [
        ("--contiguous", &args.contiguous, LayoutRequest::Contiguous),
        ("--compact", &args.compact, LayoutRequest::Compact),
    ] {
        for text in texts {
            let option = format!("{name} {text}");
            let datasets = PathPattern::parse(text).map_err(|why| wrong(&option, &why))?;
            rules.push(Rule { option, datasets, change: Change::Layout(layout.clone()) });
        }
    }
    for text in &args.filter {
        rules.push(rule("--filter", text, parse_filters)?);
    }
    rules.extend(h5repack::rules(&args.h5repack_layout, &args.h5repack_filter)?);
    Ok((ChangeSet { rules, ..ChangeSet::default() }, objects))
}

/// The objects that an option means.
pub(super) fn choice(option: &str, text: &str) -> Result<ObjectChoice, Failure> {
    let objects = PathPattern::parse(text).map_err(|why| wrong(option, &why))?;
    Ok(ObjectChoice { option: option.into(), objects })
}

fn chunk_bytes(bytes: u64, read: &Option<Vec<Size>>) -> Change {
    Change::Layout(LayoutRequest::ChunkBytes { bytes, read: read.clone() })
}

/// `OBJECTS:VALUE`, or a value for all datasets.
fn rule(name: &str, text: &str, change: impl Fn(&str) -> Result<Change, String>) -> Result<Rule, Failure> {
    let option = format!("{name} {text}");
    let parse = |(objects, value): (&str, &str)| {
        PathPattern::parse(objects).and_then(|datasets| Ok((datasets, change(value)?)))
    };
    // A path may have colons; so may a shape, where they are sizes. What is wrong is told of the last one.
    let last = parse(text.rsplit_once(':').unwrap_or(("", text)));
    let (datasets, change) = last.or_else(|why| {
        let places = text.match_indices(':').map(|(place, _)| (&text[..place], &text[place + 1..]));
        let mut others = places.chain([("", text)]).filter_map(|split| parse(split).ok());
        others.next().ok_or_else(|| wrong(&option, &why))
    })?;
    Ok(Rule { option, datasets, change })
}

pub(super) fn wrong(option: &str, why: &str) -> Failure {
    Failure::wrong_request(format!("`{option}`: {why}"))
}

/// `1x361x720`, `1,361,720`, or `time=1,lat=all`.
pub(super) fn parse_chunks(text: &str) -> Result<LayoutRequest, String> {
    if !text.contains('=') {
        return parse_shape(text).map(LayoutRequest::Chunks);
    }
    let named = text.split(',').map(|part| match part.split_once('=') {
        Some((name, size)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), parse_size(size)?)),
        _ => Err(format!("{part:?} is not a name and a size, such as time=1")),
    });
    Ok(LayoutRequest::NamedChunks(named.collect::<Result<_, String>>()?))
}

/// A size for each dimension, separated by `x` or `,`.
pub(super) fn parse_shape(text: &str) -> Result<Vec<Size>, String> {
    text.split(['x', ',']).map(parse_size).collect()
}

fn parse_size(text: &str) -> Result<Size, String> {
    match text.trim() {
        "all" | ":" => Ok(Size::Whole),
        text => match text.parse() {
            Ok(elements) if elements > 0 => Ok(Size::Elements(elements)),
            _ => Err(format!("{text:?} is not a number of elements; write 1 or more, or `all`")),
        },
    }
}

/// `shuffle+gzip=4`, `round=2+shuffle+gzip=4`, `none`, `keep`.
pub(super) fn parse_filters(text: &str) -> Result<Change, String> {
    let text = text.trim();
    if text == "keep" {
        return Ok(Change::KeepFilters);
    }
    let Some(rounded) = text.strip_prefix("round=") else {
        return FilterRequest::parse_pipeline(text).map(Change::Filters);
    };
    let (digits, filters) = rounded.split_once('+').unwrap_or((rounded, "none"));
    let digits = digits.trim().parse().ok().filter(|&digits| DecimalRounding::can_round_to(digits));
    let digits = digits.ok_or_else(|| {
        let decimal_places = rounded.split('+').next().unwrap_or_default();
        format!("{decimal_places:?} is not a number of decimal places, such as 2 in round=2+shuffle+gzip=4")
    })?;
    Ok(Change::Rounded { digits, filters: FilterRequest::parse_pipeline(filters)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_by_position_or_by_name() {
        let chunks = LayoutRequest::Chunks(vec![Size::Elements(1), Size::Whole, Size::Elements(720)]);
        assert_eq!(parse_chunks("1xallx720").unwrap(), chunks);
        assert_eq!(parse_chunks("1,:,720").unwrap(), chunks);
        let named = vec![("time".to_owned(), Size::Elements(1)), ("lat".to_owned(), Size::Whole)];
        assert_eq!(parse_chunks("time=1,lat=all").unwrap(), LayoutRequest::NamedChunks(named));
        for text in ["", "0", "1x", "1x-2", "time=1,2", "=1", "time=x"] {
            assert!(parse_chunks(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_colon_ends_the_objects_or_is_a_size() {
        let shape = |text: &str| rule("--chunks", text, |shape| parse_chunks(shape).map(Change::Layout));
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
        assert!(shape("t2m:1x0").unwrap_err().message.contains("\"0\" is not a number"));
    }

    #[test]
    fn filters_have_the_parameters_of_libhdf5() {
        let Change::Filters(filters) = parse_filters("shuffle+szip=ec,16+scaleoffset=-2").unwrap() else {
            panic!("filters")
        };
        let found: Vec<_> = filters.iter().map(|filter| (filter.id, &filter.parameters[..])).collect();
        assert_eq!(found, [(2, &[][..]), (4, &[4, 16]), (6, &[(-2i32) as u32])]);
        assert_eq!(parse_filters("none").unwrap(), Change::Filters(Vec::new()));
        assert_eq!(parse_filters("keep").unwrap(), Change::KeepFilters);
        let rounded = |filters| Change::Rounded { digits: -1, filters };
        let gzip = FilterRequest { id: 1, parameters: vec![4] };
        assert_eq!(parse_filters("round=-1+gzip=4").unwrap(), rounded(vec![gzip]));
        assert_eq!(parse_filters("round=-1").unwrap(), rounded(Vec::new()));
        for text in ["round=", "round=x+gzip=4", "round=301", "round=1+keep", "gzip=4+round=1"] {
            assert!(parse_filters(text).is_err(), "{text}");
        }
        assert!(parse_filters("shufle").unwrap_err().contains("there is no filter"));
    }

    #[test]
    fn every_filter_that_is_written_has_a_name() {
        for entry in hyperslab_filters::table().iter().filter(|entry| entry.write) {
            let name = match entry.name {
                // Its parameters are part of the names of its modes.
                "BitGroom" => "bitgroom=3".into(),
                "Granular BitRound" => "granularbitround=3".into(),
                name => name.to_lowercase(),
            };
            let requests = FilterRequest::parse_pipeline(&name).unwrap_or_else(|why| panic!("{name}: {why}"));
            assert_eq!(requests[0].id, entry.id, "{name}");
        }
    }
}
