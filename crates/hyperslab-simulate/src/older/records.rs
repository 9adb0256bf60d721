//! Reads of a variable whose records lie between those of other variables.
//!
//! netCDF-C and the operating system read whole pages: what is counted is how many of them the wanted bytes lie in. A page in which
//! two neighbouring pieces of a read lie is counted once.

use super::progress::Progress;
use super::runs::{each_run, linear};
use hyperslab_storage::pattern::Sweep;

/// Bytes of a page.
pub const PAGE_BYTES: u64 = 4096;

/// Where the records of a variable are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Records {
    /// The offset of the first one.
    pub begin: u64,
    /// Bytes from one to the next.
    pub every: u64,
    /// Bytes of an element.
    pub element_bytes: u64,
}

/// What reads of records touch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecordCounts {
    /// Reads by the program.
    pub reads: u64,
    /// Runs of adjacent bytes that are wanted.
    pub pieces: u64,
    /// Bytes that are wanted.
    pub wanted_bytes: u64,
    /// Pages in which these lie, counted again at each read.
    pub pages: u64,
    /// Reads that were simulated; the rest is extrapolated.
    pub reads_simulated: u64,
}

impl RecordCounts {
    /// Bytes touched for each byte that is wanted.
    pub fn factor(&self) -> f64 {
        self.pages as f64 * PAGE_BYTES as f64 / self.wanted_bytes.max(1) as f64
    }

    /// True if every read was simulated.
    pub fn is_exact(&self) -> bool {
        self.reads == self.reads_simulated
    }
}

/// Simulates the reads of a sweep, up to about `pieces_max` pieces. A single read is simulated in any case.
pub fn simulate_records(records: &Records, sweep: &Sweep, pieces_max: u64) -> RecordCounts {
    let (shape, reads) = (sweep.shape(), sweep.reads());
    let mut progress = Progress::<3>::new(reads, pieces_max);
    let inner = &shape[1.min(shape.len())..];
    for (start, count) in sweep.blocks() {
        let mut last_page = None;
        each_run((shape, 1), (&start, &count, sweep.step()), |place, elements| {
            let within = linear(inner, &place[1..]);
            let at = records.begin + place[0] * records.every + within * records.element_bytes;
            let bytes = elements * records.element_bytes;
            let (first, last) = (at / PAGE_BYTES, (at + bytes - 1) / PAGE_BYTES);
            let is_known = last_page == Some(first);
            progress.now[0] += 1;
            progress.now[1] += bytes;
            progress.now[2] += last - first + 1 - u64::from(is_known);
            last_page = Some(last);
            progress.cost += 1;
        });
        if !progress.next() {
            break;
        }
    }
    let [pieces, wanted_bytes, pages] = progress.total();
    RecordCounts { reads, pieces, wanted_bytes, pages, reads_simulated: progress.simulated() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two variables of 64 values of four bytes, record by record.
    const RECORDS: Records = Records { begin: 1000, every: 512, element_bytes: 4 };

    #[test]
    fn a_variable_of_short_records_touches_every_page() {
        let whole = simulate_records(&RECORDS, &Sweep::row_major(&[1000, 64], &[1000, 64]), 100_000);
        assert_eq!((whole.reads, whole.pieces, whole.wanted_bytes), (1, 1000, 256_000));
        // From byte 1,000 to 512,744.
        assert_eq!(whole.pages, 126);
        assert!((whole.factor() - 2.0).abs() < 0.05 && whole.is_exact());
    }

    #[test]
    fn a_series_touches_a_page_for_each_record() {
        let far = Records { every: 1 << 20, ..RECORDS };
        let series = simulate_records(&far, &Sweep::row_major(&[100, 64], &[100, 1]), 100_000);
        assert_eq!((series.reads, series.pieces, series.pages), (64, 6400, 6400));
        assert!(series.factor() > 1000.0);
        let some = simulate_records(&far, &Sweep::row_major(&[100, 64], &[100, 1]), 1000);
        assert_eq!((some.pages, some.is_exact()), (6400, false));
    }

    #[test]
    fn pieces_across_pages_touch_both() {
        let across = Records { begin: 4090, every: 8192, element_bytes: 1 };
        let counts = simulate_records(&across, &Sweep::row_major(&[2, 10], &[2, 10]), 100);
        assert_eq!(counts.pages, 4);
    }
}
