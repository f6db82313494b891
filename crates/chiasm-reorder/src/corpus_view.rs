//! A word-aligned corpus as the feature counter sees it: base features packed into 64 bits, and the
//! sentence pairs that are kept aside.

use crate::features::{BaseFeature, FeatureSet, Kind};
use crate::hashing::{
    HASHED_BITS, WordKey, hashed, key_hash, mix, owner, pair_of_phrases, word_hash,
};
use crate::kept::Kept;
use crate::settings::Task;
use chiasm_phrases::{
    ClassSet, Direction, Extractor, IndexedCorpus, IndexedPair, Instance, PhraseLink,
};

const WORD_BITS: u32 = 28;
const WORD_MASK: u64 = (1 << WORD_BITS) - 1;
const BEFORE_SENTENCE: u64 = WORD_MASK;
const AFTER_SENTENCE: u64 = WORD_MASK - 1;

/// The most words a side may have.
pub const MOST_WORDS: usize = (WORD_MASK - 2) as usize;

/// Words of both sides as models see them, by their numbers in the corpus.
#[derive(Clone, Debug, Default)]
pub struct CorpusWords {
    /// Source words.
    pub source: Vec<WordKey>,
    /// Target words.
    pub target: Vec<WordKey>,
    /// Hashes of the tags of source words.
    pub tags: Vec<u64>,
}

impl CorpusWords {
    /// Looks all words of a corpus up.
    pub fn new(
        corpus: &IndexedCorpus,
        source: impl Fn(&str) -> WordKey,
        target: impl Fn(&str) -> WordKey,
    ) -> Self {
        let tags = corpus.tags.iter().flat_map(|tags| tags.words());
        CorpusWords {
            tags: tags.map(word_hash).collect(),
            source: corpus.source.vocabulary.words().map(source).collect(),
            target: corpus.target.vocabulary.words().map(target).collect(),
        }
    }

    /// The words of a sentence pair.
    pub(crate) fn keys_of(
        &self,
        pair: &IndexedPair,
        source: &mut Vec<WordKey>,
        target: &mut Vec<WordKey>,
    ) {
        source.clear();
        source.extend(pair.source.iter().map(|&word| self.source[word as usize]));
        for (word, &tag) in source.iter_mut().zip(pair.tags) {
            word.tag = self.tags[tag as usize];
        }
        target.clear();
        target.extend(pair.target.iter().map(|&word| self.target[word as usize]));
    }

    /// The hash of a packed base feature.
    pub(crate) fn hash(&self, key: u64) -> u64 {
        let kind = Kind((key >> (2 * WORD_BITS)) as u8);
        if kind == Kind::HASHED {
            return hashed(key);
        }
        let value = |words: &[WordKey], number: u64| {
            if kind.is_class() {
                number
            } else {
                words[number as usize].hash
            }
        };
        let number = key >> WORD_BITS & WORD_MASK;
        let source = match number {
            _ if !kind.has_source() => None,
            BEFORE_SENTENCE => Some(crate::hashing::BEFORE_SENTENCE),
            AFTER_SENTENCE => Some(crate::hashing::AFTER_SENTENCE),
            number if kind.is_tag() => Some(self.tags[number as usize]),
            number => Some(value(&self.source, number)),
        };
        let target = kind
            .has_target()
            .then(|| value(&self.target, key & WORD_MASK));
        key_hash(kind, source, target)
    }
}

/// Which sentence pairs are kept aside: so many, spread evenly.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeldOut {
    /// How many.
    pub count: u64,
    /// Of how many.
    pub total: u64,
}

impl HeldOut {
    /// Is pair `index` kept aside?
    pub fn contains(&self, index: u64) -> bool {
        if self.total == 0 {
            return false;
        }
        let before =
            |index: u64| u128::from(index) * u128::from(self.count) / u128::from(self.total);
        before(index) != before(index + 1)
    }
}

/// One phrase pair in its sentence pair.
pub struct PhrasePair<'a> {
    /// Where it stands.
    pub instance: Instance,
    /// Its links.
    pub links: &'a [PhraseLink],
}

/// Finds the phrase pairs of sentence pairs. Holds the scratch memory of one thread.
#[derive(Default)]
pub struct PhraseFinder {
    extractor: Option<Extractor>,
    links: Vec<PhraseLink>,
}

impl PhraseFinder {
    /// Calls `found` with every phrase pair that has a class.
    pub fn find(&mut self, task: &Task, pair: &IndexedPair, mut found: impl FnMut(&PhrasePair)) {
        let extractor = self.extractor.get_or_insert_with(|| task.extractor());
        let links = &mut self.links;
        let total = task.classes.is_total();
        let has_class = |instance: &Instance| {
            let mut directions = task.directions.iter();
            directions.all(|direction| task.classes.class(instance.jump(direction)).is_some())
        };
        extractor.instances(pair.alignment, |instance| {
            if !total && !has_class(&instance) {
                return;
            }
            links.clear();
            links.extend(pair.alignment.links_inside(instance.spans));
            found(&PhrasePair { instance, links });
        });
    }
}

