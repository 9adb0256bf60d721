//! A second format, to show that the engine asks a format for nothing else than [`Format`] and [`StoredObject`]: a file of this
//! format is one dataset of big-endian integers, beside a soft link to it.

use crate::known_attributes::AttributeEntry;
use crate::linked_files::LinkedFiles;
use crate::open_file::{FileInner, Format, Node, StoredObject};
use crate::stored_dataset::{LayoutDetail, StoredDataset};
use crate::{Error, ErrorKind, File, Object, Prefetch, Result, Selection, hdf5};
use hyperslab_array::array::{Array, DataSource, ElementSpec, Operation, Storage};
use hyperslab_array::settings;
use hyperslab_format::message::datatype::{ByteOrder, Charset, Class, Integer};
use hyperslab_format::message::{
    Attribute, Dataspace, Datatype, FillValue, FilterPipeline, Link, LinkTarget,
};
use hyperslab_format::object_header::ObjectKind;
use hyperslab_format::{Address, Bytes, Name};
use hyperslab_io::{LocalFiles, Memory, Source};
use std::sync::Arc;

const GROUP: Address = Address(0);
const NUMBERS: Address = Address(1);
const COLUMNS: u64 = 4;

struct Grid(Arc<dyn Source>);

impl Format for Grid {
    fn name(&self) -> &'static str {
        "Grid"
    }

    fn root(&self) -> Address {
        GROUP
    }

    fn object(&self, number: Address) -> Result<Arc<dyn StoredObject>> {
        match number {
            GROUP | NUMBERS => Ok(Arc::new(Part { number, rows: self.0.len() / 4 / COLUMNS })),
            _ => Err(Error::damaged(format!("there is no object {number}"))),
        }
    }

    fn absolute(&self, address: Address) -> u64 {
        address.0
    }

    fn is_truncated(&self) -> bool {
        false
    }

    fn is_left_open(&self) -> bool {
        false
    }

    fn prefetch(&self, _: &dyn StoredObject, _: &Prefetch) {}

    fn trim(&self) {}
}

struct Part {
    number: Address,
    rows: u64,
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

    fn attributes(&self, _: Option<&str>) -> Result<Vec<AttributeEntry>> {
        let attribute = Attribute {
            name: "rows".into(),
            charset: Charset::Ascii,
            datatype: integer(),
            dataspace: Dataspace::Scalar,
            data: Bytes::from((self.rows as u32).to_be_bytes().to_vec()),
            creation_order: None,
        };
        Ok(vec![AttributeEntry { name: Some(Name::from("rows")), attribute: Ok(attribute) }])
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
            element: ElementSpec { bytes: 4, to_native: crate::datatype::to_native(&datatype) },
            fill: Vec::new(),
            storage: Storage::Contiguous { data, base: Some(0), record_bytes: None },
        };
        let max_dims: Vec<_> = dims.iter().map(|&dim| Some(dim)).collect();
        Ok(StoredDataset {
            array,
            layout: LayoutDetail::None,
            datatype,
            dataspace: Dataspace::Simple { dims, max_dims: max_dims.clone() },
            max_dims,
            fill: FillValue::default(),
            filters: FilterPipeline::default(),
        })
    }

    fn datatype(&self) -> Result<Datatype> {
        Err(Error::invalid("is not a named datatype"))
    }
}

fn open() -> File {
    let bytes: Vec<u8> = (0..40i32).flat_map(i32::to_be_bytes).collect();
    let source: Arc<dyn Source> = Arc::new(Memory::new("numbers.grid", bytes));
    let data = Arc::new(DataSource::new(source.clone(), settings::runtime()));
    let linked = LinkedFiles::new(Arc::new(LocalFiles), None);
    let none = |_, _| Err(Error::not_found("a grid refers to no other file"));
    File { inner: Arc::new(FileInner::new(data, Box::new(Grid(source)), linked, none, false)) }
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
