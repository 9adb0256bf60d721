//! Single sign-on (IAM Identity Center): the token that `aws sso login` has put into `~/.aws/sso/cache` is exchanged for the
//! credentials of a role (GetRoleCredentials of the SSO portal API).

use super::obtained::Obtained;
use super::service::{endpoint, failed, not_understood, send, time};
use super::{Keys, SingleSignOn};
use crate::transport::store::profile;
use object_store::client::{HttpRequest, HttpRequestBody};
use reqwest::Url;
use reqwest::header::HeaderValue;
use serde::Deserialize;
use std::path::Path;
use std::time::{Duration, SystemTime};
use std::{fs, io};

/// A token, as the AWS command line keeps it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Token {
    start_url: Option<String>,
    access_token: String,
    expires_at: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    role_credentials: RoleCredentials,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RoleCredentials {
    access_key_id: String,
    secret_access_key: String,
    session_token: String,
    /// In milliseconds since 1970.
    expiration: u64,
}

/// The credentials of a role that single sign-on gives access to.
pub(super) async fn role_credentials(sign_on: &SingleSignOn) -> object_store::Result<Obtained> {
    let folder = profile::in_home("sso/cache");
    let token = folder.and_then(|folder| token(&folder, &sign_on.start_url, SystemTime::now()));
    let expired = || {
        let what = format!(
            "not logged in to {}; run `aws sso login --profile {}`",
            sign_on.start_url, sign_on.profile
        );
        failed(io::Error::new(io::ErrorKind::PermissionDenied, what))
    };
    let token = token.ok_or_else(expired)?;
    let endpoint = endpoint("SSO", "portal.sso", &sign_on.region);
    let parameters = [("role_name", &sign_on.role), ("account_id", &sign_on.account)];
    let url =
        Url::parse_with_params(&format!("{endpoint}/federation/credentials"), parameters).map_err(failed)?;
    let mut request = HttpRequest::new(HttpRequestBody::empty());
    *request.uri_mut() = url.as_str().parse().map_err(failed)?;
    let mut value = HeaderValue::from_str(&token).map_err(failed)?;
    value.set_sensitive(true);
    request.headers_mut().insert("x-amz-sso_bearer_token", value);
    let body = send(request).await?;
    let Response { role_credentials: found } = serde_json::from_slice(&body)
        .map_err(|error| not_understood("the response of single sign-on", &error))?;
    let RoleCredentials { access_key_id: id, secret_access_key: secret, session_token, expiration } = found;
    let expires = SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(expiration));
    Ok(Obtained { keys: Keys { id, secret, token: Some(session_token) }, expires })
}

/// The valid token for a start URL that expires last. The names of the files are hashes of the names of sessions or of their
/// start URLs, depending on the version that wrote them, so they are recognized by their contents.
fn token(folder: &Path, start_url: &str, now: SystemTime) -> Option<String> {
    let same = |url: &str| url.trim_end_matches(['/', '#']) == start_url.trim_end_matches(['/', '#']);
    let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let texts = entries.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    let tokens = texts.filter_map(|path| serde_json::from_slice::<Token>(&fs::read(path).ok()?).ok());
    let valid = tokens.filter(|token| token.start_url.as_deref().is_some_and(same)).filter_map(|token| {
        let expires = time(&token.expires_at).filter(|expires| *expires > now)?;
        Some((expires, token.access_token))
    });
    valid.max().map(|(_, token)| token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_of_a_start_url_that_expires_last_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let now = time("2026-01-01T00:00:00Z").unwrap();
        let found = || token(folder.path(), "https://company.awsapps.com/start/#", now);
        assert_eq!(found(), None);
        let write = |name: &str, url: &str, token: &str, expires: &str| {
            let text = format!(
                r#"{{"startUrl": "{url}", "region": "us-east-1", "accessToken": "{token}", "expiresAt": "{expires}"}}"#
            );
            fs::write(folder.path().join(name), text).unwrap();
        };
        write("a.json", "https://company.awsapps.com/start", "old", "2025-12-31T23:59:59Z");
        write("b.json", "https://other.awsapps.com/start", "other", "2027-01-01T00:00:00Z");
        write("c.txt", "https://company.awsapps.com/start", "text", "2027-01-01T00:00:00Z");
        fs::write(
            folder.path().join("client.json"),
            r#"{"clientId": "x", "expiresAt": "2027-01-01T00:00:00Z"}"#,
        )
        .unwrap();
        assert_eq!(found(), None);
        write("d.json", "https://company.awsapps.com/start", "first", "2026-01-01T00:00:01UTC");
        write("e.json", "https://company.awsapps.com/start", "last", "2026-01-01T08:00:00Z");
        assert_eq!(found().as_deref(), Some("last"));
    }
}
