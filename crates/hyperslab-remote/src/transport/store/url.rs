//! The URLs of stores, and the names of their options.

use object_store::path::Path;
use std::io;

/// True for the URL of an object of a store.
pub(crate) fn is_store_url(url: &str) -> bool {
    url.split_once("://").is_some_and(|(scheme, _)| Kind::of(scheme).is_some())
}

/// What distinguishes objects with the same URL on different servers: the addresses that the options and the environment
/// set for stores.
pub(crate) fn endpoints(options: &[(String, String)]) -> String {
    let variables = [
        "AWS_ENDPOINT_URL_S3",
        "AWS_ENDPOINT_URL",
        "AWS_ENDPOINT",
        "GOOGLE_BASE_URL",
        "AZURE_STORAGE_ENDPOINT",
    ];
    let is_address = |name: &str| name.contains("endpoint") || name.contains("base_url");
    let given = options.iter().filter(|(name, _)| is_address(name)).map(|(_, value)| value.clone());
    given
        .chain(variables.into_iter().filter_map(|variable| std::env::var(variable).ok()))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The kinds of stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    S3,
    Google,
    Azure,
}

impl Kind {
    fn of(scheme: &str) -> Option<Self> {
        match scheme {
            "s3" | "s3a" => Some(Self::S3),
            "gs" | "gcs" => Some(Self::Google),
            "az" | "azure" | "adl" | "abfs" | "abfss" => Some(Self::Azure),
            _ => None,
        }
    }

    /// The name that `object_store` has for an option with a name of fsspec, and its value.
    pub fn option(self, name: &str, value: &str) -> (String, String) {
        let (name, value) = match (self, name) {
            (Self::S3, "anon") => ("aws_skip_signature", value),
            (Self::S3, "key") => ("aws_access_key_id", value),
            (Self::S3, "secret") => ("aws_secret_access_key", value),
            (Self::S3, "token") => ("aws_session_token", value),
            (Self::S3, "endpoint_url") => ("aws_endpoint", value),
            (Self::S3, "region_name" | "region") => ("aws_region", value),
            (Self::S3, "requester_pays") => ("aws_request_payer", value),
            (Self::Google, "anon") => ("google_skip_signature", value),
            (Self::Google, "token") if value == "anon" => ("google_skip_signature", "true"),
            (Self::Google, "token") => ("google_service_account", value),
            (Self::Google, "endpoint_url") => ("google_base_url", value),
            (Self::Azure, "anon") => ("azure_skip_signature", value),
            (Self::Azure, "account_name") => ("azure_storage_account_name", value),
            (Self::Azure, "account_key") => ("azure_storage_account_key", value),
            (Self::Azure, "sas_token") => ("azure_storage_sas_key", value),
            (Self::Azure, "tenant_id") => ("azure_storage_tenant_id", value),
            (Self::Azure, "client_id") => ("azure_storage_client_id", value),
            (Self::Azure, "client_secret") => ("azure_storage_client_secret", value),
            (Self::Azure, "endpoint_url") => ("azure_endpoint", value),
            _ => (name, value),
        };
        let value = match value {
            "True" => "true",
            "False" => "false",
            value => value,
        };
        (name.to_string(), value.to_string())
    }
}

/// A URL of a store: its scheme, its kind, its bucket or container, and the key. A key is taken as it is: `?`, `#` and `%`
/// have no meaning in it.
pub(super) struct StoreUrl<'u> {
    pub scheme: &'u str,
    pub kind: Kind,
    pub bucket: &'u str,
    pub key: &'u str,
}

/// The error of a URL or an option.
pub(super) fn invalid(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

impl<'u> StoreUrl<'u> {
    pub fn parse(url: &'u str) -> io::Result<Self> {
        let (scheme, rest) = url.split_once("://").ok_or_else(|| invalid("not a URL".into()))?;
        let kind = Kind::of(scheme).ok_or_else(|| invalid(format!("unknown scheme {scheme}")))?;
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        Ok(Self { scheme, kind, bucket, key })
    }

    /// The key, as `object_store` has it.
    pub fn key(&self) -> io::Result<Path> {
        Path::parse(self.key).map_err(|error| invalid(format!("invalid key: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_fsspec_are_understood() {
        let option = |kind: Kind, name, value| kind.option(name, value);
        assert_eq!(option(Kind::S3, "anon", "True"), ("aws_skip_signature".into(), "true".into()));
        assert_eq!(option(Kind::Google, "token", "anon"), ("google_skip_signature".into(), "true".into()));
        assert_eq!(option(Kind::Azure, "azure_client_id", "x"), ("azure_client_id".into(), "x".into()));
    }
}
