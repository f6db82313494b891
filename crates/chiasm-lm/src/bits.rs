//! Numbers of any width up to 57 bits, one after another.

/// Bytes after the last number, so that eight can always be read at once.
const PADDING: usize = 8;

/// Bytes that `count` records of `width` bits take.
pub(crate) fn bytes_for(count: usize, width: usize) -> Option<usize> {
    let bits = count.checked_mul(width)?;
    bits.div_ceil(8).checked_add(PADDING)
}

/// Bits that numbers from 0 to `largest` take.
pub(crate) fn width_for(largest: usize) -> usize {
    (usize::BITS - largest.leading_zeros()).max(1) as usize
}

/// Reads `width` bits at bit `at`; 0 outside.
#[inline(always)]
pub(crate) fn read(bytes: &[u8], at: usize, width: usize) -> u64 {
    let Some(window) = bytes.get(at / 8..at / 8 + 8) else {
        return 0;
    };
    let mut eight = [0; 8];
    eight.copy_from_slice(window);
    (u64::from_le_bytes(eight) >> (at % 8)) & ((1 << width) - 1)
}

/// Writes numbers.
#[derive(Default)]
pub(crate) struct BitWriter {
    bytes: Vec<u8>,
    pending: u128,
    pending_bits: usize,
}

impl BitWriter {
    pub(crate) fn push(&mut self, number: u64, width: usize) {
        debug_assert!(width <= 57 && number >> width == 0);
        self.pending |= u128::from(number) << self.pending_bits;
        self.pending_bits += width;
        while self.pending_bits >= 8 {
            self.bytes.push(self.pending as u8);
            self.pending >>= 8;
            self.pending_bits -= 8;
        }
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        if self.pending_bits > 0 {
            self.bytes.push(self.pending as u8);
        }
        self.bytes.extend_from_slice(&[0; PADDING]);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(
            numbers in prop::collection::vec((any::<u64>(), 1usize..=57), 0..100),
        ) {
            let mut writer = BitWriter::default();
            for &(number, width) in &numbers {
                writer.push(number & ((1 << width) - 1), width);
            }
            let bytes = writer.finish();
            let mut at = 0;
            for &(number, width) in &numbers {
                prop_assert_eq!(read(&bytes, at, width), number & ((1 << width) - 1));
                at += width;
            }
            prop_assert_eq!(bytes.len(), bytes_for(at, 1).unwrap());
            prop_assert_eq!(read(&bytes, at + 64, 8), 0);
        }
    }

    #[test]
    fn widths() {
        assert_eq!([0, 1, 2, 255, 256].map(width_for), [1, 1, 2, 8, 9]);
    }
}
