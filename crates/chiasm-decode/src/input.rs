//! The sentence to translate: tokens, and what its markup or a glossary says about them.

use crate::{Error, Learned, Preparation, Result};
use chiasm_phrases::Span;
use chiasm_text::Lines;
use hashbrown::HashMap;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

/// A source span with translations of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// The source words.
    pub span: Span,
    /// Nothing else may be used for these words.
    pub exclusive: bool,
    /// Translations with their probabilities.
    pub translations: Vec<(String, f32)>,
}

/// What to do with `<x translation="...">` in the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Markup {
    /// It is text like any other.
    #[default]
    PassThrough,
    /// Tags are removed and not heeded.
    Ignore,
    /// The given translations replace the phrase table's.
    Exclusive,
    /// The given translations compete with the phrase table's.
    Inclusive,
}

impl FromStr for Markup {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "exclusive" => Ok(Markup::Exclusive),
            "inclusive" => Ok(Markup::Inclusive),
            "ignore" => Ok(Markup::Ignore),
            "pass-through" => Ok(Markup::PassThrough),
            _ => Err("exclusive, inclusive, ignore or pass-through expected".into()),
        }
    }
}

/// A sentence ready for translation.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// The source words.
    pub tokens: Vec<String>,
    /// What must or may become of some of them.
    pub constraints: Vec<Constraint>,
    /// What the user has taught the system.
    pub learned: Option<Arc<Learned>>,
}

impl Input {
    /// A sentence without constraints.
    pub fn from_line(line: &str) -> Self {
        Input {
            tokens: chiasm_text::tokens(line).map(str::to_string).collect(),
            constraints: Vec::new(),
            learned: None,
        }
    }

    /// A sentence with markup. What is not well-formed markup is text, so that no line fails.
    pub fn from_marked_line(line: &str, markup: Markup) -> Self {
        if markup == Markup::PassThrough || !line.contains('<') {
            return Input::from_line(line);
        }
        let mut input = Input::default();
        let mut rest = line;
        while let Some(open) = rest.find('<') {
            match parse_element(&rest[open..]) {
                Some(element) => {
                    input.push_text(&rest[..open]);
                    input.push_element(&element, markup);
                    rest = &rest[open + element.length..];
                }
                None => {
                    // Not markup: the word that begins here is text.
                    let tail = &rest[open + 1..];
                    let end = tail
                        .find([' ', '\t', '<'])
                        .map_or(rest.len(), |at| open + 1 + at);
                    input.push_text(&rest[..end]);
                    rest = &rest[end..];
                }
            }
        }
        input.push_text(rest);
        input
    }

    /// The name of an element that is opened in the line and never closed, though its tag is well formed: a mistake
    /// that [`Input::from_marked_line`] would take for text.
    pub fn unclosed_element(line: &str) -> Option<&str> {
        let mut rest = line;
        while let Some(open) = rest.find('<') {
            rest = &rest[open..];
            if let Some(element) = parse_element(rest) {
                rest = &rest[element.length..];
                continue;
            }
            if let Some((name, Some(tag))) = parse_tag(rest)
                && name.starts_with(char::is_alphabetic)
                && !tag.closed
                && !rest[tag.length..].contains(&format!("</{name}>"))
            {
                return Some(name);
            }
            rest = &rest[1..];
        }
        None
    }

    fn push_text(&mut self, text: &str) {
        let tokens = chiasm_text::tokens(text).map(str::to_string);
        self.tokens.extend(tokens);
    }

    fn push_element(&mut self, element: &Element<'_>, markup: Markup) {
        let start = self.tokens.len();
        self.push_text(element.content);
        let end = self.tokens.len();
        if markup == Markup::Ignore || start == end || element.translations.is_empty() {
            return;
        }
        self.constraints.push(Constraint {
            span: Span::new(start as u32, end as u32),
            exclusive: markup == Markup::Exclusive,
            translations: element.translations.clone(),
        });
    }
}

struct Element<'a> {
    content: &'a str,
    translations: Vec<(String, f32)>,
    length: usize,
}

/// `<name attribute="value" ...>` or `<name .../>`.
struct Tag {
    translation: Option<String>,
    probability: Option<String>,
    length: usize,
    /// It is an element of its own.
    closed: bool,
}

/// Reads a name and, if it is well formed, the rest of the tag at the start of `text`.
fn parse_tag(text: &str) -> Option<(&str, Option<Tag>)> {
    let name_end = text[1..].find(|c: char| !c.is_alphanumeric() && !"_-.:".contains(c))? + 1;
    let name = &text[1..name_end];
    (!name.is_empty()).then(|| (name, parse_attributes(text, name_end)))
}

