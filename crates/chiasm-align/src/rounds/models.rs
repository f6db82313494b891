//! The models of rounds: one to begin with, one that knows more words, and the next one of the sums of all counts.

use super::{LINK, NONE, RoundSums};
use crate::Result;
use crate::bitext::fold;
use crate::fertility::FERTILITIES;
use crate::loglinear::{LogLinearSettings, NULL_PRIOR, exp_digamma, fit_tension};
use crate::model::{DirectionParameters, Entry, Model, ModelSettings};
use crate::settings::{COUPLING, Settings};
use crate::spelling::{Spellings, UNIT, prior_of_words};
use chiasm_store::Array;
use chiasm_text::{StoredVocabulary, Vocabulary};

impl Model {
    /// A log-linear model that knows words only, to begin rounds with.
    pub fn beginning<'w>(
        settings: &Settings,
        source: impl Iterator<Item = &'w str>,
        target: impl Iterator<Item = &'w str>,
    ) -> Model {
        let (source, target) = (folded(source), folded(target));
        let children = [target.len(), source.len()];
        let parameters = [0, 1].map(|side| DirectionParameters {
            null: vec![1.0; children[side]].into(),
            scale: vec![UNIT as f32; children[1 - side]].into(),
            ..DirectionParameters::default()
        });
        let numbers = ModelSettings {
            sampled: false,
            null_probability: settings.log_linear.null_probability,
            tension: [settings.log_linear.tension; 2],
            coupling: COUPLING,
            seed: settings.seed,
            sentences: 0,
        };
        Model::new(numbers, &source, &target, std::iter::empty(), parameters)
    }

    /// The same model that knows these words, too: as it has treated unknown ones so far.
    pub fn knowing<'w>(
        &self,
        source: impl Iterator<Item = &'w str>,
        target: impl Iterator<Item = &'w str>,
    ) -> Model {
        let mut words = [vocabulary(&self.source), vocabulary(&self.target)];
        let mut buffer = String::new();
        let [sources, targets] = &mut words;
        source.for_each(|word| {
            sources.intern(fold(word, &mut buffer));
        });
        target.for_each(|word| {
            targets.intern(fold(word, &mut buffer));
        });
        let sizes = [words[0].len(), words[1].len()];
        let directions = [0, 1].map(|side| {
            let own = &self.directions[side];
            let (parents, children) = (sizes[side], sizes[1 - side]);
            let unknown = own.scale.len();
            let more = |numbers: &Array<f32>, length: usize, value: f32| -> Array<f32> {
                let mut numbers = numbers.to_vec();
                numbers.resize(length, value);
                numbers.into()
            };
            let mut classes = own.classes.to_vec();
            let mut ratios = own.ratios.to_vec();
            if self.settings.sampled {
                classes.resize(children, 0);
                let row: Vec<f32> = ratios[ratios.len().saturating_sub(FERTILITIES)..].to_vec();
                (unknown..parents).for_each(|_| ratios.extend_from_slice(&row));
            }
            DirectionParameters {
                null: more(&own.null, children, 1.0 / (unknown as f32 + 1.0)),
                scale: more(&own.scale, parents, UNIT as f32),
                classes: classes.into(),
                jumps: own.jumps.clone(),
                ratios: ratios.into(),
            }
        });
        let entries = self.stored_entries();
        Model::new(
            self.settings.clone(),
            &words[0],
            &words[1],
            entries,
            directions,
        )
    }

    /// The next model. `log_linear` says how the log-linear model is estimated; `fit` if λ is to move.
    pub fn after_round(
        &self,
        sums: &RoundSums,
        log_linear: &LogLinearSettings,
        fit: bool,
    ) -> Result<Model> {
        let words = [vocabulary(&self.source), vocabulary(&self.target)];
        let mut settings = self.settings.clone();
        settings.sentences = sums.pairs();
        let sides = [0, 1].map(|side| SideSums::new(sums, side, &words, self, log_linear));
        let entry = |&((source, target), amounts): &((u32, u32), [i64; 2])| -> Option<Entry> {
            if source == NONE || target == NONE {
                return None;
            }
            let prior = prior_of_words(words[0].word(source), words[1].word(target));
            let of = |side: usize, parent| sides[side].probability(parent, amounts[side], prior);
            Some(((source, target), [of(0, source), of(1, target)]))
        };
        let entries = sums.words.iter().filter_map(entry);
        let directions = [0, 1].map(|side| DirectionParameters {
            null: sides[side].null.clone().into(),
            scale: sides[side].scale.clone().into(),
            ..self.directions[side].clone()
        });
        if self.settings.sampled {
            return Ok(Model::new(
                settings, &words[0], &words[1], entries, directions,
            ));
        }
        if fit {
            let swapped = sums.lengths.iter();
            let swapped = swapped.map(|(&(sources, targets), &count)| ((targets, sources), count));
            let lengths = [sums.lengths.clone(), swapped.collect()];
            settings.tension = [0, 1].map(|side| {
                let start = self.settings.tension[side];
                fit_tension(&lengths[side], sums.closeness(side), start)
            });
        }
        Ok(Model::whole(
            settings, &words[0], &words[1], entries, directions,
        ))
    }
}

