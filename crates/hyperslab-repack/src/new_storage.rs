//! How a dataset will be stored: the rules of a change set, applied to it.

use crate::chunk_shape;
use crate::growth::Growth;
use hyperslab::Dataset;
use hyperslab::hdf5::missing_virtual_source;
use hyperslab_encode::RepackError;
use hyperslab_encode::decimal_rounding::DecimalRounding;
use hyperslab_encode::new_filters::FilteredDataset;
use hyperslab_filters::FilterError;
use hyperslab_format::message::Filter;
use hyperslab_storage::change::{Change, ChangeSet, LayoutRequest, Rule, Size};
use hyperslab_storage::{FilterRequest, Layout};
use hyperslab_tree::relocate::contains_addresses;
use hyperslab_units::counted_text;
use hyperslab_write::{DatasetSpec, StorageSpec};

/// The storage of a dataset in the new file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewStorage {
    pub layout: Layout,
    /// True if filters leave out chunks at the edge of the extent.
    pub edge_chunks_unfiltered: bool,
    /// What is done to values before the filters.
    pub decimals: Option<DecimalRounding>,
    pub filters: Vec<Filter>,
}

/// What the rules mean for a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Resolved {
    /// It is stored so already, or no rule is about it.
    Unchanged,
    /// It stays as it is, although a rule with a pattern matches: the reason.
    Kept(String),
    /// It is stored otherwise, because of these options.
    Changed(NewStorage, Vec<String>),
}

/// Chunks of datasets that get some because they get filters.
const DEFAULT_CHUNK_BYTES: u64 = 1 << 20;
/// Datasets without chunks that are smaller are not worth a chunk index, unless they are named.
const WORTH_FILTERING_BYTES: u64 = 4096;
/// Chunks have fewer bytes, because their sizes are 32-bit numbers in many places of libhdf5.
const CHUNK_BYTES_END: u64 = 1 << 32;
/// The data of a message of at most 64 KiB, less its other fields.
const COMPACT_BYTES_MAX: u64 = 65_535 - 16;

/// Why a rule cannot be followed.
struct Obstacle<'a> {
    rule: &'a Rule,
    what: String,
    /// True if it cannot be followed for any dataset.
    is_for_all: bool,
}

impl<'a> Obstacle<'a> {
    fn new(rule: &'a Rule, what: impl Into<String>) -> Self {
        Self { rule, what: what.into(), is_for_all: false }
    }
}

