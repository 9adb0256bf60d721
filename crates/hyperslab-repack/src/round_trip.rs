//! Random trees: what is read of a file that was written from a tree is the tree.

use hyperslab::File;
use hyperslab::datatypes::{ByteOrder, Charset, Class, Integer, StringPadding};
use hyperslab_format::message::{BtreeK, Datatype, FilterPipeline, GroupInfo};
use hyperslab_io::{Memory, MemorySink};
use hyperslab_tree::object_selection::ObjectSelection;
use hyperslab_tree::source_tree::SourceTree;
use hyperslab_write::{
    AttributeSpec, ChunkedSpec, CreationOrder, DatasetSpec, DataspaceSpec, DatatypeUse, FileTree, FileWriter,
    GroupSpec, LinkSpec, LinkTargetSpec, LowBound, Object, ObjectId, ObjectSpec, Patch, PatchTarget,
    StorageSpec, Value, WriteOptions,
};
use proptest::prelude::*;
use std::sync::Arc;

/// What a random object is.
#[derive(Debug, Clone)]
struct Plan {
    kind: u8,
    children: usize,
    attributes: usize,
    is_tracked: bool,
    dims: Vec<u64>,
}

fn plan() -> impl Strategy<Value = Plan> {
    let dims = prop::collection::vec(1u64..40, 1..3);
    (0u8..7, 0usize..30, 0usize..14, any::<bool>(), dims).prop_map(
        |(kind, children, attributes, is_tracked, dims)| Plan {
            kind,
            children,
            attributes,
            is_tracked,
            dims,
        },
    )
}

fn int32() -> Datatype {
    let integer = Integer { order: ByteOrder::Little, signed: true, bit_offset: 0, precision: 32 };
    Datatype { class: Class::Integer(integer), size: 4, committed: None }
}

fn text() -> Datatype {
    let class = Class::text(StringPadding::NullTerminate, Charset::Utf8);
    Datatype { class, size: 16, committed: None }
}

fn simple(dims: &[u64]) -> DataspaceSpec {
    DataspaceSpec::Fixed(dims.into())
}

/// Names in ascending order, so that sorting them changes nothing.
fn name(number: usize) -> hyperslab_format::Name {
    format!("name {number:05}").as_str().into()
}

/// The tree of these plans, whose objects are numbered breadth first.
fn tree(plans: &[Plan]) -> FileTree {
    let mut tree = FileTree::default();
    let mut next = 1;
    let mut number = 0;
    while number < next {
        let plan = &plans[number];
        // The root is a group.
        let kind = if number == 0 { 0 } else { plan.kind };
        let committed = (0..number).rev().find(|&earlier| {
            matches!(tree.objects[earlier].spec, ObjectSpec::Datatype(_)) && plan.is_tracked
        });
        let datatype =
            DatatypeUse { datatype: int32().into(), committed: committed.map(|id| ObjectId(id as u32)) };
        let spec = match kind {
            0..=2 => {
                let children = plan.children.min(plans.len() - next);
                let mut links: Vec<_> = (next..next + children)
                    .map(|child| LinkSpec {
                        name: name(child),
                        charset: Charset::Ascii,
                        target: LinkTargetSpec::Hard(ObjectId(child as u32)),
                    })
                    .collect();
                next += children;
                let target = LinkTargetSpec::Soft(Box::new("/name 00001".into()));
                links.push(LinkSpec { name: name(99_999), charset: Charset::Ascii, target });
                let order = CreationOrder { tracked: plan.is_tracked, indexed: plan.is_tracked };
                ObjectSpec::Group(Box::new(GroupSpec { links, order, info: GroupInfo::default() }))
            }
            3 => ObjectSpec::Datatype(Box::new(int32())),
            _ => ObjectSpec::Dataset(Box::new(DatasetSpec {
                datatype,
                dataspace: simple(&plan.dims),
                fill: Arc::default(),
                filters: FilterPipeline::default().into(),
                storage: storage(kind, &plan.dims, plan.children),
            })),
        };
        let attributes = (0..plan.attributes).map(|i| attribute(i, &mut tree)).collect();
        tree.objects.push(Object {
            spec,
            attributes,
            attribute_order: CreationOrder { tracked: plan.is_tracked, indexed: plan.is_tracked },
            attribute_phase_change: None,
            times: None,
            comment: (plan.children == 5).then(|| Box::new("a comment".into())),
        });
        number += 1;
    }
    tree
}

