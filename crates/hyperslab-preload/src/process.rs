//! The process that is watched: what it opened, what was noted of it, and when that is written down.

use crate::answer::{Answering, ReadCall, Shared, Why};
use crate::api::Api;
use crate::engine::{self, Engine};
use crate::fit::Fitting;
use crate::functions::{Herr, Hid};
use crate::known::{Known, Place};
use crate::learned::{self, Alike};
use crate::opened::Key;
use crate::selection::{self, Dims, Selected};
use crate::writer::Writer;
use crate::{fit, fork, opened, recent};
use hyperslab_trace::{Call, Plan};
use smallvec::SmallVec;
use std::cell::Cell;
use std::collections::HashSet;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Reading or writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Read,
    Write,
}

/// A call of H5Dread or H5Dwrite, as far as it is looked at.
pub struct DatasetCall<'a> {
    pub api: &'a Api,
    pub dataset: Hid,
    pub memory_type: Hid,
    pub file_space: Hid,
    pub direction: Direction,
}

impl<'a> DatasetCall<'a> {
    /// A read, of which the arguments are those of H5Dread.
    pub fn read(
        api: &'a Api,
        dataset: Hid,
        [memory_type, memory_space, file_space]: [Hid; 3],
        transfer: Hid,
        buffer: *mut c_void,
    ) -> (Self, ReadCall) {
        let asked = Self { api, dataset, memory_type, file_space, direction: Direction::Read };
        (asked, ReadCall { memory_type, memory_space, transfer, buffer })
    }
}

/// The process.
pub struct Process {
    began: Instant,
    started: SystemTime,
    known: Mutex<Known>,
    /// The file of the trace, if there is to be one.
    writer: Option<Mutex<Writer>>,
    /// Where chunk caches are to fit.
    fitting: Option<Mutex<Fitting>>,
    /// Where reads are answered.
    engine: Option<Engine>,
    /// True once the thread that writes was started.
    is_writing: AtomicBool,
}

static PROCESS: AtomicPtr<Process> = AtomicPtr::new(std::ptr::null_mut());

thread_local! {
    /// True inside a call: a filter that reads is a part of the read that it decodes for.
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
    static THREAD: Cell<u64> = const { Cell::new(0) };
}

/// The process, if its reads are to be noted.
pub fn watching() -> Option<&'static Process> {
    let process = PROCESS.load(Ordering::Acquire);
    if process.is_null() {
        return begin();
    }
    // SAFETY: made by `begin` or `renew`, and never freed.
    Some(unsafe { &*process })
}

/// The plan is read at the first call.
fn begin() -> Option<&'static Process> {
    static PLAN: std::sync::OnceLock<Option<Plan>> = std::sync::OnceLock::new();
    let plan = PLAN.get_or_init(Plan::of_environment).as_ref()?;
    let writer = plan.trace.as_deref().map(Writer::new);
    let fitting = plan.cache.as_ref().map(Fitting::new);
    let engine = plan.engine.as_ref().map(Engine::new);
    let process = Box::leak(Box::new(Process::new(Known::default(), writer, fitting, engine)));
    let null = std::ptr::null_mut();
    match PROCESS.compare_exchange(null, process, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => {
            fork::register();
            // SAFETY: a function without arguments.
            unsafe { libc::atexit(at_exit) };
            Some(process)
        }
        // SAFETY: another thread was first, and its process is never freed.
        Err(first) => Some(unsafe { &*first }),
    }
}

extern "C" fn at_exit() {
    if let Some(process) = existing() {
        process.write(true);
        if let Some(engine) = &process.engine {
            engine.report();
        }
    }
}

fn existing() -> Option<&'static Process> {
    let process = PROCESS.load(Ordering::Acquire);
    // SAFETY: never freed.
    (!process.is_null()).then(|| unsafe { &*process })
}

