//! Subwords by byte pair encoding (Sennrich et al. 2016): characters of a word, the most frequent neighbours merged
//! again and again. A word begins with a mark, so that the same letters inside a word are another subword.

use chiasm_store::{Result, Sections, Writer};
use rustc_hash::FxHashMap;
use std::collections::BinaryHeap;

/// A character that training did not see.
pub(crate) const UNKNOWN: u16 = 0;
/// Before the first and after the last subword of a sentence.
pub(crate) const BOUNDARY: u16 = 1;
/// The beginning of a word.
const WORD: u16 = 2;
/// The first character.
const FIRST: u16 = 3;

/// The most subwords that fit into 16 bits with room to spare.
pub(crate) const MOST_PIECES: usize = 60_000;

/// What words are made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subwords {
    characters: FxHashMap<char, u16>,
    /// Two neighbours and what they become; earlier merges have smaller numbers.
    merges: FxHashMap<[u16; 2], u16>,
}

/// A pair that may be merged; the most frequent first, of equal ones that of smaller numbers.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    count: u64,
    pair: std::cmp::Reverse<[u16; 2]>,
}

impl Subwords {
    /// Learns at most `size` subwords from words and how often each occurs; the order of the words does not matter.
    pub fn learn<'a>(words: impl IntoIterator<Item = (&'a str, u64)>, size: usize) -> Self {
        let size = size.clamp(usize::from(FIRST) + 1, MOST_PIECES);
        let mut words: Vec<(&str, u64)> = words.into_iter().collect();
        words.sort_unstable();
        let mut subwords = Subwords {
            characters: frequent_characters(&words, size),
            merges: FxHashMap::default(),
        };
        let mut spelled: Vec<(Vec<u16>, u64)> = words
            .iter()
            .map(|&(word, count)| (subwords.spell(word), count))
            .collect();
        subwords.merge(&mut spelled, size);
        subwords
    }

    fn spell(&self, word: &str) -> Vec<u16> {
        let known = |character| self.characters.get(&character).copied();
        let characters = word.chars().map(|c| known(c).unwrap_or(UNKNOWN));
        std::iter::once(WORD).chain(characters).collect()
    }

    /// Merges neighbours until there are `size` subwords or no pair occurs twice.
    fn merge(&mut self, words: &mut [(Vec<u16>, u64)], size: usize) {
        let mut counts: FxHashMap<[u16; 2], u64> = FxHashMap::default();
        let mut places: FxHashMap<[u16; 2], Vec<u32>> = FxHashMap::default();
        for (number, (pieces, count)) in words.iter().enumerate() {
            for pair in pairs(pieces) {
                *counts.entry(pair).or_default() += count;
                places.entry(pair).or_default().push(number as u32);
            }
        }
        let candidate = |pair: [u16; 2], count: u64| Candidate {
            count,
            pair: std::cmp::Reverse(pair),
        };
        let mut heap: BinaryHeap<Candidate> = counts
            .iter()
            .map(|(&pair, &count)| candidate(pair, count))
            .collect();
        while self.len() < size {
            let Some(Candidate { count, pair }) = heap.pop() else {
                break;
            };
            let pair = pair.0;
            let now = counts.get(&pair).copied().unwrap_or(0);
            if now != count {
                // What was counted has been merged with something else meanwhile.
                if now > 0 {
                    heap.push(candidate(pair, now));
                }
                continue;
            }
            if count < 2 {
                break;
            }
            let merged = self.len() as u16;
            self.merges.insert(pair, merged);
            let mut at = places.remove(&pair).unwrap_or_default();
            at.dedup();
            let mut grown: Vec<[u16; 2]> = Vec::new();
            for number in at {
                let (pieces, count) = &mut words[number as usize];
                for old in pairs(pieces) {
                    if let Some(total) = counts.get_mut(&old) {
                        *total = total.saturating_sub(*count);
                    }
                }
                replace(pieces, pair, merged);
                for new in pairs(pieces) {
                    *counts.entry(new).or_default() += *count;
                    if new.contains(&merged) {
                        places.entry(new).or_default().push(number);
                        grown.push(new);
                    }
                }
            }
            counts.remove(&pair);
            grown.sort_unstable();
            grown.dedup();
            for pair in grown {
                heap.push(candidate(pair, counts[&pair]));
            }
        }
    }

    /// How many subwords there are, the special ones among them.
    pub fn len(&self) -> usize {
        usize::from(FIRST) + self.characters.len() + self.merges.len()
    }

    /// Were none learned?
    pub fn is_empty(&self) -> bool {
        self.characters.is_empty()
    }

    /// Adds the subwords of a word.
    pub(crate) fn encode(&self, word: &str, into: &mut Vec<u16>) {
        let mut pieces = self.spell(word);
        // Earlier merges first, as they were learned.
        loop {
            let known = pairs(&pieces).filter_map(|pair| Some((*self.merges.get(&pair)?, pair)));
            let Some((merged, pair)) = known.min() else {
                break;
            };
            replace(&mut pieces, pair, merged);
        }
        into.append(&mut pieces);
    }

    /// The words that subwords stand for.
    pub(crate) fn decode(&self, pieces: &[u16]) -> Vec<String> {
        let parts: FxHashMap<u16, [u16; 2]> = self.merges.iter().map(|(&p, &m)| (m, p)).collect();
        let letters: FxHashMap<u16, char> = self.characters.iter().map(|(&c, &p)| (p, c)).collect();
        let mut words: Vec<String> = Vec::new();
        let mut rest: Vec<u16> = pieces.iter().rev().copied().collect();
        while let Some(piece) = rest.pop() {
            if let Some(&[first, second]) = parts.get(&piece) {
                rest.extend([second, first]);
            } else if piece == WORD || words.is_empty() {
                words.push(String::new());
            }
            if let (Some(word), Some(&letter)) = (words.last_mut(), letters.get(&piece)) {
                word.push(letter);
            }
        }
        words.retain(|word| !word.is_empty());
        words
    }

    /// Writes sections `characters` and `merges`.
    pub(crate) fn write_sections(&self, writer: &mut Writer) -> Result<()> {
        let mut characters: Vec<(u16, char)> =
            self.characters.iter().map(|(&c, &id)| (id, c)).collect();
        characters.sort_unstable();
        let text: String = characters.into_iter().map(|(_, c)| c).collect();
        writer.bytes("characters", text.as_bytes())?;
        let mut merges: Vec<(u16, [u16; 2])> =
            self.merges.iter().map(|(&pair, &id)| (id, pair)).collect();
        merges.sort_unstable();
        let merges: Vec<[u16; 2]> = merges.into_iter().map(|(_, pair)| pair).collect();
        writer.array("merges", &merges)
    }

    /// Reads what [`Subwords::write_sections`] wrote.
    pub(crate) fn from_sections(sections: &Sections) -> Result<Self> {
        let mut subwords = Subwords::default();
        let merges = sections.array::<[u16; 2]>("merges")?;
        let characters = sections.text("characters")?;
        for character in characters.chars() {
            let next = subwords.len();
            if next >= MOST_PIECES || subwords.characters.insert(character, next as u16).is_some() {
                return Err(sections.corrupt("characters", "are repeated or too many"));
            }
        }
        for &pair in merges.iter() {
            let next = subwords.len();
            let earlier = pair.iter().all(|&piece| usize::from(piece) < next);
            let new = next < MOST_PIECES && subwords.merges.insert(pair, next as u16).is_none();
            if !earlier || !new {
                return Err(sections.corrupt("merges", "are not of earlier subwords"));
            }
        }
        Ok(subwords)
    }
}

