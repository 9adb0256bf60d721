//! Filters that the program provides.

use crate::FilterError;
use crate::error::Failure;
use crate::scratch::{Buffer, CodecState};
use crate::stage::Stage;
use std::sync::Arc;

/// A filter that is not built in; see [`register`](crate::register).
pub trait Filter: Send + Sync {
    /// A short name for error messages.
    fn name(&self) -> &str;

    /// Decodes one chunk. The result must not be longer than `max_bytes`.
    fn decode(&self, parameters: &[u32], stored: &[u8], max_bytes: usize) -> Result<Vec<u8>, Failure>;

    /// Encodes one chunk, if the filter supports writing.
    fn encode(&self, parameters: &[u32], raw: &[u8]) -> Result<Vec<u8>, Failure> {
        let _ = (parameters, raw);
        Err("this filter does not support writing".into())
    }
}

/// A registered filter; in a pipeline, with the parameters of the dataset.
#[derive(Clone)]
pub(crate) struct Custom {
    id: u16,
    /// The name for errors. It is leaked: there are only as many as registered filters.
    name: &'static str,
    filter: Arc<dyn Filter>,
    parameters: Vec<u32>,
}

impl Custom {
    pub fn new(id: u16, filter: Arc<dyn Filter>) -> Self {
        let name = Box::leak(filter.name().to_string().into_boxed_str());
        Self { id, name, filter, parameters: Vec::new() }
    }

    pub fn with(self, parameters: &[u32]) -> Self {
        Self { parameters: parameters.to_vec(), ..self }
    }

    fn failed(&self, failure: Failure) -> FilterError {
        FilterError::Custom { id: self.id, name: self.name.to_string(), cause: failure.into() }
    }
}

impl Stage for Custom {
    fn name(&self) -> &'static str {
        self.name
    }

    /// Decodes once with the maximum output size: the filter's errors do not show whether a larger output would help.
    fn claimed(&self, _: &[u8]) -> Option<u64> {
        Some(u64::MAX)
    }

    fn decode(&self, stored: &[u8], out: &mut [u8], _: &mut CodecState) -> Result<usize, FilterError> {
        let max = out.len();
        let raw = self.filter.decode(&self.parameters, stored, max).map_err(|error| self.failed(error))?;
        let room = out.get_mut(..raw.len()).ok_or(FilterError::TooLong { filter: self.name, max })?;
        room.copy_from_slice(&raw);
        Ok(raw.len())
    }

    fn encode(&self, raw: &[u8], out: &mut Buffer, _: &mut CodecState) -> Result<usize, FilterError> {
        let stored = self.filter.encode(&self.parameters, raw).map_err(|error| self.failed(error))?;
        out.room(stored.len())?.copy_from_slice(&stored);
        Ok(stored.len())
    }
}
