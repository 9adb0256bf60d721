//! Applies an [`ObjectSelection`] to the links of a file: which links and objects the new file has.
//!
//! ```text
//! all links ──► without dropped ──► only chosen, what is below, groups above ──► and what those need ──► renamed
//! ```

use crate::link_tree::{LinkNode, LinkNumber, LinkTree, NodeKind, absolute};
use crate::needs::{NeedTarget, needs, source_pattern, virtual_sources};
use crate::netcdf_objects::NetcdfObjects;
use crate::object_selection::{
    BrokenReference, Needed, ObjectChoice, ObjectSelection, Rename, SelectionSummary,
};
use hyperslab::{Address, File, Link, LinkTarget, Name, Object, hdf5};
use hyperslab_encode::RepackError;
use hyperslab_storage::PathPattern;
use std::collections::{HashMap, HashSet};

/// The links and objects of the new file.
#[derive(Default)]
pub struct Selected {
    /// The links of each group that is copied, by the address of the group in the source.
    pub links: HashMap<Address, Vec<Link>>,
    /// The paths of each object in the source, that of the first link first.
    pub paths: HashMap<Address, Vec<String>>,
    /// Objects that links of the source lead to, but no link of the new file.
    pub omitted: HashSet<Address>,
    /// Dimensions of which the variable is left out.
    pub bare: HashSet<Address>,
    /// netCDF's new numbers of dimensions, if some are left out.
    pub dimension_numbers: HashMap<i64, i64>,
    pub renames: Vec<Rename>,
    pub summary: SelectionSummary,
}

/// Applies a selection.
///
/// # Errors
///
/// [`RepackError::Refused`] for options that match nothing, that leave a virtual dataset without its source, and for new
/// names that are taken or whose group does not exist; objects that cannot be read.
pub fn select(file: &File, selection: &ObjectSelection) -> Result<Selected, RepackError> {
    let tree = LinkTree::read(file)?;
    let netcdf = NetcdfObjects::of(file, &tree);
    let (bare, summary) = Default::default();
    let mut selector = Selector { file, tree, netcdf, bare, summary };
    for choice in &selection.drop {
        for link in selector.chosen(choice, |_| true)? {
            selector.tree.state(link).is_dropped = true;
        }
    }
    let ways = selector.tree.reached(|link| !link.is_dropped);
    if selection.only.is_empty() {
        selector.keep_below(0);
    }
    let mut chosen = Vec::new();
    for choice in &selection.only {
        chosen.extend(selector.chosen(choice, |node| node == 0 || ways.contains_key(&node))?);
    }
    let chosen: Vec<_> = chosen
        .into_iter()
        .filter(|&(node, link)| !selector.tree.nodes[node].links[link].is_dropped)
        .collect();
    for &link in &chosen {
        selector.keep(link, &ways);
    }
    if selection.only.is_empty() {
        selector.check_virtual_sources()?;
    } else {
        selector.keep_needed(&ways)?;
    }
    selector.keep_dimensions();
    selector.drop_dangling_links();
    let rename = selection.rename.iter().map(|rename| selector.resolved(rename)).collect::<Result<_, _>>()?;
    selector.finish(&ObjectSelection { rename, ..selection.clone() })
}

struct Selector<'a> {
    file: &'a File,
    tree: LinkTree,
    netcdf: NetcdfObjects,
    /// Dimension scales that stay as dimensions only.
    bare: HashSet<usize>,
    summary: SelectionSummary,
}

