//! English word forms.

/// Plural of a regular noun.
pub fn plural(word: &str) -> String {
    with_s(word)
}

/// Third person singular.
pub fn third_person(word: &str) -> String {
    with_s(word)
}

/// The ending -s of nouns and verbs.
fn with_s(word: &str) -> String {
    if let Some(stem) = consonant_and_y(word) {
        return format!("{stem}ies");
    }
    let hissing = ["s", "sh", "ch", "x", "z"]
        .iter()
        .any(|end| word.ends_with(end));
    if hissing || word == "go" {
        format!("{word}es")
    } else {
        format!("{word}s")
    }
}

/// Past of a regular verb.
pub fn past(word: &str) -> String {
    if let Some(stem) = consonant_and_y(word) {
        format!("{stem}ied")
    } else if word.ends_with('e') {
        format!("{word}d")
    } else {
        format!("{word}ed")
    }
}

/// carry, but not play.
fn consonant_and_y(word: &str) -> Option<&str> {
    let stem = word.strip_suffix('y')?;
    let vowel = stem.ends_with(['a', 'e', 'i', 'o', 'u']);
    (!vowel && !stem.is_empty()).then_some(stem)
}

/// True if `an` stands before the word rather than `a`.
pub fn takes_an(word: &str) -> bool {
    word.starts_with(['a', 'e', 'i', 'o', 'u']) && !word.starts_with("uni")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings() {
        assert_eq!(plural("city"), "cities");
        assert_eq!(plural("boy"), "boys");
        assert_eq!(plural("box"), "boxes");
        assert_eq!(third_person("go"), "goes");
        assert_eq!(third_person("search"), "searches");
        assert_eq!(past("carry"), "carried");
        assert_eq!(past("love"), "loved");
        assert_eq!(past("visit"), "visited");
        assert!(takes_an("old") && !takes_an("university") && !takes_an("house"));
    }
}
