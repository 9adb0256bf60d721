//! Which engines run a recipe.

use hyperslab_engines::{Engine, EngineKind};
use serde::{Deserialize, Serialize};

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

/// The first engine of a kind, or how to get one.
pub(super) fn first(by: EngineKind, engines: &[Engine]) -> Result<&Engine, String> {
    let found = engines.iter().find(|engine| engine.kind() == Some(by));
    found.ok_or_else(|| format!("no {} was found; {}", by.name(), by.how_to_get()))
}
