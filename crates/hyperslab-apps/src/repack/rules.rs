//! Options about datasets as rules of a change set, and options about objects as a selection.

use super::words::{choice, wrong};
use super::{Request, h5repack, recipe};
use crate::Error;
use hyperslab_repack::{Change, ChangeSet, LayoutRequest, ObjectSelection, PathPattern, Rename, Rule, Size};

/// Chunks that serve a read, if no size is given.
const CHUNK_BYTES: u64 = 1 << 20;

/// The rules and the selection of a request. Rules of a recipe come first, so that options override them.
pub(super) fn requests(request: &Request) -> Result<(ChangeSet, ObjectSelection), Error> {
    let recipe::Requests { mut rules, mut objects, mut unlimited } =
        request.recipe.as_deref().map(recipe::read).transpose()?.unwrap_or_default();
    for (name, texts, choices) in
        [("--only", &request.only, &mut objects.only), ("--drop", &request.drop, &mut objects.drop)]
    {
        for text in texts {
            choices.push(choice(&format!("{name} {text}"), text)?);
        }
    }
    for text in &request.rename {
        let option = format!("--rename {text}");
        objects.rename.push(Rename::parse(&option, text).map_err(|why| wrong(&option, &why))?);
    }
    let read = request.reads_for.as_deref().map(Size::parse_each).transpose();
    let read = read
        .map_err(|why| wrong(&format!("--for {}", request.reads_for.as_deref().unwrap_or_default()), &why))?;
    if read.is_some() && request.chunk_bytes.is_empty() {
        let change = chunk_bytes(CHUNK_BYTES, &read);
        let option = format!("--for {}", request.reads_for.as_deref().unwrap_or_default());
        rules.push(Rule { option, datasets: PathPattern::All, change });
    }
    for text in &request.chunk_bytes {
        let change = |text: &str| match hyperslab::parse_bytes(text) {
            Ok(0) => Err("a chunk has at least one byte".into()),
            Ok(bytes) => Ok(chunk_bytes(bytes, &read)),
            Err(error) => Err(error.to_string()),
        };
        rules.push(rule("--chunk-bytes", text, change)?);
    }
    for text in &request.chunks {
        rules.push(rule("--chunks", text, |shape| LayoutRequest::parse_chunks(shape).map(Change::Layout))?);
    }
    for (name, texts, layout) in [
        ("--contiguous", &request.contiguous, LayoutRequest::Contiguous),
        ("--compact", &request.compact, LayoutRequest::Compact),
    ] {
        for text in texts {
            let option = format!("{name} {text}");
            let datasets = PathPattern::parse(text).map_err(|why| wrong(&option, &why))?;
            rules.push(Rule { option, datasets, change: Change::Layout(layout.clone()) });
        }
    }
    for text in &request.filters {
        rules.push(rule("--filter", text, Change::parse_filters)?);
    }
    rules.extend(h5repack::rules(&request.h5repack_layouts, &request.h5repack_filters)?);
    unlimited.extend(request.unlimited.iter().cloned());
    Ok((ChangeSet { rules, unlimited, ..ChangeSet::default() }, objects))
}

fn chunk_bytes(bytes: u64, read: &Option<Vec<Size>>) -> Change {
    Change::Layout(LayoutRequest::ChunkBytes { bytes, read: read.clone() })
}

/// `OBJECTS:VALUE`, or a value for all datasets.
fn rule(name: &str, text: &str, change: impl Fn(&str) -> Result<Change, String>) -> Result<Rule, Error> {
    Rule::parse(name, text, change).map_err(|why| wrong(&format!("{name} {text}"), &why))
}

#[cfg(test)]
mod tests {
    use hyperslab_storage::FilterRequest;

    #[test]
    fn every_filter_that_is_written_has_a_name() {
        for entry in hyperslab_filters::table().iter().filter(|entry| entry.write) {
            let name = match entry.name {
                // Its parameters are part of the names of its modes.
                "BitGroom" => "bitgroom=3".into(),
                "Granular BitRound" => "granularbitround=3".into(),
                name => name.to_lowercase(),
            };
            let requests = FilterRequest::parse_pipeline(&name).unwrap_or_else(|why| panic!("{name}: {why}"));
            assert_eq!(requests[0].id, entry.id, "{name}");
        }
    }
}
