//! What was typed as outputs and inputs, for the one check that stands before the work.

use super::corpus_options::CorpusOptions;
use std::path::{Path, PathBuf};

/// What `Lexicon::write` adds to its prefix.
pub const LEXICON: [&str; 2] = [".f2e", ".e2f"];

/// An argument that names no file, one or many.
pub trait Paths {
    /// The files.
    fn paths(&self) -> Vec<&Path>;
}

impl Paths for PathBuf {
    fn paths(&self) -> Vec<&Path> {
        vec![self]
    }
}

impl Paths for Option<PathBuf> {
    fn paths(&self) -> Vec<&Path> {
        self.as_deref().into_iter().collect()
    }
}

impl Paths for Vec<PathBuf> {
    fn paths(&self) -> Vec<&Path> {
        self.iter().map(PathBuf::as_path).collect()
    }
}

impl Paths for CorpusOptions {
    fn paths(&self) -> Vec<&Path> {
        vec![&self.source, &self.target, &self.links]
    }
}

/// The files that a prefix stands for.
pub fn with_endings(prefix: &Option<PathBuf>, endings: &[&str]) -> Vec<PathBuf> {
    let Some(prefix) = prefix else {
        return Vec::new();
    };
    let name = |ending: &&str| {
        let mut name = prefix.as_os_str().to_owned();
        name.push(ending);
        name.into()
    };
    endings.iter().map(name).collect()
}

/// Can every output be written, and does none replace an input or another output?
pub fn check(outputs: &[&dyn Paths], inputs: &[&dyn Paths]) -> anyhow::Result<()> {
    let all = |arguments: &[&dyn Paths]| -> Vec<PathBuf> {
        let paths = arguments.iter().flat_map(|argument| argument.paths());
        paths.map(Path::to_path_buf).collect()
    };
    let (outputs, inputs) = (all(outputs), all(inputs));
    Ok(chiasm_store::check_outputs(&outputs, &inputs)?)
}
