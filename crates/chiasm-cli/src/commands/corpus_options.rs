//! Options that commands on word-aligned corpora share.

use super::learner_options::one_of;
use chiasm_phrases::{AlignedFiles, Extraction, ForwardRule, OrientationKind};
use chiasm_reorder::recipe::LONGEST_PHRASE;
use chiasm_work::MemorySize;
use clap::Args;
use std::path::{Path, PathBuf};

/// A word-aligned parallel corpus.
#[derive(Args, Clone)]
pub struct CorpusOptions {
    /// Source text, a sentence a line, tokens between spaces.
    #[arg(long, value_name = "FILE")]
    pub source: PathBuf,
    /// Target text.
    #[arg(long, value_name = "FILE")]
    pub target: PathBuf,
    /// Word alignment, a line a pair: 0-0 1-2 ...
    #[arg(long, value_name = "FILE")]
    pub links: PathBuf,
}

impl CorpusOptions {
    /// The three paths.
    pub fn paths(&self) -> [&Path; 3] {
        [&self.source, &self.target, &self.links]
    }

    /// The three files.
    pub fn files(&self) -> AlignedFiles {
        AlignedFiles {
            source: self.source.clone(),
            target: self.target.clone(),
            links: self.links.clone(),
        }
    }
}

/// How phrase pairs are found.
#[derive(Args, Clone)]
pub struct ExtractionOptions {
    /// The longest phrase, in words, on either side.
    #[arg(long, value_name = "N", default_value_t = LONGEST_PHRASE as u8, value_parser = clap::value_parser!(u8).range(1..=200))]
    pub max_length: u8,
    /// Which blocks the forward orientation of phrase and hier looks at: those that end at the next target word, as
    /// Moses has it, or those that start there, the mirror image of the backward rule.
    #[arg(long, default_value = "moses", value_parser = one_of::<ForwardRule>(["moses", "exact"]))]
    pub forward_rule: ForwardRule,
}

impl ExtractionOptions {
    /// Checked.
    pub fn extraction(&self, kind: OrientationKind) -> Extraction {
        Extraction {
            max_length: self.max_length.into(),
            kind,
            forward_rule: self.forward_rule,
        }
    }
}

/// How much memory counting may take, and where the rest goes.
#[derive(Args, Clone)]
pub struct BudgetOptions {
    /// Memory for counting; what does not fit is sorted on disk. The result does not depend on it.
    #[arg(long, value_name = "SIZE", default_value = "4G")]
    pub memory: MemorySize,
    /// Where temporary files go [default: the folder of the output].
    #[arg(long, value_name = "DIR")]
    pub temporary: Option<PathBuf>,
}

impl BudgetOptions {
    /// The budget.
    pub fn bytes(&self) -> usize {
        self.memory.bytes()
    }

    /// The folder for temporary files: beside `output`, if that is or will be a file.
    pub fn folder(&self, output: &Path) -> PathBuf {
        if let Some(folder) = &self.temporary {
            return folder.clone();
        }
        let device = output.as_os_str() == "-" || (output.exists() && !output.is_file());
        match output.parent() {
            _ if device => std::env::temp_dir(),
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
            _ => ".".into(),
        }
    }
}
