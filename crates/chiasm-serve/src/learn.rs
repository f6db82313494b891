//! `/v1/learn`, `/v1/memory`: what users teach, and what they have taught.

use crate::body;
use crate::clients::Client;
use crate::problem::Problem;
use crate::service::Service;
use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::{Extension, Json};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::{Arc, PoisonError};

/// A pair that somebody approves.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lesson {
    source: String,
    target: String,
    system: Option<String>,
    #[serde(default = "usual")]
    memory: String,
    #[serde(default)]
    tokenized: bool,
}

/// What is asked of a memory: to list it, after forgetting something.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    system: Option<String>,
    #[serde(default = "usual")]
    memory: String,
    forget: Option<u64>,
    #[serde(default)]
    undo: bool,
}

fn usual() -> String {
    "default".into()
}

/// `POST /v1/learn`.
pub async fn learn(
    State(service): State<Arc<Service>>,
    Extension(client): Extension<Client>,
    request: Request<Body>,
) -> Result<Json<Value>, Problem> {
    service.check_trusted(client)?;
    let asked: Lesson = body::json(request, &service.settings).await?;
    let system = service.systems.named(asked.system.as_deref())?;
    let settings = service.settings.clone();
    let work = move |_: usize| {
        // Lengths are checked as those of any sentence.
        for text in [&asked.source, &asked.target] {
            system.input(text, asked.tokenized, settings.words)?;
        }
        let memory = system
            .memory(&settings, &asked.memory, true)?
            .ok_or_else(|| Problem::failed("the memory could not be begun"))?;
        let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
        let pair = [(asked.source.as_str(), asked.target.as_str())];
        let ids = memory.learn(system.preparation(asked.tokenized), pair)?;
        Ok(json!({
            "system": system.name,
            "memory": asked.memory,
            "id": ids.first(),
            "pairs": memory.pairs().len(),
        }))
    };
    service.one_answer(client, work).await
}

/// `POST /v1/memory`.
pub async fn memory(
    State(service): State<Arc<Service>>,
    Extension(client): Extension<Client>,
    request: Request<Body>,
) -> Result<Json<Value>, Problem> {
    service.check_trusted(client)?;
    let asked: Asked = body::json(request, &service.settings).await?;
    let system = service.systems.named(asked.system.as_deref())?;
    let settings = service.settings.clone();
    let work = move |_: usize| {
        let mut pairs = Vec::new();
        if let Some(memory) = system.memory(&settings, &asked.memory, false)? {
            let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
            memory.refresh()?;
            if let Some(id) = asked.forget {
                memory.forget(id)?;
            }
            if asked.undo {
                memory.undo()?;
            }
            let listed = memory
                .pairs()
                .iter()
                .map(|pair| json!({ "id": pair.id, "source": pair.source, "target": pair.target }));
            pairs.extend(listed);
        } else if let Some(id) = asked.forget {
            return Err(Problem::not_found(format!("no pair has the number {id}")));
        }
        Ok(json!({ "system": system.name, "memory": asked.memory, "pairs": pairs }))
    };
    service.one_answer(client, work).await
}
