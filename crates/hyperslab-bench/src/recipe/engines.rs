//! Which engines run a recipe, and how to get those that are missing.

use crate::engine::Engine;
use crate::library::Family;
use serde::{Deserialize, Serialize};

/// The library that does it, whichever build of it the user has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineKind {
    /// The user's libhdf5.
    #[default]
    Libhdf5,
    /// The user's netCDF-C.
    Netcdf,
    /// The user's HDF4.
    Hdf4,
    /// This project.
    Hyperslab,
}

/// An engine that took part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    /// Its kind.
    #[serde(rename = "who")]
    pub by: EngineKind,
    /// Its name: `libhdf5 (h5py 3.16.0)`.
    pub engine: String,
    /// Its release.
    pub version: String,
}

impl EngineKind {
    /// All kinds, those that write files first.
    pub(super) const ALL: [Self; 4] = [Self::Libhdf5, Self::Netcdf, Self::Hdf4, Self::Hyperslab];

    /// A name for tables.
    pub fn name(self) -> &'static str {
        self.family().map_or("hyperslab", Family::name)
    }

    /// The kind of library; none for this project's engine.
    fn family(self) -> Option<Family> {
        match self {
            Self::Libhdf5 => Some(Family::Hdf5),
            Self::Netcdf => Some(Family::Netcdf),
            Self::Hdf4 => Some(Family::Hdf4),
            Self::Hyperslab => None,
        }
    }

    /// True for an engine of this kind.
    fn is(self, engine: &Engine) -> bool {
        *engine != Engine::Null && engine.family() == self.family()
    }

    /// The first engine of this kind, or how to get one.
    pub(super) fn among(self, engines: &[Engine]) -> Result<&Engine, String> {
        engines.iter().find(|engine| self.is(engine)).ok_or_else(|| match self.family() {
            Some(family) => format!("no {} was found; {}", family.name(), family.how_to_get()),
            None => "hyperslab was left out".to_owned(),
        })
    }
}
