//! Traversals of structures whose nodes are distributed over the file: B-trees, arrays of arrays.
//!
//! A [`NodeTraversal`] is a value that keeps its state. Every call visits all nodes that have been fetched, and then requests
//! the other known nodes at once, so that one level of a tree costs one round of requests and nothing is parsed twice.
//! A very wide level takes several rounds ([`ROUND_BYTES`]), so that what was fetched for one round can be dropped
//! before the next. The results are in the order of the tree, whatever was fetched first: all of them at the end
//! ([`NodeTraversal::results`]), or each as soon as all before it are known ([`NodeTraversal::next`]).
//!
//! Nodes of a valid file do not overlap. [`VisitedRanges`] enforces this: it rejects a node that is reached twice (a
//! cycle), and nodes that in total are longer than the file. A traversal therefore never reads more than the length of
//! the file.

use crate::{FormatError, Need, Parse, Stop, View};
use std::collections::{HashMap, VecDeque};
use std::ops::Range;

/// A traversal requests about this many bytes in a round.
const ROUND_BYTES: u64 = 4 << 20;
/// A node counts for at least this many bytes of a round: the blocks around it are fetched with it.
const NODE_BYTES_MIN: u64 = 4096;

/// The items of a visited node, in order.
#[derive(Debug)]
pub(crate) enum Item<N, R> {
    /// Another node to visit.
    Node(N),
    /// A result.
    Done(R),
}

/// The ranges of the nodes that have been visited.
#[derive(Debug, Default)]
pub(crate) struct VisitedRanges {
    /// The start of each node, with the slot that claimed it and its size in bytes.
    claimed: HashMap<u64, (usize, u64)>,
    bytes: u64,
    /// The slot of the node that is being visited.
    slot: usize,
}

impl VisitedRanges {
    /// Records a node of at least `len` bytes at the absolute offset `at`. Call it before any expensive work on the
    /// node, and again when its exact length is known.
    pub(crate) fn claim(
        &mut self,
        structure: &'static str,
        view: &View,
        at: u64,
        len: u64,
    ) -> Result<(), FormatError> {
        let (slot, known) = self.claimed.entry(at).or_insert((self.slot, 0));
        if *slot != self.slot {
            return Err(FormatError::invalid(structure, "address", at, "the node is reached a second time"));
        }
        self.bytes = self.bytes.saturating_add(len.saturating_sub(*known));
        *known = len.max(*known);
        if self.bytes > view.stored_bytes() {
            let what = "the nodes of this structure overlap: together they are longer than the file";
            return Err(FormatError::invalid(structure, "address", at, what));
        }
        Ok(())
    }
}

/// The state of a node or of one of its items.
#[derive(Debug)]
enum Slot<R> {
    Waiting,
    /// The slots of its items.
    Inner(Range<usize>),
    Done(Result<R, FormatError>),
}

/// A traversal in progress, over nodes `N` with results `R`.
#[derive(Debug)]
pub(crate) struct NodeTraversal<N, R> {
    slots: Vec<Slot<R>>,
    /// Nodes to be visited, with their slots.
    waiting: VecDeque<(usize, N)>,
    /// Where the next result lies: the items of the nodes above it that are still to be handed over.
    open: Vec<Range<usize>>,
    visited: VisitedRanges,
    /// True if the error of a node is a result, instead of ending the traversal.
    lenient: bool,
    failed: Option<FormatError>,
}

impl<N, R> NodeTraversal<N, R> {
    /// A traversal that starts at `root` and ends at the first error.
    pub(crate) fn strict(root: N) -> Self {
        Self::new(root, false)
    }

    /// A traversal that starts at `root`; errors below the root are among the results.
    pub(crate) fn lenient(root: N) -> Self {
        Self::new(root, true)
    }

    fn new(root: N, lenient: bool) -> Self {
        Self {
            slots: vec![Slot::Waiting],
            waiting: VecDeque::from([(0, root)]),
            open: std::iter::once(0..1).collect(),
            visited: VisitedRanges::default(),
            lenient,
            failed: None,
        }
    }

