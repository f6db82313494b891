//! Models that are trained and scored, each once. Whoever asks for a report says how a command is run: in a process
//! of its own, time and peak memory are those of the command that stands beside each figure.

use super::interval::Sentences;
use crate::Result;
use chiasm_work::Observer;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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
    /// The same of each sentence pair.
    pub sentences: Sentences,
    /// Processor seconds of the whole command, reading and extraction included.
    pub total_seconds: f64,
    /// Processor seconds of the command that scored it.
    pub scoring_seconds: f64,
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

/// What a command said, and its processor seconds, reading and extraction included.
pub struct Answer {
    /// Its JSON.
    pub json: Value,
    /// Seconds.
    pub seconds: f64,
}

/// Someone who runs commands of `chiasm` that print JSON.
pub trait Commands {
    /// Runs one.
    fn run(&self, arguments: &[String]) -> Result<Answer>;
}

/// Runs commands and remembers what they said.
pub struct Runner<'a> {
    commands: &'a dyn Commands,
    /// Where models go.
    pub folder: PathBuf,
    observer: &'a dyn Observer,
    done: BTreeMap<String, Run>,
    number: usize,
}

impl<'a> Runner<'a> {
    /// Models go to `folder`.
    pub fn new(folder: PathBuf, commands: &'a dyn Commands, observer: &'a dyn Observer) -> Self {
        Runner {
            commands,
            folder,
            observer,
            done: BTreeMap::new(),
            number: 0,
        }
    }

    /// All runs so far.
    pub fn runs(&self) -> impl Iterator<Item = &Run> {
        self.done.values()
    }

    /// Trains on one corpus and scores on another; the same command is run once only.
    pub fn train(&mut self, training: &Corpus, test: &Corpus, options: &[&str]) -> Result<Run> {
        let options: Vec<String> = options.iter().map(ToString::to_string).collect();
        let key = [training.options(), test.options(), options.clone()]
            .concat()
            .join(" ");
        if let Some(run) = self.done.get(&key) {
            return Ok(run.clone());
        }
        self.number += 1;
        let label = options.join(" ");
        self.observer.say(&format!("{:>3}. {label}", self.number));
        let model = self.folder.join(format!("{:03}.model", self.number));
        let model_name = model.display().to_string();
        let mut train = vec!["reorder".to_string(), "train".into()];
        train.extend(training.options());
        train.extend(options);
        train.extend(["-o".into(), model_name.clone(), "--json".into()]);
        let trained = self.commands.run(&train)?;
        let mut evaluate = vec![
            "reorder".to_string(),
            "evaluate".into(),
            "--model".into(),
            model_name,
        ];
        evaluate.extend(test.options());
        evaluate.extend(["--json".into(), "--sentences".into()]);
        let mut scored = self.commands.run(&evaluate)?;
        let sentences = scored.json["sentences"].take();
        let numbers = |key: &str| {
            let list = sentences[key].as_array().into_iter().flatten();
            list.filter_map(Value::as_f64).collect()
        };
        std::fs::remove_file(&model).map_err(|e| chiasm_store::Error::io(&model, e))?;
        let run = Run {
            label,
            commands: [shown(&train), shown(&evaluate)],
            training: trained.json,
            test: scored.json,
            sentences: Sentences {
                examples: numbers("examples"),
                right: numbers("right"),
            },
            total_seconds: trained.seconds,
            scoring_seconds: scored.seconds,
        };
        self.done.insert(key, run.clone());
        Ok(run)
    }

    /// Runs a command that prints JSON.
    pub fn run(&self, arguments: &[String]) -> Result<Value> {
        Ok(self.commands.run(arguments)?.json)
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
