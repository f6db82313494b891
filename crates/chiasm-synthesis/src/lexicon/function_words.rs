//! Articles, particles, auxiliaries, pronouns and punctuation by name.

use super::NO_WORD;
use crate::Language;
use crate::words::Words;

macro_rules! function_words {
    ($(#[$documentation:meta])* $name:ident { $($field:ident: $form:literal,)* }) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug)]
        #[allow(missing_docs)]
        pub struct $name { $(pub $field: u32,)* }

        impl $name {
            fn intern(words: &mut Words) -> Self {
                $name { $($field: words.intern($form),)* }
            }

            #[allow(dead_code)]
            fn absent() -> Self {
                $name { $($field: NO_WORD,)* }
            }
        }
    };
}

function_words!(
    /// English.
    English {
        the: "the", a: "a", an: "an", is: "is", are: "are", was: "was", were: "were", did: "did", does: "does",
        r#do: "do", not: "not", will: "will", that: "that", who: "who", of: "of", saxon: "'s", and: "and", comma: ",",
        stop: ".", question: "?", he: "he", she: "she", they: "they", mr: "mr", ms: "ms", this: "this",
        these: "these", very: "very",
    }
);

function_words!(
    /// Arabic.
    Arabic {
        not_past: "لم", not_present: "لا", not_future: "لن", will: "سوف", question: "هل", that: "أن", that_said: "إن",
        who_masculine: "الذي", who_feminine: "التي", who_plural: "الذين", this_masculine: "هذا",
        this_feminine: "هذه", these_people: "هؤلاء", he: "هو", she: "هي", they: "هم", and: "و", comma: "،", stop: ".",
        question_mark: "؟", was_masculine: "كان", was_feminine: "كانت", was_plural: "كانوا", be_masculine: "يكن",
        be_feminine: "تكن", be_plural: "يكونوا", is_not_masculine: "ليس", is_not_feminine: "ليست",
        is_not_plural: "ليسوا", very: "جدا",
    }
);

function_words!(
    /// Japanese.
    Japanese {
        topic: "wa", subject: "ga", of: "no", that: "to", and: "to", not: "masen", not_past: "deshita",
        not_plain: "nai", not_plain_past: "nakatta", is: "desu", was: "deshita", de: "dewa", is_not: "arimasen",
        is_plain: "dearu", was_plain: "datta", this: "kono", question: "ka", he: "kare", she: "kanojo",
        they: "karera", honorific: "san", most: "mottomo", very: "totemo", comma: ",", stop: ".", people: "nin",
        pieces: "ko",
    }
);

/// The function words of a pair; those of the other source language are absent.
#[derive(Clone, Copy, Debug)]
pub struct FunctionWords {
    /// English ones.
    pub english: English,
    /// Arabic ones.
    pub arabic: Arabic,
    /// Japanese ones.
    pub japanese: Japanese,
}

impl FunctionWords {
    /// Gives them numbers.
    pub fn new(language: Language, source: &mut Words, english: &mut Words) -> Self {
        let (arabic, japanese) = match language {
            Language::ArabicLike => (Arabic::intern(source), Japanese::absent()),
            Language::JapaneseLike => (Arabic::absent(), Japanese::intern(source)),
        };
        FunctionWords {
            english: English::intern(english),
            arabic,
            japanese,
        }
    }
}
