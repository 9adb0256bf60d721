//! Rewrites files: chunks, filters, layouts, objects.
//!
//! ```text
//! Request ──► rules (change set) ─┐
//! inputs, output ──► targets ──► runner ──► one_file: plan, write beside the output, verify, rename ──► Document
//! ```

mod advice;
mod classic;
mod converted;
mod h5repack;
mod memory;
mod model;
mod observer;
mod one_file;
mod read_effects;
mod recipe;
mod request;
mod rules;
mod targets;
mod words;

pub use model::{Document, Encoder, Kept, Outcome, Plan, RaisedFeature, Renamed, Rounding, Selection};
pub use observer::{Observer, Quiet};
pub use read_effects::{Counts, ReadEffect};
pub use request::{Libver, NewFormat, Profile, Request};

use crate::runner::{self, FilesObserver, Log, Settings};
use crate::{Error, Result};
use hyperslab_repack::RepackOptions;
use hyperslab_write::WriteOptions;
use one_file::Job;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use targets::Targets;

/// Files that are about to be rewritten.
pub struct Repack {
    /// The files, in order of name.
    pub inputs: Vec<PathBuf>,
    /// True for exactly one file that was named.
    pub is_single: bool,
    /// Files that were found in the output folder, because it lies in a folder that was named: those of earlier runs.
    pub passed_over: Vec<PathBuf>,
    /// Remarks on what was found.
    pub notes: Vec<String>,
    outputs: BTreeMap<PathBuf, PathBuf>,
    job: Job,
    jobs: usize,
}

/// How a file ended.
#[derive(Debug)]
pub enum RepackOutcome {
    /// It was rewritten, or planned.
    Done,
    /// It was not.
    Failed(Error),
    /// The run was interrupted before.
    NotBegun,
}

impl Repack {
    /// Finds the files, and reads the words of the request. `jobs` files will be rewritten at a time.
    ///
    /// # Errors
    /// A request that is wrong, and folders that cannot be read.
    pub fn new(request: &Request, jobs: usize) -> Result<Self> {
        let (mut changes, objects) = rules::requests(request)?;
        if let Some(folder) = request.folder.as_deref().filter(|folder| !folder.is_dir()) {
            return Err(Error::wrong_request(format!(
                "--folder {}: there is no such folder",
                folder.display()
            )));
        }
        let Targets { inputs, outputs, is_single, passed_over, notes } = targets::targets(request)?;
        changes.is_for_several = !is_single;
        let jobs = jobs.clamp(1, inputs.len().max(1));
        let memory_bytes = memory::bytes_of_each(request.memory, jobs)?;
        let low = request.low();
        let options = RepackOptions {
            write: WriteOptions { page_bytes: request.page_bytes, low, ..WriteOptions::default() },
            user_block_bytes: request.user_block,
            objects,
            changes,
            memory_bytes,
            threads: hyperslab::threads().div_ceil(jobs),
            gzip: request.encoder,
            verify: !request.no_verify,
            keep_going: request.keep_going,
            moved: None,
            temporary_folder: std::env::temp_dir(),
        };
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let job = Job {
            options,
            outputs: outputs.values().map(absolute).collect(),
            overwrite: request.overwrite,
            in_place: request.in_place,
            classic: request.classic()?,
            is_hdf5_h4: request.to == Some(NewFormat::Hdf5H4),
            is_dry_run: request.dry_run,
            likes_doctor: request.like_doctor,
            profile: request.profile,
            keeps_pages: request.keeps_pages(),
            folder: request.folder.clone(),
        };
        Ok(Self { inputs, is_single, passed_over, notes, outputs, job, jobs })
    }

    /// Files that are rewritten at a time.
    pub fn jobs(&self) -> usize {
        self.jobs
    }

    /// Rewrites the files, and hands on what was done with each, in order.
    ///
    /// # Errors
    /// Those of `each`, of the log, and an interruption that left files. What goes wrong with a file is its ending.
    pub fn run<E: From<Error> + Send>(
        &self,
        settings: &Settings<'_>,
        files: &dyn FilesObserver,
        observer: &dyn Observer,
        mut each: impl FnMut(Document, RepackOutcome) -> Result<(), E>,
    ) -> Result<(), E> {
        // A dry run passes over what is finished, and notes nothing.
        let (log, finished) = match settings.resume {
            Some(path) if self.job.is_dry_run => (None, Log::read(path)?),
            Some(path) => Log::open(path).map(|(log, finished)| (Some(log), finished))?,
            None => (None, BTreeSet::new()),
        };
        let cancel = observer.cancel();
        let work = |input: &Path| {
            let output = self.outputs.get(input).map_or(input, |output| output);
            let mut document = Document::new(input, output);
            if cancel.is_cancelled() {
                return (document, RepackOutcome::NotBegun);
            }
            let done = self
                .make_folder(output)
                .and_then(|()| self.job.run(input, output, observer, &mut document))
                // At once, because the new file has its name from now on; results wait for those of files before them.
                .and_then(|()| log.as_ref().map_or(Ok(()), |log| log.note(input)));
            (document, done.map_or_else(RepackOutcome::Failed, |()| RepackOutcome::Done))
        };
        let mut not_begun = 0;
        let deliver = |_: &Path, (document, ending): (Document, RepackOutcome)| {
            not_begun += usize::from(matches!(ending, RepackOutcome::NotBegun));
            each(document, ending)
        };
        let settings = Settings { jobs: self.jobs, ..settings.clone() };
        runner::run_others(&self.inputs, &settings, files, &finished, work, deliver)?;
        match not_begun {
            0 => Ok(()),
            1 => Err(Error::interrupted("interrupted; 1 file was not begun").into()),
            _ => Err(Error::interrupted(format!("interrupted; {not_begun} files were not begun")).into()),
        }
    }

    /// Makes the folder of a file that is one of many.
    fn make_folder(&self, output: &Path) -> Result<()> {
        let is_made = !self.is_single && !self.job.is_dry_run && !self.job.in_place;
        let folder = output.parent().filter(|_| is_made);
        folder
            .map_or(Ok(()), std::fs::create_dir_all)
            .map_err(|error| Error::system(format!("{}: {error}", output.display()), &error))
    }
}
