//! The rows of a dataset: a chunk each, in row-major order, written while the chunk index is walked.

use hyperslab::{ChunkBatch, ChunkGrid, ChunkIndex, Dataset, Error, Location, Result};
use std::io::{self, Write};

/// How rows are written.
pub(super) trait RowWriter {
    /// What comes before everything.
    fn head(&self) -> String;

    /// Appends what comes before the rows of a dataset.
    fn begin(&mut self, path: &[u8], dataset: &Dataset, grid: &ChunkGrid, text: &mut Vec<u8>);

    /// Appends the row of a chunk; its offset is in elements.
    fn row(&mut self, offset: &[u64], location: Location, text: &mut Vec<u8>);

    /// Appends what comes after the rows of a dataset.
    fn end(&mut self, text: &mut Vec<u8>);
}

/// How writing the rows of a dataset failed.
pub(super) enum Written {
    /// The output could not be written.
    Not(io::Error),
    /// Of the index, only a part could be read; the rows before the damage were written.
    InPart(Error),
}

/// Writes the rows of a dataset. Where the index has another order than row-major, its whole map is read first.
pub(super) fn write(
    path: &[u8],
    dataset: &Dataset,
    writer: &mut dyn RowWriter,
    out: &mut dyn Write,
) -> std::result::Result<(), Written> {
    let named =
        |error: Error| Written::InPart(error.in_file(dataset.file().name()).at_object(dataset.path()));
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
            let end = Error::invalid("the output could not be written");
            unwritten = Some(error);
            end
        })
    };
    let walked = match index.is_row_major() {
        true => index.walk(None, &mut each),
        false => dataset.chunk_map().and_then(|map| map.walk(None, &mut each)),
    };
    if let Some(error) = unwritten {
        return Err(Written::Not(error));
    }
    if walked.is_ok() {
        writer.end(&mut text);
    }
    out.write_all(&text).map_err(Written::Not)?;
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
