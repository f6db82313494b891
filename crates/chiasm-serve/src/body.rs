//! Reading a request's body: not more than the limit, not longer than our patience.

use crate::problem::Problem;
use crate::settings::Settings;
use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use serde::de::DeserializeOwned;

/// How the fields of a request are written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Json,
    UrlEncoded,
}

/// Reads a JSON body.
pub async fn json<T: DeserializeOwned>(
    request: Request<Body>,
    settings: &Settings,
) -> Result<T, Problem> {
    match form(&request)? {
        Form::Json => parse_json(&read(request, settings).await?),
        Form::UrlEncoded => Err(Problem::media_type(
            "a body of type application/json expected",
        )),
    }
}

/// Reads a body that is JSON or the fields of a form.
pub async fn json_or_form<T: DeserializeOwned>(
    request: Request<Body>,
    settings: &Settings,
) -> Result<T, Problem> {
    let form = form(&request)?;
    let bytes = read(request, settings).await?;
    match form {
        Form::Json => parse_json(&bytes),
        Form::UrlEncoded => {
            let fields = serde_urlencoded::from_bytes(&bytes);
            fields.map_err(|error| Problem::bad(format!("not the form expected: {error}")))
        }
    }
}

fn form(request: &Request<Body>) -> Result<Form, Problem> {
    let value = request.headers().get(header::CONTENT_TYPE);
    let value = value.and_then(|value| value.to_str().ok()).unwrap_or("");
    let kind = value.split(';').next().unwrap_or("").trim();
    match kind.to_ascii_lowercase().as_str() {
        "application/json" => Ok(Form::Json),
        "application/x-www-form-urlencoded" => Ok(Form::UrlEncoded),
        _ => Err(Problem::media_type(
            "a body of type application/json expected",
        )),
    }
}

async fn read(request: Request<Body>, settings: &Settings) -> Result<axum::body::Bytes, Problem> {
    let most = settings.body_bytes;
    let too_long = || Problem::too_long(format!("the request has more than {most} bytes"));
    let announced = request.headers().get(header::CONTENT_LENGTH);
    let announced = announced.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > most as u64) {
        return Err(too_long());
    }
    match tokio::time::timeout(settings.patience, to_bytes(request.into_body(), most)).await {
        Err(_) => Err(Problem::slow("the body took too long to arrive")),
        Ok(Ok(bytes)) => Ok(bytes),
        // Either the limit or the connection broke; then nobody reads the answer.
        Ok(Err(_)) => Err(too_long()),
    }
}

fn parse_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let text = std::str::from_utf8(bytes).map_err(|_| Problem::bad("the body is not UTF-8"))?;
    serde_json::from_str(text)
        .map_err(|error| Problem::bad(format!("not the JSON expected: {error}")))
}
