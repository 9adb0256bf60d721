//! What an object needs to be what it is: without these, a copy of it would lose its meaning.

use crate::dimension_scales::DIMENSION_LIST;
use crate::link_tree::{LinkNode, LinkTree, NodeKind};
use glob::Pattern;
use hyperslab::datatypes::Class;
use hyperslab::{Address, Attribute, File, Object, hdf5};
use hyperslab_encode::RepackError;

/// An object that another one needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    pub target: NeedTarget,
    /// As in [`Needed::role`](crate::Needed::role).
    pub role: &'static str,
}

/// How it is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NeedTarget {
    Address(Address),
    Path(String),
}

/// The dimension scales of a dataset, the committed datatypes of an object and of its attributes, and the sources of a
/// virtual dataset that are in the same file.
///
/// # Errors
///
/// An object that cannot be read.
pub fn needs(file: &File, tree: &LinkTree, node: &LinkNode) -> Result<Vec<Need>, RepackError> {
    let path = &node.paths[0];
    let object = hdf5::object_at(file, node.address, path)?;
    let mut needs = Vec::new();
    let datatype = |address| Need { target: NeedTarget::Address(address), role: "datatype" };
    if let Object::Dataset(dataset) = &object {
        needs.extend(dataset.datatype().committed.map(datatype));
        needs.extend(virtual_sources(tree, node, dataset));
    }
    for attribute in object.attributes().list().map_err(|error| error.at_object(path))? {
        let attribute = attribute.map_err(|error| error.at_object(path))?;
        needs.extend(attribute.datatype.committed.map(datatype));
        if attribute.name.as_bytes() == DIMENSION_LIST.as_bytes() {
            needs.extend(scales(file, &attribute, path)?);
        }
    }
    Ok(needs)
}

/// The sources of a virtual dataset that are in the same file.
pub fn virtual_sources(tree: &LinkTree, node: &LinkNode, dataset: &hyperslab::Dataset) -> Vec<Need> {
    if !matches!(node.kind, NodeKind::Dataset { is_virtual: true }) {
        return Vec::new();
    }
    let own = dataset.virtual_sources().unwrap_or_default().into_iter().filter(|(file, _)| file == ".");
    let paths = own.flat_map(|(_, path)| match source_pattern(&path) {
        None => vec![path],
        Some(pattern) => {
            let paths = tree.nodes.iter().flat_map(|node| &node.paths);
            paths.filter(|path| pattern.matches(path)).cloned().collect()
        }
    });
    paths.map(|path| Need { target: NeedTarget::Path(path), role: "source" }).collect()
}

/// The pattern of the paths that the name of a source stands for, if it contains numbers of blocks (`%b`).
pub fn source_pattern(name: &str) -> Option<Pattern> {
    let name = format!("/{}", name.trim_start_matches('/'));
    if !name.contains("%b") {
        return None;
    }
    let parts: Vec<String> = name.split("%b").map(|part| Pattern::escape(&part.replace("%%", "%"))).collect();
    Pattern::new(&parts.join("*")).ok()
}

/// The dimension scales that `DIMENSION_LIST` names.
fn scales(file: &File, attribute: &Attribute, path: &str) -> Result<Vec<Need>, RepackError> {
    let Class::VlenSequence { base } = &attribute.datatype.class else { return Ok(Vec::new()) };
    let mut heap = file.heap();
    let mut needs = Vec::new();
    for element in attribute.data.chunks_exact((attribute.datatype.size as usize).max(1)) {
        let (_, references) = heap.sequence(element, base.size).map_err(|error| error.at_object(path))?;
        let references = references.chunks_exact((base.size as usize).max(1));
        let found = references.filter_map(|reference| heap.object_reference(reference));
        needs.extend(
            found.map(|address| Need { target: NeedTarget::Address(address), role: "dimension scale" }),
        );
    }
    Ok(needs)
}
