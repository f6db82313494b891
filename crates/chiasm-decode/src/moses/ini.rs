//! The frame of `moses.ini`: sections in brackets, each with lines.

use crate::{Error, Result};
use chiasm_text::Lines;
use std::path::{Path, PathBuf};

/// A line and where it stood.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub number: u64,
    pub text: String,
}

/// A section with its lines; comments and empty lines are gone.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub name: String,
    pub number: u64,
    pub lines: Vec<Line>,
}

/// A parsed `moses.ini`.
#[derive(Clone, Debug)]
pub(super) struct Ini {
    pub path: PathBuf,
    pub sections: Vec<Section>,
}

impl Ini {
    pub fn read(path: &Path) -> Result<Self> {
        let mut lines = Lines::open(path)?;
        let mut sections: Vec<Section> = Vec::new();
        while let Some(line) = lines.next_line()? {
            let text = line.split('#').next().unwrap_or("").trim().to_string();
            if text.is_empty() {
                continue;
            }
            let number = lines.number();
            if let Some(name) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
                sections.push(Section {
                    name: name.to_string(),
                    number,
                    lines: Vec::new(),
                });
                continue;
            }
            match sections.last_mut() {
                Some(section) => section.lines.push(Line { number, text }),
                None => {
                    let expected = "a section in brackets expected before the first value";
                    return Err(lines.error(expected).into());
                }
            }
        }
        Ok(Ini {
            path: path.to_path_buf(),
            sections,
        })
    }

    pub fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.name == name)
    }

    pub fn error(&self, number: u64, message: impl Into<String>) -> Error {
        Error::Text(chiasm_text::Error::line(&self.path, number, message))
    }

    pub fn unsupported(&self, number: u64, what: impl Into<String>) -> Error {
        Error::Unsupported {
            path: self.path.clone(),
            line: number,
            what: what.into(),
        }
    }

    /// The only value of a section, if the section is there.
    pub fn value<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>> {
        let Some(section) = self.section(name) else {
            return Ok(None);
        };
        let Some(line) = section.lines.first() else {
            return Err(self.error(section.number, format!("a value expected in [{name}]")));
        };
        match line.text.parse() {
            Ok(value) => Ok(Some(value)),
            Err(_) => Err(self.error(
                line.number,
                format!("a number expected in [{name}], {:?} found", line.text),
            )),
        }
    }

    /// All numbers of a section.
    pub fn numbers(&self, name: &str) -> Result<Vec<f32>> {
        let mut numbers = Vec::new();
        for line in self.section(name).iter().flat_map(|section| &section.lines) {
            for text in line.text.split_whitespace() {
                numbers.push(self.number(line.number, text)?);
            }
        }
        Ok(numbers)
    }

    pub fn number(&self, line: u64, text: &str) -> Result<f32> {
        let parsed = text.parse().ok().filter(|value: &f32| value.is_finite());
        parsed.ok_or_else(|| self.error(line, format!("a number expected, {text:?} found")))
    }

    /// The file that the ini means: beside the ini or in the current folder, with or without a
    /// compression ending.
    pub fn find_file(&self, number: u64, name: &str) -> Result<PathBuf> {
        let beside = self.path.parent().unwrap_or(Path::new("")).join(name);
        for base in [beside, PathBuf::from(name)] {
            for ending in ["", ".gz", ".xz", ".zst", ".bz2"] {
                let mut candidate = base.clone().into_os_string();
                candidate.push(ending);
                let candidate = PathBuf::from(candidate);
                if candidate.is_file() {
                    return Ok(candidate);
                }
            }
        }
        Err(self.error(number, format!("{name}: no such file")))
    }
}
