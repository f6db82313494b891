//! Languages by their codes.

/// Codes (ISO 639) of languages and their English names: those whose tokenisation, detokenisation or abbreviations are known,
/// and some others that are often asked for.
pub const LANGUAGES: [(&str, &str); 45] = [
    ("ar", "Arabic"),
    ("bg", "Bulgarian"),
    ("bn", "Bengali"),
    ("ca", "Catalan"),
    ("cs", "Czech"),
    ("da", "Danish"),
    ("de", "German"),
    ("el", "Greek"),
    ("en", "English"),
    ("es", "Spanish"),
    ("et", "Estonian"),
    ("fa", "Persian"),
    ("fi", "Finnish"),
    ("fr", "French"),
    ("ga", "Irish"),
    ("he", "Hebrew"),
    ("hi", "Hindi"),
    ("hr", "Croatian"),
    ("hu", "Hungarian"),
    ("id", "Indonesian"),
    ("is", "Icelandic"),
    ("it", "Italian"),
    ("ja", "Japanese"),
    ("km", "Khmer"),
    ("ko", "Korean"),
    ("lo", "Lao"),
    ("lt", "Lithuanian"),
    ("lv", "Latvian"),
    ("my", "Burmese"),
    ("nl", "Dutch"),
    ("no", "Norwegian"),
    ("pl", "Polish"),
    ("pt", "Portuguese"),
    ("ro", "Romanian"),
    ("ru", "Russian"),
    ("sk", "Slovak"),
    ("sl", "Slovene"),
    ("sv", "Swedish"),
    ("sw", "Swahili"),
    ("th", "Thai"),
    ("tr", "Turkish"),
    ("uk", "Ukrainian"),
    ("ur", "Urdu"),
    ("vi", "Vietnamese"),
    ("zh", "Chinese"),
];

/// A language as it was typed, if it is a code: two or three letters, perhaps with a country (`en`, `en-GB`, `yue`). Whatever
/// else it is, the answer says what was meant, or which codes there are.
pub fn language_code(typed: &str) -> Result<String, String> {
    let base = super::tokenizer::base_language(typed);
    let is_code =
        (2..=3).contains(&base.len()) && base.bytes().all(|byte| byte.is_ascii_lowercase());
    if is_code {
        return Ok(typed.to_string());
    }
    let named = LANGUAGES
        .iter()
        .find(|(_, name)| name.eq_ignore_ascii_case(&base));
    if let Some((code, _)) = named {
        return Err(format!("the code of a language expected: {code}"));
    }
    let codes: Vec<&str> = LANGUAGES.iter().map(|(code, _)| *code).collect();
    let codes = codes.join(", ");
    Err(format!("the code of a language expected, such as {codes}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_answered_with_codes() {
        for code in ["en", "en-GB", "pt_BR", "yue", "DE"] {
            assert_eq!(language_code(code), Ok(code.to_string()));
        }
        let german = language_code("german").unwrap_err();
        assert_eq!(german, "the code of a language expected: de");
        let unknown = language_code("klingon").unwrap_err();
        assert!(
            unknown.contains("ar, bg") && unknown.contains("zh"),
            "{unknown}"
        );
        assert!(language_code("").is_err() && language_code("d3").is_err());
        assert!(LANGUAGES.is_sorted());
    }
}
