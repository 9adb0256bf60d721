//! Comparing a whole file with the oracle: every group, every densely stored attribute, every chunk index.
//!
//! Files are read as from an object store: only the blocks that a parser has requested are available.

mod inflate;
pub mod oracle;

use hyperslab_format::chunk_index::{Chunk, ChunkColumns, ChunkWalk, Extent};
use hyperslab_format::group::dense_attributes::{self, Body};
use hyperslab_format::group::{dense, old};
use hyperslab_format::message::cache_image::{Overlay, OverlayEntries};
use hyperslab_format::message::{CacheImage, ChunkIndex, Dataspace, Layout, Link, LinkTarget};
use hyperslab_format::object_header::{Context, ObjectHeader, ObjectKind, SharedMessageTable};
use hyperslab_format::superblock::{self, SuperblockExtension};
use hyperslab_format::testing::PartialFile;
use hyperslab_format::{Address, Bytes, FormatError, Name, Parse, View};
use inflate::Inflate;
pub use oracle::Oracle;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// Bytes that are fetched at a time.
const BLOCK: u64 = 512;
/// More rounds of requests than the deepest B-tree has levels.
const ROUNDS_MAX: usize = 80;

/// Runs a parser, and fetches the bytes that it requests.
fn drive<T>(bytes: &PartialFile, parse: impl FnMut() -> Parse<T>) -> Result<T, FormatError> {
    let (result, rounds) = bytes.drive(parse);
    assert!(rounds.len() <= ROUNDS_MAX, "{ROUNDS_MAX} rounds of requests were not enough");
    result
}

/// A difference from the oracle; with the error, if reading failed.
#[derive(Debug)]
pub struct Difference {
    pub text: String,
    pub error: Option<FormatError>,
}

impl From<FormatError> for Difference {
    fn from(error: FormatError) -> Self {
        Self { text: error.to_string(), error: Some(error) }
    }
}

impl From<String> for Difference {
    fn from(text: String) -> Self {
        Self { text, error: None }
    }
}

/// The comparison of one file with the oracle.
struct FileComparison<'a> {
    file: String,
    oracle: &'a Oracle,
    bytes: &'a PartialFile,
    context: Context<'a>,
    seen: HashSet<Address>,
    differences: Vec<Difference>,
    compared: Compared,
}

/// The counts of compared objects.
#[derive(Debug, Default)]
pub struct Compared {
    pub groups: usize,
    /// Densely stored attributes.
    pub attributes: usize,
    /// Objects that were reached.
    pub paths: HashSet<String>,
    /// Chunk tables by kind of index.
    pub tables: HashMap<&'static str, usize>,
}

