"""Datatypes and dataspaces in the records of the oracle.

A datatype is an object with "c" (its class), "size" in bytes (null if variable) and the properties of its class; "base"
and "members" contain datatypes. A dataspace is {"kind": "null" | "scalar" | "simple", "dims", "max"}.
"""

from __future__ import annotations

from h5py import h5s, h5t

ORDERS = {h5t.ORDER_LE: "LE", h5t.ORDER_BE: "BE", h5t.ORDER_NONE: "none", 2: "VAX", 3: "mixed"}
PADDINGS = {h5t.STR_NULLTERM: "nullterm", h5t.STR_NULLPAD: "nullpad", h5t.STR_SPACEPAD: "spacepad"}
CHARSETS = {h5t.CSET_ASCII: "ascii", h5t.CSET_UTF8: "utf8"}
COMPLEX = 11


def text(name: bytes | str) -> str:
    return name.decode("utf-8", "surrogateescape") if isinstance(name, bytes) else name


def describe_space(space: h5s.SpaceID) -> dict:
    kind = space.get_simple_extent_type()
    if kind == h5s.NULL:
        return {"kind": "null"}
    if kind == h5s.SCALAR:
        return {"kind": "scalar"}
    limits = space.get_simple_extent_dims(True)
    return {
        "kind": "simple",
        "dims": [int(size) for size in space.get_simple_extent_dims()],
        "max": [None if limit == h5s.UNLIMITED else int(limit) for limit in limits],
    }


def describe_type(kind: h5t.TypeID) -> dict:
    record = {"size": kind.get_size()}
    if kind.committed():
        record["committed"] = True
    describe = DESCRIBERS.get(kind.get_class())
    record |= describe(kind) if describe else {"c": f"class{kind.get_class()}"}
    return record


def integer(kind) -> dict:
    return {
        "c": "int",
        "order": ORDERS[kind.get_order()],
        "signed": kind.get_sign() == h5t.SGN_2,
        "prec": kind.get_precision(),
        "off": kind.get_offset(),
    }


def floating(kind) -> dict:
    return {
        "c": "float",
        "order": ORDERS[kind.get_order()],
        "prec": kind.get_precision(),
        "off": kind.get_offset(),
        "fields": [int(field) for field in kind.get_fields()],
        "ebias": kind.get_ebias(),
        "norm": int(kind.get_norm()),
    }


def string(kind) -> dict:
    variable = bool(kind.is_variable_str())
    record = {"c": "string", "vlen": variable, "pad": PADDINGS[kind.get_strpad()], "cset": CHARSETS[kind.get_cset()]}
    return record | ({"size": None} if variable else {})


def bitfield(kind) -> dict:
    size = kind.get_size()
    if size == 1:
        return {"c": "bitfield", "order": "LE"}
    standard = {order: getattr(h5t, f"STD_B{8 * size}{order}", None) for order in ("LE", "BE")}
    order = next((order for order, one in standard.items() if one is not None and kind.equal(one)), "custom")
    return {"c": "bitfield", "order": order}


def compound(kind) -> dict:
    members = range(kind.get_nmembers())
    return {
        "c": "compound",
        "members": [
            [text(kind.get_member_name(i)), kind.get_member_offset(i), describe_type(kind.get_member_type(i))]
            for i in members
        ],
    }


def enumeration(kind) -> dict:
    members = range(kind.get_nmembers())
    values = [[text(kind.get_member_name(i)), int(kind.get_member_value(i))] for i in members]
    return {"c": "enum", "base": describe_type(kind.get_super()), "members": values}


def reference(kind) -> dict:
    if kind.equal(h5t.STD_REF_OBJ):
        return {"c": "reference", "ref": "object"}
    return {"c": "reference", "ref": "region" if kind.equal(h5t.STD_REF_DSETREG) else "other"}


DESCRIBERS = {
    h5t.INTEGER: integer,
    h5t.FLOAT: floating,
    h5t.STRING: string,
    h5t.BITFIELD: bitfield,
    h5t.OPAQUE: lambda kind: {"c": "opaque", "tag": text(kind.get_tag())},
    h5t.COMPOUND: compound,
    h5t.REFERENCE: reference,
    h5t.ENUM: enumeration,
    h5t.VLEN: lambda kind: {"c": "vlen", "base": describe_type(kind.get_super()), "size": None},
    h5t.ARRAY: lambda kind: {
        "c": "array",
        "dims": [int(size) for size in kind.get_array_dims()],
        "base": describe_type(kind.get_super()),
    },
    h5t.TIME: lambda kind: {"c": "time"},
    COMPLEX: lambda kind: {"c": "complex", "base": describe_type(kind.get_super())},
}


def has_references(kind: h5t.TypeID) -> bool:
    """True if elements refer to other bytes of the file: variable length, references."""
    kind_class = kind.get_class()
    if kind_class == h5t.STRING:
        return bool(kind.is_variable_str())
    if kind_class in (h5t.VLEN, h5t.REFERENCE):
        return True
    if kind_class == h5t.ARRAY:
        return has_references(kind.get_super())
    if kind_class == h5t.COMPOUND:
        return any(has_references(kind.get_member_type(i)) for i in range(kind.get_nmembers()))
    return False
