//! Dense links: link messages in a fractal heap, found by version 2 B-trees of their names' hashes (type 5) or of
//! their order of creation (type 6).

use crate::btree::record::{LinkName, LinkOrder};
use crate::btree::v2::{Records, Run};
use crate::checksum::lookup3;
use crate::heap::fractal::{FractalHeap, HeapObject, Objects, Unfilter};
use crate::message::{Link, LinkInfo};
use crate::{Address, Bytes, FormatError, Gather, Name, Parse, View};

/// All links that a group keeps densely, ordered by creation where there is an index of it, or else as the heap keeps
/// them.
/// `None` where all links are messages of the object header.
pub fn list(info: &LinkInfo) -> Option<List> {
    let heap = info.heap?;
    let (records, ordered) = match (info.creation_order_index, info.name_index) {
        (Some(index), _) => (Records::all(index, 6).of_bytes(LinkOrder::BYTES), true),
        (None, Some(index)) => (Records::all(index, 5).of_bytes(LinkName::BYTES), false),
        (None, None) => return None,
    };
    Some(List { dense: Dense::new(heap, records), ordered, places: Vec::new() })
}

/// The densely kept link of this name. `None` where all links are messages of the object header.
pub fn lookup(info: &LinkInfo, name: Name) -> Option<Lookup> {
    let hash = lookup3(name.as_bytes());
    let of = |record: &[u8]| u32::from_le_bytes([record[0], record[1], record[2], record[3]]);
    // Several names may have the same hash, and they may lie in neighbouring nodes.
    let keep = move |left: Option<&[u8]>, right: Option<&[u8]>| {
        left.is_none_or(|left| of(left) <= hash) && right.is_none_or(|right| hash <= of(right))
    };
    let records = Records::matching(info.name_index?, 5, Box::new(keep)).of_bytes(LinkName::BYTES);
    Some(Lookup { dense: Dense::new(info.heap?, records), name, hash })
}

/// A listing under way.
#[derive(Debug)]
pub struct List {
    dense: Dense,
    ordered: bool,
    /// For each link in order: it is sought in the heap, or its part of the index is broken.
    places: Vec<Result<(), FormatError>>,
}

impl List {
    /// Goes on, until it is `Ok` with all links.
    pub fn advance(&mut self, view: &View, unfilter: &dyn Unfilter) -> Parse<Vec<Result<Link, FormatError>>> {
        if let Some(runs) = self.dense.runs(view)? {
            let mut ids = Vec::new();
            for run in runs {
                match run.and_then(|run| heap_ids(&run, view, self.ordered)) {
                    Ok(new) => {
                        self.places.extend(new.iter().map(|_| Ok(())));
                        ids.extend(new);
                    }
                    Err(error) => self.places.push(Err(error)),
                }
            }
            if !self.ordered {
                // Hashes say nothing; in the order of the heap, neighbours are read one after the other.
                ids.sort_unstable_by_key(heap_order);
            }
            self.dense.seek(ids);
        }
        let mut objects = self.dense.objects(view, unfilter)?.into_iter();
        let links = self.places.drain(..).filter_map(|place| match place {
            Ok(()) => Some(objects.next()?.and_then(|object| link(object, view))),
            Err(error) => Some(Err(error)),
        });
        Ok(links.collect())
    }
}

fn heap_ids(run: &Run, view: &View, ordered: bool) -> Result<Vec<Bytes>, FormatError> {
    let ids = run.cursors(view.widths).map(|mut cursor| match ordered {
        true => Ok(LinkOrder::parse(&mut cursor)?.heap_id),
        false => Ok(LinkName::parse(&mut cursor)?.heap_id),
    });
    ids.collect()
}

/// The offset, after a byte of version and type, as far as an ID of a record has room for it.
fn heap_order(id: &Bytes) -> u64 {
    id.iter().skip(1).take(8).rev().fold(0, |offset, &byte| offset << 8 | u64::from(byte))
}

/// A look-up under way.
#[derive(Debug)]
pub struct Lookup {
    dense: Dense,
    name: Name,
    hash: u32,
}

impl Lookup {
    /// Goes on, until it is `Ok`: with `None` if the group keeps no such link densely.
    pub fn advance(&mut self, view: &View, unfilter: &dyn Unfilter) -> Parse<Option<Link>> {
        if let Some(runs) = self.dense.runs(view)? {
            let mut ids = Vec::new();
            for run in runs {
                for mut cursor in run?.cursors(view.widths) {
                    let record = LinkName::parse(&mut cursor)?;
                    if record.hash == self.hash {
                        ids.push(record.heap_id);
                    }
                }
            }
            self.dense.seek(ids);
        }
        for object in self.dense.objects(view, unfilter)? {
            let link = link(object?, view)?;
            if link.name == self.name {
                return Ok(Some(link));
            }
        }
        Ok(None)
    }
}

