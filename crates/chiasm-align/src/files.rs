//! From text files to files of links: estimate a model and align, or align with a saved one.

use crate::bitext::{Bitext, JOINED_EXPECTED, split_joined};
use crate::links::LinkSettings;
use crate::model::Model;
use crate::outputs::{LinkCounts, LinkFiles, LinkWriter};
use crate::settings::{Preset, Settings};
use crate::train::{passes, train};
use crate::{Result, align_corpus, align_texts};
use chiasm_text::{Batch, Lines, ParallelLines, tokens};
use chiasm_work::{MemorySize, Observer};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Text to align, and where the links go.
#[derive(Clone, Debug)]
pub struct AlignRequest {
    /// Source and target text; without, lines `source ||| target` of standard input.
    pub texts: Option<[PathBuf; 2]>,
    /// How posterior probabilities become links.
    pub settings: LinkSettings,
    /// Where links go.
    pub outputs: LinkFiles,
    /// By which model.
    pub model: ModelSource,
}

/// Where the model comes from.
#[derive(Clone, Debug)]
pub enum ModelSource {
    /// A saved one.
    Saved(PathBuf),
    /// Estimated on the text itself.
    Estimated(Estimation),
}

/// How a model is estimated; what is none is as the preset has it.
#[derive(Clone, Debug)]
pub struct Estimation {
    /// The model and the effort.
    pub preset: Preset,
    /// The same seed gives the same links.
    pub seed: u64,
    /// About how much memory it may take.
    pub memory: MemorySize,
    /// The share of words without a counterpart, a priori.
    pub null_probability: Option<f32>,
    /// Passes over the corpus.
    pub passes: Option<u32>,
    /// Independent samplers.
    pub samplers: Option<u32>,
    /// Where the model is saved.
    pub save: Option<PathBuf>,
}

/// What aligning brought.
#[derive(Clone, Debug)]
pub struct Aligned {
    /// What was written.
    pub counts: LinkCounts,
    /// Of a model that was estimated: on how many sentence pairs, in how many passes.
    pub estimated: Option<(usize, u64)>,
    /// Of a model that was saved: the size of its file.
    pub model_bytes: Option<u64>,
}

impl Aligned {
    /// For machines.
    pub fn json(&self) -> Value {
        let mut summary = json!({
            "pairs": self.counts.pairs,
            "links": self.counts.links,
            "words": self.counts.words,
            "unaligned_share": self.counts.unaligned_share(),
        });
        if let Some((pairs, passes)) = self.estimated {
            summary["estimated_on"] = pairs.into();
            summary["passes"] = passes.into();
        }
        if let Some(bytes) = self.model_bytes {
            summary["model_bytes"] = bytes.into();
        }
        summary
    }
}

impl Estimation {
    fn settings(&self, pairs: usize) -> Settings {
        let mut settings = Settings::preset(self.preset, pairs);
        settings.seed = self.seed;
        settings.memory = self.memory;
        if let Some(probability) = self.null_probability {
            settings.set_null_probability(probability);
        }
        if let Some(passes) = self.passes {
            settings.set_passes(passes);
        }
        if let (Some(samplers), Some(sampling)) = (self.samplers, &mut settings.sampling) {
            sampling.chains = samplers;
        }
        settings
    }
}

impl AlignRequest {
    /// Aligns and writes.
    pub fn run(&self, observer: &dyn Observer) -> Result<Aligned> {
        match &self.model {
            ModelSource::Saved(model) => self.align_new(model),
            ModelSource::Estimated(estimation) => self.align_itself(estimation, observer),
        }
    }

    fn align_itself(&self, estimation: &Estimation, observer: &dyn Observer) -> Result<Aligned> {
        let bitext = match &self.texts {
            Some([source, target]) => Bitext::read(source, target)?,
            None => Bitext::read_joined(&mut Lines::open("-")?)?,
        };
        let settings = estimation.settings(bitext.len());
        // Outputs are opened before the long work, so that a wrong path is known at once.
        let mut writer = LinkWriter::create(&self.outputs)?;
        let progress = observer.begin("estimate", "passes", Some(passes(&settings)));
        let trained = train(&bitext, &settings, &*progress);
        drop(progress);
        if trained.spacing > 1 {
            observer.say(&format!(
                "{} of memory hold {} of {} pairs: the model was estimated on these and aligns the others",
                settings.memory,
                trained.sentences,
                bitext.len()
            ));
        }
        let progress = observer.begin("align", "pairs", Some(bitext.len() as u64));
        let (sources, targets) = (&bitext.source.text, &bitext.target.text);
        let mut sentences = sources.sentences().zip(targets.sentences());
        align_corpus(&trained, &bitext, self.settings, &*progress, |pair| {
            let (source, target) = sentences.next().unwrap_or_default();
            writer.write(pair, source.len(), target.len())
        })?;
        drop(progress);
        let counts = writer.finish()?;
        let mut model_bytes = None;
        if let Some(path) = &estimation.save {
            trained.model.save(path)?;
            let file = std::fs::metadata(path).map_err(|e| chiasm_store::Error::io(path, e))?;
            model_bytes = Some(file.len());
        }
        Ok(Aligned {
            counts,
            estimated: Some((trained.sentences, passes(&settings))),
            model_bytes,
        })
    }

    fn align_new(&self, model: &Path) -> Result<Aligned> {
        let model = Model::open(model)?;
        let mut writer = LinkWriter::create(&self.outputs)?;
        let mut reader = PairReader::open(self.texts.as_ref())?;
        // Lengths of sentences that were read and not yet written.
        let lengths = Mutex::new(VecDeque::new());
        let lengths = || lengths.lock().unwrap_or_else(PoisonError::into_inner);
        let length = |line: &String| tokens(line).count();
        align_texts(
            &model,
            self.settings,
            |lines| {
                let more = reader.next(lines)?;
                let both = lines.iter();
                lengths().extend(both.map(|(source, target)| (length(source), length(target))));
                Ok(more)
            },
            |pair| {
                let (sources, targets) = lengths().pop_front().unwrap_or_default();
                writer.write(pair, sources, targets)
            },
        )?;
        Ok(Aligned {
            counts: writer.finish()?,
            estimated: None,
            model_bytes: None,
        })
    }
}

const ROWS: usize = 512;

/// Sentence pairs from two files or from standard input.
enum PairReader {
    Files(ParallelLines, Batch),
    Joined(Lines),
}

impl PairReader {
    fn open(texts: Option<&[PathBuf; 2]>) -> Result<Self> {
        Ok(match texts {
            Some(texts) => PairReader::Files(ParallelLines::open(texts)?, Batch::default()),
            None => PairReader::Joined(Lines::open("-")?),
        })
    }

    fn next(&mut self, lines: &mut Vec<(String, String)>) -> Result<bool> {
        lines.clear();
        match self {
            PairReader::Files(files, batch) => {
                files.next_batch(batch, ROWS)?;
                let row = |row| {
                    (
                        batch.line(0, row).to_string(),
                        batch.line(1, row).to_string(),
                    )
                };
                lines.extend((0..batch.len()).map(row));
            }
            PairReader::Joined(input) => {
                while lines.len() < ROWS {
                    let Some(line) = input.next_line()? else {
                        break;
                    };
                    let Some((source, target)) = split_joined(line) else {
                        return Err(input.error(JOINED_EXPECTED).into());
                    };
                    lines.push((source.to_string(), target.to_string()));
                }
            }
        }
        Ok(!lines.is_empty())
    }
}
