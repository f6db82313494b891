//! Tokens become text as people write it: punctuation joins the word it belongs to.
//!
//! The way of Moses' detokeniser, as observed: brackets and currency signs join what follows, closing punctuation what
//! precedes, quotation marks alternate between opening and closing, apostrophes join by the custom of the language.
//! Chinese, Japanese and Thai tokens join without spaces.

use crate::tokenizer::characters::is_letter;
use crate::tokenizer::{base_language, unescape};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Joins the tokens of one language.
#[derive(Debug)]
pub struct Detokenizer {
    custom: Custom,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Custom {
    English,
    French,
    Italian,
    Arabic,
    Unspaced,
    Korean,
    Other,
}

/// How a token stands to its neighbours.
enum Join {
    Before,
    After,
    Neither,
    /// A space before it whatever precedes.
    Apart,
}

impl Detokenizer {
    /// For a language by its ISO 639 code.
    pub fn new(language: &str) -> Self {
        let custom = match base_language(language).as_str() {
            "en" => Custom::English,
            "fr" => Custom::French,
            "it" | "ga" | "ca" | "oc" => Custom::Italian,
            "ar" | "fa" | "ur" => Custom::Arabic,
            "zh" | "ja" | "th" | "lo" | "km" | "my" | "yue" | "wuu" => Custom::Unspaced,
            "ko" => Custom::Korean,
            _ => Custom::Other,
        };
        Detokenizer { custom }
    }

    /// The text of a line of tokens; Moses' entities become the characters they stand for.
    pub fn detokenize(&self, line: &str) -> String {
        let plain = if line.contains('&') {
            unescape(line)
        } else {
            line.to_string()
        };
        let joined = plain.replace(" @-@ ", "-");
        let tokens: Vec<&str> = joined.split_whitespace().collect();
        let mut quotations = Quotations::default();
        let mut text = String::with_capacity(joined.len());
        let mut space = false;
        for (index, token) in tokens.iter().enumerate() {
            let join = self.join(&tokens, index, &mut quotations);
            let joins_before = matches!(join, Join::Before);
            let apart = space || matches!(join, Join::Apart);
            if index > 0 && apart && !joins_before {
                text.push(' ');
            }
            text.push_str(token);
            space = !matches!(join, Join::After);
        }
        text
    }

    fn join(&self, tokens: &[&str], index: usize, quotations: &mut Quotations) -> Join {
        let token = tokens[index];
        let previous = index.checked_sub(1).map(|i| tokens[i]);
        if self.is_unspaced(token, previous) {
            return Join::Before;
        }
        if token.chars().all(opens) {
            return Join::After;
        }
        if token.chars().all(|c| self.closes(c)) {
            // French sets a space before these.
            let spaced = self.custom == Custom::French
                && matches!(token, "?" | "!" | ":" | ";" | "%" | "\\");
            return if spaced { Join::Apart } else { Join::Before };
        }
        let mut characters = token.chars();
        let (first, second) = (characters.next(), characters.next());
        if self.custom == Custom::English
            && index > 0
            && first == Some('\'')
            && second.is_some_and(is_letter)
        {
            return Join::Before;
        }
        if matches!(self.custom, Custom::French | Custom::Italian)
            && elides(token, tokens.get(index + 1).copied())
        {
            return Join::After;
        }
        if token
            .chars()
            .all(|c| matches!(c, '\'' | '"' | '„' | '“' | '”' | '`'))
        {
            return self.quotation(token, previous, quotations);
        }
        Join::Neither
    }

    fn quotation(&self, token: &str, previous: Option<&str>, quotations: &mut Quotations) -> Join {
        let open = quotations.is_open(token);
        let possessive = self.custom == Custom::English && token == "'";
        if !open && possessive && previous.is_some_and(|word| word.ends_with('s')) {
            // The Joneses' house.
            return Join::Before;
        }
        quotations.turn(token);
        if open { Join::Before } else { Join::After }
    }

    /// No space between two tokens of a script that has none.
    fn is_unspaced(&self, token: &str, previous: Option<&str>) -> bool {
        if self.custom == Custom::Korean {
            return false;
        }
        let touches = |c: Option<char>| {
            c.is_some_and(|c| {
                is_ideographic(c) || (self.custom == Custom::Unspaced && is_unspaced_script(c))
            })
        };
        touches(token.chars().next()) && touches(previous.and_then(|word| word.chars().last()))
    }