/// An index and a heap: first the records, then the objects they lead to.
#[derive(Debug)]
pub(super) struct Dense {
    address: Address,
    heap: Option<FractalHeap>,
    records: Records,
    runs: Option<Vec<Result<Run, FormatError>>>,
    objects: Option<Objects>,
}

impl Dense {
    pub(super) fn new(address: Address, records: Records) -> Self {
        Self { address, heap: None, records, runs: None, objects: None }
    }

    /// The records, once, as soon as they and the header of the heap are there; then `None`.
    pub(super) fn runs(&mut self, view: &View) -> Parse<Option<Vec<Result<Run, FormatError>>>> {
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

    /// Says which objects are sought.
    pub(super) fn seek(&mut self, ids: Vec<Bytes>) {
        self.objects = Some(Objects::new(ids));
    }

    /// The objects sought.
    pub(super) fn objects(
        &mut self,
        view: &View,
        unfilter: &dyn Unfilter,
    ) -> Parse<Vec<Result<HeapObject, FormatError>>> {
        match (&self.heap, &mut self.objects) {
            (Some(heap), Some(objects)) => objects.advance(view, heap, unfilter),
            _ => Ok(Vec::new()),
        }
    }
}

fn link(object: HeapObject, view: &View) -> Result<Link, FormatError> {
    Link::parse(object.cursor("link message in a fractal heap", view.widths))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::btree::v2::tests::{header as tree, node};
    use crate::heap::NoFilters;
    use crate::heap::fractal::tests::{SHAPE, Shape, direct, header, managed};
    use crate::message::LinkTarget;
    use crate::test_image::{Image, every_prefix_fails};

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

    /// The links a, b and c in a heap, with both indexes. The name index also says that b is another d.
    fn group() -> Image {
        let image = header(Image::new(), &Shape { root: 200, ..SHAPE }).pad_to(200);
        let objects = [message(b'a', 900), message(b'b', 901), message(b'c', 902)].concat();
        let image = direct(image, 0, 0, 64, &objects).pad_to(300);
        let mut names = vec![by_name(b'a', 19), by_name(b'b', 31), by_name(b'c', 43), by_name(b'd', 31)];
        names.sort_by_key(|record| u32::from_le_bytes([record[0], record[1], record[2], record[3]]));
        let image = tree(image, 5, (128, 11), 0, Address(400), 4).pad_to(400);
        let image = node(image, 5, &names, &[]).pad_to(500);
        let image = tree(image, 6, (128, 15), 0, Address(600), 3).pad_to(600);
        node(image, 6, &[by_order(0, 43), by_order(1, 19), by_order(2, 31)], &[])
    }

    fn info(ordered: bool) -> LinkInfo {
        LinkInfo {
            max_creation_index: None,
            heap: Some(Address(0)),
            name_index: Some(Address(300)),
            creation_order_index: ordered.then_some(Address(500)),
        }
    }

    #[test]
    fn lists_by_order_of_creation_or_as_the_heap_keeps_them() {
        let names = |ordered: bool| -> Vec<String> {
            let links = list(&info(ordered)).unwrap().advance(&group().view(), &NoFilters).unwrap();
            links.into_iter().map(|link| link.unwrap().name.to_string()).collect()
        };
        assert_eq!(names(true), ["c", "a", "b"]);
        assert_eq!(names(false), ["a", "b", "b", "c"]);
        every_prefix_fails(&group(), |view| list(&info(true)).unwrap().advance(view, &NoFilters));
    }

    #[test]
    fn finds_links_by_name_and_not_by_hash_alone() {
        let found = |name: &str| {
            let mut lookup = lookup(&info(false), name.into()).unwrap();
            lookup.advance(&group().view(), &NoFilters).unwrap().map(|link| link.target)
        };
        assert_eq!(found("b"), Some(LinkTarget::Hard(Address(901))));
        assert_eq!(found("c"), Some(LinkTarget::Hard(Address(902))));
        assert_eq!(found("d"), None);
        assert_eq!(found("e"), None);
    }

    #[test]
    fn one_broken_link_hides_no_other() {
        // The record of the second link leads out of the heap.
        let start = 600 + 6 + 15 + 8;
        let image = group().patch(start, &managed(60, 12));
        let node = image.bytes()[600..600 + 6 + 45].to_vec();
        let image = image.patch(651, &lookup3(&node).to_le_bytes());
        let links = list(&info(true)).unwrap().advance(&image.view(), &NoFilters).unwrap();
        assert_eq!(links.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
    }

    #[test]
    fn nothing_is_dense_without_heap_and_index() {
        let none = LinkInfo { heap: None, name_index: None, ..info(false) };
        assert!(list(&none).is_none() && lookup(&none, "a".into()).is_none());
    }
}
