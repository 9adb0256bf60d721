//! A second format, to show that the engine asks a format for nothing else than [`Format`] and [`StoredObject`]: a file of this
//! format is one dataset of big-endian integers, beside a soft link to it.

use crate::known_attributes::AttributeEntry;
use crate::linked_files::LinkedFiles;
use crate::open_file::{FileInner, Format, Node, StoredObject};
use crate::stored_dataset::{LayoutDetail, StoredDataset};
use crate::{Error, ErrorKind, File, Object, Result, Selection, hdf5};
use hyperslab_array::array::{Array, DataSource, Operation, Storage};
use hyperslab_array::settings;
use hyperslab_format::message::datatype::{ByteOrder, Charset, Class, Integer};
use hyperslab_format::message::{
    Attribute, Dataspace, Datatype, FillValue, FilterPipeline, Link, LinkTarget,
};
use hyperslab_format::object_header::ObjectKind;
use hyperslab_format::{Address, Bytes, Name};
use hyperslab_io::{LocalFiles, Memory, Source};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

const GROUP: Address = Address(0);
const NUMBERS: Address = Address(1);
const COLUMNS: u64 = 4;

struct Grid {
    source: Arc<dyn Source>,
    /// How often attributes were read.
    attribute_reads: Arc<AtomicU32>,
}

impl Format for Grid {
    fn name(&self) -> &'static str {
        "Grid"
    }

    fn word(&self) -> &'static str {
        "grid"
    }

    fn root(&self) -> Address {
        GROUP
    }

    fn object(&self, number: Address) -> Result<Arc<dyn StoredObject>> {
        match number {
            GROUP | NUMBERS => Ok(Arc::new(Part {
                number,
                rows: self.source.len() / 4 / COLUMNS,
                attribute_reads: self.attribute_reads.clone(),
            })),
            _ => Err(Error::damaged(format!("there is no object {number}"))),
        }
    }

    fn absolute(&self, address: Address) -> u64 {
        address.0
    }

    fn is_truncated(&self) -> bool {
        false
    }
}

struct Part {
    number: Address,
    rows: u64,
    attribute_reads: Arc<AtomicU32>,
}

fn integer() -> Datatype {
    let class = Integer { order: ByteOrder::Big, signed: true, precision: 32, bit_offset: 0 };
    Datatype { size: 4, class: Class::Integer(class), committed: None }
}

impl StoredObject for Part {
    fn number(&self) -> Address {
        self.number
    }

    fn kind(&self) -> ObjectKind {
        if self.number == GROUP { ObjectKind::Group } else { ObjectKind::Dataset }
    }

    fn structure(&self) -> &'static str {
        "grid"
    }

    fn links(&self) -> Result<Vec<Result<Link>>> {
        let link = |name: &str, target| {
            Ok(Link { name: name.into(), charset: Charset::Ascii, target, creation_order: None })
        };
        Ok(vec![
            link("again", LinkTarget::Soft("/numbers".into())),
            link("numbers", LinkTarget::Hard(NUMBERS)),
        ])
    }

    fn link_count(&self) -> Result<u64> {
        Ok(2)
    }

    fn link(&self, name: &[u8]) -> Result<Option<Link>> {
        Ok(self.links()?.into_iter().flatten().find(|link| link.name.as_bytes() == name))
    }

    fn tracks_link_order(&self) -> bool {
        false
    }

    /// The number of rows, and others that are as good.
    fn attributes(&self, _: Option<&str>) -> Result<Vec<AttributeEntry>> {
        self.attribute_reads.fetch_add(1, Ordering::Relaxed);
        let attribute = |name: String| Attribute {
            name: name.as_str().into(),
            charset: Charset::Ascii,
            datatype: integer(),
            dataspace: Dataspace::Scalar,
            data: Bytes::from((self.rows as u32).to_be_bytes().to_vec()),
            creation_order: None,
        };
        let names = std::iter::once("rows".to_owned()).chain((0..20).map(|number| number.to_string()));
        let entry = |name: String| AttributeEntry {
            name: Some(Name::from(name.as_str())),
            attribute: Ok(attribute(name)),
        };
        Ok(names.map(entry).collect())
    }

    fn tracks_attribute_order(&self) -> bool {
        false
    }

    fn dataset(&self, node: &Node, _: &Operation) -> Result<StoredDataset> {
        let dims = vec![self.rows, COLUMNS];
        let datatype = integer();
        let data = node.file.data.clone();
        let array = Array {
            origin: node.origin(),
            shape: dims.clone(),
            is_null: false,
            element: crate::datatype::element(&datatype),
            fill: Vec::new(),
            storage: Storage::Contiguous { data, base: Some(0), record_bytes: None },
        };
        let max_dims: Vec<_> = dims.iter().map(|&dim| Some(dim)).collect();
        Ok(StoredDataset {
            array,
            layout: LayoutDetail::None,
            datatype,
            in_file: None,
            dataspace: Dataspace::Simple { dims, max_dims: max_dims.clone() },
            max_dims,
            fill: FillValue::default(),
            filters: FilterPipeline::default(),
        })
    }
}

