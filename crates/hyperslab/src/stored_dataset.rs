//! A dataset as its format describes it.

use crate::hdf5::VirtualDataset;
use hyperslab_array::array::Array;
use hyperslab_format::message::{ChunkedLayout, Dataspace, Datatype, FillValue, FilterPipeline};
use std::sync::Arc;

/// The parts of a dataset, in HDF5's words.
#[derive(Clone)]
pub(crate) struct StoredDataset {
    /// The dataset as an array, independent of the file format.
    pub(crate) array: Array,
    pub(crate) layout: LayoutDetail,
    pub(crate) datatype: Datatype,
    /// The datatype of the bytes in the file, if they have another byte order than `datatype`.
    pub(crate) in_file: Option<Datatype>,
    pub(crate) dataspace: Dataspace,
    pub(crate) max_dims: Vec<Option<u64>>,
    pub(crate) fill: FillValue,
    pub(crate) filters: FilterPipeline,
}

/// The details of how a dataset is stored that are shown to users but not needed for reading.
#[derive(Clone)]
pub(crate) enum LayoutDetail {
    None,
    /// HDF5's data layout message of a chunked dataset.
    Chunked(Arc<ChunkedLayout>),
    External(Vec<ExternalFile>),
    Virtual(Arc<VirtualDataset>),
}

/// An external file as the dataset's own file lists it.
#[derive(Debug, Clone)]
pub(crate) struct ExternalFile {
    pub(crate) name: String,
    /// The offset of the dataset's first byte in this file.
    pub(crate) offset: u64,
    /// The number of its bytes that belong to the dataset; `None` if unlimited.
    pub(crate) size: Option<u64>,
}
