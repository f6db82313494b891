//! Test sets: what every system of a design translates.

use super::Request;
use crate::{Error, Result};
use chiasm_train::normalise::Side;
use chiasm_train::{Cache, Plan, prepared_text};
use chiasm_work::Observer;
use std::path::PathBuf;
use std::str::FromStr;

/// The files of a test set.
#[derive(Clone, Debug, PartialEq)]
pub struct TestFiles {
    /// What it is called in tables.
    pub name: String,
    /// Source sentences.
    pub source: PathBuf,
    /// Sets of references.
    pub targets: Vec<PathBuf>,
}

/// As on the command line: a name, the source, one or more references, with commas between.
impl FromStr for TestFiles {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let mut parts = text.split(',').map(str::trim);
        let name = parts.next().unwrap_or_default().to_string();
        let mut files = parts.map(PathBuf::from);
        let source = files.next().unwrap_or_default();
        let targets: Vec<PathBuf> = files.collect();
        let nameless = |path: &PathBuf| path.as_os_str().is_empty();
        if name.is_empty()
            || nameless(&source)
            || targets.is_empty()
            || targets.iter().any(nameless)
        {
            return Err("NAME,SOURCE,REFERENCE expected, or more references".into());
        }
        Ok(TestFiles {
            name,
            source,
            targets,
        })
    }
}

/// How many sentences it has, as far as they can be counted.
pub fn sentences(files: &TestFiles) -> Result<usize> {
    Ok(chiasm_text::read_lines(&files.source)?.len())
}

/// A test set, normalised as the training text is.
pub struct TestSet {
    /// What it is called in tables.
    pub name: String,
    /// The source's file.
    pub file: PathBuf,
    /// Source sentences.
    pub source: Vec<String>,
    /// Sets of references.
    pub references: Vec<Vec<String>>,
}

/// Reads all test sets.
pub fn read(request: &Request, cache: &mut Cache, observer: &dyn Observer) -> Result<Vec<TestSet>> {
    let training = &request.training;
    let text = prepared_text(training, &Plan::new(training)?, cache, observer)?;
    let mut source = training.normaliser(Side::Source, &text)?;
    let mut target = training.normaliser(Side::Target, &text)?;
    let mut sets = Vec::new();
    for files in &request.tests {
        let lines = source.lines(&files.source)?;
        let name = files.source.display();
        if lines.is_empty() {
            return Err(Error::Request(format!("{name}: no sentences")));
        }
        let mut references = Vec::new();
        for path in &files.targets {
            let found = target.lines(path)?;
            if found.len() != lines.len() {
                let (path, found, expected) = (path.display(), found.len(), lines.len());
                let reason = format!("{path}: {found} lines, but {name} has {expected}");
                return Err(Error::Request(reason));
            }
            references.push(found);
        }
        sets.push(TestSet {
            name: files.name.clone(),
            file: files.source.clone(),
            source: lines,
            references,
        });
    }
    Ok(sets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_set_is_a_name_and_files() {
        let files: TestFiles = "news,a.ar,a.en0,a.en1".parse().unwrap();
        assert_eq!(files.name, "news");
        assert_eq!(files.source, PathBuf::from("a.ar"));
        assert_eq!(files.targets.len(), 2);
        for wrong in ["news", "news,a.ar", ",a,b", "news,,b", "news,a,"] {
            let said = wrong.parse::<TestFiles>().unwrap_err();
            assert!(said.contains("REFERENCE expected"), "{said}");
        }
    }
}
