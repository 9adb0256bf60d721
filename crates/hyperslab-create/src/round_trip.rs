//! Random datasets: what is read of a file that was written is what was given, by whatever threads and in whatever blocks.

use crate::datatypes::{
    Charset, array, boolean, complex, compound, float, integer, integer_in, sequence, string,
};
use crate::*;
use hyperslab::datatypes::ByteOrder;
use hyperslab::{Datatype, Endianness, File, Selection};
use hyperslab_encode::block::copy_common;
use hyperslab_io::{Memory, MemorySink};
use proptest::prelude::*;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// An array in memory that is read block by block, and the elements of each request.
struct Counted {
    extent: Vec<u64>,
    bytes: Vec<u8>,
    element_bytes: usize,
    requests: Arc<Mutex<Vec<u64>>>,
}

impl BlockSource for Counted {
    fn read(&self, block: &Block) -> Result<Elements, DataError> {
        self.requests.lock().unwrap().push(block.elements());
        let whole = Block { start: vec![0; self.extent.len()], count: self.extent.clone() };
        let mut elements = vec![0; block.elements() as usize * self.element_bytes];
        copy_common((&self.bytes, &whole), (&mut elements, block), self.element_bytes);
        Ok(elements.into())
    }
}

fn options(threads: usize, low: LowBound) -> CreateOptions {
    let write = WriteOptions { low, ..WriteOptions::default() };
    CreateOptions { write, threads, ..CreateOptions::default() }
}

fn in_memory(file: NewFile<'_>, options: &CreateOptions) -> Vec<u8> {
    let sink = MemorySink::default();
    file.write_to(&sink, options, &Monitor::default()).unwrap();
    sink.into_bytes()
}

fn read(bytes: &[u8]) -> File {
    File::from_source(Arc::new(Memory::new("new", bytes.to_vec()))).unwrap()
}

fn datatypes() -> Vec<Datatype> {
    let members = [("n", 0, integer(2, false)), ("x", 4, float(8).unwrap())];
    vec![
        integer(1, true),
        integer_in(8, false, ByteOrder::Big),
        float(2).unwrap(),
        float(4).unwrap(),
        boolean(),
        complex(float(4).unwrap()),
        compound(16, members),
        array(integer(2, true), &[3, 2]).unwrap(),
        datatypes::fixed_string(5, Charset::Utf8),
        datatypes::opaque(3, "tag"),
    ]
}

