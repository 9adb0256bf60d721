//! The file as a map of its bytes: each cell belongs to metadata, to a dataset, to free space, or to nothing.
//!
//! A cell may hold bytes of several owners but has one colour. Cells are given out in order, each to the owner to which
//! most is due by then, so that every owner gets its share of the map to within a cell, about where its bytes lie.

use hyperslab::hdf5::{Census, Owner};
use hyperslab_apps::error::one_line;
use hyperslab_report::{CellColour, CellKind, CellMap};
use hyperslab_units::size::bytes_text;

/// Cells of a row, and rows at most.
const COLUMNS: usize = 96;
const ROWS_MAX: usize = 36;
/// A cell of a small file is this many bytes.
const CELL_BYTES_MIN: u64 = 32;
/// Datasets with a colour of their own; the smaller ones share one.
const DATASETS_MAX: usize = 5;

/// What the cells of a file belong to.
pub(super) struct ByteMap {
    /// Bytes of a cell; the last may be shorter.
    pub(super) cell_bytes: u64,
    /// The kind of each cell.
    pub(super) cells: Vec<u16>,
    kinds: Vec<Kind>,
}

/// An owner of cells.
struct Kind {
    name: String,
    /// The dataset's path, if it is one.
    dataset: Option<String>,
    bytes: u64,
    colour: CellColour,
}

impl ByteMap {
    /// The map of a file whose census was taken.
    pub(super) fn new(census: &Census) -> Self {
        let (kinds, kind_of_dataset) = kinds(census);
        let (metadata, free, unowned) = (0, kinds.len() - 2, kinds.len() - 1);
        let most = (COLUMNS * ROWS_MAX) as u64;
        let cell_bytes = census.file_bytes.div_ceil(most).max(CELL_BYTES_MIN);
        let mut cells = Vec::new();
        // What is due to each kind, in bytes, and the bytes of the present cell that were given out.
        let mut due = vec![0i64; kinds.len()];
        let mut reached = 0;
        let mut give = |kind: usize, until: u64| {
            while reached < until {
                let cell_end = (cells.len() as u64 + 1) * cell_bytes;
                let step = until.min(cell_end) - reached;
                due[kind] += step as i64;
                reached += step;
                if reached == cell_end || reached == census.file_bytes {
                    let first = (0..due.len()).rev().max_by_key(|kind| due[*kind]).unwrap_or(unowned);
                    due[first] -= cell_bytes as i64;
                    cells.push(first as u16);
                }
            }
        };
        for extent in &census.extents {
            give(unowned, extent.start);
            let kind = match extent.owner {
                Owner::Metadata(_) => metadata,
                Owner::RawData(number) => kind_of_dataset[number],
                Owner::Free => free,
            };
            give(kind, extent.end);
        }
        give(unowned, census.file_bytes);
        Self { cell_bytes, cells, kinds }
    }

    /// The kind of the cells of a dataset that has a colour of its own.
    pub(super) fn kind_of(&self, dataset: &str) -> Option<u16> {
        let place = self.kinds.iter().position(|kind| kind.dataset.as_deref() == Some(dataset))?;
        Some(place as u16)
    }

    /// `a cell is 12 KiB`
    pub(super) fn unit(&self) -> String {
        format!("a cell is {}", bytes_text(self.cell_bytes))
    }

    /// An empty figure of these cells.
    pub(super) fn blank(&self, title: String) -> CellMap {
        CellMap { title, columns: COLUMNS, unit: self.unit(), ..CellMap::default() }
    }

    pub(super) fn figure(&self) -> CellMap {
        let total: u64 = self.kinds.iter().map(|kind| kind.bytes).sum();
        let share = |bytes: u64| 100.0 * bytes as f64 / total.max(1) as f64;
        let kinds = self.kinds.iter().map(|kind| CellKind {
            name: kind.name.clone(),
            text: format!("{}, {:.1} %", bytes_text(kind.bytes), share(kind.bytes)),
            colour: kind.colour,
        });
        let mut map = self.blank(format!("What the {} of the file belong to", bytes_text(total)));
        // Kinds without a byte are not worth an entry.
        let places: Vec<Option<u16>> = self
            .kinds
            .iter()
            .scan(0, |next, kind| {
                let place = (kind.bytes > 0).then_some(*next);
                *next += u16::from(kind.bytes > 0);
                Some(place)
            })
            .collect();
        map.kinds = kinds.zip(&self.kinds).filter(|(_, kind)| kind.bytes > 0).map(|(kind, _)| kind).collect();
        map.cells = self.cells.iter().filter_map(|cell| places[usize::from(*cell)]).collect();
        map
    }
}

