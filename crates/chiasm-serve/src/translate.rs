//! `/v1/translate`: translations with everything that explains them.

use crate::body;
use crate::clients::Client;
use crate::journal::Translated;
use crate::problem::Problem;
use crate::service::Service;
use crate::settings::Settings;
use crate::systems::ServedSystem;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use chiasm_decode::{Constraint, GraphLimits, Input, Wanted, expected_to_stay, formats};
use chiasm_phrases::Span;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use std::sync::Arc;

/// What a client sends.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    text: Text,
    system: Option<String>,
    nbest: Option<usize>,
    #[serde(default)]
    distinct: bool,
    #[serde(default)]
    tokenized: bool,
    #[serde(default)]
    constraints: Vec<AskedConstraint>,
    memory: Option<String>,
    #[serde(default)]
    confidence: bool,
}

/// Lines, each a sentence.
#[derive(Deserialize)]
#[serde(untagged)]
enum Text {
    Lines(String),
    List(Vec<String>),
}

/// Words of a sentence that must be translated so.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskedConstraint {
    #[serde(default)]
    sentence: usize,
    source: (usize, usize),
    target: TargetPhrase,
    #[serde(default = "yes")]
    exclusive: bool,
}

fn yes() -> bool {
    true
}

/// Target words: text as people write it, or tokens.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
pub enum TargetPhrase {
    Text(String),
    Tokens(Vec<String>),
}

impl TargetPhrase {
    /// The words, as the system knows them.
    pub fn tokens(&self, system: &ServedSystem, tokenized: bool) -> Vec<String> {
        let line = match self {
            TargetPhrase::Text(text) => system.preparation(tokenized).target_tokens(text),
            TargetPhrase::Tokens(tokens) => tokens.join(" "),
        };
        // What is a space to people may not be one to the decoder.
        line.split_whitespace().map(str::to_string).collect()
    }
}

#[derive(Serialize)]
struct Answer<'a> {
    system: &'a str,
    sentences: Vec<Box<RawValue>>,
}

/// The longest n-best list.
const MOST_TRANSLATIONS: usize = 100;

/// `POST /v1/translate`.
pub async fn translate(
    State(service): State<Arc<Service>>,
    Extension(client): Extension<Client>,
    request: Request<Body>,
) -> Result<Response, Problem> {
    let asked: Asked = body::json(request, &service.settings).await?;
    let system = service.systems.named(asked.system.as_deref())?;
    let lines = match asked.text {
        Text::Lines(text) => text.lines().map(str::to_string).collect(),
        Text::List(list) => list,
    };
    let count = asked.nbest.unwrap_or(1);
    if !(1..=MOST_TRANSLATIONS).contains(&count) {
        let message = format!("nbest: a number from 1 to {MOST_TRANSLATIONS} expected");
        return Err(Problem::bad(message));
    }
    service.check_amount(lines.len(), count)?;
    if asked.memory.is_some() {
        service.check_trusted(client)?;
    }
    for constraint in &asked.constraints {
        if constraint.sentence >= lines.len() {
            return Err(Problem::bad(
                "a constraint is of a sentence that is not there",
            ));
        }
    }
    let text = service.settings.log_text.then(|| lines.join("\n"));
    let list = asked.nbest.is_some();
    let job = Job {
        system: system.clone(),
        lines,
        tokenized: asked.tokenized,
        constraints: asked.constraints,
        settings: service.settings.clone(),
        memory: asked.memory,
        confidence: asked.confidence,
        wanted: Wanted {
            count,
            distinct: asked.distinct,
        },
        list,
    };
    let sentences = job.lines.len();
    let found = service
        .each_sentence(client, sentences, move |number| job.sentence(number))
        .await?;
    let mut response = Json(Answer {
        system: &system.name,
        sentences: found,
    })
    .into_response();
    let translated = Translated { sentences, text };
    response.extensions_mut().insert(translated);
    Ok(response)
}

struct Job {
    system: Arc<ServedSystem>,
    lines: Vec<String>,
    tokenized: bool,
    constraints: Vec<AskedConstraint>,
    settings: Settings,
    memory: Option<String>,
    confidence: bool,
    wanted: Wanted,
    list: bool,
}

impl Job {
    /// Translates one sentence and describes what was found.
    fn sentence(&self, number: usize) -> Result<Box<RawValue>, Problem> {
        let (system, words) = (&self.system, self.settings.words);
        let mut input = system.input(&self.lines[number], self.tokenized, words)?;
        let own = self.constraints.iter().filter(|one| one.sentence == number);
        constrain(&mut input, own, system, self.tokenized, words)?;
        input.learned = system.learned(&self.settings, self.memory.as_deref())?;
        let found = system.decoder.nbest(&input, self.wanted)?;
        let preparation = system.preparation(self.tokenized);
        let tokens = &input.tokens;
        let mut object =
            formats::sentence_json(system.system(), preparation, tokens, &found, self.list);
        if object.is_null() {
            return Err(Problem::failed("no translation was found"));
        }
        object["source"] = tokens.clone().into();
        if let (true, Some(best)) = (self.confidence, found.first()) {
            let limits = GraphLimits::default();
            let graph = system.decoder.word_graph(&input, limits, 1.0)?;
            let parts = system.system();
            let words = parts.confidences(&graph, best);
            object["confidence"] = expected_to_stay(&words).into();
            object["confidences"] = words.into();
            object["calibrated"] = parts.configuration().calibration.is_some().into();
        }
        to_raw_value(&object).map_err(|error| Problem::failed(error.to_string()))
    }
}

/// Adds constraints to a sentence, if they make sense there.
pub fn constrain<'a>(
    input: &mut Input,
    constraints: impl Iterator<Item = &'a AskedConstraint>,
    system: &ServedSystem,
    tokenized: bool,
    words: usize,
) -> Result<(), Problem> {
    for asked in constraints {
        let span = span(asked.source, input.tokens.len())?;
        let overlaps = |other: &Constraint| other.span.overlaps(span);
        if input.constraints.iter().any(overlaps) {
            return Err(Problem::bad("two constraints have words in common"));
        }
        let target = asked.target.tokens(system, tokenized);
        if target.is_empty() || target.len() > words {
            return Err(Problem::bad("a constraint needs some target words"));
        }
        input.constraints.push(Constraint {
            span,
            exclusive: asked.exclusive,
            translations: vec![(target.join(" "), 1.0)],
        });
    }
    Ok(())
}

/// A span of a sentence: its first word and the one after its last.
pub fn span((start, end): (usize, usize), length: usize) -> Result<Span, Problem> {
    if start < end && end <= length {
        return Ok(Span::new(start as u32, end as u32));
    }
    Err(Problem::bad(format!(
        "[{start}, {end}] is no span of a sentence of {length} words"
    )))
}
