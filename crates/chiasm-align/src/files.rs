//! From text files to files of links: estimate a model and align, or align with a saved one.

use crate::bitext::Bitext;
use crate::checkpoint::Checkpoint;
use crate::links::LinkSettings;
use crate::model::Model;
use crate::outputs::{LinkCounts, LinkFiles, LinkWriter};
use crate::pairs::{PairInput, Pairs, Skipped};
use crate::settings::{Preset, Settings};
use crate::stream::PairStream;
use crate::train::{Knowledge, passes, train_with};
use crate::{Error, Result, align_corpus, align_texts};
use chiasm_text::tokens;
use chiasm_work::{MemorySize, Observer};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Text to align, and where the links go.
#[derive(Clone, Debug)]
pub struct AlignRequest {
    /// Where the sentence pairs stand.
    pub input: PairInput,
    /// Stop at the first pair that cannot be aligned, in place of giving it no links.
    pub strict: bool,
    /// Write source and target once more, as they were read, for who goes on with text and links.
    pub copies: Option<[PathBuf; 2]>,
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
    /// A saved model whose expected links are added to the priors.
    pub priors: Option<PathBuf>,
    /// A saved model to go on from.
    pub start: Option<PathBuf>,
    /// The least seconds from one checkpoint beside the links to the next.
    pub checkpoint: u64,
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
    /// Pairs without links because there was nothing to link.
    pub skipped: Skipped,
}

impl Aligned {
    /// For machines.
    pub fn json(&self) -> Value {
        let mut summary = json!({
            "pairs": self.counts.pairs,
            "links": self.counts.links,
            "words": self.counts.words,
            "unaligned_share": self.counts.unaligned_share(),
            "skipped": self.skipped.total(),
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

impl std::fmt::Display for Aligned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let LinkCounts { pairs, links, .. } = self.counts;
        let share = 100.0 * self.counts.unaligned_share();
        write!(
            f,
            "{pairs} pairs, {links} links, {share:.1} % of the words unaligned"
        )
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

impl Estimation {
    /// What is known beside the corpus; checkpoints lie beside the links, if these go to a file.
    fn knowledge(&self, links: &Path, bitext: &Bitext, settings: &Settings) -> Result<Knowledge> {
        let open = |path: &Option<PathBuf>| path.as_ref().map(Model::open).transpose();
        let mut decisive = format!(
            "{:?}",
            Settings {
                memory: MemorySize(0),
                ..*settings
            }
        );
        for path in [&self.priors, &self.start].into_iter().flatten() {
            let bytes =
                std::fs::read(path).map_err(|error| chiasm_store::Error::io(path, error))?;
            let mut hasher = DefaultHasher::new();
            bytes.hash(&mut hasher);
            decisive += &format!(" {:x}", hasher.finish());
        }
        let every = Duration::from_secs(self.checkpoint);
        let to_file = links.as_os_str() != "-" && !links.exists() || links.is_file();
        let checkpoint = (to_file && settings.sampling.is_some())
            .then(|| Checkpoint::beside(links, bitext, &decisive, every));
        let folder = links.parent().filter(|_| to_file);
        Ok(Knowledge {
            priors: open(&self.priors)?,
            start: open(&self.start)?,
            checkpoint,
            scratch: folder.map(|folder| Path::new(".").join(folder)),
        })
    }
}

impl AlignRequest {
    /// Aligns and writes.
    pub fn run(&self, observer: &dyn Observer) -> Result<Aligned> {
        self.check()?;
        let aligned = match &self.model {
            ModelSource::Saved(model) => self.align_new(model),
            ModelSource::Estimated(estimation) => self.align_itself(estimation, observer),
        }?;
        if let Some(warning) = aligned.skipped.warning() {
            observer.say(&warning);
        }
        Ok(aligned)
    }

    /// Every file that is read.
    pub fn inputs(&self) -> Vec<PathBuf> {
        let models = match &self.model {
            ModelSource::Saved(model) => vec![model.clone()],
            ModelSource::Estimated(estimation) => {
                let both = [&estimation.priors, &estimation.start];
                both.into_iter().flatten().cloned().collect()
            }
        };
        self.input.paths().into_iter().chain(models).collect()
    }

    fn check(&self) -> Result<()> {
        let bias = self.settings.null_bias;
        if !(bias > 0.0 && bias.is_finite()) {
            return Err(Error::Usage("--null-bias must be a number above 0".into()));
        }
        let ModelSource::Estimated(estimation) = &self.model else {
            return Ok(());
        };
        if estimation
            .null_probability
            .is_some_and(|p| !(p > 0.0 && p < 1.0))
        {
            let message = "--null-probability must be between 0 and 1";
            return Err(Error::Usage(message.into()));
        }
        Ok(())
    }

    fn pairs(&self) -> Result<Pairs> {
        let pairs = Pairs::open(&self.input, self.strict)?;
        match &self.copies {
            Some(copies) => pairs.copying(copies),
            None => Ok(pairs),
        }
    }

    fn align_itself(&self, estimation: &Estimation, observer: &dyn Observer) -> Result<Aligned> {
        let mut pairs = self.pairs()?;
        let bitext = Bitext::of_pairs(&mut pairs)?;
        let skipped = pairs.finish()?;
        let settings = estimation.settings(bitext.len());
        // Outputs are opened before the long work, so that a wrong path is known at once.
        let mut writer = LinkWriter::create(&self.outputs)?;
        let knowledge = estimation.knowledge(&self.outputs.links, &bitext, &settings)?;
        let checkpoint = knowledge.checkpoint.clone();
        if let Some((passes, sampler)) = checkpoint.as_ref().and_then(Checkpoint::progress) {
            observer.say(&format!(
                "going on after pass {passes} of sampler {sampler}"
            ));
        }
        let progress = observer.begin("estimate", "passes", Some(passes(&settings)));
        let mut trained = train_with(&bitext, &settings, knowledge, &*progress)?;
        drop(progress);
        if self.outputs.sentence_scores.is_some() && trained.scorer.is_none() {
            trained.scorer = Some(trained.model(&bitext)?);
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
            trained.model(&bitext)?.save(path)?;
            let file = std::fs::metadata(path).map_err(|e| chiasm_store::Error::io(path, e))?;
            model_bytes = Some(file.len());
        }
        checkpoint.iter().for_each(Checkpoint::remove);
        Ok(Aligned {
            counts,
            estimated: Some((bitext.len(), passes(&settings))),
            model_bytes,
            skipped,
        })
    }

    fn align_new(&self, model: &Path) -> Result<Aligned> {
        let model = Model::open(model)?;
        let mut writer = LinkWriter::create(&self.outputs)?;
        let mut stream = PairStream::begin(self.pairs()?);
        // Lengths of sentences that were read and not yet written.
        let lengths = Mutex::new(VecDeque::new());
        let lengths = || lengths.lock().unwrap_or_else(PoisonError::into_inner);
        let length = |line: &String| tokens(line).count();
        align_texts(
            &model,
            self.settings,
            |lines| {
                let more = stream.fill(lines)?;
                let both = lines.iter();
                lengths().extend(both.map(|(source, target)| (length(source), length(target))));
                Ok(more)
            },
            |pair| {
                let (sources, targets) = lengths().pop_front().unwrap_or_default();
                writer.write(pair, sources, targets)?;
                if lengths().is_empty() {
                    writer.flush()?;
                }
                Ok(())
            },
        )?;
        Ok(Aligned {
            counts: writer.finish()?,
            estimated: None,
            model_bytes: None,
            skipped: stream.skipped(),
        })
    }
}
