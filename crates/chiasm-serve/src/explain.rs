//! `/v1/explain`: why a phrase of a sentence goes where it goes, and what else it could become.

use crate::body;
use crate::clients::Client;
use crate::journal::Translated;
use crate::problem::Problem;
use crate::service::Service;
use crate::systems::ServedSystem;
use crate::translate::{AskedConstraint, TargetPhrase, constrain, span};
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use chiasm_decode::{FeatureKind, Input, Wanted};
use chiasm_phrases::{PhraseLink, Span};
use chiasm_reorder::{Explanation, OrientationModel};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// What a client sends.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    text: String,
    system: Option<String>,
    /// The source words: the first and the one after the last.
    source: (usize, usize),
    /// The target words; without them, those of the best translation.
    target: Option<TargetPhrase>,
    /// Links within the phrase pair, counted from its start.
    #[serde(default)]
    links: Vec<PhraseLink>,
    /// How many deciding features.
    features: Option<usize>,
    #[serde(default)]
    tokenized: bool,
    #[serde(default)]
    constraints: Vec<AskedConstraint>,
}

const FEATURES: usize = 8;
const MOST_FEATURES: usize = 1000;
const MOST_ALTERNATIVES: usize = 20;
/// A longer phrase is in no table; products of its features would take long to weigh one by one.
const LONGEST_PHRASE: usize = 20;

/// `POST /v1/explain`.
pub async fn explain(
    State(service): State<Arc<Service>>,
    Extension(client): Extension<Client>,
    request: Request<Body>,
) -> Result<Response, Problem> {
    if !service.may_see_training_text(client) {
        let message = "reasons show phrases of the training text: only with a token, or on the server's own machine";
        return Err(Problem::forbidden("private", message));
    }
    let asked: Asked = body::json(request, &service.settings).await?;
    let system = service.systems.named(asked.system.as_deref())?;
    let words = service.settings.words;
    let text = service.settings.log_text.then(|| asked.text.clone());
    let work = move |_: usize| asked.answer(&system, words);
    let mut found = service.each_sentence(client, 1, work).await?;
    let answer = found
        .pop()
        .ok_or_else(|| Problem::failed("nothing was found"))?;
    let mut response = Json(answer).into_response();
    let translated = Translated { sentences: 1, text };
    response.extensions_mut().insert(translated);
    Ok(response)
}

/// A phrase pair in its sentence.
struct Phrase {
    source: Span,
    target: Vec<String>,
    links: Vec<PhraseLink>,
}

impl Asked {
    fn answer(&self, system: &ServedSystem, words: usize) -> Result<Value, Problem> {
        let mut input = system.input(&self.text, self.tokenized, words)?;
        let own = self.constraints.iter();
        constrain(&mut input, own, system, self.tokenized, words)?;
        let source = span(self.source, input.tokens.len())?;
        let phrase = match &self.target {
            Some(target) => Phrase {
                source,
                target: target.tokens(system, self.tokenized),
                links: self.links.clone(),
            },
            None => best_phrase(system, &input, source)?,
        };
        phrase.check()?;
        system.system().confirm()?;
        let most = self.features.unwrap_or(FEATURES).min(MOST_FEATURES);
        let read = system.decoder.words_read(&input);
        Ok(json!({
            "system": system.name,
            "source": input.tokens,
            "phrase": {
                "source": phrase.source,
                "target": phrase.target,
                "links": phrase.links,
            },
            "models": models(system, &read, &phrase, most),
            "alternatives": alternatives(system, &read[phrase.source.range()])?,
        }))
    }
}

impl Phrase {
    fn check(&self) -> Result<(), Problem> {
        let (source, target) = (self.source.len(), self.target.len());
        if target == 0 || source > LONGEST_PHRASE || target > LONGEST_PHRASE {
            let message = format!("a phrase of 1 to {LONGEST_PHRASE} words expected");
            return Err(Problem::bad(message));
        }
        if !self.links.iter().all(|link| link.is_within(source, target)) {
            return Err(Problem::bad("a link lies outside the phrase pair"));
        }
        Ok(())
    }
}

