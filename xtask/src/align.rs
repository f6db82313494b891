//! `cargo xtask compare align [--large] [SET ...]`: `chiasm align` beside eflomal on hand-aligned text.
//!
//! Both tools align the same files in one run, one thread each; printed are the alignment error rate
//! after grow-diag-final-and, the share of words left unaligned, and CPU seconds (user + system).
//! eflomal is taken from the folder of the interpreter in `PYTHON` (`pip install eflomal`) and left
//! out if it is not there; `CHIASM` names the program (default `target/release/chiasm`), `CORPORA`
//! the folder of the corpora (default `../shared/corpora`). Without `--large` only the sets that are
//! aligned by themselves are run.

use anyhow::{Context, Result, bail};
use chiasm_align::aer::{Agreement, compare};
use chiasm_align::{Method, Symmetriser};
use chiasm_text::{Batch, Link, ParallelLines, links, tokens};
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A hand-aligned set, and the corpus that is aligned with it.
struct Set {
    gold: &'static str,
    corpus: Option<(&'static str, &'static str, &'static str)>,
}

const SETS: [Set; 6] = [
    Set {
        gold: "en-cs.czenali",
        corpus: None,
    },
    Set {
        gold: "en-sv.ges",
        corpus: None,
    },
    Set {
        gold: "en-ja.kftt-all",
        corpus: None,
    },
    Set {
        gold: "zh-en.tsinghua",
        corpus: Some(("zh-en", "zh", "en")),
    },
    Set {
        gold: "ja-en.kftt",
        corpus: Some(("ja-en", "ja", "en")),
    },
    Set {
        gold: "ar-en.madar-aralects",
        corpus: Some(("ar-en", "ar", "en")),
    },
];

/// One tool's figures on one set.
struct Figures {
    agreement: Agreement,
    unaligned: f64,
    seconds: f64,
}

/// Runs the comparison.
pub fn run(arguments: &[String]) -> Result<()> {
    let large = arguments.iter().any(|argument| argument == "--large");
    let named: Vec<&String> = arguments.iter().filter(|a| !a.starts_with("--")).collect();
    let corpora = variable("CORPORA", "../shared/corpora");
    if !corpora.join("gold-align").is_dir() {
        println!(
            "skipped: {} is not there",
            corpora.join("gold-align").display()
        );
        return Ok(());
    }
    let chiasm = variable("CHIASM", "target/release/chiasm");
    if !chiasm.is_file() {
        bail!(
            "{}: build it first: cargo build --release",
            chiasm.display()
        );
    }
    let eflomal = std::env::var_os("PYTHON").map(PathBuf::from);
    let eflomal = eflomal.map(|python| python.with_file_name("eflomal-align"));
    let eflomal = eflomal.filter(|path| path.is_file());
    println!(
        "{:<22} {:<16} {:>7} {:>7} {:>7} {:>10} {:>9}",
        "set", "aligner", "AER", "prec", "recall", "unaligned", "CPU s"
    );
    for set in &SETS {
        let wanted = match named.is_empty() {
            true => set.corpus.is_none() || large,
            false => named.iter().any(|name| *name == set.gold),
        };
        if wanted {
            run_set(set, &corpora, &chiasm, eflomal.as_deref())?;
        }
    }
    if eflomal.is_none() {
        println!("eflomal was left out: PYTHON does not name an interpreter beside eflomal-align");
    }
    Ok(())
}

fn variable(name: &str, default: &str) -> PathBuf {
    std::env::var_os(name).map_or_else(|| PathBuf::from(default), PathBuf::from)
}

fn run_set(set: &Set, corpora: &Path, chiasm: &Path, eflomal: Option<&Path>) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = |name: &str| folder.path().join(name);
    let gold = corpora.join("gold-align").join(set.gold);
    let (source, target) = (file("source"), file("target"));
    let corpus = |side: usize| {
        set.corpus.map(|(folder, source, target)| {
            let language = [source, target][side];
            corpora.join(folder).join(format!("train.{language}.xz"))
        })
    };
    join(&source, &[Some(gold.join("sent.src")), corpus(0)])?;
    join(&target, &[Some(gold.join("sent.tgt")), corpus(1)])?;
    let measure = |links: &Path, seconds: f64| -> Result<Figures> {
        let mut agreement = Agreement::default();
        for pair in compare(gold.join("links"), links)? {
            agreement.add(&pair.agreement);
        }
        let unaligned = unaligned(&source, &target, links)?;
        Ok(Figures {
            agreement,
            unaligned,
            seconds,
        })
    };
    for preset in ["fast", "standard", "best"] {
        let links = file(preset);
        let mut command = Command::new(chiasm);
        command.args(["align", "--quiet", "--threads", "1", "--preset", preset]);
        command
            .arg("--source")
            .arg(&source)
            .arg("--target")
            .arg(&target);
        let seconds = timed(command.arg("-o").arg(&links))?;
        print(
            set.gold,
            &format!("chiasm {preset}"),
            &measure(&links, seconds)?,
        );
    }
    if let Some(eflomal) = eflomal {
        let (forward, reverse, links) = (file("forward"), file("reverse"), file("eflomal"));
        let mut command = Command::new(eflomal);
        command.arg("-s").arg(&source).arg("-t").arg(&target);
        command
            .arg("-f")
            .arg(&forward)
            .arg("-r")
            .arg(&reverse)
            .arg("--overwrite");
        let seconds = timed(command.stdout(Stdio::null()))?;
        symmetrise(&forward, &reverse, &links)?;
        print(set.gold, "eflomal", &measure(&links, seconds)?);
    }
    Ok(())
}

