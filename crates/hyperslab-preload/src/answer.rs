//! Reads that the engine answers: `hyperslab run`.
//!
//! A dataset is looked at once ([`Answering::of`]): only where its bytes in memory are provably those that libhdf5 would write is a read
//! of it answered. Everything else is libhdf5's, call by call. The order of the questions is that of their cost.

use crate::api::Api;
use crate::functions::Hid;
use crate::memory;
use crate::open_file::OpenFile;
use crate::opened::{self, Held, Key, Stored};
use crate::selection::{Dims, Selected};
use crate::sources::Files;
use crate::types::{FileType, InMemory};
use crate::virtual_dataset::{Sources, check_access};
use hyperslab::memory::Places;
use hyperslab::number::widen::{Class, has_nan, widening};
use hyperslab::{Dataset, Endianness, Selection};
use hyperslab_storage::filter::number::SCALEOFFSET;
use std::ffi::{c_int, c_uint, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A read of at least this size is worth the engine's preparations.
const READ_BYTES_MIN: u64 = 64 << 10;

/// `H5D_FILL_VALUE_UNDEFINED`, `H5D_FILL_TIME_NEVER`.
const FILL_UNDEFINED: c_int = 0;
const FILL_NEVER: c_int = 1;

/// A dataset whose reads may be answered.
pub struct Answering {
    dataset: Dataset,
    address: u64,
    element_bytes: u64,
    /// Where libhdf5's cache holds a chunk, reads of fewer elements are not worth it.
    small_under: u64,
    file_type: FileType,
    file: OpenFile,
    /// Of a virtual dataset, those that were looked at.
    sources: Option<Sources>,
}

/// A call of H5Dread.
pub struct ReadCall {
    pub memory_type: Hid,
    pub memory_space: Hid,
    pub transfer: Hid,
    pub buffer: *mut c_void,
}

/// A read of the engine.
pub struct Prepared {
    wanted: Selection,
    in_memory: InMemory,
    /// The bytes of an element in memory, and of all.
    element_bytes: usize,
    bytes: usize,
    places: Places,
}

impl Prepared {
    /// Calls `note` with each part of the program's memory that it goes to, and with the place of that part among its bytes.
    ///
    /// # Safety
    /// The call is the one that was prepared, the program waits for its end, and there is no other reference to these bytes.
    pub unsafe fn memory(&self, call: &ReadCall, mut note: impl FnMut(usize, &mut [u8])) {
        let mut at = 0;
        self.places.for_each_run(|first, elements| {
            let (first, len) = (first as usize * self.element_bytes, elements as usize * self.element_bytes);
            // SAFETY: libhdf5 would write these bytes.
            note(at, unsafe { std::slice::from_raw_parts_mut(call.buffer.cast::<u8>().add(first), len) });
            at += len;
        });
    }
}

/// Why a read is left to libhdf5.
pub type Why = &'static str;

impl Answering {
    /// Looks at a dataset that is open as `id`.
    pub fn of(api: &Api, id: Hid, key: Key, bytes_min: u64, files: &mut Files) -> Result<Self, Why> {
        let creation = creation_list(api, id)?;
        let is_virtual = opened::is_virtual(api, &creation);
        let stored = if is_virtual { None } else { opened::stored(api, id) };
        match &stored {
            _ if is_virtual => check_access(api, id)?,
            Some(stored) if stored.bytes() < bytes_min => return Err("small"),
            Some(stored) => check_storage(api, &creation, stored)?,
            None => return Err("not stored in chunks"),
        }
        check_fill(api, &creation)?;
        let (file, access, path) = OpenFile::of_dataset(api, id)?;
        let (dataset, sources, chunk_bytes) = if is_virtual {
            let dataset = files.dataset_by_path(file.descriptor, &path, key.address)?;
            if dataset.logical_bytes() < bytes_min {
                return Err("small");
            }
            let (sources, chunk_bytes) = Sources::of(api, &dataset, access)?;
            (dataset, Some(sources), chunk_bytes)
        } else {
            let dataset = files.dataset(file.descriptor, key.address)?;
            let chunk_bytes = dataset.chunk_bytes().unwrap_or(u64::MAX);
            (dataset, None, chunk_bytes)
        };
        let (shape, element_bytes) = opened::extent_and_bytes(api, id).ok_or("libhdf5 does not tell")?;
        let same = dataset.shape() == shape
            && u64::from(dataset.datatype().size) == element_bytes
            && dataset.chunk_shape() == stored.as_ref().map(|stored| &stored.chunk[..])
            && dataset.filters().is_empty() == is_virtual;
        if !same {
            return Err("the engine sees another dataset");
        }
        let cache_bytes = opened::cache_of(api, id).map_or(0, |cache| cache.nbytes);
        let small_under = if cache_bytes >= chunk_bytes {
            READ_BYTES_MIN.min(chunk_bytes).div_ceil(element_bytes.max(1))
        } else {
            0
        };
        let file_type = FileType::of(api, id)?;
        Ok(Self { dataset, address: key.address, element_bytes, small_under, file_type, file, sources })
    }

    /// A name for messages. Its path is only known to the program.
    pub fn name(&self) -> String {
        format!("{}, the dataset at {:#x}", self.dataset.file().name(), self.address)
    }

    /// Its extent.
    pub fn shape(&self) -> &[u64] {
        self.dataset.shape()
    }

    /// Reads of fewer elements are left to libhdf5, whatever they are.
    pub fn small_under(&self) -> u64 {
        self.small_under
    }

    /// Gives the types back. libhdf5 is asked: not after a call that failed.
    pub fn close(self, api: &Api) {
        self.file_type.close(api);
        // The sources of a virtual dataset are open as long as it is.
        if let Some(sources) = self.sources {
            sources.close();
        }
    }

    /// What the engine would read for a call, if that comes to the same as libhdf5's read.
    pub fn prepare(&self, api: &Api, call: &ReadCall, selected: &Selected) -> Result<Prepared, Why> {
        let shape = self.dataset.shape();
        let (wanted, elements) = match selected {
            Selected::All => (Selection::block(&vec![0; shape.len()], shape), shape.iter().product::<u64>()),
            Selected::Blocks { start, step, count, block } => {
                // Of a single block, the step has no meaning.
                let step: Dims = step.iter().zip(block).map(|(step, block)| (*step).max(*block)).collect();
                let elements = count.iter().chain(block).product();
                (Selection::hyperslab(start, &step, count, block).map_err(|_| "selection")?, elements)
            }
            Selected::Nothing | Selected::Listed(_) | Selected::Points(_) | Selected::Unknown(_) => {
                return Err("selection");
            }
        };
        if elements < self.small_under {
            return Err("small read");
        }
        if call.buffer.is_null() || elements == 0 {
            return Err("nothing selected");
        }
        self.file.check()?;
        let in_memory = self.file_type.in_memory(api, call.memory_type)?;
        let element_bytes = match in_memory {
            InMemory::Same(_) => self.element_bytes as usize,
            InMemory::Wider { to, .. } => to.bytes,
        };
        let is_all = matches!(selected, Selected::All);
        let memory_selection = "memory selection";
        let places = memory::places(api, call.memory_space, elements, element_bytes, is_all)
            .ok_or(memory_selection)?;
        let bytes = usize::try_from(elements).ok().and_then(|elements| elements.checked_mul(element_bytes));
        let bytes = bytes.filter(|bytes| *bytes <= isize::MAX as usize).ok_or(memory_selection)?;
        if let Some(sources) = &self.sources {
            sources.check(api, &self.dataset, &wanted)?;
        }
        Ok(Prepared { wanted, in_memory, element_bytes, bytes, places })
    }

    /// Reads it to where the program wants it.
    pub fn read(&self, prepared: &Prepared, call: &ReadCall) -> Result<(), Why> {
        if prepared.places.has_gaps() {
            let values = self.values(prepared)?;
            // SAFETY: the program is in this call.
            unsafe { prepared.memory(call, |at, out| out.copy_from_slice(&values[at..at + out.len()])) };
            return Ok(());
        }
        let mut result = Ok(());
        // SAFETY: as above.
        unsafe {
            prepared.memory(call, |_, out| {
                hyperslab::memory::advise_huge_pages(out);
                result = self.fill(prepared, out);
            });
        }
        result
    }

    /// Reads it without gaps, into memory of its own.
    pub fn values(&self, prepared: &Prepared) -> Result<Vec<u8>, Why> {
        let mut values = Vec::new();
        values.try_reserve_exact(prepared.bytes).map_err(|_| "memory")?;
        values.resize(prepared.bytes, 0);
        self.fill(prepared, &mut values)?;
        Ok(values)
    }

    fn fill(&self, prepared: &Prepared, out: &mut [u8]) -> Result<(), Why> {
        match prepared.in_memory {
            InMemory::Same(order) => self.read_into(prepared, order, out),
            InMemory::Wider { from, to, is_native } => {
                let begin = out.len() - out.len() / to.bytes * from.bytes;
                self.read_into(prepared, Endianness::Native, &mut out[begin..])?;
                // Without the processor's own conversion, libhdf5 makes another of what is not a number.
                if from.class == Class::Float && !is_native && has_nan(&out[begin..]) {
                    return Err("conversion");
                }
                widening(from, to).ok_or("conversion")?(out);
                Ok(())
            }
        }
    }

    fn read_into(&self, prepared: &Prepared, order: Endianness, out: &mut [u8]) -> Result<(), Why> {
        match catch_unwind(AssertUnwindSafe(|| self.dataset.read_into(&prepared.wanted, order, out))) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err("the engine could not read it"),
        }
    }
}

