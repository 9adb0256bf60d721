//! The special attributes of CDL, which ncgen understands.

use super::storage::{StorageLines, joined};
use crate::filter::number::{
    BIT_GROOM, DEFLATE, FLETCHER32, GRANULAR_BIT_ROUND, LZF, NBIT, SCALEOFFSET, SHUFFLE, ZFP,
};

impl StorageLines<'_> {
    /// The attributes of a variable of the root group. `None` for filters that ncgen does not write.
    pub fn cdl(&self) -> Option<String> {
        let name = &cdl_name(self.root_name()?)?;
        let Some(chunks) = self.chunks else { return Some(format!("{name}:_Storage = \"contiguous\" ;")) };
        if self.decimal_digits.is_some() {
            return None;
        }
        let mut words =
            vec![format!("{name}:_Storage = \"chunked\" ; {name}:_ChunkSizes = {} ;", joined(chunks, ", "))];
        words.extend(self.has(SHUFFLE).then(|| format!("{name}:_Shuffle = \"true\" ;")));
        for filter in self.filters {
            match filter.id {
                SHUFFLE | FLETCHER32 => {}
                DEFLATE => words.push(format!("{name}:_DeflateLevel = {} ;", filter.parameters.first()?)),
                LZF | NBIT | SCALEOFFSET | ZFP | BIT_GROOM | GRANULAR_BIT_ROUND => return None,
                id => {
                    let all: Vec<u32> =
                        std::iter::once(u32::from(id)).chain(filter.parameters.iter().copied()).collect();
                    words.push(format!("{name}:_Filter = \"{}\" ;", joined(&all, ",")));
                }
            }
        }
        words.extend(self.has(FLETCHER32).then(|| format!("{name}:_Fletcher32 = \"true\" ;")));
        Some(words.join(" "))
    }
}

/// A name as CDL has it, with a backslash before what is special there. `None` for names that CDL cannot have.
fn cdl_name(name: &str) -> Option<String> {
    if name.is_empty() || name.contains(|c: char| c.is_control() || c == '/') {
        return None;
    }
    let mut escaped = String::with_capacity(name.len());
    for (place, c) in name.chars().enumerate() {
        let is_plain = c.is_alphabetic() || !c.is_ascii() || "_.@+-".contains(c) && place > 0 || c == '_';
        let is_digit = c.is_ascii_digit();
        if !(is_plain || is_digit && place > 0) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    Some(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_cdl_are_escaped() {
        assert_eq!(cdl_name("t2m").as_deref(), Some("t2m"));
        assert_eq!(cdl_name("2m temp (K)").as_deref(), Some(r"\2m\ temp\ \(K\)"));
        assert_eq!(cdl_name("new\nline"), None, "CDL has no such names");
    }
}
