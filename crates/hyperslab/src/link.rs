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
        // Damaged links, whose names are unknown, come last.
        let (mut links, mut damaged) = (Vec::with_capacity(found.len()), Vec::new());
        for link in found {
            match link {
                Ok(link) => links.push(link),
                Err(error) => damaged.push(Err(error.into())),
            }
        }
        Ok(by_name(links).map(Ok).chain(damaged).collect())
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

/// Links by ascending name. Names of many links lie all over the memory, and most begin alike: what decides is taken
/// from each name once.
fn by_name(links: Vec<Link>) -> impl Iterator<Item = Link> {
    let first = links.first().map(|link| link.name.clone()).unwrap_or_default();
    let common = links.iter().fold(first.as_bytes().len(), |common, link| {
        let pairs = first.as_bytes()[..common].iter().zip(link.name.as_bytes());
        pairs.take_while(|(a, b)| a == b).count()
    });
    let beginning = |link: &Link| {
        let mut bytes = [0; 8];
        let rest = &link.name.as_bytes()[common..];
        let len = rest.len().min(8);
        bytes[..len].copy_from_slice(&rest[..len]);
        u64::from_be_bytes(bytes)
    };
    let mut order: Vec<(u64, usize)> =
        links.iter().enumerate().map(|(number, link)| (beginning(link), number)).collect();
    order.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| links[a.1].name.cmp(&links[b.1].name)));
    let mut links: Vec<Option<Link>> = links.into_iter().map(Some).collect();
    order.into_iter().filter_map(move |(_, number)| links[number].take())
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
    use super::{by_name, suggest};
    use hyperslab_format::Address;
    use hyperslab_format::message::{Link, LinkTarget};
    use proptest::prelude::*;

    #[test]
    fn near_names_are_suggested_and_long_ones_never_compared() {
        let names = ["Latitude", "Longitude", "Time"].map(String::from);
        assert_eq!(suggest("latitdue", &names), Some("Latitude"));
        assert_eq!(suggest("Pressure", &names), None);
        let long = ["A".repeat(60_000), "B".repeat(129)];
        assert_eq!(suggest(&"A".repeat(60_000), &long), None);
        assert_eq!(suggest(&"B".repeat(128), &long), None);
    }

    proptest! {
        #[test]
        fn links_are_ordered_by_all_bytes_of_their_names(
            prefix in "[a\\x00]{0,12}", rests in prop::collection::vec("[ab\\x00]{0,10}", 0..20)
        ) {
            let mut names: Vec<String> = rests.iter().map(|rest| format!("{prefix}{rest}")).collect();
            let links = names.iter().map(|name| Link {
                name: name.as_str().into(),
                target: LinkTarget::Hard(Address(0)),
                creation_order: None,
            });
            let found: Vec<String> = by_name(links.collect()).map(|link| link.name.to_string()).collect();
            names.sort_by(|a, b| a.as_bytes().cmp(b.as_bytes()));
            prop_assert_eq!(found, names);
        }
    }
}
