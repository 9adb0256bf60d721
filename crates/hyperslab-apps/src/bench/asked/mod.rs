//! What the command line asks for, as matrices.
//!
//! ```text
//!   subject (a dataset, or made-up values) × access (blocks read and written) × storage ──► Matrix
//! ```

mod access;
mod order;
mod shape;
mod storage;
mod subject;
mod usual;
mod values;

pub(super) use subject::pipeline_of;
pub(super) use values::unique;

use super::{Request, engines};
use crate::Result;
use access::{accesses, observed, strategies};
use hyperslab_bench::matrix::{Matrix, ReadLimit, Subject};
use hyperslab_engines::{EngineKind, FileBuffers, Records};
use hyperslab_measure::access::Access;
use storage::{formats, storages, stores_as_is};
use subject::{is_netcdf, subjects};
use values::{cache, list, size, word, wrong};

/// What is to be measured.
pub(super) struct Measurements {
    /// One for each type of element; a user's dataset has one.
    pub(super) matrices: Vec<Matrix>,
    /// How much each access counts, by its words, where that is not 1.
    pub(super) weights: Vec<(String, f64)>,
    /// Libraries that would take part, had they been found.
    pub(super) missing: Vec<EngineKind>,
    /// What was decided without being asked, in sentences.
    pub(super) notes: Vec<String>,
}

/// The sizes that libhdf5 accepts.
fn metadata_cache(text: &str) -> Result<u64> {
    let bytes = size("--metadata-cache", text)?;
    let is_possible = (1 << 10..=128 << 20).contains(&bytes);
    is_possible.then_some(bytes).ok_or_else(|| wrong(format!("--metadata-cache {text}: 1 KiB to 128 MiB")))
}

/// Reads the command line, and the file that it names.
pub(super) fn asked(request: &Request) -> Result<Measurements> {
    check_libraries(request)?;
    let subjects = subjects(request)?;
    let formats = formats(request)?;
    let caches = list(&request.cache, None, |text| cache("--cache", text))?;
    let page_buffers = list(&request.page_buffer, None, |text| size("--page-buffer", text).map(Some))?;
    let metadata_caches = list(&request.metadata_cache, None, |text| metadata_cache(text).map(Some))?;
    let buffers = page_buffers.iter().flat_map(|&page_buffer| {
        let with = |&metadata_cache: &Option<u64>| FileBuffers { page_buffer, metadata_cache };
        metadata_caches.iter().map(with).collect::<Vec<_>>()
    });
    let buffers: Vec<FileBuffers> = buffers.collect();
    let records = Records {
        fields: (!request.fields.is_empty()).then(|| request.fields.clone()),
        memory: word("layout of records", "as-stored, struct, columns")(&request.memory)?,
    };
    let (mut matrices, mut weights, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for stored in subjects {
        let shape = stored.subject.shape().to_vec();
        // What a program read, or the usual reads, may take long: then a part is measured.
        let is_plain = is_plain(request);
        let weighted = match &request.reads_from {
            Some(trace) => observed(trace, &stored.subject)?,
            None if is_plain => usual::accesses(&stored).into_iter().map(|access| (access, 1.0)).collect(),
            None => accesses(request, &shape, &stored)?,
        };
        let reads = match (request.reads, &stored.subject) {
            (Some(most), _) => ReadLimit::AtMost(most),
            (None, Subject::Dataset { file, path, .. }) if is_plain => {
                let accesses: Vec<Access> = weighted.iter().map(|(access, _)| access.clone()).collect();
                let facts = super::layout(file, path);
                ReadLimit::Of(facts.map_or_else(Vec::new, |facts| usual::limits(&accesses, &facts)))
            }
            (None, _) => ReadLimit::All,
        };
        let caches = match is_plain && request.cache.is_empty() {
            true => vec![None, Some(usual::OLD_DEFAULT)],
            false => caches.clone(),
        };
        let strategies = strategies(request, &shape, &stored)?;
        let storages = storages(request, &stored, &formats, &mut notes)?;
        let is_other = |weighted: &&(Access, f64)| weighted.1 != 1.0;
        weights
            .extend(weighted.iter().filter(is_other).map(|(access, weight)| (access.to_string(), *weight)));
        matrices.push(Matrix {
            storages,
            accesses: weighted.into_iter().map(|(access, _)| access).collect(),
            caches,
            records: records.clone(),
            buffers: buffers.clone(),
            engines: Vec::new(),
            writers: Vec::new(),
            strategies,
            write_repeats: request.write_repeats,
            repeats: request.repeats,
            seconds_max: request.cell_seconds,
            reads,
            cold: request.cold,
            subject: stored.subject,
        });
    }
    // Last, since it takes half a second: what is wrong with a request is said at once.
    let written = if stores_as_is(request) && request.file.is_some() { &[][..] } else { &formats };
    let as_is = request.file.as_ref().and(matrices.first()).map(|matrix| matrix.format_of(None));
    let chosen = engines::choose(request, written, as_is, request.file.as_deref().is_some_and(is_netcdf))?;
    for matrix in &mut matrices {
        matrix.engines.clone_from(&chosen.readers);
        matrix.writers.clone_from(&chosen.writers);
    }
    Ok(Measurements { matrices, weights, missing: chosen.missing, notes })
}

/// True where nothing is said of how a dataset is read, and it is measured as it is: then the usual reads are.
fn is_plain(request: &Request) -> bool {
    let is_read_otherwise = !request.read.is_empty()
        || request.random.is_some()
        || request.moved.is_some()
        || !request.order.is_empty()
        || !request.stride.is_empty();
    request.synthetic.is_none() && stores_as_is(request) && !is_read_otherwise
}

/// A library that is named has to be there: without it, the answer would be to another question.
fn check_libraries(request: &Request) -> Result<()> {
    for kind in EngineKind::LIBRARIES {
        if let Some(path) = request.libraries(kind).iter().find(|path| !path.is_file()) {
            return Err(wrong(format!("--{} {}: there is no such file", kind.key(), path.display()))
                .hint("--list shows the libraries that are found, and where"));
        }
    }
    Ok(())
}
