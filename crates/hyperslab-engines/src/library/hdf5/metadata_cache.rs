//! The size of the metadata cache of a file that is opened.

use super::api::Hid;
use crate::error::{EngineError, unsupported};
use crate::library::call::call;
use std::mem::MaybeUninit;

/// The beginning of `H5AC_cache_config_t` (H5ACpublic.h), which is the same since HDF5 1.10.
#[repr(C)]
struct Config {
    version: i32,
    rpt_fcn_enabled: u8,
    open_trace_file: u8,
    close_trace_file: u8,
    trace_file_name: [u8; 1025],
    evictions_enabled: u8,
    set_initial_size: u8,
    initial_size: usize,
    min_clean_fraction: f64,
    max_size: usize,
    min_size: usize,
    /// What follows is left as the library has it.
    rest: [u64; 64],
}

/// The only version of the structure.
const VERSION: i32 = 1;
/// The sizes that the library accepts, in bytes.
const SIZES: std::ops::RangeInclusive<u64> = 1 << 10..=128 << 20;

/// Sets the size for files that are opened with this list of properties. It does not change while a file is open.
pub(super) fn set(access: &Hid, bytes: u64) -> Result<(), EngineError> {
    if !SIZES.contains(&bytes) {
        return unsupported("libhdf5's metadata cache has 1 KiB to 128 MiB");
    }
    let mut config = get(access)?;
    let is_as_known = (config.min_size..=config.max_size).contains(&config.initial_size)
        && (config.min_size as u64) >= *SIZES.start()
        && config.max_size as u64 <= *SIZES.end()
        && (0.0..=1.0).contains(&config.min_clean_fraction);
    if !is_as_known {
        return unsupported("this libhdf5 describes its metadata cache in another way than 1.10 and later");
    }
    config.set_initial_size = 1;
    (config.initial_size, config.min_size, config.max_size) =
        (bytes as usize, bytes as usize, bytes as usize);
    let (api, place) = (&access.library, std::ptr::from_mut(&mut config).cast());
    // SAFETY: an open list, and the structure that the library has filled.
    unsafe { call!(api?.H5Pset_mdc_config(access.id, place)) }?;
    Ok(())
}

fn get(access: &Hid) -> Result<Config, EngineError> {
    // SAFETY: numbers of which all bits may be zero.
    let mut config: Config = unsafe { MaybeUninit::zeroed().assume_init() };
    config.version = VERSION;
    let (api, place) = (&access.library, std::ptr::from_mut(&mut config).cast());
    // SAFETY: an open list, and a place that is larger than the structure of any release.
    unsafe { call!(api?.H5Pget_mdc_config(access.id, place)) }?;
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::super::Hdf5;
    use super::super::property::list;
    use super::*;
    use crate::library::of_python;
    use hyperslab_testkit::files::python;
    use hyperslab_testkit::{Missing, require};

    #[test]
    fn the_library_has_the_size_that_was_set() {
        let libraries = of_python(&require!(python()));
        let found = libraries.and_then(|found| found.hdf5.into_iter().next());
        let found = require!(found.ok_or_else(|| Missing::new("no h5py in the Python")));
        let library = Hdf5::load(&found.path).unwrap();
        let access = list(&library.api, "FILE_ACCESS").unwrap();
        let before = get(&access).unwrap();
        set(&access, 300_000).unwrap();
        let after = get(&access).unwrap();
        assert_ne!(before.initial_size, after.initial_size);
        assert_eq!([after.initial_size, after.min_size, after.max_size], [300_000; 3]);
        for wrong in [0, 1000, (128 << 20) + 1] {
            assert!(set(&access, wrong).unwrap_err().to_string().contains("1 KiB to 128 MiB"));
        }
    }
}
