//! A language model that believes what it has just seen: on top of any model's p(w|h),
//!
//! p_0 = (c(w) + t p) / (N + t), p_k = (c(h_k w) + m D(h_k) p_{k-1}) / (c(h_k) + m D(h_k))
//!
//! for the last k = 1, 2, 3 words h_k before w, D the number of different words seen after h_k (Witten and Bell 1991), t and m
//! the strengths. Contexts that were never seen change nothing.
//!
//! N-grams are nodes of a trie. What a search remembers is one node, the longest context that was seen; the node of a word
//! after it leads to that of the same word after any shorter context.

use super::Strengths;
use super::flat::Flat;
use super::index::{Index, NONE, hash};
use chiasm_lm::State;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// Contexts are at most so long.
const CONTEXT: usize = 3;

/// Marks before and after a sentence; no vocabulary is so large.
const BEGIN: u32 = u32::MAX;
pub(crate) const END: u32 = u32::MAX - 1;

/// The n-gram without words.
pub(crate) const ROOT: u32 = 0;

/// An n-gram: how often it was seen, and how many different words after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct Node {
    /// The n-gram without its last word, which is `word`.
    pub parent: u32,
    pub word: u32,
    /// The n-gram without its first word.
    pub shorter: u32,
    pub length: u32,
    count: u32,
    /// As a context.
    followed: u32,
    different: u32,
}

/// The n-grams of all that was learned.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NGrams {
    /// Each after those that it leads to.
    pub nodes: Flat<Node>,
    /// By their last words and what stands before.
    pub index: Index,
}

impl Default for NGrams {
    fn default() -> Self {
        NGrams {
            nodes: Flat::from(vec![Node::default()]),
            index: Index::default(),
        }
    }
}

impl NGrams {
    /// Nodes as they were; `None` if they are no trie.
    pub fn from_parts(nodes: Flat<Node>, index: Index) -> Option<Self> {
        let root = nodes.first()?.length == 0;
        let leads_back = |(number, node): (usize, &Node)| {
            let lengths = [node.parent, node.shorter].map(|other| nodes.get(other as usize));
            let [Some(parent), Some(shorter)] = lengths else {
                return false;
            };
            (node.parent as usize) < number
                && (node.shorter as usize) < number
                && parent.length + 1 == node.length
                && shorter.length + 1 == node.length
                && node.length as usize <= CONTEXT + 1
        };
        let sound = root && nodes.iter().enumerate().skip(1).all(leads_back);
        sound.then_some(NGrams { nodes, index })
    }

    /// The node of an n-gram and one more word.
    #[inline]
    fn child(&self, parent: u32, word: u32) -> Option<u32> {
        self.index.find(hash([parent, word]), |number| {
            let node = &self.nodes[number as usize];
            node.parent == parent && node.word == word
        })
    }

    fn child_or_new(&mut self, parent: u32, word: u32, shorter: u32) -> u32 {
        if let Some(known) = self.child(parent, word) {
            return known;
        }
        let number = self.nodes.len() as u32;
        let length = self.nodes[parent as usize].length + 1;
        self.nodes.own().push(Node {
            parent,
            word,
            shorter,
            length,
            ..Node::default()
        });
        self.index.put(hash([parent, word]), number, |_| false);
        number
    }

    /// The contexts of a node, the longest first, and how many there are; the last one is the root.
    #[inline]
    fn contexts(&self, node: u32) -> ([u32; CONTEXT + 1], usize) {
        let (mut contexts, mut count) = ([ROOT; CONTEXT + 1], 1);
        let mut node = node;
        while node != ROOT && count <= CONTEXT {
            contexts[count - 1] = node;
            count += 1;
            node = self.nodes[node as usize].shorter;
        }
        contexts[count - 1] = ROOT;
        (contexts, count)
    }

    /// As much of an n-gram as can be a context.
    #[inline]
    fn as_context(&self, node: u32) -> u32 {
        let found = &self.nodes[node as usize];
        match found.length as usize > CONTEXT {
            true => found.shorter,
            false => node,
        }
    }

