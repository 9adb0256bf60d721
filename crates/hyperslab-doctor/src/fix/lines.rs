//! Fixes with their lines to paste: settings and commands in the words of each library.

use super::{Fix, FixKind, WriterLine};
use crate::facts::DatasetFacts;
use hyperslab_storage::lines::{c_cache, h5py_cache, netcdf4_cache, python_string, xarray_cache};
use hyperslab_storage::{CacheSettings, StorageChange};

/// Sets the cache of one dataset in a program that reads it, in h5py, netCDF4, xarray and C.
pub(crate) fn cache_lines(file: &str, facts: &DatasetFacts, cache: CacheSettings, effect: &str) -> Vec<Fix> {
    let path = &facts.path;
    let lines = [
        ("h5py", h5py_cache(&python_string(file), cache)),
        ("netCDF4", netcdf4_cache(path, cache)),
        ("xarray", xarray_cache(file, path, cache)),
        ("C", c_cache("H5Dopen2", cache)),
    ];
    fixes(lines, effect)
}

/// Sets the cache of one dataset in a program that writes it, in h5py, netCDF4 and C.
pub(crate) fn writer_cache_lines(facts: &DatasetFacts, cache: CacheSettings, effect: &str) -> Vec<Fix> {
    let lines = [
        ("h5py", h5py_cache("\"out.h5\", \"w\"", cache)),
        ("netCDF4", netcdf4_cache(&facts.path, cache)),
        ("C", c_cache("H5Dcreate2", cache)),
    ];
    fixes(lines, effect)
}

fn fixes<const N: usize>(lines: [(&str, String); N], effect: &str) -> Vec<Fix> {
    let fix = |(target, line)| Fix::new(FixKind::Cache, target, line, effect.to_owned());
    lines.into_iter().map(fix).collect()
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
