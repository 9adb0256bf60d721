//! Rules that apply to every structure, and the section of the specification in which each structure is described.

use crate::rule::{Rule, rules};
use hyperslab_format::{FormatError, Problem};

rules! { RULES:
    /// A structure begins with its signature.
    SIGNATURE = Error "signature", "";
    /// The checksum of a structure is that of its bytes (Bob Jenkins' lookup3).
    CHECKSUM = Error "checksum", "";
    /// A structure lies inside the file.
    PAST_END = Error "past-end", "";
    /// A field lies inside the structure that contains it.
    SHORT = Error "too-short", "";
    /// A field has a value that the specification allows, and that agrees with the other fields.
    INVALID = Error "invalid-value", "";
    /// Versions, types and flags are those that the specification knows.
    UNKNOWN = Error "unknown-value", "";
    /// Reserved bytes and bits, and padding, are zero.
    RESERVED = Error "reserved", "";
    /// A value is so large that the structure was not checked further.
    LIMIT = Warning "limit", "";
}

/// The rule that an error of a parser violates.
pub(crate) fn rule_of(error: &FormatError) -> &'static Rule {
    match error.problem {
        Problem::PastEnd { .. } => &PAST_END,
        Problem::Short { .. } => &SHORT,
        Problem::Signature { .. } => &SIGNATURE,
        Problem::Checksum { .. } => &CHECKSUM,
        Problem::Unsupported(_) => &UNKNOWN,
        Problem::Invalid(_) => &INVALID,
        Problem::Limit { .. } => &LIMIT,
    }
}

/// The section of the specification that describes a structure.
pub(crate) fn section(structure: &str) -> &'static str {
    match structure {
        "superblock" => "II.A",
        "driver information block" => "II.B",
        "superblock extension" => "II.C",
        "version 1 B-tree node" | "group B-tree node" | "chunk B-tree node" => "III.A.1",
        "version 2 B-tree header" | "version 2 B-tree leaf node" | "version 2 B-tree internal node" => {
            "III.A.2"
        }
        "version 2 B-tree record" => "III.A.2",
        "symbol table node" => "III.B",
        "symbol table entry" => "III.C",
        "local heap" | "local heap data segment" => "III.D",
        "global heap collection" | "global heap object" => "III.E",
        "virtual dataset mapping" => "III.F",
        "free-space manager" | "free-space section list" => "III.H",
        "shared message table" | "shared message list" => "III.I",
        "object header" => "IV.A.1",
        "object header continuation block" => "IV.A.1",
        "dataspace message" => "IV.A.2.b",
        "link info message" => "IV.A.2.c",
        "datatype message" => "IV.A.2.d",
        "old fill value message" => "IV.A.2.e",
        "fill value message" => "IV.A.2.f",
        "link message" | "link message in a fractal heap" => "IV.A.2.g",
        "external data files message" => "IV.A.2.h",
        "data layout message" => "IV.A.2.i",
        "group info message" => "IV.A.2.k",
        "filter pipeline message" | "fractal heap filter pipeline" => "IV.A.2.l",
        "attribute message" => "IV.A.2.m",
        "object comment message" => "IV.A.2.n",
        "old modification time message" => "IV.A.2.o",
        "shared message table message" => "IV.A.2.p",
        "object header continuation message" => "IV.A.2.q",
        "symbol table message" => "IV.A.2.r",
        "modification time message" => "IV.A.2.s",
        "B-tree 'K' values message" => "IV.A.2.t",
        "driver info message" => "IV.A.2.u",
        "attribute info message" => "IV.A.2.v",
        "object reference count message" => "IV.A.2.w",
        "file space info message" => "IV.A.2.x",
        "metadata cache image" | "metadata cache image message" => "H5Cimage.c",
        "NIL message" => "IV.A.2.a",
        "chunk index" | "chunk" => "VII",
        _ if structure.starts_with("fractal heap") => "III.G",
        _ if structure.starts_with("fixed array") => "VII.C",
        _ if structure.starts_with("extensible array") => "VII.D",
        _ => "IV.A.2",
    }
}
