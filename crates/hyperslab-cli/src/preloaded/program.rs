//! The program that is to be run: where it is, and whether a library can be preloaded into it.

use crate::failure::Failure;
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, elf};
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A program and its arguments.
#[derive(Debug)]
pub(crate) struct Program {
    /// Its file.
    pub path: PathBuf,
    /// Its name and its arguments, as they were given.
    pub words: Vec<OsString>,
}

/// Scripts that name scripts are followed so far.
const SCRIPTS_MAX: usize = 4;

/// Finds the program of a command line, and checks that a library can be preloaded into it.
///
/// # Errors
/// One line that says why not.
pub(crate) fn find(words: &[OsString]) -> Result<Program, Failure> {
    let name = words.first().ok_or_else(|| Failure::wrong_request("no program is named"))?;
    let path = on_path(name)
        .ok_or_else(|| Failure::wrong_request(format!("{}: no such program", Path::new(name).display())))?;
    check(&path, SCRIPTS_MAX)
        .map_err(|problem| Failure::wrong_request(format!("{}: {problem}", path.display())))?;
    Ok(Program { path, words: words.to_vec() })
}

/// The file that a shell would run.
fn on_path(name: &OsStr) -> Option<PathBuf> {
    let is_program = |path: &Path| {
        path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    if name.as_bytes().contains(&b'/') {
        return Some(PathBuf::from(name)).filter(|path| is_program(path));
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| is_program(path))
}

fn check(path: &Path, scripts_max: usize) -> Result<(), String> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    let status = file.metadata().map_err(|error| error.to_string())?;
    // The headers are at the beginning.
    file.take(1 << 16).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if let Some(line) = bytes.strip_prefix(b"#!") {
        let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let interpreter = words.next().ok_or("a script that names no interpreter")?;
        let mut interpreter = PathBuf::from(OsString::from_vec(interpreter.to_vec()));
        // `env` looks for the program of its first word that is none of its own.
        if interpreter.ends_with("env") {
            let named = words.find(|word| !word.starts_with(b"-") && !word.contains(&b'='));
            if let Some(found) = named.and_then(|word| on_path(OsStr::from_bytes(word))) {
                interpreter = found;
            }
        }
        if scripts_max == 0 {
            return Err("a script that names a script that names a script".to_owned());
        }
        return check(&interpreter, scripts_max - 1);
    }
    if !bytes.starts_with(b"\x7fELF") {
        return Err("neither a program of this system nor a script with #!".to_owned());
    }
    let is_privileged = status.permissions().mode() & 0o6000 != 0;
    if is_privileged {
        return Err(
            "it runs with the rights of another user (setuid): nothing can be preloaded into it".to_owned()
        );
    }
    match interpreter(&bytes)? {
        None => Err("it is linked statically: nothing can be preloaded into it".to_owned()),
        Some(loader) if loader.contains("musl") => {
            Err("it is linked with musl, and the library that is preloaded with glibc".to_owned())
        }
        Some(_) => Ok(()),
    }
}

/// The loader that a program names, which loads what is preloaded.
fn interpreter(bytes: &[u8]) -> Result<Option<String>, String> {
    let here = if cfg!(target_arch = "aarch64") { elf::EM_AARCH64 } else { elf::EM_X86_64 };
    let header = elf::FileHeader64::<Endianness>::parse(bytes)
        .map_err(|_| "it is a program for another kind of processor")?;
    let endian = header.endian().map_err(|error| error.to_string())?;
    if header.e_machine(endian) != here {
        return Err("it is a program for another kind of processor".to_owned());
    }
    let headers = header.program_headers(endian, bytes).map_err(|error| error.to_string())?;
    for part in headers {
        if let Ok(Some(name)) = part.interpreter(endian, bytes) {
            return Ok(Some(String::from_utf8_lossy(name).into_owned()));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_and_what_cannot_be_preloaded_is_said() {
        let words = |name: &str| vec![OsString::from(name)];
        assert!(find(&words("sh")).unwrap().path.is_absolute());
        let problem = |name: &str| find(&words(name)).unwrap_err().message;
        assert_eq!(problem("no-such-program-anywhere"), "no-such-program-anywhere: no such program");
        let folder = tempfile::tempdir().unwrap();
        let written = |name: &str, text: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            path.display().to_string()
        };
        assert!(find(&words(&written("script", b"#!/bin/sh\necho"))).is_ok());
        assert!(find(&words(&written("env", b"#!/usr/bin/env -S sh -e\n"))).is_ok());
        assert!(problem(&written("text", b"hello")).contains("neither a program"));
        let mut foreign = std::fs::read("/proc/self/exe").unwrap();
        foreign.truncate(1 << 16);
        foreign[18] = 0xF3; // RISC-V
        assert!(problem(&written("foreign", &foreign)).contains("another kind of processor"));
        let own = std::fs::read("/proc/self/exe").unwrap();
        let privileged = written("privileged", &own);
        std::fs::set_permissions(&privileged, std::fs::Permissions::from_mode(0o4755)).unwrap();
        assert!(problem(&privileged).contains("setuid"));
    }
}
