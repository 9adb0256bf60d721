//! Free-space managers (specification III.H) of the file and of fractal heaps.

use crate::checker::{Checked, Checker};
use crate::fractal_heap::HEAP_SPACE;
use crate::rule::rules;
use hyperslab_format::Address;
use hyperslab_format::free_space::{FreeSection, FreeSpaceClient, FreeSpaceManager};

rules! { RULES:
    /// The numbers and the bytes of sections in the header of a free-space manager are those of its list.
    FREE_SPACE_COUNTS = Error "free-space-counts", "III.H";
    /// Sections are listed by ascending size, and sections of the same size by ascending offset.
    FREE_SPACE_ORDER = Error "free-space-order", "III.H";
    /// The manager belongs to what refers to it: the file or a fractal heap.
    FREE_SPACE_CLIENT = Error "free-space-client", "III.H";
}

const HEADER: &str = "free-space manager";
const LIST: &str = "free-space section list";
/// The name of free sections of the file among its bytes.
pub(crate) const FREE: &str = "free space";

impl Checker<'_> {
    /// Checks a manager of the file, whose sections must belong to nothing else.
    pub(crate) fn check_file_free_space(&mut self, address: Address) -> Checked {
        let (manager, sections) = self.check_manager(address, FreeSpaceClient::File)?;
        let total: u64 = sections.iter().fold(0, |sum, section| sum.saturating_add(section.bytes));
        let at = self.view.absolute(address);
        self.demand(total == manager.total_space, &FREE_SPACE_COUNTS, HEADER, at, || {
            format!("{} bytes according to the header, {total} in the list", manager.total_space)
        });
        for section in sections {
            let at = self.view.absolute(Address(section.offset));
            let claimed = self.claim_at(FREE, at, section.bytes);
            if self.finish(claimed).is_some() {
                self.report.free_bytes += section.bytes;
            }
        }
        Ok(())
    }

    /// Checks the manager of a fractal heap with so many free bytes.
    pub(crate) fn check_heap_free_space(&mut self, address: Address, free: u64) -> Checked {
        let (manager, _) = self.check_manager(address, FreeSpaceClient::Heap)?;
        let at = self.view.absolute(address);
        // Blocks that are not allocated yet are free without being listed.
        self.demand(manager.total_space <= free, &HEAP_SPACE, HEADER, at, || {
            format!("{} free bytes, but the header of the heap has {free}", manager.total_space)
        });
        Ok(())
    }

    fn check_manager(
        &mut self,
        address: Address,
        client: FreeSpaceClient,
    ) -> Checked<(FreeSpaceManager, Vec<FreeSection>)> {
        let widths = self.view.widths;
        self.claim(HEADER, address, 18 + 7 * u64::from(widths.length) + u64::from(widths.offset))?;
        let at = self.view.absolute(address);
        let manager = FreeSpaceManager::parse(&self.view, address)?;
        self.demand(manager.client == client, &FREE_SPACE_CLIENT, HEADER, at, || {
            format!("a manager of {:?} space, expected {client:?}", manager.client)
        });
        let counted = manager.serialized_sections.saturating_add(manager.unserialized_sections);
        self.demand(counted == manager.total_sections, &FREE_SPACE_COUNTS, HEADER, at, || {
            format!("{} sections, but {counted} of both kinds", manager.total_sections)
        });
        let fits = manager.list_bytes <= manager.list_allocated;
        self.demand(fits, &FREE_SPACE_COUNTS, HEADER, at, || {
            format!("a list of {} bytes in {}", manager.list_bytes, manager.list_allocated)
        });
        self.demand(
            manager.list.is_some() || manager.serialized_sections == 0,
            &FREE_SPACE_COUNTS,
            HEADER,
            at,
            || format!("{} sections, but no list", manager.serialized_sections),
        );
        if let Some(list) = manager.list {
            self.claim(LIST, list, manager.list_allocated.max(manager.list_bytes))?;
        }
        let sections = manager.sections(&self.view)?;
        let ascends = |a: &FreeSection, b: &FreeSection| (a.bytes, a.offset) < (b.bytes, b.offset);
        if let Some(list) = manager.list {
            let at = self.view.absolute(list);
            self.demand(sections.is_sorted_by(ascends), &FREE_SPACE_ORDER, LIST, at, || {
                "the sections are not in order".to_owned()
            });
        }
        Ok((manager, sections))
    }
}
