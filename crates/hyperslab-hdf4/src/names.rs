//! Names of links: without `/`, not empty, and different from one another within a group.

use hyperslab_format::Name;
use std::collections::HashSet;

/// The names of a group so far.
#[derive(Default)]
pub struct Names(HashSet<Vec<u8>>);

impl Names {
    /// A name for a link: the own name of an object or, without one, what it is and its reference. A name that is there already
    /// gets a number, from 2.
    pub fn unique(&mut self, own: &Name, what: &str, reference: u16) -> Name {
        let mut name: Vec<u8> =
            own.as_bytes().iter().map(|byte| if *byte == b'/' { b'_' } else { *byte }).collect();
        if name.is_empty() || name == b"." {
            name = format!("{what}_{reference}").into_bytes();
        }
        let mut number = 1;
        let mut tried = name.clone();
        while !self.0.insert(tried.clone()) {
            number += 1;
            tried = [&name[..], format!("#{number}").as_bytes()].concat();
        }
        Name::new(tried)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_and_are_links() {
        let mut names = Names::default();
        let mut of = |own: &str| names.unique(&Name::from(own), "vdata", 7).to_string();
        assert_eq!([of("a"), of("a"), of("a/b"), of(""), of("a")], ["a", "a#2", "a_b", "vdata_7", "a#3"]);
    }
}
