//! How often each chunk was decoded.

use super::DRAWN_MAX;
use hyperslab_apps::error::one_line;
use hyperslab_apps::trace::{Answer, Traced};
use hyperslab_report::{CellColour, CellKind, CellMap, Section};
use hyperslab_storage::pattern::shape_text;
use hyperslab_trace::ChunkDecodes;
use hyperslab_units::{count_text, counted_text};
use std::collections::BTreeMap;

/// Cells of a row, where the chunks have no last dimension that fits.
const COLUMNS: usize = 64;
const COLUMNS_MAX: u64 = 128;

/// The maps of the datasets of which chunks were decoded more than once, those that took most time first.
pub(super) fn section(answer: &Answer) -> Section {
    let maps = answer.datasets.iter().filter_map(|traced| {
        let counts = traced.chunk_decodes.as_ref()?;
        let is_repeated = traced.reads.decodes > traced.decodes_least;
        (is_repeated && counts.decodes.len() > 1).then(|| map(traced, counts))
    });
    maps.take(DRAWN_MAX).fold(
        Section::new("How often each chunk was decoded").text("Each cell is a chunk, in row-major order."),
        Section::figure,
    )
}

fn map(traced: &Traced, counts: &ChunkDecodes) -> CellMap {
    let per_part = counts.chunks_per_part.max(1);
    let times = |decodes: u64| decodes as f64 / per_part as f64;
    let colour = |decodes: u64| match decodes {
        0 => CellColour::Empty,
        decodes => CellColour::of_times(times(decodes)),
    };
    // The fewest and the most decodes of each colour.
    let mut ranges: BTreeMap<CellColour, (u64, u64)> = BTreeMap::new();
    for decodes in &counts.decodes {
        let (fewest, most) = ranges.entry(colour(*decodes)).or_insert((*decodes, *decodes));
        (*fewest, *most) = ((*fewest).min(*decodes), (*most).max(*decodes));
    }
    let kinds: Vec<CellKind> = ranges
        .iter()
        .map(|(colour, (fewest, most))| CellKind {
            name: times_text(times(*fewest), times(*most)),
            text: String::new(),
            colour: *colour,
        })
        .collect();
    let kind = |decodes: &u64| ranges.keys().position(|known| *known == colour(*decodes)).unwrap_or(0) as u16;
    let unit = match per_part {
        1 => format!("a cell is a chunk of {}", shape_text(traced.chunks.as_deref().unwrap_or_default())),
        chunks => format!("a cell is {}", counted_text(chunks, "chunk")),
    };
    CellMap {
        title: format!("{}: {}", one_line(&traced.dataset), decodes_text(traced)),
        columns: columns(traced, per_part).unwrap_or(COLUMNS),
        cells: counts.decodes.iter().map(kind).collect(),
        kinds,
        unit,
    }
}

fn decodes_text(traced: &Traced) -> String {
    let (decodes, least) = (traced.reads.decodes.unwrap_or(0), traced.decodes_least.unwrap_or(0));
    format!("{} of {}", counted_text(decodes, "decode"), counted_text(least, "chunk"))
}

/// As many as there are chunks along the last dimension, where a cell is a chunk.
fn columns(traced: &Traced, per_part: u64) -> Option<usize> {
    let (dim, chunk) = (traced.shape.last()?, traced.chunks.as_ref()?.last()?);
    let chunks = dim.div_ceil((*chunk).max(1));
    (per_part == 1 && (4..=COLUMNS_MAX).contains(&chunks)).then_some(chunks as usize)
}

/// `not read`, `decoded once`, `decoded 2 to 15 times`
fn times_text(fewest: f64, most: f64) -> String {
    match (fewest.round() as u64, most.round() as u64) {
        (0, 0) => "not decoded".to_owned(),
        (1, 1) => "decoded once".to_owned(),
        (fewest, most) if fewest == most => format!("decoded {}", counted_text(most, "time")),
        (fewest, most) => format!("decoded {} to {} times", count_text(fewest), count_text(most)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_apps::trace::Answer;

    #[test]
    fn chunks_have_the_colour_of_their_decodes() {
        let counts = ChunkDecodes { chunks_per_part: 1, decodes: vec![0, 1, 1, 1, 40, 40, 1, 0] };
        let line = hyperslab_trace::TracedDataset {
            traced: "/t".into(),
            shape: vec![20, 40],
            chunks: Some(vec![10, 10]),
            chunk_decodes: Some(counts.clone()),
            decodes_least: Some(6),
            reads: hyperslab_trace::Calls { calls: 1, decodes: Some(84), ..Default::default() },
            ..Default::default()
        };
        let traced = Traced::of_line(&line);
        let drawn = map(&traced, &counts);
        assert_eq!((drawn.columns, drawn.kinds.len()), (4, 3));
        assert_eq!(drawn.cells[4], drawn.cells[5]);
        assert!(drawn.kinds.iter().any(|kind| kind.name == "decoded 40 times"), "{:?}", drawn.kinds);
        assert_eq!(drawn.title, "/t: 84 decodes of 6 chunks");
        let answer = Answer { datasets: vec![traced], ..Answer::default() };
        assert_eq!(section(&answer).figures.len(), 1);
    }
}
