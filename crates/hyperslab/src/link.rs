//! The links of a group, in whichever of the three ways the file keeps them.

use crate::Result;
use crate::object::Node;
use crate::unfilter::HeapFilters;
use hyperslab_format::group;
use hyperslab_format::message::{Link, LinkInfo, SymbolTable};
use hyperslab_format::{Name, Widths};

/// The links of one group.
pub(crate) struct Links<'n> {
    node: &'n Node,
}

/// How a group keeps its links.
enum Kept {
    /// B-tree and local heap, before HDF5 1.8.
    SymbolTable(SymbolTable),
    /// Fractal heap and version 2 B-tree.
    Dense(LinkInfo),
    /// Messages of the object header.
    Compact,
}

impl<'n> Links<'n> {
    pub(crate) fn new(node: &'n Node) -> Self {
        Self { node }
    }

    fn kept(&self) -> Result<Kept> {
        let (header, widths) = (&self.node.header, self.widths());
        if let Some(table) = header.symbol_table(widths)? {
            return Ok(Kept::SymbolTable(table));
        }
        Ok(match header.link_info(widths)? {
            Some(info) if info.heap.is_some() => Kept::Dense(info),
            _ => Kept::Compact,
        })
    }

    fn widths(&self) -> Widths {
        self.node.file.superblock.widths
    }

    pub(crate) fn tracks_creation_order(&self) -> bool {
        let info = self.node.header.link_info(self.widths());
        info.ok().flatten().is_some_and(|info| info.tracks_creation_order())
    }

    /// All links by ascending name.
    pub(crate) fn list(&self) -> Result<Vec<Result<Link>>> {
        let (file, header) = (&self.node.file, &self.node.header);
        let found = match self.kept()? {
            Kept::SymbolTable(table) => {
                let mut listing = group::old::list(table);
                file.parse(|view| listing.advance(view))?
            }
            Kept::Dense(info) => {
                let mut links = header.links(self.widths());
                if let Some(mut listing) = group::dense::list(&info) {
                    links.extend(file.parse(|view| listing.advance(view, &HeapFilters))?);
                }
                links
            }
            Kept::Compact => header.links(self.widths()),
        };
        let mut links: Vec<Result<Link>> = found.into_iter().map(|link| link.map_err(Into::into)).collect();
        // Damaged links, whose names are unknown, come last.
        links.sort_by(|a, b| match (a, b) {
            (Ok(a), Ok(b)) => a.name.cmp(&b.name),
            (a, b) => a.is_err().cmp(&b.is_err()),
        });
        Ok(links)
    }

    /// The link of this name.
    pub(crate) fn get(&self, name: &[u8]) -> Result<Option<Link>> {
        let (file, header) = (&self.node.file, &self.node.header);
        let wanted = Name::new(name.to_vec());
        match self.kept()? {
            Kept::SymbolTable(table) => {
                let mut lookup = group::old::lookup(table, wanted);
                file.parse(|view| lookup.advance(view))
            }
            Kept::Dense(info) => match group::dense::lookup(&info, wanted) {
                Some(mut lookup) => file.parse(|view| lookup.advance(view, &HeapFilters)),
                None => Ok(None),
            },
            Kept::Compact => {
                Ok(header.links(self.widths()).into_iter().flatten().find(|link| link.name == wanted))
            }
        }
    }
}

/// Names are compared up to this many bytes, and this many of them: comparing takes the product of two lengths.
const COMPARED_BYTES_MAX: usize = 128;
const COMPARED_NAMES_MAX: usize = 10_000;

/// The name nearest to what was asked for, if one is near.
pub(crate) fn suggest<'a>(wanted: &str, names: &'a [String]) -> Option<&'a str> {
    if wanted.len() > COMPARED_BYTES_MAX {
        return None;
    }
    let most = wanted.len().max(3) / 3 + 1;
    let wanted = wanted.to_lowercase();
    let letters = wanted.chars().count();
    let distance = |name: &str| {
        let name = name.to_lowercase();
        let comparable = name.chars().count().abs_diff(letters) <= most;
        comparable.then(|| strsim::osa_distance(&wanted, &name)).filter(|&distance| distance <= most)
    };
    let short = names.iter().filter(|name| name.len() <= COMPARED_BYTES_MAX).take(COMPARED_NAMES_MAX);
    let near = short.filter_map(|name| Some((distance(name)?, name.as_str())));
    near.min_by_key(|&(distance, _)| distance).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::suggest;

    #[test]
    fn near_names_are_suggested_and_long_ones_never_compared() {
        let names = ["Latitude", "Longitude", "Time"].map(String::from);
        assert_eq!(suggest("latitdue", &names), Some("Latitude"));
        assert_eq!(suggest("Pressure", &names), None);
        let long = ["A".repeat(60_000), "B".repeat(129)];
        assert_eq!(suggest(&"A".repeat(60_000), &long), None);
        assert_eq!(suggest(&"B".repeat(128), &long), None);
    }
}
