//! Dense link storage: link messages in a fractal heap, indexed by version 2 B-trees of the hashes of their names (type
//! 5) or of their creation order (type 6).

use crate::btree::v2::{BTreeV2, RecordRun, Records};
use crate::checksum::lookup3;
use crate::heap::fractal::{Each, FractalHeap, HeapIds, HeapObject, Objects, Unfilter};
use crate::message::{Link, LinkInfo};
use crate::{Address, FormatError, Gather, Name, Parse, View};

/// Lists all links in a group's dense storage. Returns `None` if all links are messages of the object header.
pub fn list(info: &LinkInfo) -> Option<List> {
    let Index { address, kind, record_bytes } = Index::of(info)?;
    let dense = Dense::new(info.heap?, Records::all(address, kind).of_bytes(record_bytes));
    Some(List { dense, links: Vec::new() })
}

/// Returns the number of links in a group's dense storage, from its index. Returns `None` if all links are messages of
/// the object header.
pub fn count(info: &LinkInfo, view: &View) -> Option<Parse<u64>> {
    let index = Index::of(info)?;
    let tree = BTreeV2::parse(view, index.address, index.kind);
    Some(tree.and_then(|tree| Ok(tree.count(view, index.address)?)))
}

/// A B-tree of all links of a group, by name or by creation order.
struct Index {
    address: Address,
    kind: u8,
    record_bytes: usize,
}

impl Index {
    fn of(info: &LinkInfo) -> Option<Self> {
        let by_name = |address| Self { address, kind: 5, record_bytes: BY_NAME_BYTES };
        let by_order = |address| Self { address, kind: 6, record_bytes: BY_ORDER_BYTES };
        info.name_index.map(by_name).or_else(|| info.creation_order_index.map(by_order))
    }
}

/// Looks up a link by name in dense storage. Returns `None` if all links are messages of the object header.
pub fn lookup(info: &LinkInfo, name: Name) -> Option<Lookup> {
    let hash = lookup3(name.as_bytes());
    let records = Records::with_key(info.name_index?, 5, hash, |record| Some(hash_of(record)));
    let records = records.of_bytes(BY_NAME_BYTES);
    Some(Lookup { dense: Dense::new(info.heap?, records), name, hash, found: None, failed: None })
}

/// The hash at the start of a record of type 5.
fn hash_of(record: &[u8]) -> u32 {
    u32::from_le_bytes([record[0], record[1], record[2], record[3]])
}

/// The heap ID at the end of a record of either type.
fn heap_id(record: &[u8]) -> &[u8] {
    &record[record.len() - ID_BYTES..]
}

/// The size of a heap ID in the records of links, in bytes.
const ID_BYTES: usize = 7;
/// The size of a record of type 5: the hash of a name, and a heap ID.
const BY_NAME_BYTES: usize = 4 + ID_BYTES;
/// The size of a record of type 6: a position in creation order, and a heap ID.
const BY_ORDER_BYTES: usize = 8 + ID_BYTES;

/// A listing in progress.
#[derive(Debug)]
pub struct List {
    dense: Dense,
    links: Vec<Result<Link, FormatError>>,
}

impl List {
    /// Continues the listing. Returns all links, including the errors of links and of parts of the index that cannot be
    /// read.
    pub fn advance(&mut self, view: &View, unfilter: &dyn Unfilter) -> Parse<Vec<Result<Link, FormatError>>> {
        let links = &mut self.links;
        if let Some(runs) = self.dense.runs(view)? {
            let mut ids = HeapIds::of_bytes(ID_BYTES);
            for run in runs {
                match run {
                    Ok(run) => run.records().for_each(|record| ids.push(heap_id(record))),
                    Err(error) => links.push(Err(error)),
                }
            }
            links.reserve_exact(ids.len());
            self.dense.seek(ids);
        }
        self.dense.objects(view, unfilter, &mut |_, object| {
            links.push(object.and_then(|object| link(object, view)));
        })?;
        Ok(std::mem::take(links))
    }
}