    /// Visits every node that has been fetched. Returns `Ok` when all nodes have been visited.
    pub(crate) fn advance(
        &mut self,
        mut visit: impl FnMut(&N, &mut VisitedRanges) -> Parse<Vec<Item<N, R>>>,
    ) -> Parse<()> {
        if let Some(error) = &self.failed {
            return Err(Stop::Bad(error.clone()));
        }
        let mut needs: Vec<Need> = Vec::new();
        let mut unfetched = Vec::new();
        let mut round_bytes = 0u64;
        while round_bytes < ROUND_BYTES
            && let Some((slot, node)) = self.waiting.pop_front()
        {
            self.visited.slot = slot;
            match visit(&node, &mut self.visited) {
                Ok(items) => self.expand(slot, items),
                Err(Stop::Bad(error)) if self.lenient && slot > 0 => {
                    self.slots[slot] = Slot::Done(Err(error));
                }
                Err(Stop::Bad(error)) => {
                    self.failed = Some(error.clone());
                    return Err(Stop::Bad(error));
                }
                Err(Stop::Need(need)) => {
                    let bytes = need.iter().fold(0u64, |sum, Need { range, .. }| {
                        sum.saturating_add(range.end.saturating_sub(range.start))
                    });
                    round_bytes = round_bytes.saturating_add(bytes.max(NODE_BYTES_MIN));
                    needs.extend(need);
                    unfetched.push((slot, node));
                }
            }
        }
        for entry in unfetched.into_iter().rev() {
            self.waiting.push_front(entry);
        }
        if self.waiting.is_empty() { Ok(()) } else { Err(Stop::Need(needs)) }
    }

    /// The next result in the order of the tree, or `None` at the end. Visits nodes only where the next result is not
    /// known yet, and hands over all results that come before an error.
    pub(crate) fn next(
        &mut self,
        visit: impl FnMut(&N, &mut VisitedRanges) -> Parse<Vec<Item<N, R>>>,
    ) -> Parse<Option<Result<R, FormatError>>> {
        if let Some(result) = self.take_known() {
            return Ok(Some(result));
        }
        let advanced = self.advance(visit);
        match self.take_known() {
            Some(result) => Ok(Some(result)),
            None => advanced.map(|()| None),
        }
    }

    fn expand(&mut self, slot: usize, items: Vec<Item<N, R>>) {
        let first = self.slots.len();
        for item in items {
            match item {
                Item::Node(node) => {
                    self.waiting.push_back((self.slots.len(), node));
                    self.slots.push(Slot::Waiting);
                }
                Item::Done(result) => self.slots.push(Slot::Done(Ok(result))),
            }
        }
        self.slots[slot] = Slot::Inner(first..self.slots.len());
    }

    /// The results of a completed traversal, in the order of the tree.
    pub(crate) fn results(&mut self) -> Vec<Result<R, FormatError>> {
        std::iter::from_fn(|| self.take_known()).collect()
    }

