//! The lexicon of one language pair: hand-written words in the order of their frequency, and made-up ones behind them.

pub mod arabic_forms;
mod build;
pub mod class;
pub mod english_forms;
pub mod function_words;
pub mod japanese_forms;
mod modifiers;
mod nouns;
mod verbs;

use crate::Language;
use crate::meaning::Head;
use crate::random::{Random, Sampler};
use crate::words::Words;
use function_words::FunctionWords;
use rustc_hash::FxHashMap;
pub use verbs::CLAUSE;

/// No word.
pub const NO_WORD: u32 = u32::MAX;

/// A noun. Japanese has only the first form.
#[derive(Clone, Copy, Debug)]
pub struct Noun {
    /// Source forms.
    pub source: [u32; arabic_forms::noun::COUNT],
    /// English synonyms: singular and plural.
    pub english: [[u32; 2]; 2],
    /// How many of them.
    pub synonyms: u8,
    /// One of [`class`].
    pub class: u16,
    /// Grammatical gender.
    pub feminine: bool,
    /// No plural and no `a`.
    pub mass: bool,
}

/// A verb.
#[derive(Clone, Copy, Debug)]
pub struct Verb {
    /// Source forms: of [`arabic_forms::verb`] or [`japanese_forms::verb`].
    pub source: [u32; arabic_forms::verb::COUNT],
    /// The noun before suru, or [`NO_WORD`].
    pub source_prefix: u32,
    /// Preposition or particle of the object, or [`NO_WORD`].
    pub source_marker: u32,
    /// English synonyms: base, third person, past.
    pub english: [[u32; 3]; 2],
    /// How many of them.
    pub synonyms: u8,
    /// English preposition of the object, or [`NO_WORD`].
    pub english_marker: u32,
    /// Classes of the subject.
    pub subject: u16,
    /// Classes of the object.
    pub object: u16,
}

/// An adjective.
#[derive(Clone, Copy, Debug)]
pub struct Adjective {
    /// Arabic forms.
    pub source: [u32; arabic_forms::adjective::COUNT],
    /// Japanese words before a noun: where in [`Lexicon::sequences`].
    pub attributive: (u32, u32),
    /// Japanese words as a predicate.
    pub predicative: (u32, u32),
    /// Can be said with a copula.
    pub is_predicative: bool,
    /// English synonyms: plain and superlative ([`NO_WORD`] if it has none).
    pub english: [[u32; 2]; 2],
    /// How many of them.
    pub synonyms: u8,
}

/// A fixed expression: words with the part they say, as ranges of [`Lexicon::parts`].
#[derive(Clone, Copy, Debug)]
pub struct Fixed {
    /// Source words.
    pub source: (u32, u32),
    /// English words.
    pub english: (u32, u32),
    /// Tenses or another code.
    pub code: u8,
}

/// A name: source, English, feminine.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    /// Source word.
    pub source: u32,
    /// English word.
    pub english: u32,
    /// Of a woman; towns are feminine.
    pub feminine: bool,
}

/// Hand-written words first, then `invented` made-up ones, each drawn by rank.
#[derive(Debug, Default)]
pub struct Ranked {
    hand_written: Sampler,
    invented: Sampler,
    /// How many are hand-written.
    pub first_invented: u32,
    /// Share of draws that give a made-up word.
    share: f64,
}

impl Ranked {
    /// One of them.
    pub fn draw(&self, random: &mut Random) -> u32 {
        if !self.invented.is_empty() && random.chance(self.share) {
            self.first_invented + self.invented.draw(random)
        } else {
            self.hand_written.draw(random)
        }
    }
}

/// A choice among some of the hand-written words.
#[derive(Debug, Default)]
pub struct Choice {
    items: Vec<u32>,
    sampler: Sampler,
}

impl Choice {
    /// One of them; number 0 if there is none, which the tests of the lexicon rule out.
    pub fn draw(&self, random: &mut Random) -> u32 {
        if self.items.is_empty() {
            return 0;
        }
        self.items[self.sampler.draw(random) as usize]
    }
}

