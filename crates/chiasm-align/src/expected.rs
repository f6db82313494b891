//! The model that estimation has found, for new text.

use crate::Result;
use crate::bitext::Bitext;
use crate::fertility::FertilityCounts;
use crate::jumps::JumpCounts;
use crate::links::Posteriors;
use crate::model::{DirectionParameters, Entry, Model, ModelSettings};
use crate::posteriors::{Cursor, Found};
use crate::rows::Rows;
use crate::spelling::{UNIT, prior_of_words};
use crate::world::World;

/// Jumps and fertilities of one direction, of all samplers.
pub(crate) type Tally = (JumpCounts, FertilityCounts);

/// Of the log-linear model.
pub(crate) fn exact_model(bitext: &Bitext, settings: ModelSettings, found: &Found) -> Model {
    let Found::Exact { cells, models, .. } = found else {
        return Model::new(
            settings,
            &bitext.source.vocabulary,
            &bitext.target.vocabulary,
            std::iter::empty(),
            Default::default(),
        );
    };
    let entries = cells.words().iter().enumerate();
    let entry = |(at, &words): (usize, &(u32, u32))| -> Entry {
        let [forward, reverse] = &**models;
        (words, [forward.translation[at], reverse.translation[at]])
    };
    let parameters = [0, 1].map(|side| DirectionParameters {
        null: models[side].null.clone().into(),
        scale: scale(models[side].totals.iter().map(|&total| f64::from(total))).into(),
        ..DirectionParameters::default()
    });
    let (source, target) = (&bitext.source.vocabulary, &bitext.target.vocabulary);
    Model::new(settings, source, target, entries.map(entry), parameters)
}

fn scale(totals: impl Iterator<Item = f64>) -> Vec<f32> {
    totals.map(|total| (1.0 / total.max(1e-6)) as f32).collect()
}

/// Of samplers: the expected links of all pairs of words.
pub(crate) fn sampled_model(
    bitext: &Bitext,
    settings: ModelSettings,
    found: &Found,
    worlds: &[World; 2],
    tallies: &[Tally; 2],
) -> Result<Model> {
    let expected = Expected::sum(bitext, found, worlds)?;
    let (source, target) = (&bitext.source.vocabulary, &bitext.target.vocabulary);
    let probability = |side: usize, parent: u32, child: u32| {
        let prior = worlds[side].spellings.of_parent(parent);
        let prior = prior.prior(child, worlds[side].spellings.of_child(child));
        let known = worlds[side].known.as_ref();
        let known = known.map_or(0, |known| known.row(parent).get(child));
        let count = expected.counts[side].row(parent).get(child);
        let units = f64::from(prior) + f64::from(known);
        let links = f64::from(count) / expected.unit + units / f64::from(UNIT);
        (links / expected.totals[side][parent as usize]) as f32
    };
    let both = |source: u32, target: u32| -> Entry {
        let probabilities = [
            probability(0, source, target),
            probability(1, target, source),
        ];
        ((source, target), probabilities)
    };
    let forward = expected.counts[0]
        .pairs()
        .map(|(source, target, _)| both(source, target));
    let only_reverse = expected.counts[1]
        .pairs()
        .filter(|&(target, source, _)| expected.counts[0].row(source).get(target) == 0);
    let reverse = only_reverse.map(|(target, source, _)| both(source, target));
    let parameters = [0, 1].map(|side| DirectionParameters {
        null: expected.null(side).into(),
        scale: scale(expected.totals[side].iter().copied()).into(),
        classes: worlds[side].classes.clone().into(),
        jumps: tallies[side].0.probabilities().into(),
        ratios: tallies[side].1.ratios().into(),
    });
    Ok(Model::new(
        settings,
        source,
        target,
        forward.chain(reverse),
        parameters,
    ))
}

/// Expected links of both directions.
struct Expected {
    /// Of pairs of words, in fractions of a link.
    counts: [Rows; 2],
    /// Links in a count of one.
    unit: f64,
    /// Of parents, priors included.
    totals: [Vec<f64>; 2],
    /// Of children without a parent.
    without: [Vec<f64>; 2],
}

impl Expected {
    fn sum(bitext: &Bitext, found: &Found, worlds: &[World; 2]) -> Result<Self> {
        let counts = [0, 1].map(|side| Rows::new(worlds[side].parent_words));
        let mass = |mass: &f32| f64::from(*mass) / f64::from(UNIT);
        let totals = [0, 1].map(|side| worlds[side].masses.iter().map(mass).collect());
        let words = [worlds[0].child_words, worlds[1].child_words];
        let mut expected = Expected {
            counts,
            unit: unit(bitext),
            totals,
            without: words.map(|words| vec![1.0 / f64::from(UNIT); words]),
        };
        let mut cursor = Cursor::new(found, bitext, 0..found.alignments());
        let mut posteriors = Posteriors::default();
        for at in 0..bitext.len() {
            chiasm_work::cancel::check();
            cursor.posteriors(at, &mut posteriors)?;
            let targets = posteriors.targets;
            let (source, target) = (
                bitext.source.text.sentence(at),
                bitext.target.text.sentence(at),
            );
            if worlds[0].takes_part(at) {
                expected.add(0, source, target, |i, j| {
                    posteriors.forward[i * targets + j]
                });
                expected.add(1, target, source, |j, i| {
                    posteriors.reverse[i * targets + j]
                });
            }
        }
        Ok(expected)
    }

    fn add(
        &mut self,
        side: usize,
        parents: &[u32],
        children: &[u32],
        posterior: impl Fn(usize, usize) -> f32,
    ) {
        for (child, &word) in children.iter().enumerate() {
            let mut linked = 0.0;
            for (parent, &parent_word) in parents.iter().enumerate() {
                let probability = f64::from(posterior(parent, child));
                let amount = (probability * self.unit).round() as u32;
                if amount > 0 {
                    self.counts[side].add(parent_word, word, amount);
                    self.totals[side][parent_word as usize] += f64::from(amount) / self.unit;
                    linked += probability;
                }
            }
            self.without[side][word as usize] += (1.0 - linked).max(0.0);
        }
    }

    fn null(&self, side: usize) -> Vec<f32> {
        let sum: f64 = self.without[side].iter().sum();
        let share = |count: &f64| (count / sum) as f32;
        self.without[side].iter().map(share).collect()
    }
}

/// Links are counted in 1024ths, or coarser where a word occurs so often that 32 bits would not hold it.
fn unit(bitext: &Bitext) -> f64 {
    let most = [&bitext.source, &bitext.target].map(|side| {
        let mut counts = vec![0u32; side.vocabulary.len()];
        let tokens = side.text.tokens.iter();
        tokens.for_each(|&word| counts[word as usize] = counts[word as usize].saturating_add(1));
        counts.into_iter().max().unwrap_or(0)
    });
    f64::from((u32::MAX / (most[0].max(most[1]) + 1)).clamp(1, UNIT))
}

/// The prior of two words of a corpus, in units.
pub(crate) fn prior(bitext: &Bitext, source: u32, target: u32) -> u32 {
    let source = bitext.source.vocabulary.word(source);
    prior_of_words(source, bitext.target.vocabulary.word(target))
}
