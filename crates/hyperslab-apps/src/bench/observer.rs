//! Who is told how far a bench is, and may stop it.

use hyperslab_measure::runner::Progress;
use std::sync::atomic::AtomicBool;

/// Hears how far a bench is, and may stop it.
pub trait Observer {
    /// Something that is worth knowing before the answer is there.
    fn note(&mut self, _text: &str) {}

    /// Where this is set, no further run is begun.
    fn stop(&self) -> &'static AtomicBool {
        static NEVER: AtomicBool = AtomicBool::new(false);
        &NEVER
    }

    /// Calls `work` with something that hears of each run. `seconds` are predicted for all of them, where
    /// that is known, and `seconds_of` a run by what is said of it.
    fn watch(
        &mut self,
        seconds: Option<f64>,
        seconds_of: &dyn Fn(&str) -> f64,
        work: &mut dyn FnMut(&mut dyn Progress),
    );
}
