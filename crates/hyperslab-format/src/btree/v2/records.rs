//! Iterates over the records of a version 2 B-tree: all of them, or those in subtrees that may contain a wanted record.
//! It returns all records at the end, or one run after the other while the traversal continues ([`Records::next`]).

use super::node::Pointer;
use super::{BTreeV2, STRUCTURE};
use crate::node_traversal::{Item, NodeTraversal, VisitedRanges};
use crate::{Address, Bytes, Cursor, FormatError, Parse, View, Widths};

/// Decides whether a subtree may contain a wanted record. The arguments are the records to the left and right of the
/// subtree (`None` at the ends); all its records are between them.
pub type SubtreeFilter = dyn Fn(Option<&[u8]>, Option<&[u8]>) -> bool + Send + Sync;

const STRUCTURE_OF_RECORDS: &str = "version 2 B-tree record";

/// Consecutive records of one node.
#[derive(Debug, Clone)]
pub struct RecordRun {
    /// The absolute offset of the first record.
    pub at: u64,
    /// The bytes of the records.
    pub bytes: Bytes,
    record_bytes: usize,
}

impl RecordRun {
    /// Iterates over the bytes of each record.
    pub fn records(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.chunks_exact(self.record_bytes)
    }

    /// The number of records.
    pub fn count(&self) -> usize {
        self.bytes.len() / self.record_bytes
    }

    /// A cursor over all records in succession.
    pub fn cursor(&self, widths: Widths) -> Cursor {
        Cursor::new(STRUCTURE_OF_RECORDS, self.at, self.bytes.clone(), widths)
    }

    /// Iterates over a cursor for each record.
    pub fn cursors(&self, widths: Widths) -> impl Iterator<Item = Cursor> + '_ {
        let step = self.record_bytes;
        (0..self.count()).map(move |i| {
            let bytes = self.bytes.slice(i * step..(i + 1) * step);
            Cursor::new(STRUCTURE_OF_RECORDS, self.at + (i * step) as u64, bytes, widths)
        })
    }
}

/// A traversal in progress. It returns the records in order, as [`RecordRun`]s.
pub struct Records {
    address: Address,
    kind: u8,
    record_bytes: Option<usize>,
    keep: Option<Box<SubtreeFilter>>,
    under_way: Option<(BTreeV2, NodeTraversal<Pointer, RecordRun>)>,
}

impl std::fmt::Debug for Records {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Records").field("address", &self.address).field("kind", &self.kind).finish()
    }
}

impl Records {
    /// All records of the tree at `address`, which are of type `kind`.
    pub fn all(address: Address, kind: u8) -> Self {
        Self { address, kind, record_bytes: None, keep: None, under_way: None }
    }

    /// Only the records of nodes that may contain a wanted record; the caller must still search them.
    pub fn matching(address: Address, kind: u8, keep: Box<SubtreeFilter>) -> Self {
        Self { keep: Some(keep), ..Self::all(address, kind) }
    }

    /// Only the records of nodes that may contain this key, by which the tree is sorted. Several records may have the
    /// same key, even in neighbouring nodes. If the key of a record cannot be parsed, the subtrees next to it are not
    /// skipped.
    pub fn with_key<K: Ord + Send + Sync + 'static>(
        address: Address,
        kind: u8,
        key: K,
        key_of: impl Fn(&[u8]) -> Option<K> + Send + Sync + 'static,
    ) -> Self {
        let keep = move |left: Option<&[u8]>, right: Option<&[u8]>| {
            left.and_then(&key_of).is_none_or(|left| left <= key)
                && right.and_then(&key_of).is_none_or(|right| key <= right)
        };
        Self::matching(address, kind, Box::new(keep))
    }

    /// Sets the expected record size in bytes; another size is an error.
    pub fn of_bytes(self, record_bytes: usize) -> Self {
        Self { record_bytes: Some(record_bytes), ..self }
    }

    /// Like [`Self::advance`], but returns the error of a broken subtree among the results and continues with the
    /// others.
    pub fn advance_lenient(&mut self, view: &View) -> Parse<Vec<Result<RecordRun, FormatError>>> {
        self.begin(view, true)?;
        let keep = self.keep.as_deref();
        let Some((tree, walk)) = &mut self.under_way else { return Ok(Vec::new()) };
        walk.advance(|&pointer, visited| visit(view, tree, keep, pointer, visited))?;
        Ok(walk.results())
    }

    /// Continues the traversal. Call it again until it returns `Ok`, and not after that.
    pub fn advance(&mut self, view: &View) -> Parse<Vec<RecordRun>> {
        self.begin(view, false)?;
        let keep = self.keep.as_deref();
        let Some((tree, walk)) = &mut self.under_way else { return Ok(Vec::new()) };
        walk.advance(|&pointer, visited| visit(view, tree, keep, pointer, visited))?;
        Ok(walk.results().into_iter().collect::<Result<_, _>>()?)
    }

    /// The next records in their order, or `None` after the last. Ends at the first error.
    pub fn next(&mut self, view: &View) -> Parse<Option<RecordRun>> {
        self.begin(view, false)?;
        let keep = self.keep.as_deref();
        let Some((tree, walk)) = &mut self.under_way else { return Ok(None) };
        let run = walk.next(|&pointer, visited| visit(view, tree, keep, pointer, visited))?;
        Ok(run.transpose()?)
    }

    /// Reads the header, if that has not been done. A tree without records has no walk.
    fn begin(&mut self, view: &View, lenient: bool) -> Parse<()> {
        if self.under_way.is_some() {
            return Ok(());
        }
        let tree = BTreeV2::parse(view, self.address, self.kind)?;
        if let Some(expected) = self.record_bytes {
            tree.expect_record_bytes(view.absolute(self.address), expected)?;
        }
        match tree.root_pointer() {
            Some(root) => {
                let walk = if lenient { NodeTraversal::lenient(root) } else { NodeTraversal::strict(root) };
                self.under_way = Some((tree, walk));
                Ok(())
            }
            None if tree.root_records == 0 => Ok(()),
            None => {
                let at = view.absolute(self.address);
                let what = "the tree has records, but no root node";
                Err(FormatError::invalid(STRUCTURE, "root node address", at, what).into())
            }
        }
    }
}