/// A lookup in progress.
#[derive(Debug)]
pub struct Lookup {
    dense: Dense,
    name: Name,
    hash: u32,
    found: Option<Link>,
    /// The error of a link with the same hash, which may be the wanted one.
    failed: Option<FormatError>,
}

impl Lookup {
    /// Continues the lookup. Returns `None` if dense storage contains no such link.
    pub fn advance(&mut self, view: &View, unfilter: &dyn Unfilter) -> Parse<Option<Link>> {
        if let Some(runs) = self.dense.runs(view)? {
            let mut ids = HeapIds::of_bytes(ID_BYTES);
            for run in runs {
                let run = run?;
                let same = run.records().filter(|record| hash_of(record) == self.hash);
                same.for_each(|record| ids.push(heap_id(record)));
            }
            self.dense.seek(ids);
        }
        let Self { dense, name, found, failed, .. } = self;
        dense.objects(
            view,
            unfilter,
            &mut |_, object| match object.and_then(|object| link(object, view)) {
                Ok(link) if link.name == *name => *found = Some(link),
                Ok(_) => {}
                Err(error) => *failed = Some(error),
            },
        )?;
        match (found.take(), failed.take()) {
            (None, Some(error)) => Err(error.into()),
            (found, _) => Ok(found),
        }
    }
}

/// An index and a heap: first the records are read, then the objects that they refer to.
#[derive(Debug)]
pub(super) struct Dense {
    address: Address,
    heap: Option<FractalHeap>,
    records: Records,
    runs: Option<Vec<Result<RecordRun, FormatError>>>,
    objects: Option<Objects>,
}

impl Dense {
    pub(super) fn new(address: Address, records: Records) -> Self {
        Self { address, heap: None, records, runs: None, objects: None }
    }

    /// The records, once they and the heap header have been read; after that, `None`.
    pub(super) fn runs(&mut self, view: &View) -> Parse<Option<Vec<Result<RecordRun, FormatError>>>> {
        if self.objects.is_some() {
            return Ok(None);
        }
        let mut gather = Gather::default();
        if self.heap.is_none() {
            self.heap = gather.take(FractalHeap::parse(view, self.address))?;
        }
        if self.runs.is_none() {
            self.runs = gather.take(self.records.advance_lenient(view))?;
        }
        gather.finish()?;
        Ok(self.runs.take())
    }

    /// Sets the objects to read.
    pub(super) fn seek(&mut self, ids: HeapIds) {
        self.objects = Some(Objects::new(ids));
    }

    /// Continues reading the objects; `each` is called once for each of them.
    pub(super) fn objects(&mut self, view: &View, unfilter: &dyn Unfilter, each: &mut Each<'_>) -> Parse<()> {
        match (&self.heap, &mut self.objects) {
            (Some(heap), Some(objects)) => objects.advance(view, heap, unfilter, each),
            _ => Ok(()),
        }
    }
}

