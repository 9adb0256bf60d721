//! The links of a group, for each of the three ways in which a file stores them.

use super::object::Hdf5Object;
use super::unfilter::unfilter;
use crate::Result;
use crate::format_error::OrError;
use hyperslab_format::message::{Link, LinkInfo, SymbolTable};
use hyperslab_format::{FormatError, Name, group};

/// How a group stores its links.
enum LinkStorage {
    /// B-tree and local heap, before HDF5 1.8.
    SymbolTable(SymbolTable),
    /// Fractal heap and version 2 B-tree.
    Dense(LinkInfo),
    /// Messages of the object header.
    Compact,
}

/// How the links of a group are stored.
fn storage(object: &Hdf5Object) -> Result<LinkStorage> {
    let (header, widths) = (&object.header, object.file.widths());
    if let Some(table) = header.symbol_table(widths).or_error()? {
        return Ok(LinkStorage::SymbolTable(table));
    }
    Ok(match header.link_info(widths).or_error()? {
        Some(info) if info.heap.is_some() => LinkStorage::Dense(info),
        _ => LinkStorage::Compact,
    })
}

/// True if the links lie in a fractal heap.
pub(super) fn are_dense(object: &Hdf5Object) -> bool {
    matches!(storage(object), Ok(LinkStorage::Dense(_)))
}

/// All links, sorted by name. Links that cannot be parsed come last, as errors.
pub(super) fn list(object: &Hdf5Object) -> Result<Vec<Result<Link>>> {
    let Hdf5Object { file, header } = object;
    let found = match storage(object)? {
        LinkStorage::SymbolTable(table) => {
            let mut listing = group::old::list(table);
            file.parse(|view| listing.advance(view))?
        }
        LinkStorage::Dense(info) => {
            let dense = match group::dense::list(&info) {
                Some(mut listing) => file.parse(|view| listing.advance(view, &unfilter))?,
                None => Vec::new(),
            };
            let mut links = header.links(file.widths());
            // Only a damaged file has both.
            if links.is_empty() {
                dense
            } else {
                links.extend(dense);
                links
            }
        }
        LinkStorage::Compact => header.links(file.widths()),
    };
    Ok(by_name(found))
}

/// The number of links. Most groups store it; their links are not read.
pub(super) fn count(object: &Hdf5Object) -> Result<u64> {
    let Hdf5Object { file, header } = object;
    let in_header = || header.links(file.widths()).len() as u64;
    match storage(object)? {
        LinkStorage::SymbolTable(table) => {
            let mut count = group::old::count(table);
            file.parse(|view| count.advance(view))
        }
        LinkStorage::Dense(info) => {
            let dense = file.parse(|view| group::dense::count(&info, view).unwrap_or(Ok(0)))?;
            Ok(dense.saturating_add(in_header()))
        }
        LinkStorage::Compact => Ok(in_header()),
    }
}

/// The link of this name.
pub(super) fn get(object: &Hdf5Object, name: &[u8]) -> Result<Option<Link>> {
    let Hdf5Object { file, header } = object;
    let wanted = Name::new(name.to_vec());
    match storage(object)? {
        LinkStorage::SymbolTable(table) => {
            let mut lookup = group::old::lookup(table, wanted);
            file.parse(|view| lookup.advance(view))
        }
        LinkStorage::Dense(info) => match group::dense::lookup(&info, wanted) {
            Some(mut lookup) => file.parse(|view| lookup.advance(view, &unfilter)),
            None => Ok(None),
        },
        LinkStorage::Compact => {
            Ok(header.links(file.widths()).into_iter().flatten().find(|link| link.name == wanted))
        }
    }
}

/// Sorts links by name. Damaged links, whose names are unknown, come last.
///
/// Names are scattered over the memory, and most of them have a common prefix. So the 8 bytes after the common prefix
/// are read once from each name and compared as a number; whole names are compared only if these are equal.
fn by_name(found: Vec<std::result::Result<Link, FormatError>>) -> Vec<Result<Link>> {
    let mut names = found.iter().flatten().map(|link| link.name.as_bytes());
    let first = names.next().unwrap_or_default();
    let common = names.fold(first.len(), |common, name| {
        let pairs = first[..common].iter().zip(name);
        pairs.take_while(|(a, b)| a == b).count()
    });
    let beginning = |link: &Link| {
        let mut bytes = [0; 8];
        let rest = &link.name.as_bytes()[common..];
        let len = rest.len().min(8);
        bytes[..len].copy_from_slice(&rest[..len]);
        u64::from_be_bytes(bytes)
    };
    let name = |number: usize| found[number].as_ref().ok().map(|link| &link.name);
    let mut order: Vec<(bool, u64, usize)> = found
        .iter()
        .enumerate()
        .map(|(number, link)| match link {
            Ok(link) => (false, beginning(link), number),
            Err(_) => (true, 0, number),
        })
        .collect();
    order.sort_unstable_by(|a, b| {
        (a.0, a.1).cmp(&(b.0, b.1)).then_with(|| name(a.2).cmp(&name(b.2))).then(a.2.cmp(&b.2))
    });
    let mut found: Vec<_> = found.into_iter().map(OrError::or_error).collect();
    // Moved within the list, which may be the largest one of the file: link `order[i].2` goes to place i.
    for start in 0..found.len() {
        let mut to = start;
        loop {
            let from = std::mem::replace(&mut order[to].2, to);
            if from == start {
                break;
            }
            found.swap(to, from);
            to = from;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::by_name;
    use hyperslab_format::message::datatype::Charset;
    use hyperslab_format::message::{Link, LinkTarget};
    use hyperslab_format::{Address, FormatError};
    use proptest::prelude::*;
    use std::iter;

    proptest! {
        #[test]
        fn links_are_ordered_by_all_bytes_of_their_names(
            prefix in "[a\\x00]{0,12}", rests in prop::collection::vec("[ab\\x00]{0,10}", 0..20)
        ) {
            let mut names: Vec<String> = rests.iter().map(|rest| format!("{prefix}{rest}")).collect();
            let links = names.iter().map(|name| Ok(Link {
                name: name.as_str().into(),
                charset: Charset::Ascii,
                target: LinkTarget::Hard(Address(0)),
                creation_order: None,
            }));
            let damaged = FormatError::invalid("link message", "name", 0, "damaged");
            let found = by_name(iter::once(Err(damaged)).chain(links).collect());
            let (last, found) = found.split_last().unwrap();
            prop_assert!(last.is_err());
            let found: Vec<String> = found.iter().flatten().map(|link| link.name.to_string()).collect();
            names.sort_by(|a, b| a.as_bytes().cmp(b.as_bytes()));
            prop_assert_eq!(found, names);
        }
    }
}
