//! The tree of a new file, as `hyperslab-write` lays it out.

use crate::blocks;
use crate::data::Data;
use crate::elements::Elements;
use crate::error::CreateError;
use crate::new_dataset::NewAttribute;
use crate::new_file::{Kind, LinkTarget, NewFile, NewObject};
use crate::scales::scale_attributes;
use crate::storage::Prepared;
use hyperslab::storage::Fill;
use hyperslab::{Dataspace, Datatype, Name};
use hyperslab_encode::block::Block;
use hyperslab_format::message::GroupInfo;
use hyperslab_format::message::datatype::Charset;
use hyperslab_storage::Layout;
use hyperslab_tree::relocate::Relocatable;
use hyperslab_write::{
    AttributeSpec, ChunkedSpec, CreationOrder, DatasetSpec, DatatypeUse, ExternalTarget, FileTree, FillSpec,
    GroupSpec, LinkSpec, LinkTargetSpec, Object, ObjectId, ObjectSpec, StorageSpec,
};
use std::sync::Arc;

/// A dataset of the tree, and where its elements come from.
pub(crate) struct TreeDataset<'d> {
    pub id: ObjectId,
    pub prepared: Box<Prepared>,
    /// `None` if no data is written: there is none, or it is in the tree.
    pub data: Option<Data<'d>>,
}

/// A tree, the paths of its objects, and its datasets.
pub(crate) struct NewTree<'d> {
    pub tree: FileTree,
    pub paths: Vec<String>,
    pub datasets: Vec<TreeDataset<'d>>,
}

impl<'d> NewTree<'d> {
    /// Reads the data of compact datasets, which is metadata.
    pub fn of(file: NewFile<'d>) -> Result<Self, CreateError> {
        let count = file.objects.len();
        let order = CreationOrder { tracked: file.is_ordered, indexed: file.is_ordered };
        let mut new =
            Self { tree: FileTree::default(), paths: Vec::with_capacity(count), datasets: Vec::new() };
        for (number, object) in file.objects.into_iter().enumerate() {
            let attributes = new.attributes(&object, count)?;
            let spec = match object.kind {
                Kind::Group(links) => {
                    let links = links.list.into_iter().map(|(name, target)| link(&name, target)).collect();
                    ObjectSpec::Group(Box::new(GroupSpec { links, order, info: GroupInfo::default() }))
                }
                Kind::Datatype(datatype) => ObjectSpec::Datatype(datatype),
                Kind::Dataset(prepared, data) => {
                    let id = ObjectId(number as u32);
                    let spec = new.dataset(&object.path, &prepared, data.as_ref(), count)?;
                    let data = data.filter(|_| prepared.layout != Layout::Compact && prepared.bytes() > 0);
                    new.datasets.push(TreeDataset { id, prepared, data });
                    ObjectSpec::Dataset(Box::new(spec))
                }
            };
            new.tree.objects.push(Object { attributes, attribute_order: order, ..Object::new(spec) });
            new.paths.push(object.path);
        }
        Ok(new)
    }

    fn attributes(
        &mut self,
        object: &NewObject<'_>,
        objects: usize,
    ) -> Result<Vec<AttributeSpec>, CreateError> {
        let of_scales = scale_attributes(object);
        let is_own = |name: &str| of_scales.iter().all(|(reserved, _)| reserved != name);
        let own = object.attributes.0.iter().filter(|(name, _)| is_own(name));
        let mut specs = Vec::new();
        for (name, attribute) in own.chain(&of_scales) {
            let NewAttribute { datatype, dataspace, elements, named_datatype } = attribute.clone();
            let elements = elements.into_relocatable(objects);
            let elements = elements
                .map_err(|what| CreateError::invalid(&object.path, format!("attribute {name}: {what}")))?;
            let (name, charset) = named(name);
            let (datatype, value) = (used(datatype, named_datatype), elements.into_value(&mut self.tree));
            let (name, dataspace) = (Arc::new(name), dataspace.into());
            specs.push(AttributeSpec { name, charset, datatype, dataspace, value });
        }
        Ok(specs)
    }