impl FileComparison<'_> {
    fn differs(&mut self, path: &str, what: impl Into<Difference>) {
        let Difference { text, error } = what.into();
        self.differences.push(Difference { text: format!("{} {path}: {text}", self.file), error });
    }

    fn object(&mut self, address: Address, path: String, depth: usize) {
        if depth > 200 || !self.seen.insert(address) {
            return;
        }
        self.compared.paths.insert(path.clone());
        let known = self.oracle.get(&(self.file.clone(), path.clone()));
        let expected = known.filter(|record| record["error"].is_null() || record["nchunks"].is_number());
        let header = match drive(self.bytes, || ObjectHeader::parse(self.context.view, address)) {
            Ok(header) => header,
            Err(_) if known.is_some() && expected.is_none() => return,
            Err(error) => return self.differs(&path, error),
        };
        match (self.count_attributes(&path, &header), expected) {
            (Ok(count), Some(expected)) if Some(count) != expected["attrs"].as_array().map(Vec::len) => {
                self.differs(&path, format!("{count} attributes, not {}", expected["attrs"]));
            }
            (Err(error), _) => self.differs(&path, error),
            _ => {}
        }
        if header.kind() == ObjectKind::Group {
            return self.group(&header, path, expected, depth);
        }
        let chunks = expected.and_then(|expected| {
            Some((expected["nchunks"].as_u64()?, expected["chunks_sha256"].as_str()?.to_owned()))
        });
        // Without an oracle, any result is accepted.
        let compared = header.kind() == ObjectKind::Dataset && (chunks.is_some() || self.oracle.is_empty());
        if compared && let Err(what) = self.dataset(&header, chunks) {
            self.differs(&path, what);
        }
    }

    fn count_attributes(&mut self, path: &str, header: &ObjectHeader) -> Result<usize, FormatError> {
        let view = self.context.view;
        let own = drive(self.bytes, || header.attributes(self.context))?.len();
        let Some(info) = header.attribute_info(view.widths)? else { return Ok(own) };
        let Some(mut walk) = dense_attributes::list(&info) else { return Ok(own) };
        let dense = drive(self.bytes, || walk.advance(&view, &Inflate))?;
        let dense = dense.into_iter().collect::<Result<Vec<_>, _>>()?;
        for attribute in &dense {
            // Names begin the message after version, flags or reserved byte, three sizes and (version 3) charset.
            let Body::Message(message) = &attribute.body else { continue };
            let start = if message.bytes.first() == Some(&3) { 9 } else { 8 };
            let name =
                message.bytes.get(start..).unwrap_or_default().split(|&byte| byte == 0).next().unwrap();
            let Some(mut walk) = dense_attributes::lookup(&info, name) else { continue };
            let found = drive(self.bytes, || walk.advance(&view, &Inflate))?;
            if !found.iter().flatten().any(|found| found.body == attribute.body) {
                self.differs(path, format!("attribute {name:?} is not found by its name"));
            }
        }
        self.compared.attributes += dense.len();
        Ok(own + dense.len())
    }

    fn links(
        &mut self,
        path: &str,
        header: &ObjectHeader,
    ) -> Result<Vec<Result<Link, FormatError>>, FormatError> {
        let (view, bytes) = (self.context.view, self.bytes);
        if let Some(table) = header.symbol_table(view.widths)? {
            let mut walk = old::list(table);
            let links = drive(bytes, || walk.advance(&view))?;
            self.names_are_found(path, &links, |name| {
                let mut walk = old::lookup(table, name);
                drive(bytes, || walk.advance(&view))
            });
            return Ok(links);
        }
        let mut links = header.links(view.widths);
        let Some(info) = header.link_info(view.widths)? else { return Ok(links) };
        let Some(mut walk) = dense::list(&info) else { return Ok(links) };
        let dense = drive(bytes, || walk.advance(&view, &Inflate))?;
        self.names_are_found(path, &dense, |name| {
            let Some(mut walk) = dense::lookup(&info, name) else { return Ok(None) };
            drive(bytes, || walk.advance(&view, &Inflate))
        });
        links.extend(dense);
        Ok(links)
    }

    /// Every link that is listed is found by its name, and no other is.
    fn names_are_found(
        &mut self,
        path: &str,
        links: &[Result<Link, FormatError>],
        mut lookup: impl FnMut(Name) -> Result<Option<Link>, FormatError>,
    ) {
        for link in links.iter().flatten() {
            if lookup(link.name.clone()).as_ref() != Ok(&Some(link.clone())) {
                self.differs(path, format!("link {} is not found by its name", link.name));
            }
        }
        for absent in ["", "no such link", "\u{1F642}"] {
            if lookup(absent.into()) != Ok(None) {
                self.differs(path, format!("link {absent} is found"));
            }
        }
    }

    fn group(&mut self, header: &ObjectHeader, path: String, expected: Option<&Value>, depth: usize) {
        let links = match self.links(&path, header) {
            Ok(links) => links,
            Err(error) => return self.differs(&path, error),
        };
        if let Some(expected) = expected {
            self.compared.groups += 1;
            if expected["nlinks"].as_u64() != Some(links.len() as u64) {
                self.differs(&path, format!("{} links, not {}", links.len(), expected["nlinks"]));
            }
        }
        let mut targets = Vec::new();
        for link in links {
            match link {
                Ok(Link { name, target: LinkTarget::Hard(address), .. }) => targets.push((name, address)),
                Ok(_) => {}
                Err(error) => self.differs(&path, error),
            }
        }
        targets.sort();
        for (name, address) in targets {
            let parent = if path == "/" { "" } else { &path };
            self.object(address, format!("{parent}/{name}"), depth + 1);
        }
    }

    fn dataset(&mut self, header: &ObjectHeader, expected: Option<(u64, String)>) -> Result<(), Difference> {
        let view = self.context.view;
        let space = drive(self.bytes, || header.dataspace(self.context))?;
        let Some(Dataspace::Simple { dims, max_dims }) = space else {
            return Err(format!("{space:?}").into());
        };
        let layout = header.layout(view.widths)?;
        let Some(Layout::Chunked(layout)) = layout else {
            return Err(format!("{layout:?}").into());
        };
        let pipeline = drive(self.bytes, || header.filter_pipeline(self.context))?;
        let filtered = pipeline.is_some_and(|pipeline| !pipeline.filters.is_empty());
        let extent = Extent { dims: &dims, max_dims: &max_dims, layout: &layout, filtered };
        let table = walked(self.bytes, view, &extent, None)?;
        regions_agree(self.bytes, view, &extent, &table)?;
        let Some(expected) = expected else { return Ok(()) };
        let iterated = match (&layout.index, max_dims[0]) {
            // When libhdf5 iterates over chunks, it numbers them without moving the unlimited dimension to the front,
            // and beyond the current size: it reports other coordinates than those at which a read finds the chunks.
            (ChunkIndex::ExtensibleArray { .. }, Some(_)) => {
                let sizes: Vec<u64> =
                    dims.iter().zip(&max_dims).map(|(dim, max)| max.unwrap_or(*dim)).collect();
                let extent = Extent { dims: &sizes, ..extent };
                as_iterated(&extent, &walked(self.bytes, view, &extent, None)?)
            }
            _ => table,
        };
        let kind = layout.index.kind_name();
        let found = (iterated.len() as u64, digest_of(&layout.chunk_dims, &iterated));
        if expected != found {
            return Err(format!("{found:?} chunks in a {kind}, not {expected:?}").into());
        }
        *self.compared.tables.entry(layout.index.kind_name()).or_default() += 1;
        Ok(())
    }
}

