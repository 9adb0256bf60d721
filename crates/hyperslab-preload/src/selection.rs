//! Which elements of a dataset a call selects.

use crate::api::Api;
use crate::functions::Hid;
use hyperslab_trace::Read;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// A number for each dimension.
pub type Dims = SmallVec<[u64; 4]>;

/// `H5S_ALL`, and `H5S_PLIST` of libhdf5 1.14 and later.
const ALL: Hid = 0;
const PLIST: Hid = 2;
/// `H5S_BLOCK`, since the same version.
const BLOCK: Hid = 1;
/// `H5I_DATASPACE`.
const DATASPACE: i32 = 4;
/// `H5S_sel_type`.
const SELECTED_NONE: i32 = 0;
const SELECTED_POINTS: i32 = 1;
const SELECTED_HYPERSLABS: i32 = 2;
const SELECTED_ALL: i32 = 3;
/// No longer list of points or blocks is asked for.
const LIST_MAX: i64 = 1 << 20;

/// The elements that a call selects in the file.
#[derive(Debug, Clone)]
pub enum Selected {
    /// All of them.
    All,
    /// None of them.
    Nothing,
    /// `count` blocks at distances of `step` along each dimension, the first at `start`.
    Blocks { start: Dims, step: Dims, count: Dims, block: Dims },
    /// A list of blocks: first and last element of each.
    Listed(Vec<u64>),
    /// A list of elements.
    Points(Vec<u64>),
    /// Something that is not asked for.
    Unknown(&'static str),
}

/// What `file_space` selects in a dataset of this shape.
///
/// None of the questions fails, whatever it is: a failure would print what the program did not cause. All are asked before the real
/// call.
pub fn of(api: &Api, file_space: Hid, shape: &[u64]) -> Selected {
    if file_space == ALL {
        return Selected::All;
    }
    if file_space == PLIST && api.has_block_space() {
        return Selected::Unknown("its selection is in the transfer list");
    }
    asked(api, file_space, shape).unwrap_or(Selected::Unknown("libhdf5 does not tell what is selected"))
}

/// True for the identifier of a dataspace.
fn is_dataspace(api: &Api, id: Hid) -> bool {
    // SAFETY: a function of libhdf5, which takes any number.
    api.functions.iget_type.is_some_and(|get| unsafe { get(id) } == DATASPACE)
}

fn asked(api: &Api, space: Hid, shape: &[u64]) -> Option<Selected> {
    let (functions, rank) = (&api.functions, shape.len());
    if !is_dataspace(api, space) {
        return None;
    }
    // SAFETY: for all calls here, functions of libhdf5 with the identifier of a dataspace; a wrong one is an error. Where they write
    // into memory, it has a place for each dimension of the dataspace, whose number is asked first.
    let kind = unsafe { functions.sget_select_type?(space) };
    // SAFETY: as above.
    if unsafe { functions.sget_ndims?(space) } != i32::try_from(rank).ok()? {
        return None;
    }
    let mut dims = zeros(rank);
    // SAFETY: as above. Of another extent, the same selection means something else.
    if unsafe { functions.sget_dims?(space, dims.as_mut_ptr(), std::ptr::null_mut()) } < 0 || *dims != *shape
    {
        return None;
    }
    match kind {
        SELECTED_ALL => return Some(Selected::All),
        SELECTED_NONE => return Some(Selected::Nothing),
        SELECTED_POINTS | SELECTED_HYPERSLABS => {}
        _ => return None,
    }
    if kind == SELECTED_POINTS {
        // SAFETY: as above.
        let points = unsafe { functions.sget_select_elem_npoints?(space) };
        let mut list = list(points, rank)?;
        // SAFETY: as above.
        let result =
            unsafe { functions.sget_select_elem_pointlist?(space, 0, points as u64, list.as_mut_ptr()) };
        return (result >= 0).then_some(Selected::Points(list));
    }
    let (mut start, mut end) = (zeros(rank), zeros(rank));
    // SAFETY: as above.
    if unsafe { functions.sget_select_bounds?(space, start.as_mut_ptr(), end.as_mut_ptr()) } < 0 {
        return None;
    }
    // SAFETY: as above.
    let points = u64::try_from(unsafe { functions.sget_select_npoints?(space) }).ok()?;
    let extent: Dims =
        start.iter().zip(&end).map(|(start, end)| end.saturating_sub(*start).saturating_add(1)).collect();
    let ones: Dims = SmallVec::from_elem(1, rank);
    if extent.iter().try_fold(1u64, |all, len| all.checked_mul(*len)) == Some(points) {
        return Some(Selected::Blocks { start, step: ones.clone(), count: ones, block: extent });
    }
    if let (Some(is_regular), Some(get)) = (functions.sis_regular_hyperslab, functions.sget_regular_hyperslab)
    {
        // SAFETY: as above.
        if unsafe { is_regular(space) } > 0 {
            let (mut first, mut step) = (zeros(rank), zeros(rank));
            let (mut count, mut block) = (zeros(rank), zeros(rank));
            // SAFETY: as above.
            let result = unsafe {
                get(space, first.as_mut_ptr(), step.as_mut_ptr(), count.as_mut_ptr(), block.as_mut_ptr())
            };
            // An offset (`H5Soffset_simple`) moves the bounds alone.
            return (result >= 0).then_some(Selected::Blocks { start, step, count, block });
        }
    }
    // SAFETY: as above.
    let blocks = unsafe { functions.sget_select_hyper_nblocks?(space) };
    let mut list = list(blocks, rank * 2)?;
    // SAFETY: as above.
    let result =
        unsafe { functions.sget_select_hyper_blocklist?(space, 0, blocks as u64, list.as_mut_ptr()) };
    (result >= 0).then_some(Selected::Listed(list))
}

/// Where in the program's memory a read of so many elements goes, counted in elements: `None` unless it is one block without gaps.
/// `is_all` is true if all elements of the dataset are read.
pub fn in_memory(api: &Api, space: Hid, elements: u64, is_all: bool) -> Option<u64> {
    let functions = &api.functions;
    let space = api.id(space);
    match space {
        // The extent and the selection in the file.
        ALL => return is_all.then_some(0),
        BLOCK if api.has_block_space() => return Some(0),
        _ if !is_dataspace(api, space) => return None,
        _ => {}
    }
    // SAFETY: for all calls here, functions of libhdf5 with the identifier of a dataspace; a wrong one is an error. Where they write into
    // memory, it has a place for each dimension.
    let kind = unsafe { functions.sget_select_type?(space) };
    // SAFETY: as above.
    if u64::try_from(unsafe { functions.sget_select_npoints?(space) }) != Ok(elements) {
        return None;
    }
    match kind {
        SELECTED_ALL => return Some(0),
        SELECTED_HYPERSLABS => {}
        _ => return None,
    }
    // SAFETY: as above.
    let rank = usize::try_from(unsafe { functions.sget_ndims?(space) })
        .ok()
        .filter(|rank| (1..=32).contains(rank))?;
    let (mut dims, mut start, mut end) = (zeros(rank), zeros(rank), zeros(rank));
    // SAFETY: as above.
    let told = unsafe {
        (
            functions.sget_dims?(space, dims.as_mut_ptr(), std::ptr::null_mut()),
            functions.sget_select_bounds?(space, start.as_mut_ptr(), end.as_mut_ptr()),
        )
    };
    if told.0 < 0 || told.1 < 0 {
        return None;
    }
    let extent: Dims =
        start.iter().zip(&end).map(|(start, end)| end.saturating_sub(*start).saturating_add(1)).collect();
    if extent.iter().try_fold(1u64, |all, len| all.checked_mul(*len)) != Some(elements) {
        return None;
    }
    // Up to the first dimension that is not covered as a whole, there is one row.
    let cut = (0..rank).rev().find(|axis| extent[*axis] != dims[*axis]).unwrap_or(0);
    if extent[..cut].iter().any(|len| *len != 1) {
        return None;
    }
    start.iter().zip(&dims).try_fold(0u64, |at, (start, dim)| at.checked_mul(*dim)?.checked_add(*start))
}

fn zeros(rank: usize) -> Dims {
    SmallVec::from_elem(0, rank)
}

fn list(entries: i64, numbers: usize) -> Option<Vec<u64>> {
    ((0..=LIST_MAX).contains(&entries)).then(|| vec![0; entries as usize * numbers])
}

impl Selected {
    /// Calls `note` with the elements of a dataset of this shape, in chunks of that shape, and with their number.
    pub fn with<R>(
        &self,
        shape: &[u64],
        chunk: Option<&[u64]>,
        note: impl FnOnce(Read<'_>, u64) -> R,
    ) -> Option<R> {
        let ones: Dims = SmallVec::from_elem(1, shape.len());
        match self {
            Self::All => {
                let start = zeros(shape.len());
                let read = Read::Blocks { start: &start, step: &ones, count: &ones, block: shape };
                Some(note(read, shape.iter().product()))
            }
            Self::Blocks { start, step, count, block } => {
                let elements = count.iter().chain(block).product();
                Some(note(Read::Blocks { start, step, count, block }, elements))
            }
            Self::Nothing | Self::Unknown(_) => None,
            Self::Listed(list) => {
                let rank = shape.len().max(1);
                let volume = |block: &[u64]| {
                    (0..rank).map(|axis| block[rank + axis].saturating_sub(block[axis]) + 1).product::<u64>()
                };
                let elements = list.chunks_exact(rank * 2).map(volume).sum();
                let mut chunks = Chunks::new(shape, chunk);
                list.chunks_exact(rank * 2)
                    .for_each(|block| chunks.add_block(&block[..rank], &block[rank..]));
                Some(note(Read::Chunks(&chunks.listed()), elements))
            }
            Self::Points(list) => {
                let rank = shape.len().max(1);
                let mut chunks = Chunks::new(shape, chunk);
                list.chunks_exact(rank).for_each(|point| chunks.add_block(point, point));
                Some(note(Read::Chunks(&chunks.listed()), (list.len() / rank) as u64))
            }
        }
    }
}

/// How many elements of each chunk are wanted, by the linear index of the chunk.
struct Chunks<'s> {
    chunk: Option<&'s [u64]>,
    strides: Dims,
    wanted: BTreeMap<u64, u64>,
}

impl<'s> Chunks<'s> {
    fn new(shape: &[u64], chunk: Option<&'s [u64]>) -> Self {
        let mut strides: Dims = SmallVec::from_elem(1, shape.len());
        if let Some(chunk) = chunk {
            for axis in (1..shape.len()).rev() {
                strides[axis - 1] = strides[axis].saturating_mul(shape[axis].div_ceil(chunk[axis].max(1)));
            }
        }
        Self { chunk, strides, wanted: BTreeMap::new() }
    }

    fn add_block(&mut self, first: &[u64], last: &[u64]) {
        let Some(chunk) = self.chunk else { return };
        let mut at: Dims = first.iter().zip(chunk).map(|(first, chunk)| first / chunk).collect();
        loop {
            let mut elements = 1u64;
            for axis in 0..at.len() {
                let begin = (at[axis] * chunk[axis]).max(first[axis]);
                let end = (at[axis] * chunk[axis] + chunk[axis] - 1).min(last[axis]);
                elements = elements.saturating_mul(end.saturating_sub(begin) + 1);
            }
            let linear = at.iter().zip(&self.strides).map(|(at, stride)| at * stride).sum();
            *self.wanted.entry(linear).or_default() += elements;
            let Some(axis) = (0..at.len()).rev().find(|axis| at[*axis] < last[*axis] / chunk[*axis]) else {
                return;
            };
            at[axis] += 1;
            for inner in axis + 1..at.len() {
                at[inner] = first[inner] / chunk[inner];
            }
        }
    }

    fn listed(self) -> Vec<(u64, u64)> {
        self.wanted.into_iter().collect()
    }
}