fn storage(kind: u8, dims: &[u64], seed: usize) -> StorageSpec {
    match kind {
        4 => StorageSpec::Contiguous { allocated: seed.is_multiple_of(2) },
        5 => {
            let bytes = 4 * dims.iter().product::<u64>() as usize;
            StorageSpec::Compact(vec![seed as u8; bytes].into())
        }
        _ => {
            // Every (seed % 3 + 1)th chunk exists.
            let counts: Vec<u64> = dims.iter().map(|dim| dim.div_ceil(4)).collect();
            let all = counts.iter().product::<u64>();
            let coords = (0..all).step_by(seed % 3 + 1).flat_map(|chunk| match counts[..] {
                [_, columns] => vec![chunk / columns, chunk % columns],
                _ => vec![chunk],
            });
            let coords = coords.collect();
            StorageSpec::Chunked(ChunkedSpec {
                chunk_dims: vec![4; dims.len()].into(),
                edge_chunks_unfiltered: false,
                coords,
            })
        }
    }
}

fn attribute(number: usize, tree: &mut FileTree) -> AttributeSpec {
    let (datatype, dataspace, value) = if number % 3 == 2 {
        let item = tree.push_heap(format!("text {number}").into_bytes().into());
        let mut element = vec![0u8; 16];
        element[0] = format!("text {number}").len() as u8;
        let patches = [Patch { at: 4, target: PatchTarget::Heap(item) }].into();
        (text(), DataspaceSpec::Scalar, Value { bytes: element.into(), patches })
    } else {
        (int32(), simple(&[3]), vec![number as u8; 12].into())
    };
    let datatype = DatatypeUse { datatype: datatype.into(), committed: None };
    AttributeSpec { name: name(number).into(), charset: Charset::Ascii, datatype, dataspace, value }
}

/// Writes the file of a tree, with zeros as data.
fn write(tree: &FileTree, options: WriteOptions) -> Vec<u8> {
    let sink = MemorySink::default();
    let mut writer = FileWriter::create(&sink, tree.clone(), options).expect("a tree that can be written");
    for (id, object) in (0..).map(ObjectId).zip(&tree.objects) {
        let ObjectSpec::Dataset(dataset) = &object.spec else { continue };
        match &dataset.storage {
            StorageSpec::Contiguous { allocated: true } => {
                let elements = dataset.dataspace.elements().expect("a small dataset");
                writer.write_contiguous(id, 0, &vec![0; 4 * elements as usize]).expect("contiguous data");
            }
            StorageSpec::Chunked(chunked) => {
                let rank = chunked.chunk_dims.len();
                for _ in 0..chunked.coords.len() / rank {
                    writer.write_chunk(id, &vec![0; 4 << (2 * rank)], 0).expect("a chunk");
                }
            }
            _ => {}
        }
    }
    writer.finish().expect("all data was written");
    sink.into_bytes()
}

/// The tree without what a file does not record: the order of attributes where it is not tracked, and the numbers of heap
/// objects, whose bytes take the place of the references to them.
fn normalized(mut tree: FileTree) -> FileTree {
    let heap = tree.heap.clone();
    for object in &mut tree.objects {
        if !object.attribute_order.tracked {
            object.attributes.sort_by(|a, b| a.name.cmp(&b.name));
        }
        for attribute in &mut object.attributes {
            let mut bytes = attribute.value.bytes.to_vec();
            for patch in std::mem::take(&mut attribute.value.patches) {
                let PatchTarget::Heap(item) = patch.target else { continue };
                bytes.truncate(patch.at);
                bytes.extend_from_slice(&heap[item.0 as usize].bytes);
            }
            attribute.value = bytes.into();
        }
    }
    tree.heap.clear();
    tree
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(hyperslab_testkit::scale().of(64) as u32))]

    #[test]
    fn what_is_read_is_what_was_written(
        plans in prop::collection::vec(plan(), 1..60),
        low in prop::sample::select(vec![LowBound::Earliest, LowBound::V18, LowBound::V110, LowBound::Latest]),
        page_bytes in prop::sample::select(vec![None, Some(512), Some(4096)]),
        user_block_bytes in prop::sample::select(vec![0, 512]),
        btree_k in prop::sample::select(vec![
            BtreeK::default(),
            BtreeK { chunk_internal: 1, group_internal: 2, group_leaf: 1 },
            BtreeK { chunk_internal: 32, group_internal: 40, group_leaf: 3 },
        ]),
    ) {
        let tree = tree(&plans);
        let options = WriteOptions { low, page_bytes, user_block_bytes, btree_k };
        let bytes = write(&tree, options);
        prop_assert!(bytes == write(&tree, options), "the same tree has other bytes");
        let file = File::from_source(Arc::new(Memory::new("a tree", bytes))).expect("a file");
        prop_assert_eq!(hyperslab_tree::source_dataset::btree_k(&file), btree_k);
        let found = SourceTree::read(&file, &ObjectSelection::default(), false).expect("a tree").tree;
        prop_assert_eq!(normalized(found), normalized(tree));
    }
}
