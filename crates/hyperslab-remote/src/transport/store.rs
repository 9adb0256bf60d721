//! Requests to object stores: `object_store` finds the credentials and signs, this module sends.
//!
//! The store's client is given an [`HttpConnector`] that sends its requests with the connections of the process and
//! records each response, so that the responses of stores and of web servers are checked by the same code, and errors
//! contain the server's words.

mod credentials;
mod profile;
mod url;

use super::{Condition, Transport};
use crate::answer::Answer;
use crate::failure::{Failure, with_causes};
use crate::network::Network;
use crate::options::RemoteOptions;
use crate::traffic;
use bytes::Bytes;
use credentials::{CredentialSource, ProfileCredentials};
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::MicrosoftAzureBuilder;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody,
    HttpService,
};
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;
use object_store::{ClientOptions, GetOptions, GetRange, ObjectStore, RetryConfig};
use profile::ProfileFiles;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use std::cell::RefCell;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use url::{Kind, StoreUrl, invalid};
pub(crate) use url::{endpoints, is_store_url};

/// An object of a store.
pub(crate) struct ObjectOfStore {
    store: Arc<dyn ObjectStore>,
    key: Path,
}

impl StoreUrl<'_> {
    /// The store, with options that have priority over the environment.
    fn store(&self, settings: &RemoteOptions, connector: Connector) -> io::Result<Arc<dyn ObjectStore>> {
        let options = &settings.store;
        let Self { scheme, kind, bucket, .. } = *self;
        let failed = |error: object_store::Error| invalid(with_causes(&error));
        // The connections of the process, not those of `object_store`; retries are those of `Client`.
        let max_retries = if connector.limits.is_some() { settings.attempts as usize } else { 0 };
        let retry = || RetryConfig { max_retries, ..RetryConfig::default() };
        let client = || ClientOptions::new().with_allow_http(true);
        let is_profile = |name: &str| kind == Kind::S3 && name == "profile";
        let profile = options.iter().find(|(name, _)| is_profile(name)).map(|(_, value)| value.as_str());
        let options = options.iter().filter(|(name, _)| !is_profile(name));
        let options: Vec<_> = options.map(|(name, value)| kind.option(name, value)).collect();
        macro_rules! configured {
            ($builder:expr) => {{
                let mut builder = $builder;
                for (name, value) in &options {
                    let unknown = |_| invalid(format!("unknown option {name:?} of a store of {scheme}://"));
                    builder = builder.with_config(name.parse().map_err(unknown)?, value);
                }
                builder.with_retry(retry()).with_client_options(client()).with_http_connector(connector)
            }};
        }
        let store: Arc<dyn ObjectStore> = match kind {
            Kind::S3 => {
                let builder = with_profile(AmazonS3Builder::from_env(), profile, &options)?;
                let builder = builder.with_bucket_name(bucket);
                Arc::new(configured!(builder).build().map_err(failed)?)
            }
            Kind::Google => {
                let builder = GoogleCloudStorageBuilder::from_env().with_bucket_name(bucket);
                Arc::new(configured!(builder).build().map_err(failed)?)
            }
            Kind::Azure => {
                // `abfs://container@account.dfs.core.windows.net/key` names the account, too.
                let builder = MicrosoftAzureBuilder::from_env();
                let builder = match bucket.split_once('@') {
                    Some((container, host)) => builder
                        .with_container_name(container)
                        .with_account(host.split('.').next().unwrap_or(host)),
                    None => builder.with_container_name(bucket),
                };
                Arc::new(configured!(builder).build().map_err(failed)?)
            }
        };
        Ok(store)
    }
}

/// The URLs of all objects below the key of a URL, in order.
pub(crate) async fn list(url: &str, options: &RemoteOptions) -> io::Result<Vec<String>> {
    let parsed = StoreUrl::parse(url)?;
    let (store, prefix) = (parsed.store(options, Connector::counting(options))?, parsed.key()?);
    let listing = async {
        let found: Result<Vec<_>, _> = store.list(Some(&prefix)).try_collect().await;
        found.map_err(|error| io::Error::other(with_causes(&error)))
    };
    let found = tokio::time::timeout(options.deadline, listing).await;
    let found = found.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
    let mut urls: Vec<_> = found
        .iter()
        .map(|object| format!("{}://{}/{}", parsed.scheme, parsed.bucket, object.location))
        .collect();
    urls.sort();
    Ok(urls)
}

impl ObjectOfStore {
    /// The object at a URL, with options that have priority over the environment.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] if the URL or an option is invalid.
    pub fn new(url: &str, options: &RemoteOptions) -> io::Result<Self> {
        let parsed = StoreUrl::parse(url)?;
        if parsed.bucket.is_empty() || parsed.key.is_empty() {
            return Err(invalid(format!("a URL of a store has the form {}://bucket/key", parsed.scheme)));
        }
        Ok(Self { store: parsed.store(options, Connector::default())?, key: parsed.key()? })
    }

    async fn get(&self, range: Range<u64>, condition: Condition) -> Result<Answer, Failure> {
        let mut options = GetOptions { range: Some(GetRange::Bounded(range)), ..GetOptions::default() };
        match condition {
            Condition::None => {}
            Condition::Match(tag) => options.if_match = Some(tag),
            Condition::NoneMatch(tag) => options.if_none_match = Some(tag),
        }
        let request = async {
            let result = self.store.get_opts(&self.key, options).await;
            (result, LAST.with(|last| last.borrow_mut().take()))
        };
        let (result, seen) = LAST.scope(RefCell::new(None), request).await;
        match (result, seen) {
            (Ok(result), Some(seen)) => {
                let body = result.into_stream().map(|bytes| bytes.map_err(|error| of_store(&error)));
                Ok(Answer { status: seen.status, headers: seen.headers, body: body.boxed() })
            }
            (Err(_), Some(seen)) if seen.status != StatusCode::PARTIAL_CONTENT => {
                let body = stream::once(async move { Ok(seen.error_body) });
                Ok(Answer { status: seen.status, headers: seen.headers, body: body.boxed() })
            }
            (Err(error), _) => Err(of_store(&error)),
            (Ok(_), None) => Err(Failure::refused("the store returned bytes without a response")),
        }
    }
}

