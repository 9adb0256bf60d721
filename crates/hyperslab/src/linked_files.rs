//! Other files that a file refers to: external links, references, sources of virtual datasets, external raw data.
//!
//! As libhdf5 does, a relative name is searched for beside the file that contains it, then below the working
//! directory; an absolute one where it says, then by its last part beside the file. A prefix from the environment comes first
//! (`HDF5_EXT_PREFIX`, `HDF5_VDS_PREFIX`, `HDF5_EXTFILE_PREFIX`).

use crate::{Error, Result};
use hyperslab_io::{Location, Opener};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// What another file is wanted for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose {
    ExternalLink,
    Reference,
    VirtualSource,
    RawData,
}

impl Purpose {
    fn prefix_variable(self) -> &'static str {
        match self {
            Purpose::ExternalLink | Purpose::Reference => "HDF5_EXT_PREFIX",
            Purpose::VirtualSource => "HDF5_VDS_PREFIX",
            Purpose::RawData => "HDF5_EXTFILE_PREFIX",
        }
    }
}

/// The other files that a file refers to: how they are found and opened, and those that are open.
///
/// Files opened on behalf of each other know each other by where they lie: two that refer to each other are two, not a
/// chain of ever new openings. They stay open as long as something of them is in use (a virtual dataset keeps its
/// sources), and nothing here keeps them so: they would own each other in a circle.
pub(crate) struct LinkedFiles<F> {
    opener: Arc<dyn Opener>,
    own: Option<Location>,
    opened: Arc<Mutex<HashMap<Location, Weak<F>>>>,
}

impl<F> LinkedFiles<F> {
    /// Those of the file at `own`; where that is not known, the file cannot refer to others.
    pub(crate) fn new(opener: Arc<dyn Opener>, own: Option<Location>) -> Self {
        Self { opener, own, opened: Arc::default() }
    }

    /// Those of a file that this one refers to.
    pub(crate) fn of(&self, own: Location) -> Self {
        Self { opener: self.opener.clone(), own: Some(own), opened: self.opened.clone() }
    }

    /// What opens files.
    pub(crate) fn opener(&self) -> &dyn Opener {
        &*self.opener
    }

    /// Where the file lies, if that is known.
    pub(crate) fn own(&self) -> Option<&Location> {
        self.own.as_ref()
    }

    /// Finds the file that this one calls `name`.
    ///
    /// # Errors
    /// [`crate::ErrorKind::NotFound`] where it is in none of the places that are searched.
    pub(crate) fn find(&self, name: &str, purpose: Purpose) -> Result<Location> {
        let Some(own) = &self.own else {
            let what = format!("refers to the file {name}, and only a file whose place is known can do so");
            return Err(Error::unsupported(what).with_hint("open the file by its path"));
        };
        let variable = purpose.prefix_variable();
        let prefixes = std::env::var_os(variable);
        let prefixes: Vec<PathBuf> = prefixes.iter().flat_map(std::env::split_paths).collect();
        let mut candidates = candidates(own, name, &prefixes).into_iter();
        candidates.find(|candidate| self.opener.is_file(candidate)).ok_or_else(|| {
            Error::not_found(format!("refers to the file {name}, which is not there"))
                .with_hint(format!("put it beside this file, or name its folder in {variable}"))
        })
    }

    /// The file at an absolute location, if it is open.
    pub(crate) fn get(&self, location: &Location) -> Option<Arc<F>> {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.get(location).and_then(Weak::upgrade)
    }

    /// Remembers a file, unless another thread has opened it in the meantime.
    pub(crate) fn add(&self, location: Location, file: Arc<F>) -> Arc<F> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(other) = opened.get(&location).and_then(Weak::upgrade) {
            return other;
        }
        opened.retain(|_, file| file.strong_count() > 0);
        opened.insert(location, Arc::downgrade(&file));
        file
    }
}

/// Where the file that the one at `own` calls `name` may lie, the first place first.
fn candidates(own: &Location, name: &str, prefixes: &[PathBuf]) -> Vec<Location> {
    let wanted = Path::new(name);
    let in_prefix = |prefix: &PathBuf| match prefix.strip_prefix("${ORIGIN}") {
        Ok(rest) => own.beside(rest.join(wanted)),
        Err(_) => Location::from(prefix.join(wanted)),
    };
    let mut candidates: Vec<Location> = prefixes.iter().map(in_prefix).collect();
    let last_part_beside = || wanted.file_name().map(|last| own.beside(last));
    match (own.is_url(), wanted.is_absolute()) {
        // A name in a file of the network must not lead to a file of this machine.
        (true, true) => candidates.extend(last_part_beside()),
        (true, false) => candidates.push(own.beside(wanted)),
        (false, true) => {
            candidates.push(Location::from(wanted));
            candidates.extend(last_part_beside());
        }
        (false, false) => candidates.extend([own.beside(wanted), Location::from(wanted)]),
    }
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperslab_io::LocalFiles;

    fn searched(own: &str, name: &str, prefixes: &[&str]) -> Vec<String> {
        let prefixes: Vec<PathBuf> = prefixes.iter().map(PathBuf::from).collect();
        candidates(&own.into(), name, &prefixes).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn files_are_searched_for_where_libhdf5_does() {
        assert_eq!(searched("a/b.h5", "c.h5", &[]), ["a/c.h5", "c.h5"]);
        assert_eq!(searched("a/b.h5", "/x/c.h5", &[]), ["/x/c.h5", "a/c.h5"]);
        assert_eq!(
            searched("a/b.h5", "c.h5", &["/p", "${ORIGIN}/q"]),
            ["/p/c.h5", "a/q/c.h5", "a/c.h5", "c.h5"]
        );
    }

    #[test]
    fn a_file_of_the_network_does_not_lead_to_this_machine() {
        assert_eq!(searched("s3://b/a/b.h5", "c.h5", &[]), ["s3://b/a/c.h5"]);
        assert_eq!(searched("s3://b/a/b.h5", "c.h5", &["/p"]), ["/p/c.h5", "s3://b/a/c.h5"]);
        assert_eq!(searched("s3://b/a/b.h5", "/etc/c.h5", &[]), ["s3://b/a/c.h5"]);
    }

    #[test]
    fn files_are_known_while_they_are_in_use() {
        let files = LinkedFiles::new(Arc::new(LocalFiles), None);
        let location = Location::from("/a");
        let first = files.add(location.clone(), Arc::new(1));
        assert_eq!(*files.of("/b".into()).add(location.clone(), Arc::new(2)), 1);
        drop(first);
        assert_eq!(files.get(&location), None);
        assert_eq!(*files.add(location, Arc::new(3)), 3);
    }
}
