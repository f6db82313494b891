//! Arabic: one spelling for what is written in several ways, and punctuation apart. Clitics stay where they are.

use super::characters::is_punctuation;
use unicode_normalization::UnicodeNormalization;

/// Appends the tokens of `line`: compatibility forms folded (NFKC), vowel signs and tatweel dropped, أ إ آ ٱ as ا, ى as ي,
/// digits, quotation marks and dashes as ASCII, Arabic letters apart from Latin ones and from digits.
pub fn tokenize(line: &str, output: &mut String) {
    let start = output.len();
    let folded: Vec<char> = line.nfkc().filter_map(fold).collect();
    for (position, &c) in folded.iter().enumerate() {
        if c.is_whitespace() {
            gap(output, start);
            continue;
        }
        let before = position.checked_sub(1).map(|p| folded[p]);
        let alone = is_punctuation(c) && !is_inside_word(&folded, position);
        // Several dots are one token.
        let dots = c == '.' && before == Some('.');
        if before.is_some_and(|before| changes_script(before, c)) || (alone && !dots) {
            gap(output, start);
        }
        if dots && output.ends_with(' ') {
            output.pop();
        }
        output.push(c);
        if alone {
            gap(output, start);
        }
    }
    if output.len() > start && output.ends_with(' ') {
        output.pop();
    }
}

/// From an Arabic letter to a Latin one or a digit, or back.
fn changes_script(before: char, after: char) -> bool {
    let other = |c: char| c.is_ascii_alphanumeric() || (c.is_alphabetic() && (c as u32) < 0x250);
    (is_arabic_letter(before) && other(after)) || (other(before) && is_arabic_letter(after))
}

fn is_arabic_letter(c: char) -> bool {
    c.is_alphabetic() && matches!(c as u32, 0x600..=0x6FF | 0x750..=0x77F | 0x8A0..=0x8FF)
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
        '‘' | '’' | '‚' | '´' | '`' => '\'',
        '“' | '”' | '„' => '"',
        '–' | '—' | '‐' | '‑' | '−' => '-',
        '٪' => '%',
        _ if super::characters::is_control(c) || super::characters::is_invisible_mark(c) => {
            return None;
        }
        _ => c,
    })
}

fn ascii_digit(c: char, zero: char) -> char {
    char::from(b'0' + (c as u32 - zero as u32) as u8)
}

/// A point, comma or colon between digits; a hyphen that ties letters or digits to Latin letters.
fn is_inside_word(text: &[char], position: usize) -> bool {
    let before = position.checked_sub(1).map(|p| text[p]);
    let (Some(before), Some(&after)) = (before, text.get(position + 1)) else {
        return false;
    };
    match text[position] {
        '.' | ',' | ':' | '٫' | '٬' => before.is_ascii_digit() && after.is_ascii_digit(),
        '-' => before.is_ascii_alphabetic() && after.is_ascii_alphanumeric(),
        _ => false,
    }
}
