//! Types of a libhdf5: of elements in a file and in memory, and where the fields of compounds lie.

use super::api::{Api, Hid, Id};
use crate::error::{EngineError, unsupported};
use crate::library::call::{call, open};
use crate::library::load::c_name;
use crate::storage::{Element, Field, FieldPlace, Kind, Memory, RecordLayout, Records, Scalar, align, pack};
use std::cell::OnceCell;
use std::ffi::{CStr, CString, c_int, c_uint};
use std::rc::Rc;

/// `H5T_class_t`
const INTEGER: c_int = 0;
const FLOAT: c_int = 1;
const STRING: c_int = 3;
const COMPOUND: c_int = 6;
const REFERENCE: c_int = 7;
const VARIABLE: c_int = 9;
const ARRAY: c_int = 10;
/// `H5T_ORDER_BE`
const BIG_ENDIAN: c_int = 1;

fn class(datatype: &Hid) -> c_int {
    // SAFETY: an open type.
    unsafe { (datatype.library.functions.H5Tget_class)(datatype.id) }
}

/// Bytes of an element.
pub(super) fn bytes(datatype: &Hid) -> usize {
    // SAFETY: an open type.
    unsafe { (datatype.library.functions.H5Tget_size)(datatype.id) }
}

/// A type of the caller's own, as another.
pub(super) fn copy(api: &Rc<Api>, datatype: Id) -> Result<Hid, EngineError> {
    // SAFETY: an open or a predefined type.
    unsafe { open!(api.H5Tcopy(datatype), H5Tclose) }
}

/// A string of so many bytes.
pub(super) fn string(api: &Rc<Api>, bytes: usize) -> Result<Hid, EngineError> {
    let copy = copy(api, api.constant("T_C_S1")?)?;
    // SAFETY: a copy, so it may be changed.
    unsafe { call!(api.H5Tset_size(copy.id, bytes)) }?;
    Ok(copy)
}

/// The type of the machine that holds what a type of a file does.
fn native(datatype: &Hid) -> Result<Hid, EngineError> {
    let api = &datatype.library;
    // SAFETY: an open type.
    unsafe { open!(api.H5Tget_native_type(datatype.id, 0), H5Tclose) }
}

/// The type that an array is made of.
fn base(datatype: &Hid) -> Result<Hid, EngineError> {
    let api = &datatype.library;
    // SAFETY: an open type.
    unsafe { open!(api.H5Tget_super(datatype.id), H5Tclose) }
}

fn member(compound: &Hid, number: c_uint) -> Result<Hid, EngineError> {
    let api = &compound.library;
    // SAFETY: an open type; the library checks the number.
    unsafe { open!(api.H5Tget_member_type(compound.id, number), H5Tclose) }
}

fn member_numbers(compound: &Hid) -> std::ops::Range<c_uint> {
    // SAFETY: an open type.
    0..unsafe { (compound.library.functions.H5Tget_nmembers)(compound.id) }.max(0) as c_uint
}

