//! Which objects are copied, and under which names.

use hyperslab_storage::PathPattern;
use serde::Serialize;

/// The objects of the new file. By default, all of the source, with their names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ObjectSelection {
    /// If any are given: only the objects that they match, what is below them, and what those need.
    pub only: Vec<ObjectChoice>,
    /// Objects that are left out, with what is below them. They override `only`.
    pub drop: Vec<ObjectChoice>,
    /// Links that get other names or places.
    pub rename: Vec<Rename>,
}

/// Objects that an option means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectChoice {
    /// The option as the user wrote it, for messages: `--drop /t2m`.
    pub option: String,
    /// The objects.
    pub objects: PathPattern,
}

/// A new name of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    /// The option as the user wrote it.
    pub option: String,
    /// The path of the link in the source.
    pub from: String,
    /// Its new name in the same group, or its new path, in a group that exists.
    pub to: String,
    /// Other paths and new paths that the user's text may mean, if it has several `=`. The file decides.
    pub others: Vec<(String, String)>,
}

/// What a selection leaves out, adds and changes, for people.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SelectionSummary {
    /// The paths of links that are left out. What is below them is not listed.
    pub omitted: Vec<String>,
    /// Objects that no option names, but that are copied because others need them.
    pub needed: Vec<Needed>,
    /// Dimensions that stay without their variable, which is left out: their paths, and that of a variable along each.
    pub dimensions: Vec<Needed>,
    /// Old and new paths.
    pub renamed: Vec<(String, String)>,
    /// Objects that referred to others that are left out.
    pub severed: Vec<BrokenReference>,
}

/// An object that is copied because another one needs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Needed {
    /// Its path.
    pub path: String,
    /// The path of the object that needs it.
    pub by: String,
    /// `dimension scale`, `datatype`, `source` (of a virtual dataset), `target` (of a soft link), `dimension`, or the attribute
    /// of the CF conventions that names it, such as `coordinates`.
    pub role: &'static str,
}

/// An object that referred to others that are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BrokenReference {
    /// Its path.
    pub path: String,
    /// What became of the references.
    pub what: String,
}

impl ObjectSelection {
    /// True if all objects are copied, with their names.
    pub fn is_everything(&self) -> bool {
        self.only.is_empty() && self.drop.is_empty() && self.rename.is_empty()
    }
}

impl Rename {
    /// Reads `OLD=NEW`. OLD is a path; NEW is a name, or a path. Both may contain `=`: which one divides them is decided by
    /// the objects of the file.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn parse(option: &str, text: &str) -> Result<Self, String> {
        let places = text.match_indices('=').map(|(place, _)| (&text[..place], &text[place + 1..]));
        let mut readings = places.map(|(from, to)| Self::new(option, from, to));
        let first = readings.next().ok_or_else(|| format!("{text:?} is not OLD=NEW"))?;
        let mut others = readings.filter_map(Result::ok);
        // What is wrong is told of the first one.
        let mut first = first.or_else(|why| others.next().ok_or(why))?;
        first.others = others.map(|other| (other.from, other.to)).collect();
        Ok(first)
    }

    /// All old and new paths that it may mean.
    pub fn readings(&self) -> impl Iterator<Item = (&str, &str)> {
        let others = self.others.iter().map(|(from, to)| (&**from, &**to));
        std::iter::once((&*self.from, &*self.to)).chain(others)
    }

    /// A new name or path for the link at a path.
    ///
    /// # Errors
    ///
    /// What is wrong with them.
    pub fn new(option: &str, from: &str, to: &str) -> Result<Self, String> {
        let is_valid_path = |path: &str| {
            path.strip_prefix('/').is_some_and(|rest| rest.split('/').all(|name| !matches!(name, "" | ".")))
        };
        if !is_valid_path(from) {
            return Err(format!("{from:?} is not the path of an object, such as /model/t2m"));
        }
        if to.is_empty() || to == "." || (to.contains('/') && !is_valid_path(to)) {
            return Err(format!("{to:?} is neither a name nor a path, such as /model/t2m"));
        }
        let group = from.rsplit_once('/').map_or("", |(group, _)| group);
        let to = if to.starts_with('/') { to.to_owned() } else { format!("{group}/{to}") };
        if to.starts_with(&format!("{from}/")) {
            return Err(format!("{from} cannot be moved below itself"));
        }
        Ok(Self { option: option.into(), from: from.into(), to, others: Vec::new() })
    }

    /// The new path of an object that was at a path or below it; `None` for all others.
    pub fn apply(&self, path: &str) -> Option<String> {
        let rest = path.strip_prefix(&self.from)?;
        (rest.is_empty() || rest.starts_with('/')).then(|| format!("{}{rest}", self.to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rename_is_a_name_or_a_path() {
        let rename = |text: &str| Rename::parse("--rename", text).map(|rename| (rename.from, rename.to));
        assert_eq!(rename("/a/b=c"), Ok(("/a/b".into(), "/a/c".into())));
        assert_eq!(rename("/a=/x/y"), Ok(("/a".into(), "/x/y".into())));
        let all = |text: &str| {
            let rename = Rename::parse("--rename", text).unwrap();
            rename.readings().map(|(from, to)| format!("{from} {to}")).collect::<Vec<_>>()
        };
        assert_eq!(all("/a=b=c"), ["/a /b=c", "/a=b /c"]);
        assert_eq!(all("/a=/b=/c"), ["/a /b=/c", "/a=/b /c"]);
        assert_eq!(all("/a==b"), ["/a /=b", "/a= /b"]);
        for text in ["/a", "a=b", "/a=", "/a/=b", "/=b", "/a=/", "/a=b/c", "/a=/a/b", "/a=."] {
            assert!(rename(text).is_err(), "{text}");
        }
        let rename = Rename::parse("--rename", "/a/b=/c").unwrap();
        assert_eq!(rename.apply("/a/b/d").as_deref(), Some("/c/d"));
        assert_eq!((rename.apply("/a/b").as_deref(), rename.apply("/a/bd")), (Some("/c"), None));
    }
}
