//! The server beside the command line, and under load.
//!
//! `cargo xtask compare serve SYSTEM INPUT [THREADS] [CLIENTS] [SECONDS]`. Translates INPUT with
//! `chiasm translate` and through `chiasm serve` with the same number of decoding threads, in turns,
//! and sees that both say the same; then lets CLIENTS ask for SECONDS without a pause. All on
//! loopback. `CHIASM` names the program (default `target/release/chiasm`).

use crate::process;
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const ROUNDS: usize = 5;

/// Runs the comparison.
pub fn run(arguments: &[String]) -> Result<()> {
    let [system, input, rest @ ..] = arguments else {
        bail!("usage: cargo xtask compare serve SYSTEM INPUT [THREADS] [CLIENTS] [SECONDS]");
    };
    let number = |place: usize, otherwise: usize| -> Result<usize> {
        Ok(rest.get(place).map_or(Ok(otherwise), |text| text.parse())?)
    };
    let (threads, clients, seconds) = (number(0, 1)?, number(1, 64)?, number(2, 30)?);
    let text = std::fs::read_to_string(input).with_context(|| input.clone())?;
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let served = Served::start(system, threads)?;
    println!("{} sentences, {threads} decoding threads", lines.len());
    compare(&served, system, &lines, threads)?;
    let time = Duration::from_secs(seconds as u64);
    report("1 client", &load(&served, &lines, 1, time / 3)?);
    report(
        &format!("{clients} clients"),
        &load(&served, &lines, clients, time)?,
    );
    Ok(())
}

/// Sentences a second of processor time and of the clock.
#[derive(Clone, Copy)]
struct Speed {
    processor: f64,
    clock: f64,
}

fn compare(served: &Served, system: &str, lines: &[&str], threads: usize) -> Result<()> {
    let (mut processor, mut clock) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        let (direct, expected) = by_command(system, lines, threads)?;
        let (through, found) = by_server(served, lines, threads)?;
        ensure!(expected == found, "server and command line differ");
        // The first round fills caches on both sides.
        if round > 0 {
            println!(
                "round {round}: translate {:.1} sentences a CPU second ({:.1} a second), serve {:.1} ({:.1})",
                direct.processor, direct.clock, through.processor, through.clock
            );
            processor.push(through.processor / direct.processor);
            clock.push(through.clock / direct.clock);
        }
    }
    println!(
        "serve / translate, median of {ROUNDS}: {:.3} by CPU time, {:.3} by the clock",
        median(processor),
        median(clock)
    );
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn chiasm() -> Command {
    let program = std::env::var("CHIASM").unwrap_or_else(|_| "target/release/chiasm".into());
    Command::new(program)
}

fn by_command(system: &str, lines: &[&str], threads: usize) -> Result<(Speed, Vec<String>)> {
    let mut input = tempfile::NamedTempFile::new()?;
    input.write_all((lines.join("\n") + "\n").as_bytes())?;
    let mut command = chiasm();
    command.args(["translate", "-s", system, "--threads", &threads.to_string()]);
    command.stdin(File::open(input.path())?);
    let started = Instant::now();
    let (usage, output) = process::run(command)?;
    let count = lines.len() as f64;
    let speed = Speed {
        processor: count / usage.cpu_seconds,
        clock: count / started.elapsed().as_secs_f64(),
    };
    Ok((speed, output.lines().map(str::to_string).collect()))
}

/// Every line once, by enough clients to keep the decoding threads busy.
fn by_server(served: &Served, lines: &[&str], threads: usize) -> Result<(Speed, Vec<String>)> {
    let next = AtomicUsize::new(0);
    let before = served.cpu_seconds()?;
    let started = Instant::now();
    let parts = std::thread::scope(|scope| {
        let worker = || -> Result<Vec<(usize, String)>> {
            let mut client = Client::connect(served.address)?;
            let mut found = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(line) = lines.get(number) else {
                    return Ok(found);
                };
                found.push((number, client.translate(line)?));
            }
        };
        let workers: Vec<_> = (0..2 * threads + 2).map(|_| scope.spawn(worker)).collect();
        let joined = workers.into_iter().map(|worker| worker.join());
        joined
            .map(|part| part.unwrap_or_else(|_| bail!("a client failed")))
            .collect::<Result<Vec<_>>>()
    })?;
    let count = lines.len() as f64;
    let speed = Speed {
        processor: count / (served.cpu_seconds()? - before),
        clock: count / started.elapsed().as_secs_f64(),
    };
    let mut found: Vec<(usize, String)> = parts.concat();
    found.sort();
    Ok((speed, found.into_iter().map(|(_, text)| text).collect()))
}

