//! The tree of a file, as it is read when the file is opened: see [`tree`](super::tree).

use super::elements::Elements;
use super::facts::Facts;
use super::model::Object;
use super::tree;
use crate::Error;
use crate::named_dimensions::NamedDimensions;
use std::collections::HashMap;

/// Groups deeper than this have no path.
const DEPTH_MAX: usize = 64;

/// The tree.
#[derive(Default)]
pub(super) struct Contents {
    /// The root group, and all others.
    pub(super) objects: Vec<Object>,
    pub(super) dimensions: NamedDimensions,
    /// What HDF4 says of each object.
    pub(super) facts: HashMap<usize, Facts>,
    /// How many of the last attributes of the root group are those of all images.
    pub(super) image_attributes: usize,
    /// What could not be read; shown as members of the root group.
    pub(super) problems: Vec<Error>,
}

impl Contents {
    /// Reads the tree, with those of HDF-EOS2 as structures or as the Vgroups that they are. What cannot be read of it is among the problems, or an error of the object itself.
    pub(super) fn read(elements: &Elements, has_structures: bool) -> Self {
        tree::read(elements, has_structures)
    }

    /// The offset of the description of an object.
    pub(super) fn at(&self, index: usize) -> u64 {
        match self.objects.get(index) {
            Some(Object::Group(group)) => group.at,
            Some(Object::DataSet(data_set)) => data_set.at,
            None => 0,
        }
    }

    /// What could not be read, of the object with this index.
    pub(super) fn problems_of(&self, index: usize) -> impl Iterator<Item = Error> {
        let problems = if index == 0 { &self.problems[..] } else { &[] };
        problems.iter().map(|error| Error::new(error.kind(), error.to_string()))
    }

    /// A path of the object with this index.
    pub(super) fn path(&self, index: usize) -> String {
        let mut path = String::new();
        let mut wanted = index;
        for _ in 0..DEPTH_MAX {
            let parent = self.objects.iter().enumerate().find_map(|(parent, object)| match object {
                Object::Group(group) => {
                    let (name, _) = group.links.iter().find(|(_, member)| *member == wanted)?;
                    Some((parent, name))
                }
                Object::DataSet(_) => None,
            });
            let Some((parent, name)) = parent else { break };
            path = format!("/{name}{path}");
            wanted = parent;
            if parent == 0 {
                break;
            }
        }
        path
    }
}
