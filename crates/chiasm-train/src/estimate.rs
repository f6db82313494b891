//! What training is expected to take, said before it begins: the text is counted, and each stage costs so much a word, or a pair of words,
//! of it. The rates were measured on two threads with the default settings on Japanese-English (45,175 pairs) and German-English (74,195).

use crate::input::{Next, PairReader};
use crate::settings::Settings;
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

fn cost(seconds: f64, bytes: f64, disk: f64) -> Cost {
    Cost {
        seconds,
        bytes: PROGRAM + bytes,
        disk,
    }
}
