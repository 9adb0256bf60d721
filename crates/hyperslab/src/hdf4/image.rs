//! Raster images and palettes: (height, width) or, with several components, (height, width, components).
//!
//! An image may be described up to three times: by a Vgroup, by a list of its elements (tag 306), and by its size and its bytes
//! of the same reference (tags 200 and 202). It is one where the bytes are.

use super::attribute::Attribute;
use super::elements::{Element as Bytes, Elements};
use super::facts;
use super::model::{DataSet, Element, Values};
use super::tables::Tables;
use crate::format_error::OrError;
use crate::{Error, Result};
use hyperslab_format::Name;
use hyperslab_hdf4::{ImageDimensions, Interlace, Kind, NumberType, Order, Vgroup, members, tag};
use std::collections::{HashMap, HashSet};

/// The class of the Vgroup that has all images as its members.
pub(super) const FILE_CLASS: &[u8] = b"RIG0.0";
/// The class of the Vgroup of an image.
pub(super) const IMAGE_CLASS: &[u8] = b"RI0.0";
/// The class of Vdatas that are attributes of images; the name of the field is that of the attribute.
pub(super) const ATTRIBUTE_CLASS: &[u8] = b"RIATTR0.0C";
/// Colours of a palette, and components of each.
const PALETTE_SHAPE: [u64; 2] = [256, 3];
/// The tag of run-length encoding among compressions.
const RUN_LENGTHS: u16 = 11;
/// JPEG whose tables are an element of this tag and the reference of the image; and the same of grey images.
const JPEG: u16 = 13;
const GREY_JPEG: u16 = 14;
/// JPEG as one stream, and the same of grey images.
const JPEG_WHOLE: u16 = 15;
const GREY_JPEG_WHOLE: u16 = 16;
const BYTE: NumberType = NumberType { kind: Kind::UInt, bytes: 1, is_little_endian: false };

/// An image or a palette.
pub(super) struct Image {
    pub(super) name: Name,
    pub(super) kind: facts::Kind,
    pub(super) reference: u16,
    pub(super) dataset: DataSet,
    /// The tags and references by which Vgroups and annotations refer to it: those of its descriptions, as `GRidtoref` gives them.
    keys: Vec<(u16, u16)>,
    /// Those of its bytes, which older programs use. Where another image has the same as one of `keys`, that one is meant.
    data: (u16, u16),
    /// The element that is its palette.
    pub(super) palette: Option<(u16, u16)>,
}

/// The images of a file, and the attributes of all.
#[derive(Default)]
pub(super) struct Images {
    pub(super) images: Vec<Image>,
    pub(super) attributes: Vec<Attribute>,
    pub(super) problems: Vec<Error>,
    /// The numbers of the images, of those that can be read, by where their bytes are or, before there are any, by the element that has
    /// their size.
    seen: HashMap<Place, Option<usize>>,
}

#[derive(PartialEq, Eq, Hash)]
enum Place {
    At(u32),
    SizeOf(Option<(u16, u16)>),
}

/// Reads the images.
pub(super) fn read(elements: &Elements, tables: &Tables) -> Images {
    let mut found = Images::default();
    for (reference, vgroup) in &tables.vgroups {
        let key = (tag::VGROUP, *reference);
        match vgroup.class.as_bytes() {
            IMAGE_CLASS => found.add(elements, tables, &vgroup.members, key, Some(vgroup)),
            FILE_CLASS => found.attributes.extend(attributes(elements, tables, vgroup)),
            _ => {}
        }
    }
    for descriptor in elements.descriptors.of(tag::IMAGE_GROUP) {
        let key = (tag::IMAGE_GROUP, descriptor.reference);
        let list = elements.need(key).and_then(|list| members(&list.bytes, list.at).or_error());
        match list {
            Ok(list) => found.add(elements, tables, &list, key, None),
            Err(error) => found.problems.push(error.at_object(format!("image {}", descriptor.reference))),
        }
    }
    for kind in [tag::IMAGE_8, tag::IMAGE_8_RLE, tag::IMAGE_8_IMCOMP] {
        for descriptor in elements.descriptors.of(kind) {
            let key = (kind, descriptor.reference);
            let parts = [(tag::IMAGE_DIMENSIONS_8, key.1), key, (tag::PALETTE_8, key.1)];
            found.add(elements, tables, &parts, key, None);
        }
    }
    for kind in [tag::PALETTE, tag::PALETTE_8] {
        for descriptor in elements.descriptors.of(kind) {
            found.add_palette(elements, (kind, descriptor.reference));
        }
    }
    for (key, number) in found.by_key() {
        found.images[number].dataset.attributes.extend(tables.annotations(&[key]));
    }
    found
}

