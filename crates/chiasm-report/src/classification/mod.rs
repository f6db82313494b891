//! The papers' tables and figures of classification, on any word-aligned corpus.

mod additions;
mod beyond;
mod claims;
mod equal_loss;
mod experiments;
mod facts;
mod feature_sets;
mod growth;
mod interval;
mod logistic;
mod naive_bayes;
mod papers;
mod processes;
mod runner;
mod split;
mod worked_example;

use crate::{Error, Result};
use chiasm_learn::Strength;
use chiasm_page::Report;
use chiasm_work::Observer;
pub use processes::OwnProcesses;
pub use runner::{Answer, Commands, Corpus, Run, shown};
use std::path::PathBuf;

/// What is asked for.
pub struct Request {
    /// What is learned from.
    pub training: Corpus,
    /// What is scored on.
    pub test: Corpus,
    /// Cost of a unit of slack of the SVM.
    pub c: Strength,
    /// Variance of the prior of MaxEnt.
    pub sigma2: Strength,
    /// Relative duality gap at which training ends.
    pub gap: f64,
    /// Learn from so many sentence pairs at most, spread over the training text.
    pub pairs: Option<u64>,
    /// Where these go, a name without its ending.
    pub sample: PathBuf,
    /// Fewer sets, sizes and repeats?
    pub quick: bool,
    /// Where models and parts of the corpus go.
    pub folder: PathBuf,
    /// The program and its version, as the page names it.
    pub made_by: String,
    /// The day, as the page names it.
    pub date: String,
}

impl Request {
    fn check(&self) -> Result<()> {
        let fixed = |strength| match strength {
            Strength::Fixed(number) => number,
            Strength::Auto => 1.0,
        };
        for (name, value) in [
            ("--c", fixed(self.c)),
            ("--sigma2", fixed(self.sigma2)),
            ("--gap", self.gap),
        ] {
            if !(value.is_finite() && value > 0.0) {
                let reason = format!("{name} {value}: a positive number is expected");
                return Err(Error::Request(reason));
            }
        }
        Ok(())
    }
}

/// Measures.
pub fn report(
    request: Request,
    commands: &dyn Commands,
    observer: &dyn Observer,
) -> Result<Report> {
    request.check()?;
    let total = split::count(&request.training)?;
    let training = match request.pairs.filter(|&pairs| pairs < total) {
        Some(pairs) => split::spread(&request.training, &request.sample, pairs, total)?,
        None => request.training,
    };
    let mut experiments = experiments::Experiments {
        runner: runner::Runner::new(request.folder, commands, observer),
        training,
        total,
        test: request.test,
        c: request.c.to_string(),
        sigma2: request.sigma2.to_string(),
        gap: request.gap.to_string(),
        quick: request.quick,
        made_by: request.made_by,
        date: request.date,
    };
    experiments.settle_strengths()?;
    let items = experiments.all()?;
    let introduction = "Models of orientation trained on the training links and scored on the test \
        links. What the papers print stands beside what was measured here; their corpora are others, so \
        the figures compare in kind, not in value. Claims are in bold where they hold here. Seconds are processor time; training alone, and with \
        reading, extraction and counting in brackets.";
    let runs: Vec<&Run> = experiments.runner.runs().collect();
    Ok(Report {
        html: chiasm_page::html("How well orientations are told apart", introduction, &items),
        csv: csv(&runs),
        json: serde_json::json!({
            "items": chiasm_page::as_json(&items),
            "runs": runs.iter().map(|run| serde_json::json!({
                "label": run.label, "commands": run.commands, "training": run.training,
                "test": run.test, "total_cpu_seconds": run.total_seconds,
            })).collect::<Vec<_>>(),
        }),
    })
}

fn csv(runs: &[&Run]) -> String {
    let mut text = String::from(
        "options,examples,features,parameters,accuracy,error,log_loss,train_cpu_seconds,total_cpu_seconds,\
         peak_memory_bytes,model_bytes,relative_gap,iterations,train_command,evaluate_command\n",
    );
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    for run in runs {
        let mut cells = vec![quoted(&run.label)];
        for key in ["examples", "features", "parameters"] {
            cells.push(run.training[key].to_string());
        }
        for key in ["accuracy", "error", "log_loss"] {
            cells.push(run.test[key].to_string());
        }
        cells.push(run.training["cpu_seconds"].to_string());
        cells.push(run.total_seconds.to_string());
        for key in [
            "peak_memory_bytes",
            "model_bytes",
            "relative_gap",
            "iterations",
        ] {
            cells.push(run.training[key].to_string());
        }
        cells.extend(run.commands.iter().map(|command| quoted(command)));
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    text
}
