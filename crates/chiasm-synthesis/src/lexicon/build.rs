//! From the hand-written tables, and the rules of inflection, to numbered word forms.

mod invented;

use super::class::ANY;
use super::function_words::FunctionWords;
use super::modifiers::{
    ADJECTIVES, ARABIC_PEOPLE, AdjectiveEntry, CONNECTIVES, ExpressionEntry, FREQUENCIES,
    JAPANESE_PEOPLE, MANNERS, NUMERALS, PLACES, TIMES, TOWNS,
};
use super::nouns::{NOUNS, NounEntry};
use super::verbs::{Conjugation, VERBS, VerbEntry};
use super::{
    Adjective, CLASSES, CLAUSE, Choice, Fixed, INVENTED_NAMES, Lexicon, NO_WORD, Name, Noun,
    Ranked, Role, Verb, arabic_forms, class, english_forms, japanese_forms,
};
use crate::Language;
use crate::random::Sampler;
use crate::words::Words;
use invented::{Shares, Stems};
use rustc_hash::FxHashMap;

/// Exponent and shift of the law by which hand-written words are drawn.
const HAND_WRITTEN: (f64, f64) = (1.0, 2.7);
/// The same of made-up words: the tail of a real vocabulary is steeper than its head, and the vocabulary of n words
/// then grows as n^(1/1.5) (Heaps' law with exponent 0.67).
const INVENTED: (f64, f64) = (1.5, 4.0);

pub(super) fn build(language: Language, vocabulary: u32) -> Lexicon {
    let (mut source, mut english) = (Words::new(), Words::new());
    let function = FunctionWords::new(language, &mut source, &mut english);
    let mut builder = Builder {
        language,
        source,
        english,
        sequences: Vec::new(),
        parts: Vec::new(),
    };
    let mut nouns: Vec<Noun> = NOUNS.iter().map(|entry| builder.noun(entry)).collect();
    let mut verbs: Vec<Verb> = VERBS.iter().map(|entry| builder.verb(entry)).collect();
    let mut adjectives: Vec<Adjective> = ADJECTIVES.iter().map(|e| builder.adjective(e)).collect();
    let mut people = builder.people();
    let mut towns = builder.towns();
    let numerals = builder.numerals();
    let mut fixed = |table: &[ExpressionEntry]| -> Vec<Fixed> {
        table.iter().map(|entry| builder.fixed(entry)).collect()
    };
    let (times, manners, frequencies) = (fixed(TIMES), fixed(MANNERS), fixed(FREQUENCIES));
    let (places, connectives) = (fixed(PLACES), fixed(CONNECTIVES));

    let object_marker = match language {
        Language::ArabicLike => NO_WORD,
        Language::JapaneseLike => builder.source.intern("o"),
    };
    let shares = Shares::of(vocabulary);
    let first = [
        nouns.len(),
        verbs.len(),
        adjectives.len(),
        people.len(),
        towns.len(),
    ]
    .map(|n| n as u32);
    let mut stems = Stems::new(language);
    for number in 0..shares.nouns {
        nouns.push(builder.invented_noun(&mut stems, number % CLASSES));
    }
    for _ in 0..shares.verbs {
        verbs.push(builder.invented_verb(&mut stems));
    }
    for _ in 0..shares.adjectives {
        adjectives.push(builder.invented_adjective(&mut stems));
    }
    for number in 0..shares.people {
        people.push(builder.invented_name(&mut stems, number % 3 == 0));
    }
    for _ in 0..shares.towns {
        towns.push(builder.invented_name(&mut stems, true));
    }
    let invented = |count: u32| Sampler::zipf(count as usize, INVENTED.0, INVENTED.1);
    let ranked = |first_invented: u32, count: u32| Ranked {
        hand_written: Sampler::zipf(first_invented as usize, HAND_WRITTEN.0, HAND_WRITTEN.1),
        invented: invented(count),
        first_invented,
        share: INVENTED_NAMES,
    };
    let ranks = [
        manners.len(),
        frequencies.len(),
        places.len(),
        connectives.len(),
        numerals.len(),
    ];
    Lexicon {
        language,
        function,
        object_marker,
        nouns_by_mask: nouns_by_mask(&nouns[..first[0] as usize]),
        invented_rounds: invented(shares.nouns / CLASSES),
        first_invented_noun: first[0],
        adjectives_by_class: adjectives_by_class(),
        invented_adjectives: invented(shares.adjectives),
        first_invented_adjective: first[2],
        verbs_by_role: verbs_by_role(),
        invented_verbs: invented(shares.verbs),
        first_invented_verb: first[1],
        times_by_tense: [1, 2, 4].map(|tense| choice(TIMES, |entry| entry.tenses & tense != 0)),
        people_by_rank: ranked(first[3], shares.people),
        towns_by_rank: ranked(first[4], shares.towns),
        ranks: ranks
            .into_iter()
            .map(|count| (count, Sampler::zipf(count, HAND_WRITTEN.0, HAND_WRITTEN.1)))
            .collect(),
        source: builder.source,
        english: builder.english,
        sequences: builder.sequences,
        parts: builder.parts,
        nouns,
        verbs,
        adjectives,
        people,
        towns,
        numerals,
        times,
        manners,
        frequencies,
        places,
        connectives,
    }
}