/// The phrase of the best translation that has these source words.
fn best_phrase(system: &ServedSystem, input: &Input, source: Span) -> Result<Phrase, Problem> {
    let found = system.decoder.nbest(input, Wanted::BEST)?;
    let best = found.into_iter().next().unwrap_or_default();
    let found = best.phrases.iter().find(|phrase| phrase.source == source);
    let Some(found) = found else {
        let message = "the best translation has no phrase of exactly these words; give the target";
        return Err(Problem::bad(message));
    };
    let short = |position: usize| u8::try_from(position).unwrap_or(u8::MAX);
    let inside = |&(s, t): &(usize, usize)| PhraseLink {
        source: short(s - source.start as usize),
        target: short(t - found.target.start as usize),
    };
    Ok(Phrase {
        links: found.links.iter().map(inside).collect(),
        target: best.words[found.target.range()].to_vec(),
        source,
    })
}

/// What each reordering model of the system has to say.
fn models(system: &ServedSystem, read: &[String], phrase: &Phrase, most: usize) -> Vec<Value> {
    let mut learned = system.system().reordering_models().iter();
    let features = system.system().configuration().features.iter();
    features
        .filter_map(|feature| match &feature.kind {
            FeatureKind::ReorderingTable(_) => Some(json!({
                "feature": feature.name, "kind": "table", "directions": [],
            })),
            FeatureKind::ReorderingModel(_) => {
                let directions = reasons(learned.next()?.as_ref(), read, phrase, most);
                let kind = if directions.is_empty() {
                    "table"
                } else {
                    "learned"
                };
                Some(json!({ "feature": feature.name, "kind": kind, "directions": directions }))
            }
            _ => None,
        })
        .collect()
}

fn reasons(
    model: &dyn OrientationModel,
    read: &[String],
    phrase: &Phrase,
    most: usize,
) -> Vec<Value> {
    let source: Vec<&str> = read.iter().map(String::as_str).collect();
    let target: Vec<&str> = phrase.target.iter().map(String::as_str).collect();
    let found = model.explain(&source, phrase.source, &target, &phrase.links);
    let described = |found: &Explanation| json!(found.described(model.classes(), most));
    found.iter().map(described).collect()
}

/// What the phrase table knows for these words, the most probable first.
fn alternatives(system: &ServedSystem, source: &[String]) -> Result<Vec<Value>, Problem> {
    let system = system.system();
    let known: Option<Vec<u32>> = source
        .iter()
        .map(|word| system.source_words().get(word))
        .collect();
    let Some(known) = known else {
        return Ok(Vec::new());
    };
    let table = system.phrase_table();
    let failed = |error: chiasm_store::Error| Problem::failed(error.to_string());
    let mut found = Vec::new();
    for number in table.find(&known).map_err(failed)? {
        let option = table.option(number).map_err(failed)?;
        let mut scores = vec![0.0; table.columns()];
        table.scores(number, &mut scores).map_err(failed)?;
        let words = option.target.iter();
        let words: Vec<&str> = words
            .map(|&word| system.target_words().word(word))
            .collect();
        found.push((probability(&scores, system), words));
    }
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.truncate(MOST_ALTERNATIVES);
    let describe = |(probability, words): (f32, Vec<&str>)| json!({ "target": words, "probability": probability });
    Ok(found.into_iter().map(describe).collect())
}

/// The probability of the target phrase given the source phrase: the third of Moses' four scores,
/// else the first there is.
fn probability(scores: &[f32], system: &chiasm_decode::System) -> f32 {
    let mut features = system.configuration().features.iter();
    let phrase_scores = features
        .find(|feature| feature.kind == FeatureKind::PhraseTable)
        .map_or(0, |feature| feature.weights.len());
    let column = if phrase_scores == 4 { 2 } else { 0 };
    scores.get(column).map_or(0.0, |score| score.exp())
}
