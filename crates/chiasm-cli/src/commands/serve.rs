//! `chiasm serve`: systems over HTTP, and the page on which one sees phrases move.

use crate::context::{self, Context};
use chiasm_serve::{Server, Settings, Stop, Systems, read_examples, read_token};
use clap::Args;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// A system; give several to compare them. The first answers if a client names none.
    #[arg(short, long, value_name = "FILE", required = true)]
    system: Vec<PathBuf>,
    /// Address and port. Anything but 127.0.0.1 lets others in, and needs --token or --insecure.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = DEFAULT_ADDRESS)]
    listen: String,
    /// What clients have to show: a word of your choice, or @FILE to read it from a file. The page takes it after
    /// # in its address, or asks for it.
    #[arg(long, value_name = "TOKEN|@FILE")]
    token: Option<String>,
    /// Let others in without a token.
    #[arg(long, conflicts_with = "token")]
    insecure: bool,
    /// A name that the server goes by, beside its addresses and localhost; may be repeated.
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// A certificate (PEM), to speak TLS.
    #[arg(long, value_name = "FILE", requires = "key")]
    certificate: Option<PathBuf>,
    /// Its private key (PEM).
    #[arg(long, value_name = "FILE", requires = "certificate")]
    key: Option<PathBuf>,
    /// The largest answer, in bytes; also what a client may leave unread.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 8_388_608)]
    max_answer_bytes: u32,
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
    /// Seconds that a client may take to send a request, and to read some of an answer.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 10)]
    patience: u32,
    /// Sentences that the page offers to begin with, a line each.
    #[arg(long, value_name = "FILE")]
    examples: Option<PathBuf>,
    /// A folder for what users teach; without it the server learns nothing.
    #[arg(long, value_name = "FOLDER")]
    memories: Option<PathBuf>,
    /// Write the text of requests into the log, which otherwise only says how many sentences.
    #[arg(long)]
    log_text: bool,
}

/// Where to listen unless told otherwise: this machine alone.
pub const DEFAULT_ADDRESS: &str = "127.0.0.1:8080";

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
        answer_bytes: arguments.max_answer_bytes as usize,
        token: arguments.token.as_deref().map(read_token).transpose()?,
        insecure: arguments.insecure,
        allowed_hosts: arguments.allow_host,
        certificate: arguments.certificate.zip(arguments.key),
        memories: arguments.memories,
        log_text: arguments.log_text,
        examples: match &arguments.examples {
            Some(path) => read_examples(path)?,
            None => Vec::new(),
        },
        ..Settings::default()
    };
    serve(&arguments.listen, systems, settings, context)
}

/// Serves until interrupted: the first interrupt lets what was asked be answered, the second ends
/// the program.
pub fn serve(
    address: &str,
    systems: Systems,
    settings: Settings,
    context: &Context,
) -> anyhow::Result<()> {
    let names = systems.names();
    let server = Server::bind(address, systems, settings)?;
    let stop = Stop::new();
    let signal = stop.clone();
    let reload = server.reload();
    let again = move || {
        reload.reload();
        true
    };
    context::on_signals(move || !signal.stop(), again);
    // The one line that scripts wait for.
    writeln!(std::io::stdout(), "{}", server.url())?;
    context.say(format!("serving {}; Ctrl-C ends it", names.join(", ")));
    let quiet = context.quiet;
    server.run(stop, move |line| {
        if !quiet {
            context::tell(line);
        }
    })?;
    context.say("stopped");
    Ok(())
}
