//! A language model that answers.

use crate::arpa::{NgramList, Reader};
use crate::build;
use crate::compact::Compact;
use crate::compact_build;
use crate::probing::Probing;
use crate::search;
use crate::state::State;
use crate::words::Words;
use crate::{Error, MAX_ORDER, Result, UNKNOWN};
use chiasm_store::{Container, Sections, Writer};
use chiasm_text::Vocabulary;
use std::path::Path;

/// The kind of a binary language model's container.
pub const KIND: &str = "language model";
/// The version of its layout.
pub const VERSION: u32 = 1;

/// An n-gram language model: words and context in, log10 probability and new context out.
///
/// Cheap to clone (the tables are shared); queries need no lock and allocate nothing.
#[derive(Clone)]
pub struct Model {
    words: Words,
    tables: Tables,
    counts: Vec<u64>,
    begin: u32,
    end: u32,
    begin_state: State,
    origin: Option<Sections>,
}

#[derive(Clone)]
enum Tables {
    Probing(Probing),
    Compact(Compact),
}

/// What holds the n-grams, as the header of a file says it.
const PROBING: u64 = 0;
const COMPACT: u64 = 1;

impl Model {
    /// Opens an ARPA file, plain or compressed, or a binary model, which is mapped into memory;
    /// which of them it is, its content says. Mapped contents are checked on a thread of their own
    /// meanwhile, and [`Model::confirm`] says what came of it.
    pub fn open(path: impl AsRef<Path>) -> Result<Model> {
        let path = path.as_ref();
        if Container::is_container(path) {
            let sections = Container::open(path)?.expect_kind(KIND, VERSION)?;
            sections.confirm_in_background();
            return Model::from_sections(&sections);
        }
        let mut reader = Reader::open(path)?;
        if path.as_os_str() == "-" {
            return Model::from_list(NgramList::from_reader(reader)?, path);
        }
        match build::from_reader(&mut reader)? {
            Some(probing) => {
                let words = Words::new(reader.vocabulary())?;
                let mut counts = reader.counts().to_vec();
                counts[0] = words.len() as u64;
                Model::assemble(words, Tables::Probing(probing), counts, |reason| {
                    Error::corrupt(path, reason)
                })
            }
            None => Model::from_list(NgramList::read(path)?, path),
        }
    }

    /// A model with hash tables from a list of n-grams; `path` is its name in messages.
    pub fn from_list(mut list: NgramList, path: &Path) -> Result<Model> {
        list.complete();
        let probing = build::from_list(&list)?;
        let words = Words::new(&list.vocabulary)?;
        let counts = list.orders.iter().map(|list| list.len() as u64).collect();
        Model::assemble(words, Tables::Probing(probing), counts, |reason| {
            Error::corrupt(path, reason)
        })
    }

    /// A quantised model, the smallest there is, from a list of n-grams; `path` is its name in
    /// messages. Probabilities and back-offs of order 2 and up are rounded to eight bits.
    pub fn quantised(mut list: NgramList, path: &Path) -> Result<Model> {
        list.complete();
        let compact = compact_build::from_list(&list)?;
        let words = Words::new(&list.vocabulary)?;
        let counts = list.orders.iter().map(|list| list.len() as u64).collect();
        Model::assemble(words, Tables::Compact(compact), counts, |reason| {
            Error::corrupt(path, reason)
        })
    }

    pub(crate) fn from_probing(
        probing: Probing,
        vocabulary: &Vocabulary,
        counts: Vec<u64>,
    ) -> Result<Model> {
        let words = Words::new(vocabulary)?;
        Model::assemble(words, Tables::Probing(probing), counts, |reason| {
            Error::Impossible(reason.to_string())
        })
    }

    fn assemble(
        words: Words,
        tables: Tables,
        counts: Vec<u64>,
        complaint: impl Fn(&str) -> Error,
    ) -> Result<Model> {
        let (begin, end) = (words.id(b"<s>"), words.id(b"</s>"));
        if begin == UNKNOWN {
            return Err(complaint("the model has no 1-gram <s>"));
        }
        if end == UNKNOWN {
            return Err(complaint("the model has no 1-gram </s>"));
        }
        let mut model = Model {
            words,
            tables,
            counts,
            begin,
            end,
            begin_state: State::empty(),
            origin: None,
        };
        let mut state = State::empty();
        model.score(&State::empty(), begin, &mut state);
        model.begin_state = state;
        Ok(model)
    }

