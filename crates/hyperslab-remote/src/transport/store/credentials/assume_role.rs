//! Assuming a role: one signed request to the token service of AWS (AssumeRole of the STS API, version 2011-06-15).

use super::obtained::{Obtained, credential};
use super::service::{endpoint, failed, not_understood, send, time};
use super::{Keys, Role};
use object_store::aws::AwsAuthorizer;
use object_store::client::{HttpRequest, HttpRequestBody};
use reqwest::Url;
use serde::Deserialize;
use std::env;

/// The region of the token service if no other is known.
const REGION: &str = "us-east-1";

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Response {
    assume_role_result: Assumed,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Assumed {
    credentials: Credentials,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Credentials {
    access_key_id: String,
    secret_access_key: String,
    session_token: String,
    expiration: String,
}

/// The credentials of a role, which is assumed with these keys.
pub(super) async fn assume(role: &Role, keys: &Keys) -> object_store::Result<Obtained> {
    let variable = |name: &&str| env::var(name).ok().filter(|region| !region.is_empty());
    let of_environment = ["AWS_REGION", "AWS_DEFAULT_REGION"].iter().find_map(variable);
    let region = of_environment.or_else(|| role.region.clone()).unwrap_or_else(|| REGION.into());
    let mut request = HttpRequest::new(HttpRequestBody::empty());
    let url = url(&endpoint("STS", "sts", &region), role)?;
    *request.uri_mut() = url.as_str().parse().map_err(failed)?;
    AwsAuthorizer::new(&credential(keys), "sts", &region).try_authorize(&mut request, None)?;
    let body = send(request).await?;
    parse(&body)
}

fn url(endpoint: &str, role: &Role) -> object_store::Result<Url> {
    let parameters = [
        ("Action", Some("AssumeRole")),
        ("Version", Some("2011-06-15")),
        ("RoleArn", Some(&*role.arn)),
        ("RoleSessionName", Some(&*role.session)),
        ("ExternalId", role.external_id.as_deref()),
        ("DurationSeconds", role.duration_seconds.as_deref()),
    ];
    let given = parameters.iter().filter_map(|(name, value)| Some((name, (*value)?)));
    Url::parse_with_params(endpoint, given).map_err(failed)
}

fn parse(body: &[u8]) -> object_store::Result<Obtained> {
    let text = String::from_utf8_lossy(body);
    let response: Response = quick_xml::de::from_str(&text)
        .map_err(|error| not_understood("the response of the token service", &error))?;
    let Credentials { access_key_id: id, secret_access_key: secret, session_token, expiration } =
        response.assume_role_result.credentials;
    Ok(Obtained { keys: Keys { id, secret, token: Some(session_token) }, expires: time(&expiration) })
}
