//! `cargo xtask compare align [--large] [--held-out] [--without-best] [SET ...]`: `chiasm align` beside eflomal and
//! fast_align on hand-aligned text.
//!
//! All tools align the same files in one run, one thread each, with their default settings; printed are the
//! alignment error rate after grow-diag-final-and, the share of words left unaligned, CPU seconds (user + system)
//! and peak memory.
//! The peers belong to the interpreter in `PYTHON` (`pip install eflomal systran-align`) and are left
//! out if they are not there. fast_align is that of systran-align, built from its sources with `-d -o -v`; its
//! time is that of training and aligning, without starting Python, its links are as it joins them.
//! `CHIASM` names the program (default `target/release/chiasm`), `CORPORA`
//! the folder of the corpora (default `../shared/corpora`). Without `--large` only the sets that are
//! aligned by themselves are run; `--held-out` runs the sets that decided least about settings instead. The preset `best`
//! takes most of the time; `--without-best` leaves it out. `--synthesised=PAIRS` has made-up text of so many pairs instead, whose links
//! are known, for `standard` on one thread and on two beside eflomal.

use crate::process::{self, Usage};
use anyhow::{Result, bail};
use chiasm_align::aer::{Agreement, compare};
use chiasm_align::{Method, Symmetriser};
use chiasm_text::{Batch, Link, ParallelLines, links, tokens};
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A hand-aligned set, and the corpus that is aligned with it.
struct Set {
    gold: &'static str,
    corpus: Option<(&'static str, &'static str, &'static str)>,
}

const fn alone(gold: &'static str) -> Set {
    let corpus = None;
    Set { gold, corpus }
}

const fn with_corpus(
    gold: &'static str,
    corpus: (&'static str, &'static str, &'static str),
) -> Set {
    let corpus = Some(corpus);
    Set { gold, corpus }
}

/// The defaults were chosen with these before the eyes.
const SETS: [Set; 6] = [
    alone("en-cs.czenali"),
    alone("en-sv.ges"),
    alone("en-ja.kftt-all"),
    with_corpus("zh-en.tsinghua", ("zh-en", "zh", "en")),
    with_corpus("ja-en.kftt", ("ja-en", "ja", "en")),
    with_corpus("ar-en.madar-aralects", ("ar-en", "ar", "en")),
];

/// These had a part in choosing λ of samplers and the coupling of `fast`, and in nothing else.
const HELD_OUT: [Set; 6] = [
    alone("en-es.golden"),
    alone("en-fr.hansards"),
    alone("en-hi.wpt05"),
    alone("en-pt.golden"),
    alone("en-ro.wpt05-all"),
    alone("ro-en.wpt05"),
];

/// The made-up words of made-up text.
const VOCABULARY: &str = "300000";

/// Trains on the lines `a ||| b` of the first file, writes links to the second, prints the CPU seconds.
const FAST_ALIGN: &str = "
import resource, sys, systran_align
def seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
start = seconds()
pairs, links = sys.argv[1:]
systran_align.generate_alignment_probabilities(pairs, links + '.f', links + '.b', favor_diagonal=True,
    optimize_tension=True, variational_bayes=True)
aligner = systran_align.Aligner(links + '.f', links + '.b')
sides = [[side.split() for side in line.split(' ||| ')] for line in open(pairs, encoding='utf-8')]
with open(links, 'w') as output:
    for at in range(0, len(sides), 1000):
        batch = sides[at:at + 1000]
        for found in aligner.align_batch([pair[0] for pair in batch], [pair[1] for pair in batch]):
            output.write(' '.join(f'{i}-{j}' for i, j in found['alignments']) + '\\n')
print(seconds() - start)
";

/// One tool's figures on one set.
struct Figures {
    agreement: Agreement,
    unaligned: f64,
    usage: Usage,
}

/// Runs the comparison.
pub fn run(arguments: &[String]) -> Result<()> {
    let large = arguments.iter().any(|argument| argument == "--large");
    let named: Vec<&String> = arguments.iter().filter(|a| !a.starts_with("--")).collect();
    let sizes = arguments
        .iter()
        .filter_map(|a| a.strip_prefix("--synthesised="))
        .collect::<Vec<_>>();
    let corpora = variable("CORPORA", "../shared/corpora");
    if sizes.is_empty() && !corpora.join("gold-align").is_dir() {
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
    let python = std::env::var_os("PYTHON").map(PathBuf::from);
    let eflomal = python
        .as_ref()
        .map(|python| python.with_file_name("eflomal-align"));
    let eflomal = eflomal.filter(|path| path.is_file());
    let fast_align = python.filter(|python| {
        let mut command = Command::new(python);
        command.args(["-c", "import systran_align"]);
        process::run(command).is_ok()
    });
    println!(
        "{:<22} {:<20} {:>7} {:>7} {:>7} {:>10} {:>9} {:>7}",
        "set", "aligner", "AER", "prec", "recall", "unaligned", "CPU s", "MiB"
    );
    let held_out = arguments.iter().any(|argument| argument == "--held-out");
    let presets: &[&str] = match arguments
        .iter()
        .any(|argument| argument == "--without-best")
    {
        true => &["fast", "standard"],
        false => &["fast", "standard", "best"],
    };
    let chosen = if held_out { &HELD_OUT } else { &SETS };
    let everything = SETS.iter().chain(&HELD_OUT);
    let sets: Vec<&Set> = match named.is_empty() {
        true => chosen
            .iter()
            .filter(|set| set.corpus.is_none() || large)
            .collect(),
        false => everything
            .filter(|set| named.iter().any(|name| *name == set.gold))
            .collect(),
    };
    for pairs in &sizes {
        run_synthesised(pairs, &chiasm, eflomal.as_deref())?;
    }
    for set in sets.into_iter().filter(|_| sizes.is_empty()) {
        let peers = [eflomal.as_deref(), fast_align.as_deref()];
        run_set(set, &corpora, &chiasm, presets, peers)?;
    }
    if eflomal.is_none() {
        println!("eflomal was left out: PYTHON does not name an interpreter beside eflomal-align");
    }
    if fast_align.is_none() {
        println!("fast_align was left out: PYTHON does not name an interpreter with systran_align");
    }
    Ok(())
}

fn variable(name: &str, default: &str) -> PathBuf {
    std::env::var_os(name).map_or_else(|| PathBuf::from(default), PathBuf::from)
}

fn run_set(
    set: &Set,
    corpora: &Path,
    chiasm: &Path,
    presets: &[&str],
    [eflomal, fast_align]: [Option<&Path>; 2],
) -> Result<()> {
    let gold = corpora.join("gold-align").join(set.gold);
    let text = Text {
        name: set.gold.into(),
        gold: gold.join("links"),
        folder: tempfile::tempdir()?,
    };
    let corpus = |side: usize| {
        set.corpus.map(|(folder, source, target)| {
            let language = [source, target][side];
            corpora.join(folder).join(format!("train.{language}.xz"))
        })
    };
    let sides = ["source", "target"].map(|side| text.file(side));
    join(&sides[0], &[Some(gold.join("sent.src")), corpus(0)])?;
    join(&sides[1], &[Some(gold.join("sent.tgt")), corpus(1)])?;
    for preset in presets {
        text.chiasm(chiasm, preset, 1)?;
    }
    if let Some(eflomal) = eflomal {
        text.eflomal(eflomal)?;
    }
    if let Some(python) = fast_align {
        text.fast_align(python)?;
    }
    Ok(())
}

/// Made-up text of some size, whose links are known: `standard` on one thread and on two, and eflomal.
fn run_synthesised(pairs: &str, chiasm: &Path, eflomal: Option<&Path>) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut command = Command::new(chiasm);
    command.args(["synthesise", "--language", "arabic-like", "--pairs", pairs]);
    command.args(["--vocabulary", VOCABULARY, "-o"]);
    command.arg(folder.path());
    process::run(command)?;
    let text = Text {
        name: format!("{pairs} made up"),
        gold: folder.path().join("gold"),
        folder,
    };
    text.chiasm(chiasm, "standard", 1)?;
    text.chiasm(chiasm, "standard", 2)?;
    eflomal.map_or(Ok(()), |eflomal| text.eflomal(eflomal))
}

/// Text that all aligners align, in a folder of its own.
struct Text {
    name: String,
    gold: PathBuf,
    folder: tempfile::TempDir,
}

impl Text {
    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn chiasm(&self, chiasm: &Path, preset: &str, threads: usize) -> Result<()> {
        let links = self.file(preset);
        let mut command = Command::new(chiasm);
        command.args(["align", "--quiet", "--preset", preset]);
        command.arg("--threads").arg(threads.to_string());
        command.arg("--source").arg(self.file("source"));
        command.arg("--target").arg(self.file("target"));
        command.arg("-o").arg(&links);
        let (usage, _) = process::run(command)?;
        let name = match threads {
            1 => format!("chiasm {preset}"),
            _ => format!("the same, {threads} threads"),
        };
        self.report(&name, &links, usage)
    }

    fn eflomal(&self, eflomal: &Path) -> Result<()> {
        let [forward, reverse, links] = ["forward", "reverse", "eflomal"].map(|f| self.file(f));
        let mut command = Command::new(eflomal);
        command.arg("-s").arg(self.file("source"));
        command.arg("-t").arg(self.file("target"));
        command.arg("-f").arg(&forward).arg("-r").arg(&reverse);
        command.arg("--overwrite");
        let (usage, _) = process::run(command)?;
        symmetrise(&forward, &reverse, &links)?;
        self.report("eflomal", &links, usage)
    }

    fn fast_align(&self, python: &Path) -> Result<()> {
        let (pairs, links) = (self.file("pairs"), self.file("fast_align"));
        let mut output = std::io::BufWriter::new(std::fs::File::create(&pairs)?);
        each_row(&[&self.file("source"), &self.file("target")], |lines| {
            Ok(writeln!(output, "{} ||| {}", lines[0], lines[1])?)
        })?;
        output.flush()?;
        let mut command = Command::new(python);
        command.env("OMP_NUM_THREADS", "1");
        command.args(["-c", FAST_ALIGN]).arg(&pairs).arg(&links);
        let (mut usage, seconds) = process::run(command)?;
        usage.cpu_seconds = seconds.trim().parse()?;
        self.report("fast_align", &links, usage)
    }

    fn report(&self, aligner: &str, links: &Path, usage: Usage) -> Result<()> {
        let mut agreement = Agreement::default();
        for pair in compare(&self.gold, links)? {
            agreement.add(&pair.agreement);
        }
        let unaligned = unaligned(&self.file("source"), &self.file("target"), links)?;
        let figures = Figures {
            agreement,
            unaligned,
            usage,
        };
        print(&self.name, aligner, &figures);
        Ok(())
    }
}

fn print(set: &str, aligner: &str, figures: &Figures) {
    let Figures {
        agreement,
        unaligned,
        usage,
    } = figures;
    println!(
        "{set:<22} {aligner:<20} {:>7.4} {:>7.4} {:>7.4} {:>9.1}% {:>9.1} {:>7.0}",
        agreement.error_rate(),
        agreement.precision(),
        agreement.recall(),
        100.0 * unaligned,
        usage.cpu_seconds,
        usage.peak_bytes as f64 / (1 << 20) as f64
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
