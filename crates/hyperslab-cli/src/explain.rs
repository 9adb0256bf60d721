//! `hyperslab explain`: prints the plan of a read.

use crate::args::ExplainArgs;
use crate::failure::{self, Failure};
use crate::{absent, terminal};
use hyperslab::{Axis, Dataset, Explained, ExplainedChunk, ExplainedRequest, File, Selection, absent_of};
use hyperslab_apps::forecast::{self, SweptRead};
use hyperslab_apps::{files, schema};
use hyperslab_doctor::forecast::Forecast;
use hyperslab_doctor::render_forecast;
use hyperslab_listing::json::{Json, Object, write_object};
use std::io::Write;

/// Runs the command.
pub(crate) fn run(args: &ExplainArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, Failure> {
    let file = files::look(&args.file)?;
    let dataset = hyperslab_netcdf::find_dataset(&file, &args.dataset)?;
    let named = |error: hyperslab::Error| error.in_file(file.name()).at_object(dataset.path());
    let selection = Selection::parse(&args.selection, dataset.shape()).map_err(named)?;
    let explained = dataset.explain(&selection).map_err(named)?;
    let forecast = args.cloud.then(|| forecast(args, &file, &dataset, &selection)).transpose()?;
    let absent = absent::sentences(&absent_of(&dataset));
    if args.json {
        let mut document = json(&file.name(), &explained);
        if !absent.is_empty() {
            document.insert("absent", Json::list(absent.iter().map(String::as_str)));
        }
        if let Some(forecast) = &forecast {
            let text = serde_json::to_string(forecast);
            let text = text.map_err(|error| Failure::unreadable(error.to_string()))?;
            document.insert("forecast", Json::Serialized(text));
        }
        let mut text = String::new();
        write_object(&document, &mut text);
        writeln!(out, "{text}")?;
    } else {
        write!(out, "{explained}")?;
        if let Some(forecast) = &forecast {
            write!(out, "\n{}", render_forecast(forecast, terminal::columns()))?;
        }
    }
    out.flush()?;
    absent::warn(&file.name(), &absent, err);
    Ok(failure::DONE)
}

/// What the read takes in an object store.
fn forecast(
    args: &ExplainArgs,
    file: &File,
    dataset: &Dataset,
    selection: &Selection,
) -> Result<Forecast, Failure> {
    let place = forecast::place(&args.place)?;
    let (start, count) = block(selection, dataset.shape()).ok_or_else(|| {
        Failure::wrong_request("--cloud is for selections of one block, without steps, lists and points")
            .hint("such as 0:10, :, 180")
    })?;
    let name = if args.selection.trim().is_empty() { ":" } else { args.selection.trim() };
    Ok(forecast::forecast(&args.file, file, &[SweptRead::once(dataset, name, &start, &count)], &place)?)
}

/// Start and count of a selection that is one block.
fn block(selection: &Selection, shape: &[u64]) -> Option<(Vec<u64>, Vec<u64>)> {
    match selection {
        Selection::All => Some((vec![0; shape.len()], shape.to_vec())),
        Selection::Slab(axes) => {
            let span = |axis: &Axis| {
                let (first, last) = axis.bounds()?;
                (last - first + 1 == axis.len()).then_some((first, axis.len()))
            };
            axes.iter().map(span).collect()
        }
        Selection::Points(_) => None,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_block_is_told_from_steps_and_points() {
        let block = |text: &str| block(&Selection::parse(text, &[10, 20]).unwrap(), &[10, 20]);
        assert_eq!(block(""), Some((vec![0, 0], vec![10, 20])));
        assert_eq!(block("2:5, 7"), Some((vec![2, 7], vec![3, 1])));
        assert_eq!(block("::2, 7"), None);
    }
}
