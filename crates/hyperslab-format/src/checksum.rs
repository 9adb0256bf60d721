//! The metadata checksum: Bob Jenkins' lookup3, `hashlittle` with initial value 0 (specification, appendix on
//! checksums). It is also the hash of names in version 2 B-trees.

/// Returns the lookup3 hash of `bytes`.
pub fn lookup3(bytes: &[u8]) -> u32 {
    lookup3_from(bytes, 0)
}

/// Returns the lookup3 hash of `bytes` with another initial value than 0. That of a shared message is its type.
pub fn lookup3_from(bytes: &[u8], initial: u32) -> u32 {
    let init = 0xdead_beef_u32.wrapping_add(bytes.len() as u32).wrapping_add(initial);
    let (mut a, mut b, mut c) = (init, init, init);
    let mut rest = bytes;
    // The last 1 to 12 bytes are finalised instead of mixed, even if they are a full block.
    while rest.len() > 12 {
        let (block, tail) = rest.split_at(12);
        a = a.wrapping_add(word(block, 0));
        b = b.wrapping_add(word(block, 4));
        c = c.wrapping_add(word(block, 8));
        (a, b, c) = mix(a, b, c);
        rest = tail;
    }
    if rest.is_empty() {
        return c;
    }
    let mut last = [0u8; 12];
    last[..rest.len()].copy_from_slice(rest);
    a = a.wrapping_add(word(&last, 0));
    b = b.wrapping_add(word(&last, 4));
    c = c.wrapping_add(word(&last, 8));
    finish(a, b, c)
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn mix(mut a: u32, mut b: u32, mut c: u32) -> (u32, u32, u32) {
    a = a.wrapping_sub(c) ^ c.rotate_left(4);
    c = c.wrapping_add(b);
    b = b.wrapping_sub(a) ^ a.rotate_left(6);
    a = a.wrapping_add(c);
    c = c.wrapping_sub(b) ^ b.rotate_left(8);
    b = b.wrapping_add(a);
    a = a.wrapping_sub(c) ^ c.rotate_left(16);
    c = c.wrapping_add(b);
    b = b.wrapping_sub(a) ^ a.rotate_left(19);
    a = a.wrapping_add(c);
    c = c.wrapping_sub(b) ^ b.rotate_left(4);
    b = b.wrapping_add(a);
    (a, b, c)
}

fn finish(mut a: u32, mut b: u32, mut c: u32) -> u32 {
    c = (c ^ b).wrapping_sub(b.rotate_left(14));
    a = (a ^ c).wrapping_sub(c.rotate_left(11));
    b = (b ^ a).wrapping_sub(a.rotate_left(25));
    c = (c ^ b).wrapping_sub(b.rotate_left(16));
    a = (a ^ c).wrapping_sub(c.rotate_left(4));
    b = (b ^ a).wrapping_sub(a.rotate_left(14));
    (c ^ b).wrapping_sub(b.rotate_left(24))
}

#[cfg(test)]
mod tests {
    use super::lookup3;

    #[test]
    fn agrees_with_the_published_values() {
        // From the test driver at the end of lookup3.c.
        assert_eq!(lookup3(b""), 0xdead_beef);
        assert_eq!(lookup3(b"Four score and seven years ago"), 0x1777_0551);
    }
}
