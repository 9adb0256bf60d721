//! What a finding costs, and whether that is worth a reader's minute.

use crate::options::Options;
use serde::{Deserialize, Serialize};

/// What a problem costs each time it is paid. At least one of the members is set.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Cost {
    /// Seconds of a usual read (or of writing the data, where that is what is slow), by the stored constants.
    pub seconds: Option<f64>,
    /// Bytes of the file.
    pub bytes: Option<u64>,
    /// Requests to the disk or object store.
    pub requests: Option<u64>,
}

/// From this many seconds on a cost matters.
const SECONDS_MIN: f64 = 0.1;
/// From this many bytes on a cost matters, whatever the size of the file.
const BYTES_MIN: u64 = 1 << 20;
/// Fewer bytes matter from this share of the file on,
const SHARE_MIN: f64 = 0.01;
/// unless they are fewer than this.
const SHARE_BYTES_MIN: u64 = 64 << 10;
/// From this many requests on a cost matters: with 40 ms each, four seconds over a network.
const REQUESTS_MIN: u64 = 100;

impl Cost {
    /// A cost in time.
    pub(crate) fn seconds(seconds: f64) -> Self {
        Self { seconds: Some(seconds), ..Self::default() }
    }

    /// A cost in space.
    pub(crate) fn bytes(bytes: u64) -> Self {
        Self { bytes: Some(bytes), ..Self::default() }
    }

    /// True if the cost is worth reporting.
    pub(crate) fn matters(&self, options: &Options) -> bool {
        let share = |bytes: u64| bytes as f64 / options.file_bytes.max(1) as f64;
        let bytes = self.bytes.is_some_and(|bytes| {
            let is_share = options.file_bytes > 0 && bytes >= SHARE_BYTES_MIN && share(bytes) >= SHARE_MIN;
            bytes >= BYTES_MIN || is_share
        });
        let requests = self.requests.is_some_and(|requests| requests >= REQUESTS_MIN);
        options.all || bytes || requests || self.seconds.is_some_and(|seconds| seconds >= SECONDS_MIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_matters_by_its_size_or_by_its_share_of_the_file() {
        let options = Options { file_bytes: 10 << 20, ..Options::default() };
        for (cost, matters) in [
            (Cost::seconds(0.09), false),
            (Cost::seconds(0.1), true),
            (Cost::bytes(1 << 20), true),
            (Cost::bytes(128 << 10), true),
            (Cost::bytes(100 << 10), false),
            (Cost { requests: Some(99), ..Cost::default() }, false),
        ] {
            assert_eq!(cost.matters(&options), matters, "{cost:?}");
        }
        assert!(Cost::seconds(0.0).matters(&Options { all: true, ..Options::default() }));
        assert!(
            !Cost::bytes(512).matters(&Options { file_bytes: 1024, ..Options::default() }),
            "half a tiny file"
        );
    }
}
