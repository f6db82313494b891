//! Everything the search may use for one sentence: the translation options of each source span.

mod extra;
mod joint;
mod learned;
mod operations;
mod orientations;
mod prepared;
mod spans;
mod unknown;

pub(crate) use joint::{JointWords, shift};
pub(crate) use operations::{DELETED, PhraseOperations};
pub(crate) use prepared::{PhraseCache, PhraseWords, PreparedPhrase, Question};
pub(crate) use unknown::{StandIn, stand_in};

use crate::input::Constraint;
use crate::learned::{Learned, LearnedPhrase, LearnedWords};
use crate::model::LogLinear;
use crate::table::{NodeNumber, ROOT};
use crate::unknown::Unknown;
use crate::weights::UNKNOWN_WORD;
use crate::{Error, Result};
use chiasm_phrases::{PhraseLink, Span, split_tag};
use chiasm_reorder::{Scratch, WordKey};
use extra::ExtraWords;
use hashbrown::HashTable;
use learned::loss;
use std::sync::Arc;

/// Where an option comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The phrase table.
    Table(u32),
    /// A word that the table does not know, copied.
    Unknown,
    /// The input's markup or a glossary; the number finds its probability.
    Given(u32),
    /// What the user has taught; the number finds its scores and links.
    Learned(u32),
}

/// A way to translate a source span.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TranslationOption {
    pub span: Span,
    pub origin: Origin,
    /// Weighted scores without language models and orientation.
    pub score: f32,
    /// The part of it that no feature of the system has: what was learned speaks for it or against it.
    pub learned: f32,
    /// Weighted score of language models and models of operations in isolation.
    pub language: f32,
    pub best_backward: f32,
    pub best_forward: f32,
    /// The first option with the same weighted forward scores: options with the same number are
    /// the same to whatever follows.
    pub forward: u32,
}

/// The options of one source span.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpanOptions {
    pub span: Span,
    pub first: u32,
    pub end: u32,
    /// The best option's estimate.
    pub best: f32,
}

const NO_SPAN: u32 = u32::MAX;

/// An unknown word is linked to its copy.
static WORD_BY_WORD: [PhraseLink; 1] = [PhraseLink::new(0, 0)];

/// All options of a sentence.
#[derive(Default)]
pub(crate) struct SentenceOptions {
    /// Source words by number in the source vocabulary, unknown ones beyond it.
    pub source: Vec<u32>,
    pub tokens: Vec<String>,
    /// The known forms that are read in place of words that the table cannot translate.
    pub stand_ins: Vec<StandIn>,
    /// Their tags, if the system looks at any.
    tags: Vec<String>,
    pub spans: Vec<SpanOptions>,
    /// Spans by length and start.
    by_length: Vec<Vec<u32>>,
    pub options: Vec<TranslationOption>,
    pub words: PhraseWords,
    /// What models of operation sequences see of the options; nothing without them.
    pub operations: PhraseOperations,
    /// What a joint model sees of them; nothing without one.
    pub joint: JointWords,
    /// Orientation scores of option `o` begin at `o * orientation_scores`, unweighted and weighted
    /// (sparse features included).
    pub orientation: Vec<f32>,
    pub weighted: Vec<f32>,
    /// Target words beyond the vocabulary.
    pub extra_words: ExtraWords,
    /// Logarithms of the probabilities that came with given options.
    pub given: Vec<f32>,
    /// Phrase scores and links of learned options.
    pub learned: Vec<(Vec<f32>, Vec<PhraseLink>)>,
    /// What was learned of the words of the options.
    pub learned_words: LearnedWords,
    forward_numbers: HashTable<u32>,
    scratches: Vec<Scratch>,
    keys: Vec<WordKey>,
    answer: Vec<f32>,
}

/// What to translate and how.
pub(crate) struct Request<'a> {
    pub tokens: &'a [String],
    pub constraints: &'a [Constraint],
    /// The translation, if it is given.
    pub target: Option<&'a [String]>,
    pub table_limit: usize,
    pub learned: Option<&'a Learned>,
    pub unknown: Unknown,
}

impl Request<'_> {
    /// A given translation that has the word itself wants it copied.
    fn wants_copy(&self, token: &String) -> bool {
        let copied = |target: &[String]| occurs(std::slice::from_ref(token), target);
        self.target.is_some_and(copied)
    }

    /// May these words become part of the translation?
    fn allows(&self, model: &LogLinear, option: &[u32]) -> bool {
        let Some(target) = self.target else {
            return true;
        };
        let words = model.system().target_words();
        let option: Vec<&str> = option.iter().map(|&word| words.word(word)).collect();
        occurs(&option, target)
    }
}

