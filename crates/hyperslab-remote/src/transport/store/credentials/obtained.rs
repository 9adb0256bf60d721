//! Credentials that were obtained.

use super::Keys;
use object_store::aws::AwsCredential;
use std::time::{Duration, SystemTime};

/// Credentials, and when they expire.
#[derive(Clone)]
pub(super) struct Obtained {
    pub keys: Keys,
    pub expires: Option<SystemTime>,
}

impl Obtained {
    pub fn is_valid_for(&self, time: Duration) -> bool {
        self.expires.is_none_or(|expires| expires > SystemTime::now() + time)
    }
}

/// The same, as `object_store` has it.
pub(super) fn credential(keys: &Keys) -> AwsCredential {
    let Keys { id, secret, token } = keys.clone();
    AwsCredential { key_id: id, secret_key: secret, token }
}
