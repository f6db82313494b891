//! Which words translate each other.

use crate::Result;
use chiasm_align::{
    Bitext, Decoder, LinkMaker, LinkSettings, Method, Model, PairAlignment, Posteriors, Preset,
    Settings, Trained,
};
use chiasm_work::Progress;
use std::path::Path;

/// How to align.
#[derive(Clone, Debug)]
pub struct Aligner {
    preset: Preset,
    seed: u64,
    links: LinkSettings,
}

impl Aligner {
    /// With a preset's model and effort.
    pub fn new(preset: Preset) -> Self {
        Aligner {
            preset,
            seed: 1,
            links: LinkSettings::default(),
        }
    }

    /// The seed of everything random.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How the two directions become one.
    pub fn symmetrise(mut self, method: Method) -> Self {
        self.links.method = method;
        self
    }

    /// Learns from tokenised sentence pairs.
    pub fn fit<S: AsRef<str>, T: AsRef<str>>(
        &self,
        pairs: impl IntoIterator<Item = (S, T)>,
        progress: &dyn Progress,
    ) -> Result<FittedAligner> {
        let mut bitext = Bitext::new();
        for (source, target) in pairs {
            bitext.push(source.as_ref(), target.as_ref());
        }
        self.fit_bitext(bitext, progress)
    }

    /// Learns from two tokenised files.
    pub fn fit_files(
        &self,
        source: impl AsRef<Path>,
        target: impl AsRef<Path>,
        progress: &dyn Progress,
    ) -> Result<FittedAligner> {
        self.fit_bitext(Bitext::read(source, target)?, progress)
    }

    fn fit_bitext(&self, bitext: Bitext, progress: &dyn Progress) -> Result<FittedAligner> {
        let mut settings = Settings::preset(self.preset, bitext.len());
        settings.seed = self.seed;
        let trained = chiasm_align::train(&bitext, &settings, progress)?;
        Ok(FittedAligner {
            bitext,
            trained,
            links: self.links,
        })
    }
}

/// A model and the text it was learned from.
pub struct FittedAligner {
    bitext: Bitext,
    trained: Trained,
    links: LinkSettings,
}

impl FittedAligner {
    /// The links of the text it was learned from, in order.
    pub fn links(&self) -> Result<Vec<PairAlignment>> {
        let mut all = Vec::with_capacity(self.bitext.len());
        chiasm_align::align_corpus(&self.trained, &self.bitext, self.links, &(), |pair| {
            all.push(pair.clone());
            Ok(())
        })?;
        Ok(all)
    }

    /// Writes the model, for [`AlignmentModel::open`] and `chiasm align --model`.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        Ok(self.trained.model(&self.bitext)?.save(path)?)
    }

    /// The model alone.
    pub fn into_model(self) -> Result<AlignmentModel> {
        Ok(AlignmentModel {
            model: self.trained.model(&self.bitext)?,
            links: self.links,
        })
    }
}

/// A model that aligns new sentences.
pub struct AlignmentModel {
    model: Model,
    links: LinkSettings,
}

impl AlignmentModel {
    /// Opens a saved model.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Ok(AlignmentModel {
            model: Model::open(path)?,
            links: LinkSettings::default(),
        })
    }

    /// The links of a tokenised sentence pair.
    pub fn align(&self, source: &str, target: &str) -> PairAlignment {
        let mut posteriors = Posteriors::default();
        Decoder::new(&self.model).align(source, target, &mut posteriors);
        LinkMaker::default().links(&posteriors, self.links)
    }
}
