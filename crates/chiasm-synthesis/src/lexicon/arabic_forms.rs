//! Arabic word forms: article, number, case as far as the letters show it, agreement.

/// Numbers of the forms of a noun.
pub mod noun {
    /// Indefinite singular.
    pub const SINGULAR: usize = 0;
    /// Indefinite singular as an object: كتابا.
    pub const ACCUSATIVE: usize = 1;
    /// الكتاب.
    pub const DEFINITE: usize = 2;
    /// Plural, nominative and oblique.
    pub const PLURAL: usize = 3;
    /// Definite plural, nominative and oblique.
    pub const DEFINITE_PLURAL: usize = 5;
    /// Plural before its possessor, nominative and oblique: معلمو المدرسة.
    pub const CONSTRUCT_PLURAL: usize = 7;
    /// How many.
    pub const COUNT: usize = 9;
}

/// Numbers of the forms of an adjective; the definite ones follow at [`adjective::DEFINITE`].
pub mod adjective {
    /// Masculine singular.
    pub const MASCULINE: usize = 0;
    /// Feminine singular, also of things in the plural.
    pub const FEMININE: usize = 1;
    /// Men, nominative.
    pub const MEN: usize = 2;
    /// Men, oblique.
    pub const MEN_OBLIQUE: usize = 3;
    /// Women.
    pub const WOMEN: usize = 4;
    /// Masculine singular after كان and as an object.
    pub const ACCUSATIVE: usize = 5;
    /// Where the definite forms begin.
    pub const DEFINITE: usize = 6;
    /// The elative.
    pub const ELATIVE: usize = 11;
    /// How many.
    pub const COUNT: usize = 12;
}

/// Numbers of the forms of a verb: masculine, feminine, plural of each.
pub mod verb {
    /// كتب.
    pub const PAST: usize = 0;
    /// يكتب.
    pub const PRESENT: usize = 3;
    /// (لم) يكتب.
    pub const JUSSIVE: usize = 6;
    /// How many.
    pub const COUNT: usize = 9;
}

/// Words whose last letter ي is written only with the article: قاض, القاضي.
const DEFECTIVE: &[&str] = &["قاض", "أغان", "أيد", "أفاع", "غال", "عال"];

fn with_article(word: &str) -> String {
    if word == "امرأة" {
        // The one word here whose first letter gives way to the article.
        return "المرأة".into();
    }
    let ya = if DEFECTIVE.contains(&word) { "ي" } else { "" };
    format!("ال{word}{ya}")
}

/// Indefinite accusative; ة, اء, ى, ا and the colours have no letter for it.
fn accusative(word: &str) -> String {
    let bare = ["ة", "اء", "ى", "ا"].iter().any(|end| word.ends_with(end)) || is_colour(word);
    if bare {
        word.to_string()
    } else if DEFECTIVE.contains(&word) {
        format!("{word}يا")
    } else {
        format!("{word}ا")
    }
}

/// أحمر and its like.
fn is_colour(word: &str) -> bool {
    word.starts_with('أ') && word.chars().count() == 4 && word != "أمير"
}

/// Sound plurals change their ending outside the nominative.
fn oblique(plural: &str) -> String {
    match plural.strip_suffix("ون") {
        Some(stem) if plural.chars().count() > 5 => format!("{stem}ين"),
        _ => plural.to_string(),
    }
}

/// Sound plurals lose their ن before a possessor.
fn construct(plural: &str, original: &str) -> String {
    if oblique(original) != original {
        plural.strip_suffix('ن').unwrap_or(plural).to_string()
    } else {
        plural.to_string()
    }
}

/// The forms of a noun, in the order of [`noun`].
pub fn noun_forms(singular: &str, plural: &str) -> [String; noun::COUNT] {
    let others = oblique(plural);
    [
        singular.to_string(),
        accusative(singular),
        with_article(singular),
        plural.to_string(),
        others.clone(),
        with_article(plural),
        with_article(&others),
        construct(plural, plural),
        construct(&others, plural),
    ]
}

