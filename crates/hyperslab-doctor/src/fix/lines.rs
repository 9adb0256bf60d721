//! The lines to paste: settings and commands in the syntax of each library.

use super::{Fix, FixKind, WriterLine};
use crate::facts::DatasetFacts;
use hyperslab_storage::lines::python_string;
use hyperslab_storage::{CacheSettings, StorageChange};

/// Sets the cache of one dataset in a program that reads it, in h5py, netCDF4, xarray and C.
pub(crate) fn cache_lines(file: &str, facts: &DatasetFacts, cache: CacheSettings, effect: &str) -> Vec<Fix> {
    let CacheSettings { nbytes, nslots, w0 } = cache;
    let file = python_string(file);
    let group = match facts.path.rsplit_once('/') {
        Some((group, _)) if !group.is_empty() => format!(", group={}", python_string(group)),
        _ => String::new(),
    };
    let mut lines = each_cache_line(&file, "H5Dopen2", facts, cache, effect);
    // Not with h5netcdf: it opens the dataset anew for every read, and each time with an empty cache.
    let line = format!(
        "netCDF4.set_chunk_cache({nbytes}, {nslots}, {w0}); xr.open_dataset({file}{group}, engine=\"netcdf4\")"
    );
    lines.insert(2, Fix::new(FixKind::Cache, "xarray", line, effect.to_owned()));
    lines
}

/// Sets the cache of one dataset in a program that writes it, in h5py, netCDF4 and C.
pub(crate) fn writer_cache_lines(facts: &DatasetFacts, cache: CacheSettings, effect: &str) -> Vec<Fix> {
    each_cache_line("\"out.h5\", \"w\"", "H5Dcreate2", facts, cache, effect)
}

/// What both have: the first arguments of h5py's `File`, and the function of C that takes the setting.
fn each_cache_line(
    opened: &str,
    function: &str,
    facts: &DatasetFacts,
    cache: CacheSettings,
    effect: &str,
) -> Vec<Fix> {
    let CacheSettings { nbytes, nslots, w0 } = cache;
    let path = python_string(&facts.path);
    [
        ("h5py", format!("h5py.File({opened}, rdcc_nbytes={nbytes}, rdcc_nslots={nslots})")),
        (
            "netCDF4",
            format!("nc[{path}].set_var_chunk_cache(size={nbytes}, nelems={nslots}, preemption={w0})"),
        ),
        ("C", format!("H5Pset_chunk_cache(dapl, {nslots}, {nbytes}, {w0}); /* dapl for {function} */")),
    ]
    .into_iter()
    .map(|(target, line)| Fix::new(FixKind::Cache, target, line, effect.to_owned()))
    .collect()
}

/// Repacks with another chunk shape.
pub(crate) fn chunk_line(file: &str, facts: &DatasetFacts, chunk: &[u64], effect: String) -> Fix {
    repack_fix(FixKind::Repack, file, StorageChange::rechunked(&facts.path, chunk), effect)
}

/// Repacks with this change, by h5repack or by hyperslab.
pub(crate) fn repack_fix(kind: FixKind, file: &str, change: StorageChange, effect: String) -> Fix {
    let mut fix = Fix::new(kind, "h5repack", change.h5repack(file), effect);
    fix.writers.push(WriterLine { target: "hyperslab".to_owned(), line: change.hyperslab(file) });
    fix.change = Some(change);
    fix
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::case_study;

    #[test]
    fn each_library_gets_its_own_words() {
        let cache = CacheSettings { nbytes: 3 << 20, nslots: 521, w0: 0.75 };
        let lines: Vec<String> = cache_lines("in.h5", &case_study(), cache, "")
            .into_iter()
            .map(|fix| format!("{}: {}", fix.target, fix.line))
            .collect();
        assert_eq!(
            lines,
            [
                "h5py: h5py.File(\"in.h5\", rdcc_nbytes=3145728, rdcc_nslots=521)",
                "netCDF4: nc[\"/All_Data/CrIS-SDR_All/ES_ImaginaryLW\"].set_var_chunk_cache(size=3145728, nelems=521, preemption=0.75)",
                "xarray: netCDF4.set_chunk_cache(3145728, 521, 0.75); xr.open_dataset(\"in.h5\", group=\"/All_Data/CrIS-SDR_All\", engine=\"netcdf4\")",
                "C: H5Pset_chunk_cache(dapl, 521, 3145728, 0.75); /* dapl for H5Dopen2 */",
            ]
        );
        assert_eq!(
            chunk_line("in.h5", &case_study(), &[1, 30, 9, 717], String::new()).line,
            "h5repack -l /All_Data/CrIS-SDR_All/ES_ImaginaryLW:CHUNK=1x30x9x717 in.h5 out.h5"
        );
    }
}
