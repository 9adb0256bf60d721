//! Credentials of a profile, which are obtained when they are needed and kept until they expire.

use super::obtained::{Obtained, credential};
use super::{CredentialSource, Keys, assume_role, program, sso};
use crate::transport::store::Connector;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use hyperslab_io::PerProcess;
use object_store::CredentialProvider;
use object_store::aws::{AmazonS3Builder, AwsCredential};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use tokio::sync::Mutex as AsyncMutex;

/// Credentials that expire are obtained again when they are valid for no longer than this.
const RENEWED_BEFORE: Duration = Duration::from_secs(300);

/// The credentials of a profile.
pub(in crate::transport::store) struct ProfileCredentials {
    source: CredentialSource,
    /// The last ones. While they are obtained, others who need them wait.
    last: AsyncMutex<Option<Obtained>>,
}

impl ProfileCredentials {
    /// The credentials from a source. All files of the process share them, so that a role is assumed once.
    pub fn of(source: &CredentialSource) -> Arc<Self> {
        type Known = Mutex<HashMap<CredentialSource, Arc<ProfileCredentials>>>;
        static KNOWN: PerProcess<Known> = PerProcess::new();
        let mut known = KNOWN.get(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Arc::new(Self { source: source.clone(), last: AsyncMutex::default() });
        known.entry(source.clone()).or_insert_with(new).clone()
    }
}

impl fmt::Debug for ProfileCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProfileCredentials").field("source", &self.source).finish_non_exhaustive()
    }
}

#[async_trait::async_trait]
impl CredentialProvider for ProfileCredentials {
    type Credential = AwsCredential;

    async fn get_credential(&self) -> object_store::Result<Arc<AwsCredential>> {
        let mut last = self.last.lock().await;
        if let Some(last) = last.as_ref().filter(|last| last.is_valid_for(RENEWED_BEFORE)) {
            return Ok(Arc::new(credential(&last.keys)));
        }
        let keys = match obtain(&self.source).await {
            Ok(obtained) => last.insert(obtained).keys.clone(),
            // They may serve until the source answers again.
            Err(error) => match last.as_ref().filter(|last| last.is_valid_for(Duration::ZERO)) {
                Some(last) => last.keys.clone(),
                None => return Err(error),
            },
        };
        Ok(Arc::new(credential(&keys)))
    }
}

/// Obtains credentials from a source; for a role, from its source first.
pub(super) fn obtain(source: &CredentialSource) -> BoxFuture<'_, object_store::Result<Obtained>> {
    async move {
        match source {
            CredentialSource::Keys(keys) => Ok(Obtained { keys: keys.clone(), expires: None }),
            CredentialSource::Role(role) => {
                assume_role::assume(role, &obtain(&role.source).await?.keys).await
            }
            CredentialSource::SingleSignOn(sign_on) => sso::role_credentials(sign_on).await,
            CredentialSource::Program(command) => program::run(command.clone()).await,
            CredentialSource::Environment => of_store(AmazonS3Builder::from_env()).await,
            CredentialSource::Machine => of_store(of_machine()).await,
        }
    }
    .boxed()
}

/// The environment, without keys and web identity: of the container, or else of the instance.
fn of_machine() -> AmazonS3Builder {
    let is_of_container = |name: &str| name.starts_with("AWS_CONTAINER_") || name == "AWS_METADATA_ENDPOINT";
    let mut builder = AmazonS3Builder::new();
    for (name, value) in std::env::vars_os() {
        if let (Some(name), Some(value)) = (name.to_str(), value.to_str())
            && is_of_container(name)
            && let Ok(key) = name.to_ascii_lowercase().parse()
        {
            builder = builder.with_config(key, value);
        }
    }
    builder
}

/// The credentials that `object_store` obtains.
async fn of_store(builder: AmazonS3Builder) -> object_store::Result<Obtained> {
    // Credentials do not depend on the bucket.
    let store = builder.with_bucket_name("none").with_http_connector(Connector::default()).build()?;
    let found = store.credentials().get_credential().await?;
    let (id, secret, token) = (found.key_id.clone(), found.secret_key.clone(), found.token.clone());
    // It does not say when they expire, so they are asked for again soon; it keeps them until then itself.
    let expires = token.is_some().then(|| SystemTime::now() + RENEWED_BEFORE);
    Ok(Obtained { keys: Keys { id, secret, token }, expires })
}
