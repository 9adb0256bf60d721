//! The settings in environment variables. They are read once. An invalid value is not ignored: opening a file returns
//! it as an error.

use crate::{Error, Result};
use hyperslab_units::parse_bytes;
use std::ffi::{OsStr, OsString};
use std::num::NonZeroUsize;
use std::sync::OnceLock;

/// Environment variable with the byte budget of the chunk cache, for example `2GiB`, `500MB` or a number.
pub const CACHE_VARIABLE: &str = "HYPERSLAB_CACHE";
/// Environment variable with the number of threads that decode, the caller's included.
pub const THREADS_VARIABLE: &str = "HYPERSLAB_THREADS";

/// The values of the variables, or the error of the first invalid one.
type Read = std::result::Result<Variables, Unreadable>;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Variables {
    cache_bytes: Option<u64>,
    threads: Option<NonZeroUsize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Unreadable {
    message: String,
    hint: &'static str,
}

/// The budget of the cache, where the environment sets it.
pub(crate) fn cache_bytes() -> Option<u64> {
    variables().as_ref().ok()?.cache_bytes
}

/// The number of threads, where the environment sets it.
pub(crate) fn threads() -> Option<NonZeroUsize> {
    variables().as_ref().ok()?.threads
}

/// Refuses to work where a variable cannot be read.
pub fn check() -> Result<()> {
    match variables() {
        Ok(_) => Ok(()),
        Err(Unreadable { message, hint }) => Err(Error::invalid(message).with_hint(*hint)),
    }
}

fn variables() -> &'static Read {
    static READ: OnceLock<Read> = OnceLock::new();
    READ.get_or_init(|| read(|name| std::env::var_os(name)))
}

fn read(variable: impl Fn(&str) -> Option<OsString>) -> Read {
    let given = |name: &str| variable(name).filter(|text| !text.is_empty());
    let wrong = |name: &str, text: &OsStr, what: &str, hint| Unreadable {
        message: format!("{name}={} is not {what}", text.display()),
        hint,
    };
    let cache = given(CACHE_VARIABLE).map(|text| {
        let bytes = text.to_str().and_then(|text| parse_bytes(text).ok());
        bytes.ok_or_else(|| {
            wrong(CACHE_VARIABLE, &text, "a valid byte size", "use 2GiB, 500MB or a number, or unset it")
        })
    });
    let threads = given(THREADS_VARIABLE).map(|text| {
        let count = text.to_str().and_then(|text| text.trim().parse().ok());
        count.ok_or_else(|| {
            wrong(THREADS_VARIABLE, &text, "a number of threads", "use 1 or more, or unset it")
        })
    });
    Ok(Variables { cache_bytes: cache.transpose()?, threads: threads.transpose()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &'static str, value: &str) -> Read {
        let value = OsString::from(value);
        read(move |wanted| (wanted == name).then(|| value.clone()))
    }

    #[test]
    fn variables_set_what_they_say() {
        assert_eq!(read(|_| None), Ok(Variables::default()));
        assert_eq!(with(CACHE_VARIABLE, ""), Ok(Variables::default()));
        assert_eq!(with(CACHE_VARIABLE, "5MiB").unwrap().cache_bytes, Some(5 << 20));
        assert_eq!(with(THREADS_VARIABLE, " 3 ").unwrap().threads, NonZeroUsize::new(3));
    }

    #[test]
    fn a_value_that_cannot_be_read_is_an_error() {
        for wrong in ["lots", "5 apples"] {
            let error = with(CACHE_VARIABLE, wrong).unwrap_err();
            assert_eq!(error.message, format!("HYPERSLAB_CACHE={wrong} is not a valid byte size"));
        }
        for wrong in ["0", "-1", "two", "1.5"] {
            let error = with(THREADS_VARIABLE, wrong).unwrap_err();
            assert_eq!(error.message, format!("HYPERSLAB_THREADS={wrong} is not a number of threads"));
        }
    }
}
