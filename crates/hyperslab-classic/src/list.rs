//! The lists of a header: of dimensions, of attributes and of variables, each a tag and a count before its items.

use crate::cursor::Cursor;
use hyperslab_format::Parse;

/// What a list holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct List {
    /// What an item is, for errors.
    pub(crate) structure: &'static str,
    /// `NC_DIMENSION`, `NC_VARIABLE` or `NC_ATTRIBUTE`.
    pub(crate) tag: u32,
    /// How many counts, offsets and other numbers of four bytes an item has at least.
    pub(crate) counts: u64,
    pub(crate) offsets: u64,
    pub(crate) words: u64,
}

/// The tag of a list without items.
pub(crate) const ABSENT: u32 = 0;

/// Parses a list.
pub(crate) fn parse<T>(
    cursor: &mut Cursor<'_>,
    list: List,
    mut item: impl FnMut(&mut Cursor<'_>) -> Parse<T>,
) -> Parse<Vec<T>> {
    let outer = std::mem::replace(&mut cursor.structure, list.structure);
    let at = cursor.at();
    let tag = cursor.u32("tag")?;
    let (count_bytes, offset_bytes) = (cursor.version.count_bytes(), cursor.version.offset_bytes());
    let least = list.counts * count_bytes as u64 + list.offsets * offset_bytes as u64 + 4 * list.words;
    let count = cursor.count_of("number of items", least)?;
    if tag != list.tag && (tag != ABSENT || count > 0) {
        let what = format!("the tag is {tag:#x}, with {count} items; expected {:#x}, or no items", list.tag);
        return Err(cursor.invalid_at(at, "tag", what));
    }
    let mut items = Vec::new();
    for _ in 0..count {
        items.push(item(cursor)?);
        cursor.structure = list.structure;
    }
    cursor.structure = outer;
    Ok(items)
}
