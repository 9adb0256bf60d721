//! The memory of a repack.

use crate::Error;
use hyperslab_repack::MEMORY_MIN;
use hyperslab_units::size;
use sysinfo::{MemoryRefreshKind, RefreshKind, System};

/// A share of the machine's memory is enough for a repack.
const SHARE: u64 = 4;
/// Even on a small machine, chunks need this much.
const LEAST: u64 = 64 << 20;

/// The memory of each of several repacks that run at a time: what the user gives, or a quarter of what the machine has.
pub(super) fn bytes_of_each(given: Option<u64>, jobs: usize) -> Result<u64, Error> {
    let jobs = jobs as u64;
    let Some(total) = given else { return Ok((default_bytes() / jobs).max(MEMORY_MIN)) };
    if total / jobs < MEMORY_MIN {
        let least = size::bytes(MEMORY_MIN * jobs);
        let at_a_time = if jobs == 1 { "a file".to_owned() } else { format!("{jobs} files at a time") };
        let message = format!("`--memory {total}`: repacking {at_a_time} takes at least {least} of memory");
        return Err(Error::wrong_request(message));
    }
    Ok(total / jobs)
}

/// The memory if the user does not set it: a quarter of what the machine or its control group has.
fn default_bytes() -> u64 {
    let system = System::new_with_specifics(
        RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram()),
    );
    let limit = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory);
    (system.total_memory().min(limit) / SHARE).max(LEAST)
}
