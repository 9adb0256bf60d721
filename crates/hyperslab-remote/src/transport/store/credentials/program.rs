//! Credentials that a program prints (`credential_process` of a profile): JSON of version 1 on its standard output.

use super::Keys;
use super::obtained::Obtained;
use super::service::{failed, not_understood, time};
use serde::Deserialize;
use std::io;
use std::process::{Command, Stdio};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Printed {
    version: u32,
    access_key_id: String,
    secret_access_key: String,
    session_token: Option<String>,
    expiration: Option<String>,
}

/// Runs the program of a command line, which is divided into words as a shell does, without a shell.
pub(super) async fn run(command: String) -> object_store::Result<Obtained> {
    // A thread waits for it, because the network threads must not.
    let run = tokio::task::spawn_blocking(move || output(&command));
    let printed = run.await.map_err(failed)?.map_err(failed)?;
    let printed: Printed = serde_json::from_slice(&printed)
        .map_err(|error| not_understood("the output of credential_process", &error))?;
    if printed.version != 1 {
        let what = format!("the output of credential_process has version {}, not 1", printed.version);
        return Err(failed(io::Error::new(io::ErrorKind::InvalidData, what)));
    }
    let Printed { access_key_id: id, secret_access_key: secret, session_token: token, expiration, .. } =
        printed;
    Ok(Obtained { keys: Keys { id, secret, token }, expires: expiration.as_deref().and_then(time) })
}

fn output(command: &str) -> io::Result<Vec<u8>> {
    let words = shlex::split(command).unwrap_or_default();
    let (program, arguments) = words.split_first().ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidInput, "credential_process is not a command line")
    })?;
    let failed =
        |why: &dyn std::fmt::Display| io::Error::other(format!("credential_process {program}: {why}"));
    // What it says to the user, for example how to log in, is seen.
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = command.output().map_err(|error| failed(&error))?;
    if !output.status.success() {
        return Err(failed(&output.status));
    }
    Ok(output.stdout)
}
