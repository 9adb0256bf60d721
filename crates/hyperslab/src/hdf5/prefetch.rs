//! Fetching the metadata of many objects together, for files with latency.
//!
//! Reading object after object takes several requests for each of them, one after the other. But the objects do not
//! depend on each other: a level of the tree can be fetched at once. So all parsers that a command will need are run
//! side by side: each as far as the fetched bytes allow, and what all of them lack is fetched in one round.
//!
//! ```text
//! headers of a level ──► links ──► headers of the next level ──► ...
//!        ├──► shared datatypes, dense attributes
//!        └──► chunk index: root ──► nodes of the next level ──► ...
//! ```
//!
//! The results of these parsers are dropped: the bytes remain in the metadata cache, where the ordinary code finds them.
//! So a prefetch never changes a result, and damaged parts are reported by whoever reads them.

use super::object::Hdf5Object;
use super::unfilter::unfilter;
use crate::prefetch::Prefetch;
use hyperslab_format::chunk_index::{ChunkWalk, Extent};
use hyperslab_format::group::{dense, dense_attributes, old};
use hyperslab_format::message::{Dataspace, Layout, Link, LinkTarget};
use hyperslab_format::object_header::{Context, ObjectHeader, ObjectKind};
use hyperslab_format::{Address, FormatError, Gather, Need, Parse, Stop, View};
use std::collections::HashSet;
use std::sync::Arc;

/// No more metadata than this is fetched in advance.
const BYTES_MAX: u64 = 256 << 20;

/// Fetches the metadata of a group and of what is below it, if the source has latency.
pub(super) fn run(wanted: &Prefetch, group: &Hdf5Object) {
    let file = &group.file;
    if !file.metadata.has_latency() {
        return;
    }
    // Its error will be reported where the table is needed.
    let Ok(shared) = file.shared_messages() else { return };
    let mut visited = HashSet::from([group.header.address]);
    let root = Task::Object { header: group.header.clone(), depth: 0 };
    let mut tasks = vec![root];
    let superblock = &file.superblock;
    let round = |view: &View| {
        let context = Context { view: *view, shared };
        let (mut needs, mut waiting) = (Vec::new(), Vec::new());
        while let Some(mut task) = tasks.pop() {
            match task.advance(wanted, context, &mut visited) {
                Ok(next) => tasks.extend(next),
                Err(Stop::Need(lacking)) => {
                    needs.extend::<Vec<Need>>(lacking);
                    waiting.push(task);
                }
                Err(Stop::Bad(_)) => {}
            }
        }
        tasks = waiting;
        needs
    };
    // A failed request is repeated, and reported, by whoever needs its bytes.
    let _ = file.metadata.drive_rounds(superblock.base, superblock.widths, BYTES_MAX, round);
}

/// Something to parse. Each can be continued when the bytes that it lacked were fetched.
enum Task {
    Header { address: Address, depth: usize },
    Object { header: Arc<ObjectHeader>, depth: usize },
    OldLinks { listing: old::List, depth: usize },
    DenseLinks { listing: dense::List, depth: usize },
    HeaderAttributes(Arc<ObjectHeader>),
    DenseAttributes(dense_attributes::Attributes),
    Dataset(Arc<ObjectHeader>),
    ChunkIndex(ChunkWalk),
}

impl Task {
    /// Continues; returns the tasks that follow.
    fn advance(
        &mut self,
        prefetch: &Prefetch,
        context: Context<'_>,
        visited: &mut HashSet<Address>,
    ) -> Parse<Vec<Task>> {
        let view = &context.view;
        match self {
            Task::Header { address, depth } => {
                let header = Arc::new(ObjectHeader::parse(*view, *address)?);
                Ok(vec![Task::Object { header, depth: *depth }])
            }
            Task::Object { header, depth } => object(header, *depth, prefetch, view, visited),
            Task::OldLinks { listing, depth } => Ok(members(listing.advance(view)?, *depth, visited)),
            Task::DenseLinks { listing, depth } => {
                Ok(members(listing.advance(view, &unfilter)?, *depth, visited))
            }
            Task::HeaderAttributes(header) => header.attributes(context).map(|_| Vec::new()),
            Task::DenseAttributes(listing) => listing.advance(view, &unfilter).map(|_| Vec::new()),
            Task::Dataset(header) => dataset(header, prefetch, context),
            Task::ChunkIndex(walk) => {
                while walk.advance(view)?.is_some() {}
                Ok(Vec::new())
            }
        }
    }
}

/// The tasks for the parts of an object.
fn object(
    header: &Arc<ObjectHeader>,
    depth: usize,
    prefetch: &Prefetch,
    view: &View,
    visited: &mut HashSet<Address>,
) -> Parse<Vec<Task>> {
    let widths = view.widths;
    let mut tasks = Vec::new();
    match header.kind() {
        ObjectKind::Group => {
            let has_members = depth < prefetch.depth;
            if let Some(table) = header.symbol_table(widths)? {
                // Even a group whose members are not listed is listed for their number.
                let depth = if has_members { depth + 1 } else { usize::MAX };
                tasks.push(Task::OldLinks { listing: old::list(table), depth });
            } else {
                let depth = if has_members { depth + 1 } else { usize::MAX };
                tasks.extend(members(header.links(widths), depth, visited));
                let dense = header.link_info(widths)?.and_then(|info| dense::list(&info));
                tasks.extend(dense.map(|listing| Task::DenseLinks { listing, depth }));
            }
        }
        ObjectKind::Dataset => tasks.push(Task::Dataset(header.clone())),
        ObjectKind::NamedDatatype | ObjectKind::Unknown => {}
    }
    if prefetch.attributes {
        tasks.push(Task::HeaderAttributes(header.clone()));
        let dense = header.attribute_info(widths)?.and_then(|info| dense_attributes::list(&info));
        tasks.extend(dense.map(Task::DenseAttributes));
    }
    Ok(tasks)
}

/// The headers of the members of a group; none if `depth` is `usize::MAX`.
fn members(links: Vec<Result<Link, FormatError>>, depth: usize, visited: &mut HashSet<Address>) -> Vec<Task> {
    let mut tasks = Vec::new();
    for link in links.into_iter().flatten() {
        if let LinkTarget::Hard(address) = link.target
            && depth != usize::MAX
            && visited.insert(address)
        {
            tasks.push(Task::Header { address, depth });
        }
    }
    tasks
}

/// The messages of a dataset that may be shared; then its chunk index.
fn dataset(header: &ObjectHeader, prefetch: &Prefetch, context: Context<'_>) -> Parse<Vec<Task>> {
    let mut gather = Gather::default();
    let dataspace = gather.take(header.dataspace(context))?.flatten();
    gather.take(header.datatype(context))?;
    let filters = gather.take(header.filter_pipeline(context))?.flatten();
    gather.take(header.fill_value(context))?;
    gather.finish()?;
    let layout = header.layout(context.view.widths)?;
    let (Some(Dataspace::Simple { dims, max_dims }), Some(Layout::Chunked(layout))) = (dataspace, layout)
    else {
        return Ok(Vec::new());
    };
    if !prefetch.chunk_indexes || layout.chunk_dims.len() != dims.len() {
        return Ok(Vec::new());
    }
    let filtered = filters.is_some_and(|filters| !filters.filters.is_empty());
    let extent = Extent { dims: &dims, max_dims: &max_dims, layout: &layout, filtered };
    Ok(vec![Task::ChunkIndex(ChunkWalk::new(&extent, None))])
}
