//! The options of the diagnosis, from the request.

use super::Request;
use crate::Error;
use crate::facts::{Library, is_netcdf};
use hyperslab::File;
use hyperslab_doctor::{Options, Profile};
use hyperslab_storage::WordError;
use hyperslab_storage::cache::parse_cache;
use hyperslab_storage::pattern::parse_order;

/// The options of the diagnosis of a file. The column of the library that the user's Python loads comes first.
pub(super) fn options(request: &Request, file: &File, library: &Library) -> Result<Options, Error> {
    let own = library.own.as_ref();
    let wrong = |error: WordError| Error::wrong_request(error.to_string());
    let reads = request.places.blocks(&request.reads)?;
    let writes = request.places.blocks(&request.writes)?;
    let order = request.order.as_deref().map(parse_order).transpose().map_err(wrong)?;
    let mut profiles = Vec::new();
    for name in &request.profiles {
        profiles.extend(named(name)?);
    }
    if let Some(cache) = &request.cache {
        let custom = Profile::custom(parse_cache(cache).map_err(wrong)?);
        profiles.push(own.map_or(custom.clone(), |own| custom.with_version(own.version)));
    }
    let first_profile_is_own = profiles.is_empty() && own.is_some();
    if profiles.is_empty() {
        profiles = own.cloned().into_iter().chain(Profile::defaults()).collect();
    }
    Ok(Options {
        terms: library.terms(),
        is_calibrated: library.calibrated.is_some(),
        file: file.name(),
        reads,
        writes,
        order,
        profiles,
        first_profile_is_own,
        engine_cache_bytes: hyperslab::cache_bytes() as u64,
        file_bytes: file.len(),
        is_netcdf: is_netcdf(file),
        cloud: request.cloud,
        place: request.place.clone(),
        all: request.all,
        ..Options::default()
    })
}

/// The profiles whose names contain this text, ignoring case.
fn named(wanted: &str) -> Result<Vec<Profile>, Error> {
    let plain = |name: &str| name.to_lowercase().replace([' ', '-', '_'], "");
    let all = Profile::defaults();
    let known = all.iter().map(|profile| profile.name.as_str()).collect::<Vec<_>>().join(", ");
    let found: Vec<Profile> =
        all.iter().filter(|one| plain(&one.name).contains(&plain(wanted))).cloned().collect();
    if found.is_empty() || plain(wanted).is_empty() {
        let failure = Error::wrong_request(format!("unknown profile {wanted:?}"));
        return Err(failure.hint(format!("the profiles are {known}; --cache simulates any other cache")));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_found_by_parts_of_their_names() {
        let names = |wanted| -> Vec<String> {
            named(wanted).unwrap().into_iter().map(|profile| profile.name).collect()
        };
        assert_eq!(names("libhdf5 1.14"), ["libhdf5 1.14"]);
        assert_eq!(names("LIBHDF5-2"), ["libhdf5 2.x"]);
        assert!(names("netcdf").len() > 1);
        assert_eq!(named("zarr").unwrap_err().kind, hyperslab::ErrorKind::Invalid);
    }
}