fn filters() -> impl Strategy<Value = Vec<FilterRequest>> {
    let request = |id, parameters: &[u32]| FilterRequest { id, parameters: parameters.into() };
    let all = [request(2, &[]), request(1, &[4]), request(32_015, &[3]), request(3, &[])];
    prop::sample::subsequence(all.to_vec(), 0..=4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_written_is_read(
        axes in prop::collection::vec((1u64..9, 1u64..5, any::<bool>()), 0..4),
        number in 0usize..10,
        filters in filters(),
        is_chunked in any::<bool>(),
        low in prop::sample::select(vec![LowBound::Earliest, LowBound::V18, LowBound::V110, LowBound::Latest]),
        seed in any::<u64>(),
    ) {
        let datatype = datatypes()[number].clone();
        let extent: Vec<u64> = axes.iter().map(|axis| axis.0).collect();
        let size = datatype.size as usize;
        let count = extent.iter().product::<u64>() as usize;
        let random = |at: usize| (seed.wrapping_mul(at as u64 / 3 + 1) >> 40) as u8 & 1;
        let bytes: Vec<u8> = (0..count * size).map(random).collect();
        let is_chunked = is_chunked && !axes.is_empty();
        let mut new = NewDataset::new(datatype.clone(), &extent);
        if is_chunked {
            let max = axes.iter().map(|axis| (!axis.2).then_some(axis.0)).collect::<Vec<_>>();
            let chunk: Vec<u64> = axes.iter().map(|axis| axis.1.min(axis.0)).collect();
            new = new.maximum(&max).chunks(&chunk).filters(filters.clone());
        }
        let requests = Arc::default();
        let written = |threads, is_whole: bool| {
            let mut file = NewFile::new();
            let id = file.dataset("/g/x", new.clone()).unwrap();
            let source = Counted {
                extent: extent.clone(),
                bytes: bytes.clone(),
                element_bytes: size,
                requests: Arc::clone(&requests),
            };
            let data = if is_whole { Data::memory(bytes.clone()) } else { Data::blocks(source) };
            file.set_data(id, data).unwrap();
            in_memory(file, &options(threads, low))
        };
        let first = written(1, true);
        prop_assert!(first == written(2, true) && first == written(2, false), "other bytes");
        let found = read(&first).dataset("/g/x").unwrap();
        prop_assert_eq!(found.datatype(), &datatype);
        prop_assert_eq!(found.shape(), &extent[..]);
        prop_assert_eq!(found.filters().len(), if is_chunked { filters.len() } else { 0 });
        prop_assert_eq!(found.read_bytes(&Selection::All, Endianness::File).unwrap(), bytes);
    }
}

/// A file with one of each kind of object.
fn of_all_kinds() -> NewFile<'static> {
    let mut file = NewFile::new();
    let values =
        file.dataset("/group/values", NewDataset::new(integer(4, true), &[30, 7]).chunks(&[4, 7])).unwrap();
    let bytes: Vec<u8> = (0..210i32).flat_map(i32::to_le_bytes).collect();
    file.set_data(values, Data::memory(bytes)).unwrap();
    let record = compound(24, [("name", 0, string(Charset::Utf8)), ("of", 16, datatypes::reference())]);
    let records = file.dataset("/records", NewDataset::new(record, &[70]).chunks(&[16])).unwrap();
    file.set_data(records, Data::blocks(Records(values))).unwrap();
    let numbers = file.dataset("/numbers", NewDataset::new(sequence(integer(2, true)), &[300])).unwrap();
    file.set_data(numbers, Data::blocks(Numbers)).unwrap();
    for (path, axis) in [("/group/y", 0), ("/group/x", 1)] {
        let scale =
            file.dataset(path, NewDataset::new(integer(1, true), &[if axis == 0 { 30 } else { 7 }])).unwrap();
        file.make_scale(scale, &path[7..]).unwrap();
        file.attach_scale(values, axis, scale).unwrap();
    }
    file.label_axis(values, 1, "across").unwrap();
    let mut text = Elements::zeros(16);
    text.set_sequence(0, 6, "Größe".as_bytes()[..6].to_vec());
    file.set_attribute(values, "größe", NewAttribute::new(string(Charset::Utf8), &[], text)).unwrap();
    file.set_attribute(NewFile::ROOT, "none", NewAttribute::null(integer(1, true))).unwrap();
    file.link("/soft", LinkTarget::Soft("/group/values".into())).unwrap();
    file.link("/hard", LinkTarget::Object(values)).unwrap();
    file.link("/out", LinkTarget::External { file: "other.h5".into(), path: "/x".into() }).unwrap();
    file
}

struct Records(ObjectId);

impl BlockSource for Records {
    fn read(&self, block: &Block) -> Result<Elements, DataError> {
        let mut elements = Elements::zeros(24 * block.count[0] as usize);
        for at in 0..block.count[0] as usize {
            let text = "ab".repeat((block.start[0] as usize + at) % 5);
            elements.set_sequence(24 * at, text.len() as u32, text.into_bytes());
            if at % 2 == 0 {
                elements.set_reference(24 * at + 16, self.0);
            }
        }
        Ok(elements)
    }
}

struct Numbers;

impl BlockSource for Numbers {
    fn read(&self, block: &Block) -> Result<Elements, DataError> {
        let mut elements = Elements::zeros(16 * block.count[0] as usize);
        for at in 0..block.count[0] as usize {
            let count = (block.start[0] as usize + at) % 4;
            elements.set_sequence(16 * at, count as u32, vec![7; 2 * count]);
        }
        Ok(elements)
    }
}

