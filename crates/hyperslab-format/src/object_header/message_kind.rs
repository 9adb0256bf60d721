//! The types of header messages (specification IV.A.2).

use std::fmt;

/// The type of a header message, as stored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageKind(pub u16);

macro_rules! kinds {
    ($($name:ident = $number:literal, $structure:literal, $text:literal;)*) => {
        impl MessageKind {
            $(#[doc = concat!($text, ".")] pub const $name: Self = Self($number);)*

            /// The name of the structure in errors: `"datatype message"`.
            pub fn structure(self) -> &'static str {
                match self {
                    $(Self::$name => $structure,)*
                    _ => "unknown message",
                }
            }

            /// True for the types in the specification that libhdf5 reads (all but "Bogus", 0x09).
            pub fn is_known(self) -> bool {
                matches!(self, $(Self::$name)|*)
            }
        }
    };
}

kinds! {
    NIL = 0x00, "NIL message", "Space without content";
    DATASPACE = 0x01, "dataspace message", "Dimensions of a dataset";
    LINK_INFO = 0x02, "link info message", "Location of a group's dense links";
    DATATYPE = 0x03, "datatype message", "Datatype of a dataset";
    FILL_VALUE_OLD = 0x04, "old fill value message", "Fill value, before HDF5 1.6";
    FILL_VALUE = 0x05, "fill value message", "Fill value and when to write it";
    LINK = 0x06, "link message", "A link of a group";
    EXTERNAL_FILES = 0x07, "external data files message", "Files with the raw data";
    LAYOUT = 0x08, "data layout message", "How the raw data is stored";
    GROUP_INFO = 0x0a, "group info message", "Thresholds of a group";
    FILTER_PIPELINE = 0x0b, "filter pipeline message", "Filters of the raw data";
    ATTRIBUTE = 0x0c, "attribute message", "An attribute";
    COMMENT = 0x0d, "object comment message", "A comment";
    MODIFICATION_TIME_OLD = 0x0e, "old modification time message", "Modification time as text";
    SHARED_MESSAGE_TABLE = 0x0f, "shared message table message", "Location of the shared messages";
    CONTINUATION = 0x10, "object header continuation message", "Location of another block of the header";
    SYMBOL_TABLE = 0x11, "symbol table message", "Location of an old-style group's links";
    MODIFICATION_TIME = 0x12, "modification time message", "Modification time";
    BTREE_K = 0x13, "B-tree 'K' values message", "Sizes of B-tree nodes";
    DRIVER_INFO = 0x14, "driver info message", "File driver of the writer";
    ATTRIBUTE_INFO = 0x15, "attribute info message", "Location of an object's dense attributes";
    REFERENCE_COUNT = 0x16, "object reference count message", "Number of hard links";
    FILE_SPACE_INFO = 0x17, "file space info message", "Management of the file's space";
    CACHE_IMAGE = 0x18, "metadata cache image message", "Metadata saved in one block";
}

impl MessageKind {
    /// True if a message of this type may be stored outside of the header, shared by several objects.
    pub fn is_shareable(self) -> bool {
        matches!(
            self,
            Self::DATASPACE
                | Self::DATATYPE
                | Self::FILL_VALUE_OLD
                | Self::FILL_VALUE
                | Self::FILTER_PIPELINE
                | Self::ATTRIBUTE
        )
    }
}

impl fmt::Display for MessageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_known() {
            return f.pad(self.structure());
        }
        write!(f, "{} {:#04x}", self.structure(), self.0)
    }
}

impl fmt::Debug for MessageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MessageKind({self})")
    }
}
