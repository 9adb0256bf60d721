//! Property lists and dataspaces, and what an open file tells of its page buffer.

use super::api::{Api, DEFAULT, Hid, Id};
use crate::error::EngineError;
use crate::interface::{PageBuffer, PageCounts};
use crate::library::call::{call, open};
use hyperslab_storage::CacheSettings;
use std::ffi::c_int;
use std::rc::Rc;

/// A new property list, to be given to a call of this kind: `FILE_ACCESS`.
pub(super) fn list(api: &Rc<Api>, class: &str) -> Result<Hid, EngineError> {
    let class = api.constant(&format!("P_CLS_{class}_ID"))?;
    // SAFETY: a class of property lists.
    unsafe { open!(api.H5Pcreate(class), H5Pclose) }
}

/// What a dataset is opened with for a chunk cache of its own; nothing for the library's default.
pub(super) fn access(api: &Rc<Api>, cache: Option<CacheSettings>) -> Result<Option<Hid>, EngineError> {
    let Some(CacheSettings { nbytes, nslots, w0 }) = cache else { return Ok(None) };
    let list = list(api, "DATASET_ACCESS")?;
    // SAFETY: an open list.
    unsafe { call!(api.H5Pset_chunk_cache(list.id, nslots as usize, nbytes as usize, w0)) }?;
    Ok(Some(list))
}

/// A list where one was made; else the library's default.
pub(super) fn id_of(list: &Option<Hid>) -> Id {
    list.as_ref().map_or(DEFAULT, |list| list.id)
}

pub(super) fn space(api: &Rc<Api>, shape: &[u64], unlimited: bool) -> Result<Hid, EngineError> {
    const SCALAR: c_int = 0;
    let most = vec![u64::MAX; shape.len()];
    let most = if unlimited { most.as_ptr() } else { std::ptr::null() };
    // SAFETY: arrays of the rank.
    unsafe {
        match shape {
            [] => open!(api.H5Screate(SCALAR), H5Sclose),
            _ => {
                let rank = shape.len() as c_int;
                open!(api.H5Screate_simple(rank, shape.as_ptr(), most), H5Sclose)
            }
        }
    }
}

/// What passed the page buffer of an open file, where there is one that counts.
pub(super) fn page_buffer(file: &Hid) -> Option<PageBuffer> {
    let api = &file.library;
    let mut counts = [[0; 2]; 5];
    let [accesses, hits, misses, evictions, bypasses] = counts.each_mut().map(|pair| pair.as_mut_ptr());
    // SAFETY: an open file, and places for two numbers each. It fails where there is no page buffer.
    unsafe { call!(api?.H5Fget_page_buffering_stats(file.id, accesses, hits, misses, evictions, bypasses)) }
        .ok()?;
    let of = |which: usize| {
        let [accesses, hits, misses, evictions, bypasses] = counts.map(|pair| u64::from(pair[which]));
        PageCounts { accesses, hits, misses, evictions, bypasses }
    };
    Some(PageBuffer { metadata: of(0), raw: of(1) })
}