impl Images {
    fn add(
        &mut self,
        elements: &Elements,
        tables: &Tables,
        parts: &[(u16, u16)],
        key: (u16, u16),
        vgroup: Option<&Vgroup>,
    ) {
        let is_data = |part: &&(u16, u16)| {
            let kinds =
                [tag::IMAGE, tag::IMAGE_COMPRESSED, tag::IMAGE_8, tag::IMAGE_8_RLE, tag::IMAGE_8_IMCOMP];
            kinds.contains(&part.0)
        };
        let Some(data) = parts.iter().find(is_data).copied() else { return };
        let is_size = |part: &&(u16, u16)| [tag::IMAGE_DIMENSIONS, tag::IMAGE_DIMENSIONS_8].contains(&part.0);
        let written = elements.descriptors.get(data.0, data.1).filter(|found| found.range().is_some());
        let size = || Place::SizeOf(parts.iter().find(is_size).copied());
        let place = written.map_or_else(size, |descriptor| Place::At(descriptor.offset));
        // By the reference of a description, images are meant as such, however they are described.
        let keys = [key, (tag::IMAGE_GROUP, key.1), (tag::IMAGE, key.1), (tag::IMAGE_8, key.1)];
        let keys = if key == data { &keys[..1] } else { &keys[..] };
        if let Some(known) = self.seen.get(&place) {
            known.iter().for_each(|known| self.images[*known].keys.extend(keys));
            return;
        }
        let name = vgroup.map(|vgroup| vgroup.name.clone()).unwrap_or_default();
        match image(elements, tables, parts, data, vgroup) {
            Ok(dataset) => {
                let is_palette = |part: &&(u16, u16)| [tag::PALETTE, tag::PALETTE_8].contains(&part.0);
                let (keys, palette) = (keys.to_vec(), parts.iter().find(is_palette).copied());
                let (kind, reference) = (facts::Kind::Image, data.1);
                self.push(place, Image { name, kind, reference, dataset, keys, data, palette });
            }
            Err(error) => {
                self.seen.insert(place, None);
                self.problems.push(error.at_object(format!("image {}", data.1)));
            }
        }
    }

    fn push(&mut self, place: Place, image: Image) {
        self.seen.insert(place, Some(self.images.len()));
        self.images.push(image);
    }

    /// The numbers of the images by the tags and references that lead to them.
    pub(super) fn by_key(&self) -> Vec<((u16, u16), usize)> {
        let numbered = || self.images.iter().enumerate();
        let own = numbered().flat_map(|(number, image)| image.keys.iter().map(move |key| (*key, number)));
        let mut seen = HashSet::new();
        let all = own.chain(numbered().map(|(number, image)| (image.data, number)));
        all.filter(|(key, _)| seen.insert(*key)).collect()
    }

    fn add_palette(&mut self, elements: &Elements, key: (u16, u16)) {
        let Some(descriptor) = elements.descriptors.get(key.0, key.1) else { return };
        let is_whole = descriptor.range().is_some_and(|range| range.end - range.start == 768);
        let place = Place::At(descriptor.offset);
        if !is_whole || self.seen.contains_key(&place) {
            return;
        }
        let dataset = DataSet {
            element: Element::Number(BYTE),
            shape: PALETTE_SHAPE.to_vec(),
            is_unlimited: false,
            values: Values::Of(key),
            fill: vec![0],
            attributes: Vec::new(),
            at: descriptor.offset.into(),
        };
        let (kind, reference) = (facts::Kind::Palette, key.1);
        let (name, keys) = (Name::default(), vec![key]);
        self.push(place, Image { name, kind, reference, dataset, keys, data: key, palette: None });
    }
}

