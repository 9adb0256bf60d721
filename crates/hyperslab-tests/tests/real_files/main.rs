//! The parsers on real files: their results equal those of libhdf5, and changed bytes are read or refused.

mod changed_bytes;
mod chunk_tables;
mod encoded;
mod headers;
mod whole_file;
