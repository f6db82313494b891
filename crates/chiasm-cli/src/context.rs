//! What every command shares: threads, verbosity, progress.

use chiasm_text::TextOutput;
use chiasm_work::{Observer, Progress};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What to do when the user interrupts the program, if a command can end in good order, and when its terminal is gone,
/// which asks a server to look at its files.
static ON_SIGNAL: Mutex<Option<[SignalHandler; 2]>> = Mutex::new(None);

/// Returns whether the command takes care of it.
type SignalHandler = Box<dyn Fn() -> bool + Send>;

/// From now on an interrupt, or the loss of the terminal, is the command's own affair, as long as the handlers say so.
pub fn on_signals(
    interrupt: impl Fn() -> bool + Send + 'static,
    hang_up: impl Fn() -> bool + Send + 'static,
) {
    let mut slot = ON_SIGNAL.lock().unwrap_or_else(PoisonError::into_inner);
    *slot = Some([Box::new(interrupt), Box::new(hang_up)]);
}

/// Tells the command that it is interrupted; false if it cannot end by itself.
pub fn interrupt() -> bool {
    signal(0)
}

/// Tells the command that its terminal is gone; false if that is the end.
#[cfg(unix)]
pub fn hang_up() -> bool {
    signal(1)
}

fn signal(number: usize) -> bool {
    let slot = ON_SIGNAL.lock().unwrap_or_else(PoisonError::into_inner);
    slot.as_ref().is_some_and(|handlers| handlers[number]())
}

/// A result, on standard output.
pub fn print_out(text: impl Display) -> anyhow::Result<()> {
    write_text("-", &format!("{text}\n"))
}

/// A whole text into a file, or to standard output if it is called `-`.
pub fn write_text(path: impl AsRef<Path>, text: &str) -> anyhow::Result<()> {
    let mut output = TextOutput::create(path)?;
    output.write_text(text.as_bytes())?;
    Ok(output.finish()?)
}

/// A remark on standard error; if that cannot be written, nobody is left to be told. What it cites of files must not
/// move the cursor.
pub fn tell(message: &str) {
    let _ = writeln!(std::io::stderr(), "{}", chiasm_text::printable(message));
}

/// Options that every command takes.
#[derive(Args)]
pub struct CommonArguments {
    /// Threads to use [default: as many as the machine has]. Results do not depend on it.
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Print errors only.
    #[arg(long, short, global = true)]
    quiet: bool,
}

/// The common options, ready for use.
pub struct Context {
    /// How many threads work.
    pub threads: usize,
    /// Say nothing but errors.
    pub quiet: bool,
    started: Instant,
}

impl Context {
    /// Sets up the thread pool.
    pub fn new(arguments: &CommonArguments) -> anyhow::Result<Self> {
        let available = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = arguments.threads.map_or(available, usize::from);
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global()?;
        Ok(Context {
            threads,
            quiet: arguments.quiet,
            started: Instant::now(),
        })
    }

    /// A remark for people, on standard error.
    pub fn say(&self, message: impl AsRef<str>) {
        if !self.quiet {
            tell(message.as_ref());
        }
    }

    /// Seconds since the program began.
    pub fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Progress of one stage: a bar on a terminal, a line now and then elsewhere, nothing if quiet.
    /// `total` is the number of units if known.
    pub fn progress(&self, stage: &str, unit: &str, total: Option<u64>) -> StageProgress {
        let bar = match total {
            Some(total) => ProgressBar::new(total),
            None => ProgressBar::no_length(),
        };
        let template = if total.is_some() {
            "{prefix} [{bar:30}] {human_pos}/{human_len} {msg} {per_sec} ETA {eta}"
        } else {
            "{prefix} {spinner} {human_pos} {msg} {per_sec} {elapsed}"
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_prefix(stage.to_string());
        bar.set_message(unit.to_string());
        let terminal = std::io::stderr().is_terminal();
        if self.quiet || !terminal {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        StageProgress {
            bar,
            plain: !self.quiet && !terminal,
            last: Mutex::new(Instant::now()),
        }
    }
}

impl Observer for Context {
    fn say(&self, remark: &str) {
        Context::say(self, remark);
    }

    fn begin(&self, work: &str, unit: &str, total: Option<u64>) -> Box<dyn Progress + '_> {
        Box::new(self.progress(work, unit, total))
    }
}

const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// The progress of one stage; the bar disappears when it is dropped.
pub struct StageProgress {
    bar: ProgressBar,
    plain: bool,
    last: Mutex<Instant>,
}

impl Progress for StageProgress {
    fn advance(&self, amount: u64) {
        self.bar.inc(amount);
        if !self.plain {
            return;
        }
        let Ok(mut last) = self.last.try_lock() else {
            return;
        };
        if last.elapsed() < PLAIN_INTERVAL {
            return;
        }
        *last = Instant::now();
        let (done, unit, stage) = (self.bar.position(), self.bar.message(), self.bar.prefix());
        match self.bar.length() {
            Some(total) => {
                let eta = self.bar.eta().as_secs();
                tell(&format!("{stage}: {done} of {total} {unit}, ETA {eta} s"));
            }
            None => {
                let seconds = self.bar.elapsed().as_secs_f64();
                tell(&format!("{stage}: {done} {unit}, {seconds:.0} s"));
            }
        }
    }
}

impl Drop for StageProgress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