/// What clients saw.
struct Load {
    milliseconds: Vec<f64>,
    errors: usize,
    seconds: f64,
}

fn load(served: &Served, lines: &[&str], clients: usize, time: Duration) -> Result<Load> {
    let started = Instant::now();
    let parts = std::thread::scope(|scope| {
        let client = |number: usize| -> Result<(Vec<f64>, usize)> {
            let mut client = Client::connect(served.address)?;
            let (mut milliseconds, mut errors) = (Vec::new(), 0);
            let mut number = number * 31;
            while started.elapsed() < time {
                number += 1;
                let asked = Instant::now();
                match client.translate(lines[number % lines.len()]) {
                    Ok(_) => milliseconds.push(asked.elapsed().as_secs_f64() * 1000.0),
                    Err(error) => {
                        eprintln!("{error:#}");
                        errors += 1;
                        client = Client::connect(served.address)?;
                    }
                }
            }
            Ok((milliseconds, errors))
        };
        let workers: Vec<_> = (0..clients)
            .map(|number| scope.spawn(move || client(number)))
            .collect();
        let joined = workers.into_iter().map(|worker| worker.join());
        joined
            .map(|part| part.unwrap_or_else(|_| bail!("a client failed")))
            .collect::<Result<Vec<_>>>()
    })?;
    let seconds = started.elapsed().as_secs_f64();
    let errors = parts.iter().map(|part| part.1).sum();
    let mut milliseconds: Vec<f64> = parts.into_iter().flat_map(|part| part.0).collect();
    milliseconds.sort_by(f64::total_cmp);
    ensure!(!milliseconds.is_empty(), "nothing was answered");
    Ok(Load {
        milliseconds,
        errors,
        seconds,
    })
}

fn report(name: &str, load: &Load) {
    let quantile = |share: f64| {
        let place = (load.milliseconds.len() - 1) as f64 * share;
        load.milliseconds[place as usize]
    };
    println!(
        "{name}, {:.0} s: {} answers, {} errors, {:.1} a second; p50 {:.1} ms, p99 {:.1} ms, most {:.1} ms",
        load.seconds,
        load.milliseconds.len(),
        load.errors,
        load.milliseconds.len() as f64 / load.seconds,
        quantile(0.5),
        quantile(0.99),
        quantile(1.0)
    );
}

/// A running server.
struct Served {
    child: Child,
    address: SocketAddr,
}

impl Served {
    fn start(system: &str, threads: usize) -> Result<Self> {
        let mut command = chiasm();
        command.args(["serve", "--quiet", "--listen", "127.0.0.1:0", "-s", system]);
        command.args(["--threads", &threads.to_string()]);
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        if let Some(output) = child.stdout.take() {
            BufReader::new(output).read_line(&mut line)?;
        }
        let address = line
            .trim()
            .trim_start_matches("http://")
            .trim_end_matches('/');
        let address = address
            .parse()
            .with_context(|| format!("no address: {line:?}"))?;
        Ok(Served { child, address })
    }

    fn cpu_seconds(&self) -> Result<f64> {
        let times = process::times(self.child.id()).context("the server has ended")?;
        Ok(times.1)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // It is ours, and it may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection that is kept.
struct Client(BufReader<TcpStream>);

impl Client {
    fn connect(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(Client(BufReader::new(stream)))
    }

    fn translate(&mut self, line: &str) -> Result<String> {
        let body = json!({ "q": line, "source": "auto", "target": "en" }).to_string();
        let request = format!(
            "POST /translate HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        self.0.get_mut().write_all(request.as_bytes())?;
        let (mut status, mut length, mut header) = (String::new(), 0, String::new());
        self.0.read_line(&mut status)?;
        loop {
            header.clear();
            ensure!(self.0.read_line(&mut header)? > 0, "the server hung up");
            match header.trim_end().split_once(": ") {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.parse()?;
                }
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body)?;
        ensure!(status.contains(" 200 "), "{}", status.trim_end());
        let answer: Value = serde_json::from_slice(&body)?;
        let text = answer["translatedText"].as_str();
        Ok(text.context("no translation")?.to_string())
    }
}
