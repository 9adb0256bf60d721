//! What a control group allows its processes: memory of cgroup v1 and v2, of this group and of every group above it.
//!
//! ```text
//! /proc/self/cgroup   0::/user.slice/job          v2: files below /sys/fs/cgroup, or /sys/fs/cgroup/unified
//!                     4:memory:/slurm/job_7       v1: files below /sys/fs/cgroup/memory
//! ```
//!
//! Inside a container the path may be that of the host, which is not mounted here. Groups whose files are not there
//! say nothing; the mount itself is then the container's own group, and it does say.

use super::bound::Bound;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The files of one version of the interface.
struct Files {
    limits: &'static [&'static str],
    usage: &'static str,
    /// Lines of `memory.stat` with pages of files, which the kernel gives back before it refuses memory.
    reclaimable: [&'static str; 2],
}

const V2: Files = Files {
    limits: &["memory.max", "memory.high"],
    usage: "memory.current",
    reclaimable: ["inactive_file", "active_file"],
};
const V1: Files = Files {
    limits: &["memory.limit_in_bytes"],
    usage: "memory.usage_in_bytes",
    reclaimable: ["total_inactive_file", "total_active_file"],
};

/// The bounds of all groups that this process belongs to. `proc` and `mount` are `/proc` and `/sys/fs/cgroup`.
pub(super) fn bounds(proc: &Path, mount: &Path) -> Vec<Bound> {
    let membership = fs::read_to_string(proc.join("self/cgroup")).unwrap_or_default();
    let mut bounds = Vec::new();
    for line in membership.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        if controllers.is_empty() {
            bounds.extend(upwards(mount, path).filter_map(|group| bound(&group, &V2)));
            bounds.extend(upwards(&mount.join("unified"), path).filter_map(|group| bound(&group, &V2)));
        } else if controllers.split(',').any(|controller| controller == "memory") {
            bounds.extend(upwards(&mount.join("memory"), path).filter_map(|group| bound(&group, &V1)));
        }
    }
    bounds
}

/// A group and all groups above it, up to the mount.
fn upwards(mount: &Path, path: &str) -> impl Iterator<Item = PathBuf> {
    // `..` stands for groups outside of this namespace.
    let names = Path::new(path).components().filter(|part| matches!(part, Component::Normal(_)));
    let own: PathBuf = names.collect();
    let groups: Vec<PathBuf> = own.ancestors().map(|group| mount.join(group)).collect();
    groups.into_iter()
}

fn bound(group: &Path, files: &Files) -> Option<Bound> {
    let number = |name: &str| fs::read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
    // "max" is not a number: no bound.
    let limit = files.limits.iter().filter_map(|name| number(name)).min()?;
    let used = number(files.usage).unwrap_or(0);
    let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let line = |name: &str| {
        let mut values = stat.lines().filter_map(|line| line.split_once(' '));
        values.find(|(key, _)| *key == name).and_then(|(_, value)| value.trim().parse::<u64>().ok())
    };
    let reclaimable: u64 = files.reclaimable.iter().filter_map(|name| line(name)).sum();
    Some(Bound { limit, free: limit.saturating_sub(used.saturating_sub(reclaimable)) })
}
