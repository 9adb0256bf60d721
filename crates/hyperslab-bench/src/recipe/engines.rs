//! EngineKind there is to run a recipe, and how to get who is not there.

use super::plan::EngineKind;
use crate::engine::Engine;
use crate::library::Family;
use serde::{Deserialize, Serialize};

/// At most one engine of each kind.
#[derive(Debug, Clone, Default)]
pub struct Engines(Vec<(EngineKind, Engine)>);

/// An engine that took part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    /// Whose.
    pub who: EngineKind,
    /// Its name: `libhdf5 (h5py 3.16.0)`.
    pub engine: String,
    /// Its release.
    pub version: String,
}

impl Engines {
    /// The first of each kind.
    pub fn of(engines: impl IntoIterator<Item = Engine>) -> Self {
        let mut known: Vec<(EngineKind, Engine)> = Vec::new();
        for engine in engines {
            let Some(who) = who(&engine) else { continue };
            if known.iter().all(|(other, _)| *other != who) {
                known.push((who, engine));
            }
        }
        Self(known)
    }

    /// The engine, or how to get one.
    pub(super) fn get(&self, who: EngineKind) -> Result<&Engine, String> {
        let found = self.0.iter().find(|(known, _)| *known == who).map(|(_, engine)| engine);
        found.ok_or_else(|| how_to_get(who))
    }
}

fn who(engine: &Engine) -> Option<EngineKind> {
    match engine {
        Engine::Hyperslab => Some(EngineKind::Hyperslab),
        Engine::Libhdf5(_) => Some(EngineKind::Libhdf5),
        Engine::Netcdf(_) => Some(EngineKind::Netcdf),
        Engine::Hdf4(_) => Some(EngineKind::Hdf4),
        Engine::Null => None,
    }
}

fn how_to_get(who: EngineKind) -> String {
    let family = match who {
        EngineKind::Libhdf5 => Family::Hdf5,
        EngineKind::Netcdf => Family::Netcdf,
        EngineKind::Hdf4 => Family::Hdf4,
        EngineKind::Hyperslab => return "hyperslab was left out".to_owned(),
    };
    format!("no {} was found; {}", family.name(), family.how_to_get())
}