    /// The model in the sections that [`Model::write_sections`] wrote.
    pub fn from_sections(sections: &Sections) -> Result<Model> {
        let header = sections.array::<u64>("header")?;
        let corrupt = |reason: &str| Error::File(sections.corrupt("header", reason));
        let [kind, order, rest @ ..] = &header[..] else {
            return Err(corrupt("is too short"));
        };
        let order = usize::try_from(*order).unwrap_or(usize::MAX);
        if !(1..=MAX_ORDER).contains(&order) || rest.len() < order {
            return Err(corrupt("has an impossible order"));
        }
        let (counts, shapes) = rest.split_at(order);
        let words = Words::from_sections(sections)?;
        let tables = match *kind {
            PROBING if shapes.len() == 3 * (order - 1) => {
                let probing = Probing::from_sections(sections, order, shapes)?;
                if probing.unigrams.len() != words.len() {
                    return Err(corrupt("counts as many words as there are not"));
                }
                Tables::Probing(probing)
            }
            COMPACT if shapes.is_empty() => {
                let compact = Compact::from_sections(sections, counts)?;
                if compact.unigrams.len() != words.len() {
                    return Err(corrupt("counts as many words as there are not"));
                }
                Tables::Compact(compact)
            }
            _ => return Err(corrupt("is of an unknown kind or length")),
        };
        if counts[0] != words.len() as u64 {
            return Err(corrupt("counts as many words as there are not"));
        }
        let model = Model::assemble(words, tables, counts.to_vec(), |reason| {
            Error::corrupt(sections.path(), reason)
        })?;
        Ok(Model {
            origin: Some(sections.clone()),
            ..model
        })
    }

    /// Are the contents of the model's file what was written? The first call waits until the whole
    /// file has been read; to be asked before an answer leaves.
    pub fn confirm(&self) -> chiasm_store::Result<()> {
        self.origin.as_ref().map_or(Ok(()), Sections::confirm)
    }

    /// Writes the model into a container, under whatever prefix the writer is.
    pub fn write_sections(&self, writer: &mut Writer) -> chiasm_store::Result<()> {
        // What is damaged must not get a checksum that says it is not.
        self.confirm()?;
        let (kind, shapes) = match &self.tables {
            Tables::Probing(probing) => (PROBING, probing.shapes()),
            Tables::Compact(_) => (COMPACT, Vec::new()),
        };
        let mut header = vec![kind, self.counts.len() as u64];
        header.extend_from_slice(&self.counts);
        header.extend(shapes);
        writer.array("header", &header)?;
        self.words.write_sections(writer)?;
        match &self.tables {
            Tables::Probing(probing) => probing.write_sections(writer),
            Tables::Compact(compact) => compact.write_sections(writer),
        }
    }

