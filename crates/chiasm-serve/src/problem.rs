//! What a client is told when it does not get what it asked for: a status, a code for programs, a
//! sentence for people.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Serialize, Serializer};
use serde_json::json;

/// Why a request was not answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    status: StatusCode,
    code: &'static str,
    message: String,
}

/// Seconds after which a client that was sent away may come back.
pub const RETRY_SECONDS: u32 = 1;

impl Problem {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Problem {
            status,
            code,
            message,
        }
    }

    /// The request makes no sense.
    pub fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    /// The request is more than the server takes.
    pub fn too_long(message: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_long", message)
    }

    /// The client took too long to send it.
    pub fn slow(message: impl Into<String>) -> Self {
        Self::new(StatusCode::REQUEST_TIMEOUT, "slow_client", message)
    }

    /// The body is of a type that is not read here.
    pub fn media_type(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "media_type", message)
    }

    /// There is no such thing.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    /// There is, but not by this method.
    pub fn method() -> Self {
        let message = "this path does not take this method; see /openapi.json";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method", message)
    }

    /// The token was not shown, or another.
    pub fn token() -> Self {
        let message = "this server answers to those who show its token (Authorization: Bearer ...)";
        Self::new(StatusCode::UNAUTHORIZED, "token", message)
    }

    /// Whoever asks may not.
    pub fn forbidden(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, message)
    }

    /// The client has its share of something already.
    pub fn greedy(what: &str) -> Self {
        let message = format!("you have your share of this server: {what}");
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message)
    }

    /// Too many requests at once.
    pub fn busy() -> Self {
        let message = format!(
            "the server is busy with other requests; please try again in {RETRY_SECONDS} second"
        );
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message)
    }

    /// The translation took too long.
    pub fn timed_out(seconds: f32) -> Self {
        let message = format!("the translation was not ready within {seconds} seconds");
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "timeout", message)
    }

    /// Something that should not happen.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "failed", message)
    }

    /// The same, said of a sentence of the request.
    pub fn in_sentence(mut self, number: usize) -> Self {
        self.message = format!("sentence {}: {}", number + 1, self.message);
        self
    }
}

impl From<chiasm_decode::Error> for Problem {
    fn from(error: chiasm_decode::Error) -> Self {
        match error {
            chiasm_decode::Error::Input(message) => Problem::bad(message),
            other => Problem::failed(other.to_string()),
        }
    }
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        json!({ "error": self.message, "code": self.code }).serialize(serializer)
    }
}

/// Left in a response for the journal.
#[derive(Clone)]
pub struct ProblemCode(pub &'static str);

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(&self)).into_response();
        response.extensions_mut().insert(ProblemCode(self.code));
        if self.status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer");
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, scheme);
        }
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            let seconds = HeaderValue::from(RETRY_SECONDS);
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response
    }
}
