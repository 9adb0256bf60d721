//! `hyperslab index`: where every chunk of a file lies, in the format of another reader.
//!
//! ```text
//! FILE... ──► input.rs: open, perhaps with an index ──► hyperslab-index ──► write.rs: temporary, then its name
//!                └── urls.rs: where readers find it
//! ```

pub(crate) mod arguments;
mod input;
mod urls;
mod write;

use crate::absent;
use crate::failure::{self, Failure, one_line};
use crate::write_file::{Output, OutputKind, check_outputs};
use arguments::{IndexArgs, IndexFormat};
use hyperslab_apps::files::{self, is_folder};
use hyperslab_apps::runner::{self, FileOutcome, Found};
use hyperslab_index::{BuildOptions, FillMeaning, Index, Omitted};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use urls::Urls;

/// Runs the command.
pub(crate) fn run(args: &IndexArgs, out: &mut dyn Write, err: &mut dyn Write) -> Result<i32, Failure> {
    if args.template && args.format != IndexFormat::Kerchunk {
        return Err(Failure::wrong_request("--template is for the format kerchunk"));
    }
    if args.output.is_none() && !args.format.is_text() {
        return Err(
            Failure::wrong_request("this format needs a file or folder to write").hint("name it with -o")
        );
    }
    let Found { files, passed_over } = runner::files(&args.files)?;
    if files.is_empty() {
        return Err(Failure::wrong_request(passed_over.nothing_found()));
    }
    if let Some(text) = passed_over.text() {
        let _ = writeln!(err, "note: {text}");
    }
    let urls = Urls::new(args)?;
    let is_single = args.files.len() == 1 && !is_folder(&args.files[0]);
    if let Some(dimension) = &args.concat {
        return concat(args, &files, dimension, &urls, out, err);
    }
    if is_single {
        let written = write::one(&files[0], args, &urls, args.output.as_deref(), out)?;
        absent::warn(&files::shown(&files[0]), &written.absent, err);
        return Ok(report(args, None, &written.omitted, err));
    }
    each(args, &files, &urls, err)
}

/// How the index of a file is built for this format.
fn options(args: &IndexArgs) -> BuildOptions {
    let fill = match args.format {
        IndexFormat::Kerchunk | IndexFormat::KerchunkParquet => FillMeaning::Mask,
        _ => FillMeaning::Value,
    };
    BuildOptions { fill, concat: args.concat.clone() }
}

/// One index of all files.
fn concat(
    args: &IndexArgs,
    files: &[PathBuf],
    dimension: &str,
    urls: &Urls,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<i32, Failure> {
    if !args.format.combines() {
        return Err(
            Failure::wrong_request("an index of this format is about one file").hint("leave out --concat")
        );
    }
    if args.run.shard.is_some() || args.run.resume.is_some() {
        let message = "--shard and --resume are for an index of each file, not for --concat";
        let hint = "share the files out with --format hyperslab, and combine their indexes";
        return Err(Failure::wrong_request(message).hint(hint));
    }
    let options = options(args);
    let build = |path: &Path| -> Result<(Vec<String>, Index), Failure> {
        let file = input::open(path)?;
        let index = Index::build(&file, &urls.of(path, &file)?, &options)?;
        Ok((absent::of(&file), index))
    };
    let mut indexes = Vec::new();
    runner::run(files, &args.run.settings(), &*args.run.observer(), build, |path, built| {
        let (absent, index) = built?;
        absent::warn(&files::shown(path), &absent, err);
        indexes.push(index);
        Ok::<_, Failure>(FileOutcome::Finished)
    })?;
    let index = Index::concat(dimension, indexes)?;
    let omitted = write::combined(index, args, args.output.as_deref(), out)?;
    Ok(report(args, None, &omitted, err))
}

/// An index of each file, in a folder.
fn each(args: &IndexArgs, files: &[PathBuf], urls: &Urls, err: &mut dyn Write) -> Result<i32, Failure> {
    let Some(folder) = &args.output else {
        let hint = "or combine the files along a dimension with --concat";
        return Err(
            Failure::wrong_request("several files need a folder for their indexes, -o OUT").hint(hint)
        );
    };
    let targets = targets(args, files, folder)?;
    let outputs: Vec<Output<'_>> =
        targets.values().map(|path| Output { option: "-o", path, kind: OutputKind::Report }).collect();
    check_outputs(&outputs, files)?;
    let work = |path: &Path| {
        let target = &targets[path];
        let made = target.parent().map_or(Ok(()), std::fs::create_dir_all);
        made.map_err(|error| Failure::unreadable(format!("{}: {error}", target.display())))?;
        write::one(path, args, urls, Some(target), &mut std::io::sink())
    };
    let mut code = failure::DONE;
    runner::run(files, &args.run.settings(), &*args.run.observer(), work, |path, done| {
        let (ended, ending) = match done {
            Ok(written) => {
                absent::warn(&files::shown(path), &written.absent, err);
                (report(args, Some(path), &written.omitted, err), FileOutcome::Finished)
            }
            Err(failure) => (failure.report(err), FileOutcome::Unfinished),
        };
        code = code.max(ended);
        Ok::<_, Failure>(ending)
    })?;
    Ok(code)
}

/// The index of each file: below OUT as the file lies below the folder that was named, with the ending of the format.
fn targets(args: &IndexArgs, files: &[PathBuf], out: &Path) -> Result<BTreeMap<PathBuf, PathBuf>, Failure> {
    let mut targets: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    for file in files {
        let folder = args.files.iter().find(|named| named.is_dir() && file.starts_with(named));
        let below = match folder {
            Some(folder) => file.strip_prefix(folder).unwrap_or(file).to_owned(),
            None => {
                hyperslab::io::Location::from(file.clone()).file_name().map(PathBuf::from).unwrap_or_default()
            }
        };
        let mut name = below.into_os_string();
        name.push(format!(".{}", args.format.ending()));
        let target = out.join(name);
        if let Some((other, _)) = targets.iter().find(|(_, known)| **known == target) {
            let (other, file, target) = (other.display(), file.display(), target.display());
            return Err(Failure::wrong_request(format!(
                "{other} and {file} would both have the index {target}"
            )));
        }
        targets.insert(file.clone(), target);
    }
    Ok(targets)
}

/// Names what was left out. Returns the exit code.
fn report(args: &IndexArgs, file: Option<&Path>, omitted: &[Omitted], err: &mut dyn Write) -> i32 {
    let file = file.map_or_else(String::new, |file| format!("{}: ", hyperslab_apps::files::shown(file)));
    for omitted in omitted {
        let (path, reason) = (one_line(&omitted.path), one_line(&omitted.reason));
        // If standard error cannot be written, there is nowhere left to report it.
        let _ = writeln!(err, "{}left out: {path}: {reason}", one_line(&file));
    }
    if args.strict && !omitted.is_empty() { failure::FOUND } else { failure::DONE }
}
