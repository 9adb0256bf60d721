//! netCDF4's calls.

use super::storage::StorageLines;
use super::{python_string, python_tuple};
use crate::CacheSettings;
use crate::filter::number::{DEFLATE, FLETCHER32, SHUFFLE};

/// The call that sets the chunk cache of a variable in an open file `nc`.
pub fn netcdf4_cache(path: &str, cache: CacheSettings) -> String {
    let CacheSettings { nbytes, nslots, w0 } = cache;
    format!(
        "nc[{}].set_var_chunk_cache(size={nbytes}, nelems={nslots}, preemption={w0})",
        python_string(path)
    )
}

impl StorageLines<'_> {
    /// The call that creates the variable in a file `out`. `None` for filters other than deflate.
    pub fn netcdf4(&self) -> Option<String> {
        let chunks = python_tuple(self.chunks?);
        if self.decimal_digits.is_some() || !self.has_only(&[SHUFFLE, DEFLATE, FLETCHER32]) {
            return None;
        }
        let mut options = format!("chunksizes={chunks}");
        if let Some(deflate) = self.filter(DEFLATE) {
            // Unless it is told not to, it shuffles.
            let shuffle = if self.has(SHUFFLE) { "True" } else { "False" };
            let level = deflate.parameters.first()?;
            options.push_str(&format!(", compression=\"zlib\", complevel={level}, shuffle={shuffle}"));
        }
        options.push_str(if self.has(FLETCHER32) { ", fletcher32=True" } else { "" });
        Some(format!("out.createVariable({}, datatype, dimensions, {options})", python_string(self.name())))
    }
}
