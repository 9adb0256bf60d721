//! A request for each read: fsspec's cache `none`.

use super::access::Access;
use super::policy::Policy;
use super::requests::Requests;

/// No cache.
pub(super) struct Uncached {
    pub(super) file_bytes: u64,
}

impl Policy for Uncached {
    fn read(&mut self, access: Access, requests: &mut Requests) {
        let end = access.address.saturating_add(access.len).min(self.file_bytes);
        if access.address < end {
            requests.one(end - access.address);
        }
    }
}