fn parse_attributes(text: &str, mut at: usize) -> Option<Tag> {
    let (mut translation, mut probability) = (None, None);
    let closed = loop {
        at += text[at..].len() - text[at..].trim_start().len();
        if let Some(rest) = text[at..].strip_prefix("/>") {
            at = text.len() - rest.len();
            break true;
        }
        if text[at..].starts_with('>') {
            at += 1;
            break false;
        }
        let (attribute, value, length) = parse_attribute(&text[at..])?;
        match attribute {
            "translation" | "english" => translation = Some(unescape(value)),
            "prob" => probability = Some(value.to_string()),
            _ => {}
        }
        at += length;
    };
    Some(Tag {
        translation,
        probability,
        length: at,
        closed,
    })
}

/// Reads `<name attribute="value" ...>content</name>` or `<name .../>` at the start of `text`.
fn parse_element(text: &str) -> Option<Element<'_>> {
    let (name, tag) = parse_tag(text)?;
    let tag = tag?;
    let at = tag.length;
    if tag.closed {
        return Some(Element {
            content: "",
            translations: Vec::new(),
            length: at,
        });
    }
    let closing = format!("</{name}>");
    let content_length = text[at..].find(&closing)?;
    let content = &text[at..at + content_length];
    if content.contains('<') {
        return None;
    }
    Some(Element {
        content,
        translations: pair_translations(tag.translation, tag.probability)?,
        length: at + content_length + closing.len(),
    })
}

fn parse_attribute(text: &str) -> Option<(&str, &str, usize)> {
    let (name, rest) = text.split_once('=')?;
    let valid = |c: char| c.is_alphanumeric() || "_-.:".contains(c);
    if name.is_empty() || !name.chars().all(valid) {
        return None;
    }
    let quote = rest.chars().next().filter(|quote| "\"'".contains(*quote))?;
    let length = rest[1..].find(quote)?;
    Some((name, &rest[1..1 + length], name.len() + 1 + length + 2))
}

/// Alternatives are separated by `||`; without probabilities each has 1, as if it stood alone.
fn pair_translations(
    translation: Option<String>,
    probability: Option<String>,
) -> Option<Vec<(String, f32)>> {
    let Some(translation) = translation else {
        return Some(Vec::new());
    };
    let words: Vec<&str> = translation.split("||").map(str::trim).collect();
    let probabilities: Vec<f32> = match &probability {
        None => vec![1.0; words.len()],
        Some(text) => {
            let parsed = text.split("||").map(|value| value.trim().parse::<f32>());
            parsed.collect::<std::result::Result<_, _>>().ok()?
        }
    };
    let sensible = probabilities.iter().all(|p| p.is_finite() && *p > 0.0);
    (sensible && probabilities.len() == words.len()).then(|| {
        let words = words.into_iter().map(str::to_string);
        words.zip(probabilities).collect()
    })
}

fn unescape(text: &str) -> String {
    let entities = [
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&lt;", "<"),
        ("&gt;", ">"),
    ];
    let mut text = text.to_string();
    for (entity, character) in entities {
        text = text.replace(entity, character);
    }
    text.replace("&amp;", "&")
}

/// Source phrases whose translations the user has fixed.
#[derive(Clone, Debug, Default)]
pub struct Glossary {
    entries: HashMap<Vec<String>, String>,
    longest: usize,
}

