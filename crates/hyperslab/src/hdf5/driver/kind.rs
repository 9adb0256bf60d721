//! The drivers whose files consist of several members.

use crate::Error;
use hyperslab_io::Location;

/// The driver of a file that consists of several members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    /// Members of equal size, one after the other.
    Family,
    /// Metadata in one member, raw data in another.
    Split,
    /// A member for each kind of data.
    Multi,
}

impl Driver {
    /// Its name in h5py.
    pub fn name(self) -> &'static str {
        match self {
            Driver::Family => "family",
            Driver::Split => "split",
            Driver::Multi => "multi",
        }
    }
}

/// The error for a missing member.
pub(super) fn missing(member: &Location, driver: Driver) -> Error {
    let what = format!("the member {member} of the {} driver does not exist", driver.name());
    Error::not_found(what).with_hint("all members must be in one folder, under their original names")
}
