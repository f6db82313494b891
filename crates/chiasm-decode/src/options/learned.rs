//! The options that a user has taught.

use super::{Origin, Request, SentenceOptions, TranslationOption, occurs};
use crate::Result;
use crate::learned::LearnedPhrase;
use crate::model::LogLinear;
use crate::options::Question;
use chiasm_phrases::{PhraseLink, Span};
use hashbrown::HashMap;

/// A sentence that was learned whole is translated so, whatever else there is.
const WHOLE_SENTENCE: f32 = 1000.0;

/// What the table's own options of a learned source phrase lose: their share of p(e|f).
pub(super) fn loss(model: &LogLinear, phrase: &LearnedPhrase) -> f32 {
    let scores = model.layout().phrase_scores.clone();
    let weights = &model.weights.dense[scores];
    // Column 2 is p(e|f) where there are four, as in tables of Moses; else all columns are taken for it.
    let weight = match weights.len() {
        4 => weights[2],
        _ => weights.iter().sum(),
    };
    weight.max(0.0) * phrase.remaining.ln()
}

impl SentenceOptions {
    /// What was learned of each span of the sentence.
    pub(super) fn learned_phrases<'a>(
        &mut self,
        model: &LogLinear,
        request: &Request<'a>,
    ) -> Result<HashMap<Span, LearnedPhrase>> {
        let mut found = HashMap::new();
        let Some(learned) = request.learned else {
            return Ok(found);
        };
        let (system, phrases) = (model.system(), learned.phrases());
        let numbers = learned.source_numbers(system, &self.tokens);
        let strengths = learned.strengths(system, &numbers);
        self.learned_words.strengths = strengths;
        for start in 0..numbers.len() {
            let known: Vec<u32> = numbers[start..]
                .iter()
                .map_while(|&number| number)
                .collect();
            for length in 1..=known.len().min(phrases.longest()) {
                let span = Span::new(start as u32, (start + length) as u32);
                if Self::is_blocked(request, span) {
                    continue;
                }
                let limit = request.table_limit;
                if let Some(phrase) = phrases.find(system, &strengths, &known[..length], limit)? {
                    found.insert(span, phrase);
                }
            }
            if start == 0 && known.len() == numbers.len() {
                self.add_whole_sentence(model, request, &known);
            }
        }
        if let Some(target) = request.target {
            for phrase in found.values_mut() {
                phrase.retain(|words| {
                    let words = words.iter().map(|&word| self.target_word(model, word));
                    occurs(&words.collect::<Vec<_>>(), target)
                });
            }
        }
        Ok(found)
    }

    fn add_whole_sentence(&mut self, model: &LogLinear, request: &Request<'_>, source: &[u32]) {
        let span = Span::new(0, source.len() as u32);
        let learned = request.learned.map(|learned| learned.phrases());
        let Some((target, links)) = learned.and_then(|phrases| phrases.sentence(source)) else {
            return;
        };
        // A constraint inside has the last word, and so has a given translation.
        if Self::is_blocked(request, span) || request.target.is_some() {
            return;
        }
        let first = self.options.len();
        let columns = vec![0.0; model.layout().phrase_scores.len()];
        let orientation = vec![0.0; model.layout().orientation_scores];
        self.push_learned(
            model,
            span,
            (target, links),
            (columns, &orientation),
            WHOLE_SENTENCE,
        );
        self.close_span(span, first);
    }

    pub(super) fn add_learned(&mut self, model: &LogLinear, span: Span, phrase: LearnedPhrase) {
        let weights = &model.weights.dense[model.layout().phrase_scores.clone()];
        let bonus = phrase.bonus * weights.iter().sum::<f32>().abs();
        for (said, columns) in phrase.translations.iter().zip(phrase.columns) {
            let pair = (said.target.as_slice(), said.links.clone());
            let scores = (columns, said.orientation.as_slice());
            self.push_learned(model, span, pair, scores, bonus);
        }
    }

    fn push_learned(
        &mut self,
        model: &LogLinear,
        span: Span,
        (target, links): (&[u32], Vec<PhraseLink>),
        (columns, orientation): (Vec<f32>, &[f32]),
        bonus: f32,
    ) {
        let weights = &model.weights;
        let language = self.push_words(model, target);
        let mut score = weights.phrase_penalty - weights.word_penalty * target.len() as f32 + bonus;
        let dense = &weights.dense[model.layout().phrase_scores.clone()];
        score += columns
            .iter()
            .zip(dense)
            .map(|(value, weight)| value * weight)
            .sum::<f32>();
        self.orientation.extend_from_slice(orientation);
        self.options.push(TranslationOption {
            span,
            origin: Origin::Learned(self.learned.len() as u32),
            score,
            learned: bonus,
            language,
            best_backward: 0.0,
            best_forward: 0.0,
            forward: 0,
        });
        self.push_operations(model, &links);
        self.push_joint(model, &links);
        let mut keys = std::mem::take(&mut self.keys);
        self.target_keys(model, target, &mut keys);
        let question = Question {
            keys: &keys,
            links: &links,
        };
        self.weigh_orientation(model, question);
        self.learned.push((columns, links));
        self.keys = keys;
    }
}
