//! Names of links: without `/`, not empty, and different from one another within a group.

use hyperslab_format::Name;
use std::collections::HashMap;

/// The names of a group so far, and the number that each was given last.
#[derive(Default)]
pub struct Names(HashMap<Vec<u8>, u64>);

impl Names {
    /// A name for a link: the own name of an object or, without one, what it is and its reference. A name that is there already
    /// gets a number, from 2.
    pub fn unique(&mut self, own: &Name, what: &str, reference: u16) -> Name {
        let mut name: Vec<u8> =
            own.as_bytes().iter().map(|byte| if *byte == b'/' { b'_' } else { *byte }).collect();
        if name.is_empty() || name == b"." {
            name = format!("{what}_{reference}").into_bytes();
        }
        self.numbered(name)
    }

    /// This name, with a number if it is there already.
    pub fn numbered(&mut self, name: Vec<u8>) -> Name {
        let mut tried = name.clone();
        while self.0.contains_key(&tried) {
            let number = self.0.entry(name.clone()).or_insert(1);
            *number += 1;
            tried = [&name[..], format!("#{number}").as_bytes()].concat();
        }
        self.0.insert(tried.clone(), 1);
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
