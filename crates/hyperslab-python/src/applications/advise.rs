//! `hyperslab.advise`.

use super::{Answer, Call};
use hyperslab_apps::advise::{self, Request};
use hyperslab_apps::{Result, schema};

pub(super) fn run(call: &Call) -> Result<Answer> {
    let request = Request { file: call.paths.first().cloned(), ..call.request()? };
    let answer = advise::run(&request)?;
    Ok((schema::document(schema::ADVISE, &answer.document)?, answer.notes))
}
