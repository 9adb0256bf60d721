//! How much memory this process may use, and how much of that is free: the least that the machine, its control groups
//! and its resource limits (`ulimit -v`, `ulimit -d`) allow.

use super::bound::Bound;
use super::cgroup;
use std::fs;
use std::path::Path;

/// Assumed if the system does not report its memory.
const UNKNOWN_BYTES: u64 = 4 << 30;

/// The places where the system reports its limits.
pub(super) struct System<'a> {
    /// `/proc`.
    pub(super) proc: &'a Path,
    /// `/sys/fs/cgroup`.
    pub(super) cgroup: &'a Path,
    /// Bytes of `RLIMIT_AS` and `RLIMIT_DATA`, where they are limited.
    pub(super) resource_limits: [Option<u64>; 2],
}

impl System<'static> {
    /// The system that this process runs on.
    pub(super) fn own() -> Self {
        Self {
            proc: Path::new("/proc"),
            cgroup: Path::new("/sys/fs/cgroup"),
            resource_limits: resource_limits(),
        }
    }
}

impl System<'_> {
    /// The least of all bounds.
    pub(super) fn memory(&self) -> Bound {
        let mut bounds = cgroup::bounds(self.proc, self.cgroup);
        bounds.extend(self.machine());
        bounds.extend(self.limited_by_resources());
        let least = |of: fn(&Bound) -> u64| bounds.iter().map(of).min().unwrap_or(UNKNOWN_BYTES);
        Bound { limit: least(|bound| bound.limit), free: least(|bound| bound.free) }
    }

    fn machine(&self) -> Option<Bound> {
        let text = fs::read_to_string(self.proc.join("meminfo")).ok()?;
        let kib = |name: &str| {
            let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
            rest.trim().trim_end_matches("kB").trim().parse::<u64>().ok()?.checked_mul(1 << 10)
        };
        let limit = kib("MemTotal:")?;
        Some(Bound { limit, free: kib("MemAvailable:").unwrap_or(limit) })
    }

    fn limited_by_resources(&self) -> impl Iterator<Item = Bound> {
        // Pages: all of the address space, resident, shared, text, library, data and stack, dirty.
        let text = fs::read_to_string(self.proc.join("self/statm")).unwrap_or_default();
        let pages: Vec<u64> = text.split_ascii_whitespace().map_while(|field| field.parse().ok()).collect();
        let used = [0, 5].map(|field| pages.get(field).copied().unwrap_or(0).saturating_mul(page_bytes()));
        self.resource_limits
            .into_iter()
            .zip(used)
            .filter_map(|(limit, used)| limit.map(|limit| Bound { limit, free: limit.saturating_sub(used) }))
    }
}

