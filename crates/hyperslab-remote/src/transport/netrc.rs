//! The file `.netrc`, in which users keep their logins, as `ftp` and `curl` read it.

/// For which host a login is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Machine {
    Named(String),
    /// For all hosts that are not named.
    Default,
}

/// The user and the password at a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub machine: Machine,
    pub user: String,
    pub password: String,
}

/// The logins in the text of a file, in their order. Entries without a user or a password are left out.
pub(super) fn parse(text: &str) -> Vec<Entry> {
    let mut found = Vec::new();
    let mut entry: Option<(Machine, Option<String>, Option<String>)> = None;
    let mut tokens = tokens(text).into_iter();
    let mut finish = |entry: Option<(Machine, Option<String>, Option<String>)>| {
        if let Some((machine, Some(user), Some(password))) = entry {
            found.push(Entry { machine, user, password });
        }
    };
    while let Some(token) = tokens.next() {
        match (&*token, &mut entry) {
            ("machine", _) => {
                finish(entry.take());
                entry = tokens.next().map(|name| (Machine::Named(name), None, None));
            }
            ("default", _) => {
                finish(entry.take());
                entry = Some((Machine::Default, None, None));
            }
            ("login", Some((_, user, _))) => *user = tokens.next(),
            ("password", Some((_, _, password))) => *password = tokens.next(),
            ("account" | "login" | "password", _) => drop(tokens.next()),
            _ => {}
        }
    }
    finish(entry);
    found
}

/// The words of a file, without comments and the definitions of macros. A word may be in double quotes.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut is_macro = false;
    for line in text.lines() {
        // A macro ends with an empty line.
        is_macro &= !line.trim().is_empty();
        if is_macro || line.trim_start().starts_with('#') {
            continue;
        }
        let mut rest = line.trim_start();
        while !rest.is_empty() {
            let (token, after) = match rest.strip_prefix('"').and_then(|quoted| quoted.split_once('"')) {
                Some(quoted) => quoted,
                None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
            };
            if token == "macdef" {
                is_macro = true;
                break;
            }
            tokens.push(token.to_string());
            rest = after.trim_start();
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logins_are_read_in_any_form() {
        let text = "# comment\nmachine a.b login u password \"p w\"\nmacdef x\n  machine no login n password n\n\n\
                    machine incomplete login v\nmachine c\n\taccount z\n\tpassword #q\n\tlogin w\ndefault login d password e";
        let entry = |machine: Machine, user: &str, password: &str| Entry {
            machine,
            user: user.into(),
            password: password.into(),
        };
        let expected = [
            entry(Machine::Named("a.b".into()), "u", "p w"),
            entry(Machine::Named("c".into()), "w", "#q"),
            entry(Machine::Default, "d", "e"),
        ];
        assert_eq!(parse(text), expected);
        for text in ["", "machine", "login x password y", "machine a login"] {
            assert_eq!(parse(text), [], "{text}");
        }
    }
}
