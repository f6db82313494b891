//! `cargo xtask mutate [COUNT] [FORMAT]`: every format that is read, broken in COUNT ways (10,000 by default). Whatever a file
//! holds, there is no panic, no abort, no hang, no gigabyte for nothing; and where checksums were not recomputed, no answer but
//! the right one.
//!
//! The work is done in a process with little address space, so that a wild allocation ends it and is seen from outside.

mod damage;
mod formats;

use anyhow::{Context, Result, bail, ensure};
use damage::Random;
use formats::{Format, formats};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const USUAL: u64 = 10_000;
/// Address space of the process that reads, in KiB.
const SPACE: &str = "1500000";
/// Seconds after which a file hangs the reader.
const PATIENCE: u64 = 20;

/// Starts the process that does the work, for each format.
pub fn run(arguments: &[String]) -> Result<()> {
    let count = match arguments.first() {
        None => USUAL,
        Some(count) => count.parse().context("a number of mutations expected")?,
    };
    let chosen = arguments.get(1).map(String::as_str);
    let program = std::env::current_exe()?;
    for format in formats()? {
        if chosen.is_some_and(|chosen| chosen != format.name) {
            continue;
        }
        let limit = format!("ulimit -v {SPACE}; exec \"$0\" \"$@\"");
        let mut child = Command::new("sh");
        child.arg("-c").arg(limit).arg(&program);
        child.args(["mutate-here", format.name, &count.to_string()]);
        let status = child.status()?;
        ensure!(status.success(), "{}: {status}", format.name);
    }
    Ok(())
}

/// Does the work for one format.
pub fn run_here(arguments: &[String]) -> Result<()> {
    let [name, count] = arguments else {
        bail!("a format and a number expected");
    };
    let count: u64 = count.parse()?;
    let format = formats()?.into_iter().find(|format| format.name == name);
    let format = format.with_context(|| format!("no format {name}"))?;
    watch(name.clone());
    let folder = tempfile::tempdir()?;
    let tally = mutate(&format, count, folder.path())?;
    println!("{name}: {count} mutations: {tally}");
    Ok(())
}

/// The number of the mutation that is read now.
static NOW: AtomicU64 = AtomicU64::new(0);

/// Ends the process when one mutation takes too long.
fn watch(name: String) {
    std::thread::spawn(move || {
        let mut last = u64::MAX;
        loop {
            let now = NOW.load(Ordering::Relaxed);
            if now == last {
                eprintln!("{name}: mutation {now} hangs");
                std::process::exit(1);
            }
            last = now;
            std::thread::sleep(Duration::from_secs(PATIENCE));
        }
    });
}

/// What became of the mutations.
#[derive(Default)]
struct Tally {
    refused: u64,
    same: u64,
    different: u64,
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Tally {
            refused,
            same,
            different,
        } = self;
        write!(
            f,
            "{refused} refused, {same} answered as before, {different} otherwise"
        )
    }
}

/// Reads `count` mutations; an error for the first that does what it must not.
fn mutate(format: &Format, count: u64, folder: &Path) -> Result<Tally> {
    let expected = format.answer(&format.whole, folder)?;
    let mut tally = Tally::default();
    for number in 0..count {
        NOW.store(number, Ordering::Relaxed);
        let mut random = Random::new(format.name, number);
        let mut bytes = format.whole.clone();
        let what = damage::apply(&mut bytes, &mut random);
        // Half of them as somebody would who means harm.
        let forged = format.has_checksums && number % 2 == 1 && damage::forge(&mut bytes);
        let outcome = catch_unwind(AssertUnwindSafe(|| format.answer(&bytes, folder)));
        let Ok(outcome) = outcome else {
            bail!("{}: mutation {number} ({what}) panics", format.name);
        };
        match outcome {
            Err(_) => tally.refused += 1,
            Ok(answer) if answer == expected => tally.same += 1,
            Ok(_) if format.has_checksums && !forged => {
                bail!(
                    "{}: mutation {number} ({what}) is answered otherwise, in silence",
                    format.name
                )
            }
            Ok(_) => tally.different += 1,
        }
    }
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A minute's worth of what `cargo xtask mutate` does at length.
    #[test]
    fn no_mutation_panics_or_is_answered_otherwise_in_silence() {
        for format in formats().unwrap() {
            let folder = tempfile::tempdir().unwrap();
            let tally = mutate(&format, 120, folder.path()).unwrap();
            assert!(tally.refused > 0, "{}: {tally}", format.name);
        }
    }

    #[test]
    fn what_is_forged_passes_for_whole() {
        let format = formats()
            .unwrap()
            .into_iter()
            .find(|format| format.name == "language model");
        let mut bytes = format.unwrap().whole;
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let verify = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            chiasm_store::Container::open(&path)
                .unwrap()
                .sections()
                .verify()
        };
        assert!(verify(&bytes).is_err());
        assert!(damage::forge(&mut bytes));
        verify(&bytes).unwrap();
    }
}
