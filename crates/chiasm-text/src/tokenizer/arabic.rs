//! Arabic: one spelling for what is written in several ways, and punctuation apart. Clitics stay where they are.

use super::characters::is_punctuation;
use unicode_normalization::UnicodeNormalization;

/// Appends the tokens of `line`: compatibility forms folded (NFKC), vowel signs and tatweel dropped, أ إ آ ٱ as ا, ى as ي,
/// digits as ASCII.
pub fn tokenize(line: &str, output: &mut String) {
    let start = output.len();
    let folded: Vec<char> = line.nfkc().filter_map(fold).collect();
    for (position, &c) in folded.iter().enumerate() {
        if c.is_whitespace() {
            gap(output, start);
        } else if is_punctuation(c) && !is_inside_word(&folded, position) {
            gap(output, start);
            output.push(c);
            gap(output, start);
        } else {
            output.push(c);
        }
    }
    if output.len() > start && output.ends_with(' ') {
        output.pop();
    }
}

/// At most one space, none at the beginning.
fn gap(output: &mut String, start: usize) {
    if output.len() > start && !output.ends_with(' ') {
        output.push(' ');
    }
}

fn fold(c: char) -> Option<char> {
    Some(match c {
        // Vowel signs, Quranic marks, superscript alef, tatweel.
        '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}'
        | '\u{670}'
        | '\u{6d6}'..='\u{6dc}'
        | '\u{6df}'..='\u{6e8}'
        | '\u{6ea}'..='\u{6ed}'
        | '\u{8d3}'..='\u{8ff}'
        | '\u{640}' => return None,
        'أ' | 'إ' | 'آ' | 'ٱ' => 'ا',
        'ى' => 'ي',
        '٠'..='٩' => ascii_digit(c, '٠'),
        '۰'..='۹' => ascii_digit(c, '۰'),
        _ if super::characters::is_control(c) || super::characters::is_invisible_mark(c) => {
            return None;
        }
        _ => c,
    })
}

fn ascii_digit(c: char, zero: char) -> char {
    char::from(b'0' + (c as u32 - zero as u32) as u8)
}

/// A point or comma between digits, an apostrophe or hyphen between letters.
fn is_inside_word(text: &[char], position: usize) -> bool {
    let (Some(before), Some(&after)) = (
        position.checked_sub(1).map(|p| text[p]),
        text.get(position + 1),
    ) else {
        return false;
    };
    match text[position] {
        '.' | ',' | '٫' | '٬' => before.is_ascii_digit() && after.is_ascii_digit(),
        _ => false,
    }
}
