//! From files to a task.

use super::{System, Task};
use crate::{Error, Result};
use chiasm_metrics::{Bleu, References, Tokenizer};
use chiasm_text::{read_lines, read_lines_beside};
use std::path::PathBuf;

/// What is compared with what; `-` is standard input.
#[derive(Clone, Debug)]
pub struct Files {
    /// Systems' output, a line a sentence.
    pub hypotheses: Vec<PathBuf>,
    /// Reference translations, at least one set.
    pub references: Vec<PathBuf>,
    /// Output that every hypothesis is tested against.
    pub baseline: Option<PathBuf>,
}

/// Lines that end as if tokenised before it is remarked on.
const SUSPICIOUS: usize = 100;

impl Task {
    /// Reads everything; all files must have equally many lines.
    pub fn read(files: &Files, bleu: Bleu, samples: usize, seed: u64) -> Result<Task> {
        let outputs = files.hypotheses.iter().chain(&files.baseline);
        let inputs = outputs.clone().chain(&files.references);
        if inputs.filter(|path| path.as_os_str() == "-").count() > 1 {
            let reason = "standard input can be read once only, but - is given more than once";
            return Err(Error::Request(reason.into()));
        }
        let [first, others @ ..] = files.references.as_slice() else {
            return Err(Error::Request("no references".into()));
        };
        let mut sets = vec![read_lines(first)?];
        let expected = sets[0].len();
        for path in others {
            sets.push(read_lines_beside(path, first, expected)?);
        }
        let references = References::new(sets)
            .map_err(|error| Error::Request(format!("{}: {error}", first.display())))?;
        let mut systems = Vec::new();
        for path in outputs {
            systems.push(System {
                name: path.display().to_string(),
                lines: read_lines_beside(path, first, expected)?,
            });
        }
        Ok(Task {
            references,
            systems,
            has_baseline: files.baseline.is_some(),
            bleu,
            samples,
            seed,
        })
    }

    /// What looks wrong: tokenising twice is the commonest mistake in reported BLEU scores.
    pub fn remarks(&self) -> Vec<String> {
        if self.bleu.tokenizer == Tokenizer::None {
            return Vec::new();
        }
        let suspicious = self.systems.iter().filter(|system| {
            let ends = system.lines.iter().filter(|line| line.ends_with(" ."));
            ends.count() >= SUSPICIOUS
        });
        let remark = |system: &System| {
            format!(
                "{}: many lines end in ` .`, as if tokenised; --tokenize none scores them as they are",
                system.name
            )
        };
        suspicious.map(remark).collect()
    }
}
