//! The child's side: does one task and answers.
//!
//! The clock ([`Clock`]) runs only while the engine works. Blocks are laid out some thousands at a time, buffers are made
//! and touched, values to be written are made, all while it stands.

use super::clock::{Aside, Clock};
use super::expect::expect;
use super::objects;
use super::task::{Answer, Check, Operation, Outcome, Task};
use crate::data::Values;
use crate::engine::{EngineError, Prepared};
use crate::measure::{PageCache, empty_page_cache};
use crate::study::{Block, Storage};
use sha2::{Digest, Sha256};
use std::io::{Read, Write};

/// Blocks laid out at once.
const BATCH: usize = 4096;

/// Reads a task from `from`, does it, and writes the answer to `to`.
pub fn serve(from: &mut dyn Read, to: &mut dyn Write) -> std::io::Result<()> {
    let mut text = String::new();
    from.read_to_string(&mut text)?;
    let answer = match serde_json::from_str::<Task>(&text) {
        Ok(task) => match run(&task) {
            Ok(outcome) => Answer::Done(Box::new(outcome)),
            Err(error) => Answer::Failed(error.to_string()),
        },
        Err(error) => Answer::Failed(format!("the task is not understood: {error}")),
    };
    serde_json::to_writer(&mut *to, &answer)?;
    to.write_all(b"\n")?;
    to.flush()
}

/// Does a task in this process.
pub fn run(task: &Task) -> Result<Outcome, EngineError> {
    let engine = task.engine.prepare()?;
    let on = |shape: &[u64]| task.access.check(shape).map_err(EngineError::Unsupported);
    match &task.operation {
        Operation::Read { shape, reads_max, cold, check } => {
            on(shape)?;
            read(task, &engine, shape, *reads_max, *cold, check.as_ref())
        }
        Operation::Write { storage, values } => {
            on(&storage.shape)?;
            write(task, &engine, storage, values)
        }
        Operation::Expect { shape, reads_max, values, element } => {
            on(shape)?;
            expect(task, &engine, shape, *reads_max, values, *element)
        }
        Operation::Make { tree } => objects::make(task, &engine, tree),
        Operation::Visit { wanted, cold, check } => objects::visit(task, &engine, *wanted, *cold, *check),
        Operation::Inspect => Ok(Clock::start().outcome_of(&engine)),
    }
}

fn read(
    task: &Task,
    engine: &Prepared,
    shape: &[u64],
    reads_max: Option<u64>,
    cold: bool,
    check: Option<&Check>,
) -> Result<Outcome, EngineError> {
    let io = |error: std::io::Error| EngineError::Unsupported(format!("{}: {error}", task.file.display()));
    let page_cache = if cold { empty_page_cache(&task.file).map_err(io)? } else { PageCache::Warm };
    let mut clock = Clock::start();
    let counted = check.map(|check| check.filters.as_slice());
    let mut reading = clock.open(|| engine.open(&task.file, &task.dataset, &task.opening, counted))?;
    let element = reading.element_bytes() as u64;
    let mut sum = check.map(|_| Sha256::new());
    let mut buffer = Vec::new();
    let most = reads_max.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    let mut blocks = task.access.blocks(shape).take(most).peekable();
    while blocks.peek().is_some() {
        let batch: Vec<Block> = clock.aside(Aside::Computes, || {
            let batch: Vec<Block> = blocks.by_ref().take(BATCH).collect();
            make_room(&mut buffer, &batch, element).map(|()| batch)
        })?;
        match &mut sum {
            None => {
                clock
                    .data(&batch, |block| reading.read(block, &mut buffer[..block_bytes(block, element)]))?;
            }
            Some(sum) => {
                for block in &batch {
                    let values = &mut buffer[..block_bytes(block, element)];
                    clock.data(std::slice::from_ref(block), |block| reading.read(block, values))?;
                    clock.aside(Aside::Computes, || {
                        match reading.layout()? {
                            Some(layout) => sum.update(layout.gather(values)),
                            None => sum.update(&*values),
                        }
                        Ok::<(), EngineError>(())
                    })?;
                }
            }
        }
        clock.bytes += batch.iter().map(|block| block_bytes(block, element) as u64).sum::<u64>();
    }
    let decodes = check.and_then(|_| reading.decodes());
    let cache = clock.aside(Aside::Computes, || reading.cache().or_else(|| engine.default_cache()));
    let page_buffer = reading.page_buffer();
    clock.close(|| reading.close())?;
    let checksum = sum.map(|sum| sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect());
    let file_bytes = std::fs::metadata(&task.file).map_err(io)?.len();
    Ok(Outcome {
        decodes,
        checksum,
        page_cache,
        file_bytes,
        default_cache: cache,
        page_buffer,
        ..clock.outcome_of(engine)
    })
}

