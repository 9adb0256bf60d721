//! What tables say of a cell: one list of columns, from which the terminal, the page and the CSV file each take theirs.

use hyperslab_bench::document::names::{self, Names, is_part};
use hyperslab_bench::document::value::{Value, spread};
use hyperslab_bench::document::{Data, Document, Measured};
use hyperslab_bench::matrix::{Row, WriteFigures};
use hyperslab_engines::PageCounts;
use hyperslab_report::{Align, Table};
use hyperslab_storage::pipeline_text;
use hyperslab_units::size;

/// A cell with what has to be known of the whole document to tell of it.
#[derive(Clone, Copy)]
pub struct Cell<'a> {
    pub document: &'a Document,
    pub names: &'a Names,
    pub measured: &'a Measured,
}

/// A column: its name in CSV (empty where it is not there), its title for people, and what it says of a cell.
pub struct Column {
    key: &'static str,
    title: &'static str,
    align: Align,
    of: fn(&Cell<'_>) -> Value,
}

const fn left(key: &'static str, title: &'static str, of: fn(&Cell<'_>) -> Value) -> Column {
    Column { key, title, align: Align::Left, of }
}

const fn right(key: &'static str, title: &'static str, of: fn(&Cell<'_>) -> Value) -> Column {
    Column { key, title, align: Align::Right, of }
}

pub const STORED_AS: Column = left("stored_as", "stored as", |c| Value::text(&c.row().stored_as));
pub const READ_AS: Column = left("read_as", "read", |c| Value::text(&c.row().read_as));
/// The engine with its release; CSV has both alone.
pub const ENGINE: Column = left("", "engine", |c| Value::Text(names::engine(c.row())));
pub const CACHE: Column = left("", "chunk cache", |c| match c.names.cache(c.row()) {
    cache if cache.is_empty() => Value::text("none to set"),
    cache => Value::Text(cache),
});
pub const READ_TIME: Column =
    right("seconds", "read", |c| Value::Seconds(c.row().seconds(), is_part(c.row())));
pub const SPREAD: Column = right("", "spread", |c| Value::Text(spread(&c.row().read.read)));
pub const READ_SPEED: Column = right("read_mb_per_second", "values", |c| {
    let read = &c.row().read;
    if read.read.median > 0.0 { Value::Rate(read.bytes as f64 / read.read.median) } else { Value::Nothing }
});
pub const OPEN_READ_CLOSE: Column = right("open_read_close_seconds", "open+read+close", |c| {
    Value::seconds(c.row().read.open_read_close.median)
});
pub const FIRST_READ: Column =
    right("first_read_seconds", "first read", |c| Value::seconds(c.row().read.first.median));
pub const A_READ: Column = right("average_read_seconds", "a read", |c| Value::seconds(c.row().read.average));
pub const CPU: Column = right("cpu_seconds", "processor", |c| Value::seconds(c.row().read.cpu.median));
/// Counted where that was possible, else simulated.
pub const DECODES: Column = right("", "decodes", |c| {
    let read = &c.row().read;
    match (read.decodes, read.simulated_decodes) {
        (None, Some(simulated)) => Value::Text(format!("{simulated} (simulated)")),
        (counted, _) => counted.into(),
    }
});
pub const REQUESTS: Column = right("read_calls", "requests", |c| c.row().read.read_calls.into());
pub const FETCHED: Column = right("read_bytes", "fetched", |c| Value::bytes(c.row().read.read_bytes));
pub const MEMORY: Column = right("memory_bytes", "memory", |c| Value::bytes(c.row().read.memory_bytes));
pub const READS: Column = right("", "reads", |c| {
    let read = &c.row().read;
    match read.reads == read.reads_in_all {
        true => Value::Count(read.reads),
        false => Value::Text(format!("{} of {}", read.reads, read.reads_in_all)),
    }
});
pub const WRITTEN_AS: Column =
    left("written_as", "written in blocks of", |c| c.write().map(|write| write.written_as.clone()).into());
pub const WRITER: Column = left("writer", "by", |c| {
    c.write().map(|write| format!("{} {}", write.engine, write.version).trim_end().to_owned()).into()
});
pub const WRITE_CACHE: Column = left("", "chunk cache", |c| {
    c.write().and_then(|write| Some(c.names.settings(write.cache?, write.is_default_cache))).into()
});
pub const WRITE_TIME: Column =
    right("write_seconds", "write", |c| seconds(c.write().map(|w| w.write.median)));
pub const WRITE_SPREAD: Column = right("", "spread", |c| c.write().map(|write| spread(&write.write)).into());
pub const OPEN_WRITE_CLOSE: Column = right("open_write_close_seconds", "open+write+close", |c| {
    seconds(c.write().map(|w| w.open_write_close.median))
});
pub const WRITE_CPU: Column =
    right("write_cpu_seconds", "processor", |c| seconds(c.write().map(|write| write.cpu.median)));
pub const ENCODES: Column = right("encodes", "encodes", |c| c.write().and_then(|w| w.encodes).into());
pub const WRITE_REQUESTS: Column =
    right("write_calls", "requests", |c| c.write().map(|write| write.write_calls).into());
pub const SIZE: Column = right("stored_bytes", "size", |c| {
    c.document.head.data.bytes_of(c.row()).map_or(Value::Nothing, Value::bytes)
});
pub const RATIO: Column =
    right("ratio", "ratio", |c| c.document.head.data.ratio_of(c.row()).map_or(Value::Nothing, Value::Number));
pub const OVERHEAD: Column = right("overhead_bytes", "overhead", |c| {
    // Where filters save more than the format takes, the ratio says so.
    let overhead = c.write().and_then(|write| write.overhead_bytes).filter(|bytes| *bytes >= 0);
    overhead.map_or(Value::Nothing, Value::bytes)
});
pub const COMMAND: Column = Column {
    key: "command",
    title: "command",
    align: Align::Command,
    of: |c| Value::text(&c.measured.command),
};

/// What passed the page buffer, raw data and metadata together.
pub const PAGES: Column = right("page_buffer_counts", "page accesses/hits/misses/evictions/bypasses", |c| {
    c.row().read.page_buffer.map_or(Value::Nothing, |pages| {
        let sum = |of: fn(&PageCounts) -> u64| (of(&pages.raw) + of(&pages.metadata)).to_string();
        let counts = [
            sum(|pages| pages.accesses),
            sum(|pages| pages.hits),
            sum(|pages| pages.misses),
            sum(|pages| pages.evictions),
            sum(|pages| pages.bypasses),
        ];
        Value::Text(counts.join("/"))
    })
});

/// The columns of CSV, in their order.
const CSV: &[Column] = &[
    left("file", "", |c| c.data().file.as_ref().map(|file| file.display().to_string()).into()),
    left("dataset", "", |c| c.data().dataset.clone().into()),
    left("shape", "", |c| Value::Text(size::shape(&c.data().shape))),
    STORED_AS,
    left("chunks", "", |c| c.data().chunks_of(c.row()).map(|chunks| size::shape(chunks)).into()),
    left("filters", "", |c| match &c.row().storage {
        Some(storage) => Value::Text(pipeline_text(&storage.filters)),
        None => c.data().filters.clone().into(),
    }),
    READ_AS,
    right("weight", "", |c| Value::Number(c.document.head.weight_of(&c.row().read_as))),
    left("engine", "", |c| Value::text(&c.row().engine)),
    left("version", "", |c| Value::text(&c.row().version)),
    right("cache_nbytes", "", |c| c.row().cache.map(|cache| cache.nbytes).into()),
    right("cache_nslots", "", |c| c.row().cache.map(|cache| cache.nslots).into()),
    right("cache_w0", "", |c| c.row().cache.map_or(Value::Nothing, |cache| Value::text(cache.w0))),
    left("cache_is_default", "", |c| c.row().cache.map(|_| c.row().is_default_cache.to_string()).into()),
    right("page_buffer", "", |c| c.row().buffers.page_buffer.into()),
    right("metadata_cache", "", |c| c.row().buffers.metadata_cache.into()),
    PAGES,
    right("reads", "", |c| c.row().read.reads.into()),
    right("reads_in_all", "", |c| c.row().read.reads_in_all.into()),
    right("bytes", "", |c| c.row().read.bytes.into()),
    READ_TIME,
    right("read_seconds", "", |c| Value::seconds(c.row().read.read.median)),
    right("read_min", "", |c| Value::seconds(c.row().read.read.min)),
    right("read_max", "", |c| Value::seconds(c.row().read.read.max)),
    right("runs", "", |c| Value::text(c.row().read.read.runs)),
    right("outliers", "", |c| Value::text(c.row().read.read.outliers)),
    READ_SPEED,
    OPEN_READ_CLOSE,
    FIRST_READ,
    A_READ,
    CPU,
    REQUESTS,
    FETCHED,
    MEMORY,
    right("decodes", "", |c| c.row().read.decodes.into()),
    right("simulated_decodes", "", |c| c.row().read.simulated_decodes.into()),
    right("predicted_seconds", "", |c| seconds(c.row().read.predicted_seconds)),
    right("extrapolated_read_seconds", "", |c| seconds(c.row().read.extrapolated_read)),
    WRITER,
    WRITTEN_AS,
    right("write_cache_nbytes", "", |c| c.write().and_then(|write| Some(write.cache?.nbytes)).into()),
    right("write_cache_nslots", "", |c| c.write().and_then(|write| Some(write.cache?.nslots)).into()),
    WRITE_TIME,
    OPEN_WRITE_CLOSE,
    right("write_mb_per_second", "", |c| match c.write() {
        Some(write) if write.write.median > 0.0 => Value::Rate(write.bytes as f64 / write.write.median),
        _ => Value::Nothing,
    }),
    WRITE_CPU,
    ENCODES,
    WRITE_REQUESTS,
    right("file_bytes", "", |c| c.write().map(|write| write.file_bytes).into()),
    SIZE,
    RATIO,
    OVERHEAD,
    COMMAND,
];

fn seconds(seconds: Option<f64>) -> Value {
    seconds.map_or(Value::Nothing, Value::seconds)
}

/// These rows of a document, for tables.
pub fn cells<'a>(
    document: &'a Document,
    names: &'a Names,
    measured: impl IntoIterator<Item = &'a Measured>,
) -> impl Iterator<Item = Cell<'a>> {
    measured.into_iter().map(move |measured| Cell { document, names, measured })
}

impl<'a> Cell<'a> {
    pub fn row(&self) -> &'a Row {
        &self.measured.row
    }

