//! The files that a command line names: those that are read, and those that are written beside the output.

use crate::args::Command;
use crate::network_args::NetworkArgs;
use hyperslab_apps::outputs::{Output, OutputKind};
use std::path::PathBuf;

impl Command {
    /// The files and folders that are read.
    pub fn inputs(&self) -> Vec<PathBuf> {
        let and = |paths: &[PathBuf], others: &[&Option<PathBuf>]| {
            paths.iter().chain(others.iter().copied().flatten()).cloned().collect()
        };
        match self {
            Command::Ls(args) => vec![args.file.clone()],
            Command::Explain(args) => vec![args.file.clone()],
            Command::Chunks(args) => vec![args.file.clone()],
            Command::Digest(args) => args.files.clone(),
            Command::Doctor(args) => and(&args.paths, &[&args.baseline, &args.reads_from, &args.libhdf5]),
            Command::Advise(args) => and(args.file.as_slice(), &[&args.reads_from, &args.libhdf5]),
            Command::Bench(args) => {
                and(&args.render, &[&args.file, &args.from, &args.compare, &args.reads_from])
            }
            Command::Check(args) => args.paths.clone(),
            Command::Index(args) => args.files.clone(),
            Command::Repack(args) => and(&args.paths, &[&args.recipe, &args.files_from]),
            #[cfg(target_os = "linux")]
            Command::Trace(args) => args.show.iter().cloned().collect(),
            #[cfg(target_os = "linux")]
            Command::Run(args) => args.reads_from.iter().cloned().collect(),
            Command::BenchWorker => Vec::new(),
        }
    }

    /// The files that are written beside the output. What `repack` makes is not among them: it has checks of its own.
    pub fn outputs<'a>(&'a self, network: &'a NetworkArgs) -> Vec<Output<'a>> {
        use OutputKind::{Data, Log, Report};
        let named: Vec<(&'static str, Option<&PathBuf>, OutputKind)> = match self {
            Command::Doctor(args) => vec![
                ("--html", args.html.as_ref(), Report),
                ("--recipe-out", args.summary.recipe_out.as_ref(), Report),
                ("--resume", args.run.resume.as_ref(), Log),
            ],
            Command::Advise(args) => {
                vec![
                    ("--html", args.html.as_ref(), Report),
                    ("--recipe-out", args.recipe_out.as_ref(), Report),
                ]
            }
            Command::Bench(args) => vec![
                ("--html", args.html.as_ref(), Report),
                ("--csv", args.csv.as_ref(), Report),
                ("--keep", args.keep.as_ref(), Data),
                // Not one of the documents that it reads.
                ("--resume", args.resume.as_ref().and_then(Option::as_ref), Report),
            ],
            Command::Index(args) => {
                vec![("-o", args.output.as_ref(), Report), ("--resume", args.run.resume.as_ref(), Log)]
            }
            Command::Check(args) => vec![("--resume", args.run.resume.as_ref(), Log)],
            Command::Repack(args) => vec![("--resume", args.run.resume.as_ref(), Log)],
            Command::Ls(_)
            | Command::Explain(_)
            | Command::Chunks(_)
            | Command::Digest(_)
            | Command::BenchWorker => Vec::new(),
            // The folder of a trace must not exist.
            #[cfg(target_os = "linux")]
            Command::Run(_) | Command::Trace(_) => Vec::new(),
        };
        let log = ("--request-log", network.log(), Report);
        let of = |(option, path, kind): (&'static str, Option<&'a PathBuf>, OutputKind)| {
            path.map(|path| Output { option, path, kind })
        };
        named.into_iter().chain([log]).filter_map(of).collect()
    }
}
