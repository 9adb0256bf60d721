//! How many cells were predicted well.

use crate::cell::Cell;
use crate::sweep::Sweeps;
use serde::Serialize;
use std::collections::BTreeMap;

/// A cell whose small reads took within this factor of their median was measured at the machine's usual speed.
const EVEN: f64 = 1.2;
/// Cells that are listed.
const WORST: usize = 12;

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

/// Prints the shares of cells that were predicted well: of quiet ones, of all, and of each kind; and the worst.
pub(crate) fn print(all: &[Measured]) {
    let mut probes: Vec<f64> = all.iter().map(|cell| cell.sweeps.probe_seconds).collect();
    probes.sort_by(f64::total_cmp);
    let median = probes.get(probes.len() / 2).copied().unwrap_or(0.0);
    let is_even = |cell: &&Measured| (median / EVEN..=median * EVEN).contains(&cell.sweeps.probe_seconds);
    println!();
    print_shares("even cells", &all.iter().filter(is_even).collect::<Vec<_>>());
    let all: Vec<&Measured> = all.iter().collect();
    print_shares("all cells", &all);
    let mut worst = all.clone();
    worst.sort_by(|a, b| b.ratio().ln().abs().total_cmp(&a.ratio().ln().abs()));
    for cell in worst.iter().take(WORST) {
        println!("  {:>4}  {:.2}  {}", cell.number, cell.ratio(), cell.cell);
    }
    let mut kinds: BTreeMap<&str, Vec<&Measured>> = BTreeMap::new();
    for cell in all {
        kinds.entry(cell.cell.kind()).or_default().push(cell);
    }
    for (kind, cells) in kinds {
        print_shares(kind, &cells);
    }
}

fn print_shares(name: &str, cells: &[&Measured]) {
    let share = |low: f64, high: f64| {
        let near = cells.iter().filter(|cell| (low..=high).contains(&cell.ratio())).count();
        100.0 * near as f64 / cells.len().max(1) as f64
    };
    let mut ratios: Vec<f64> = cells.iter().map(|cell| cell.ratio()).collect();
    ratios.sort_by(f64::total_cmp);
    println!(
        "{name:<20} {:>4}  within 30 %: {:>3.0} %  within a factor of 1.5: {:>3.0} %  median ratio {:.2}",
        cells.len(),
        share(0.7, 1.3),
        share(1.0 / 1.5, 1.5),
        ratios.get(ratios.len() / 2).unwrap_or(&f64::NAN),
    );
}
