//! What can be shown, one file a kind.

mod bars;
mod curves;
mod facts;
mod heat_map;
mod scatter;
mod table;

pub use bars::{Bar, Bars};
pub use curves::{Curves, Line, Mark, Point};
pub use facts::Facts;
pub use heat_map::{HeatCell, HeatMap, HeatRow};
pub use scatter::{Points, Scatter};
pub use table::{Align, Column, Table};

use maud::Markup;
use serde::{Deserialize, Serialize};

/// One figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    /// Rows and columns.
    Table(Table),
    /// A matrix whose cells are coloured.
    HeatMap(HeatMap),
    /// Lines over an axis.
    Curves(Curves),
    /// Points in a plane.
    Scatter(Scatter),
    /// Lengths to compare.
    Bars(Bars),
    /// Names and what they stand for.
    Facts(Facts),
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
from!(Table, HeatMap, Curves, Scatter, Bars, Facts);

/// Colours and dashes that are told apart, by people who do not see all colours as well.
pub(crate) const STYLES: usize = 8;
