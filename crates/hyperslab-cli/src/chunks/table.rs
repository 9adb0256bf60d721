//! Chunks as a table: a section for each dataset, with columns as wide as the largest values that are possible.

use super::rows::{RowWriter, push_number, push_numbers};
use crate::failure::one_line;
use hyperslab::{ChunkGrid, ChunkNumber, Dataset, File, Location};
use hyperslab_listing::object_paths::text_of;
use hyperslab_units::size;

/// Writes offsets, addresses, sizes and filter masks below a line that describes the dataset.
pub(super) struct Table {
    offset_width: usize,
    address_width: usize,
    /// The number of chunks in the grid.
    grid_chunks: ChunkNumber,
    /// The number of chunks written so far, and the sum of their stored sizes.
    chunks: u64,
    stored_bytes: u64,
    is_first: bool,
}

const SIZE_WIDTH: usize = 10;

impl Table {
    pub(super) fn new(file: &File) -> Self {
        let address_width = "address".len().max(width_of(file.len()));
        Self { offset_width: 0, address_width, grid_chunks: 0, chunks: 0, stored_bytes: 0, is_first: true }
    }
}

impl RowWriter for Table {
    fn head(&self) -> String {
        String::new()
    }

    fn begin(&mut self, path: &[u8], dataset: &Dataset, grid: &ChunkGrid, text: &mut Vec<u8>) {
        let largest =
            |(&count, &chunk): (&u64, &u64)| width_of(count.saturating_sub(1).saturating_mul(chunk)) + 1;
        let offset: usize = grid.counts().iter().zip(grid.chunk_shape()).map(largest).sum();
        self.offset_width = "offset".len().max(offset.saturating_sub(1));
        (self.grid_chunks, self.chunks, self.stored_bytes) = (grid.len(), 0, 0);
        if !std::mem::take(&mut self.is_first) {
            text.push(b'\n');
        }
        let path = one_line(&text_of(path));
        let (shape, chunk) = (joined(dataset.shape()), joined(grid.chunk_shape()));
        let (offset_width, address_width) = (self.offset_width, self.address_width);
        text.extend_from_slice(
            format!(
                "{path}: {shape} in chunks of {chunk}\n  {:<offset_width$}  {:>address_width$}  {:>SIZE_WIDTH$}  filter mask\n",
                "offset", "address", "size"
            )
            .as_bytes(),
        );
    }

    fn row(&mut self, offset: &[u64], location: Location, text: &mut Vec<u8>) {
        self.chunks += 1;
        self.stored_bytes = self.stored_bytes.saturating_add(location.stored_bytes);
        text.extend_from_slice(b"  ");
        let start = text.len();
        push_numbers(offset, b',', text);
        text.resize(text.len().max(start + self.offset_width), b' ');
        for (number, width) in [(location.address, self.address_width), (location.stored_bytes, SIZE_WIDTH)] {
            text.resize(text.len() + 2 + width.saturating_sub(width_of(number)), b' ');
            push_number(number, text);
        }
        text.extend_from_slice(b"  ");
        push_number(location.filter_mask.into(), text);
        text.push(b'\n');
    }

    fn end(&mut self, text: &mut Vec<u8>) {
        let (chunks, grid, stored) = (self.chunks, self.grid_chunks, size::bytes(self.stored_bytes));
        text.extend_from_slice(format!("  {chunks} of {grid} chunks exist, {stored} stored\n").as_bytes());
    }
}

fn joined(numbers: &[u64]) -> String {
    numbers.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
}

fn width_of(number: u64) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}
