//! The reads of the blocks that follow those that were recorded: of the data from the geometry of the chunks and the chunk
//! cache, of the chunk index from hyperslab's own plan.

use super::layout::{extent, raw_data};
use crate::Error;
use crate::facts::layout_facts;
use hyperslab::Dataset;
use hyperslab::hdf5::{Census, Owner};
use hyperslab_doctor::forecast::{Access, RawPlaces, RawReads};
use hyperslab_doctor::simulate::{Geometry, LibVersion, PageKind};
use hyperslab_doctor::{DatasetFacts, Profile};
use hyperslab_storage::CacheSettings;

/// A dataset as libhdf5 reads it.
pub(super) struct Unrecorded<'a> {
    dataset: &'a Dataset,
    census: &'a Census,
    geometry: Geometry,
    /// Offset of the first element of contiguous data.
    first: Option<u64>,
    settings: CacheSettings,
    version: LibVersion,
}

impl<'a> Unrecorded<'a> {
    /// `release` is that of the libhdf5 that was recorded. `None` where the reads of this dataset cannot be simulated.
    pub(super) fn of(dataset: &'a Dataset, census: &'a Census, release: &str) -> Result<Option<Self>, Error> {
        let facts: DatasetFacts = layout_facts(dataset)?;
        let geometry = Geometry::of(&facts).map_err(|error| Error::unreadable(error.to_string()))?;
        let profile = Profile::installed("recorded", release);
        let (Some(geometry), Some(profile)) = (geometry, profile) else { return Ok(None) };
        let settings = profile.cache(geometry.chunk_bytes());
        let first = match (geometry.chunk_dims(), raw_data(census, dataset.path()).as_slice()) {
            (None, [first, ..]) => Some(first.start),
            (None, []) => return Ok(None),
            (Some(_), _) => None,
        };
        let known = Self { dataset, census, geometry, first, settings, version: profile.version };
        let can_be_simulated = known.reads(&|_| None).is_some();
        Ok(can_be_simulated.then_some(known))
    }

    fn reads<'r>(&'r self, place: &'r dyn Fn(u64) -> Option<(u64, u64)>) -> Option<RawReads<'r>> {
        let places = self.first.map_or(RawPlaces::Chunks(place), RawPlaces::Contiguous);
        RawReads::new(&self.geometry, places, self.settings, self.version)
    }

    /// Adds the reads of all `blocks` but the first `recorded` to those that were recorded. Of `planned`, the reads of the
    /// chunk index that have not come up are spread over these blocks: libhdf5 reads a node when it needs the first of its
    /// chunks.
    pub(super) fn add(
        &self,
        accesses: &mut Vec<Access>,
        planned: &[Access],
        blocks: &[(Vec<u64>, Vec<u64>)],
        recorded: usize,
    ) {
        let map = self.dataset.chunk_map().ok();
        let place = |chunk: u64| {
            let location = map.as_ref()?.get(chunk.into())?;
            Some((location.address, location.stored_bytes))
        };
        let Some(mut reads) = self.reads(&place) else { return };
        let mut ignored = Vec::new();
        for (start, count) in blocks.iter().take(recorded) {
            reads.read(start, count, &mut ignored);
            ignored.clear();
        }
        let missing = missing_nodes(accesses, planned, &|address| index_node(self.census, address));
        let following = blocks.len().saturating_sub(recorded);
        let mut taken = 0;
        for (number, (start, count)) in blocks.iter().skip(recorded).enumerate() {
            let due = missing.len() * (number + 1) / following;
            accesses.extend(&missing[taken..due]);
            taken = due;
            reads.read(start, count, accesses);
        }
    }
}

/// Start and end of the structure of a chunk index that a byte belongs to: they are told by the specification's names.
fn index_node(census: &Census, address: u64) -> Option<(u64, u64)> {
    let extent = extent(census, address)?;
    let Owner::Metadata(name) = extent.owner else { return None };
    let mut kinds = ["chunk B-tree", "version 2 B-tree", "fixed array", "extensible array"].iter();
    kinds.any(|kind| name.starts_with(kind)).then_some((extent.start, extent.end))
}

/// The nodes of the chunk index at which a planned read begins, and of which no byte was read. libhdf5 reads each by itself;
/// a plan reads what follows it, too.
fn missing_nodes(
    accesses: &[Access],
    planned: &[Access],
    node: &dyn Fn(u64) -> Option<(u64, u64)>,
) -> Vec<Access> {
    let is_metadata = |access: &&Access| access.kind == PageKind::Metadata;
    let mut known: Vec<(u64, u64)> = accesses
        .iter()
        .filter(is_metadata)
        .map(|access| (access.address, access.address.saturating_add(access.len)))
        .collect();
    known.sort_unstable();
    // The furthest end of all that begins before each place.
    let mut end = 0;
    for one in &mut known {
        end = end.max(one.1);
        one.1 = end;
    }
    let is_known = |access: &Access| {
        let before = known.partition_point(|one| one.0 < access.address.saturating_add(access.len));
        before.checked_sub(1).is_some_and(|last| known[last].1 > access.address)
    };
    let nodes = planned.iter().filter(is_metadata).filter_map(|access| node(access.address));
    let nodes =
        nodes.map(|(start, end)| Access { kind: PageKind::Metadata, address: start, len: end - start });
    nodes.filter(|node| !is_known(node)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_that_was_read_is_not_read_again() {
        let access = |kind, address, len| Access { kind, address, len };
        let metadata = |address, len| access(PageKind::Metadata, address, len);
        let read = [metadata(0, 100), metadata(300, 8), access(PageKind::Raw, 500, 100)];
        let planned =
            [metadata(8, 40), metadata(90, 40), metadata(100, 900), metadata(290, 40), metadata(500, 9)];
        let node = |address| (address != 290).then_some((address, address + 40));
        assert_eq!(missing_nodes(&read, &planned, &node), [metadata(100, 40), metadata(500, 40)]);
    }
}
