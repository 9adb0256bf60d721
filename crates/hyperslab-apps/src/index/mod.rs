//! Where every chunk of a file lies, in the format of another reader.
//!
//! ```text
//! files ──► input.rs: open, perhaps with an index ──► format/ ──► place.rs: temporary, then its name
//!             └── urls.rs: where readers find it
//! ```

mod format;
mod input;
mod place;
mod urls;
mod write;

pub use format::{ALL as FORMATS, Format};
pub use hyperslab_index::Omitted;

use crate::files::is_folder;
use crate::outputs::{Output, OutputKind, check_outputs};
use crate::runner::{self, FileOutcome, FilesObserver, Found, PassedOver, Settings};
use crate::{Error, Result};
use hyperslab::Absent;
use hyperslab_index::{BuildOptions, Index};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use urls::Urls;

/// What is indexed, and how.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Request {
    /// Files, folders of them, or indexes of the format `hyperslab`.
    pub files: Vec<PathBuf>,
    /// The format of the index.
    #[serde(with = "format::by_name")]
    pub format: &'static Format,
    /// The file or folder to write; none for text that is handed on.
    pub output: Option<PathBuf>,
    /// Where readers find the file; `{name}` is its name, `{path}` its path as given.
    pub url: Option<String>,
    /// Names the files by paths relative to the folder of the output.
    pub relative: bool,
    /// Writes the folder of the files once, as a template that can be changed.
    pub template: bool,
    /// Combines all files along this dimension.
    pub concat: Option<String>,
}

/// What is said of an index that was written.
#[derive(Debug)]
pub struct Written {
    /// What the file lacks.
    pub absent: Vec<Absent>,
    /// What was left out.
    pub omitted: Vec<Omitted>,
}

/// Files that are about to be indexed.
pub struct Indexing<'r> {
    request: &'r Request,
    files: Vec<PathBuf>,
    urls: Urls,
    is_single: bool,
    /// The other files of folders that were named.
    pub passed_over: PassedOver,
    /// The new index of each file, where each has its own.
    targets: BTreeMap<PathBuf, PathBuf>,
}

impl<'r> Indexing<'r> {
    /// Finds the files.
    ///
    /// # Errors
    /// A request that is wrong, and folders that cannot be read.
    pub fn new(request: &'r Request) -> Result<Self> {
        if request.template && !request.format.has_template {
            return Err(Error::wrong_request("--template is for the format kerchunk"));
        }
        if request.output.is_none() && !request.format.is_text() {
            let error = Error::wrong_request("this format needs a file or folder to write");
            return Err(error.hint("name it with -o"));
        }
        let Found { files, passed_over } = runner::files(&request.files)?;
        if files.is_empty() {
            return Err(Error::wrong_request(passed_over.nothing_found()));
        }
        let urls = Urls::new(request)?;
        let is_single = request.files.len() == 1 && !is_folder(&request.files[0]);
        if request.concat.is_some() && !request.format.combines {
            let error = Error::wrong_request("an index of this format is about one file");
            return Err(error.hint("leave out --concat"));
        }
        let mut targets = BTreeMap::new();
        if request.concat.is_none() && !is_single {
            let Some(folder) = &request.output else {
                let error = Error::wrong_request("several files need a folder for their indexes, -o OUT");
                return Err(error.hint("or combine the files along a dimension with --concat"));
            };
            targets = self::targets(request, &files, folder)?;
        }
        let own = request.output.iter().filter(|_| targets.is_empty());
        let outputs: Vec<Output<'_>> = own
            .chain(targets.values())
            .map(|path| Output { option: "-o", path, kind: OutputKind::Report })
            .collect();
        check_outputs(&outputs, &files)?;
        Ok(Self { request, files, urls, is_single, passed_over, targets })
    }

    /// True if each of several files has its own index.
    pub fn makes_several(&self) -> bool {
        !self.targets.is_empty()
    }