    fn closes(&self, c: char) -> bool {
        match c {
            ',' | '.' | '?' | '!' | ':' | ';' | '\\' | '%' | '}' | ']' | ')' => true,
            '،' | '؛' | '؟' => self.custom == Custom::Arabic,
            '，' | '。' | '、' | '？' | '！' | '：' | '；' | '」' | '』' | '）' => true,
            _ => false,
        }
    }
}

/// Brackets and currency signs.
fn opens(c: char) -> bool {
    matches!(c, '(' | '[' | '{' | '¿' | '¡' | '「' | '『' | '（')
        || (!c.is_ascii_alphanumeric() && c.general_category() == GeneralCategory::CurrencySymbol)
}

/// l' before a letter.
fn elides(token: &str, next: Option<&str>) -> bool {
    let letter_before = token
        .strip_suffix('\'')
        .and_then(|rest| rest.chars().last())
        .is_some_and(is_letter);
    letter_before
        && next
            .and_then(|word| word.chars().next())
            .is_some_and(is_letter)
}

/// Han, kana and the marks between them.
fn is_ideographic(c: char) -> bool {
    matches!(c as u32, 0x1100..=0x11FF | 0x2E80..=0xA4CF | 0xA840..=0xA87F | 0xAC00..=0xD7AF | 0xF900..=0xFAFF
        | 0xFE30..=0xFE4F | 0xFF65..=0xFFDC | 0x20000..=0x2FFFF)
}

/// Thai, Lao, Burmese, Khmer, and full-width forms.
fn is_unspaced_script(c: char) -> bool {
    matches!(c as u32, 0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0xFF00..=0xFF64)
}

/// Which quotation marks are open.
#[derive(Default)]
struct Quotations {
    open: Vec<(String, bool)>,
}

impl Quotations {
    fn key(token: &str) -> &str {
        let curly = token.chars().all(|c| matches!(c, '„' | '“' | '”'));
        if curly { "\"" } else { token }
    }

    fn is_open(&self, token: &str) -> bool {
        self.open
            .iter()
            .any(|(mark, open)| mark == Self::key(token) && *open)
    }

    fn turn(&mut self, token: &str) {
        let key = Self::key(token);
        match self.open.iter_mut().find(|(mark, _)| mark == key) {
            Some((_, open)) => *open = !*open,
            None => self.open.push((key.to_string(), true)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tokenizer;
    use crate::tokenizer::characters::is_invisible_mark;
    use proptest::prelude::*;

    #[test]
    fn joins_what_belongs_together() {
        let check = |language: &str, tokens: &str, text: &str| {
            assert_eq!(Detokenizer::new(language).detokenize(tokens), text);
        };
        check("en", "Hello , \" world \" !", "Hello, \"world\"!");
        check(
            "en",
            "the boys ' dog didn 't cost $ 5 ( or £ 4 ) .",
            "the boys' dog didn't cost $5 (or £4).",
        );
        check(
            "en",
            "well @-@ known &quot; it &apos;s &quot;",
            "well-known \"it's\"",
        );
        check("fr", "L' homme dit : « oui » !", "L'homme dit : « oui » !");
        check("fr", "\" : oui", "\" : oui");
        check("de", "Er sagt : \" Ja \" .", "Er sagt: \"Ja\".");
        check("zh", "计算 样本 数据 。", "计算样本数据。");
        check("ja", "東京 へ 行く 。", "東京へ行く。");
        check("ar", "حسنا ، نعم ؟", "حسنا، نعم؟");
        check("en", "", "");
    }

    #[test]
    fn plain_sentences_come_back() {
        for (language, line) in [
            ("en", "Dr. Smith said: \"It's John's (new) dog, isn't it?\""),
            ("en", "It costs $5,300.50, or 20%; see [1]."),
            ("de", "Der Hund, der bellt, beißt nicht!"),
            ("fr", "C'est l'homme qu'il a vu."),
        ] {
            let tokens = Tokenizer::new(language).tokenize(line);
            assert_eq!(
                Detokenizer::new(language).detokenize(&tokens),
                line,
                "{tokens}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_character_is_lost(line in "[^&@\\pC]{0,60}", language in 0usize..7) {
            let language = ["en", "de", "fr", "zh", "ja", "th", "ar"][language];
            let keep = |text: &str| -> String {
                let lost = |c: &char| c.is_whitespace() || c.is_control() || is_invisible_mark(*c);
                text.chars().filter(|c| !lost(c)).collect()
            };
            let detokenizer = Detokenizer::new(language);
            prop_assert_eq!(keep(&detokenizer.detokenize(&line)), keep(&line));
            if matches!(language, "en" | "de" | "fr") {
                let tokens = Tokenizer::new(language).tokenize(&line);
                prop_assert_eq!(keep(&detokenizer.detokenize(&tokens)), keep(&line));
            }
        }
    }
}
