//! The drivers whose files consist of several.

use crate::Error;
use hyperslab_io::Location;

/// The driver of a file that consists of several.
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
    /// h5py's name of it.
    pub fn name(self) -> &'static str {
        match self {
            Driver::Family => "family",
            Driver::Split => "split",
            Driver::Multi => "multi",
        }
    }
}

/// A member that should be there.
pub(super) fn missing(member: &Location, driver: Driver) -> Error {
    let what = format!("the member {member} of the {} driver is not there", driver.name());
    Error::not_found(what).with_hint("all members are needed, side by side and under their own names")
}
