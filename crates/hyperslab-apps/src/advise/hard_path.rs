//! The path of an object by hard links alone: what `hyperslab repack` and h5repack know it by.

use hyperslab::{File, LinkTarget, Result};

/// Soft links that are followed; in a circle there is no end.
const LINKS_MAX: usize = 32;

/// The path with each soft link replaced by what it leads to. Where that is not known, as it is: opening it says why.
pub(super) fn hard_path(file: &File, path: &str) -> Result<String> {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        match replaced(file, &path)? {
            Some(next) => path = next,
            None => break,
        }
    }
    Ok(path)
}

/// The path with its first soft link replaced; `None` without one.
fn replaced(file: &File, path: &str) -> Result<Option<String>> {
    let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty() && *name != ".").collect();
    let mut group = String::from("/");
    for (place, name) in names.iter().enumerate() {
        let link = file.group(&group)?.link(name)?;
        if let Some(LinkTarget::Soft(target)) = link.map(|link| link.target) {
            let Some(target) = target.as_str() else { return Ok(None) };
            let start = if target.starts_with('/') { "" } else { group.as_str() };
            let rest: String = names[place + 1..].iter().map(|name| format!("/{name}")).collect();
            return Ok(Some(format!("{start}/{target}{rest}")));
        }
        group = format!("{}/{name}", group.trim_end_matches('/'));
    }
    Ok(None)
}
