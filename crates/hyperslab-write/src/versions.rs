//! The versions of structures in a new file, from the oldest library that is to read it.
//!
//! As in libhdf5, a low bound is the version of everything that does not need more, and an object that needs more gets it:
//! a file for HDF5 1.6 may contain a virtual dataset, which 1.6 cannot read, beside others that it reads.

use crate::dataspace::DataspaceSpec;
use crate::tree::{
    AttributeSpec, ChunkedSpec, DatasetSpec, GroupSpec, LinkTargetSpec, Object, ObjectSpec, StorageSpec,
};
use hyperslab_format::message::GroupInfo;
use hyperslab_format::message::attribute::AttributeVersions;
use hyperslab_format::message::datatype::Charset;

/// The oldest library that is to read a file: the `low` argument of `H5Pset_libver_bounds`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum LowBound {
    /// HDF5 1.6 and other readers of its files: old-style groups, version 1 object headers and B-trees.
    Earliest,
    /// HDF5 1.8: new-style groups and version 2 object headers, but version 1 B-trees of chunks.
    V18,
    /// HDF5 1.10: the chunk indexes of layout version 4.
    #[default]
    V110,
    /// HDF5 2.0, the latest version that is known here: layout version 5.
    Latest,
}

/// The versions of structures for a low bound, unless an object needs higher ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Versions {
    pub superblock: u8,
    pub object_header: u8,
    pub dataspace: u8,
    /// The lowest version of compounds, enumerations and arrays.
    pub datatype: u8,
    pub fill_value: u8,
    pub layout: u8,
    pub filter_pipeline: u8,
    pub attribute: u8,
}

/// The layout versions that introduced what older ones cannot express.
const LAYOUT_WITH_INDEXES: u8 = 4;
const LAYOUT_WITH_LARGE_CHUNKS: u8 = 5;
/// The superblock version that introduced the size of B-tree nodes of chunks.
pub(crate) const SUPERBLOCK_WITH_CHUNK_K: u8 = 1;
/// The superblock version that introduced the extension.
pub(crate) const SUPERBLOCK_WITH_EXTENSION: u8 = 2;
/// The most messages that a version 1 object header can count, without those that are not attributes.
const ATTRIBUTES_MAX_VERSION_1: usize = 65_000;

impl LowBound {
    /// The versions for this bound (`H5O_*_ver_bounds` in libhdf5).
    pub(crate) fn versions(self) -> Versions {
        let latest = Versions {
            superblock: 3,
            object_header: 2,
            dataspace: 2,
            datatype: 5,
            fill_value: 3,
            layout: LAYOUT_WITH_LARGE_CHUNKS,
            filter_pipeline: 2,
            attribute: 3,
        };
        match self {
            Self::Latest => latest,
            Self::V110 => Versions { datatype: 3, layout: LAYOUT_WITH_INDEXES, ..latest },
            Self::V18 => Versions { superblock: 2, datatype: 3, layout: 3, ..latest },
            Self::Earliest => Versions {
                superblock: 0,
                object_header: 1,
                dataspace: 1,
                datatype: 1,
                fill_value: 2,
                layout: 3,
                filter_pipeline: 1,
                attribute: 1,
            },
        }
    }
}

impl Versions {
    /// True if the properties of an object need a version 2 object header, whatever the sizes of its attributes.
    pub fn needs_header_2(&self, object: &Object) -> bool {
        self.object_header >= 2
            || object.attribute_order.tracked
            || object.attribute_phase_change.is_some()
            || object.attributes.len() > ATTRIBUTES_MAX_VERSION_1
            || has_unusual_padding(object)
    }

    /// True if a group is an old-style group, with a symbol table: one of links that existed before HDF5 1.8, and without
    /// properties that only new-style groups have.
    pub fn has_symbol_table(&self, group: &GroupSpec) -> bool {
        self.object_header < 2
            && !group.order.tracked
            && group.info == GroupInfo::default()
            && group.links.iter().all(|link| {
                let is_old = matches!(link.target, LinkTargetSpec::Hard(_) | LinkTargetSpec::Soft(_));
                is_old && link.charset == Charset::Ascii
            })
    }

    /// The version of a dataspace message.
    pub fn dataspace(&self, dataspace: &DataspaceSpec) -> u8 {
        if *dataspace == DataspaceSpec::Null { self.dataspace.max(2) } else { self.dataspace }
    }

    /// The versions in an attribute message.
    pub fn attribute(&self, attribute: &AttributeSpec) -> AttributeVersions {
        let needed = match (attribute.charset, attribute.datatype.committed) {
            (Charset::Ascii, None) => 1,
            (Charset::Ascii, Some(_)) => 2,
            _ => 3,
        };
        AttributeVersions {
            message: self.attribute.max(needed),
            datatype: self.datatype,
            dataspace: self.dataspace(&attribute.dataspace),
        }
    }

    /// The version of a layout message.
    pub fn layout(&self, dataset: &DatasetSpec) -> u8 {
        let needed = match &dataset.storage {
            StorageSpec::Virtual(_) => LAYOUT_WITH_INDEXES,
            StorageSpec::Chunked(chunked) => {
                if has_large_chunks(dataset, chunked) {
                    LAYOUT_WITH_LARGE_CHUNKS
                } else if chunked.edge_chunks_unfiltered {
                    LAYOUT_WITH_INDEXES
                } else {
                    0
                }
            }
            _ => 0,
        };
        self.layout.max(needed)
    }
}

/// True if chunks have so many bytes that only the latest layout can express it.
pub(crate) fn has_large_chunks(dataset: &DatasetSpec, chunked: &ChunkedSpec) -> bool {
    let element = u64::from(dataset.datatype.datatype.size);
    let bytes = chunked.chunk_dims.iter().try_fold(element, |bytes, &dim| bytes.checked_mul(dim));
    bytes.is_none_or(|bytes| bytes > u32::MAX.into())
}

/// True if libhdf5 refuses a datatype of an object whose header has no checksum.
pub(crate) fn has_unusual_padding(object: &Object) -> bool {
    let is_unusual = match &object.spec {
        ObjectSpec::Group(_) => false,
        ObjectSpec::Dataset(dataset) => dataset.datatype.datatype.has_unusual_padding(),
        ObjectSpec::Datatype(datatype) => datatype.has_unusual_padding(),
    };
    is_unusual || object.attributes.iter().any(|attribute| attribute.datatype.datatype.has_unusual_padding())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_ordered() {
        let all = [LowBound::Earliest, LowBound::V18, LowBound::V110, LowBound::Latest];
        for pair in all.windows(2) {
            let [low, high] = [pair[0].versions(), pair[1].versions()];
            assert!(low.superblock <= high.superblock && low.layout <= high.layout);
            assert!(low.object_header <= high.object_header && low.datatype <= high.datatype);
        }
        assert_eq!(LowBound::default().versions().layout, 4);
    }

    #[test]
    fn a_null_dataspace_and_utf_8_raise_versions() {
        let old = LowBound::Earliest.versions();
        assert_eq!((old.dataspace(&DataspaceSpec::Scalar), old.dataspace(&DataspaceSpec::Null)), (1, 2));
        let mut group = GroupSpec::default();
        assert!(old.has_symbol_table(&group));
        assert!(!LowBound::V18.versions().has_symbol_table(&group));
        let target = LinkTargetSpec::Soft(Box::new("/x".into()));
        group.links.push(crate::LinkSpec { name: "x".into(), charset: Charset::Ascii, target });
        assert!(old.has_symbol_table(&group));
        group.links[0].charset = Charset::Utf8;
        assert!(!old.has_symbol_table(&group));
    }
}