fn pairs(pieces: &[u16]) -> impl Iterator<Item = [u16; 2]> {
    let mergeable = |pair: &[u16; 2]| !pair.contains(&UNKNOWN);
    pieces
        .windows(2)
        .map(|two| [two[0], two[1]])
        .filter(mergeable)
}

/// Merges every occurrence of a pair, from the left.
fn replace(pieces: &mut Vec<u16>, pair: [u16; 2], merged: u16) {
    let (mut read, mut write) = (0, 0);
    while read < pieces.len() {
        let both = pieces.get(read..read + 2) == Some(&pair[..]);
        pieces[write] = if both { merged } else { pieces[read] };
        read += if both { 2 } else { 1 };
        write += 1;
    }
    pieces.truncate(write);
}

/// The characters that occur at least twice, the most frequent if there are too many: at most two thirds of all subwords.
fn frequent_characters(words: &[(&str, u64)], size: usize) -> FxHashMap<char, u16> {
    let mut counts: FxHashMap<char, u64> = FxHashMap::default();
    for &(word, count) in words {
        for character in word.chars() {
            *counts.entry(character).or_default() += count;
        }
    }
    let mut frequent: Vec<(char, u64)> =
        counts.into_iter().filter(|&(_, count)| count > 1).collect();
    frequent.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    frequent.truncate((size * 2 / 3).max(1).min(size - usize::from(FIRST)));
    let numbered = frequent.iter().zip(FIRST..);
    numbered
        .map(|(&(character, _), id)| (character, id))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition: count all pairs anew for each merge.
    fn slow_merges(words: &[(&str, u64)], subwords: &Subwords, size: usize) -> Vec<[u16; 2]> {
        let mut spelled: Vec<(Vec<u16>, u64)> = words
            .iter()
            .map(|&(word, count)| (subwords.spell(word), count))
            .collect();
        let first = usize::from(FIRST) + subwords.characters.len();
        let mut merges = Vec::new();
        while first + merges.len() < size {
            let mut counts = std::collections::BTreeMap::new();
            for (pieces, count) in &spelled {
                for pair in pairs(pieces) {
                    *counts.entry(pair).or_insert(0u64) += count;
                }
            }
            let best = counts
                .iter()
                .max_by_key(|&(&pair, &count)| (count, std::cmp::Reverse(pair)));
            let Some((&pair, _)) = best.filter(|&(_, &count)| count > 1) else {
                break;
            };
            let merged = (first + merges.len()) as u16;
            merges.push(pair);
            for (pieces, _) in &mut spelled {
                replace(pieces, pair, merged);
            }
        }
        merges
    }

    proptest! {
        #[test]
        fn merges_are_those_of_the_definition(
            words in prop::collection::btree_map("[abc]{1,6}", 1u64..9, 1..12), size in 4usize..40,
        ) {
            let words: Vec<(&str, u64)> = words.iter().map(|(word, &count)| (word.as_str(), count)).collect();
            let subwords = Subwords::learn(words.iter().copied(), size);
            let slow = slow_merges(&words, &subwords, size);
            let mut fast: Vec<(u16, [u16; 2])> = subwords.merges.iter().map(|(&p, &id)| (id, p)).collect();
            fast.sort_unstable();
            prop_assert_eq!(fast.into_iter().map(|(_, pair)| pair).collect::<Vec<_>>(), slow);
        }
    }

    #[test]
    fn words_are_told_from_their_ends_and_unknown_characters_from_known_ones() {
        let subwords = Subwords::learn([("cat", 9), ("cats", 5), ("scat", 2)], 20);
        let encode = |word: &str| {
            let mut pieces = Vec::new();
            subwords.encode(word, &mut pieces);
            pieces
        };
        assert_eq!(encode("cat").len(), 1);
        assert_ne!(encode("cat"), encode("scat")[1..]);
        assert_eq!(encode("猫"), [WORD, UNKNOWN]);
        assert_eq!(encode(""), [WORD]);
        assert!(Subwords::learn([], 100).is_empty());
    }
}
