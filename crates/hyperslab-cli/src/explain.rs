//! `hyperslab explain`: prints the plan of a read.

use crate::args::ExplainArgs;
use crate::failure::{self, Failure};
use crate::json::{Json, Object, write_object};
use crate::location;
use crate::schema;
use hyperslab::{Explained, ExplainedChunk, ExplainedRequest, Selection};
use std::io::Write;

/// Runs the command.
pub(crate) fn run(args: &ExplainArgs, out: &mut dyn Write) -> Result<i32, Failure> {
    let file = location::open(&args.file)?;
    let dataset = file.dataset(&args.dataset)?;
    let named = |error: hyperslab::Error| error.in_file(file.name()).at_object(dataset.path());
    let selection = Selection::parse(&args.selection, dataset.shape()).map_err(named)?;
    let explained = dataset.explain(&selection).map_err(named)?;
    if args.json {
        let mut text = String::new();
        write_object(&json(&file.name(), &explained), &mut text);
        writeln!(out, "{text}")?;
    } else {
        write!(out, "{explained}")?;
    }
    Ok(failure::DONE)
}

fn json(file: &str, explained: &Explained) -> Object {
    Object::from([
        ("schema", schema::EXPLAIN.json()),
        ("file", file.into()),
        ("dataset", explained.dataset.as_str().into()),
        ("shape", Json::list(explained.shape.iter().copied())),
        ("result_bytes", explained.result_bytes.into()),
        ("layout", explained.layout.into()),
        ("chunks_touched", explained.chunks_touched.into()),
        ("chunks_missing", explained.chunks_missing.into()),
        ("chunks_cached", explained.chunks_cached.into()),
        ("decodes", explained.decodes.into()),
        ("decode", Json::list(explained.filters.iter().map(String::as_str))),
        ("requests_made", explained.requests_made.into()),
        ("fetched_bytes", explained.fetched_bytes.into()),
        ("requests", Json::list(explained.requests.iter().map(request))),
        ("missing", Json::list(explained.missing.iter().map(chunk))),
    ])
}

fn request(request: &ExplainedRequest) -> Object {
    let source = request.source.as_deref();
    Object::from([
        ("file", source.map(|source| source.file.as_str()).into()),
        ("dataset", source.map(|source| source.dataset.as_str()).into()),
        ("start", request.range.start.into()),
        ("end", request.range.end.into()),
        ("chunks", Json::list(request.chunks.iter().map(chunk))),
    ])
}

fn chunk(chunk: &ExplainedChunk) -> Object {
    Object::from([
        ("chunk", Json::list(chunk.coordinates.iter().copied())),
        ("start", chunk.range.as_ref().map(|range| range.start).into()),
        ("end", chunk.range.as_ref().map(|range| range.end).into()),
        ("filter_mask", chunk.filter_mask.into()),
        ("decoded", (chunk.range.is_some() && !chunk.is_raw).into()),
        ("elements", chunk.elements.into()),
        ("lands", chunk.lands.as_str().into()),
    ])
}
