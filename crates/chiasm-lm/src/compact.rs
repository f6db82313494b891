//! The search by a trie of packed bits, for models that must be small.
//!
//! The trie goes from the last word of an n-gram to its first. The nodes of an order stand in
//! suffix order, so the children of a node (the n-grams with one more word on the left) stand
//! together, sorted by that word, and are found by binary search. A node has the word, eight bits
//! each for probability and back-off (see [`crate::quantise`]), and where its children begin; the
//! longest n-grams have word and probability only. 1-grams are kept as they are. Nothing is hashed,
//! so no n-gram is mistaken for another.

use crate::bits;
use crate::entry;
use crate::probing::Unigram;
use crate::search::Search;
use crate::{Error, Result};
use chiasm_store::{Array, Sections, Writer};

/// Values of a code book.
pub(crate) const CODES: usize = 256;
pub(crate) const CODE_BITS: usize = 8;

/// Where the numbers of a node are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) word: usize,
    /// 0 in the longest order.
    pub(crate) children: usize,
}

impl Layout {
    /// The layout of an order, from the size of the vocabulary and of the next order, if any.
    pub(crate) fn new(words: u64, next: Option<u64>) -> Self {
        Layout {
            word: bits::width_for(words.saturating_sub(1) as usize),
            children: next.map_or(0, |count| bits::width_for(count as usize)),
        }
    }

    pub(crate) fn node(&self) -> usize {
        match self.children {
            0 => self.word + CODE_BITS,
            children => self.word + 2 * CODE_BITS + children,
        }
    }

    /// Bytes of an order of `count` n-grams; one more node ends the children of the last.
    fn bytes(&self, count: u64) -> Option<usize> {
        let nodes = usize::try_from(count).ok()? + usize::from(self.children > 0);
        bits::bytes_for(nodes, self.node())
    }
}

/// The layouts of orders 2 and up.
pub(crate) fn layouts(counts: &[u64]) -> Vec<Layout> {
    let next = (1..counts.len()).map(|index| counts.get(index + 1).copied());
    next.map(|next| Layout::new(counts[0], next)).collect()
}

/// The nodes of an order.
#[derive(Clone)]
pub(crate) struct Level {
    pub(crate) layout: Layout,
    pub(crate) nodes: Array<u8>,
    /// Probabilities by code, then back-offs by code.
    pub(crate) values: Array<f32>,
}

/// A trie.
#[derive(Clone)]
pub(crate) struct Compact {
    pub(crate) unigrams: Array<Unigram>,
    /// Where the children of each word begin, and where those of the last end.
    pub(crate) children: Array<u32>,
    /// Orders 2 and up.
    pub(crate) levels: Vec<Level>,
}

/// The children of the n-gram that the search has found.
#[derive(Clone, Copy)]
pub(crate) struct Children {
    start: u64,
    end: u64,
}

impl Search for Compact {
    type Cursor = Children;

    #[inline(always)]
    fn unigram(&self, word: u32) -> (f32, f32, Children) {
        let unigram = self.unigrams[word as usize];
        let children = Children {
            start: u64::from(self.children[word as usize]),
            end: u64::from(self.children[word as usize + 1]),
        };
        (unigram.probability, unigram.backoff, children)
    }

    #[inline(always)]
    fn extend(
        &self,
        children: Children,
        matched: usize,
        before: u32,
    ) -> Option<(f32, f32, Children)> {
        let level = self.levels.get(matched)?;
        let node = level.find(children, before)?;
        Some(level.value(node))
    }
}

impl Level {
    #[inline(always)]
    fn find(&self, children: Children, word: u32) -> Option<u64> {
        let (width, node) = (self.layout.word, self.layout.node());
        let (mut start, mut end) = (children.start, children.end);
        while start < end {
            let middle = start + (end - start) / 2;
            let found = bits::read(&self.nodes, middle as usize * node, width) as u32;
            match found.cmp(&word) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => start = middle + 1,
                std::cmp::Ordering::Greater => end = middle,
            }
        }
        None
    }

    #[inline(always)]
    fn value(&self, node: u64) -> (f32, f32, Children) {
        let Layout { word, children } = self.layout;
        let at = node as usize * self.layout.node() + word;
        let code = bits::read(&self.nodes, at, CODE_BITS) as usize;
        let probability = self.values[code];
        if children == 0 {
            let none = Children { start: 0, end: 0 };
            return (probability, entry::NO_EXTENSION, none);
        }
        let code = bits::read(&self.nodes, at + CODE_BITS, CODE_BITS) as usize;
        let backoff = self.values[CODES + code];
        let at = at + 2 * CODE_BITS;
        let range = Children {
            start: bits::read(&self.nodes, at, children),
            end: bits::read(&self.nodes, at + self.layout.node(), children),
        };
        let probability = if range.start < range.end {
            entry::mark_left(probability)
        } else {
            probability
        };
        (probability, backoff, range)
    }
}

impl Compact {
    /// Bytes that so many n-grams of each order will take, spelling of words apart.
    pub(crate) fn estimate_bytes(counts: &[u64]) -> u64 {
        let words = counts[0] * (size_of::<Unigram>() + size_of::<u32>()) as u64;
        let levels = layouts(counts).into_iter().zip(&counts[1..]);
        let levels =
            levels.map(|(layout, &count)| layout.bytes(count).unwrap_or(usize::MAX) as u64);
        words + levels.fold(0, u64::saturating_add)
    }

    pub(crate) fn write_sections(&self, writer: &mut Writer) -> chiasm_store::Result<()> {
        writer.array("unigrams", &self.unigrams)?;
        writer.array("children", &self.children)?;
        for (index, level) in self.levels.iter().enumerate() {
            writer.bytes(&format!("order{}", index + 2), &level.nodes)?;
            writer.array(&format!("values{}", index + 2), &level.values)?;
        }
        Ok(())
    }

    pub(crate) fn from_sections(sections: &Sections, counts: &[u64]) -> Result<Self> {
        let children = sections.array::<u32>("children")?;
        if children.len() as u64 != counts[0].saturating_add(1) {
            return Err(Error::File(
                sections.corrupt("children", "has an impossible size"),
            ));
        }
        let mut levels = Vec::new();
        for (index, layout) in layouts(counts).into_iter().enumerate() {
            let name = format!("order{}", index + 2);
            let nodes = sections.array::<u8>(&name)?;
            if layout.word > 32
                || layout.children > 32
                || layout.bytes(counts[index + 1]) != Some(nodes.len())
            {
                return Err(Error::File(
                    sections.corrupt(&name, "has an impossible size"),
                ));
            }
            let name = format!("values{}", index + 2);
            let values = sections.array::<f32>(&name)?;
            if values.len() != 2 * CODES {
                return Err(Error::File(
                    sections.corrupt(&name, "has an impossible size"),
                ));
            }
            levels.push(Level {
                layout,
                nodes,
                values,
            });
        }
        Ok(Compact {
            unigrams: sections.array("unigrams")?,
            children,
            levels,
        })
    }
}
