//! The table of chunks: a Vdata with a record for each chunk that exists.

use crate::Vdata;
use crate::cursor::Cursor;
use hyperslab_format::FormatError;

/// The Vdatas that are such tables have this class.
const CLASS: &[u8] = b"_HDF_CHK_TBL_0";
/// Bytes of a coordinate.
const COORDINATE_BYTES: usize = 4;

/// A chunk that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkEntry {
    /// Its place in the grid, in chunks.
    pub coordinates: Vec<u64>,
    /// The tag of its bytes.
    pub tag: u16,
    /// Their reference.
    pub reference: u16,
}

/// The chunks of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkTable(pub Vec<ChunkEntry>);

impl ChunkTable {
    /// True for a Vdata that is a table of chunks.
    pub fn is_one(vdata: &Vdata) -> bool {
        vdata.class.as_bytes().starts_with(CLASS)
    }

    /// Parses the records of a table of chunks with `rank` coordinates, which begin at `at`.
    ///
    /// # Errors
    /// Records of another size, and coordinates that are negative.
    pub fn parse(table: &Vdata, rank: usize, records: &[u8], at: u64) -> Result<Self, FormatError> {
        let bytes = rank * COORDINATE_BYTES + 4;
        let mut fields = Cursor::new("table of chunks", records, at);
        if usize::from(table.record_bytes) != bytes {
            let what =
                format!("records of {} bytes, which {rank} dimensions do not have", table.record_bytes);
            return Err(fields.invalid("record size", at, what));
        }
        let count = fields.count_of("records", table.records, bytes)?;
        let mut entries = Vec::with_capacity(count);
        for _ in 0..count {
            let mut coordinates = Vec::with_capacity(rank);
            for _ in 0..rank {
                coordinates.push(fields.length("origin")?.into());
            }
            entries.push(ChunkEntry {
                coordinates,
                tag: fields.u16("tag")?,
                reference: fields.u16("reference")?,
            });
        }
        Ok(Self(entries))
    }
}
