//! A check in progress: the file, what was found, and which bytes belong to what.

use crate::extents::Extents;
use crate::finding::{Finding, Report};
use crate::input::{Input, STRUCTURE_BYTES_MAX};
use crate::rule::Rule;
use crate::{Options, general};
use hyperslab_format::object_header::{Context, SharedMessageTable};
use hyperslab_format::superblock::Superblock;
use hyperslab_format::{Address, Cursor, FormatError, Stop, View};
use std::collections::{HashMap, HashSet};

/// A check in progress.
pub(crate) struct Checker<'a> {
    pub input: &'a Input<'a>,
    /// The file, with the base address and the widths of the superblock.
    pub view: View<'a>,
    pub superblock: Superblock,
    pub options: Options,
    pub report: Report,
    pub extents: Extents,
    /// The table of shared messages, once it has been read.
    pub shared: Option<SharedMessageTable>,
    /// References to messages in the heap of shared messages, by the address of the heap and the heap ID.
    pub shared_uses: HashMap<(Address, [u8; 8]), u64>,
    /// The heap IDs of attributes that objects share and that were read already.
    pub shared_attributes: HashSet<Vec<u8>>,
    /// What the indexes of shared messages say.
    pub shared_entries: SharedEntries,
    /// Uses of committed datatypes, by the address of their object headers.
    pub datatype_uses: HashMap<Address, u64>,
    /// False while a message is read again that several objects share: what it uses itself was counted the first time.
    pub counts_uses: bool,
    /// Half the numbers of children of nodes: of the B-tree of a group, of a symbol table node, of the B-tree of chunks.
    pub node_sizes: NodeSizes,
    /// The size of a page, if the file is allocated in pages.
    pub page_bytes: Option<u64>,
    /// The path of the object that is being checked; empty for the file itself.
    object: String,
    object_number: u32,
    /// The bytes of all structures so far. They cannot be more than the file has if none overlap.
    structure_bytes: u64,
}

/// The entries of the heaps of shared messages, which are compared with the references at the end.
#[derive(Default)]
pub(crate) struct SharedEntries {
    /// By the address of the heap and the heap ID: where the entry is, and the reference count that it states.
    pub entries: HashMap<(Address, [u8; 8]), (u64, u32)>,
}

/// Half the maximum numbers of children of version 1 B-tree nodes, and of entries of symbol table nodes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeSizes {
    pub group_internal: u64,
    pub group_leaf: u64,
    pub chunk_internal: u64,
}

/// Why the check of a structure ended.
#[derive(Debug)]
pub(crate) enum Interrupt {
    /// It could not be parsed, which is to be reported.
    Invalid(FormatError),
    /// The reason was reported already.
    Reported,
}

/// The result of checking a structure as far as that was possible.
pub(crate) type Checked<T = ()> = Result<T, Interrupt>;

impl From<FormatError> for Interrupt {
    fn from(error: FormatError) -> Self {
        Self::Invalid(error)
    }
}

impl From<Stop> for Interrupt {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Bad(error) => Self::Invalid(error),
            // All bytes are fetched when they are needed, unless the source has failed, which ends the check.
            Stop::Need(_) => Self::Reported,
        }
    }
}

impl<'a> Checker<'a> {
    pub(crate) fn new(
        input: &'a Input<'a>,
        view: View<'a>,
        superblock: Superblock,
        options: Options,
    ) -> Self {
        let node_sizes = NodeSizes {
            group_internal: superblock.group_internal_k.into(),
            group_leaf: superblock.group_leaf_k.into(),
            chunk_internal: superblock.chunk_internal_k.into(),
        };
        Self {
            input,
            view,
            superblock,
            options,
            report: Report::default(),
            extents: Extents::default(),
            shared: None,
            shared_uses: HashMap::new(),
            shared_attributes: HashSet::new(),
            shared_entries: SharedEntries::default(),
            datatype_uses: HashMap::new(),
            counts_uses: true,
            node_sizes,
            page_bytes: None,
            object: String::new(),
            object_number: 0,
            structure_bytes: 0,
        }
    }

    /// Sets the object that structures belong to from now on.
    pub(crate) fn enter(&mut self, path: &str) {
        self.object = path.to_owned();
        self.object_number = self.extents.object(path);
    }

    /// The path of the object that is being checked.
    pub(crate) fn object(&self) -> &str {
        &self.object
    }

