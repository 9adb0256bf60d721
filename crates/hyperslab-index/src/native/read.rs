//! Reading an index. The input may be arbitrary bytes: numbers are checked before they are used, and the checksum before anything is
//! returned.

use super::{COLUMNS, Document, FORMAT_VERSION, KEY, NativeIndex, RowDigest};
use hyperslab::{Bytes, ChunkGrid, ChunkMap, Error, Location, Result};
use parquet::column::reader::ColumnReader;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use std::collections::HashMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

/// The rows of a row group, at most. More than are written, and few enough for the memory of any machine.
const GROUP_ROWS_MAX: i64 = 1 << 22;

impl NativeIndex {
    /// Reads an index.
    ///
    /// # Errors
    /// [`ErrorKind::Damaged`](hyperslab::ErrorKind::Damaged) for a file that is not an index or was changed,
    /// [`ErrorKind::Unsupported`](hyperslab::ErrorKind::Unsupported) for one of a later version.
    pub fn read(path: &Path) -> Result<Self> {
        let in_file = |error: Error| error.in_file(path.display().to_string());
        let file = fs::File::open(path).map_err(|error| in_file(error.into()))?;
        // The checksum finds changed bytes only after they were decoded: the decoder must not end the program.
        let read = catch_unwind(AssertUnwindSafe(|| read(file)))
            .unwrap_or_else(|_| Err(Error::damaged("the table cannot be decoded")));
        let (document, rows) = read.map_err(in_file)?;
        let (maps, extents) = rows.divided(&document).map_err(in_file)?;
        Ok(Self { path: path.to_owned(), document, maps, extents })
    }
}

#[derive(Default)]
struct Rows {
    chunk: Vec<i64>,
    offset: Vec<i64>,
    size: Vec<i64>,
    filter_mask: Vec<i64>,
    /// Of the rows of metadata, which come last.
    bytes: Vec<Bytes>,
}

fn read(file: fs::File) -> Result<(Document, Rows)> {
    let damaged = |error: ParquetError| Error::damaged(format!("not an index of hyperslab: {error}"));
    let reader = SerializedFileReader::new(file).map_err(damaged)?;
    let metadata = reader.metadata().file_metadata();
    let pairs = metadata.key_value_metadata().into_iter().flatten();
    let text = pairs.filter(|pair| pair.key == KEY).find_map(|pair| pair.value.as_deref());
    let text = text.ok_or_else(|| Error::damaged(format!("not an index of hyperslab: it has no {KEY}")))?;
    let document: Document = serde_json::from_str(text)
        .map_err(|error| Error::damaged(format!("not an index of hyperslab: {error}")))?;
    if document.version > FORMAT_VERSION {
        let what = format!(
            "an index of version {}; this is hyperslab {}",
            document.version,
            env!("CARGO_PKG_VERSION")
        );
        return Err(Error::unsupported(what));
    }
    let fields = metadata.schema_descr().columns().iter().map(|column| column.name().to_owned());
    if fields.collect::<Vec<_>>() != COLUMNS {
        return Err(Error::damaged(format!("the columns are not {}", COLUMNS.join(", "))));
    }
    let mut rows = Rows::default();
    for number in 0..reader.num_row_groups() {
        let group = reader.get_row_group(number).map_err(damaged)?;
        rows.add(&*group).map_err(damaged)?;
    }
    Ok((document, rows))
}

impl Rows {
    fn add(&mut self, group: &dyn RowGroupReader) -> std::result::Result<(), ParquetError> {
        let count = group.metadata().num_rows();
        if !(0..=GROUP_ROWS_MAX).contains(&count) {
            return Err(ParquetError::General(format!("a row group of {count} rows")));
        }
        let count = count as usize;
        let columns = [&mut self.chunk, &mut self.offset, &mut self.size, &mut self.filter_mask];
        for (number, column) in columns.into_iter().enumerate() {
            let before = column.len();
            let ColumnReader::Int64ColumnReader(mut values) = group.get_column_reader(1 + number)? else {
                return Err(ParquetError::General(format!(
                    "{} is not a column of numbers",
                    COLUMNS[1 + number]
                )));
            };
            while column.len() - before < count {
                let (read, ..) = values.read_records(count - (column.len() - before), None, None, column)?;
                if read == 0 {
                    return Err(ParquetError::General(format!("{} ends early", COLUMNS[1 + number])));
                }
            }
        }
        let ColumnReader::ByteArrayColumnReader(mut values) = group.get_column_reader(5)? else {
            return Err(ParquetError::General("bytes is not a column of bytes".into()));
        };
        let (mut levels, mut bytes) = (Vec::new(), Vec::<ByteArray>::new());
        while levels.len() < count {
            let (read, ..) =
                values.read_records(count - levels.len(), Some(&mut levels), None, &mut bytes)?;
            if read == 0 {
                return Err(ParquetError::General("bytes ends early".into()));
            }
        }
        self.bytes.extend(bytes.iter().map(|bytes| Bytes::copy_from_slice(bytes.data())));
        Ok(())
    }

    /// The chunk maps by object, and the extents of metadata, after the checksum was compared.
    #[expect(clippy::type_complexity, reason = "the two parts of an index")]
    fn divided(self, document: &Document) -> Result<(HashMap<u64, Arc<ChunkMap>>, Vec<(u64, Bytes)>)> {
        let chunks = self.chunk.len().checked_sub(self.bytes.len());
        let chunks = chunks.ok_or_else(|| Error::damaged("it has more bytes than rows"))?;
        let said = document.datasets.iter().fold(0u64, |sum, dataset| sum.saturating_add(dataset.chunks));
        if said != chunks as u64 || document.extents != self.bytes.len() as u64 {
            return Err(Error::damaged(format!("it has {chunks} chunks, and says that it has {said}")));
        }
        let mut digest = RowDigest::default();
        for row in 0..self.chunk.len() {
            let bytes = row.checked_sub(chunks).map_or(&[][..], |extent| &self.bytes[extent]);
            digest.add(self.chunk[row], self.offset[row], self.size[row], self.filter_mask[row], bytes);
        }
        if digest.finish() != document.sha256 {
            return Err(Error::damaged("its checksum is wrong").with_hint("make the index again"));
        }
        let (mut maps, mut next) = (HashMap::new(), 0);
        for dataset in &document.datasets {
            let rows = next..next + dataset.chunks as usize;
            next = rows.end;
            let grid = ChunkGrid::new(&dataset.shape, &dataset.chunk_shape)?;
            let located = rows.map(|row| {
                let number = self.chunk[row].max(0) as u128;
                let filter_mask = self.filter_mask[row] as u32;
                let location = Location {
                    address: self.offset[row] as u64,
                    stored_bytes: self.size[row] as u64,
                    filter_mask,
                };
                (grid.coordinates(number), location)
            });
            let map = ChunkMap::new(grid.clone(), located).map_err(|error| error.at_object(&dataset.path))?;
            maps.insert(dataset.object, Arc::new(map));
        }
        let offsets = self.offset[chunks..].iter().map(|&offset| offset as u64);
        Ok((maps, offsets.zip(self.bytes).collect()))
    }
}
