//! Sparse reordering features (Cherry 2013): for each orientation, indicators of the words at the
//! edges of the phrase (`phrase`), of the previous phrase (`stack`) and of the source words jumped
//! over (`between`), for the words of a list or for word classes.
//!
//! A feature's name is `FEATURE_TEMPLATE:VOCABULARY:POSITION:LABEL:CLASS`, for instance
//! `LexicalReordering0_phrase:top200:source.first:the:monotone`.

use crate::configuration::{Side, SparseShape};
use chiasm_phrases::ClassSet;
use chiasm_store::{Array, Result, Sections, Writer};
use chiasm_text::{StoredVocabulary, Vocabulary};

/// What a sparse feature looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Template {
    Phrase,
    Stack,
    Between,
}

/// Where the word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    SourceFirst,
    SourceLast,
    TargetFirst,
    TargetLast,
    Jumped,
}

const TEMPLATES: [(&str, Template); 3] = [
    ("phrase", Template::Phrase),
    ("stack", Template::Stack),
    ("between", Template::Between),
];

const POSITIONS: [(&str, Position); 5] = [
    ("source.first", Position::SourceFirst),
    ("source.last", Position::SourceLast),
    ("target.first", Position::TargetFirst),
    ("target.last", Position::TargetLast),
    ("source", Position::Jumped),
];

impl Position {
    pub fn side(self) -> Side {
        match self {
            Position::TargetFirst | Position::TargetLast => Side::Target,
            _ => Side::Source,
        }
    }
}

/// A sparse feature, as a number: reordering feature, template, vocabulary, position, class, label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SparseFeature(u64);

impl SparseFeature {
    pub(crate) fn new(
        feature: usize,
        template: Template,
        vocabulary: usize,
        position: Position,
        label: u32,
        class: usize,
    ) -> Self {
        let high = (feature as u64) << 56
            | (template as u64) << 52
            | (position as u64) << 48
            | (vocabulary as u64 & 0xff) << 40
            | (class as u64 & 0xff) << 32;
        SparseFeature(high | u64::from(label))
    }

    /// The same feature for another class.
    pub(crate) fn with_class(self, class: usize) -> Self {
        SparseFeature(self.0 & !(0xff << 32) | (class as u64 & 0xff) << 32)
    }

    /// The number of the reordering feature it belongs to.
    pub(crate) fn feature(self) -> usize {
        (self.0 >> 56) as usize
    }

    /// The name in weight files and n-best lists.
    pub(crate) fn name(
        self,
        feature: &str,
        classes: ClassSet,
        shape: &SparseShape,
        vocabularies: &[SparseVocabulary],
    ) -> String {
        let template = TEMPLATES[(self.0 >> 52 & 0xf) as usize % TEMPLATES.len()].0;
        let position = POSITIONS[(self.0 >> 48 & 0xf) as usize % POSITIONS.len()].0;
        let index = (self.0 >> 40 & 0xff) as usize;
        let class = classes.class_name((self.0 >> 32 & 0xff) as usize);
        let (vocabulary, label) = match (shape.vocabularies.get(index), vocabularies.get(index)) {
            (Some(shape), Some(words)) => (shape.name.as_str(), words.label_name(self.0 as u32)),
            _ => ("", ""),
        };
        format!("{feature}_{template}:{vocabulary}:{position}:{label}:{class}")
    }

    /// Reads the part of a name after `FEATURE_`.
    pub(crate) fn parse(
        name: &str,
        feature: usize,
        classes: ClassSet,
        shape: &SparseShape,
        vocabularies: &[SparseVocabulary],
    ) -> Option<Self> {
        let mut parts = name.splitn(4, ':');
        let (template, vocabulary, position) = (parts.next()?, parts.next()?, parts.next()?);
        let (label, class) = parts.next()?.rsplit_once(':')?;
        let template = TEMPLATES.iter().find(|entry| entry.0 == template)?.1;
        let position = POSITIONS.iter().find(|entry| entry.0 == position)?.1;
        let index = shape
            .vocabularies
            .iter()
            .position(|shape| shape.name == vocabulary && shape.side == position.side())?;
        let label = vocabularies.get(index)?.labels.get(label)?;
        let class = (0..classes.len()).find(|&number| classes.class_name(number) == class)?;
        Some(SparseFeature::new(
            feature, template, index, position, label, class,
        ))
    }
}

/// A word list (each word its own label) or word classes (words share labels).
#[derive(Clone)]
pub struct SparseVocabulary {
    words: StoredVocabulary,
    label_of: Array<u32>,
    labels: StoredVocabulary,
}

impl SparseVocabulary {
    /// From words with their labels; a word that comes again keeps its first label.
    pub fn new<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let (mut words, mut labels) = (Vocabulary::new(), Vocabulary::new());
        let mut label_of = Vec::new();
        for (word, label) in pairs {
            let known = words.len();
            if words.intern(word) as usize == known {
                label_of.push(labels.intern(label));
            }
        }
        SparseVocabulary {
            words: StoredVocabulary::new(&words),
            label_of: label_of.into(),
            labels: StoredVocabulary::new(&labels),
        }
    }

    /// The label of a word.
    pub fn label(&self, word: &str) -> Option<u32> {
        let id = self.words.get(word)?;
        self.label_of.get(id as usize).copied()
    }

    fn label_name(&self, label: u32) -> &str {
        self.labels.word(label)
    }

    /// Words and labels, for export.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.label_of
            .iter()
            .enumerate()
            .map(|(word, &label)| (self.words.word(word as u32), self.labels.word(label)))
    }

    pub(crate) fn write_sections(&self, writer: &mut Writer) -> Result<()> {
        writer.within("words/", |writer| self.words.write_sections(writer))?;
        writer.array("label-of", &self.label_of)?;
        writer.within("labels/", |writer| self.labels.write_sections(writer))
    }

    pub(crate) fn from_sections(sections: &Sections) -> Result<Self> {
        Ok(SparseVocabulary {
            words: StoredVocabulary::from_sections(&sections.within("words/"))?,
            label_of: sections.array("label-of")?,
            labels: StoredVocabulary::from_sections(&sections.within("labels/"))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::SparseVocabularyShape;

    #[test]
    fn names_can_be_read_back() {
        let shape = SparseShape {
            vocabularies: vec![SparseVocabularyShape {
                name: "top".into(),
                side: Side::Source,
                is_classes: false,
            }],
            ..SparseShape::default()
        };
        let words = [SparseVocabulary::new([("a", "a"), ("b:c", "b:c")])];
        let feature = SparseFeature::new(3, Template::Stack, 0, Position::SourceLast, 1, 2);
        let name = feature.name("R", ClassSet::Msd, &shape, &words);
        assert_eq!(name, "R_stack:top:source.last:b:c:discontinuous");
        let read = SparseFeature::parse(&name[2..], 3, ClassSet::Msd, &shape, &words);
        assert_eq!(read, Some(feature));
        assert_eq!(feature.with_class(0).with_class(2), feature);
        let unknown = "stack:top:source.last:z:discontinuous";
        assert_eq!(
            SparseFeature::parse(unknown, 3, ClassSet::Msd, &shape, &words),
            None
        );
    }
}