impl Glossary {
    /// Reads lines of a source phrase, a tab and its translation, both tokenised.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let mut lines = Lines::open(path)?;
        let mut glossary = Glossary::default();
        loop {
            let Some(line) = lines.next_line()? else {
                return Ok(glossary);
            };
            if line.trim().is_empty() {
                continue;
            }
            let entry = line
                .split_once('\t')
                .map(|(s, t)| (s.to_string(), t.to_string()));
            let added = entry.is_some_and(|(source, target)| glossary.add(&source, &target));
            if !added {
                let expected = "a source phrase, a tab and its translation expected";
                return Err(Error::Text(lines.error(expected)));
            }
        }
    }

    /// Entries that can never match, as `preparation` makes other tokens of them: written in another case, or with
    /// punctuation that is a token of its own. Each is described with what the system sees instead.
    pub fn unmatchable(&self, preparation: &Preparation) -> Vec<String> {
        let seen_as = |entry: &Vec<String>| {
            let entry = entry.join(" ");
            // How a word is cased does not depend on where it stands.
            let seen = preparation.source_tokens(&entry);
            let said = || format!("{entry:?} never matches: the system sees {seen:?}");
            (seen != entry).then(said)
        };
        let mut found: Vec<String> = self.entries.keys().filter_map(seen_as).collect();
        found.sort();
        found
    }

    /// Adds an entry; false if the source phrase has no words.
    pub fn add(&mut self, source: &str, target: &str) -> bool {
        let source: Vec<String> = chiasm_text::tokens(source).map(str::to_string).collect();
        if source.is_empty() {
            return false;
        }
        self.longest = self.longest.max(source.len());
        let target: Vec<&str> = chiasm_text::tokens(target).collect();
        self.entries.insert(source, target.join(" "));
        true
    }

    /// Constrains the input wherever an entry matches, from the left, the longest first, and not
    /// where the input has constraints of its own.
    pub fn apply(&self, input: &mut Input) {
        let mut start = 0;
        while start < input.tokens.len() {
            let longest = self.longest.min(input.tokens.len() - start);
            let found = (1..=longest).rev().find_map(|length| {
                let target = self.entries.get(&input.tokens[start..start + length])?;
                let span = Span::new(start as u32, (start + length) as u32);
                let overlaps = |other: &Constraint| other.span.overlaps(span);
                (!input.constraints.iter().any(overlaps)).then_some((span, target))
            });
            match found {
                Some((span, target)) => {
                    input.constraints.push(Constraint {
                        span,
                        exclusive: true,
                        translations: vec![(target.clone(), 1.0)],
                    });
                    start = span.end as usize;
                }
                None => start += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Input {
        Input::from_marked_line(line, Markup::Exclusive)
    }

    #[test]
    fn markup_becomes_constraints() {
        let input = parse(r#"das <n translation="house||home" prob="0.8||0.2">kleine Haus</n> ."#);
        assert_eq!(input.tokens, ["das", "kleine", "Haus", "."]);
        let expected = Constraint {
            span: Span { start: 1, end: 3 },
            exclusive: true,
            translations: vec![("house".into(), 0.8), ("home".into(), 0.2)],
        };
        assert_eq!(input.constraints, [expected]);
    }

    #[test]
    fn what_is_not_markup_is_text() {
        for line in [
            "a < b",
            "<",
            "<x",
            "<x translation=>y</x>",
            "<x translation=\"a\">y",
            "</x>",
            "<x translation=\"a||b\" prob=\"1\">y</x>",
            "<x translation=\"a\" prob=\"nan\">y</x>",
            "1 <2> 3",
        ] {
            let input = parse(line);
            assert!(input.constraints.is_empty(), "{line}");
            assert!(!input.tokens.is_empty(), "{line}");
        }
        assert_eq!(parse("a < b").tokens, ["a", "<", "b"]);
        assert_eq!(parse("<<a").tokens.concat(), "<<a");
    }

    #[test]
    fn what_is_opened_must_be_closed() {
        for line in [
            "a <x translation=\"b\">c",
            "<x>",
            "<x>a</x> <y>b",
            "<x>a <y>b</y>",
        ] {
            assert!(Input::unclosed_element(line).is_some(), "{line}");
        }
        for line in [
            "<x>a</x>", "<br/> a", "a < b", "<x", "1 <2> 3", "</x>", "<<a", "<x a=>",
        ] {
            assert_eq!(Input::unclosed_element(line), None, "{line}");
        }
    }

    #[test]
    fn tags_without_translation_disappear() {
        let input = Input::from_marked_line("<b>x</b> <br/> y", Markup::Ignore);
        assert_eq!(input.tokens, ["x", "y"]);
        assert!(input.constraints.is_empty());
    }

    #[test]
    fn entities_in_translations() {
        let input = parse(r#"<x translation="&quot;a&amp;lt;&quot;">y</x>"#);
        assert_eq!(input.constraints[0].translations[0].0, "\"a&lt;\"");
    }

    #[test]
    fn the_glossary_prefers_long_matches_and_respects_markup() {
        let mut glossary = Glossary::default();
        assert!(glossary.add("a", "x") && glossary.add("a  b", "y  z"));
        assert!(!glossary.add(" ", "x"));
        let mut input = parse(r#"a b a <n translation="q">a</n>"#);
        glossary.apply(&mut input);
        let spans: Vec<(u32, &str)> = input
            .constraints
            .iter()
            .map(|c| (c.span.start, c.translations[0].0.as_str()))
            .collect();
        assert_eq!(spans, [(3, "q"), (0, "y z"), (2, "x")]);
    }
}
