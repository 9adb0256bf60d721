//! What was decided of the dataset that a thread read last: the next read is most often of it, too, and what is left to libhdf5 must
//! not cost more than a question.

use crate::answer::{Shared, Why};
use crate::api::Api;
use crate::functions::Hid;
use crate::selection;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Grows whenever what is known may be of something else.
static CHANGES: AtomicU64 = AtomicU64::new(1);

#[derive(Clone, Copy)]
enum Decision {
    /// All its reads are left.
    Left(Why),
    /// Reads of so few elements are left; it has `all`.
    Small { under: u64, all: u64 },
}

/// After this number of small reads one after the other, with the same dataspace, one in as many is asked about: to leave a larger one
/// to libhdf5 is right, too.
const ASKED_EACH: u32 = 16;

#[derive(Clone, Copy)]
struct Recent {
    changes: u64,
    api: usize,
    id: Hid,
    decision: Decision,
    /// The dataspace of the last read, and how many small reads there were with it.
    file_space: Hid,
    small_reads: u32,
}

thread_local! {
    static RECENT: Cell<Option<Recent>> = const { Cell::new(None) };
}

/// Identifiers ended, or stand for something else.
pub fn forget() {
    CHANGES.fetch_add(1, Ordering::AcqRel);
}

/// Remembers what was decided of a dataset.
pub fn remember(api: &Api, id: Hid, dataset: &Shared) {
    let decision = match dataset {
        Err(why) => Decision::Left(why),
        Ok(dataset) => {
            Decision::Small { under: dataset.small_under(), all: dataset.shape().iter().product() }
        }
    };
    let changes = CHANGES.load(Ordering::Acquire);
    let recent = Recent { changes, api: api.identity(), id, decision, file_space: -1, small_reads: 0 };
    let _ = RECENT.try_with(|known| known.set(Some(recent)));
}

/// Why a read of the dataset that is open as `id` is left, if that is known at once.
pub fn left(api: &Api, id: Hid, file_space: Hid) -> Option<Why> {
    let known = RECENT.try_with(Cell::get).ok()??;
    if (known.id, known.api, known.changes) != (id, api.identity(), CHANGES.load(Ordering::Acquire)) {
        return None;
    }
    match known.decision {
        Decision::Left(why) => Some(why),
        Decision::Small { under: 0, .. } => None,
        Decision::Small { under, all } => {
            let before = if known.file_space == file_space { known.small_reads } else { 0 };
            let is_known = before >= ASKED_EACH && !before.is_multiple_of(ASKED_EACH);
            let is_small = is_known || selection::elements(api, file_space, all)? < under;
            let small_reads = if is_small { before.wrapping_add(1) } else { 0 };
            let _ = RECENT.try_with(|recent| recent.set(Some(Recent { file_space, small_reads, ..known })));
            is_small.then_some("small read")
        }
    }
}