struct Builder {
    language: Language,
    source: Words,
    english: Words,
    sequences: Vec<u32>,
    parts: Vec<(u32, u8)>,
}

impl Builder {
    fn noun(&mut self, entry: &NounEntry) -> Noun {
        let mut source = [NO_WORD; arabic_forms::noun::COUNT];
        match self.language {
            Language::ArabicLike => {
                let forms = arabic_forms::noun_forms(entry.arabic, entry.arabic_plural);
                source = forms.map(|form| self.source.intern(&form));
            }
            Language::JapaneseLike => source[0] = self.source.intern(entry.japanese),
        }
        let (mass, spelled) = match entry.english.strip_prefix('~') {
            Some(rest) => (true, rest),
            None => (false, entry.english),
        };
        let mut english = [[NO_WORD; 2]; 2];
        let mut synonyms = 0;
        for (slot, spelling) in english.iter_mut().zip(spelled.split('/')) {
            let (singular, plural) = spelling.split_once(':').unwrap_or((spelling, ""));
            let plural = irregular(plural, || english_forms::plural(singular));
            *slot = [self.english.intern(singular), self.english.intern(&plural)];
            synonyms += 1;
        }
        let ta_marbuta = entry.arabic.ends_with('ة');
        Noun {
            source,
            english,
            synonyms,
            class: entry.class,
            feminine: entry.feminine || ta_marbuta || entry.arabic == "امرأة",
            mass,
        }
    }

    fn verb(&mut self, entry: &VerbEntry) -> Verb {
        let mut source = [NO_WORD; arabic_forms::verb::COUNT];
        let mut source_prefix = NO_WORD;
        let marker = match self.language {
            Language::ArabicLike => {
                let forms = arabic_forms::verb_forms(
                    entry.arabic_past,
                    entry.arabic_present,
                    entry.arabic_jussive,
                );
                source = forms.map(|form| self.source.intern(&form));
                entry.arabic_preposition
            }
            Language::JapaneseLike => {
                let forms = japanese_forms::verb_forms(entry.japanese, entry.conjugation);
                for (slot, form) in source.iter_mut().zip(&forms) {
                    *slot = self.source.intern(form);
                }
                if entry.conjugation == Conjugation::Suru {
                    source_prefix = self.source.intern(entry.japanese);
                }
                entry.particle
            }
        };
        let mut english = [[NO_WORD; 3]; 2];
        let mut synonyms = 0;
        for (slot, spelling) in english.iter_mut().zip(entry.english.split('/')) {
            let (base, past) = spelling.split_once(':').unwrap_or((spelling, ""));
            let past = irregular(past, || english_forms::past(base));
            let third = english_forms::third_person(base);
            *slot = [base, &third, &past].map(|form| self.english.intern(form));
            synonyms += 1;
        }
        Verb {
            source,
            source_prefix,
            source_marker: optional(&mut self.source, marker),
            english,
            synonyms,
            english_marker: optional(&mut self.english, entry.english_preposition),
            subject: entry.subject,
            object: entry.object,
        }
    }

    fn adjective(&mut self, entry: &AdjectiveEntry) -> Adjective {
        let mut source = [NO_WORD; arabic_forms::adjective::COUNT];
        let (mut attributive, mut predicative, mut is_predicative) = ((0, 0), (0, 0), true);
        match self.language {
            Language::ArabicLike => {
                let forms =
                    arabic_forms::adjective_forms(entry.arabic, entry.arabic_plural, entry.elative);
                source = forms.map(|form| optional(&mut self.source, &form));
            }
            Language::JapaneseLike => {
                attributive = self.sequence(entry.japanese);
                match japanese_forms::predicative(entry.japanese) {
                    Some(form) => predicative = self.sequence(&form),
                    None => is_predicative = false,
                }
            }
        }
        let mut english = [[NO_WORD; 2]; 2];
        let mut synonyms = 0;
        let superlatives: Vec<&str> = entry.superlative.split('/').collect();
        for (number, (slot, plain)) in english.iter_mut().zip(entry.english.split('/')).enumerate()
        {
            let superlative = superlatives.get(number).or(superlatives.first());
            let superlative = optional(&mut self.english, superlative.copied().unwrap_or(""));
            *slot = [self.english.intern(plain), superlative];
            synonyms += 1;
        }
        Adjective {
            source,
            attributive,
            predicative,
            is_predicative,
            english,
            synonyms,
        }
    }

    fn sequence(&mut self, words: &str) -> (u32, u32) {
        let start = self.sequences.len() as u32;
        for word in words.split(' ') {
            let number = self.source.intern(word);
            self.sequences.push(number);
        }
        (start, self.sequences.len() as u32)
    }

