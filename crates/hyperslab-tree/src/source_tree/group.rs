//! A group of the tree: its links.

use super::Reader;
use crate::link_tree::joined;
use hyperslab::hdf5::superblock;
use hyperslab::{Link, LinkTarget};
use hyperslab_encode::RepackError;
use hyperslab_format::message::LinkInfo;
use hyperslab_format::object_header::{MessageKind, ObjectHeader};
use hyperslab_write::{
    CreationOrder, ExternalTarget, GroupSpec, LinkSpec, LinkTargetSpec, UserDefinedTarget,
};

/// Flags in the link and attribute info messages.
const INDEXED: u8 = 0x02;

impl Reader<'_> {
    /// The links of a group.
    pub(super) fn links(&mut self, group: &hyperslab::Group, path: &str) -> Result<Vec<Link>, RepackError> {
        match group.links() {
            Ok(links) => self.readable(links, path, "a link"),
            // Without the links of the root group, nothing is left.
            Err(error) if path != "/" => {
                self.lose(path, "its links", error)?;
                Ok(Vec::new())
            }
            Err(error) => Err(error.at_object(path).into()),
        }
    }

    pub(super) fn group(
        &mut self,
        header: &ObjectHeader,
        mut links: Vec<Link>,
        path: &str,
    ) -> Result<GroupSpec, RepackError> {
        // Objects that cannot be read have no place in the new file, whether or not links were selected.
        links.retain(|link| match link.target {
            LinkTarget::Hard(address) => !self.sources.omitted.contains(&address),
            _ => true,
        });
        let widths = superblock(self.file)?.widths;
        let own = |error| hyperslab::hdf5::format_error(error).at_object(path);
        let info = header.link_info(widths).map_err(own)?;
        let order = CreationOrder {
            tracked: info.as_ref().is_some_and(LinkInfo::tracks_creation_order),
            indexed: header.first(MessageKind::LINK_INFO).is_some_and(is_indexed),
        };
        if order.tracked {
            links.sort_by_key(|link| link.creation_order);
        }
        let links = links.into_iter().map(|link| {
            let target = match link.target {
                LinkTarget::Hard(address) => {
                    // Messages and patterns have the names of the source.
                    let own = self.selected.as_ref().and_then(|selected| selected.paths.get(&address));
                    let path =
                        own.map_or_else(|| joined(path, &link.name.to_string()), |paths| paths[0].clone());
                    LinkTargetSpec::Hard(self.sources.add(address, &path))
                }
                LinkTarget::Soft(path) => LinkTargetSpec::Soft(Box::new(path.detached())),
                LinkTarget::External { file, path } => {
                    let target = ExternalTarget { file: file.detached(), path: path.detached() };
                    LinkTargetSpec::External(Box::new(target))
                }
                LinkTarget::UserDefined { class, data } => {
                    let data = bytes::Bytes::copy_from_slice(&data);
                    LinkTargetSpec::UserDefined(Box::new(UserDefinedTarget { class, data }))
                }
            };
            LinkSpec { name: link.name.detached(), charset: link.charset, target }
        });
        let mut links: Vec<_> = links.collect();
        links.shrink_to_fit();
        let info = header.group_info(widths).map_err(own)?.unwrap_or_default();
        Ok(GroupSpec { links, order, info })
    }
}

fn is_indexed(message: &hyperslab_format::object_header::Message) -> bool {
    message.body.get(1).is_some_and(|flags| flags & INDEXED != 0)
}
