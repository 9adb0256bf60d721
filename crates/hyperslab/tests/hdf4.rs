//! Files made of a few elements, read through the engine.

use hyperslab::{Endianness, File, Selection};
use hyperslab_filters::{FilterSpec, Pipeline, Scratch};
use hyperslab_io::Memory;
use proptest::prelude::*;
use std::sync::Arc;

/// A tag, a reference, and the bytes of an element.
type Made = (u16, u16, Vec<u8>);

/// A file of these elements.
fn file(elements: &[Made]) -> Vec<u8> {
    let mut bytes = hyperslab_hdf4::MAGIC.to_vec();
    bytes.extend((elements.len() as u16).to_be_bytes());
    bytes.extend([0; 4]);
    let mut at = bytes.len() + 12 * elements.len();
    for (tag, reference, data) in elements {
        bytes.extend(tag.to_be_bytes());
        bytes.extend(reference.to_be_bytes());
        bytes.extend((at as u32).to_be_bytes());
        bytes.extend((data.len() as u32).to_be_bytes());
        at += data.len();
    }
    elements.iter().for_each(|(.., data)| bytes.extend(data));
    bytes
}

fn open(bytes: Vec<u8>) -> hyperslab::Result<File> {
    File::from_source(Arc::new(Memory::new("made.hdf", bytes)))
}