impl Selector<'_> {
    /// The links that an option means, in groups that `is_there` accepts.
    fn chosen(
        &self,
        choice: &ObjectChoice,
        is_there: impl Fn(usize) -> bool,
    ) -> Result<Vec<LinkNumber>, RepackError> {
        let means = |&link: &LinkNumber| {
            choice.objects == PathPattern::All
                || self.names(link).iter().any(|path| choice.objects.matches(path))
        };
        let found: Vec<_> = self.tree.links().filter(|(node, _)| is_there(*node)).filter(means).collect();
        if found.is_empty() && choice.objects != PathPattern::All {
            const WHAT: &str = "no object has this path or name";
            let paths: Vec<String> = self.tree.links().flat_map(|link| self.tree.link_paths(link)).collect();
            let hint = choice.objects.hint(paths.iter().map(String::as_str));
            return Err(missing(&choice.option, hint.map_or(WHAT.into(), |hint| format!("{WHAT}; {hint}"))));
        }
        Ok(found)
    }

    /// The paths by which a user names a link. A variable that is stored under another name because a dimension has its own is
    /// meant by that name, in place of the dimension.
    fn names(&self, link: LinkNumber) -> Vec<String> {
        let paths: Vec<String> = self.tree.link_paths(link).collect();
        let sibling = |name: &str| {
            self.tree.nodes[link.0].links.iter().any(|state| state.link.name.as_bytes() == name.as_bytes())
        };
        let name = self.tree.nodes[link.0].links[link.1].link.name.to_string();
        let is_bare = self.tree.target(link).is_some_and(|node| self.netcdf.is_bare(node));
        if is_bare && sibling(&hyperslab_netcdf::stored_name(&name)) {
            return Vec::new();
        }
        let others: Vec<String> =
            paths.iter().filter_map(|path| hyperslab_netcdf::netcdf_path(path)).collect();
        paths.into_iter().chain(others).collect()
    }

    /// Keeps the dimensions of kept variables, as dimensions only, and notes attributes that name what is left out.
    fn keep_dimensions(&mut self) {
        let mut kept: Vec<usize> = self.kept().into_iter().collect();
        kept.sort_unstable();
        let mut is_kept: HashSet<usize> = kept.iter().copied().collect();
        for &variable in &kept {
            if self.netcdf.is_bare(variable) {
                continue;
            }
            for scale in self.netcdf.dimensions(variable).to_vec() {
                if !is_kept.insert(scale) {
                    continue;
                }
                let Some(link) = self.tree.links().find(|&link| self.tree.target(link) == Some(scale)) else {
                    continue;
                };
                let state = self.tree.state(link);
                (state.is_dropped, state.is_kept) = (false, true);
                if !self.netcdf.is_bare(scale) {
                    self.bare.insert(scale);
                    let (path, by) = (self.tree.link_path(link), self.tree.nodes[variable].paths[0].clone());
                    self.summary.dimensions.push(Needed { path, by, role: "dimension" });
                }
            }
        }
        for &variable in &kept {
            for &(companion, role) in self.netcdf.companions(variable) {
                if is_kept.contains(&companion) && !self.bare.contains(&companion) {
                    continue;
                }
                let named = &self.tree.nodes[companion].paths[0];
                let what = format!("its attribute {role} names {named}, which is left out");
                self.summary
                    .severed
                    .push(BrokenReference { path: self.tree.nodes[variable].paths[0].clone(), what });
            }
        }
    }

    /// Leaves out soft links to what is left out, which netCDF-C does not open a file with.
    fn drop_dangling_links(&mut self) {
        if !self.netcdf.is_netcdf4 {
            return;
        }
        for node in self.kept() {
            for number in 0..self.tree.nodes[node].links.len() {
                let state = &self.tree.nodes[node].links[number];
                let LinkTarget::Soft(target) = &state.link.target else { continue };
                let Some(target) = target.as_str().filter(|_| state.is_kept) else { continue };
                let target = absolute(&self.tree.nodes[node].paths[0], target);
                let Some(links) = self.tree.resolve(&target) else { continue };
                if links.iter().all(|&link| self.tree.state(link).is_kept) {
                    continue;
                }
                self.tree.state((node, number)).is_kept = false;
                let what = format!("a soft link to {target}, which is left out: it is left out, too");
                self.summary
                    .severed
                    .push(BrokenReference { path: self.tree.link_path((node, number)), what });
            }
        }
    }

    /// Keeps a link, what is below it, and the groups that lead to it.
    fn keep(&mut self, link: LinkNumber, ways: &HashMap<usize, LinkNumber>) {
        self.tree.state(link).is_kept = true;
        if let Some(target) = self.tree.target(link) {
            self.keep_below(target);
        }
        let mut node = link.0;
        while let Some(&way) = ways.get(&node) {
            self.tree.state(way).is_kept = true;
            node = way.0;
        }
    }

    /// Keeps all links of an object and below it.
    fn keep_below(&mut self, node: usize) {
        let mut visited = HashSet::from([node]);
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            for link in 0..self.tree.nodes[node].links.len() {
                if self.tree.nodes[node].links[link].is_dropped {
                    continue;
                }
                self.tree.state((node, link)).is_kept = true;
                waiting.extend(self.tree.target((node, link)).filter(|&target| visited.insert(target)));
            }
        }
    }

    /// The objects that kept links lead to.
    fn kept(&self) -> HashSet<usize> {
        let mut kept: HashSet<usize> = self.tree.reached(|link| link.is_kept).into_keys().collect();
        kept.insert(0);
        kept
    }

    /// Keeps what kept objects need, and what that needs.
    fn keep_needed(&mut self, ways: &HashMap<usize, LinkNumber>) -> Result<(), RepackError> {
        let mut examined = HashSet::new();
        loop {
            let mut new: Vec<usize> = self.kept().into_iter().filter(|&node| examined.insert(node)).collect();
            if new.is_empty() {
                return Ok(());
            }
            new.sort_unstable();
            for node in new {
                let mut found = Vec::new();
                // What cannot be read is an error when it is copied, with the place of the damage.
                if self.tree.nodes[node].kind != NodeKind::Unreadable {
                    found = needs(self.file, &self.tree, &self.tree.nodes[node])?;
                }
                let by = self.tree.nodes[node].paths[0].clone();
                for need in found {
                    let path = match need.target {
                        NeedTarget::Address(address) => {
                            self.tree.at(address).map(|node| self.tree.nodes[node].paths[0].clone())
                        }
                        NeedTarget::Path(path) => Some(absolute("/", &path)),
                    };
                    if let Some(path) = path {
                        self.keep_path(&path, &by, need.role, ways)?;
                    }
                }
                let scales = self.netcdf.dimensions(node).iter().map(|&scale| (scale, "dimension scale"));
                let datatypes = self.netcdf.datatypes(node).iter().map(|&datatype| (datatype, "datatype"));
                let named = self.netcdf.companions(node).iter().copied();
                let named: Vec<_> = scales.chain(datatypes).chain(named).collect();
                for (needed, role) in named {
                    let path = self.tree.nodes[needed].paths[0].clone();
                    self.keep_path(&path, &by, role, ways)?;
                }
                for (path, by) in self.soft_links(node) {
                    self.keep_path(&path, &by, "target", ways)?;
                }
            }
        }
    }

    /// The targets and paths of the kept soft links of a group.
    fn soft_links(&self, node: usize) -> Vec<(String, String)> {
        let links = self.tree.nodes[node].links.iter().enumerate().filter(|(_, state)| state.is_kept);
        let soft = links.filter_map(|(number, state)| match &state.link.target {
            LinkTarget::Soft(target) => {
                let target = absolute(&self.tree.nodes[node].paths[0], target.as_str()?);
                Some((target, self.tree.link_path((node, number))))
            }
            _ => None,
        });
        soft.collect()
    }

    /// Keeps the object at a path, because another one needs it.
    fn keep_path(
        &mut self,
        path: &str,
        by: &str,
        role: &'static str,
        ways: &HashMap<usize, LinkNumber>,
    ) -> Result<(), RepackError> {
        // What dangles in the source dangles in the new file.
        let Some(links) = self.tree.resolve(path) else { return Ok(()) };
        if let Some(option) = links.iter().find(|&&link| self.tree.state(link).is_dropped) {
            let dropped = self.tree.link_path(*option);
            return match role {
                "source" => Err(without_source(by, &dropped)),
                _ => Ok(()),
            };
        }
        if links.iter().all(|&link| self.tree.state(link).is_kept) {
            return Ok(());
        }
        self.summary.needed.push(Needed { path: path.into(), by: by.into(), role });
        for (position, &link) in links.iter().enumerate() {
            // Of the groups along the path, only this link is needed.
            if position + 1 == links.len() {
                self.keep(link, ways);
            } else {
                self.tree.state(link).is_kept = true;
            }
        }
        Ok(())
    }

    /// Virtual datasets must not lose their sources, whose elements would silently become fill values.
    fn check_virtual_sources(&mut self) -> Result<(), RepackError> {
        for node in self.kept() {
            if self.tree.nodes[node].kind != (NodeKind::Dataset { is_virtual: true }) {
                continue;
            }
            let by = self.tree.nodes[node].paths[0].clone();
            let object = hdf5::object_at(self.file, self.tree.nodes[node].address, &by)?;
            let Object::Dataset(dataset) = object else { continue };
            for need in virtual_sources(&self.tree, &self.tree.nodes[node], &dataset) {
                let NeedTarget::Path(path) = need.target else { continue };
                let links = self.tree.resolve(&absolute("/", &path)).unwrap_or_default();
                if let Some(&dropped) = links.iter().find(|&&link| self.tree.state(link).is_dropped) {
                    return Err(without_source(&by, &self.tree.link_path(dropped)));
                }
            }
        }
        Ok(())
    }

    /// Objects whose committed datatype is left out keep the type, but not its name.
    fn note_lost_types(&mut self, kept: &HashSet<usize>) -> Result<(), RepackError> {
        let nodes = self.tree.nodes.iter().enumerate();
        let is_lost =
            |(number, node): &(usize, &LinkNode)| node.kind == NodeKind::Datatype && !kept.contains(number);
        let lost: HashMap<Address, &str> =
            nodes.filter(is_lost).map(|(_, node)| (node.address, &node.paths[0][..])).collect();
        if lost.is_empty() {
            return Ok(());
        }
        for &node in kept {
            let node = &self.tree.nodes[node];
            for need in needs(self.file, &self.tree, node)? {
                let NeedTarget::Address(address) = need.target else { continue };
                if let Some(name) = lost.get(&address) {
                    let what =
                        format!("its datatype {name} is left out: it keeps the type, without the name");
                    self.summary.severed.push(BrokenReference { path: node.paths[0].clone(), what });
                }
            }
        }
        Ok(())
    }

    /// A rename whose text can be divided in several ways: the one that begins with the path of a link.
    fn resolved(&self, rename: &Rename) -> Result<Rename, RepackError> {
        if rename.others.is_empty() {
            return Ok(rename.clone());
        }
        let is_there = |from: &str| {
            let mut links = self.tree.links().flat_map(|link| self.tree.link_paths(link));
            links.any(|path| path == from)
        };
        let mut found = rename.readings().filter(|(from, _)| is_there(from));
        let Some((from, to)) = found.next() else { return Ok(rename.clone()) };
        if let Some((second, other)) = found.next() {
            let what = format!(
                "it may mean {from} to {to}, or {second} to {other}: a recipe names the two paths separately, under `[rename]`"
            );
            return Err(refused(&rename.option, what));
        }
        Ok(Rename { option: rename.option.clone(), from: from.into(), to: to.into(), others: Vec::new() })
    }

    fn finish(mut self, selection: &ObjectSelection) -> Result<Selected, RepackError> {
        let kept = self.kept();
        let is_omitted =
            |&(node, link): &LinkNumber| kept.contains(&node) && !self.tree.nodes[node].links[link].is_kept;
        self.summary.omitted =
            self.tree.links().filter(is_omitted).map(|link| self.tree.link_path(link)).collect();
        let mut names = Names::new(&self.tree, &kept);
        for rename in &selection.rename {
            names.rename(rename)?;
            self.summary.renamed.push((rename.from.clone(), rename.to.clone()));
        }
        if !selection.only.is_empty() {
            names.remove_empty(selection);
        }
        if !selection.rename.is_empty() {
            self.check_patterns(&kept, &selection.rename)?;
        }
        let Names { mut links, .. } = names;
        for (&node, links) in &mut links {
            let group = &self.tree.nodes[node].paths[0];
            for NamedLink { link, old_group } in links {
                follow_renames(link, old_group, &renamed(group, &selection.rename), &selection.rename);
            }
        }
        // Soft links that led to something that is left out.
        for &node in &kept {
            for (target, path) in self.soft_links(node) {
                let links = self.tree.resolve(&target).unwrap_or_default();
                if links.iter().any(|&link| !self.tree.state(link).is_kept) {
                    let what = format!("the soft link dangles: {target} was not copied");
                    self.summary.severed.push(BrokenReference { path, what });
                }
            }
        }
        self.note_lost_types(&kept)?;
        self.summary.severed.sort_by(|a, b| a.path.cmp(&b.path));
        let nodes = || self.tree.nodes.iter().enumerate();
        Ok(Selected {
            links: links
                .into_iter()
                .map(|(node, links)| {
                    let links = links.into_iter().map(|named| named.link).collect();
                    (self.tree.nodes[node].address, links)
                })
                .collect(),
            paths: nodes().map(|(_, node)| (node.address, node.paths.clone())).collect(),
            omitted: nodes()
                .filter(|(number, _)| !kept.contains(number))
                .map(|(_, node)| node.address)
                .collect(),
            bare: self.bare.iter().map(|&node| self.tree.nodes[node].address).collect(),
            dimension_numbers: self.netcdf.renumbered(|node| kept.contains(&node)),
            renames: selection.rename.clone(),
            summary: self.summary,
        })
    }

    /// Sources whose names have the numbers of blocks in them are found by those names, which must not change.
    fn check_patterns(&self, kept: &HashSet<usize>, renames: &[Rename]) -> Result<(), RepackError> {
        for &node in kept {
            let node = &self.tree.nodes[node];
            if node.kind != (NodeKind::Dataset { is_virtual: true }) {
                continue;
            }
            let Object::Dataset(dataset) = hdf5::object_at(self.file, node.address, &node.paths[0])? else {
                continue;
            };
            let sources = dataset.virtual_sources().unwrap_or_default();
            let patterns: Vec<_> = sources
                .iter()
                .filter(|(file, _)| file == ".")
                .filter_map(|(_, path)| source_pattern(path))
                .collect();
            for rename in renames {
                let moved = |path: &&String| rename.apply(path).is_some();
                let mut paths = self.tree.nodes.iter().flat_map(|node| &node.paths).filter(moved);
                if let Some(path) = paths.find(|path| patterns.iter().any(|pattern| pattern.matches(path))) {
                    let what =
                        format!("{path} is found by the pattern of a name, as a source of {}", node.paths[0]);
                    return Err(refused(&rename.option, what));
                }
            }
        }
        Ok(())
    }
}