fn image(
    elements: &Elements,
    tables: &Tables,
    parts: &[(u16, u16)],
    data: (u16, u16),
    vgroup: Option<&Vgroup>,
) -> Result<DataSet> {
    let size =
        |kind: u16| parts.iter().find(|part| part.0 == kind).map(|key| elements.need(*key)).transpose();
    let size: Option<(Bytes, bool)> = match size(tag::IMAGE_DIMENSIONS)? {
        Some(record) => Some((record, false)),
        None => size(tag::IMAGE_DIMENSIONS_8)?.map(|record| (record, true)),
    };
    let (record, is_8) = size.ok_or_else(|| Error::damaged("an image without its size"))?;
    let dimensions = match is_8 {
        true => ImageDimensions::parse_8(&record.bytes, record.at).or_error()?,
        false => ImageDimensions::parse(&record.bytes, record.at).or_error()?,
    };
    let number_type = match dimensions.number_type {
        None => BYTE,
        Some(key) => elements.number_type(key)?,
    };
    let (height, width) = (u64::from(dimensions.height), u64::from(dimensions.width));
    let components = u64::from(dimensions.components);
    let mut shape = vec![height, width];
    if components > 1 {
        shape.push(components);
    }
    let value_bytes = usize::from(number_type.bytes);
    let attributes = vgroup.map(|vgroup| attributes(elements, tables, vgroup)).unwrap_or_default();
    Ok(DataSet {
        element: Element::Number(number_type),
        shape,
        is_unlimited: false,
        values: values(data, &dimensions, value_bytes)?,
        fill: fill(&attributes, number_type, components as usize),
        attributes,
        at: record.at,
    })
}

/// A pixel that was never written, as it would be stored: zeros, if nobody said what it is.
fn fill(attributes: &[Attribute], number_type: NumberType, components: usize) -> Vec<u8> {
    let value_bytes = usize::from(number_type.bytes);
    let own = attributes.iter().find(|attribute| attribute.name.as_bytes() == b"FillValue");
    let own = own.filter(|own| own.number_type.bytes == number_type.bytes && !own.values.is_empty());
    let Some(own) = own else { return vec![0; value_bytes * components.max(1)] };
    let mut pixel: Vec<u8> =
        own.values.iter().copied().cycle().take(value_bytes * components.max(1)).collect();
    if own.number_type.is_little_endian != number_type.is_little_endian {
        pixel.chunks_mut(value_bytes.max(1)).for_each(<[u8]>::reverse);
    }
    pixel
}

/// Where the values of an image are, and in which order.
fn values(data: (u16, u16), dimensions: &ImageDimensions, value_bytes: usize) -> Result<Values> {
    let ImageDimensions { width, height, components, .. } = *dimensions;
    let (width, height, components) = (width as usize, height as usize, usize::from(components));
    let compression = match data.0 {
        tag::IMAGE_COMPRESSED => dimensions.compression.0,
        tag::IMAGE_8_RLE => RUN_LENGTHS,
        tag::IMAGE_8_IMCOMP => {
            return Err(Error::unsupported("images that IMCOMP has compressed are not read"));
        }
        _ => 0,
    };
    match compression {
        0 => {}
        RUN_LENGTHS => return Ok(Values::Reordered(data, Order::RunLengths)),
        12 => return Err(Error::unsupported("images that IMCOMP has compressed are not read")),
        JPEG | GREY_JPEG | JPEG_WHOLE | GREY_JPEG_WHOLE => {
            if value_bytes != 1 {
                return Err(Error::damaged("JPEG with components of several bytes"));
            }
            let tables = (compression < JPEG_WHOLE).then_some((compression, data.1));
            return Ok(Values::Jpeg { tables, pixels: data });
        }
        other => return Err(Error::unsupported(format!("images of compression {other} are not read"))),
    }
    Ok(match dimensions.interlace {
        _ if components <= 1 => Values::Pixels(data),
        Interlace::Pixel => Values::Pixels(data),
        Interlace::Line => {
            Values::Reordered(data, Order::Transposed { sizes: [height, components, width], last: 1 })
        }
        Interlace::Plane => {
            Values::Reordered(data, Order::Transposed { sizes: [components, height, width], last: 0 })
        }
    })
}

/// The attributes of an image, or those of all images.
fn attributes(elements: &Elements, tables: &Tables, vgroup: &Vgroup) -> Vec<Attribute> {
    let of_class = tables.vdatas_of(vgroup).filter(|(_, vdata)| vdata.class.as_bytes() == ATTRIBUTE_CLASS);
    let read = of_class.map(|(reference, vdata)| {
        let name = vdata.fields.first().map(|field| field.name.clone()).unwrap_or_default();
        Attribute::read(elements, &name, vdata, reference)
    });
    read.collect()
}