fn link(object: HeapObject, view: &View) -> Result<Link, FormatError> {
    Link::parse(object.into_cursor("link message in a fractal heap", view.widths))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::btree::v2::tests::{header as tree, node};
    use crate::heap::NoFilters;
    use crate::heap::fractal::tests::{SHAPE, Shape, direct, header, managed};
    use crate::message::LinkTarget;
    use crate::testing::{Build, every_prefix_fails};

    /// A link message, version 1: a hard link with a name of one byte.
    fn message(name: u8, target: u64) -> Vec<u8> {
        [&[1, 0, 1, name][..], &target.to_le_bytes()].concat()
    }

    fn by_name(name: u8, offset: u16) -> Vec<u8> {
        [&lookup3(&[name]).to_le_bytes()[..], &managed(offset, 12)].concat()
    }

    fn by_order(order: u64, offset: u16) -> Vec<u8> {
        [&order.to_le_bytes()[..], &managed(offset, 12)].concat()
    }

    /// The links a, b and c in a heap, with both indexes. In the name index b is also listed under the name of d.
    fn group() -> Build {
        let image = header(Build::default(), &Shape { root: 200, ..SHAPE }).pad_to(200);
        let objects = [message(b'a', 900), message(b'b', 901), message(b'c', 902)].concat();
        let image = direct(image, 0, 0, 64, &objects).pad_to(300);
        let mut names = vec![by_name(b'a', 19), by_name(b'b', 31), by_name(b'c', 43), by_name(b'd', 31)];
        names.sort_by_key(|record| u32::from_le_bytes([record[0], record[1], record[2], record[3]]));
        let image = tree(image, 5, (128, 11), 0, Address(400), 4).pad_to(400);
        let image = node(image, 5, &names, &[]).pad_to(500);
        let image = tree(image, 6, (128, 15), 0, Address(600), 3).pad_to(600);
        node(image, 6, &[by_order(0, 43), by_order(1, 19), by_order(2, 31)], &[])
    }

    fn info() -> LinkInfo {
        LinkInfo {
            max_creation_index: None,
            heap: Some(Address(0)),
            name_index: Some(Address(300)),
            creation_order_index: Some(Address(500)),
        }
    }

    #[test]
    fn lists_links_as_the_heap_keeps_them() {
        let links = list(&info()).unwrap().advance(&group().view(), &NoFilters).unwrap();
        let names: Vec<String> = links.into_iter().map(|link| link.unwrap().name.to_string()).collect();
        assert_eq!(names, ["a", "b", "b", "c"]);
        let nameless = LinkInfo { name_index: None, ..info() };
        let links = list(&nameless).unwrap().advance(&group().view(), &NoFilters).unwrap();
        let names: Vec<String> = links.into_iter().map(|link| link.unwrap().name.to_string()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        every_prefix_fails(&group(), |view| list(&nameless).unwrap().advance(view, &NoFilters));
    }

    #[test]
    fn counts_links_without_reading_them() {
        let damaged = group().patch(400, b"nope").patch(600, b"nope");
        assert_eq!(count(&info(), &damaged.view()).unwrap(), Ok(4));
        let nameless = LinkInfo { name_index: None, ..info() };
        assert_eq!(count(&nameless, &damaged.view()).unwrap(), Ok(3));
        // More records than fit in the file.
        let sealed = |image: Build| {
            let sum = lookup3(&image.as_slice()[300..334]);
            image.patch(334, &sum.to_le_bytes())
        };
        let lying = sealed(group().patch(326, &1000u64.to_le_bytes()));
        assert!(matches!(count(&info(), &lying.view()).unwrap(), Err(crate::Stop::Bad(_))));
    }

    #[test]
    fn finds_links_by_name_and_not_by_hash_alone() {
        let found = |name: &str| {
            let mut lookup = lookup(&info(), name.into()).unwrap();
            lookup.advance(&group().view(), &NoFilters).unwrap().map(|link| link.target)
        };
        assert_eq!(found("b"), Some(LinkTarget::Hard(Address(901))));
        assert_eq!(found("c"), Some(LinkTarget::Hard(Address(902))));
        assert_eq!(found("d"), None);
        assert_eq!(found("e"), None);
    }

    #[test]
    fn one_broken_link_hides_no_other() {
        // The record of the second link points outside of the heap.
        let start = 600 + 6 + 15 + 8;
        let image = group().patch(start, &managed(60, 12));
        let node = image.as_slice()[600..600 + 6 + 45].to_vec();
        let image = image.patch(651, &lookup3(&node).to_le_bytes());
        let by_order = LinkInfo { name_index: None, ..info() };
        let links = list(&by_order).unwrap().advance(&image.view(), &NoFilters).unwrap();
        assert_eq!(links.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, true, false]);
    }

    #[test]
    fn nothing_is_dense_without_heap_and_index() {
        let none = LinkInfo { heap: None, name_index: None, creation_order_index: None, ..info() };
        assert!(list(&none).is_none() && lookup(&none, "a".into()).is_none());
    }
}
