//! Repacks one file: plan, write beside the target, verify, and give it its name.

use super::advice::{Advised, advised};
use super::converted::{self, Opened};
use super::model::{Document, Outcome, Plan};
use super::observer::Observer;
use super::read_effects;
use super::request::Profile;
use crate::error::system_text;
use crate::{Error, absent, doctor, files};
use hyperslab::File;
use hyperslab::hdf5::page_bytes;
use hyperslab_convert::Converted;
use hyperslab_convert::classic::Version;
use hyperslab_io::wrap::EarlySync;
use hyperslab_io::{LocalSink, Sink};
use hyperslab_netcdf::Omitted;
use hyperslab_repack::{
    Lost, Monitor, MovedFolder, OutputFile, RepackError, RepackOptions, RepackPlan, SampleSize, cmip7_rules,
    cmip7_variable,
};
use std::collections::BTreeSet;
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

/// New files go to the device in pieces of so many bytes, while the next ones are encoded.
const SYNC_BYTES: u64 = 32 << 20;

/// Most of such a file is data that the profile is about.
const NO_CMIP7_VARIABLE: &str = "--profile cmip7: no global attribute variable_id names a variable of the root group, so that no \
     data variable is changed";

/// What is done with each file.
pub(super) struct Job {
    pub options: RepackOptions,
    pub overwrite: bool,
    pub in_place: bool,
    /// The version of netCDF classic that new files have, if that was asked for.
    pub classic: Option<Version>,
    /// True if new files are to be as h4toh5 makes them.
    pub is_hdf5_h4: bool,
    pub is_dry_run: bool,
    /// True if the doctor's fixes are taken.
    pub likes_doctor: bool,
    pub profile: Option<Profile>,
    /// True if a file with pages keeps them, unless something else is asked for.
    pub keeps_pages: bool,
    /// The folder for temporary files; that of the new file if it is not given.
    pub folder: Option<PathBuf>,
    /// All new files of this run, absolute.
    pub outputs: BTreeSet<PathBuf>,
}

