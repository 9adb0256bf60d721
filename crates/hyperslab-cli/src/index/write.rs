//! Writing an index: beside its place, then renamed, so that it has its name only when it is complete.

use super::arguments::{IndexArgs, IndexFormat};
use super::urls::{Urls, common_folder};
use super::{input, options};
use crate::absent;
use crate::failure::Failure;
use hyperslab::File;
use hyperslab::io::Location;
use hyperslab_index::{
    Index, Omitted, write_dmrpp, write_hsds, write_kerchunk, write_kerchunk_parquet, write_native, write_zarr,
};
use hyperslab_netcdf::Netcdf;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::Command;

/// Set by the command that Python starts: the interpreter, which has Icechunk's library.
const INTERPRETER: &str = "HYPERSLAB_INTERPRETER";
/// Files that a folder of ours contains: only such a folder is replaced.
const MARKS: [&str; 4] = [".zmetadata", "zarr.json", "repo", "config.yaml"];

/// The names of indexes that are not complete.
const TEMPORARY: &str = ".hyperslab-index-";

/// What is said of an index that was written.
pub(super) struct Written {
    /// What the file lacks.
    pub(super) absent: Vec<String>,
    /// What was left out.
    pub(super) omitted: Vec<Omitted>,
}

/// Writes the index of one file to `target`, or as text to `out`.
pub(super) fn one(
    path: &Path,
    args: &IndexArgs,
    urls: &Urls,
    target: Option<&Path>,
    out: &mut dyn Write,
) -> Result<Written, Failure> {
    let file = input::open(path)?;
    let url = urls.of(path, &file)?;
    let omitted = match args.format {
        IndexFormat::Dmrpp => text_file(target, out, |out| {
            let name =
                Location::from(file.name()).file_name().map(|name| name.to_string_lossy().into_owned());
            Ok(write_dmrpp(&Netcdf::open(&file)?, &name.unwrap_or_default(), &url, out)?)
        }),
        IndexFormat::Hyperslab => match target {
            Some(target) => native(&file, &url, target),
            None => Err(Failure::wrong_request("this format needs a file to write").hint("name it with -o")),
        },
        _ => combined(Index::build(&file, &url, &options(args))?, args, target, out),
    }?;
    Ok(Written { absent: absent::of(&file), omitted })
}

/// Writes an index of one or several files to `target`, or as text to `out`. Returns what was left out.
pub(super) fn combined(
    index: Index,
    args: &IndexArgs,
    target: Option<&Path>,
    out: &mut dyn Write,
) -> Result<Vec<Omitted>, Failure> {
    let mut omitted = index.omitted.clone();
    omitted.extend(match (args.format, target) {
        (IndexFormat::Kerchunk, target) => text_file(target, out, |out| {
            let template = if args.template { common_folder(&index.files) } else { "" };
            write_kerchunk(&index, template, out)?;
            Ok(Vec::new())
        })?,
        (IndexFormat::Hsds, target) => text_file(target, out, |out| Ok(write_hsds(&index, out)?))?,
        (IndexFormat::KerchunkParquet, Some(target)) => folder(target, |made| {
            write_kerchunk_parquet(&index, made).map_err(|error| failed(target, &error))?;
            Ok(Vec::new())
        })?,
        (IndexFormat::Zarr, Some(target)) => {
            folder(target, |made| write_zarr(&index, made).map_err(|error| failed(target, &error)))?
        }
        (IndexFormat::Icechunk, Some(target)) => folder(target, |made| icechunk(&index, target, made))?,
        (format, _) => {
            return Err(Failure::wrong_request(format!(
                "{format:?} cannot be written to standard output; use `-o`"
            )));
        }
    });
    Ok(omitted)
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::unreadable(format!("{}: {error}", path.display()))
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn text_file(
    target: Option<&Path>,
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> Result<Vec<Omitted>, Failure>,
) -> Result<Vec<Omitted>, Failure> {
    let Some(target) = target else {
        let mut out = BufWriter::new(out);
        let omitted = write(&mut out)?;
        out.write_all(b"\n")?;
        out.flush()?;
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

fn native(file: &File, url: &str, target: &Path) -> Result<Vec<Omitted>, Failure> {
    new_file(target, |out| Ok(write_native(file, url, BufWriter::new(out))?))?;
    Ok(Vec::new())
}

/// Writes a file beside its place, and gives it its name when it is complete. A device or pipe is written to.
fn new_file(target: &Path, write: impl FnOnce(&mut fs::File) -> Result<(), Failure>) -> Result<(), Failure> {
    let failed = |error: io::Error| failed(target, &error);
    if fs::metadata(target).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        let mut file = fs::OpenOptions::new().write(true).open(target).map_err(failed)?;
        return write(&mut file);
    }
    // A link keeps leading to the file.
    let place = target.canonicalize();
    let target = place.as_deref().unwrap_or(target);
    let mut made = open_to_all(&mut tempfile::Builder::new(), 0o666)
        .prefix(TEMPORARY)
        .tempfile_in(parent(target))
        .map_err(|error| not_begun(target, &error))?;
    write(made.as_file_mut())?;
    made.persist(target).map_err(|error| failed(error.error))?;
    Ok(())
}

/// What is made has the permissions of any new file: the user's mask takes from them what it does not allow.
#[cfg(unix)]
fn open_to_all<'b, 'p, 's>(
    builder: &'b mut tempfile::Builder<'p, 's>,
    mode: u32,
) -> &'b mut tempfile::Builder<'p, 's> {
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))
}