    pub fn add(&mut self, words: &[u32]) {
        let mut context = self.child_or_new(ROOT, BEGIN, ROOT);
        for &word in words.iter().chain([&END]) {
            let (contexts, count) = self.contexts(context);
            let mut shorter = ROOT;
            for &before in contexts[..count].iter().rev() {
                let known = self.nodes.len();
                shorter = self.child_or_new(before, word, shorter);
                let nodes = self.nodes.own();
                nodes[shorter as usize].count += 1;
                let before = &mut nodes[before as usize];
                before.followed += 1;
                before.different += u32::from(shorter as usize == known);
            }
            context = self.as_context(shorter);
        }
    }

    /// The context before the first word.
    pub fn begin(&self) -> u32 {
        self.child(ROOT, BEGIN).unwrap_or(ROOT)
    }

    /// How many words a context has.
    #[inline]
    pub fn length(&self, context: u32) -> usize {
        self.nodes[context as usize].length as usize
    }

    /// What becomes of a word's probability after a context.
    pub fn change(&self, strengths: &Strengths, context: u32, word: u32) -> Change {
        let (contexts, count) = self.contexts(context);
        // The longest context after which the word was seen, and the n-gram of both: a word that was never seen after a
        // context was never seen after a longer one.
        let (mut longest, mut gram) = (count, NONE);
        for (number, &before) in contexts[..count].iter().enumerate().rev() {
            match self.child(before, word) {
                Some(found) => (longest, gram) = (number, found),
                None => break,
            }
        }
        let mut counts = [0; CONTEXT + 1];
        let mut shorter = gram;
        for count in &mut counts[longest..count] {
            let node = &self.nodes[shorter as usize];
            *count = node.count;
            shorter = node.shorter;
        }
        let (mut seen, mut share_of_model) = (0.0, 1.0);
        for (number, &context) in contexts[..count].iter().enumerate().rev() {
            let node = &self.nodes[context as usize];
            if node.followed == 0 {
                break;
            }
            let share = f64::from(match context {
                ROOT => strengths.text,
                _ => strengths.context * node.different as f32,
            });
            let total = f64::from(node.followed) + share;
            seen = (f64::from(counts[number]) + share * seen) / total;
            share_of_model *= share / total;
        }
        let next = match gram {
            NONE => ROOT,
            gram => self.as_context(gram),
        };
        Change {
            seen,
            share_of_model,
            next,
        }
    }
}

/// What becomes of a word's probability p: `seen` + `share_of_model` p.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    seen: f64,
    share_of_model: f64,
    /// The context after the word.
    pub next: u32,
}

impl Change {
    pub const NONE: Change = Change {
        seen: 0.0,
        share_of_model: 1.0,
        next: ROOT,
    };

    /// What is to be added to the logarithm of the probability.
    #[inline]
    pub fn gain(&self, logarithm: f32) -> f32 {
        let ratio = match self.seen > 0.0 {
            // A word that the model holds for impossible is as improbable as can be.
            true => self.seen * f64::from(-logarithm).exp().min(1e300) + self.share_of_model,
            false => self.share_of_model,
        };
        ratio.ln() as f32
    }
}

/// A context as the search keeps it among the states of language models.
#[inline]
pub(crate) fn state_of(context: u32) -> State {
    match context {
        ROOT => State::empty(),
        node => State::of_context(&[node]),
    }
}

