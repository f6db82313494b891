//! Text as people write it becomes tokens with a space between them.
//!
//! English, German, French and every other language with spaces follow Moses' rules (`moses`); Arabic is normalised
//! (`arabic`); Chinese, Japanese, Thai, Lao, Khmer and Burmese are segmented (`segmented`).
//!
//! ```
//! use chiasm_text::Tokenizer;
//! let mut english = Tokenizer::new("en");
//! assert_eq!(english.tokenize("Dr. Smith's dog didn't bark (loudly)."), "Dr. Smith 's dog didn 't bark ( loudly ) .");
//! let mut french = Tokenizer::new("fr");
//! assert_eq!(french.tokenize("L'homme qu'il a vu."), "L' homme qu' il a vu .");
//! ```

mod arabic;
pub mod characters;
mod moses;
mod prefixes;
mod segmented;

use moses::{Apostrophe, Buffers, Moses};
use prefixes::Prefixes;

/// Splits the text of one language into tokens. Each thread has its own.
#[derive(Debug)]
pub struct Tokenizer {
    scheme: Scheme,
    escape: bool,
    buffers: Buffers,
}

#[derive(Debug)]
enum Scheme {
    Moses(Moses),
    Arabic,
    Segmented,
}

impl Tokenizer {
    /// For a language by its ISO 639 code (`en`, also `en-GB`); an unknown one is split at Unicode punctuation.
    pub fn new(language: &str) -> Self {
        let code = base_language(language);
        let moses = |apostrophe| {
            let prefixes = Prefixes::of(&code);
            Scheme::Moses(Moses {
                apostrophe,
                prefixes,
            })
        };
        let scheme = match code.as_str() {
            "ar" => Scheme::Arabic,
            "zh" | "ja" | "th" | "lo" | "km" | "my" | "yue" | "wuu" => Scheme::Segmented,
            "en" => moses(Apostrophe::Right),
            "fr" | "it" | "ca" | "oc" => moses(Apostrophe::Left),
            _ => moses(Apostrophe::Alone),
        };
        Tokenizer {
            scheme,
            escape: false,
            buffers: Buffers::default(),
        }
    }

    /// Writes characters that Moses' files cannot hold as entities (`&apos;`, `&#124;`); off by default.
    pub fn escaping(mut self, escape: bool) -> Self {
        self.escape = escape;
        self
    }

    /// The tokens of a line, a space between them.
    pub fn tokenize(&mut self, line: &str) -> String {
        let mut output = String::with_capacity(line.len() + line.len() / 4);
        self.append(line, &mut output);
        output
    }

    /// Appends the tokens of a line to `output`.
    pub fn append(&mut self, line: &str, output: &mut String) {
        let start = output.len();
        match &self.scheme {
            Scheme::Moses(moses) => moses.tokenize(line, &mut self.buffers, output),
            Scheme::Arabic => arabic::tokenize(line, output),
            Scheme::Segmented => segmented::tokenize(line, output),
        }
        if self.escape {
            let escaped = escape(&output[start..]);
            output.truncate(start);
            output.push_str(&escaped);
        }
    }
}

/// `en` of `en-GB` and `EN_us`.
pub(crate) fn base_language(language: &str) -> String {
    let base = language.split(['-', '_']).next().unwrap_or(language);
    base.to_ascii_lowercase()
}

const ENTITIES: [(char, &str); 8] = [
    ('&', "&amp;"),
    ('|', "&#124;"),
    ('<', "&lt;"),
    ('>', "&gt;"),
    ('\'', "&apos;"),
    ('"', "&quot;"),
    ('[', "&#91;"),
    (']', "&#93;"),
];

/// Moses' entities for the characters that mean something in its files.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match ENTITIES.iter().find(|(special, _)| *special == c) {
            Some((_, entity)) => escaped.push_str(entity),
            None => escaped.push(c),
        }
    }
    escaped
}

/// Undoes [`escape`], and knows the entities of older versions.
pub fn unescape(text: &str) -> String {
    const OLD: [(char, &str); 3] = [('|', "&bar;"), ('[', "&bra;"), (']', "&ket;")];
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(position) = rest.find('&') {
        plain.push_str(&rest[..position]);
        rest = &rest[position..];
        let known = ENTITIES
            .iter()
            .chain(&OLD)
            .find(|(_, entity)| rest.starts_with(entity));
        let (c, length) = known.map_or(('&', 1), |(c, entity)| (*c, entity.len()));
        plain.push(c);
        rest = &rest[length..];
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests;