    fn dataset(
        &mut self,
        path: &str,
        prepared: &Prepared,
        data: Option<&Data<'_>>,
        objects: usize,
    ) -> Result<DatasetSpec, CreateError> {
        let storage = match &prepared.layout {
            Layout::Contiguous => {
                StorageSpec::Contiguous { allocated: data.is_some() && prepared.bytes() > 0 }
            }
            Layout::Chunked(chunk) => {
                let dims = prepared.dataspace.dims();
                let coords = if data.is_some() { all_chunks(dims, chunk) } else { Vec::new() };
                StorageSpec::Chunked(ChunkedSpec {
                    chunk_dims: chunk.as_slice().into(),
                    edge_chunks_unfiltered: false,
                    coords: coords.into(),
                })
            }
            Layout::Compact => {
                let elements = compact_elements(path, prepared, data, objects)?;
                StorageSpec::Compact(elements.into_value(&mut self.tree))
            }
        };
        let mut fill = FillSpec { value: prepared.fill.clone(), ..FillSpec::default() };
        if let Some(elements) = &prepared.fill_elements {
            let elements = elements.clone().into_relocatable(objects);
            let elements =
                elements.map_err(|what| CreateError::invalid(path, format!("fill value: {what}")))?;
            let value = elements.into_value(&mut self.tree);
            (fill.value.value, fill.patches) = (Fill::User(value.bytes.into()), value.patches);
        }
        Ok(DatasetSpec {
            datatype: used(prepared.datatype.clone(), prepared.committed),
            dataspace: prepared.dataspace.clone().into(),
            fill: Arc::new(fill),
            filters: Arc::new(prepared.filters.clone()),
            storage,
        })
    }
}

/// The elements of a block, checked.
pub(crate) fn read_block(
    path: &str,
    prepared: &Prepared,
    data: &Data<'_>,
    block: &Block,
) -> Result<Elements, CreateError> {
    let expected = block.elements().saturating_mul(prepared.datatype.size.into());
    let elements = match data {
        Data::Memory(bytes) => Elements::from((**bytes).as_ref().to_vec()),
        Data::Blocks(source) => {
            source.read(block).map_err(|error| CreateError::Data { object: path.into(), error })?
        }
    };
    if elements.len() as u64 != expected {
        let what = format!(
            "the data of {:?} elements from {:?} on has {} bytes instead of {expected}",
            block.count,
            block.start,
            elements.len()
        );
        return Err(CreateError::invalid(path, what));
    }
    Ok(elements)
}

fn compact_elements(
    path: &str,
    prepared: &Prepared,
    data: Option<&Data<'_>>,
    objects: usize,
) -> Result<Relocatable, CreateError> {
    let dims = prepared.dataspace.dims();
    let elements = match data {
        Some(data) if prepared.dataspace != Dataspace::Null => {
            let whole = Block { start: vec![0; dims.len()], count: dims.to_vec() };
            read_block(path, prepared, data, &whole)?
        }
        _ => {
            let count = prepared.dataspace.elements().unwrap_or(0) as usize;
            match &prepared.fill_elements {
                Some(fill) => fill.repeated(count),
                None => prepared.fill_element().repeat(count).into(),
            }
        }
    };
    elements.into_relocatable(objects).map_err(|what| CreateError::invalid(path, what))
}

/// The coordinates of all chunks, in row-major order.
fn all_chunks(dims: &[u64], chunk: &[u64]) -> Vec<u64> {
    let counts: Vec<u64> = dims.iter().zip(chunk).map(|(dim, size)| dim.div_ceil(*size)).collect();
    let cells = vec![1; counts.len()];
    blocks::blocks(&counts, &cells).flat_map(|block| block.start).collect()
}

fn link(name: &str, target: LinkTarget) -> LinkSpec {
    let (name, charset) = named(name);
    let target = match target {
        LinkTarget::Object(object) => LinkTargetSpec::Hard(object),
        LinkTarget::Soft(path) => LinkTargetSpec::Soft(Box::new(path.as_str().into())),
        LinkTarget::External { file, path } => {
            let target = ExternalTarget { file: file.as_str().into(), path: path.as_str().into() };
            LinkTargetSpec::External(Box::new(target))
        }
    };
    LinkSpec { name, charset, target }
}

fn named(name: &str) -> (Name, Charset) {
    (name.into(), if name.is_ascii() { Charset::Ascii } else { Charset::Utf8 })
}

fn used(datatype: Datatype, committed: Option<ObjectId>) -> DatatypeUse {
    DatatypeUse { datatype: Arc::new(datatype), committed }
}
