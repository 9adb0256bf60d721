//! fsspec's cache `readahead`, the default of s3fs and gcsfs: a read that is not in the buffer replaces it by what is read
//! and the bytes that follow (`ReadAheadCache` in `fsspec/caching.py`).

use super::access::Access;
use super::policy::Policy;
use super::requests::Requests;
use std::ops::Range;

/// The buffer of an open file.
pub(super) struct ReadAhead {
    file_bytes: u64,
    ahead_bytes: u64,
    held: Range<u64>,
}

impl ReadAhead {
    /// An empty buffer that reads so many bytes ahead.
    pub(super) fn new(file_bytes: u64, ahead_bytes: u64) -> Self {
        Self { file_bytes, ahead_bytes, held: 0..0 }
    }
}

impl Policy for ReadAhead {
    fn read(&mut self, access: Access, requests: &mut Requests) {
        let (mut start, end) =
            (access.address, access.address.saturating_add(access.len).min(self.file_bytes));
        if start >= end || (self.held.start <= start && end <= self.held.end) {
            return;
        }
        if self.held.contains(&start) {
            // The rest of the buffer is used; what follows it is requested.
            start = self.held.end;
        }
        let end = end.saturating_add(self.ahead_bytes).min(self.file_bytes);
        requests.one(end - start);
        self.held = start..end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::PageKind;

    #[test]
    fn reads_that_jump_replace_the_buffer() {
        let mut cache = ReadAhead::new(1_000, 100);
        let mut requests = Requests::default();
        let mut read = |address, len| {
            let before = requests.bytes();
            cache.read(Access { kind: PageKind::Raw, address, len }, &mut requests);
            requests.bytes() - before
        };
        assert_eq!(read(0, 10), 110);
        assert_eq!(read(50, 60), 0, "in the buffer");
        assert_eq!(read(100, 20), 110, "10 bytes of the buffer, and 10 + 100 more");
        assert_eq!(read(0, 10), 110, "the beginning is gone");
        assert_eq!(read(950, 10), 50, "up to the end");
        assert_eq!(read(2_000, 10), 0);
        assert_eq!(requests.count(), 4);
    }
}
