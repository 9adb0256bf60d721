//! The plan of a repack: what is copied as it is stored, and how everything else is recoded. Nothing is written.

use crate::chunk_shape;
use crate::dimension_names::DimensionNames;
use crate::growth::{self, Growth};
use crate::moved_folder::MovedFolder;
use crate::new_storage::{NewStorage, Resolved, resolve};
use crate::planned_dataset::{Kept, PlannedDataset, Shared, StorageSummary, Subject};
use crate::spill::Spill;
use crate::sweep::{Shapes, Sweep};
use crate::target_chunks::target_chunks;
use hyperslab::storage::AllocationTime;
use hyperslab::{Dataset, Endianness, File, Selection, filters};
use hyperslab_encode::RepackError;
use hyperslab_encode::decimal_rounding::DecimalRounding;
use hyperslab_encode::ordered::AHEAD;
use hyperslab_format::message::FilterPipeline;
use hyperslab_storage::change::{ChangeSet, Rule};
use hyperslab_storage::{GzipEncoder, Layout, PathPattern};
use hyperslab_tree::object_selection::{ObjectSelection, SelectionSummary};
use hyperslab_tree::relocate::{Relocatable, contains_addresses};
use hyperslab_tree::shared_parts::{Recent, SharedParts};
use hyperslab_tree::source_dataset::btree_k;
use hyperslab_tree::source_tree::SourceTree;
use hyperslab_write::{
    ChunkedSpec, DatasetSpec, LinkTargetSpec, ObjectId, ObjectSpec, StorageSpec, VersionRequirement,
    WriteOptions, raised,
};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

/// What a repack does.
#[derive(Debug, Clone)]
pub struct RepackOptions {
    /// Options of the new file. Its user block and sizes of B-tree nodes are not used.
    pub write: WriteOptions,
    /// The bytes of the user block; that of the source if it is not given.
    pub user_block_bytes: Option<u64>,
    /// Which objects are copied, and under which names.
    pub objects: ObjectSelection,
    /// What is stored otherwise. Its patterns are about the names of the source.
    pub changes: ChangeSet,
    /// Bytes of memory for elements and chunks and, from [`MEMORY_MIN`] on, for the program itself.
    pub memory_bytes: u64,
    /// Threads that decode and encode.
    pub threads: usize,
    /// Which encoder writes the gzip filter of what is recoded.
    pub gzip: GzipEncoder,
    /// True if everything is read back and compared.
    pub verify: bool,
    /// True if chunks that cannot be read become fill values, and are listed, instead of ending the repack.
    pub keep_going: bool,
    /// The folders of the source and of the new file, if references to other files are to be kept right.
    pub moved: Option<MovedFolder>,
    /// The folder for temporary files.
    pub temporary_folder: PathBuf,
}

/// A repack that can be run.
pub struct RepackPlan {
    pub(crate) file: File,
    pub(crate) source: SourceTree,
    pub(crate) options: RepackOptions,
    pub(crate) write: WriteOptions,
    pub(crate) recodings: BTreeMap<ObjectId, Arc<Recoding>>,
    /// The datasets that are stored otherwise than before, in the order of the file.
    pub datasets: Vec<Arc<PlannedDataset>>,
    pub(crate) kept: Vec<Kept>,
}

/// How datasets are recoded.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Recoding {
    pub method: Method,
    /// Threads that do it in the memory that there is.
    pub threads: usize,
    /// What is done to values before the filters.
    pub decimals: Option<DecimalRounding>,
    /// The filters of the new file.
    pub filters: Arc<FilterPipeline>,
}

/// The ways of recoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Method {
    /// The shape of chunks stays: chunk by chunk.
    ChunkByChunk,
    /// In memory.
    Sweep(Box<Sweep>),
    /// Through a temporary file.
    Spill(Box<Spill>),
    /// To contiguous storage, in blocks of this shape.
    Blocks(Vec<u64>),
    /// The values are metadata in the new file.
    Nothing,
}

