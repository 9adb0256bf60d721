//! What the parts of a read cost each library that takes part, as measured on this machine.

use crate::facts::calibration::{self, Calibrated};
use hyperslab_bench::plan::LibraryTerms;
use hyperslab_engines::Engine;
use hyperslab_engines::library::Found;
use hyperslab_storage::cost::Terms;

/// The calibrated terms of each libhdf5.
#[derive(Default)]
pub(in crate::bench) struct Calibrations(Vec<(Found, Terms)>);

impl Calibrations {
    /// Calibrates each libhdf5 among the engines, unless that was done before and kept. One that cannot be calibrated
    /// has the built-in terms at this machine's speed.
    pub(in crate::bench) fn of<'a>(engines: impl IntoIterator<Item = &'a Engine>) -> Self {
        let mut known = Self::default();
        for engine in engines {
            let Engine::Libhdf5(found) = engine else { continue };
            if calibration::is_wanted()
                && known.find(found).is_none()
                && let Ok(calibrated) = Calibrated::of(found.clone())
            {
                known.0.push((found.clone(), calibrated.terms()));
            }
        }
        known
    }

    fn find(&self, library: &Found) -> Option<Terms> {
        self.0.iter().find(|(found, _)| found == library).map(|(_, terms)| *terms)
    }
}

impl LibraryTerms for Calibrations {
    /// The terms of an engine; for one other than libhdf5, those of the first that is.
    fn terms(&self, engine: &Engine) -> Terms {
        match engine {
            Engine::Libhdf5(found) => self.find(found).unwrap_or_else(calibration::machine_terms),
            _ => self.usual(),
        }
    }

    /// The terms of the first libhdf5.
    fn usual(&self) -> Terms {
        self.0.first().map_or_else(calibration::machine_terms, |(_, terms)| *terms)
    }
}
