//! What a file is that is not the text it was taken for. Guesses, for messages and for refusing; nothing is converted.

/// The format whose beginning this is, if it is one that holds text between other things.
pub(crate) fn foreign_format(start: &[u8]) -> Option<&'static str> {
    for (magic, format) in [
        (
            &b"PK\x03\x04"[..],
            "this is a zip archive (an office document or an e-book is one, too)",
        ),
        (b"%PDF-", "this is PDF"),
        (b"{\\rtf", "this is RTF"),
        (b"\\id ", "this is USFM"),
        (b"\xd0\xcf\x11\xe0", "this is an office document"),
    ] {
        if start.starts_with(magic) {
            return Some(format);
        }
    }
    let text = start.trim_ascii_start();
    let begins = |tag: &str| {
        let found = text.get(..tag.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(tag.as_bytes()))
    };
    if begins("<!doctype html") || begins("<html") {
        return Some("this is HTML");
    }
    if begins("<xliff") {
        return Some("this is XLIFF");
    }
    if begins("<tmx") {
        return Some("this is TMX");
    }
    begins("<?xml").then_some("this is XML (as XLIFF, TMX and XHTML are)")
}

/// The encoding that bytes which are not UTF-8 may be in.
pub fn encoding_of(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Some("UTF-16");
    }
    let zeros = bytes.iter().filter(|&&byte| byte == 0).count();
    if zeros * 4 > bytes.len() {
        return Some("UTF-16");
    }
    let high: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at] >= 0x80).collect();
    if high.is_empty() || std::str::from_utf8(bytes).is_ok() {
        return None;
    }
    if is_shift_jis(bytes) {
        return Some("Shift-JIS");
    }
    // Letters of western languages stand alone or in twos among others; those of other alphabets in words.
    let runs = high
        .windows(2)
        .filter(|pair| pair[1] != pair[0] + 1)
        .count()
        + 1;
    if high.len() <= 2 * runs && high.iter().all(|&at| bytes[at] >= 0xa0) {
        return Some("Latin-1");
    }
    if high.len() <= 2 * runs {
        return Some("Windows-1252");
    }
    let in_pairs = high.len().is_multiple_of(2) && high.iter().all(|&at| bytes[at] >= 0xa1);
    if in_pairs {
        return Some("an encoding of two bytes a letter (EUC-JP, EUC-KR or GB 2312)");
    }
    Some("an encoding of one byte a letter (such as Windows-1251, Windows-1256 or KOI8-R)")
}

/// Whole characters of one and two bytes, most of them kana.
fn is_shift_jis(bytes: &[u8]) -> bool {
    let (mut at, mut pairs, mut kana) = (0, 0, 0);
    while let Some(&lead) = bytes.get(at) {
        match lead {
            0..=0x7f => at += 1,
            0x81..=0x9f | 0xe0..=0xef => {
                if !matches!(bytes.get(at + 1), Some(0x40..=0x7e | 0x80..=0xfc)) {
                    return false;
                }
                pairs += 1;
                kana += usize::from(matches!(lead, 0x81..=0x83));
                at += 2;
            }
            _ => return false,
        }
    }
    pairs > 0 && 4 * kana >= pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_guessed() {
        for (bytes, encoding) in [
            (&b"le caf\xe9 est ferm\xe9"[..], "Latin-1"),
            (b"M\xfc\xdfen sch\xf6n", "Latin-1"),
            (b"it\x92s \x93quoted\x94", "Windows-1252"),
            (b"\xff\xfeh\x00i\x00", "UTF-16"),
            (b"h\x00e\x00l\x00l\x00o\x00", "UTF-16"),
            (
                b"\x82\xb1\x82\xea\x82\xcd\x96{\x82\xc5\x82\xb7",
                "Shift-JIS",
            ),
        ] {
            assert_eq!(encoding_of(bytes), Some(encoding));
        }
        let japanese = encoding_of(b"\xa4\xb3\xa4\xec\xa4\xcf\xcb\xdc");
        assert!(japanese.unwrap().contains("EUC-JP"));
        let russian = encoding_of(b"\xcf\xf0\xe8\xe2\xe5\xf2 \xec\xe8\xf0");
        assert!(russian.unwrap().contains("Windows-1251"));
        assert_eq!(encoding_of("naïve".as_bytes()), None);
        assert_eq!(encoding_of(b"plain"), None);
    }

    #[test]
    fn formats_are_told_by_their_beginning() {
        for (start, format) in [
            (&b"<!DOCTYPE HTML><html>"[..], "HTML"),
            (b"  <html lang=en>", "HTML"),
            (b"<?xml version='1.0'?>", "XLIFF"),
            (b"<xliff version='2.0'>", "XLIFF"),
            (b"\\id GEN", "USFM"),
            (b"PK\x03\x04\x14", "zip"),
        ] {
            assert!(foreign_format(start).unwrap().contains(format));
        }
        for text in ["", "<", "<x translation=\"y\">", "PK was here", "\\ideally"] {
            assert_eq!(foreign_format(text.as_bytes()), None);
        }
    }
}
