//! Chunks in a version 2 B-tree (specification III.A.2, types 10 and 11): datasets with more than one unlimited
//! dimension.
//!
//! ```text
//! type 10 (unfiltered):  address | offset of the chunk in chunks, 8 for each dimension
//! type 11 (filtered):    address | stored size | filter mask 4 | offset of the chunk, 8 for each dimension
//! ```

use super::batch::gather;
use super::columns::ChunkColumns;
use super::context::WalkContext;
use super::order::Ascending;
use crate::btree::v2::{RecordRun, Records};
use crate::{FormatError, Parse, Stop, View};

#[derive(Debug)]
pub(super) struct BTreeV2Walk {
    context: WalkContext,
    /// `None` until the widths of the file are known.
    records: Option<Records>,
    order: Ascending,
}

impl BTreeV2Walk {
    pub(super) fn new(context: WalkContext) -> Self {
        Self { context, records: None, order: Ascending::default() }
    }

    pub(super) fn advance(&mut self, view: &View) -> Parse<Option<ChunkColumns>> {
        let context = &self.context;
        let records = self.records.get_or_insert_with(|| records(context, view));
        let add = |run: RecordRun, found: &mut ChunkColumns| add_run(view, context, &run, found);
        let found = gather(context.rank, || records.next(view), add)?;
        found.map(|found| self.order.checked(found)).transpose().map_err(Stop::from)
    }
}

/// The records of all nodes that may contain wanted chunks.
fn records(context: &WalkContext, view: &View) -> Records {
    let before_coords =
        usize::from(view.widths.offset) + if context.filtered { context.size_bytes(view) + 4 } else { 0 };
    let region = context.region.clone();
    let coords = move |record: &[u8]| -> Vec<u64> {
        let words = record[before_coords..].chunks_exact(8);
        words.map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes"))).collect()
    };
    let keep = move |left: Option<&[u8]>, right: Option<&[u8]>| {
        region.overlaps(left.map(&coords).as_deref(), right.map(&coords).as_deref())
    };
    let kind = if context.filtered { 11 } else { 10 };
    Records::matching(context.address, kind, Box::new(keep)).of_bytes(before_coords + 8 * context.rank)
}

/// Adds the wanted chunks among records.
fn add_run(
    view: &View,
    context: &WalkContext,
    run: &RecordRun,
    found: &mut ChunkColumns,
) -> Result<(), FormatError> {
    let size_bytes = context.size_bytes(view);
    let mut coords = Vec::with_capacity(context.rank);
    let mut record = run.cursor(view.widths);
    for _ in 0..run.count() {
        let at = record.at();
        let address = record.address("address")?;
        let (stored, mask) = if context.filtered {
            (record.uint("chunk size", size_bytes)?, record.u32("filter mask")?)
        } else {
            (context.chunk_bytes, 0)
        };
        coords.clear();
        for _ in 0..context.rank {
            coords.push(record.u64("scaled offset")?);
        }
        if context.region.contains(&coords) {
            let nowhere = || record.invalid_at(at, "address", "the chunk has no address");
            context.add(view, found, &coords, (address.ok_or_else(nowhere)?, stored, mask))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Dataset, dataset};
    use crate::Address;
    use crate::btree::v2::tests::{header, node};
    use crate::message::ChunkIndex;
    use crate::testing::{Build, every_prefix_fails};

    fn btree(dims: &[u64]) -> Dataset {
        let index = ChunkIndex::BTreeV2 { node_bytes: 128, split_percent: 100, merge_percent: 40 };
        dataset(dims, &[None, None], &[1, 1], index)
    }

    fn record(address: u64, row: u64, column: u64) -> Vec<u8> {
        [address, row, column].iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// A record in the root, and a leaf on each side.
    fn tree() -> Build {
        let image = header(Build::default(), 10, (128, 24), 1, Address(100), 1).pad_to(100);
        let image = node(image, 10, &[record(500, 1, 0)], &[(200, 2), (300, 1)]).pad_to(200);
        let image = node(image, 10, &[record(508, 0, 1), record(504, 0, 3)], &[]).pad_to(300);
        node(image, 10, &[record(512, 1, 2)], &[]).pad_to(600)
    }

    #[test]
    fn finds_chunks_and_reads_only_nodes_that_may_contain_them() {
        let all = [
            (vec![0, 1], 508, 4, 0),
            (vec![0, 3], 504, 4, 0),
            (vec![1, 0], 500, 4, 0),
            (vec![1, 2], 512, 4, 0),
        ];
        assert_eq!(btree(&[2, 4]).rows(&tree(), None), all);
        assert_eq!(btree(&[2, 2]).rows(&tree(), None), [all[0].clone(), all[2].clone()]);
        every_prefix_fails(&tree(), |view| {
            btree(&[2, 4]).chunks(view, None).and_then(|table| {
                // The chunks themselves follow the last node.
                let end = view.bytes("test", Address(599), 1)?;
                Ok((table, end))
            })
        });
        let broken = tree().patch(200, b"nope");
        btree(&[2, 4]).chunks(&broken.view(), None).unwrap_err();
        assert_eq!(btree(&[2, 4]).rows(&broken, Some(&[(1, 2), (0, 4)])), all[2..]);
    }

    #[test]
    fn sizes_of_filtered_chunks_follow_from_chunk_size_or_version() {
        for (version, size_bytes) in [(4, 2), (5, 8)] {
            let mut leaf = 500u64.to_le_bytes().to_vec();
            leaf.extend_from_slice(&77u64.to_le_bytes()[..size_bytes]);
            leaf.extend_from_slice(&3u32.to_le_bytes());
            leaf.extend_from_slice(&record(1, 0, 0)[..16]);
            let record_bytes = leaf.len() as u16;
            let image = header(Build::default(), 11, (128, record_bytes), 0, Address(100), 1).pad_to(100);
            let image = node(image, 11, &[leaf], &[]).pad_to(600);
            let mut dataset = btree(&[2, 4]).filtered();
            dataset.layout.version = version;
            assert_eq!(dataset.rows(&image, None), [(vec![1, 0], 500, 77, 3)]);
            dataset.layout.version = 9 - version;
            dataset.chunks(&image.view(), None).unwrap_err();
        }
    }

    #[test]
    fn survives_any_change() {
        btree(&[2, 4]).survives_changes(&tree());
    }
}
