//! Runs the program's own commands, one after another in processes of their own, so that time and
//! peak memory are those of the command that stands beside each figure.

use crate::context::Context;
use anyhow::{Context as _, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A word-aligned corpus.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Corpus {
    /// Source text.
    pub source: PathBuf,
    /// Target text.
    pub target: PathBuf,
    /// Links.
    pub links: PathBuf,
}

impl Corpus {
    fn options(&self) -> Vec<String> {
        let show = |path: &Path| path.display().to_string();
        vec![
            "--source".into(),
            show(&self.source),
            "--target".into(),
            show(&self.target),
            "--links".into(),
            show(&self.links),
        ]
    }
}

/// A model that was trained and scored.
#[derive(Clone)]
pub struct Run {
    /// What was trained.
    pub label: String,
    /// The two commands.
    pub commands: [String; 2],
    /// What `reorder train --json` said.
    pub training: Value,
    /// What `reorder evaluate --json` said.
    pub test: Value,
    /// Processor seconds of the whole command, reading and extraction included.
    pub total_seconds: f64,
}

impl Run {
    /// A number that training reported.
    pub fn training(&self, key: &str) -> f64 {
        self.training[key].as_f64().unwrap_or(f64::NAN)
    }

    /// A number that scoring reported.
    pub fn test(&self, key: &str) -> f64 {
        self.test[key].as_f64().unwrap_or(f64::NAN)
    }

    /// Error in per cent.
    pub fn error(&self) -> f64 {
        100.0 * self.test("error")
    }

    /// Accuracy in per cent.
    pub fn accuracy(&self) -> f64 {
        100.0 * self.test("accuracy")
    }

    /// Precision, recall or F1 of a class.
    pub fn of_class(&self, class: &str, key: &str) -> f64 {
        self.test["classes"][class][key]
            .as_f64()
            .unwrap_or(f64::NAN)
    }
}

/// Runs commands and remembers what they said.
pub struct Runner<'a> {
    executable: PathBuf,
    /// Where models go.
    pub folder: PathBuf,
    threads: usize,
    context: &'a Context,
    done: BTreeMap<String, Run>,
    number: usize,
}

impl<'a> Runner<'a> {
    /// Models go to `folder`.
    pub fn new(folder: PathBuf, context: &'a Context) -> anyhow::Result<Self> {
        Ok(Runner {
            executable: std::env::current_exe()?,
            folder,
            threads: context.threads,
            context,
            done: BTreeMap::new(),
            number: 0,
        })
    }

    /// All runs so far.
    pub fn runs(&self) -> impl Iterator<Item = &Run> {
        self.done.values()
    }

    /// Trains on one corpus and scores on another; the same command is run once only.
    pub fn train(
        &mut self,
        training: &Corpus,
        test: &Corpus,
        options: &[&str],
    ) -> anyhow::Result<Run> {
        let options: Vec<String> = options.iter().map(ToString::to_string).collect();
        let key = [training.options(), test.options(), options.clone()]
            .concat()
            .join(" ");
        if let Some(run) = self.done.get(&key) {
            return Ok(run.clone());
        }
        self.number += 1;
        let label = options.join(" ");
        self.context.say(format!("{:>3}. {label}", self.number));
        let model = self.folder.join(format!("{:03}.model", self.number));
        let model_name = model.display().to_string();
        let mut train = vec!["reorder".to_string(), "train".into()];
        train.extend(training.options());
        train.extend(options);
        train.extend(["-o".into(), model_name.clone(), "--json".into()]);
        let before = children_seconds();
        let trained = self.run(&train)?;
        let total_seconds = children_seconds() - before;
        let mut evaluate = vec![
            "reorder".to_string(),
            "evaluate".into(),
            "--model".into(),
            model_name,
        ];
        evaluate.extend(test.options());
        evaluate.push("--json".into());
        let scored = self.run(&evaluate)?;
        std::fs::remove_file(&model).with_context(|| model.display().to_string())?;
        let run = Run {
            label,
            commands: [shown(&train), shown(&evaluate)],
            training: trained,
            test: scored,
            total_seconds,
        };
        self.done.insert(key, run.clone());
        Ok(run)
    }

    /// Runs a command that prints JSON.
    pub fn run(&self, arguments: &[String]) -> anyhow::Result<Value> {
        let output = Command::new(&self.executable)
            .args(["--quiet", "--threads", &self.threads.to_string()])
            .args(arguments)
            .output()
            .with_context(|| self.executable.display().to_string())?;
        if !output.status.success() {
            let complaint = String::from_utf8_lossy(&output.stderr);
            bail!("{}: {}", shown(arguments), complaint.trim());
        }
        serde_json::from_slice(&output.stdout).with_context(|| shown(arguments))
    }
}

/// A command as one would type it.
pub fn shown(arguments: &[String]) -> String {
    let quoted = arguments.iter().map(|argument| {
        let plain = |c: char| c.is_alphanumeric() || "-_./=+:,".contains(c);
        if argument.chars().all(plain) {
            argument.clone()
        } else {
            format!("'{argument}'")
        }
    });
    format!("chiasm {}", quoted.collect::<Vec<_>>().join(" "))
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
