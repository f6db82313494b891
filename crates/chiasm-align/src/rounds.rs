//! Estimation over text that lies in many places: a round counts the links that a model expects, and makes the next model of
//! the sum of all counts.
//!
//! Counts are whole numbers of 2⁻²⁰ links, so that their sum does not depend on how the text is divided. With the log-linear
//! model a round is an iteration of expectation maximisation as [`crate::train`] makes it, up to rounding; every pair of words
//! that stand beside one another keeps its entry. With a sampled model a round is what its estimation does at its end:
//! translation probabilities and words without a parent are counted anew, jumps, fertilities and jump classes stay.

mod models;

use crate::agreement::ALONE;
use crate::decode::Decoder;
use crate::links::Posteriors;
use crate::model::Model;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::collections::BTreeMap;

/// A link in the fixed point of counts.
const LINK: f64 = (1u64 << 20) as f64;
/// In place of a word where there is none.
const NONE: u32 = u32::MAX;

/// What a count is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Kind {
    /// The key is source word and target word, each 32 bits: expected links, target given source and source given target.
    /// Beside [`NONE`] a word has the number of words it stood beside, and how often it had no parent.
    Words,
    /// The key is one of [`Sum`].
    Sums,
    /// The key is source length and target length: sentence pairs.
    Lengths,
}

/// What is summed over all sentence pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
enum Sum {
    /// Sentence pairs that were counted, and those that were kept aside.
    Pairs,
    /// h over the links, and the links, forward.
    Forward,
    /// The same of the other direction.
    Reverse,
    /// How probable the pairs kept aside are, both directions.
    Aside,
}

/// A count: what it is of, and a number for each direction.
pub type Count = ((u8, u64), [i64; 2]);

/// Counts what a model expects.
pub struct Round<'m> {
    decoder: Decoder<'m>,
    /// Is every translation as probable as any other, because nothing is known yet?
    uniform: bool,
    /// Are entries kept that nothing is expected of?
    whole: bool,
    /// One of so many sentence pairs is kept aside; 0 is none.
    aside: u64,
    posteriors: Posteriors,
    counts: HashMap<(u8, u64), [i64; 2], FxBuildHasher>,
}

impl<'m> Round<'m> {
    /// The iteration of a model that is not at its beginning.
    pub const LATER: u32 = u32::MAX;

    /// A round with a model. `iteration` counts those of a log-linear model that begins with nothing but words; one that has been
    /// estimated already, or is sampled, is past all beginnings: [`Round::LATER`].
    pub fn new(model: &'m Model, iteration: u32, aside: u64) -> Self {
        Round {
            decoder: Decoder::new(model).for_counting(iteration >= ALONE),
            uniform: iteration == 0,
            whole: !model.settings.sampled,
            aside,
            posteriors: Posteriors::default(),
            counts: HashMap::default(),
        }
    }

    /// Counts a sentence pair; one without words, or with too many, has nothing to count.
    pub fn add(&mut self, source: &str, target: &str) {
        let mut words: [Vec<Option<u32>>; 2] = Default::default();
        let uniform = self.uniform;
        self.decoder.align_knowing(
            source,
            target,
            |sources, targets, translations| {
                words = [sources, targets].map(|side| side.iter().map(|word| word.id).collect());
                if uniform {
                    translations.iter_mut().for_each(|matrix| matrix.fill(1.0));
                }
            },
            &mut self.posteriors,
        );
        let Some(score) = self.posteriors.sentence else {
            return;
        };
        let aside = self.aside > 0 && fingerprint(source, target).is_multiple_of(self.aside);
        self.sum(Sum::Pairs, [i64::from(!aside), i64::from(aside)]);
        if aside {
            self.sum(Sum::Aside, score.map(|one| fixed(f64::from(one))));
            return;
        }
        let lengths = [words[0].len(), words[1].len()];
        let key = (lengths[0] as u64) << 32 | lengths[1] as u64;
        self.count(Kind::Lengths, key, [1, 1]);
        let posteriors = std::mem::take(&mut self.posteriors);
        self.add_links(&words, &posteriors);
        self.add_words(&words, &posteriors);
        self.posteriors = posteriors;
    }