#[cfg(target_os = "linux")]
fn resource_limits() -> [Option<u64>; 2] {
    [libc::RLIMIT_AS, libc::RLIMIT_DATA].map(|resource| {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the call fills the struct that it is given.
        let answered = unsafe { libc::getrlimit(resource, &mut limit) } == 0;
        (answered && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
    })
}

#[cfg(not(target_os = "linux"))]
fn resource_limits() -> [Option<u64>; 2] {
    [None; 2]
}

#[cfg(target_os = "linux")]
fn page_bytes() -> u64 {
    // SAFETY: the call has no conditions.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

#[cfg(not(target_os = "linux"))]
fn page_bytes() -> u64 {
    4096
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    const GIB: u64 = 1 << 30;

    /// A system made of files.
    struct Fake(tempfile::TempDir);

    impl Fake {
        /// A machine of 64 GiB, of which 40 are free.
        fn new() -> Self {
            let fake = Self(tempfile::tempdir().unwrap());
            fake.with("proc/meminfo", "MemTotal: 67108864 kB\nMemFree: 1024 kB\nMemAvailable: 41943040 kB\n")
        }

        fn with(self, path: &str, content: &str) -> Self {
            let path = self.0.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
            self
        }

        fn memory(&self, resource_limits: [Option<u64>; 2]) -> Bound {
            let [proc, cgroup]: [PathBuf; 2] = ["proc", "cgroup"].map(|name| self.0.path().join(name));
            System { proc: &proc, cgroup: &cgroup, resource_limits }.memory()
        }
    }

    fn gib(limit: u64, free: u64) -> Bound {
        Bound { limit: limit * GIB, free: free * GIB }
    }

    #[test]
    fn a_machine_without_groups_bounds_itself() {
        assert_eq!(Fake::new().memory([None; 2]), gib(64, 40));
        let unknown = Fake(tempfile::tempdir().unwrap()).memory([None; 2]);
        assert_eq!(unknown, Bound { limit: UNKNOWN_BYTES, free: UNKNOWN_BYTES });
    }

    #[test]
    fn a_group_of_version_2_bounds_its_processes_and_those_of_groups_below() {
        let fake = Fake::new()
            .with("proc/self/cgroup", "0::/job.slice/job_7/task\n")
            .with("cgroup/job.slice/memory.max", "max\n")
            .with("cgroup/job.slice/job_7/memory.max", "8589934592\n")
            .with("cgroup/job.slice/job_7/memory.high", "max\n")
            .with("cgroup/job.slice/job_7/memory.current", "6442450944\n")
            .with(
                "cgroup/job.slice/job_7/memory.stat",
                "anon 1\ninactive_file 2147483648\nactive_file 1073741824\n",
            )
            .with("cgroup/job.slice/job_7/task/memory.max", "max\n");
        assert_eq!(fake.memory([None; 2]), gib(8, 5));
        let throttled = fake.with("cgroup/job.slice/job_7/memory.high", "4294967296\n");
        assert_eq!(throttled.memory([None; 2]), gib(4, 1));
    }

    #[test]
    fn a_group_of_version_1_does_too() {
        let fake = Fake::new()
            .with("proc/self/cgroup", "5:cpu,cpuacct:/\n4:memory:/slurm/job_7\n1:name=systemd:/\n0::/\n")
            .with("cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
            .with("cgroup/memory/memory.usage_in_bytes", "9999999999\n")
            .with("cgroup/memory/slurm/job_7/memory.limit_in_bytes", "4294967296\n")
            .with("cgroup/memory/slurm/job_7/memory.usage_in_bytes", "3221225472\n")
            .with("cgroup/memory/slurm/job_7/memory.stat", "cache 1\ntotal_inactive_file 1073741824\n");
        assert_eq!(fake.memory([None; 2]), gib(4, 2));
    }

    #[test]
    fn in_a_container_the_mount_is_the_group() {
        let fake = Fake::new()
            .with("proc/self/cgroup", "0::/../../docker/0123\n")
            .with("cgroup/memory.max", "2147483648\n")
            .with("cgroup/memory.current", "1073741824\n");
        assert_eq!(fake.memory([None; 2]), gib(2, 1));
    }

    #[test]
    fn resource_limits_count_what_the_process_has() {
        let pages = GIB / page_bytes();
        let statm = format!("{} 5 5 5 0 {} 0\n", 3 * pages, 2 * pages);
        let fake = Fake::new().with("proc/self/statm", &statm);
        assert_eq!(fake.memory([Some(16 * GIB), None]), gib(16, 13));
        assert_eq!(fake.memory([Some(16 * GIB), Some(8 * GIB)]), gib(8, 6));
    }

    #[test]
    fn files_that_make_no_sense_say_nothing() {
        let fake = Fake::new()
            .with("proc/self/cgroup", "nonsense\n0::\n:\n4:memory\n")
            .with("cgroup/memory.max", "-5\n")
            .with("proc/self/statm", "x y");
        assert_eq!(fake.memory([None; 2]), gib(64, 40));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_system_has_memory() {
        let own = System::own().memory();
        assert!(own.limit > 1 << 20 && own.free <= own.limit, "{own:?}");
    }
}