/// Chunks that are decoded, by filters that this libhdf5 has.
fn check_storage(api: &Api, creation: &Held, stored: &Stored) -> Result<(), Why> {
    let functions = &api.functions;
    let unknown = "libhdf5 does not tell";
    if !stored.is_filtered {
        return Err("no filter");
    }
    // SAFETY: functions of libhdf5, which check identifiers, with places for what they return; as for all calls here.
    let filters = unsafe { functions.pget_nfilters.ok_or(unknown)?(creation.id) };
    for number in 0..u32::try_from(filters).map_err(|_| unknown)? {
        let (mut flags, mut values, mut config): (c_uint, usize, c_uint) = (0, 0, 0);
        let null: *mut c_void = std::ptr::null_mut();
        // SAFETY: as above; no values and no name are asked for.
        let filter = unsafe {
            functions.pget_filter2.ok_or(unknown)?(
                creation.id,
                number,
                &mut flags,
                &mut values,
                null.cast(),
                0,
                null.cast(),
                &mut config,
            )
        };
        check_filter(api, filter)?;
    }
    Ok(())
}

/// A filter that this libhdf5 has, and that is none of the program.
pub fn check_filter(api: &Api, filter: c_int) -> Result<(), Why> {
    // These versions fail to read chunks that it stores without loss, which others and the engine read.
    let fails = api.version.starts_with("1.14.5") || api.version.starts_with("1.14.6");
    if fails && filter == c_int::from(SCALEOFFSET) {
        return Err("scale-offset of libhdf5 1.14.6");
    }
    if filter < 0 || crate::filters::is_registered(filter) {
        return Err("a filter of the program");
    }
    // SAFETY: a function of libhdf5, which takes any number.
    if unsafe { api.functions.zfilter_avail.ok_or("libhdf5 does not tell")?(filter) } <= 0 {
        return Err("a filter that libhdf5 lacks");
    }
    Ok(())
}