/// What the program itself takes of the memory: its code, metadata, and data that waits to be written.
const OWN_BYTES: u64 = 16 << 20;
/// The least memory in which a program can hope to stay. Less is for elements and chunks alone.
pub const MEMORY_MIN: u64 = 2 * OWN_BYTES;
/// Contiguous data is read in pieces of about so many bytes.
const CONTIGUOUS_PIECE_BYTES: u64 = 64 << 10;

impl RepackPlan {
    /// Plans a repack. Reads all metadata of the file, and chunk indexes.
    ///
    /// # Errors
    ///
    /// Objects that cannot be read or copied; [`RepackError::Refused`] for rules that match no dataset, or that name a
    /// dataset that does not allow them.
    pub fn new(file: &File, options: RepackOptions) -> Result<Self, RepackError> {
        let mut source = SourceTree::read(file, &options.objects, options.keep_going)?;
        check_that_objects_are_left(&source, &options.objects)?;
        name_by_links(&mut source);
        let base = file.userblock_bytes();
        let own = if base >= 512 && base.is_power_of_two() { base } else { 0 };
        let write = WriteOptions {
            user_block_bytes: options.user_block_bytes.unwrap_or(own),
            btree_k: btree_k(file),
            ..options.write
        };
        write.check()?;
        let recodings = BTreeMap::new();
        let (datasets, kept) = Default::default();
        let mut plan = Self { file: file.clone(), source, options, write, recodings, datasets, kept };
        plan.apply_changes()?;
        if let Some(moved) = &plan.options.moved {
            moved.apply(&mut plan.source)?;
        }
        Ok(plan)
    }

    fn apply_changes(&mut self) -> Result<(), RepackError> {
        let changes = std::mem::take(&mut self.options.changes);
        let mut is_used = vec![false; changes.rules.len()];
        let lets_grow = !(changes.unlimited.is_empty() && changes.growing.is_empty());
        if changes.rules.is_empty() && !lets_grow {
            return Ok(());
        }
        let file = self.file.clone();
        let names = DimensionNames::new(&file);
        let paths = all_paths(&self.source);
        let mut shared = SharedNotes::default();
        for number in 0..self.source.tree.objects.len() {
            let ObjectSpec::Dataset(_) = &self.source.tree.objects[number].spec else { continue };
            if self.source.bare.contains(&ObjectId(number as u32)) {
                continue;
            }
            let (address, first) = &self.source.sources.objects[number];
            let address = *address;
            let several = paths.get(&ObjectId(number as u32));
            let paths = several.cloned().unwrap_or_else(|| vec![first.to_string()]);
            let path = first.to_string();
            let mut is_meant = false;
            for (rule, is_used) in changes.rules.iter().zip(&mut is_used) {
                let matches = paths.iter().any(|path| rule.datasets.matches(path));
                (is_meant, *is_used) = (is_meant | matches, *is_used | matches);
            }
            if !is_meant && !lets_grow {
                continue;
            }
            let dataset = self.source.file.dataset(address, &path)?;
            let own_names = match changes.unlimited.is_empty() {
                true => Vec::new(),
                false => names.of(address, dataset.shape().len())?,
            };
            let growth = Growth::new(&dataset, &paths, &own_names, &changes);
            if !is_meant && growth.is_none() {
                continue;
            }
            let ObjectSpec::Dataset(spec) = &self.source.tree.objects[number].spec else { continue };
            match resolve(&paths, &dataset, spec, &changes, &growth, &|| {
                names.of(address, dataset.shape().len())
            })? {
                Resolved::Unchanged => {}
                Resolved::Kept(reason) => {
                    let reason = shared.reasons.of(reason);
                    self.kept.push(Kept { what: Subject::Dataset(ObjectId(number as u32)), reason });
                }
                Resolved::Changed(new, options) => {
                    self.change(ObjectId(number as u32), &path, &dataset, new, options, &mut shared)
                        .map_err(|error| located(error, &path))?;
                }
            }
            if !growth.is_none()
                && let ObjectSpec::Dataset(spec) = &mut self.source.tree.objects[number].spec
            {
                spec.dataspace = growth.apply(&spec.dataspace);
            }
        }
        self.check_dimensions(&changes, &names)?;
        self.options.changes = changes;
        const WHAT: &str = "no dataset has this path or name";
        let first = self.source.sources.objects.iter().map(|(_, path)| &**path);
        let known = || first.clone().chain(paths.values().flatten().map(String::as_str));
        let what = |rule: &Rule| match rule.datasets.hint(known()) {
            Some(hint) => format!("{WHAT}; {hint}"),
            None => WHAT.into(),
        };
        let rules = self.options.changes.rules.iter().zip(is_used);
        let mut unused = rules.filter(|(rule, is_used)| !is_used && rule.datasets != PathPattern::All);
        if self.options.changes.is_for_several {
            let rule = |rule: &Rule| Subject::Rule(format!("`{}`", rule.option).into());
            let kept: Vec<_> =
                unused.map(|(unused, _)| Kept { what: rule(unused), reason: what(unused).into() }).collect();
            self.kept.extend(kept);
            return Ok(());
        }
        match unused.next() {
            None => Ok(()),
            Some((rule, _)) => Err(RepackError::Missing { option: rule.option.clone(), what: what(rule) }),
        }
    }