fn findings(path: &Path) -> Vec<String> {
    let file = File::open(path).unwrap();
    let report = hyperslab_check::check(&*file.source(), hyperslab_check::Options::default()).unwrap();
    report.findings.iter().map(|finding| format!("{finding:?}")).collect()
}

#[test]
fn a_file_of_all_kinds_is_verified_and_valid() {
    let folder = tempfile::tempdir().unwrap();
    for (number, low) in
        [LowBound::Earliest, LowBound::V18, LowBound::V110, LowBound::Latest].into_iter().enumerate()
    {
        let path = folder.path().join(format!("{number}.h5"));
        let created = of_all_kinds().write(&path, &options(2, low), &Monitor::default()).unwrap();
        assert_eq!((created.bytes, created.objects), (std::fs::metadata(&path).unwrap().len(), 7));
        assert_eq!(findings(&path), [""; 0], "{low:?}");
        let file = File::open(&path).unwrap();
        let values = file.dataset("/hard").unwrap();
        let expected: Vec<u8> = (0..210i32).flat_map(i32::to_le_bytes).collect();
        assert_eq!(values.read_bytes(&Selection::All, Endianness::File).unwrap(), expected);
        let attributes = hyperslab::Object::Dataset(values).attributes().list().unwrap();
        let mut names: Vec<_> = attributes.into_iter().map(|found| found.unwrap().name.to_string()).collect();
        names.sort();
        assert_eq!(names, ["DIMENSION_LABELS", "DIMENSION_LIST", "größe"]);
    }
}

#[test]
fn little_is_read_at_once() {
    const ROWS: u64 = 600;
    let extent = vec![ROWS, 256, 256];
    let requests = Arc::new(Mutex::new(Vec::new()));
    let source = Counted {
        extent: extent.clone(),
        bytes: vec![1; (ROWS << 16) as usize],
        element_bytes: 1,
        requests: Arc::clone(&requests),
    };
    let mut file = NewFile::new();
    let new = NewDataset::new(integer(1, false), &extent).chunks(&[1, 256, 256]);
    let id = file.dataset("/x", new.filters([FilterRequest { id: 1, parameters: vec![1] }])).unwrap();
    file.set_data(id, Data::blocks(source)).unwrap();
    let bytes = in_memory(file, &options(2, LowBound::V110));
    assert!(bytes.len() < 1 << 20);
    assert_eq!(*requests.lock().unwrap(), [512 << 16, 88 << 16]);
}

#[test]
fn nothing_is_left_after_an_error() {
    struct Failing;
    impl BlockSource for Failing {
        fn read(&self, _: &Block) -> Result<Elements, DataError> {
            Err("out of order".into())
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.h5");
    let file = |data: Data<'static>| {
        let mut file = NewFile::new();
        let id = file.dataset("/x", NewDataset::new(integer(1, false), &[5000])).unwrap();
        file.set_data(id, data).unwrap();
        file
    };
    let write = |data, options: &CreateOptions| file(data).write(&path, options, &Monitor::default());
    let failed = write(Data::blocks(Failing), &CreateOptions::default()).unwrap_err();
    assert_eq!(failed.to_string(), "/x: out of order");
    let short = write(Data::memory(vec![0; 4999]), &CreateOptions::default()).unwrap_err();
    assert!(short.to_string().contains("4999 bytes of data instead of 5000"), "{short}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    write(Data::memory(vec![1; 5000]), &CreateOptions::default()).unwrap();
    let taken = write(Data::memory(vec![2; 5000]), &CreateOptions::default()).unwrap_err();
    assert!(matches!(taken, CreateError::Io { .. }), "{taken}");
    let overwriting = CreateOptions { overwrite: true, ..CreateOptions::default() };
    write(Data::blocks(Failing), &overwriting).unwrap_err();
    let read =
        || File::open(&path).unwrap().dataset("/x").unwrap().read_bytes(&Selection::All, Endianness::File);
    assert_eq!(read().unwrap(), [1; 5000]);
    write(Data::memory(vec![2; 5000]), &overwriting).unwrap();
    assert_eq!(read().unwrap(), [2; 5000]);
}
