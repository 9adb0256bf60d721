//! Which bytes belong to which structure: no two structures overlap, and no byte belongs to nobody.
//!
//! Extents are noted while the file is traversed, 24 bytes each, and compared at the end.

use crate::checker::Checker;
use crate::free_space::FREE;
use crate::rule::rules;
use hyperslab_format::Fetched;
use std::collections::{HashMap, HashSet};

rules! { RULES:
    /// No two structures or blocks of raw data share a byte, and none lies in free space.
    OVERLAP = Error "overlap", "I";
    /// Every byte belongs to a structure, to raw data, or to free space that the file records. Other bytes are lost: the
    /// library leaves them where it does not keep track of free space. Padding is not lost: less than 8 zeros before a
    /// multiple of 8, and the unused end of a page.
    ORPHAN_BYTES = Note "orphan-bytes", "III.H";
    /// In a file that is allocated in pages, metadata that is smaller than a page lies in one page: a reader that buffers
    /// pages reads the first page only. Larger metadata begins at the start of a page. Collections of the global heap count
    /// as raw data, which the library also reads across pages.
    PAGE_BOUNDARY = Error "page-boundary", "IV.A.2.x; H5PB.c, H5Fio.c";
    /// Metadata and raw data that are smaller than a page are not mixed in a page.
    MIXED_PAGE = Warning "mixed-page", "IV.A.2.x; H5MF.c";
}

/// Bytes of one structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Extent {
    start: u64,
    end: u64,
    object: u32,
    structure: u16,
}

/// The extents of all structures.
#[derive(Debug, Default)]
pub(crate) struct Extents {
    all: Vec<Extent>,
    /// The starts of structures that are followed.
    starts: HashSet<u64>,
    structures: Vec<&'static str>,
    objects: Vec<String>,
    by_path: HashMap<String, u32>,
}

/// A structure with its bytes, for callers that want to see how a file is built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Structure {
    /// The structure, named as in the specification.
    pub name: &'static str,
    /// The absolute offset of its first byte.
    pub at: u64,
    /// Its bytes.
    pub bytes: u64,
}

impl Extents {
    /// The number of an object.
    pub(crate) fn object(&mut self, path: &str) -> u32 {
        if let Some(known) = self.by_path.get(path) {
            return *known;
        }
        self.objects.push(path.to_owned());
        let number = self.objects.len() as u32;
        self.by_path.insert(path.to_owned(), number);
        number
    }

    pub(crate) fn add(&mut self, structure: &'static str, at: u64, bytes: u64, object: u32) {
        // There are some dozens of names, and the same name usually comes again.
        let known = self.structures.iter().rposition(|known| *known == structure);
        let structure = known.unwrap_or_else(|| {
            self.structures.push(structure);
            self.structures.len() - 1
        }) as u16;
        self.all.push(Extent { start: at, end: at.saturating_add(bytes), object, structure });
    }

    /// True for the first structure that begins at an offset.
    pub(crate) fn is_first_at(&mut self, at: u64) -> bool {
        self.starts.insert(at)
    }

    /// The number of extents.
    pub(crate) fn len(&self) -> u64 {
        self.all.len() as u64
    }

    fn name(&self, extent: &Extent) -> String {
        let structure = self.structures[usize::from(extent.structure)];
        match extent.object.checked_sub(1).map(|object| self.objects[object as usize].as_str()) {
            None | Some("") => structure.to_owned(),
            Some(object) => format!("{structure} of {object}"),
        }
    }

    /// All structures in the order of the file.
    pub(crate) fn structures(&mut self) -> Vec<Structure> {
        self.all.sort_unstable();
        let structure = |extent: &Extent| Structure {
            name: self.structures[usize::from(extent.structure)],
            at: extent.start,
            bytes: extent.end - extent.start,
        };
        self.all.iter().map(structure).collect()
    }

    /// Start and end of the bytes of `0..end` that belong to nobody.
    pub(crate) fn gaps(&mut self, end: u64) -> Vec<(u64, u64)> {
        self.all.sort_unstable();
        let (mut gaps, mut reached) = (Vec::new(), 0);
        for extent in &self.all {
            if extent.start > reached {
                gaps.push((reached, extent.start));
            }
            reached = reached.max(extent.end);
        }
        if reached < end {
            gaps.push((reached, end));
        }
        gaps
    }
}

/// Some writers align structures to so many bytes.
const ALIGNMENT: u64 = 8;
/// What may be in pages of either kind: the library takes collections of the global heap and huge objects for raw data,
/// but attributes are in them.
const NEITHER: [&str; 3] = [FREE, hyperslab_format::heap::global::STRUCTURE, "fractal heap huge object"];
/// The names of raw data.
const RAW_DATA: [&str; 2] = ["chunk", "contiguous data"];

