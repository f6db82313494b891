//! What there is: the systems, the limits, the state of the server, the description of its interface.

use crate::service::Service;
use crate::systems::{ServedSystem, UNKNOWN_LANGUAGE};
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use chiasm_decode::FeatureKind;
use serde_json::{Value, json};
use std::sync::Arc;

/// The interface, described for programs.
const DESCRIPTION: &str = include_str!("openapi.json");

/// `GET /v1/systems`.
pub async fn systems(State(service): State<Arc<Service>>) -> Json<Value> {
    let settings = &service.settings;
    let list = service.systems.list();
    Json(json!({
        "systems": list.iter().map(|system| describe(system, settings.memories.is_some())).collect::<Vec<_>>(),
        "limits": {
            "body_bytes": settings.body_bytes,
            "sentences": settings.sentences,
            "words": settings.words,
            "translations": settings.translations,
            "seconds": settings.time.as_secs_f64(),
            "answer_bytes": settings.answer_bytes,
        },
        "examples": settings.examples,
    }))
}

fn describe(system: &ServedSystem, learns: bool) -> Value {
    let parts = system.system();
    json!({
        "name": system.name,
        "source_language": system.source_language(),
        "target_language": system.target_language(),
        "tokenizes": system.source_language() != UNKNOWN_LANGUAGE,
        "learns": learns && parts.aligner().is_some(),
        "phrase_pairs": parts.phrase_table().len(),
        "reordering": reordering(system),
    })
}

/// The models of orientation, each in a few words.
fn reordering(system: &ServedSystem) -> Vec<Value> {
    let mut models = system.system().reordering_models().iter();
    let mut operations = system.system().operation_models().iter();
    let features = system.system().configuration().features.iter();
    features
        .filter_map(|feature| match &feature.kind {
            FeatureKind::ReorderingTable(shape) => Some(json!({
                "feature": feature.name,
                "model": "lexicalised",
                "orientation": shape.orientation,
                "classes": shape.classes,
            })),
            FeatureKind::ReorderingModel(shape) => {
                let model = models.next()?;
                Some(json!({
                    "feature": feature.name,
                    "model": model.family(),
                    "features": model.features().map(|set| set.to_string()),
                    "orientation": shape.orientation,
                    "classes": shape.classes,
                }))
            }
            FeatureKind::OperationModel => {
                let model = operations.next()?;
                let knows = if model.is_of_classes() {
                    "classes"
                } else {
                    "words"
                };
                Some(json!({ "feature": feature.name, "model": "operations", "features": knows }))
            }
            _ => None,
        })
        .collect()
}

/// `GET /healthz`.
pub async fn health(State(service): State<Arc<Service>>) -> Json<Value> {
    Json(json!({
        "status": "ok",
        "version": env!("CARGO_PKG_VERSION"),
        "systems": service.systems.list().len(),
        "requests": service.pool.admitted(),
    }))
}

/// `GET /openapi.json`.
pub async fn description() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], DESCRIPTION)
}
