//! # hdf4-2000
//!
//! *HDF4 and HDF5 Performance: Preliminary Results*, Elena Pourmal, IV HDF-EOS Workshop, 19 to 21 September 2000.
//!
//! HDF5 1.2.2 against HDF4, on a Sun and on a PC: arrays of integers were written in one and two dimensions, read in blocks
//! of several sizes and at several places, whole and every second element; records were written and read as Vdata and as
//! compounds. Results were shown as graphs, and summed up: HDF5 writes 8 to 10 times faster, reads small blocks 3 times
//! faster, large ones more slowly (3 times in 1.2.2, 1.5 times in the development version), every second element 3 times
//! more slowly (1.2.2) or 10 times faster (development); conversion costs HDF5 a factor of 15 when it writes records; HDF4
//! takes 8 times longer for two fields of a record, because they have to be unpacked.
//!
//! ## What is run
//!
//! The same arrays: 32-bit integers in the machine's order, contiguous; of the sizes that the talk went through in small
//! steps, some. The array that is read is 1000x1000. Each measurement is one read or write in a process of its own, as the
//! median of several; the file is in the page cache. Nothing is converted, as on the Sun, but where conversion is what is
//! measured. Records are `float a; short b; float c[3]; char d`. Files of many small datasets, which the talk names without
//! results, are made and read, too.
//!
//! ## With `--scale`
//!
//! Arrays become smaller in each dimension.

use super::plan::{Cell, Content, Effect, Figure, Metric, Part, Plan, EngineKind};
use crate::data::Synthetic;
use crate::study::{Access, Element, Memory, Records, Storage, Tree, Walk, Wanted};

pub(super) const PUBLICATION: &str =
    "HDF4 and HDF5 Performance: Preliminary Results (Elena Pourmal, IV HDF-EOS Workshop, 2000)";

const BOTH: [EngineKind; 2] = [EngineKind::Libhdf5, EngineKind::Hdf4];
const ALL: [EngineKind; 3] = [EngineKind::Libhdf5, EngineKind::Hdf4, EngineKind::Hyperslab];
/// Kilobytes of arrays in one dimension; the talk went from 8 to 8,000 in steps of 8.
const LINES: [u64; 6] = [8, 80, 400, 1_000, 4_000, 8_000];
/// Bytes of a row of square arrays; the talk went from 40 to 4,000 in steps of 40.
const SQUARES: [u64; 5] = [40, 400, 1_000, 2_000, 4_000];
/// Rows of square blocks of the array of 1000x1000.
const BLOCKS: [u64; 5] = [100, 250, 500, 725, 1_000];
const SIDE: u64 = 1_000;
/// Records of a table; the talk went from 1,000 to 1,000,000.
const RECORDS: [u64; 3] = [1_000, 100_000, 1_000_000];
/// Datasets of ten integers in a file.
const OBJECTS: [u64; 2] = [1_000, 5_000];
/// The files of a CERES data product hold arrays of this shape.
const CERES: [u64; 2] = [2_148, 660];

/// What is as long as published, times the scale.
struct Scale(f64);

impl Scale {
    fn of(&self, published: u64) -> u64 {
        ((published as f64 * self.0).round() as u64).max(1)
    }
}

/// The study with arrays as much smaller.
pub(super) fn plan(scale: f64) -> Plan {
    let scaled = Scale(scale);
    let parts = vec![
        lines(&scaled),
        squares(&scaled),
        blocks(&scaled),
        moved(&scaled),
        every_second(&scaled),
        records(&scaled),
        two_fields(&scaled),
        ceres(&scaled),
        many_objects(&scaled),
    ];
    Plan { shrink: scale, parts }
}

fn integers() -> Element {
    "<i4".parse().expect("an element type")
}

/// A contiguous array of values.
fn array(name: &str, shape: Vec<u64>, element: Element) -> Cell {
    let values = Content::Synthetic(Synthetic::with_ratio(&shape, element, 2.0, 1));
    Cell::file(name, Storage::plain(shape, element), values).by(&BOTH)
}

fn seconds(cell: &Cell, who: EngineKind) -> Figure {
    cell.figure_of(who, Metric::Seconds)
}