impl Checker<'_> {
    /// Checks where a structure lies in its page.
    pub(crate) fn check_page(&mut self, structure: &'static str, at: u64, bytes: u64) {
        let Some(page) = self.page_bytes else { return };
        if structure == hyperslab_format::heap::global::STRUCTURE {
            return;
        }
        let at_address = at - self.view.base;
        let crosses = at_address / page != (at_address + bytes.max(1) - 1) / page;
        let fits = if bytes < page { !crosses } else { at_address.is_multiple_of(page) };
        self.demand(fits, &PAGE_BOUNDARY, structure, at, || {
            format!("{bytes} bytes at address {at_address:#x}, with pages of {page} bytes")
        });
    }

    /// Reports structures that overlap.
    pub(crate) fn check_overlaps(&mut self) {
        self.enter("");
        self.extents.all.sort_unstable();
        let mut found = Vec::new();
        let mut furthest: Option<Extent> = None;
        for extent in &self.extents.all {
            if let Some(other) = furthest.filter(|other| extent.start < other.end) {
                found.push((*extent, other));
            }
            if furthest.is_none_or(|other| extent.end > other.end) {
                furthest = Some(*extent);
            }
        }
        for (extent, other) in found {
            let structure = self.extents.structures[usize::from(extent.structure)];
            let shared = other.end.min(extent.end) - extent.start;
            let (this, other_name) = (self.extents.name(&extent), self.extents.name(&other));
            let message = format!(
                "{this} ({} bytes) shares {shared} bytes with {other_name} at byte {:#x}",
                extent.end - extent.start,
                other.start
            );
            self.report(&OVERLAP, structure, extent.start, message);
        }
    }

    /// Reports pages that have small metadata and small raw data.
    pub(crate) fn check_mixed_pages(&mut self) {
        let Some(page) = self.page_bytes else { return };
        let base = self.view.base;
        let is_raw =
            |extent: &Extent| RAW_DATA.contains(&self.extents.structures[usize::from(extent.structure)]);
        let is_neutral =
            |extent: &Extent| NEITHER.contains(&self.extents.structures[usize::from(extent.structure)]);
        let mut last: Option<(u64, bool)> = None;
        let mut mixed = Vec::new();
        for extent in &self.extents.all {
            if extent.end - extent.start >= page || extent.start < base || is_neutral(extent) {
                continue;
            }
            let (number, raw) = ((extent.start - base) / page, is_raw(extent));
            if last.is_some_and(|(before, kind)| before == number && kind != raw)
                && mixed.last() != Some(&number)
            {
                mixed.push(number);
            }
            last = Some((number, raw));
        }
        for number in mixed {
            let message = format!("page {number} has metadata and raw data");
            self.report(&MIXED_PAGE, "file", base + number * page, message);
        }
    }

    /// Reports the bytes that belong to nobody.
    pub(crate) fn check_gaps(&mut self) {
        self.enter("");
        let (mut total, mut padding, mut places) = (0u64, 0u64, Vec::new());
        for (start, end) in self.unclaimed() {
            if self.is_padding(start, end) {
                padding += end - start;
            } else {
                total += end - start;
                places.push((start, end));
            }
        }
        self.report.orphan_bytes = total;
        self.report.padding_bytes = padding;
        let Some(&(first, _)) = places.first() else { return };
        const LISTED: usize = 5;
        let listed = places.iter().take(LISTED).map(|(start, end)| format!("{}@{start:#x}", end - start));
        let mut listed: Vec<String> = listed.collect();
        if places.len() > LISTED {
            listed.push("...".to_owned());
        }
        let message =
            format!("{total} bytes in {} places belong to nobody: {}", places.len(), listed.join(", "));
        self.report(&ORPHAN_BYTES, "file", first, message);
    }

    /// The ranges that belong to nobody, without the gaps in the address space of a file of several members. Of those,
    /// only what directly follows a structure is looked at: a source does not say where its next member begins.
    pub(crate) fn unclaimed(&mut self) -> Vec<(u64, u64)> {
        let source = self.input.source();
        let held = |(start, end): (u64, u64)| (start, start + source.held_from(start).min(end - start));
        let gaps = self.extents.gaps(source.len());
        gaps.into_iter().map(held).filter(|(start, end)| start < end).collect()
    }

    /// True if the bytes between two structures align the second one, or are the unused end of a page.
    fn is_padding(&self, start: u64, end: u64) -> bool {
        let address = end.saturating_sub(self.view.base);
        let is_alignment = end - start < ALIGNMENT && address.is_multiple_of(ALIGNMENT);
        if is_alignment {
            return self
                .input
                .get(start, end - start)
                .is_some_and(|bytes| bytes.iter().all(|&byte| byte == 0));
        }
        let is_page_end = |page: u64| address.is_multiple_of(page) || end == self.input.source().len();
        self.page_bytes.is_some_and(|page| end - start < page && is_page_end(page))
    }
}
