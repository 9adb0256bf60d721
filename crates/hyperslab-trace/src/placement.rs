//! Where the blocks of a pattern lie, as the doctor takes them.

use crate::{Order, TracedPattern};
use hyperslab_storage::pattern::{Placement, RandomPlaces};

/// The seed of places that only are said to be random.
const SEED: u64 = 1;
/// No more places are simulated.
const PLACES_MAX: u64 = 1 << 20;

impl TracedPattern {
    /// Where its blocks lie.
    ///
    /// # Errors
    /// Says what is wrong with `step` or `order` in a line that a person wrote.
    pub fn placement(&self) -> Result<Placement, String> {
        let Self { shape, step, count, .. } = self;
        if step.as_ref().is_some_and(|step| step.len() != shape.len() || step.contains(&0)) {
            return Err("\"step\" has a number of at least 1 for each dimension".to_owned());
        }
        let random = |count: u64| Some(RandomPlaces { count: count.min(PLACES_MAX), seed: SEED });
        let (order, random) = match &self.order {
            _ if self.irregular => (None, random(*count)),
            None => (None, None),
            Some(Order::Sweep(order)) => {
                let mut sorted = order.clone();
                sorted.sort_unstable();
                if sorted != (0..shape.len()).collect::<Vec<_>>() {
                    return Err(
                        "\"order\" names each dimension once, slowest first, or is \"random\"".to_owned()
                    );
                }
                (Some(order.clone()), None)
            }
            Some(Order::Named(name)) if name == "random" => (None, random(*count)),
            Some(Order::Named(name)) if name == "repeat" => (None, None),
            Some(Order::Named(name)) => {
                return Err(format!("the order {name:?} is not known; there are \"random\" and \"repeat\""));
            }
        };
        Ok(Placement { order, step: step.clone(), random })
    }
}
