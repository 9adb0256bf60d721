//! Work on many items by several threads, with results in order.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc};

/// Threads, and what each of them keeps from item to item.
#[derive(Debug)]
pub struct Workers<S> {
    threads: usize,
    /// Results that may wait for those before them.
    ahead: usize,
    states: Mutex<Vec<S>>,
}

/// Results that are not delivered yet, for each thread.
pub const AHEAD: usize = 2;

struct Progress {
    next: usize,
    delivered: usize,
    is_stopped: bool,
}

impl<S: Default + Send> Workers<S> {
    /// So many threads, at least one.
    pub fn new(threads: usize) -> Self {
        let threads = threads.max(1);
        Self { threads, ahead: AHEAD * threads, states: Mutex::default() }
    }

    /// The same, but any number of results may wait for those before them: for small ones of items that take very differently long.
    pub fn unbounded(threads: usize) -> Self {
        Self { ahead: usize::MAX, ..Self::new(threads) }
    }

    /// The same threads, but at most so many.
    pub fn limited(&self, threads: usize) -> Self {
        Self::new(self.threads.min(threads))
    }

    /// Does `work` on the items from 0 to `count`, and hands each result to `each` on the calling thread, in order. With
    /// `alone`, or one thread, the calling thread works, too.
    ///
    /// # Errors
    ///
    /// The first error in the order of the items. No item begins after it.
    pub fn run<T: Send, E: Send>(
        &self,
        count: usize,
        alone: bool,
        work: impl Fn(&mut S, usize) -> Result<T, E> + Sync,
        mut each: impl FnMut(usize, T) -> Result<(), E>,
    ) -> Result<(), E> {
        if alone || self.threads == 1 || count <= 1 {
            let mut state = self.take();
            let done = (0..count).try_for_each(|number| each(number, work(&mut state, number)?));
            lock(&self.states).push(state);
            return done;
        }
        let ahead = self.ahead;
        let progress = Mutex::new(Progress { next: 0, delivered: 0, is_stopped: false });
        let moved = Condvar::new();
        let (sender, results) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..self.threads.min(count) {
                let (sender, progress, moved, work) = (sender.clone(), &progress, &moved, &work);
                scope.spawn(move || {
                    let mut state = self.take();
                    while let Some(number) = next(progress, moved, count, ahead) {
                        // The receiver is gone only after an error.
                        if sender.send((number, work(&mut state, number))).is_err() {
                            break;
                        }
                    }
                    lock(&self.states).push(state);
                });
            }
            drop(sender);
            let mut waiting = BTreeMap::new();
            let mut delivered = 0;
            for (number, result) in results {
                waiting.insert(number, result);
                while let Some(result) = waiting.remove(&delivered) {
                    let done = result.and_then(|result| each(delivered, result));
                    delivered += 1;
                    let mut progress = lock(&progress);
                    progress.delivered = delivered;
                    progress.is_stopped |= done.is_err();
                    moved.notify_all();
                    drop(progress);
                    done?;
                }
            }
            Ok(())
        })
    }

    fn take(&self) -> S {
        lock(&self.states).pop().unwrap_or_default()
    }
}

/// The next item, once it is not too far ahead; `None` at the end.
fn next(progress: &Mutex<Progress>, moved: &Condvar, count: usize, ahead: usize) -> Option<usize> {
    let mut progress = lock(progress);
    loop {
        if progress.is_stopped || progress.next >= count {
            return None;
        }
        if progress.next < progress.delivered.saturating_add(ahead) {
            progress.next += 1;
            return Some(progress.next - 1);
        }
        progress = moved.wait(progress).unwrap_or_else(PoisonError::into_inner);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn results_come_in_order_and_few_are_waiting() {
        for (threads, alone) in [(1, false), (3, false), (3, true)] {
            let workers = Workers::<u32>::new(threads);
            let (begun, mut delivered) = (AtomicUsize::new(0), Vec::new());
            let work = |state: &mut u32, number: usize| {
                *state += 1;
                begun.fetch_add(1, Ordering::SeqCst);
                Ok::<_, ()>(number * number)
            };
            workers
                .run(200, alone, work, |number, result| {
                    assert_eq!(result, number * number);
                    assert!(begun.load(Ordering::SeqCst) <= number + 1 + AHEAD * threads);
                    delivered.push(number);
                    Ok(())
                })
                .unwrap();
            assert!(delivered.iter().copied().eq(0..200));
            let states = workers.states.into_inner().unwrap();
            assert_eq!(states.iter().sum::<u32>(), 200, "states are kept");
        }
    }

    #[test]
    fn the_first_error_ends_it() {
        let workers = Workers::<()>::new(2);
        let work = |(): &mut (), number: usize| if number >= 7 { Err(number) } else { Ok(()) };
        let mut delivered = 0;
        let ended = workers.run(1000, false, work, |_, ()| {
            delivered += 1;
            Ok(())
        });
        assert_eq!((ended, delivered), (Err(7), 7));
        assert_eq!(workers.run(1000, false, |_, _| Ok(()), |number, ()| Err(number)), Err(0));
    }

    #[test]
    fn any_number_of_results_may_wait() {
        let first_waits = |(): &mut (), number: usize| {
            let milliseconds = if number == 0 { 50 } else { 1 };
            std::thread::sleep(std::time::Duration::from_millis(milliseconds));
            Ok::<_, ()>(number)
        };
        let mut delivered = Vec::new();
        let each = |number, result| {
            delivered.push((number, result));
            Ok(())
        };
        Workers::unbounded(4).run(100, false, first_waits, each).unwrap();
        assert_eq!(delivered, (0..100).map(|number| (number, number)).collect::<Vec<_>>());
    }
}
