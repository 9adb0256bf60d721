//! What is wrong with the extents of all structures: overlaps, pages of two kinds, bytes that are unaccounted for.

use crate::checker::Checker;
use crate::extents::{Extent, MIXED_PAGE, ORPHAN_BYTES, OVERLAP, PAGE_BOUNDARY};
use crate::free_space::FREE;
use hyperslab_format::Fetched;

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
        let mut found = Vec::new();
        let mut furthest: Option<Extent> = None;
        for extent in self.extents.sorted() {
            if let Some(other) = furthest.filter(|other| extent.start < other.end) {
                found.push((*extent, other));
            }
            if furthest.is_none_or(|other| extent.end > other.end) {
                furthest = Some(*extent);
            }
        }
        for (extent, other) in found {
            let structure = self.extents.structure(&extent);
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
        self.extents.sorted();
        let is_raw = |extent: &Extent| RAW_DATA.contains(&self.extents.structure(extent));
        let is_neutral = |extent: &Extent| NEITHER.contains(&self.extents.structure(extent));
        let mut last: Option<(u64, bool)> = None;
        let mut mixed = Vec::new();
        for extent in self.extents.iter() {
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

    /// Reports the bytes that are unaccounted for.
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
            format!("{total} bytes in {} places are unaccounted for: {}", places.len(), listed.join(", "));
        self.report(&ORPHAN_BYTES, "file", first, message);
    }

    /// The ranges that are unaccounted for, without the gaps in the address space of a file of several members. Of those,
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