/// The kinds in the order of the legend (metadata, datasets, free space, nothing), and that of each dataset.
fn kinds(census: &Census) -> (Vec<Kind>, Vec<usize>) {
    let kind = |name: &str, bytes, colour| Kind { name: name.to_owned(), dataset: None, bytes, colour };
    let metadata = census.metadata.values().map(|kind| kind.bytes).sum();
    let mut kinds = vec![kind("metadata", metadata, CellColour::Distinct(1))];
    let mut order: Vec<usize> = (0..census.raw_data.len()).collect();
    order.sort_by_key(|number| std::cmp::Reverse(census.raw_data[*number].1));
    let mut kind_of_dataset = vec![0; census.raw_data.len()];
    // Blue, green, purple, ochre, indigo: metadata has the orange.
    for (number, colour) in order.iter().zip([0, 2, 3, 4, 5]).take(DATASETS_MAX) {
        let (path, bytes) = &census.raw_data[*number];
        kind_of_dataset[*number] = kinds.len();
        kinds.push(Kind {
            dataset: Some(path.clone()),
            ..kind(&one_line(path), *bytes, CellColour::Distinct(colour))
        });
    }
    let rest = order.get(DATASETS_MAX..).unwrap_or_default();
    if !rest.is_empty() {
        let bytes = rest.iter().map(|number| census.raw_data[*number].1).sum();
        rest.iter().for_each(|number| kind_of_dataset[*number] = kinds.len());
        let name = if rest.len() == 1 {
            "1 other dataset".to_owned()
        } else {
            format!("{} other datasets", rest.len())
        };
        kinds.push(kind(&name, bytes, CellColour::Distinct(6)));
    }
    kinds.push(kind("free space", census.free_bytes, CellColour::Muted));
    kinds.push(kind("belongs to nothing", census.unaccounted_bytes, CellColour::Empty));
    (kinds, kind_of_dataset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab::hdf5::{Extent, KindOfMetadata, Tree};

    /// 32,000 bytes: metadata in 1,000 of them, scattered over a dataset of 24,000; then free space, and a rest.
    fn census() -> Census {
        let mut extents = Vec::new();
        for piece in 0..100u64 {
            let at = piece * 250;
            extents.push(Extent { start: at, end: at + 10, owner: Owner::Metadata("header") });
            extents.push(Extent { start: at + 10, end: at + 250, owner: Owner::RawData(0) });
        }
        extents.push(Extent { start: 25_000, end: 28_200, owner: Owner::Free });
        Census {
            file_bytes: 32_000,
            metadata: [("header", KindOfMetadata { structures: 100, bytes: 1000 })].into(),
            raw_data: vec![("/d".to_owned(), 24_000)],
            chunked: Vec::new(),
            free_bytes: 3200,
            unaccounted_bytes: 3800,
            objects: 2,
            tree: Tree::default(),
            page_bytes: None,
            extents,
            errors: Vec::new(),
        }
    }

    #[test]
    fn every_owner_gets_its_share_of_the_cells() {
        let map = ByteMap::new(&census());
        assert_eq!((map.cell_bytes, map.cells.len()), (32, 1000));
        let cells = |kind: u16| map.cells.iter().filter(|cell| **cell == kind).count() as u64;
        for (kind, bytes) in [(0, 1000u64), (1, 24_000), (2, 3200), (3, 3800)] {
            assert!(cells(kind).abs_diff(bytes / 32) <= 1, "{kind}: {}", cells(kind));
        }
        assert!(map.cells[900..].iter().all(|cell| *cell == 3), "the end belongs to nothing");
        assert_eq!((map.kind_of("/d"), map.kind_of("/e")), (Some(1), None));
    }

    #[test]
    fn what_has_no_byte_has_no_entry() {
        let mut census = census();
        census.extents.pop();
        (census.free_bytes, census.unaccounted_bytes) = (0, 7000);
        let figure = ByteMap::new(&census).figure();
        let names: Vec<&str> = figure.kinds.iter().map(|kind| kind.name.as_str()).collect();
        assert_eq!(names, ["metadata", "/d", "belongs to nothing"]);
        assert_eq!(figure.kinds[1].text, "23.4 KiB, 75.0 %");
        assert_eq!(figure.cells.iter().max(), Some(&2));
    }

    #[test]
    fn the_map_of_an_empty_file_is_empty() {
        let empty = Census { file_bytes: 0, raw_data: vec![], extents: vec![], ..census() };
        assert!(ByteMap::new(&empty).cells.is_empty());
    }
}
