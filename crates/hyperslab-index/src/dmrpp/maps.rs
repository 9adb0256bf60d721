//! Coordinate variables as DAP4's maps.
//!
//! A variable has a map for each array that its attribute `coordinates` names, and for the coordinate variable of each
//! dimension that those arrays do not have. What is a map itself has none, and is written before the variables that use it
//! (`add_dap4_coverage_default` in Hyrax's `h5dmr.cc`).

use hyperslab::Heap;
use hyperslab_netcdf::{DimensionId, Group, Netcdf, Values, Variable};
use std::collections::{HashMap, HashSet};

/// The maps of all variables.
pub(super) struct Maps {
    /// The paths of its maps, by the path of a variable.
    of: HashMap<String, Vec<String>>,
    /// The paths of all maps.
    sources: HashSet<String>,
}

impl Maps {
    /// Finds them among the arrays whose paths `is_written` is true for. `heap` is that of the file.
    pub fn new(netcdf: &Netcdf, heap: &mut Heap, is_written: impl Fn(&str) -> bool) -> Self {
        let mut arrays = HashMap::new();
        for group in &netcdf.groups {
            for variable in &group.variables {
                let path = path(group, &variable.name);
                if !variable.dimensions.is_empty() && is_written(&path) {
                    arrays.insert(path, variable);
                }
            }
        }
        let scales: HashMap<DimensionId, String> = arrays
            .iter()
            .filter(|(_, variable)| variable.is_coordinate && variable.dimensions.len() == 1)
            .map(|(path, variable)| (variable.dimensions[0], path.clone()))
            .collect();
        let mut maps = Maps { of: HashMap::new(), sources: scales.values().cloned().collect() };
        for group in &netcdf.groups {
            for variable in &group.variables {
                let own = path(group, &variable.name);
                if !arrays.contains_key(&own) {
                    continue;
                }
                let mut found: Vec<String> = Vec::new();
                for name in coordinate_names(variable, heap) {
                    let named = resolve(netcdf, group, &name, |path| arrays.contains_key(path));
                    if let Some(named) = named.filter(|named| !found.contains(named)) {
                        found.push(named);
                    }
                }
                maps.sources.extend(found.iter().cloned());
                let has_map = |id: &DimensionId| found.iter().any(|map| arrays[map].dimensions.contains(id));
                let others = variable.dimensions.iter().filter(|id| !has_map(id));
                let others: Vec<String> = others.filter_map(|id| scales.get(id)).cloned().collect();
                found.extend(others);
                maps.of.insert(own, found);
            }
        }
        let Maps { of, sources } = &mut maps;
        of.retain(|path, _| !sources.contains(path));
        maps
    }

    /// The paths of the maps of a variable.
    pub fn of(&self, group: &Group, variable: &Variable) -> &[String] {
        self.of.get(&path(group, &variable.name)).map_or(&[], Vec::as_slice)
    }

    /// True if a variable is a map of others.
    pub fn is_map(&self, group: &Group, variable: &Variable) -> bool {
        self.sources.contains(&path(group, &variable.name))
    }
}

/// The path of a member of a group.
pub(super) fn path(group: &Group, name: &str) -> String {
    format!("{}/{name}", group.path.trim_end_matches('/'))
}

/// The words of the attribute `coordinates`.
fn coordinate_names(variable: &Variable, heap: &mut Heap) -> Vec<String> {
    let Some(attribute) = variable.attribute("coordinates") else { return Vec::new() };
    let texts = match attribute.values(heap) {
        Ok(Values::Char(text)) => vec![text],
        Ok(Values::String(texts)) => texts,
        // An attribute that cannot be read is named where the attributes are written.
        _ => Vec::new(),
    };
    let words = |text: &Vec<u8>| {
        let text = String::from_utf8_lossy(text).into_owned();
        text.trim_matches('\0').split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    texts.iter().flat_map(words).collect()
}

/// The path of a coordinate as a variable of `group` names it: in this group or one around it.
fn resolve(netcdf: &Netcdf, group: &Group, name: &str, exists: impl Fn(&str) -> bool) -> Option<String> {
    let parent = |group: &Group| group.parent.map(|id| netcdf.group(id));
    let around = || std::iter::successors(Some(group), |group| parent(group));
    let found = if name.starts_with('/') {
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        around().find(|group| group.path.trim_end_matches('/') == folder).map(|_| name.to_owned())
    } else if let Some(mut rest) = name.strip_prefix("../") {
        let mut folder = parent(group)?;
        while let Some(above) = rest.strip_prefix("../") {
            (folder, rest) = (parent(folder)?, above);
        }
        Some(path(folder, rest))
    } else {
        around().map(|group| path(group, name)).find(|path| exists(path))
    };
    found.filter(|path| exists(path))
}