/// All chunks that a traversal returns, in its order.
fn walked(
    bytes: &PartialFile,
    view: View,
    extent: &Extent,
    region: Option<&[(u64, u64)]>,
) -> Result<ChunkColumns, FormatError> {
    let mut walk = ChunkWalk::new(extent, region);
    let mut all = ChunkColumns::new(extent.dims.len());
    while let Some(found) = drive(bytes, || walk.advance(&view))? {
        found.iter().for_each(|chunk| all.push(chunk));
    }
    Ok(all)
}

fn digest_of(chunk_dims: &[u64], table: &ChunkColumns) -> String {
    let mut lines = String::new();
    for chunk in table.iter() {
        let offsets: Vec<_> =
            chunk.coords.iter().zip(chunk_dims).map(|(c, dim)| (c * dim).to_string()).collect();
        writeln!(lines, "{}:{}:{}", offsets.join(","), chunk.filter_mask, chunk.stored_bytes).unwrap();
    }
    Sha256::digest(lines).iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"))
}

fn as_iterated(extent: &Extent, table: &ChunkColumns) -> ChunkColumns {
    let max: Vec<Option<u64>> = (extent.max_dims.iter().zip(&extent.layout.chunk_dims))
        .map(|(max, chunk)| max.map(|max| max.div_ceil(*chunk)))
        .collect();
    let unlimited = max.iter().position(Option::is_none).unwrap();
    let mut rows = Vec::new();
    for (i, chunk) in table.iter().enumerate() {
        let mut index = chunk.coords[unlimited];
        for d in (0..max.len()).filter(|&d| d != unlimited) {
            index = index * max[d].unwrap() + chunk.coords[d];
        }
        let mut place = vec![0; max.len()];
        for d in (0..max.len()).rev() {
            place[d] = max[d].map_or(index, |max| index % max);
            index = max[d].map_or(0, |max| index / max);
        }
        rows.push((place, i));
    }
    rows.sort();
    let mut iterated = ChunkColumns::new(table.rank);
    for (place, i) in rows {
        iterated.push(Chunk { coords: &place, ..table.get(i) });
    }
    iterated
}

/// A traversal of a region finds the same chunks as a traversal of everything finds there.
fn regions_agree(
    bytes: &PartialFile,
    view: View,
    extent: &Extent,
    table: &ChunkColumns,
) -> Result<(), Difference> {
    let chunks: Vec<u64> =
        extent.dims.iter().zip(&extent.layout.chunk_dims).map(|(dim, chunk)| dim.div_ceil(*chunk)).collect();
    let regions: [Vec<(u64, u64)>; 4] = [
        chunks.iter().map(|&n| (n / 2, n)).collect(),
        chunks.iter().map(|&n| (0, n.div_ceil(2))).collect(),
        chunks.iter().map(|&n| (n / 3, n / 3 + 1)).collect(),
        chunks.iter().enumerate().map(|(d, &n)| if d == 0 { (0, n) } else { (n / 2, n / 2 + 1) }).collect(),
    ];
    for region in regions {
        let part = walked(bytes, view, extent, Some(&region))?;
        let inside =
            |coords: &[u64]| coords.iter().zip(&region).all(|(c, (from, to))| (from..to).contains(&c));
        let expected = table.iter().filter(|chunk| inside(chunk.coords));
        if !part.iter().eq(expected) {
            return Err(format!("other chunks in region {region:?}").into());
        }
    }
    Ok(())
}

/// Compares a file with the oracle. Returns the differences, including contradictions in the file, and the counts of
/// compared objects.
pub fn compare_file(
    file: String,
    bytes: Bytes,
    oracle: &Oracle,
) -> Result<(Vec<Difference>, Compared), FormatError> {
    let bytes = PartialFile::in_blocks(bytes, BLOCK);
    let outer = View::new(&bytes);
    let superblock = drive(&bytes, || superblock::locate(outer))?;
    let view = superblock.view(outer);
    let extension = drive(&bytes, || SuperblockExtension::parse(view, &superblock))?;
    let info = extension.as_ref().and_then(|extension| extension.cache_image);
    let image = info.map(|info| drive(&bytes, || CacheImage::parse(view, info))).transpose()?;
    let entries = image.map(|image| OverlayEntries::new(view, &image)).unwrap_or_default();
    let overlay = Overlay::new(&bytes, &entries);
    let view = superblock.view(View::new(&overlay));
    let table = extension.and_then(|extension| extension.shared_messages);
    let table = table.map(|info| drive(&bytes, || SharedMessageTable::parse(view, info))).transpose()?;
    let context = Context { view, shared: table.as_ref() };
    let mut comparison = FileComparison {
        file,
        oracle,
        bytes: &bytes,
        context,
        seen: HashSet::new(),
        differences: Vec::new(),
        compared: Compared::default(),
    };
    comparison.object(superblock.root, "/".into(), 0);
    Ok((comparison.differences, comparison.compared))
}
