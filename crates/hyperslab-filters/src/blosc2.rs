//! Filter 32026, "blosc2": a contiguous Blosc 2 frame with one chunk.
//!
//! ```text
//! frame    header | chunk | index: a chunk with the offset of each chunk | trailer
//! chunk    header | start of each block, 4 each | block | …           or one value that fills all of it
//! block    streams, each: stored length, 4 | bytes                    0: zeros; negative: a repeated byte
//! ```
//!
//! Numbers in the frame's header are big-endian (MessagePack), all others little-endian. A chunk may be a
//! multidimensional array ("b2nd"); its blocks are then multidimensional too, and blocks at the upper edges are padded.
//! The frame contains everything needed for reading; the filter's parameters are for writing: version of the plug-in, block
//! length, element size, chunk length, level, filter, codec, dimensions, and the shape of the chunk.
//!
//! A chunk of two to eight dimensions is written as an array, as the plug-in does.
//!
//! Not supported: dictionaries, codecs and filters from plug-ins.

mod array;
mod chunk;
mod frame;
mod shape;

use crate::blosc::encoder::{PartEncoder, block_bytes};
use crate::scratch::CodecState;
use crate::stage::{Setup, Stage};
use crate::{FilterError, blosc, scratch};
use chunk::{Chunk, ChunkEncoder};
use frame::{Content, Frame, FrameHeader};
use shape::Shape;

const NAME: &str = "blosc2";
/// The codec of the parameters that Blosc 2 no longer has.
const SNAPPY: u32 = 3;
/// `BLOSC2_MAX_BUFFERSIZE`.
const CHUNK_BYTES_MAX: usize = i32::MAX as usize - 32;

struct Blosc2 {
    codec: Option<u32>,
    /// For writing.
    block: u32,
    element: u32,
    level: u32,
    filter: u32,
    /// The shape of a chunk; empty if it is written as a sequence of elements.
    chunk: Vec<usize>,
}

pub(crate) fn make(setup: Setup<'_>) -> Result<Box<dyn Stage>, FilterError> {
    let parameter = |number: usize| setup.parameters.get(number).copied();
    let dimensions = parameter(7).unwrap_or(0) as usize;
    let chunk = setup.parameters.get(8..).and_then(|sizes| sizes.get(..dimensions)).unwrap_or_default();
    Ok(Box::new(Blosc2 {
        codec: parameter(6),
        block: parameter(1).unwrap_or(0),
        element: parameter(2).unwrap_or(1).max(1),
        level: parameter(4).unwrap_or(5),
        filter: parameter(5).unwrap_or(1),
        chunk: chunk.iter().map(|&size| size as usize).collect(),
    }))
}

impl Blosc2 {
    /// The array that a chunk is; `None` if it is a sequence of elements. Other filters may have made it longer.
    fn shape(&self, raw: &[u8], block: usize) -> Option<Shape> {
        let element = self.element as usize;
        let is_array = (2..=shape::DIMENSIONS_MAX).contains(&self.chunk.len())
            && shape::product(&self.chunk, element) == Some(raw.len())
            && !raw.is_empty();
        is_array.then(|| Shape::of_chunk(&self.chunk, block / element))
    }
}

