//! What a file contains that libraries as old as its low bound cannot read: objects whose structures were raised above it.

use crate::dataspace::DataspaceSpec;
use crate::encode::attribute_storage;
use crate::error::WriteError;
use crate::options::WriteOptions;
use crate::tree::{
    AttributeSpec, DatasetSpec, FileTree, GroupSpec, LinkTargetSpec, Object, ObjectSpec, StorageSpec,
};
use crate::value::ObjectId;
use crate::versions::{LowBound, Versions, has_large_chunks, has_unusual_padding};
use hyperslab_format::message::datatype::Charset;
use hyperslab_format::message::{Datatype, GroupInfo};
use std::collections::BTreeMap;
use std::fmt;

/// A release of HDF5 that introduced structures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release(u8, u8);

const V18: Release = Release(1, 8);
const V110: Release = Release(1, 10);
const V112: Release = Release(1, 12);
const V20: Release = Release(2, 0);

impl fmt::Display for Release {
    /// `1.10`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

/// What older releases cannot read, and the objects of a file that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionRequirement {
    /// What it is, in words.
    pub feature: &'static str,
    /// The oldest release that reads it.
    pub release: Release,
    /// The first object that has it; `None` for the file itself.
    pub first: Option<ObjectId>,
    /// The number of objects that have it; 0 for the file itself.
    pub objects: u64,
}

impl LowBound {
    /// The oldest release that the bound is for.
    fn release(self) -> Release {
        match self {
            Self::Earliest => Release(1, 6),
            Self::V18 => V18,
            Self::V110 => V110,
            Self::Latest => V20,
        }
    }
}

/// What a file of this tree contains that libraries as old as its low bound cannot read, the oldest releases first.
///
/// # Errors
///
/// Attributes that cannot be encoded.
pub fn raised(tree: &FileTree, options: &WriteOptions) -> Result<Vec<VersionRequirement>, WriteError> {
    let bound = options.low.release();
    if bound >= V20 {
        return Ok(Vec::new());
    }
    let mut found: BTreeMap<(Release, &'static str), (Option<ObjectId>, u64)> = BTreeMap::new();
    if options.page_bytes.is_some() && bound < V18 {
        found.insert((V18, "pages (superblock version 2)"), (None, 0));
    }
    let versions = options.low.versions();
    for (number, object) in tree.objects.iter().enumerate() {
        let mut features = Features { found: Vec::new(), bound };
        features.object(object, &versions).map_err(|error| WriteError::Object { object: number, error })?;
        features.found.sort_unstable();
        features.found.dedup();
        for feature in features.found {
            let (_, objects) = found.entry(feature).or_insert((Some(ObjectId(number as u32)), 0));
            *objects += 1;
        }
    }
    let raised = found.into_iter().map(|((release, feature), (first, objects))| VersionRequirement {
        feature,
        release,
        first,
        objects,
    });
    Ok(raised.collect())
}

/// What an object has that is newer than the bound.
struct Features {
    found: Vec<(Release, &'static str)>,
    bound: Release,
}

impl Features {
    fn add(&mut self, has: bool, release: Release, feature: &'static str) {
        if has && release > self.bound {
            self.found.push((release, feature));
        }
    }

    fn object(&mut self, object: &Object, versions: &Versions) -> Result<(), hyperslab_format::EncodeError> {
        self.add(object.attribute_order.tracked, V18, "creation order of attributes");
        self.add(object.attribute_phase_change.is_some(), V18, "thresholds of attribute storage");
        self.add(has_unusual_padding(object), V18, "numbers with unusual padding");
        // What is listed above needs the same header.
        if self.found.is_empty() && self.bound < V18 {
            let is_raised = attribute_storage(object, versions)?.header_version > versions.object_header;
            self.add(is_raised, V18, "very large or many attributes");
        }
        object.attributes.iter().for_each(|attribute| self.attribute(attribute));
        match &object.spec {
            ObjectSpec::Group(group) => self.group(group),
            ObjectSpec::Dataset(dataset) => self.dataset(dataset),
            ObjectSpec::Datatype(datatype) => self.datatype(datatype),
        }
        Ok(())
    }

    fn attribute(&mut self, attribute: &AttributeSpec) {
        self.add(attribute.charset == Charset::Utf8, V18, "names in UTF-8");
        self.add(attribute.dataspace == DataspaceSpec::Null, V18, "null dataspaces");
        self.datatype(&attribute.datatype.datatype);
    }

    fn group(&mut self, group: &GroupSpec) {
        self.add(group.order.tracked, V18, "creation order of links");
        self.add(group.info != GroupInfo::default(), V18, "properties of new-style groups");
        for link in &group.links {
            self.add(link.charset == Charset::Utf8, V18, "names in UTF-8");
            let is_new = matches!(link.target, LinkTargetSpec::External(_) | LinkTargetSpec::UserDefined(_));
            self.add(is_new, V18, "external and user-defined links");
        }
    }

    fn dataset(&mut self, dataset: &DatasetSpec) {
        self.add(dataset.dataspace == DataspaceSpec::Null, V18, "null dataspaces");
        self.datatype(&dataset.datatype.datatype);
        match &dataset.storage {
            StorageSpec::Virtual(_) => self.add(true, V110, "virtual datasets"),
            StorageSpec::Chunked(chunked) => {
                self.add(has_large_chunks(dataset, chunked), V20, "chunks of 4 GiB and more");
                self.add(chunked.edge_chunks_unfiltered, V110, "edge chunks without filters");
            }
            _ => {}
        }
    }

    fn datatype(&mut self, datatype: &Datatype) {
        let version = datatype.version(1);
        self.add(version == 3, V18, "VAX floating-point numbers");
        self.add(version == 4, V112, "revised references");
        self.add(version >= 5, V20, "complex numbers");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::LinkSpec;

    #[test]
    fn only_what_is_newer_than_the_bound_is_raised() {
        let mut group = GroupSpec {
            order: crate::CreationOrder { tracked: true, indexed: true },
            ..GroupSpec::default()
        };
        let target = LinkTargetSpec::External(Box::new(crate::ExternalTarget {
            file: "other.h5".into(),
            path: "/x".into(),
        }));
        for name in ["a", "b"] {
            group.links.push(LinkSpec { name: name.into(), charset: Charset::Ascii, target: target.clone() });
        }
        let root = Object::new(ObjectSpec::Group(Box::new(group)));
        let tree = FileTree { objects: vec![root], heap: Vec::new() };
        let words = |low, page_bytes| {
            let options = WriteOptions { low, page_bytes, ..WriteOptions::default() };
            let raised = raised(&tree, &options).unwrap();
            let words = raised.iter().map(|raised| {
                format!("{} {} {:?} {}", raised.release, raised.feature, raised.first, raised.objects)
            });
            words.collect::<Vec<_>>()
        };
        assert_eq!(
            words(LowBound::Earliest, Some(4096)),
            [
                "1.8 creation order of links Some(ObjectId(0)) 1",
                "1.8 external and user-defined links Some(ObjectId(0)) 1",
                "1.8 pages (superblock version 2) None 0",
            ]
        );
        for low in [LowBound::V18, LowBound::V110, LowBound::Latest] {
            assert_eq!(words(low, Some(4096)), [""; 0]);
        }
    }
}
