//! A learned model: features of the phrase and its context, and a classifier a direction.

use crate::class_table::ClassTable;
use crate::counts::FeatureCounts;
use crate::dictionary::Dictionary;
use crate::explain::{Explanation, explain};
use crate::features::FeatureSet;
use crate::hashing::{WordKey, base_hash, owned, owner};
use crate::model::{OrientationModel, Scratch};
use crate::settings::Settings;
use crate::{Error, Result};
use chiasm_learn::model::{Form, UNKNOWN};
use chiasm_learn::{Model, Row};
use chiasm_phrases::{ClassSet, Directions, OrientationKind, PhraseLink, Span};
use chiasm_store::{Sections, Writer};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// A classifier of orientation for each direction, with one dictionary of features. The identity
/// of a feature in the classifiers is its place in the dictionary.
#[derive(Clone, Debug)]
pub struct LearnedModel {
    pub(crate) identity: Identity,
    pub(crate) settings: Settings,
    pub(crate) features: FeatureSet,
    pub(crate) dictionary: Dictionary,
    pub(crate) classifiers: Vec<Model>,
    pub(crate) source_classes: ClassTable,
    pub(crate) target_classes: ClassTable,
    /// What the model can be merged by, if it is naive Bayes and they were kept.
    pub(crate) counts: Option<FeatureCounts>,
    /// For each place of the dictionary the feature's number in each classifier, looked up when the first phrase
    /// asks: a search for every feature of every phrase was a quarter of the decoder's time.
    pub(crate) numbers: OnceLock<Vec<Vec<u32>>>,
}

/// Tells models apart in caches that may outlive them; a model and its clones, which answer alike, have
/// the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity(u64);

