//! `cargo xtask compare learners --train FILE [--test FILE] [--c C] [--sigma2 S]`: the learners beside
//! LIBLINEAR and scikit-learn on the same LIBSVM file, one thread each, one after the other.
//!
//! LIBLINEAR is `liblinear-train` on the PATH or `$LIBLINEAR_TRAIN`; scikit-learn is that of `$PYTHON`
//! (default python3); a peer that is absent is skipped with a line. Ours is the `chiasm` binary beside
//! this program or `$CHIASM`, with the loosest gap whose objective is no worse than the peer's.

use crate::process::{Usage, run};
use anyhow::{Context, Result, bail};
use chiasm_learn::{Examples, libsvm};
use serde_json::Value;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::Command;

const GAPS: [&str; 18] = [
    "1e-1", "5e-2", "3e-2", "2e-2", "1e-2", "7e-3", "5e-3", "4e-3", "3e-3", "2e-3", "1e-3", "7e-4",
    "5e-4", "4e-4", "3e-4", "2e-4", "1e-4", "5e-5",
];

const SCIKIT: &str = r#"
import json, sys, time
import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression
X, y = load_svmlight_file(sys.argv[1])
sigma2 = float(sys.argv[2])
start = time.process_time()
model = LogisticRegression(C=sigma2, fit_intercept=False, tol=1e-4, max_iter=100000).fit(X, y)
seconds = time.process_time() - start
Z = X @ model.coef_.T
top = Z.max(1)
normaliser = np.log(np.exp(Z - top[:, None]).sum(1)) + top
truth = Z[np.arange(len(y)), np.searchsorted(model.classes_, y)]
objective = (normaliser - truth).sum() + (model.coef_ ** 2).sum() / 2 / sigma2
print(json.dumps(dict(seconds=seconds, objective=objective, iterations=int(model.n_iter_[0]))))
"#;

/// What was asked for.
struct Options {
    train: PathBuf,
    test: Option<PathBuf>,
    c: f64,
    sigma2: f64,
}

/// One line of the table.
struct Entry {
    name: String,
    objective: Option<f64>,
    train_seconds: f64,
    usage: Usage,
    accuracy: Option<f64>,
}

