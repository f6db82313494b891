//! Sparse reordering features (Cherry 2013): for each orientation, indicators of the words at the
//! edges of the phrase (`phrase`), of the previous phrase (`stack`) and of the source words jumped
//! over (`between`), for the words of a list or for word classes.
//!
//! A feature's name is that of Moses, `FEATURE_KIND-SIDE-PLACE-SET-VALUE-CLASS`, for instance
//! `LexicalReordering0_phr-src-first-top200-the-0` or, of word classes, `LexicalReordering0_stk-tgt-last-c50-cluster_7-2`:
//! KIND is `phr`, `stk` or `btn` (only `btn-src-first`), VALUE a word, or `cluster_` and a class, CLASS the number of
//! the orientation. Systems of version 0.1 have names of their own, which are read, too:
//! `LexicalReordering0_phrase:top200:source.first:the:monotone`.

use crate::configuration::{Side, SparseShape};
use chiasm_phrases::ClassSet;
use chiasm_store::{Array, Result, Sections, Writer};
use chiasm_text::{StoredVocabulary, Vocabulary};
use std::collections::BTreeMap;
use std::fmt::Write as _;

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

/// Names of templates: Moses', and those of version 0.1.
const TEMPLATES: [(&str, &str, Template); 3] = [
    ("phr", "phrase", Template::Phrase),
    ("stk", "stack", Template::Stack),
    ("btn", "between", Template::Between),
];

/// Names of positions: Moses', and those of version 0.1.
const POSITIONS: [(&str, &str, Position); 5] = [
    ("src-first", "source.first", Position::SourceFirst),
    ("src-last", "source.last", Position::SourceLast),
    ("tgt-first", "target.first", Position::TargetFirst),
    ("tgt-last", "target.last", Position::TargetLast),
    ("src-first", "source", Position::Jumped),
];

