//! Values of HDF4: its data sets, tables and images are read where something has to be decoded.

use hyperslab::{Dataset, Endianness, Error, ErrorKind, File, Group, LinkTarget, Object, Result, Selection};
use hyperslab_check::Report;
use std::collections::HashSet;

/// Decodes all values of a file, and adds those that cannot be decoded to its report.
pub(super) fn decode(file: &File, report: &mut Report) -> Result<()> {
    let (mut groups, mut seen) = (vec![file.root()?], HashSet::new());
    while let Some(group) = groups.pop() {
        for link in group.links()?.into_iter().flatten() {
            let LinkTarget::Hard(address) = link.target else { continue };
            if !seen.insert(address) {
                continue;
            }
            match group.open(&link) {
                Ok(Object::Group(group)) => groups.push(group),
                Ok(Object::Dataset(dataset)) => chunks(&dataset, report),
                Ok(Object::Datatype(_)) => {}
                // Some are decoded as they are opened.
                Err(error) => note(report, &path(&group, &link.name.text()), &error),
            }
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

fn path(group: &Group, name: &str) -> String {
    format!("{}/{name}", group.path().trim_end_matches('/'))
}
