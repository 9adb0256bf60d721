//! Datasets: the messages that describe them agree with each other, and lead to their raw data.

use crate::checker::{Checked, Checker};
use crate::global_heap::HEAP_REFERENCE;
use crate::references::{References, has_references};
use crate::rule::rules;
use hyperslab_format::message::{Dataspace, Datatype, FilterPipeline, Layout};
use hyperslab_format::object_header::{MessageKind, ObjectHeader};
use hyperslab_format::virtual_mapping::VirtualMapping;
use hyperslab_format::{Bytes, FormatError};

rules! { RULES:
    /// A dataset has a dataspace, a datatype and a data layout.
    DATASET_MESSAGES = Error "dataset-messages", "IV.A.2";
    /// Compact and contiguous data has as many bytes as the elements of the dataspace.
    DATA_SIZE = Error "data-size", "IV.A.2.i";
    /// The chunks of a dataset have as many dimensions as the dataset, and elements of the size of the datatype.
    CHUNK_SHAPE = Error "chunk-shape", "IV.A.2.i";
    /// Along a dimension that cannot grow and has elements, a chunk is not larger than the dataset, as the library demands of
    /// new datasets.
    CHUNK_LARGER = Note "chunk-larger-than-extent", "IV.A.2.i; H5D.c";
    /// Only chunked, virtual and external datasets can grow.
    EXTENDIBLE = Error "extendible", "IV.A.2.b; H5Dint.c";
    /// Only chunked datasets have filters.
    UNUSED_FILTERS = Note "unused-filters", "IV.A.2.l";
    /// Data in external files is contiguous, and not in this file, too.
    EXTERNAL_DATA = Error "external-data", "IV.A.2.h";
    /// The index of a chunked dataset is of the kind that its dataspace and filters allow.
    INDEX_KIND = Error "index-kind", "IV.A.2.i, VII";
}

const LAYOUT: &str = "data layout message";
/// The name of contiguous raw data among the bytes of the file.
pub(crate) const CONTIGUOUS: &str = "contiguous data";

/// What a dataset consists of.
pub(crate) struct DatasetParts {
    pub dataspace: Dataspace,
    pub datatype: Datatype,
    pub filters: FilterPipeline,
    /// The absolute offset of the layout message.
    pub layout_at: u64,
}

impl Checker<'_> {
    /// Checks a dataset and its raw data.
    pub(crate) fn check_dataset(&mut self, header: &ObjectHeader, references: &mut References) -> Checked {
        let at = self.view.absolute(header.address);
        for kind in [MessageKind::DATASPACE, MessageKind::DATATYPE, MessageKind::LAYOUT] {
            self.demand(header.first(kind).is_some(), &DATASET_MESSAGES, "object header", at, || {
                format!("a dataset without a {kind}")
            });
        }
        let widths = self.view.widths;
        let layout_at = header.first(MessageKind::LAYOUT).map_or(at, |message| message.at);
        let dataspace = self.with_context(|context| header.dataspace(context))?;
        let datatype = self.with_context(|context| header.datatype(context))?;
        let filters = self.with_context(|context| header.filter_pipeline(context))?.unwrap_or_default();
        // Compares the size of the fill value with that of an element.
        self.with_context(|context| header.fill_value(context))?;
        let (Some(dataspace), Some(datatype), Some(layout)) = (dataspace, datatype, header.layout(widths)?)
        else {
            return Ok(());
        };
        let external = header.external_files(widths)?;
        let parts = DatasetParts { dataspace, datatype, filters, layout_at };
        let elements = parts.dataspace.elements();
        let Some(bytes) = elements.and_then(|count| count.checked_mul(parts.datatype.size.into())) else {
            // Only chunked data can be so sparse.
            let is_chunked = matches!(layout, Layout::Chunked(_));
            self.demand(is_chunked, &DATA_SIZE, LAYOUT, layout_at, || "more than 2^64 bytes".to_owned());
            return match layout {
                Layout::Chunked(layout) => self.check_chunked(&parts, &layout, references),
                _ => Ok(()),
            };
        };
        if !matches!(layout, Layout::Chunked(_)) {
            self.demand(parts.filters.filters.is_empty(), &UNUSED_FILTERS, LAYOUT, layout_at, || {
                "filters of data that is not chunked".to_owned()
            });
        }
        if external.is_some() {
            let is_external = matches!(layout, Layout::Contiguous { address: None, .. });
            self.demand(is_external, &EXTERNAL_DATA, LAYOUT, layout_at, || format!("{layout:?}"));
            return Ok(());
        }
        match layout {
            Layout::Compact { data, at } => {
                self.check_fixed_extent(&parts);
                self.demand(data.len() as u64 == bytes, &DATA_SIZE, LAYOUT, at, || {
                    format!("{} bytes of compact data, the elements have {bytes}", data.len())
                });
                self.check_references(references, &parts.datatype, &data, at);
                Ok(())
            }
            Layout::Contiguous { address, size } => {
                self.check_fixed_extent(&parts);
                let size = size.unwrap_or(bytes);
                self.demand(size == bytes, &DATA_SIZE, LAYOUT, layout_at, || {
                    format!("{size} bytes of contiguous data, the elements have {bytes}")
                });
                let Some(address) = address else { return Ok(()) };
                let at = self.view.absolute(address);
                self.claim_at(CONTIGUOUS, at, size)?;
                if self.options.data && has_references(&parts.datatype) {
                    self.check_contiguous_references(&parts.datatype, at, size, references);
                }
                Ok(())
            }
            Layout::Chunked(layout) => self.check_chunked(&parts, &layout, references),
            Layout::Virtual { heap, index } => {
                let Some(heap) = heap else { return Ok(()) };
                let object = self.global_heap_object(&mut references.collections, heap, index, layout_at);
                let Some(object) = object else { return Ok(()) };
                // Offsets in the mapping are not offsets in the file.
                let parsed = VirtualMapping::parse_all(object, widths);
                parsed.map_err(|error| FormatError { at: layout_at, ..error })?;
                Ok(())
            }
        }
    }

    /// Reports a dataset that could grow, although its layout does not allow that.
    fn check_fixed_extent(&mut self, parts: &DatasetParts) {
        let Dataspace::Simple { dims, max_dims } = &parts.dataspace else { return };
        let is_fixed = dims.iter().zip(max_dims).all(|(dim, max)| *max == Some(*dim));
        self.demand(is_fixed, &EXTENDIBLE, LAYOUT, parts.layout_at, || {
            format!("a maximum of {max_dims:?} elements, with data that is neither chunked nor external")
        });
    }

    fn check_contiguous_references(
        &mut self,
        datatype: &Datatype,
        at: u64,
        bytes: u64,
        references: &mut References,
    ) {
        /// About so many bytes are read at once.
        const PIECE_BYTES: u64 = 1 << 20;
        let size = u64::from(datatype.size);
        let step = (PIECE_BYTES / size).max(1) * size;
        let mut start = 0;
        while start < bytes {
            let len = step.min(bytes - start);
            let Some(piece) = self.input.read(at + start, len) else {
                self.demand(self.input.has_failed(), &HEAP_REFERENCE, CONTIGUOUS, at, || {
                    format!("elements of {size} bytes were not looked at")
                });
                return;
            };
            self.check_references(references, datatype, &Bytes::from(piece), at + start);
            start += len;
        }
    }
}