/// The records and children of a node, in the order of the tree.
fn visit(
    view: &View,
    tree: &BTreeV2,
    keep: Option<&SubtreeFilter>,
    pointer: Pointer,
    visited: &mut VisitedRanges,
) -> Parse<Vec<Item<Pointer, RecordRun>>> {
    let record_bytes = usize::from(tree.record_bytes);
    let mut node = tree.node(view, pointer, visited)?;
    let at = node.records.at();
    let bytes = node.records.rest();
    let run = |range: std::ops::Range<usize>| RecordRun {
        at: at + range.start as u64,
        bytes: bytes.slice(range),
        record_bytes,
    };
    if node.children.is_empty() {
        return Ok(vec![Item::Done(run(0..bytes.len()))]);
    }
    let record = |i: usize| bytes.get(i * record_bytes..(i + 1) * record_bytes);
    let mut items = Vec::new();
    for (i, &child) in node.children.iter().enumerate() {
        let left = i.checked_sub(1).and_then(record);
        if keep.is_none_or(|keep| keep(left, record(i))) {
            items.push(Item::Node(child));
        }
        if i + 1 < node.children.len() {
            items.push(Item::Done(run(i * record_bytes..(i + 1) * record_bytes)));
        }
    }
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{header, node};
    use super::*;
    use crate::Stop;
    use crate::testing::{Build, every_prefix_fails};

    fn record(key: u32) -> Vec<u8> {
        [&key.to_le_bytes()[..], &[0; 7]].concat()
    }

    /// Records of 11 bytes with the keys 1 to 5: two in a leaf, one in the root, two in another leaf.
    fn tree() -> Build {
        let image = header(Build::default(), 5, (100, 11), 1, Address(50), 1).pad_to(50);
        let image = node(image, 5, &[record(3)], &[(100, 2), (150, 2)]).pad_to(100);
        let image = node(image, 5, &[record(1), record(2)], &[]).pad_to(150);
        node(image, 5, &[record(4), record(5)], &[])
    }

    fn keys(runs: &[RecordRun]) -> Vec<u8> {
        runs.iter().flat_map(|run| run.records().map(|record| record[0])).collect()
    }

    #[test]
    fn all_records_come_in_order() {
        let image = tree();
        let runs = Records::all(Address(0), 5).advance(&image.view()).unwrap();
        assert_eq!(keys(&runs), [1, 2, 3, 4, 5]);
        let ats: Vec<u64> =
            runs.iter().flat_map(|run| run.cursors(Widths::default())).map(|c| c.at()).collect();
        assert_eq!(ats, [106, 117, 56, 156, 167]);
        every_prefix_fails(&image, |view| Records::all(Address(0), 5).advance(view));
    }

    #[test]
    fn only_subtrees_that_may_match_are_visited() {
        let image = tree().patch(100, b"nope");
        let keep = |left: Option<&[u8]>, _: Option<&[u8]>| left.is_some_and(|left| left[0] <= 4);
        let mut records = Records::matching(Address(0), 5, Box::new(keep));
        assert_eq!(keys(&records.advance(&image.view()).unwrap()), [3, 4, 5]);
        Records::all(Address(0), 5).advance(&image.view()).unwrap_err();
        let lenient = Records::all(Address(0), 5).advance_lenient(&image.view()).unwrap();
        assert_eq!(lenient.iter().map(Result::is_ok).collect::<Vec<_>>(), [false, true, true]);
    }

    #[test]
    fn refuses_wrong_sizes_counts_and_cycles() {
        let sized = Records::all(Address(0), 5).of_bytes(12).advance(&tree().view());
        assert!(matches!(sized, Err(Stop::Bad(_))));
        let too_many =
            node(header(Build::default(), 5, (100, 11), 0, Address(50), 9).pad_to(50), 5, &[], &[]);
        Records::all(Address(0), 5).advance(&too_many.view()).unwrap_err();
        let rootless = header(Build::default(), 5, (100, 11), 0, Address(u64::MAX), 1);
        Records::all(Address(0), 5).advance(&rootless.view()).unwrap_err();
        let empty = header(Build::default(), 5, (100, 11), 0, Address(u64::MAX), 0);
        assert!(Records::all(Address(0), 5).advance(&empty.view()).unwrap().is_empty());
        let twice = header(Build::default(), 5, (100, 11), 1, Address(50), 1).pad_to(50);
        let twice = node(twice, 5, &[record(3)], &[(100, 1), (100, 1)]).pad_to(100);
        let twice = node(twice, 5, &[record(1)], &[]);
        let error = Records::all(Address(0), 5).advance(&twice.view()).unwrap_err();
        assert!(format!("{error:?}").contains("second time"));
    }
}
