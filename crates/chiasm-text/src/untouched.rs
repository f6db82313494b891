//! What no translation may change: addresses of pages and of people, tags, and numbers with colons or slashes in them.
//!
//! A tokeniser would take them apart, and nothing puts them together again. So marks of one character stand in their
//! places while a line is split or joined.

use std::borrow::Cow;
use std::ops::Range;

/// Characters that are nobody's: each is the mark of one stretch of a line.
const MARKS: Range<u32> = 0xE000..0xF8FF;

/// Tokens hold no spaces; those of a tag are written so.
const SPACE: char = '␠';

/// What was taken out of a line.
#[derive(Debug, Default, PartialEq)]
pub struct Untouched(Vec<String>);

impl Untouched {
    /// The line with marks in the places of what must stay, and what that is.
    pub fn take(line: &str) -> (Cow<'_, str>, Self) {
        let mut kept = Untouched::default();
        let may_have = line.bytes().any(|byte| b":/<@".contains(&byte));
        if !may_have && !line.contains("www.") || line.chars().any(|c| mark_number(c).is_some()) {
            return (Cow::Borrowed(line), kept);
        }
        let (mut marked, mut from) = (String::with_capacity(line.len()), 0);
        while from < line.len() {
            let rest = &line[from..];
            let length = match line[..from].chars().next_back() {
                Some(before) if before.is_alphanumeric() => tag(rest),
                _ => stretch(rest),
            };
            let mark = char::from_u32(MARKS.start + kept.0.len() as u32);
            let mark = mark.filter(|&mark| mark_number(mark).is_some());
            match (length, mark) {
                (Some(length), Some(mark)) => {
                    kept.0.push(rest[..length].replace(SPACE, " "));
                    marked.push(mark);
                    from += length;
                }
                _ => {
                    let letter = rest.chars().next().map_or(0, char::len_utf8);
                    marked.push_str(&rest[..letter]);
                    from += letter;
                }
            }
        }
        (Cow::Owned(marked), kept)
    }

    /// Tokens with what was taken in the places of the marks, each a token.
    pub fn into_tokens(self, tokens: String) -> String {
        self.put_back(tokens, |stretch| stretch.replace(' ', &SPACE.to_string()))
    }

    /// Text with what was taken in the places of the marks. Tags stand next to what they enclose.
    pub fn into_text(self, mut text: String) -> String {
        for (number, stretch) in self.0.iter().enumerate() {
            let mark = char::from_u32(MARKS.start + number as u32).unwrap_or(SPACE);
            if stretch.starts_with("</") {
                text = text.replace(&format!(" {mark}"), &mark.to_string());
            } else if stretch.starts_with('<') && !stretch.ends_with("/>") {
                text = text.replace(&format!("{mark} "), &mark.to_string());
            }
        }
        self.put_back(text, str::to_string)
    }

    fn put_back(self, text: String, written: impl Fn(&str) -> String) -> String {
        if self.0.is_empty() {
            return text;
        }
        let mut whole = String::with_capacity(text.len());
        for letter in text.chars() {
            match mark_number(letter).and_then(|number| self.0.get(number)) {
                Some(stretch) => whole.push_str(&written(stretch)),
                None => whole.push(letter),
            }
        }
        whole
    }
}

fn mark_number(letter: char) -> Option<usize> {
    let number = u32::from(letter);
    MARKS
        .contains(&number)
        .then(|| (number - MARKS.start) as usize)
}

/// The length of what must stay, if the text begins with such a thing and no word goes on there.
fn stretch(text: &str) -> Option<usize> {
    tag(text)
        .or_else(|| page(text))
        .or_else(|| person(text))
        .or_else(|| number(text))
}

/// `<b>`, `</b>`, `<br/>`, `<a href="x">`: a name in angle brackets, attributes after a space.
fn tag(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('<')?;
    let inside = &inside[..inside.find(['<', '>'])?];
    let end = 1 + inside.len();
    let name = inside.strip_prefix('/').unwrap_or(inside);
    let rest = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "-_:".contains(c));
    let spaced = rest.starts_with([' ', SPACE]) && (rest.contains('=') || rest.ends_with('/'));
    let is_tag = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && text[end..].starts_with('>')
        && (rest.is_empty() || rest == "/" || spaced);
    is_tag.then_some(end + 1)
}

