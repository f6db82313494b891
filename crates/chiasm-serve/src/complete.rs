//! `/v1/complete`, `/v1/wordgraph`: how a translation goes on, and everything that was looked at.

use crate::body;
use crate::clients::Client;
use crate::graphs::Made;
use crate::problem::Problem;
use crate::service::Service;
use crate::settings::Settings;
use crate::systems::ServedSystem;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::{Extension, Json};
use chiasm_decode::{GraphLimits, WordGraph};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// A sentence, and what has been typed of its translation.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    text: String,
    #[serde(default)]
    prefix: String,
    system: Option<String>,
    memory: Option<String>,
    #[serde(default)]
    tokenized: bool,
    /// Of a graph: how far below the best translation.
    beam: Option<f32>,
    /// Of a graph: how many arcs at most.
    arcs: Option<usize>,
}

const MOST_ARCS: usize = 20_000;

impl Asked {
    /// Is the graph the same, whatever was typed?
    pub fn is_same_sentence(&self, other: &Asked) -> bool {
        self.text == other.text
            && self.tokenized == other.tokenized
            && self.memory == other.memory
            && self.beam == other.beam
            && self.arcs == other.arcs
    }

    fn graph(&self, system: &ServedSystem, settings: &Settings) -> Result<Made, Problem> {
        let mut input = system.input(&self.text, self.tokenized, settings.words)?;
        input.learned = system.learned(settings, self.memory.as_deref())?;
        if let Some(made) = system.graphs.find(self, input.learned.as_ref()) {
            return Ok(made);
        }
        let usual = GraphLimits::default();
        let limits = GraphLimits {
            beam: self.beam.filter(|beam| *beam >= 0.0).unwrap_or(usual.beam),
            arcs: self.arcs.unwrap_or(usual.arcs).clamp(1, MOST_ARCS),
        };
        let graph = system.decoder.word_graph(&input, limits, 1.0)?;
        let made = Arc::new((input.tokens, graph));
        system.graphs.keep(self, input.learned.as_ref(), &made);
        Ok(made)
    }
}

async fn answer(
    service: &Service,
    client: Client,
    request: Request<Body>,
    say: impl Fn(&Asked, &ServedSystem, &[String], &WordGraph) -> Value + Send + Sync + 'static,
) -> Result<Json<Value>, Problem> {
    let asked: Asked = body::json(request, &service.settings).await?;
    if asked.memory.is_some() {
        service.check_trusted(client)?;
    }
    let system = service.systems.named(asked.system.as_deref())?;
    let settings = service.settings.clone();
    if asked.prefix.chars().count() > settings.words * 20 {
        return Err(Problem::too_long("the beginning is too long"));
    }
    let work = move |_: usize| {
        let made = asked.graph(&system, &settings)?;
        Ok(say(&asked, &system, &made.0, &made.1))
    };
    service.one_answer(client, work).await
}

/// `POST /v1/complete`.
pub async fn complete(
    State(service): State<Arc<Service>>,
    Extension(client): Extension<Client>,
    request: Request<Body>,
) -> Result<Json<Value>, Problem> {
    answer(&service, client, request, |asked, system, _, graph| {
        let preparation = system.preparation(asked.tokenized);
        let completion = preparation.complete(graph, &asked.prefix);
        let text = format!("{}{completion}", asked.prefix);
        json!({ "system": system.name, "completion": completion, "text": text })
    })
    .await
}

/// `POST /v1/wordgraph`.
pub async fn word_graph(
    State(service): State<Arc<Service>>,
    Extension(client): Extension<Client>,
    request: Request<Body>,
) -> Result<Json<Value>, Problem> {
    answer(&service, client, request, |_, system, tokens, graph| {
        json!({ "system": system.name, "source": tokens, "graph": graph })
    })
    .await
}
