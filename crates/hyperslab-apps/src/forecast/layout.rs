//! What the census of a file says about where everything lies.

use super::SweptRead;
use crate::Error;
use hyperslab::File;
use hyperslab::hdf5::{Census, Extent, Owner};
use hyperslab_doctor::forecast::{Contiguous, FileLayout, Piece};
use hyperslab_doctor::simulate::PageKind;

/// The kind of page that a byte lies in.
pub(super) fn kind(census: &Census, address: u64) -> PageKind {
    extent(census, address).map_or(PageKind::Metadata, |extent| owned_kind(extent.owner))
}

/// What a byte lies in.
pub(super) fn extent(census: &Census, address: u64) -> Option<&Extent> {
    let before = census.extents.partition_point(|extent| extent.start <= address).checked_sub(1)?;
    Some(&census.extents[before]).filter(|extent| address < extent.end)
}

/// libhdf5's page buffer takes global heaps for raw data.
fn owned_kind(owner: Owner) -> PageKind {
    match owner {
        Owner::RawData(_) | Owner::Metadata("global heap collection") => PageKind::Raw,
        Owner::Metadata(_) | Owner::Free => PageKind::Metadata,
    }
}

/// Everything in a file, without the raw data of the dataset at `left_out`.
pub(super) fn pieces(census: &Census, left_out: Option<&str>) -> Vec<Piece> {
    let left_out = census.raw_data.iter().position(|(path, _)| Some(path.as_str()) == left_out);
    let is_left_out = |owner: Owner| left_out.is_some_and(|number| owner == Owner::RawData(number));
    let extents = census.extents.iter().filter(|extent| extent.owner != Owner::Free);
    extents
        .filter(|extent| !is_left_out(extent.owner))
        .map(|extent| Piece { kind: owned_kind(extent.owner), start: extent.start, end: extent.end })
        .collect()
}

/// The raw data of a dataset, in the order of the file.
pub(super) fn raw_data(census: &Census, path: &str) -> Vec<Contiguous> {
    let Some(number) = census.raw_data.iter().position(|(known, _)| known == path) else { return Vec::new() };
    let own = census.extents.iter().filter(|extent| extent.owner == Owner::RawData(number));
    own.map(|extent| Contiguous { start: extent.start, end: extent.end }).collect()
}

/// What the policies of readers know of a file.
pub(super) fn layout(census: &Census, file: &File, reads: &[SweptRead]) -> Result<FileLayout, Error> {
    let mut contiguous = Vec::new();
    for (path, _) in &census.raw_data {
        let is_read = reads.iter().any(|read| read.path == *path);
        if is_read && file.dataset(path)?.layout_name() == "contiguous" {
            contiguous.extend(raw_data(census, path));
        }
    }
    contiguous.sort_unstable();
    Ok(FileLayout {
        file_bytes: file.source().len(),
        page_bytes: census.page_bytes,
        contiguous,
        opening_reads: 0,
    })
}
