//! Why bytes are fetched, for traces: set by the caller of a source, read by the source.

use std::cell::{Cell, RefCell};

/// The reason of requests for which none is set.
pub const DATA: &str = "data";

/// Why one range is fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Purpose {
    /// The structure of the file that needs it, or [`DATA`].
    pub reason: &'static str,
    /// How many structures, or chunks of data, lie in it.
    pub serves: usize,
}

thread_local! {
    static CURRENT: Cell<&'static str> = const { Cell::new(DATA) };
    /// The purposes of single ranges, by their first byte, ascending.
    static OF_RANGES: RefCell<Vec<(u64, Purpose)>> = const { RefCell::new(Vec::new()) };
}

/// The purpose of a range that begins at this byte and that this thread fetches now.
pub fn of(start: u64) -> Purpose {
    OF_RANGES.with_borrow(|ranges| {
        let found = ranges.binary_search_by_key(&start, |(start, _)| *start);
        found.map_or(Purpose { reason: CURRENT.get(), serves: 1 }, |index| ranges[index].1)
    })
}

/// Calls `work`, whose requests on this thread have this reason.
pub fn with<T>(reason: &'static str, work: impl FnOnce() -> T) -> T {
    /// Restores the reason, also after a panic.
    struct Restore(&'static str);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.set(self.0);
        }
    }
    let _restore = Restore(CURRENT.replace(reason));
    work()
}

/// Calls `work`, whose requests on this thread for ranges that begin at these bytes have these purposes.
pub fn with_each<T>(mut purposes: Vec<(u64, Purpose)>, work: impl FnOnce() -> T) -> T {
    /// Restores the purposes, also after a panic.
    struct Restore(Vec<(u64, Purpose)>);
    impl Drop for Restore {
        fn drop(&mut self) {
            OF_RANGES.set(std::mem::take(&mut self.0));
        }
    }
    purposes.sort_by_key(|(start, _)| *start);
    let _restore = Restore(OF_RANGES.replace(purposes));
    work()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_nested() {
        let reason = || of(0).reason;
        assert_eq!(reason(), DATA);
        let inner = with("superblock", || (reason(), with("object header", reason), reason()));
        assert_eq!(inner, ("superblock", "object header", "superblock"));
        assert_eq!(reason(), DATA);
    }

    #[test]
    fn ranges_have_purposes_of_their_own() {
        let (header, node) = (Purpose { reason: "header", serves: 2 }, Purpose { reason: "node", serves: 1 });
        let other = Purpose { reason: "other", serves: 1 };
        let found = with_each(vec![(70, node), (5, header)], || with("other", || [of(5), of(70), of(6)]));
        assert_eq!(found, [header, node, other]);
        assert_eq!(of(5), Purpose { reason: DATA, serves: 1 });
    }
}
