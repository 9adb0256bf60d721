//! No mix of reads is much worse than under plain LRU, and how far both are from the fewest decodes possible.

use super::*;
use std::collections::HashMap;

/// Plain LRU, to compare with.
struct Lru {
    room: usize,
    order: Vec<u64>,
    misses: u64,
}

impl Lru {
    fn misses(trace: &[u64], room: usize) -> u64 {
        let mut lru = Lru { room, order: Vec::new(), misses: 0 };
        trace.iter().for_each(|&address| lru.read(address));
        lru.misses
    }

    fn read(&mut self, address: u64) {
        match self.order.iter().position(|&other| other == address) {
            Some(at) => drop(self.order.remove(at)),
            None => {
                self.misses += 1;
                if self.order.len() == self.room {
                    self.order.remove(0);
                }
            }
        }
        self.order.push(address);
    }
}

/// The fewest misses possible (Belady).
fn fewest_misses(trace: &[u64], room: usize) -> u64 {
    let mut next: HashMap<u64, usize> = HashMap::new();
    let upcoming: Vec<usize> = trace
        .iter()
        .enumerate()
        .rev()
        .map(|(i, &address)| next.insert(address, i).unwrap_or(usize::MAX))
        .collect();
    let mut here: HashMap<u64, usize> = HashMap::new();
    let mut misses = 0;
    for (&address, &again) in trace.iter().zip(upcoming.iter().rev()) {
        if here.insert(address, again).is_none() {
            misses += 1;
            if here.len() > room {
                let last = *here.iter().max_by_key(|(_, again)| **again).unwrap().0;
                here.remove(&last);
            }
        }
    }
    misses
}

#[test]
fn no_mix_is_much_worse_than_lru() {
    let mut random = Random(42);
    let mut traces: Vec<(&str, Vec<u64>)> = Vec::new();
    traces.push(("uniform over 1.5 budgets", (0..20_000).map(|_| random.below(150)).collect()));
    traces.push(("uniform over 10 budgets", (0..20_000).map(|_| random.below(1000)).collect()));
    traces.push(("skewed", (0..20_000).map(|_| random.below(1000) * random.below(1000) / 1000).collect()));
    traces.push((
        "very skewed",
        (0..20_000)
            .map(|_| {
                let r = random.below(100_000) as f64 / 100_000.0;
                (2000.0 * r * r * r * r) as u64
            })
            .collect(),
    ));
    for window in [50, 80, 95, 120, 200] {
        for pace in [2, 10, 50] {
            let moving = (0..20_000).map(|i| i / pace + random.below(window)).collect();
            let name = format!("moving window of {window}, pace {pace}");
            traces.push((name.leak(), moving));
        }
    }
    traces.push((
        "moving window and scan",
        (0..20_000).map(|i| if i % 3 == 0 { 100_000 + i } else { i / 20 + random.below(40) }).collect(),
    ));
    traces.push((
        "two sweeps",
        (0..20_000)
            .map(|i| if i % 2 == 0 { i / 400 * 10 + i / 2 % 10 } else { 50_000 + i / 1000 * 30 + i / 2 % 30 })
            .collect(),
    ));
    traces.push(("stack distances", {
        let mut stack: Vec<u64> = Vec::new();
        (0..20_000)
            .map(|i| {
                let depth = (random.below(180) * random.below(180) / 180) as usize;
                let address = if depth < stack.len() { stack.remove(stack.len() - 1 - depth) } else { i };
                stack.push(address);
                address
            })
            .collect()
    }));
    let mut worst = (0, String::new());
    for (name, trace) in traces {
        for part in [10, CHUNK] {
            let cache = ChunkCache::new(100 * CHUNK);
            trace.iter().for_each(|&address| read(&cache, address, part));
            let (ours, lru) = (cache.stats().decodes, Lru::misses(&trace, 100));
            let best = fewest_misses(&trace, 100);
            println!("{name} (part {part}): {ours} decodes, LRU {lru}, fewest {best}");
            worst =
                worst.max((ours * 1000 / lru, format!("{name} (part {part}): {ours} decodes, LRU {lru}")));
        }
    }
    assert!(worst.0 <= 1050, "{}", worst.1);
}
