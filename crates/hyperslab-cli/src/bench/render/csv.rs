//! The rows as CSV, one line each, times in seconds, sizes in bytes, speeds in 10⁶ bytes a second.

use hyperslab_bench::document::Document;
use hyperslab_pages::bench::columns::{cells, csv_head, csv_record};
use std::path::Path;

/// Writes the rows to a file.
pub(in crate::bench) fn write_file(document: &Document, path: &Path) -> Result<(), csv::Error> {
    let mut writer = csv::Writer::from_path(path)?;
    writer.write_record(csv_head())?;
    let names = document.names();
    for cell in cells(document, &names, &document.rows) {
        writer.write_record(csv_record(&cell))?;
    }
    writer.flush()?;
    Ok(())
}
