//! Where everything in a file would lie if it were repacked as the guides recommend: the recorded reads, moved, say which
//! readers gain by it and which lose.
//!
//! | guide | layout |
//! |---|---|
//! | CMIP7; Jelenak's second strategy | all metadata before all data |
//! | NSIDC, Cloud-Optimized Geospatial Formats Guide | pages of metadata and pages of raw data |
//!
//! Structures keep their order. With pages, a page is begun when the last one of its kind is full; what is larger than a page
//! takes whole pages, as libhdf5 allocates them (`H5MF_alloc` with paged aggregation).

use super::access::{Access, Contiguous, FileLayout, Session};
use crate::simulate::PageKind;

/// A layout that guides recommend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrangement {
    /// All metadata before all data.
    MetadataFirst,
    /// Pages of so many bytes.
    Pages(u64),
}

/// Bytes of a file that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Metadata, or raw data.
    pub kind: PageKind,
    /// Offset of the first byte in the file.
    pub start: u64,
    /// Offset behind the last.
    pub end: u64,
}

/// The new places of everything in a file.
#[derive(Debug, Clone)]
pub struct Relocation {
    /// The pieces in ascending order, with their new offsets.
    moved: Vec<(Piece, u64)>,
    layout: FileLayout,
}

impl Relocation {
    /// Arranges the pieces of a file, which are disjoint and in ascending order.
    pub fn new(pieces: &[Piece], present: &FileLayout, arrangement: Arrangement) -> Self {
        let (places, file_bytes) = match arrangement {
            Arrangement::MetadataFirst => metadata_first(pieces),
            Arrangement::Pages(page_bytes) => in_pages(pieces, page_bytes.max(1)),
        };
        let page_bytes = match arrangement {
            Arrangement::MetadataFirst => None,
            Arrangement::Pages(page_bytes) => Some(page_bytes.max(1)),
        };
        let moved: Vec<(Piece, u64)> = pieces.iter().copied().zip(places).collect();
        let mut relocation = Self { moved, layout: FileLayout { file_bytes, page_bytes, ..present.clone() } };
        relocation.layout.contiguous = present
            .contiguous
            .iter()
            .map(|dataset| {
                let start = relocation.place(dataset.start);
                Contiguous { start, end: start + (dataset.end - dataset.start) }
            })
            .collect();
        relocation.layout.contiguous.sort_unstable();
        relocation
    }

    /// What the policies know of the rearranged file.
    pub fn layout(&self) -> &FileLayout {
        &self.layout
    }

    /// The reads of a session in the rearranged file.
    pub fn session(&self, session: &Session) -> Session {
        let moved = |access: &Access| Access { address: self.place(access.address), ..*access };
        Session { accesses: session.accesses.iter().map(moved).collect(), chunks: session.chunks.clone() }
    }

    /// The new offset of a byte. One that belongs to nothing follows what lies before it.
    fn place(&self, address: u64) -> u64 {
        let before = self.moved.partition_point(|(piece, _)| piece.start <= address).checked_sub(1);
        let Some((piece, new)) = before.map(|at| self.moved[at]) else { return address };
        new + (address - piece.start).min(piece.end - piece.start)
    }
}

/// The new offset of each piece, and the length of the file.
fn metadata_first(pieces: &[Piece]) -> (Vec<u64>, u64) {
    let mut places = vec![0; pieces.len()];
    let mut end = 0;
    for kind in [PageKind::Metadata, PageKind::Raw] {
        for (place, piece) in places.iter_mut().zip(pieces).filter(|(_, piece)| piece.kind == kind) {
            *place = end;
            end += piece.end - piece.start;
        }
    }
    (places, end)
}

/// The new offset of each piece, and the length of the file.
fn in_pages(pieces: &[Piece], page_bytes: u64) -> (Vec<u64>, u64) {
    // What is free in the last page of each kind.
    let mut free = [0..0u64, 0..0];
    let mut end = 0u64;
    let place = |piece: &Piece| {
        let bytes = piece.end - piece.start;
        let free = &mut free[piece.kind as usize];
        if bytes > free.end - free.start {
            let pages = bytes.div_ceil(page_bytes).max(1).saturating_mul(page_bytes);
            let begun = end..end.saturating_add(pages);
            end = begun.end;
            if bytes > page_bytes {
                return begun.start;
            }
            *free = begun;
        }
        free.start += bytes;
        free.start - bytes
    };
    let places = pieces.iter().map(place).collect();
    (places, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(kind: PageKind, start: u64, end: u64) -> Piece {
        Piece { kind, start, end }
    }

    fn file() -> Vec<Piece> {
        vec![
            piece(PageKind::Metadata, 0, 40),
            piece(PageKind::Raw, 40, 100),
            piece(PageKind::Metadata, 110, 150),
            piece(PageKind::Raw, 150, 400),
            piece(PageKind::Metadata, 400, 440),
        ]
    }

    fn places(arrangement: Arrangement) -> (Vec<u64>, FileLayout) {
        let contiguous = vec![Contiguous { start: 150, end: 400 }];
        let layout = FileLayout { file_bytes: 440, contiguous, ..FileLayout::default() };
        let relocation = Relocation::new(&file(), &layout, arrangement);
        let accesses = [10, 50, 105, 120, 200, 430]
            .map(|address| Access { kind: PageKind::Raw, address, len: 5 })
            .to_vec();
        let moved = relocation.session(&Session { accesses, ..Session::default() });
        (moved.accesses.iter().map(|access| access.address).collect(), relocation.layout().clone())
    }

    #[test]
    fn metadata_comes_first() {
        let (places, layout) = places(Arrangement::MetadataFirst);
        assert_eq!(places, [10, 130, 180, 50, 230, 110], "a byte of nothing follows the data before it");
        assert_eq!((layout.file_bytes, layout.page_bytes), (430, None));
        assert_eq!(layout.contiguous, [Contiguous { start: 180, end: 430 }]);
    }

    #[test]
    fn pages_hold_one_kind_and_large_pieces_take_whole_ones() {
        // Metadata 0 to 100, data 100 to 200, 250 bytes from 200 to 500, metadata 500 to 600.
        let (places, layout) = places(Arrangement::Pages(100));
        assert_eq!(places, [10, 110, 160, 50, 250, 530]);
        assert_eq!((layout.file_bytes, layout.page_bytes), (600, Some(100)));
        assert_eq!(layout.contiguous, [Contiguous { start: 200, end: 450 }]);
    }
}
