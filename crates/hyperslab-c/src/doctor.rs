//! What the doctor finds.

use crate::pointers::{put_text, text};
use crate::status::{Status, run};
use hyperslab_apps::doctor::{self, Request};
use hyperslab_apps::schema;
use std::ffi::c_char;
use std::path::Path;

/// What the doctor finds in a file, or in one of its datasets where that is not null: the document of `hyperslab doctor --json`. Given
/// back by hs_text_free().
///
/// # Safety
/// Texts and a place for a pointer, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hs_doctor(
    path: *const c_char,
    dataset: *const c_char,
    json: *mut *mut c_char,
) -> Status {
    run(|| {
        // SAFETY: as the caller promises.
        let path = unsafe { text("path", path) }?;
        let dataset = match dataset.is_null() {
            true => None,
            // SAFETY: as above.
            false => Some(unsafe { text("dataset", dataset) }?.to_owned()),
        };
        let answer = doctor::run(Path::new(path), &Request { dataset, ..Request::default() })?;
        // SAFETY: as above.
        unsafe { put_text("json", json, schema::document(schema::DOCTOR, &answer.report)?) }
    })
}