impl Job {
    /// Repacks a file, and writes what was done into the document.
    pub fn run(
        &self,
        input: &Path,
        output: &Path,
        observer: &dyn Observer,
        document: &mut Document,
    ) -> Result<(), Error> {
        let begun = Instant::now();
        // A remote file is checked by its requests.
        let before = (!files::is_url(input)).then(|| Identity::of(input)).transpose()?;
        if self.in_place && before.is_none() {
            let message = format!("{}: a remote file cannot be replaced in place", files::shown(input));
            return Err(Error::wrong_request(message).hint("`repack IN OUT` writes a new file"));
        }
        if !self.in_place {
            self.check_output(before.as_ref(), input, output)?;
        }
        if let Some(version) = self.classic {
            return self.write_classic(version, before.as_ref(), (input, output), observer, document);
        }
        let cancel = observer.cancel();
        // Each chunk is decoded once, so that a cache would only cost memory.
        let opened = File::options().cache_bytes(0).allow_truncated(self.options.keep_going);
        let opened = files::open_file(input, &opened)?;
        let source_bytes = opened.len();
        // What an HDF4 file decodes is not seen in the contiguous datasets that its values are read as.
        let has_comparable_reads = opened.format_word() != "hdf4";
        let Opened { file, converted } =
            converted::opened(opened, input, self.is_hdf5_h4, self.options.keep_going)?;
        if self.in_place && file.is_truncated() {
            let message = format!("{}: a truncated file is not replaced in place", input.display());
            return Err(Error::wrong_request(message).hint("`repack --keep-going IN OUT` writes a new file"));
        }
        // A writer whose readers follow it (SWMR) holds no lock.
        let is_left_open = || {
            let found = hyperslab::AbsentSearch::new(&file).found;
            found.iter().any(|absent| matches!(absent, hyperslab::Absent::Close))
        };
        if self.in_place && is_left_open() {
            let message = format!(
                "{}: a program still writes it, or ended without closing it: it is not replaced in place",
                input.display()
            );
            return Err(Error::wrong_request(message).errno(libc::EAGAIN).about(input.display().to_string()).hint(
                "`repack IN OUT` writes a new file; once no program writes it, `h5clear -s` clears the mark",
            ));
        }
        if self.in_place && file.driver().is_some() {
            let message =
                format!("{}: a file of several members cannot be replaced in place", input.display());
            return Err(Error::wrong_request(message));
        }
        let folder =
            output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut options = self.options.clone();
        options.temporary_folder = self.folder.clone().unwrap_or_else(|| folder.to_owned());
        options.moved = moved(input, folder, &self.outputs);
        let (threads, is_verified) = (options.threads, options.verify);
        let failed = |error: RepackError| failure(error, input, output);
        let kept = self.adapt(&mut options, &file, input, converted.as_ref())?;
        let plan = RepackPlan::new(&file, options).map_err(failed)?;
        let mut shown = Plan::new(&plan).map_err(failed)?;
        shown.keep(&kept);
        shown.notes = self.notes(&plan, &file, before.as_ref()).map_err(failed)?;
        let (notes, left_out) =
            converted.map(|converted| (converted.notes, converted.lost)).unwrap_or_default();
        shown.notes.extend(notes);
        if self.is_dry_run {
            shown.predict(&plan.estimate(SampleSize::default()).map_err(failed)?);
        }
        document.plan = Some(shown);
        if self.is_dry_run {
            return Ok(());
        }
        let (temporary, sink) = self.temporary(before.as_ref(), output)?;
        let monitor = Monitor::new(cancel);
        let name = files::shown(input);
        let changed = read_effects::candidates(&plan);
        let work = || -> Result<_, Error> {
            let repacked = plan.run(&sink, &monitor).map_err(failed)?;
            let target = File::options().cache_bytes(0).open(temporary.temporary())?;
            let mut verified = None;
            if is_verified {
                verified = Some(repacked.verify(&target, threads, &monitor).map_err(failed)?);
            }
            let reads = match has_comparable_reads {
                true => read_effects::read_effects(&changed, &repacked, &target),
                false => Default::default(),
            };
            Ok((repacked, verified, reads))
        };
        let (mut work, mut done) = (Some(work), None);
        observer.watch(&name, &monitor, &mut || done = work.take().map(|work| work()));
        let (repacked, verified, reads) = done.unwrap_or_else(|| Err(interrupted(input)))?;
        publish(before.as_ref(), (input, output), temporary, &sink)?;
        let seconds = begun.elapsed().as_secs_f64();
        let mut outcome = Outcome::new(&repacked, source_bytes, seconds, verified);
        let lost = |(what, Omitted { path, reason })| Lost { path, what, error: reason };
        outcome.lost.extend(left_out.into_iter().map(lost));
        document.result = Some(Outcome { reads, ..outcome });
        Ok(())
    }

    /// Adds the rules that depend on the file. They are applied first; options of the command line override them. Returns
    /// datasets that stay as they are, with the reasons.
    fn adapt(
        &self,
        options: &mut RepackOptions,
        file: &File,
        input: &Path,
        converted: Option<&Converted>,
    ) -> Result<Vec<(String, String)>, Error> {
        if self.keeps_pages && converted.is_none() && options.write.page_bytes.is_none() {
            options.write.page_bytes = page_bytes(file)?;
        }
        let moved = converted.map_or(&[][..], |converted| &converted.moved);
        let mut added = Vec::new();
        if let Some(converted) = converted.filter(|_| self.is_hdf5_h4) {
            added.extend(converted::as_stored(&converted.values));
            options.changes.growing.clone_from(&converted.growing);
        }
        let mut kept = Vec::new();
        if let Some(Profile::Cmip7) = self.profile {
            added.extend(cmip7_rules(file).map_err(|error| failure(error, input, input))?);
        }
        if self.likes_doctor {
            let mut advice = doctor::advice(input)?;
            let paths =
                advice.iter_mut().flat_map(|one| [&mut one.dataset, &mut one.change.dataset]).flatten();
            for path in paths {
                if let Some((_, new)) = moved.iter().find(|(old, _)| old == path) {
                    path.clone_from(new);
                }
            }
            let Advised { rules, page_bytes, kept: reasons } = advised(advice);
            added.extend(rules);
            options.write.page_bytes = options.write.page_bytes.or(page_bytes);
            kept = reasons;
        }
        options.changes.rules.splice(0..0, added);
        Ok(kept)
    }

