//! `chiasm report classification`: the papers' tables and figures on any word-aligned corpus.

use crate::commands::corpus_options::CorpusOptions;
use crate::context::{Context, on_signals};
use anyhow::Context as _;
use chiasm_learn::Strength;
use chiasm_report::classification::{Answer, Commands, Corpus, Request, report};
use chiasm_store::OutputFile;
use clap::Args;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    corpus: CorpusOptions,
    /// Source text to score on.
    #[arg(long, value_name = "FILE")]
    test_source: PathBuf,
    /// Target text to score on.
    #[arg(long, value_name = "FILE")]
    test_target: PathBuf,
    /// Word alignment to score on.
    #[arg(long, value_name = "FILE")]
    test_links: PathBuf,
    /// Cost of a unit of slack of the SVM, or auto: chosen with S7 on pairs of the training text.
    #[arg(long, value_name = "C", default_value_t = Strength::Auto, allow_negative_numbers = true)]
    c: Strength,
    /// Variance of the prior of MaxEnt, or auto.
    #[arg(long, value_name = "S", default_value_t = Strength::Auto, allow_negative_numbers = true)]
    sigma2: Strength,
    /// Relative duality gap at which training ends.
    #[arg(long, value_name = "G", default_value_t = 0.01)]
    gap: f64,
    /// Fewer sets, sizes and repeats.
    #[arg(long)]
    quick: bool,
    /// The page; tables of all runs go beside it as .csv, everything as .json.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Measures and writes.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let fixed = |strength| match strength {
        Strength::Fixed(number) => number,
        Strength::Auto => 1.0,
    };
    for (name, value) in [
        ("--c", fixed(arguments.c)),
        ("--sigma2", fixed(arguments.sigma2)),
        ("--gap", arguments.gap),
    ] {
        anyhow::ensure!(
            value.is_finite() && value > 0.0,
            "{name} {value}: a positive number is expected"
        );
    }
    let inputs = [
        &arguments.corpus.paths()[..],
        &[
            &arguments.test_source,
            &arguments.test_target,
            &arguments.test_links,
        ],
    ];
    let ending = arguments.output.extension();
    anyhow::ensure!(
        ending.is_some_and(|ending| ending == "html"),
        "{}: a name that ends in .html is expected; the tables go beside it as .csv and .json",
        arguments.output.display()
    );
    chiasm_store::check_outputs(&[&arguments.output], &inputs.concat())?;
    // For models and parts of the corpus; what counts is in the page.
    let beside = arguments.output.parent().filter(|p| p.as_os_str() != "");
    let beside = beside.unwrap_or(Path::new("."));
    let folder = tempfile::Builder::new()
        .prefix("report-")
        .tempdir_in(beside)
        .with_context(|| beside.display().to_string())?;
    let unfinished = folder.path().to_path_buf();
    let remove = move || {
        let _ = std::fs::remove_dir_all(&unfinished);
        false
    };
    on_signals(remove.clone(), remove);
    measure(&arguments, folder.path(), context)?;
    Ok(folder.close()?)
}

fn measure(arguments: &Arguments, folder: &Path, context: &Context) -> anyhow::Result<()> {
    let request = Request {
        training: Corpus {
            source: arguments.corpus.source.clone(),
            target: arguments.corpus.target.clone(),
            links: arguments.corpus.links.clone(),
        },
        test: Corpus {
            source: arguments.test_source.clone(),
            target: arguments.test_target.clone(),
            links: arguments.test_links.clone(),
        },
        c: arguments.c,
        sigma2: arguments.sigma2,
        gap: arguments.gap,
        quick: arguments.quick,
        folder: folder.to_path_buf(),
        made_by: concat!("chiasm ", env!("CARGO_PKG_VERSION")).into(),
        date: httpdate::fmt_http_date(std::time::SystemTime::now()),
    };
    let commands = OwnProcesses {
        executable: std::env::current_exe()?,
        threads: context.threads,
    };
    let report = report(request, &commands, context)?;
    let json = serde_json::to_string_pretty(&report.json)?;
    for (ending, text) in [("html", report.html), ("csv", report.csv), ("json", json)] {
        let mut output = OutputFile::create(arguments.output.with_extension(ending))?;
        output.write_all(text.as_bytes())?;
        output.finish()?;
    }
    context.say(format!("{}", arguments.output.display()));
    Ok(())
}

/// This program's own commands, each in a process of its own.
struct OwnProcesses {
    executable: PathBuf,
    threads: usize,
}

impl Commands for OwnProcesses {
    fn run(&self, arguments: &[String]) -> chiasm_report::Result<Answer> {
        let before = children_seconds();
        let failed = |reason: String| {
            let command = chiasm_report::classification::shown(arguments);
            chiasm_report::Error::Request(format!("{command}: {reason}"))
        };
        let output = Command::new(&self.executable)
            .args(["--quiet", "--threads", &self.threads.to_string()])
            .args(arguments)
            .output()
            .map_err(|error| failed(error.to_string()))?;
        if !output.status.success() {
            return Err(failed(
                String::from_utf8_lossy(&output.stderr).trim().into(),
            ));
        }
        let json = serde_json::from_slice(&output.stdout);
        Ok(Answer {
            json: json.map_err(|error| failed(error.to_string()))?,
            seconds: children_seconds() - before,
        })
    }
}

/// Processor time of the processes that have been waited for; 0 where the system does not say.
fn children_seconds() -> f64 {
    let Ok(stat) = std::fs::read_to_string("/proc/self/stat") else {
        return 0.0;
    };
    // The fields after the name, which stands in parentheses: 16 and 17 of all are the children's
    // user and system time in hundredths of a second.
    let Some((_, fields)) = stat.rsplit_once(") ") else {
        return 0.0;
    };
    let fields: Vec<&str> = fields.split(' ').collect();
    let ticks = |at: usize| {
        fields
            .get(at)
            .and_then(|f| f.parse::<f64>().ok())
            .unwrap_or(0.0)
    };
    (ticks(13) + ticks(14)) / 100.0
}
