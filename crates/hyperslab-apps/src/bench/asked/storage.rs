//! How the data is stored: the product of everything that is decided when a dataset is created.

use super::shape::{buffer, is_bytes, parsed};
use super::subject::Stored;
use super::values::{list, size, unique, word, wrong};
use crate::Result;
use crate::bench::{Request, Unlimited};
use hyperslab_engines::{AllocTime, CreationProperties, Element, FillTime, Format, Libver};
use hyperslab_storage::FilterRequest;
use hyperslab_storage::pattern::{BlockDim, shape_text};

/// Names the storage of the file.
const AS_IS: &str = "as-is";

/// Chunks of what is written where nothing is said of them.
const DEFAULT_CHUNKS: &str = "1MiB";

/// The formats of what is written.
pub(super) fn formats(request: &Request) -> Result<Vec<Format>> {
    list(&request.format, Format::Hdf5, word("format", "hdf5, netcdf4, classic, cdf5, hdf4"))
}

/// True where nothing is asked for that is decided at creation.
pub(super) fn stores_as_is(request: &Request) -> bool {
    let lists = [
        &request.format,
        &request.chunks,
        &request.filter,
        &request.page_size,
        &request.libver,
        &request.fill_time,
        &request.alloc_time,
    ];
    lists.iter().all(|list| list.is_empty()) && request.unlimited.is_none() && request.fill_value.is_none()
}

/// The product of everything that is decided at creation, after the user's file as it is, with which they are compared;
/// that alone where nothing is asked for.
pub(super) fn storages(
    request: &Request,
    stored: &Stored,
    formats: &[Format],
    notes: &mut Vec<String>,
) -> Result<Vec<Option<CreationProperties>>> {
    let is_dataset = stored.as_is.is_some();
    if stores_as_is(request) && is_dataset {
        return Ok(vec![None]);
    }
    let shape = stored.subject.shape();
    let element = stored.element.ok_or_else(|| {
        wrong("only datasets of numbers, of strings of fixed length and of records of them are rewritten")
            .hint("without --chunks, --filter and the other options of storage, the file is read as it is")
    })?;
    let plain = CreationProperties {
        fill_value: request.fill_value,
        ..CreationProperties::plain(shape.to_vec(), element)
    };
    let plains: Vec<CreationProperties> = match request.unlimited {
        None => vec![plain],
        Some(Unlimited::All) => vec![CreationProperties { unlimited: true, ..plain }],
        Some(Unlimited::Both) => vec![plain.clone(), CreationProperties { unlimited: true, ..plain }],
    };
    let mut found = Vec::new();
    for plain in &plains {
        for chunks in chunk_shapes(request, stored, plain.unlimited, notes)? {
            found.push(CreationProperties { chunks, ..plain.clone() });
        }
    }
    // Dimensions that may grow need chunks; in one matrix with fixed ones, what cannot be is left out.
    if request.unlimited == Some(Unlimited::Both) {
        found.retain(|storage| !storage.unlimited || storage.chunks.is_some() || formats != [Format::Hdf5]);
    }
    let own = stored.as_is.as_ref().map_or_else(Vec::new, |(_, filters)| filters.clone());
    let pipelines = list(&request.filter, own, |text| {
        FilterRequest::parse_pipeline(text).map_err(|error| wrong(format!("--filter {text}: {error}")))
    })?;
    let is_asked = !request.filter.is_empty();
    vary(&mut found, &pipelines, |storage, filters| {
        // The file's own pipeline stays where there are chunks for it.
        if is_asked || storage.chunks.is_some() {
            storage.filters.clone_from(filters);
        }
    });
    vary(&mut found, formats, |storage, format| {
        storage.format = *format;
        let is_table = *format == Format::Hdf4 && matches!(element, Element::Record(_));
        if format.is_classic() || is_table {
            // They have neither; what differs in them alone is written once.
            (storage.chunks, storage.filters) = (None, Vec::new());
        }
    });
    let mut found = unique(&found);
    let pages = list(&request.page_size, None, |text| size("--page-size", text).map(Some))?;
    vary(&mut found, &pages, |storage, bytes| storage.page_bytes = *bytes);
    let libvers = list(&request.libver, Libver::default(), word("version", "default, earliest, latest"))?;
    vary(&mut found, &libvers, |storage, libver| storage.libver = *libver);
    let times = list(&request.fill_time, FillTime::default(), word("fill time", "if-set, alloc, never"))?;
    vary(&mut found, &times, |storage, time| storage.fill_time = *time);
    let known = "default, early, late, incremental";
    let times = list(&request.alloc_time, AllocTime::default(), word("allocation time", known))?;
    vary(&mut found, &times, |storage, time| storage.alloc_time = *time);
    found.iter().try_for_each(|storage| storage.check().map_err(wrong))?;
    let is_named = request.chunks.iter().any(|text| text == AS_IS);
    let as_is = is_dataset && (is_named || !request.no_baseline);
    Ok(as_is.then_some(None).into_iter().chain(found.into_iter().map(Some)).collect())
}

