//! From text as people write it to tokens, and back: what stands before and after the decoder.

use crate::completion::Completion;
use crate::configuration::Case;
use crate::system::System;
use crate::translation::Translation;
use crate::word_graph::WordGraph;
use chiasm_text::{
    Detokenizer, StoredVocabulary, Tokenizer, Truecaser, Untouched, capitalize_sentences,
};
use std::sync::{Arc, Mutex, PoisonError};

/// Turns lines into the tokens that a system knows, and its translations into text. A system that
/// does not know its languages takes and gives tokens. Shared by any number of threads.
#[derive(Default)]
pub struct Preparation {
    source: Option<Splitter>,
    target: Option<Splitter>,
    detokenizer: Option<Detokenizer>,
    capitalizes: bool,
    /// Words of the target side as they are written inside sentences, where that is how the models know them.
    target_words: Option<StoredVocabulary>,
}

impl Preparation {
    /// Raw text in and out, as far as the system knows its languages.
    pub fn new(system: &System) -> Self {
        let configuration = system.configuration();
        let source = configuration.source_language.as_ref();
        let target = configuration.target_language.as_ref();
        let lowercases = configuration.case == Case::Lower;
        let casing = system.source_casing().cloned();
        Preparation {
            source: source.map(|language| Splitter::new(language, lowercases, casing)),
            target: target.map(|language| Splitter::new(language, lowercases, None)),
            detokenizer: target.map(|language| Detokenizer::new(language)),
            capitalizes: configuration.case == Case::Truecased,
            target_words: (configuration.case == Case::Truecased)
                .then(|| system.target_words().clone()),
        }
    }

    /// Tokens in and out.
    pub fn tokenized() -> Self {
        Preparation::default()
    }

    /// The source is taken as it is, because its markup would be taken apart.
    pub fn with_ready_source(mut self) -> Self {
        self.source = None;
        self
    }

    /// The tokens of a source line, a space between them.
    pub fn source_tokens(&self, line: &str) -> String {
        prepare(self.source.as_ref(), line)
    }

    /// The tokens of target text that someone wrote, e.g. to have a phrase translated so.
    pub fn target_tokens(&self, line: &str) -> String {
        prepare(self.target.as_ref(), line)
    }

    /// The tokens of a whole target sentence that someone wrote: its first word, too, is written as inside sentences, if
    /// the system knows it so.
    pub fn reference_tokens(&self, line: &str) -> String {
        let tokens = self.target_tokens(line);
        let mut letters = tokens.chars();
        let (Some(words), Some(first)) = (&self.target_words, letters.next()) else {
            return tokens;
        };
        let small: String = first.to_lowercase().chain(letters).collect();
        let known = chiasm_text::tokens(&small)
            .next()
            .is_some_and(|word| words.get(word).is_some());
        if known { small } else { tokens }
    }

    /// What follows the beginning of a translation that somebody has typed, as text to be put right after it.
    pub fn complete(&self, graph: &WordGraph, prefix: &str) -> String {
        let (typed, half) = self.typed_tokens(prefix);
        self.suffix(prefix, &typed, &graph.complete(&typed, half))
    }

    /// The tokens of the beginning of a translation, and whether the last of them may go on.
    fn typed_tokens(&self, prefix: &str) -> (Vec<String>, bool) {
        let tokens = chiasm_text::tokens(&self.reference_tokens(prefix))
            .map(String::from)
            .collect();
        let half = prefix
            .chars()
            .last()
            .is_some_and(|last| !last.is_whitespace());
        (tokens, half)
    }

    fn suffix(&self, prefix: &str, typed: &[String], completion: &Completion) -> String {
        let mut words = typed.to_vec();
        let finished = completion.finished.as_ref();
        if let (Some(last), Some(finished)) = (words.last_mut(), finished) {
            last.clone_from(finished);
        }
        words.extend_from_slice(&completion.words);
        let whole = self.text_of(&words.join(" "));
        if let Some(rest) = whole.strip_prefix(prefix) {
            return rest.to_string();
        }
        // What was typed is not written as we would write it: it stays, and the rest follows.
        let mut rest = String::new();
        if let (Some(last), Some(finished)) = (typed.last(), finished) {
            rest.extend(finished.chars().skip(last.chars().count()));
        }
        if !completion.words.is_empty() {
            let apart = prefix.is_empty() || prefix.ends_with(char::is_whitespace);
            rest.push_str(if apart { "" } else { " " });
            let words = completion.words.join(" ");
            rest.push_str(&self.joined(&words, false));
        }
        rest
    }

    /// The text of a translation.
    pub fn text(&self, translation: &Translation) -> String {
        self.text_of(&translation.text())
    }

    /// The text of target tokens.
    fn text_of(&self, text: &str) -> String {
        self.joined(text, self.capitalizes)
    }

    /// Target tokens as text, if the system knows how that is written.
    fn joined(&self, tokens: &str, capitalizes: bool) -> String {
        let Some(detokenizer) = &self.detokenizer else {
            return tokens.to_string();
        };
        let (marked, untouched) = Untouched::take(tokens);
        untouched.into_text(match capitalizes {
            true => detokenizer.detokenize(&capitalize_sentences(&marked)),
            false => detokenizer.detokenize(&marked),
        })
    }
}

fn prepare(splitter: Option<&Splitter>, line: &str) -> String {
    match splitter {
        Some(splitter) => splitter.tokens(line),
        None => line.to_string(),
    }
}

