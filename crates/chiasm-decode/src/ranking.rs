//! A second opinion: a neural model chooses among the derivations that the search found.
//!
//! The search knows nothing of it. Whatever is chosen is one of the derivations in its list, so constraints, glossaries
//! and pinned phrases hold as they do without.

use crate::system::System;
use crate::translation::Translation;
use serde::{Deserialize, Serialize};

/// How much each judgement counts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankingWeights {
    /// The model score.
    pub score: f32,
    /// The natural logarithm of the probability that the neural model gives.
    pub ranker: f32,
    /// Each target word.
    pub word: f32,
}

impl RankingWeights {
    /// What a translation of so many words is worth.
    pub fn total(&self, score: f32, ranker: f32, words: usize) -> f32 {
        self.score * score + self.ranker * ranker + self.word * words as f32
    }
}

/// What was said of a translation that was ranked.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// The natural logarithm of the probability that the neural model gives.
    pub ranker: f32,
    /// Both judgements and the length, weighted.
    pub total: f32,
    /// Which place the translation has by its model score alone, counted from 1.
    pub place: usize,
    /// Of the first of a list: what the model score alone would have chosen, if that is another translation.
    pub instead_of: Option<Box<Preferred>>,
}

/// A translation that was first by its model score alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Preferred {
    /// The target words.
    pub words: Vec<String>,
    /// The model score.
    pub score: f32,
    /// What the neural model gives.
    pub ranker: f32,
    /// Both judgements and the length, weighted.
    pub total: f32,
}

/// Puts the translations of a list, best first, into the order of both judgements. What the neural model does not
/// judge, because it would take too long, stays behind what it does.
pub(crate) fn rank(system: &System, tokens: &[String], list: &mut [Translation]) {
    let (Some(model), Some(weights)) = (system.ranker(), system.configuration().ranker) else {
        return;
    };
    let translations: Vec<&[String]> = list.iter().map(|one| one.words.as_slice()).collect();
    let judged = model.score(tokens, &translations);
    // A damaged model may say anything; then it says nothing.
    if judged.is_empty() || judged.iter().any(|value| !value.is_finite()) {
        return;
    }
    for (place, (translation, &ranker)) in list.iter_mut().zip(&judged).enumerate() {
        translation.ranking = Some(Ranking {
            ranker,
            total: weights.total(translation.score, ranker, translation.words.len()),
            place: place + 1,
            instead_of: None,
        });
    }
    let first = &list[0];
    let preferred = first.ranking.as_ref().map(|ranking| Preferred {
        words: first.words.clone(),
        score: first.score,
        ranker: ranking.ranker,
        total: ranking.total,
    });
    list[..judged.len()].sort_by(|a, b| total(b).total_cmp(&total(a)));
    if let Some(ranking) = list.first_mut().and_then(|best| best.ranking.as_mut())
        && ranking.place > 1
    {
        ranking.instead_of = preferred.map(Box::new);
    }
}

fn total(translation: &Translation) -> f32 {
    let ranking = translation.ranking.as_ref();
    ranking.map_or(f32::NEG_INFINITY, |ranking| ranking.total)
}