impl SentenceOptions {
    /// Gathers the options of a sentence.
    pub fn collect(
        &mut self,
        model: &LogLinear,
        cache: &PhraseCache,
        request: &Request<'_>,
    ) -> Result<()> {
        self.clear();
        self.take_tokens(model, request)?;
        let system = model.system();
        if request.unknown == Unknown::Nearest {
            self.replace_unknown(system, request);
        }
        let known = system.source_words().len() as u32;
        for (position, token) in self.tokens.iter().enumerate() {
            let id = system.source_words().get(token);
            self.source.push(id.unwrap_or(known + position as u32));
        }
        self.begin_models(model);
        self.begin_joint(model);
        self.extra_words.begin(request.learned);
        self.add_given(model, request)?;
        self.add_from_table(model, cache, request)?;
        if request.unknown == Unknown::Nearest {
            self.add_borrowed(model, cache, request)?;
        }
        self.add_unknown(model, request);
        self.index(request.tokens.len());
        if request.learned.is_some() {
            self.learned_words.prepare(&self.words);
        }
        Ok(())
    }

    /// The words, and their tags where models look at them.
    fn take_tokens(&mut self, model: &LogLinear, request: &Request<'_>) -> Result<()> {
        if !model.uses.tags {
            self.tokens.extend_from_slice(request.tokens);
            return Ok(());
        }
        for token in request.tokens {
            let Some((word, tag)) = split_tag(token) else {
                return Err(Error::Input(format!(
                    "this system looks at tags of source words: word|tag expected, {token:?} found"
                )));
            };
            self.tokens.push(word.to_string());
            self.tags.push(tag.to_string());
        }
        Ok(())
    }

    fn clear(&mut self) {
        self.source.clear();
        self.tokens.clear();
        self.stand_ins.clear();
        self.tags.clear();
        self.spans.clear();
        self.by_length.clear();
        self.options.clear();
        self.words.clear();
        self.operations.clear();
        self.joint.clear();
        self.orientation.clear();
        self.weighted.clear();
        self.given.clear();
        self.learned.clear();
        self.learned_words.clear();
        self.forward_numbers.clear();
    }

    fn add_given(&mut self, model: &LogLinear, request: &Request<'_>) -> Result<()> {
        for constraint in request.constraints {
            let span = constraint.span;
            if span.is_empty() || span.end as usize > request.tokens.len() {
                return Err(Error::Input(
                    "a constraint lies outside the sentence".into(),
                ));
            }
            let first = self.options.len();
            for (words, probability) in &constraint.translations {
                let words: Vec<&str> = chiasm_text::tokens(words).collect();
                if request.target.is_some_and(|target| !occurs(&words, target)) {
                    continue;
                }
                self.given.push(probability.ln().max(UNKNOWN_WORD));
                let origin = Origin::Given(self.given.len() as u32 - 1);
                self.add_option(model, span, origin, &words);
            }
            self.close_span(span, first);
        }
        Ok(())
    }

    fn is_blocked(request: &Request<'_>, span: Span) -> bool {
        let mut exclusive = request
            .constraints
            .iter()
            .filter(|constraint| constraint.exclusive);
        exclusive.any(|constraint| constraint.span.overlaps(span))
    }

    fn add_from_table(
        &mut self,
        model: &LogLinear,
        cache: &PhraseCache,
        request: &Request<'_>,
    ) -> Result<()> {
        let table = model.system().phrase_table();
        let mut learned = self.learned_phrases(model, request)?;
        for start in 0..self.source.len() {
            let mut node = ROOT;
            for end in start + 1..=self.source.len() {
                match table.child(node, self.source[end - 1])? {
                    Some(child) => node = child,
                    None => break,
                }
                let span = Span::new(start as u32, end as u32);
                if Self::is_blocked(request, span) || table.options(node)?.is_empty() {
                    continue;
                }
                let spelled = || -> Vec<(u32, &str)> {
                    let words = span.range();
                    words
                        .map(|place| (self.source[place], self.tokens[place].as_str()))
                        .collect()
                };
                let prepared = prepare(model, cache, request, node, spelled)?;
                let phrase = learned.remove(&span);
                self.add_known(model, span, &prepared, phrase);
            }
        }
        // What the table does not know at all.
        let mut rest: Vec<(Span, LearnedPhrase)> = learned.into_iter().collect();
        rest.sort_unstable_by_key(|(span, _)| *span);
        for (span, phrase) in rest {
            self.add_known(model, span, &PreparedPhrase::default(), Some(phrase));
        }
        Ok(())
    }

    /// The options of a span: the table's and those that were learned.
    fn add_known(
        &mut self,
        model: &LogLinear,
        span: Span,
        prepared: &PreparedPhrase,
        learned: Option<LearnedPhrase>,
    ) {
        let first = self.options.len();
        let loss = learned.as_ref().map_or(0.0, |phrase| loss(model, phrase));
        // What was learned is scored with what the table says of it, so an option is there once.
        let is_new = |option: usize| {
            let said = &prepared.words.words[prepared.words.range(option)];
            let mut others = learned.iter().flat_map(|phrase| phrase.translations.iter());
            others.all(|other| other.target != *said)
        };
        self.add_prepared(model, span, prepared, loss, is_new);
        if let Some(phrase) = learned {
            self.add_learned(model, span, phrase);
        }
        self.close_span(span, first);
    }

