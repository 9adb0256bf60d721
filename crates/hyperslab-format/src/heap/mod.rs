//! Heaps, which store data of variable size (specification III.D, III.E, III.G).

pub mod fractal;
pub mod global;
pub mod local;

pub use fractal::{FractalHeap, NoFilters, Unfilter};
pub use global::{Collection, CollectionBuilder, CollectionSize};
pub use local::{HeapPlaces, HeapText, HeapTextBuilder, LocalHeap};
