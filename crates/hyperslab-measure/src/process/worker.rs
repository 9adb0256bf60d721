//! The child's side: does one task and answers.
//!
//! The clock ([`Clock`]) runs only while the engine works. Blocks are laid out some thousands at a time, buffers are made
//! and touched, values to be written are made, all while it stands.

use super::clock::{Clock, ExcludedWork};
use super::expect::expect;
use super::objects;
use super::task::{Answer, Check, Operation, Outcome, Task};
use crate::access::Part;
use crate::data::Values;
use crate::{PageCache, calibration, empty_page_cache};
use hyperslab_engines::library::share_symbols;
use hyperslab_engines::{
    Block, CreationProperties, Engine, EngineError, PreparedEngine, RecordLayout, reserve, unsupported,
};
use hyperslab_units::hex;
use sha2::{Digest, Sha256};
use std::io::{Read, Write};

/// Blocks laid out at once.
const BATCH: usize = 4096;

/// Reads a task from `from`, does it, and writes the answer to `to`.
pub fn serve(from: &mut dyn Read, to: &mut dyn Write) -> std::io::Result<()> {
    let mut text = String::new();
    from.read_to_string(&mut text)?;
    let answer = match serde_json::from_str::<Task>(&text) {
        Ok(task) => answer(&task).unwrap_or_else(|error| Answer::Failed(error.to_string())),
        Err(error) => Answer::Failed(format!("the task is not understood: {error}")),
    };
    serde_json::to_writer(&mut *to, &answer)?;
    to.write_all(b"\n")?;
    to.flush()
}

fn answer(task: &Task) -> Result<Answer, EngineError> {
    match &task.operation {
        Operation::Calibrate { create } => {
            let pass = calibration::kernels::pass(&*task.engine.prepare()?, &task.file, *create)?;
            Ok(Answer::Kernels(Box::new(pass)))
        }
        Operation::DecodeSamples(plan) => {
            if let Engine::Libhdf5(found) = &task.engine {
                share_symbols(found)?;
            }
            let engine = &*task.engine.prepare()?;
            calibration::decoding::decode(engine, &task.file, &task.dataset, plan).map(Answer::Decoding)
        }
        _ => run(task).map(|outcome| Answer::Done(Box::new(outcome))),
    }
}

/// Does a task in this process.
pub fn run(task: &Task) -> Result<Outcome, EngineError> {
    if let Engine::Libhdf5(found) | Engine::Netcdf(found) = &task.engine {
        share_symbols(found)?;
    }
    let engine = &*task.engine.prepare()?;
    let on = |shape: &[u64]| task.access.check(shape).map_err(EngineError::Unsupported);
    match &task.operation {
        Operation::Read { shape, part, cold, check } => {
            on(shape)?;
            read(task, engine, shape, *part, *cold, check.as_ref())
        }
        Operation::Write { storage, values } => {
            on(&storage.shape)?;
            write(task, engine, storage, values)
        }
        Operation::Expect { shape, part, values, element } => {
            on(shape)?;
            expect(task, engine, shape, *part, values, *element)
        }
        Operation::Make { tree } => objects::make(task, engine, tree),
        Operation::Visit { wanted, cold, check } => objects::visit(task, engine, *wanted, *cold, *check),
        Operation::Inspect => Ok(Clock::start().outcome_of(engine)),
        Operation::Calibrate { .. } | Operation::DecodeSamples(_) => unsupported("a task without an outcome"),
    }
}