    /// Returns an error for a dimension that is to have no limit and is not there.
    fn check_dimensions(&self, changes: &ChangeSet, names: &DimensionNames<'_>) -> Result<(), RepackError> {
        if changes.unlimited.is_empty() || changes.is_for_several {
            return Ok(());
        }
        let known = names.all()?;
        match changes.unlimited.iter().find(|name| !known.contains(*name)) {
            None => Ok(()),
            Some(name) => {
                let known = known.into_iter().collect::<Vec<_>>().join(", ");
                let what = format!("the file has no dimension of this name; its dimensions are {known}");
                Err(RepackError::Missing { option: growth::option(name), what })
            }
        }
    }

    /// Changes the storage of a dataset in the tree.
    fn change(
        &mut self,
        id: ObjectId,
        path: &str,
        dataset: &Dataset,
        new: NewStorage,
        options: Vec<String>,
        shared: &mut SharedNotes,
    ) -> Result<(), RepackError> {
        let ObjectSpec::Dataset(spec) = &self.source.tree.objects[id.0 as usize].spec else { return Ok(()) };
        let has_data = !matches!(spec.storage, StorageSpec::Contiguous { allocated: false });
        let before = StorageSummary {
            layout: dataset.layout_name(),
            chunk: dataset.chunk_shape().map(<[u64]>::to_vec),
            filters: spec.filters.filters.iter().map(filters::describe).collect(),
        };
        let (storage, allocation, method, memory_bytes) = match &new.layout {
            Layout::Chunked(chunk) => {
                let coords = target_chunks(dataset, has_data, chunk)?;
                let (method, threads, memory) = self.method(path, dataset, chunk)?;
                let chunked = ChunkedSpec {
                    chunk_dims: chunk[..].into(),
                    edge_chunks_unfiltered: new.edge_chunks_unfiltered,
                    coords: coords.into(),
                };
                let storage = StorageSpec::Chunked(chunked);
                (storage, AllocationTime::Incremental, (method, threads), memory)
            }
            Layout::Contiguous => {
                let allocated = match dataset.chunk_shape() {
                    Some(_) => !dataset.shape().contains(&0) && !dataset.chunk_map()?.is_empty(),
                    None => has_data,
                };
                let block = block_shape(dataset, self.options.memory_bytes / 2);
                let memory = bytes_of(&block, dataset).saturating_mul(2);
                let method = if allocated { Method::Blocks(block) } else { Method::Nothing };
                (StorageSpec::Contiguous { allocated }, AllocationTime::Late, (method, 1), memory)
            }
            Layout::Compact => {
                let whole = Selection::block(&vec![0; dataset.shape().len()], dataset.shape());
                let elements = dataset.read_bytes(&whole, Endianness::File)?;
                let SourceTree { tree, sources, .. } = &mut self.source;
                let found = Relocatable::read(dataset.datatype(), &elements, &mut self.file.heap(), sources)?;
                let value = found.into_value(tree);
                (
                    StorageSpec::Compact(value),
                    AllocationTime::Early,
                    (Method::Nothing, 1),
                    elements.len() as u64,
                )
            }
        };
        let rank = dataset.shape().len().max(1);
        let chunks = match &storage {
            StorageSpec::Chunked(chunked) => (chunked.coords.len() / rank) as u64,
            _ => 0,
        };
        let temporary_bytes = match &method.0 {
            Method::Spill(_) => dataset.logical_bytes(),
            _ => 0,
        };
        self.datasets.push(Arc::new(PlannedDataset {
            path: path.into(),
            options: shared.options.of(options),
            shape: dataset.shape().into(),
            logical_bytes: dataset.logical_bytes(),
            stored_bytes: dataset.stored_bytes()?,
            before: shared.storage.of(before),
            after: shared.storage.of(after(&new)),
            chunks,
            memory_bytes,
            temporary_bytes,
        }));
        let (method, threads) = method;
        let filters = shared.parts.filters(&new.filters);
        let recoding = Recoding { method, threads, decimals: new.decimals, filters: filters.clone() };
        let recoding = shared.recodings.find(|known| *known == recoding, || recoding.clone());
        self.recodings.insert(id, recoding);
        let ObjectSpec::Dataset(spec) = &mut self.source.tree.objects[id.0 as usize].spec else {
            return Ok(());
        };
        store(spec, storage, filters, allocation, &mut shared.parts);
        Ok(())
    }

