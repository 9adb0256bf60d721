//! The rows of a dataset: one per chunk, in row-major order, written while the chunk index is read.

use hyperslab::{ChunkBatch, ChunkGrid, ChunkIndex, Dataset, Error, Location, Result};
use std::io::{self, Write};

/// A format in which rows are written.
pub(super) trait RowWriter {
    /// The text before everything else.
    fn head(&self) -> String;

    /// Appends the text before the rows of a dataset.
    fn begin(&mut self, path: &[u8], dataset: &Dataset, grid: &ChunkGrid, text: &mut Vec<u8>);

    /// Appends the row of a chunk. `offset` is in elements.
    fn row(&mut self, offset: &[u64], location: Location, text: &mut Vec<u8>);

    /// Appends the text after the rows of a dataset.
    fn end(&mut self, text: &mut Vec<u8>);
}

/// Why not all rows of a dataset were written.
pub(super) enum RowsError {
    /// The output could not be written.
    Output(io::Error),
    /// The chunk index could not be read completely. The rows before the error were written.
    Index(Error),
}

/// Writes the rows of a dataset. If the order of the index is not row-major, the whole chunk map is read first.
pub(super) fn write(
    path: &[u8],
    dataset: &Dataset,
    writer: &mut dyn RowWriter,
    out: &mut dyn Write,
) -> std::result::Result<(), RowsError> {
    let named =
        |error: Error| RowsError::Index(error.in_file(dataset.file().name()).at_object(dataset.path()));
    let not_chunked = || named(Error::invalid("the dataset is not chunked"));
    let (grid, index) = dataset.chunk_grid().zip(dataset.chunk_index()).ok_or_else(not_chunked)?;
    let mut text = Vec::new();
    writer.begin(path, dataset, grid, &mut text);
    let mut unwritten = None;
    let mut offset = vec![0; grid.counts().len()];
    let mut each = |batch: ChunkBatch<'_>| -> Result<()> {
        for (coordinates, location) in batch.iter() {
            let axes = offset.iter_mut().zip(coordinates).zip(grid.chunk_shape());
            axes.for_each(|((offset, at), chunk)| *offset = at.saturating_mul(*chunk));
            writer.row(&offset, location, &mut text);
        }
        let written = out.write_all(&text);
        text.clear();
        written.map_err(|error| {
            let end = Error::invalid("cannot write the output");
            unwritten = Some(error);
            end
        })
    };
    let walked = match index.is_row_major() {
        true => index.walk(None, &mut each),
        false => dataset.chunk_map().and_then(|map| map.walk(None, &mut each)),
    };
    if let Some(error) = unwritten {
        return Err(RowsError::Output(error));
    }
    if walked.is_ok() {
        writer.end(&mut text);
    }
    out.write_all(&text).map_err(RowsError::Output)?;
    walked.map_err(named)
}

/// Appends a number in decimal digits.
pub(super) fn push_number(mut number: u64, text: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[start..]);
}

/// Appends numbers in decimal digits with a separator between them.
pub(super) fn push_numbers(numbers: &[u64], separator: u8, text: &mut Vec<u8>) {
    for (i, &number) in numbers.iter().enumerate() {
        if i > 0 {
            text.push(separator);
        }
        push_number(number, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_decimal() {
        let mut text = Vec::new();
        push_numbers(&[0, 7, 10, 1_234_567_890, u64::MAX], b';', &mut text);
        assert_eq!(text, b"0;7;10;1234567890;18446744073709551615");
    }
}
