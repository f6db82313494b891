//! Runs a program and says what it cost. Processor time and peak memory come from /proc, where the
//! final times stay readable until the ended process is waited for.

use anyhow::{Context, Result, bail};
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Ticks a second in /proc/PID/stat, the same on every Linux.
const TICKS: f64 = 100.0;

/// What a program cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// User and system time, all threads, programs that it ran included.
    pub cpu_seconds: f64,
    /// The most memory it held.
    pub peak_bytes: u64,
}

/// Runs to the end; returns what it cost and what it printed.
pub fn run(mut command: Command) -> Result<(Usage, String)> {
    let name = format!("{:?}", command.get_program());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| name.clone())?;
    let reader = |stream: Option<Box<dyn Read + Send>>| {
        std::thread::spawn(move || {
            let mut text = String::new();
            if let Some(mut stream) = stream {
                let _ = stream.read_to_string(&mut text);
            }
            text
        })
    };
    let output = reader(
        child
            .stdout
            .take()
            .map(|s| Box::new(s) as Box<dyn Read + Send>),
    );
    let errors = reader(
        child
            .stderr
            .take()
            .map(|s| Box::new(s) as Box<dyn Read + Send>),
    );
    let mut usage = Usage::default();
    loop {
        usage.peak_bytes = usage.peak_bytes.max(peak(child.id()).unwrap_or_default());
        let (ended, seconds) = times(child.id()).unwrap_or((true, usage.cpu_seconds));
        usage.cpu_seconds = seconds;
        if ended {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let status = child.wait()?;
    let output = output.join().unwrap_or_default();
    let errors = errors.join().unwrap_or_default();
    if !status.success() {
        bail!(
            "{name} failed: {}",
            errors.lines().last().unwrap_or_default()
        );
    }
    Ok((usage, output))
}

/// Has it ended, and how many seconds of processor time has it used?
pub fn times(id: u32) -> Option<(bool, f64)> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    // User and system time, its own and its ended children's.
    let mut ticks = 0.0;
    for field in fields.get(11..15)? {
        ticks += field.parse::<f64>().ok()?;
    }
    Some((fields[0] == "Z", ticks / TICKS))
}

/// The most that the process or one of its descendants has held.
fn peak(id: u32) -> Option<u64> {
    let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
    let children = children.unwrap_or_default();
    let theirs = children
        .split_whitespace()
        .filter_map(|id| peak(id.parse().ok()?));
    theirs.chain(own_peak(id)).max()
}

fn own_peak(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes * 1024)
}
