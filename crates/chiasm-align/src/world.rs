//! One direction of a corpus as samplers see it: what does not change while they run.

use crate::bitext::Bitext;
use crate::cells::pair_cells;
use crate::jumps::classes;
use crate::rows::Rows;
use crate::spelling::Spellings;
use chiasm_text::Text;
use std::ops::Range;

/// Sentences of a block are sampled against the same counts, at once on as many threads as there are; then their changes are
/// counted, in order. A block is a small part of a corpus, at most so many sentence pairs, and of a small corpus a single one.
const LARGEST_BLOCK: usize = 2048;
/// The least number of blocks in a corpus that has so many sentence pairs.
const BLOCKS: usize = 128;
/// The sentence pairs that one thread takes at a time.
const PIECE: usize = 32;

/// One direction of a corpus.
pub struct World<'a> {
    /// The side that is linked to.
    pub parents: &'a Text,
    /// The side whose every word links to one parent or none.
    pub children: &'a Text,
    /// How many words the parents' vocabulary has.
    pub parent_words: usize,
    /// How many words the children's vocabulary has.
    pub child_words: usize,
    /// What spelling tells.
    pub spellings: Spellings,
    /// About what the priors of all children of a parent add up to, in units.
    pub masses: Vec<f32>,
    /// How many words each parent word stands beside.
    pub beside: Vec<u64>,
    /// Counts of a model that are added to the priors, in units.
    pub known: Option<Rows>,
    /// The jump class of every child word.
    pub classes: Vec<u8>,
    /// The most parents a pair that takes part has.
    pub longest: usize,
    /// Sentence pairs that one thread takes at a time.
    piece: usize,
    /// Sentence pairs in a block.
    block: usize,
}

impl<'a> World<'a> {
    /// A direction over a corpus, with counts of a model if there are any.
    pub fn new(bitext: &'a Bitext, forward: bool, known: Option<Rows>) -> Self {
        let (parents, children) = match forward {
            true => (&bitext.source, &bitext.target),
            false => (&bitext.target, &bitext.source),
        };
        let spellings = Spellings::new(&parents.vocabulary, &children.vocabulary);
        let (parent_words, child_words) = (parents.vocabulary.len(), children.vocabulary.len());
        let block = (bitext.len() / BLOCKS).clamp(1, LARGEST_BLOCK);
        let mut world = World {
            parents: &parents.text,
            children: &children.text,
            parent_words,
            child_words,
            spellings,
            masses: Vec::new(),
            beside: Vec::new(),
            known,
            classes: classes(&children.text, child_words),
            longest: 0,
            piece: PIECE.min(block),
            block,
        };
        let mut beside = vec![0u64; parent_words];
        for at in 0..bitext.len() {
            if !world.takes_part(at) {
                continue;
            }
            let parents = world.parents.sentence(at);
            world.longest = world.longest.max(parents.len());
            let children = world.children.sentence(at).len() as u64;
            for &word in parents {
                beside[word as usize] += children;
            }
        }
        let mass = |(word, &beside): (usize, &u64)| {
            let word = word as u32;
            let known = world.known.as_ref();
            let known = known.map_or(0, |rows| rows.row(word).total);
            world.spellings.mass(word, beside, child_words) + known as f32
        };
        world.masses = beside.iter().enumerate().map(mass).collect();
        world.beside = beside;
        world
    }

    /// What is known of a parent and a child before anything is counted, in units.
    #[inline]
    pub fn prior(&self, parent: u32, child: u32) -> u32 {
        let spelling = self.spellings.of_parent(parent);
        let spelling = spelling.prior(child, self.spellings.of_child(child));
        let known = self.known.as_ref();
        spelling.saturating_add(known.map_or(0, |known| known.row(parent).get(child)))
    }

    /// How many sentence pairs.
    pub fn sentences(&self) -> usize {
        self.parents.len()
    }

    /// Is there anything to align in a pair, and not too much?
    pub fn takes_part(&self, at: usize) -> bool {
        pair_cells(self.parents, self.children, at) > 0
    }

    /// How many pieces the corpus has.
    pub fn pieces(&self) -> usize {
        self.sentences().div_ceil(self.piece)
    }

    /// The sentence pairs of a piece.
    pub fn sentences_of(&self, piece: usize) -> Range<usize> {
        let start = piece * self.piece;
        start..(start + self.piece).min(self.sentences())
    }

    /// The pieces of every block. What they are depends on the corpus alone.
    pub fn blocks(&self) -> impl Iterator<Item = Range<usize>> {
        let (pieces, step) = (self.pieces(), self.block.div_ceil(self.piece));
        (0..pieces)
            .step_by(step)
            .map(move |start| start..(start + step).min(pieces))
    }

    /// Where the children of a piece lie among all.
    pub fn children_of(&self, piece: usize) -> Range<usize> {
        let sentences = self.sentences_of(piece);
        let offsets = &self.children.offsets;
        offsets[sentences.start] as usize..offsets[sentences.end] as usize
    }
}