impl PhrasePair<'_> {
    /// Its class in a direction.
    pub fn class(&self, classes: ClassSet, direction: Direction) -> Option<usize> {
        classes.class(self.instance.jump(direction))
    }
}

impl PhraseFinder {
    /// The same with those that are examples.
    pub(crate) fn find_kept(
        &mut self,
        task: &Task,
        pair: &IndexedPair,
        kept: Option<&Kept>,
        mut found: impl FnMut(&PhrasePair),
    ) {
        let mut number = 0;
        self.find(task, pair, |phrase| {
            if kept.is_none_or(|kept| kept.contains(pair.index, number)) {
                found(phrase);
            }
            number += 1;
        });
    }
}

/// Packs the base features of a phrase pair, each once, with how often it occurs.
pub(crate) fn base_features(
    set: &FeatureSet,
    pair: &IndexedPair,
    phrase: &PhrasePair,
    words: &CorpusWords,
    into: &mut Vec<(u64, u32)>,
) {
    into.clear();
    let spans = phrase.instance.spans;
    let target = &pair.target[spans.target.range()];
    let source_hash = |&word: &u32| words.source[word as usize].hash;
    let own = &pair.source[spans.source.range()];
    let owner = set.by_phrase.then(|| owner(own.iter().map(source_hash)));
    let mut add = |feature: BaseFeature| {
        let mut key = if feature.kind == Kind::PAIR {
            let target = target.iter().map(|&word| words.target[word as usize].hash);
            hashed_key(pair_of_phrases(own.iter().map(source_hash), target))
        } else {
            pack(feature, pair, target, words)
        };
        if let Some(owner) = owner {
            key = hashed_key(mix(words.hash(key), owner));
        }
        match into.iter_mut().find(|other| other.0 == key) {
            Some(other) => other.1 += 1,
            None => into.push((key, 1)),
        }
    };
    set.phrase_features(spans.source, target.len(), phrase.links, &mut add);
    set.context_features(spans.source, pair.source.len(), &mut add);
}

/// Takes a packed base feature apart: its kind, its source word (or class or tag), or whether that lies before the
/// sentence rather than after it, and its target word.
pub(crate) fn unpack(key: u64) -> (Kind, std::result::Result<u64, bool>, u64) {
    let kind = Kind((key >> (2 * WORD_BITS)) as u8);
    let source = match key >> WORD_BITS & WORD_MASK {
        BEFORE_SENTENCE => Err(true),
        AFTER_SENTENCE => Err(false),
        number => Ok(number),
    };
    (kind, source, key & WORD_MASK)
}

/// Is a base feature only known by its hash?
pub(crate) fn is_hashed(key: u64) -> bool {
    key >> HASHED_BITS == u64::from(Kind::HASHED.0)
}

/// The key of a feature that is only known by its hash.
pub(crate) fn hashed_key(hash: u64) -> u64 {
    u64::from(Kind::HASHED.0) << HASHED_BITS | hash & ((1 << HASHED_BITS) - 1)
}

#[inline]
fn pack(feature: BaseFeature, pair: &IndexedPair, target: &[u32], words: &CorpusWords) -> u64 {
    let source = pair.source;
    let kind = feature.kind;
    let value = |words: &[WordKey], word: u32| {
        if kind.is_class() {
            u64::from(words[word as usize].class)
        } else {
            u64::from(word)
        }
    };
    let first = if !kind.has_source() {
        0
    } else if feature.source < 0 {
        BEFORE_SENTENCE
    } else {
        let position = feature.source as usize;
        match source.get(position) {
            Some(_) if kind.is_tag() => pair.tags.get(position).map_or(0, |&tag| tag.into()),
            Some(&word) => value(&words.source, word),
            None => AFTER_SENTENCE,
        }
    };
    let second = if kind.has_target() {
        value(&words.target, target[feature.target as usize])
    } else {
        0
    };
    u64::from(kind.0) << (2 * WORD_BITS) | first << WORD_BITS | second
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_out_pairs_are_as_many_as_asked_and_spread() {
        let held_out = HeldOut {
            count: 7,
            total: 100,
        };
        let kept: Vec<u64> = (0..100).filter(|&index| held_out.contains(index)).collect();
        assert_eq!(kept.len(), 7);
        assert!(kept.windows(2).all(|pair| pair[1] - pair[0] >= 14));
        let none = HeldOut {
            count: 0,
            total: 100,
        };
        assert!((0..100).all(|index| !none.contains(index)));
    }
}
