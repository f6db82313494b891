//! The log-linear model: a system and weights for its features (Och and Ney 2002).

use crate::Result;
use crate::learned::Learned;
use crate::search::Relations;
use crate::system::System;
use crate::weights::{Channel, CompiledWeights, Layout, Weights};
use chiasm_lm::State;
use chiasm_neural::{EDGE, HISTORY};
use std::sync::Arc;

/// A system with weights, ready to score.
pub(crate) struct LogLinear {
    system: Arc<System>,
    pub weights: CompiledWeights,
    pub uses: Uses,
    pub backward: OrientationColumns,
    pub forward: OrientationColumns,
}

/// For each pair of relations, packed into a number, the columns of an option's
/// orientation scores that count, one a channel.
pub(crate) struct OrientationColumns {
    channels: usize,
    columns: Vec<u32>,
}

impl OrientationColumns {
    fn new(channels: &[Channel], relations: Relations) -> Self {
        let codes = 0..relations.codes() as u8;
        let columns = codes.flat_map(|code| {
            channels.iter().map(move |channel| {
                let relation = relations.of(channel, code);
                (channel.offset + channel.classes.class_in_search(relation)) as u32
            })
        });
        OrientationColumns {
            channels: channels.len(),
            columns: columns.collect(),
        }
    }

    /// The sum over the channels of the scores that count.
    #[inline]
    pub fn sum(&self, scores: &[f32], code: u8) -> f32 {
        let first = usize::from(code) * self.channels;
        let columns = &self.columns[first..first + self.channels];
        columns.iter().map(|&column| scores[column as usize]).sum()
    }
}

/// What a hypothesis must remember, given the features.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Uses {
    /// Where the last phrase began.
    pub last_start: bool,
    /// The stack of source blocks.
    pub blocks: bool,
    /// Sparse features of the words jumped over.
    pub between: bool,
    /// The word covered last, for models of operations.
    pub operations: bool,
    /// How steps are told apart.
    pub relations: Relations,
    /// The tags of source words.
    pub tags: bool,
}

impl LogLinear {
    pub fn new(system: Arc<System>, weights: &Weights) -> Result<Self> {
        let compiled = CompiledWeights::new(&system, weights)?;
        let layout = system.layout();
        use chiasm_phrases::ClassSet;
        use chiasm_phrases::OrientationKind::Hier;
        let between = layout.backward().iter().any(|channel| {
            let shape = system.sparse_shape(channel.feature);
            shape.is_some_and(|shape| shape.between)
        });
        let plain = layout
            .backward()
            .iter()
            .any(|channel| channel.orientation != Hier);
        let mut classes = layout.channels.iter().map(|channel| channel.classes);
        let relations = match classes.any(|classes| classes == ClassSet::Distance) {
            true => Relations::Distances,
            false => Relations::Orientations,
        };
        let uses = Uses {
            last_start: between || plain || !layout.forward().is_empty(),
            blocks: layout
                .backward()
                .iter()
                .any(|channel| channel.orientation == Hier),
            operations: !layout.operation_models.is_empty() || layout.operation_support.is_some(),
            between: between && !compiled.sparse.is_empty(),
            relations,
            tags: system
                .reordering_models()
                .iter()
                .any(|model| model.needs_tags()),
        };
        let backward = OrientationColumns::new(layout.backward(), relations);
        let forward = OrientationColumns::new(layout.forward(), relations);
        Ok(LogLinear {
            weights: compiled,
            uses,
            backward,
            forward,
            system,
        })
    }

    pub fn system(&self) -> &System {
        &self.system
    }

    pub fn shared_system(&self) -> &Arc<System> {
        &self.system
    }

    /// Before the first word: a state for each language model, each model of operations and a joint model, and one for what
    /// was learned, if anything was.
    pub fn start(&self, learned: Option<&Learned>) -> Vec<State> {
        let system = self.system();
        let models = system.language_models().iter().map(|model| model.begin());
        let operations = system.operation_models().iter().map(|model| model.begin());
        let joint = system
            .joint_model()
            .map(|_| State::of_context(&[EDGE; HISTORY]));
        let learned = learned.map(Learned::begin);
        models
            .chain(operations)
            .chain(joint)
            .chain(learned)
            .collect()
    }

    pub fn layout(&self) -> &Layout {
        self.system.layout()
    }

    /// Each phrase score of an option that was given with a probability: its logarithm in equal
    /// shares.
    pub fn given_score(&self, logarithm: f32) -> f32 {
        logarithm / self.layout().phrase_scores.len().max(1) as f32
    }
}