fn u16s(numbers: &[u16]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

fn i32s(numbers: &[i32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
}

/// A data set without Vgroups: int16 of shape (2, 3) with a label, units and a scale of its second dimension.
fn data_set(values: Made) -> Vec<Made> {
    let dimensions = [u16s(&[2]), i32s(&[2, 3]), u16s(&[106, 1, 106, 1, 106, 1])].concat();
    let members = u16s(&[701, 2, 702, 2, 703, 2, 704, 2, 707, 2]);
    vec![
        (106, 1, vec![1, 22, 16, 1]),
        (701, 2, dimensions),
        values,
        (703, 2, [vec![0, 1], u16s(&[7, 8, 9])].concat()),
        (704, 2, b"depth\0\0x\0".to_vec()),
        (707, 2, u16s(&[6, 1])),
        (720, 2, members),
    ]
}

fn plain() -> Made {
    (702, 2, u16s(&[1, 2, 3, 4, 5, 6]))
}

fn read(file: &File, name: &str) -> Vec<i16> {
    file.dataset(name).unwrap().read(&Selection::All).unwrap()
}

#[test]
fn a_data_set_without_vgroups_has_its_scale_and_its_texts() {
    let file = open(file(&data_set(plain()))).unwrap();
    assert_eq!((file.format_word(), file.format_name()), ("hdf4", "HDF4"));
    assert_eq!(file.dataset("Data-Set-2").unwrap().shape(), [2, 3]);
    assert_eq!(read(&file, "Data-Set-2"), [1, 2, 3, 4, 5, 6]);
    assert_eq!(read(&file, "fakeDim1"), [7, 8, 9]);
    let of = |name: &str| {
        let attributes = file.dataset(name).unwrap().attributes().in_file_order().unwrap();
        let read = attributes.into_iter().map(|attribute| attribute.unwrap());
        read.map(|attribute| (attribute.name.to_string(), attribute.data.to_vec())).collect::<Vec<_>>()
    };
    let (max, min) = (6i16.to_ne_bytes().to_vec(), 1i16.to_ne_bytes().to_vec());
    let long_name = ("long_name".to_string(), b"depth".to_vec());
    assert_eq!(of("Data-Set-2"), [("valid_max".into(), max), ("valid_min".into(), min), long_name]);
    assert_eq!(of("fakeDim1"), [("long_name".to_string(), b"x".to_vec())]);
}

#[test]
fn linked_blocks_holes_and_what_is_missing_are_read() {
    let linked = [u16s(&[1]), i32s(&[12, 4, 4]), u16s(&[1])].concat();
    let elements = [
        data_set((0x42BE, 2, linked)),
        // The first block is longer than the others, the second was never written, the third is cut by the length.
        vec![(20, 1, u16s(&[0, 2, 0, 3])), (20, 2, u16s(&[1, 2, 3])), (20, 3, u16s(&[6, 7]))],
    ];
    let linked = open(file(&elements.concat())).unwrap();
    let fill = -32767;
    assert_eq!(read(&linked, "Data-Set-2"), [1, 2, 3, fill, fill, 6]);
    let short = open(file(&data_set((702, 2, u16s(&[1, 2]))))).unwrap();
    assert_eq!(read(&short, "Data-Set-2"), [1, 2, fill, fill, fill, fill]);
    let mut none = data_set(plain());
    none.remove(2);
    assert_eq!(read(&open(file(&none)).unwrap(), "Data-Set-2"), [fill; 6]);
}

#[test]
fn a_compressed_element_is_one_chunk() {
    let description = [u16s(&[3, 0]), i32s(&[12]), u16s(&[9, 0, 1])].concat();
    let runs = [&[11][..], &u16s(&[1, 2, 3, 4, 5, 6])].concat();
    let elements = [data_set((0x42BE, 2, description)), vec![(40, 9, runs)]].concat();
    let file = open(file(&elements)).unwrap();
    let dataset = file.dataset("Data-Set-2").unwrap();
    assert_eq!(dataset.chunk_map().unwrap().len(), 1);
    assert_eq!(dataset.read::<i16>(&Selection::block(&[1, 1], &[1, 2])).unwrap(), [5, 6]);
}

/// Values that szip codes, most significant byte first, in blocks of two: the codes of HDF5's filter without its header.
fn szip_codes(values: &[u8], options: u32) -> Vec<u8> {
    let parameters = [options, 2, 16, 6];
    let filter = FilterSpec { id: 4, optional: false, parameters: &parameters };
    let pipeline = Pipeline::new(&[filter], 2, values.len()).unwrap();
    pipeline.encode(values, &mut Scratch::new()).unwrap().bytes[4..].to_vec()
}

#[test]
fn szip_is_read_with_and_without_its_header() {
    // Entropy coding and nearest neighbours, raw, most significant byte first; and the mark of a header.
    const HEADER: u32 = 0x10000;
    let values = u16s(&[1, 2, 3, 40, 41, 43]);
    for coding in [4, 32] {
        let options: u32 = coding | 128 | 16;
        let codes = szip_codes(&values, options);
        let framed =
            |kind: u8, bytes: &[u8]| [&[kind][..], &(bytes.len() as u32).to_be_bytes(), bytes].concat();
        let stored = [
            (options, codes.clone()),
            (options | HEADER, framed(0, &codes)),
            (options | HEADER, framed(1, &values)),
        ];
        for (options, stream) in stored {
            let sizes = i32s(&[6, 6, options as i32]);
            let description = [u16s(&[3, 0]), i32s(&[12]), u16s(&[9, 0, 5]), sizes, vec![16, 2]].concat();
            let elements = [data_set((0x42BE, 2, description)), vec![(40, 9, stream)]].concat();
            let file = open(file(&elements)).unwrap();
            assert_eq!(read(&file, "Data-Set-2"), [1, 2, 3, 40, 41, 43], "{options:#x}");
        }
    }
}

/// A Vdata with a column of int32 and one of two uint16.
fn table(interlace: u16, records: Vec<u8>) -> Vec<Made> {
    let header = [
        u16s(&[interlace]),
        i32s(&[2]),
        u16s(&[8, 2, 24, 23, 4, 4, 0, 4, 1, 2, 1]),
        b"a".to_vec(),
        u16s(&[1]),
        b"b".to_vec(),
        u16s(&[1]),
        b"t".to_vec(),
        u16s(&[0, 0, 0, 3, 0]),
        vec![0],
    ];
    vec![(1962, 5, header.concat()), (1963, 5, records)]
}

#[test]
fn records_are_the_same_by_record_and_by_field() {
    let by_record = [i32s(&[1]), u16s(&[2, 3]), i32s(&[4]), u16s(&[5, 6])].concat();
    let by_field = [i32s(&[1, 4]), u16s(&[2, 3, 5, 6])].concat();
    for (interlace, records) in [(0, by_record), (1, by_field)] {
        let file = open(file(&table(interlace, records))).unwrap();
        let dataset = file.dataset("t").unwrap();
        assert_eq!(dataset.shape(), [2]);
        let numbers: Vec<u8> = [
            &1i32.to_ne_bytes()[..],
            &2u16.to_ne_bytes(),
            &3u16.to_ne_bytes(),
            &4i32.to_ne_bytes(),
            &5u16.to_ne_bytes(),
            &6u16.to_ne_bytes(),
        ]
        .concat();
        assert_eq!(dataset.read_bytes(&Selection::All, Endianness::File).unwrap(), numbers);
    }
}

/// An image of (2, 3) with two components in this order.
fn image(interlace: u16, values: Vec<u8>) -> Vec<Made> {
    let size = [i32s(&[3, 2]), u16s(&[0, 0, 2, interlace, 0, 0])].concat();
    vec![(300, 4, size), (302, 4, values), (306, 4, u16s(&[300, 4, 302, 4]))]
}

#[test]
fn components_of_images_come_last() {
    let by_pixel: Vec<u8> = (0..12).collect();
    let by_line = vec![0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11];
    let by_plane = vec![0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11];
    for (interlace, values) in [(0, by_pixel.clone()), (1, by_line), (2, by_plane)] {
        let file = open(file(&image(interlace, values))).unwrap();
        let dataset = file.dataset("image_4").unwrap();
        assert_eq!(dataset.shape(), [2, 3, 2]);
        assert_eq!(dataset.read::<u8>(&Selection::All).unwrap(), by_pixel);
        assert_eq!(hyperslab::hdf5::census(&file).unwrap().raw_data, [("/image_4".to_owned(), 12)]);
    }
    // Each line by itself: a run of three, then a literal of two and one of one.
    let lines = vec![0x83, 7, 2, 1, 2, 1, 3];
    let file = open(file(&[(200, 1, u16s(&[3, 2])), (203, 1, lines)])).unwrap();
    let found: Vec<u8> = file.dataset("image_1").unwrap().read(&Selection::All).unwrap();
    assert_eq!(found, [7, 7, 7, 1, 2, 3]);
}

/// A grey image of 8 x 1 pixels that JPEG has compressed; libjpeg made it.
const GREY: &[u8] = include_bytes!("../../hyperslab-filters/src/hdf4/grey.jpg");
const GREY_PIXELS: [u8; 8] = [0, 36, 73, 109, 146, 182, 219, 255];

/// An image of compression 16, one stream, or 14, whose tables are by themselves and whose end is left out.
fn jpeg(compression: u16) -> Vec<Made> {
    let size = [i32s(&[8, 1]), u16s(&[0, 0, 1, 0, compression, 6])].concat();
    let members = u16s(&[300, 6, 303, 6]);
    let scan = GREY.windows(2).position(|pair| pair == [0xFF, 0xDA]).unwrap();
    let parts = match compression {
        14 => vec![(14, 6, GREY[..scan].to_vec()), (303, 6, GREY[scan..GREY.len() - 2].to_vec())],
        _ => vec![(compression, 6, Vec::new()), (303, 6, GREY.to_vec())],
    };
    [vec![(300, 6, size)], parts, vec![(306, 6, members)]].concat()
}

#[test]
fn pixels_that_jpeg_has_compressed_are_read() {
    for compression in [14, 16] {
        let file = open(file(&jpeg(compression))).unwrap();
        let dataset = file.dataset("image_6").unwrap();
        assert_eq!(dataset.shape(), [1, 8]);
        assert_eq!(dataset.read::<u8>(&Selection::All).unwrap(), GREY_PIXELS);
    }
}

/// Everything of a file is looked at; what cannot be read is an error.
fn read_all(bytes: Vec<u8>) {
    let Ok(file) = open(bytes) else { return };
    let Ok(links) = file.root().and_then(|root| root.links()) else { return };
    for link in links.into_iter().flatten() {
        if let Ok(dataset) = file.dataset(&link.name.to_string()) {
            let _ = dataset.attributes().list();
            if dataset.logical_bytes() < 1 << 20 {
                let _ = dataset.read_bytes(&Selection::All, Endianness::File);
            }
        }
    }
}

/// A file of all kinds of elements.
fn everything() -> Vec<u8> {
    let linked = [u16s(&[1]), i32s(&[12, 4, 4]), u16s(&[1])].concat();
    let blocks = vec![(20, 1, u16s(&[0, 2])), (20, 2, u16s(&[1, 2, 3]))];
    let vgroup = [u16s(&[2, 1962, 720, 5, 2, 1]), b"v".to_vec(), u16s(&[0, 0, 0, 3, 0]), vec![0]].concat();
    let all = [
        data_set((0x42BE, 2, linked)),
        blocks,
        table(1, i32s(&[1, 4, 2, 3])),
        image(2, (0..12).collect()),
        jpeg(14),
        vec![(1965, 8, vgroup), (104, 1, [u16s(&[720, 2]), b"label".to_vec()].concat())],
    ];
    file(&all.concat())
}

#[test]
fn a_vgroup_has_its_members() {
    let file = open(everything()).unwrap();
    let names: Vec<String> = file
        .group("v")
        .unwrap()
        .links()
        .unwrap()
        .into_iter()
        .map(|link| link.unwrap().name.to_string())
        .collect();
    assert_eq!(names, ["Data-Set-2", "t"]);
    assert_eq!(read(&file, "v/Data-Set-2")[..3], [1, 2, 3]);
}

/// An attribute of two int32, with these records.
fn attribute(reference: u16, records: &[i32]) -> Vec<Made> {
    let header = [
        [u16s(&[0]), i32s(&[2]), u16s(&[4, 1, 24, 4, 0, 1, 6]), b"VALUES".to_vec()].concat(),
        [u16s(&[1]), b"a".to_vec(), u16s(&[7]), b"Attr0.0".to_vec(), u16s(&[0, 0, 3, 0]), vec![0]].concat(),
    ];
    vec![(1962, reference, header.concat()), (1963, reference, i32s(records))]
}

#[test]
fn an_attribute_that_cannot_be_read_is_an_error_of_itself_alone() {
    let members = [u16s(&[3, 720, 1962, 1962, 2, 5, 6, 1]), b"v".to_vec()].concat();
    let vgroup = [members, u16s(&[0, 0, 0, 3, 0]), vec![0]].concat();
    let all = [data_set(plain()), attribute(5, &[1]), attribute(6, &[1, 2]), vec![(1965, 8, vgroup)]];
    let file = open(file(&all.concat())).unwrap();
    assert_eq!(read(&file, "v/Data-Set-2"), [1, 2, 3, 4, 5, 6]);
    let group = file.group("v").unwrap();
    let [cut, whole]: [_; 2] = group.attributes().in_file_order().unwrap().try_into().unwrap();
    assert_eq!(whole.unwrap().data.to_vec(), [1i32.to_ne_bytes(), 2i32.to_ne_bytes()].concat());
    let error = cut.unwrap_err().to_string();
    assert!(error.contains("record 1 lies behind the 4 bytes of the attribute"), "{error}");
}

#[test]
fn every_truncation_is_read_or_an_error() {
    let whole = everything();
    for len in 0..whole.len() {
        read_all(whole[..len].to_vec());
    }
}

proptest! {
    #[test]
    fn changed_bytes_are_read_or_an_error(changes in prop::collection::vec((0usize..2000, any::<u8>()), 1..6)) {
        let mut bytes = everything();
        let len = bytes.len();
        for (at, byte) in changes {
            bytes[at % len] = byte;
        }
        read_all(bytes);
    }
}