/// A link, and the path of the group in which it was.
struct NamedLink {
    link: Link,
    old_group: String,
}

/// The kept links while they get new names.
struct Names<'a> {
    tree: &'a LinkTree,
    links: HashMap<usize, Vec<NamedLink>>,
}

impl<'a> Names<'a> {
    fn new(tree: &'a LinkTree, kept: &HashSet<usize>) -> Self {
        let groups = kept.iter().filter(|&&node| tree.nodes[node].kind == NodeKind::Group);
        let links = groups.map(|&node| {
            let old_group = &tree.nodes[node].paths[0];
            let kept = tree.nodes[node].links.iter().filter(|state| state.is_kept);
            let named =
                kept.map(|state| NamedLink { link: state.link.clone(), old_group: old_group.clone() });
            (node, named.collect())
        });
        Self { tree, links: links.collect() }
    }

    /// The group at a path, over the links as they are named by now.
    fn group(&self, path: &str) -> Option<usize> {
        path.split('/').filter(|name| !name.is_empty()).try_fold(0, |node, name| {
            let link = &self.links.get(&node)?[self.position(node, name)?].link;
            let LinkTarget::Hard(address) = link.target else { return None };
            self.tree.at(address)
        })
    }

    fn position(&self, node: usize, name: &str) -> Option<usize> {
        let links = self.links.get(&node)?;
        links.iter().position(|named| named.link.name.as_bytes() == name.as_bytes())
    }

