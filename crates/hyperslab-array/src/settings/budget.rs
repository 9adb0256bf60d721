//! The default size of the chunk cache.
//!
//! It depends on the free memory, because a process does not know how many other processes have caches:
//!
//! ```text
//! budget = least of  1/8 of the memory that this process may use at most
//!                    1/4 of what is free beyond a reserve of 1/8 of that memory (chunks that are kept count as free)
//!                    8 GiB
//! ```
//!
//! A single process has an eighth of the memory. If n processes have full caches, each has a share of 7/8 ÷ (n + 3), so
//! that together they never use more than 7/8 of the memory: of 32 processes on a node with 64 GiB, each has 1.6 GiB,
//! and 13 GiB stay free. (An eighth for each would be four times the memory.) If a process closes files or ends, the
//! others can use its share.

use super::bound::Bound;

/// Share of the memory that one process may use.
const SHARE: u64 = 8;
/// Share of the memory that stays free.
const RESERVE: u64 = 8;
/// Share of the free memory that one process may use.
const FREE_SHARE: u64 = 4;
/// The least budget, as a share of the memory: less would decode the same chunks again and again.
const LEAST_SHARE: u64 = 256;
const LEAST_MAX: u64 = 64 << 20;
const BUDGET_MAX: u64 = 8 << 30;

/// The budget under these bounds, for a process that keeps `resident` bytes of chunks.
pub(super) fn budget(memory: Bound, resident: usize) -> usize {
    let free = memory.free.saturating_add(resident as u64).saturating_sub(memory.limit / RESERVE);
    let most = (memory.limit / SHARE).min(free / FREE_SHARE).min(BUDGET_MAX);
    let least = (memory.limit / LEAST_SHARE).min(LEAST_MAX);
    usize::try_from(most.max(least)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    fn alone(limit: u64) -> usize {
        budget(Bound { limit, free: limit }, 0)
    }

    #[test]
    fn one_process_has_an_eighth_up_to_a_bound() {
        assert_eq!(alone(16 * GIB), 2 << 30);
        assert_eq!(alone(2 * GIB), 256 << 20);
        assert_eq!(alone(1 << 40), 8 << 30);
    }

    #[test]
    fn where_nothing_is_free_a_little_is_kept() {
        assert_eq!(budget(Bound { limit: 64 * GIB, free: 0 }, 0), 64 << 20);
        assert_eq!(budget(Bound { limit: GIB, free: 0 }, 0), 4 << 20);
        assert_eq!(budget(Bound { limit: 0, free: 0 }, 0), 0);
    }

    /// Bytes that `processes` keep in the end, if each takes all that it may, a little at a time and in turns.
    fn settled(processes: usize, memory: u64) -> (u64, u64) {
        let mut kept = vec![0u64; processes];
        for round in 0..4000 {
            let process = round % processes;
            let free = memory - kept.iter().sum::<u64>();
            let budget = budget(Bound { limit: memory, free }, kept[process] as usize) as u64;
            kept[process] = budget.min(kept[process] + (64 << 20));
        }
        (kept.iter().sum(), *kept.iter().max().unwrap())
    }

    #[test]
    fn many_processes_together_leave_memory_free() {
        for (processes, memory) in
            [(1, 64 * GIB), (8, 64 * GIB), (32, 64 * GIB), (32, 256 * GIB), (64, 16 * GIB)]
        {
            let (all, each) = settled(processes, memory);
            assert!(all <= memory / 8 * 7, "{processes} keep {all} of {memory}");
            // Together they use what one may not: no fewer than half of the memory between eight and more.
            assert!(processes < 8 || all >= memory / 2, "{processes} keep only {all} of {memory}");
            assert!(each <= memory / 8);
        }
    }
}
