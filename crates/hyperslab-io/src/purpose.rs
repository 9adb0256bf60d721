//! Why bytes are fetched, for traces: set by the caller of a source, read by the source.

use std::cell::Cell;

/// The purpose of requests for which none is set.
pub const DATA: &str = "data";

thread_local! {
    static CURRENT: Cell<&'static str> = const { Cell::new(DATA) };
}

/// The purpose of the requests that this thread makes now.
pub fn current() -> &'static str {
    CURRENT.get()
}

/// Calls `work`, whose requests on this thread have this purpose.
pub fn with<T>(purpose: &'static str, work: impl FnOnce() -> T) -> T {
    /// Restores the purpose, also after a panic.
    struct Restore(&'static str);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.set(self.0);
        }
    }
    let _restore = Restore(CURRENT.replace(purpose));
    work()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purposes_are_nested() {
        assert_eq!(current(), DATA);
        let inner = with("superblock", || (current(), with("object header", current), current()));
        assert_eq!(inner, ("superblock", "object header", "superblock"));
        assert_eq!(current(), DATA);
    }
}
