//! A file that libhdf5 has open, and whether it is still as it was.

use crate::answer::Why;
use crate::api::Api;
use crate::functions::Hid;
use crate::opened::{self, Held, READ_ONLY};
use crate::sources::{self, State};
use std::ffi::{CString, c_uint};
use std::os::fd::RawFd;

const UNKNOWN: Why = "libhdf5 does not tell";

/// A file that libhdf5 has open for reading only, as a local file.
pub struct OpenFile {
    /// The descriptor by which libhdf5 has it open.
    pub descriptor: RawFd,
    state: State,
}

impl OpenFile {
    /// That of a dataset, its access list and its path. It is not kept open.
    pub fn of_dataset(api: &Api, id: Hid) -> Result<(Self, Held, String), Why> {
        // SAFETY: a function of libhdf5, which checks identifiers.
        let file = unsafe { api.functions.iget_file_id.ok_or(UNKNOWN)?(id) };
        let file = Held::new(api, file, api.functions.fclose).ok_or(UNKNOWN)?;
        let (opened, access) = Self::new(api, &file)?;
        Ok((opened, access, opened::file_name(api, &file)))
    }

    fn new(api: &Api, file: &Held) -> Result<(Self, Held), Why> {
        let functions = &api.functions;
        let mut intent: c_uint = READ_ONLY + 1;
        // SAFETY: functions of libhdf5, which check identifiers, with a place for what is returned.
        let told = unsafe { functions.fget_intent.ok_or(UNKNOWN)?(file.id, &mut intent) };
        if told < 0 || intent != READ_ONLY {
            return Err("the file is open for writing");
        }
        // SAFETY: as above.
        let access = unsafe { functions.fget_access_plist.ok_or(UNKNOWN)?(file.id) };
        let access = Held::new(api, access, functions.pclose).ok_or(UNKNOWN)?;
        let descriptor = opened::descriptor(api, file.id, &access).ok_or("not a local file")?;
        let state = sources::state(descriptor).ok_or("not a local file")?;
        Ok((Self { descriptor, state }, access))
    }

    /// The file at a path, opened by libhdf5 with an access list, and the identifier that keeps it open. It is in the state that it
    /// was in when the engine opened it.
    pub fn open(api: &Api, path: &str, access: &Held, state: State) -> Result<(Self, Held), Why> {
        let failed = "a source that libhdf5 does not open";
        let name = CString::new(path).map_err(|_| failed)?;
        // SAFETY: a path that ends with 0, and an access list.
        let file = unsafe { api.functions.fopen.ok_or(UNKNOWN)?(name.as_ptr(), READ_ONLY, access.id) };
        let file = Held::new(api, file, api.functions.fclose).ok_or(failed)?;
        let (opened, _) = Self::new(api, &file)?;
        if opened.state == state { Ok((opened, file)) } else { Err("a source has changed") }
    }

    /// The file is as it was when it was looked at: chunks that the engine has decoded may be others by now.
    pub fn check(&self) -> Result<(), Why> {
        if sources::state(self.descriptor) == Some(self.state) { Ok(()) } else { Err("the file has changed") }
    }
}
