//! Phrase pairs in any order become a phrase table.

use super::scores::ScoreMatrix;
use super::{Node, OptionRecord, PhraseTable, Precision};
use chiasm_phrases::PhraseLink;
use hashbrown::{HashMap, HashTable};
use rustc_hash::{FxBuildHasher, FxHasher};
use std::hash::{Hash, Hasher};

/// Sequences stored once each, in the order of their first appearance.
#[derive(Default)]
struct Interner<T> {
    ends: Vec<u32>,
    values: Vec<T>,
    numbers: HashTable<u32>,
}

fn hash_of<T: Hash>(values: &[T]) -> u64 {
    let mut hasher = FxHasher::default();
    values.hash(&mut hasher);
    hasher.finish()
}

impl<T: Hash + Eq + Copy> Interner<T> {
    fn get(ends: &[u32], values: &[T], number: u32) -> std::ops::Range<usize> {
        let index = number as usize;
        let start = if index == 0 { 0 } else { ends[index - 1] };
        debug_assert!(ends[index] as usize <= values.len());
        start as usize..ends[index] as usize
    }

    fn sequence(&self, number: u32) -> &[T] {
        &self.values[Self::get(&self.ends, &self.values, number)]
    }

    fn find(&self, sequence: &[T]) -> Option<u32> {
        self.numbers
            .find(hash_of(sequence), |&number| {
                self.sequence(number) == sequence
            })
            .copied()
    }

    fn intern(&mut self, sequence: &[T]) -> u32 {
        if let Some(found) = self.find(sequence) {
            return found;
        }
        let number = self.ends.len() as u32;
        self.values.extend_from_slice(sequence);
        self.ends.push(self.values.len() as u32);
        let (ends, values) = (&self.ends, &self.values);
        self.numbers
            .insert_unique(hash_of(sequence), number, |&other| {
                hash_of(&values[Self::get(ends, values, other)])
            });
        number
    }
}

/// Collects phrase pairs; [`PhraseTableBuilder::finish`] makes the table.
///
/// Scores are natural logarithms. A row has `columns` of them: the phrase scores first, then those
/// of the reordering tables, which may be filled in later.
pub struct PhraseTableBuilder {
    columns: usize,
    sources: Interner<u32>,
    targets: Interner<u32>,
    links: Interner<PhraseLink>,
    entries: Vec<(u32, u32, u32)>,
    scores: Vec<f32>,
    positions: HashMap<(u32, u32), u32, FxBuildHasher>,
    indexed: usize,
    expected: usize,
}

impl PhraseTableBuilder {
    /// An empty table with rows of `columns` scores.
    pub fn new(columns: usize) -> Self {
        PhraseTableBuilder {
            columns,
            sources: Interner::default(),
            targets: Interner::default(),
            links: Interner::default(),
            entries: Vec::new(),
            scores: Vec::new(),
            positions: HashMap::default(),
            indexed: 0,
            expected: 0,
        }
    }

    /// How many phrase pairs so far.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// None yet?
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds a phrase pair and returns its number. Scores beyond those given are 0. A pair should
    /// be added once; if it is added again, both stand in the table.
    pub fn add(
        &mut self,
        source: &[u32],
        target: &[u32],
        links: &[PhraseLink],
        scores: &[f32],
    ) -> usize {
        assert!(scores.len() <= self.columns, "more scores than columns");
        let entry = (
            self.sources.intern(source),
            self.targets.intern(target),
            self.links.intern(links),
        );
        self.entries.push(entry);
        self.scores.extend_from_slice(scores);
        self.scores.resize(self.entries.len() * self.columns, 0.0);
        self.entries.len() - 1
    }

    /// The number of a pair. Asking in the order of adding is cheap; the first question out of
    /// order builds an index of all pairs.
    pub fn find(&mut self, source: &[u32], target: &[u32]) -> Option<usize> {
        if let Some(&(this_source, this_target, _)) = self.entries.get(self.expected)
            && self.sources.sequence(this_source) == source
            && self.targets.sequence(this_target) == target
        {
            self.expected += 1;
            return Some(self.expected - 1);
        }
        if self.indexed < self.entries.len() {
            self.indexed = self.entries.len();
            for (position, entry) in self.entries.iter().enumerate().rev() {
                self.positions.insert((entry.0, entry.1), position as u32);
            }
        }
        let key = (self.sources.find(source)?, self.targets.find(target)?);
        let position = *self.positions.get(&key)? as usize;
        self.expected = position + 1;
        Some(position)
    }

