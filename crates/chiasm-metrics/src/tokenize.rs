//! The tokenisers of sacreBLEU: `none`, `13a` (mteval-v13a, the default of WMT), `intl`
//! (mteval-v14 with international tokenisation) and `char`.
//!
//! Each is a few substitutions, one after the other over the whole line; a substitution looks at
//! two neighbouring characters, never overlapping, as a regular expression's would.

use crate::Error;
use regex::Regex;
use std::borrow::Cow;
use std::str::FromStr;
use std::sync::LazyLock;

/// How a line becomes tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tokenizer {
    /// Split at white space and nothing else: the text is tokenised already.
    None,
    /// mteval-v13a: ASCII punctuation apart from words, points and commas not within numbers.
    #[default]
    ThirteenA,
    /// mteval-v14 `--international-tokenization`: Unicode punctuation and symbols.
    International,
    /// Every character a token.
    Character,
}

impl Tokenizer {
    /// The name in signatures and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Tokenizer::None => "none",
            Tokenizer::ThirteenA => "13a",
            Tokenizer::International => "intl",
            Tokenizer::Character => "char",
        }
    }

    /// The line with white space between tokens; [`tokens`] takes them apart.
    pub fn tokenize(self, line: &str) -> Cow<'_, str> {
        match self {
            Tokenizer::None => Cow::Borrowed(line),
            Tokenizer::ThirteenA => Cow::Owned(thirteen_a(line)),
            Tokenizer::International => Cow::Owned(international(line)),
            Tokenizer::Character => Cow::Owned(characters(line)),
        }
    }
}

impl FromStr for Tokenizer {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match name {
            "none" => Ok(Tokenizer::None),
            "13a" => Ok(Tokenizer::ThirteenA),
            "intl" => Ok(Tokenizer::International),
            "char" => Ok(Tokenizer::Character),
            _ => Err(Error::UnknownName {
                what: "tokeniser",
                found: name.to_string(),
                expected: "none, 13a, intl, char",
            }),
        }
    }
}

/// White space as Python's `str.split` sees it: Unicode's, and the four ASCII separators.
pub fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// The tokens of a line that has white space between them.
pub fn tokens(line: &str) -> impl Iterator<Item = &str> {
    line.split(is_space).filter(|token| !token.is_empty())
}

fn thirteen_a(line: &str) -> String {
    let mut text = line.replace("<skipped>", "");
    text = text.replace("-\n", "").replace('\n', " ");
    if text.contains('&') {
        // In this order: `&amp;lt;` becomes `<`, as it does in mteval.
        text = text.replace("&quot;", "\"").replace("&amp;", "&");
        text = text.replace("&lt;", "<").replace("&gt;", ">");
    }
    let mut spaced = String::with_capacity(text.len() * 5 / 4 + 2);
    spaced.push(' ');
    for c in text.chars() {
        if is_separate(c) {
            spaced.extend([' ', c, ' ']);
        } else {
            spaced.push(c);
        }
    }
    spaced.push(' ');
    let digit = |c: char| c.is_ascii_digit();
    let stop = |c: char| c == '.' || c == ',';
    let spaced = substitute_pairs(&spaced, |c| !digit(c), stop, after_first);
    let spaced = substitute_pairs(&spaced, stop, |c| !digit(c), before_first);
    substitute_pairs(&spaced, digit, |c| c == '-', after_first)
}

/// The ASCII characters that 13a sets apart wherever they stand: all but letters, digits,
/// controls, and `' , - .`.
fn is_separate(c: char) -> bool {
    matches!(c, '{'..='~' | '['..='`' | ' '..='&' | '('..='+' | ':'..='@' | '/')
}

/// `\1 \2 `: the second character becomes a token of its own.
fn after_first(first: char, second: char) -> [char; 4] {
    [first, ' ', second, ' ']
}

/// ` \1 \2`: the first character becomes a token of its own.
fn before_first(first: char, second: char) -> [char; 4] {
    [' ', first, ' ', second]
}

/// Replaces every pair of neighbours that satisfies both conditions, left to right, each
/// character in one pair at most.
fn substitute_pairs(
    text: &str,
    first: impl Fn(char) -> bool,
    second: impl Fn(char) -> bool,
    replacement: impl Fn(char, char) -> [char; 4],
) -> String {
    let mut result = String::with_capacity(text.len() + text.len() / 8);
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let next = rest.clone().next();
        match next {
            Some(next) if first(c) && second(next) => {
                result.extend(replacement(c, next));
                rest.next();
            }
            _ => result.push(c),
        }
    }
    result
}

/// One class of characters, asked a character at a time.
struct Class(Regex);

impl Class {
    fn new(pattern: &str) -> Self {
        // The patterns are the three constants below.
        Class(Regex::new(pattern).expect("a valid pattern"))
    }

    fn contains(&self, c: char) -> bool {
        self.0.is_match(c.encode_utf8(&mut [0; 4]))
    }
}

static NUMBER: LazyLock<Class> = LazyLock::new(|| Class::new(r"\p{N}"));
static PUNCTUATION: LazyLock<Class> = LazyLock::new(|| Class::new(r"\p{P}"));
static SYMBOL: LazyLock<Class> = LazyLock::new(|| Class::new(r"\p{S}"));

fn is_number(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_digit()
    } else {
        NUMBER.contains(c)
    }
}

fn is_punctuation(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_punctuation() && !is_symbol(c)
    } else {
        PUNCTUATION.contains(c)
    }
}

fn is_symbol(c: char) -> bool {
    if c.is_ascii() {
        matches!(c, '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~')
    } else {
        SYMBOL.contains(c)
    }
}

fn international(line: &str) -> String {
    let text = substitute_pairs(line, |c| !is_number(c), is_punctuation, after_first);
    let text = substitute_pairs(&text, is_punctuation, |c| !is_number(c), before_first);
    let mut spaced = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_symbol(c) {
            spaced.extend([' ', c, ' ']);
        } else {
            spaced.push(c);
        }
    }
    spaced
}

fn characters(line: &str) -> String {
    let mut spaced = String::with_capacity(line.len() * 2);
    for c in line.chars() {
        spaced.push(c);
        spaced.push(' ');
    }
    spaced
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(tokenizer: Tokenizer, line: &str) -> String {
        let text = tokenizer.tokenize(line);
        tokens(&text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ascii_classes_are_unicodes() {
        for c in (0u8..128).map(char::from) {
            assert_eq!(is_number(c), NUMBER.contains(c), "{c:?}");
            assert_eq!(is_punctuation(c), PUNCTUATION.contains(c), "{c:?}");
            assert_eq!(is_symbol(c), SYMBOL.contains(c), "{c:?}");
        }
    }

    #[test]
    fn entities_are_resolved_in_mtevals_order() {
        assert_eq!(
            joined(Tokenizer::ThirteenA, "a &amp;lt; b &quot;"),
            "a < b \""
        );
    }

    #[test]
    fn all_separators_of_python_separate() {
        let line = "a\u{1c}b\u{85}c\u{a0}d\u{2003}e\u{200b}f\u{3000}g";
        assert_eq!(
            tokens(line).count(),
            6,
            "zero width space is no white space"
        );
    }
}
