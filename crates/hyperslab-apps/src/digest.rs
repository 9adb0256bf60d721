//! Every object of a file, with a checksum of every value, as records.

use crate::files;
use hyperslab::File;
use hyperslab_io::Source;
use hyperslab_listing::digest;
pub use hyperslab_listing::digest::{Options, Summary};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// Writes the records of one file; the record of the file itself comes last.
///
/// # Errors
/// Those of `out`. That the file cannot be read is in the summary.
pub fn file(path: &Path, options: &Options, out: &mut dyn Write) -> io::Result<Summary> {
    let objects = |source: Option<&Arc<dyn Source>>, out: &mut dyn Write| {
        digest::objects(files::open_file_of(source, path, &File::options()), options, out)
    };
    if options.name.is_none() {
        return objects(None, out);
    }
    // A remote file is opened once, for its record and for its objects. If it cannot be, the latter say why.
    let source = if files::is_url(path) { files::open_source(path).ok() } else { None };
    let (own, summary) = std::thread::scope(|scope| {
        // The checksum of the file does not depend on its objects, so it is computed at the same time.
        let own = scope.spawn(|| match &source {
            Some(source) => digest::describe_file(&**source),
            None => digest::describe_file(&*files::open_source(path)?),
        });
        let summary = objects(source.as_ref(), out);
        (own.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), summary)
    });
    let summary = summary?;
    // If not even the bytes of the file can be read, its record contains no more than the error.
    if let Ok(record) = own {
        digest::write_file_record(record, &summary, options, out)?;
    }
    Ok(summary)
}
