//! The engine inside the program: its files, its threads, and what it answered.

use crate::answer::{Answering, Prepared, ReadCall, Shared, Why, check_transfer};
use crate::api::Api;
use crate::functions::{Herr, Hid};
use crate::opened::{Key, Quiet};
use crate::selection::Selected;
use crate::sources::Files;
use crate::{fit, fork, recent};
use hyperslab_trace::EnginePlan;
use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The engine, and what is known of the datasets of the program.
pub struct Engine {
    plan: EnginePlan,
    state: Mutex<State>,
}

/// What a fork must find in order.
#[derive(Default)]
pub struct State {
    files: Files,
    /// Datasets that were looked at, by the identifiers that they are open as.
    datasets: HashMap<(usize, Hid), (Key, Shared)>,
    has_threads: bool,
    /// A transfer list that was asked before.
    transfer: Option<(usize, Hid)>,
    /// The first read that differed, where both were made.
    difference: Option<String>,
    answered: u64,
    left: BTreeMap<Why, u64>,
}

/// A panic is not the program's.
const FAILED: Why = "the engine failed";

fn prepare(api: &Api, dataset: &Answering, call: &ReadCall, selected: &Selected) -> Result<Prepared, Why> {
    catch_unwind(AssertUnwindSafe(|| dataset.prepare(api, call, selected))).unwrap_or(Err(FAILED))
}

impl Engine {
    pub fn new(plan: &EnginePlan) -> Self {
        // A panic in a read is not the program's: libhdf5 reads instead.
        std::panic::set_hook(Box::new(|_| {}));
        let ranks = fit::ranks_of_node();
        let memory = plan.memory_bytes.unwrap_or_else(|| hyperslab::cache_bytes() as u64) / ranks;
        hyperslab::set_cache_bytes(usize::try_from(memory).unwrap_or(usize::MAX));
        Self { plan: plan.clone(), state: Mutex::default() }
    }

