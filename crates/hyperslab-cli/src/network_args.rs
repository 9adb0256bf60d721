//! The options of all commands for files that are named by URLs.

use clap::Args;
use std::path::PathBuf;

/// Options of all commands for files that are named by URLs.
#[derive(Debug, Args)]
#[command(next_help_heading = "Remote files")]
pub(crate) struct NetworkArgs {
    /// Write a line for each request to a remote file into LOG, and a summary at the end
    #[arg(long, global = true, value_name = "LOG", hide = cfg!(not(feature = "remote")))]
    pub request_log: Option<PathBuf>,
    /// The former name of --request-log
    #[arg(long, global = true, value_name = "LOG", hide = true, conflicts_with = "request_log")]
    pub trace: Option<PathBuf>,
    /// Say what the requests cost by these prices, such as aws-s3-us-east-1, or those in FILE.toml
    #[arg(long, global = true, value_name = "LIST", hide = cfg!(not(feature = "remote")))]
    pub prices: Option<String>,
    /// Fail instead of making more requests than this
    #[arg(long, global = true, value_name = "NUMBER", hide = cfg!(not(feature = "remote")))]
    pub max_requests: Option<u64>,
    /// Fail instead of fetching more than this from remote files
    #[arg(long, global = true, value_name = "SIZE", value_parser = hyperslab::parse_bytes, hide = cfg!(not(feature = "remote")))]
    pub max_transfer: Option<u64>,
}

impl NetworkArgs {
    /// The file for the log of requests.
    pub(crate) fn log(&self) -> Option<&PathBuf> {
        self.request_log.as_ref().or(self.trace.as_ref())
    }
}
