//! The lexicalised model as a binary table: smoothed class frequencies of each phrase pair.
//!
//! An unseen pair gets the class prior (SPEC section 3). Pairs are known by the hash of their words.

use crate::columns::{OrientationColumns, Smoothing};
use crate::dictionary::Dictionary;
use crate::hashing::{WordKey, phrase_pair_hash};
use crate::model::{OrientationModel, Scratch};
use crate::settings::{Settings, Task};
use crate::{Error, Result};
use chiasm_phrases::{
    ClassSet, CountedPair, CountedPairs, Directions, IndexedCorpus, OrientationKind, PhraseLink,
    Span,
};
use chiasm_store::{Array, Sections, Writer};

/// Class probabilities of phrase pairs.
#[derive(Clone, Debug)]
pub struct LexicalisedModel {
    settings: Settings,
    dictionary: Dictionary,
    /// Logarithms, a row a pair.
    logarithms: Array<f32>,
    /// Logarithms of the class prior.
    prior: Vec<f32>,
}

impl LexicalisedModel {
    /// The model of counted pairs.
    pub fn new(
        task: Task,
        smoothing: Smoothing,
        mut pairs: CountedPairs,
        corpus: &IndexedCorpus,
    ) -> Result<Self> {
        let keys = |vocabulary: &chiasm_text::Vocabulary| -> Vec<WordKey> {
            vocabulary.words().map(WordKey::of).collect()
        };
        if !task.classes.is_of_tables() {
            return Err(chiasm_phrases::Error::Classes(task.classes).into());
        }
        let source_keys = keys(&corpus.source.vocabulary);
        let target_keys = keys(&corpus.target.vocabulary);
        let totals = pairs.totals;
        let columns = OrientationColumns::new(task.classes, task.directions, smoothing, &totals);
        if totals.total == 0 {
            return Err(Error::Request("no phrase pairs in the corpus".into()));
        }
        let mut hashes = Vec::new();
        let mut rows: Vec<f32> = Vec::new();
        let mut pair = CountedPair::default();
        let (mut source, mut target) = (Vec::new(), Vec::new());
        while pairs.next(&mut pair)? {
            source.clear();
            source.extend(pair.source.iter().map(|&word| source_keys[word as usize]));
            target.clear();
            target.extend(pair.target.iter().map(|&word| target_keys[word as usize]));
            hashes.push(phrase_pair_hash(&source, &target));
            rows.extend(columns.logarithms(&pair.counts));
        }
        let (dictionary, places) = Dictionary::build(&hashes)?;
        let mut logarithms = vec![0.0; rows.len()];
        for (row, &place) in rows.chunks(columns.len()).zip(&places) {
            let start = place as usize * row.len();
            logarithms[start..start + row.len()].copy_from_slice(row);
        }
        let settings = Settings {
            task,
            features: None,
            min_count: 1,
            min_sentences: 1,
            select: None,
        };
        Ok(LexicalisedModel {
            settings,
            dictionary,
            logarithms: logarithms.into(),
            prior: columns.prior(),
        })
    }

    /// What the model was made for.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How many phrase pairs.
    pub fn len(&self) -> usize {
        self.dictionary.len()
    }

    /// None?
    pub fn is_empty(&self) -> bool {
        self.dictionary.is_empty()
    }

    /// Reads what `write_sections` wrote.
    pub fn from_sections(sections: &Sections) -> Result<Self> {
        let settings = Settings::read(sections)?;
        let dictionary = Dictionary::from_sections(&sections.within("pairs/"))?;
        let logarithms: Array<f32> = sections.array("logarithms")?;
        let prior = sections.array::<f32>("prior")?.to_vec();
        let columns = settings.task.classes.len() * settings.task.directions.len();
        if prior.len() != columns {
            return Err(sections
                .corrupt("prior", "is not as long as the classes")
                .into());
        }
        if logarithms.len() != dictionary.len() * columns {
            return Err(sections.corrupt("logarithms", "is not a row a pair").into());
        }
        Ok(LexicalisedModel {
            settings,
            dictionary,
            logarithms,
            prior,
        })
    }
}

impl OrientationModel for LexicalisedModel {
    fn kind(&self) -> OrientationKind {
        self.settings.task.extraction.kind
    }

    fn classes(&self) -> ClassSet {
        self.settings.task.classes
    }

    fn directions(&self) -> Directions {
        self.settings.task.directions
    }

    fn family(&self) -> &'static str {
        "lexicalised"
    }

    fn write_sections(&self, writer: &mut Writer) -> Result<()> {
        self.settings.write(writer)?;
        writer.within("pairs/", |w| self.dictionary.write_sections(w))?;
        writer.array("logarithms", &self.logarithms)?;
        writer.array("prior", &self.prior)?;
        Ok(())
    }

    fn source_word(&self, word: &str) -> WordKey {
        WordKey::of(word)
    }

    fn target_word(&self, word: &str) -> WordKey {
        self.source_word(word)
    }

    fn log_probabilities(
        &self,
        scratch: &mut Scratch,
        span: Span,
        target: &[WordKey],
        _links: &[PhraseLink],
        out: &mut [f32],
    ) -> bool {
        let source = scratch.source.get(span.range()).unwrap_or(&[]);
        let columns = self.prior.len();
        let row = self
            .dictionary
            .find(phrase_pair_hash(source, target))
            .and_then(|place| {
                let start = place as usize * columns;
                self.logarithms.get(start..start + columns)
            });
        out.copy_from_slice(row.unwrap_or(&self.prior));
        row.is_some()
    }
}
