//! From text as people write it to the text that models are trained on.

use crate::cache::Stage;
use crate::settings::TextSettings;
use crate::{Error, Result};
use chiasm_decode::Case;
use chiasm_text::{Lines, Tokenizer, Truecaser};
use std::path::{Path, PathBuf};

/// A side of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// What is translated from.
    Source,
    /// What is translated into.
    Target,
}

impl Side {
    /// Where the text stage keeps how the words of this side are written.
    pub fn casing_file(self) -> &'static str {
        match self {
            Side::Source => "source.casing",
            Side::Target => "target.casing",
        }
    }

    fn of(self, languages: &(String, String)) -> &str {
        match self {
            Side::Source => &languages.0,
            Side::Target => &languages.1,
        }
    }
}

/// Tokenises and recases, or leaves ready text as it is.
pub struct Normaliser {
    tokenizer: Option<Tokenizer>,
    lowercases: bool,
    truecaser: Option<Truecaser>,
}

impl Normaliser {
    /// Tokenises text in known languages, and lower-cases it if that is asked; words are not yet
    /// recased.
    pub fn new(languages: Option<&(String, String)>, side: Side, case: Case) -> Self {
        Normaliser {
            tokenizer: languages.map(|both| Tokenizer::new(side.of(both))),
            lowercases: case == Case::Lower,
            truecaser: None,
        }
    }

    /// Recases, too.
    pub fn with_casing(self, truecaser: Truecaser) -> Self {
        Normaliser {
            truecaser: Some(truecaser),
            ..self
        }
    }

    /// As the training text of a finished text stage was normalised.
    pub fn of_stage(
        languages: Option<&(String, String)>,
        side: Side,
        settings: &TextSettings,
        text: &Stage,
    ) -> Result<Self> {
        let case = settings.case.case(languages.is_none());
        let normaliser = Normaliser::new(languages, side, case);
        Ok(match case {
            Case::Truecased => normaliser.with_casing(read_casing(&text.file(side.casing_file()))?),
            _ => normaliser,
        })
    }

    /// One line.
    pub fn line(&mut self, line: &str) -> String {
        let tokens = match &mut self.tokenizer {
            None => line.to_string(),
            Some(tokenizer) => tokenizer.tokenize(line),
        };
        match &self.truecaser {
            Some(truecaser) => truecaser.truecase(&tokens),
            None if self.lowercases => tokens.to_lowercase(),
            None => tokens,
        }
    }

    /// All lines of a file.
    pub fn lines(&mut self, path: &Path) -> Result<Vec<String>> {
        let mut lines = Lines::open(path)?;
        let mut all = Vec::new();
        while let Some(line) = lines.next_line()? {
            all.push(self.line(line));
        }
        Ok(all)
    }
}

/// Reads what the text stage wrote.
pub fn read_casing(path: &PathBuf) -> Result<Truecaser> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(path, error))?;
    Ok(Truecaser::from_text(&text))
}
