//! What undoes a coder: a pipeline, and the filter that stands for it in descriptions.

use crate::{Error, Result};
use bytes::{Bytes, BytesMut};
use hyperslab_array::array::{FilterSettings, Filters};
use hyperslab_filters::{FilterSpec, Hdf4Coder, Hdf4Nbit, Pipeline, Scratch};
use hyperslab_format::Name;
use hyperslab_format::message::{Filter, FilterPipeline};
use hyperslab_hdf4::{Coder, NumberType};

/// HDF5's number of deflate.
const DEFLATE: u16 = 1;
/// Coders that are no filters of HDF5 have this number in descriptions: it is for private use, so that nobody else takes the
/// bytes for something they are not. Their names tell them apart.
const PRIVATE: u16 = u16::MAX;

/// The pipeline that decodes `bytes` bytes at once.
pub(super) fn pipeline(coder: &Coder, bytes: usize) -> Result<Pipeline> {
    let coder = match coder {
        Coder::None => return Pipeline::new(&[], 1, bytes).map_err(Error::from),
        Coder::Deflate { level } => {
            let filter = FilterSpec { id: DEFLATE, optional: false, parameters: &[(*level).into()] };
            return Pipeline::new(&[filter], 1, bytes).map_err(Error::from);
        }
        Coder::Rle => Hdf4Coder::Rle,
        Coder::SkippingHuffman { skip } => Hdf4Coder::SkippingHuffman { skip: *skip as usize },
        Coder::Nbit(nbit) => Hdf4Coder::Nbit(Hdf4Nbit {
            value_bytes: NumberType::of(nbit.number_type, 0).map_or(0, |kind| kind.bytes.into()),
            start_bit: nbit.start_bit,
            bits: nbit.bits,
            extends_sign: nbit.extends_sign,
            fills_with_ones: nbit.fills_with_ones,
        }),
        Coder::Szip(szip) => Hdf4Coder::Szip {
            options: szip.options,
            pixels_per_block: szip.pixels_per_block.into(),
            bits_per_pixel: szip.bits_per_pixel.into(),
            pixels_per_scanline: szip.pixels_per_scanline,
        },
        Coder::Jpeg => Hdf4Coder::Jpeg,
        Coder::Imcomp => return Err(Error::unsupported("values that IMCOMP has compressed are not read")),
    };
    Pipeline::hdf4(coder, bytes).map_err(Error::from)
}

/// The `len` bytes that a stream decodes to.
pub(super) fn decode(coder: &Coder, stream: &[u8], len: usize) -> Result<Bytes> {
    let pipeline = pipeline(coder, len)?;
    if pipeline.max_decoded_len(stream, 0).map_err(Error::from)? < len {
        return Err(Error::damaged(format!("{} bytes cannot decode to {len}", stream.len())));
    }
    let mut bytes = BytesMut::zeroed(len);
    pipeline.decode_into(stream, 0, &mut Scratch::new(), &mut bytes).map_err(Error::from)?;
    Ok(bytes.freeze())
}

/// The filters of chunks of `chunk_bytes` bytes, for reading and for descriptions.
pub(super) fn filters(
    coder: &Coder,
    element_bytes: usize,
    chunk_bytes: usize,
) -> Result<(Filters, FilterPipeline)> {
    let described = |id, name: Option<&str>, parameters: Vec<u32>| FilterPipeline {
        filters: vec![Filter { id, name: name.map(Name::from), flags: 0, parameters }],
    };
    Ok(match coder {
        Coder::None => (Filters::new(Vec::new(), element_bytes, chunk_bytes), FilterPipeline::default()),
        Coder::Deflate { level } => {
            let parameters = vec![u32::from(*level)];
            let settings = FilterSettings {
                id: DEFLATE,
                name: None,
                is_optional: false,
                parameters: parameters.clone(),
            };
            let filters = Filters::new(vec![settings], element_bytes, chunk_bytes);
            (filters, described(DEFLATE, None, parameters))
        }
        other => {
            let name = format!("HDF4 {}", other.name());
            (Filters::of(pipeline(other, chunk_bytes)?), described(PRIVATE, Some(&name), Vec::new()))
        }
    })
}
