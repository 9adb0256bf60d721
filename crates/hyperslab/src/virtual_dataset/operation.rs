//! What one call of a user leads to: sources of sources of sources.
//!
//! A virtual dataset may be the source of another, many times over: eight levels of eight mappings each are 8⁸ ways
//! through a file of a few kilobytes. So all that happens on behalf of one call is counted together, and a source
//! that several virtual datasets share is opened once. Sources of the dataset that was asked for itself are as many
//! as it has mappings; only those below count.

use crate::{Dataset, Error, Result};
use hyperslab_format::Address;
use std::cell::RefCell;
use std::collections::HashMap;

/// Virtual datasets of virtual datasets are followed this deep.
const DEPTH_MAX: u32 = 16;
/// Sources of sources that one call may open.
const OPENED_MAX: u64 = 10_000;
/// Mappings of sources that one call may look into.
const PARTS_MAX: u64 = 1 << 18;
/// Mappings of sources that one call may read out of their files.
const MAPPINGS_MAX: u64 = 1 << 22;
/// Blocks of counted names among which one call may seek.
const BLOCKS_MAX: u64 = 1 << 22;
/// Sources of counted names that one call may look for in vain.
const ABSENT_MAX: u64 = 1 << 16;
/// Single elements that mappings may list, for all that one call needs.
const SCATTERED_MAX: u64 = 1 << 25;

/// Identifies a dataset: the opening of its file, and its object header.
type Key = (u64, Address);

#[derive(Default)]
struct Operation {
    depth: u32,
    opened: u64,
    parts: u64,
    mappings: u64,
    blocks: u64,
    absent: u64,
    scattered: u64,
    /// The sources that this call opened, below the first level.
    shared: HashMap<Key, Dataset>,
}

thread_local! {
    static OPERATION: RefCell<Operation> = RefCell::default();
}

/// Leaves a level, also if it is left by a panic.
struct Level;

impl Drop for Level {
    fn drop(&mut self) {
        let done = OPERATION.with_borrow_mut(|operation| {
            operation.depth -= 1;
            (operation.depth == 0).then(|| std::mem::take(operation))
        });
        drop(done);
    }
}

/// Puts an operation back, also after a panic.
struct Suspended(Option<Operation>);

impl Drop for Suspended {
    fn drop(&mut self) {
        OPERATION.set(self.0.take().unwrap_or_default());
    }
}

/// Runs work that may lead to further virtual datasets, and to this one again.
pub(super) fn deeper<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let entered = OPERATION.with_borrow_mut(|operation| {
        let enters = operation.depth < DEPTH_MAX;
        operation.depth += u32::from(enters);
        enters
    });
    if !entered {
        return Err(Error::damaged(format!(
            "virtual datasets are nested more than {DEPTH_MAX} deep: a loop?"
        )));
    }
    let _level = Level;
    work()
}

/// Runs work that leads to no virtual dataset. It may wait for other threads, and this thread may be lent to other
/// work meanwhile, which is no part of this operation.
pub(super) fn aside<T>(work: impl FnOnce() -> T) -> T {
    let _suspended = Suspended(Some(OPERATION.take()));
    work()
}

fn count(
    limit: u64,
    by: u64,
    what: &str,
    counter: impl FnOnce(&mut Operation) -> Option<&mut u64>,
) -> Result<()> {
    let within = OPERATION.with_borrow_mut(|operation| {
        counter(operation).is_none_or(|counter| {
            *counter = counter.saturating_add(by);
            *counter <= limit
        })
    });
    if within {
        return Ok(());
    }
    Err(Error::unsupported(format!("the virtual dataset leads to more than {limit} {what}")))
}

/// Counts a source that is opened.
pub(super) fn count_opened() -> Result<()> {
    count(OPENED_MAX, 1, "sources of its sources", |now| (now.depth > 1).then_some(&mut now.opened))
}

/// Counts a mapping that is looked into.
pub(super) fn count_part() -> Result<()> {
    count(PARTS_MAX, 1, "parts of its sources", |now| (now.depth > 1).then_some(&mut now.parts))
}

/// Counts the mappings of a source.
pub(super) fn count_mappings(mappings: u64) -> Result<()> {
    count(MAPPINGS_MAX, mappings, "mappings of its sources", |now| {
        (now.depth > 0).then_some(&mut now.mappings)
    })
}

/// Counts blocks among which wanted ones are sought.
pub(super) fn count_blocks(blocks: u64) -> Result<()> {
    count(BLOCKS_MAX, blocks, "blocks", |now| Some(&mut now.blocks))
}

/// Counts a source of a counted name that is not there.
pub(super) fn count_absent() -> Result<()> {
    count(ABSENT_MAX, 1, "sources that are not there", |now| Some(&mut now.absent))
}

/// Counts elements that a mapping lists one by one.
pub(super) fn count_scattered(elements: u64) -> Result<()> {
    count(SCATTERED_MAX, elements, "single elements", |now| Some(&mut now.scattered))
}

/// A dataset that this operation has opened already.
pub(super) fn shared(file: u64, header: Address) -> Option<Dataset> {
    OPERATION.with_borrow(|operation| operation.shared.get(&(file, header)).cloned())
}

/// Remembers a dataset until the operation ends.
pub(super) fn share(dataset: &Dataset) {
    let key = (dataset.inner.node.file.data.id, dataset.inner.address());
    OPERATION.with_borrow_mut(|operation| {
        if operation.depth > 1 {
            operation.shared.insert(key, dataset.clone());
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth() -> u32 {
        OPERATION.with_borrow(|operation| operation.depth)
    }

    #[test]
    fn an_operation_ends_with_its_outermost_level() {
        let outcome = deeper(|| {
            (0..2 * OPENED_MAX).try_for_each(|_| count_opened())?;
            deeper(|| (0..OPENED_MAX).try_for_each(|_| count_opened()))?;
            assert_eq!((depth(), aside(depth)), (1, 0));
            deeper(count_opened)
        });
        assert!(outcome.unwrap_err().message.contains("10000 sources"));
        assert_eq!(depth(), 0);
        deeper(|| deeper(count_opened)).unwrap();
    }

    #[test]
    fn depth_is_bounded_and_panics_leave_no_trace() {
        fn dive() -> Result<()> {
            deeper(dive)
        }
        assert!(dive().unwrap_err().message.contains("nested"));
        assert!(std::panic::catch_unwind(|| deeper(|| -> Result<()> { panic!("on purpose") })).is_err());
        assert_eq!(depth(), 0);
    }
}
