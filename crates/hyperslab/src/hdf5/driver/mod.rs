//! Files that consist of several members: the family, split and multi drivers of libhdf5 (specification II.B and
//! IV.A.2.u).
//!
//! ```text
//! family   one range of addresses, cut into members of equal size: data00000.h5, data00001.h5, ...
//! split    metadata in one member, raw data in another, far up in the address space: data-m.h5, data-r.h5
//! multi    up to six members, one for each kind of metadata and one for raw data: data-s.h5, -b, -r, -g, -l, -o
//! ```
//!
//! The superblock of the first member names the driver and, in split and multi files, the other members. Old families
//! do not name the driver: there, a file that is too short is recognized by its name. The members are joined to one
//! source, [`Pieces`].
//!
//! libhdf5 needs a property list to open such files. Here a path is enough: that of the first member, a pattern such as
//! `data%05d.h5` or, for split and multi, the path without the ending (`-m.h5`).
//!
//! Not handled: members with their own drivers, subfiling, onion files.

mod family;
mod kind;
mod multi;

use crate::hdf5::located::Located;
use crate::{Error, Result};
use family::Naming;
use hyperslab_format::View;
use hyperslab_format::message::DriverInfo;
use hyperslab_io::{Location, Opener, Pieces, Source};
pub use kind::Driver;
use std::sync::Arc;

/// The first member of the file at a location, which is often its only one.
pub(crate) struct FirstMember {
    pub source: Arc<dyn Source>,
    pub location: Location,
    /// How the members are named, if the path was a pattern.
    naming: Option<Naming>,
}

impl FirstMember {
    /// Opens the file at a location. If there is none, the location is taken as a pattern, then as a path without its
    /// ending.
    pub fn open(opener: &dyn Opener, location: &Location) -> Result<Self> {
        let alone = |source, location| Self { source, location, naming: None };
        let missing = match opener.open(location) {
            Ok(source) => return Ok(alone(source, location.clone())),
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(not_opened(location, error));
            }
            Err(error) => error,
        };
        if let Some(naming) = Naming::of_pattern(location.as_path()) {
            let first = naming.member(0);
            let source = opener.open(&first).map_err(|error| {
                let hint = format!("{location} was taken as the pattern of a family of files");
                not_opened(&first, error).with_hint(hint)
            })?;
            return Ok(Self { source, location: first, naming: Some(naming) });
        }
        for ending in multi::FIRST_ENDINGS {
            let mut name = location.as_path().as_os_str().to_owned();
            name.push(ending);
            let first = Location::from(name);
            if let Ok(source) = opener.open(&first) {
                return Ok(alone(source, first));
            }
        }
        Err(not_opened(location, missing))
    }

    /// All members as one source; `None` if this file is the only member.
    pub fn members(&self, opener: &dyn Opener, located: &Located) -> Result<Option<(Driver, Pieces)>> {
        let (path, len) = (self.location.as_path(), self.source.len());
        let info = information(located);
        let driver = info.as_ref().map_or(&b""[..], |info| info.name.as_bytes());
        let superblock = &located.superblock;
        let end = superblock.base.saturating_add(superblock.end_of_file.0);
        let found = match (driver, info.as_ref()) {
            (b"NCSAmult", Some(info)) => Some(multi::members(opener, path, &info.data)?),
            // The only member, or a family that was joined to one file.
            (b"NCSAfami", Some(_)) if end <= len => None,
            (b"NCSAfami", Some(info)) => {
                let size = family::member_size(&info.data)?;
                let naming = self.naming.clone().or_else(|| Naming::of_first(opener, path));
                let naming = naming.ok_or_else(|| {
                    let what = "is a member of a family of files, but its name is not that of a first member";
                    Error::unsupported(what)
                        .with_hint("the first member of a family has the number 0 in its name")
                })?;
                Some((Driver::Family, family::members(opener, &naming, size, end)?))
            }
            // Before HDF5 1.8, families had no driver information: a pattern, or a second member that fits, is needed.
            _ if end > len => {
                let guessed =
                    || Naming::of_first(opener, path).filter(|naming| naming.continues(opener, len, end));
                let naming = self.naming.clone().or_else(guessed);
                let pieces = naming.map(|naming| family::members(opener, &naming, len, end)).transpose()?;
                pieces.map(|pieces| (Driver::Family, pieces))
            }
            _ => None,
        };
        Ok(found)
    }
}

/// Adds to the error of a file that is too short that it is one member of several.
pub(crate) fn explain_end(error: Error, located: &Located) -> Error {
    let info = information(located);
    let driver = match info.as_ref().map_or(&b""[..], |info| info.name.as_bytes()) {
        b"NCSAmult" => "split or multi",
        b"NCSAfami" => "family",
        b"Subfilin" => return subfiling(),
        _ => {
            return error.with_hint(
                "`hyperslab repack --keep-going IN OUT` copies the objects that lie before the end of the file",
            );
        }
    };
    error.with_hint(format!(
        "it is one member of a file of the {driver} driver: open the first member by its path"
    ))
}

/// The error for a file of the subfiling driver.
fn subfiling() -> Error {
    Error::unsupported(
        "is one member of a file of the subfiling driver, whose data is distributed over several subfiles",
    )
    .with_hint("the tool h5fuse, which comes with HDF5, joins them to one file")
}

/// The driver information of the file. `None` also if it cannot be read: the caller that needs it reports the error.
fn information(located: &Located) -> Option<DriverInfo> {
    let Located { metadata, superblock, extension, .. } = located;
    match superblock.driver_info {
        Some(address) => {
            let parse = |view: &View| DriverInfo::parse_block(*view, address);
            metadata.drive(superblock.base, superblock.widths, parse).ok()
        }
        None => extension.as_ref().ok()?.as_ref()?.driver_info.clone(),
    }
}

/// Why a file cannot be opened.
fn not_opened(location: &Location, error: std::io::Error) -> Error {
    let missing = error.kind() == std::io::ErrorKind::NotFound;
    let error = Error::from(error).in_file(location.to_string());
    if !missing {
        return error;
    }
    error.with_message("no such file").with_hint("check the path, including upper and lower case")
}