/// Applies the rules to a dataset with these paths. `names` are the names of its dimensions; they are asked for only where a rule has
/// names. What gets axes without a limit has chunks in any case.
///
/// # Errors
///
/// [`RepackError::Refused`] for a rule that names this dataset alone and cannot be followed.
pub(crate) fn resolve(
    paths: &[String],
    dataset: &Dataset,
    spec: &DatasetSpec,
    changes: &ChangeSet,
    growth: &Growth,
    names: &dyn Fn() -> Result<Vec<String>, RepackError>,
) -> Result<Resolved, RepackError> {
    let is_meant = |rule: &&Rule| paths.iter().any(|path| rule.datasets.matches(path));
    let matching = || changes.rules.iter().rev().filter(is_meant);
    let layout = matching().find_map(|rule| match &rule.change {
        Change::Layout(layout) => Some((rule, layout)),
        _ => None,
    });
    let filters = matching().find_map(|rule| match &rule.change {
        Change::Filters(requests) => Some(Some(NewFilters { rule, digits: None, requests })),
        Change::Rounded { digits, filters } => {
            Some(Some(NewFilters { rule, digits: Some(*digits), requests: filters }))
        }
        Change::KeepFilters => Some(None),
        Change::Layout(_) => None,
    });
    let filters = filters.flatten();
    if layout.is_none() && filters.is_none() && growth.is_none() {
        return Ok(Resolved::Unchanged);
    }
    let names =
        if matches!(layout, Some((_, LayoutRequest::NamedChunks(_)))) { names()? } else { Vec::new() };
    let subject = Subject { dataset, spec, names };
    let found = subject.storage(layout, filters);
    if !growth.is_none()
        && dataset.chunk_shape().is_none()
        && !matches!(&found, Ok(Some(new)) if new.layout.chunk().is_some())
    {
        let is_asked_for = |(rule, request): &(&Rule, &LayoutRequest)| {
            rule.datasets.is_exact() && matches!(request, LayoutRequest::Contiguous | LayoutRequest::Compact)
        };
        if layout.is_some_and(|layout| is_asked_for(&layout)) {
            let what = format!("{} needs chunks, so that it can grow", paths[0]);
            return Err(RepackError::Refused { option: growth.options.join(" "), what });
        }
        return Ok(Resolved::Changed(subject.in_default_chunks(), growth.options.clone()));
    }
    match found {
        Ok(Some(new)) if !subject.is_stored_as(&new) => {
            let rules = layout.map(|(rule, _)| rule).into_iter().chain(filters.map(|filters| filters.rule));
            let mut options: Vec<String> = rules.map(|rule| rule.option.clone()).collect();
            options.dedup();
            Ok(Resolved::Changed(new, options))
        }
        Ok(_) => Ok(Resolved::Unchanged),
        Err(Obstacle { rule, what, is_for_all }) if is_for_all || rule.datasets.is_exact() => {
            let path = paths.iter().find(|path| rule.datasets.matches(path)).map_or("", |path| path);
            Err(RepackError::Refused { option: rule.option.clone(), what: format!("{path} {what}") })
        }
        Err(Obstacle { rule, what, .. }) => Ok(Resolved::Kept(format!("`{}`: it {what}", rule.option))),
    }
}

/// What a rule says about filters.
#[derive(Clone, Copy)]
struct NewFilters<'r> {
    rule: &'r Rule,
    /// The decimal places to which values are rounded.
    digits: Option<i32>,
    requests: &'r [FilterRequest],
}

/// The dataset that rules are applied to.
struct Subject<'a> {
    dataset: &'a Dataset,
    spec: &'a DatasetSpec,
    names: Vec<String>,
}

