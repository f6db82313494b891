//! Sparse reordering features (Cherry 2013) of a system that is being built.

use crate::Result;
use crate::cache::Stage;
use crate::prepare::{TRAIN_SOURCE, TRAIN_TARGET};
use crate::settings::{ReorderingSettings, SparseParts};
use crate::word_classes::CLASSES;
use chiasm_decode::{
    Configuration, Feature, FeatureKind, ReorderingShape, Side, SparseShape, SparseVocabulary,
    SparseVocabularyShape,
};
use chiasm_phrases::Directions;
use chiasm_phrases::{ClassSet, OrientationKind};
use chiasm_reorder::classes::read_classes;
use chiasm_text::MappedText;

/// Scores of the table that sparse features alone stand on: three classes, two directions, all zero.
pub const EMPTY_COLUMNS: usize = 6;

/// What sparse features look at: frequent words and classes of both sides.
pub struct Sparse {
    shape: SparseShape,
    vocabularies: Vec<SparseVocabulary>,
}

impl Sparse {
    /// From the training text and the classes of its sides, if there are any.
    pub fn new(
        text: &Stage,
        classes: Option<&[Stage; 2]>,
        settings: &ReorderingSettings,
    ) -> Result<Self> {
        let mut vocabularies = Vec::new();
        let mut shapes = Vec::new();
        let sides = [(Side::Source, TRAIN_SOURCE), (Side::Target, TRAIN_TARGET)];
        for (at, (side, file)) in sides.into_iter().enumerate() {
            let name = if side == Side::Source { "f" } else { "e" };
            let mut push = |kind: &str, is_classes, vocabulary| {
                vocabularies.push(vocabulary);
                shapes.push(SparseVocabularyShape {
                    name: format!("{name}-{kind}"),
                    side,
                    is_classes,
                });
            };
            let text = MappedText::open(text.file(file))?;
            let frequent = frequent_words(&text, settings.sparse_words);
            let frequent = frequent.iter().map(|word| (word.as_str(), word.as_str()));
            push("words", false, SparseVocabulary::new(frequent));
            if let Some(classes) = classes {
                let classes: Vec<(String, String)> = read_classes(&classes[at].file(CLASSES))?
                    .into_iter()
                    .map(|(word, class)| (word, class.to_string()))
                    .collect();
                let classes = classes
                    .iter()
                    .map(|(word, class)| (word.as_str(), class.as_str()));
                push("classes", true, SparseVocabulary::new(classes));
            }
        }
        let all = settings.sparse_parts == SparseParts::All;
        let shape = SparseShape {
            phrase: true,
            stack: all,
            between: all,
            vocabularies: shapes,
        };
        Ok(Sparse {
            shape,
            vocabularies,
        })
    }

    /// Puts the features on the first reordering feature. A system without one gets one for it, whose scores
    /// are [`EMPTY_COLUMNS`] zeros a phrase pair: sparse features need to know how phrases lie, and no more.
    pub fn attach(self, configuration: &mut Configuration, lists: &mut Vec<Vec<SparseVocabulary>>) {
        if lists.is_empty() {
            lists.push(Vec::new());
            configuration.features.push(Feature {
                name: "SparseReordering0".into(),
                weights: vec![0.0; EMPTY_COLUMNS],
                kind: FeatureKind::ReorderingTable(ReorderingShape {
                    orientation: OrientationKind::Hier,
                    classes: ClassSet::Msd,
                    directions: Directions::Bidirectional,
                    sparse: None,
                }),
            });
        }
        let shapes =
            configuration
                .features
                .iter_mut()
                .filter_map(|feature| match &mut feature.kind {
                    FeatureKind::ReorderingTable(shape) | FeatureKind::ReorderingModel(shape) => {
                        Some(shape)
                    }
                    _ => None,
                });
        if let (Some(shape), Some(list)) = (shapes.into_iter().next(), lists.first_mut()) {
            shape.sparse = Some(self.shape);
            *list = self.vocabularies;
        }
    }
}

/// The most frequent words of a text; of equally frequent ones the first by spelling.
fn frequent_words(text: &MappedText, most: usize) -> Vec<String> {
    let (vocabulary, _) = text.vocabulary().by_frequency(&text.counts());
    vocabulary.words().take(most).map(str::to_string).collect()
}