/// The forms of an adjective, in the order of [`adjective`].
pub fn adjective_forms(word: &str, plural: &str, elative: &str) -> [String; adjective::COUNT] {
    let feminine = if is_colour(word) {
        format!("{}اء", word.trim_start_matches('أ'))
    } else if DEFECTIVE.contains(&word) {
        format!("{word}ية")
    } else {
        format!("{word}ة")
    };
    let men = if plural.is_empty() {
        format!("{word}ون")
    } else {
        plural.to_string()
    };
    let women = match feminine.strip_suffix('ة') {
        Some(stem) => format!("{stem}ات"),
        None => men.clone(),
    };
    let men_oblique = oblique(&men);
    [
        word.to_string(),
        feminine.clone(),
        men.clone(),
        men_oblique.clone(),
        women.clone(),
        accusative(word),
        with_article(word),
        with_article(&feminine),
        with_article(&men),
        with_article(&men_oblique),
        with_article(&women),
        elative.to_string(),
    ]
}

/// The last letter of a weak verb.
fn without_weak_ending<'a>(word: &'a str, letters: &[char]) -> Option<&'a str> {
    letters.iter().find_map(|&letter| word.strip_suffix(letter))
}

/// The forms of a verb, in the order of [`verb`].
pub fn verb_forms(past: &str, present: &str, jussive: &str) -> [String; verb::COUNT] {
    // رأى has رأت and رأوا, but نسي keeps its letter in نسيت.
    let past_stem = without_weak_ending(past, &['ى']).unwrap_or(past);
    let past_plural = without_weak_ending(past, &['ى', 'ي']).unwrap_or(past);
    let present_plural = without_weak_ending(present, &['ي', 'ى', 'و']).unwrap_or(present);
    let jussive = if jussive.is_empty() {
        present_plural
    } else {
        jussive
    };
    [
        past.to_string(),
        format!("{past_stem}ت"),
        format!("{past_plural}وا"),
        present.to_string(),
        feminine_prefix(present),
        format!("{present_plural}ون"),
        jussive.to_string(),
        feminine_prefix(jussive),
        format!("{present_plural}وا"),
    ]
}

/// يكتب, تكتب.
fn feminine_prefix(word: &str) -> String {
    match word.strip_prefix('ي') {
        Some(rest) => format!("ت{rest}"),
        None => word.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns() {
        let teacher = noun_forms("معلم", "معلمون");
        assert_eq!(teacher[noun::ACCUSATIVE], "معلما");
        assert_eq!(teacher[noun::DEFINITE], "المعلم");
        assert_eq!(teacher[noun::PLURAL + 1], "معلمين");
        assert_eq!(teacher[noun::DEFINITE_PLURAL + 1], "المعلمين");
        assert_eq!(teacher[noun::CONSTRUCT_PLURAL], "معلمو");
        assert_eq!(teacher[noun::CONSTRUCT_PLURAL + 1], "معلمي");
        let school = noun_forms("مدرسة", "مدارس");
        assert_eq!(school[noun::ACCUSATIVE], "مدرسة");
        let eyes = noun_forms("عين", "عيون");
        assert_eq!(eyes[noun::PLURAL + 1], "عيون");
        assert_eq!(noun_forms("قاض", "قضاة")[noun::DEFINITE], "القاضي");
    }

    #[test]
    fn verbs_and_adjectives() {
        assert_eq!(
            verb_forms("رأى", "يرى", "ير"),
            [
                "رأى", "رأت", "رأوا", "يرى", "ترى", "يرون", "ير", "تر", "يروا"
            ]
        );
        assert_eq!(verb_forms("كتب", "يكتب", "")[5], "يكتبون");
        let red = adjective_forms("أحمر", "حمر", "");
        assert_eq!(red[adjective::FEMININE], "حمراء");
        assert_eq!(red[adjective::DEFINITE + 1], "الحمراء");
        let famous = adjective_forms("مشهور", "", "");
        assert_eq!(famous[adjective::MEN_OBLIQUE], "مشهورين");
        assert_eq!(famous[adjective::WOMEN], "مشهورات");
    }
}