    /// Writes the index, or those of all files. Text without a place goes to `out`. `each` is told of each file as it is done, and
    /// without a file of an index of all together.
    ///
    /// # Errors
    /// Those of `each`; and of a single file or of an index of all together, why it was not written.
    pub fn run<E: From<Error> + Send>(
        &self,
        settings: &Settings<'_>,
        observer: &dyn FilesObserver,
        out: &mut dyn Write,
        mut each: impl FnMut(Option<&Path>, Result<Written>) -> Result<FileOutcome, E>,
    ) -> Result<(), E> {
        let request = self.request;
        if let Some(dimension) = &request.concat {
            return self.concat(dimension, settings, observer, out, each);
        }
        if self.is_single {
            let written = write::one(&self.files[0], request, &self.urls, request.output.as_deref(), out)?;
            return each(Some(&self.files[0]), Ok(written)).map(|_| ());
        }
        let work = |path: &Path| {
            let target = &self.targets[path];
            let made = target.parent().map_or(Ok(()), std::fs::create_dir_all);
            made.map_err(|error| place::failed(target, &error))?;
            write::one(path, request, &self.urls, Some(target), &mut std::io::sink())
        };
        runner::run(&self.files, settings, observer, work, |path, done| each(Some(path), done))
    }

    /// One index of all files.
    fn concat<E: From<Error> + Send>(
        &self,
        dimension: &str,
        settings: &Settings<'_>,
        observer: &dyn FilesObserver,
        out: &mut dyn Write,
        mut each: impl FnMut(Option<&Path>, Result<Written>) -> Result<FileOutcome, E>,
    ) -> Result<(), E> {
        if settings.shard.is_some() || settings.resume.is_some() {
            let error =
                Error::wrong_request("--shard and --resume are for an index of each file, not for --concat");
            let hint = "share the files out with --format hyperslab, and combine their indexes";
            return Err(error.hint(hint).into());
        }
        let options = options(self.request);
        let build = |path: &Path| -> Result<(Vec<Absent>, Index)> {
            let file = input::open(path)?;
            let index = Index::build(&file, &self.urls.of(path, &file)?, &options)?;
            Ok((hyperslab::absent(&file), index))
        };
        let mut indexes = Vec::new();
        runner::run(&self.files, settings, observer, build, |path, built| {
            let (absent, index) = built?;
            indexes.push(index);
            each(Some(path), Ok(Written { absent, omitted: Vec::new() }))
        })?;
        let index = Index::concat(dimension, indexes).map_err(Error::from)?;
        let omitted = write::combined(&index, self.request, self.request.output.as_deref(), out)?;
        each(None, Ok(Written { absent: Vec::new(), omitted })).map(|_| ())
    }
}

/// How the index of a file is built for this format.
fn options(request: &Request) -> BuildOptions {
    BuildOptions { fill: request.format.fill, concat: request.concat.clone() }
}

/// The index of each file: below OUT as the file lies below the folder that was named, with the ending of the format.
fn targets(request: &Request, files: &[PathBuf], out: &Path) -> Result<BTreeMap<PathBuf, PathBuf>> {
    let folders: Vec<&PathBuf> = request.files.iter().filter(|named| named.is_dir()).collect();
    // Which file has which index: no two have the same.
    let mut taken: BTreeMap<PathBuf, &PathBuf> = BTreeMap::new();
    for file in files {
        let below = match folders.iter().find(|named| file.starts_with(named)) {
            Some(folder) => file.strip_prefix(folder).unwrap_or(file).to_owned(),
            None => {
                hyperslab::io::Location::from(file.clone()).file_name().map(PathBuf::from).unwrap_or_default()
            }
        };
        let mut name = below.into_os_string();
        name.push(format!(".{}", request.format.ending));
        let target = out.join(name);
        if let Some(other) = taken.get(&target) {
            let (other, file, target) = (other.display(), file.display(), target.display());
            return Err(Error::wrong_request(format!(
                "{other} and {file} would both have the index {target}"
            )));
        }
        taken.insert(target, file);
    }
    Ok(taken.into_iter().map(|(target, file)| (file.clone(), target)).collect())
}