    fn add_links(&mut self, [sources, targets]: &[Vec<Option<u32>>; 2], posteriors: &Posteriors) {
        let mut near = [[0.0f64; 2]; 2];
        let places = |length: usize| move |at: usize| (at as f64 + 0.5) / length as f64;
        let (source_place, target_place) = (places(sources.len()), places(targets.len()));
        for (i, source) in sources.iter().enumerate() {
            for (j, target) in targets.iter().enumerate() {
                let cell = i * targets.len() + j;
                let both = [posteriors.forward[cell], posteriors.reverse[cell]].map(f64::from);
                let closeness = -(source_place(i) - target_place(j)).abs();
                for (sums, posterior) in near.iter_mut().zip(both) {
                    sums[0] += posterior * closeness;
                    sums[1] += posterior;
                }
                let amounts = both.map(fixed);
                let (Some(source), Some(target)) = (source, target) else {
                    continue;
                };
                if self.whole || amounts != [0, 0] {
                    let key = u64::from(*source) << 32 | u64::from(*target);
                    self.count(Kind::Words, key, amounts);
                }
            }
        }
        self.sum(Sum::Forward, near[0].map(fixed));
        self.sum(Sum::Reverse, near[1].map(fixed));
    }

    /// What each word stood beside, and how often it had no parent.
    fn add_words(&mut self, [sources, targets]: &[Vec<Option<u32>>; 2], posteriors: &Posteriors) {
        for (i, source) in sources.iter().enumerate() {
            let row = &posteriors.reverse[i * targets.len()..(i + 1) * targets.len()];
            let linked: f64 = row.iter().map(|&posterior| f64::from(posterior)).sum();
            if let Some(source) = source {
                let key = u64::from(*source) << 32 | u64::from(NONE);
                let without = fixed((1.0 - linked).max(0.0));
                self.count(Kind::Words, key, [targets.len() as i64, without]);
            }
        }
        for (j, target) in targets.iter().enumerate() {
            let column = posteriors.forward[j..].iter().step_by(targets.len());
            let linked: f64 = column.map(|&posterior| f64::from(posterior)).sum();
            if let Some(target) = target {
                let key = u64::from(NONE) << 32 | u64::from(*target);
                let without = fixed((1.0 - linked).max(0.0));
                self.count(Kind::Words, key, [without, sources.len() as i64]);
            }
        }
    }

    fn sum(&mut self, of: Sum, amounts: [i64; 2]) {
        self.count(Kind::Sums, of as u64, amounts);
    }

    fn count(&mut self, kind: Kind, key: u64, amounts: [i64; 2]) {
        let counts = self.counts.entry((kind as u8, key)).or_default();
        counts[0] += amounts[0];
        counts[1] += amounts[1];
    }

    /// All counts so far, in no order; counting begins anew.
    pub fn take(&mut self) -> impl ExactSizeIterator<Item = Count> + '_ {
        self.counts.drain()
    }

    /// How many different counts there are.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Nothing counted?
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}

fn fixed(number: f64) -> i64 {
    (number * LINK).round() as i64
}

