//! Writing an index of one or several files.

use super::format::{Format, Writer};
use super::place::{failed, folder, new_file};
use super::urls::Urls;
use super::{Request, Written, input, options};
use crate::{Error, Result};
use hyperslab_index::{Index, Omitted};
use std::io::{BufWriter, Write};
use std::path::Path;

/// Writes the index of one file to `target`, or as text to `out`.
pub(super) fn one(
    path: &Path,
    request: &Request,
    urls: &Urls,
    target: Option<&Path>,
    out: &mut dyn Write,
) -> Result<Written> {
    let file = input::open(path)?;
    let url = urls.of(path, &file)?;
    let omitted = match (&request.format.writer, target) {
        (Writer::TextOfFile(write), _) => text(target, out, |out| write(&file, &url, out)),
        (Writer::BinaryOfFile(write), Some(target)) => {
            let mut omitted = Vec::new();
            new_file(target, |out| {
                omitted = write(&file, &url, out)?;
                Ok(())
            })?;
            Ok(omitted)
        }
        (Writer::BinaryOfFile(_), None) => Err(unnamed(request.format)),
        _ => combined(&Index::build(&file, &url, &options(request))?, request, target, out),
    }?;
    Ok(Written { absent: hyperslab::absent(&file), omitted })
}

/// Writes an index of one or several files to `target`, or as text to `out`. Returns what was left out.
pub(super) fn combined(
    index: &Index,
    request: &Request,
    target: Option<&Path>,
    out: &mut dyn Write,
) -> Result<Vec<Omitted>> {
    let mut omitted = index.omitted.clone();
    omitted.extend(match (&request.format.writer, target) {
        (Writer::Text(write), _) => text(target, out, |out| write(index, request.template, out))?,
        (Writer::Folder(write), Some(target)) => folder(target, |made| write(index, target, made))?,
        _ => return Err(unnamed(request.format)),
    });
    Ok(omitted)
}

fn unnamed(format: &Format) -> Error {
    let message = format!("the format {} cannot be written to standard output", format.name);
    Error::wrong_request(message).hint("name a file or folder with -o")
}

fn text(
    target: Option<&Path>,
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> Result<Vec<Omitted>>,
) -> Result<Vec<Omitted>> {
    let Some(target) = target else {
        let mut out = BufWriter::new(out);
        let omitted = write(&mut out)?;
        out.write_all(b"\n").and_then(|()| out.flush()).map_err(|error| Error::output(&error))?;
        return Ok(omitted);
    };
    let mut omitted = Vec::new();
    new_file(target, |file| {
        let mut buffered = BufWriter::new(file);
        omitted = write(&mut buffered)?;
        let ended = buffered.write_all(b"\n").and_then(|()| buffered.flush());
        ended.map_err(|error| failed(target, &error))
    })?;
    Ok(omitted)
}