/// The context of such a state.
#[inline]
pub(crate) fn context_of(state: &State) -> u32 {
    state.context().first().copied().unwrap_or(ROOT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn gain(
        grams: &NGrams,
        strengths: &Strengths,
        context: u32,
        word: u32,
        base: f32,
    ) -> (f32, u32) {
        let change = grams.change(strengths, context, word);
        (change.gain(base.ln()), change.next)
    }

    /// Probabilities after any context still add up to one: what sightings take, the model loses.
    #[test]
    fn gains_leave_a_distribution() {
        let mut grams = NGrams::default();
        grams.add(&[1, 2, 3, 1, 2]);
        grams.add(&[2, 2, 1]);
        let strengths = Strengths {
            text: 7.0,
            context: 0.5,
            ..Strengths::default()
        };
        let base = [0.1_f32, 0.3, 0.2, 0.15, 0.05, 0.2]; // words 0 to 4, and the end
        let mut context = grams.begin();
        for word in [2, 2, 1, 2, 3, 4, 1] {
            let gained = |at: usize| match at {
                5 => grams.change(&strengths, context, END).gain(base[5].ln()),
                word => gain(&grams, &strengths, context, word as u32, base[word]).0,
            };
            let total: f32 = (0..6).map(|at| base[at] * gained(at).exp()).sum();
            assert!((total - 1.0).abs() < 1e-5, "{total} after {context}");
            context = gain(&grams, &strengths, context, word, base[word as usize]).1;
        }
        let nothing = NGrams::default();
        assert_eq!(
            gain(&nothing, &strengths, nothing.begin(), 1, 0.5),
            (0.0, ROOT)
        );
    }

    /// The formulas above, on the sentences themselves.
    struct Slow {
        sentences: Vec<Vec<u32>>,
    }

    impl Slow {
        fn followed(&self, context: &[u32]) -> Vec<u32> {
            let all = self.sentences.iter().flat_map(|sentence| {
                let marked: Vec<u32> = [&[BEGIN], &sentence[..], &[END]].concat();
                let windows = marked.windows(context.len() + 1).map(<[u32]>::to_vec);
                windows.collect::<Vec<_>>()
            });
            let (last, length) = (|gram: Vec<u32>| gram[context.len()], context.len());
            let after: Vec<u32> = all
                .filter(|gram| gram[..length] == *context)
                .map(last)
                .collect();
            after.into_iter().filter(|&word| word != BEGIN).collect()
        }

        fn gain(&self, strengths: &Strengths, history: &[u32], word: u32, base: f32) -> f64 {
            let mut probability = f64::from(base);
            for length in 0..=history.len().min(CONTEXT) {
                let followed = self.followed(&history[history.len() - length..]);
                if followed.is_empty() {
                    break;
                }
                let different: std::collections::HashSet<&u32> = followed.iter().collect();
                let count = followed.iter().filter(|&&other| other == word).count();
                let share = f64::from(match length {
                    0 => strengths.text,
                    _ => strengths.context * different.len() as f32,
                });
                probability =
                    (count as f64 + share * probability) / (followed.len() as f64 + share);
            }
            (probability / f64::from(base)).ln()
        }
    }

    proptest! {
        #[test]
        fn gains_are_those_of_the_formulas(
            sentences in prop::collection::vec(prop::collection::vec(0u32..4, 0..7), 0..6),
            walk in prop::collection::vec(0u32..6, 0..9),
            base in 0.01f32..0.9,
        ) {
            let strengths = Strengths { text: 9.0, context: 0.7, ..Strengths::default() };
            let mut grams = NGrams::default();
            sentences.iter().for_each(|sentence| grams.add(sentence));
            let slow = Slow { sentences };
            let (mut history, mut context) = (vec![BEGIN], grams.begin());
            for word in walk {
                let end = grams.change(&strengths, context, END).gain(base.ln());
                let expected = slow.gain(&strengths, &history, END, base);
                prop_assert!((f64::from(end) - expected).abs() < 1e-4, "{} {}", end, expected);
                let (gained, next) = gain(&grams, &strengths, context, word, base);
                let expected = slow.gain(&strengths, &history, word, base);
                prop_assert!((f64::from(gained) - expected).abs() < 1e-4, "{} {}", gained, expected);
                history.push(word);
                context = next;
                // It remembers what matters and no more.
                let longest = (0..=CONTEXT.min(history.len())).rev()
                    .find(|length| !slow.followed(&history[history.len() - length..]).is_empty());
                prop_assert_eq!(grams.length(context), longest.unwrap_or(0));
            }
            let parts = NGrams::from_parts(grams.nodes.clone(), grams.index.clone());
            prop_assert_eq!(parts, Some(grams));
        }
    }
}