fn print(set: &str, aligner: &str, figures: &Figures) {
    let Figures {
        agreement,
        unaligned,
        seconds,
    } = figures;
    println!(
        "{set:<22} {aligner:<16} {:>7.4} {:>7.4} {:>7.4} {:>9.1}% {seconds:>9.1}",
        agreement.error_rate(),
        agreement.precision(),
        agreement.recall(),
        100.0 * unaligned
    );
}

/// Writes the lines of several files into one.
fn join(path: &Path, parts: &[Option<PathBuf>]) -> Result<()> {
    let mut output = std::io::BufWriter::new(std::fs::File::create(path)?);
    for part in parts.iter().flatten() {
        for line in chiasm_text::open(part)?.lines() {
            writeln!(output, "{}", line?)?;
        }
    }
    output.flush()?;
    Ok(())
}

/// Runs a command; the CPU seconds it and its children took.
fn timed(command: &mut Command) -> Result<f64> {
    let before = children_seconds()?;
    let status = command
        .status()
        .with_context(|| format!("{:?}", command.get_program()))?;
    if !status.success() {
        bail!("{:?} failed: {status}", command.get_program());
    }
    Ok(children_seconds()? - before)
}

/// User and system time of all children waited for, from the system's table of processes.
fn children_seconds() -> Result<f64> {
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").context("CPU time needs /proc")?;
    // The name of the program may hold spaces; it ends with the last parenthesis.
    let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let field = |at: usize| {
        rest.split_whitespace()
            .nth(at)
            .and_then(|text| text.parse::<f64>().ok())
    };
    let ticks = field(13)
        .zip(field(14))
        .context("/proc/self/stat has an unknown form")?;
    Ok((ticks.0 + ticks.1) / TICKS_A_SECOND)
}

fn symmetrise(forward: &Path, reverse: &Path, into: &Path) -> Result<()> {
    let mut output = std::io::BufWriter::new(std::fs::File::create(into)?);
    let mut symmetriser = Symmetriser::new();
    let mut merged = Vec::new();
    each_row(&[forward, reverse], |lines| {
        let mut sides = [Vec::new(), Vec::new()];
        for (side, line) in sides.iter_mut().zip(lines) {
            links::parse(line, usize::MAX, usize::MAX, side).map_err(anyhow::Error::msg)?;
        }
        symmetriser.symmetrise(Method::GrowDiagFinalAnd, &sides[0], &sides[1], &mut merged);
        let mut text = String::new();
        links::format(&merged, &mut text);
        Ok(writeln!(output, "{text}")?)
    })?;
    output.flush()?;
    Ok(())
}

fn unaligned(source: &Path, target: &Path, link_file: &Path) -> Result<f64> {
    let (mut words, mut free) = (0, 0);
    each_row(&[source, target, link_file], |lines| {
        let mut found = Vec::new();
        links::parse(&lines[2], usize::MAX, usize::MAX, &mut found).map_err(anyhow::Error::msg)?;
        let positions: [fn(&Link) -> u32; 2] = [|link| link.source, |link| link.target];
        for (side, position) in positions.into_iter().enumerate() {
            let mut linked: Vec<u32> = found.iter().map(position).collect();
            linked.sort_unstable();
            linked.dedup();
            let length = tokens(&lines[side]).count();
            words += length;
            free += length - linked.len();
        }
        Ok(())
    })?;
    Ok(free as f64 / f64::max(words as f64, 1.0))
}

fn each_row(paths: &[&Path], mut visit: impl FnMut(&[String]) -> Result<()>) -> Result<()> {
    let mut files = ParallelLines::open(paths)?;
    let mut batch = Batch::default();
    while files.next_batch(&mut batch, 1024)? {
        for row in 0..batch.len() {
            let lines: Vec<String> = (0..paths.len())
                .map(|c| batch.line(c, row).to_string())
                .collect();
            visit(&lines)?;
        }
    }
    Ok(())
}
