//! What every model of orientation answers to, lexicalised and learned alike.
//!
//! All but the target phrase and its links depends on the source sentence, so a decoder asks once
//! for each translation option, never for each hypothesis:
//!
//! ```no_run
//! use chiasm_phrases::{PhraseLink, Span};
//! use chiasm_reorder::{OrientationModel, Scratch, StoredModel, WordKey};
//! # fn main() -> chiasm_reorder::Result<()> {
//! let model = StoredModel::open("hier-msd.model")?;
//! // Once for each word of the vocabularies:
//! let source: Vec<WordKey> = ["das", "Haus"].map(|word| model.source_word(word)).to_vec();
//! let target: Vec<WordKey> = ["house"].map(|word| model.target_word(word)).to_vec();
//! let mut scratch = Scratch::default();
//! let mut logarithms = vec![0.0; model.columns()];
//! // Once for each sentence, then once for each option, best span by span:
//! scratch.begin_sentence(&source);
//! let (span, links) = (Span::new(1, 2), [PhraseLink::new(0, 0)]);
//! model.log_probabilities(&mut scratch, span, &target, &links, &mut logarithms);
//! # Ok(())
//! # }
//! ```

use crate::Result;
use crate::explain::Explanation;
use crate::features::FeatureSet;
use crate::hashing::WordKey;
use crate::learned::SpanCache;
use chiasm_phrases::{ClassSet, Directions, OrientationKind, PhraseLink, Span};
use chiasm_store::Writer;

/// A model of `p(orientation | phrase pair, context)`. Decoders know models by this alone, so a new kind
/// needs no change in them.
pub trait OrientationModel: Send + Sync {
    /// What counts as a neighbour.
    fn kind(&self) -> OrientationKind;

    /// Which orientations are told apart.
    fn classes(&self) -> ClassSet;

    /// Which neighbours.
    fn directions(&self) -> Directions;

    /// How many numbers an answer has: the classes, twice if the model is bidirectional.
    fn columns(&self) -> usize {
        self.classes().len() * self.directions().len()
    }

    /// What kind of model it is, for people: `learned`, `lexicalised`.
    fn family(&self) -> &'static str;

    /// What it looks at, if that is a set of features.
    fn features(&self) -> Option<FeatureSet> {
        None
    }

    /// Must source words come with tags?
    fn needs_tags(&self) -> bool {
        self.features()
            .is_some_and(|features| features.needs_tags())
    }

    /// Writes the model as sections of a larger file.
    fn write_sections(&self, writer: &mut Writer) -> Result<()>;

    /// Why it gives a phrase its orientation, an answer a direction: `source` is the sentence, `target`
    /// the target phrase. Nothing if there is no more to say than the probabilities.
    fn explain(
        &self,
        _source: &[&str],
        _span: Span,
        _target: &[&str],
        _links: &[PhraseLink],
    ) -> Vec<Explanation> {
        Vec::new()
    }

    /// A word of the source language as this model sees it.
    fn source_word(&self, word: &str) -> WordKey;

    /// A word of the target language as this model sees it.
    fn target_word(&self, word: &str) -> WordKey;

    /// Natural logarithms of the class probabilities, in the order of [`ClassSet`], backward before
    /// forward. The source span lies in the sentence that `scratch` has begun; `target` is the
    /// target phrase; links count from the start of both phrases. Returns whether the model knows
    /// the pair; a lexicalised model answers with the class prior if not, a learned one always
    /// knows. `out` is [`columns`](Self::columns) long.
    fn log_probabilities(
        &self,
        scratch: &mut Scratch,
        span: Span,
        target: &[WordKey],
        links: &[PhraseLink],
        out: &mut [f32],
    ) -> bool;
}

/// The working memory of one thread: the sentence, and what the last span had in common.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(crate) source: Vec<WordKey>,
    pub(crate) cache: SpanCache,
}

impl Scratch {
    /// The sentence.
    pub fn source(&self) -> &[WordKey] {
        &self.source
    }

    /// Goes on to another source sentence.
    pub fn begin_sentence(&mut self, source: &[WordKey]) {
        self.source.clear();
        self.source.extend_from_slice(source);
        self.cache.forget();
    }
}