/// Runs the comparison and prints the table.
pub fn compare(arguments: &[String]) -> Result<()> {
    let options = parse(arguments)?;
    let folder = std::env::temp_dir().join(format!("chiasm-compare-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let outcome = compare_in(&options, &folder);
    std::fs::remove_dir_all(&folder)?;
    outcome
}

fn compare_in(options: &Options, folder: &Path) -> Result<()> {
    println!(
        "{} (c {}, sigma2 {})",
        options.train.display(),
        options.c,
        options.sigma2
    );
    println!(
        "{:<34} {:>14} {:>9} {:>9} {:>8} {:>8}  ratios: train, total, memory",
        "method", "objective", "train s", "total s", "MB", "accuracy"
    );
    let c = options.c.to_string();
    let liblinear = liblinear(options, folder)?;
    show_with(
        &liblinear,
        &ours_no_worse("svm", &["--c", &c], &liblinear, options, folder)?,
    );
    let scikit = scikit(options)?;
    let sigma2 = options.sigma2.to_string();
    for learner in ["dual", "lbfgs"] {
        let ours = ours_no_worse(learner, &["--sigma2", &sigma2], &scikit, options, folder)?;
        show_with(&scikit, &ours);
    }
    for learner in ["nb-map", "nb-bayes"] {
        show(&ours(learner, &[], options, folder)?, None);
    }
    Ok(())
}

fn show_with(peer: &Option<Entry>, ours: &Entry) {
    if let Some(peer) = peer {
        show(peer, None);
    }
    show(ours, peer.as_ref());
}

fn show(entry: &Entry, peer: Option<&Entry>) {
    let objective = entry.objective.map_or("-".into(), |o| format!("{o:.2}"));
    let accuracy = entry.accuracy.map_or("-".into(), |a| format!("{a:.4}"));
    let ratios = peer.map_or(String::new(), |peer| {
        format!(
            "{:.3}, {:.3}, {:.3}",
            entry.train_seconds / peer.train_seconds,
            entry.usage.cpu_seconds / peer.usage.cpu_seconds,
            entry.usage.peak_bytes as f64 / peer.usage.peak_bytes as f64,
        )
    });
    println!(
        "{:<34} {objective:>14} {:>9.2} {:>9.2} {:>8.1} {accuracy:>8}  {ratios}",
        entry.name,
        entry.train_seconds,
        entry.usage.cpu_seconds,
        entry.usage.peak_bytes as f64 / 1e6,
    );
}

/// The loosest gap whose objective is no worse than the peer's.
fn ours_no_worse(
    learner: &str,
    parameters: &[&str],
    peer: &Option<Entry>,
    options: &Options,
    folder: &Path,
) -> Result<Entry> {
    let wanted = peer.as_ref().and_then(|peer| peer.objective);
    let mut last = None;
    for gap in GAPS {
        let mut all = parameters.to_vec();
        all.extend(["--gap", gap]);
        let entry = ours(learner, &all, options, folder)?;
        let enough = match (wanted, entry.objective) {
            (Some(wanted), Some(found)) => found <= wanted,
            _ => gap == "1e-3",
        };
        if enough {
            return Ok(entry);
        }
        last = Some(entry);
    }
    last.context("no gap tried")
}

fn ours(learner: &str, parameters: &[&str], options: &Options, folder: &Path) -> Result<Entry> {
    let binary = chiasm()?;
    let model = folder.join("model");
    let mut command = Command::new(&binary);
    command.args([
        "--threads",
        "1",
        "--quiet",
        "learn",
        "--json",
        "--learner",
        learner,
    ]);
    command.args(parameters).arg("--libsvm").arg(&options.train);
    command.arg("-o").arg(&model);
    let (usage, output) = run(command)?;
    let report: Value = serde_json::from_str(&output)?;
    let accuracy = match &options.test {
        Some(test) => {
            let mut command = Command::new(&binary);
            command
                .args(["--quiet", "predict", "--json", "--model"])
                .arg(&model);
            command.arg("--libsvm").arg(test);
            let answer: Value = serde_json::from_str(&run(command)?.1)?;
            answer["accuracy"].as_f64()
        }
        None => None,
    };
    Ok(Entry {
        name: format!("chiasm {learner} {}", parameters.join(" ")),
        objective: report["primal_objective"].as_f64(),
        train_seconds: report["cpu_seconds"].as_f64().unwrap_or_default(),
        usage,
        accuracy,
    })
}

/// The program that is measured.
pub fn chiasm() -> Result<PathBuf> {
    if let Some(path) = std::env::var_os("CHIASM") {
        return Ok(path.into());
    }
    let path = std::env::current_exe()?.with_file_name("chiasm");
    if !path.exists() {
        bail!(
            "{} is missing: cargo build --release -p chiasm-cli",
            path.display()
        );
    }
    Ok(path)
}

/// LIBLINEAR's Crammer & Singer solver. It does not tell reading from training, so a run that
/// stops after the first pass is taken for reading.
fn liblinear(options: &Options, folder: &Path) -> Result<Option<Entry>> {
    let program = std::env::var("LIBLINEAR_TRAIN").unwrap_or("liblinear-train".into());
    if Command::new(&program).output().is_err() {
        println!("LIBLINEAR: no {program}, skipped");
        return Ok(None);
    }
    let model = folder.join("liblinear");
    let train = |epsilon: &str| {
        let mut command = Command::new(&program);
        command
            .args(["-q", "-s", "4", "-e", epsilon, "-c"])
            .arg(options.c.to_string());
        command.arg(&options.train).arg(&model);
        run(command)
    };
    let (reading, _) = train("1000000")?;
    let (usage, _) = train("0.1")?;
    let examples = read(&options.train)?;
    let weights = std::fs::read_to_string(&model)?;
    let (objective, _) = svm_objective(&weights, &examples, options.c)?;
    let accuracy = match &options.test {
        Some(test) => Some(svm_objective(&weights, &read(test)?, options.c)?.1),
        None => None,
    };
    Ok(Some(Entry {
        name: "LIBLINEAR -s 4 -e 0.1".into(),
        objective: Some(objective),
        train_seconds: usage.cpu_seconds - reading.cpu_seconds,
        usage,
        accuracy,
    }))
}

fn read(path: &Path) -> Result<Examples> {
    let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    Ok(libsvm::read(BufReader::new(file), path, true)?)
}

/// P(w) and accuracy of a LIBLINEAR model: `label` names the columns of the rows after `w`.
fn svm_objective(model: &str, examples: &Examples, c: f64) -> Result<(f64, f64)> {
    let (head, body) = model
        .split_once("\nw\n")
        .context("no weights in the model")?;
    let labels = head.lines().find_map(|line| line.strip_prefix("label "));
    let labels: Vec<&str> = labels
        .context("no labels in the model")?
        .split_whitespace()
        .collect();
    let weights: Vec<Vec<f64>> = body
        .lines()
        .map(|line| line.split_whitespace().map(|w| Ok(w.parse()?)).collect())
        .collect::<Result<_>>()?;
    let column = |name: &String| labels.iter().position(|label| label == name);
    let columns: Vec<usize> = examples.class_names().iter().filter_map(column).collect();
    if columns.len() != examples.classes() {
        bail!("the model's labels are not those of the examples");
    }
    let mut objective = weights.iter().flatten().map(|w| w * w).sum::<f64>() / 2.0;
    let mut right = 0.0;
    for index in 0..examples.rows() {
        let mut scores = vec![0.0; labels.len()];
        for (feature, value) in examples.row(index).entries() {
            let id = examples.feature_ids()[feature as usize] as usize;
            if let Some(row) = id.checked_sub(1).and_then(|at| weights.get(at)) {
                scores
                    .iter_mut()
                    .zip(row)
                    .for_each(|(score, w)| *score += w * value);
            }
        }
        for pair in examples.pairs_of(index) {
            let truth = columns[examples.pair_class(pair)];
            let margin = |k: usize| scores[k] + if k == truth { 0.0 } else { 1.0 };
            let largest = (0..scores.len())
                .map(margin)
                .fold(f64::NEG_INFINITY, f64::max);
            objective += c * examples.pair_weight(pair) * (largest - scores[truth]);
            if scores.iter().all(|&score| score <= scores[truth]) {
                right += examples.pair_weight(pair);
            }
        }
    }
    Ok((objective, right / examples.weight()))
}

fn scikit(options: &Options) -> Result<Option<Entry>> {
    let python = std::env::var("PYTHON").unwrap_or("python3".into());
    let probe = Command::new(&python)
        .args(["-c", "import sklearn"])
        .output();
    if !probe.is_ok_and(|output| output.status.success()) {
        println!("scikit-learn: {python} has none, skipped");
        return Ok(None);
    }
    let mut command = Command::new(&python);
    command
        .env("OMP_NUM_THREADS", "1")
        .env("OPENBLAS_NUM_THREADS", "1");
    command
        .arg("-c")
        .arg(SCIKIT)
        .arg(&options.train)
        .arg(options.sigma2.to_string());
    let (usage, output) = run(command)?;
    let answer: Value = serde_json::from_str(&output)?;
    Ok(Some(Entry {
        name: "scikit-learn lbfgs tol 1e-4".into(),
        objective: answer["objective"].as_f64(),
        train_seconds: answer["seconds"].as_f64().unwrap_or_default(),
        usage,
        accuracy: None,
    }))
}

fn parse(arguments: &[String]) -> Result<Options> {
    let mut options = Options {
        train: PathBuf::new(),
        test: None,
        c: 0.1,
        sigma2: 1.0,
    };
    for pair in arguments.chunks(2) {
        let [name, value] = pair else {
            bail!("{}: a value expected", pair[0]);
        };
        match name.as_str() {
            "--train" => options.train = value.into(),
            "--test" => options.test = Some(value.into()),
            "--c" => options.c = value.parse().context("--c")?,
            "--sigma2" => options.sigma2 = value.parse().context("--sigma2")?,
            other => bail!("{other}: --train, --test, --c or --sigma2 expected"),
        }
    }
    if options.train.as_os_str().is_empty() {
        bail!(
            "usage: cargo xtask compare learners --train FILE [--test FILE] [--c C] [--sigma2 S]"
        );
    }
    Ok(options)
}
