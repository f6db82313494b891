//! Bytes to and from a client: plain or encrypted, and written within our patience.

use crate::{Error, Result};
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Reads certificate and key.
pub fn acceptor(certificate: &Path, key: &Path) -> Result<TlsAcceptor> {
    let wrong = |path: &Path, reason: String| Error::Certificate {
        path: path.to_path_buf(),
        reason,
    };
    let unread = |path| {
        move |error: tokio_rustls::rustls::pki_types::pem::Error| wrong(path, error.to_string())
    };
    let chain = CertificateDer::pem_file_iter(certificate).map_err(unread(certificate))?;
    let chain: Vec<_> = chain
        .collect::<std::result::Result<_, _>>()
        .map_err(unread(certificate))?;
    let private = PrivateKeyDer::from_pem_file(key).map_err(unread(key))?;
    let refused = |error: tokio_rustls::rustls::Error| wrong(certificate, error.to_string());
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(refused)?
        .with_no_client_auth()
        .with_single_cert(chain, private)
        .map_err(refused)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// What hyper talks through.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// A connection ready for HTTP, if the client gets through the handshake in time.
pub async fn open(
    stream: TcpStream,
    tls: Option<&TlsAcceptor>,
    patience: Duration,
) -> io::Result<Impatient<Box<dyn Stream>>> {
    // Answers are small and written whole.
    let _ = stream.set_nodelay(true);
    let inner: Box<dyn Stream> = match tls {
        None => Box::new(stream),
        Some(tls) => Box::new(tokio::time::timeout(patience, tls.accept(stream)).await??),
    };
    Ok(Impatient {
        inner,
        patience,
        stuck: Box::pin(sleep(patience)),
        waiting: false,
    })
}

/// A stream whose other end must take what is written, some of it at least, within a time.
pub struct Impatient<S> {
    inner: S,
    patience: Duration,
    stuck: Pin<Box<Sleep>>,
    waiting: bool,
}

impl<S: AsyncWrite + Unpin> Impatient<S> {
    /// Passes on what became of a write; an error if none has got through for too long.
    fn judge<T>(
        &mut self,
        context: &mut Context<'_>,
        outcome: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.waiting = false;
            return outcome;
        }
        if !self.waiting {
            self.waiting = true;
            self.stuck.as_mut().reset(Instant::now() + self.patience);
        }
        ready!(self.stuck.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Impatient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Impatient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.judge(context, outcome)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.inner).poll_flush(context);
        self.judge(context, outcome)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.inner).poll_shutdown(context);
        self.judge(context, outcome)
    }
}
