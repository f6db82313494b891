//! `cargo xtask scale --source F --target E --links L --output NAME`: SVM Figure 2 at the papers' scale and beyond.
//! Time and memory of training against the number of phrase pairs, on the first lines of a word-aligned corpus.
//!
//! Every run is `chiasm reorder train` in a process of its own, on one thread. NAME.csv gets a line a run; runs that
//! stand there already are not made again, so that an interrupted series goes on. NAME-time.svg and NAME-memory.svg
//! are drawn from it at the end (or at once, with `--pairs 0`). The corpus of the figures in docs/scaling.md is made as
//! said there. The binary is the `chiasm` beside this program or `$CHIASM`.

use crate::learners::chiasm;
use crate::process::run;
use anyhow::{Context, Result, bail};
use chiasm_page::{PLOT_STYLE, Plot, Series};
use serde_json::Value;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

const HEADER: &str = "features,learner,pairs,examples,rows,kept,train_cpu_seconds,total_cpu_seconds,peak_bytes,relative_gap";

struct Options {
    corpus: [PathBuf; 3],
    output: PathBuf,
    pairs: Vec<usize>,
    runs: Vec<(String, String)>,
    memory: String,
    gap: String,
    c: String,
    sigma2: String,
}

/// Runs what is not done yet, then draws.
pub fn measure(arguments: &[String]) -> Result<()> {
    let options = parse(arguments)?;
    let table = options.output.with_extension("csv");
    if !table.exists() {
        std::fs::write(&table, format!("{HEADER}\n"))?;
    }
    let folder = tempfile::tempdir_in(
        table
            .parent()
            .filter(|p| p.as_os_str() != "")
            .unwrap_or(Path::new(".")),
    )?;
    for &pairs in options.pairs.iter().filter(|&&pairs| pairs > 0) {
        let part = first_lines(&options.corpus, pairs, folder.path())?;
        for (set, learner) in &options.runs {
            let key = format!("{set},{learner},{pairs},");
            let done = std::fs::read_to_string(&table)?;
            if done.lines().any(|line| line.starts_with(&key)) {
                continue;
            }
            let line = options.train(&part, (set, learner), folder.path())?;
            println!("{key}{line}");
            let mut file = std::fs::OpenOptions::new().append(true).open(&table)?;
            writeln!(file, "{key}{line}")?;
        }
    }
    draw(&table, &options.output)
}

impl Options {
    fn train(
        &self,
        part: &[PathBuf; 3],
        (set, learner): (&str, &str),
        folder: &Path,
    ) -> Result<String> {
        let mut command = Command::new(chiasm()?);
        command.args(["--quiet", "--threads", "1", "reorder", "train", "--json"]);
        for (name, file) in ["--source", "--target", "--links"].iter().zip(part) {
            command.arg(name).arg(file);
        }
        command.args([
            "--features",
            set,
            "--learner",
            learner,
            "--memory",
            &self.memory,
        ]);
        match learner {
            "svm" => command.args(["--gap", &self.gap, "--c", &self.c]),
            "dual" | "lbfgs" => command.args(["--gap", &self.gap, "--sigma2", &self.sigma2]),
            _ => &mut command,
        };
        command.arg("-o").arg(folder.join("model"));
        let (usage, output) = run(command)?;
        let report: Value = serde_json::from_str(&output)?;
        let number = |key: &str| {
            report[key]
                .as_f64()
                .map_or(String::new(), |value| value.to_string())
        };
        Ok([
            number("examples"),
            number("rows"),
            number("features"),
            number("cpu_seconds"),
            usage.cpu_seconds.to_string(),
            usage.peak_bytes.to_string(),
            number("relative_gap"),
        ]
        .join(","))
    }
}

/// The first lines of three files, as files of their own.
fn first_lines(corpus: &[PathBuf; 3], pairs: usize, folder: &Path) -> Result<[PathBuf; 3]> {
    let part = ["source", "target", "links"].map(|name| folder.join(name));
    for (from, to) in corpus.iter().zip(&part) {
        let file = std::fs::File::open(from).with_context(|| from.display().to_string())?;
        let mut lines = BufReader::new(file);
        let mut output = BufWriter::new(std::fs::File::create(to)?);
        let mut line = Vec::new();
        for number in 0..pairs {
            line.clear();
            if lines.read_until(b'\n', &mut line)? == 0 {
                bail!("{}: {number} lines, {pairs} are wanted", from.display());
            }
            output.write_all(&line)?;
        }
        output.flush()?;
    }
    Ok(part)
}