fn lines(scaled: &Scale) -> Part {
    let cells: Vec<Cell> = LINES
        .iter()
        .map(|kilobytes| {
            let elements = scaled.of(kilobytes * 1_000 / u64::from(integers().bytes));
            array(&format!("write {kilobytes} KB in 1-D"), vec![elements], integers()).timed()
        })
        .collect();
    let largest = &cells[cells.len() - 1];
    let effects = vec![Effect::times(
        "HDF5 writes arrays of one dimension about 8 times faster than HDF4.",
        seconds(largest, EngineKind::Hdf4),
        seconds(largest, EngineKind::Libhdf5),
        8.0,
    )];
    Part { title: "Slides 8 and 9: writing in one dimension".to_owned(), cells, effects, notes: Vec::new() }
}

fn squares(scaled: &Scale) -> Part {
    let cells: Vec<Cell> = SQUARES
        .iter()
        .map(|bytes| {
            let side = scaled.of(bytes / u64::from(integers().bytes));
            array(&format!("write {bytes}x{bytes} bytes"), vec![side, side], integers()).timed()
        })
        .collect();
    let (middle, largest) = (&cells[2], &cells[cells.len() - 1]);
    let per_byte = |cell: &Cell, who| cell.figure_of(who, Metric::PerByte);
    let effects = vec![
        Effect::times(
            "HDF5 writes arrays of two dimensions about 10 times faster than HDF4.",
            seconds(largest, EngineKind::Hdf4),
            seconds(largest, EngineKind::Libhdf5),
            10.0,
        ),
        Effect::shown(
            "HDF4 shows nonlinear growth: each byte of a large array takes longer than one of a small array.",
            per_byte(largest, EngineKind::Hdf4),
            per_byte(middle, EngineKind::Hdf4),
            1.5,
        ),
    ];
    Part {
        title: "Slides 10 and 11: writing in two dimensions".to_owned(),
        cells,
        effects,
        notes: Vec::new(),
    }
}

/// The array of 1000x1000 that is read.
fn square(scaled: &Scale) -> Cell {
    array("array of 1000x1000", vec![scaled.of(SIDE), scaled.of(SIDE)], integers())
}

fn reads(scaled: &Scale, what: &str, step: u64) -> Vec<Cell> {
    BLOCKS
        .iter()
        .map(|side| {
            let block = vec![scaled.of(*side), scaled.of(*side)];
            let access = Access { step: vec![step, step], ..Access::sweep(block) };
            Cell::read(&format!("read {what}{side}x{side}"), "array of 1000x1000", access).by(&ALL).reads(1)
        })
        .collect()
}

fn blocks(scaled: &Scale) -> Part {
    let mut cells = reads(scaled, "", 1);
    let (middle, largest) = (cells[2].clone(), cells[cells.len() - 1].clone());
    let per_byte = |cell: &Cell, who| cell.figure_of(who, Metric::PerByte);
    let effects = vec![
        Effect::times(
            "Blocks larger than 1 MB are read more than 3 times more slowly by HDF5 1.2.2 than by HDF4.",
            seconds(&largest, EngineKind::Libhdf5),
            seconds(&largest, EngineKind::Hdf4),
            3.0,
        ),
        Effect::times(
            "Blocks larger than 2 MB are read about 1.5 times more slowly by the development version of HDF5 than by HDF4.",
            seconds(&largest, EngineKind::Libhdf5),
            seconds(&largest, EngineKind::Hdf4),
            1.5,
        ),
        Effect::shown(
            "HDF5 shows nonlinear growth: each byte of a large block takes longer than one of a block of 500x500.",
            per_byte(&largest, EngineKind::Libhdf5),
            per_byte(&middle, EngineKind::Libhdf5),
            1.5,
        ),
    ];
    cells.insert(0, square(scaled));
    Part {
        title: "Slides 12 to 15: reading blocks of an array of 1000x1000".to_owned(),
        cells,
        effects,
        notes: Vec::new(),
    }
}

