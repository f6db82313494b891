//! `cargo xtask compare lm`: estimation, sizes and queries beside KenLM.
//!
//! `CHIASM` is the program (default target/release/chiasm), `KENLM` the folder with KenLM's
//! `lmplz`, `build_binary` and `query`, `TEXT` a tokenised text, plain. Everything runs in turns,
//! `ROUNDS` times (default 3); CPU seconds are the least of the rounds. Queries are those of the
//! text itself, printed a sentence, loading included (both map the file), one thread.

use anyhow::{Context, Result, bail};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// CPU seconds and peak memory of a program.
#[derive(Clone, Copy)]
struct Cost {
    seconds: f64,
    kilobytes: u64,
}

/// Runs a command under `/usr/bin/time`.
fn measure(program: &Path, arguments: &[&str], input: Option<&Path>) -> Result<Cost> {
    let report = tempfile();
    let mut command = Command::new("/usr/bin/time");
    command
        .args(["-f", "%U %S %M", "-o"])
        .arg(&report)
        .arg(program)
        .args(arguments);
    if let Some(input) = input {
        command.stdin(File::open(input)?);
    }
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    let status = status.context("/usr/bin/time is needed")?;
    if !status.success() {
        bail!("{} {} failed", program.display(), arguments.join(" "));
    }
    let line = std::fs::read_to_string(&report)?;
    let _ = std::fs::remove_file(&report);
    let fields: Vec<f64> = line
        .split_whitespace()
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    let [user, system, kilobytes] = fields[..] else {
        bail!("/usr/bin/time printed '{line}'");
    };
    Ok(Cost {
        seconds: user + system,
        kilobytes: kilobytes as u64,
    })
}

fn tempfile() -> PathBuf {
    std::env::temp_dir().join(format!("xtask-lm-{}", std::process::id()))
}

/// The least CPU time and the largest memory of several runs.
struct Best(Option<Cost>);

impl Best {
    fn add(&mut self, cost: Cost) {
        self.0 = Some(match self.0 {
            None => cost,
            Some(best) => Cost {
                seconds: best.seconds.min(cost.seconds),
                kilobytes: best.kilobytes.max(cost.kilobytes),
            },
        });
    }
}

/// Runs the comparison and prints a table.
pub fn run() -> Result<()> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let chiasm = variable("CHIASM").unwrap_or_else(|| "target/release/chiasm".into());
    let text = variable("TEXT").context("TEXT must name a tokenised text")?;
    let kenlm = variable("KENLM");
    let rounds: usize = std::env::var("ROUNDS").map_or(Ok(3), |n| n.parse())?;
    let folder = std::env::temp_dir().join(format!("xtask-lm-files-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let outcome = compare(&chiasm, kenlm.as_deref(), &text, rounds, &folder);
    std::fs::remove_dir_all(&folder)?;
    outcome
}

fn compare(
    chiasm: &Path,
    kenlm: Option<&Path>,
    text: &Path,
    rounds: usize,
    folder: &Path,
) -> Result<()> {
    let name = |file: &str| folder.join(file).to_string_lossy().into_owned();
    let text_name = text.to_string_lossy();
    let one = ["--threads", "1", "lm"];
    let (ours, binary, quantised) = (name("c.arpa"), name("c.bin"), name("q.bin"));
    let (theirs, probing, trie) = (name("k.arpa"), name("k.bin"), name("t.bin"));
    let estimate = [
        &one[..],
        &[
            "estimate", "--order", "5", "--text", &text_name, "-o", &ours,
        ],
    ]
    .concat();
    let lmplz = [
        "-o",
        "5",
        "--text",
        &text_name,
        "--arpa",
        &theirs,
        "-S",
        "4G",
        "-T",
        &name(""),
    ];
    let mut rows: Vec<(&str, Best, Best)> = Vec::new();
    let row = |what, ours: Best, theirs: Best| (what, ours, theirs);
    let (mut a, mut b) = (Best(None), Best(None));
    for _ in 0..rounds {
        a.add(measure(chiasm, &estimate, None)?);
        if let Some(kenlm) = kenlm {
            b.add(measure(&kenlm.join("lmplz"), &lmplz, None)?);
        }
    }
    rows.push(row("estimate, order 5", a, b));
    let build = |output| [&one[..], &["build", "--model", &ours, "-o", output]].concat();
    measure(chiasm, &build(&binary), None)?;
    measure(
        chiasm,
        &[build(&quantised), vec!["--quantised"]].concat(),
        None,
    )?;
    if let Some(kenlm) = kenlm {
        let program = kenlm.join("build_binary");
        measure(&program, &["probing", &theirs, &probing], None)?;
        measure(
            &program,
            &["-q", "8", "-b", "8", "-a", "22", "trie", &theirs, &trie],
            None,
        )?;
    }
    let forms = [
        ("query, hash tables", &binary, &probing),
        ("query, quantised", &quantised, &trie),
    ];
    for (what, ours, theirs) in forms {
        let (mut a, mut b) = (Best(None), Best(None));
        for _ in 0..rounds {
            let query = [&one[..], &["query", "--model", ours]].concat();
            a.add(measure(chiasm, &query, Some(text))?);
            if let Some(kenlm) = kenlm {
                let query = ["-v", "sentence", theirs];
                b.add(measure(&kenlm.join("query"), &query, Some(text))?);
            }
        }
        rows.push(row(what, a, b));
    }
    println!(
        "{:22} {:>10} {:>10} {:>8} {:>10} {:>10}",
        "CPU seconds", "chiasm", "KenLM", "ratio", "MB", "MB"
    );
    for (what, ours, theirs) in &rows {
        print_row(what, ours, theirs);
    }
    for (what, ours, theirs) in [
        ("hash tables, bytes", &binary, &probing),
        ("quantised, bytes", &quantised, &trie),
    ] {
        let size = |path: &String| std::fs::metadata(path).map_or(0, |file| file.len());
        println!("{what:22} {:>10} {:>10}", size(ours), size(theirs));
    }
    Ok(())
}

fn print_row(what: &str, ours: &Best, theirs: &Best) {
    let Some(ours) = ours.0 else { return };
    let memory = ours.kilobytes / 1000;
    match theirs.0 {
        Some(peer) => println!(
            "{what:22} {:>10.2} {:>10.2} {:>8.2} {memory:>10} {:>10}",
            ours.seconds,
            peer.seconds,
            peer.seconds / ours.seconds,
            peer.kilobytes / 1000
        ),
        None => println!(
            "{what:22} {:>10.2} {:>10} {:>8} {memory:>10}",
            ours.seconds, "-", "-"
        ),
    }
}
