//! Reads that the engine answers: `hyperslab run`.
//!
//! A dataset is looked at once ([`Answering::of`]): only where its bytes in memory are provably those that libhdf5 would write is a read
//! of it answered. Everything else is libhdf5's, call by call. The order of the questions is that of their cost.

use crate::api::Api;
use crate::functions::Hid;
use crate::opened::{self, Held, Key, READ_ONLY, Stored};
use crate::selection::{self, Dims, Selected};
use crate::sources::Files;
use hyperslab::{Dataset, Endianness, Selection};
use std::ffi::{c_int, c_uint, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A read of at least this size is worth the engine's preparations.
const READ_BYTES_MIN: u64 = 64 << 10;

/// `H5T_class_t`: integers, floats, fixed strings, bit fields, opaque bytes, enumerations.
const FIXED_CLASSES: [c_int; 6] = [0, 1, 3, 4, 5, 8];
/// `H5T_ORDER_LE`, `H5T_ORDER_BE`, `H5T_ORDER_NONE`.
const ORDERS: [c_int; 3] = [0, 1, 4];
/// `H5D_FILL_VALUE_UNDEFINED`, `H5D_FILL_TIME_NEVER`.
const FILL_UNDEFINED: c_int = 0;
const FILL_NEVER: c_int = 1;
/// `H5I_DATATYPE`.
const DATATYPE: c_int = 3;
/// `H5T_DIR_ASCEND`.
const ASCENDING: c_int = 1;

/// A dataset whose reads may be answered.
pub struct Answering {
    dataset: Dataset,
    address: u64,
    element_bytes: u64,
    chunk_bytes: u64,
    /// True if libhdf5's cache holds a chunk.
    chunk_fits: bool,
    /// The type in the file, and the same in the byte order of this machine: copies, which [`Self::close`] gives back.
    file_type: Hid,
    native_type: Option<Hid>,
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
    order: Endianness,
    /// Where it goes in the program's memory, and how many bytes it has.
    offset: usize,
    bytes: usize,
}

impl Prepared {
    /// How many bytes it has.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The program's memory for it.
    ///
    /// # Safety
    /// The call is the one that was prepared, the program waits for its end, and there is no other reference to these bytes.
    pub unsafe fn memory<'m>(&self, call: &ReadCall) -> &'m mut [u8] {
        // SAFETY: libhdf5 would write these bytes.
        unsafe { std::slice::from_raw_parts_mut(call.buffer.cast::<u8>().add(self.offset), self.bytes) }
    }
}

/// Why a read is left to libhdf5.
pub type Why = &'static str;

impl Answering {
    /// Looks at a dataset that is open as `id`.
    pub fn of(api: &Api, id: Hid, key: Key, bytes_min: u64, files: &mut Files) -> Result<Self, Why> {
        let stored = opened::stored(api, id).ok_or("not stored in chunks")?;
        if stored.bytes() < bytes_min {
            return Err("small");
        }
        let unknown = "libhdf5 does not tell";
        check_storage(api, id, &stored)?;
        let (file_type, native_type) = types(api, id)?;
        let functions = &api.functions;
        // SAFETY: functions of libhdf5, which check identifiers; as for all calls here.
        let file = unsafe { functions.iget_file_id.ok_or(unknown)?(id) };
        let file = Held::new(api, file, functions.fclose).ok_or(unknown)?;
        let mut intent: c_uint = READ_ONLY + 1;
        // SAFETY: as above.
        let told = unsafe { functions.fget_intent.ok_or(unknown)?(file.id, &mut intent) };
        if told < 0 || intent != READ_ONLY {
            return Err("the file is open for writing");
        }
        // SAFETY: as above.
        let access = unsafe { functions.fget_access_plist.ok_or(unknown)?(file.id) };
        let access = Held::new(api, access, functions.pclose).ok_or(unknown)?;
        let descriptor = opened::descriptor(api, file.id, &access).ok_or("not a local file")?;
        let dataset = files.dataset(descriptor, key.address)?;
        let same = dataset.shape() == stored.shape
            && dataset.chunk_shape() == Some(&stored.chunk)
            && u64::from(dataset.datatype().size) == stored.element_bytes
            && !dataset.filters().is_empty();
        if !same {
            return Err("the engine sees another dataset");
        }
        let chunk_bytes = dataset.chunk_bytes().unwrap_or(u64::MAX);
        let chunk_fits = opened::cache_of(api, id).is_some_and(|cache| cache.nbytes >= chunk_bytes);
        let element_bytes = stored.element_bytes;
        Ok(Self {
            dataset,
            address: key.address,
            element_bytes,
            chunk_bytes,
            chunk_fits,
            file_type,
            native_type,
        })
    }

    /// A name for messages. Its path is only known to the program.
    pub fn name(&self) -> String {
        format!("{}, the dataset at {:#x}", self.dataset.file().name(), self.address)
    }

    /// Its extent.
    pub fn shape(&self) -> &[u64] {
        self.dataset.shape()
    }

    /// Gives the types back. libhdf5 is asked: not after a call that failed.
    pub fn close(self, api: &Api) {
        if let Some(close) = api.functions.tclose {
            for id in [Some(self.file_type), self.native_type].into_iter().flatten() {
                // SAFETY: identifiers of copies that were made here.
                unsafe { close(id) };
            }
        }
    }

    /// What the engine would read for a call, if that comes to the same as libhdf5's read.
    pub fn prepare(&self, api: &Api, call: &ReadCall, selected: &Selected) -> Result<Prepared, Why> {
        let order = self.order(api, call.memory_type)?;
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
        let bytes = elements.checked_mul(self.element_bytes).ok_or("selection")?;
        if self.chunk_fits && bytes < READ_BYTES_MIN.min(self.chunk_bytes) {
            return Err("small read");
        }
        let is_all = matches!(selected, Selected::All);
        let offset =
            selection::in_memory(api, call.memory_space, elements, is_all).ok_or("memory selection")?;
        let offset = offset.checked_mul(self.element_bytes).ok_or("memory selection")?;
        let (offset, bytes) = (usize::try_from(offset), usize::try_from(bytes));
        let (Ok(offset), Ok(bytes)) = (offset, bytes) else { return Err("memory selection") };
        if call.buffer.is_null() || bytes == 0 {
            return Err("nothing selected");
        }
        Ok(Prepared { wanted, order, offset, bytes })
    }

    /// Reads it.
    pub fn read(&self, prepared: &Prepared, out: &mut [u8]) -> Result<(), Why> {
        match catch_unwind(AssertUnwindSafe(|| self.dataset.read_into(&prepared.wanted, prepared.order, out)))
        {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err("the engine could not read it"),
        }
    }

    /// How the elements are wanted in memory.
    fn order(&self, api: &Api, memory_type: Hid) -> Result<Endianness, Why> {
        let functions = &api.functions;
        let unknown = "libhdf5 does not tell";
        // SAFETY: a function of libhdf5, which checks identifiers.
        if unsafe { functions.iget_type.ok_or(unknown)?(memory_type) } != DATATYPE {
            return Err("no datatype");
        }
        let equal = functions.tequal.ok_or(unknown)?;
        // SAFETY: identifiers of datatypes.
        let is = |known: Hid| unsafe { equal(memory_type, known) } > 0;
        if self.native_type.is_some_and(is) {
            return Ok(Endianness::Native);
        }
        if is(self.file_type) { Ok(Endianness::File) } else { Err("conversion") }
    }
}

/// Chunks that are decoded, by filters that this libhdf5 has, and whose gaps are filled.
fn check_storage(api: &Api, id: Hid, stored: &Stored) -> Result<(), Why> {
    let functions = &api.functions;
    let unknown = "libhdf5 does not tell";
    if !stored.is_filtered {
        return Err("no filter");
    }
    // SAFETY: functions of libhdf5, which check identifiers, with places for what they return; as for all calls here.
    let creation = unsafe { functions.dget_create_plist.ok_or(unknown)?(id) };
    let creation = Held::new(api, creation, functions.pclose).ok_or(unknown)?;
    // SAFETY: as above.
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
        if filter < 0 || crate::filters::is_registered(filter) {
            return Err("a filter of the program");
        }
        // SAFETY: as above.
        if unsafe { functions.zfilter_avail.ok_or(unknown)?(filter) } <= 0 {
            return Err("a filter that libhdf5 lacks");
        }
    }
    let (mut defined, mut time): (c_int, c_int) = (FILL_UNDEFINED, FILL_NEVER);
    // SAFETY: as above.
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

/// The type of a dataset, and the same in this machine's byte order where its elements can be turned as a whole.
fn types(api: &Api, id: Hid) -> Result<(Hid, Option<Hid>), Why> {
    let functions = &api.functions;
    let unknown = "libhdf5 does not tell";
    // SAFETY: functions of libhdf5, which check identifiers; as for all calls here.
    let given = unsafe { functions.dget_type.ok_or(unknown)?(id) };
    let given = Held::new(api, given, functions.tclose).ok_or(unknown)?;
    // SAFETY: as above.
    let (class, size, order) = unsafe {
        (
            functions.tget_class.ok_or(unknown)?(given.id),
            functions.tget_size.ok_or(unknown)?(given.id),
            functions.tget_order.ok_or(unknown)?(given.id),
        )
    };
    let text = 3;
    // SAFETY: as above.
    if class == text && unsafe { functions.tis_variable_str.ok_or(unknown)?(given.id) } != 0 {
        return Err("variable length");
    }
    if !FIXED_CLASSES.contains(&class) || !ORDERS.contains(&order) {
        return Err("type");
    }
    // A copy: the type of a committed datatype would keep the file open.
    // SAFETY: as above.
    let file_type = api.id(unsafe { functions.tcopy.ok_or(unknown)?(given.id) });
    if file_type < 0 {
        return Err(unknown);
    }
    let is_number = class == 0 || class == 1;
    // SAFETY: as above.
    let is_full = is_number && unsafe { functions.tget_precision.ok_or(unknown)?(given.id) } == size * 8;
    if !is_full || !matches!(size, 1 | 2 | 4 | 8) {
        return Ok((file_type, None));
    }
    // SAFETY: as above.
    let native = api.id(unsafe { functions.tget_native_type.ok_or(unknown)?(given.id, ASCENDING) });
    // SAFETY: as above.
    let is_as_long = native >= 0 && unsafe { functions.tget_size.ok_or(unknown)?(native) } == size;
    Ok((file_type, is_as_long.then_some(native)))
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