/// Everything that can be said.
#[derive(Debug)]
pub struct Lexicon {
    /// Which pair.
    pub language: Language,
    /// Spellings of the source side.
    pub source: Words,
    /// Spellings of the English side.
    pub english: Words,
    /// The Japanese particle o, which English has no word for; [`NO_WORD`] in Arabic.
    pub object_marker: u32,
    /// Articles, particles, auxiliaries.
    pub function: FunctionWords,
    /// All nouns.
    pub nouns: Vec<Noun>,
    /// All verbs.
    pub verbs: Vec<Verb>,
    /// All adjectives.
    pub adjectives: Vec<Adjective>,
    /// People.
    pub people: Vec<Name>,
    /// Towns and countries.
    pub towns: Vec<Name>,
    /// Numerals: English, source, source with masculine nouns.
    pub numerals: Vec<[u32; 3]>,
    /// When.
    pub times: Vec<Fixed>,
    /// How.
    pub manners: Vec<Fixed>,
    /// How often.
    pub frequencies: Vec<Fixed>,
    /// Where.
    pub places: Vec<Fixed>,
    /// and, because.
    pub connectives: Vec<Fixed>,
    /// Words of Japanese adjectives.
    pub sequences: Vec<u32>,
    /// Words of fixed expressions, each with its part.
    pub parts: Vec<(u32, u8)>,
    /// How people are drawn.
    pub people_by_rank: Ranked,
    /// How towns are drawn.
    pub towns_by_rank: Ranked,
    nouns_by_mask: FxHashMap<u16, Choice>,
    /// Made-up nouns go round the classes; this draws the round.
    invented_rounds: Sampler,
    first_invented_noun: u32,
    adjectives_by_class: Vec<Choice>,
    invented_adjectives: Sampler,
    first_invented_adjective: u32,
    verbs_by_role: FxHashMap<(Role, u16), Choice>,
    invented_verbs: Sampler,
    first_invented_verb: u32,
    times_by_tense: [Choice; 3],
    ranks: FxHashMap<usize, Sampler>,
}

/// What a noun is to the verb that is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// Verbs with an object, for any subject.
    Transitive,
    /// Verbs without.
    Intransitive,
    /// Verbs with a clause.
    Speech,
    /// Transitive verbs whose subject can be of the class.
    SubjectOf,
    /// Transitive verbs whose object can be of the class.
    ObjectOf,
}

const CLASSES: u32 = 12;
/// How often a made-up word is taken where there are any.
const INVENTED_NOUNS: f64 = 0.25;
const INVENTED_NAMES: f64 = 0.5;
const INVENTED_ADJECTIVES: f64 = 0.2;
const INVENTED_VERBS: f64 = 0.1;

impl Lexicon {
    /// The lexicon with `vocabulary` made-up words.
    pub fn new(language: Language, vocabulary: u32) -> Self {
        build::build(language, vocabulary)
    }

    /// Is it someone?
    pub fn is_person(&self, head: Head) -> bool {
        match head {
            Head::Noun(noun) => self.nouns[noun as usize].class == class::PERSON,
            Head::Person(_) | Head::Pronoun { .. } => true,
            Head::Town(_) => false,
        }
    }

    /// The source words of a fixed expression, each with the part that it says.
    pub fn source_parts(&self, table: &[Fixed], entry: u32) -> &[(u32, u8)] {
        let (from, to) = table[entry as usize].source;
        &self.parts[from as usize..to as usize]
    }

    /// A noun of one of these classes.
    pub fn draw_noun(&self, mask: u16, random: &mut Random) -> u32 {
        if !self.invented_rounds.is_empty() && random.chance(INVENTED_NOUNS) {
            let class = nth_bit(mask, random.below(mask.count_ones()));
            let round = self.invented_rounds.draw(random);
            return self.first_invented_noun + round * CLASSES + class;
        }
        match self.nouns_by_mask.get(&mask) {
            Some(choice) => choice.draw(random),
            None => 0,
        }
    }

    /// An adjective that goes with a noun of this class.
    pub fn draw_adjective(&self, class: u16, random: &mut Random) -> u32 {
        if !self.invented_adjectives.is_empty() && random.chance(INVENTED_ADJECTIVES) {
            return self.first_invented_adjective + self.invented_adjectives.draw(random);
        }
        self.adjectives_by_class[class.trailing_zeros() as usize].draw(random)
    }

    /// A verb; `class` is 0 where the role asks for none.
    pub fn draw_verb(&self, role: Role, class: u16, random: &mut Random) -> u32 {
        let transitive = !matches!(role, Role::Intransitive | Role::Speech);
        let fits = role != Role::SubjectOf || class & class::AGENT != 0;
        let invented = transitive && fits && !self.invented_verbs.is_empty();
        if invented && random.chance(INVENTED_VERBS) {
            return self.first_invented_verb + self.invented_verbs.draw(random);
        }
        match self.verbs_by_role.get(&(role, class)) {
            Some(choice) => choice.draw(random),
            None => 0,
        }
    }

    /// A time that goes with the tense.
    pub fn draw_time(&self, tense: crate::meaning::Tense, random: &mut Random) -> u32 {
        self.times_by_tense[tense.bit().trailing_zeros() as usize].draw(random)
    }

    /// A number under `count`, small ones more often.
    pub fn draw_rank(&self, count: usize, random: &mut Random) -> u32 {
        match self.ranks.get(&count) {
            Some(sampler) => sampler.draw(random),
            None => 0,
        }
    }
}

fn nth_bit(mut mask: u16, n: u32) -> u32 {
    for _ in 0..n {
        mask &= mask - 1;
    }
    mask.trailing_zeros()
}
