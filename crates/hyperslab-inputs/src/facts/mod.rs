//! The facts about datasets that `doctor`, `advise`, `archive`, `bench`, `forecast` and `repack` conclude from: layout and
//! chunks, the speed of a few chunks, and the libraries of the user.
//!
//! ```text
//! choose datasets ──► dataset (layout, chunks, filters) ◄── sample (speed of a few chunks), variable_length
//! library ◄── calibration, user_library
//! ```

pub mod calibration;
pub mod choose;
mod dataset;
mod library;
mod netcdf;
mod sample;
mod user_library;
mod variable_length;

pub use dataset::of;
pub use hyperslab_listing::layout_facts;
pub use library::{CONSTANTS, Library};
pub use netcdf::{is_by_netcdf, is_netcdf};
pub use sample::SampleScope;
