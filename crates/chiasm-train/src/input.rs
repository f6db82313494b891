//! Where sentence pairs come from: two files side by side, tab-separated columns, or a translation
//! memory.

use crate::{Error, Result};
use chiasm_text::{Lines, TabSeparated, TranslationMemory};
use std::path::{Path, PathBuf};

/// The training text as it was given.
#[derive(Clone, Debug)]
pub enum Input {
    /// A sentence a line in two files.
    Lines {
        /// Source text.
        source: PathBuf,
        /// Target text.
        target: PathBuf,
        /// Word alignment of exactly these lines, if it is known.
        links: Option<PathBuf>,
    },
    /// Two columns of one file, counted from 0.
    TabSeparated {
        /// The file.
        file: PathBuf,
        /// Source and target column.
        columns: [usize; 2],
    },
    /// A TMX file.
    TranslationMemory {
        /// The file.
        file: PathBuf,
        /// The languages to take from it.
        languages: (String, String),
    },
}

impl Input {
    /// The files, that with the source text first.
    pub fn files(&self) -> Vec<&Path> {
        match self {
            Input::Lines {
                source,
                target,
                links,
            } => {
                let mut files = vec![source.as_path(), target.as_path()];
                files.extend(links.as_deref());
                files
            }
            Input::TabSeparated { file, .. } | Input::TranslationMemory { file, .. } => {
                vec![file.as_path()]
            }
        }
    }

    /// For messages.
    pub fn name(&self) -> String {
        self.files()[0].display().to_string()
    }

    /// Is the word alignment given?
    pub fn has_links(&self) -> bool {
        matches!(self, Input::Lines { links: Some(_), .. })
    }

    /// What beside the files' contents decides what is read.
    pub fn manner(&self) -> String {
        match self {
            Input::Lines { links, .. } => format!("lines {}", links.is_some()),
            Input::TabSeparated { columns, .. } => format!("columns {columns:?}"),
            Input::TranslationMemory { languages, .. } => format!("tmx {languages:?}"),
        }
    }
}

/// A pair as it was read.
#[derive(Default)]
pub struct RawPair {
    /// Source sentence.
    pub source: String,
    /// Target sentence.
    pub target: String,
    /// Its links, if they are given.
    pub links: String,
}

/// What came next.
pub enum Next {
    /// A pair.
    Pair(RawPair),
    /// A pair of which a side is no UTF-8, and what is wrong with it.
    Invalid(chiasm_text::Error),
    /// Nothing.
    End,
}

/// Reads pairs.
pub enum PairReader {
    /// See [`Input::Lines`].
    Lines(Box<[Lines; 2]>, Option<Box<Lines>>),
    /// See [`Input::TabSeparated`].
    TabSeparated(Box<TabSeparated>),
    /// See [`Input::TranslationMemory`].
    TranslationMemory(Box<TranslationMemory>),
}

impl PairReader {
    /// Opens the files.
    pub fn open(input: &Input) -> chiasm_text::Result<Self> {
        Ok(match input {
            Input::Lines {
                source,
                target,
                links,
            } => {
                let links = links.as_ref().map(Lines::open).transpose()?;
                let both = [Lines::open(source)?, Lines::open(target)?];
                PairReader::Lines(Box::new(both), links.map(Box::new))
            }
            Input::TabSeparated { file, columns } => {
                PairReader::TabSeparated(Box::new(TabSeparated::open(file, *columns)?))
            }
            Input::TranslationMemory {
                file,
                languages: (source, target),
            } => PairReader::TranslationMemory(Box::new(TranslationMemory::open(
                file, source, target,
            )?)),
        })
    }

    /// The next pair.
    pub fn next_pair(&mut self) -> Result<Next> {
        match self {
            PairReader::Lines(both, links) => next_lines(both, links.as_deref_mut()),
            PairReader::TabSeparated(file) => {
                let mut pair = RawPair::default();
                Ok(match file.next_pair(&mut pair.source, &mut pair.target)? {
                    true => Next::Pair(pair),
                    false => Next::End,
                })
            }
            PairReader::TranslationMemory(file) => Ok(match file.next_pair()? {
                Some((source, target)) => Next::Pair(RawPair {
                    source: one_line(source),
                    target: one_line(target),
                    links: String::new(),
                }),
                None => Next::End,
            }),
        }
    }
}

/// Segments of a translation memory may have line breaks; sentences do not.
fn one_line(text: String) -> String {
    text.replace(['\n', '\r', '\t'], " ")
}

fn next_lines(both: &mut [Lines; 2], links: Option<&mut Lines>) -> Result<Next> {
    let [source, target] = both;
    let first = source.next_bytes()?.map(<[u8]>::to_vec);
    let second = target.next_bytes()?.map(<[u8]>::to_vec);
    let has_links = links.is_some();
    let mut third = None;
    if let Some(links) = links {
        third = links.next_line()?.map(str::to_string);
        if first.is_some() != third.is_some() && first.is_some() == second.is_some() {
            return Err(unequal(source, links, first.is_some()));
        }
    }
    match (first, second) {
        (Some(first), Some(second)) => {
            let source = match source.checked(first) {
                Ok(text) => text,
                Err(error) => return Ok(Next::Invalid(error)),
            };
            let target = match target.checked(second) {
                Ok(text) => text,
                Err(error) => return Ok(Next::Invalid(error)),
            };
            debug_assert_eq!(third.is_some(), has_links);
            Ok(Next::Pair(RawPair {
                source,
                target,
                links: third.unwrap_or_default(),
            }))
        }
        (None, None) => Ok(Next::End),
        (first, _) => Err(unequal(source, target, first.is_some())),
    }
}

fn unequal(first: &Lines, second: &Lines, first_goes_on: bool) -> Error {
    let (long, short) = if first_goes_on {
        (first, second)
    } else {
        (second, first)
    };
    Error::Request(format!(
        "{}: the file ends after line {}, but {} has more lines",
        short.path().display(),
        short.number(),
        long.path().display()
    ))
}
