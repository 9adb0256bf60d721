//! The libhdf5 whose seconds are predicted: the one that the user named, or that of the first Python with h5py.

use super::calibration::{self, Calibrated};
use super::user_library;
use crate::Error;
use hyperslab_doctor::Profile;
use hyperslab_engines::library::Found;
use hyperslab_storage::cost::Terms;
use std::path::Path;

/// What a page says of its seconds where no library was measured.
pub const CONSTANTS: &str = "constants, as no libhdf5 was measured: times are about as long";

/// The library that the user's programs load, as far as it could be found and calibrated.
#[derive(Default)]
pub struct Library {
    /// It, with its default cache.
    pub own: Option<Profile>,
    /// True if it has the plug-in for zstd.
    pub has_zstd: bool,
    /// What the parts of a read cost in it.
    pub calibrated: Option<Calibrated>,
}

impl Library {
    /// The library that the user named, which must work.
    pub fn named(path: &Path) -> Result<Self, Error> {
        let found = named(path)?;
        if !calibration::is_wanted() {
            return Ok(Self::default());
        }
        let calibrated = Calibrated::of(found).map_err(Error::wrong_request)?;
        Ok(Self { own: calibrated.profile(), calibrated: Some(calibrated), ..Self::default() })
    }

    /// The library of the user's Python, if there is one.
    pub fn of_python() -> Self {
        let Some(library) = user_library::find() else { return Self::default() };
        let name = format!("{} (libhdf5 {})", library.origin, library.release);
        let own = Profile::installed(&name, &library.release);
        let found = library.found.filter(|_| calibration::is_wanted());
        let calibrated = found.and_then(|found| Calibrated::of(found).ok());
        let own = own.or_else(|| calibrated.as_ref().and_then(Calibrated::profile));
        Self { own, has_zstd: library.has_zstd, calibrated }
    }

    /// What the parts of a read cost.
    pub fn terms(&self) -> Terms {
        self.calibrated.as_ref().map_or_else(calibration::machine_terms, Calibrated::terms)
    }
}

/// The library that the user named.
fn named(path: &Path) -> Result<Found, Error> {
    let problem = |error: std::io::Error| {
        Error::wrong_request(format!("--libhdf5 {}: {error}", path.display()))
            .hint("name the file of a libhdf5, such as libhdf5.so")
    };
    Ok(Found { path: path.canonicalize().map_err(problem)?, origin: String::new(), plugins: None })
}
