//! What training is expected to take, said before it begins: the text is counted, and each stage costs so much a word, or a pair of words,
//! of it. The rates were measured on two threads with the default settings on Japanese-English (45,175 pairs) and German-English (74,195).

use crate::input::{Next, PairReader};
use crate::settings::{ReorderingSettings, Settings};
use crate::{Request, Result};
use chiasm_align::Preset;

/// What matters about a text.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// Sentence pairs that are short enough to be trained on.
    pub pairs: f64,
    /// Their source words.
    pub source: f64,
    /// Their target words.
    pub target: f64,
    /// Pairs of a source and a target word of the same sentence pair, which alignment holds.
    pub cells: f64,
}

/// What a stage takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Processor time, all threads together.
    pub seconds: f64,
    /// Memory at its peak, mapped files that are in use included.
    pub bytes: f64,
    /// What stays on disk.
    pub disk: f64,
}

/// Letters that make a word where no spaces do.
const LETTERS_A_WORD: usize = 2;
/// Tokens that tokenising makes of what stands between spaces.
const TOKENS_A_WORD: f64 = 1.2;

impl Size {
    /// Counts the training text once.
    pub fn of(request: &Request) -> Result<Self> {
        let most = request.settings.text.max_length as f64;
        let languages = request.raw.languages.as_ref();
        let sides = languages.map(|(source, target)| [source.as_str(), target.as_str()]);
        let words = |text: &str, side: usize| -> f64 {
            match sides.map(|sides| is_without_spaces(sides[side])) {
                None => chiasm_text::tokens(text).count() as f64,
                Some(true) => (text.chars().count() / LETTERS_A_WORD) as f64,
                Some(false) => text.split_whitespace().count() as f64 * TOKENS_A_WORD,
            }
        };
        let mut size = Size::default();
        let mut reader = PairReader::open(&request.raw.input)?;
        loop {
            let pair = match reader.next_pair()? {
                Next::End => return Ok(size),
                Next::Invalid(_) => continue,
                Next::Pair(pair) => pair,
            };
            let (source, target) = (words(&pair.source, 0), words(&pair.target, 1));
            if source.max(target) <= most {
                size.pairs += 1.0;
                size.source += source;
                size.target += target;
                size.cells += source * target;
            }
        }
    }

    fn words(&self) -> f64 {
        self.source + self.target
    }
}

fn is_without_spaces(language: &str) -> bool {
    let codes = ["zh", "ja", "th", "lo", "km", "my", "yue", "wuu"];
    codes.iter().any(|code| language.starts_with(code))
}

/// What every process takes, whatever it does.
const PROGRAM: f64 = 40e6;

/// The cost of each stage: so much a unit of what it works on.
impl Size {
    /// Reading, cleaning, casing: the pairs are held as text.
    pub fn text(&self) -> Cost {
        cost(
            0.5e-6 * self.words(),
            50.0 * self.words(),
            5.0 * self.words(),
        )
    }

    /// Word alignment.
    pub fn links(&self, settings: &Settings) -> Cost {
        let choice = crate::alignment::choice(settings, self.pairs as usize);
        let (cells, words) = (self.cells as u64, self.words() as u64);
        let bytes = chiasm_align::memory_plan(cells, words, &choice);
        let steps = chiasm_align::passes(&choice) as f64 * self.cells;
        let alignments = match settings.align.preset {
            Preset::Fast => 1.0,
            _ => settings.align.alignments as f64,
        };
        let held = bytes as f64 + 30.0 * self.words();
        let written = 5.0 * alignments * self.words() / 2.0;
        cost(1.9e-8 * steps, held, written)
    }

    /// A language model of so many orders over the target side, of words or of classes.
    pub fn language_model(&self, order: usize) -> Cost {
        let ngrams = self.target * order as f64;
        cost(0.2e-6 * ngrams, 40.0 * ngrams, 9.0 * ngrams)
    }

