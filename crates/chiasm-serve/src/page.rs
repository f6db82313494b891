//! The page: a few files in the binary, and the headers that keep them to themselves.

use crate::service::Service;
use axum::Router;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::sync::Arc;

/// Path, type and content of each file.
const FILES: [(&str, &str, &str); 9] = [
    (
        "/",
        "text/html; charset=utf-8",
        include_str!("../page/index.html"),
    ),
    (
        "/page/style.css",
        "text/css; charset=utf-8",
        include_str!("../page/style.css"),
    ),
    (
        "/page/main.js",
        "text/javascript; charset=utf-8",
        include_str!("../page/main.js"),
    ),
    (
        "/page/server.js",
        "text/javascript; charset=utf-8",
        include_str!("../page/server.js"),
    ),
    (
        "/page/picture.js",
        "text/javascript; charset=utf-8",
        include_str!("../page/picture.js"),
    ),
    (
        "/page/details.js",
        "text/javascript; charset=utf-8",
        include_str!("../page/details.js"),
    ),
    (
        "/page/kept.js",
        "text/javascript; charset=utf-8",
        include_str!("../page/kept.js"),
    ),
    (
        "/page/workbench.js",
        "text/javascript; charset=utf-8",
        include_str!("../page/workbench.js"),
    ),
    (
        "/page/icon.svg",
        "image/svg+xml",
        include_str!("../page/icon.svg"),
    ),
];

/// Nothing but our own files, no inline script or style, no markup from strings, no frames.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// The page's paths.
pub fn routes() -> Router<Arc<Service>> {
    FILES
        .iter()
        .fold(Router::new(), |router, &(path, kind, content)| {
            router.route(path, get(async move || file(kind, content)))
        })
}

fn file(kind: &'static str, content: &'static str) -> Response {
    let mut response = ([(header::CONTENT_TYPE, kind)], content).into_response();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
        (header::CACHE_CONTROL, "no-cache"),
    ] {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    response
}

/// Headers of every answer, API or page.
pub const COMMON_HEADERS: [(HeaderName, HeaderValue); 3] = [
    (
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    ),
    (
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
];
