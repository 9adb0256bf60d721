//! What the pipeline asks of one filter with its parameters.

use crate::FilterError;
use crate::scratch::Tools;
use std::ops::Range;

/// How the number of bytes changes when a filter is applied (in the direction of writing).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Growth {
    /// As many bytes come out as went in.
    Same,
    /// This many bytes more.
    Plus(usize),
    /// It depends on the data.
    Varies,
}

/// What a filter is made from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setup<'a> {
    /// Identification, for filters that serve several.
    pub id: u16,
    /// Client data as stored in the file.
    pub parameters: &'a [u32],
}

/// One filter of a pipeline, its parameters checked.
pub(crate) trait Stage: Send + Sync {
    /// Name of the filter, as errors say it.
    fn name(&self) -> &'static str;

    /// Name and the parameters that a person wants to see: `"gzip 4"`.
    fn describe(&self) -> String {
        self.name().to_string()
    }

    /// How sizes change when writing.
    fn growth(&self) -> Growth {
        Growth::Varies
    }

    /// Undoes the filter: writes `out[..n]` and returns n. Where the decoded bytes do not fit the answer is
    /// [`FilterError::TooLong`], and whoever called may try again with more room.
    fn decode(&self, stored: &[u8], out: &mut [u8], tools: &mut Tools) -> Result<usize, FilterError>;

    /// Where the decoded bytes simply lie inside the stored ones: the range, so that nothing is copied.
    fn view(&self, stored: &[u8]) -> Result<Option<Range<usize>>, FilterError> {
        let _ = stored;
        Ok(None)
    }

    /// The decoded length that the stored bytes claim, if they claim one. Untrusted: only a first guess at a
    /// buffer's size.
    fn claimed(&self, stored: &[u8]) -> Option<u64> {
        let _ = stored;
        None
    }

    /// No stored bytes of this length can decode to more than this: lets a small chunk that claims gigabytes be
    /// refused before anything is allocated. Where sizes follow from each other that is what [`Self::growth`] says.
    fn most(&self, stored_bytes: usize) -> usize {
        match self.growth() {
            Growth::Same => stored_bytes,
            Growth::Plus(more) => stored_bytes.saturating_sub(more),
            Growth::Varies => usize::MAX,
        }
    }

    /// No more than this can come out of these bytes: [`Self::most`], or less where they say so themselves. An error
    /// where they are none of this filter's.
    fn most_of(&self, stored: &[u8]) -> Result<usize, FilterError> {
        Ok(self.most(stored.len()))
    }

    /// The element size, where this is a byte shuffle.
    fn shuffles(&self) -> Option<usize> {
        None
    }

    /// Applies the filter.
    fn encode(&self, raw: &[u8], tools: &mut Tools) -> Result<Vec<u8>, FilterError> {
        let _ = (raw, tools);
        Err(FilterError::unsupported(self.name(), "writing"))
    }
}
