//! A file of many objects: groups in groups, datasets in them, attributes on all.

use hyperslab_engines::{Attribute, CreationProperties};
use serde::{Deserialize, Serialize};

/// What a file of many objects consists of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    /// Groups beside the root, a few in each other.
    pub groups: u64,
    /// Datasets, dealt out to the groups in turn; all in the root where there are none.
    pub datasets: u64,
    /// Attributes of each group and dataset.
    pub attributes: u64,
    /// How each dataset is stored, and the file.
    pub storage: CreationProperties,
    /// The same seed gives the same values.
    pub seed: u64,
    /// All datasets are made before any gets its values, as by programs that lay out a file first: headers lie together,
    /// far from the chunk indexes, which come with the values.
    #[serde(default)]
    pub is_laid_out_first: bool,
}

/// Groups that one group holds.
const FAN: u64 = 9;

impl Tree {
    /// The paths of the groups, each after the group that it lies in.
    pub fn group_paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = Vec::new();
        for number in 0..self.groups {
            let above = number.checked_sub(FAN).and_then(|rest| paths.get((rest / FAN) as usize));
            let path = format!("{}/group{number:03}", above.map_or("", String::as_str));
            paths.push(path);
        }
        paths
    }

    /// The paths of the datasets, group by group.
    pub fn dataset_paths(&self) -> Vec<String> {
        let groups = self.group_paths();
        let mut paths: Vec<(usize, String)> = (0..self.datasets)
            .map(|number| {
                let group = number.checked_rem(self.groups).unwrap_or(0) as usize;
                (group, format!("{}/data{number:05}", groups.get(group).map_or("", String::as_str)))
            })
            .collect();
        paths.sort();
        paths.into_iter().map(|(_, path)| path).collect()
    }

    /// The attributes of the object with this number.
    pub fn attributes_of(&self, number: u64) -> Vec<(String, Attribute)> {
        let attribute = |which: u64| match which % 2 {
            0 => Attribute::Text(format!("attribute {which} of object {number}")),
            _ => Attribute::Number((number * self.attributes + which) as f64),
        };
        (0..self.attributes).map(|which| (format!("attribute{which}"), attribute(which))).collect()
    }
}

/// `1000 datasets of 10 in 171 groups, 3 attributes each`
impl std::fmt::Display for Tree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shape = hyperslab_storage::pattern::shape_text(&self.storage.shape);
        write!(f, "{} datasets of {shape} in {} groups", self.datasets, self.groups + 1)?;
        if self.attributes > 0 {
            write!(f, ", {} attributes each", self.attributes)?;
        }
        write!(f, ", {}", self.storage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn tree(groups: u64, datasets: u64) -> Tree {
        let storage = CreationProperties::plain(vec![4], "<f4".parse().unwrap());
        Tree { groups, datasets, attributes: 3, storage, seed: 1, is_laid_out_first: false }
    }

    #[test]
    fn every_object_has_a_place_of_its_own_below_one_that_is_there() {
        let tree = tree(171, 1000);
        let groups = tree.group_paths();
        let known: BTreeSet<&str> = groups.iter().map(String::as_str).chain([""]).collect();
        assert_eq!(known.len(), 172);
        for (number, path) in groups.iter().enumerate() {
            let above = path.rsplit_once('/').unwrap().0;
            assert!(above.is_empty() || groups[..number].iter().any(|group| group == above), "{path}");
        }
        let datasets = tree.dataset_paths();
        assert_eq!(datasets.iter().collect::<BTreeSet<_>>().len(), 1000);
        assert!(datasets.iter().all(|path| known.contains(path.rsplit_once('/').unwrap().0)));
    }

    #[test]
    fn without_groups_all_lies_in_the_root() {
        assert_eq!(tree(0, 2).dataset_paths(), ["/data00000", "/data00001"]);
        assert_eq!(tree(0, 0).group_paths(), Vec::<String>::new());
        assert_eq!(tree(0, 2).attributes_of(5)[1], ("attribute1".to_owned(), Attribute::Number(16.0)));
    }
}
