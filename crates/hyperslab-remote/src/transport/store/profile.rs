//! Profiles of the AWS command line: `~/.aws/credentials` and `~/.aws/config`, which `object_store` does not read.
//!
//! Static keys, the region and the endpoint are settings of the store. Credentials that a profile describes in another way
//! are obtained by [`super::credentials`].

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::{env, fs};

/// The settings of a profile, by their names in the files.
pub(super) type Profile = BTreeMap<String, String>;

/// The names of settings in the files, and those that `object_store` has for them. The credentials come first.
pub(super) const SETTINGS: [(&str, &str); 8] = [
    ("aws_access_key_id", "aws_access_key_id"),
    ("aws_secret_access_key", "aws_secret_access_key"),
    ("aws_session_token", "aws_session_token"),
    ("web_identity_token_file", "aws_web_identity_token_file"),
    ("role_arn", "aws_role_arn"),
    ("role_session_name", "aws_role_session_name"),
    ("region", "aws_region"),
    ("endpoint_url", "aws_endpoint"),
];
/// The number of settings that are credentials.
pub(super) const CREDENTIALS: usize = 6;

/// The two files.
#[derive(Debug, Default)]
pub(super) struct ProfileFiles {
    pub config: String,
    pub credentials: String,
}

/// The name of the profile to use if none is named: that of the environment (`AWS_PROFILE`), or the default.
pub(super) fn name_of_environment() -> String {
    let named = env::var("AWS_PROFILE").ok().filter(|name| !name.is_empty());
    named.unwrap_or_else(|| "default".into())
}

/// A file or folder in `~/.aws`.
pub(super) fn in_home(name: &str) -> Option<PathBuf> {
    env::var_os("HOME").map(|home| PathBuf::from(home).join(".aws").join(name))
}

impl ProfileFiles {
    /// The files of the user. One that cannot be read has no profiles.
    pub fn read() -> Self {
        let read = |variable: &str, usual: &str| {
            let path = env::var_os(variable).filter(|path: &OsString| !path.is_empty()).map(PathBuf::from);
            let path = path.or_else(|| in_home(usual));
            path.and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default()
        };
        Self {
            config: read("AWS_CONFIG_FILE", "config"),
            credentials: read("AWS_SHARED_CREDENTIALS_FILE", "credentials"),
        }
    }

    /// The profile of this name; empty if there is none.
    pub fn profile(&self, name: &str) -> Profile {
        let mut profile = section(&self.config, &[name, &format!("profile {name}")]);
        // As in the AWS command line, the credentials file has priority.
        profile.extend(section(&self.credentials, &[name]));
        profile
    }

    /// The settings of a session of single sign-on; empty if there is none of this name.
    pub fn sso_session(&self, name: &str) -> Profile {
        section(&self.config, &[&format!("sso-session {name}")])
    }
}

/// The settings of the sections with these names.
fn section(text: &str, names: &[&str]) -> Profile {
    let mut settings = Profile::new();
    let mut is_inside = false;
    for line in text.lines() {
        // Indented lines belong to nested settings, which are not used.
        if line.starts_with([' ', '\t', '#', ';']) {
            continue;
        }
        let line = line.trim();
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.split(']').next()) {
            is_inside = names.contains(&name.trim());
        } else if let (true, Some((key, value))) = (is_inside, line.split_once('=')) {
            settings.insert(key.trim().to_string(), value.trim().to_string());
        }
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_one_section_are_read() {
        let text = "# keys\n[default]\naws_access_key_id = A\n\n[profile other]\nregion=eu-west-1\ns3 =\n  region = no\n\
                    endpoint_url = http://localhost:9000\n[third]\nregion = x\n";
        let found = section(text, &["other", "profile other"]);
        assert_eq!(found.get("region").map(String::as_str), Some("eu-west-1"));
        assert_eq!(found.get("endpoint_url").map(String::as_str), Some("http://localhost:9000"));
        assert_eq!(found.get("aws_access_key_id"), None);
        assert_eq!(section(text, &["default"])["aws_access_key_id"], "A");
        assert!(section(text, &["none"]).is_empty());
    }
}
