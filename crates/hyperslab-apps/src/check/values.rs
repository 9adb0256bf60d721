//! Values of HDF4: its data sets, tables and images are read where something has to be decoded.

use hyperslab::{Dataset, Endianness, Error, ErrorKind, File, Object, Prefetch, Result, Selection};
use hyperslab_check::Report;
use hyperslab_listing::object_paths::text_of;
use hyperslab_listing::traversal::{Item, Traversal};

/// Decodes all values of a file, and adds those that cannot be decoded to its report.
pub(super) fn decode(file: &File, report: &mut Report) -> Result<()> {
    let prefetch = Prefetch { depth: usize::MAX, chunk_indexes: true, attributes: false };
    let (items, _) = Traversal::run(Object::Group(file.root()?), b"/", usize::MAX, prefetch);
    for item in items {
        match item {
            Item::Object { object: Object::Dataset(dataset), .. } => chunks(&dataset, report),
            // Some are decoded as they are opened.
            Item::Unopened { path, error } => note(report, &text_of(&path), &error),
            Item::Object { .. } | Item::Alias { .. } | Item::Link { .. } | Item::BrokenLink { .. } => {}
        }
    }
    Ok(())
}

/// Decodes the chunks that exist.
fn chunks(dataset: &Dataset, report: &mut Report) {
    if dataset.chunk_grid().is_none() {
        return;
    }
    let map = match dataset.chunk_map() {
        Ok(map) => map,
        Err(error) => return note(report, dataset.path(), &error),
    };
    for (number, _) in map.iter() {
        report.chunks += 1;
        let start = map.grid().offset(number);
        let ends = dataset.shape().iter().zip(map.grid().chunk_shape()).zip(&start);
        let count: Vec<u64> = ends.map(|((len, chunk), start)| (len - start).min(*chunk)).collect();
        let block = Selection::block(&start, &count);
        if let Err(error) = dataset.read_bytes(&block, Endianness::File) {
            note(report, dataset.path(), &error);
        }
    }
}

fn note(report: &mut Report, object: &str, error: &Error) {
    let is_damaged = error.kind() != ErrorKind::Unsupported;
    report.note_undecoded(object, error.offset().unwrap_or(0), is_damaged, error.message().to_owned());
}
