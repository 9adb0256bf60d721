//! A table of a few columns as a Parquet file, compressed with Zstandard.

use bytes::Bytes;
use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as PhysicalType, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, Type};
use std::io::{self, Write};
use std::sync::Arc;

/// A column. A `None` is a null.
pub(crate) enum Column {
    /// UTF-8; the same few texts many times over.
    Text(Vec<Option<Bytes>>),
    Binary(Vec<Option<Bytes>>),
    Long(Vec<i64>),
}

/// Named columns of the same length.
pub(crate) struct Table {
    pub columns: Vec<(&'static str, Column)>,
}

impl Table {
    /// Writes the table as one row group.
    pub fn write(&self, out: impl Write + Send) -> io::Result<()> {
        let mut writer = TableWriter::new(self, out)?;
        writer.write(self)?;
        writer.close(&[])
    }
}

/// A Parquet file that is being written, row group after row group.
pub(crate) struct TableWriter<W: Write + Send> {
    writer: SerializedFileWriter<W>,
}

impl<W: Write + Send> TableWriter<W> {
    /// Begins a file with the columns of this table.
    pub fn new(table: &Table, out: W) -> io::Result<Self> {
        let fields = table.columns.iter().map(|(name, column)| column.field(name));
        let begin = || {
            let fields = fields.collect::<Result<Vec<_>, _>>()?;
            let schema = Arc::new(Type::group_type_builder("schema").with_fields(fields).build()?);
            let mut properties = WriterProperties::builder()
                .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
                .set_statistics_enabled(EnabledStatistics::None);
            for (name, column) in &table.columns {
                // Without the number of nulls, fastparquet reads integers as floating-point numbers.
                if matches!(column, Column::Long(_)) {
                    let path = ColumnPath::from(*name);
                    properties = properties.set_column_statistics_enabled(path, EnabledStatistics::Chunk);
                }
            }
            SerializedFileWriter::new(out, schema, Arc::new(properties.build()))
        };
        Ok(Self { writer: begin().map_err(into_io)? })
    }

    /// Writes a row group.
    pub fn write(&mut self, table: &Table) -> io::Result<()> {
        let mut write = || {
            let mut group = self.writer.next_row_group()?;
            for (_, column) in &table.columns {
                let mut values = group.next_column()?.expect("the schema has a column for each");
                column.write(&mut values)?;
                values.close()?;
            }
            group.close()
        };
        write().map(|_| ()).map_err(into_io)
    }

    /// Ends the file, with pairs of metadata.
    pub fn close(mut self, metadata: &[(&str, String)]) -> io::Result<()> {
        for (name, value) in metadata {
            self.writer.append_key_value_metadata(KeyValue::new((*name).to_owned(), value.clone()));
        }
        self.writer.close().map(|_| ()).map_err(into_io)
    }
}

/// The error of a library as one of writing.
pub(crate) fn into_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => io::Error::other(cause),
        error => io::Error::other(error),
    }
}

impl Column {
    fn field(&self, name: &str) -> Result<Arc<Type>, ParquetError> {
        let (physical, repetition) = match self {
            Column::Text(_) | Column::Binary(_) => (PhysicalType::BYTE_ARRAY, Repetition::OPTIONAL),
            Column::Long(_) => (PhysicalType::INT64, Repetition::REQUIRED),
        };
        let field = Type::primitive_type_builder(name, physical).with_repetition(repetition);
        let field = match self {
            Column::Text(_) => {
                field.with_converted_type(ConvertedType::UTF8).with_logical_type(Some(LogicalType::String))
            }
            _ => field,
        };
        field.build().map(Arc::new)
    }

    fn write(&self, out: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        match self {
            Column::Text(values) | Column::Binary(values) => {
                let known: Vec<ByteArray> = values.iter().flatten().cloned().map(ByteArray::from).collect();
                let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
                out.typed::<ByteArrayType>().write_batch(&known, Some(&levels), None)?;
            }
            Column::Long(values) => {
                out.typed::<Int64Type>().write_batch(values, None, None)?;
            }
        }
        Ok(())
    }
}