    /// What is worth knowing about a plan, and not to be seen in it.
    fn notes(
        &self,
        plan: &RepackPlan,
        file: &File,
        before: Option<&Identity>,
    ) -> Result<Vec<String>, RepackError> {
        let mut notes = absent::of(file);
        if let Some(Profile::Cmip7) = self.profile
            && cmip7_variable(file)?.is_none()
        {
            notes.push(NO_CMIP7_VARIABLE.into());
        }
        let unlimited = &self.options.changes.unlimited;
        notes.extend(
            unlimited.iter().map(|name| format!("the dimension {name} has no limit in the new file")),
        );
        if plan.leaves_only_the_root() {
            notes.push("no object but the root group is left".into());
        }
        let names = before.map_or(1, Identity::names);
        if self.in_place && names > 1 {
            notes.push(format!(
                "the file has {names} names (hard links); the others keep the file as it was before"
            ));
        }
        Ok(notes)
    }

    /// The temporary file in the folder of the new one, and where its bytes go.
    pub(super) fn temporary(
        &self,
        before: Option<&Identity>,
        output: &Path,
    ) -> Result<(OutputFile, EarlySync<LocalSink>), Error> {
        let temporary = OutputFile::create(output, self.overwrite || self.in_place)
            .map_err(|error| creation_failure(output, &error))?;
        if let Some(before) = before {
            temporary.restrict(&before.metadata).map_err(|error| wrong(output, &error))?;
        }
        let handle = temporary.handle().map_err(|error| wrong(output, &error))?;
        Ok((temporary, EarlySync::new(LocalSink::from_file(handle, output), SYNC_BYTES)))
    }

    fn check_output(&self, before: Option<&Identity>, input: &Path, output: &Path) -> Result<(), Error> {
        let Ok(existing) = std::fs::canonicalize(output) else { return Ok(()) };
        let existing_file = Identity::of(&existing)?;
        if before.is_some_and(|before| before.is_file(&existing_file)) {
            let message = format!("{} and {} are the same file", input.display(), output.display());
            return Err(Error::wrong_request(message).hint("`--in-place` replaces a file safely"));
        }
        if existing.is_dir() {
            return Err(Error::wrong_request(format!("{} is a folder", output.display())));
        }
        match self.overwrite || self.is_dry_run {
            true => Ok(()),
            false => Err(exists(output)),
        }
    }
}

/// Gives a complete file its name, if the one that was read is still the same.
pub(super) fn publish(
    before: Option<&Identity>,
    (input, output): (&Path, &Path),
    temporary: OutputFile,
    sink: &dyn Sink,
) -> Result<(), Error> {
    if let Some(before) = before {
        if Identity::of(input)? != *before {
            let name = files::shown(input);
            let message = format!("{name} changed while it was read; {} was not written", output.display());
            return Err(Error::unreadable(message));
        }
        temporary.take_attributes(&before.metadata).map_err(|error| wrong(output, &error))?;
    }
    sink.sync().map_err(|error| wrong(output, &error))?;
    temporary.publish().map_err(|error| creation_failure(output, &error))
}

fn wrong(output: &Path, error: &io::Error) -> Error {
    Error::system(format!("{}: {error}", output.display()), error)
}

