//! From files to a task.

use super::{Contender, System, Task};
use crate::{Error, Result};
use chiasm_metrics::{Bleu, References, Tokenizer};
use chiasm_text::{read_lines, read_lines_beside};
use std::path::{Path, PathBuf};

/// What is compared with what; `-` is standard input.
#[derive(Clone, Debug)]
pub struct Files {
    /// Systems' output, a line a sentence; of several runs of one system, the names with commas between.
    pub hypotheses: Vec<PathBuf>,
    /// Reference translations, at least one set.
    pub references: Vec<PathBuf>,
    /// Output that every hypothesis is tested against, of one run or several.
    pub baseline: Option<PathBuf>,
}

impl Files {
    /// Every file that is read.
    pub fn paths(&self) -> Vec<PathBuf> {
        let outputs = self.hypotheses.iter().chain(&self.baseline);
        let outputs = outputs.flat_map(|path| runs(path));
        outputs.chain(self.references.iter().cloned()).collect()
    }
}

/// The files of a system's runs: one, if there is one of that name.
fn runs(path: &Path) -> Vec<PathBuf> {
    match path.to_str() {
        Some(names) if names.contains(',') && !path.exists() => {
            names.split(',').map(PathBuf::from).collect()
        }
        _ => vec![path.to_path_buf()],
    }
}

/// Lines that end as if tokenised before it is remarked on.
const SUSPICIOUS: usize = 100;

/// Words that a line may have: the edits of TER are found in a table of as many rows and columns.
const MOST_WORDS: usize = 5000;

/// The lines of a file, if they can all be scored.
fn sentences(path: &Path, lines: Vec<String>) -> Result<Vec<String>> {
    let words = |line: &String| line.split_whitespace().count();
    // A word takes two bytes at least, so that most lines need not be counted.
    let long = |line: &&String| line.len() > MOST_WORDS && words(line) > MOST_WORDS;
    match lines.iter().find(long) {
        None => Ok(lines),
        Some(line) => {
            let number = lines.iter().take_while(|other| *other != line).count() as u64 + 1;
            let message = format!("at most {MOST_WORDS} words expected, {} found", words(line));
            Err(chiasm_text::Error::line(path, number, message).into())
        }
    }
}

impl Task {
    /// Reads everything; all files must have equally many lines.
    pub fn read(files: &Files, bleu: Bleu, samples: usize, seed: u64) -> Result<Task> {
        let outputs: Vec<Vec<PathBuf>> = files
            .hypotheses
            .iter()
            .chain(&files.baseline)
            .map(|path| runs(path))
            .collect();
        let nameless = outputs
            .iter()
            .position(|runs| runs.iter().any(|run| run.as_os_str().is_empty()));
        if let Some(place) = nameless {
            let named = files.hypotheses.iter().chain(&files.baseline).nth(place);
            let named = named.map_or(String::new(), |path| path.display().to_string());
            let reason = format!("'{named}': names of files with commas between expected");
            return Err(Error::Request(reason));
        }
        let inputs = outputs.iter().flatten().chain(&files.references);
        if inputs.filter(|path| path.as_os_str() == "-").count() > 1 {
            let reason = "standard input can be read once only, but - is given more than once";
            return Err(Error::Request(reason.into()));
        }
        let [first, others @ ..] = files.references.as_slice() else {
            return Err(Error::Request("no references".into()));
        };
        let mut sets = vec![sentences(first, read_lines(first)?)?];
        let expected = sets[0].len();
        for path in others {
            sets.push(sentences(path, read_lines_beside(path, first, expected)?)?);
        }
        let references = References::new(sets)
            .map_err(|error| Error::Request(format!("{}: {error}", first.display())))?;
        let (mut systems, mut contenders) = (Vec::new(), Vec::new());
        for paths in &outputs {
            let begin = systems.len();
            for path in paths {
                systems.push(System {
                    name: path.display().to_string(),
                    lines: sentences(path, read_lines_beside(path, first, expected)?)?,
                });
            }
            let names: Vec<&str> = systems[begin..].iter().map(|run| &*run.name).collect();
            contenders.push(Contender {
                name: names.join(","),
                runs: (begin..systems.len()).collect(),
            });
        }
        Ok(Task {
            references,
            systems,
            contenders,
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
