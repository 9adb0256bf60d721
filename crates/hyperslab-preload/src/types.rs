//! The types of elements: which bytes in memory libhdf5 would make of those in a file.

use crate::answer::Why;
use crate::api::Api;
use crate::functions::Hid;
use crate::opened::Held;
use hyperslab::Endianness;
use hyperslab::number::widen::{Class, Number, widening};
use std::ffi::{c_int, c_uint};

/// `H5T_class_t`: integers, floats, fixed strings, bit fields, opaque bytes, enumerations.
const FIXED_CLASSES: [c_int; 6] = [0, 1, 3, 4, 5, 8];
const INTEGER: c_int = 0;
const FLOAT: c_int = 1;
const TEXT: c_int = 3;
const COMPOUND: c_int = 6;
const ARRAY: c_int = 10;
/// `H5T_ORDER_LE`, `H5T_ORDER_BE`, `H5T_ORDER_NONE`.
const ORDERS: [c_int; 3] = [0, 1, 4];
/// `H5T_SGN_NONE`.
const UNSIGNED: c_int = 0;
/// `H5I_DATATYPE`.
const DATATYPE: c_int = 3;
/// `H5T_DIR_ASCEND`.
const ASCENDING: c_int = 1;
/// `H5T_NORM_IMPLIED`.
const IMPLIED: c_int = 0;
/// No types that are nested deeper, or have more members, are looked at.
const DEPTH_MAX: u32 = 16;
const MEMBERS_MAX: c_int = 1024;
const UNKNOWN: Why = "libhdf5 does not tell";

/// The type of a dataset whose reads may be answered. What it holds are copies: the type of a committed datatype would keep the file
/// open.
pub struct FileType {
    id: Hid,
    /// The same in the byte order of this machine, where that is a matter of bytes.
    native: Option<(Hid, Number)>,
    /// True if both are the same.
    is_native: bool,
}

/// How the elements are wanted in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InMemory {
    /// As they are, or in the byte order of this machine.
    Same(Endianness),
    /// As a wider type, which has each value. `is_native` is true if those of the file are in the byte order of this machine.
    Wider { from: Number, to: Number, is_native: bool },
}

impl FileType {
    /// That of the dataset that is open as `id`.
    pub fn of(api: &Api, id: Hid) -> Result<Self, Why> {
        let functions = &api.functions;
        // SAFETY: functions of libhdf5, which check identifiers; as for all calls here.
        let given = unsafe { functions.dget_type.ok_or(UNKNOWN)?(id) };
        let given = Held::new(api, given, functions.tclose).ok_or(UNKNOWN)?;
        check_fixed(api, given.id, 0)?;
        // SAFETY: as above.
        let copy = unsafe { functions.tcopy.ok_or(UNKNOWN)?(given.id) };
        let copy = Held::new(api, copy, functions.tclose).ok_or(UNKNOWN)?;
        let native = number(api, given.id).and_then(|number| Some((native_of(api, given.id)?, number)));
        let is_native = native.as_ref().is_some_and(|(native, _)| is_equal(api, native.id, given.id));
        Ok(Self {
            id: copy.keep(),
            native: native.map(|(native, number)| (native.keep(), number)),
            is_native,
        })
    }

    /// Gives the copies back. libhdf5 is asked: not after a call that failed.
    pub fn close(self, api: &Api) {
        for id in [Some(self.id), self.native.map(|(native, _)| native)].into_iter().flatten() {
            drop(Held::new(api, id, api.functions.tclose));
        }
    }

    /// How elements are wanted as `memory_type`, if that comes to bytes that are known.
    pub fn in_memory(&self, api: &Api, memory_type: Hid) -> Result<InMemory, Why> {
        let conversion = "conversion";
        // SAFETY: a function of libhdf5, which takes any number.
        if unsafe { api.functions.iget_type.ok_or(UNKNOWN)?(memory_type) } != DATATYPE {
            return Err("no datatype");
        }
        if self.native.is_some_and(|(native, _)| is_equal(api, memory_type, native)) {
            return Ok(InMemory::Same(Endianness::Native));
        }
        if is_equal(api, memory_type, self.id) {
            return Ok(InMemory::Same(Endianness::File));
        }
        let (_, from) = self.native.ok_or(conversion)?;
        let to = number(api, memory_type).ok_or(conversion)?;
        if widening(from, to).is_none() {
            return Err(conversion);
        }
        let native = native_of(api, memory_type).ok_or(conversion)?;
        if is_equal(api, memory_type, native.id) {
            Ok(InMemory::Wider { from, to, is_native: self.is_native })
        } else {
            Err(conversion)
        }
    }
}

