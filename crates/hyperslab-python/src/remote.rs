//! Files that are named by URLs, and the requests that were made for them.

use crate::errors;
use hyperslab::io::Opener;
use hyperslab_remote::{Files, RemoteOptions};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use std::sync::Arc;

/// The opener of paths and URLs, with the options of the store.
pub fn opener(storage_options: Option<&Bound<'_, PyDict>>) -> PyResult<Arc<dyn Opener>> {
    let mut options = RemoteOptions::from_environment();
    add(&mut options, storage_options)?;
    Ok(Arc::new(Files::new(options)))
}

/// Adds options as fsspec's file systems take them. `client_kwargs` of s3fs contains further ones.
fn add(options: &mut RemoteOptions, given: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    for (name, value) in given.into_iter().flatten() {
        let name: String = name.extract()?;
        if name == "client_kwargs" {
            add(options, Some(value.cast::<PyDict>()?))?;
            continue;
        }
        if name == "headers" {
            for (name, value) in value.cast::<PyDict>()? {
                options.headers.push((name.extract()?, value.extract()?));
            }
            continue;
        }
        if value.is_none() {
            continue;
        }
        let text = match value.extract::<bool>() {
            Ok(flag) if value.is_instance_of::<PyBool>() => flag.to_string(),
            _ => value.extract().map_err(|_| {
                errors::wrong_type(format!("storage_options[{name:?}] must be text or a bool"))
            })?,
        };
        options.store.push((name, text));
    }
    Ok(())
}

/// The requests of this process to remote files.
#[pyclass(frozen, get_all, module = "hyperslab")]
pub struct Traffic {
    /// Requests, including those that failed.
    requests: u64,
    /// Bytes that were received.
    bytes: u64,
    /// Batches of requests, each of which was waited for.
    rounds: u64,
    /// Attempts after the first of a request.
    retries: u64,
    /// Second requests for ranges whose first request took unusually long.
    hedges: u64,
    /// Bytes that were read from the disk cache instead of being requested.
    cached_bytes: u64,
    /// The seconds for which reads waited for their batches.
    waited: f64,
}

#[pymethods]
impl Traffic {
    fn __repr__(&self) -> String {
        let Self { requests, bytes, rounds, retries, hedges, cached_bytes, waited } = self;
        format!(
            "Traffic(requests={requests}, bytes={bytes}, rounds={rounds}, retries={retries}, hedges={hedges}, \
             cached_bytes={cached_bytes}, waited={waited:.3})"
        )
    }
}

/// Return the requests of this process to remote files so far.
#[pyfunction]
pub fn traffic() -> Traffic {
    let now = hyperslab_remote::traffic();
    Traffic {
        requests: now.requests,
        bytes: now.bytes,
        rounds: now.rounds,
        retries: now.retries,
        hedges: now.hedges,
        cached_bytes: now.cached_bytes,
        waited: now.waited.as_secs_f64(),
    }
}