    /// Datasets that rules with patterns match, but that stay as they are, and rules that match none: paths, or quoted options,
    /// and reasons.
    pub fn kept(&self) -> impl Iterator<Item = (&str, &Arc<str>)> {
        let path = |id: ObjectId| {
            let (address, first) = &self.source.sources.objects[id.0 as usize];
            let old = self.source.old_paths.get(address).and_then(|paths| paths.first());
            old.map_or(&**first, |path| path)
        };
        self.kept.iter().map(move |kept| match &kept.what {
            Subject::Dataset(id) => (path(*id), &kept.reason),
            Subject::Rule(option) => (&**option, &kept.reason),
        })
    }

    /// What the selection of objects leaves out, adds and changes.
    pub fn selection(&self) -> &SelectionSummary {
        &self.source.selection
    }

    /// True if a selection of objects leaves out everything but the root group.
    pub fn leaves_only_the_root(&self) -> bool {
        !self.source.selection.omitted.is_empty() && !has_links(&self.source)
    }

    /// What the new file contains that libraries as old as the low bound cannot read, with the path of the first object.
    ///
    /// # Errors
    ///
    /// Attributes that cannot be encoded.
    pub fn raised(&self) -> Result<Vec<(VersionRequirement, Option<String>)>, RepackError> {
        let with_path = |raised: VersionRequirement| {
            let path = raised.first.map(|first| self.source.sources.objects[first.0 as usize].1.to_string());
            (raised, path)
        };
        Ok(raised(&self.source.tree, &self.write)?.into_iter().map(with_path).collect())
    }

