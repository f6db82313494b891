//! `chiasm serve`: systems over HTTP, and the page on which one sees phrases move.

use crate::context::{self, Context};
use chiasm_serve::{Server, Settings, Stop, Systems};
use chiasm_text::Lines;
use clap::Args;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// A system; give several to compare them. The first answers if a client names none.
    #[arg(short, long, value_name = "FILE", required = true)]
    system: Vec<PathBuf>,
    /// Address and port. Anything but 127.0.0.1 lets others in, unencrypted.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = DEFAULT_ADDRESS)]
    listen: String,
    /// The largest request, in bytes.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 262_144)]
    max_bytes: u32,
    /// Sentences in a request.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 128)]
    max_sentences: u32,
    /// Words in a sentence.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000), default_value_t = 400)]
    max_words: u32,
    /// Seconds for the translation of a request, waiting included.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 30)]
    max_seconds: u32,
    /// Requests at a time; more are told to come back.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 256)]
    max_requests: u32,
    /// Open connections.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 512)]
    max_connections: u32,
    /// Seconds that a client may take to send a request.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 10)]
    patience: u32,
    /// Sentences that the page offers to begin with, a line each.
    #[arg(long, value_name = "FILE")]
    examples: Option<PathBuf>,
    /// Write the text of requests into the log, which otherwise only says how many sentences.
    #[arg(long)]
    log_text: bool,
}

/// Where to listen unless told otherwise: this machine alone.
pub const DEFAULT_ADDRESS: &str = "127.0.0.1:8080";

/// The page offers a handful of sentences.
const MOST_EXAMPLES: usize = 12;

/// Opens the systems and serves them.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let mut systems = Systems::default();
    for path in &arguments.system {
        systems.open(path)?;
    }
    let settings = Settings {
        threads: context.threads,
        body_bytes: arguments.max_bytes as usize,
        sentences: arguments.max_sentences as usize,
        words: arguments.max_words as usize,
        time: Duration::from_secs(arguments.max_seconds.into()),
        requests: arguments.max_requests as usize,
        connections: arguments.max_connections as usize,
        patience: Duration::from_secs(arguments.patience.into()),
        log_text: arguments.log_text,
        examples: match &arguments.examples {
            Some(path) => examples(path)?,
            None => Vec::new(),
        },
        ..Settings::default()
    };
    serve(&arguments.listen, systems, settings, context)
}

fn examples(path: &Path) -> anyhow::Result<Vec<String>> {
    let mut lines = Lines::open(path)?;
    let mut examples = Vec::new();
    while examples.len() < MOST_EXAMPLES
        && let Some(line) = lines.next_line()?
    {
        if !line.trim().is_empty() {
            examples.push(line.to_string());
        }
    }
    Ok(examples)
}

/// Serves until interrupted: the first interrupt lets what was asked be answered, the second ends
/// the program.
pub fn serve(
    address: &str,
    systems: Systems,
    settings: Settings,
    context: &Context,
) -> anyhow::Result<()> {
    let names: Vec<String> = systems.names().map(str::to_string).collect();
    let server = Server::bind(address, systems, settings)?;
    let stop = Stop::new();
    let signal = stop.clone();
    context::on_interrupt(move || !signal.stop());
    // The one line that scripts wait for.
    writeln!(std::io::stdout(), "http://{}/", server.address())?;
    context.say(format!("serving {}; Ctrl-C ends it", names.join(", ")));
    let quiet = context.quiet;
    server.run(stop, move |line| {
        if !quiet {
            eprintln!("{line}");
        }
    })?;
    context.say("stopped");
    Ok(())
}
