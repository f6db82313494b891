//! A trained model: subwords and weights, in memory or in a mapped file.

use crate::network::Network;
use crate::shape::{Layout, Shape};
use crate::sublayers::Pass;
use crate::subwords::Subwords;
use chiasm_store::{Array, Container, Result, Sections, Writer};
use half::f16;
use std::path::Path;
use std::sync::OnceLock;

const KIND: &str = "ranker";
const VERSION: u32 = 1;

/// A trained model. Weights have 16 bits each; they are widened when the first sentence is judged.
pub struct Model {
    pub(crate) source: Subwords,
    pub(crate) target: Subwords,
    shape: Shape,
    weights: Array<u16>,
    ready: OnceLock<Ready>,
}

/// A network with its parameters.
pub(crate) struct Ready {
    pub network: Network,
    pub parameters: Vec<f32>,
}

impl Ready {
    /// A pass on one thread: sentences are judged side by side.
    pub fn pass(&self) -> Pass<'_> {
        Pass {
            parameters: &self.parameters,
            threads: 1,
        }
    }
}

impl Model {
    pub(crate) fn new(shape: Shape, subwords: [Subwords; 2], parameters: &[f32]) -> Self {
        let weights = parameters
            .iter()
            .map(|&weight| f16::from_f32(weight).to_bits());
        let weights: Vec<u16> = weights.collect();
        let [source, target] = subwords;
        Model {
            source,
            target,
            shape,
            weights: weights.into(),
            ready: OnceLock::new(),
        }
    }

    /// How large it is.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    pub(crate) fn ready(&self) -> &Ready {
        self.ready.get_or_init(|| Ready {
            network: Network::new(Layout::new(self.shape)),
            parameters: self
                .weights
                .iter()
                .map(|&bits| f16::from_bits(bits).to_f32())
                .collect(),
        })
    }

    /// Writes sections `shape`, `source/`, `target/` and `weights`.
    pub fn write_sections(&self, writer: &mut Writer) -> Result<()> {
        // Numbers only: nothing here can fail to be written.
        let shape = serde_json::to_string(&self.shape).unwrap_or_default();
        writer.bytes("shape", shape.as_bytes())?;
        writer.within("source/", |w| self.source.write_sections(w))?;
        writer.within("target/", |w| self.target.write_sections(w))?;
        writer.array("weights", &self.weights)
    }

    /// Maps what [`Model::write_sections`] wrote.
    pub fn from_sections(sections: &Sections) -> Result<Self> {
        let corrupt = |reason: &str| sections.corrupt("shape", reason);
        let shape: Shape = serde_json::from_str(sections.text("shape")?)
            .map_err(|error| corrupt(&error.to_string()))?;
        shape.check().map_err(|reason| corrupt(&reason))?;
        let source = Subwords::from_sections(&sections.within("source/"))?;
        let target = Subwords::from_sections(&sections.within("target/"))?;
        if [source.len(), target.len()] != [shape.source_pieces, shape.target_pieces] {
            return Err(corrupt("counts other subwords than there are"));
        }
        let weights = sections.array::<u16>("weights")?;
        if weights.len() != shape.parameters() {
            return Err(sections.corrupt("weights", "are not as many as the shape needs"));
        }
        Ok(Model {
            source,
            target,
            shape,
            weights,
            ready: OnceLock::new(),
        })
    }

    /// Writes the model into a file of its own.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let mut writer = Writer::create(path, KIND, VERSION)?;
        self.write_sections(&mut writer)?;
        writer.finish()
    }

    /// Maps a file that [`Model::write`] wrote.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Model::from_sections(&Container::open(path)?.expect_kind(KIND, VERSION)?)
    }
}
