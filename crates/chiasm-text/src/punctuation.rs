//! One way of writing punctuation: straight quotation marks, plain dashes, no spaces before colons.
//!
//! The same changes, in the same order, as Moses' normalisation, so that text prepared here and there agrees. Each step is a
//! scan over the characters; steps whose characters do not occur are skipped.

use crate::tokenizer::base_language;

const NO_BREAK_SPACE: char = '\u{a0}';

/// Normalises the punctuation of one language.
#[derive(Clone, Copy, Debug)]
pub struct PunctuationNormalizer {
    custom: Custom,
}

/// Where commas and full stops stand at the end of a quotation, and what a space in a number means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Custom {
    /// Inside, decimal point.
    English,
    /// Outside, decimal comma.
    Continental,
    /// As they were, decimal comma.
    Czech,
    /// As they were, decimal point.
    Other,
}

impl PunctuationNormalizer {
    /// For a language by its ISO 639 code.
    pub fn new(language: &str) -> Self {
        let custom = match base_language(language).as_str() {
            "en" => Custom::English,
            "de" | "es" | "fr" => Custom::Continental,
            "cs" | "cz" => Custom::Czech,
            _ => Custom::Other,
        };
        PunctuationNormalizer { custom }
    }

    /// The line with its punctuation normalised.
    pub fn normalize(&self, line: &str) -> String {
        let mut text: Vec<char> = line.chars().filter(|&c| c != '\r').collect();
        brackets(&mut text);
        quotation_marks(&mut text);
        no_break_spaces(&mut text);
        self.ends_of_quotations(&mut text);
        self.spaces_in_numbers(&mut text);
        text.into_iter().collect::<String>().trim().to_string()
    }

    fn ends_of_quotations(&self, text: &mut Vec<char>) {
        if !text.contains(&'"') {
            return;
        }
        match self.custom {
            Custom::English => rewrite(text, |rest, out| {
                let ['"', marks @ ..] = rest else { return 0 };
                let count = marks.iter().take_while(|c| matches!(c, ',' | '.')).count();
                if count == 0 {
                    return 0;
                }
                out.extend(&marks[..count]);
                out.push('"');
                count + 1
            }),
            Custom::Continental => {
                replace(text, ",\"", "\",");
                rewrite(text, |rest, out| {
                    // Not at the end of the line, and not before a tag.
                    let dots = rest.iter().take_while(|&&c| c == '.').count();
                    let (_, behind) = rest.split_at(dots);
                    let ['"', after @ ..] = behind else { return 0 };
                    let spaces = after.iter().take_while(|c| c.is_whitespace()).count();
                    let follows = match after.get(spaces) {
                        Some('<') | None => spaces > 0,
                        Some(_) => true,
                    };
                    if dots == 0 || !follows {
                        return 0;
                    }
                    out.push('"');
                    out.extend(&rest[..dots]);
                    dots + 1
                });
            }
            Custom::Czech | Custom::Other => {}
        }
    }

    fn spaces_in_numbers(&self, text: &mut Vec<char>) {
        if !text.contains(&NO_BREAK_SPACE) {
            return;
        }
        let mark = match self.custom {
            Custom::Continental | Custom::Czech => ',',
            Custom::English | Custom::Other => '.',
        };
        rewrite(text, |rest, out| match rest {
            [before, NO_BREAK_SPACE, after, ..] if before.is_numeric() && after.is_numeric() => {
                out.extend([*before, mark, *after]);
                3
            }
            _ => 0,
        });
    }
}

/// Spaces outside brackets, none inside, none before marks.
fn brackets(text: &mut Vec<char>) {
    replace(text, "(", " (");
    replace(text, ")", ") ");
    single_spaces(text);
    rewrite(text, |rest, out| match rest {
        [')', ' ', mark @ ('.' | '!' | ':' | '?' | ';' | ','), ..] => {
            out.extend([')', *mark]);
            3
        }
        _ => 0,
    });
    replace(text, "( ", "(");
    replace(text, " )", ")");
    rewrite(text, |rest, out| match rest {
        [digit, ' ', '%', ..] if digit.is_numeric() => {
            out.extend([*digit, '%']);
            3
        }
        _ => 0,
    });
    replace(text, " :", ":");
    replace(text, " ;", ";");
}