    /// How a dataset gets chunks of another shape or with other filters; the threads that do it, and the memory.
    fn method(
        &self,
        path: &str,
        dataset: &Dataset,
        chunk: &[u64],
    ) -> Result<(Method, usize, u64), RepackError> {
        let source = source_shape(dataset);
        let total = self.options.memory_bytes;
        let own = if total >= MEMORY_MIN { OWN_BYTES } else { 0 };
        let budget = total - own;
        // A thread has the chunk, the results of two filters, what is decoded again, and results that wait to be written.
        let per_thread = bytes_of(chunk, dataset)
            .saturating_mul(4 + AHEAD as u64)
            .saturating_add(bytes_of(&source, dataset).saturating_mul(2));
        let threads = (budget / 2 / per_thread.max(1)).clamp(1, self.options.threads.max(1) as u64);
        let working = per_thread.saturating_mul(threads);
        let threads = threads as usize;
        if dataset.chunk_shape() == Some(chunk) && !contains_addresses(dataset.datatype()) {
            return Ok((Method::ChunkByChunk, threads, working));
        }
        let shapes = Shapes {
            extent: dataset.shape().to_vec(),
            source,
            target: chunk.to_vec(),
            element_bytes: dataset.datatype().size.into(),
        };
        if shapes.extent.contains(&0) {
            return Ok((Method::Nothing, threads, 0));
        }
        let left = budget.saturating_sub(working);
        let needed = match Sweep::find(&shapes, left) {
            Ok(sweep) => {
                let memory = working.saturating_add(sweep.memory_bytes);
                return Ok((Method::Sweep(sweep.into()), threads, memory));
            }
            Err(needed) => needed,
        };
        match Spill::find(&shapes, left, threads as u64) {
            Ok(spill) => {
                let memory = working.saturating_add(spill.memory_bytes);
                Ok((Method::Spill(spill.into()), threads, memory))
            }
            Err(spill) => {
                let needed = needed.min(spill).saturating_add(working).saturating_add(own);
                let what = format!("{path} needs at least {needed} bytes of memory to be rechunked");
                Err(RepackError::Refused { option: format!("--memory {total}"), what })
            }
        }
    }
}

/// True if the root group of the new file has links.
fn has_links(source: &SourceTree) -> bool {
    let root = source.tree.objects.first().map(|root| &root.spec);
    matches!(root, Some(ObjectSpec::Group(spec)) if !spec.links.is_empty())
}

/// Refuses options of which some choose objects and others leave out all of them.
fn check_that_objects_are_left(source: &SourceTree, objects: &ObjectSelection) -> Result<(), RepackError> {
    if objects.only.is_empty() || has_links(source) {
        return Ok(());
    }
    let option = objects.drop.iter().map(|choice| choice.option.as_str()).collect::<Vec<_>>().join("` `");
    Err(RepackError::Refused { option, what: "leaves out everything that `--only` chooses".into() })
}

/// What many datasets have in common.
#[derive(Default)]
struct SharedNotes {
    reasons: Shared<str>,
    options: Shared<[String]>,
    storage: Shared<StorageSummary>,
    recodings: Recent<Recoding>,
    parts: SharedParts,
}

/// Gives objects that a reference was found to before any link the path of a link.
fn name_by_links(source: &mut SourceTree) {
    for (number, object) in source.tree.objects.iter().enumerate() {
        let ObjectSpec::Group(spec) = &object.spec else { continue };
        for link in &spec.links {
            let LinkTargetSpec::Hard(target) = link.target else { continue };
            if !source.sources.objects[target.0 as usize].1.starts_with('/') {
                let group = source.sources.objects[number].1.trim_end_matches('/');
                source.sources.objects[target.0 as usize].1 = format!("{group}/{}", link.name).into();
            }
        }
    }
}

