//! A source that several own.

use super::{Advice, Deliver, Source};
use crate::{Cancel, Epoch, Version};
use bytes::Bytes;
use std::io;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

#[deny(clippy::missing_trait_methods)]
impl<S: Source + ?Sized> Source for Arc<S> {
    fn len(&self) -> u64 {
        (**self).len()
    }

    fn epoch(&self) -> Epoch {
        (**self).epoch()
    }

    fn is_empty(&self) -> bool {
        (**self).is_empty()
    }

    fn held_from(&self, at: u64) -> u64 {
        (**self).held_from(at)
    }

    fn stored_bytes(&self) -> u64 {
        (**self).stored_bytes()
    }

    fn beginning(&self) -> Bytes {
        (**self).beginning()
    }

    fn known(&self, at: u64, len: u64) -> Option<Bytes> {
        (**self).known(at, len)
    }

    fn knows_structures(&self) -> bool {
        (**self).knows_structures()
    }

    fn read_into(&self, at: u64, out: &mut [u8]) -> io::Result<()> {
        (**self).read_into(at, out)
    }

    fn read_unwritten<'o>(&self, at: u64, out: &'o mut [MaybeUninit<u8>]) -> io::Result<&'o mut [u8]> {
        (**self).read_unwritten(at, out)
    }

    fn fetch(&self, ranges: &[Range<u64>], cancel: &Cancel, deliver: &mut Deliver<'_>) {
        (**self).fetch(ranges, cancel, deliver);
    }

    fn check_unchanged(&self) -> io::Result<()> {
        (**self).check_unchanged()
    }

    fn lock_shared(&self) -> io::Result<()> {
        (**self).lock_shared()
    }

    fn unlock(&self) {
        (**self).unlock();
    }

    fn version(&self) -> Option<Version> {
        (**self).version()
    }

    fn advice(&self) -> Advice {
        (**self).advice()
    }

    fn metadata_gap_bytes(&self) -> u64 {
        (**self).metadata_gap_bytes()
    }

    fn name(&self) -> String {
        (**self).name()
    }

    fn path(&self) -> Option<&Path> {
        (**self).path()
    }
}