    /// Classes of the words of one side.
    pub fn classes(&self) -> Cost {
        cost(2.2e-6 * self.target, 60.0 * self.target, 0.5 * self.target)
    }

    /// A learned model of orientation.
    pub fn moves(&self) -> Cost {
        cost(
            2.0e-5 * self.words(),
            560.0 * self.words(),
            10.0 * self.words(),
        )
    }

    /// Models of operation sequences: about as many operations as words, and their n-grams.
    pub fn operations(&self, settings: &ReorderingSettings) -> Cost {
        let models = 1.0 + f64::from(settings.operation_classes > 0);
        let ngrams = 1.3 * self.target * settings.operations as f64 * models;
        cost(0.4e-6 * ngrams, 60.0 * ngrams, 9.0 * ngrams)
    }

    /// Phrase pairs of all alignments, counted and packed; also the size of the system.
    pub fn system(&self, settings: &Settings) -> Cost {
        let sorted = 420.0 * self.words();
        let budget = settings.memory.0 as f64;
        cost(
            5.0e-6 * self.words(),
            sorted.min(budget),
            self.system_bytes(),
        )
    }

    fn system_bytes(&self) -> f64 {
        120.0 * self.words()
    }

    /// Translating sentences of the development set for each candidate of the distortion limit.
    pub fn jumps(&self, settings: &Settings) -> Cost {
        let sentences = 300.0 * settings.search.distortion_limits.len() as f64;
        let popped = sentences * self.sentence() * settings.tune.pop_limit as f64;
        cost(0.45e-6 * popped, self.system_bytes() + 150e6, 0.0)
    }

    /// Translating so many other sentences.
    pub fn translate(&self, settings: &Settings, sentences: usize) -> Cost {
        let popped = sentences as f64 * self.sentence() * settings.search.pop_limit as f64;
        cost(0.45e-6 * popped, self.system_bytes() + 150e6, 0.0)
    }

    /// Rounds of n-best lists of the development set, one more than there are new weights; the lists add up.
    pub fn tune(&self, settings: &Settings) -> Cost {
        let tune = &settings.tune;
        let rounds = tune.iterations as f64 + 1.0;
        let sentences = rounds * (tune.sentences as f64).min(self.pairs);
        let popped = sentences * self.sentence() * tune.pop_limit as f64;
        let entries = sentences * tune.nbest as f64 * self.target / self.pairs.max(1.0);
        // The lists are kept without their derivations.
        let held = self.system_bytes() + 30.0 * entries;
        cost(0.8e-6 * popped, held, self.system_bytes())
    }

    /// The joint model, whose examples grow with the square root of the text.
    pub fn joint(&self, settings: &Settings) -> Cost {
        // Distinct words that come more than once: between 6 and 36 times the root on four corpora.
        let distinct = |all: f64| (20.0 * all.sqrt()).min(settings.joint.words as f64);
        let words = distinct(self.source) + distinct(self.target);
        cost(
            0.35 * self.target.sqrt(),
            40.0 * self.words() + 6e3 * words,
            4e2 * words,
        )
    }

    /// The ranker, whose steps grow with the square root of the text.
    pub fn ranker(&self) -> Cost {
        cost(1.0 * self.words().sqrt(), 80.0 * self.words(), 10e6)
    }

    /// Lists of the development set, ranked again.
    pub fn ranking(&self, settings: &Settings) -> Cost {
        let sentences = (settings.tune.sentences as f64).min(self.pairs);
        cost(0.02 * sentences, 40.0 * self.words(), 1e6)
    }

    /// Source words of a sentence.
    fn sentence(&self) -> f64 {
        self.source / self.pairs.max(1.0)
    }
}

fn cost(seconds: f64, bytes: f64, disk: f64) -> Cost {
    Cost {
        seconds,
        bytes: PROGRAM + bytes,
        disk,
    }
}
