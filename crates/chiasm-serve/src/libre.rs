//! `/translate` and `/languages` as LibreTranslate answers them, so that its clients work.

use crate::access::Admitted;
use crate::body;
use crate::clients::Client;
use crate::journal::Translated;
use crate::problem::Problem;
use crate::service::Service;
use crate::systems::{ServedSystem, UNKNOWN_LANGUAGE};
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use chiasm_decode::Wanted;
use chiasm_text::LANGUAGES;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a client sends; fields of LibreTranslate that mean nothing here are passed over.
#[derive(Deserialize)]
struct Asked {
    q: Option<OneOrMany>,
    source: Option<String>,
    target: Option<String>,
    format: Option<String>,
    alternatives: Option<Count>,
    /// The token, as LibreTranslate's clients show it.
    api_key: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

/// A number, which in a form is text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Count {
    Number(usize),
    Text(String),
}

impl Count {
    fn number(&self) -> Result<usize, Problem> {
        match self {
            Count::Number(number) => Ok(*number),
            Count::Text(text) => text
                .parse()
                .map_err(|_| Problem::bad("alternatives: a number expected")),
        }
    }
}

/// The alternatives of each text are at most this many.
const MOST_ALTERNATIVES: usize = 20;

/// `POST /translate`.
pub async fn translate(
    State(service): State<Arc<Service>>,
    Extension(client): Extension<Client>,
    Extension(Admitted(admitted)): Extension<Admitted>,
    request: Request<Body>,
) -> Result<Response, Problem> {
    let asked: Asked = body::json_or_form(request, &service.settings).await?;
    if !admitted && !service.is_token(asked.api_key.as_deref()) {
        return Err(Problem::token());
    }
    let (texts, is_list) = match asked.q {
        None => return Err(Problem::bad("the parameter q is missing")),
        Some(OneOrMany::One(text)) => (vec![text], false),
        Some(OneOrMany::Many(texts)) => (texts, true),
    };
    if asked
        .format
        .as_deref()
        .is_some_and(|format| format != "text")
    {
        return Err(Problem::bad("format: only text is translated"));
    }
    let Some(target) = asked.target else {
        return Err(Problem::bad("the parameter target is missing"));
    };
    let source = asked.source.unwrap_or_else(|| "auto".into());
    let system = service.systems.between(&source, &target)?;
    let alternatives = asked.alternatives.map_or(Ok(0), |count| count.number())?;
    if alternatives > MOST_ALTERNATIVES {
        let message = format!("alternatives: at most {MOST_ALTERNATIVES}");
        return Err(Problem::bad(message));
    }
    let text = service.settings.log_text.then(|| texts.join("\n"));
    let lines: Vec<Vec<String>> = texts
        .iter()
        .map(|text| text.lines().map(str::to_string).collect())
        .collect();
    let lists =
        translate_lines(&service, client, &system, lines.concat(), alternatives + 1).await?;
    let sentences = lists.len();
    let mut answer = answer(&lines, &lists, alternatives, is_list);
    if source == "auto" {
        // Languages are not detected: the system says which one it expects.
        let language = json!({ "language": system.source_language(), "confidence": 0.0 });
        answer["detectedLanguage"] = match is_list {
            true => vec![language; texts.len()].into(),
            false => language,
        };
    }
    let mut response = Json(answer).into_response();
    let translated = Translated { sentences, text };
    response.extensions_mut().insert(translated);
    Ok(response)
}

/// The translations of each line, best first; of an empty line, the empty one.
async fn translate_lines(
    service: &Service,
    client: Client,
    system: &Arc<ServedSystem>,
    lines: Vec<String>,
    count: usize,
) -> Result<Vec<Vec<String>>, Problem> {
    let settings = &service.settings;
    service.check_amount(lines.len(), count)?;
    let (system, words, sentences) = (system.clone(), settings.words, lines.len());
    let wanted = Wanted {
        count,
        distinct: count > 1,
    };
    let work = move |number: usize| -> Result<Vec<String>, Problem> {
        let line: &str = &lines[number];
        let input = system.input(line, false, words)?;
        if input.tokens.is_empty() {
            return Ok(vec![String::new()]);
        }
        let found = system.decoder.nbest(&input, wanted)?;
        let preparation = system.preparation(false);
        Ok(found.iter().map(|one| preparation.text(one)).collect())
    };
    service.each_sentence(client, sentences, work).await
}

fn answer(
    lines: &[Vec<String>],
    lists: &[Vec<String>],
    alternatives: usize,
    is_list: bool,
) -> Value {
    let mut first = 0;
    let (mut translated, mut others) = (Vec::new(), Vec::new());
    for text in lines {
        let lists = &lists[first..first + text.len()];
        first += text.len();
        let variant = |rank: usize| -> String {
            let of_line = |list: &Vec<String>| list.get(rank).or(list.first()).cloned();
            let parts: Vec<String> = lists.iter().filter_map(of_line).collect();
            parts.join("\n")
        };
        let most = lists.iter().map(Vec::len).max().unwrap_or(1);
        let ranks = 1..most.min(alternatives + 1);
        translated.push(json!(variant(0)));
        others.push(json!(ranks.map(variant).collect::<Vec<_>>()));
    }
    let one_or_many = |mut values: Vec<Value>| match is_list {
        true => Value::Array(values),
        false => values.pop().unwrap_or_default(),
    };
    let mut answer = json!({ "translatedText": one_or_many(translated) });
    if alternatives > 0 {
        answer["alternatives"] = one_or_many(others);
    }
    answer
}

/// `GET /languages`: each source language with the languages that it is translated into.
pub async fn languages(State(service): State<Arc<Service>>) -> Json<Value> {
    let mut targets: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let list = service.systems.list();
    for system in &list {
        let known = targets.entry(system.source_language()).or_default();
        if !known.contains(&system.target_language()) {
            known.push(system.target_language());
        }
        targets.entry(system.target_language()).or_default();
    }
    let list = targets
        .into_iter()
        .map(|(code, targets)| json!({ "code": code, "name": name(code), "targets": targets }));
    Json(list.collect())
}

/// The English name of a language.
fn name(code: &str) -> &str {
    let known = LANGUAGES.iter().find(|(known, _)| *known == code);
    match known {
        Some((_, name)) => name,
        None if code == UNKNOWN_LANGUAGE => "Unknown",
        None => code,
    }
}
