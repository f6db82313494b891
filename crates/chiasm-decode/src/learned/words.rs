//! The first language model and what was learned, on the words of an option.

use super::index::{NONE, hash};
use super::ngrams::{Change, END, ROOT, context_of, state_of};
use super::{Learned, Strengths};
use crate::language_model::{LanguageModel, is_within};
use crate::model::LogLinear;
use crate::options::{PhraseWords, SentenceOptions};
use chiasm_lm::State;
use std::cell::Cell;

/// What was learned of the words of all options of a sentence.
#[derive(Default)]
pub(crate) struct LearnedWords {
    /// How much it counts for this sentence.
    pub strengths: Strengths,
    /// The weighted gain of a word and those after it in the option, if nothing before the option matters.
    inside: Vec<Cell<f32>>,
    /// The context after each option under the same condition; [`NONE`] of those that nobody has asked for.
    ends: Vec<Cell<u32>>,
    /// What was asked before, by its hash: hypotheses ask the same again and again.
    asked: Vec<Cell<Asked>>,
}

/// A context, a word, what becomes of its probability, and the gain at the probability that was asked for last.
#[derive(Clone, Copy)]
struct Asked {
    context: u32,
    word: u32,
    change: Change,
    logarithm: f32,
    gain: f32,
}

const NOTHING: Asked = Asked {
    context: NONE,
    word: NONE,
    change: Change::NONE,
    logarithm: 0.0,
    gain: 0.0,
};

/// How many answers are kept.
const ANSWERS: usize = 1 << 14;

impl LearnedWords {
    pub fn clear(&mut self) {
        self.inside.clear();
        self.ends.clear();
        self.asked.clear();
    }

    /// Makes room for the words of all options.
    pub fn prepare(&mut self, words: &PhraseWords) {
        self.asked.resize(ANSWERS, Cell::new(NOTHING));
        self.inside.resize(words.words.len(), Cell::new(0.0));
        self.ends.resize(words.ends.len(), Cell::new(NONE));
    }

    /// What is added to the logarithm of a word's probability, and the context after the word.
    #[inline]
    fn gain(&self, learned: &Learned, context: u32, word: u32, logarithm: f32) -> (f32, u32) {
        let place = &self.asked[hash([context, word]) as usize % ANSWERS];
        let mut asked = place.get();
        let known = asked.context == context && asked.word == word;
        if known && asked.logarithm == logarithm {
            return (asked.gain, asked.change.next);
        }
        if !known {
            asked.change = learned.ngrams.change(&self.strengths, context, word);
            (asked.context, asked.word) = (context, word);
        }
        (asked.logarithm, asked.gain) = (logarithm, asked.change.gain(logarithm));
        place.set(asked);
        (asked.gain, asked.change.next)
    }

    /// The context after an option, and the gains inside it, if nothing before it matters.
    fn alone(
        &self,
        model: &LogLinear,
        learned: &Learned,
        words: &PhraseWords,
        option: usize,
    ) -> u32 {
        let models = model.system().language_models();
        let known = self.ends[option].get();
        let (NONE, Some(language)) = (known, models.first()) else {
            return known;
        };
        let weight = model.weights.language_models[0];
        let (mut state, mut after) = (language.nothing(), language.nothing());
        let mut context = ROOT;
        for position in words.range(option) {
            let id = words.language_ids[position * models.len()];
            let score = language.score(&state, id, &mut after);
            let (gain, next) = self.gain(learned, context, words.words[position], score);
            self.inside[position].set(weight * gain);
            (state, context) = (after, next);
        }
        for position in words.range(option).skip(1).rev() {
            let before = &self.inside[position - 1];
            before.set(before.get() + self.inside[position].get());
        }
        self.ends[option].set(context);
        context
    }
}

/// The weighted score of the first language model, changed by what was learned, for the words of an option. The first state
/// and the last, which belong to the two, become those after the option. Stops as soon as what stood before no longer matters.
pub(crate) fn score(
    model: &LogLinear,
    options: &SentenceOptions,
    learned: &Learned,
    option: usize,
    states: &mut [State],
) -> f32 {
    let models = model.system().language_models();
    let (Some(language), [state, .., last]) = (models.first(), states) else {
        return 0.0;
    };
    let (words, known) = (&options.words, &options.learned_words);
    let (range, weight) = (words.range(option), model.weights.language_models[0]);
    let (mut context, mut next, mut total) = (context_of(last), *state, 0.0);
    for position in range.clone() {
        let at = position * models.len();
        let score = language.score(state, words.language_ids[at], &mut next);
        let (gain, after) = known.gain(learned, context, words.words[position], score);
        total += weight * (score + gain);
        std::mem::swap(state, &mut next);
        context = after;
        let seen = position + 1 - range.start;
        let within = || learned.ngrams.length(context) <= seen;
        if position + 1 < range.end && is_within(state, seen) && within() {
            context = known.alone(model, learned, words, option);
            total += words.inside[at + models.len()] + known.inside[position + 1].get();
            *state = words.final_states[option * models.len()];
            break;
        }
    }
    *last = state_of(context);
    total
}

/// What was learned adds for the end of the sentence, weighted; the states are those before it.
pub(crate) fn gain_of_end(
    model: &LogLinear,
    options: &SentenceOptions,
    learned: &Learned,
    states: &[State],
) -> f32 {
    let models = model.system().language_models();
    let (Some(language), [state, .., last]) = (models.first(), states) else {
        return 0.0;
    };
    let (known, score) = (&options.learned_words, end_score(language, state));
    let (gain, _) = known.gain(learned, context_of(last), END, score);
    gain * model.weights.language_models[0]
}

fn end_score(language: &LanguageModel, state: &State) -> f32 {
    language.score(state, language.end_of_sentence(), &mut State::empty())
}

/// What was learned adds to the first language model for an option, word by word. Of `states`, the last becomes the one after
/// the option; the others are those before it and stay.
pub(crate) fn gain(
    model: &LogLinear,
    options: &SentenceOptions,
    learned: &Learned,
    option: u32,
    ends: bool,
    states: &mut [State],
) -> f32 {
    let models = model.system().language_models();
    let (Some(language), [state, .., last]) = (models.first(), states) else {
        return 0.0;
    };
    let (words, known) = (&options.words, &options.learned_words);
    let (mut state, mut context, mut total) = (*state, context_of(last), 0.0);
    for position in words.range(option as usize) {
        let mut after = state;
        let id = words.language_ids[position * models.len()];
        let score = language.score(&state, id, &mut after);
        let (gain, next) = known.gain(learned, context, words.words[position], score);
        (state, context) = (after, next);
        total += gain;
    }
    if ends {
        total += known
            .gain(learned, context, END, end_score(language, &state))
            .0;
        context = ROOT;
    }
    *last = state_of(context);
    total * model.weights.language_models[0]
}
