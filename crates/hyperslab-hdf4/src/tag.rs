//! Tags: what a data element is (*HDF Specification and Developer's Guide*, chapter 9).

/// A free slot of a block of descriptors.
pub const NULL: u16 = 1;
/// The table or a block of a linked element.
pub const LINKED: u16 = 20;
/// The version of the library that wrote the file last.
pub const VERSION: u16 = 30;
/// The coded bytes of a compressed element.
pub const COMPRESSED: u16 = 40;
/// A chunk.
pub const CHUNK: u16 = 61;
/// A label of the file.
pub const FILE_LABEL: u16 = 100;
/// A description of the file.
pub const FILE_DESCRIPTION: u16 = 101;
/// A label of an object.
pub const LABEL: u16 = 104;
/// A description of an object.
pub const DESCRIPTION: u16 = 105;
/// A number type.
pub const NUMBER_TYPE: u16 = 106;
/// The size of an 8-bit image.
pub const IMAGE_DIMENSIONS_8: u16 = 200;
/// The palette of an 8-bit image.
pub const PALETTE_8: u16 = 201;
/// An 8-bit image.
pub const IMAGE_8: u16 = 202;
/// An 8-bit image, run-length encoded.
pub const IMAGE_8_RLE: u16 = 203;
/// An 8-bit image, compressed by IMCOMP.
pub const IMAGE_8_IMCOMP: u16 = 204;
/// The size and the components of an image.
pub const IMAGE_DIMENSIONS: u16 = 300;
/// A palette.
pub const PALETTE: u16 = 301;
/// An image.
pub const IMAGE: u16 = 302;
/// A compressed image.
pub const IMAGE_COMPRESSED: u16 = 303;
/// The parts of an image.
pub const IMAGE_GROUP: u16 = 306;
/// The parts of a scientific data set before HDF 3.2.
pub const DATA_GROUP_OLD: u16 = 700;
/// The dimensions of a scientific data set.
pub const DATA_DIMENSIONS: u16 = 701;
/// The values of a scientific data set.
pub const DATA: u16 = 702;
/// The scales of the dimensions.
pub const DATA_SCALES: u16 = 703;
/// Labels of a data set and of its dimensions.
pub const DATA_LABELS: u16 = 704;
/// Units of a data set and of its dimensions.
pub const DATA_UNITS: u16 = 705;
/// Formats of a data set and of its dimensions.
pub const DATA_FORMATS: u16 = 706;
/// The largest and the smallest value.
pub const DATA_RANGE: u16 = 707;
/// The coordinate system.
pub const DATA_COORDINATES: u16 = 708;
/// A data set that has a group of each kind.
pub const DATA_LINK: u16 = 710;
/// The parts of a scientific data set.
pub const DATA_GROUP: u16 = 720;
/// Calibration.
pub const CALIBRATION: u16 = 731;
/// The value of elements that were never written.
pub const FILL_VALUE: u16 = 732;
/// The description of a Vdata.
pub const VDATA: u16 = 1962;
/// The records of a Vdata.
pub const VDATA_RECORDS: u16 = 1963;
/// A Vgroup.
pub const VGROUP: u16 = 1965;

/// The tags of Vgroup, Vdata and records before HDF 3.2, and what they became.
const OLD: [(u16, u16); 3] = [(61820, VGROUP), (61821, VDATA), (61822, VDATA_RECORDS)];
/// This bit of a tag says that the element is not where the descriptor leads: a description of it is.
const SPECIAL: u16 = 0x4000;
/// With this bit, a tag belongs to a user, and the bit above is part of it.
const USER: u16 = 0x8000;

/// True if a description stands in place of the element.
pub fn is_special(tag: u16) -> bool {
    tag & USER == 0 && tag & SPECIAL != 0
}

/// The tag of the element, whether a description stands in its place or not.
pub fn base(tag: u16) -> u16 {
    match OLD.iter().find(|(old, _)| *old == tag) {
        Some((_, new)) => *new,
        None if is_special(tag) => tag & !SPECIAL,
        None => tag,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_tags_have_the_base_of_their_element() {
        assert_eq!((base(0x42BE), is_special(0x42BE)), (DATA, true));
        assert_eq!((base(DATA), is_special(DATA)), (DATA, false));
        assert_eq!((base(61821), is_special(61821)), (VDATA, false));
        assert_eq!((base(0xC001), is_special(0xC001)), (0xC001, false));
    }
}
