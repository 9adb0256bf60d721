//! The interface of one filter, with its parameters, to the pipeline.

use crate::FilterError;
use crate::scratch::{Buffer, CodecState};
use std::ops::Range;

/// How the number of bytes changes when a filter is applied (when writing).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Growth {
    /// The number of bytes does not change.
    Same,
    /// The number of bytes increases by this much.
    Plus(usize),
    /// The change depends on the data.
    Varies,
}

/// The data from which a filter is created.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setup<'a> {
    /// The identifier, for code that implements several filters.
    pub id: u16,
    /// The client data as stored in the file.
    pub parameters: &'a [u32],
}

/// One filter of a pipeline, with checked parameters.
pub(crate) trait Stage: Send + Sync {
    /// The name of the filter in errors.
    fn name(&self) -> &'static str;

    /// The name with the most important parameters: `"gzip 4"`.
    fn describe(&self) -> String {
        self.name().to_string()
    }

    /// How sizes change when writing.
    fn growth(&self) -> Growth {
        Growth::Varies
    }

    /// Decodes to `out[..n]` and returns n. If the decoded bytes do not fit, the error is [`FilterError::TooLong`], and
    /// the caller may try again with a larger output.
    fn decode(&self, stored: &[u8], out: &mut [u8], state: &mut CodecState) -> Result<usize, FilterError>;

    /// Returns the range of the decoded bytes if they are simply a part of the stored bytes, so that nothing is copied.
    fn view(&self, stored: &[u8]) -> Result<Option<Range<usize>>, FilterError> {
        let _ = stored;
        Ok(None)
    }

    /// The decoded length that the stored bytes claim, if they do. It is not trusted: only a first guess of the size of
    /// a buffer.
    fn claimed(&self, stored: &[u8]) -> Option<u64> {
        let _ = stored;
        None
    }

    /// The maximum decoded length for this stored length. Allows a small chunk that claims gigabytes to be rejected
    /// before anything is allocated. If sizes are related by [`Self::growth`], it follows from that.
    fn max_decoded_len(&self, stored_bytes: usize) -> usize {
        match self.growth() {
            Growth::Same => stored_bytes,
            Growth::Plus(more) => stored_bytes.saturating_sub(more),
            Growth::Varies => usize::MAX,
        }
    }

    /// The maximum decoded length of these bytes: [`Self::max_decoded_len`], or less if the bytes state a smaller length. An error
    /// if the bytes are invalid.
    fn max_decoded_len_of(&self, stored: &[u8]) -> Result<usize, FilterError> {
        Ok(self.max_decoded_len(stored.len()))
    }

    /// The element size, if this is a byte shuffle.
    fn shuffles(&self) -> Option<usize> {
        None
    }

    /// True if [`Self::encode`] is implemented. Otherwise a plug-in may encode for it.
    fn encodes(&self) -> bool {
        true
    }

    /// Encodes to the start of `out` and returns the number of encoded bytes. Whether bytes that do not become smaller
    /// are an error ([`FilterError::Incompressible`]) is decided as in the filter's reference implementation, because
    /// a pipeline then skips the filter, if it is optional.
    fn encode(&self, raw: &[u8], out: &mut Buffer, state: &mut CodecState) -> Result<usize, FilterError> {
        let _ = (raw, out, state);
        Err(FilterError::unsupported(self.name(), "writing"))
    }
}

/// Encodes to new memory.
#[cfg(test)]
pub(crate) fn encoded(stage: &dyn Stage, raw: &[u8], state: &mut CodecState) -> Result<Vec<u8>, FilterError> {
    let mut out = Buffer::default();
    let len = stage.encode(raw, &mut out, state)?;
    Ok(out.get(0..len).to_vec())
}
