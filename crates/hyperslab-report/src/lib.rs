//! Pages with figures: a document model, and one self-contained HTML file made of it.
//!
//! ```text
//!   Page ─► Section ─► Figure (table, heat map, curves, scatter, bars, facts, notice, cell map) ──► html: one file, no network
//! ```
//!
//! A page does not know the meaning of what it shows. Numbers come with their texts, and axes with their labels, so
//! that a program formats seconds and sizes in the same way in its text output and its pages. All figures except line
//! charts are HTML or SVG that work without scripts. Line charts are drawn by uPlot, which is embedded; their numbers
//! are also in a table.
//!
//! ```
//! use hyperslab_report::{Align, Column, Page, Section, Table};
//!
//! let table = Table::new("Engines", vec![Column::new("engine", Align::Left), Column::new("time", Align::Right)])
//!     .row(["hyperslab", "82 ms"]);
//! let page = Page::new("Rows of a granule").section(Section::new("All figures").figure(table));
//! assert!(page.html().contains("82 ms"));
//! ```

mod axis;
mod figure;
mod html;
mod page;

pub use axis::{Axis, Scale, Tick};
pub use figure::{
    Align, Bar, Bars, CellColour, CellKind, CellMap, Change, Changes, Choice, Column, Curves, Facts, Figure,
    HeatCell, HeatMap, HeatRow, Level, Line, Mark, Notice, Point, Points, Scatter, Table,
};
pub use page::{Page, Section};