    /// Writes a binary model of its own.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let mut writer = Writer::create(path, KIND, VERSION)?;
        self.write_sections(&mut writer)?;
        Ok(writer.finish()?)
    }

    /// Bytes that a binary model with so many n-grams of each order and words of `spelling` bytes
    /// in all will have, to be known before it is built.
    pub fn estimate_bytes(counts: &[u64], spelling: u64, quantised: bool) -> u64 {
        let tables = if quantised {
            Compact::estimate_bytes(counts)
        } else {
            Probing::estimate_bytes(counts)
        };
        tables + Words::estimate_bytes(counts[0] as usize, spelling as usize)
    }

    /// The highest order of its n-grams.
    pub fn order(&self) -> usize {
        self.counts.len()
    }

    /// How many n-grams of each order.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// How many words, `<unk>`, `<s>` and `</s>` included.
    pub fn vocabulary_size(&self) -> usize {
        self.words.len()
    }

    /// The number of a word; 0 ([`UNKNOWN`]) if the model does not know it.
    #[inline]
    pub fn vocabulary_id(&self, word: &str) -> u32 {
        self.words.id(word.as_bytes())
    }

    #[inline]
    pub(crate) fn id_of_bytes(&self, word: &[u8]) -> u32 {
        self.words.id(word)
    }

    /// The word with a number; empty if there is none.
    pub fn word(&self, id: u32) -> &str {
        self.words.word(id)
    }

    /// The number of `<s>`.
    pub fn begin_of_sentence(&self) -> u32 {
        self.begin
    }

    /// The number of `</s>`.
    pub fn end_of_sentence(&self) -> u32 {
        self.end
    }

    /// The context at the beginning of a sentence: `<s>`.
    pub fn begin_sentence_state(&self) -> State {
        self.begin_state
    }

    /// No context at all.
    pub fn null_state(&self) -> State {
        State::empty()
    }

    /// Log10 of the probability of `word` after `state`; `next` becomes the state after it. A
    /// number that no word has counts as unknown.
    #[inline]
    pub fn score(&self, state: &State, word: u32, next: &mut State) -> f32 {
        self.score_and_length(state, word, next).0
    }

    /// The same with the length of the n-gram that was found: 1 for the word alone.
    #[inline]
    pub fn score_and_length(&self, state: &State, word: u32, next: &mut State) -> (f32, usize) {
        let word = if (word as usize) < self.words.len() {
            word
        } else {
            UNKNOWN
        };
        match &self.tables {
            Tables::Probing(probing) => search::score(probing, state, word, next),
            Tables::Compact(compact) => search::score(compact, state, word, next),
        }
    }

    #[inline]
    fn touch(&self, state: &State, word: u32) -> u32 {
        match &self.tables {
            Tables::Probing(probing) if (word as usize) < self.words.len() => {
                probing.touch_state(state, word)
            }
            _ => 0,
        }
    }

    /// Brings what scoring `words[from..]` will look at into the cache.
    #[inline]
    pub(crate) fn touch_text(&self, words: &[u32], from: usize) {
        if let Tables::Probing(probing) = &self.tables {
            let longest = self.order() - 1;
            let mut seen = 0;
            for at in from..words.len() {
                seen ^= probing.touch(&words[at.saturating_sub(longest)..at], words[at]);
            }
            std::hint::black_box(seen);
        }
    }

    /// Scores several words, each after a state of its own: the same as [`Model::score`] for each,
    /// but the tables are touched for many at a time, so that memory answers in parallel. Worth
    /// its while with models larger than the processor's caches.
    pub fn score_batch(
        &self,
        states: &[State],
        words: &[u32],
        next: &mut [State],
        scores: &mut [f32],
    ) {
        const TOGETHER: usize = 8;
        let count = states
            .len()
            .min(words.len())
            .min(next.len())
            .min(scores.len());
        for start in (0..count).step_by(TOGETHER) {
            let range = start..count.min(start + TOGETHER);
            let mut seen = 0;
            for index in range.clone() {
                seen ^= self.touch(&states[index], words[index]);
            }
            std::hint::black_box(seen);
            for index in range {
                scores[index] = self.score(&states[index], words[index], &mut next[index]);
            }
        }
    }

    /// Log10 of probability and back-off of an n-gram, if the model has it.
    pub fn ngram(&self, words: &[u32]) -> Option<(f32, f32)> {
        match &self.tables {
            Tables::Probing(probing) => search::ngram(probing, words, self.words.len()),
            Tables::Compact(compact) => search::ngram(compact, words, self.words.len()),
        }
    }

    /// Log10 of the probability of a whole sentence, from `<s>` to `</s>`.
    pub fn score_sentence(&self, words: &[u32]) -> f32 {
        let (mut state, mut next) = (self.begin_state, State::empty());
        let mut total = 0.0;
        for &word in words {
            total += self.score(&state, word, &mut next);
            std::mem::swap(&mut state, &mut next);
        }
        total + self.score(&state, self.end, &mut next)
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Model of order {} with {:?} n-grams",
            self.order(),
            self.counts
        )
    }
}