fn folded<'w>(words: impl Iterator<Item = &'w str>) -> Vocabulary {
    let (mut vocabulary, mut buffer) = (Vocabulary::new(), String::new());
    words.for_each(|word| {
        vocabulary.intern(fold(word, &mut buffer));
    });
    vocabulary
}

fn vocabulary(stored: &StoredVocabulary) -> Vocabulary {
    let mut vocabulary = Vocabulary::new();
    for id in 0..stored.len() as u32 {
        vocabulary.intern(stored.word(id));
    }
    vocabulary
}

/// What the counts of one direction come down to.
struct SideSums {
    /// 1 / what the counts of a parent add up to.
    scale: Vec<f32>,
    /// The same as probabilities are divided by it.
    factors: Vec<f64>,
    null: Vec<f32>,
    extra: f64,
    variational: bool,
}

impl SideSums {
    fn new(
        sums: &RoundSums,
        side: usize,
        words: &[Vocabulary; 2],
        model: &Model,
        log_linear: &LogLinearSettings,
    ) -> Self {
        let (parents, children) = (words[side].len(), words[1 - side].len());
        let sampled = model.settings.sampled;
        let variational = !sampled && log_linear.variational_prior.is_some();
        let extra = match sampled {
            true => 0.0,
            false => f64::from(log_linear.variational_prior.unwrap_or(0.0)),
        };
        let mut totals = vec![0.0f64; parents];
        let mut without = vec![0.0f64; children];
        let spellings = sampled.then(|| Spellings::new(&words[side], &words[1 - side]));
        for &((source, target), amounts) in &sums.words {
            let (parent, child) = match side {
                0 => (source, target),
                _ => (target, source),
            };
            let amount = amounts[side] as f64;
            if child == NONE {
                if let (Some(spellings), Some(total)) =
                    (&spellings, totals.get_mut(parent as usize))
                {
                    let beside = amounts[side].max(0) as u64;
                    let mass = spellings.mass(parent, beside, children);
                    *total += f64::from(mass) / f64::from(UNIT);
                }
            } else if parent == NONE {
                if let Some(count) = without.get_mut(child as usize) {
                    *count += amount / LINK;
                }
            } else if let Some(total) = totals.get_mut(parent as usize) {
                *total += amount / LINK;
                if !sampled {
                    let prior = prior_of_words(words[0].word(source), words[1].word(target));
                    *total += extra + f64::from(prior) / f64::from(UNIT);
                }
            }
        }
        let added = if sampled {
            1.0 / f64::from(UNIT)
        } else {
            f64::from(NULL_PRIOR)
        };
        without.iter_mut().for_each(|count| *count += added);
        let all: f64 = without.iter().sum();
        let factor = |&total: &f64| match variational {
            true => 1.0 / f64::from(exp_digamma(total as f32)),
            false => 1.0 / total.max(1e-9),
        };
        SideSums {
            scale: totals
                .iter()
                .map(|&total| (1.0 / total.max(1e-6)) as f32)
                .collect(),
            factors: totals.iter().map(factor).collect(),
            null: without.iter().map(|&count| (count / all) as f32).collect(),
            extra,
            variational,
        }
    }

    fn probability(&self, parent: u32, amount: i64, prior: u32) -> f32 {
        let count = amount as f64 / LINK + self.extra + f64::from(prior) / f64::from(UNIT);
        let weight = match self.variational {
            true => f64::from(exp_digamma(count as f32)),
            false => count,
        };
        (weight * self.factors[parent as usize]) as f32
    }
}
