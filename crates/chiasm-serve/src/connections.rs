//! Connections: as many as allowed, none slower than our patience, and an orderly end.

use crate::clients::{Client, Clients, Resource};
use crate::journal::Journal;
use crate::pool::Pool;
use crate::problem::{Problem, RETRY_SECONDS};
use crate::service::{self, Service};
use crate::settings::Settings;
use crate::stream::{self, Impatient, Stream};
use crate::systems::Systems;
use crate::{Error, Result, reload};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, sleep_until};
use tokio_rustls::TlsAcceptor;

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

/// Tells a server to open its systems again; one that is replaced is noticed without being told.
#[derive(Clone)]
pub struct Reload(mpsc::SyncSender<()>);

impl Reload {
    /// Gives the signal.
    pub fn reload(&self) {
        // One that was given and not heard yet is enough.
        let _ = self.0.try_send(());
    }
}

/// A server with its address.
pub struct Server {
    listener: std::net::TcpListener,
    address: SocketAddr,
    systems: Systems,
    settings: Settings,
    tls: Option<TlsAcceptor>,
    reload: (Reload, mpsc::Receiver<()>),
}

impl Server {
    /// Takes the address, so that it is known before the server runs: port 0 is any free one.
    pub fn bind(address: &str, systems: Systems, settings: Settings) -> Result<Self> {
        if systems.is_empty() {
            return Err(Error::NoSystem);
        }
        if let Some(path) = settings.memories.clone().filter(|path| !path.is_dir()) {
            return Err(Error::Memories { path });
        }
        let failed = |source| Error::Listen {
            address: address.to_string(),
            source,
        };
        let tls = match &settings.certificate {
            Some((certificate, key)) => Some(stream::acceptor(certificate, key)?),
            None => None,
        };
        let listener = std::net::TcpListener::bind(address).map_err(failed)?;
        let own = listener.local_addr()?;
        let open = !own.ip().is_loopback() && settings.token.is_none() && !settings.insecure;
        if open || settings.token.as_deref() == Some("") {
            let address = address.to_string();
            return Err(Error::Unguarded { address });
        }
        listener.set_nonblocking(true)?;
        let (sender, receiver) = mpsc::sync_channel(1);
        Ok(Server {
            address: own,
            listener,
            systems,
            settings,
            tls,
            reload: (Reload(sender), receiver),
        })
    }

    /// What tells it to open its systems again.
    pub fn reload(&self) -> Reload {
        self.reload.0.clone()
    }

    /// Where to find it.
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}/", self.address)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until told to stop. `journal` gets a line for each request.
    pub fn run(self, stop: Stop, journal: impl Fn(&str) + Send + 'static) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(NETWORK_THREADS)
            .thread_name("network")
            .enable_io()
            .enable_time()
            .build()?;
        let settings = self.settings;
        let part = settings.client_part.max(1);
        let (connections, requests) = (settings.connections / part, settings.requests / part);
        let service = Arc::new(Service {
            systems: Arc::new(self.systems),
            pool: Pool::new(settings.threads, settings.requests)?,
            clients: Clients::new(connections, requests, settings.answer_bytes),
            settings,
            journal: Journal::new(journal)?,
        });
        let (sender, asked) = self.reload;
        let watched = Arc::downgrade(&service);
        let systems = service.systems.clone();
        let say = move |line| {
            if let Some(service) = watched.upgrade() {
                service.journal.write(line);
            }
        };
        let watching = std::thread::Builder::new().name("reload".into());
        watching.spawn(move || reload::watch(&systems, &asked, &say))?;
        let (listener, tls) = (self.listener, self.tls);
        runtime.block_on(async {
            let listener = TcpListener::from_std(listener)?;
            accept(listener, tls, service, stop.0.subscribe()).await;
            drop(sender);
            Ok(())
        })
    }
}

async fn accept(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    service: Arc<Service>,
    mut stop: watch::Receiver<bool>,
) {
    let most = service.settings.connections.clamp(1, 100_000);
    let (places, away) = (
        Arc::new(Semaphore::new(most)),
        Arc::new(Semaphore::new(TURNED_AWAY)),
    );
    let router = service::router(service.clone());
    loop {
        let (stream, client) = tokio::select! {
            _ = stop.wait_for(|&stopped| stopped) => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, address)) => (stream, Client::of(address.ip())),
                Err(_) => {
                    // Out of file descriptors, most likely: wait until some are given back.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        let share = service.clients.take(client, Resource::Connections, 1);
        match share.zip(places.clone().try_acquire_owned().ok()) {
            Some(place) => {
                let (service, router, stop) = (service.clone(), router.clone(), stop.clone());
                let tls = tls.clone();
                tokio::spawn(async move {
                    let patience = service.settings.patience;
                    if let Ok(stream) = stream::open(stream, tls.as_ref(), patience).await {
                        converse(stream, client, router, &service.settings, stop).await;
                    }
                    drop(place);
                });
            }
            // Who expects encryption would not understand.
            None if tls.is_some() => {}
            None => {
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
    stream: Impatient<Box<dyn Stream>>,
    client: Client,
    router: axum::Router,
    settings: &Settings,
    mut stop: watch::Receiver<bool>,
) {
    let answers = TowerToHyperService::new(router);
    let answer = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(client);
        answers.call(request)
    });
    let mut connection = std::pin::pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(settings.patience)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), answer)
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
