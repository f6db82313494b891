//! Answers on their way out: not larger than allowed, and no client keeps more of them waiting than its share.

use crate::clients::{Client, Resource, Share};
use crate::problem::Problem;
use crate::service::Service;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::State;
use axum::http::{Request, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::body::{Frame, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// Bytes that are handed on at a time: the next follow when these have been sent.
const PIECE: usize = 16 * 1024;

/// Sends the answer if it is not too much.
pub async fn measure(
    State(service): State<Arc<Service>>,
    request: Request<Body>,
    next: Next,
) -> Response {
    let client = request.extensions().get::<Client>().copied();
    let response = next.run(request).await;
    let (mut parts, body) = response.into_parts();
    let most = service.settings.answer_bytes;
    let Ok(bytes) = axum::body::to_bytes(body, most).await else {
        let message = format!("the answer has more than {most} bytes: ask for less at a time");
        return Problem::too_long(message).into_response();
    };
    let Some(client) = client else {
        return Response::from_parts(parts, bytes.into());
    };
    let Some(share) = service
        .clients
        .take(client, Resource::AnswerBytes, bytes.len())
    else {
        return Problem::greedy("answers that you have not read yet").into_response();
    };
    parts
        .headers
        .insert(header::CONTENT_LENGTH, bytes.len().into());
    Response::from_parts(
        parts,
        Body::new(Answer {
            bytes,
            _share: share,
        }),
    )
}

/// The rest of an answer, and the share that it takes until it is sent.
struct Answer {
    bytes: Bytes,
    _share: Share,
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.bytes.is_empty() {
            return Poll::Ready(None);
        }
        let length = self.bytes.len().min(PIECE);
        let piece = self.bytes.split_to(length);
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.len() as u64)
    }
}