/// The chunks that are asked for; those of the file where none are.
fn chunk_shapes(
    request: &Request,
    stored: &Stored,
    is_unlimited: bool,
    notes: &mut Vec<String>,
) -> Result<Vec<Option<Vec<u64>>>> {
    let shape = stored.subject.shape();
    let element_bytes = stored.element.map_or(stored.element_bytes, |element| element.bytes());
    let default = || chunk_shape(DEFAULT_CHUNKS, shape, element_bytes, is_unlimited).map(Some);
    let texts = request.chunks.iter().filter(|text| !(stored.as_is.is_some() && *text == AS_IS));
    let of = |text: &String| match text.as_str() {
        "contiguous" | "default" => Ok(None),
        text => chunk_shape(text, shape, element_bytes, is_unlimited).map(Some),
    };
    if !request.chunks.is_empty() {
        return texts.map(of).collect();
    }
    let needs_chunks = is_unlimited || request.filter.iter().any(|text| text != "none");
    let Some((own, _)) = &stored.as_is else { return Ok(vec![default()?]) };
    Ok(vec![match own {
        Some(own) => {
            let clipped: Vec<u64> = own.iter().zip(shape).map(|(chunk, dim)| (*chunk).min(*dim)).collect();
            if clipped != *own && !is_unlimited {
                let (own, taken) = (shape_text(own), shape_text(&clipped));
                notes.push(format!(
                    "the chunks of the file, {own}, reach beyond its extent: {taken} was taken"
                ));
            }
            Some(if is_unlimited { own.clone() } else { clipped })
        }
        None if needs_chunks => {
            let taken = default()?;
            let text = taken.as_ref().map(|chunks| shape_text(chunks)).unwrap_or_default();
            notes.push(format!(
                "the file has no chunks, which are needed here: {text} was taken; --chunks names others"
            ));
            taken
        }
        None => None,
    }])
}

/// Chunks inside the extent; where it may grow, as they are named.
fn chunk_shape(text: &str, shape: &[u64], element_bytes: u64, is_unlimited: bool) -> Result<Vec<u64>> {
    let row_major: Vec<usize> = (0..shape.len()).collect();
    let taken = buffer("--chunks", text, shape, &row_major, element_bytes)?;
    if is_bytes(text) {
        return Ok(taken);
    }
    let named = parsed("--chunks", text, shape.len())?;
    let asked = named.dims().iter().zip(&taken).map(|(dim, taken)| match dim {
        BlockDim::Elements(count) => *count,
        BlockDim::Whole => *taken,
    });
    let asked: Vec<u64> = asked.collect();
    if asked != taken && !is_unlimited {
        let extent = shape_text(shape);
        return Err(wrong(format!("--chunks {text}: a chunk is larger than the extent, {extent}"))
            .hint("libhdf5 takes such chunks only where dimensions may grow: --unlimited"));
    }
    Ok(asked)
}

/// Multiplies the storages by the values of one property.
fn vary<T>(found: &mut Vec<CreationProperties>, values: &[T], set: impl Fn(&mut CreationProperties, &T)) {
    let varied = found.iter().flat_map(|storage| {
        values.iter().map(|value| {
            let mut storage = storage.clone();
            set(&mut storage, value);
            storage
        })
    });
    *found = varied.collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_of_so_many_bytes_take_the_last_dimensions_whole() {
        let chunk = |text| chunk_shape(text, &[1460, 361, 720], 4, false).unwrap();
        assert_eq!(chunk("1MiB"), [1, 361, 720]);
        assert_eq!(chunk("4KiB"), [1, 1, 720]);
        assert_eq!(chunk("1KiB"), [1, 1, 256]);
        assert_eq!(chunk("1GiB"), [1032, 361, 720]);
        assert_eq!(chunk("365x25x25"), [365, 25, 25]);
    }

    #[test]
    fn chunks_beyond_the_extent_are_for_what_may_grow() {
        let refused = chunk_shape("2000x1x1", &[1460, 361, 720], 4, false).unwrap_err();
        assert!(refused.message.starts_with("--chunks 2000x1x1: a chunk is larger"), "{refused:?}");
        assert_eq!(chunk_shape("2000x1x:", &[1460, 361, 720], 4, true).unwrap(), [2000, 1, 720]);
    }
}
