//! The memory of the machine, as far as this process may use it.

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

/// A share of it is enough for a repack.
const SHARE: u64 = 4;
/// Even on a small machine, chunks need this much.
const LEAST: u64 = 64 << 20;

/// The memory of a repack, if the user does not set it: a quarter of what the machine or its control group has.
pub(super) fn default_bytes() -> u64 {
    let system = System::new_with_specifics(
        RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram()),
    );
    let limit = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory);
    (system.total_memory().min(limit) / SHARE).max(LEAST)
}
