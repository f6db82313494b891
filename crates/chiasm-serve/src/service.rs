//! Which path is answered by what, and what all answers have in common.

use crate::pool::Pool;
use crate::problem::Problem;
use crate::settings::Settings;
use crate::systems::Systems;
use crate::{catalogue, explain, journal, libre, page, translate};
use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use std::sync::Arc;

/// Everything that answers need.
pub struct Service {
    pub systems: Systems,
    pub pool: Pool,
    pub settings: Settings,
    pub journal: Box<dyn Fn(&str) + Send + Sync>,
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
        sentences: usize,
        work: impl Fn(usize) -> Result<T, Problem> + Send + Sync + 'static,
    ) -> Result<Vec<T>, Problem> {
        let work = move |number: usize| work(number).map_err(|problem| problem.in_sentence(number));
        let outcomes = self.pool.run(sentences, self.settings.time, work).await?;
        outcomes.into_iter().collect()
    }
}

/// All paths.
pub fn router(service: Arc<Service>) -> Router {
    Router::new()
        .route("/translate", post(libre::translate))
        .route("/languages", get(libre::languages))
        .route("/v1/translate", post(translate::translate))
        .route("/v1/explain", post(explain::explain))
        .route("/v1/systems", get(catalogue::systems))
        .route("/healthz", get(catalogue::health))
        .route("/openapi.json", get(catalogue::description))
        .merge(page::routes())
        .fallback(|| async { Problem::not_found("there is nothing here; see /openapi.json") })
        .method_not_allowed_fallback(|| async { Problem::method() })
        .layer(from_fn_with_state(service.clone(), journal::record))
        .with_state(service)
}
