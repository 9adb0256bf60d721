//! The plan of a read as text and as data: `hyperslab._explanation.Explanation`.

use hyperslab::{Explained, ExplainedChunk, ExplainedRequest};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// The explanation of a read.
pub fn of<'py>(py: Python<'py>, explained: &Explained) -> PyResult<Bound<'py, PyAny>> {
    let data = PyDict::new(py);
    data.set_item("dataset", &explained.dataset)?;
    data.set_item("shape", &explained.shape)?;
    data.set_item("result_bytes", explained.result_bytes)?;
    data.set_item("layout", explained.layout)?;
    data.set_item("chunks_touched", explained.chunks_touched)?;
    data.set_item("chunks_missing", explained.chunks_missing)?;
    data.set_item("chunks_cached", explained.chunks_cached)?;
    data.set_item("decodes", explained.decodes)?;
    data.set_item("decode", &explained.filters)?;
    data.set_item("requests_made", explained.requests_made)?;
    data.set_item("fetched_bytes", explained.fetched_bytes)?;
    data.set_item("requests", list(py, &explained.requests, request)?)?;
    data.set_item("missing", list(py, &explained.missing, chunk)?)?;
    crate::helper(py, "hyperslab._explanation", "Explanation")?.call1((explained.to_string(), data))
}

fn list<'py, T>(
    py: Python<'py>,
    items: &[T],
    item: impl Fn(Python<'py>, &T) -> PyResult<Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, items.iter().map(|one| item(py, one)).collect::<PyResult<Vec<_>>>()?)
}

fn request<'py>(py: Python<'py>, request: &ExplainedRequest) -> PyResult<Bound<'py, PyDict>> {
    let data = PyDict::new(py);
    let source = request.source.as_deref();
    data.set_item("file", source.map(|source| &source.file))?;
    data.set_item("dataset", source.map(|source| &source.dataset))?;
    data.set_item("start", request.range.start)?;
    data.set_item("end", request.range.end)?;
    data.set_item("chunks", list(py, &request.chunks, chunk)?)?;
    Ok(data)
}

fn chunk<'py>(py: Python<'py>, chunk: &ExplainedChunk) -> PyResult<Bound<'py, PyDict>> {
    let data = PyDict::new(py);
    data.set_item("chunk", &chunk.coordinates)?;
    data.set_item("start", chunk.range.as_ref().map(|range| range.start))?;
    data.set_item("end", chunk.range.as_ref().map(|range| range.end))?;
    data.set_item("filter_mask", chunk.filter_mask)?;
    data.set_item("decoded", chunk.range.is_some() && !chunk.is_raw)?;
    data.set_item("elements", chunk.elements)?;
    data.set_item("lands", &chunk.lands)?;
    Ok(data)
}
