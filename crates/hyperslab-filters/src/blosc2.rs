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
//! The frame contains everything needed for reading; the filter's parameters are for writing.
//!
//! Not supported: dictionaries, codecs and filters from plug-ins.

mod array;
mod chunk;
mod frame;
mod shape;

use crate::scratch::CodecState;
use crate::stage::{Setup, Stage};
use crate::{FilterError, blosc};
use chunk::Chunk;
use frame::{Content, Frame};

const NAME: &str = "blosc2";
/// `BLOSC2_MAX_BUFFERSIZE`.
const CHUNK_BYTES_MAX: usize = i32::MAX as usize - 32;

struct Blosc2 {
    codec: Option<u32>,
}

pub(crate) fn make(setup: Setup<'_>) -> Result<Box<dyn Stage>, FilterError> {
    Ok(Box::new(Blosc2 { codec: setup.parameters.get(6).copied() }))
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

    fn encodes(&self) -> bool {
        false
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
        let stage = Blosc2 { codec: None };
        assert_eq!(stage.max_decoded_len_of(&header(1000)), Ok(1000));
        assert_eq!(stage.max_decoded_len_of(&header(u32::MAX.into())), Ok(CHUNK_BYTES_MAX));
        assert!(stage.max_decoded_len_of(&[0; 200]).unwrap_err().to_string().contains("not a Blosc 2 frame"));
    }
}