impl Stage for Blosc2 {
    fn name(&self) -> &'static str {
        NAME
    }

    fn describe(&self) -> String {
        format!("{NAME} {}", blosc::codec_name(self.codec))
    }

    fn claimed(&self, stored: &[u8]) -> Option<u64> {
        Frame::read(stored).ok()?.bytes().map(|bytes| bytes as u64)
    }

    /// A single value can fill a whole chunk, which has at most this size.
    fn max_decoded_len(&self, _: usize) -> usize {
        CHUNK_BYTES_MAX
    }

    fn max_decoded_len_of(&self, stored: &[u8]) -> Result<usize, FilterError> {
        Ok(Frame::read(stored)?.bytes().unwrap_or(usize::MAX).min(CHUNK_BYTES_MAX))
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], state: &mut CodecState) -> Result<usize, FilterError> {
        let max = out.len();
        let frame = Frame::read(stored)?;
        let content = frame.content(stored, state)?;
        if let Some(shape) = &frame.shape {
            let bytes = frame.bytes().filter(|&bytes| bytes <= max);
            let bytes = bytes.ok_or(FilterError::TooLong { filter: NAME, max })?;
            array::decode(shape, &content, frame.element, &mut out[..bytes], state)?;
            return Ok(bytes);
        }
        let out = out.get_mut(..frame.length).ok_or(FilterError::TooLong { filter: NAME, max })?;
        match content {
            Content::Value(value) => value.fill(out, frame.element),
            Content::Chunk(bytes) => Chunk::read(bytes)?.decode(out, state)?,
        }
        Ok(frame.length)
    }

    /// Like the plug-in, stores a copy where compression does not make the chunk smaller.
    fn encode(
        &self,
        raw: &[u8],
        out: &mut scratch::Buffer,
        state: &mut CodecState,
    ) -> Result<usize, FilterError> {
        let element = self.element as usize;
        let codec = self.codec.unwrap_or(0);
        if codec == SNAPPY {
            return Err(FilterError::unsupported(NAME, "Snappy"));
        }
        let parts = PartEncoder::new(NAME, codec, self.level)?;
        let filter = u8::try_from(self.filter).ok().filter(|&filter| filter <= chunk::DELTA);
        let filter =
            filter.ok_or_else(|| FilterError::unsupported(NAME, format!("filter {}", self.filter)))?;
        let block = if self.block > 0 { self.block as usize } else { block_bytes(self.level) };
        let shape = self.shape(raw, block);
        let (padded, block) = match &shape {
            Some(shape) => (array::bricks(shape, element, raw)?, shape.brick_bytes(element)),
            // Whole groups of 8 elements, which a bit shuffle needs.
            None => (None, (block / (8 * element)).max(1) * 8 * element),
        };
        let raw = padded.as_deref().unwrap_or(raw);
        if raw.len() > CHUNK_BYTES_MAX {
            return Err(FilterError::unsupported(NAME, "a chunk of 2 GiB or more"));
        }
        // Whole elements, if there is one.
        let whole = raw.len() / element * element;
        let longest = if whole > 0 { whole } else { raw.len() };
        let encoder = ChunkEncoder {
            parts,
            element: u8::try_from(element).unwrap_or(1),
            block: block.min(longest).max(1),
            filter: if element == 1 && filter == chunk::SHUFFLED { 0 } else { filter },
            is_copied: self.level == 0,
        };
        let header = FrameHeader {
            element,
            length: raw.len(),
            block: encoder.block,
            codec: codec as u8,
            level: self.level as u8,
            filter: encoder.filter,
            array: shape.map(|shape| shape.layer(element)),
        };
        header.encode(out, &mut |out| encoder.encode(raw, out, state))
    }
}

fn corrupt(what: impl Into<String>) -> FilterError {
    FilterError::corrupt(NAME, what)
}

fn early() -> FilterError {
    corrupt("the stored bytes are truncated")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header of a frame that claims `length` decoded bytes, without metalayers.
    fn header(length: u64) -> Vec<u8> {
        let mut frame = vec![0; 0x60];
        frame[..10].copy_from_slice(b"\x9e\xa8b2frame\0");
        for (at, mark) in [(0x0a, 0xd2), (0x1d, 0xd3), (0x26, 0xd3), (0x2f, 0xd2), (0x39, 0xd2)] {
            frame[at] = mark;
        }
        frame[0x1e..0x26].copy_from_slice(&length.to_be_bytes());
        frame[0x30..0x34].copy_from_slice(&4u32.to_be_bytes());
        frame[0x3a..0x3e].copy_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes());
        frame
    }

    #[test]
    fn a_frame_says_how_much_it_holds() {
        let stage = make(Setup { id: 32026, parameters: &[] }).unwrap();
        assert_eq!(stage.max_decoded_len_of(&header(1000)), Ok(1000));
        assert_eq!(stage.max_decoded_len_of(&header(u32::MAX.into())), Ok(CHUNK_BYTES_MAX));
        assert!(stage.max_decoded_len_of(&[0; 200]).unwrap_err().to_string().contains("not a Blosc 2 frame"));
    }
}
