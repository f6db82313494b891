//! How a model is made: its size and how it is trained.

use crate::{Error, Result, Shape};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How large a model is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Size {
    /// By the number of sentence pairs.
    Auto,
    /// For up to some thousand sentence pairs.
    Tiny,
    /// For more.
    Small,
    /// On request only: ten times the time, and nobody has measured what it brings.
    Base,
}

impl Size {
    /// All of them with their names.
    pub const NAMES: [(&'static str, Size); 4] = [
        ("auto", Size::Auto),
        ("tiny", Size::Tiny),
        ("small", Size::Small),
        ("base", Size::Base),
    ];

    /// What it means for so many sentence pairs.
    fn chosen(self, pairs: usize) -> Size {
        match self {
            Size::Auto if pairs < 4_000 => Size::Tiny,
            Size::Auto => Size::Small,
            size => size,
        }
    }

    /// Width, inner width, layers of each side, subwords of source and target at most.
    fn numbers(self) -> (usize, usize, usize, [usize; 2]) {
        match self {
            Size::Tiny => (64, 256, 2, [1_500, 1_000]),
            Size::Auto | Size::Small => (128, 512, 2, [4_000, 3_000]),
            Size::Base => (256, 1024, 3, [8_000, 8_000]),
        }
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let found = Size::NAMES.iter().find(|(name, _)| *name == text);
        let size = found.map(|&(_, size)| size);
        size.ok_or_else(|| format!("'{text}' is none of auto, tiny, small, base"))
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = Size::NAMES.iter().find(|(_, size)| size == self);
        f.write_str(named.map_or("", |(name, _)| name))
    }
}

/// Steps a square root of target subwords.
const STEPS: f64 = 16.0;
/// From so many target subwords on a small model forgets little of what it is taught, and less is dropped.
const PLENTY: usize = 750_000;
/// What is dropped while training, of little text and of much.
const DROPOUT: [f32; 2] = [0.2, 0.1];

/// How a model is trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// How large it is.
    pub size: Size,
    /// Steps at most; 0 is by the amount of text.
    pub steps: usize,
    /// Target subwords of a step.
    pub batch: usize,
    /// The share of numbers that is dropped while training, if it is not to be by the amount of text.
    pub dropout: Option<f32>,
    /// The share of probability that all subwords are to have in common.
    pub label_smoothing: f32,
    /// The learning rate after the warm-up; from there it falls.
    pub learning_rate: f32,
    /// Steps in which it grows.
    pub warm_up: usize,
    /// Looks at the held-out text without a better likelihood after which training ends.
    pub patience: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// Bytes of memory that may be used.
    pub memory: u64,
}

impl Recipe {
    /// Can one train so?
    pub fn check(&self) -> Result<()> {
        let complain = |name: &'static str, reason: String| Err(Error::Setting { name, reason });
        for (name, count) in [("batch", self.batch), ("patience", self.patience)] {
            if count == 0 {
                return complain(name, "at least 1 expected".into());
            }
        }
        for (name, share) in [
            ("dropout", self.dropout.unwrap_or(0.0)),
            ("label_smoothing", self.label_smoothing),
        ] {
            if !(0.0..=0.9).contains(&share) {
                return complain(name, format!("{share} is not between 0 and 0.9"));
            }
        }
        let rate = self.learning_rate;
        if !(rate > 0.0 && rate <= 1.0) {
            return complain("learning_rate", format!("{rate} is not between 0 and 1"));
        }
        Ok(())
    }

    /// Is there memory for the smallest model of this size? What a text needs beyond that is known when it has been read.
    pub fn check_memory(&self) -> Result<()> {
        let shape = self.shape(0, [1, 1]);
        crate::training::room_for_text(&shape, self).map(|_| ())
    }

    /// Steps for so many target subwords: more text wants more steps, but not in proportion.
    pub(crate) fn steps(&self, subwords: usize) -> usize {
        match self.steps {
            0 => (STEPS * (subwords as f64).sqrt()).ceil() as usize,
            steps => steps,
        }
    }

    /// What is dropped for so many target subwords.
    pub(crate) fn dropout(&self, subwords: usize) -> f32 {
        let [little, much] = DROPOUT;
        let usual = if subwords < PLENTY { little } else { much };
        self.dropout.unwrap_or(usual)
    }

    /// Source and target subwords at most, for so many pairs.
    pub(crate) fn pieces(&self, pairs: usize) -> [usize; 2] {
        self.size.chosen(pairs).numbers().3
    }

    /// The shape for so many pairs and so many subwords of source and target.
    pub(crate) fn shape(&self, pairs: usize, pieces: [usize; 2]) -> Shape {
        let (width, inner, layers, _) = self.size.chosen(pairs).numbers();
        Shape {
            width,
            inner,
            heads: 4,
            encoder_layers: layers,
            decoder_layers: layers,
            source_pieces: pieces[0],
            target_pieces: pieces[1],
        }
    }
}
