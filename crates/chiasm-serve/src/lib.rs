//! Translation as a service on one's own machine: an HTTP interface and the page on which one sees
//! phrases move.
//!
//! - [`Server`]: binds an address and answers until it is told to [`Stop`];
//! - [`Systems`]: the systems it answers with, by name and by language;
//! - [`Settings`]: the limits that keep one client from taking everything.
//!
//! A request's way: `connections` accepts it and bounds how slow it may be, `body` reads it within
//! its limits, `access` asks whether it may, one of `libre`, `translate`, `explain`, `complete`, `learn` and `catalogue` understands it, `pool`
//! translates its sentences on the decoding threads, `answer` measures what goes back, and `journal` writes a line about it.
//! What one client has of all this, `clients` counts; what users teach lies in `memories`; `reload` looks after the systems' files. Nothing is
//! ever decoded on the threads that talk to the network.
//!
//! ```no_run
//! use chiasm_serve::{Server, Settings, Stop, Systems};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut systems = Systems::default();
//! systems.open("ja-en.chiasm")?;
//! let server = Server::bind("127.0.0.1:8080", systems, Settings::default())?;
//! println!("http://{}/", server.address());
//! server.run(Stop::new(), |line| eprintln!("{line}"))?;
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod access;
mod answer;
mod body;
mod catalogue;
mod clients;
mod complete;
mod connections;
mod error;
mod explain;
mod graphs;
mod journal;
mod learn;
mod libre;
mod memories;
mod page;
mod pool;
mod problem;
mod reload;
mod service;
mod settings;
mod stream;
mod systems;
mod translate;

pub use connections::{Reload, Server, Stop};
pub use error::{Error, Result};
pub use settings::{Settings, read_examples, read_token};
pub use systems::Systems;