    /// The context in which shared messages are looked up.
    pub(crate) fn with_context<T>(&self, parse: impl FnOnce(Context<'_>) -> Result<T, Stop>) -> Checked<T> {
        Ok(parse(Context { view: self.view, shared: self.shared.as_ref() })?)
    }

    /// Reports that a rule is violated at an absolute offset.
    pub(crate) fn report(
        &mut self,
        rule: &'static Rule,
        structure: &'static str,
        at: u64,
        message: impl Into<String>,
    ) {
        let source = if rule.source.is_empty() { general::section(structure) } else { rule.source };
        let (object, message) = (self.object.clone(), message.into());
        self.report.add(Finding { rule, object, structure, at, message, source });
    }

    /// Reports a rule if a condition does not hold.
    pub(crate) fn demand(
        &mut self,
        holds: bool,
        rule: &'static Rule,
        structure: &'static str,
        at: u64,
        message: impl FnOnce() -> String,
    ) {
        if !holds {
            self.report(rule, structure, at, message());
        }
    }

    /// Reports why the check of a structure ended early.
    pub(crate) fn finish<T>(&mut self, checked: Checked<T>) -> Option<T> {
        match checked {
            Ok(value) => Some(value),
            Err(Interrupt::Reported) => None,
            Err(Interrupt::Invalid(error)) => {
                let message = format!("{}: {}", error.field, error.problem);
                self.report(general::rule_of(&error), error.structure, error.at, message);
                None
            }
        }
    }

    /// Notes that the bytes from an address on belong to a structure.
    ///
    /// # Errors
    /// If they are not in the file, or if another structure begins there: then this one is not looked at.
    pub(crate) fn claim(&mut self, structure: &'static str, address: Address, bytes: u64) -> Checked {
        let at = self.view.absolute(address);
        self.check_end(structure, at, bytes)?;
        self.structure_bytes = self.structure_bytes.saturating_add(bytes);
        let is_first = self.extents.is_first_at(at);
        if bytes > 0 && (!is_first || self.structure_bytes > 2 * self.view.stored_bytes() + (1 << 20)) {
            let what = "another structure begins at this address, or all structures overlap too much";
            self.report(&crate::extents::OVERLAP, structure, at, what);
            return Err(Interrupt::Reported);
        }
        self.claim_at(structure, at, bytes)?;
        if bytes > STRUCTURE_BYTES_MAX {
            let what = format!("the structure has {bytes} bytes and was not checked");
            self.report(&general::LIMIT, structure, at, what);
            return Err(Interrupt::Reported);
        }
        self.check_page(structure, at, bytes);
        Ok(())
    }

    /// Notes that bytes belong to something that is not followed: raw data.
    pub(crate) fn claim_at(&mut self, structure: &'static str, at: u64, bytes: u64) -> Checked {
        if bytes > 0 {
            self.check_end(structure, at, bytes)?;
            self.extents.add(structure, at, bytes, self.object_number);
        }
        Ok(())
    }

    fn check_end(&mut self, structure: &'static str, at: u64, bytes: u64) -> Checked {
        if self.view.holds(at, bytes) {
            return Ok(());
        }
        let end = self.view.file_len();
        let what = format!("{bytes} bytes from here on, but the file has {end} bytes");
        self.report(&general::PAST_END, structure, at, what);
        Err(Interrupt::Reported)
    }

    /// A cursor over a structure, whose bytes are noted.
    pub(crate) fn cursor(
        &mut self,
        structure: &'static str,
        address: Address,
        bytes: u64,
    ) -> Checked<Cursor> {
        self.claim(structure, address, bytes)?;
        Ok(self.view.cursor(structure, address, bytes)?)
    }

    /// A cursor over bytes that do not begin a structure of their own, or whose structure is noted later.
    pub(crate) fn peek(&self, structure: &'static str, address: Address, bytes: u64) -> Checked<Cursor> {
        Ok(self.view.cursor(structure, address, bytes)?)
    }

    /// Skips reserved bytes, which must be zero.
    pub(crate) fn reserved(&mut self, cursor: &mut Cursor, field: &'static str, len: usize) -> Checked {
        let at = cursor.at();
        let bytes = cursor.bytes(field, len)?;
        if bytes.iter().any(|&byte| byte != 0) {
            let what = format!("{field}: the bytes {:02x?} are not zero", &bytes[..]);
            self.report(&general::RESERVED, cursor.structure(), at, what);
        }
        Ok(())
    }

    /// Checks that a number has no bits but these.
    pub(crate) fn only_bits(
        &mut self,
        (structure, at): (&'static str, u64),
        field: &'static str,
        value: u64,
        known: u64,
    ) {
        self.demand(value & !known == 0, &general::RESERVED, structure, at, || {
            format!("{field}: {value:#x} has reserved bits; the known ones are {known:#x}")
        });
    }
}
