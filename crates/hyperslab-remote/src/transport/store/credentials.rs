//! Credentials that a profile of the AWS command line describes instead of containing them: a role that is assumed, single
//! sign-on, or a program that prints them. `object_store` obtains those of the environment, of web identity, of the instance
//! and of the container.
//!
//! ```text
//! profile ─► CredentialSource ─► ProfileCredentials: obtained when they are needed, and again before they expire
//!              ├─ Role ─► keys of another source ─► AssumeRole of the token service
//!              ├─ SingleSignOn ─► token of `aws sso login` ─► GetRoleCredentials
//!              └─ Program
//! ```
//!
//! Not handled: devices for multi-factor authentication (`mfa_serial`), which need the user. A token of single sign-on that
//! has expired is not renewed: `aws sso login` does that.

mod assume_role;
mod obtained;
mod program;
mod provider;
mod service;
mod sso;

use super::profile::{Profile, ProfileFiles};
pub(super) use provider::ProfileCredentials;
use std::{fmt, io};

/// Where the credentials of a profile come from.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum CredentialSource {
    Keys(Keys),
    Role(Box<Role>),
    SingleSignOn(SingleSignOn),
    /// The command line of a program.
    Program(String),
    /// The variables `AWS_ACCESS_KEY_ID` and others.
    Environment,
    /// The metadata service of the instance or of the container.
    Machine,
}

/// Keys of an account.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Keys {
    pub id: String,
    pub secret: String,
    pub token: Option<String>,
}

/// A role that is assumed with the credentials of another source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Role {
    pub arn: String,
    pub source: CredentialSource,
    pub session: String,
    pub external_id: Option<String>,
    pub duration_seconds: Option<String>,
    /// The region of the token service.
    pub region: Option<String>,
}

/// A role of an account that single sign-on gives access to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct SingleSignOn {
    pub start_url: String,
    pub region: String,
    pub account: String,
    pub role: String,
    /// The profile, for messages.
    pub profile: String,
}

/// Without secrets.
impl fmt::Debug for CredentialSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Keys(keys) => write!(f, "Keys({})", keys.id),
            Self::Role(role) => role.fmt(f),
            Self::SingleSignOn(sign_on) => sign_on.fmt(f),
            Self::Program(_) => f.write_str("Program"),
            Self::Environment => f.write_str("Environment"),
            Self::Machine => f.write_str("Machine"),
        }
    }
}

impl CredentialSource {
    /// How the credentials of a profile are obtained; `None` if `object_store` obtains them from the settings of the profile
    /// or elsewhere.
    ///
    /// # Errors
    /// If the profile is incomplete, or needs something that is not handled.
    pub fn of_profile(files: &ProfileFiles, name: &str) -> io::Result<Option<Self>> {
        let found = Search { files, visited: Vec::new() }.source(name, false)?;
        Ok(found.filter(|found| !matches!(found, Self::Keys(_))))
    }
}

/// Follows profiles that name each other.
struct Search<'f> {
    files: &'f ProfileFiles,
    visited: Vec<String>,
}

impl Search<'_> {
    /// The source of a profile. The order is that of the AWS command line: a role comes before keys, except in a profile that
    /// is the source of another one.
    fn source(&mut self, name: &str, is_source: bool) -> io::Result<Option<CredentialSource>> {
        let profile = self.files.profile(name);
        let get = |key: &str| profile.get(key).cloned();
        let keys = match (get("aws_access_key_id"), get("aws_secret_access_key")) {
            (Some(id), Some(secret)) => {
                Some(CredentialSource::Keys(Keys { id, secret, token: get("aws_session_token") }))
            }
            _ => None,
        };
        if is_source && keys.is_some() {
            return Ok(keys);
        }
        if self.visited.iter().any(|visited| visited == name) {
            return Err(wrong(name, "its source profiles form a circle"));
        }
        self.visited.push(name.into());
        // `object_store` assumes a role by web identity itself.
        if get("role_arn").is_some() && get("web_identity_token_file").is_none() {
            return self.role(name, &profile).map(Some);
        }
        if get("sso_session").is_some() || get("sso_start_url").is_some() {
            return self.sign_on(name, &profile).map(|found| Some(CredentialSource::SingleSignOn(found)));
        }
        Ok(keys.or_else(|| get("credential_process").map(CredentialSource::Program)))
    }

    fn role(&mut self, name: &str, profile: &Profile) -> io::Result<CredentialSource> {
        let get = |key: &str| profile.get(key).cloned();
        if profile.contains_key("mfa_serial") {
            return Err(wrong(
                name,
                "its role needs a device for multi-factor authentication (mfa_serial), which is not supported; obtain keys \
                 with `aws sts assume-role`, or `aws configure export-credentials`",
            ));
        }
        let source = match (get("source_profile"), get("credential_source").as_deref()) {
            (Some(from), None) => match self.source(&from, true)? {
                Some(source) => source,
                None => {
                    return Err(wrong(&from, "it contains no credentials for the role of another profile"));
                }
            },
            (None, Some("Environment")) => CredentialSource::Environment,
            (None, Some("Ec2InstanceMetadata" | "EcsContainer")) => CredentialSource::Machine,
            (None, Some(other)) => return Err(wrong(name, &format!("unknown credential_source {other}"))),
            (None, None) => {
                return Err(wrong(name, "its role_arn needs a source_profile or a credential_source"));
            }
            (Some(_), Some(_)) => {
                return Err(wrong(name, "it has both a source_profile and a credential_source"));
            }
        };
        Ok(CredentialSource::Role(Box::new(Role {
            arn: get("role_arn").unwrap_or_default(),
            source,
            session: get("role_session_name").unwrap_or_else(|| format!("hyperslab-{}", std::process::id())),
            external_id: get("external_id"),
            duration_seconds: get("duration_seconds"),
            region: get("region"),
        })))
    }

    fn sign_on(&self, name: &str, profile: &Profile) -> io::Result<SingleSignOn> {
        let session = profile.get("sso_session").map(|session| self.files.sso_session(session));
        let get = |key: &str| {
            let found = session.as_ref().and_then(|session| session.get(key)).or_else(|| profile.get(key));
            found.cloned().ok_or_else(|| wrong(name, &format!("it has no {key}")))
        };
        Ok(SingleSignOn {
            start_url: get("sso_start_url")?,
            region: get("sso_region")?,
            account: get("sso_account_id")?,
            role: get("sso_role_name")?,
            profile: name.into(),
        })
    }
}