    /// Takes the next result in the order of the tree, if the nodes before it have been visited.
    fn take_known(&mut self) -> Option<Result<R, FormatError>> {
        loop {
            let items = self.open.last_mut()?;
            let Some(slot) = items.clone().next() else {
                self.open.pop();
                continue;
            };
            if matches!(self.slots[slot], Slot::Waiting) {
                return None;
            }
            items.start += 1;
            match std::mem::replace(&mut self.slots[slot], Slot::Waiting) {
                Slot::Waiting => {}
                Slot::Inner(inner) => self.open.push(inner),
                Slot::Done(result) => return Some(result),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Address, Bytes, Fetched, Need};
    use std::cell::RefCell;
    use std::collections::HashSet;

    /// A tree in 64 bytes: a node is one byte `n`; nodes below 8 have the children 2n and 2n + 1.
    fn visit(view: &View, node: &u64, visited: &mut VisitedRanges) -> Parse<Vec<Item<u64, u64>>> {
        view.bytes("node", Address(*node), 1)?;
        visited.claim("node", view, *node, 1)?;
        Ok(match *node {
            1..8 => vec![Item::Node(2 * node), Item::Done(*node), Item::Node(2 * node + 1)],
            13 => vec![Item::Node(3)],
            node => vec![Item::Done(node)],
        })
    }

    struct Partly(RefCell<HashSet<u64>>);

    impl Fetched for Partly {
        fn file_len(&self) -> u64 {
            64
        }

        fn get(&self, at: u64, len: u64) -> Option<Bytes> {
            self.0.borrow().contains(&at).then(|| Bytes::from(vec![0; len as usize]))
        }
    }

    #[test]
    fn asks_for_a_level_at_once_and_keeps_the_order_of_the_tree() {
        let partly = Partly(RefCell::default());
        let view = View::new(&partly);
        let mut walk = NodeTraversal::lenient(1);
        let mut rounds = Vec::new();
        while let Err(stop) = walk.advance(|node, visited| visit(&view, node, visited)) {
            let Stop::Need(needs) = stop else { panic!("{stop:?}") };
            rounds.push(needs.iter().map(|Need { range, .. }| range.start).collect::<Vec<_>>());
            partly.0.borrow_mut().extend(rounds.last().unwrap());
        }
        assert_eq!(rounds, [vec![1], vec![2, 3], vec![4, 5, 6, 7], (8..16).collect()]);
        let results = walk.results();
        assert!(results[10].as_ref().is_err_and(|error| error.to_string().contains("a second time")));
        let found: Vec<_> = results.into_iter().filter_map(Result::ok).collect();
        assert_eq!(found, [8, 4, 9, 2, 10, 5, 11, 1, 12, 6, 3, 14, 7, 15]);
    }

    #[test]
    fn a_wide_level_takes_several_rounds_and_hands_over_what_is_known() {
        let nodes = 3 * ROUND_BYTES / NODE_BYTES_MIN + 1;
        let mut walk = NodeTraversal::strict(0);
        let mut fetched = HashSet::new();
        let (mut rounds, mut found) = (0, Vec::new());
        loop {
            let next = walk.next(|&node, _| match node {
                _ if !fetched.contains(&node) => {
                    Err(Stop::Need(vec![Need { range: node..node + 1, reason: "node" }]))
                }
                0 => Ok((1..=nodes).map(Item::Node).collect()),
                node => Ok(vec![Item::Done(node)]),
            });
            match next {
                Ok(None) => break,
                Ok(Some(node)) => found.push(node.unwrap()),
                Err(Stop::Need(needs)) => {
                    rounds += 1;
                    assert_eq!(
                        found.len() as u64,
                        fetched.len().saturating_sub(1) as u64,
                        "all that is known"
                    );
                    assert!(needs.len() as u64 <= ROUND_BYTES / NODE_BYTES_MIN);
                    fetched.extend(needs.iter().map(|need| need.range.start));
                }
                Err(stop) => panic!("{stop:?}"),
            }
        }
        assert_eq!(found, (1..=nodes).collect::<Vec<_>>());
        assert_eq!(rounds, 1 + 4);
    }

    #[test]
    fn results_before_an_error_are_handed_over() {
        let bytes = Bytes::from(vec![0; 64]);
        let view = View::new(&bytes);
        let mut walk = NodeTraversal::strict(1);
        let mut found = Vec::new();
        let error = loop {
            match walk.next(|node, visited| visit(&view, node, visited)) {
                Ok(node) => found.push(node.unwrap().unwrap()),
                Err(stop) => break stop,
            }
        };
        assert!(matches!(error, Stop::Bad(_)));
        assert_eq!(found, [8, 4, 9, 2, 10, 5, 11, 1, 12, 6]);
    }

    #[test]
    fn a_strict_traversal_ends_at_an_error_and_stays_there() {
        let bytes = Bytes::from(vec![0; 64]);
        let view = View::new(&bytes);
        let mut walk = NodeTraversal::strict(1);
        let first = walk.advance(|node, visited| visit(&view, node, visited)).unwrap_err();
        assert!(matches!(first, Stop::Bad(_)));
        assert_eq!(walk.advance(|_, _| Ok(vec![])).unwrap_err(), first);
    }

    #[test]
    fn refuses_nodes_that_are_longer_than_the_file() {
        let bytes = Bytes::from(vec![0; 64]);
        let view = View::new(&bytes);
        let mut visited = VisitedRanges::default();
        visited.claim("node", &view, 0, 0).unwrap();
        visited.claim("node", &view, 0, 40).unwrap();
        visited.claim("node", &view, 0, 30).unwrap();
        visited.slot = 1;
        visited.claim("node", &view, 1, 24).unwrap();
        visited.claim("node", &view, 0, 40).unwrap_err();
        visited.slot = 2;
        visited.claim("node", &view, 2, 1).unwrap_err();
        visited.claim("node", &view, 3, 0).unwrap_err();
    }
}
