//! Copies of files as netCDF classic (`--to classic`): plan, write a temporary file, verify it, rename it.

use super::model::{Document, Outcome, Plan};
use super::observer::Observer;
use super::one_file::{Identity, Job, interrupted, publish};
use crate::{Error, files};
use hyperslab::{ErrorKind, File};
use hyperslab_convert::classic::{Classic, Version};
use hyperslab_netcdf::Netcdf;
use hyperslab_repack::Monitor;
use std::path::Path;
use std::time::Instant;

impl Job {
    /// Writes a file, and what was done into the document.
    pub(super) fn write_classic(
        &self,
        version: Version,
        before: Option<&Identity>,
        (input, output): (&Path, &Path),
        observer: &dyn Observer,
        document: &mut Document,
    ) -> Result<(), Error> {
        let begun = Instant::now();
        let file = files::open_file(input, &File::options().allow_truncated(false))?;
        let named = |error: hyperslab::Error| {
            let cdf5 = match version {
                Version::Data64 => "",
                _ => "; `--to cdf5` all numbers of any size, in one group",
            };
            let error = error.in_file(file.name());
            match error.kind() {
                ErrorKind::Unsupported => {
                    Error::from(error.or_hint(|| format!("`--to netcdf4` holds it{cdf5}")))
                }
                _ => Error::from(error),
            }
        };
        let plan = Classic::plan(&Netcdf::open(&file)?, version).map_err(named)?;
        let bytes = plan.file_bytes()?;
        let mut shown = Plan { notes: plan.notes.clone(), ..Plan::default() };
        if self.is_dry_run {
            (shown.predicted_bytes, shown.is_sampled) = (Some(bytes), Some(false));
        }
        document.plan = Some(shown);
        if self.is_dry_run {
            return Ok(());
        }
        let (temporary, sink) = self.temporary(before, output)?;
        let monitor = Monitor::new(observer.cancel());
        monitor.expect(plan.value_bytes() * if self.options.verify { 2 } else { 1 });
        let progress = |bytes: u64| {
            monitor.done(bytes, bytes);
            monitor.cancel.check().map_err(hyperslab::Error::from)
        };
        let work = || -> Result<Option<u64>, Error> {
            plan.write(&sink, &progress)?;
            let is_verified = self.options.verify;
            let written = || File::options().cache_bytes(0).open(temporary.temporary());
            Ok(if is_verified { Some(plan.verify(&written()?, &progress)?) } else { None })
        };
        let (mut work, mut done) = (Some(work), None);
        observer.watch(&files::shown(input), &monitor, &mut || done = work.take().map(|work| work()));
        let verified_bytes = match done.unwrap_or_else(|| Err(interrupted(input))) {
            Err(_) if monitor.cancel.is_cancelled() => return Err(interrupted(input)),
            verified => verified?,
        };
        publish(before, (input, output), temporary, &sink)?;
        document.result = Some(Outcome {
            objects: 1 + plan.variables(),
            bytes_before: file.len(),
            bytes,
            metadata_bytes: plan.header_bytes(),
            seconds: begun.elapsed().as_secs_f64(),
            verified_bytes,
            damage: Vec::new(),
            lost: Vec::new(),
            rounding: Vec::new(),
            encoders: Vec::new(),
            reads: Vec::new(),
        });
        Ok(())
    }
}
