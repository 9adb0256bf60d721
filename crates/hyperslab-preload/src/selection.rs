//! Which elements of a dataset a call selects.

use crate::api::Api;
use crate::functions::Hid;
use crate::opened::RANK_MAX;
use hyperslab_trace::{Read, WantedChunks};
use smallvec::SmallVec;

/// A number for each dimension.
pub type Dims = SmallVec<[u64; 4]>;

/// `H5S_ALL`, and `H5S_PLIST` of libhdf5 1.14 and later.
pub const ALL: Hid = 0;
const PLIST: Hid = 2;
/// `H5S_BLOCK`, since the same version.
pub const BLOCK: Hid = 1;
/// `H5I_DATASPACE`.
const DATASPACE: i32 = 4;
/// `H5S_sel_type`.
const SELECTED_NONE: i32 = 0;
const SELECTED_POINTS: i32 = 1;
pub const SELECTED_HYPERSLABS: i32 = 2;
pub const SELECTED_ALL: i32 = 3;
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
    selected(api, file_space, shape, true)
}

/// The same; lists of elements and of blocks are not asked for.
pub fn of_blocks(api: &Api, file_space: Hid, shape: &[u64]) -> Selected {
    selected(api, file_space, shape, false)
}

fn selected(api: &Api, file_space: Hid, shape: &[u64], lists: bool) -> Selected {
    if file_space == ALL {
        return Selected::All;
    }
    if file_space == PLIST && api.has_block_space() {
        return Selected::Unknown("its selection is in the transfer list");
    }
    asked(api, file_space, shape, lists)
        .unwrap_or(Selected::Unknown("libhdf5 does not tell what is selected"))
}

/// True for the identifier of a dataspace.
pub fn is_dataspace(api: &Api, id: Hid) -> bool {
    // SAFETY: a function of libhdf5, which takes any number.
    api.functions.iget_type.is_some_and(|get| unsafe { get(id) } == DATASPACE)
}

/// How many elements a call selects in a dataset of `all`; `None` where that is not told.
pub fn elements(api: &Api, file_space: Hid, all: u64) -> Option<u64> {
    match api.id(file_space) {
        ALL => Some(all),
        PLIST if api.has_block_space() => None,
        space if is_dataspace(api, space) => number(api, space),
        _ => None,
    }
}

/// How many elements a dataspace selects.
pub fn number(api: &Api, space: Hid) -> Option<u64> {
    // SAFETY: a function of libhdf5 with the identifier of a dataspace.
    u64::try_from(unsafe { api.functions.sget_select_npoints?(space) }).ok()
}

/// The extent of a dataspace.
pub fn extent(api: &Api, space: Hid) -> Option<Dims> {
    let mut dims = [0; RANK_MAX];
    // SAFETY: a function of libhdf5 with the identifier of a dataspace, and a place for each dimension that there can be.
    let rank = unsafe { api.functions.sget_dims?(space, dims.as_mut_ptr(), std::ptr::null_mut()) };
    Some(Dims::from_slice(dims.get(..usize::try_from(rank).ok()?)?))
}

/// The first element that a dataspace of this rank selects along each dimension, and how many there are up to the last.
pub fn bounds(api: &Api, space: Hid, rank: usize) -> Option<(Dims, Dims)> {
    let (mut start, mut end) = (zeros(rank), zeros(rank));
    // SAFETY: a function of libhdf5 with the identifier of a dataspace, and a place for each dimension.
    let told = unsafe { api.functions.sget_select_bounds?(space, start.as_mut_ptr(), end.as_mut_ptr()) };
    let lens = start.iter().zip(&end).map(|(start, end)| end.saturating_sub(*start).saturating_add(1));
    let lens = lens.collect();
    (told >= 0).then_some((start, lens))
}

/// The number of elements of a block.
pub fn volume(block: &[u64]) -> Option<u64> {
    block.iter().try_fold(1u64, |all, len| all.checked_mul(*len))
}

/// Blocks at equal distances along each dimension.
pub struct Regular {
    pub start: Dims,
    pub step: Dims,
    pub count: Dims,
    pub block: Dims,
}

/// The blocks of a selection that begins at `start`, if they are regular.
pub fn regular(api: &Api, space: Hid, start: Dims) -> Option<Regular> {
    let (functions, rank) = (&api.functions, start.len());
    // SAFETY: a function of libhdf5 with the identifier of a dataspace.
    if unsafe { functions.sis_regular_hyperslab?(space) } <= 0 {
        return None;
    }
    let [mut first, mut step, mut count, mut block] = std::array::from_fn(|_| zeros(rank));
    // SAFETY: as above, with a place for each dimension.
    let told = unsafe {
        functions.sget_regular_hyperslab?(
            space,
            first.as_mut_ptr(),
            step.as_mut_ptr(),
            count.as_mut_ptr(),
            block.as_mut_ptr(),
        )
    };
    // An offset (`H5Soffset_simple`) moves the bounds alone.
    (told >= 0).then_some(Regular { start, step, count, block })
}

/// Each question costs some 50 ns: those that decide most are asked first.
fn asked(api: &Api, space: Hid, shape: &[u64], lists: bool) -> Option<Selected> {
    let (functions, rank) = (&api.functions, shape.len());
    if !is_dataspace(api, space) {
        return None;
    }
    let elements = number(api, space)?;
    // Of another extent, the same selection means something else.
    if extent(api, space)?[..] != *shape {
        return None;
    }
    if elements == 0 {
        return Some(Selected::Nothing);
    }
    // A single element is a block, however it was selected.
    let is_element = elements == 1 && rank > 0;
    // SAFETY: for all calls here, functions of libhdf5 with the identifier of a dataspace.
    let kind = if is_element { SELECTED_HYPERSLABS } else { unsafe { functions.sget_select_type?(space) } };
    match kind {
        SELECTED_ALL => return Some(Selected::All),
        SELECTED_NONE => return Some(Selected::Nothing),
        SELECTED_POINTS | SELECTED_HYPERSLABS => {}
        _ => return None,
    }
    if kind == SELECTED_POINTS && !lists {
        return None;
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
    let (start, block) = bounds(api, space, rank)?;
    if volume(&block) == Some(elements) {
        let ones: Dims = SmallVec::from_elem(1, rank);
        return Some(Selected::Blocks { start, step: ones.clone(), count: ones, block });
    }
    if let Some(Regular { start, step, count, block }) = regular(api, space, start) {
        return Some(Selected::Blocks { start, step, count, block });
    }
    if !lists {
        return None;
    }
    // SAFETY: as above.
    let blocks = unsafe { functions.sget_select_hyper_nblocks?(space) };
    let mut list = list(blocks, rank * 2)?;
    // SAFETY: as above.
    let result =
        unsafe { functions.sget_select_hyper_blocklist?(space, 0, blocks as u64, list.as_mut_ptr()) };
    (result >= 0).then_some(Selected::Listed(list))
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
                let mut chunks = WantedChunks::new(shape, chunk);
                list.chunks_exact(rank * 2)
                    .for_each(|block| chunks.add_block(&block[..rank], &block[rank..]));
                Some(note(Read::Chunks(&chunks.listed()), elements))
            }
            Self::Points(list) => {
                let rank = shape.len().max(1);
                let mut chunks = WantedChunks::new(shape, chunk);
                list.chunks_exact(rank).for_each(|point| chunks.add_block(point, point));
                Some(note(Read::Chunks(&chunks.listed()), (list.len() / rank) as u64))
            }
        }
    }
}
