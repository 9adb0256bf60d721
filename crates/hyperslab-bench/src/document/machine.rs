//! The machine that was measured on.

use hyperslab_units::{counted_text, size};
use serde::{Deserialize, Serialize};
use std::path::Path;
use sysinfo::{Disk, Disks, System};

/// What a reader of results has to know of the machine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Model of the processor.
    pub processor: String,
    /// Cores that programs may use.
    pub cores: usize,
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// Name and release of the system, and its kernel.
    pub system: String,
    /// File system of the folder in which files were made.
    pub file_system: String,
    /// Load over the last minute, when measuring began.
    pub load: f64,
}

impl Machine {
    /// This machine; files are made in `folder`.
    pub fn look(folder: &Path) -> Self {
        let mut system = System::new();
        system.refresh_memory();
        system.refresh_cpu_list(sysinfo::CpuRefreshKind::nothing());
        let processor = system.cpus().first().map(|cpu| cpu.brand().trim().to_owned()).unwrap_or_default();
        let cores = std::thread::available_parallelism().map_or(system.cpus().len(), usize::from);
        let name = System::long_os_version().unwrap_or_default();
        let kernel = System::kernel_version().unwrap_or_default();
        Self {
            processor,
            cores,
            memory_bytes: system.total_memory(),
            system: format!("{name}, kernel {kernel}"),
            file_system: file_system(folder),
            load: System::load_average().one,
        }
    }

    /// In a line.
    pub fn text(&self) -> String {
        let cores = counted_text(self.cores as u64, "core");
        format!("{}, {cores}, {}, {}", self.processor, size::bytes(self.memory_bytes), self.system)
    }
}

/// Something of the disk that holds a folder: that with the longest mount point above it.
fn disk<T>(folder: &Path, of: impl Fn(&Disk) -> T) -> Option<T> {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let disks = Disks::new_with_refreshed_list();
    let above = disks.iter().filter(|disk| folder.starts_with(disk.mount_point()));
    above.max_by_key(|disk| disk.mount_point().as_os_str().len()).map(of)
}

/// Bytes that may still be written to the disk that holds a folder; none where the system does not say.
pub fn free_bytes(folder: &Path) -> Option<u64> {
    disk(folder, Disk::available_space)
}

fn file_system(folder: &Path) -> String {
    disk(folder, |disk| disk.file_system().to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_cores_and_memory() {
        let machine = Machine::look(Path::new("."));
        assert!(machine.cores > 0 && machine.memory_bytes > 0, "{machine:?}");
        assert!(machine.text().contains("core"));
    }
}
