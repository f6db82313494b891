//! Sentence pairs by number.

use crate::lexicon::Lexicon;
use crate::links::GoldLinks;
use crate::meaning::Meaning;
use crate::orientation::{GoldPhrase, gold_phrases};
use crate::random::Random;
use crate::side::Side;
use crate::{Language, arabic, compose, english, japanese};

/// A sentence with fewer or more words, full stop included, is thought up anew.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=40;
/// After so many times the last sentence is taken as it is: one in a hundred is rejected, so this is never reached.
const ATTEMPTS: u64 = 64;

/// A language pair, a seed and a vocabulary: all that sentences depend on.
#[derive(Debug)]
pub struct Generator {
    lexicon: Lexicon,
    seed: u64,
}

/// What one thread needs to generate without allocating.
#[derive(Default, Debug)]
pub(crate) struct Workspace {
    meaning: Meaning,
    pub source: Side,
    pub target: Side,
    pub links: GoldLinks,
    pub phrases: Vec<GoldPhrase>,
}

impl Generator {
    pub(crate) fn new(language: Language, seed: u64, vocabulary: u32) -> Self {
        Generator {
            lexicon: Lexicon::new(language, vocabulary),
            seed,
        }
    }

    pub(crate) fn lexicon(&self) -> &Lexicon {
        &self.lexicon
    }

    /// Sentence pair `index`.
    pub fn pair(&self, index: u64) -> SentencePair<'_> {
        let mut workspace = Workspace::default();
        self.generate(index, &mut workspace);
        let widen = |links: &[(u16, u16)]| {
            let links = links.iter();
            links.map(|&(s, t)| (u32::from(s), u32::from(t))).collect()
        };
        SentencePair {
            lexicon: &self.lexicon,
            source: workspace.source.words,
            target: workspace.target.words,
            links: widen(&workspace.links.sure),
            possible_links: widen(&workspace.links.possible),
            phrases: workspace.phrases,
        }
    }

    /// Sentence pairs 0, 1, 2 and so on, without end.
    pub fn pairs(&self) -> impl Iterator<Item = SentencePair<'_>> {
        (0..).map(|index| self.pair(index))
    }

    pub(crate) fn generate(&self, index: u64, workspace: &mut Workspace) {
        for attempt in 0..ATTEMPTS {
            let random = Random::new(self.seed, index, attempt);
            let mut composer = compose::Composer {
                lexicon: &self.lexicon,
                random,
                meaning: &mut workspace.meaning,
            };
            composer.sentence();
            english::Speaker::speak(&self.lexicon, &workspace.meaning, &mut workspace.target);
            match self.lexicon.language {
                Language::ArabicLike => {
                    arabic::Speaker::speak(
                        &self.lexicon,
                        &workspace.meaning,
                        &mut workspace.source,
                    );
                }
                Language::JapaneseLike => {
                    japanese::Speaker::speak(
                        &self.lexicon,
                        &workspace.meaning,
                        &mut workspace.source,
                    );
                }
            }
            if [&workspace.source, &workspace.target]
                .iter()
                .all(|side| LENGTHS.contains(&side.words.len()))
            {
                break;
            }
        }
        workspace.links.link(&workspace.source, &workspace.target);
        gold_phrases(&workspace.source, &workspace.target, &mut workspace.phrases);
    }
}

/// One sentence pair.
#[derive(Debug)]
pub struct SentencePair<'a> {
    lexicon: &'a Lexicon,
    source: Vec<u32>,
    target: Vec<u32>,
    links: Vec<(u32, u32)>,
    possible_links: Vec<(u32, u32)>,
    phrases: Vec<GoldPhrase>,
}

impl SentencePair<'_> {
    /// Source words.
    pub fn source(&self) -> impl Iterator<Item = &str> {
        self.source
            .iter()
            .map(|&word| self.lexicon.source.spelling(word))
    }

    /// Target words.
    pub fn target(&self) -> impl Iterator<Item = &str> {
        self.target
            .iter()
            .map(|&word| self.lexicon.english.spelling(word))
    }

    /// Source and target positions that say the same, from 0: the sure links.
    pub fn links(&self) -> &[(u32, u32)] {
        &self.links
    }

    /// Links that are neither demanded nor wrong: words of grammar without a counterpart of their own.
    pub fn possible_links(&self) -> &[(u32, u32)] {
        &self.possible_links
    }

    /// Gold phrases with their orientations, in target order.
    pub fn phrases(&self) -> &[GoldPhrase] {
        &self.phrases
    }

    /// The source sentence.
    pub fn source_text(&self) -> String {
        self.source().collect::<Vec<_>>().join(" ")
    }

    /// The target sentence.
    pub fn target_text(&self) -> String {
        self.target().collect::<Vec<_>>().join(" ")
    }

    /// The sure links in Pharaoh form.
    pub fn links_text(&self) -> String {
        let links: Vec<String> = self.links.iter().map(|(s, t)| format!("{s}-{t}")).collect();
        links.join(" ")
    }

    /// Sure links as `3-4`, then possible ones as `3p4`.
    pub fn gold_text(&self) -> String {
        let possible = self.possible_links.iter().map(|(s, t)| format!(" {s}p{t}"));
        self.links_text() + &possible.collect::<String>()
    }
}