/// The tokenisers of one language: each thread takes one and puts it back.
struct Splitter {
    language: String,
    lowercases: bool,
    casing: Option<Arc<Truecaser>>,
    free: Mutex<Vec<Tokenizer>>,
}

impl Splitter {
    fn new(language: &str, lowercases: bool, casing: Option<Arc<Truecaser>>) -> Self {
        Splitter {
            language: language.to_string(),
            lowercases,
            casing,
            free: Mutex::default(),
        }
    }

    fn tokens(&self, line: &str) -> String {
        let free = || self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = free().pop();
        let mut tokenizer = taken.unwrap_or_else(|| Tokenizer::new(&self.language));
        let (marked, untouched) = Untouched::take(line);
        let tokens = tokenizer.tokenize(&Untouched::apart(&marked));
        free().push(tokenizer);
        untouched.into_tokens(match &self.casing {
            Some(casing) => casing.truecase(&tokens),
            None if self.lowercases => tokens.to_lowercase(),
            None => tokens,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Configuration, Parts, PhraseTableBuilder, Precision};
    use chiasm_text::{StoredVocabulary, Vocabulary};

    fn system(case: Case) -> System {
        configured(Configuration {
            source_language: Some("fr".into()),
            target_language: Some("en".into()),
            case,
            ..Configuration::default()
        })
    }

    fn configured(configuration: Configuration) -> System {
        let words = StoredVocabulary::new(&Vocabulary::new());
        let case = configuration.case;
        System::new(Parts {
            configuration,
            sparse_weights: Default::default(),
            source_words: words.clone(),
            target_words: words,
            table: PhraseTableBuilder::new(0).finish(Precision::Sixteen),
            language_models: Vec::new(),
            reordering_models: Vec::new(),
            operation_models: Vec::new(),
            joint_model: None,
            sparse_vocabularies: Vec::new(),
            ranker: None,
            aligner: None,
            source_casing: (case == Case::Truecased)
                .then(|| Arc::new(Truecaser::from_text("homme\nParis\nl'\n"))),
        })
        .unwrap()
    }

    /// Whatever is copied arrives as it was, in any language and case.
    #[test]
    fn addresses_tags_and_numbers_stay() {
        let stays = "<b> https://Ex.org/A?b=1&amp;c a.B@c.org 12:30 5/6 </b> <i␠x=\"y\">";
        for (source, target) in [("de", "en"), ("ja", "en"), ("zh", "fr"), ("ar", "ja")] {
            for case in [Case::Lower, Case::Kept, Case::Truecased] {
                let mut configuration = system(case).configuration().clone();
                configuration.source_language = Some(source.into());
                configuration.target_language = Some(target.into());
                let preparation = Preparation::new(&configured(configuration));
                let tokens = preparation.source_tokens(&stays.replace('␠', " "));
                assert_eq!(tokens, stays, "{source}");
                let joined = preparation.text_of(&tokens);
                for stretch in stays.split(' ') {
                    let stretch = stretch.replace('␠', " ");
                    assert!(joined.contains(&stretch), "{stretch} in {joined}");
                }
            }
        }
        let raw = Preparation::new(&system(Case::Lower));
        let tokens = raw.source_tokens("Voir <b>L'Homme</b>\u{e9}, (www.X.fr).");
        assert_eq!(tokens, "voir <b> l' homme </b> é , ( www.X.fr ) .");
        assert_eq!(raw.text_of(&tokens), "voir <b>l' homme</b> é, (www.X.fr).");
    }

    #[test]
    fn languages_that_are_known_are_split_and_joined() {
        let translation = Translation {
            words: ["it", "'s", "late", "."].map(String::from).to_vec(),
            ..Translation::default()
        };
        let raw = Preparation::new(&system(Case::Lower));
        assert_eq!(raw.source_tokens("L'homme dort."), "l' homme dort .");
        assert_eq!(raw.target_tokens("It's late."), "it 's late .");
        assert_eq!(raw.text(&translation), "it's late.");
        assert_eq!(raw.with_ready_source().source_tokens("L'homme"), "L'homme");
        let cased = Preparation::new(&system(Case::Kept));
        assert_eq!(cased.source_tokens("L'homme dort."), "L' homme dort .");
        let recased = Preparation::new(&system(Case::Truecased));
        assert_eq!(
            recased.source_tokens("L'homme de PARIS."),
            "l' homme de Paris ."
        );
        assert_eq!(recased.text(&translation), "It's late.");
        let follows = |preparation: &Preparation, prefix: &str, finished: Option<&str>| {
            let (typed, half) = preparation.typed_tokens(prefix);
            let finished = finished.filter(|_| half).map(String::from);
            let words = ["late", "."].map(String::from).to_vec();
            let suffix = preparation.suffix(prefix, &typed, &Completion { finished, words });
            format!("{prefix}|{suffix}")
        };
        assert_eq!(follows(&recased, "It's ", None), "It's |late.");
        assert_eq!(follows(&recased, "I", Some("it")), "I|t late.");
        assert_eq!(follows(&recased, "It's", Some("'s")), "It's| late.");
        assert_eq!(follows(&recased, "it  S ", None), "it  S |late.");
        assert_eq!(follows(&recased, "", None), "|Late.");
        let ready = Preparation::tokenized();
        assert_eq!(ready.source_tokens("L'homme"), "L'homme");
        assert_eq!(ready.text(&translation), "it 's late .");
    }
}
