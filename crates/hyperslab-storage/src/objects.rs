//! Objects of a file by their paths: patterns such as `/model/*` and `t2m`.

use glob::{MatchOptions, Pattern};

/// Paths of objects.
///
/// A pattern that begins with `/` is compared with the whole path, another one with the last name: `t2m` is every object
/// of that name. `*` stands for any characters of one name, `**` for any number of groups, `?` for one character, `[ab]`
/// for one of these. `*` alone, and an empty pattern, are all objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathPattern {
    /// All objects.
    All,
    /// Objects whose whole path matches.
    Path(Pattern),
    /// Objects whose last name matches.
    Name(Pattern),
}

const MATCHING: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

impl PathPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let pattern = || {
            Pattern::new(text).map_err(|error| {
                let hint = if text.contains('[') {
                    format!("; for a name with `[`, write `{}`", escaped(text))
                } else {
                    String::new()
                };
                format!("{text:?} is not a pattern: {error}{hint}")
            })
        };
        Ok(match text {
            "" | "*" | "/**" => Self::All,
            path if path.starts_with('/') => Self::Path(pattern()?),
            name if name.contains('/') => {
                return Err(format!("{name:?}: a pattern with more than a name begins with /"));
            }
            _ => Self::Name(pattern()?),
        })
    }

    /// The object at this path, whatever characters it has. What cannot be done with it is passed over, as with a pattern.
    pub fn exact(path: &str) -> Self {
        // An escaped text is a valid pattern; an empty one would match nothing.
        Self::Path(Pattern::new(&Pattern::escape(path)).unwrap_or_default())
    }

    /// True if the object at this path is meant.
    pub fn matches(&self, path: &str) -> bool {
        match self {
            Self::All => true,
            Self::Path(pattern) => pattern.matches_with(path, MATCHING),
            Self::Name(pattern) => {
                pattern.matches_with(path.rsplit('/').next().unwrap_or_default(), MATCHING)
            }
        }
    }

    /// For a pattern with `[` that matches nothing: how to write it, if it is meant as the path or name of one of these objects
    /// itself.
    pub fn hint<'p>(&self, mut paths: impl Iterator<Item = &'p str>) -> Option<String> {
        let (Self::Path(pattern) | Self::Name(pattern)) = self else { return None };
        let text = pattern.as_str();
        if !text.contains('[') {
            return None;
        }
        let is_text = |path: &str| match self {
            Self::Path(_) => path == text,
            _ => path.rsplit('/').next() == Some(text),
        };
        paths.any(is_text).then(|| {
            let escaped = escaped(text);
            format!("as a pattern, `[` begins a choice of characters: write `{escaped}` for the object of this name")
        })
    }

    /// True if it means exactly one path: then what cannot be done is an error, and not passed over.
    pub fn is_exact(&self) -> bool {
        match self {
            Self::All => false,
            Self::Path(pattern) | Self::Name(pattern) => !pattern.as_str().contains(['*', '?', '[']),
        }
    }
}

/// A name as a pattern. An escaped `[` suffices: a `]` alone stands for itself.
fn escaped(name: &str) -> String {
    name.replace('[', "[[]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_paths_and_names() {
        let matches = |pattern: &str, path: &str| PathPattern::parse(pattern).unwrap().matches(path);
        assert!(matches("*", "/a/b") && matches("", "/a/b") && matches("/**", "/a"));
        assert!(matches("b", "/a/b") && matches("b*", "/a/bc") && !matches("a", "/a/b"));
        assert!(matches("/a/*", "/a/b") && !matches("/a/*", "/a/b/c") && !matches("/*", "/a/b"));
        assert!(matches("/a/**", "/a/b/c") && matches("/**/c", "/a/b/c") && matches("/**/c", "/c"));
        assert!(matches("/a/b", "/a/b") && !matches("/a", "/a/b"));
        assert!(
            PathPattern::exact("/a*[b]?").matches("/a*[b]?") && !PathPattern::exact("/a*").matches("/ab")
        );
        let pattern = PathPattern::parse("/x[0]").unwrap();
        assert!(!pattern.matches("/x[0]") && pattern.hint(["/x[1]"].into_iter()).is_none());
        assert!(pattern.hint(["/y", "/x[0]"].into_iter()).unwrap().contains("`/x[[]0]`"));
        assert!(PathPattern::parse("x[0]").unwrap().hint(["/g/x[0]"].into_iter()).is_some());
        assert!(matches("/x[[]0]", "/x[0]") && !matches("/x[[]0]", "/x0"));
        assert!(PathPattern::parse("/a[").unwrap_err().contains("`/a[[]`"));
        assert!(PathPattern::parse("/a[").is_err() && PathPattern::parse("a/b").is_err());
        assert!(
            PathPattern::parse("/a/b").unwrap().is_exact() && !PathPattern::parse("/a/*").unwrap().is_exact()
        );
    }
}
