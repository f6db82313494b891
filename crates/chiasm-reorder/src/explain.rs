//! Why a model gives a phrase this orientation: class probabilities, and what each feature adds.

use crate::features::BaseFeature;
use crate::hashing::{WordKey, base_hash, owned, pair_hash, triple_hash};
use crate::learned::LearnedModel;
use crate::model::OrientationModel;
use crate::spelling::{Spelling, spell};
use chiasm_learn::model::Form;
use chiasm_learn::naive_bayes::Variant;
use chiasm_learn::{Model, Row};
use chiasm_phrases::{Direction, PhraseLink, Span, split_tag};

/// A feature and what it adds to the score of each class.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// The feature in words.
    pub feature: String,
    /// How often it occurs.
    pub count: u32,
    /// The score of each class with the feature minus that without it; none if the model does not
    /// know the feature.
    pub contributions: Option<Vec<f64>>,
}

impl Reason {
    /// How much the feature tells classes apart.
    pub fn spread(&self) -> f64 {
        let Some(contributions) = &self.contributions else {
            return 0.0;
        };
        let low = contributions.iter().copied().fold(f64::INFINITY, f64::min);
        let high = contributions
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        high - low
    }
}

/// The answer of one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Which neighbour.
    pub direction: Direction,
    /// Class probabilities.
    pub probabilities: Vec<f64>,
    /// Scores without any feature: the class prior, where the model has one.
    pub without_features: Vec<f64>,
    /// Features, those that decide most first.
    pub reasons: Vec<Reason>,
}

struct Spelled<'a> {
    source: &'a [&'a str],
    target: &'a [&'a str],
    tags: &'a [&'a str],
    source_keys: &'a [WordKey],
    target_keys: &'a [WordKey],
}

fn class(word: WordKey) -> String {
    match word.class {
        0 => "[no class]".into(),
        class => format!("[{}]", class - 1),
    }
}

impl Spelling for Spelled<'_> {
    fn source(&self, position: usize) -> String {
        self.source[position].to_string()
    }

    fn target(&self, position: usize) -> String {
        self.target[position].to_string()
    }

    fn source_class(&self, position: usize) -> String {
        class(self.source_keys[position])
    }

    fn target_class(&self, position: usize) -> String {
        class(self.target_keys[position])
    }

    fn tag(&self, position: usize) -> String {
        format!("|{}", self.tags[position])
    }
}

/// A feature: its hash, its spelling, how often it occurs.
type Found = (u64, String, u32);

/// What [`OrientationModel::explain`] says of a learned model.
pub(crate) fn explain(
    model: &LearnedModel,
    source: &[&str],
    span: Span,
    target: &[&str],
    links: &[PhraseLink],
) -> Vec<Explanation> {
    // Where features look at tags, words come with them.
    let tagged = model.features.needs_tags();
    let tags: Vec<&str> = (source.iter())
        .map(|token| {
            split_tag(token)
                .filter(|_| tagged)
                .map_or("", |(_, tag)| tag)
        })
        .collect();
    let source: Vec<&str> = (source.iter())
        .map(|token| {
            split_tag(token)
                .filter(|_| tagged)
                .map_or(*token, |(word, _)| word)
        })
        .collect();
    let source = &source[..];
    let keys = source.iter().zip(&tags);
    let source_keys: Vec<WordKey> = keys
        .map(|(word, tag)| model.source_word(word).tagged(tag))
        .collect();
    let target_keys: Vec<WordKey> = target.iter().map(|word| model.target_word(word)).collect();
    let words = Spelled {
        source,
        target,
        tags: &tags,
        source_keys: &source_keys,
        target_keys: &target_keys,
    };
    let mut base: Vec<Found> = Vec::new();
    let owner = model.owner(&source_keys, span);
    let mut add = |feature: BaseFeature| {
        let hash = owned(base_hash(feature, &source_keys, &target_keys), owner);
        match base.iter_mut().find(|found| found.0 == hash) {
            Some(found) => found.2 += 1,
            None => base.push((hash, spell(feature, source.len(), &words), 1)),
        }
    };
    model
        .features
        .phrase_features(span, target.len(), links, &mut add);
    model
        .features
        .context_features(span, source.len(), &mut add);
    let features = model.mapped(base);
    let directions = model.settings.task.directions.iter();
    directions
        .zip(&model.classifiers)
        .map(|(direction, classifier)| model.reasons(direction, classifier, &features))
        .collect()
}

impl LearnedModel {
    fn mapped(&self, base: Vec<Found>) -> Vec<Found> {
        let anova = self.features.anova;
        let mut products = Vec::new();
        for (at, (first, text, count)) in base.iter().enumerate() {
            for (next, (second, second_text, second_count)) in base.iter().enumerate().skip(at + 1)
            {
                let (text, count) = (format!("{text} · {second_text}"), count * second_count);
                if anova.has_triples() {
                    for (third, third_text, third_count) in &base[next + 1..] {
                        let hash = triple_hash(*first, *second, *third);
                        let text = format!("{text} · {third_text}");
                        products.push((hash, text, count * third_count));
                    }
                }
                if anova.has_pairs() {
                    products.push((pair_hash(*first, *second), text, count));
                }
            }
        }
        let mut all = if anova.has_single() { base } else { Vec::new() };
        all.extend(products);
        all
    }

    fn reasons(&self, direction: Direction, classifier: &Model, features: &[Found]) -> Explanation {
        let number = |found: &Found| classifier.feature_number(self.dictionary.find(found.0)?);
        let numbers: Vec<Option<u32>> = features.iter().map(number).collect();
        let mut all = Vec::new();
        for (number, &(_, _, count)) in numbers.iter().zip(features) {
            all.extend(std::iter::repeat_n(*number, count as usize).flatten());
        }
        all.sort_unstable();
        let classes = classifier.class_names().len();
        let scores = |row: &[u32]| {
            let mut scores = vec![0.0; classes];
            classifier.scores(Row::of(row), &mut scores);
            scores
        };
        // Where scores add up a feature adds the same in any company, so it is looked at alone.
        let additive = match classifier.form() {
            Form::Linear(_) => true,
            Form::NaiveBayes(model) => model.variant() == Variant::Map,
        };
        let (whole, nothing) = (scores(&all), scores(&[]));
        let temperature = classifier.temperature();
        let contribution = |number: u32, count: u32| -> Vec<f64> {
            let (with, without) = if additive {
                (&scores(&vec![number; count as usize]), &nothing)
            } else {
                let others: Vec<u32> = all.iter().copied().filter(|&n| n != number).collect();
                (&whole, &scores(&others))
            };
            let pairs = with.iter().zip(without);
            pairs
                .map(|(with, without)| (with - without) / temperature)
                .collect()
        };
        let mut reasons: Vec<Reason> = features
            .iter()
            .zip(&numbers)
            .map(|((_, feature, count), number)| Reason {
                feature: feature.clone(),
                count: *count,
                contributions: number.map(|number| contribution(number, *count)),
            })
            .collect();
        reasons.sort_by(|a, b| b.spread().total_cmp(&a.spread()));
        let mut logarithms = vec![0.0; classes];
        classifier.log_probabilities(Row::of(&all), &mut logarithms);
        Explanation {
            direction,
            probabilities: logarithms.iter().map(|l| l.exp()).collect(),
            without_features: nothing.iter().map(|score| score / temperature).collect(),
            reasons,
        }
    }
}
