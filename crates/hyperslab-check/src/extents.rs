//! Which bytes belong to which structure: no two structures overlap, and no byte is unaccounted for.
//!
//! Extents are noted while the file is traversed, 24 bytes each, and compared at the end.

use crate::rule::rules;
use std::collections::{HashMap, HashSet};

rules! { RULES:
    /// No two structures or blocks of raw data share a byte, and none lies in free space.
    OVERLAP = Error "overlap", "I";
    /// Every byte belongs to a structure, to raw data, or to free space that the file records. Other bytes are lost: the
    /// library leaves them where it does not keep track of free space. Padding is not lost: less than 8 zeros before a
    /// multiple of 8, and the unused end of a page.
    ORPHAN_BYTES = Note "orphan-bytes", "III.H";
    /// In a file that is allocated in pages, metadata that is smaller than a page lies in one page: a reader that buffers
    /// pages reads the first page only. Larger metadata begins at the start of a page. Collections of the global heap count
    /// as raw data, which the library also reads across pages.
    PAGE_BOUNDARY = Error "page-boundary", "IV.A.2.x; H5PB.c, H5Fio.c";
    /// Metadata and raw data that are smaller than a page are not mixed in a page.
    MIXED_PAGE = Warning "mixed-page", "IV.A.2.x; H5MF.c";
}

/// Bytes of one structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Extent {
    pub start: u64,
    pub end: u64,
    object: u32,
    structure: u16,
}

/// The extents of all structures.
#[derive(Debug, Default)]
pub(crate) struct Extents {
    all: Vec<Extent>,
    /// The starts of structures that are followed.
    starts: HashSet<u64>,
    structures: Vec<&'static str>,
    objects: Vec<String>,
    by_path: HashMap<String, u32>,
}

/// A structure with its bytes, for callers that want to see how a file is built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Structure {
    /// The structure, named as in the specification.
    pub name: &'static str,
    /// The absolute offset of its first byte.
    pub at: u64,
    /// Its bytes.
    pub bytes: u64,
}

impl Extents {
    /// The number of an object.
    pub(crate) fn object(&mut self, path: &str) -> u32 {
        if let Some(known) = self.by_path.get(path) {
            return *known;
        }
        self.objects.push(path.to_owned());
        let number = self.objects.len() as u32;
        self.by_path.insert(path.to_owned(), number);
        number
    }

    pub(crate) fn add(&mut self, structure: &'static str, at: u64, bytes: u64, object: u32) {
        // There are some dozens of names, and the same name usually comes again.
        let known = self.structures.iter().rposition(|known| *known == structure);
        let structure = known.unwrap_or_else(|| {
            self.structures.push(structure);
            self.structures.len() - 1
        }) as u16;
        self.all.push(Extent { start: at, end: at.saturating_add(bytes), object, structure });
    }

    /// True for the first structure that begins at an offset.
    pub(crate) fn is_first_at(&mut self, at: u64) -> bool {
        self.starts.insert(at)
    }

    /// The number of extents.
    pub(crate) fn len(&self) -> u64 {
        self.all.len() as u64
    }

    /// The extents so far, in the order of the file.
    pub(crate) fn sorted(&mut self) -> &[Extent] {
        self.all.sort_unstable();
        &self.all
    }

    /// The extents, in the order of the last [`Self::sorted`].
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Extent> {
        self.all.iter()
    }

    /// The structure of an extent, named as in the specification.
    pub(crate) fn structure(&self, extent: &Extent) -> &'static str {
        self.structures[usize::from(extent.structure)]
    }

    /// The structure and the object that it belongs to.
    pub(crate) fn name(&self, extent: &Extent) -> String {
        let structure = self.structure(extent);
        match extent.object.checked_sub(1).map(|object| self.objects[object as usize].as_str()) {
            None | Some("") => structure.to_owned(),
            Some(object) => format!("{structure} of {object}"),
        }
    }

    /// All structures in the order of the file.
    pub(crate) fn structures(&mut self) -> Vec<Structure> {
        self.all.sort_unstable();
        let structure = |extent: &Extent| Structure {
            name: self.structures[usize::from(extent.structure)],
            at: extent.start,
            bytes: extent.end - extent.start,
        };
        self.all.iter().map(structure).collect()
    }

    /// Start and end of the bytes of `0..end` that are unaccounted for.
    pub(crate) fn gaps(&mut self, end: u64) -> Vec<(u64, u64)> {
        self.all.sort_unstable();
        let (mut gaps, mut reached) = (Vec::new(), 0);
        for extent in &self.all {
            if extent.start > reached {
                gaps.push((reached, extent.start));
            }
            reached = reached.max(extent.end);
        }
        if reached < end {
            gaps.push((reached, end));
        }
        gaps
    }
}
