//! What can be set for the whole process. Nothing needs to be.

use crate::chunk::cache::{ChunkCache, Stats};
use crate::runtime::{PerProcess, Runtime};
use crate::{Error, Result};
use std::ffi::OsStr;
use std::sync::OnceLock;

/// Environment variable with the byte budget of the chunk cache, for example `2GiB`, `500MB` or a number.
pub const CACHE_VARIABLE: &str = "HYPERSLAB_CACHE";

/// Share of the machine's memory that decoded chunks may take unless something else is set.
const MEMORY_SHARE: u64 = 8;
const BUDGET_MIN: u64 = 64 << 20;
const BUDGET_MAX: u64 = 8 << 30;

/// The cache of decoded chunks, shared by all files of the process.
pub(crate) fn chunk_cache() -> &'static ChunkCache {
    static CACHE: PerProcess<ChunkCache> = PerProcess::new();
    CACHE.get(|| ChunkCache::new(initial_budget()))
}

/// What reads use unless something else is set: the cache and the threads of the process.
pub(crate) fn runtime() -> Runtime {
    Runtime::new(chunk_cache)
}

/// Sets how many bytes of decoded chunks the process keeps; 0 keeps none.
pub fn set_cache_bytes(bytes: usize) {
    chunk_cache().set_budget(bytes);
}

/// How many bytes of decoded chunks the process keeps at most.
pub fn cache_bytes() -> usize {
    chunk_cache().budget()
}

/// Forgets all decoded chunks: for measurements that must begin cold.
pub fn clear_cache() {
    chunk_cache().clear();
}

/// What the chunk cache has done so far.
pub fn cache_stats() -> Stats {
    chunk_cache().stats()
}

/// How many threads decode. They are started by the first read, or by this.
pub fn threads() -> usize {
    crate::runtime::thread_count()
}

fn initial_budget() -> usize {
    let default = || (memory_bytes() / MEMORY_SHARE).clamp(BUDGET_MIN, BUDGET_MAX);
    usize::try_from(wished().ok().flatten().unwrap_or_else(default)).unwrap_or(usize::MAX)
}

/// Refuses to work under a wish that cannot be read, rather than to pass over it.
pub(crate) fn check_environment() -> Result<()> {
    wished().map(|_| ())
}

/// The budget that the environment asks for, as it was when it was first looked at.
fn wished() -> Result<Option<u64>> {
    static WISHED: OnceLock<std::result::Result<Option<u64>, String>> = OnceLock::new();
    let wished = WISHED.get_or_init(|| read_wish(std::env::var_os(CACHE_VARIABLE).as_deref()));
    wished.clone().map_err(|what| Error::invalid(what).with_hint("write 2GiB, 500MB or a number, or unset it"))
}

fn read_wish(text: Option<&OsStr>) -> std::result::Result<Option<u64>, String> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    let bytes = text.to_str().and_then(parse_bytes);
    bytes.map(Some).ok_or_else(|| format!("{CACHE_VARIABLE}={} is no number of bytes", text.display()))
}

/// Physical memory, or 4 GiB where the system does not say.
fn memory_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib = total.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kib.map_or(4 << 30, |kib| kib << 10)
}

/// Reads a number of bytes: `1048576`, `3MB`, `1.5GiB`.
pub fn parse_bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        _ => return None,
    };
    match number.parse::<u64>() {
        Ok(whole) => whole.checked_mul(factor),
        Err(_) => {
            let bytes = number.parse::<f64>().ok()? * factor as f64;
            (bytes.is_finite() && bytes < 1e18).then_some(bytes as u64)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{parse_bytes, read_wish};
    use std::ffi::OsStr;

    #[test]
    fn a_wish_that_cannot_be_read_is_not_passed_over() {
        assert_eq!((read_wish(None), read_wish(Some(OsStr::new("")))), (Ok(None), Ok(None)));
        assert_eq!(read_wish(Some(OsStr::new("5MiB"))), Ok(Some(5 << 20)));
        for wrong in ["lots", "5 apples"] {
            let error = read_wish(Some(OsStr::new(wrong))).unwrap_err();
            assert_eq!(error, format!("HYPERSLAB_CACHE={wrong} is no number of bytes"));
        }
    }

    #[test]
    fn reads_sizes_as_people_write_them() {
        assert_eq!(parse_bytes("1048576"), Some(1 << 20));
        assert_eq!(parse_bytes(" 3 MiB "), Some(3 << 20));
        assert_eq!(parse_bytes("3MB"), Some(3_000_000));
        assert_eq!(parse_bytes("1.5g"), Some(3 << 29));
        for wrong in ["", "x", "3q", "1.2.3", "-1"] {
            assert_eq!(parse_bytes(wrong), None, "{wrong}");
        }
    }
}