    fn rename(&mut self, rename: &Rename) -> Result<(), RepackError> {
        let (from_group, from_name) = rename.from.rsplit_once('/').unwrap_or_default();
        let (to_group, to_name) = rename.to.rsplit_once('/').unwrap_or_default();
        let from = self.group(from_group).and_then(|group| Some((group, self.position(group, from_name)?)));
        let (from, position) = from
            .ok_or_else(|| missing(&rename.option, format!("there is no {} in the new file", rename.from)))?;
        let to = self.group(to_group).filter(|to| self.links.contains_key(to)).ok_or_else(|| {
            refused(&rename.option, format!("there is no group {to_group} in the new file"))
        })?;
        if self.position(to, to_name).is_some() {
            return Err(refused(&rename.option, format!("{} exists", rename.to)));
        }
        let links = self.links.get_mut(&from).map(|links| links.remove(position));
        let Some(mut named) = links else { return Ok(()) };
        named.link.name = to_name.into();
        if !to_name.is_ascii() {
            named.link.charset = hyperslab::datatypes::Charset::Utf8;
        }
        let target = self.links.entry(to).or_default();
        if to == from {
            target.insert(position, named);
        } else {
            let last = target.iter().filter_map(|named| named.link.creation_order).max();
            named.link.creation_order = last.map_or(named.link.creation_order, |last| Some(last + 1));
            target.push(named);
        }
        Ok(())
    }