/// Opens an object by a call of the program. Where that is a dataset, it is noted, and may get a larger chunk cache.
///
/// libhdf5 is asked after the call only where it succeeded, and only what does not fail.
pub fn opened(api: &Api, call: impl Fn() -> Hid) -> Hid {
    let returned = call();
    let id = api.id(returned);
    let Some(process) = watching().filter(|_| id >= 0 && opened::is_dataset(api, id)) else {
        return returned;
    };
    let Some(key) = opened::key(api, id) else { return returned };
    let valid = process.valid(api, key);
    // Where it is open elsewhere, it has the cache of that opening.
    let id = if valid.is_empty() { process.fitted(api, id, key, call) } else { id };
    process.known().opened(api, id, key, &valid);
    id
}

/// Runs a call that may end an identifier.
pub fn closing(api: &Api, id: Hid, call: impl FnOnce() -> Herr) -> Herr {
    let Some(process) = existing().filter(|_| opened::is_dataset(api, id)) else { return call() };
    let id = api.id(id);
    // The last reference: afterwards, libhdf5 is not asked. Of an identifier that ended before, the question would be an error.
    // SAFETY: a function of libhdf5, which checks identifiers.
    let has_one = || api.functions.iget_ref.is_some_and(|get| unsafe { get(id) } == 1);
    let is_last = opened::is_valid(api, id) && has_one();
    let result = call();
    if is_last && result >= 0 {
        process.closed(api, id);
    }
    result
}

/// A file was closed: what was noted is written down, unless that was done just before. Where that succeeded, its datasets may have
/// been closed with it.
pub fn file_closed(api: &Api, has_succeeded: bool) {
    let Some(process) = existing() else { return };
    if has_succeeded {
        process.close_invalid(api);
    }
    if let Some(engine) = &process.engine {
        engine.file_closed();
    }
    if process.writer().is_some_and(|writer| writer.is_due()) && process.known().is_changed() {
        process.write(false);
    }
}

/// All identifiers of a library end.
pub fn forget(api: &Api) {
    if let Some(process) = existing() {
        process.known().forget(api);
        if let Some(mut fitting) = process.fitting() {
            fitting.forget(api);
        }
        if let Some(engine) = &process.engine {
            engine.forget(api);
        }
    }
}

/// What a thread that forks holds: nothing that the child needs is then held by a thread that it does not have.
pub struct Held {
    known: MutexGuard<'static, Known>,
    writer: Option<MutexGuard<'static, Writer>>,
    fitting: Option<MutexGuard<'static, Fitting>>,
    engine: Option<(&'static Engine, MutexGuard<'static, engine::State>)>,
}

/// Before a fork.
pub fn hold() -> Option<Held> {
    existing().map(|process| Held {
        known: process.known(),
        writer: process.writer(),
        fitting: process.fitting(),
        engine: process.engine.as_ref().map(|engine| (engine, engine.state())),
    })
}

/// In a child: what was noted is the parent's; what is open, and what is in libhdf5's caches, is the child's as well.
pub fn renew(held: &mut Held) {
    let writer = held.writer.as_ref().map(|writer| writer.of_child());
    let fitting = held.fitting.as_ref().map(|fitting| Fitting::clone(fitting));
    let engine = held.engine.as_mut().map(|(engine, state)| engine.of_child(state));
    let process = Box::leak(Box::new(Process::new(held.known.of_child(), writer, fitting, engine)));
    PROCESS.store(process, Ordering::Release);
}

fn thread() -> u64 {
    static THREADS: AtomicU64 = AtomicU64::new(1);
    let number = |thread: &Cell<u64>| {
        if thread.get() == 0 {
            thread.set(THREADS.fetch_add(1, Ordering::Relaxed));
        }
        thread.get()
    };
    THREAD.try_with(number).unwrap_or(0)
}

/// The dataset of a call, or why its reads are left.
fn answering(engine: &Engine, asked: &DatasetCall<'_>) -> Shared {
    let (api, id) = (asked.api, asked.api.id(asked.dataset));
    engine.dataset(api, id, || {
        // SAFETY: a function of libhdf5, which checks identifiers.
        let is_dataset = api.functions.iget_type.is_some_and(|get| unsafe { get(id) } == opened::DATASET);
        is_dataset.then(|| opened::key(api, id)).flatten()
    })
}

