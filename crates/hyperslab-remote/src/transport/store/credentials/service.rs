//! Requests to the services of AWS that give credentials.

use crate::answer::server_words;
use crate::failure::with_causes;
use crate::network::Network;
use bytes::Bytes;
use object_store::client::{HttpError, HttpErrorKind, HttpRequest, HttpService};
use std::time::{Duration, SystemTime};
use std::{env, io};

/// The timeout for a response.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The address of a service: by the variables of the AWS command line (`AWS_ENDPOINT_URL_STS`, `AWS_ENDPOINT_URL`), or that of
/// a region.
pub(super) fn endpoint(service: &str, host: &str, region: &str) -> String {
    let variables = [format!("AWS_ENDPOINT_URL_{service}"), "AWS_ENDPOINT_URL".into()];
    let named = variables.iter().find_map(|name| env::var(name).ok().filter(|url| !url.is_empty()));
    let domain = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
    let usual = || format!("https://{host}.{region}.{domain}");
    named.map_or_else(usual, |url| url.trim_end_matches('/').to_string())
}

/// The body of the response to a request.
///
/// # Errors
/// If the service cannot be reached or refuses.
pub(super) async fn send(request: HttpRequest) -> object_store::Result<Bytes> {
    let host = request.uri().host().unwrap_or_default().to_string();
    let network = Network::get().map_err(failed)?;
    let receive = async {
        let response = network.client.call(request).await?;
        let status = response.status();
        Ok((status, response.into_body().bytes().await?))
    };
    let timed_out = || HttpError::new(HttpErrorKind::Timeout, io::Error::from(io::ErrorKind::TimedOut));
    let received = tokio::time::timeout(TIMEOUT, receive).await.unwrap_or_else(|_| Err(timed_out()));
    let (status, body) = received.map_err(failed)?;
    if status.is_success() {
        return Ok(body);
    }
    let (_, why) = server_words(&String::from_utf8_lossy(&body));
    let what = format!("{host} gave no credentials: status {} {why}", status.as_u16());
    let error = io::Error::new(io::ErrorKind::PermissionDenied, what.trim_end().to_string());
    match status.is_server_error() || status.as_u16() == 429 {
        // Errors of connections are tried again by the caller.
        true => Err(failed(HttpError::new(HttpErrorKind::Request, error))),
        false => Err(failed(error)),
    }
}

/// The error of credentials.
pub(super) fn failed(error: impl std::error::Error + Send + Sync + 'static) -> object_store::Error {
    object_store::Error::Generic { store: "credentials", source: Box::new(error) }
}

/// The error of a response that is not understood.
pub(super) fn not_understood(what: &str, error: &dyn std::error::Error) -> object_store::Error {
    failed(io::Error::new(io::ErrorKind::InvalidData, format!("{what}: {}", with_causes(error))))
}

/// The time that a text of RFC 3339 names. Older versions of the AWS command line end it with `UTC`.
pub(super) fn time(text: &str) -> Option<SystemTime> {
    let text = text.replace("UTC", "Z");
    let time = chrono::DateTime::parse_from_rfc3339(&text).ok()?;
    let seconds = u64::try_from(time.timestamp()).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_both_forms() {
        let seconds =
            |text| time(text).map(|time| time.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs());
        assert_eq!(seconds("2020-06-17T10:02:08Z"), Some(1_592_388_128));
        assert_eq!(seconds("2020-06-17T10:02:08UTC"), Some(1_592_388_128));
        assert_eq!(seconds("2020-06-17T12:02:08+02:00"), Some(1_592_388_128));
        assert_eq!(seconds("soon"), None);
    }

    #[test]
    fn services_have_an_address_in_each_region() {
        assert_eq!(endpoint("NONE", "sts", "eu-west-1"), "https://sts.eu-west-1.amazonaws.com");
        assert_eq!(endpoint("NONE", "sts", "cn-north-1"), "https://sts.cn-north-1.amazonaws.com.cn");
    }
}