/// The paths of objects that have several, in the source and in the new file; the first one first.
fn all_paths(source: &SourceTree) -> HashMap<ObjectId, Vec<String>> {
    let mut paths: HashMap<ObjectId, Vec<String>> = HashMap::new();
    for (number, (address, _)) in source.sources.objects.iter().enumerate() {
        if let Some(old) = source.old_paths.get(address) {
            paths.insert(ObjectId(number as u32), old.clone());
        }
    }
    for (object, (_, group)) in source.tree.objects.iter().zip(&source.sources.objects) {
        let ObjectSpec::Group(spec) = &object.spec else { continue };
        for link in &spec.links {
            let LinkTargetSpec::Hard(target) = link.target else { continue };
            let first = &source.sources.objects[target.0 as usize].1;
            let path = format!("{}/{}", group.trim_end_matches('/'), link.name);
            if **first != *path {
                paths.entry(target).or_insert_with(|| vec![first.to_string()]).push(path);
            }
        }
    }
    name_as_netcdf(source, &mut paths);
    paths
}

/// Adds the netCDF names of variables that are stored under other names because dimensions have theirs. Those names no longer
/// mean the dimensions, which have no data.
fn name_as_netcdf(source: &SourceTree, paths: &mut HashMap<ObjectId, Vec<String>>) {
    let numbered = || source.sources.objects.iter().enumerate();
    for (number, (_, path)) in numbered() {
        let id = ObjectId(number as u32);
        let Some(variable) = hyperslab_netcdf::netcdf_path(path) else { continue };
        let placeholder = numbered().find(|(_, (_, other))| **other == *variable);
        let Some((placeholder, (address, _))) = placeholder else { continue };
        let dataset = source.file.dataset(*address, &variable);
        if dataset.is_ok_and(|dataset| hyperslab_netcdf::is_bare_dimension(&dataset).unwrap_or(false)) {
            paths.entry(id).or_insert_with(|| vec![path.to_string()]).push(variable);
            paths.insert(ObjectId(placeholder as u32), Vec::new());
        }
    }
}

/// The shape in which the data of a dataset is read: its chunks, or rows.
fn source_shape(dataset: &Dataset) -> Vec<u64> {
    match dataset.chunk_shape() {
        Some(chunk) => chunk.to_vec(),
        None => chunk_shape::rows(dataset.shape(), dataset.datatype().size.into(), CONTIGUOUS_PIECE_BYTES),
    }
}

/// Blocks of whole source chunks, grown along the fastest axis first.
fn block_shape(dataset: &Dataset, bytes_max: u64) -> Vec<u64> {
    const BLOCK_BYTES: u64 = 32 << 20;
    let mut block = source_shape(dataset);
    for axis in (0..block.len()).rev() {
        let times = (bytes_max.min(BLOCK_BYTES) / bytes_of(&block, dataset).max(1)).max(1);
        let chunks = dataset.shape()[axis].div_ceil(block[axis]).max(1);
        block[axis] = block[axis].saturating_mul(times.min(chunks));
    }
    block
}

fn bytes_of(shape: &[u64], dataset: &Dataset) -> u64 {
    shape.iter().fold(dataset.datatype().size.into(), |bytes: u64, dim| bytes.saturating_mul(*dim))
}

fn store(
    spec: &mut DatasetSpec,
    storage: StorageSpec,
    filters: Arc<FilterPipeline>,
    allocation: AllocationTime,
    parts: &mut SharedParts,
) {
    if std::mem::discriminant(&spec.storage) != std::mem::discriminant(&storage) {
        let mut fill = (*spec.fill).clone();
        fill.value.allocation = allocation;
        spec.fill = parts.fill(fill);
    }
    spec.storage = storage;
    spec.filters = filters;
}

fn after(new: &NewStorage) -> StorageSummary {
    let rounding = new.decimals.as_ref().map(DecimalRounding::text);
    let filters = rounding.into_iter().chain(new.filters.iter().map(filters::describe)).collect();
    StorageSummary { layout: new.layout.name(), chunk: new.layout.chunk().map(<[u64]>::to_vec), filters }
}

/// Adds the dataset to an error of reading.
pub(crate) fn located(error: RepackError, path: &str) -> RepackError {
    match error {
        RepackError::Read(error) if error.object().is_none() => error.at_object(path).into(),
        other => other,
    }
}