fn moved(scaled: &Scale) -> Part {
    let along = |name: &str, walk| {
        let access = Access { walk, ..Access::sweep(vec![scaled.of(100), scaled.of(100)]) };
        Cell::read(&format!("100x100 moved along {name}"), "array of 1000x1000", access).by(&ALL)
    };
    let cells = vec![
        along("x", Walk::Along { axis: 1 }),
        along("y", Walk::Along { axis: 0 }),
        along("the diagonal", Walk::Diagonal),
    ];
    let effects = ["x", "y", "the diagonal"]
        .iter()
        .zip(&cells)
        .map(|(axis, cell)| {
            Effect::times(
                &format!(
                    "Blocks of 100x100 along {axis} are read about 3 times faster by HDF5 than by HDF4."
                ),
                seconds(cell, EngineKind::Hdf4),
                seconds(cell, EngineKind::Libhdf5),
                3.0,
            )
        })
        .collect();
    Part {
        title: "Slides 16 and 17: blocks of 100x100 at moving positions".to_owned(),
        cells,
        effects,
        notes: Vec::new(),
    }
}

fn every_second(scaled: &Scale) -> Part {
    let cells = reads(scaled, "every second element of ", 2);
    let (middle, largest) = (cells[2].clone(), cells[cells.len() - 1].clone());
    let per_byte = |cell: &Cell, who| cell.figure_of(who, Metric::PerByte);
    let effects = vec![
        Effect::times(
            "Every second element is read about 3 times faster by HDF4 than by HDF5 1.2.2, in blocks larger than 0.5 MB.",
            seconds(&largest, EngineKind::Libhdf5),
            seconds(&largest, EngineKind::Hdf4),
            3.0,
        ),
        Effect::times(
            "Every second element is read about 10 times faster by the development version of HDF5 than by HDF4.",
            seconds(&largest, EngineKind::Hdf4),
            seconds(&largest, EngineKind::Libhdf5),
            10.0,
        ),
        Effect::alike(
            "The development version of HDF5 shows linear growth: each byte takes as long in the largest block as in one of 500x500.",
            vec![per_byte(&largest, EngineKind::Libhdf5), per_byte(&middle, EngineKind::Libhdf5)],
            1.0,
        ),
    ];
    let title = "Slides 18 to 22: reading every second element of blocks".to_owned();
    Part { title, cells, effects, notes: Vec::new() }
}

/// The talk's record, stored in this byte order.
fn record(order: char) -> Element {
    format!("{{a:{order}f4,b:{order}i2,c:{order}f4[3],d:S1}}").parse().expect("an element type")
}

fn in_memory(memory: Memory) -> Records {
    Records { fields: None, memory }
}

fn records(scaled: &Scale) -> Part {
    let mut cells = Vec::new();
    for published in RECORDS {
        let write = |how: &str, order, memory| {
            let name = format!("write {published} records{how}");
            array(&name, vec![scaled.of(published)], record(order)).records(in_memory(memory)).timed()
        };
        cells.push(write("", '<', Memory::AsStored));
        cells.push(write(", converted", '>', Memory::Struct));
        cells.push(write(", packed on the way", '<', Memory::Columns));
    }
    let [plain, converted, packed] =
        cells[cells.len() - 3..].to_vec().try_into().expect("three of each size");
    let effects = vec![
        Effect::times(
            "Conversion makes HDF5 more than 15 times slower when it writes records.",
            seconds(&converted, EngineKind::Libhdf5),
            seconds(&plain, EngineKind::Libhdf5),
            15.0,
        ),
        Effect::alike(
            "Conversion does not affect HDF4 when it writes records.",
            vec![seconds(&converted, EngineKind::Hdf4), seconds(&plain, EngineKind::Hdf4)],
            1.0,
        ),
        Effect::alike(
            "Packing the records has a very small effect on HDF5 (taken as none).",
            vec![seconds(&packed, EngineKind::Libhdf5), seconds(&plain, EngineKind::Libhdf5)],
            1.0,
        ),
    ];
    let notes = vec![
        "Packed on the way: from a C struct with gaps in HDF5, from an array for each field (VSfpack) in HDF4.".to_owned(),
        "Converted: stored big-endian, without gaps, from a C struct in the machine's order.".to_owned(),
    ];
    Part { title: "Slides 24 to 26: writing records".to_owned(), cells, effects, notes }
}

