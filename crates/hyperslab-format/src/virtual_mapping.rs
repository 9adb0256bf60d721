//! The mapping of a virtual dataset: which elements of which source datasets make up its elements (specification,
//! "Virtual Dataset"; version 1 of the block, introduced in HDF5 2.0, is only in libhdf5's `H5Dvirtual.c`).
//!
//! ```text
//! version 1 | entries L | per entry: flags 1 (version 1 only) | source file, NUL | source dataset, NUL |
//!                                    source selection | virtual selection | … | checksum 4
//! ```
//! In version 1 a name may be the same as that of an earlier entry, whose number is then stored instead; and a source
//! in the same file has no file name.

use crate::selection::EncodedSelection;
use crate::{Bytes, Cursor, Encoder, FormatError, Name};

/// One mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VirtualMapping {
    /// The source file; `.` is the file of the virtual dataset. `%b` in it is replaced with the number of a block.
    pub source_file: Name,
    /// The source dataset; `%b` in it is replaced in the same way.
    pub source_dataset: Name,
    /// The elements of the source.
    pub source: EncodedSelection,
    /// The corresponding elements of the virtual dataset.
    pub target: EncodedSelection,
}

const STRUCTURE: &str = "virtual dataset mapping";
const FILE_SHARED: u8 = 0x01;
const DATASET_SHARED: u8 = 0x02;
const SAME_FILE: u8 = 0x04;

impl VirtualMapping {
    /// Parses all mappings from an object of the global heap.
    pub fn parse_all(block: Bytes, widths: crate::Widths) -> Result<Vec<Self>, FormatError> {
        let mut cursor = Cursor::new(STRUCTURE, 0, block.clone(), widths);
        let version = cursor.version(0..=1)?;
        let count = cursor.length("number of entries")?;
        let mut mappings: Vec<Self> = Vec::new();
        for _ in 0..count {
            let flags = if version == 1 { cursor.u8("flags")? } else { 0 };
            if flags & !(FILE_SHARED | DATASET_SHARED | SAME_FILE) != 0 {
                return Err(cursor.invalid("flags", format!("unknown bits in {flags:#04x}")));
            }
            let source_file = if flags & SAME_FILE != 0 {
                Name::from(".")
            } else if flags & FILE_SHARED != 0 {
                earlier(&mut cursor, &mappings, "source file name")?.source_file.clone()
            } else {
                Name::new(cursor.nul_terminated("source file name")?)
            };
            let source_dataset = if flags & DATASET_SHARED != 0 {
                earlier(&mut cursor, &mappings, "source dataset name")?.source_dataset.clone()
            } else {
                Name::new(cursor.nul_terminated("source dataset name")?)
            };
            let source = EncodedSelection::parse(&mut cursor)?;
            let target = EncodedSelection::parse(&mut cursor)?;
            mappings.push(Self { source_file, source_dataset, source, target });
        }
        cursor.checksum()?;
        Ok(mappings)
    }

    /// Encodes all mappings as an object of the global heap, in version 0 of the block.
    pub fn encode_all(mappings: &[Self], out: &mut Encoder) {
        let start = out.position();
        out.u8(0);
        out.length("number of entries", mappings.len() as u64);
        for mapping in mappings {
            out.nul_terminated("source file name", mapping.source_file.as_bytes());
            out.nul_terminated("source dataset name", mapping.source_dataset.as_bytes());
            mapping.source.encode(out);
            mapping.target.encode(out);
        }
        out.checksum_since(start);
    }
}

fn earlier<'m>(
    cursor: &mut Cursor,
    mappings: &'m [VirtualMapping],
    field: &'static str,
) -> Result<&'m VirtualMapping, FormatError> {
    let number = cursor.length(field)?;
    usize::try_from(number)
        .ok()
        .and_then(|number| mappings.get(number))
        .ok_or_else(|| cursor.invalid(field, format!("entry {number} does not precede this one")))
}
