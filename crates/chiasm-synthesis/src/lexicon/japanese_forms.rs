//! Japanese verb forms in romanisation.

use super::verbs::Conjugation;

/// Numbers of the forms of a verb.
pub mod verb {
    /// tabemasu.
    pub const POLITE: usize = 0;
    /// tabemashita.
    pub const POLITE_PAST: usize = 1;
    /// tabe (masen).
    pub const POLITE_STEM: usize = 2;
    /// taberu.
    pub const PLAIN: usize = 3;
    /// tabeta.
    pub const PLAIN_PAST: usize = 4;
    /// tabe (nai).
    pub const NEGATIVE_STEM: usize = 5;
    /// How many.
    pub const COUNT: usize = 6;
}

/// Stem before masu, stem before nai, and past of a godan verb, by its last mora.
const GODAN: &[(&str, &str, &str, &str)] = &[
    ("tsu", "chi", "ta", "tta"),
    ("su", "shi", "sa", "shita"),
    ("ku", "ki", "ka", "ita"),
    ("gu", "gi", "ga", "ida"),
    ("mu", "mi", "ma", "nda"),
    ("nu", "ni", "na", "nda"),
    ("bu", "bi", "ba", "nda"),
    ("ru", "ri", "ra", "tta"),
    ("u", "i", "wa", "tta"),
];

/// The forms of a verb, in the order of [`verb`]; of a `suru` verb, those of suru.
pub fn verb_forms(dictionary: &str, conjugation: Conjugation) -> [String; verb::COUNT] {
    let (polite, negative, plain, past) = match conjugation {
        Conjugation::Ichidan => {
            let stem = dictionary.strip_suffix("ru").unwrap_or(dictionary);
            (
                stem.into(),
                stem.into(),
                dictionary.into(),
                format!("{stem}ta"),
            )
        }
        Conjugation::Suru => ("shi".into(), "shi".into(), "suru".into(), "shita".into()),
        Conjugation::Kuru => ("ki".into(), "ko".into(), "kuru".into(), "kita".into()),
        Conjugation::Godan => godan(dictionary),
    };
    [
        format!("{polite}masu"),
        format!("{polite}mashita"),
        polite,
        plain,
        past,
        negative,
    ]
}

fn godan(dictionary: &str) -> (String, String, String, String) {
    let plain = dictionary.to_string();
    for (ending, polite, negative, past) in GODAN {
        if let Some(stem) = dictionary.strip_suffix(ending) {
            // iku is the one exception: itta, not iita.
            let past = if dictionary == "iku" { "tta" } else { past };
            return (
                format!("{stem}{polite}"),
                format!("{stem}{negative}"),
                plain,
                format!("{stem}{past}"),
            );
        }
    }
    (plain.clone(), plain.clone(), plain.clone(), plain)
}

/// The predicative form of an adjective, without copula; none if it has no simple one.
pub fn predicative(attributive: &str) -> Option<String> {
    if attributive.ends_with("tta") || attributive.ends_with("reta") {
        return None;
    }
    if attributive == "ookina" {
        return Some("ookii".into());
    }
    let stem = attributive
        .strip_suffix(" na")
        .or_else(|| attributive.strip_suffix(" no"))
        .or_else(|| {
            let short = attributive.strip_suffix("na")?;
            short.ends_with("teki").then_some(short)
        });
    Some(stem.unwrap_or(attributive).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conjugations() {
        let forms = |word, conjugation| verb_forms(word, conjugation).join(" ");
        assert_eq!(
            forms("kaku", Conjugation::Godan),
            "kakimasu kakimashita kaki kaku kaita kaka"
        );
        assert_eq!(
            forms("kau", Conjugation::Godan),
            "kaimasu kaimashita kai kau katta kawa"
        );
        assert_eq!(
            forms("taberu", Conjugation::Ichidan),
            "tabemasu tabemashita tabe taberu tabeta tabe"
        );
        assert_eq!(
            forms("matsu", Conjugation::Godan),
            "machimasu machimashita machi matsu matta mata"
        );
        assert_eq!(
            forms("iku", Conjugation::Godan),
            "ikimasu ikimashita iki iku itta ika"
        );
        assert_eq!(predicative("yuumei na").as_deref(), Some("yuumei"));
        assert_eq!(predicative("takai").as_deref(), Some("takai"));
        assert_eq!(predicative("tsukareta"), None);
    }
}
