//! Limits of the work that one call of a user causes through virtual arrays of virtual arrays.
//!
//! A virtual array can be the source of another one, repeatedly: eight levels of eight mappings each are 8⁸ paths
//! through a file of a few kilobytes. So all work of one call is counted together, and a source that several virtual
//! arrays share is opened once. The sources of the array that the user reads are not counted, because there is one for
//! each of its mappings; only the levels below are.

use crate::{Error, Result};
use hyperslab_io::Cancel;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

/// Virtual arrays of virtual arrays are followed this deep.
const DEPTH_MAX: u32 = 16;
/// Sources of sources that one call may open.
const OPENED_MAX: u64 = 10_000;
/// Mappings of sources that one call may look into.
const PARTS_MAX: u64 = 1 << 18;
/// Mappings of sources that one call may read out of their files.
const MAPPINGS_MAX: u64 = 1 << 22;
/// Blocks of numbered names that one call may search.
const BLOCKS_MAX: u64 = 1 << 22;
/// Sources of numbered names that one call may look for in vain.
const ABSENT_MAX: u64 = 1 << 16;
/// Single elements that mappings may list, for all that one call needs.
const SCATTERED_MAX: u64 = 1 << 25;

/// Identifies an array: the opening of its file, and the address that describes it.
type Key = (u64, u64);

/// One call of a user: its cancellation flag, and the counts of its work through virtual arrays. It is passed to all
/// code that works for the call.
#[derive(Default)]
pub struct Operation {
    cancel: Cancel,
    depth: Cell<u32>,
    opened: Cell<u64>,
    parts: Cell<u64>,
    mappings: Cell<u64>,
    blocks: Cell<u64>,
    absent: Cell<u64>,
    scattered: Cell<u64>,
    /// The sources that this call opened below the first level, as the reader of their format has them.
    shared: RefCell<HashMap<Key, Arc<dyn Any + Send + Sync>>>,
}

/// Leaves a level, also if it is left by a panic.
struct Level<'o>(&'o Cell<u32>);

impl Drop for Level<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

impl Operation {
    /// An operation that ends soon after `cancel` was requested.
    pub fn cancelled_by(cancel: &Cancel) -> Self {
        Self { cancel: cancel.clone(), ..Self::default() }
    }

    /// What stops the operation.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Runs work that may lead to further virtual arrays, and to this one again.
    ///
    /// # Errors
    /// That of `work`, and one of its own where virtual arrays are nested too deep.
    pub fn deeper<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        if self.depth.get() == DEPTH_MAX {
            let what = format!("virtual datasets are nested more than {DEPTH_MAX} deep: a loop?");
            return Err(Error::limit(what));
        }
        self.depth.set(self.depth.get() + 1);
        let _level = Level(&self.depth);
        work()
    }

    /// Counts a source that is opened.
    pub fn count_opened(&self) -> Result<()> {
        self.count_below(1, &self.opened, 1, OPENED_MAX, "sources of its sources")
    }

    /// Counts a mapping that is looked into.
    pub fn count_part(&self) -> Result<()> {
        self.count_below(1, &self.parts, 1, PARTS_MAX, "parts of its sources")
    }

    /// Counts the mappings of a source.
    pub fn count_mappings(&self, mappings: u64) -> Result<()> {
        self.count_below(0, &self.mappings, mappings, MAPPINGS_MAX, "mappings of its sources")
    }

    /// Counts blocks that are searched for wanted ones.
    pub fn count_blocks(&self, blocks: u64) -> Result<()> {
        count(&self.blocks, blocks, BLOCKS_MAX, "blocks")
    }

    /// Counts a source of a numbered name that is not there.
    pub fn count_absent(&self) -> Result<()> {
        count(&self.absent, 1, ABSENT_MAX, "sources that are not there")
    }

    /// Counts elements that a mapping lists one by one.
    pub fn count_scattered(&self, elements: u64) -> Result<()> {
        count(&self.scattered, elements, SCATTERED_MAX, "single elements")
    }

    /// A source that this operation has opened already.
    pub fn shared<S: Send + Sync + 'static>(&self, key: Key) -> Option<Arc<S>> {
        self.shared.borrow().get(&key).cloned()?.downcast().ok()
    }

    /// Remembers a source until the operation ends, unless it is one of the array that was asked for itself.
    pub fn share<S: Send + Sync + 'static>(&self, key: Key, source: Arc<S>) {
        if self.depth.get() > 1 {
            self.shared.borrow_mut().insert(key, source);
        }
    }

    fn count_below(&self, level: u32, counter: &Cell<u64>, by: u64, limit: u64, what: &str) -> Result<()> {
        if self.depth.get() > level { count(counter, by, limit, what) } else { Ok(()) }
    }
}

fn count(counter: &Cell<u64>, by: u64, limit: u64, what: &str) -> Result<()> {
    counter.set(counter.get().saturating_add(by));
    if counter.get() <= limit {
        return Ok(());
    }
    Err(Error::limit(format!("the virtual dataset leads to more than {limit} {what}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_of_sources_are_counted_for_each_operation() {
        let operation = Operation::default();
        let opens = |times| (0..times).try_for_each(|_| operation.count_opened());
        let outcome = operation.deeper(|| {
            opens(2 * OPENED_MAX)?;
            operation.deeper(|| opens(OPENED_MAX))?;
            operation.deeper(|| opens(1))
        });
        assert!(outcome.unwrap_err().message().contains("10000 sources"));
        let next = Operation::default();
        next.deeper(|| next.deeper(|| next.count_opened())).unwrap();
    }

    #[test]
    fn depth_is_bounded_and_levels_are_left() {
        fn dive(operation: &Operation) -> Result<()> {
            operation.deeper(|| dive(operation))
        }
        let operation = Operation::default();
        assert!(dive(&operation).unwrap_err().message().contains("nested"));
        let panics = || operation.deeper(|| -> Result<()> { panic!("on purpose") });
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
        assert_eq!(operation.depth.get(), 0);
    }

    #[test]
    fn sources_are_shared_below_the_first_level() {
        let operation = Operation::default();
        let shared = |level: u64| {
            operation.share((level, 0), Arc::new(level));
            Ok(operation.shared::<u64>((level, 0)))
        };
        assert_eq!(operation.deeper(|| shared(1)).unwrap(), None);
        assert_eq!(operation.deeper(|| operation.deeper(|| shared(2))).unwrap(), Some(Arc::new(2)));
        assert_eq!(operation.shared::<String>((2, 0)), None);
    }
}
