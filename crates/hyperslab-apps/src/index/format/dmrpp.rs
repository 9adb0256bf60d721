//! DMR++: an XML document for Hyrax.

use super::{Format, Writer};
use crate::{Error, Result};
use hyperslab::File;
use hyperslab::io::Location;
use hyperslab_index::{FillMeaning, Omitted, write_dmrpp};
use hyperslab_netcdf::Netcdf;
use std::io::Write;

/// The format.
pub(super) const FORMAT: Format = Format {
    name: "dmrpp",
    about: "DMR++: an XML document for Hyrax",
    ending: "dmrpp",
    combines: false,
    has_template: false,
    names_local_files_by_url: false,
    fill: FillMeaning::Value,
    writer: Writer::TextOfFile(write),
};

fn write(file: &File, url: &str, out: &mut dyn Write) -> Result<Vec<Omitted>> {
    let name = Location::from(file.name()).file_name().map(|name| name.to_string_lossy().into_owned());
    write_dmrpp(&Netcdf::open(file)?, &name.unwrap_or_default(), url, out)
        .map_err(|error| Error::output(&error))
}
