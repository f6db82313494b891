//! Translations as text: n-best lines as Moses writes them, and JSON.

use crate::configuration::Configuration;
use crate::orientation::between;
use crate::preparation::Preparation;
use crate::ranking::Ranking;
use crate::system::System;
use crate::translation::{PhraseUse, Translation};
use chiasm_phrases::{Orientation, Span};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// How translations of a sentence are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The best one, as people write it.
    Text,
    /// All, as [`nbest_line`] writes them.
    Nbest,
    /// One JSON object, with a list of all if so asked.
    Json {
        /// Is there a list?
        list: bool,
    },
}

impl Form {
    /// What was found for the sentence of this number, with the end of the line.
    pub fn print(
        self,
        system: &System,
        preparation: &Preparation,
        (number, tokens): (usize, &[String]),
        found: &[Translation],
    ) -> String {
        match self {
            Form::Text => {
                let best = found.first().map(|best| preparation.text(best));
                best.unwrap_or_default() + "\n"
            }
            Form::Nbest => {
                let lines = found
                    .iter()
                    .map(|one| nbest_line(system, number, one) + "\n");
                lines.collect()
            }
            Form::Json { list } => {
                let object = sentence_json(system, preparation, tokens, found, list);
                format!("{object}\n")
            }
        }
    }

    /// What stands for a sentence that could not be read.
    pub fn nothing(self) -> &'static str {
        match self {
            Form::Text => "\n",
            Form::Nbest => "",
            Form::Json { .. } => "null\n",
        }
    }
}

/// One n-best line: sentence number, words, features, score, links. All features are named, so that
/// weights times features is the score.
pub fn nbest_line(system: &System, sentence: usize, translation: &Translation) -> String {
    let mut line = format!("{sentence} ||| {} ||| ", translation.text());
    for (name, values) in feature_groups(system.configuration(), translation) {
        let _ = write!(line, "{name}=");
        for value in values {
            let _ = write!(line, " {value}");
        }
        line.push(' ');
    }
    for &(feature, value) in &translation.sparse {
        let _ = write!(line, "{}= {value} ", system.sparse_name(feature));
    }
    let _ = write!(
        line,
        "||| {} ||| {}",
        translation.score,
        pharaoh(translation)
    );
    line
}

/// Links in Pharaoh form, sorted.
pub fn pharaoh(translation: &Translation) -> String {
    let mut links: Vec<(usize, usize)> = translation.links().collect();
    links.sort_unstable();
    links.dedup();
    let links: Vec<String> = links.iter().map(|(s, t)| format!("{s}-{t}")).collect();
    links.join(" ")
}

fn feature_groups<'a>(
    configuration: &'a Configuration,
    translation: &'a Translation,
) -> impl Iterator<Item = (&'a str, &'a [f32])> {
    let mut position = 0;
    configuration.features.iter().map(move |feature| {
        let first = position;
        position += feature.weights.len();
        let values = translation.features.get(first..position).unwrap_or(&[]);
        (feature.name.as_str(), values)
    })
}

/// What was found for a sentence as a JSON object: the best translation as text and as tokens with
/// all that [`translation_json`] says, and on request the list of all as `nbest`. Null if nothing
/// was found.
pub fn sentence_json(
    system: &System,
    preparation: &Preparation,
    tokens: &[String],
    found: &[Translation],
    with_list: bool,
) -> Value {
    let describe = |translation: &Translation| {
        let mut object = translation_json(system, tokens, translation);
        object["translation"] = preparation.text(translation).into();
        object["tokens"] = translation.words.clone().into();
        object
    };
    let Some(best) = found.first() else {
        return Value::Null;
    };
    let mut object = describe(best);
    if with_list {
        object["nbest"] = found.iter().map(describe).collect();
    }
    object
}

/// A translation as a JSON object: `translation`, `score`, `phrases`, `alignment`, `unknown`,
/// `features`, `read_as` if known forms stood in for unknown words, and `ranking` if a neural model was asked. Spans are first and end, counted from 0, the end not
/// included.
pub fn translation_json(system: &System, tokens: &[String], translation: &Translation) -> Value {
    let mut features = Map::new();
    for (name, values) in feature_groups(system.configuration(), translation) {
        features.insert(name.to_string(), json!(values));
    }
    for &(feature, value) in &translation.sparse {
        features.insert(system.sparse_name(feature), json!(value));
    }
    let mut previous = Span::default();
    let mut phrases = Vec::new();
    for phrase in &translation.phrases {
        phrases.push(phrase_json(previous, phrase));
        previous = phrase.source;
    }
    let unknown: Vec<Value> = translation
        .unknown()
        .map(|position| json!({ "position": position, "word": tokens.get(position) }))
        .collect();
    let mut object = json!({
        "translation": translation.text(),
        "score": translation.score,
        "phrases": phrases,
        "alignment": translation.links().map(|(s, t)| json!([s, t])).collect::<Vec<_>>(),
        "unknown": unknown,
        "features": features,
    });
    if !translation.read_as.is_empty() {
        let words = translation.read_as.iter();
        object["read_as"] = words
            .map(|(position, form)| {
                json!({ "position": position, "word": tokens.get(*position), "as": form })
            })
            .collect();
    }
    if let Some(ranking) = &translation.ranking {
        object["ranking"] = ranking_json(ranking);
    }
    object
}

/// Both judgements: `ranker` and `total`, the `agreement` with the list if that decided, the `place` by model score alone, and what would have been chosen by it
/// alone (`instead_of`) with its own judgements, if that is another translation.
fn ranking_json(ranking: &Ranking) -> Value {
    let mut object = json!({
        "ranker": ranking.ranker,
        "total": ranking.total,
        "place": ranking.place,
    });
    if let Some(preferred) = &ranking.instead_of {
        object["instead_of"] = json!({
            "tokens": preferred.words,
            "score": preferred.score,
            "ranker": preferred.ranker,
            "total": preferred.total,
        });
    }
    object
}

fn phrase_json(previous: Span, phrase: &PhraseUse) -> Value {
    let all: Vec<Value> = phrase
        .orientations
        .iter()
        .map(|said| {
            json!({
                "feature": said.feature,
                "learned": said.learned,
                "direction": said.direction,
                "orientation": said.orientation,
                "probabilities": probabilities(&said.probabilities),
            })
        })
        .collect();
    let told = phrase.told();
    // Without a reordering model the orientation still is what it is.
    let (orientation, known) = match told {
        Some(said) => (said.orientation, probabilities(&said.probabilities)),
        None => {
            let name = match between(previous, phrase.source).orientation() {
                Orientation::Monotone => "monotone",
                Orientation::Swap => "swap",
                Orientation::DiscontinuousLeft | Orientation::DiscontinuousRight => "discontinuous",
            };
            (Some(name), json!({}))
        }
    };
    let model = told.filter(|said| !said.probabilities.is_empty());
    let mut object = json!({
        "source": phrase.source,
        "target": phrase.target,
        "orientation": orientation,
        "orientation_probabilities": known,
        "orientation_model": model.map(|said| &said.feature),
        "orientations": all,
        "unknown": phrase.unknown,
    });
    if !phrase.operations.is_empty() {
        let operations = phrase.operations.iter();
        let told = operations.map(|one| json!({ "operation": one.name, "score": one.score }));
        object["operations"] = told.collect();
    }
    object
}

fn probabilities(named: &[(&'static str, f32)]) -> Value {
    let entries = named
        .iter()
        .map(|&(name, value)| (name.to_string(), json!(value)));
    Value::Object(entries.collect())
}