    fn add_prepared(
        &mut self,
        model: &LogLinear,
        span: Span,
        prepared: &PreparedPhrase,
        learned: f32,
        wanted: impl Fn(usize) -> bool,
    ) {
        let models = model.system().language_models().len();
        let operation_models = model.system().operation_models().len();
        let width = model.layout().orientation_scores;
        for option in (0..prepared.len()).filter(|&option| wanted(option)) {
            self.words.copy(&prepared.words, option, models);
            if model.uses.operations {
                (self.operations).copy(&prepared.operations, option, operation_models);
            }
            self.orientation
                .extend_from_slice(&prepared.orientation[option * width..(option + 1) * width]);
            self.options.push(TranslationOption {
                span,
                origin: Origin::Table(prepared.origin[option]),
                score: prepared.score[option] + learned,
                learned,
                language: prepared.language[option],
                best_backward: 0.0,
                best_forward: 0.0,
                forward: 0,
            });
            let question = prepared.question(option);
            self.push_joint(model, question.links);
            self.weigh_orientation(model, question);
        }
    }

    /// Adds an option that is not in the phrase table.
    fn add_option(&mut self, model: &LogLinear, span: Span, origin: Origin, words: &[&str]) {
        let (system, weights) = (model.system(), &model.weights);
        let known = system.target_words().len() as u32;
        let mut ids = Vec::with_capacity(words.len());
        for &word in words {
            ids.push(match system.target_words().get(word) {
                Some(id) => id,
                None => known + self.extra_words.intern(word) as u32,
            });
        }
        let language = self.push_words(model, &ids);
        let mut score = weights.phrase_penalty - weights.word_penalty * words.len() as f32;
        match origin {
            Origin::Unknown => score += weights.unknown * UNKNOWN_WORD,
            Origin::Given(number) => {
                let phrase_weights = &weights.dense[model.layout().phrase_scores.clone()];
                let value = model.given_score(self.given[number as usize]);
                score += value * phrase_weights.iter().sum::<f32>();
            }
            Origin::Table(_) | Origin::Learned(_) => {}
        }
        let filled = self.orientation.len() + model.layout().orientation_scores;
        self.orientation.resize(filled, 0.0);
        self.options.push(TranslationOption {
            span,
            origin,
            score,
            learned: 0.0,
            language,
            best_backward: 0.0,
            best_forward: 0.0,
            forward: 0,
        });
        let links: &[PhraseLink] = match origin {
            Origin::Unknown => &WORD_BY_WORD,
            _ => &[],
        };
        self.push_operations(model, links);
        self.push_joint(model, links);
        let mut keys = std::mem::take(&mut self.keys);
        self.target_keys(model, &ids, &mut keys);
        self.weigh_orientation(
            model,
            Question {
                keys: &keys,
                links: &[],
            },
        );
        self.keys = keys;
    }

    /// Adds words of an option, of which the vocabulary need not know all; the result is their weighted language model
    /// score in isolation.
    fn push_words(&mut self, model: &LogLinear, words: &[u32]) -> f32 {
        let system = model.system();
        let (extra_words, known) = (&self.extra_words, system.target_words().len());
        let weights = &model.weights.language_models;
        let spelling = |word: u32| {
            let extra = (word as usize).saturating_sub(known);
            extra_words.get(extra).unwrap_or_default().to_string()
        };
        self.words
            .push(system.language_models(), weights, words, spelling)
    }

    /// The links inside an option, as its phrase pair has them.
    pub fn links<'a>(&'a self, model: &'a LogLinear, option: usize) -> Result<&'a [PhraseLink]> {
        Ok(match self.options[option].origin {
            Origin::Table(entry) => model.system().phrase_table().option(entry as usize)?.links,
            Origin::Unknown => &WORD_BY_WORD,
            Origin::Given(_) => &[],
            Origin::Learned(number) => &self.learned[number as usize].1,
        })
    }

    /// The spelling of a target word.
    pub fn target_word<'a>(&'a self, model: &'a LogLinear, word: u32) -> &'a str {
        let vocabulary = model.system().target_words();
        match (word as usize).checked_sub(vocabulary.len()) {
            None => vocabulary.word(word),
            Some(extra) => self.extra_words.get(extra).unwrap_or_default(),
        }
    }
}

/// The translations of a source phrase that may be used.
fn prepare<'a>(
    model: &LogLinear,
    cache: &PhraseCache,
    request: &Request<'_>,
    node: NodeNumber,
    spelled: impl Fn() -> Vec<(u32, &'a str)>,
) -> Result<Arc<PreparedPhrase>> {
    if request.target.is_some() {
        let wanted = |option: &[u32]| request.allows(model, option);
        let prepared = PreparedPhrase::new(model, node, &spelled(), 0, wanted)?;
        return Ok(Arc::new(prepared));
    }
    cache.get(node, || {
        let limit = request.table_limit;
        PreparedPhrase::new(model, node, &spelled(), limit, |_| true)
    })
}

/// Do `words` stand somewhere in `target`?
fn occurs<T: AsRef<str>>(words: &[T], target: &[String]) -> bool {
    words.is_empty()
        || target.windows(words.len()).any(|window| {
            let pairs = window.iter().zip(words);
            pairs.into_iter().all(|(a, b)| a == b.as_ref())
        })
}
