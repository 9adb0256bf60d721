//! The logins of the user at web servers: `.netrc`, and the token of NASA's Earthdata.

use super::netrc::{self, Entry, Machine};
use reqwest::Url;
use std::path::PathBuf;
use std::{env, fs};

/// A login at one host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Login {
    Password { user: String, password: String },
    Token(String),
}

/// All logins of the user.
#[derive(Debug, Default)]
pub(super) struct Logins {
    machines: Vec<(Machine, Login)>,
    earthdata: Option<Login>,
}

/// The environment variable with a token for the servers of Earthdata.
const TOKEN_VARIABLE: &str = "EARTHDATA_TOKEN";
/// The domains of Earthdata, to which the token is sent.
const EARTHDATA: [&str; 2] = ["earthdata.nasa.gov", "earthdatacloud.nasa.gov"];

impl Logins {
    /// Reads the file that `NETRC` names, or else `~/.netrc`, and the token. A file that cannot be read has no logins.
    pub fn read() -> Self {
        let named = env::var_os("NETRC").filter(|path| !path.is_empty()).map(PathBuf::from);
        let usual = || env::var_os("HOME").map(|home| PathBuf::from(home).join(".netrc"));
        let text = named.or_else(usual).and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default();
        let token = env::var(TOKEN_VARIABLE).ok().filter(|token| !token.is_empty());
        Self { machines: machines(&text), earthdata: token.map(Login::Token) }
    }

    /// The login for a URL. None is sent without encryption, except to this machine.
    pub fn of(&self, url: &Url) -> Option<&Login> {
        let host = url.host_str()?;
        let is_loopback = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
        if url.scheme() != "https" && !is_loopback {
            return None;
        }
        let is_inside = |domain: &str| {
            host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
        };
        if self.earthdata.is_some() && EARTHDATA.iter().any(|domain| is_inside(domain)) {
            return self.earthdata.as_ref();
        }
        let named =
            |machine: &Machine| matches!(machine, Machine::Named(name) if name.eq_ignore_ascii_case(host));
        let of = |is: &dyn Fn(&Machine) -> bool| self.machines.iter().find(|(machine, _)| is(machine));
        let found = of(&named).or_else(|| of(&|machine| *machine == Machine::Default));
        found.map(|(_, login)| login)
    }
}

/// The logins in the text of a file `.netrc`.
fn machines(text: &str) -> Vec<(Machine, Login)> {
    let login = |Entry { machine, user, password }| (machine, Login::Password { user, password });
    netrc::parse(text).into_iter().map(login).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_login_is_for_its_own_host_and_needs_encryption() {
        let text = "machine urs.example login a password b machine localhost login c password d";
        let token = Login::Token("t".into());
        let logins = Logins { machines: machines(text), earthdata: Some(token.clone()) };
        let of = |url: &str| logins.of(&Url::parse(url).unwrap()).cloned();
        let login = |user: &str, password: &str| {
            Some(Login::Password { user: user.into(), password: password.into() })
        };
        assert_eq!(of("https://URS.example/f"), login("a", "b"));
        assert_eq!(of("http://localhost:80/f"), login("c", "d"));
        assert_eq!(of("https://data.earthdatacloud.nasa.gov/f"), Some(token));
        for other in [
            "http://urs.example/f",
            "https://x.urs.example/f",
            "https://notearthdata.nasa.gov/f",
            "https://earthdata.nasa.gov.example/f",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
