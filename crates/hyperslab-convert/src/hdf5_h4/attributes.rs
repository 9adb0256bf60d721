//! Attributes under the names that `h4toh5` gives them, and those that it adds.

use hyperslab::datatypes::{ByteOrder, Charset, Class, StringPadding};
use hyperslab::hdf4::Kind;
use hyperslab::{Attribute, Dataspace};
use hyperslab_create::{NewAttribute, datatypes};

/// The name of an annotation or another attribute of an object of a kind.
pub(super) fn name(kind: Kind, own: &str) -> String {
    let word = match kind {
        Kind::DataSet => "SDS",
        Kind::Image => "IMAGE",
        Kind::Palette => "PAL",
        Kind::Vdata => "VDATA",
        Kind::Vgroup => "VGROUP",
    };
    numbered(own, "anno_label-", &format!("HDF4_{word}_LABEL"))
        .or_else(|| numbered(own, "remarks-", &format!("HDF4_{word}_DESC")))
        .unwrap_or_else(|| own.to_owned())
}

/// The name of an attribute of the file.
pub(super) fn name_in_root(own: &str, is_of_images: bool) -> String {
    numbered(own, "file_label-", "HDF4_FILE_LABEL")
        .or_else(|| numbered(own, "file_description-", "HDF4_FILE_DESCRIPTION"))
        .unwrap_or_else(|| format!("{own}{}", if is_of_images { "_GLOIMAGE" } else { "_GLOSDS" }))
}

/// The engine counts annotations from 1, `h4toh5` from 0.
fn numbered(own: &str, before: &str, new: &str) -> Option<String> {
    let number: u64 = own.strip_prefix(before)?.parse().ok()?;
    Some(format!("{new}_{}", number.checked_sub(1)?))
}

/// The same attribute. A text is as long as it is, and filled up with spaces.
pub(super) fn copied(attribute: &Attribute) -> NewAttribute {
    let is_empty = matches!(&attribute.dataspace, Dataspace::Simple { dims, .. } if dims.contains(&0));
    if is_empty {
        return NewAttribute::null(attribute.datatype.clone());
    }
    if matches!(attribute.datatype.class, Class::FixedString { .. })
        && attribute.dataspace == Dataspace::Scalar
    {
        return text(&attribute.data);
    }
    NewAttribute {
        datatype: attribute.datatype.clone(),
        dataspace: attribute.dataspace.clone(),
        elements: attribute.data.to_vec().into(),
        named_datatype: None,
    }
}

/// A text, without NULs at its end.
pub(super) fn text(text: &[u8]) -> NewAttribute {
    texts(&[text], &[])
}

/// Texts of equal size, filled up with spaces, along these dimensions.
pub(super) fn texts(texts: &[&[u8]], dims: &[u64]) -> NewAttribute {
    let trimmed = |text: &[u8]| {
        let end = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        text[..end].to_vec()
    };
    let mut texts: Vec<Vec<u8>> = texts.iter().map(|text| trimmed(text)).collect();
    let size = texts.iter().map(Vec::len).max().unwrap_or(0).max(1);
    texts.iter_mut().for_each(|text| text.resize(size, b' '));
    let mut datatype = datatypes::fixed_string(size as u32, Charset::Ascii);
    datatype.class = Class::FixedString { padding: StringPadding::SpacePad, charset: Charset::Ascii };
    NewAttribute::new(datatype, dims, texts.concat())
}

/// A reference number, as `h4toh5` stores it.
pub(super) fn reference_number(reference: u16) -> NewAttribute {
    NewAttribute::new(datatypes::integer_in(2, false, ByteOrder::Big), &[], reference.to_be_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_count_from_zero() {
        assert_eq!(name(Kind::DataSet, "anno_label-1"), "HDF4_SDS_LABEL_0");
        assert_eq!(name(Kind::Image, "remarks-3"), "HDF4_IMAGE_DESC_2");
        assert_eq!(name(Kind::Vdata, "anno_label-0"), "anno_label-0");
        assert_eq!(name_in_root("title", false), "title_GLOSDS");
        assert_eq!(name_in_root("title", true), "title_GLOIMAGE");
        assert_eq!(name_in_root("file_label-1", false), "HDF4_FILE_LABEL_0");
    }

    #[test]
    fn texts_end_with_spaces_instead_of_nuls() {
        let found = texts(&[b"ab\0\0", b"c"], &[2]);
        assert_eq!((found.datatype.size, found.elements.len()), (2, 4));
        assert_eq!(text(b"\0").datatype.size, 1);
    }
}
