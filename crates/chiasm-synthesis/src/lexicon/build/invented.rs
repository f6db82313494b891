//! Made-up words and all their forms.

use super::Builder;
use crate::Language;
use crate::invention::Sounds;
use crate::lexicon::class::{AGENT, ANY};
use crate::lexicon::verbs::Conjugation;
use crate::lexicon::{
    Adjective, CLASSES, NO_WORD, Name, Noun, Verb, arabic_forms, english_forms, japanese_forms,
};
use crate::words::Words;

/// How many made-up words of each kind; together as many as were asked for.
pub(super) struct Shares {
    pub(super) nouns: u32,
    pub(super) verbs: u32,
    pub(super) adjectives: u32,
    pub(super) people: u32,
    pub(super) towns: u32,
}

impl Shares {
    pub(super) fn of(vocabulary: u32) -> Self {
        let (verbs, adjectives) = (vocabulary / 8, vocabulary / 12);
        let people = vocabulary / 10;
        // Nouns come in whole rounds of the classes; towns take what is left.
        let nouns = (vocabulary - verbs - adjectives - 2 * people) / CLASSES * CLASSES;
        Shares {
            nouns,
            verbs,
            adjectives,
            people,
            towns: vocabulary - verbs - adjectives - people - nouns,
        }
    }
}

/// Made-up stems, none of them a hand-written word.
pub(super) struct Stems {
    source: (Sounds, u64, String),
    english: (Sounds, u64, String),
}

impl Stems {
    pub(super) fn new(language: Language) -> Self {
        Stems {
            source: (Sounds::source(language), 0, String::new()),
            english: (Sounds::english(), 0, String::new()),
        }
    }

    fn advance(&mut self, builder: &Builder) {
        for ((sounds, number, word), words) in [
            (&mut self.source, &builder.source),
            (&mut self.english, &builder.english),
        ] {
            loop {
                sounds.write(*number, word);
                *number += 1;
                if !words.contains(word) {
                    break;
                }
            }
        }
    }
}

impl Builder {
    pub(super) fn invented_noun(&mut self, stems: &mut Stems, class: u32) -> Noun {
        stems.advance(self);
        let (stem, english) = (&stems.source.2, &stems.english.2);
        let mut source = [NO_WORD; arabic_forms::noun::COUNT];
        // Every third noun is feminine, as the ending shows.
        let feminine = self.language == Language::ArabicLike && stem.len() % 3 == 0;
        match self.language {
            Language::ArabicLike => {
                let singular = if feminine {
                    format!("{stem}ة")
                } else {
                    stem.clone()
                };
                let forms = arabic_forms::noun_forms(&singular, &format!("{stem}ات"));
                source = push_forms(&mut self.source, &forms);
            }
            Language::JapaneseLike => source[0] = self.source.push(stem),
        }
        let plural = english_forms::plural(english);
        Noun {
            source,
            english: [
                [self.english.push(english), self.english.push(&plural)],
                [NO_WORD; 2],
            ],
            synonyms: 1,
            class: 1 << class,
            feminine,
            mass: false,
        }
    }

    pub(super) fn invented_verb(&mut self, stems: &mut Stems) -> Verb {
        stems.advance(self);
        let (stem, english) = (&stems.source.2, &stems.english.2);
        let mut source = [NO_WORD; arabic_forms::verb::COUNT];
        let (mut source_prefix, mut source_marker) = (NO_WORD, NO_WORD);
        match self.language {
            Language::ArabicLike => {
                let forms =
                    arabic_forms::verb_forms(stem, &format!("ي{stem}"), &format!("ي{stem}"));
                source = push_forms(&mut self.source, &forms);
            }
            Language::JapaneseLike => {
                let forms = japanese_forms::verb_forms(stem, Conjugation::Suru);
                for (slot, form) in source.iter_mut().zip(&forms) {
                    *slot = self.source.intern(form);
                }
                source_prefix = self.source.push(stem);
                source_marker = self.source.intern("o");
            }
        }
        let forms = [
            english.clone(),
            english_forms::third_person(english),
            english_forms::past(english),
        ];
        Verb {
            source,
            source_prefix,
            source_marker,
            english: [forms.map(|form| self.english.push(&form)), [NO_WORD; 3]],
            synonyms: 1,
            english_marker: NO_WORD,
            subject: AGENT,
            object: ANY,
        }
    }

    pub(super) fn invented_adjective(&mut self, stems: &mut Stems) -> Adjective {
        stems.advance(self);
        let (stem, english) = (&stems.source.2, &stems.english.2);
        let mut source = [NO_WORD; arabic_forms::adjective::COUNT];
        let (mut attributive, mut predicative) = ((0, 0), (0, 0));
        match self.language {
            Language::ArabicLike => {
                let forms = arabic_forms::adjective_forms(&format!("{stem}ي"), "", "");
                source = push_forms(&mut self.source, &forms);
            }
            Language::JapaneseLike => {
                let word = self.source.push(&format!("{stem}teki"));
                let na = self.source.intern("na");
                let start = self.sequences.len() as u32;
                self.sequences.extend([word, na]);
                (attributive, predicative) = ((start, start + 2), (start, start + 1));
            }
        }
        Adjective {
            source,
            attributive,
            predicative,
            is_predicative: true,
            english: [
                [self.english.push(&format!("{english}ic")), NO_WORD],
                [NO_WORD; 2],
            ],
            synonyms: 1,
        }
    }

    pub(super) fn invented_name(&mut self, stems: &mut Stems, feminine: bool) -> Name {
        stems.advance(self);
        Name {
            source: self.source.push(&stems.source.2),
            english: self.english.push(&stems.english.2),
            feminine,
        }
    }
}

/// Numbers of made-up forms; equal neighbours are stored once.
fn push_forms<const N: usize>(words: &mut Words, forms: &[String; N]) -> [u32; N] {
    let mut numbers = [NO_WORD; N];
    for index in 0..N {
        let same = forms[..index]
            .iter()
            .position(|earlier| *earlier == forms[index]);
        numbers[index] = match same {
            Some(earlier) => numbers[earlier],
            None if forms[index].is_empty() => NO_WORD,
            None => words.push(&forms[index]),
        };
    }
    numbers
}
