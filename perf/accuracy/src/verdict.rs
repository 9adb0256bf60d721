//! How many cells were predicted well.

use crate::cell::Cell;
use crate::sweep::Sweeps;
use serde::Serialize;

/// A cell whose probe took no longer than this times the least of all is quiet.
const QUIET: f64 = 1.15;

/// A cell that was predicted and measured.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Measured {
    pub(crate) number: u64,
    pub(crate) cell: Cell,
    pub(crate) predicted: f64,
    pub(crate) sweeps: Sweeps,
}

impl Measured {
    /// Predicted seconds by measured ones.
    fn ratio(&self) -> f64 {
        self.predicted / self.sweeps.seconds
    }
}

/// Prints the shares of cells within 30 and 50 %, and the worst.
pub(crate) fn print(all: &[Measured]) {
    let least = all.iter().map(|cell| cell.sweeps.probe_seconds).fold(f64::INFINITY, f64::min);
    let quiet: Vec<&Measured> =
        all.iter().filter(|cell| cell.sweeps.probe_seconds <= least * QUIET).collect();
    println!();
    for (name, cells) in [("quiet cells", quiet), ("all cells", all.iter().collect())] {
        let share = |error: f64| {
            let near = |cell: &&&Measured| (1.0 - error..=1.0 + error).contains(&cell.ratio());
            100.0 * cells.iter().filter(near).count() as f64 / cells.len().max(1) as f64
        };
        println!(
            "{name}: {} of {}, within 30 %: {:.0} %, within 50 %: {:.0} %",
            cells.len(),
            all.len(),
            share(0.3),
            share(0.5)
        );
        let mut worst = cells.clone();
        worst.sort_by(|a, b| b.ratio().ln().abs().total_cmp(&a.ratio().ln().abs()));
        for cell in worst.iter().take(8) {
            println!("  {:>4}  {:.2}  {}", cell.number, cell.ratio(), cell.cell);
        }
    }
}
