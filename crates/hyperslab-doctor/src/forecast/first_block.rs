//! fsspec's cache `first`: the first block is kept, everything else is requested as it is read (`FirstChunkCache` in
//! `fsspec/caching.py`).

use super::access::Access;
use super::policy::Policy;
use super::requests::Requests;

/// The cache of an open file.
pub(super) struct FirstBlock {
    file_bytes: u64,
    block_bytes: u64,
    is_held: bool,
}

impl FirstBlock {
    /// An empty cache.
    pub(super) fn new(file_bytes: u64, block_bytes: u64) -> Self {
        Self { file_bytes, block_bytes: block_bytes.min(file_bytes), is_held: false }
    }
}

impl Policy for FirstBlock {
    fn read(&mut self, access: Access, requests: &mut Requests) {
        let (start, end) = (access.address, access.address.saturating_add(access.len).min(self.file_bytes));
        if start >= end {
            return;
        }
        if start >= self.block_bytes {
            requests.one(end - start);
        } else if self.is_held {
            if end > self.block_bytes {
                requests.one(end - self.block_bytes);
            }
        } else {
            // One request brings the block, and what is read beyond it.
            requests.one(end.max(self.block_bytes));
            self.is_held = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::PageKind;

    #[test]
    fn only_the_first_block_is_kept() {
        let mut cache = FirstBlock::new(1_000, 100);
        let mut requests = Requests::default();
        for (address, len) in [(500, 10), (90, 20), (0, 100), (95, 10), (500, 10)] {
            cache.read(Access { kind: PageKind::Raw, address, len }, &mut requests);
        }
        assert_eq!((requests.count(), requests.bytes()), (4, 10 + 110 + 5 + 10));
    }
}
