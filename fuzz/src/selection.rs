//! Any selection of datasets with known values, against taking the elements one by one.
//!
//! The datasets are those of `data/selections.h5`, which `make_seeds.py` writes.

use arbitrary::Arbitrary;
use hyperslab::{Axis, Dataset, Endianness, File, Object, Points, Selection};
use std::path::Path;
use std::sync::LazyLock;

/// Results of more elements than this are not read.
const ELEMENTS_MAX: u64 = 1 << 16;

/// What is asked of which dataset.
#[derive(Debug, Arbitrary)]
pub struct Question {
    dataset: u8,
    forget: bool,
    native: bool,
    wanted: Wanted,
}

#[derive(Debug, Arbitrary)]
enum Wanted {
    All,
    Slab(Vec<Indexes>),
    /// Coordinates, a byte each, so that many are inside.
    Points(Vec<u8>),
    Text(String),
}

#[derive(Debug, Arbitrary)]
enum Indexes {
    Near { start: u8, stride: u8, count: u8, block: u8 },
    Far { start: u64, stride: u64, count: u64, block: u64 },
    List(Vec<u8>),
}

struct Known {
    dataset: Dataset,
    /// All values, as read once.
    whole: [Vec<u8>; 2],
    element_bytes: usize,
}

const ORDERS: [Endianness; 2] = [Endianness::File, Endianness::Native];

static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/selections.h5");
    let file = File::open(&path).expect("run fuzz/make_seeds.py first");
    let root = file.root().expect("a root group");
    let links = root.links().expect("links");
    let datasets = links.into_iter().map(|link| match root.open(&link.expect("a link")) {
        Ok(Object::Dataset(dataset)) => dataset,
        _ => panic!("{} holds datasets only", path.display()),
    });
    datasets.map(known).collect()
});

fn known(dataset: Dataset) -> Known {
    let whole = ORDERS.map(|order| dataset.read_bytes(&Selection::All, order).expect("all values"));
    Known { whole, element_bytes: dataset.datatype().size as usize, dataset }
}

/// Reads what is asked for; where the model has an answer it is the same, where it has none there is an error.
pub fn answer(question: &Question) {
    let Known { dataset, whole, element_bytes } = &KNOWN[question.dataset as usize % KNOWN.len()];
    let dims = dataset.shape();
    let Some(selection) = selection(&question.wanted, dims) else { return };
    if question.forget {
        hyperslab::clear_cache();
    }
    let numbers = match model(&selection, dims) {
        Modelled::Elements(numbers) => numbers,
        Modelled::Refused => {
            assert!(dataset.read_bytes(&selection, Endianness::File).is_err());
            assert!(dataset.explain(&selection).is_err());
            return;
        }
        Modelled::TooMany => return,
    };
    let order = usize::from(question.native);
    let read = dataset.read_bytes(&selection, ORDERS[order]).expect("a selection inside the dataset");
    let element = |number: u64| &whole[order][number as usize * element_bytes..][..*element_bytes];
    let taken: Vec<u8> = numbers.iter().flat_map(|&number| element(number)).copied().collect();
    assert!(read == taken, "{} {selection:?}", dataset.path());
    dataset.explain(&selection).expect("a plan for what was read");
}

fn selection(wanted: &Wanted, dims: &[u64]) -> Option<Selection> {
    match wanted {
        Wanted::All => Some(Selection::All),
        Wanted::Slab(axes) => axes.iter().map(axis).collect::<Option<_>>().map(Selection::Slab),
        Wanted::Points(bytes) => {
            let rank = dims.len();
            let coordinates: Vec<u64> = bytes.iter().map(|&byte| byte.into()).collect();
            Some(Selection::Points(Points { rank, coordinates }))
        }
        Wanted::Text(text) => Selection::parse(text, dims).ok(),
    }
}

