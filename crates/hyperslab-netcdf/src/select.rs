//! A part of the view: one group with what lies below it, or one variable.
//!
//! ```text
//! /            dimensions, types
//! └── model    dimensions, types          ← the groups around it say what it uses
//!     └── run1 everything                 ← wanted
//! ```

use crate::attribute::Attribute;
use crate::model::{Group, Netcdf, Omitted};
use crate::types::{GroupId, VariableType};
use hyperslab_format::message::Datatype;

impl Netcdf {
    /// Leaves the group or the variable at this path, and takes away all others. Of the groups around it, the
    /// dimensions and types stay, which it may use. False if there is neither; then nothing changes.
    pub fn select(&mut self, path: &str) -> bool {
        let wanted = path.trim_matches('/').to_owned();
        let variable = self.find_variable(path).map(|variable| variable.name.clone());
        let (place, variable) = match (self.find_group(path), variable) {
            (Some(_), _) => (wanted.clone(), None),
            (None, Some(name)) => {
                let group = path.trim_end_matches('/').rsplit_once('/').map_or("", |(group, _)| group);
                (group.trim_matches('/').to_owned(), Some(name))
            }
            (None, None) => return false,
        };
        let is_on_the_way = |group: &Group| is_at_or_below(&place, group.path.trim_matches('/'));
        let is_inside =
            |group: &Group| variable.is_none() && is_at_or_below(group.path.trim_matches('/'), &place);
        let shown: Vec<bool> =
            self.groups.iter().map(|group| is_on_the_way(group) || is_inside(group)).collect();
        for group in &mut self.groups {
            group.groups.retain(|&GroupId(child)| shown[child]);
            if is_inside(group) {
                continue;
            }
            let has_it = group.path.trim_matches('/') == place;
            group.variables.retain(|found| has_it && variable.as_ref() == Some(&found.name));
            group.attributes.clear();
        }
        for omitted in [&mut self.omitted, &mut self.damaged_attributes] {
            omitted.retain(|omitted| is_at_or_below(omitted.path.trim_matches('/'), &wanted));
        }
        true
    }

    /// All that the file has and the view has not.
    pub fn left_out(&self) -> impl Iterator<Item = &Omitted> {
        self.omitted.iter().chain(&self.damaged_attributes)
    }

    /// The variables and attributes of the view that CDL leaves out, because netCDF has no type for them.
    pub fn without_type(&self) -> Vec<Omitted> {
        let mut found = Vec::new();
        for group in &self.groups {
            let below = group.path.trim_end_matches('/');
            for variable in &group.variables {
                let path = format!("{below}/{}", variable.name);
                match variable.variable_type {
                    VariableType::Other => found.push(no_type(path, variable.datatype())),
                    _ => found.extend(attributes_without_type(&path, &variable.attributes)),
                }
            }
            found.extend(attributes_without_type(&group.path, &group.attributes));
        }
        found
    }
}

fn attributes_without_type(path: &str, attributes: &[Attribute]) -> impl Iterator<Item = Omitted> {
    let without = attributes.iter().filter(|attribute| attribute.attribute_type == VariableType::Other);
    without.map(move |one| no_type(format!("{path}: attribute {}", one.name), &one.stored.datatype))
}

fn no_type(path: String, datatype: &Datatype) -> Omitted {
    Omitted { path, reason: format!("netCDF has no type for {datatype}") }
}

/// True where a path is this group, or lies in it. Both are without slashes around them.
fn is_at_or_below(path: &str, group: &str) -> bool {
    group.is_empty() || path.strip_prefix(group).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::is_at_or_below;

    #[test]
    fn a_group_contains_what_is_below_it() {
        assert!(is_at_or_below("a/b", "a") && is_at_or_below("a", "a") && is_at_or_below("a", ""));
        assert!(!is_at_or_below("ab", "a") && !is_at_or_below("", "a"));
    }
}
