//! `hyperslab run`: runs a program whose reads of HDF5 files become faster, without changing it.

pub(crate) mod arguments;

use crate::failure::Failure;
use crate::preloaded;
use arguments::{Only, RunArgs};
use hyperslab_trace::{CachePlan, Plan};

/// Runs the command.
pub(crate) fn run(args: &RunArgs) -> Result<i32, Failure> {
    let program = preloaded::find(&args.program)?;
    let Only::Cache = args.only;
    let plan = Plan { cache: Some(CachePlan { memory_bytes: args.memory }), ..Plan::default() };
    let ended = preloaded::run(&program, &plan)?;
    ended.pass_on();
    Ok(ended.code())
}