    fn people(&mut self) -> Vec<Name> {
        let table = match self.language {
            Language::ArabicLike => ARABIC_PEOPLE,
            Language::JapaneseLike => JAPANESE_PEOPLE,
        };
        let name = |&(source, english, feminine): &(&str, &str, bool)| Name {
            source: self.source.intern(source),
            english: self.english.intern(english),
            feminine,
        };
        table.iter().map(name).collect()
    }

    fn towns(&mut self) -> Vec<Name> {
        let name = |&(english, arabic, japanese): &(&str, &str, &str)| Name {
            source: self.source.intern(match self.language {
                Language::ArabicLike => arabic,
                Language::JapaneseLike => japanese,
            }),
            english: self.english.intern(english),
            feminine: true,
        };
        TOWNS.iter().map(name).collect()
    }

    fn numerals(&mut self) -> Vec<[u32; 3]> {
        let numeral = |&(english, feminine, masculine, japanese): &(&str, &str, &str, &str)| {
            let english = self.english.intern(english);
            match self.language {
                Language::ArabicLike => [
                    english,
                    self.source.intern(feminine),
                    self.source.intern(masculine),
                ],
                Language::JapaneseLike => [english, self.source.intern(japanese), NO_WORD],
            }
        };
        NUMERALS.iter().map(numeral).collect()
    }

    fn fixed(&mut self, entry: &ExpressionEntry) -> Fixed {
        let source = match self.language {
            Language::ArabicLike => entry.arabic,
            Language::JapaneseLike => entry.japanese,
        };
        Fixed {
            source: parts(&mut self.parts, &mut self.source, self.language, source),
            english: parts(
                &mut self.parts,
                &mut self.english,
                self.language,
                entry.english,
            ),
            code: entry.tenses,
        }
    }
}

fn irregular(given: &str, regular: impl Fn() -> String) -> String {
    if given.is_empty() {
        regular()
    } else {
        given.to_string()
    }
}

fn optional(words: &mut Words, form: &str) -> u32 {
    if form.is_empty() {
        NO_WORD
    } else {
        words.intern(form)
    }
}

/// Reads `last:0 year:1`, and of two numbers the one for this language.
fn parts(
    all: &mut Vec<(u32, u8)>,
    words: &mut Words,
    language: Language,
    text: &str,
) -> (u32, u32) {
    let start = all.len() as u32;
    for item in text.split(' ') {
        let (word, numbers) = item.split_once(':').unwrap_or((item, "0"));
        let number = match language {
            Language::ArabicLike => numbers.bytes().next(),
            Language::JapaneseLike => numbers.bytes().last(),
        };
        all.push((words.intern(word), number.unwrap_or(b'0') - b'0'));
    }
    (start, all.len() as u32)
}

/// A choice among those entries that are wanted, by rank among them.
fn choice<T>(table: &[T], wanted: impl Fn(&T) -> bool) -> Choice {
    let items: Vec<u32> = (0..table.len() as u32)
        .filter(|&index| wanted(&table[index as usize]))
        .collect();
    let sampler = Sampler::zipf(items.len(), HAND_WRITTEN.0, HAND_WRITTEN.1);
    Choice { items, sampler }
}

/// For every mask that anything asks for.
fn nouns_by_mask(nouns: &[Noun]) -> FxHashMap<u16, Choice> {
    let mut masks: Vec<u16> = VERBS.iter().flat_map(|v| [v.subject, v.object]).collect();
    masks.extend([
        class::PLACE,
        class::PERSON,
        class::AGENT,
        ANY,
        crate::compose::OWNERS,
        crate::compose::SITES,
    ]);
    masks.extend((0..CLASSES).map(|bit| 1 << bit));
    masks
        .into_iter()
        .filter(|&mask| mask != 0 && mask != CLAUSE)
        .map(|mask| (mask, choice(nouns, |noun| noun.class & mask != 0)))
        .collect()
}

fn adjectives_by_class() -> Vec<Choice> {
    (0..CLASSES)
        .map(|bit| choice(ADJECTIVES, |entry| entry.class & (1 << bit) != 0))
        .collect()
}

fn verbs_by_role() -> FxHashMap<(Role, u16), Choice> {
    let takes_object = |v: &VerbEntry| v.object != 0 && v.object != CLAUSE;
    let mut roles = FxHashMap::default();
    roles.insert((Role::Transitive, 0), choice(VERBS, takes_object));
    roles.insert((Role::Intransitive, 0), choice(VERBS, |v| v.object == 0));
    roles.insert((Role::Speech, 0), choice(VERBS, |v| v.object == CLAUSE));
    for bit in 0..CLASSES {
        let class = 1 << bit;
        let subject = choice(VERBS, |v| takes_object(v) && v.subject & class != 0);
        // A relative clause on the object must not leave a preposition behind.
        let object = choice(VERBS, |v| {
            let plain = v.english_preposition.is_empty() && v.arabic_preposition.is_empty();
            takes_object(v) && plain && v.particle == "o" && v.object & class != 0
        });
        roles.insert((Role::SubjectOf, class), subject);
        roles.insert((Role::ObjectOf, class), object);
    }
    roles
}
