//! The kinds of figures, one file each.

mod bars;
mod cell_map;
mod changes;
mod curves;
mod facts;
mod heat_map;
mod notice;
mod scatter;
mod table;

pub use bars::{Bar, Bars};
pub use cell_map::{CellColour, CellKind, CellMap};
pub use changes::{Change, Changes};
pub use curves::{Curves, Line, Mark, Point};
pub use facts::Facts;
pub use heat_map::{HeatCell, HeatMap, HeatRow};
pub use notice::{Choice, Level, Notice};
pub use scatter::{Points, Scatter};
pub use table::{Align, Column, Table};

use maud::Markup;
use serde::{Deserialize, Serialize};

/// One figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    /// A table.
    Table(Table),
    /// A matrix of coloured cells.
    HeatMap(HeatMap),
    /// A line chart.
    Curves(Curves),
    /// A scatter plot.
    Scatter(Scatter),
    /// A bar chart.
    Bars(Bars),
    /// A list of names and values.
    Facts(Facts),
    /// A remark with what can be done about it.
    Notice(Notice),
    /// A map of cells.
    CellMap(CellMap),
}

impl Figure {
    pub(crate) fn markup(&self) -> Markup {
        match self {
            Self::Table(table) => table.markup(),
            Self::HeatMap(map) => map.markup(),
            Self::Curves(curves) => curves.markup(),
            Self::Scatter(scatter) => scatter.markup(),
            Self::Bars(bars) => bars.markup(),
            Self::Facts(facts) => facts.markup(),
            Self::Notice(notice) => notice.markup(),
            Self::CellMap(map) => map.markup(),
        }
    }
}

macro_rules! from {
    ($($kind:ident),*) => {
        $(impl From<$kind> for Figure {
            fn from(figure: $kind) -> Self {
                Self::$kind(figure)
            }
        })*
    };
}
from!(Table, HeatMap, Curves, Scatter, Bars, Facts, Notice, CellMap);

/// The number of colours and dash patterns that people with colour blindness can also distinguish.
pub(crate) const STYLES: usize = 8;
