//! Who there is to run a recipe, and how to get who is not there.

use super::plan::Who;
use crate::engine::Engine;
use crate::library::Family;
use serde::{Deserialize, Serialize};

/// At most one engine of each kind.
#[derive(Debug, Clone, Default)]
pub struct Engines(Vec<(Who, Engine)>);

/// An engine that took part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    /// Whose.
    pub who: Who,
    /// Its name: `libhdf5 (h5py 3.16.0)`.
    pub engine: String,
    /// Its release.
    pub version: String,
}

impl Engines {
    /// The first of each kind.
    pub fn of(engines: impl IntoIterator<Item = Engine>) -> Self {
        let mut known: Vec<(Who, Engine)> = Vec::new();
        for engine in engines {
            let Some(who) = who(&engine) else { continue };
            if known.iter().all(|(other, _)| *other != who) {
                known.push((who, engine));
            }
        }
        Self(known)
    }

    /// The engine, or how to get one.
    pub(super) fn get(&self, who: Who) -> Result<&Engine, String> {
        let found = self.0.iter().find(|(known, _)| *known == who).map(|(_, engine)| engine);
        found.ok_or_else(|| how_to_get(who))
    }
}

fn who(engine: &Engine) -> Option<Who> {
    match engine {
        Engine::Hyperslab => Some(Who::Hyperslab),
        Engine::Libhdf5(_) => Some(Who::Libhdf5),
        Engine::Netcdf(_) => Some(Who::Netcdf),
        Engine::Hdf4(_) => Some(Who::Hdf4),
        Engine::Null => None,
    }
}

fn how_to_get(who: Who) -> String {
    let family = match who {
        Who::Libhdf5 => Family::Hdf5,
        Who::Netcdf => Family::Netcdf,
        Who::Hdf4 => Family::Hdf4,
        Who::Hyperslab => return "hyperslab was left out".to_owned(),
    };
    format!("no {} was found; {}", family.name(), family.how_to_get())
}