    /// Overwrites scores of every pair whose source phrase has some, for reordering tables that
    /// know the source side alone.
    pub fn set_scores_by_source<'a>(
        &mut self,
        first: usize,
        scores: impl Fn(&[u32]) -> Option<&'a [f32]>,
    ) {
        for entry in 0..self.entries.len() {
            if let Some(scores) = scores(self.sources.sequence(self.entries[entry].0)) {
                self.set_scores(entry, first, scores);
            }
        }
    }

    /// Overwrites scores of a pair from column `first` on.
    pub fn set_scores(&mut self, entry: usize, first: usize, scores: &[f32]) {
        let start = entry * self.columns + first;
        self.scores[start..start + scores.len()].copy_from_slice(scores);
    }

    /// Sorts everything into the table's arrays.
    pub fn finish(self, precision: Precision) -> PhraseTable {
        let mut order: Vec<u32> = (0..self.sources.ends.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| self.sources.sequence(a).cmp(self.sources.sequence(b)));
        let mut by_source = vec![Vec::new(); order.len()];
        for (position, entry) in self.entries.iter().enumerate() {
            by_source[entry.0 as usize].push(position as u32);
        }
        let mut nodes = vec![Node {
            word: 0,
            first_child: 0,
            first_option: 0,
        }];
        let mut ranges = vec![(0usize, order.len(), 0usize)];
        let (mut options, mut scores) = (Vec::with_capacity(self.entries.len()), Vec::new());
        scores.reserve_exact(self.scores.len());
        // Breadth first: the queue is the node array itself.
        let mut next = 0;
        while next < nodes.len() {
            let (mut start, end, depth) = ranges[next];
            nodes[next].first_child = nodes.len() as u32;
            nodes[next].first_option = options.len() as u32;
            // A phrase that ends here sorts before those that go on.
            if start < end && self.sources.sequence(order[start]).len() == depth {
                for &position in &by_source[order[start] as usize] {
                    let (_, target, links) = self.entries[position as usize];
                    options.push(OptionRecord { target, links });
                    let row = position as usize * self.columns;
                    scores.extend_from_slice(&self.scores[row..row + self.columns]);
                }
                start += 1;
            }
            while start < end {
                let word = self.sources.sequence(order[start])[depth];
                let size = order[start..end]
                    .partition_point(|&source| self.sources.sequence(source)[depth] == word);
                nodes.push(Node {
                    word,
                    first_child: 0,
                    first_option: 0,
                });
                ranges.push((start, start + size, depth + 1));
                start += size;
            }
            next += 1;
        }
        nodes.push(Node {
            word: u32::MAX,
            first_child: nodes.len() as u32,
            first_option: options.len() as u32,
        });
        PhraseTable {
            nodes: nodes.into(),
            options: options.into(),
            target_ends: self.targets.ends.into(),
            target_words: self.targets.values.into(),
            link_ends: self.links.ends.into(),
            link_pairs: self.links.values.into(),
            scores: ScoreMatrix::new(scores, self.columns, precision),
            origin: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Pair = (Vec<u32>, Vec<u32>, f32);

    fn pairs() -> impl Strategy<Value = Vec<Pair>> {
        let phrase = || prop::collection::vec(0u32..5, 1..4);
        prop::collection::vec((phrase(), phrase(), -5f32..0.0), 0..60)
    }

    proptest! {
        #[test]
        fn finds_what_was_added_and_nothing_else(
            pairs in pairs(),
            queries in prop::collection::vec(prop::collection::vec(0u32..6, 0..5), 20),
        ) {
            let mut builder = PhraseTableBuilder::new(1);
            for (source, target, score) in &pairs {
                builder.add(source, target, &[], &[*score]);
            }
            let table = builder.finish(Precision::Sixteen);
            prop_assert_eq!(table.len(), pairs.len());
            let sources = pairs.iter().map(|pair| pair.0.clone());
            for query in sources.chain(queries) {
                let expected: Vec<(&[u32], f32)> = pairs
                    .iter()
                    .filter(|pair| pair.0 == query)
                    .map(|pair| (&pair.1[..], pair.2))
                    .collect();
                let mut found = Vec::new();
                for option in table.find(&query).unwrap() {
                    let mut score = [0.0];
                    table.scores(option, &mut score).unwrap();
                    found.push((table.option(option).unwrap().target, score[0]));
                }
                prop_assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn scores_can_be_filled_in_later_in_any_order() {
        let mut builder = PhraseTableBuilder::new(2);
        builder.add(&[1], &[1], &[PhraseLink::new(0, 0)], &[-1.0]);
        builder.add(&[1], &[2], &[], &[-2.0]);
        for (target, score) in [(2, -20.0), (1, -10.0)] {
            let entry = builder.find(&[1], &[target]).unwrap();
            builder.set_scores(entry, 1, &[score]);
        }
        assert_eq!(builder.find(&[2], &[1]), None);
        let table = builder.finish(Precision::Exact);
        let mut scores = [0.0; 2];
        table.scores(1, &mut scores).unwrap();
        assert_eq!(scores, [-2.0, -20.0]);
        assert_eq!(table.option(0).unwrap().links, &[PhraseLink::new(0, 0)]);
    }
}
