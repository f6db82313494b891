//! Connections: as many as allowed, none slower than our patience, and an orderly end.

use crate::pool::Pool;
use crate::problem::{Problem, RETRY_SECONDS};
use crate::service::{self, Service};
use crate::settings::Settings;
use crate::systems::Systems;
use crate::{Error, Result};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, sleep_until};

/// Threads that talk to the network; they never translate.
const NETWORK_THREADS: usize = 2;
/// Clients that are told that there are too many, at a time; beyond that they are hung up on.
const TURNED_AWAY: usize = 64;
/// A request's head may be this long.
const HEAD_BYTES: usize = 16 * 1024;

/// Tells a server to stop: it takes no more connections, answers what was asked and ends.
#[derive(Clone)]
pub struct Stop(watch::Sender<bool>);

impl Default for Stop {
    fn default() -> Self {
        Stop(watch::channel(false).0)
    }
}

impl Stop {
    /// A signal that has not been given.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the signal. Returns whether it had been given before.
    pub fn stop(&self) -> bool {
        self.0.send_replace(true)
    }
}

/// A server with its address.
pub struct Server {
    listener: std::net::TcpListener,
    address: SocketAddr,
    systems: Systems,
    settings: Settings,
}

impl Server {
    /// Takes the address, so that it is known before the server runs: port 0 is any free one.
    pub fn bind(address: &str, systems: Systems, settings: Settings) -> Result<Self> {
        if systems.is_empty() {
            return Err(Error::NoSystem);
        }
        let failed = |source| Error::Listen {
            address: address.to_string(),
            source,
        };
        let listener = std::net::TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true)?;
        Ok(Server {
            address: listener.local_addr()?,
            listener,
            systems,
            settings,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until told to stop. `journal` gets a line for each request.
    pub fn run(self, stop: Stop, journal: impl Fn(&str) + Send + Sync + 'static) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(NETWORK_THREADS)
            .thread_name("network")
            .enable_io()
            .enable_time()
            .build()?;
        let service = Arc::new(Service {
            systems: self.systems,
            pool: Pool::new(self.settings.threads, self.settings.requests)?,
            settings: self.settings,
            journal: Box::new(journal),
        });
        let listener = self.listener;
        runtime.block_on(async {
            let listener = TcpListener::from_std(listener)?;
            accept(listener, service, stop.0.subscribe()).await;
            Ok(())
        })
    }
}

async fn accept(listener: TcpListener, service: Arc<Service>, mut stop: watch::Receiver<bool>) {
    let most = service.settings.connections.clamp(1, 100_000);
    let (places, away) = (
        Arc::new(Semaphore::new(most)),
        Arc::new(Semaphore::new(TURNED_AWAY)),
    );
    let router = service::router(service.clone());
    loop {
        let stream = tokio::select! {
            _ = stop.wait_for(|&stopped| stopped) => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(_) => {
                    // Out of file descriptors, most likely: wait until some are given back.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        match places.clone().try_acquire_owned() {
            Ok(place) => {
                let (service, router, stop) = (service.clone(), router.clone(), stop.clone());
                tokio::spawn(async move {
                    converse(stream, router, &service.settings, stop).await;
                    drop(place);
                });
            }
            Err(_) => {
                if let Ok(place) = away.clone().try_acquire_owned() {
                    tokio::spawn(async move {
                        turn_away(stream).await;
                        drop(place);
                    });
                }
            }
        }
    }
    drop(listener);
    // Every conversation has ended when all places are free; the grace is bounded there.
    let _ = places.acquire_many(most as u32).await;
}

/// One connection, from its first request to its last.
async fn converse(
    stream: TcpStream,
    router: axum::Router,
    settings: &Settings,
    mut stop: watch::Receiver<bool>,
) {
    // Answers are small and written whole.
    let _ = stream.set_nodelay(true);
    let mut connection = std::pin::pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(settings.patience)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
    );
    let mut end = std::pin::pin!(sleep_until(Instant::now() + settings.connection_age));
    let mut ending = false;
    loop {
        tokio::select! {
            // An error is the client's: it went away or did not speak HTTP.
            _ = connection.as_mut() => return,
            _ = stop.wait_for(|&stopped| stopped), if !ending => {}
            _ = end.as_mut() => if ending { return },
        }
        ending = true;
        connection.as_mut().graceful_shutdown();
        end.as_mut().reset(Instant::now() + settings.grace);
    }
}

/// Says that there are too many connections, in a second at most.
async fn turn_away(mut stream: TcpStream) {
    let body = serde_json::to_string(&Problem::busy()).unwrap_or_default();
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nretry-after: {RETRY_SECONDS}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    let talk = async {
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await?;
        // Closing with unread input would reset the connection and lose the answer.
        let mut sink = [0; 1024];
        while stream.read(&mut sink).await? > 0 {}
        std::io::Result::Ok(())
    };
    let _ = tokio::time::timeout(Duration::from_secs(1), talk).await;
}
