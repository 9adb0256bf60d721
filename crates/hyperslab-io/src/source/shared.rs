//! A source that several own.

use super::Source;
use crate::forward_source;
use std::sync::Arc;

#[deny(clippy::missing_trait_methods)]
impl<S: Source + ?Sized> Source for Arc<S> {
    forward_source!(self => (**self); len, is_empty, epoch, held_from, stored_bytes, beginning, known);
    forward_source!(self => (**self); knows_structures, read_into, read_unwritten, fetch, check_unchanged);
    forward_source!(self => (**self); lock_shared, unlock, version, advice, metadata_gap_bytes, name, path);
}
