//! `hyperslab run`: runs a program whose reads of HDF5 files become faster, without changing it.

pub(crate) mod arguments;

use crate::failure::Failure;
use crate::preloaded;
use arguments::{Only, RunArgs};
use hyperslab_trace::{CachePlan, EnginePlan, Plan};

/// Runs the command.
pub(crate) fn run(args: &RunArgs) -> Result<i32, Failure> {
    let program = preloaded::find(&args.program)?;
    let planned =
        args.reads_from.as_deref().map(hyperslab_apps::trace::caches).transpose()?.unwrap_or_default();
    let engine = EnginePlan {
        threads: args.threads,
        memory_bytes: args.memory,
        dataset_bytes_min: args.min_dataset,
        verify: args.verify,
        report: args.report,
    };
    let plan = Plan {
        trace: None,
        cache: Some(CachePlan { memory_bytes: args.memory, planned }),
        engine: (args.only != Some(Only::Cache)).then_some(engine),
    };
    let ended = preloaded::run(&program, &plan)?;
    ended.pass_on();
    Ok(ended.code())
}