/// The indexes of one axis; `None` for blocks that overlap or overflow, which are refused when they are made.
fn axis(indexes: &Indexes) -> Option<Axis> {
    match indexes {
        &Indexes::Near { start, stride, count, block } => {
            hyperslab(start.into(), stride.into(), count.into(), block.into())
        }
        &Indexes::Far { start, stride, count, block } => hyperslab(start, stride, count, block),
        Indexes::List(list) => Some(Axis::List(list.iter().map(|&index| index.into()).collect())),
    }
}

/// One axis of a hyperslab, which is made if and only if it is sound, and has the indexes that it should.
fn hyperslab(start: u64, stride: u64, count: u64, block: u64) -> Option<Axis> {
    let last = |count: u64| {
        let first_of_last = start.checked_add((count - 1).checked_mul(stride)?)?;
        first_of_last.checked_add(block.checked_sub(1)?)
    };
    let is_empty = count == 0 || block == 0;
    let is_sound = is_empty || (stride > 0 && (count == 1 || stride >= block) && last(count).is_some());
    let axis = Axis::hyperslab(start, stride, count, block);
    match axis {
        Ok(axis) => {
            assert!(is_sound, "{start} {stride} {count} {block}");
            assert_eq!(axis.len(), if is_empty { 0 } else { count * block });
            if let (Axis::Blocks(blocks), false) = (&axis, is_empty) {
                let few = blocks.len().min(1 << 12);
                for position in (0..few).chain(blocks.len() - few..blocks.len()) {
                    let index = start + position / block * stride + position % block;
                    assert_eq!((blocks.index(position), blocks.position(index)), (index, Some(position)));
                }
            }
            Some(axis)
        }
        Err(_) => {
            // All 2⁶⁴ indexes are more than can be counted.
            assert!(!is_sound || count.checked_mul(block).is_none(), "{start} {stride} {count} {block}");
            None
        }
    }
}

enum Modelled {
    /// The row-major numbers of the elements, in order.
    Elements(Vec<u64>),
    Refused,
    TooMany,
}

/// What a selection means, taken literally.
fn model(selection: &Selection, dims: &[u64]) -> Modelled {
    let axes: Vec<Axis> = match selection {
        Selection::All => dims.iter().map(|&dim| Axis::all(dim)).collect(),
        Selection::Slab(axes) => axes.clone(),
        Selection::Points(points) => return model_points(points, dims),
    };
    if axes.len() != dims.len() {
        return Modelled::Refused;
    }
    let mut lists = Vec::new();
    for (axis, &dim) in axes.iter().zip(dims) {
        match indexes(axis, dim) {
            Some(list) => lists.push(list),
            None => return Modelled::Refused,
        }
    }
    let count = lists.iter().fold(1u64, |count, list| count.saturating_mul(list.len() as u64));
    if count > ELEMENTS_MAX {
        return Modelled::TooMany;
    }
    let mut numbers = vec![0];
    for (list, dim) in lists.iter().zip(dims) {
        numbers =
            numbers.iter().flat_map(|number| list.iter().map(move |index| number * dim + index)).collect();
    }
    Modelled::Elements(numbers)
}

/// The indexes of one axis, if all of them exist.
fn indexes(axis: &Axis, dim: u64) -> Option<Vec<u64>> {
    match axis {
        Axis::List(list) => list.iter().all(|&index| index < dim).then(|| list.clone()),
        Axis::Blocks(blocks) => {
            // No more than `dim` of them can be inside.
            let inside: Vec<u64> = blocks.iter().take_while(|&index| index < dim).collect();
            (inside.len() as u64 == blocks.len()).then_some(inside)
        }
    }
}

fn model_points(points: &Points, dims: &[u64]) -> Modelled {
    let rank = dims.len();
    if rank > 0 && points.coordinates.len() % rank != 0 {
        return Modelled::Refused;
    }
    let mut numbers = Vec::new();
    for point in points.coordinates.chunks(rank.max(1)) {
        if rank > 0 && point.iter().zip(dims).any(|(index, dim)| index >= dim) {
            return Modelled::Refused;
        }
        numbers.push(point.iter().zip(dims).fold(0, |number, (index, dim)| number * dim + index));
    }
    Modelled::Elements(numbers)
}