/// `https://example.org/a?b=c`, `www.example.org`.
fn page(text: &str) -> Option<usize> {
    let scheme = text
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte))
        .count();
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic());
    let start = match text.get(scheme..scheme + 3) {
        Some("://") if begins => scheme + 3,
        _ if text.starts_with("www.") => 4,
        _ => return None,
    };
    let is_over =
        |c: char| c.is_whitespace() || "<>\"“”„«»|".contains(c) || mark_number(c).is_some();
    let length = text.find(|c| is_over(c) || has_no_spaces(c));
    let length = before_punctuation(&text[..length.unwrap_or(text.len())]);
    (length > start).then_some(length)
}

/// Characters of scripts that put no space after an address.
fn has_no_spaces(letter: char) -> bool {
    matches!(u32::from(letter), 0x2E80..=0xDFFF | 0xF900..=0xFAFF | 0xFE30..=0xFE4F | 0xFF00..=0xFFEF | 0x20000..=0x3FFFF)
}

/// Where an address ends: punctuation after it is the sentence's, and so is a bracket that it does not open.
fn before_punctuation(text: &str) -> usize {
    let mut rest = text;
    while let Some(last) = rest.chars().next_back() {
        let count = |bracket: char| rest.matches(bracket).count();
        let is_sentence = match last {
            ')' => count(')') > count('('),
            ']' => count(']') > count('['),
            _ => ".,;:!?'’…".contains(last),
        };
        if !is_sentence {
            break;
        }
        rest = &rest[..rest.len() - last.len_utf8()];
    }
    rest.len()
}

/// `a.name@example.org`.
fn person(text: &str) -> Option<usize> {
    let local = text
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"._%+-".contains(byte))
        .count();
    let domain = text[local..].strip_prefix('@').filter(|_| local > 0)?;
    let length = domain
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b".-".contains(byte))
        .count();
    let domain = domain[..length].trim_end_matches(['.', '-']);
    let (_, top) = domain.rsplit_once('.')?;
    let is_name = top.len() > 1 && top.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_name.then_some(local + 1 + domain.len())
}

/// `12:30`, `5/6`, `17/11/2026`.
fn number(text: &str) -> Option<usize> {
    let length = text
        .bytes()
        .take_while(|byte| byte.is_ascii_digit() || b":/.,".contains(byte))
        .count();
    let found = text[..length].trim_end_matches([':', '/', '.', ',']);
    let goes_on = text[found.len()..].starts_with(char::is_alphanumeric);
    let is_one = found.starts_with(|c: char| c.is_ascii_digit()) && found.contains([':', '/']);
    (is_one && !goes_on).then_some(found.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kept(line: &str) -> Vec<String> {
        Untouched::take(line).1.0
    }

    #[test]
    fn finds_what_must_stay() {
        let line =
            "Siehe https://example.org/a_(b)?c=1&d=2, www.x.de (http://y.de/ü). Oder a.b@c-d.org!";
        let expected = [
            "https://example.org/a_(b)?c=1&d=2",
            "www.x.de",
            "http://y.de/ü",
            "a.b@c-d.org",
        ];
        assert_eq!(kept(line), expected);
        let line = "Um 12:30 am 17/11/2026: <b>5/6</b><br/> <a href=\"/x y\">a</a>.";
        let expected = [
            "12:30",
            "17/11/2026",
            "<b>",
            "5/6",
            "</b>",
            "<br/>",
            "<a href=\"/x y\">",
            "</a>",
        ];
        assert_eq!(kept(line), expected);
        assert_eq!(kept("https://example.orgを見る"), ["https://example.org"]);
        for line in [
            "a < b > c",
            "<3 you",
            "a<b c>",
            "he: she",
            "1.5 12 and/or",
            "a@b",
            "x@y.1",
            "5:3a",
            "://",
            "www.",
            "http://",
        ] {
            assert_eq!(kept(line), [""; 0], "{line}");
        }
    }

    #[test]
    fn tags_stand_next_to_what_they_enclose() {
        let (marked, untouched) =
            Untouched::take("<a␠href=\"x\"> this </a> , <br/> 12:30 a@b.org .");
        let text = untouched.into_text(marked.replace(" ,", ",").replace(" .", "."));
        assert_eq!(text, "<a href=\"x\">this</a>, <br/> 12:30 a@b.org.");
    }

    proptest! {
        #[test]
        fn everything_comes_back(line in "([a-z0-9@./:<>=\" ü日\u{E000}\u{E001}-]|https://|www\\.|</b>|<a b=\"c\">){0,30}") {
            let (marked, untouched) = Untouched::take(&line);
            prop_assert_eq!(untouched.put_back(marked.into_owned(), str::to_string), line);
        }
    }
}
