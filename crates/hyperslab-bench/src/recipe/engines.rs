//! Which engines run a recipe, and how to get those that are missing.

use crate::engine::Engine;
use crate::library::Family;
use serde::{Deserialize, Serialize};

/// The library that does it, whichever build of it the user has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineKind {
    /// The user's libhdf5.
    Libhdf5,
    /// The user's netCDF-C.
    Netcdf,
    /// The user's HDF4.
    Hdf4,
    /// This project.
    Hyperslab,
}

/// At most one engine of each kind.
#[derive(Debug, Clone, Default)]
pub struct Engines(Vec<(EngineKind, Engine)>);

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

    fn of(engine: &Engine) -> Option<Self> {
        match engine {
            Engine::Hyperslab => Some(Self::Hyperslab),
            Engine::Libhdf5(_) => Some(Self::Libhdf5),
            Engine::Netcdf(_) => Some(Self::Netcdf),
            Engine::Hdf4(_) => Some(Self::Hdf4),
            Engine::Null => None,
        }
    }
}

impl Engines {
    /// The first of each kind.
    pub fn of(engines: impl IntoIterator<Item = Engine>) -> Self {
        let mut known: Vec<(EngineKind, Engine)> = Vec::new();
        for engine in engines {
            let Some(kind) = EngineKind::of(&engine) else { continue };
            if known.iter().all(|(other, _)| *other != kind) {
                known.push((kind, engine));
            }
        }
        Self(known)
    }

    /// The engine, or how to get one.
    pub(super) fn get(&self, kind: EngineKind) -> Result<&Engine, String> {
        let found = self.0.iter().find(|(known, _)| *known == kind).map(|(_, engine)| engine);
        found.ok_or_else(|| match kind.family() {
            Some(family) => format!("no {} was found; {}", family.name(), family.how_to_get()),
            None => "hyperslab was left out".to_owned(),
        })
    }
}
