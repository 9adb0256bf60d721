//! The rows as CSV, one line each, times in seconds and sizes in bytes.

use hyperslab_bench::matrix::{Row, WriteFigures};
use std::path::Path;

/// A column: its name, and what a row has in it; nothing where that is not known.
type Field = (&'static str, fn(&Row) -> Option<String>);

const FIELDS: [Field; 34] = [
    ("stored_as", |row| text(&row.stored_as)),
    ("read_as", |row| text(&row.read_as)),
    ("engine", |row| text(&row.engine)),
    ("version", |row| text(&row.version)),
    ("cache_nbytes", |row| text(row.cache?.nbytes)),
    ("cache_nslots", |row| text(row.cache?.nslots)),
    ("cache_w0", |row| text(row.cache?.w0)),
    ("cache_is_default", |row| text(row.cache.map(|_| row.is_default_cache)?)),
    ("page_buffer", |row| text(row.page_buffer?)),
    ("reads", |row| text(row.read.reads)),
    ("reads_in_all", |row| text(row.read.reads_in_all)),
    ("bytes", |row| text(row.read.bytes)),
    ("read_seconds", |row| text(row.read.read.median)),
    ("read_min", |row| text(row.read.read.min)),
    ("read_max", |row| text(row.read.read.max)),
    ("runs", |row| text(row.read.read.runs)),
    ("outliers", |row| text(row.read.read.outliers)),
    ("open_read_close_seconds", |row| text(row.read.open_read_close.median)),
    ("first_read_seconds", |row| text(row.read.first.median)),
    ("average_read_seconds", |row| text(row.read.average)),
    ("cpu_seconds", |row| text(row.read.cpu.median)),
    ("read_calls", |row| text(row.read.read_calls)),
    ("read_bytes", |row| text(row.read.read_bytes)),
    ("memory_bytes", |row| text(row.read.memory_bytes)),
    ("decodes", |row| text(row.read.decodes?)),
    ("simulated_decodes", |row| text(row.read.simulated_decodes?)),
    ("predicted_seconds", |row| text(row.read.predicted_seconds?)),
    ("reckoned_read_seconds", |row| text(row.read.reckoned_read?)),
    ("written_as", |row| text(&write(row)?.written_as)),
    ("write_seconds", |row| text(write(row)?.write.median)),
    ("open_write_close_seconds", |row| text(write(row)?.open_write_close.median)),
    ("write_cpu_seconds", |row| text(write(row)?.cpu.median)),
    ("file_bytes", |row| text(write(row)?.file_bytes)),
    ("overhead_bytes", |row| text(write(row)?.overhead_bytes)),
];

fn text(value: impl ToString) -> Option<String> {
    Some(value.to_string())
}

fn write(row: &Row) -> Option<&WriteFigures> {
    row.write.as_ref()
}

/// Writes the rows to a file.
pub(super) fn write_file<'a>(rows: impl Iterator<Item = &'a Row>, path: &Path) -> Result<(), csv::Error> {
    let mut writer = csv::Writer::from_path(path)?;
    writer.write_record(FIELDS.map(|(name, _)| name))?;
    for row in rows {
        writer.write_record(FIELDS.map(|(_, of)| of(row).unwrap_or_default()))?;
    }
    writer.flush()?;
    Ok(())
}
