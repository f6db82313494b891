//! The parallel text to learn from.

use crate::Result;
use chiasm_text::TextOutput;
use chiasm_train::{Input, Raw};
use std::path::{Path, PathBuf};

/// Sentence pairs: two files, tab-separated columns, a translation memory, or what a program has in memory. Tokenised
/// (words between spaces), unless [`languages`](ParallelText::languages) says how to tokenise it.
#[derive(Clone, Debug)]
pub struct ParallelText {
    origin: Origin,
    development: Option<(PathBuf, Vec<PathBuf>)>,
    languages: Option<(String, String)>,
}

#[derive(Clone, Debug)]
enum Origin {
    Given(Input),
    Sentences(Vec<(String, String)>),
}

impl ParallelText {
    /// Two files, a sentence a line; plain or compressed.
    pub fn lines(source: impl Into<PathBuf>, target: impl Into<PathBuf>) -> Self {
        ParallelText::of(Input::Lines {
            source: source.into(),
            target: target.into(),
            links: None,
        })
    }

    /// Two columns of a tab-separated file, counted from 0.
    pub fn columns(file: impl Into<PathBuf>, columns: [usize; 2]) -> Self {
        ParallelText::of(Input::TabSeparated {
            file: file.into(),
            columns,
        })
    }

    /// Two languages of a TMX file.
    pub fn translation_memory(file: impl Into<PathBuf>, source: &str, target: &str) -> Self {
        let languages = (source.to_string(), target.to_string());
        let input = Input::TranslationMemory {
            file: file.into(),
            languages,
        };
        ParallelText::of(input).languages(source, target)
    }

    /// Pairs that are in memory.
    pub fn sentences<S: Into<String>, T: Into<String>>(
        pairs: impl IntoIterator<Item = (S, T)>,
    ) -> Self {
        let pairs = pairs.into_iter().map(|(s, t)| (s.into(), t.into()));
        ParallelText {
            origin: Origin::Sentences(pairs.collect()),
            development: None,
            languages: None,
        }
    }

    fn of(input: Input) -> Self {
        ParallelText {
            origin: Origin::Given(input),
            development: None,
            languages: None,
        }
    }

    /// The text is raw: tokenise it as these languages are (en, de, ar, ja, ...).
    pub fn languages(mut self, source: &str, target: &str) -> Self {
        self.languages = Some((source.into(), target.into()));
        self
    }

    /// The word alignment of exactly these lines; only for tokenised files of lines.
    pub fn links(mut self, file: impl Into<PathBuf>) -> Self {
        if let Origin::Given(Input::Lines { links, .. }) = &mut self.origin {
            *links = Some(file.into());
        }
        self
    }

    /// A development set with one or more references; without it, one is cut from the text.
    pub fn development(
        mut self,
        source: impl Into<PathBuf>,
        targets: impl IntoIterator<Item = impl Into<PathBuf>>,
    ) -> Self {
        let targets = targets.into_iter().map(Into::into).collect();
        self.development = Some((source.into(), targets));
        self
    }

    /// As files; what is in memory is written into `folder`.
    pub(crate) fn as_files(&self, folder: &Path) -> Result<Raw> {
        let input = match &self.origin {
            Origin::Given(input) => input.clone(),
            Origin::Sentences(pairs) => {
                let [source, target] = [folder.join("given.source"), folder.join("given.target")];
                write(&source, pairs.iter().map(|pair| pair.0.as_str()))?;
                write(&target, pairs.iter().map(|pair| pair.1.as_str()))?;
                Input::Lines {
                    source,
                    target,
                    links: None,
                }
            }
        };
        Ok(Raw {
            input,
            dev: self.development.clone(),
            languages: self.languages.clone(),
        })
    }
}

/// A sentence a line, whatever it contains.
fn write<'a>(path: &Path, lines: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut output = TextOutput::create(path)?;
    for line in lines {
        output.write_text(line.replace(['\n', '\r'], " ").as_bytes())?;
        output.write_text(b"\n")?;
    }
    Ok(output.finish()?)
}