fn quotation_marks(text: &mut Vec<char>) {
    replace(text, "`", "'");
    replace(text, "''", " \" ");
    rewrite(text, |rest, out| {
        match rest[0] {
            '„' | '“' | '”' => out.push('"'),
            '–' => out.push('-'),
            '—' => out.extend([' ', '-', ' ']),
            _ => return 0,
        }
        1
    });
    single_spaces(text);
    rewrite(text, |rest, out| {
        if !matches!(rest[0], '´' | '‘' | '‚' | '’') {
            return 0;
        }
        out.push('\'');
        1
    });
    replace(text, "''", "\"");
    replace(text, "…", "...");
    for (from, to) in [
        ("\u{a0}«\u{a0}", "\""),
        ("«\u{a0}", "\""),
        ("«", "\""),
        ("\u{a0}»\u{a0}", "\""),
        ("\u{a0}»", "\""),
        ("»", "\""),
    ] {
        replace(text, from, to);
    }
}

fn no_break_spaces(text: &mut Vec<char>) {
    if text.contains(&NO_BREAK_SPACE) {
        for (from, to) in [
            ("\u{a0}%", "%"),
            ("nº\u{a0}", "nº "),
            ("\u{a0}:", ":"),
            ("\u{a0}ºC", " ºC"),
            ("\u{a0}cm", " cm"),
            ("\u{a0}?", "?"),
            ("\u{a0}!", "!"),
            ("\u{a0};", ";"),
            (",\u{a0}", ", "),
        ] {
            replace(text, from, to);
        }
    }
    single_spaces(text);
}

fn single_spaces(text: &mut Vec<char>) {
    text.dedup_by(|next, previous| *next == ' ' && *previous == ' ');
}

/// Replaces every occurrence, from left to right.
fn replace(text: &mut Vec<char>, from: &str, to: &str) {
    let pattern: Vec<char> = from.chars().collect();
    if !text.contains(&pattern[0]) {
        return;
    }
    rewrite(text, |rest, out| {
        if !rest.starts_with(&pattern) {
            return 0;
        }
        out.extend(to.chars());
        pattern.len()
    });
}

/// At each position `rule` sees what is left, may write, and says how many characters it has used; 0 keeps the character.
fn rewrite(text: &mut Vec<char>, rule: impl Fn(&[char], &mut Vec<char>) -> usize) {
    let mut out = Vec::with_capacity(text.len() + 8);
    let mut position = 0;
    while position < text.len() {
        match rule(&text[position..], &mut out) {
            0 => {
                out.push(text[position]);
                position += 1;
            }
            used => position += used,
        }
    }
    *text = out;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotation_marks_and_spaces() {
        let english = PunctuationNormalizer::new("en");
        for (line, expected) in [
            ("He said “no” – twice…", "He said \"no\" - twice..."),
            ("don’t `quote' it", "don't 'quote' it"),
            ("a (b )c ( d) .", "a (b) c (d)."),
            ("\"Yes\", he said : 5 %", "\"Yes,\" he said: 5%"),
            ("em—dash", "em - dash"),
            ("1\u{a0}000", "1.000"),
            ("", ""),
        ] {
            assert_eq!(english.normalize(line), expected, "{line}");
        }
        let german = PunctuationNormalizer::new("de");
        assert_eq!(
            german.normalize("„Ja,“ sagte er. „Gut.“ Dann"),
            "\"Ja\", sagte er. \"Gut\". Dann"
        );
        assert_eq!(german.normalize("1\u{a0}000"), "1,000");
        assert_eq!(
            PunctuationNormalizer::new("fr").normalize("«\u{a0}Oui\u{a0}» ?"),
            "\"Oui\" ?"
        );
    }
}
