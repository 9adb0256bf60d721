//! Fixed-length text as libhdf5 returns it: padded with NULs, however the file pads it.

use hyperslab_format::message::datatype::StringPadding;

/// The number of bytes of an element that are text. The remaining bytes are returned as NULs.
pub fn text_len(padding: StringPadding, element: &[u8]) -> usize {
    match padding {
        StringPadding::NullTerminate => element.iter().position(|&byte| byte == 0).unwrap_or(element.len()),
        StringPadding::NullPad => element.len(),
        StringPadding::SpacePad => {
            element.len() - element.iter().rev().take_while(|&&byte| byte == b' ').count()
        }
    }
}

/// The text of an element, without trailing NULs.
pub fn text(padding: StringPadding, element: &[u8]) -> &[u8] {
    let text = &element[..text_len(padding, element)];
    &text[..text.len() - text.iter().rev().take_while(|&&byte| byte == 0).count()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_padding_ends_text_in_its_own_way() {
        assert_eq!(text(StringPadding::NullTerminate, b"ab\0c"), b"ab");
        assert_eq!(text(StringPadding::NullTerminate, b"abcd"), b"abcd");
        assert_eq!(text(StringPadding::NullPad, b"a\0b\0"), b"a\0b");
        assert_eq!(text(StringPadding::SpacePad, b"a b "), b"a b");
        assert_eq!(text(StringPadding::SpacePad, b"a\0  "), b"a");
        assert_eq!(text(StringPadding::NullPad, b""), b"");
    }
}
