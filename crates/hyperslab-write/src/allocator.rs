//! Space in a new file: addresses for metadata first, then for data.

use hyperslab_format::Address;

/// Hands out space from the front of the file on.
#[derive(Debug, Clone)]
pub(crate) struct Allocator {
    end: u64,
    page_bytes: Option<u64>,
}

/// Metadata blocks begin at multiples of this, as in libhdf5.
const ALIGN: u64 = 8;

impl Allocator {
    pub fn new(page_bytes: Option<u64>) -> Self {
        Self { end: 0, page_bytes }
    }

    /// The first address that has not been handed out.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Space for a block of metadata. In a paged file a block that is smaller than a page lies in one page, and a
    /// larger one begins with a page: libhdf5's page buffer takes a block for the contents of its first page.
    pub fn metadata(&mut self, bytes: u64) -> Address {
        let mut start = self.end.next_multiple_of(ALIGN);
        if let Some(page) = self.page_bytes {
            let left = start.next_multiple_of(page) - start;
            if left > 0 && bytes > left {
                start += left;
            }
        }
        self.end = start.saturating_add(bytes);
        Address(start)
    }

    /// Space for data, directly after what was handed out before.
    pub fn data(&mut self, bytes: u64) -> Address {
        let start = self.end;
        self.end = start.saturating_add(bytes);
        Address(start)
    }

    /// Goes on at a new page, in a paged file; otherwise at a multiple of 8.
    pub fn begin_page(&mut self) {
        self.end = self.end.next_multiple_of(self.page_bytes.unwrap_or(ALIGN));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_follow_one_another_without_pages() {
        let mut space = Allocator::new(None);
        assert_eq!(
            [space.metadata(3), space.metadata(5000), space.data(1)],
            [Address(0), Address(8), Address(5008)]
        );
        space.begin_page();
        assert_eq!(space.end(), 5016);
    }

    #[test]
    fn metadata_does_not_cross_pages() {
        let mut space = Allocator::new(Some(512));
        assert_eq!(space.metadata(500), Address(0));
        assert_eq!(space.metadata(12), Address(512));
        assert_eq!(space.metadata(496), Address(528));
        // That ended with the page. A larger block begins with a page, and others follow in its last.
        assert_eq!(space.metadata(513), Address(1024));
        assert_eq!(space.metadata(500), Address(1544));
        space.begin_page();
        assert_eq!(space.data(700), Address(2048));
        assert_eq!(space.data(700), Address(2748));
    }
}