    fn data(&self) -> &'a Data {
        &self.document.head.data
    }

    fn write(&self) -> Option<&'a WriteFigures> {
        self.row().write.as_ref()
    }
}

/// The names of CSV.
pub fn csv_head() -> impl Iterator<Item = &'static str> {
    CSV.iter().map(|column| column.key)
}

/// A cell as CSV.
pub fn csv_record(cell: &Cell<'_>) -> Vec<String> {
    CSV.iter().map(|column| (column.of)(cell).raw()).collect()
}

/// A table of cells with these columns.
pub fn table<'a>(title: &str, columns: &[Column], cells: impl IntoIterator<Item = Cell<'a>>) -> Table {
    let headings = columns.iter().map(|column| (column.title, column.align));
    let row = |cell: Cell<'a>| columns.iter().map(move |column| (column.of)(&cell).shown());
    Table::new(title, headings).rows(cells.into_iter().map(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_csv_are_there_once() {
        let names: Vec<&str> = csv_head().collect();
        for name in ["dataset", "chunks", "filters", "ratio", "read_mb_per_second", "command"] {
            assert_eq!(names.iter().filter(|known| **known == name).count(), 1, "{name}");
        }
        let unique: std::collections::BTreeSet<&str> = names.iter().copied().collect();
        assert!(unique.len() == names.len() && !unique.contains(""));
    }
}