fn two_fields(scaled: &Scale) -> Part {
    let most = RECORDS[RECORDS.len() - 1];
    let shape = vec![scaled.of(most)];
    let file = array("table of records", shape.clone(), record('<'));
    let read = |what: &str, fields: Option<[&str; 2]>, memory| {
        let fields = fields.map(|names| names.map(str::to_owned).to_vec());
        let cell = Cell::read(&format!("read {what}"), "table of records", Access::whole(&shape)).by(&ALL);
        cell.records(Records { fields, memory })
    };
    let all = read("all fields", None, Memory::AsStored);
    let two = read("two fields", Some(["a", "c"]), Memory::AsStored);
    let unpacked = read("two fields, unpacked", Some(["a", "c"]), Memory::Columns).by(&[EngineKind::Hdf4]);
    let effects = vec![Effect::times(
        "Unpacking two fields makes HDF4 about 8 times slower.",
        seconds(&unpacked, EngineKind::Hdf4),
        seconds(&two, EngineKind::Hdf4),
        8.0,
    )];
    Part {
        title: "Slide 27: reading two fields of records".to_owned(),
        cells: vec![file, all, two, unpacked],
        effects,
        notes: Vec::new(),
    }
}

fn many_objects(scaled: &Scale) -> Part {
    let mut cells = Vec::new();
    for published in OBJECTS {
        let name = format!("make {published} datasets");
        let tree = Tree {
            groups: 0,
            datasets: scaled.of(published),
            attributes: 1,
            storage: Storage::plain(vec![10], integers()),
            seed: 1,
            is_laid_out_first: false,
        };
        cells.push(Cell::make(&name, tree).by(&BOTH).timed());
        cells.push(Cell::visit(&format!("read {published} datasets"), &name, Wanted::All).by(&ALL));
    }
    let largest = &cells[cells.len() - 2];
    let effects = vec![Effect::found(
        "HDF5 has less storage overhead than HDF4 for many small datasets.",
        largest.figure_of(EngineKind::Hdf4, Metric::Overhead),
        largest.figure_of(EngineKind::Libhdf5, Metric::Overhead),
        1.0,
    )];
    let notes = vec![
        "The talk names many objects and storage overhead among what is compared, without results."
            .to_owned(),
    ];
    Part { title: "Slide 4: many objects, and storage overhead".to_owned(), cells, effects, notes }
}

fn ceres(scaled: &Scale) -> Part {
    let shape: Vec<u64> = CERES.iter().map(|dim| scaled.of(*dim)).collect();
    let own = array("CERES array", shape.clone(), "<f4".parse().expect("an element type"));
    let foreign = array("CERES array, big-endian", shape.clone(), ">f4".parse().expect("an element type"));
    let read = |of: &str| Cell::read(&format!("read the {of}"), of, Access::whole(&shape));
    let whole = read("CERES array").by(&ALL);
    let swapped = read("CERES array, big-endian").by(&ALL);
    let columns = Access::sweep(vec![shape[0], 2]);
    let columns = Cell::read("read two columns of the CERES array", "CERES array", columns).by(&ALL).reads(1);
    let effects = vec![
        Effect::times(
            "Without conversion, HDF5 reads the arrays of a CERES file twice as fast as HDF4 (Solaris).",
            seconds(&whole, EngineKind::Hdf4),
            seconds(&whole, EngineKind::Libhdf5),
            2.0,
        ),
        Effect::times(
            "With conversion, HDF4 reads the arrays of a CERES file 1.3 to 1.5 times faster than HDF5 (Linux).",
            seconds(&swapped, EngineKind::Libhdf5),
            seconds(&swapped, EngineKind::Hdf4),
            1.3,
        ),
        Effect::times(
            "HDF5 reads two columns of the arrays of a CERES file about 3 times faster than HDF4.",
            seconds(&columns, EngineKind::Hdf4),
            seconds(&columns, EngineKind::Libhdf5),
            3.0,
        ),
    ];
    let notes = vec![
        "With conversion: stored big-endian, as HDF4 did, and read into the machine's order.".to_owned(),
    ];
    Part {
        title: "Slides 28 to 32: arrays of 2148x660 floats, as in CERES files".to_owned(),
        cells: vec![own, foreign, whole, swapped, columns],
        effects,
        notes,
    }
}