    /// Removes groups that renaming has emptied and that no option of the selection names: they led to what was chosen.
    fn remove_empty(&mut self, selection: &ObjectSelection) {
        let is_emptied = |names: &Self, link: &Link| {
            let LinkTarget::Hard(address) = link.target else { return false };
            let Some(node) = names.tree.at(address) else { return false };
            let was_empty = !names.tree.nodes[node].links.iter().any(|state| state.is_kept);
            names.links.get(&node).is_some_and(Vec::is_empty)
                && !was_empty
                && !names.tree.nodes[node]
                    .paths
                    .iter()
                    .any(|path| selection.only.iter().any(|choice| choice.objects.matches(path)))
        };
        loop {
            let mut removed = false;
            let nodes: Vec<usize> = self.links.keys().copied().collect();
            for node in nodes {
                let gone: Vec<bool> =
                    self.links[&node].iter().map(|named| is_emptied(self, &named.link)).collect();
                removed |= gone.contains(&true);
                let mut gone = gone.into_iter();
                if let Some(links) = self.links.get_mut(&node) {
                    links.retain(|_| !gone.next().unwrap_or(false));
                }
            }
            if !removed {
                return;
            }
        }
    }
}

/// Changes a soft link so that it leads to the same object as before.
fn follow_renames(link: &mut Link, old_group: &str, new_group: &str, renames: &[Rename]) {
    let LinkTarget::Soft(target) = &link.target else { return };
    let Some(text) = target.as_str() else { return };
    let wanted = renamed(&absolute(old_group, text), renames);
    if absolute(new_group, text) != wanted {
        link.target = LinkTarget::Soft(Name::from(wanted.as_str()));
    }
}

/// A path after all renames.
pub fn renamed(path: &str, renames: &[Rename]) -> String {
    renames.iter().fold(path.to_owned(), |path, rename| rename.apply(&path).unwrap_or(path))
}

fn refused(option: &str, what: impl Into<String>) -> RepackError {
    RepackError::Refused { option: option.into(), what: what.into() }
}

fn missing(option: &str, what: impl Into<String>) -> RepackError {
    RepackError::Missing { option: option.into(), what: what.into() }
}

fn without_source(dataset: &str, source: &str) -> RepackError {
    let what = format!("the virtual dataset {dataset} takes values from it; drop both or neither");
    refused(&format!("--drop {source}"), what)
}
