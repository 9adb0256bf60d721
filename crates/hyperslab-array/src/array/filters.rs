//! The filters of an array's chunks.

use crate::{Error, Result};
use hyperslab_filters::{FilterError, FilterSpec, Pipeline};
use std::sync::OnceLock;

/// A filter and how it is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterSettings {
    /// Registered identification.
    pub id: u16,
    /// Its name in the file, if the file names it.
    pub name: Option<String>,
    /// The writer may have left it out where it failed.
    pub is_optional: bool,
    /// Client data ("cd_values").
    pub parameters: Vec<u32>,
}

impl FilterSettings {
    fn spec(&self) -> FilterSpec<'_> {
        FilterSpec { id: self.id, optional: self.is_optional, parameters: &self.parameters }
    }
}

/// Describes a filter: `gzip 4`, `shuffle`; one that is not built in by its registered name, its name in the file, or its
/// number.
pub fn describe_filter(filter: &FilterSettings) -> String {
    let described = hyperslab_filters::describe(&filter.spec()).or_else(|| filter.name.clone());
    described.unwrap_or_else(|| format!("filter {}", filter.id))
}

/// Describes a filter like [`describe_filter`]; if a plug-in serves it, with the plug-in, which is loaded for that.
pub fn describe_filter_in_use(filter: &FilterSettings) -> String {
    let pipeline = Pipeline::new(&[filter.spec()], 1, 0).ok();
    let described = pipeline.and_then(|one| one.describe().next().map(|(words, _)| words));
    described.unwrap_or_else(|| describe_filter(filter))
}

/// The filters of all chunks, in the order in which they were applied.
pub struct Filters {
    settings: Vec<FilterSettings>,
    element_bytes: usize,
    chunk_bytes: usize,
    /// Made when the first chunk is decoded: a dataset that is only looked at needs no decoders.
    pipeline: OnceLock<std::result::Result<Pipeline, FilterError>>,
    /// True for a decoder that is not a filter of HDF5 and has no settings.
    is_other: bool,
}

impl Filters {
    /// The filters of chunks of so many bytes.
    pub fn new(settings: Vec<FilterSettings>, element_bytes: usize, chunk_bytes: usize) -> Self {
        Self { settings, element_bytes, chunk_bytes, pipeline: OnceLock::new(), is_other: false }
    }

    /// Chunks that another format's decoder undoes.
    pub fn of(pipeline: Pipeline) -> Self {
        let pipeline = OnceLock::from(Ok(pipeline));
        Self { settings: Vec::new(), element_bytes: 1, chunk_bytes: 0, pipeline, is_other: true }
    }

    /// True where chunks are stored as they are.
    pub fn is_empty(&self) -> bool {
        self.settings.is_empty() && !self.is_other
    }

    /// What undoes the filters.
    pub fn pipeline(&self) -> Result<&Pipeline> {
        let built = self.pipeline.get_or_init(|| {
            let specs: Vec<_> = self.settings.iter().map(FilterSettings::spec).collect();
            Pipeline::lenient(&specs, self.element_bytes, self.chunk_bytes)
        });
        built.as_ref().map_err(|error| Error::from(error.clone()))
    }

    /// Descriptions of the filters, in the order in which they are undone.
    pub fn undone(&self) -> Vec<String> {
        match self.pipeline.get() {
            Some(Ok(pipeline)) if self.is_other => pipeline.describe().map(|(words, _)| words).collect(),
            _ => self.settings.iter().rev().map(describe_filter).collect(),
        }
    }
}
