//! The parsers on real files: what they find is what libhdf5 finds, and changed bytes are read or refused.

mod changed_bytes;
mod chunk_tables;
mod encoded;
mod headers;
mod tour;
