//! Character classes, with a quick way for ASCII.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Letters, and signs that belong to letters: Unicode's Alphabetic, and the vowel killers and dots of Indic scripts, without
/// which a word would fall apart.
pub fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || (!c.is_ascii() && (c.is_alphabetic() || is_indic_sign(c)))
}

/// Letters and decimal digits.
pub fn is_letter_or_digit(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    is_letter(c) || (c.is_numeric() && c.general_category() == GeneralCategory::DecimalNumber)
}

/// Anything that is a number: digits, ², ½, Ⅷ.
pub fn is_number(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_digit()
    } else {
        c.is_numeric()
    }
}

/// Viramas and nuktas: canonical combining classes 9 and 7, which Alphabetic leaves out.
fn is_indic_sign(c: char) -> bool {
    matches!(
        c as u32,
        0x093C
            | 0x09BC
            | 0x0A3C
            | 0x0ABC
            | 0x0B3C
            | 0x0CBC
            | 0x094D
            | 0x09CD
            | 0x0A4D
            | 0x0ACD
            | 0x0B4D
            | 0x0BCD
            | 0x0C4D
            | 0x0CCD
            | 0x0D4D
            | 0x0DCA
            | 0x0E3A
            | 0x0F84
            | 0x1039
            | 0x103A
            | 0x1714
            | 0x1734
            | 0x17D2
            | 0x1A60
            | 0x1B44
    )
}

/// Control characters that no text should hold: C0 and C1, but not white space.
pub fn is_control(c: char) -> bool {
    c.is_control() && !c.is_whitespace()
}

/// Invisible marks: byte order mark, zero-width spaces, direction marks.
pub fn is_invisible_mark(c: char) -> bool {
    matches!(c as u32, 0xFEFF | 0x200B | 0x200E | 0x200F | 0x202A..=0x202E | 0x2060..=0x2064 | 0x2066..=0x2069)
}

/// Zero-width joiner and non-joiner, which are part of the spelling of words.
pub fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Punctuation and symbols of any script.
pub fn is_punctuation(c: char) -> bool {
    use GeneralCategory::{
        ClosePunctuation, ConnectorPunctuation, CurrencySymbol, DashPunctuation, FinalPunctuation,
        InitialPunctuation, MathSymbol, ModifierSymbol, OpenPunctuation, OtherPunctuation,
        OtherSymbol,
    };
    if c.is_ascii() {
        return c.is_ascii_punctuation();
    }
    matches!(
        c.general_category(),
        ClosePunctuation
            | ConnectorPunctuation
            | CurrencySymbol
            | DashPunctuation
            | FinalPunctuation
            | InitialPunctuation
            | MathSymbol
            | ModifierSymbol
            | OpenPunctuation
            | OtherPunctuation
            | OtherSymbol
    )
}