/// The folders of a file and of the new one; `None` if they cannot be found.
fn moved(input: &Path, to: &Path, outputs: &BTreeSet<PathBuf>) -> Option<MovedFolder> {
    let from = std::fs::canonicalize(input).ok()?.parent()?.to_owned();
    let to = std::fs::canonicalize(to).ok()?;
    Some(MovedFolder { from, to, also_written: outputs.clone() })
}

/// A file on the disk, to see whether it changes.
pub(super) struct Identity {
    metadata: Metadata,
}

impl Identity {
    fn of(path: &Path) -> Result<Self, Error> {
        let metadata = std::fs::metadata(path).map_err(|error| {
            let message = format!("{}: {}", path.display(), system_text(&error));
            let hint = "check the path, including upper and lower case";
            Error::request_of_system(message, &error).hint(hint).about(path.display().to_string())
        })?;
        Ok(Self { metadata })
    }

    /// The number of its names in the file system.
    #[cfg(unix)]
    fn names(&self) -> u64 {
        std::os::unix::fs::MetadataExt::nlink(&self.metadata)
    }

    #[cfg(not(unix))]
    fn names(&self) -> u64 {
        1
    }

    fn modified(&self) -> Option<SystemTime> {
        self.metadata.modified().ok()
    }

    #[cfg(unix)]
    fn is_file(&self, other: &Self) -> bool {
        use std::os::unix::fs::MetadataExt;
        let (a, b) = (&self.metadata, &other.metadata);
        (a.dev(), a.ino()) == (b.dev(), b.ino())
    }

    #[cfg(not(unix))]
    fn is_file(&self, other: &Self) -> bool {
        self.modified() == other.modified() && self.metadata.len() == other.metadata.len()
    }
}

impl PartialEq for Identity {
    /// True for the same file in the same state.
    fn eq(&self, other: &Self) -> bool {
        self.is_file(other)
            && self.metadata.len() == other.metadata.len()
            && self.modified() == other.modified()
    }
}

fn exists(output: &Path) -> Error {
    let shown = output.display().to_string();
    Error::exists(format!("{shown} exists")).hint("`--overwrite` replaces it").about(shown)
}

fn creation_failure(output: &Path, error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::AlreadyExists => exists(output),
        io::ErrorKind::WouldBlock => {
            Error::system(format!("{} is being written by another process", output.display()), error)
        }
        // A file system that has no place for new files.
        io::ErrorKind::NotFound if output.parent().is_some_and(Path::is_dir) => {
            Error::system(format!("{}: no file can be created in this folder", output.display()), error)
        }
        io::ErrorKind::NotFound => {
            Error::request_of_system(format!("{}: there is no such folder", output.display()), error)
        }
        _ => Error::system(format!("{}: {error}", output.display()), error),
    }
    .about(output.display().to_string())
}

pub(super) fn interrupted(input: &Path) -> Error {
    Error::interrupted(format!("{}: interrupted; nothing was written", files::shown(input)))
}

fn failure(error: RepackError, input: &Path, output: &Path) -> Error {
    if error.is_cancelled() {
        return interrupted(input);
    }
    let is_wrong_request = error.is_wrong_request();
    match error {
        RepackError::Read(error) => {
            // What is damaged in the data of a dataset; of what is before it, no copy can be made.
            let is_data =
                error.kind() == hyperslab::ErrorKind::Damaged && error.to_string().contains(": chunk [");
            let failure = Error::from(error);
            match is_data && failure.hint.is_none() {
                true => failure
                    .hint("`--keep-going` writes fill values in place of damaged chunks, and lists them"),
                false => failure,
            }
        }
        other => {
            let message = format!("{}: {other}", files::shown(input));
            if let Some(object) = other.missing_object() {
                let error = Error { object: Some(object.to_owned()), ..Error::not_found(message) };
                return error.about(files::shown(input));
            }
            match (is_wrong_request, other.system()) {
                (true, _) => Error::wrong_request(message).about(files::shown(input)),
                (false, Some(system)) => Error::system(message, system).about(output.display().to_string()),
                (false, None) => Error::unreadable(message).about(files::shown(input)),
            }
        }
    }
}