/// The two plots.
fn draw(table: &Path, output: &Path) -> Result<()> {
    let text = std::fs::read_to_string(table).with_context(|| table.display().to_string())?;
    for (ending, label, column, unit) in [
        ("time", "processor seconds of training", 6, 1.0),
        ("memory", "peak memory of the whole command, GB", 8, 1e9),
    ] {
        let plot = Plot {
            x_label: "phrase pairs".into(),
            y_label: label.into(),
            logarithmic: true,
            series: series(&text, column, unit)?,
        };
        let name = output.file_name().unwrap_or_default().to_string_lossy();
        let path = output.with_file_name(format!("{name}-{ending}.svg"));
        std::fs::write(path, alone(&plot.svg()))?;
    }
    Ok(())
}

/// A line a feature set and learner.
fn series(text: &str, column: usize, unit: f64) -> Result<Vec<Series>> {
    let mut all: Vec<Series> = Vec::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |at: usize| -> Result<f64> {
            let cell = cells
                .get(at)
                .with_context(|| format!("too few cells: {line}"))?;
            cell.parse().with_context(|| line.to_string())
        };
        let name = format!("{} {}", cells[0], cells.get(1).unwrap_or(&""));
        let point = (number(3)?, number(column)? / unit);
        match all.iter_mut().find(|series| series.name == name) {
            Some(series) => series.points.push(point),
            None => all.push(Series {
                name,
                points: vec![point],
            }),
        }
    }
    all.iter_mut()
        .for_each(|series| series.points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    Ok(all)
}

/// A plot of a page as a file of its own.
fn alone(svg: &str) -> String {
    let style = format!(
        "<style>svg {{ --soft: #888; --line: #ddd; color: #222; background: white; }} {PLOT_STYLE}</style>"
    );
    let svg = svg.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 1);
    svg.replacen('>', &format!(">{style}"), 1)
}

fn parse(arguments: &[String]) -> Result<Options> {
    let mut corpus = [PathBuf::new(), PathBuf::new(), PathBuf::new()];
    let mut options = Options {
        corpus: corpus.clone(),
        output: PathBuf::new(),
        pairs: vec![7500, 23700, 75000, 236_000, 745_000],
        runs: Vec::new(),
        memory: "8G".into(),
        gap: "0.01".into(),
        c: "0.01".into(),
        sigma2: "0.03".into(),
    };
    let mut runs = "S7 svm,S7 dual,S7 nb-bayes,S7 lbfgs,S15 svm,S15 dual".to_string();
    for pair in arguments.chunks(2) {
        let [name, value] = pair else {
            bail!("{}: a value expected", pair[0]);
        };
        match name.as_str() {
            "--source" => corpus[0] = value.into(),
            "--target" => corpus[1] = value.into(),
            "--links" => corpus[2] = value.into(),
            "--output" => options.output = value.into(),
            "--pairs" => {
                options.pairs = value.split(',').map(str::parse).collect::<Result<_, _>>()?
            }
            "--runs" => runs.clone_from(value),
            "--memory" => options.memory.clone_from(value),
            "--gap" => options.gap.clone_from(value),
            "--c" => options.c.clone_from(value),
            "--sigma2" => options.sigma2.clone_from(value),
            other => bail!(
                "{other}: --source, --target, --links, --output, --pairs, --runs 'S7 svm,...', --memory, --gap, --c or --sigma2 expected"
            ),
        }
    }
    for run in runs.split(',') {
        let (set, learner) = run
            .split_once(' ')
            .with_context(|| format!("--runs: '{run}' is not like 'S7 svm'"))?;
        options.runs.push((set.into(), learner.into()));
    }
    options.corpus = corpus;
    if options.output.as_os_str().is_empty() {
        bail!(
            "usage: cargo xtask scale --source F --target E --links L --output NAME [--pairs N,N,...] [--runs 'S7 svm,S15 dual'] [--memory 8G] [--gap G] [--c C] [--sigma2 S]"
        );
    }
    Ok(options)
}