/// True where elements of a type refer to nothing elsewhere.
pub(super) fn is_fixed(datatype: &Hid) -> Result<bool, EngineError> {
    match class(datatype) {
        // SAFETY: an open type.
        STRING => Ok(unsafe { (datatype.library.functions.H5Tis_variable_str)(datatype.id) } == 0),
        REFERENCE | VARIABLE => Ok(false),
        ARRAY => is_fixed(&base(datatype)?),
        COMPOUND => {
            for number in member_numbers(datatype) {
                if !is_fixed(&member(datatype, number)?)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        _ => Ok(true),
    }
}

/// The type of elements in a file.
pub(super) fn in_file(api: &Rc<Api>, element: Element) -> Result<Hid, EngineError> {
    let record = match element {
        Element::Scalar(scalar) => return scalar_in_file(api, scalar),
        Element::Record(record) => record,
    };
    let stored = record.stored();
    let member = |(field, place): (&Field, &FieldPlace)| {
        let mut handle = scalar_in_file(api, field.scalar)?;
        if field.count > 1 {
            // SAFETY: an open type, and one dimension.
            handle = unsafe { open!(api.H5Tarray_create2(handle.id, 1, &u64::from(field.count)), H5Tclose) }?;
        }
        Ok(Member { name: c_name(&field.name)?, handle, place: Some(*place) })
    };
    let members = record.fields.iter().zip(&stored.places).map(member);
    compound(api, stored.bytes, &members.collect::<Result<Vec<_>, EngineError>>()?)
}

fn scalar_in_file(api: &Rc<Api>, scalar: Scalar) -> Result<Hid, EngineError> {
    let kind = match scalar.kind {
        Kind::Text => return string(api, scalar.bytes as usize),
        Kind::Float => "IEEE_F",
        Kind::Signed => "STD_I",
        Kind::Unsigned => "STD_U",
    };
    let order = if scalar.is_big_endian { "BE" } else { "LE" };
    copy(api, api.constant(&format!("T_{kind}{}{order}", 8 * scalar.bytes))?)
}

/// A member of a compound.
struct Member {
    name: CString,
    handle: Hid,
    /// None for a field that is neither numbers nor text.
    place: Option<FieldPlace>,
}

/// A compound of so many bytes whose members lie where they say.
fn compound(api: &Rc<Api>, bytes: usize, members: &[Member]) -> Result<Hid, EngineError> {
    // SAFETY: plain calls with open types, and names that outlive them.
    unsafe {
        let made = open!(api.H5Tcreate(COMPOUND, bytes), H5Tclose)?;
        for Member { name, handle, place } in members {
            let offset = place.map_or(0, |place| place.offset);
            call!(api.H5Tinsert(made.id, name.as_ptr(), offset, handle.id))?;
        }
        Ok(made)
    }
}

/// The members of a compound, those of these names or all.
fn members(compound: &Hid, fields: Option<&[String]>) -> Result<Vec<Member>, EngineError> {
    let (api, f) = (&compound.library, &compound.library.functions);
    let number = |field: &String| {
        // SAFETY: an open type, and a string.
        let found = |name: CString| unsafe { (f.H5Tget_member_index)(compound.id, name.as_ptr()) };
        c_uint::try_from(c_name(field).map_or(-1, found))
            .or_else(|_| unsupported(format!("the records have no field {field:?}")))
    };
    let numbers: Vec<c_uint> = match fields {
        None => member_numbers(compound).collect(),
        Some(fields) => fields.iter().map(number).collect::<Result<_, _>>()?,
    };
    let member = |number: c_uint| {
        let handle = member(compound, number)?;
        // SAFETY: an open type, and a number that it has; the name is freed by the library that allocated it.
        let (name, offset) = unsafe {
            let given = call!(api.H5Tget_member_name(compound.id, number))?;
            let name = CStr::from_ptr(given).to_owned();
            match f.H5free_memory {
                Some(free) => drop(free(given.cast())),
                None => libc::free(given.cast()),
            }
            (name, (f.H5Tget_member_offset)(compound.id, number))
        };
        let place = place(&handle)?.map(|place| FieldPlace { offset, ..place });
        Ok(Member { name, handle, place })
    };
    numbers.into_iter().map(member).collect()
}

/// What a field is made of, where that is numbers or text; its offset is still to be found.
fn place(field: &Hid) -> Result<Option<FieldPlace>, EngineError> {
    let bytes = bytes(field);
    Ok(match class(field) {
        INTEGER | FLOAT => {
            // SAFETY: an open type.
            let is_big = unsafe { (field.library.functions.H5Tget_order)(field.id) } == BIG_ENDIAN;
            Some(FieldPlace::number(bytes, is_big))
        }
        STRING => Some(FieldPlace::text(bytes)),
        ARRAY => place(&base(field)?)?.map(|base| FieldPlace { bytes, ..base }),
        _ => None,
    })
}

/// The type of elements in memory.
pub(super) struct MemoryType {
    pub(super) handle: Hid,
    /// Where the fields of records lie, if all of them are numbers and text: found when it is asked for.
    layout: OnceCell<Option<RecordLayout>>,
}

impl MemoryType {
    /// Numbers as the machine has them, records as asked for; anything else as it is in the file.
    pub(super) fn of(file_type: &Hid, records: &Records) -> Result<Self, EngineError> {
        let as_stored = || copy(&file_type.library, file_type.id);
        let handle = match class(file_type) {
            COMPOUND if records.fields.is_some() || records.memory != Memory::AsStored => {
                return Self::of_fields(file_type, records);
            }
            _ if records.fields.is_some() => return unsupported("the dataset has no records, so no fields"),
            INTEGER | FLOAT => native(file_type)?,
            _ => as_stored()?,
        };
        Ok(Self { handle, layout: OnceCell::new() })
    }

    /// Some fields of a compound, or all, side by side or as in a C struct.
    fn of_fields(file_type: &Hid, records: &Records) -> Result<Self, EngineError> {
        let mut members = members(file_type, records.fields.as_deref())?;
        let places: Option<Vec<FieldPlace>> = members.iter().map(|member| member.place).collect();
        let Some(mut places) = places else {
            return unsupported(
                "only fields of numbers and of text of fixed length are picked or laid out anew",
            );
        };
        let bytes = match records.memory {
            Memory::AsStored => pack(&mut places),
            Memory::Struct => align(&mut places),
            Memory::Columns => {
                return unsupported("libhdf5 has records in memory as structs, not in columns");
            }
        };
        for (member, place) in members.iter_mut().zip(&mut places) {
            if records.memory == Memory::Struct {
                (member.handle, place.is_swapped) = (native(&member.handle)?, false);
            }
            if self::bytes(&member.handle) != place.bytes {
                return unsupported("a field of a size that no C type has");
            }
            member.place = Some(*place);
        }
        let handle = compound(&file_type.library, bytes, &members)?;
        let layout = OnceCell::from(Some(RecordLayout { places, bytes, in_columns: false }));
        Ok(Self { handle, layout })
    }

    /// Where the fields of records lie, if all of them are numbers and text.
    pub(super) fn layout(&self) -> Result<Option<&RecordLayout>, EngineError> {
        if self.layout.get().is_none() {
            let members =
                if class(&self.handle) == COMPOUND { members(&self.handle, None)? } else { Vec::new() };
            let places: Option<Vec<FieldPlace>> = members.iter().map(|member| member.place).collect();
            let places = places.filter(|places| !places.is_empty());
            let layout = |places| RecordLayout { places, bytes: bytes(&self.handle), in_columns: false };
            let _ = self.layout.set(places.map(layout));
        }
        Ok(self.layout.get().and_then(Option::as_ref))
    }
}