fn creation_list(api: &Api, id: Hid) -> Result<Held, Why> {
    let unknown = "libhdf5 does not tell";
    // SAFETY: a function of libhdf5, which checks identifiers.
    let creation = unsafe { api.functions.dget_create_plist.ok_or(unknown)?(id) };
    Held::new(api, creation, api.functions.pclose).ok_or(unknown)
}

/// Gaps are filled.
fn check_fill(api: &Api, creation: &Held) -> Result<(), Why> {
    let functions = &api.functions;
    let unknown = "libhdf5 does not tell";
    let (mut defined, mut time): (c_int, c_int) = (FILL_UNDEFINED, FILL_NEVER);
    // SAFETY: functions of libhdf5 with a creation list, and places for what they return.
    let told = unsafe {
        (
            functions.pfill_value_defined.ok_or(unknown)?(creation.id, &mut defined),
            functions.pget_fill_time.ok_or(unknown)?(creation.id, &mut time),
        )
    };
    if told.0 < 0 || told.1 < 0 || defined == FILL_UNDEFINED || time == FILL_NEVER {
        return Err("no fill value");
    }
    Ok(())
}

/// A transfer list that leaves values as they are.
pub fn check_transfer(api: &Api, transfer: Hid) -> Result<(), Why> {
    let functions = &api.functions;
    let unknown = "transfer list";
    let mut transform: *mut c_void = std::ptr::null_mut();
    let name = c"data_transform";
    // SAFETY: functions of libhdf5, which check identifiers; the property is a pointer.
    let told =
        unsafe { functions.pget.ok_or(unknown)?(transfer, name.as_ptr(), (&raw mut transform).cast()) };
    let (mut callback, mut data): (*mut c_void, *mut c_void) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: places for two pointers.
    let also = unsafe { functions.pget_type_conv_cb.ok_or(unknown)?(transfer, &mut callback, &mut data) };
    if told < 0 || also < 0 || !transform.is_null() || !callback.is_null() { Err(unknown) } else { Ok(()) }
}

/// A dataset as it is shared.
pub type Shared = Result<Arc<Answering>, Why>;
