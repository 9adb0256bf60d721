//! HSDS: the requests that link a domain to the file.

use super::{Format, Writer};
use crate::{Error, Result};
use hyperslab_index::{FillMeaning, Index, Omitted, write_hsds};
use std::io::Write;

/// The format.
pub(super) const FORMAT: Format = Format {
    name: "hsds",
    about: "HSDS: a JSON document with the requests that link a domain to the file",
    ending: "hsds.json",
    combines: false,
    has_template: false,
    names_local_files_by_url: false,
    fill: FillMeaning::Value,
    writer: Writer::Text(write),
};

fn write(index: &Index, _: bool, out: &mut dyn Write) -> Result<Vec<Omitted>> {
    write_hsds(index, out).map_err(|error| Error::output(&error))
}
