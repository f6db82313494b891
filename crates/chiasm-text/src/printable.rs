//! Text from outside, shown to a person.

use std::borrow::Cow;
use std::fmt::Write;

/// `text` with control characters, and those that turn the direction of writing, as escapes: what a file says must not
/// move the cursor of whoever reads about it. Ends of lines stay.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unprintable) {
        return text.into();
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match is_unprintable(character) {
            // Writing into a string cannot fail.
            true => drop(write!(escaped, "{}", character.escape_unicode())),
            false => escaped.push(character),
        }
    }
    escaped.into()
}

fn is_unprintable(character: char) -> bool {
    let turns_direction = matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let breaks_line = matches!(character, '\u{2028}' | '\u{2029}');
    (character.is_control() && character != '\n') || turns_direction || breaks_line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_told_nothing_by_a_file() {
        assert_eq!(
            printable("\x1b[2Jx\r\u{9b}\u{202e}"),
            r"\u{1b}[2Jx\u{d}\u{9b}\u{202e}"
        );
        let harmless = "naïve 日本語 قرأ\nsecond line";
        assert!(matches!(printable(harmless), Cow::Borrowed(text) if text == harmless));
    }
}
