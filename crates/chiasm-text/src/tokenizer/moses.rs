//! The way of Moses' tokeniser, for languages that write spaces.
//!
//! What it does, as observed: white space becomes single spaces; every character but letters, digits and `. ' , -` and the
//! backtick stands alone; two or more dots are one token; a comma stands alone unless it is between numbers; apostrophes
//! are split by the custom of the language; a full stop at the end of a word is split off unless the word is an
//! abbreviation, has another dot in it, or is followed by a small letter.
//!
//! The rules for apostrophes apply one after another, each from left to right over text that it may not use twice; that is
//! kept, since every Moses corpus was made so (`o'a'b` gives `o 'a'b`).

use super::characters::{is_invisible_mark, is_joiner, is_letter, is_letter_or_digit, is_number};
use super::prefixes::Prefixes;

/// What becomes of an apostrophe between two letters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Apostrophe {
    /// English: it goes with what follows, `boy 's`.
    Right,
    /// French, Italian: with what precedes, `l' homme`.
    Left,
    /// Elsewhere it stands alone.
    Alone,
}

/// Moses' rules with the custom of one language.
#[derive(Debug)]
pub struct Moses {
    pub(super) apostrophe: Apostrophe,
    pub(super) prefixes: Prefixes,
}

/// Buffers of one thread.
#[derive(Default, Debug)]
pub struct Buffers {
    text: Vec<char>,
    other: Vec<char>,
}

impl Moses {
    /// Appends the tokens of `line` to `output`, a space between them.
    pub fn tokenize(&self, line: &str, buffers: &mut Buffers, output: &mut String) {
        separate(line, &mut buffers.text);
        let text = &mut buffers.text;
        if text.contains(&',') {
            commas(text, &mut buffers.other);
        }
        if text.contains(&'\'') {
            self.apostrophes(text, &mut buffers.other);
        }
        self.full_stops(text, output);
    }

    fn apostrophes(&self, text: &mut Vec<char>, other: &mut Vec<char>) {
        let not_letter = |c: char| !is_letter(c);
        let neither = |c: char| !is_letter(c) && !is_number(c);
        match self.apostrophe {
            Apostrophe::Alone => {
                other.clear();
                for &c in text.iter() {
                    match c {
                        '\'' => other.extend([' ', '\'', ' ']),
                        _ => other.push(c),
                    }
                }
                std::mem::swap(text, other);
            }
            Apostrophe::Right => {
                apostrophe_rule(text, other, not_letter, not_letter, [true, true]);
                apostrophe_rule(text, other, neither, is_letter, [true, true]);
                apostrophe_rule(text, other, is_letter, not_letter, [true, true]);
                apostrophe_rule(text, other, is_letter, is_letter, [true, false]);
                apostrophe_rule(text, other, is_number, |c| c == 's', [true, false]);
            }
            Apostrophe::Left => {
                apostrophe_rule(text, other, not_letter, not_letter, [true, true]);
                apostrophe_rule(text, other, not_letter, is_letter, [true, true]);
                apostrophe_rule(text, other, is_letter, not_letter, [true, true]);
                apostrophe_rule(text, other, is_letter, is_letter, [false, true]);
            }
        }
    }

    /// Splits full stops off words, and writes the tokens.
    fn full_stops(&self, text: &[char], output: &mut String) {
        let start = output.len();
        let mut words = text
            .split(|&c| c == ' ')
            .filter(|word| !word.is_empty())
            .peekable();
        while let Some(word) = words.next() {
            if output.len() > start {
                output.push(' ');
            }
            let stem = match word {
                [stem @ .., '.'] if !stem.is_empty() => stem,
                _ => {
                    output.extend(word);
                    continue;
                }
            };
            let many_dots = stem.iter().all(|&c| c == '.');
            let next = words.peek().map(|next| next[0]);
            output.extend(stem);
            if !many_dots && !self.keeps_full_stop(stem, next) {
                output.push(' ');
            }
            output.push('.');
        }
        // A closing quotation mark at the very end hides the full stop from the rules above.
        if output[start..].ends_with(".'") && !output[start..].ends_with("..'") {
            output.truncate(output.len() - 2);
            if output.len() > start && !output.ends_with(' ') {
                output.push(' ');
            }
            output.push_str(". '");
        }
    }

    fn keeps_full_stop(&self, stem: &[char], next: Option<char>) -> bool {
        (stem.contains(&'.') && stem.iter().any(|&c| is_letter(c)))
            || next.is_some_and(char::is_lowercase)
            || self.prefixes.keeps_full_stop(stem, next)
    }
}

/// Single spaces, no control characters, and everything alone that never belongs to a word.
fn separate(line: &str, text: &mut Vec<char>) {
    text.clear();
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '.' if characters.peek() == Some(&'.') => {
                text.extend([' ', '.']);
                while characters.next_if_eq(&'.').is_some() {
                    text.push('.');
                }
                text.push(' ');
            }
            '.' | '\'' | '`' | ',' | '-' => text.push(c),
            _ if is_letter_or_digit(c) => text.push(c),
            _ if c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c) => {
                if text.last() != Some(&' ') && !text.is_empty() {
                    text.push(' ');
                }
            }
            '\0'..='\u{1f}' => {}
            // Moses cuts words at joiners, which belong inside words in Persian and in India.
            _ if is_joiner(c) => text.push(c),
            _ if is_invisible_mark(c) => {}
            _ => text.extend([' ', c, ' ']),
        }
    }
    while text.last().is_some_and(|&c| c == ' ') && text.len() > 1 && text[text.len() - 2] == ' ' {
        text.pop();
    }
}

/// A comma stays where it is only between two numbers, or before one at the very beginning.
fn commas(text: &mut Vec<char>, other: &mut Vec<char>) {
    other.clear();
    for (position, &c) in text.iter().enumerate() {
        let before = position.checked_sub(1).map(|p| text[p]);
        let number_before = before.is_none_or(is_number);
        let number_after = text.get(position + 1).copied().is_some_and(is_number);
        if c != ',' || (number_before && number_after) {
            other.push(c);
        } else {
            other.extend([' ', ',', ' ']);
        }
    }
    std::mem::swap(text, other);
}

/// Where an apostrophe stands between a `left` and a `right` character, spaces before and after it as `spaces` says. A
/// character is used once, so of two apostrophes one letter apart only the first is seen.
fn apostrophe_rule(
    text: &mut Vec<char>,
    other: &mut Vec<char>,
    left: impl Fn(char) -> bool,
    right: impl Fn(char) -> bool,
    spaces: [bool; 2],
) {
    other.clear();
    let mut position = 0;
    while position < text.len() {
        match text[position..] {
            [before, '\'', after, ..] if left(before) && right(after) => {
                other.push(before);
                if spaces[0] {
                    other.push(' ');
                }
                other.push('\'');
                if spaces[1] {
                    other.push(' ');
                }
                other.push(after);
                position += 3;
            }
            _ => {
                other.push(text[position]);
                position += 1;
            }
        }
    }
    std::mem::swap(text, other);
}
