//! Which source words are translated. A hypothesis carries the number of its coverage; the bits
//! are stored once a sentence, as many 64-bit words as the sentence needs, so that long sentences
//! cost nothing for short ones.

use chiasm_phrases::Span;
use hashbrown::HashTable;
use std::hash::Hasher;

/// The coverage in which nothing is translated.
pub(crate) const NOTHING_COVERED: u32 = 0;

/// A run of uncovered words.
pub(crate) type Gap = Span;

#[derive(Default)]
pub(crate) struct Coverages {
    length: usize,
    width: usize,
    bits: Vec<u64>,
    scratch: Vec<u64>,
    numbers: HashTable<u32>,
}

fn hash(bits: &[u64]) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    for &word in bits {
        hasher.write_u64(word);
    }
    hasher.finish()
}

impl Coverages {
    /// Forgets everything and begins a sentence of `length` words.
    pub fn begin(&mut self, length: usize) {
        self.length = length;
        self.width = length.div_ceil(64).max(1);
        self.bits.clear();
        self.numbers.clear();
        self.scratch.clear();
        self.scratch.resize(self.width, 0);
        self.intern();
    }

    fn bits(&self, coverage: u32) -> &[u64] {
        let start = coverage as usize * self.width;
        &self.bits[start..start + self.width]
    }

    pub fn is_covered(&self, coverage: u32, position: usize) -> bool {
        self.bits(coverage)[position / 64] >> (position % 64) & 1 == 1
    }

    /// Right after the last covered word; how many gaps there are before it; the first word that is not covered.
    pub fn shape(&self, coverage: u32) -> (u32, u32, u32) {
        let (mut frontier, mut open, mut first) = (0, 0, None);
        let bits = self.bits(coverage);
        for (number, &word) in bits.iter().enumerate() {
            let start = number as u32 * 64;
            if word != 0 {
                frontier = start + 64 - word.leading_zeros();
            }
            if first.is_none() && word != u64::MAX {
                first = Some(start + word.trailing_ones());
            }
            // A gap ends where a covered word follows one that is not.
            let next = bits.get(number + 1).map_or(0, |next| next << 63);
            open += (!word & (word >> 1 | next)).count_ones();
        }
        (frontier, open, first.unwrap_or(frontier))
    }

    /// The coverage with `span` added.
    pub fn extend(&mut self, coverage: u32, span: Span) -> u32 {
        let start = coverage as usize * self.width;
        self.scratch
            .copy_from_slice(&self.bits[start..start + self.width]);
        for position in span.range() {
            self.scratch[position / 64] |= 1 << (position % 64);
        }
        self.intern()
    }

    fn intern(&mut self) -> u32 {
        let (width, bits, scratch) = (self.width, &mut self.bits, &self.scratch);
        let at = |number: u32| {
            let start = number as usize * width;
            start..start + width
        };
        let hashed = hash(scratch);
        if let Some(&found) = self
            .numbers
            .find(hashed, |&number| bits[at(number)] == scratch[..])
        {
            return found;
        }
        let number = (bits.len() / width) as u32;
        bits.extend_from_slice(scratch);
        self.numbers
            .insert_unique(hashed, number, |&other| hash(&bits[at(other)]));
        number
    }

    /// The runs of uncovered words, left to right.
    pub fn gaps(&self, coverage: u32, gaps: &mut Vec<Gap>) {
        gaps.clear();
        let mut position = 0;
        while let Some(start) = self.next_with(coverage, position, false) {
            let end = self.next_with(coverage, start, true).unwrap_or(self.length);
            gaps.push(Span::new(start as u32, end as u32));
            position = end;
        }
    }

    /// The first position from `from` on that is covered, or uncovered.
    fn next_with(&self, coverage: u32, from: usize, covered: bool) -> Option<usize> {
        let bits = self.bits(coverage);
        let mut position = from;
        while position < self.length {
            let word = bits[position / 64] >> (position % 64);
            let word = if covered { word } else { !word };
            if word != 0 {
                let found = position + word.trailing_zeros() as usize;
                return (found / 64 == position / 64 && found < self.length)
                    .then_some(found)
                    .or_else(|| self.next_with(coverage, (position / 64 + 1) * 64, covered));
            }
            position = (position / 64 + 1) * 64;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_a_vector_of_booleans(
            length in 1usize..200,
            spans in prop::collection::vec((0usize..200, 1usize..9), 0..30),
        ) {
            let mut coverages = Coverages::default();
            coverages.begin(length);
            let (mut slow, mut coverage) = (vec![false; length], NOTHING_COVERED);
            for (start, size) in spans {
                let (start, end) = (start.min(length), (start + size).min(length));
                slow[start..end].fill(true);
                let span = Span::new(start as u32, end as u32);
                coverage = coverages.extend(coverage, span);
                prop_assert_eq!(coverage, coverages.extend(coverage, span));
                for position in 0..length {
                    prop_assert_eq!(slow[position], coverages.is_covered(coverage, position));
                }
                let mut gaps = Vec::new();
                coverages.gaps(coverage, &mut gaps);
                let mut covered = vec![true; length];
                for gap in &gaps {
                    covered[gap.start as usize..gap.end as usize].fill(false);
                }
                prop_assert_eq!(&covered, &slow);
                let frontier = slow.iter().rposition(|&word| word).map_or(0, |last| last as u32 + 1);
                let open = gaps.iter().filter(|gap| gap.end <= frontier).count() as u32;
                let first = slow.iter().position(|&word| !word).map_or(frontier, |word| word as u32);
                prop_assert_eq!(coverages.shape(coverage), (frontier, open, first));
                prop_assert!(gaps.windows(2).all(|pair| pair[0].end < pair[1].start));
            }
        }
    }
}
