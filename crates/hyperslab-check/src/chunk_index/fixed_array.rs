//! Chunks in a fixed array.

use super::{ARRAY_HEADER, Chunked};
use crate::checker::{Checked, Checker};
use crate::references::References;
use hyperslab_format::Address;
use hyperslab_format::message::ChunkIndex;

const HEADER: &str = "fixed array header";
const DATA_BLOCK: &str = "fixed array data block";
const PAGE: &str = "fixed array data block page";

impl Checker<'_> {
    pub(super) fn check_fixed_array(
        &mut self,
        chunked: &mut Chunked<'_>,
        references: &mut References,
    ) -> Checked {
        let ChunkIndex::FixedArray { page_bits } = chunked.layout.index else { return Ok(()) };
        let widths = self.view.widths;
        let (offset, length) = (u64::from(widths.offset), u64::from(widths.length));
        let mut header = self.cursor(HEADER, chunked.address, 12 + length + offset)?;
        let at = header.at();
        header.signature(b"FAHD")?;
        header.version(0..=0)?;
        let found = (header.u8("client ID")?, u64::from(header.u8("element size")?), header.u8("page bits")?);
        let element_bytes = self.element_bytes(chunked);
        let expected = (u8::from(chunked.is_filtered()), element_bytes, page_bits);
        self.demand(found == expected, &ARRAY_HEADER, HEADER, at, || {
            format!("client, element size and page bits are {found:?}, expected {expected:?}")
        });
        let elements = header.length("maximum number of entries")?;
        let expected = chunked.max_chunks.iter().try_fold(1u64, |all, max| all.checked_mul((*max)?));
        let data_block = header.address("data block address")?;
        header.checksum()?;
        if found != (u8::from(chunked.is_filtered()), element_bytes, page_bits) || page_bits >= 64 {
            return Ok(());
        }
        if expected != Some(elements) {
            let what = format!("{elements} elements, but at most {expected:?} chunks");
            self.report(&ARRAY_HEADER, HEADER, at, what);
            return Ok(());
        }
        let Some(address) = data_block else { return Ok(()) };
        self.check_fixed_data_block(chunked, address, (elements, page_bits, element_bytes), references)
    }

    fn check_fixed_data_block(
        &mut self,
        chunked: &mut Chunked<'_>,
        address: Address,
        (elements, page_bits, element_bytes): (u64, u8, u64),
        references: &mut References,
    ) -> Checked {
        let page = 1u64 << page_bits;
        let pages = if elements > page { elements.div_ceil(page) } else { 0 };
        let prefix = 6 + u64::from(self.view.widths.offset);
        let of_elements = elements.saturating_mul(element_bytes);
        if pages == 0 {
            let mut block = self.cursor(DATA_BLOCK, address, (prefix + 4).saturating_add(of_elements))?;
            self.check_array_block(chunked, &mut block, b"FADB")?;
            for number in 0..elements {
                self.check_array_element(chunked, &mut block, number, references)?;
            }
            block.checksum()?;
            return Ok(());
        }
        let bitmap_bytes = pages.div_ceil(8);
        let block_bytes = prefix + bitmap_bytes + 4;
        // The pages follow the block, and have their space whether they were written or not.
        let whole = block_bytes.saturating_add(of_elements).saturating_add(4 * pages);
        self.claim(DATA_BLOCK, address, whole)?;
        let mut block = self.peek(DATA_BLOCK, address, block_bytes)?;
        self.check_array_block(chunked, &mut block, b"FADB")?;
        let bitmap = block.bytes("page bitmap", bitmap_bytes as usize)?;
        let last_bits = 0xffu8.checked_shr((pages - 8 * (bitmap_bytes - 1)) as u32).unwrap_or(0);
        let unused = bitmap[bitmap.len() - 1] & last_bits;
        self.demand(unused == 0, &crate::general::RESERVED, DATA_BLOCK, block.at(), || {
            format!("the page bitmap has bits {unused:#04x} of pages that do not exist")
        });
        block.checksum()?;
        for number in 0..pages {
            let is_written = bitmap[(number / 8) as usize] & (0x80 >> (number % 8)) != 0;
            if !is_written {
                continue;
            }
            let first = number * page;
            let count = page.min(elements - first);
            let at = address.0 + block_bytes + number * (page * element_bytes + 4);
            let mut block = self.peek(PAGE, Address(at), count * element_bytes + 4)?;
            for number in first..first + count {
                self.check_array_element(chunked, &mut block, number, references)?;
            }
            let checksum = block.checksum().map_err(Into::into);
            self.finish(checksum);
        }
        Ok(())
    }
}
