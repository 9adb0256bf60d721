//! `hyperslab.doctor`.

use super::{Answer, Call};
use hyperslab_apps::{Result, doctor, schema};

pub(super) fn run(call: &Call) -> Result<Answer> {
    let answer = doctor::run(call.path()?, &call.request()?)?;
    Ok((schema::document(schema::DOCTOR, &answer.report)?, answer.notes))
}