fn write(task: &Task, engine: &Prepared, storage: &Storage, values: &Values) -> Result<Outcome, EngineError> {
    storage.check().map_err(EngineError::Unsupported)?;
    let source = values.open()?;
    let mut clock = Clock::start();
    let mut writing = clock.open(|| engine.create(&task.file, &task.dataset, storage, &task.opening))?;
    let layout = writing.layout()?.cloned();
    let element = layout.as_ref().map_or(u64::from(storage.element.bytes), |layout| layout.bytes as u64);
    let filling = if source.is_a_file() { Aside::Reads } else { Aside::Computes };
    let (mut buffer, mut packed) = (Vec::new(), Vec::new());
    let mut blocks = task.access.blocks(&storage.shape);
    while let Some(block) = clock.aside(Aside::Computes, || blocks.next()) {
        clock.aside(filling, || {
            make_room(&mut buffer, std::slice::from_ref(&block), element)?;
            let values = &mut buffer[..block_bytes(&block, element)];
            let Some(layout) = &layout else { return Ok(source.fill(&block, values)?) };
            // Records are made up without gaps, and put where the engine wants their fields.
            let record = layout.packed_bytes() as u64;
            make_room(&mut packed, std::slice::from_ref(&block), record)?;
            let packed = &mut packed[..block_bytes(&block, record)];
            source.fill(&block, packed)?;
            layout.spread(packed, values);
            Ok::<(), EngineError>(())
        })?;
        let values = &buffer[..block_bytes(&block, element)];
        clock.data(std::slice::from_ref(&block), |block| writing.write(block, values))?;
        clock.bytes += values.len() as u64;
    }
    let cache = clock.aside(Aside::Computes, || writing.cache().or_else(|| engine.default_cache()));
    // Chunks that are still in a cache are encoded when the file is closed.
    let counted = clock.close(|| writing.close())?;
    let file_bytes = std::fs::metadata(&task.file).map_or(0, |metadata| metadata.len());
    Ok(Outcome {
        file_bytes,
        encodes: counted.map(|counted| counted.encodes),
        decodes: counted.map(|counted| counted.decodes),
        default_cache: cache,
        ..clock.outcome_of(engine)
    })
}

pub(super) fn block_bytes(block: &Block, element: u64) -> usize {
    block.elements().saturating_mul(element) as usize
}

/// Room for the largest block, touched: the first touch of memory is not the engine's.
pub(super) fn make_room(buffer: &mut Vec<u8>, blocks: &[Block], element: u64) -> Result<(), EngineError> {
    let most = blocks.iter().map(|block| block.elements().saturating_mul(element)).max().unwrap_or(0);
    let more = usize::try_from(most).ok().map(|most| most.saturating_sub(buffer.len()));
    let room = more.filter(|more| buffer.try_reserve_exact(*more).is_ok());
    let more =
        room.ok_or_else(|| EngineError::Unsupported(format!("no memory for a block of {most} bytes")))?;
    buffer.resize(buffer.len() + more, 1);
    Ok(())
}