impl Identity {
    /// One that no other model has.
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Identity(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Base features of a phrase: hash and how often.
type Counted = Vec<(u64, u32)>;

/// What phrases of one source span have in common: the context.
#[derive(Clone, Debug, Default)]
pub struct SpanCache {
    /// Whose context of which span this is: one scratch may serve several models.
    filled: Option<(Identity, Span)>,
    context: Counted,
    owner: Option<u64>,
    /// Places of the context's features, products among them included.
    context_places: Vec<u32>,
    phrase: Counted,
    places: Vec<u32>,
    numbers: Vec<u32>,
    scores: Vec<f64>,
}

impl SpanCache {
    /// The places that the model found for the last phrase.
    pub(crate) fn sorted_places(&mut self) -> &[u32] {
        self.places.sort_unstable();
        &self.places
    }

    /// Another sentence begins.
    pub(crate) fn forget(&mut self) {
        self.filled = None;
    }
}

#[inline]
fn count(features: &mut Counted, hash: u64) {
    match features.iter_mut().find(|feature| feature.0 == hash) {
        Some(feature) => feature.1 += 1,
        None => features.push((hash, 1)),
    }
}

impl LearnedModel {
    /// Was a temperature fitted?
    pub fn is_calibrated(&self) -> bool {
        let fitted = |classifier: &Model| classifier.temperature() != 1.0;
        self.classifiers.iter().any(fitted)
    }

    /// What the model was made for.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The classifier of each direction, backward first.
    pub fn classifiers(&self) -> &[Model] {
        &self.classifiers
    }

    /// How many features the dictionary has.
    pub fn feature_count(&self) -> usize {
        self.dictionary.len()
    }

    fn numbers(&self) -> &[Vec<u32>] {
        self.numbers.get_or_init(|| {
            let places: Vec<u32> = (0..self.dictionary.len() as u32).collect();
            let classifiers = self.classifiers.iter();
            classifiers
                .map(|one| one.feature_numbers(&places))
                .collect()
        })
    }

    #[inline]
    fn push(&self, hash: u64, times: u32, places: &mut Vec<u32>) {
        if let Some(place) = self.dictionary.find(hash) {
            for _ in 0..times {
                places.push(place);
            }
        }
    }

    /// Fills `cache.context` and `cache.context_places` for `span`.
    fn look_at_context(&self, source: &[WordKey], span: Span, cache: &mut SpanCache) {
        let wanted = Some((self.identity, span));
        if cache.filled == wanted {
            return;
        }
        cache.context.clear();
        cache.owner = self.owner(source, span);
        let (context, owner) = (&mut cache.context, cache.owner);
        self.features
            .context_features(span, source.len(), &mut |feature| {
                count(context, owned(base_hash(feature, source, &[]), owner));
            });
        let places = &mut cache.context_places;
        places.clear();
        self.features
            .anova
            .products(context, context.len(), |hash, times| {
                self.push(hash, times, places)
            });
        cache.filled = wanted;
    }

    /// The places of all features of a phrase into `cache.places`.
    pub(crate) fn look(
        &self,
        source: &[WordKey],
        span: Span,
        target: &[WordKey],
        links: &[PhraseLink],
        cache: &mut SpanCache,
    ) {
        self.look_at_context(source, span, cache);
        let SpanCache {
            context,
            context_places,
            phrase,
            places,
            owner,
            ..
        } = cache;
        phrase.clear();
        self.features
            .phrase_features(span, target.len(), links, &mut |feature| {
                count(phrase, owned(base_hash(feature, source, target), *owner));
            });
        places.clear();
        places.extend_from_slice(context_places);
        // Products within the context are there already.
        let heads = phrase.len();
        phrase.extend_from_slice(context);
        self.features
            .anova
            .products(phrase, heads, |hash, times| self.push(hash, times, places));
    }

    /// What base features of a source phrase are joined with.
    pub(crate) fn owner(&self, source: &[WordKey], span: Span) -> Option<u64> {
        let words = source.get(span.range()).unwrap_or(&[]);
        let hashes = words.iter().map(|word| word.hash);
        self.features.by_phrase.then(|| owner(hashes))
    }

    /// Reads what `write_sections` wrote.
    pub fn from_sections(sections: &Sections) -> Result<Self> {
        let settings = Settings::read(sections)?;
        let features = settings.features.ok_or_else(|| {
            sections.corrupt("settings", "has no features, so it is no learned model")
        })?;
        let mut classifiers = Vec::new();
        for direction in settings.task.directions.iter() {
            let prefix = format!("{direction}/");
            let model = Model::read(&sections.within(&prefix))?;
            if model.class_names() != settings.task.class_names() {
                let reason = "is not what the settings say";
                return Err(sections
                    .within(&prefix)
                    .corrupt("class-names", reason)
                    .into());
            }
            classifiers.push(model);
        }
        let columns = settings.task.classes.len() * classifiers.len();
        let with_counts = sections.within("counts/");
        let counts = if with_counts.contains("hashes") {
            Some(FeatureCounts::from_sections(&with_counts, columns)?)
        } else {
            None
        };
        Ok(LearnedModel {
            identity: Identity::new(),
            features,
            counts,
            numbers: OnceLock::new(),
            dictionary: Dictionary::from_sections(&sections.within("features/"))?,
            source_classes: ClassTable::from_sections(&sections.within("source-classes/"))?,
            target_classes: ClassTable::from_sections(&sections.within("target-classes/"))?,
            classifiers,
            settings,
        })
    }
}

/// The container's closure returns the store's errors; the classifier has its own.
fn write_classifier(writer: &mut Writer, prefix: &str, classifier: &Model) -> Result<()> {
    let mut outcome = Ok(());
    writer.within(prefix, |writer| {
        outcome = classifier.write(writer);
        Ok(())
    })?;
    outcome.map_err(Error::from)
}

impl OrientationModel for LearnedModel {
    fn kind(&self) -> OrientationKind {
        self.settings.task.extraction.kind
    }

    fn classes(&self) -> ClassSet {
        self.settings.task.classes
    }

    fn directions(&self) -> Directions {
        self.settings.task.directions
    }

    fn family(&self) -> &'static str {
        "learned"
    }

    fn features(&self) -> Option<FeatureSet> {
        Some(self.features)
    }

    fn write_sections(&self, writer: &mut Writer) -> Result<()> {
        self.settings.write(writer)?;
        writer.within("features/", |w| self.dictionary.write_sections(w))?;
        writer.within("source-classes/", |w| self.source_classes.write_sections(w))?;
        writer.within("target-classes/", |w| self.target_classes.write_sections(w))?;
        for (direction, classifier) in self.settings.task.directions.iter().zip(&self.classifiers) {
            write_classifier(writer, &format!("{direction}/"), classifier)?;
        }
        if let Some(counts) = &self.counts {
            writer.within("counts/", |w| counts.write_sections(w))?;
        }
        Ok(())
    }

    fn explain(
        &self,
        source: &[&str],
        span: Span,
        target: &[&str],
        links: &[PhraseLink],
    ) -> Vec<Explanation> {
        explain(self, source, span, target, links)
    }

    fn source_word(&self, word: &str) -> WordKey {
        self.source_classes.word(word)
    }

    fn target_word(&self, word: &str) -> WordKey {
        self.target_classes.word(word)
    }

    fn log_probabilities(
        &self,
        scratch: &mut Scratch,
        span: Span,
        target: &[WordKey],
        links: &[PhraseLink],
        out: &mut [f32],
    ) -> bool {
        let Scratch { source, cache } = scratch;
        self.look(source, span, target, links, cache);
        let classes = self.classes().len();
        cache.scores.resize(classes, 0.0);
        let classifiers = self.classifiers.iter().zip(self.numbers());
        for ((classifier, numbers), out) in classifiers.zip(out.chunks_mut(classes)) {
            cache.numbers.clear();
            let known = cache.places.iter().map(|&place| numbers[place as usize]);
            cache
                .numbers
                .extend(known.filter(|&number| number != UNKNOWN));
            // Only counts of equal features matter to naive Bayes; weights add up in any order.
            if let Form::NaiveBayes(_) = classifier.form() {
                cache.numbers.sort_unstable();
            }
            classifier.log_probabilities(Row::of(&cache.numbers), &mut cache.scores);
            for (out, &score) in out.iter_mut().zip(&cache.scores) {
                *out = score as f32;
            }
        }
        true
    }
}
