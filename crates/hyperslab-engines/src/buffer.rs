//! Room for values, in buffers that are used again.

/// There is not so much memory.
#[derive(Debug, thiserror::Error)]
#[error("no memory for {0} bytes")]
pub struct NoMemory(u64);

/// What new bytes hold until values come.
const UNUSED: u8 = 1;

/// The first so many bytes of a buffer, which grows where it is shorter. New bytes are touched, so that the engine's values
/// are not the first to lie there; those that were there stay as they are, which costs nothing.
pub fn reserve(buffer: &mut Vec<u8>, bytes: u64) -> Result<&mut [u8], NoMemory> {
    let wanted = usize::try_from(bytes).map_err(|_| NoMemory(bytes))?;
    if wanted > buffer.len() {
        buffer.try_reserve_exact(wanted - buffer.len()).map_err(|_| NoMemory(bytes))?;
        buffer.resize(wanted, UNUSED);
    }
    Ok(&mut buffer[..wanted])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_grows_and_is_used_again() {
        let mut buffer = Vec::new();
        assert_eq!(reserve(&mut buffer, 2).unwrap(), [UNUSED; 2]);
        reserve(&mut buffer, 2).unwrap().fill(7);
        assert_eq!(reserve(&mut buffer, 1).unwrap(), [7]);
        assert_eq!(reserve(&mut buffer, 3).unwrap(), [7, 7, UNUSED]);
        assert_eq!(
            reserve(&mut buffer, u64::MAX).unwrap_err().to_string(),
            format!("no memory for {} bytes", u64::MAX)
        );
        assert_eq!(buffer, [7, 7, UNUSED], "it is as it was");
    }
}