fn open() -> File {
    open_counting(Arc::default())
}

fn open_counting(attribute_reads: Arc<AtomicU32>) -> File {
    let bytes: Vec<u8> = (0..40i32).flat_map(i32::to_be_bytes).collect();
    let source: Arc<dyn Source> = Arc::new(Memory::new("numbers.grid", bytes));
    let data = Arc::new(DataSource::new(source.clone(), settings::runtime()));
    let linked = LinkedFiles::new(Arc::new(LocalFiles), None);
    let none = |_, _| Err(Error::not_found("a grid refers to no other file"));
    let format = Box::new(Grid { source, attribute_reads });
    File { inner: Arc::new(FileInner::new(data, format, linked, none, false)) }
}

#[test]
fn its_objects_are_read_as_those_of_hdf5() {
    let file = open();
    let names: Vec<String> = file
        .root()
        .unwrap()
        .links()
        .unwrap()
        .into_iter()
        .map(|link| link.unwrap().name.to_string())
        .collect();
    assert_eq!(names, ["again", "numbers"]);
    let dataset = file.dataset("/again").unwrap();
    assert_eq!((dataset.shape(), dataset.layout_name()), (&[10, 4][..], "contiguous"));
    let selection = Selection::parse("2:4, ::3", dataset.shape()).unwrap();
    assert_eq!(dataset.read::<i32>(&selection).unwrap(), [8, 11, 12, 15]);
    let plan = dataset.explain(&selection).unwrap();
    assert!(plan.to_string().contains("contiguous"), "{plan}");
    assert_eq!(&dataset.attributes().get("rows").unwrap().data[..], [0, 0, 0, 10]);
    assert_eq!(file.format_name(), "Grid");
    let error = file.dataset("/number").err().unwrap();
    assert_eq!((error.kind(), error.hint()), (ErrorKind::NotFound, Some("did you mean /numbers?")));
}

#[test]
fn attributes_of_an_object_that_is_opened_anew_for_each_are_not_read_for_each() {
    let reads = Arc::new(AtomicU32::new(0));
    let file = open_counting(reads.clone());
    for number in 0..20 {
        let dataset = file.dataset("/numbers").unwrap();
        let attribute = dataset.attributes().get(&number.to_string()).unwrap();
        assert_eq!(&attribute.data[..], [0, 0, 0, 10]);
    }
    assert_eq!(reads.load(Ordering::Relaxed), 5, "four by name, then all of them");
}

#[test]
fn what_only_hdf5_has_is_named_by_the_error() {
    let file = open();
    let told = |error: Error| (error.kind(), error.to_string());
    let lack = |what: &str| (ErrorKind::Unsupported, format!("numbers.grid: Grid has no {what}"));
    assert_eq!(told(hdf5::superblock(&file).unwrap_err()), lack("superblock"));
    assert_eq!(told(hdf5::page_bytes(&file).unwrap_err()), lack("file space information"));
    let object = file.get("/numbers").unwrap();
    let header = (ErrorKind::Unsupported, "numbers.grid: /numbers: Grid has no object headers".to_owned());
    assert_eq!(told(hdf5::header(&object).unwrap_err()), header);
    assert_eq!(hdf5::reference_count(&object), 1);
    let mut heap = file.heap();
    assert!(told(heap.object(Address(8), 1).unwrap_err()).1.contains("Grid has no global heap"));
    assert!(matches!(object, Object::Dataset(dataset) if hdf5::chunked_layout(&dataset).is_none()));
    assert_eq!((file.driver(), file.userblock_bytes(), file.is_truncated()), (None, 0, false));
}
