//! Filter 32026, "blosc2": a contiguous frame of Blosc 2 that holds one chunk.
//!
//! ```text
//! frame    header | chunk | index: a chunk that holds the offset of each chunk | trailer
//! chunk    header | start of each block, 4 each | block | …           or one value that fills all of it
//! block    streams, each: stored length, 4 | bytes                    0: zeros; negative: a repeated byte
//! ```
//!
//! Numbers in the frame's header are big-endian (it is MessagePack), all others little-endian. A chunk may be an
//! array of several dimensions ("b2nd"): then a block is a brick of it, and bricks at the far sides are padded. All
//! that is needed to read stands in the frame; the filter's parameters are for writing.
//!
//! Not handled: dictionaries, codecs and filters from plug-ins.

mod array;
mod chunk;
mod frame;

use crate::scratch::Tools;
use crate::stage::{Setup, Stage};
use crate::{FilterError, blosc};
use chunk::Chunk;
use frame::{Content, Frame};

const NAME: &str = "blosc2";

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
        Frame::read(stored).ok().map(|frame| frame.length as u64)
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], tools: &mut Tools) -> Result<usize, FilterError> {
        let max = out.len();
        let frame = Frame::read(stored)?;
        let content = frame.content(stored, tools)?;
        if let Some(shape) = &frame.shape {
            let bytes = shape.bytes(frame.element).filter(|&bytes| bytes <= max);
            let bytes = bytes.ok_or(FilterError::TooLong { filter: NAME, max })?;
            array::decode(shape, &content, frame.element, &mut out[..bytes], tools)?;
            return Ok(bytes);
        }
        let out = out.get_mut(..frame.length).ok_or(FilterError::TooLong { filter: NAME, max })?;
        match content {
            Content::Value(value) => value.fill(out, frame.element),
            Content::Chunk(bytes) => Chunk::read(bytes)?.decode(out, tools)?,
        }
        Ok(frame.length)
    }
}

fn corrupt(what: impl Into<String>) -> FilterError {
    FilterError::corrupt(NAME, what)
}

fn early() -> FilterError {
    corrupt("the stored bytes end too early")
}
