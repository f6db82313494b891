//! Who may ask. A page from elsewhere must not: by asking for a name that leads here (DNS rebinding), by sending a form
//! (CSRF). A person without the token must not, where there is one.

use crate::clients::Client;
use crate::problem::Problem;
use crate::service::Service;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Request, header};
use axum::middleware::Next;
use axum::response::Response;
use std::net::IpAddr;
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// Left in a request: did it show what has to be shown?
#[derive(Clone, Copy)]
pub struct Admitted(pub bool);

/// What anybody may see: the page, which holds nothing but itself, and whether the server is up.
fn is_public(path: &str) -> bool {
    matches!(path, "/" | "/healthz" | "/openapi.json") || path.starts_with("/page/")
}

/// Clients of LibreTranslate show the token inside the request, which `libre` reads.
const TOKEN_INSIDE: &str = "/translate";

/// Lets through what may be asked.
pub async fn guard(
    State(service): State<Arc<Service>>,
    mut request: Request<Body>,
    next: Next,
) -> Result<Response, Problem> {
    let headers = request.headers();
    service.check_host(headers)?;
    service.check_origin(headers)?;
    let path = request.uri().path();
    let admitted = service.is_token(bearer(headers));
    if !admitted && !is_public(path) && path != TOKEN_INSIDE {
        return Err(Problem::token());
    }
    request.extensions_mut().insert(Admitted(admitted));
    Ok(next.run(request).await)
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

impl Service {
    /// Is this the token, or is none needed?
    pub fn is_token(&self, shown: Option<&str>) -> bool {
        match (&self.settings.token, shown) {
            (None, _) => true,
            (Some(token), Some(shown)) => token.as_bytes().ct_eq(shown.as_bytes()).into(),
            (Some(_), None) => false,
        }
    }

    /// May this client see phrases of the training text, as reasons and alternatives show them? Whoever knows the token
    /// may; without one, whoever is on this machine.
    pub fn check_trusted(&self, client: Client) -> Result<(), Problem> {
        if self.may_see_training_text(client) {
            return Ok(());
        }
        let message = "what was learned is shown and changed only with a token, or on the server's own machine";
        Err(Problem::forbidden("private", message))
    }

    /// May a client see text that the system was trained on?
    pub fn may_see_training_text(&self, client: Client) -> bool {
        self.settings.token.is_some() || client.is_local()
    }

    /// The name that was asked for must be ours. An address always is: no name server can give it to somebody else's page.
    fn check_host(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let Some(host) = headers.get(header::HOST) else {
            // No browser leaves it out.
            return Ok(());
        };
        let host = host.to_str().unwrap_or("");
        match self.knows_host(host) {
            true => Ok(()),
            false => Err(Problem::forbidden(
                "host",
                "this server does not go by that name; --allow-host lets it",
            )),
        }
    }

    /// A page that asks must come from us.
    fn check_origin(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let foreign = || Problem::forbidden("origin", "a page from elsewhere may not ask here");
        let text = |name| {
            headers
                .get(name)
                .map(|value: &header::HeaderValue| value.to_str().unwrap_or(""))
        };
        if let Some(origin) = text(header::ORIGIN) {
            let authority = origin.split_once("://").map(|(_, rest)| rest);
            let host = text(header::HOST);
            let same = authority.is_some()
                && authority.map(str::to_ascii_lowercase) == host.map(str::to_ascii_lowercase);
            let allowed = authority.is_some_and(|authority| self.allows_name(name_of(authority)));
            return if same || allowed {
                Ok(())
            } else {
                Err(foreign())
            };
        }
        let site = headers
            .get("sec-fetch-site")
            .and_then(|value| value.to_str().ok());
        let mode = headers
            .get("sec-fetch-mode")
            .and_then(|value| value.to_str().ok());
        // A link that leads here is no harm; a picture or script of another page that asks is.
        match (site, mode) {
            (Some("cross-site" | "same-site"), mode) if mode != Some("navigate") => Err(foreign()),
            _ => Ok(()),
        }
    }

    fn knows_host(&self, host: &str) -> bool {
        let name = name_of(host);
        let is_address = name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
        is_address || name.eq_ignore_ascii_case("localhost") || self.allows_name(name)
    }

    fn allows_name(&self, name: &str) -> bool {
        let hosts = &self.settings.allowed_hosts;
        hosts.iter().any(|host| host.eq_ignore_ascii_case(name))
    }
}

/// A host without its port and the dot that may end it.
fn name_of(host: &str) -> &str {
    let name = match host.rfind(':') {
        Some(colon) if !host[colon..].contains(']') => &host[..colon],
        _ => host,
    };
    name.trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_no_part_of_a_name() {
        for (host, name) in [
            ("localhost:8080", "localhost"),
            ("localhost", "localhost"),
            ("example.org.:80", "example.org"),
            ("[::1]:8080", "[::1]"),
            ("[::1]", "[::1]"),
            ("", ""),
        ] {
            assert_eq!(name_of(host), name);
        }
    }
}
