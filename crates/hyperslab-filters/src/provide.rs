//! Who provides a filter: the program, this build, or a plug-in, in this order.

use crate::FilterError;
use crate::custom::{Custom, Filter};
use crate::registry::{Entry, entry};
use crate::spec::FilterSpec;
use crate::stage::{Setup, Stage};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock, RwLock};

/// Identifiers from here on are for private use.
const PRIVATE: u16 = 32768;

type Registered = RwLock<HashMap<u16, Custom>>;

fn registered() -> &'static Registered {
    static REGISTERED: OnceLock<Registered> = OnceLock::new();
    REGISTERED.get_or_init(Registered::default)
}

/// Registers a filter of the program. It is used by all pipelines that are created afterwards, and replaces a built-in
/// filter with the same identifier. A pipeline is created when a dataset is first read, so register filters before you
/// open files.
///
/// ```
/// use hyperslab_filters::{Failure, Filter, register};
///
/// /// Inverts every byte.
/// struct Invert;
///
/// impl Filter for Invert {
///     fn name(&self) -> &str {
///         "invert"
///     }
///
///     fn decode(&self, _parameters: &[u32], stored: &[u8], _max: usize) -> Result<Vec<u8>, Failure> {
///         Ok(stored.iter().map(|byte| !byte).collect())
///     }
/// }
///
/// register(40_000, std::sync::Arc::new(Invert));
/// ```
pub fn register(id: u16, filter: Arc<dyn Filter>) {
    let custom = Custom::new(id, filter);
    registered().write().unwrap_or_else(|poisoned| poisoned.into_inner()).insert(id, custom);
}

/// Creates the filter with these parameters.
pub(crate) fn make(setup: Setup<'_>) -> Result<Box<dyn Stage>, FilterError> {
    match (here(setup), entry(setup.id)) {
        (Some(made), _) => made,
        (None, Some(Entry { id, name, feature: Some(feature), .. })) => {
            provided(setup).map_err(|_| FilterError::LeftOut { id: *id, name, feature })
        }
        (None, _) => provided(setup),
    }
}

/// A short description of a filter of the table, with its most important parameters if it is built in (`"gzip 4"`); `None`
/// for others. No plug-in is loaded.
pub fn describe(filter: &FilterSpec<'_>) -> Option<String> {
    let entry = entry(filter.id)?;
    let made = here(Setup { id: filter.id, parameters: filter.parameters });
    let described = made.and_then(|made| made.ok()).map(|stage| stage.describe());
    Some(described.unwrap_or_else(|| entry.name.to_string()))
}

/// True for a filter of the program or one that is built in.
#[cfg(feature = "plugins")]
pub(crate) fn is_own(id: u16) -> bool {
    here(Setup { id, parameters: &[] }).is_some()
}

/// Creates the filter, if it is one of the program or built in.
fn here(setup: Setup<'_>) -> Option<Result<Box<dyn Stage>, FilterError>> {
    let custom = registered().read().unwrap_or_else(|poisoned| poisoned.into_inner()).get(&setup.id).cloned();
    if let Some(custom) = custom {
        return Some(Ok(Box::new(custom.with(setup.parameters))));
    }
    entry(setup.id)?.make.map(|make| make(setup))
}

/// Creates the filter from a plug-in.
pub(crate) fn provided(setup: Setup<'_>) -> Result<Box<dyn Stage>, FilterError> {
    #[cfg(feature = "plugins")]
    let made = crate::plugin::make(setup);
    #[cfg(not(feature = "plugins"))]
    let made = Err(crate::error::PluginSearch::NotBuilt);
    made.map_err(|plugins| {
        let (name, provider) = match entry(setup.id) {
            Some(entry) => (entry.name, entry.library),
            None if setup.id < PRIVATE => {
                ("unregistered", "nobody: the file is damaged or newer than this version of hyperslab")
            }
            None => ("unregistered", "the author of the file"),
        };
        FilterError::Unknown { id: setup.id, name, provider, plugins }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_filters_are_named() {
        let error = make(Setup { id: 32030, parameters: &[] }).err().unwrap();
        assert_eq!(
            error.to_string(),
            "filter 32030 (FFMPEG) is not available here; it is provided by ffmpeg HDF5 filter"
        );
        assert!(error.is_unsupported());
        assert!(
            make(Setup { id: 40_000, parameters: &[] }).err().unwrap().to_string().contains("unregistered")
        );
    }

    #[test]
    #[cfg(not(feature = "szip"))]
    fn filters_that_were_left_out_name_their_feature() {
        let error = make(Setup { id: 4, parameters: &[] }).err().unwrap();
        let told = "filter 4 (szip) is not in this build: it was built without the feature `szip`";
        assert_eq!((error.to_string().as_str(), error.is_unsupported()), (told, true));
    }

    struct Reverse;

    impl Filter for Reverse {
        fn name(&self) -> &str {
            "reverse"
        }

        fn decode(&self, _: &[u32], stored: &[u8], _: usize) -> Result<Vec<u8>, crate::Failure> {
            Ok(stored.iter().rev().copied().collect())
        }
    }

    #[test]
    fn a_registered_filter_is_used() {
        register(60_001, Arc::new(Reverse));
        let stage = make(Setup { id: 60_001, parameters: &[] }).unwrap();
        let mut out = [0; 3];
        assert_eq!(stage.decode(&[1, 2, 3], &mut out, &mut Default::default()).unwrap(), 3);
        assert_eq!(out, [3, 2, 1]);
        assert!(stage.decode(&[1, 2, 3], &mut [0; 2], &mut Default::default()).is_err());
        assert!(
            stage
                .encode(&[1], &mut Default::default(), &mut Default::default())
                .unwrap_err()
                .to_string()
                .contains("does not support writing")
        );
    }
}