fn answer(engine: &Engine, asked: &DatasetCall<'_>, read: &ReadCall, dataset: &Answering) -> Result<(), Why> {
    let selected = selection::of(asked.api, asked.api.id(asked.file_space), dataset.shape());
    engine.read(asked.api, dataset, read, &selected)
}

/// To name a dataset twice is an error in some versions of libhdf5.
fn answer_all(engine: &Engine, reads: &[(DatasetCall<'_>, ReadCall)]) -> Result<(), Why> {
    let datasets: Vec<_> =
        reads.iter().map(|(asked, _)| answering(engine, asked)).collect::<Result<_, _>>()?;
    let addresses: HashSet<_> = datasets.iter().map(Arc::as_ptr).collect();
    if addresses.len() < datasets.len() {
        return Err("several datasets");
    }
    reads.iter().zip(&datasets).try_for_each(|((asked, read), dataset)| answer(engine, asked, read, dataset))
}

impl Process {
    fn new(known: Known, writer: Option<Writer>, fitting: Option<Fitting>, engine: Option<Engine>) -> Self {
        Self {
            began: Instant::now(),
            started: SystemTime::now(),
            known: Mutex::new(known),
            writer: writer.map(Mutex::new),
            fitting: fitting.map(Mutex::new),
            engine,
            is_writing: AtomicBool::new(false),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn writer(&self) -> Option<MutexGuard<'_, Writer>> {
        Some(self.writer.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn fitting(&self) -> Option<MutexGuard<'_, Fitting>> {
        Some(self.fitting.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Those identifiers of an object that are still valid. libhdf5 is asked without a lock.
    fn valid(&self, api: &Api, key: Key) -> Vec<Hid> {
        let known = self.known().identifiers_of(api, key);
        known.into_iter().filter(|id| opened::is_valid(api, *id)).collect()
    }

    /// An identifier of a dataset ended, by a call that succeeded.
    fn closed(&self, api: &Api, id: Hid) {
        let gone = self.known().close(api, id);
        if let Some(mut fitting) = self.fitting() {
            fitting.learned.closed(api, id);
            if let Some(key) = gone {
                fitting.closed(api, key);
            }
        }
        if let Some(engine) = &self.engine {
            engine.closed(api, id);
        }
    }

    /// Notes the end of identifiers that were closed with their files.
    fn close_invalid(&self, api: &Api) {
        let mut known = self.known().identifiers(api);
        known.extend(self.engine.iter().flat_map(|engine| engine.identifiers(api)));
        known.sort_unstable();
        known.dedup();
        known.into_iter().filter(|id| !opened::is_valid(api, *id)).for_each(|id| self.closed(api, id));
    }

    /// A dataset that was just opened, with a chunk cache that fits.
    fn fitted(&self, api: &Api, id: Hid, key: Key, again: impl Fn() -> Hid) -> Hid {
        if self.fitting.is_none() {
            return id;
        }
        let quiet = opened::Quiet::new(api);
        let (Some(stored), Some(in_force)) = (opened::stored(api, id), opened::cache_of(api, id)) else {
            return id;
        };
        if !fit::may_help(&stored, in_force) {
            return id;
        }
        // libhdf5 is asked without the lock.
        let planned = self.fitting().map(|fitting| fitting.planned());
        let planned = planned.and_then(|all| opened::planned_cache(api, id, &all));
        let path = opened::file_and_path(api, id).map(|place| place.path.into_bytes()).unwrap_or_default();
        let alike = Alike::of(&path, &stored);
        let wanted = self
            .fitting()
            .and_then(|mut fitting| fitting.wanted(api, key, &stored, &alike, in_force, planned));
        drop(quiet);
        let id = match wanted {
            Some(cache) => fit::reopened(api, id, key, cache, again),
            None => id,
        };
        if let Some(mut fitting) = self.fitting() {
            fitting.learned.opened(api, id, alike, &stored.shape);
        }
        id
    }

    /// Notes what is read of a dataset whose next opening is to have a cache for it.
    fn learn(&self, asked: &DatasetCall<'_>) {
        let (api, id) = (asked.api, asked.api.id(asked.dataset));
        if self.fitting.is_none() || asked.direction == Direction::Write || learned::is_known(api, id) {
            return;
        }
        let Some(shape) = self.fitting().and_then(|fitting| fitting.learned.shape(api, id)) else { return };
        let selected = selection::of_blocks(api, api.id(asked.file_space), &shape);
        if let Some(mut fitting) = self.fitting() {
            fitting.learned.note(api, id, &selected);
        }
    }

    /// Answers a read, or makes the call.
    pub fn read(&self, asked: &DatasetCall<'_>, read: &ReadCall, call: impl FnOnce() -> Herr) -> Herr {
        let Some(engine) = &self.engine else { return self.watch(asked, call) };
        if IS_INSIDE.try_with(Cell::get).unwrap_or(true) {
            return call();
        }
        let (api, id) = (asked.api, asked.api.id(asked.dataset));
        if let Some(why) = recent::left(api, id, asked.file_space) {
            engine.note(Err(why));
            return self.watch(asked, call);
        }
        let shared = answering(engine, asked);
        recent::remember(api, id, &shared);
        if let (Ok(dataset), true) = (&shared, engine.verifies()) {
            let selected = selection::of(api, api.id(asked.file_space), dataset.shape());
            return engine.verify(api, dataset, read, &selected, || self.watch(asked, call));
        }
        let answer = shared.and_then(|dataset| answer(engine, asked, read, &dataset));
        if engine.note(answer) { 0 } else { self.watch(asked, call) }
    }

    /// Answers the reads of a call, all of them, or makes it.
    pub fn read_several(&self, reads: &[(DatasetCall<'_>, ReadCall)], call: impl FnOnce() -> Herr) -> Herr {
        let asked = || reads.iter().map(|(asked, _)| asked);
        let Some(engine) = &self.engine else { return self.watch_several(asked(), call) };
        if IS_INSIDE.try_with(Cell::get).unwrap_or(true) {
            return call();
        }
        let answer = if engine.verifies() { Err("several datasets") } else { answer_all(engine, reads) };
        let is_answered = answer.is_ok();
        reads.iter().for_each(|_| {
            engine.note(answer);
        });
        if is_answered { 0 } else { self.watch_several(asked(), call) }
    }

    /// Makes a call, and notes it.
    pub fn watch(&self, asked: &DatasetCall<'_>, call: impl FnOnce() -> Herr) -> Herr {
        self.watch_several(std::iter::once(asked), call)
    }

    /// Makes a call that reads several datasets, and notes each with its share of the time.
    fn watch_several<'a>(
        &self,
        asked: impl Iterator<Item = &'a DatasetCall<'a>> + Clone,
        call: impl FnOnce() -> Herr,
    ) -> Herr {
        if self.writer.is_none() {
            asked.for_each(|asked| self.learn(asked));
            return call();
        }
        if IS_INSIDE.try_with(|inside| inside.replace(true)).unwrap_or(true) {
            return call();
        }
        let looked_at: SmallVec<[_; 1]> = asked.map(|asked| (asked, self.look_at(asked))).collect();
        let began = Instant::now();
        let result = call();
        let took = began.elapsed();
        let share = took / u32::try_from(looked_at.len()).unwrap_or(u32::MAX).max(1);
        for (asked, looked_at) in looked_at {
            if let Some((place, selected)) = looked_at.filter(|_| result >= 0) {
                self.note(asked, &place, &selected, began + took, share);
            }
        }
        let _ = IS_INSIDE.try_with(|inside| inside.set(false));
        result
    }

    /// Reads the chunk with an element as it is stored, and notes it.
    pub fn read_chunk(&self, api: &Api, id: Hid, element: *const u64, call: impl FnOnce() -> Herr) -> Herr {
        if self.writer.is_none() || IS_INSIDE.try_with(|inside| inside.replace(true)).unwrap_or(true) {
            return call();
        }
        let id = api.id(id);
        let known = self.known().find(api, id);
        let place = known.or_else(|| self.open(api, id)).filter(|_| !element.is_null());
        // SAFETY: libhdf5 reads a number for each dimension.
        let first =
            place.as_ref().map(|place| unsafe { std::slice::from_raw_parts(element, place.shape.len()) });
        let first = first.map(Dims::from_slice);
        let began = Instant::now();
        let result = call();
        let took = began.elapsed();
        if let (Some(place), Some(first)) = (place, first) {
            let (ended, seconds) = self.seconds(began + took, took);
            let read = (result >= 0).then(|| (ended, seconds, thread()));
            self.known().note_stored(&place, &first, read);
        }
        let _ = IS_INSIDE.try_with(|inside| inside.set(false));
        result
    }

    /// What a call reads: the dataset and its elements.
    fn look_at(&self, asked: &DatasetCall<'_>) -> Option<(Place, Selected)> {
        let DatasetCall { api, dataset, .. } = asked;
        let id = api.id(*dataset);
        let memory_type = api.id(asked.memory_type);
        let (known, is_named) = {
            let mut known = self.known();
            (known.find(api, id), known.has_name(api, memory_type))
        };
        let place = match known {
            Some(place) => place,
            None => self.open(api, id)?,
        };
        let selected = if memory_type == 0 {
            Selected::Unknown("chunks were read as they are stored, by H5DOread_chunk")
        } else {
            selection::of(api, api.id(asked.file_space), &place.shape)
        };
        if !is_named {
            let word = opened::type_word(api, memory_type).unwrap_or_default();
            self.known().name_type(api, memory_type, word);
        }
        Some((place, selected))
    }

    /// Asks for what is known of a dataset, at the first call with an identifier.
    fn open(&self, api: &Api, id: Hid) -> Option<Place> {
        // SAFETY: a function of libhdf5, which checks identifiers.
        if unsafe { api.functions.iget_type?(id) } != opened::DATASET {
            return None;
        }
        let _quiet = opened::Quiet::new(api);
        let key = opened::key(api, id)?;
        let valid = self.valid(api, key);
        let again = self.known().opened(api, id, key, &valid);
        if again.is_some() {
            return again;
        }
        let described = opened::describe(api, id, key)?;
        self.known().add(api, id, key, described)
    }

    fn note(
        &self,
        asked: &DatasetCall<'_>,
        place: &Place,
        selected: &Selected,
        ended: Instant,
        took: Duration,
    ) {
        let (ended, seconds) = self.seconds(ended, took);
        let mut known = self.known();
        let is_write = asked.direction == Direction::Write;
        let Some((object, memory_type)) = known.object(asked.api, place, asked.api.id(asked.memory_type))
        else {
            known.note_other(is_write, seconds);
            return;
        };
        if let Selected::Unknown(why) = selected {
            object.watched.stop_counting(why);
            return;
        }
        let (shape, chunk) = (&object.shape, object.chunk.as_deref());
        let watched = &mut object.watched;
        selected.with(shape, chunk, |read, elements| {
            watched.note(&Call {
                read,
                elements,
                rank: shape.len(),
                is_write,
                ended,
                seconds,
                memory_type,
                thread: thread(),
            });
        });
    }

    /// When a call ended, and how long it took. What is noted is written from now on.
    fn seconds(&self, ended: Instant, took: Duration) -> (f64, f64) {
        if !self.is_writing.swap(true, Ordering::Relaxed) {
            self.begin_writing();
        }
        (ended.duration_since(self.began).as_secs_f64(), took.as_secs_f64())
    }

    /// Writes down what was noted.
    fn write(&self, has_ended: bool) {
        if self.writer.is_none() {
            return;
        }
        let (lines, others) = self.known().lines();
        let Some(mut writer) = self.writer() else { return };
        writer.write(self.started, self.began.elapsed(), has_ended, lines, others);
    }

    /// Begins to write every few seconds, by a thread of its own, to which no signal of the program is delivered.
    fn begin_writing(&self) {
        // SAFETY: processes are never freed.
        let process: &'static Self = unsafe { &*std::ptr::from_ref(self) };
        fork::without_signals(|| {
            let thread = std::thread::Builder::new().name("hyperslab trace".into()).stack_size(256 << 10);
            // Without it, lines are written where files are closed and at the end.
            let _ = thread.spawn(|| {
                loop {
                    std::thread::sleep(Duration::from_secs(2));
                    if process.known().is_changed() {
                        process.write(false);
                    }
                }
            });
        });
    }
}