    /// True if both libraries are to read.
    pub fn verifies(&self) -> bool {
        self.plan.verify
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// That of a child: what it has open is open in the child, too.
    pub fn of_child(&self, held: &mut State) -> Self {
        let state = State { datasets: std::mem::take(&mut held.datasets), ..State::default() };
        Self { plan: self.plan.clone(), state: Mutex::new(state) }
    }

    /// The dataset that is open as `id`, or why its reads are left.
    pub fn dataset(&self, api: &Api, id: Hid, key: impl FnOnce() -> Option<Key>) -> Shared {
        let known = self.state().datasets.get(&(api.identity(), id)).map(|(_, shared)| shared.clone());
        if let Some(shared) = known {
            return shared;
        }
        let _quiet = Quiet::new(api);
        let Some(key) = key() else { return Err("libhdf5 does not tell") };
        let mut state = self.state();
        self.start_threads(&mut state);
        // What is open under another identifier is the same dataset.
        let same =
            state.datasets.iter().find(|((known, _), (other, _))| *known == api.identity() && *other == key);
        let shared = match same.map(|(_, (_, shared))| shared.clone()) {
            Some(shared) => shared,
            None if !api.is_answered() => Err("libhdf5 before 1.10"),
            None => {
                // libhdf5 is asked without the lock.
                let bytes_min = self.plan.dataset_bytes_min.unwrap_or(fit::DATASET_BYTES_MIN);
                let mut files = std::mem::take(&mut state.files);
                drop(state);
                let look_at = AssertUnwindSafe(|| Answering::of(api, id, key, bytes_min, &mut files));
                let looked_at = catch_unwind(look_at).unwrap_or(Err(FAILED)).map(Arc::new);
                state = self.state();
                state.files = files;
                looked_at
            }
        };
        state.datasets.insert((api.identity(), id), (key, shared.clone()));
        shared
    }

    /// The threads that decode never run a handler of the program.
    fn start_threads(&self, state: &mut State) {
        if state.has_threads {
            return;
        }
        state.has_threads = true;
        let cores = hyperslab::threads();
        let share = (cores as u64 / fit::ranks_of_node()).max(1) as usize;
        fork::without_signals(|| {
            // Where it cannot start them, the calling thread decodes alone.
            let _ = hyperslab::set_threads(self.plan.threads.unwrap_or(share));
        });
    }

    fn check_transfer(&self, api: &Api, transfer: Hid) -> Result<(), Why> {
        if transfer != 0 {
            let known = self.state().transfer;
            // The first time, it may be anything.
            let quiet = (known != Some((api.identity(), transfer))).then(|| Quiet::new(api));
            check_transfer(api, transfer)?;
            if quiet.is_some() {
                self.state().transfer = Some((api.identity(), transfer));
            }
        }
        Ok(())
    }

    /// Answers a read, or says why not.
    pub fn read(
        &self,
        api: &Api,
        dataset: &Answering,
        call: &ReadCall,
        selected: &Selected,
    ) -> Result<(), Why> {
        self.check_transfer(api, call.transfer)?;
        let prepared = prepare(api, dataset, call, selected)?;
        dataset.read(&prepared, call)
    }

    /// Reads by the engine into memory of its own, and by the program's call, which counts, and compares both.
    pub fn verify(
        &self,
        api: &Api,
        dataset: &Answering,
        read: &ReadCall,
        selected: &Selected,
        call: impl FnOnce() -> Herr,
    ) -> Herr {
        let ours = self.check_transfer(api, read.transfer);
        let ours = ours.and_then(|()| prepare(api, dataset, read, selected));
        let ours = ours.and_then(|prepared| Ok((dataset.values(&prepared)?, prepared)));
        let result = call();
        let (values, prepared) = match ours {
            Ok(ours) => ours,
            Err(why) => {
                self.note(Err(why));
                return result;
            }
        };
        self.note(Ok(()));
        let mut first = (result < 0).then(|| "libhdf5 fails".to_owned());
        if result >= 0 {
            // SAFETY: the program is in this call.
            unsafe {
                prepared.memory(read, |at, theirs| {
                    let ours = &values[at..at + theirs.len()];
                    if first.is_none() && *theirs != *ours {
                        let byte = ours.iter().zip(&*theirs).position(|(ours, theirs)| ours != theirs);
                        first = Some(format!("byte {} of a read", at + byte.unwrap_or(0)));
                    }
                });
            }
        }
        if let Some(what) = first {
            self.state().difference.get_or_insert_with(|| format!("{}: {what}", dataset.name()));
        }
        result
    }

    /// Notes what came of a read.
    pub fn note(&self, read: Result<(), Why>) -> bool {
        if self.plan.report || self.plan.verify {
            let mut state = self.state();
            match read {
                Ok(()) => state.answered += 1,
                Err(why) => *state.left.entry(why).or_default() += 1,
            }
        }
        read.is_ok()
    }

    /// An identifier ended, by a call that succeeded.
    pub fn closed(&self, api: &Api, id: Hid) {
        recent::forget();
        let gone = self.state().datasets.remove(&(api.identity(), id));
        // Not while another identifier stands for it, or another thread reads it.
        if let Some((_, Ok(dataset))) = gone
            && let Some(dataset) = Arc::into_inner(dataset)
        {
            dataset.close(api);
        }
    }

    /// The identifiers of a library that are known.
    pub fn identifiers(&self, api: &Api) -> Vec<Hid> {
        let state = self.state();
        let of_api = state.datasets.keys().filter(|(known, _)| *known == api.identity());
        of_api.map(|(_, id)| *id).collect()
    }

    /// A file was closed: descriptors of the engine must not outlast those of the program.
    pub fn file_closed(&self) {
        let mut state = self.state();
        state.files.close();
    }

    /// Nothing of a library is open any more.
    pub fn forget(&self, api: &Api) {
        recent::forget();
        let mut state = self.state();
        state.datasets.retain(|(known, _), _| *known != api.identity());
        state.files.close();
    }

    /// Prints what was read, answered and left.
    pub fn report(&self) {
        if !self.plan.report && !self.plan.verify {
            return;
        }
        let state = self.state();
        let left: u64 = state.left.values().sum();
        let seen = state.answered + left;
        if seen == 0 {
            return;
        }
        let answered = state.answered;
        if !self.plan.verify {
            eprintln!("hyperslab: {seen} reads, {answered} answered by the engine, {left} left to libhdf5");
        } else if let Some(first) = &state.difference {
            eprintln!(
                "hyperslab: {seen} reads, {answered} made both ways, and they DIFFER, first of {first}"
            );
        } else {
            eprintln!(
                "hyperslab: {seen} reads, {answered} made both ways without a difference, {left} left to libhdf5"
            );
        }
        for (why, count) in &state.left {
            eprintln!("  {count}: {why}");
        }
    }
}