/// What stands before a word class in a name.
const CLUSTER: &str = "cluster_";

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
        shape: &SparseShape,
        vocabularies: &[SparseVocabulary],
    ) -> String {
        let template = TEMPLATES[(self.0 >> 52 & 0xf) as usize % TEMPLATES.len()].0;
        let position = POSITIONS[(self.0 >> 48 & 0xf) as usize % POSITIONS.len()].0;
        let index = (self.0 >> 40 & 0xff) as usize;
        let class = self.0 >> 32 & 0xff;
        let (set, before, label) = match (shape.vocabularies.get(index), vocabularies.get(index)) {
            (Some(shape), Some(words)) => {
                let before = if shape.is_classes { CLUSTER } else { "" };
                (shape.name.as_str(), before, words.label_name(self.0 as u32))
            }
            _ => ("", "", ""),
        };
        format!("{feature}_{template}-{position}-{set}-{before}{label}-{class}")
    }

    /// Reads the part of a name after `FEATURE_`.
    pub(crate) fn parse(
        name: &str,
        feature: usize,
        classes: ClassSet,
        shape: &SparseShape,
        vocabularies: &[SparseVocabulary],
    ) -> Option<Self> {
        let (template, rest) = name.split_once('-').unwrap_or_default();
        let Some(template) = TEMPLATES.iter().find(|entry| entry.0 == template) else {
            return Self::parse_old(name, feature, classes, shape, vocabularies);
        };
        let template = template.2;
        let (rest, class) = rest.rsplit_once('-')?;
        let class = class.parse().ok().filter(|&class| class < classes.len())?;
        // Sets, words and classes may have hyphens of their own, so all that are there are tried.
        POSITIONS.iter().find_map(|&(position, _, place)| {
            if (template == Template::Between) != (place == Position::Jumped) {
                return None;
            }
            let rest = rest.strip_prefix(position)?.strip_prefix('-')?;
            let sets = shape.vocabularies.iter().zip(vocabularies).enumerate();
            sets.into_iter().find_map(|(index, (set, words))| {
                let value = rest.strip_prefix(set.name.as_str())?.strip_prefix('-')?;
                let label = match set.is_classes {
                    true => value.strip_prefix(CLUSTER)?,
                    false => value,
                };
                let label = words
                    .labels
                    .get(label)
                    .filter(|_| set.side == place.side())?;
                Some(SparseFeature::new(
                    feature, template, index, place, label, class,
                ))
            })
        })
    }

    /// Reads a name of version 0.1.
    fn parse_old(
        name: &str,
        feature: usize,
        classes: ClassSet,
        shape: &SparseShape,
        vocabularies: &[SparseVocabulary],
    ) -> Option<Self> {
        let mut parts = name.splitn(4, ':');
        let (template, vocabulary, position) = (parts.next()?, parts.next()?, parts.next()?);
        let (label, class) = parts.next()?.rsplit_once(':')?;
        let template = TEMPLATES.iter().find(|entry| entry.1 == template)?.2;
        let position = POSITIONS.iter().find(|entry| entry.1 == position)?.2;
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

/// A line a weight: its name and the number.
pub(crate) fn format_sparse_weights(weights: &BTreeMap<String, f32>) -> String {
    let mut text = String::new();
    for (name, weight) in weights {
        // Writing into a string cannot fail.
        let _ = writeln!(text, "{name} {weight}");
    }
    text
}

/// Reads lines of a name and a weight.
pub(crate) fn parse_sparse_weights(
    text: &str,
) -> std::result::Result<BTreeMap<String, f32>, String> {
    let mut weights = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        let expected = || format!("line {}: a name and a weight expected", number + 1);
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let (name, value) = line.rsplit_once([' ', '\t']).ok_or_else(expected)?;
        let value: f32 = value.parse().map_err(|_| expected())?;
        let name = name.trim().trim_end_matches('=');
        weights.insert(name.to_string(), value);
    }
    Ok(weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::SparseVocabularyShape;

    #[test]
    fn names_are_those_of_moses_and_can_be_read_back() {
        let set = |name: &str, is_classes| SparseVocabularyShape {
            name: name.into(),
            side: Side::Source,
            is_classes,
        };
        let shape = SparseShape {
            vocabularies: vec![set("top", false), set("f-words", false), set("rand", true)],
            ..SparseShape::default()
        };
        let words = || SparseVocabulary::new([("a", "a"), ("b-c", "b-c")]);
        let classes = SparseVocabulary::new([("a", "0"), ("b", "7")]);
        let lists = [words(), words(), classes];
        let read = |name: &str| SparseFeature::parse(name, 3, ClassSet::Msd, &shape, &lists);
        for (template, set, position, label, class, expected) in [
            (
                Template::Stack,
                0,
                Position::SourceLast,
                1,
                2,
                "R_stk-src-last-top-b-c-2",
            ),
            (
                Template::Phrase,
                1,
                Position::SourceFirst,
                0,
                0,
                "R_phr-src-first-f-words-a-0",
            ),
            (
                Template::Phrase,
                2,
                Position::SourceFirst,
                1,
                1,
                "R_phr-src-first-rand-cluster_7-1",
            ),
            (
                Template::Between,
                0,
                Position::Jumped,
                0,
                2,
                "R_btn-src-first-top-a-2",
            ),
        ] {
            let feature = SparseFeature::new(3, template, set, position, label, class);
            let name = feature.name("R", &shape, &lists);
            assert_eq!(name, expected);
            assert_eq!(read(&name[2..]), Some(feature));
            assert_eq!(feature.with_class(0).with_class(class), feature);
        }
        let old = "stack:top:source.last:b-c:discontinuous";
        assert_eq!(read(old), read("stk-src-last-top-b-c-2"));
        for unknown in [
            "stk-src-last-top-z-2",
            "stk-tgt-last-top-a-2",
            "btn-src-last-top-a-2",
            "phr-src-first-top-a-3",
            "phr-src-first-rand-0-1",
            "stack:top:source.last:z:discontinuous",
            "phr",
            "",
        ] {
            assert_eq!(read(unknown), None, "{unknown}");
        }
    }
}