impl Subject<'_> {
    /// The storage; `None` if it stays as it is.
    fn storage<'r>(
        &self,
        layout: Option<(&'r Rule, &'r LayoutRequest)>,
        filters: Option<NewFilters<'r>>,
    ) -> Result<Option<NewStorage>, Obstacle<'r>> {
        let rule = layout.map(|(rule, _)| rule).or(filters.map(|filters| filters.rule));
        let Some(rule) = rule else { return Ok(None) };
        let obstacle = |what: &str| Obstacle::new(rule, what);
        if !self.spec.dataspace.is_simple() {
            return Err(obstacle("has no dimensions: it cannot have chunks or filters"));
        }
        let size = self.spec.datatype.datatype.size;
        if size != self.dataset.datatype().size {
            let what = format!("has elements with addresses, which become {size} bytes long");
            return Err(obstacle(&what));
        }
        if let Some((file, path)) = missing_virtual_source(self.dataset) {
            let what = format!(
                "has its data in {path} of {file}, which is not there: fill values would take its place"
            );
            return Err(obstacle(&what));
        }
        if !rule.datasets.is_exact() {
            if matches!(self.spec.storage, StorageSpec::Virtual(_) | StorageSpec::External(_)) {
                return Err(obstacle("has its data in other datasets or files"));
            }
            if contains_addresses(self.dataset.datatype()) {
                return Err(obstacle("has its values in the heap, where filters do not reach them"));
            }
        }
        let current = self.dataset.chunk_shape();
        let new_layout = match (layout, filters) {
            (Some((rule, request)), _) => self.layout(rule, request)?,
            (None, Some(filters)) => match current {
                Some(chunk) => Some(chunk.to_vec()),
                None if filters.requests.is_empty() && filters.digits.is_none() => return Ok(None),
                None if self.dataset.logical_bytes() < WORTH_FILTERING_BYTES && !rule.datasets.is_exact() => {
                    return Err(obstacle("is too small to be worth chunks"));
                }
                None => Some(self.default_chunk()),
            }
            .map(Chunked),
            (None, None) => None,
        };
        let Some(Chunked(chunk)) = new_layout else {
            return self.without_chunks(layout, filters).map(Some);
        };
        let filtered = FilteredDataset {
            datatype: self.dataset.datatype(),
            chunk: &chunk,
            fill: self.dataset.fill_value(),
        };
        let failed = |rule| {
            move |error: FilterError| Obstacle {
                rule,
                what: format!("cannot have it: {error}"),
                is_for_all: matches!(error, FilterError::Unknown { .. }),
            }
        };
        let new_filters = match filters {
            Some(filters) => filtered.requested(filters.requests).map_err(failed(filters.rule))?,
            None if current.is_none() => Vec::new(),
            None if current == Some(&chunk[..]) => self.dataset.filters().to_vec(),
            None => filtered.kept(self.dataset.filters()).map_err(failed(rule))?,
        };
        let edge_chunks_unfiltered = !new_filters.is_empty()
            && matches!(&self.spec.storage, StorageSpec::Chunked(chunked) if chunked.edge_chunks_unfiltered);
        let layout = Layout::Chunked(chunk);
        let decimals = filters.map(|filters| self.decimals(filters)).transpose()?.flatten();
        Ok(Some(NewStorage { layout, edge_chunks_unfiltered, decimals, filters: new_filters }))
    }

    /// Chunks of rows.
    fn default_chunk(&self) -> Vec<u64> {
        let (shape, element_bytes) = (self.dataset.shape(), self.element_bytes());
        self.clipped(&chunk_shape::rows(shape, element_bytes, DEFAULT_CHUNK_BYTES))
    }

    /// Chunks of rows without filters: all that what can grow needs.
    fn in_default_chunks(&self) -> NewStorage {
        let layout = Layout::Chunked(self.default_chunk());
        NewStorage { layout, edge_chunks_unfiltered: false, decimals: None, filters: Vec::new() }
    }

    /// The rounding that a rule asks for. What stands for missing values stays as it is.
    fn decimals<'r>(&self, filters: NewFilters<'r>) -> Result<Option<DecimalRounding>, Obstacle<'r>> {
        let NewFilters { rule, digits: Some(digits), .. } = filters else { return Ok(None) };
        let rounding = DecimalRounding::of_dataset(self.dataset, digits);
        let what = "has no IEEE floats of 4 or 8 bytes, which alone are rounded";
        rounding.map(Some).ok_or_else(|| Obstacle::new(rule, what))
    }

    /// Contiguous or compact.
    fn without_chunks<'r>(
        &self,
        layout: Option<(&'r Rule, &'r LayoutRequest)>,
        filters: Option<NewFilters<'r>>,
    ) -> Result<NewStorage, Obstacle<'r>> {
        if let Some(filters) = filters
            && !(filters.requests.is_empty() && filters.digits.is_none())
        {
            return Err(Obstacle::new(filters.rule, "would not have chunks, which filters need"));
        }
        let layout = match layout {
            Some((_, LayoutRequest::Compact)) => Layout::Compact,
            _ => Layout::Contiguous,
        };
        Ok(NewStorage { layout, edge_chunks_unfiltered: false, decimals: None, filters: Vec::new() })
    }

    /// The chunk shape; `None` for a layout without chunks.
    fn layout<'r>(&self, rule: &'r Rule, request: &LayoutRequest) -> Result<Option<Chunked>, Obstacle<'r>> {
        let obstacle = |what: String| Obstacle::new(rule, what);
        let shape = self.dataset.shape();
        let sizes = match request {
            LayoutRequest::Contiguous => {
                if let Some(axis) =
                    (0..shape.len()).find(|&axis| self.dataset.max_shape()[axis] != Some(shape[axis]))
                {
                    return Err(obstacle(format!("can grow along axis {axis}, for which it needs chunks")));
                }
                return Ok(None);
            }
            LayoutRequest::Compact => {
                let bytes = self.dataset.logical_bytes();
                if bytes > COMPACT_BYTES_MAX {
                    let what =
                        format!("has {bytes} bytes, and an object header has space for {COMPACT_BYTES_MAX}");
                    return Err(obstacle(what));
                }
                return Ok(None);
            }
            LayoutRequest::Chunks(sizes) => {
                if sizes.len() != shape.len() {
                    let what = other_rank(shape, sizes.len());
                    return Err(obstacle(what));
                }
                sizes.iter().zip(shape).map(|(size, &dim)| size.of(dim)).collect()
            }
            LayoutRequest::NamedChunks(sizes) => {
                let current = self.dataset.chunk_shape().unwrap_or(shape).to_vec();
                self.named(sizes, current).map_err(obstacle)?
            }
            LayoutRequest::ChunkBytes { bytes, read } => {
                let read = match read {
                    None => vec![1; shape.len()],
                    Some(read) if read.len() == shape.len() => {
                        read.iter().zip(shape).map(|(size, &dim)| size.of(dim)).collect()
                    }
                    Some(read) => {
                        return Err(obstacle(other_rank(shape, read.len())));
                    }
                };
                chunk_shape::serving(shape, &read, self.element_bytes(), *bytes)
            }
        };
        let chunk = self.clipped(&sizes);
        let bytes = chunk.iter().fold(self.element_bytes(), |bytes: u64, dim| bytes.saturating_mul(*dim));
        if bytes >= CHUNK_BYTES_END {
            return Err(obstacle(format!(
                "would have chunks of {bytes} bytes; they must be smaller than 4 GiB"
            )));
        }
        Ok(Some(Chunked(chunk)))
    }

    fn named(&self, sizes: &[(String, Size)], mut chunk: Vec<u64>) -> Result<Vec<u64>, String> {
        for (name, size) in sizes {
            let mut axes = (0..chunk.len()).filter(|&axis| self.names.get(axis) == Some(name)).peekable();
            if axes.peek().is_none() {
                let names = self.names.join(", ");
                return Err(format!("has no dimension {name:?}; its dimensions are {names}"));
            }
            axes.for_each(|axis| chunk[axis] = size.of(self.dataset.shape()[axis]));
        }
        Ok(chunk)
    }

    /// Chunks are at least one element, and not larger than an axis that cannot grow.
    fn clipped(&self, chunk: &[u64]) -> Vec<u64> {
        let max = self.dataset.max_shape();
        chunk.iter().zip(max).map(|(&size, max)| size.min(max.unwrap_or(u64::MAX)).max(1)).collect()
    }

    fn element_bytes(&self) -> u64 {
        self.dataset.datatype().size.into()
    }

    fn is_stored_as(&self, new: &NewStorage) -> bool {
        match (&new.layout, &self.spec.storage) {
            (Layout::Chunked(chunk), StorageSpec::Chunked(now)) => {
                **chunk == *now.chunk_dims
                    && new.decimals.is_none()
                    && new.filters == self.spec.filters.filters
            }
            (Layout::Contiguous, StorageSpec::Contiguous { .. })
            | (Layout::Compact, StorageSpec::Compact(_)) => true,
            _ => false,
        }
    }
}

/// The shape of a chunk.
struct Chunked(Vec<u64>);
/// Why numbers for so many dimensions do not fit a dataset of this shape.
fn other_rank(shape: &[u64], given: usize) -> String {
    format!("has {}, not {given}", counted_text(shape.len() as u64, "dimension"))
}