fn read(
    task: &Task,
    engine: &dyn PreparedEngine,
    shape: &[u64],
    part: Part,
    cold: bool,
    check: Option<&Check>,
) -> Result<Outcome, EngineError> {
    let io = |error: std::io::Error| EngineError::Unsupported(format!("{}: {error}", task.file.display()));
    let page_cache = if cold { empty_page_cache(&task.file).map_err(io)? } else { PageCache::Warm };
    let counter = check.and_then(|check| engine.count(&check.filters));
    let mut clock = Clock::start();
    let mut reading = clock.open(|| engine.open(&task.file, &task.dataset, &task.options))?;
    let element = reading.element_bytes();
    let mut sum = check.map(|_| Sha256::new());
    let mut buffer = Vec::new();
    let mut blocks = task.access.part(shape, part).peekable();
    if task.access.len_of(shape, part) < task.access.len(shape) {
        clock.note_each_block();
    }
    while blocks.peek().is_some() {
        let batch: Vec<Block> = clock.exclude(ExcludedWork::Computes, || {
            let batch: Vec<Block> = blocks.by_ref().take(BATCH).collect();
            let largest = batch.iter().map(|block| block.bytes(element)).max().unwrap_or(0);
            reserve(&mut buffer, largest).map(|_| batch)
        })?;
        match &mut sum {
            None => {
                let bytes = |block: &Block| block.bytes(element) as usize;
                clock.data(&batch, |block| reading.read(block, &mut buffer[..bytes(block)]))?;
            }
            Some(sum) => {
                for block in &batch {
                    let values = reserve(&mut buffer, block.bytes(element))?;
                    clock.data(std::slice::from_ref(block), |block| reading.read(block, values))?;
                    clock.exclude(ExcludedWork::Computes, || {
                        match reading.layout()? {
                            Some(layout) => sum.update(layout.gather(values)),
                            None => sum.update(&*values),
                        }
                        Ok::<(), EngineError>(())
                    })?;
                }
            }
        }
        clock.bytes += batch.iter().map(|block| block.bytes(element)).sum::<u64>();
    }
    let counted = counter.map(|counter| counter().decodes);
    let decodes = check.and_then(|_| counted.or_else(|| reading.decodes()));
    let cache = clock.exclude(ExcludedWork::Computes, || reading.cache())?;
    let page_buffer = clock.exclude(ExcludedWork::Computes, || reading.page_buffer());
    clock.close(|| reading.close())?;
    let checksum = sum.map(|sum| hex(&sum.finalize()));
    let file_bytes = std::fs::metadata(&task.file).map_err(io)?.len();
    Ok(Outcome {
        decodes,
        checksum,
        page_cache,
        file_bytes,
        default_cache: cache.or_else(|| engine.default_cache()),
        page_buffer,
        ..clock.outcome_of(engine)
    })
}

fn write(
    task: &Task,
    engine: &dyn PreparedEngine,
    storage: &CreationProperties,
    values: &Values,
) -> Result<Outcome, EngineError> {
    storage.check().map_err(EngineError::Unsupported)?;
    let source = values.open()?;
    let filters: Vec<u16> = storage.filters.iter().map(|filter| filter.id).collect();
    let counter = engine.count(&filters);
    let mut clock = Clock::start();
    let mut writing = clock.open(|| engine.create(&task.file, &task.dataset, storage, &task.options))?;
    let layout =
        clock.exclude(ExcludedWork::Computes, || writing.layout().map(Option::<&RecordLayout>::cloned))?;
    let element = layout.as_ref().map_or(storage.element.packed_bytes(), |layout| layout.bytes);
    let filling = if source.is_a_file() { ExcludedWork::Reads } else { ExcludedWork::Computes };
    let (mut buffer, mut packed) = (Vec::new(), Vec::new());
    let mut blocks = task.access.blocks(&storage.shape);
    while let Some(block) = clock.exclude(ExcludedWork::Computes, || blocks.next()) {
        clock.exclude(filling, || {
            let values = reserve(&mut buffer, block.bytes(element))?;
            let Some(layout) = &layout else { return Ok(source.fill(&block, values)?) };
            // Records are made up without gaps, and put where the engine wants their fields.
            let packed = reserve(&mut packed, block.bytes(layout.packed_bytes()))?;
            source.fill(&block, packed)?;
            layout.spread(packed, values);
            Ok::<(), EngineError>(())
        })?;
        let values = &buffer[..block.bytes(element) as usize];
        clock.data(std::slice::from_ref(&block), |block| writing.write(block, values))?;
        clock.bytes += values.len() as u64;
    }
    let cache = clock.exclude(ExcludedWork::Computes, || writing.cache())?;
    // Chunks that are still in a cache are encoded when the file is closed.
    clock.close(|| writing.close())?;
    let counted = counter.map(|counter| counter());
    let file_bytes = std::fs::metadata(&task.file).map_or(0, |metadata| metadata.len());
    Ok(Outcome {
        file_bytes,
        encodes: counted.map(|counted| counted.encodes),
        decodes: counted.map(|counted| counted.decodes),
        default_cache: cache.or_else(|| engine.default_cache()),
        ..clock.outcome_of(engine)
    })
}