fn fingerprint(source: &str, target: &str) -> u64 {
    let bytes = source.bytes().chain([b'\t']).chain(target.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash >> 20
}

/// The sums of all counts of a round.
pub struct RoundSums {
    /// Source word, target word: expected links. In the order of words.
    words: Vec<((u32, u32), [i64; 2])>,
    sums: [[i64; 2]; 4],
    lengths: BTreeMap<(usize, usize), u64>,
}

impl RoundSums {
    /// Adds up.
    pub fn new(counts: impl Iterator<Item = Count>) -> Self {
        let mut all = RoundSums {
            words: Vec::new(),
            sums: [[0; 2]; 4],
            lengths: BTreeMap::new(),
        };
        for ((kind, key), amounts) in counts {
            let halves = ((key >> 32) as u32, key as u32);
            if kind == Kind::Words as u8 {
                all.words.push((halves, amounts));
            } else if kind == Kind::Lengths as u8 {
                let lengths = (halves.0 as usize, halves.1 as usize);
                *all.lengths.entry(lengths).or_default() += amounts[0].max(0) as u64;
            } else if let Some(sums) = all.sums.get_mut(key as usize) {
                sums[0] += amounts[0];
                sums[1] += amounts[1];
            }
        }
        all.words.sort_unstable_by_key(|count| count.0);
        all.words.dedup_by(|later, first| {
            let same = later.0 == first.0;
            if same {
                first.1[0] += later.1[0];
                first.1[1] += later.1[1];
            }
            same
        });
        all
    }

    /// Sentence pairs that were counted.
    pub fn pairs(&self) -> u64 {
        self.sums[Sum::Pairs as usize][0].max(0) as u64
    }

    /// How probable the model found the sentence pairs kept aside: the mean natural logarithm a word, both directions together.
    /// Two models compare if both know the same words.
    pub fn held_out(&self) -> Option<f64> {
        let pairs = self.sums[Sum::Pairs as usize][1];
        let [forward, reverse] = self.sums[Sum::Aside as usize].map(|sum| sum as f64 / LINK);
        (pairs > 0).then(|| (forward + reverse) / (2 * pairs) as f64)
    }

    /// h over the links.
    fn closeness(&self, side: usize) -> f64 {
        let [near, links] = self.sums[Sum::Forward as usize + side].map(|sum| sum as f64);
        near / links.max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::links::{LinkMaker, LinkSettings};
    use crate::{Bitext, Preset, Settings, align_corpus, train};

    fn pairs() -> Vec<(String, String)> {
        let generator = chiasm_synthesis::Language::ArabicLike.generator(5, 0);
        let pair = |number| {
            let pair = generator.pair(number);
            (pair.source_text(), pair.target_text())
        };
        (0..300).map(pair).collect()
    }

    /// The links of all pairs after rounds over as many parts as asked.
    fn in_rounds(pairs: &[(String, String)], parts: usize) -> (Vec<String>, Model) {
        let settings = Settings::preset(Preset::Fast, pairs.len());
        let mut all: Vec<&str> = Vec::new();
        all.extend(pairs.iter().flat_map(|pair| pair.0.split(' ')));
        let targets = pairs.iter().flat_map(|pair| pair.1.split(' '));
        let mut model = Model::beginning(&settings, all.into_iter(), targets);
        for iteration in 0..settings.log_linear.iterations {
            let mut counts: Vec<Count> = Vec::new();
            for part in (0..parts).rev() {
                let mut round = Round::new(&model, iteration, 0);
                let own = pairs.iter().skip(part).step_by(parts);
                own.for_each(|(source, target)| round.add(source, target));
                counts.extend(round.take());
            }
            let sums = RoundSums::new(counts.into_iter());
            assert_eq!(sums.pairs(), pairs.len() as u64);
            let fit = settings.log_linear.fit_tension && iteration > 0;
            model = model.after_round(&sums, &settings.log_linear, fit).unwrap();
        }
        let mut decoder = Decoder::new(&model);
        let (mut maker, mut posteriors) = (LinkMaker::default(), Posteriors::default());
        let mut links = |(source, target): &(String, String)| {
            decoder.align(source, target, &mut posteriors);
            format!(
                "{:?}",
                maker.links(&posteriors, LinkSettings::default()).links
            )
        };
        (pairs.iter().map(&mut links).collect(), model.clone())
    }

    #[test]
    fn rounds_over_parts_are_the_log_linear_estimation() {
        let pairs = pairs();
        let (links, model) = in_rounds(&pairs, 1);
        for parts in [2, 7] {
            let (others, other) = in_rounds(&pairs, parts);
            assert_eq!(links, others);
            assert!(model.stored_entries().eq(other.stored_entries()));
        }
        let mut bitext = Bitext::new();
        pairs
            .iter()
            .for_each(|(source, target)| bitext.push(source, target));
        let settings = Settings::preset(Preset::Fast, bitext.len());
        let trained = train(&bitext, &settings, &()).unwrap();
        let mut expected = Vec::new();
        align_corpus(&trained, &bitext, LinkSettings::default(), &(), |pair| {
            expected.push(format!("{:?}", pair.links));
            Ok(())
        })
        .unwrap();
        let equal = links.iter().zip(&expected).filter(|(a, b)| a == b).count();
        assert!(equal as f64 >= 0.99 * links.len() as f64, "{equal}");
        let single = trained.model(&bitext).unwrap();
        for side in 0..2 {
            let difference = single.settings.tension[side] - model.settings.tension[side];
            assert!(difference.abs() < 1e-2, "{difference}");
        }
    }

    #[test]
    fn a_round_makes_what_is_kept_aside_more_probable() {
        let pairs = pairs();
        let mut sample = Bitext::new();
        let tenth = pairs.iter().step_by(10);
        tenth.for_each(|(source, target)| sample.push(source, target));
        let settings = Settings::preset(Preset::Standard, sample.len());
        let model = train(&sample, &settings, &())
            .unwrap()
            .model(&sample)
            .unwrap();
        let words = |side: fn(&(String, String)) -> &String| {
            pairs.iter().flat_map(move |pair| side(pair).split(' '))
        };
        let mut model = model.knowing(words(|pair| &pair.0), words(|pair| &pair.1));
        let mut held_out = Vec::new();
        for _ in 0..3 {
            let mut round = Round::new(&model, Round::LATER, 10);
            pairs
                .iter()
                .for_each(|(source, target)| round.add(source, target));
            let counts: Vec<Count> = round.take().collect();
            let sums = RoundSums::new(counts.into_iter());
            held_out.push(sums.held_out().unwrap());
            model = model
                .after_round(&sums, &settings.log_linear, false)
                .unwrap();
        }
        // The first model knows few words, and is generous to the others: nothing compares with it.
        assert!(held_out[2] > held_out[1], "{held_out:?}");
    }
}