/// True for two datatypes that are equal.
fn is_equal(api: &Api, one: Hid, other: Hid) -> bool {
    // SAFETY: a function of libhdf5 with the identifiers of datatypes.
    api.functions.tequal.is_some_and(|equal| unsafe { equal(one, other) } > 0)
}

/// The type of this machine that is like a number.
fn native_of(api: &Api, id: Hid) -> Option<Held> {
    // SAFETY: a function of libhdf5 with the identifier of the datatype of a number.
    Held::new(api, unsafe { api.functions.tget_native_type?(id, ASCENDING) }, api.functions.tclose)
}

/// Nothing in elements of this type has a length of its own or leads elsewhere.
fn check_fixed(api: &Api, id: Hid, depth: u32) -> Result<(), Why> {
    let functions = &api.functions;
    // SAFETY: functions of libhdf5 with the identifier of a datatype; as for all calls here.
    let class = unsafe { functions.tget_class.ok_or(UNKNOWN)?(id) };
    match class {
        // SAFETY: as above.
        TEXT if unsafe { functions.tis_variable_str.ok_or(UNKNOWN)?(id) } != 0 => Err("variable length"),
        // SAFETY: as above.
        class if FIXED_CLASSES.contains(&class) => {
            // SAFETY: as above.
            match unsafe { functions.tget_order.ok_or(UNKNOWN)?(id) } {
                order if ORDERS.contains(&order) => Ok(()),
                _ => Err("type"),
            }
        }
        COMPOUND | ARRAY if depth >= DEPTH_MAX => Err("type"),
        COMPOUND => {
            // SAFETY: as above.
            let members = unsafe { functions.tget_nmembers.ok_or(UNKNOWN)?(id) };
            if !(1..=MEMBERS_MAX).contains(&members) {
                return Err("type");
            }
            (0..members as c_uint).try_for_each(|member| {
                // SAFETY: as above, and a member that there is.
                let member = unsafe { functions.tget_member_type.ok_or(UNKNOWN)?(id, member) };
                let member = Held::new(api, member, functions.tclose).ok_or(UNKNOWN)?;
                check_fixed(api, member.id, depth + 1)
            })
        }
        ARRAY => {
            // SAFETY: as above.
            let element = unsafe { functions.tget_super.ok_or(UNKNOWN)?(id) };
            let element = Held::new(api, element, functions.tclose).ok_or(UNKNOWN)?;
            check_fixed(api, element.id, depth + 1)
        }
        _ => Err("type"),
    }
}

/// The number that a datatype is, if it is one that this machine has, in any byte order.
fn number(api: &Api, id: Hid) -> Option<Number> {
    let functions = &api.functions;
    // SAFETY: functions of libhdf5 with the identifier of a datatype; as for all calls here.
    let (class, bytes) = unsafe { (functions.tget_class?(id), functions.tget_size?(id)) };
    if !matches!(class, INTEGER | FLOAT) || !matches!(bytes, 1 | 2 | 4 | 8) {
        return None;
    }
    // SAFETY: as above.
    if unsafe { functions.tget_precision?(id) } != bytes * 8 {
        return None;
    }
    let class = match class {
        // SAFETY: as above.
        INTEGER if unsafe { functions.tget_sign?(id) } == UNSIGNED => Class::Unsigned,
        INTEGER => Class::Signed,
        _ if is_ieee(api, id, bytes)? => Class::Float,
        _ => return None,
    };
    Some(Number { class, bytes })
}

/// True for the formats of IEEE 754 of four and of eight bytes.
fn is_ieee(api: &Api, id: Hid, bytes: usize) -> Option<bool> {
    let [mut sign, mut exponent, mut exponent_bits, mut mantissa, mut mantissa_bits] = [0usize; 5];
    // SAFETY: functions of libhdf5 with the identifier of a float, and places for five numbers.
    let (told, bias, norm) = unsafe {
        (
            api.functions.tget_fields?(
                id,
                &mut sign,
                &mut exponent,
                &mut exponent_bits,
                &mut mantissa,
                &mut mantissa_bits,
            ),
            api.functions.tget_ebias?(id),
            api.functions.tget_norm?(id),
        )
    };
    let fields = (sign, exponent, exponent_bits, mantissa, mantissa_bits, bias);
    let known = match bytes {
        4 => fields == (31, 23, 8, 0, 23, 127),
        8 => fields == (63, 52, 11, 0, 52, 1023),
        _ => false,
    };
    Some(told >= 0 && known && norm == IMPLIED)
}
