//! Which path is answered by what, and what all answers have in common.

use crate::clients::{Client, Clients, Resource};
use crate::journal::Journal;
use crate::pool::Pool;
use crate::problem::Problem;
use crate::settings::Settings;
use crate::systems::Systems;
use crate::{access, answer, catalogue, complete, explain, journal, learn, libre, page, translate};
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::Value;
use std::sync::Arc;

/// Everything that answers need.
pub struct Service {
    pub systems: Arc<Systems>,
    pub pool: Pool,
    pub clients: Arc<Clients>,
    pub settings: Settings,
    pub journal: Journal,
}

impl Service {
    /// Refuses more sentences, or more translations of them, than a request may ask for.
    pub fn check_amount(&self, sentences: usize, translations: usize) -> Result<(), Problem> {
        let most = self.settings.sentences;
        if sentences > most {
            let message = format!("{sentences} sentences; at most {most} are translated at once");
            return Err(Problem::too_long(message));
        }
        let (all, most) = (
            sentences.saturating_mul(translations),
            self.settings.translations,
        );
        if all > most {
            let message = format!("{all} translations; at most {most} are listed at once");
            return Err(Problem::too_long(message));
        }
        Ok(())
    }

    /// Works on sentences 0, 1, ... on the decoding threads; the first problem is the request's.
    pub async fn each_sentence<T: Send + 'static>(
        &self,
        client: Client,
        sentences: usize,
        work: impl Fn(usize) -> Result<T, Problem> + Send + Sync + 'static,
    ) -> Result<Vec<T>, Problem> {
        let share = self.clients.take(client, Resource::Requests, 1);
        let _share = share.ok_or_else(|| Problem::greedy("requests at a time"))?;
        let work = move |number: usize| work(number).map_err(|problem| problem.in_sentence(number));
        let time = self.settings.time;
        let outcomes = self.pool.run(client, sentences, time, work).await?;
        outcomes.into_iter().collect()
    }
}

impl Service {
    /// Works on what is not a list of sentences, on the decoding threads as well.
    pub async fn one_answer(
        &self,
        client: Client,
        work: impl Fn(usize) -> Result<Value, Problem> + Send + Sync + 'static,
    ) -> Result<Json<Value>, Problem> {
        let mut answers = self.each_sentence(client, 1, work).await?;
        Ok(Json(answers.pop().unwrap_or_default()))
    }
}

/// All paths.
pub fn router(service: Arc<Service>) -> Router {
    Router::new()
        .route("/translate", post(libre::translate))
        .route("/languages", get(libre::languages))
        .route("/v1/translate", post(translate::translate))
        .route("/v1/explain", post(explain::explain))
        .route("/v1/complete", post(complete::complete))
        .route("/v1/wordgraph", post(complete::word_graph))
        .route("/v1/learn", post(learn::learn))
        .route("/v1/memory", post(learn::memory))
        .route("/v1/systems", get(catalogue::systems))
        .route("/healthz", get(catalogue::health))
        .route("/openapi.json", get(catalogue::description))
        .merge(page::routes())
        .fallback(|| async { Problem::not_found("there is nothing here; see /openapi.json") })
        .method_not_allowed_fallback(|| async { Problem::method() })
        .layer(from_fn_with_state(service.clone(), access::guard))
        .layer(from_fn_with_state(service.clone(), answer::measure))
        .layer(from_fn_with_state(service.clone(), journal::record))
        .with_state(service)
}
