//! Files of older formats as the files of HDF5 that hold the same.

use crate::{Error, files};
use hyperslab::{Dataset, File};
use hyperslab_convert::{Converted, as_hdf5_h4, as_netcdf4};
use hyperslab_repack::{Change, FilterRequest, LayoutRequest, PathPattern, Rule, Size};
use hyperslab_storage::filter::number::DEFLATE;
use std::path::Path;

/// A truncated file is converted if it has a hundredth of its values ...
const PROMISED_MAX: u64 = 100;
/// ... or if they have no more bytes than this.
const PROMISED_BYTES_MAX: u64 = 1 << 30;

/// A file that is repacked, and how it was made of one of an older format.
pub(super) struct Opened {
    pub file: File,
    pub converted: Option<Converted>,
}

/// A file of an older format as netCDF-4 or as h4toh5 makes it of HDF4; others as they are.
pub(super) fn opened(
    file: File,
    input: &Path,
    is_hdf5_h4: bool,
    allow_truncated: bool,
) -> Result<Opened, Error> {
    if file.named_dimensions().is_none() {
        if is_hdf5_h4 {
            let what = format!("{}: --to hdf5-h4 is for files of HDF4", files::shown(input));
            return Err(Error::wrong_request(what));
        }
        return Ok(Opened { file, converted: None });
    }
    // Values are asked for piece by piece: what was decoded for one piece serves the next.
    let cached = files::open_file(input, &File::options().allow_truncated(allow_truncated))?;
    let converted = if is_hdf5_h4 { as_hdf5_h4(&cached)? } else { as_netcdf4(&cached, allow_truncated)? };
    // A few bytes may claim to be terabytes, all of which would be fill values.
    let promised =
        converted.values.iter().fold(0, |sum: u64, (_, one)| sum.saturating_add(one.logical_bytes()));
    let there = cached.len().saturating_mul(PROMISED_MAX).max(PROMISED_BYTES_MAX);
    if cached.is_truncated() && promised > there {
        let what = format!(
            "{}: {promised} bytes of values, of which a file of {} bytes has next to nothing",
            files::shown(input),
            cached.len()
        );
        return Err(Error::unreadable(what).about(files::shown(input)));
    }
    Ok(Opened { file: converted.file.clone(), converted: Some(converted) })
}

/// Rules by which datasets keep the chunks and the deflate that they have in HDF4.
pub(super) fn as_stored(values: &[(String, Dataset)]) -> Vec<Rule> {
    const OPTION: &str = "--to hdf5-h4";
    let mut rules = Vec::new();
    for (path, dataset) in values {
        let Some(chunk) = dataset.chunk_shape() else { continue };
        let mut add = |change| {
            rules.push(Rule { option: OPTION.into(), datasets: PathPattern::exact(path), change });
        };
        add(Change::Layout(LayoutRequest::Chunks(chunk.iter().map(|&len| Size::Elements(len)).collect())));
        if let Some(deflate) = dataset.filters().iter().find(|filter| filter.id == DEFLATE) {
            let parameters = deflate.parameters.as_slice().into();
            add(Change::Filters(vec![FilterRequest { id: DEFLATE, parameters }]));
        }
    }
    rules
}
