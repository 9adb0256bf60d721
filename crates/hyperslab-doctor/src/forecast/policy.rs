//! What all policies have in common.

use super::access::Access;
use super::requests::Requests;

/// How a reader turns reads of a file into requests.
pub(super) trait Policy {
    /// Opens the object, before anything is read of it. All readers ask for its length first.
    fn open(&mut self, requests: &mut Requests) {
        requests.one(0);
    }

    /// A read of libhdf5.
    fn read(&mut self, access: Access, requests: &mut Requests);

    /// libhdf5 has read the superblock and its extension, and makes its page buffer.
    fn file_is_open(&mut self) {}
}