#[cfg(not(unix))]
fn open_to_all<'b, 'p, 's>(
    builder: &'b mut tempfile::Builder<'p, 's>,
    _: u32,
) -> &'b mut tempfile::Builder<'p, 's> {
    builder
}

/// The name of the temporary file is nothing to the user.
fn not_begun(target: &Path, error: &io::Error) -> Failure {
    let reason = match error.kind() {
        io::ErrorKind::NotFound => "there is no such folder".to_owned(),
        io::ErrorKind::PermissionDenied => "no file may be written in this folder".to_owned(),
        // The words of the system, without the temporary name.
        _ => error.to_string().split(" at path ").next().unwrap_or_default().to_owned(),
    };
    let message = format!("-o {}: cannot be written: {reason}", target.display());
    Failure::wrong_request(message).hint("nothing was written; name a file in a folder that is there")
}

/// Fills a new folder that then replaces `target`, if that is an earlier index or does not exist.
fn folder(
    target: &Path,
    write: impl FnOnce(&Path) -> Result<Vec<Omitted>, Failure>,
) -> Result<Vec<Omitted>, Failure> {
    let is_ours = || MARKS.iter().any(|mark| target.join(mark).exists());
    let is_empty = || fs::read_dir(target).is_ok_and(|mut entries| entries.next().is_none());
    if target.exists() && !is_empty() && !is_ours() {
        let message = format!("{}: there is something else than an index", target.display());
        return Err(Failure::wrong_request(message).hint("name another folder"));
    }
    let failed = |error: io::Error| failed(target, &error);
    let made = open_to_all(&mut tempfile::Builder::new(), 0o777)
        .prefix(TEMPORARY)
        .tempdir_in(parent(target))
        .map_err(|error| not_begun(target, &error))?;
    let omitted = write(made.path())?;
    if target.exists() {
        fs::remove_dir_all(target).map_err(failed)?;
    }
    fs::rename(made.path(), target).map_err(failed)?;
    // It has another name now, and is not removed.
    let _ = made.keep();
    Ok(omitted)
}

/// Lets Icechunk's own library write its repository, from the hierarchy of Zarr 3.
fn icechunk(index: &Index, target: &Path, made: &Path) -> Result<Vec<Omitted>, Failure> {
    let interpreter = std::env::var_os(INTERPRETER).ok_or_else(|| {
        Failure::wrong_request("the format icechunk needs the command of the Python package")
            .hint("pip install hyperslab[icechunk]")
    })?;
    let zarr = tempfile::tempdir_in(parent(target)).map_err(|error| failed(target, &error))?;
    let omitted = write_zarr(index, zarr.path()).map_err(|error| failed(target, &error))?;
    let mut command = Command::new(interpreter);
    let done = command.args(["-m", "hyperslab.icechunk"]).arg(zarr.path()).arg(made).output();
    let done = done.map_err(|error| failed(target, &error))?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it ended without a message");
        return Err(Failure::unreadable(format!("{}: icechunk: {last}", target.display())));
    }
    Ok(omitted)
}