fn wrong(profile: &str, why: &str) -> io::Error {
    super::invalid(format!("profile {profile} of ~/.aws: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = "
[default]
region = eu-west-1
[profile role]
role_arn = arn:aws:iam::1:role/reader
source_profile = keys
external_id = x
region = eu-central-1
[profile chain]
role_arn = arn:aws:iam::2:role/other
source_profile = role
[profile own]
role_arn = arn:aws:iam::1:role/reader
source_profile = own
aws_access_key_id = O
aws_secret_access_key = o
[profile instance]
role_arn = arn:aws:iam::1:role/reader
credential_source = Ec2InstanceMetadata
[profile web]
role_arn = arn:aws:iam::1:role/reader
web_identity_token_file = /token
[sso-session company]
sso_region = us-east-1
sso_start_url = https://company.awsapps.com/start
[profile sso]
sso_session = company
sso_account_id = 123
sso_role_name = Reader
[profile old-sso]
sso_region = us-east-2
sso_start_url = https://old.awsapps.com/start
sso_account_id = 124
sso_role_name = Writer
[profile program]
credential_process = /bin/keys --for me
[profile circle]
role_arn = a
source_profile = circle2
[profile circle2]
role_arn = b
source_profile = circle
[profile mfa]
role_arn = a
source_profile = keys
mfa_serial = c
[profile incomplete]
role_arn = a
";

    fn found(name: &str) -> Result<Option<CredentialSource>, String> {
        let credentials = "[keys]\naws_access_key_id = K\naws_secret_access_key = k\n".into();
        let files = ProfileFiles { config: CONFIG.into(), credentials };
        CredentialSource::of_profile(&files, name).map_err(|error| error.to_string())
    }

    #[test]
    fn profiles_are_followed_to_their_sources() {
        let role = |name: &str| match found(name) {
            Ok(Some(CredentialSource::Role(role))) => *role,
            other => panic!("{name}: {other:?}"),
        };
        let keys = |id: &str, secret: &str| {
            CredentialSource::Keys(Keys { id: id.into(), secret: secret.into(), token: None })
        };
        let reader = role("role");
        assert_eq!((&*reader.arn, &reader.source), ("arn:aws:iam::1:role/reader", &keys("K", "k")));
        assert_eq!(
            (reader.external_id.as_deref(), reader.region.as_deref()),
            (Some("x"), Some("eu-central-1"))
        );
        assert!(reader.session.starts_with("hyperslab-"), "{reader:?}");
        let other = role("chain");
        assert!(other.arn.ends_with("other") && matches!(&other.source, CredentialSource::Role(_)));
        assert_eq!(role("own").source, keys("O", "o"));
        assert_eq!(role("instance").source, CredentialSource::Machine);
        let sign_on = |start_url: &str, region: &str, account: &str, role: &str, profile: &str| {
            CredentialSource::SingleSignOn(SingleSignOn {
                start_url: start_url.into(),
                region: region.into(),
                account: account.into(),
                role: role.into(),
                profile: profile.into(),
            })
        };
        let company = sign_on("https://company.awsapps.com/start", "us-east-1", "123", "Reader", "sso");
        assert_eq!(found("sso"), Ok(Some(company)));
        let old = sign_on("https://old.awsapps.com/start", "us-east-2", "124", "Writer", "old-sso");
        assert_eq!(found("old-sso"), Ok(Some(old)));
        assert_eq!(found("program"), Ok(Some(CredentialSource::Program("/bin/keys --for me".into()))));
        for by_object_store in ["default", "keys", "web", "none"] {
            assert_eq!(found(by_object_store), Ok(None), "{by_object_store}");
        }
    }

    #[test]
    fn profiles_that_cannot_be_used_say_why() {
        for (name, why) in [
            ("circle", "form a circle"),
            ("mfa", "multi-factor"),
            ("incomplete", "needs a source_profile or a credential_source"),
        ] {
            let error = found(name).unwrap_err();
            assert!(error.contains(why) && error.starts_with("profile "), "{error}");
        }
    }

    #[test]
    fn secrets_are_not_in_messages() {
        let shown = format!("{:?} {:?}", found("role"), found("own"));
        assert!(
            !shown.contains("\"k\"") && !shown.contains("secret") && shown.contains("Keys(K)"),
            "{shown}"
        );
    }
}
