//! The rows as CSV, one line each, times in seconds and sizes in bytes.

use hyperslab_bench::matrix::Row;
use std::path::Path;

const HEAD: [&str; 28] = [
    "stored_as",
    "read_as",
    "engine",
    "version",
    "cache_nbytes",
    "cache_nslots",
    "cache_w0",
    "cache_is_default",
    "page_buffer",
    "reads",
    "reads_in_all",
    "bytes",
    "read_seconds",
    "read_min",
    "read_max",
    "runs",
    "outliers",
    "open_read_close_seconds",
    "first_read_seconds",
    "average_read_seconds",
    "cpu_seconds",
    "read_calls",
    "read_bytes",
    "memory_bytes",
    "decodes",
    "simulated_decodes",
    "predicted_seconds",
    "reckoned_read_seconds",
];
const WRITE_HEAD: [&str; 6] = [
    "written_as",
    "write_seconds",
    "open_write_close_seconds",
    "write_cpu_seconds",
    "file_bytes",
    "overhead_bytes",
];

/// Writes them to a file.
pub(super) fn write<'a>(rows: impl Iterator<Item = &'a Row>, path: &Path) -> Result<(), csv::Error> {
    let mut writer = csv::Writer::from_path(path)?;
    writer.write_record(HEAD.iter().chain(&WRITE_HEAD))?;
    for row in rows {
        writer.write_record(fields(row))?;
    }
    writer.flush()?;
    Ok(())
}

fn fields(row: &Row) -> Vec<String> {
    fn or_empty(value: Option<impl ToString>) -> String {
        value.map(|value| value.to_string()).unwrap_or_default()
    }
    let read = &row.read;
    let mut fields = vec![
        row.stored_as.clone(),
        row.read_as.clone(),
        row.engine.clone(),
        row.version.clone(),
        or_empty(row.cache.map(|cache| cache.nbytes)),
        or_empty(row.cache.map(|cache| cache.nslots)),
        or_empty(row.cache.map(|cache| cache.w0)),
        or_empty(row.cache.map(|_| row.is_default_cache)),
        or_empty(row.page_buffer),
        read.reads.to_string(),
        read.reads_in_all.to_string(),
        read.bytes.to_string(),
        read.read.median.to_string(),
        read.read.min.to_string(),
        read.read.max.to_string(),
        read.read.runs.to_string(),
        read.read.outliers.to_string(),
        read.open_read_close.median.to_string(),
        read.first.median.to_string(),
        read.average.to_string(),
        read.cpu.median.to_string(),
        read.read_calls.to_string(),
        read.read_bytes.to_string(),
        read.memory_bytes.to_string(),
        or_empty(read.decodes),
        or_empty(read.simulated_decodes),
        or_empty(read.predicted_seconds),
        or_empty(read.reckoned_read),
    ];
    let write = row.write.as_ref();
    fields.extend([
        or_empty(write.map(|write| write.written_as.clone())),
        or_empty(write.map(|write| write.write.median)),
        or_empty(write.map(|write| write.open_write_close.median)),
        or_empty(write.map(|write| write.cpu.median)),
        or_empty(write.map(|write| write.file_bytes)),
        or_empty(write.map(|write| write.overhead_bytes)),
    ]);
    fields
}