/// Adds the settings of a profile that the environment does not have; of one that is named, all. Credentials that the profile
/// describes in another way than by keys are obtained when they are needed, unless the options say how to sign.
///
/// # Errors
/// If the profile is incomplete, or needs something that is not handled.
fn with_profile(
    mut builder: AmazonS3Builder,
    name: Option<&str>,
    options: &[(String, String)],
) -> io::Result<AmazonS3Builder> {
    let files = ProfileFiles::read();
    let profile = name.map_or_else(profile::name_of_environment, str::to_string);
    let settings = files.profile(&profile);
    let is_anonymous =
        builder.get_config_value(&AmazonS3ConfigKey::SkipSignature).is_some_and(|is| is == "true");
    let has_identity = std::env::var_os("AWS_WEB_IDENTITY_TOKEN_FILE").is_some()
        || builder.get_config_value(&AmazonS3ConfigKey::AccessKeyId).is_some();
    for (number, (key, option)) in profile::SETTINGS.into_iter().enumerate() {
        let (Some(value), Ok(option)) = (settings.get(key), option.parse::<AmazonS3ConfigKey>()) else {
            continue;
        };
        let is_known = match number < profile::CREDENTIALS {
            true => has_identity,
            false => builder.get_config_value(&option).is_some(),
        };
        if name.is_some() || !is_known {
            builder = builder.with_config(option, value);
        }
    }
    let says_how_to_sign =
        |(name, _): &(String, String)| matches!(&**name, "aws_access_key_id" | "aws_skip_signature");
    if is_anonymous || (has_identity && name.is_none()) || options.iter().any(says_how_to_sign) {
        return Ok(builder);
    }
    Ok(match CredentialSource::of_profile(&files, &profile)? {
        Some(source) => builder.with_credentials(ProfileCredentials::of(&source)),
        None => builder,
    })
}

impl Transport for ObjectOfStore {
    fn get(&self, range: Range<u64>, condition: Condition) -> BoxFuture<'_, Result<Answer, Failure>> {
        self.get(range, condition).boxed()
    }
}

/// Errors of connections are temporary, others (no credentials, for example) are not.
fn of_store(error: &object_store::Error) -> Failure {
    let io_error = io::Error::other(with_causes(error));
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        match error.downcast_ref::<HttpError>().map(HttpError::kind) {
            Some(HttpErrorKind::Connect) => return Failure::unreachable(io_error),
            Some(_) => return Failure::connection(io_error),
            None => cause = error.source(),
        }
    }
    Failure::Final(io_error)
}

/// The head of a response, and the body of an error.
struct Seen {
    status: StatusCode,
    headers: HeaderMap,
    error_body: Bytes,
}

tokio::task_local! {
    /// The last response to the request that the task is making.
    static LAST: RefCell<Option<Seen>>;
}

/// Connects the client of a store to the connections of the process.
#[derive(Debug, Clone, Default)]
struct Connector {
    /// For listings, whose requests are made by `object_store`: their limits. Those of files are counted by `Client`.
    limits: Option<Arc<RemoteOptions>>,
}

impl Connector {
    /// Counts the requests, too.
    fn counting(options: &RemoteOptions) -> Self {
        Self { limits: Some(Arc::new(options.clone())) }
    }
}

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

/// The most bytes of the body of an error that are kept.
const ERROR_BODY_MAX: usize = 64 << 10;

#[async_trait::async_trait]
impl HttpService for Connector {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        if let Some(options) = &self.limits {
            traffic::begin_request(options.limits())
                .map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?;
        }
        let network = Network::get().map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?;
        let response = network.client.call(request).await?;
        let (head, body) = response.into_parts();
        let (error_body, body) = match head.status.is_success() {
            true => (Bytes::new(), body),
            false => {
                let all = body.bytes().await?;
                (all.slice(..all.len().min(ERROR_BODY_MAX)), HttpResponseBody::from(all))
            }
        };
        let seen = Seen { status: head.status, headers: head.headers.clone(), error_body };
        // Credentials are requested by the same task, before the request itself.
        let _ = LAST.try_with(|last| last.replace(Some(seen)));
        Ok(HttpResponse::from_parts(head, body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_stores_are_recognized_and_checked() {
        for (url, is_store) in [
            ("s3://b/k", true),
            ("abfs://c@a.dfs.core.windows.net/k", true),
            ("https://h/k", false),
            ("k", false),
        ] {
            assert_eq!(is_store_url(url), is_store, "{url}");
        }
        for (url, why) in [("s3://bucket", "s3://bucket/key"), ("gs:///k", "gs://bucket/key")] {
            let error = ObjectOfStore::new(url, &RemoteOptions::default()).err().unwrap().to_string();
            assert!(error.contains(why), "{error}");
        }
        let store = vec![("no_such_option".to_string(), String::new())];
        let options = RemoteOptions { store, ..RemoteOptions::default() };
        let error = ObjectOfStore::new("s3://b/k", &options).err().unwrap().to_string();
        assert!(error.contains("unknown option \"no_such_option\""), "{error}");
    }
}
